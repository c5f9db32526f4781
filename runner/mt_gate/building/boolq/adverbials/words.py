"""Words that tell whether a phrase belongs to the whole question or to a word in it."""

from __future__ import annotations

OPENERS = frozenset({"in", "at", "on"})
SUBORDINATORS = frozenset({"when", "if"})

BE = frozenset("is are was were".split())
HAVE = frozenset("has have".split())
MODALS = frozenset("can could will would should may must might".split())
AUXILIARIES = BE | HAVE | MODALS | frozenset("do does did".split())

SUBJECT_PRONOUNS = frozenset("i you he she it we they there".split())
BACKWARD = frozenset(
    "it its itself he him his she her hers they them their theirs this that these those".split()
)
"""Pronouns that point to something named elsewhere in the question."""
WEATHER = frozenset(
    "rain raining rains snow snowing snows cold hot windy cloudy sunny freezing dark wet warm "
    "foggy storming below above".split()
)

PLACES = frozenset(
    "us usa uk eu america england scotland wales ireland britain europe asia africa australia "
    "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia "
    "hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts "
    "michigan minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon "
    "pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming nyc al ak az "
    "ar ca ct fl ga il ky la ma md mi mn mo ms mt nc nd nh nj nm nv ny oh pa ri sc sd tn tx ut va "
    "vt wa wi wv wy ontario quebec alberta manitoba countries country states state province "
    "provinces city cities".split()
)
LEAGUES = frozenset("nba nfl nhl mlb ncaa mls wnba".split())
GAMES = frozenset(
    "chess checkers poker rummy blackjack roulette baccarat uno spades hearts euchre cribbage "
    "bridge canasta scrabble monopoly mahjong dominoes pool snooker billiards darts 8-ball 9-ball "
    "soccer football baseball softball basketball netball volleyball tennis badminton squash golf "
    "cricket rugby hockey lacrosse handball bowling boxing wrestling karate judo curling cycling "
    "kickball dodgeball polo league ball sports sport craps solitaire yahtzee jeopardy".split()
)
INSTITUTIONS = frozenset(
    "nba nfl nhl mlb ncaa mls wnba wwe ufc cfl afl nrl ipl army navy military marines airforce "
    "playoffs finals olympics championship championships cup tournament series school college "
    "university senate congress parliament house court prison jail premiership tour".split()
)
FICTION = frozenset(
    "movie movies film films book books comic comics show series novel novels season episode "
    "finale end ending game games manga anime sequel musical original".split()
)
TIMES = frozenset(
    "january february march april may june july august september october november december sunday "
    "sundays monday mondays tuesday wednesday thursday friday saturday saturdays weekend weekends "
    "weekdays christmas easter thanksgiving day days night winter summer spring autumn fall "
    "morning evening afternoon war wars ww1 ww2 wwi wwii 1800s 1900s century summertime 1930s "
    "1940s 1950s 1960s 1970s 1980s 1990s holiday holidays eve".split()
)
SITUATIONS = frozenset(
    "kickoff kick fly strike light double emergency conversion punt choice corner serve ball "
    "rebound".split()
)
"""What a rule of a game or of the road is about: ``on a corner kick``."""
PLATFORMS = frozenset("xbox ps2 ps3 ps4 playstation wii switch iphone android vita ds 3ds".split())

IDIOMS = frozenset(
    "all least most once home first last fact general common order person time total advance love "
    "color colour charge place stock public circulation use service front case terms addition "
    "spite favor favour need light top behalf board average fire air purpose row tie half part "
    "particular turn vain full return control business effect power progress production existence "
    "possession debt danger trouble writing practice theory reality tv television dvd netflix "
    "hulu demand own way size length shape nature number numbers degrees degree position detail "
    "session office bed hand hands work sea risk speed rest question print hindsight sync stead "
    "lieu sight making works pipeline wild holiday vacation".split()
)
"""Nouns that make a fixed phrase or a predicate with the word before them."""
IDIOMS_THE = frozenset("making works pipeline wild way time".split())
"""Those that do so with an article as well."""
WIDE = frozenset(
    "every all each any more most both some many few no several same another one other only which "
    "what whom whose where who how and/or than else least".split()
)
"""Words before a noun that make the meaning depend on where the phrase stands."""
PHRASE_ENDS = frozenset("now before today yet still anymore again too also ever ago alone".split())
FIXED_PLACES = frozenset({"world", "whole", "entire", "universe", "land", "history"})
"""``In the world`` limits a superlative or says nothing: it is never moved."""

