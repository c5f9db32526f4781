"""Names of countries, states and provinces as English texts write them.

The gazetteers know codes and one name each; here is what they lack: short
forms, English names of regions, which names say two things, and which take
an article.
"""

from __future__ import annotations

_COUNTRY_ALIASES = """
US|US|U.S|USA|U.S.A|United States of America|the States|America
GB|UK|U.K|Britain|Great Britain|United Kingdom of Great Britain and Northern Ireland
RU|Russia|Russian Federation
KR|South Korea|Republic of Korea
KP|North Korea
NL|Netherlands|Holland
CZ|Czechia|Czech Republic
CI|Ivory Coast|Côte d'Ivoire|Cote d'Ivoire
MM|Myanmar|Burma
TR|Turkey|Türkiye|Turkiye
TL|East Timor|Timor-Leste
CD|Democratic Republic of the Congo|Democratic Republic of Congo|DR Congo|DRC
CG|Republic of the Congo|Congo-Brazzaville
CN|China|People's Republic of China|PRC
TW|Taiwan
IE|Ireland|Republic of Ireland
MK|North Macedonia|Republic of Macedonia
SZ|Eswatini|Swaziland
CV|Cape Verde
AE|UAE|U.A.E
BA|Bosnia|Bosnia-Herzegovina
NZ|New Zealand
ZA|South Africa
PS|Palestine
DE|Germany|Federal Republic of Germany
SV|El Salvador
TT|Trinidad
XK|Kosovo
"""
"""Code, then names; a full stop at the end of an abbreviation is not written."""

FORMER = frozenset(
    "soviet union|ussr|u.s.s.r|yugoslavia|czechoslovakia|prussia|west germany|east germany"
    "|nazi germany|ottoman empire|russian empire|austria-hungary|roman empire|rhodesia|zaire|ceylon"
    "|siam|persia|republic of china|british raj|weimar republic".split("|")
)
"""Countries that are none any more, folded; they have no code."""

CONSTITUENTS = {"ENG": "England", "SCT": "Scotland", "WLS": "Wales", "NIR": "Northern Ireland"}
"""What people call the countries of the United Kingdom, by GeoNames' code of the region."""

DEPENDENT = frozenset(
    "AI AS AQ AW AX BL BQ BM BV CC CK CX CW FK FO GF GG GI GL GP GS GU HK HM IM IO JE KY MF MO MP "
    "MQ MS NC NF NU PF PM PN PR RE SH SJ SX TC TF TK UM VA VG VI WF YT EH CS AN".split()
)
"""Territories that gazetteers list as countries and readers do not take for one."""

AMBIGUOUS = frozenset(
    # A country or a state, a city or its region, a city that is a country
    "georgia|new york|washington|luxembourg|singapore|monaco|djibouti|san marino|gibraltar|victoria"
    "|jersey|hong kong|macau|macao|puerto rico|vatican city|vatican|limburg|galicia"
    "|micronesia|samoa|congo|korea|guinea|macedonia|granada|brabant|azad kashmir|kashmir|jammu"
    # Cities in a gazetteer that usually are something else
    "|hollywood|manhattan|normandy|africa|europe|asia|oceania|america latina|crimea|middlesex"
    "|scandinavia|bronx|harlem|bali|queens|staten island|long island|wall street|silicon valley"
    "|republic|centre|center|mediterranean|caribbean|balkans|north america|south america"
    "|latin america|central america"
    "|middle east|far east|midlands|highlands|lake|bay|central|union|capital|district|west bank"
    "|gaza strip|palatinate|pomerania"
    "|silesia|transylvania|moravia|bohemia|cornwall".split("|")
)
"""Names of which nobody can tell the kind without their sentence."""

_REGIONS = """
CA|01 Alberta|02 British Columbia|03 Manitoba|04 New Brunswick|05 Newfoundland and Labrador
CA|07 Nova Scotia|08 Ontario|09 Prince Edward Island|10 Quebec|11 Saskatchewan|12 Yukon
CA|13 Northwest Territories|14 Nunavut
AU|02 New South Wales|03 Northern Territory|04 Queensland|05 South Australia|06 Tasmania
AU|07 Victoria|08 Western Australia
DE|01 Baden-Württemberg|02 Bavaria|05 Hesse|06 Lower Saxony|07 North Rhine-Westphalia
DE|08 Rhineland-Palatinate|09 Saarland|10 Schleswig-Holstein|11 Brandenburg|13 Saxony
DE|12 Mecklenburg-Vorpommern|14 Saxony-Anhalt|15 Thuringia
IN|02 Andhra Pradesh|03 Assam|09 Gujarat|10 Haryana|11 Himachal Pradesh|13 Kerala
IN|16 Maharashtra|17 Manipur|18 Meghalaya|19 Karnataka|20 Nagaland|21 Odisha|23 Punjab
IN|24 Rajasthan|25 Tamil Nadu|26 Tripura|28 West Bengal|29 Sikkim|30 Arunachal Pradesh
IN|31 Mizoram|33 Goa|34 Bihar|35 Madhya Pradesh|36 Uttar Pradesh|37 Chhattisgarh|38 Jharkhand
IN|39 Uttarakhand|40 Telangana
"""
"""By GeoNames' codes; its file of first-level divisions is not in the package. City states and
capital territories are left out: their city is no part of a larger state."""

