"""Words that tell what kind of thing a name names: organisations, places, teams, titles.

A group of words is a class: names of one class stand for each other.
"""

from __future__ import annotations


def _table(lines: dict[str, str]) -> dict[str, str]:
    return {word: group for group, words in lines.items() for word in words.split("|")}


ENDS = _table(
    {
        "university": "University",
        "college": "College",
        "high school": "High School",
        "company": "Inc|Inc.|Corp|Corp.|Ltd|Ltd.|Co.|Industries|Technologies|"
        "Systems|Holdings|Motors|Electronics|Software|Enterprises|Pharmaceuticals|Semiconductor",
        "company by that word": "Company|Corporation",
        "airline": "Airlines|Airways",
        "label": "Records",
        "publisher": "Books|Publishing|Publishers",
        "bank": "Bank",
        "newspaper": "Times|Post|Herald|Tribune|Journal|Gazette|Chronicle|Telegraph",
        "party": "Party",
        "association": "Association|Federation",
        "society": "Society",
        "foundation": "Foundation",
        "orchestra": "Orchestra|Philharmonic|Symphony",
        "museum": "Museum",
        "hospital": "Hospital",
        "club": "F.C.|FC|A.F.C.|AFC|United|Rovers|Wanderers|Athletic|Hotspur|Albion",
        "theatre": "Theatre|Theater",
        "river": "River",
        "island": "Island",
        "bridge": "Bridge",
        "county": "County",
        "airport": "Airport",
        "stadium": "Stadium",
        "lake": "Lake",
    }
)
"""Last words of names, and their class."""

STARTS = _table(
    {
        "university of": "University of",
        "bank of": "Bank of",
        "lake first": "Lake",
        "mount": "Mount",
    }
)
"""First words of names, and their class."""

KNOWN = _table(
    {
        "company": "Microsoft|Apple|Google|Intel|Sony|Toyota|Nokia|Siemens|Honda|Nissan|Boeing|"
        "Airbus|Samsung|Motorola|Philips|Panasonic|Hitachi|Toshiba|Yahoo|eBay|Adobe|Oracle|IBM|"
        "Dell|Xerox|Kodak|Chrysler|Volkswagen|Renault|Peugeot|Fiat|BMW|Volvo|Saab|Mazda|Nestle|"
        "Unilever|Walmart|Nike|Adidas|Pfizer|Bayer|Novartis|Lufthansa|Netflix|Facebook|Nvidia|"
        "General Electric|General Motors|Hewlett-Packard|Coca-Cola|Goldman Sachs|Merrill Lynch|"
        "Morgan Stanley|Procter & Gamble|Cisco|Ericsson|Nintendo|Sega|Atari|Mitsubishi|Exxon",
        "broadcaster": "CBS|NBC|ABC|CNN|HBO|MTV|PBS|ESPN|Showtime|Nickelodeon",
        "football club": "Arsenal|Everton|Fulham|Manchester United|"
        "Manchester City|Leeds United|Newcastle United|West Ham United|Tottenham Hotspur|"
        "Aston Villa|Real Madrid|Juventus|Inter Milan|AC Milan|Ajax|Feyenoord|"
        "Benfica|Bayern Munich|Borussia Dortmund|Celta Vigo|Real Sociedad|"
        "Olympique Lyonnais|Paris Saint-Germain|Blackburn Rovers|Sheffield Wednesday|"
        "Sheffield United|Crystal Palace|Leicester City|Norwich City|Stoke City|Hull City",
        "university": "Harvard|Yale|Princeton|Stanford|Cornell|Caltech",
        "magazine": "Newsweek|Playboy|Vogue|Cosmopolitan|Esquire",
    }
)
"""Names of one class that no word tells."""

NICKNAMES = _table(
    {
        "nfl": "Cowboys|Packers|Steelers|Patriots|Broncos|Raiders|Chargers|Chiefs|Dolphins|Bills|"
        "Jets|Bengals|Browns|Ravens|Colts|Texans|Jaguars|Titans|Eagles|Redskins|Bears|Lions|"
        "Vikings|Falcons|Saints|Buccaneers|49ers|Seahawks|Rams",
        "nba": "Lakers|Celtics|Bulls|Knicks|Nets|76ers|Raptors|Pistons|Pacers|Bucks|Hawks|Hornets|"
        "Wizards|Nuggets|Timberwolves|SuperSonics|Clippers|Suns|Mavericks|Rockets|Grizzlies|Spurs",
        "mlb": "Yankees|Mets|Orioles|Blue Jays|Indians|Tigers|Royals|Twins|Angels|Athletics|"
        "Mariners|Braves|Marlins|Phillies|Cubs|Reds|Brewers|Pirates|Astros|Diamondbacks|Rockies|"
        "Dodgers|Padres",
        "nhl": "Bruins|Sabres|Canadiens|Senators|Maple Leafs|Red Wings|Blackhawks|Blues|Flames|"
        "Oilers|Canucks|Avalanche|Flyers|Penguins|Islanders|Devils|Capitals|Thrashers|Predators",
    }
)
"""Nicknames of North American teams, which follow the name of a place."""

NICKNAME_PLACES = frozenset(
    "New York|Los Angeles|Chicago|Dallas|Detroit|Boston|Philadelphia|Pittsburgh|Cleveland|"
    "Baltimore|Cincinnati|Denver|Green Bay|Houston|Indianapolis|Jacksonville|Kansas City|Miami|"
    "Minnesota|New England|New Orleans|New Jersey|Oakland|San Diego|San Francisco|Seattle|"
    "St. Louis|Tampa Bay|Tennessee|Washington|Atlanta|Carolina|Arizona|Milwaukee|Toronto|"
    "Sacramento|Phoenix|Utah|Orlando|Portland|San Antonio|Memphis|Texas|Colorado|Florida|"
    "Montreal|Buffalo|Ottawa|Calgary|Edmonton|Vancouver|Anaheim|San Jose|Nashville|"
    "Columbus|Charlotte|Brooklyn|Golden State|Indiana|Buffalo".split("|")
)

