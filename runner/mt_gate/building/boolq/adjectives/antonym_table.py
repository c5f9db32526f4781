"""Adjectives and what a yes to them rules out, by the place that they stand in.

MR1-1 of the reading-comprehension paper (ESEC/FSE 2021), section 4.1, wants the
answer inverted. WordNet's antonyms do not all do that (dead and live, common and
individual), and many hold in one sense only: a real place may not be fictional,
a real number has no opposite. So the pairs are written down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mt_gate.building.boolq.adjectives.slots import ANY, ROW, Entry, words

WORKS = words(
    "season episode movie film book game one series show album battle letter chapter part round "
    "novel volume installment instalment song single sequel"
)
"""What comes in a row, so that there are a first and a last."""
DAYS = words("sunday monday tuesday wednesday thursday friday saturday weekend week day")
_STORIES = words("story tale account")
_HAPPENED = words("event incident occurrence")
_INVENTED = words(
    "place town city village island country county state street house hotel restaurant bar pub "
    "school college university hospital prison castle ship band person family character king "
    "queen book company store brand airline language disease"
)
_PROFESSIONS = words("realtor gymnast doctor lawyer chef cop twin judge dog cat flower plant")
_OWNED = words("school university college course beach company hospital corporation road")
_NUMBERS = words("number integer")
_STRENGTH = words("acid base electrolyte")
_ENGINES = words("engine")

_BOTH_WAYS = (
    # A predicate on either side, and whatever follows.
    "legal illegal",
    "lawful unlawful",
    "possible impossible",
    "normal abnormal",
    "safe unsafe",
    "healthy unhealthy",
    "edible inedible",
    "valid invalid",
    "compatible incompatible",
    "available unavailable",
    "necessary unnecessary",
    "soluble insoluble",
    "accurate inaccurate",
    "effective ineffective",
    "successful unsuccessful",
    "important unimportant",
    "constitutional unconstitutional",
    "acceptable unacceptable",
    "ethical unethical",
    "eligible ineligible",
    "likely unlikely",
    "common uncommon",
    "capable incapable",
    "able unable",
    "reversible irreversible",
    "stable unstable",
    "infinite finite",
    "guilty innocent",
    "permanent temporary",
    "profitable unprofitable",
    "voluntary mandatory",
    "sufficient insufficient",
    "reliable unreliable",
    "conscious unconscious",
)
_ONE_WAY = (
    # A predicate whose opposite is not its only one, or says more.
    "dangerous safe",
    "hazardous safe",
    "harmful harmless",
    "harmless harmful",
    "poisonous harmless",
    "toxic nontoxic",
    "venomous nonvenomous",
    "compulsory optional",
    "mandatory optional",
    "obligatory optional",
    "optional compulsory",
    "alive dead",
    "expensive cheap",
    "cheap expensive",
    "rare common",
    "unusual usual",
    "useful useless",
    "hard easy",
    "difficult easy",
    "easy difficult",
    "false true",
    "fake real",
    "fictional real",
    "renewable nonrenewable",
    "flammable nonflammable",
    "magnetic nonmagnetic",
    "wet dry",
    "biodegradable nonbiodegradable",
    "similar dissimilar",
    "acidic alkaline",
)
_DEGREES = (
    # Comparatives and superlatives; of comparatives the predicate, before "than" or a place.
    "bigger smaller biggest smallest",
    "larger smaller largest smallest",
    "smaller larger smallest largest",
    "taller shorter tallest shortest",
    "longer shorter longest shortest",
    "shorter longer shortest longest",
    "higher lower highest lowest",
    "lower higher lowest highest",
    "faster slower fastest slowest",
    "slower faster slowest fastest",
    "stronger weaker strongest weakest",
    "weaker stronger weakest strongest",
    "heavier lighter heaviest lightest",
    "hotter colder hottest coldest",
    "colder hotter coldest hottest",
    "warmer colder warmest coldest",
    "thicker thinner thickest thinnest",
    "deeper shallower deepest shallowest",
    "wider narrower widest narrowest",
    "richer poorer richest poorest",
    "better worse best worst",
    "worse better worst best",
    "safer riskier safest riskiest",
    "healthier unhealthier healthiest unhealthiest",
    "brighter dimmer brightest dimmest",
)
_OF_OTHER_SENSE: Mapping[str, frozenset[str]] = {
    "compatible": words("backwards backward reverse"),
    "possible": words("soon much best early far"),
    "alive": words("well kicking"),
    "equal": words("opportunity rights"),
    "hard": words("metal rock wood steel stone surface"),
    "lighter": words("color colour skin"),
    "longer": words("no other"),
    # One is always weaker than the other where one is stronger.
    "stronger": words("other"),
    "bigger": words("other"),
    "larger": words("other"),
    "higher": words("other"),
    "better": words("or other"),
}


def _entries() -> Iterator[tuple[str, Entry]]:
    for pair in _BOTH_WAYS:
        old, new = pair.split()
        yield old, Entry(new, ANY, unless=_OF_OTHER_SENSE.get(old, frozenset()))
        if new != "mandatory":  # has its own opposite
            yield new, Entry(old, ANY)
    for pair in _ONE_WAY:
        old, new = pair.split()
        yield old, Entry(new, ANY, unless=_OF_OTHER_SENSE.get(old, frozenset()))
    for row in _DEGREES:
        more, less, most, least = row.split()
        yield more, Entry(less, words("than ? in at"), unless=_OF_OTHER_SENSE.get(more, words("")))
        yield most, Entry(least, words("? in on at by"), ANY)
    yield from _BY_NOUN


_BY_NOUN = (
    ("true", Entry("false", ANY)),
    # "based on a false story", as in the paper, is not what anybody asks.
    ("true", Entry("fictional", nouns=_STORIES | _HAPPENED)),
    ("real", Entry("fictional", nouns=_STORIES | _HAPPENED | _INVENTED)),
    ("real", Entry("fake", nouns=_PROFESSIONS)),
    ("real", Entry("fake", words("?"))),
    ("fictional", Entry("real", nouns=_STORIES | _HAPPENED | _INVENTED)),
    ("good", Entry("bad", words("for ?"))),
    ("bad", Entry("good", words("to for ?"))),
    # What closes for ever, and what closes at night; an open world or source is neither.
    ("open", Entry("closed", words("? to on for in at today"), unless=words("world source carry"))),
    ("closed", Entry("open", words("? to on for in at today"), unless=words("captioned form"))),
    # A ball and a battery are dead in other senses; a name may end in the word.
    (
        "dead",
        Entry("alive", words("? in at"), unless=words("ball battery phone walking sea language")),
    ),
    ("dead", Entry("living", nouns=words("language"))),
    ("active", Entry("inactive", words("? in"), words("volcano"))),
    ("present", Entry("absent", words("?"))),
    ("public", Entry("private", nouns=_OWNED)),
    ("private", Entry("public", nouns=_OWNED)),
    ("nonprofit", Entry("for-profit", nouns=words("organization organisation company school"))),
    ("legal", Entry("illegal", nouns=words("substance drug activity marriage practice"))),
    ("valid", Entry("invalid", nouns=words("form argument id passport license licence contract"))),
    ("effective", Entry("ineffective", nouns=words("treatment method way"))),
    ("rational", Entry("irrational", nouns=_NUMBERS)),
    ("irrational", Entry("rational", nouns=_NUMBERS)),
    ("odd", Entry("even", nouns=_NUMBERS)),
    ("even", Entry("odd", nouns=_NUMBERS)),
    ("prime", Entry("composite", nouns=_NUMBERS)),
    ("positive", Entry("negative", nouns=_NUMBERS)),
    ("negative", Entry("positive", nouns=_NUMBERS)),
    ("strong", Entry("weak", nouns=_STRENGTH)),
    ("weak", Entry("strong", nouns=_STRENGTH)),
    ("external", Entry("internal", nouns=_ENGINES)),
    ("simple", Entry("complex", nouns=words("sugar carbohydrate sentence"))),
    ("liquid", Entry("illiquid", nouns=words("asset"))),
    ("natural", Entry("artificial", nouns=words("lake harbor harbour island satellite"))),
    ("artificial", Entry("natural", nouns=words("lake harbor harbour island satellite"))),
    ("renewable", Entry("nonrenewable", nouns=words("resource source"))),
    ("nonrenewable", Entry("renewable", nouns=words("resource source"))),
    ("continuous", Entry("discontinuous", words("?"))),
    ("empty", Entry("full", words("?"))),
    ("hot", Entry("cold", words("? in"))),
    ("cold", Entry("hot", words("? in"))),
    ("rich", Entry("poor", words("?"))),
    ("fresh", Entry("salty", words("?"), unless=words("eggs meat fruit bread"))),
    ("last", Entry("first", words("?"), WORKS | DAYS)),
    ("final", Entry("first", nouns=WORKS)),
    ("first", Entry("last", nouns=WORKS | DAYS | words("president phone person country woman"))),
    ("oldest", Entry("newest", nouns=words("city university college school church building town"))),
    ("oldest", Entry("youngest", nouns=words("child sibling brother sister person member player"))),
    ("youngest", Entry("oldest", nouns=words("child sibling brother sister person president"))),
    ("older", Entry("younger", words("than"), unless=words("building city university language"))),
    ("younger", Entry("older", words("than"))),
)


def _table() -> Mapping[str, tuple[Entry, ...]]:
    table: dict[str, tuple[Entry, ...]] = {}
    for old, entry in _entries():
        table[old] = (*table.get(old, ()), entry)
    return MappingProxyType(table)


ANTONYMS = _table()
"""By adjective; the first entry that fits counts."""
SUPERLATIVES = frozenset(word for row in _DEGREES for word in row.split()[2:])
ONE_OF_A_ROW = ROW | SUPERLATIVES | words("oldest youngest")
"""Adjectives that only one thing can bear: they need ``the``."""