_EXONYMS = """
DE|Bavaria|Saxony|Lower Saxony|Hesse|Thuringia|North Rhine-Westphalia|Rhineland-Palatinate
DE|Saxony-Anhalt|Baden-Württemberg
IT|Tuscany|Lombardy|Piedmont|Sicily|Sardinia|Apulia|Emilia-Romagna|Veneto|Calabria|Umbria
ES|Andalusia|Catalonia|Basque Country|Aragon|Castile and León|Castilla y León|Extremadura
FR|Brittany|Burgundy|Corsica|Aquitaine
BE|Flanders|Wallonia
AT|Styria|Carinthia|Tyrol|Upper Austria|Lower Austria
NL|North Holland|South Holland|North Brabant|Friesland
CA|Newfoundland|Quebec|Québec
IN|Orissa|Uttaranchal
CN|Sichuan|Guangdong|Hunan|Hubei|Henan|Hebei|Shandong|Shanxi|Shaanxi|Zhejiang|Jiangsu|Fujian
CN|Yunnan|Guizhou|Liaoning|Heilongjiang|Anhui|Jiangxi|Gansu|Qinghai|Hainan|Tibet|Xinjiang|Guangxi
US|New York State|Washington State
"""
"""States and provinces by the names that English texts use."""

_US_SHORT = """
Ala AL|Ariz AZ|Ark AR|Calif CA|Colo CO|Conn CT|Del DE|Fla FL|Ga GA|Ill IL|Ind IN|Kan KS|Ky KY
Md MD|Mass MA|Mich MI|Minn MN|Miss MS|Mo MO|Mont MT|Neb NE|Nev NV|N.H NH|N.J NJ|N.M NM|N.Y NY
N.C NC|N.D ND|Okla OK|Ore OR|Pa PA|R.I RI|S.C SC|S.D SD|Tenn TN|Tex TX|Vt VT|Va VA|Wash WA
W.Va WV|Wis WI|Wyo WY
"""
"""Newspapers' abbreviations, without the full stop that ends them, and GeoNames' codes."""

_CITY_ALIASES = """
US NY|NYC|New York City
US CA|L.A|LA
US LA|New Orleans
US MO|St Louis|Saint Louis|St. Louis
US MN|St. Paul|St Paul
US |Washington D.C|Washington, D.C|Washington DC|Washington, DC
US PA|Philly
DE 07|Cologne
DE 05|Frankfurt
DE 06|Hanover
ES 51|Seville
UA |Kiev|Kyiv
RU |St. Petersburg|St Petersburg|Leningrad
CA 10|Quebec City|Montreal
IN 16|Bombay
IN 28|Calcutta
IN 25|Madras
IN 19|Bangalore
NL |Hague
CH |Zurich
TH |Bangkok
VN |Saigon
CN |Peking
JP |Tokyo
BR |Sao Paulo
"""
"""English names of large cities that the gazetteer lists under others: country, region, names."""

WITH_ARTICLE = frozenset(
    "United States|United Kingdom|Netherlands|Philippines|Bahamas|Maldives|Comoros|Gambia"
    "|Dominican Republic|Central African Republic|Czech Republic|Republic of the Congo"
    "|Democratic Republic of the Congo|United Arab Emirates|Solomon Islands|Marshall Islands"
    "|Northwest Territories|Northern Territory|Seychelles".split("|")
)
"""Names that stand with ``the`` wherever they are a phrase of their own."""


def _rows(table: str) -> list[list[str]]:
    return [line.split("|") for line in table.strip().splitlines()]


def country_aliases() -> list[tuple[str, str]]:
    """Return pairs of (name, ISO code), names as written but for a last full stop."""
    return [(name, row[0]) for row in _rows(_COUNTRY_ALIASES) for name in row[1:]]


def regions() -> dict[tuple[str, str], str]:
    """Return the English names of states by ISO country and GeoNames region code."""
    return {(row[0], cell[:2]): cell[3:] for row in _rows(_REGIONS) for cell in row[1:]}


def region_aliases() -> list[tuple[str, str]]:
    """Return pairs of (name, ISO country) of states and provinces."""
    rows = [(name, row[0]) for row in _rows(_EXONYMS) for name in row[1:]]
    rows += [(name, country) for (country, _), name in regions().items()]
    return rows + [(name, "US") for name in short_states()]


def short_states() -> dict[str, str]:
    """Return GeoNames' codes of American states by newspapers' abbreviations."""
    return dict(cell.split() for row in _rows(_US_SHORT) for cell in row)


def city_aliases() -> list[tuple[str, str, str]]:
    """Return (name, ISO country, GeoNames region code or nothing) of large cities."""
    return [(name, row[0][:2], row[0][3:]) for row in _rows(_CITY_ALIASES) for name in row[1:]]