ARTICLE = frozenset(
    {"university of", "newspaper", "party", "association", "society"}
    | {"foundation", "orchestra", "museum", "river", "nfl", "nba", "mlb", "nhl"}
)
"""Classes whose names stand after ``the``."""

EITHER_ARTICLE = frozenset({"bridge", "theatre", "hospital", "stadium", "company by that word"})
"""Classes that keep the article that they are found with, or none."""

GENERIC = frozenset(
    "International City State National Central High Royal General County Public Southern Northern "
    "Eastern Western North South East West New Old Great Regional Local Federal United Community "
    "Free First Memorial Medical Technical Junior Senior Daily Sunday Mighty Asian".split()
)
"""Words that name nothing without another before the class."""

PARTISAN = frozenset(
    "Democratic Labour Labor Liberal Socialist Communist Conservative National People Peoples "
    "Workers Green Republican Unionist Islamic Progressive Social Radical Freedom Reform Popular "
    "Moderate Action Unity Congress".split()
)
"""Words of parties' names."""

TITLES = _table(
    {
        "music": "musician|singer|songwriter|composer|guitarist|pianist|drummer|bassist|violinist|"
        "singer-songwriter|rapper|saxophonist|trumpeter|cellist|organist|percussionist|vocalist",
        "writing": "writer|author|novelist|poet|playwright|journalist|essayist|screenwriter|"
        "columnist|biographer|short story writer",
        "scholarship": "historian|economist|philosopher|physicist|chemist|mathematician|biologist|"
        "sociologist|linguist|anthropologist|psychologist|astronomer|botanist|geologist|"
        "archaeologist|political scientist|computer scientist|zoologist|theologian",
        "art": "painter|sculptor|illustrator|photographer|printmaker|engraver|cartoonist",
        "office": "senator|governor|mayor|congressman|ambassador|diplomat|judge|legislator",
        "rank": "Captain|Major|Colonel|Lieutenant Colonel|Brigadier General|Major General|"
        "Lieutenant General",
    }
)
"""What a person is by calling; of one field."""

PEOPLE = frozenset(
    "actor actress artist author architect astronaut astronomer athlete boxer broadcaster "
    "businessman businesswoman "
    "chemist choreographer coach comedian commander composer conductor critic cricketer cyclist "
    "dancer designer diplomat director driver economist editor engineer entrepreneur filmmaker "
    "footballer geologist golfer guitarist historian inventor investor journalist judge lawyer "
    "manager mathematician midfielder minister model musician novelist nurse officer official "
    "painter philosopher photographer physician physicist pianist playwright poet politician "
    "producer professor rapper reporter rower scholar scientist screenwriter sculptor singer "
    "songwriter skier sociologist sprinter striker surgeon swimmer teacher tycoon violinist "
    "volleyballer wrestler writer drummer bassist botanist biologist banker billionaire "
    "cellist defender forward goalkeeper gymnast fencer jockey naturalist explorer pilot "
    "psychologist psychiatrist soprano tenor baritone vocalist skater player activist".split()
)
"""Nouns for persons that an adjective of nationality goes before."""

BODIES = frozenset(
    "ambassador army authority band bank brand ceo citizen city company contingent corporation "
    "delegation duo firm government group league magazine manufacturer market newspaper "
    "official organisation organization president premier provider publisher retailer singer "
    "soldier subsidiary team television town trio troop university village airline businessman "
    "citizen couple family father mother parent immigrant national descent heritage ancestry "
    "origin actress film drama comedy thriller festival".split()
)
"""Other nouns that an adjective of nationality goes before."""

NO_SURNAME = frozenset(
    "Academy Airport Album Alliance Ambassador America American Arena Army Association Avenue "
    "Award Awards Bank Bay Beach Block Board Boys Bridge Brothers Building Cathedral Center "
    "Centre Championship Chapel Chapter Church Cinema City Clinic Club College Comics Commission "
    "Committee "
    "Company Conference Corp Council County Court Cup Day Department District Drive East "
    "Entertainment Estate Fair Falls Family Festival Films Force Foundation Fund Gallery Games "
    "Gardens Gate Group Hall High Highway Hill Hills Hospital Hotel House Inc Industries "
    "Institute International Island Islands Journal Junior Jr Lake Lane League Library Line Live "
    "Lodge Ltd Magazine Mall Mansion Manor Market Memorial Middle Mine Mission Mountain Movie "
    "Museum Music National News North Office Orchestra Palace Party Pass Peak Place Plaza Point "
    "Port Post Prep President Press Prize Productions Project Queen Railroad Railway Ranch "
    "Records Republic Republican Resort Reserve Revue Ridge River Road Rock Royal Saint School "
    "Schools Science Senior Series "
    "Service Show Singers Sisters Society Song South Springs Square Stadium State Station Story "
    "Street Studio Studios Sun Symphony System Team Technologies Technology Temple Theater "
    "Theatre Times Tower Town Township Trail Trio Trophy Trust Union United University Valley "
    "Village Ward West Women Works World Zoo Empire Kingdom Dynasty Language Lyrics Sr Ode Jail "
    "Professor Senator Governor Minister Report Law Act Today Tonight Spirit Planet Project "
    "The And Of In At For With From On By About He She His Her They It Its A An".split()
)
"""Words that are no surname and no part of a person's name."""