COMPLEMENT_NOUNS = frozenset(
    "difference differences change changes increase decrease decline rise drop interest limit "
    "limits restriction restrictions ban cap tariff information data book books movie movies film "
    "films season seasons episode episodes sequel sequels volume part parts way role roles place "
    "trust belief overlap variation similarity share stake documentary song songs show shows "
    "cameo spin-off pun view effect impact attack attacks reservation version versions city "
    "cities town towns village state county country island river capital building mountain thing "
    "things people person man woman men women boy girl character characters guy player players "
    "actor seat seats team trade faith pride copyright patent lien lid word words letter letters "
    "member members number numbers digits figure figures area region point points brother sister "
    "friend friends war spot hole holes game games level levels stage degree course courses "
    "career job jobs hand foot tattoo name names right edge line lines row button page pages "
    "anywhere somewhere everywhere nowhere elsewhere minutes hours days weeks months year years "
    "seconds top bottom front middle side time times".split()
)
"""Nouns that a following phrase belongs to more readily than to the question."""
PLACING = frozenset(
    "put place lay set keep leave store include involve locate base find land park hang mount "
    "insert drop throw shoot sit stand stay live reside dwell lie rest hide play star appear "
    "feature compete participate partake join enter engage invest believe trust interest result "
    "end finish come go move get be become travel fly run turn fall arrive settle retire "
    "originate bear grow exist remain occur happen take serve act sing perform fight film make "
    "record write release manufacture build produce sell hold host meet see hear look watch "
    "depend rely focus hit bet spend waste count fit belong succeed fail differ vary dress cover "
    "specialise specialize major graduate enrol enroll stop wait attend study teach train raise "
    "show contain consist lead root contest know start begin work function call list stamp print "
    "draw pay bring send ship".split()
)
"""Verbs that a phrase right after them completes, or is what the question asks about."""
PLACING_OBJECTS = frozenset(
    "buy shine point aim put place lay set keep leave store include involve locate base insert "
    "drop throw hang mount park hide invest spend play take star find see hear hold get send "
    "bring ship turn make film record write shoot build produce call waste pour add mix fit "
    "change know watch land contain say".split()
)
"""Verbs that want a phrase after their object, or may have it there."""
FREE_VERBS = frozenset(
    "die rain snow drink smoke vote drive gamble hunt castle apply win lose marry date kiss "
    "survive divorce sink hail swim cheat sleep drown cry count breathe advance".split()
)
"""Verbs that need nothing after them: a phrase there says where or when."""
FREE_PHRASES = (
    ("get", "together"),
    ("get", "married"),
    ("get", "pregnant"),
    ("get", "back", "together"),
    ("end", "up", "together"),
    ("break", "up"),
    ("wake", "up"),
    ("come", "back"),
    ("come", "back", "to", "life"),
    ("go", "off"),
    ("get", "divorced"),
    ("get", "engaged"),
    ("get", "cold"),
    ("get", "paid"),
    ("get", "held", "back"),
    ("get", "rescued"),
    ("fall", "in", "love"),
    ("turn", "right"),
    ("turn", "left"),
    ("go", "public"),
    ("open", "carry"),
    ("carry", "over"),
)
STORY_VERBS = frozenset("die survive marry date kiss divorce get end break".split())
"""First words of the free ones that stories are asked about."""
KEEPING_HOURS = frozenset({"run", "operate", "open", "close", "deliver"})
LOOSE_OBJECTS = frozenset("buy make take get play call say turn have".split())
"""Verbs whose object takes no place where a rule is asked about: ``can you make a right``."""
LEGAL = frozenset(
    "legal illegal lawful unlawful allowed free mandatory compulsory required permitted "
    "prohibited banned outlawed legalized legalised decriminalized taxable deductible valid "
    "recognized recognised protected tax-free available taxed regulated common rare popular "
    "endangered edible expensive safe celebrated observed considered enforceable binding optional "
    "necessary extinct poisonous native visible toll-free".split()
)
"""Predicates that hold under the law or the custom of a place."""
STATES = frozenset(
    "alive dead pregnant married together evil blind gay related engaged real".split()
)
"""Predicates that hold in a story."""
OPEN = frozenset({"open", "closed"})
IN_PLAY = frozenset({"dead", "live", "offside", "out"})
STATUSES = frozenset(
    "holiday crime citizen offence offense felony misdemeanor misdemeanour right language tender "
    "currency road toll requirement law tradition number drug sport substance custom "
    "monopoly".split()
)
"""Nouns of what something is under the law or the custom of a place."""
RELATIVE = frozenset("that who which whose what where why how whether because while".split())
ASKING = frozenset(
    "know ask see care matter tell wonder think say remember mean depend decide show check find "
    "sure clear certain even only just as what especially except is are was were and or but".split()
)
"""Words before ``when`` or ``if`` after which it opens no adverbial clause."""
LIMITING = frozenset("only even just especially mainly mostly primarily exclusively".split())
DEGREES = frozenset({"JJR", "JJS", "RBR", "RBS"})
NUMBERED = frozenset("book part chapter volume episode film movie".split())
"""Parts of a work, which have numbers in it."""
NOT_THERE = frozenset("between to going with season seasons part".split())
"""Words that say of what there is something, and take the phrase as their own."""
UNIVERSAL = frozenset({"every", "each", "most"})
