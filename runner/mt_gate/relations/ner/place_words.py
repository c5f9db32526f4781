"""The words that tell what stands beside a name, and what a name is."""

from __future__ import annotations

import re

FUNCTION = frozenset(
    "about above across after against along alongside also although always am amid among an and "
    "are around as at be because been before behind being below beneath beside besides between "
    "beyond both but by called can could did do does despite down during either except first for "
    "from had has have he her here his how however i if in including inside instead into is it "
    "its later like may meanwhile might minus must my named near neither never nor not now of off "
    "often on once only onto opposite or our out outside over past per plus said shall she should "
    "since so still than that the their them then there they though through throughout till to "
    "today together toward towards under underneath unlike until up upon versus via vs was we "
    "were what when where whereas whether which while who whom whose why will with within without "
    "would yet you your".split()
)
"""Words that belong to no name, so that a name ends before them and begins after them."""
PAST = frozenset(
    "became began beat came defeated gave got held led left lost made met moved played said saw "
    "signed took went won".split()
)
"""Verbs whose form is one for one and for many, beside those that end in "ed"."""
COUNTING = frozenset(
    "a an all another any each every few four many most no one several some these this those "
    "three two various".split()
)
"""Words before which a name turns into a noun: another Picasso, all Beatles songs."""
TITLES = frozenset(
    "mr mrs ms miss mister dr sir dame lord lady saint st prof mme rev fr mt ft gov sen rep gen "
    "col lt sgt capt maj".split()
)
SEX = re.compile(
    r"(?:grand|god|step|half-|ex-)?(?:father|mother|brother|sister|son|daughter|husband|wife)s?"
    r"(?:-in-law)?|(?:.*s|chair|police|fire|noble|gentle|fisher)?(?:wo)?m[ae]n"
    r"|(?:boy|girl)(?:friend)?|(?:ac|wai|mis|sculp)tress|(?:duch|princ|count|godd|host|heir|emp)r?ess|uncle|aunt|nephew"
    r"|niece|kings?|queens?|princes?|duke|widow|widower|bride|groom|lord|lady|actor|hero|heroine"
    r"|wizard|witch|waiter|pope|nun|monk|dad|mom|mum|fianc[eé]e?"
)
"""Nouns that tell the sex of who is named next, or before a comma."""
RANKS = frozenset(
    "President Senator Governor Judge Justice Professor Chancellor Minister Secretary Detective "
    "Ambassador Coach Manager".split()
)
"""Titles of either sex, written large before a whole name."""
KINDS = frozenset(
    "album anime band book bridge brand character comedy comic county drama episode film "
    "franchise game hurricane island isle lake magazine mount mountain movie musical newspaper "
    "novel opera peninsula play poem river road route sequel series ship show single sitcom song "
    "soundtrack nicknamed dubbed alias aka née formerly station storm street subtitled title "
    "titled entitled track typhoon".split()
)
"""Before a name they say what it is: the river Thames, the film Carrie, nicknamed Bill."""
PARTS = frozenset(
    "airport avenue basin bay bridge canal castle church coast college company corporation county "
    "creek desert district dynasty family field forest fort harbor harbour hills house island "
    "islands lake line mountain mountains museum ocean palace peninsula port prefecture province "
    "railway region river road school sea square state states strait street territory tower tribe "
    "university valley village".split()
)
"""After a name they belong to it: the Huallaga river."""
AFTER_A_SHOP = frozenset("in at on and or is was are has to for from with by near".split())
"""After "'s" they show that it belongs to the name: at McDonald's in Oslo."""
CALENDAR = frozenset(
    "january february march april may june july august september october november december monday "
    "tuesday wednesday thursday friday saturday sunday".split()
)
LINKS = frozenset(
    "of the and for in on at to de du des del della di da dos das la le les el los las al van von "
    "der den zu und et y e bin ibn ben a an as or vs v with by from &".split()
)
"""Small words within names."""
PARTICLES = frozenset("de du del di da dos van von der den la le el al bin ibn".split())
"""Small words that open a family name: Charles de [Gaulle]."""
DIRECTIONS = frozenset(
    "north south east west northern southern eastern western central northeast northwest "
    "southeast southwest upper lower middle greater inner outer".split()
)
PLURALS = tuple(
    "Counties Rivers Islands Mountains Parties Provinces Universities Brothers Sisters Parks "
    "Bridges Stations Airports Roads Streets Avenues Lakes Seas Oceans Districts Schools Colleges "
    "Divisions Leagues".split()
)
"""Nouns that close a list for all of it: Ouray and San Miguel Counties."""
UNTELLING = frozenset(
    "The In On At It He She This That When While After North South East West".split()
)
"""Words that may stand large without being part of a name."""
SUFFIXES = frozenset("Jr Sr Inc Ltd LLC LP Corp Co II III IV".split())
SINGULAR = tuple("States Netherlands Philippines Bahamas Maldives Times News".split())
"""How names end that have an s and are one."""
CONTINENTS = frozenset(
    (
        "Europe, Asia, Africa, Antarctica, Oceania, America, Americas, Eurasia, North America, "
        "South America, Central America, Latin America, Middle East, Caribbean, Scandinavia, "
        "West Africa, East Africa, North Africa, Southeast Asia, East Asia, South Asia, "
        "Central Asia, Western Europe, Eastern Europe, Earth"
    ).split(", ")
)
"""No country takes their place between two others."""
REGIONS = frozenset(
    (
        "Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, "
        "Florida, Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, "
        "Maine, Maryland, Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, "
        "Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, New York, North Carolina, "
        "North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, South Carolina, "
        "South Dakota, Tennessee, Texas, Utah, Vermont, Virginia, Washington, West Virginia, "
        "Wisconsin, Wyoming, Alberta, British Columbia, Manitoba, New Brunswick, Nova Scotia, "
        "Ontario, Quebec, Saskatchewan, England, Scotland, Wales, New South Wales, Queensland, "
        "Victoria, Tasmania, Afghanistan, Albania, Algeria, Angola, Argentina, Armenia, "
        "Australia, Austria, Azerbaijan, Bahamas, Bahrain, Bangladesh, Barbados, Belarus, "
        "Belgium, Bolivia, Bosnia, Brazil, Bulgaria, Burma, Cambodia, Cameroon, Canada, Chad, "
        "Chile, China, Colombia, Congo, Costa Rica, Croatia, Cuba, Cyprus, Czech Republic, "
        "Denmark, Dominican Republic, Ecuador, Egypt, El Salvador, Estonia, Ethiopia, Fiji, "
        "Finland, France, Germany, Ghana, Greece, Guatemala, Guyana, Haiti, Honduras, Hungary, "
        "Iceland, India, Indonesia, Iran, Iraq, Ireland, Israel, Italy, Jamaica, Japan, Jordan, "
        "Kazakhstan, Kenya, Kosovo, Kuwait, Laos, Latvia, Lebanon, Libya, Lithuania, Malaysia, "
        "Mali, Malta, Mexico, Moldova, Mongolia, Morocco, Mozambique, Nepal, Netherlands, "
        "New Zealand, Nicaragua, Nigeria, North Korea, Northern Ireland, Norway, Pakistan, "
        "Panama, Paraguay, Peru, Philippines, Poland, Portugal, Qatar, Romania, Russia, Rwanda, "
        "Saudi Arabia, Senegal, Serbia, Slovakia, Slovenia, Somalia, South Africa, "
        "South Korea, Spain, Sri Lanka, Sudan, Sweden, Switzerland, Syria, Taiwan, Tanzania, "
        "Thailand, Tunisia, Turkey, Uganda, UK, Ukraine, United Kingdom, United States, "
        "Uruguay, Uzbekistan, Venezuela, Vietnam, Yemen, Zambia, Zimbabwe"
    ).split(", ")
)
"""What a town is said to be in: "Austin, Texas, and Rome" is no list of three."""
LANDSCAPES = {
    word: landscape
    for landscape, members in (
        ("water", "River Rivers Lake Lakes Sea Ocean Bay Creek Gulf Strait Canal Channel"),
        ("water", "Harbor"),
        ("height", "Mount Mt Mountain Mountains Pass Peak Range Valley Hills Alps Desert"),
        ("height", "Forest"),
        ("island", "Island Islands Isle Isles Archipelago Peninsula Cape"),
        ("way", "Street Avenue Road Highway Route Bridge Tunnel Boulevard Lane Freeway"),
        ("way", "Interstate Parkway Turnpike Expressway"),
        ("building", "Airport Station Stadium Tower Building Hotel Museum Hall House Theatre"),
        ("building", "Arena Theater Palace Castle Church Cathedral Park Zoo Prison Center"),
        ("building", "Centre Casino"),
    )
    for word in members.split()
}
"""Nouns at either end of a name that tell its kind of place."""
