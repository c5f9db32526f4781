"""Countries, their adjectives and codes; American states and Canadian provinces; other closed sets.

Left out are names that mean something else as often: Georgia, Jordan, Chad, Washington.
"""

from __future__ import annotations

from typing import NamedTuple


class Nation(NamedTuple):
    """A country: its ISO 3166 code (that of its state), and the adjective."""

    name: str
    adjective: str
    code: str


def _nations(lines: str) -> tuple[Nation, ...]:
    return tuple(Nation(*line.split("|")) for line in lines.split(";"))


PLAIN = _nations(
    "Afghanistan|Afghan|AF;Albania|Albanian|AL;Algeria|Algerian|DZ;Angola|Angolan|AO;"
    "Argentina|Argentine|AR;Armenia|Armenian|AM;Australia|Australian|AU;Austria|Austrian|AT;"
    "Azerbaijan|Azerbaijani|AZ;Bangladesh|Bangladeshi|BD;Barbados|Barbadian|BB;"
    "Belarus|Belarusian|BY;Belgium|Belgian|BE;Bolivia|Bolivian|BO;Botswana|Botswanan|BW;"
    "Brazil|Brazilian|BR;Britain|British|GB;Bulgaria|Bulgarian|BG;Burundi|Burundian|BI;"
    "Cambodia|Cambodian|KH;Cameroon|Cameroonian|CM;Canada|Canadian|CA;Chile|Chilean|CL;"
    "China|Chinese|CN;Colombia|Colombian|CO;Croatia|Croatian|HR;Cuba|Cuban|CU;"
    "Cyprus|Cypriot|CY;Denmark|Danish|DK;Ecuador|Ecuadorian|EC;Egypt|Egyptian|EG;"
    "England|English|GB;Estonia|Estonian|EE;Ethiopia|Ethiopian|ET;Fiji|Fijian|FJ;"
    "Finland|Finnish|FI;France|French|FR;Germany|German|DE;Ghana|Ghanaian|GH;Greece|Greek|GR;"
    "Guatemala|Guatemalan|GT;Guyana|Guyanese|GY;Haiti|Haitian|HT;Honduras|Honduran|HN;"
    "Hungary|Hungarian|HU;Iceland|Icelandic|IS;India|Indian|IN;Indonesia|Indonesian|ID;"
    "Iran|Iranian|IR;Iraq|Iraqi|IQ;Ireland|Irish|IE;Israel|Israeli|IL;Italy|Italian|IT;"
    "Jamaica|Jamaican|JM;Japan|Japanese|JP;Kazakhstan|Kazakh|KZ;Kenya|Kenyan|KE;"
    "Kuwait|Kuwaiti|KW;Laos|Laotian|LA;Latvia|Latvian|LV;Lebanon|Lebanese|LB;"
    "Liberia|Liberian|LR;Libya|Libyan|LY;Lithuania|Lithuanian|LT;Macedonia|Macedonian|MK;"
    "Madagascar|Malagasy|MG;Malawi|Malawian|MW;Malaysia|Malaysian|MY;Malta|Maltese|MT;"
    "Mauritius|Mauritian|MU;Mexico|Mexican|MX;Moldova|Moldovan|MD;Mongolia|Mongolian|MN;"
    "Montenegro|Montenegrin|ME;Morocco|Moroccan|MA;Mozambique|Mozambican|MZ;"
    "Namibia|Namibian|NA;Nepal|Nepalese|NP;New Zealand|New Zealand|NZ;"
    "Nicaragua|Nicaraguan|NI;Nigeria|Nigerian|NG;North Korea|North Korean|KP;"
    "Norway|Norwegian|NO;Pakistan|Pakistani|PK;Panama|Panamanian|PA;Paraguay|Paraguayan|PY;"
    "Peru|Peruvian|PE;Poland|Polish|PL;Portugal|Portuguese|PT;Qatar|Qatari|QA;"
    "Romania|Romanian|RO;Russia|Russian|RU;Rwanda|Rwandan|RW;Saudi Arabia|Saudi|SA;"
    "Scotland|Scottish|GB;Senegal|Senegalese|SN;Serbia|Serbian|RS;"
    "Sierra Leone|Sierra Leonean|SL;Singapore|Singaporean|SG;Slovakia|Slovak|SK;"
    "Slovenia|Slovenian|SI;Somalia|Somali|SO;South Africa|South African|ZA;"
    "South Korea|South Korean|KR;Spain|Spanish|ES;Sri Lanka|Sri Lankan|LK;Sudan|Sudanese|SD;"
    "Suriname|Surinamese|SR;Sweden|Swedish|SE;Switzerland|Swiss|CH;Syria|Syrian|SY;"
    "Taiwan|Taiwanese|TW;Tanzania|Tanzanian|TZ;Thailand|Thai|TH;Tunisia|Tunisian|TN;"
    "Turkey|Turkish|TR;Uganda|Ugandan|UG;Ukraine|Ukrainian|UA;Uruguay|Uruguayan|UY;"
    "Uzbekistan|Uzbek|UZ;Venezuela|Venezuelan|VE;Vietnam|Vietnamese|VN;Wales|Welsh|GB;"
    "Yemen|Yemeni|YE;Zambia|Zambian|ZM;Zimbabwe|Zimbabwean|ZW"
)
"""Countries that take no article."""

WITH_ARTICLE = _nations(
    "United States|American|US;United Kingdom|British|GB;Netherlands|Dutch|NL;"
    "Philippines|Filipino|PH;Czech Republic|Czech|CZ;Dominican Republic|Dominican|DO;"
    "Bahamas|Bahamian|BS;Maldives|Maldivian|MV;United Arab Emirates|Emirati|AE;"
    "Gambia|Gambian|GM;Central African Republic|Central African|CF;Ivory Coast|Ivorian|CI"
)
"""Countries that stand after ``the``."""

SHORT = {"US": "US", "USA": "US", "U.S.": "US", "U.S.A.": "US", "UK": "GB", "U.K.": "GB"}
"""Other words for a country that also tell where a place lies."""

CODES = {nation.name: nation.code for nation in PLAIN + WITH_ARTICLE} | SHORT
ADJECTIVES = {nation.adjective: nation.code for nation in PLAIN + WITH_ARTICLE}
STATES = dict(
    pair.split(":")
    for pair in (
        "Alabama:AL,Alaska:AK,Arizona:AZ,Arkansas:AR,California:CA,Colorado:CO,Connecticut:CT,"
        "Delaware:DE,Florida:FL,Hawaii:HI,Idaho:ID,Illinois:IL,Indiana:IN,Iowa:IA,Kansas:KS,"
        "Kentucky:KY,Louisiana:LA,Maine:ME,Maryland:MD,Massachusetts:MA,Michigan:MI,"
        "Minnesota:MN,Mississippi:MS,Missouri:MO,Montana:MT,Nebraska:NE,Nevada:NV,"
        "New Hampshire:NH,New Jersey:NJ,New Mexico:NM,North Carolina:NC,North Dakota:ND,Ohio:OH,"
        "Oklahoma:OK,Oregon:OR,Pennsylvania:PA,Rhode Island:RI,South Carolina:SC,"
        "South Dakota:SD,Tennessee:TN,Texas:TX,Utah:UT,Vermont:VT,Virginia:VA,"
        "West Virginia:WV,Wisconsin:WI,Wyoming:WY"
    ).split(",")
)
"""States of the United States with their codes; without those that are cities as often."""

PROVINCES = frozenset(
    "Alberta;British Columbia;Manitoba;New Brunswick;Nova Scotia;Ontario;Saskatchewan;"
    "Newfoundland and Labrador;Prince Edward Island".split(";")
)

RELIGIOUS = frozenset(
    "Catholic Muslim Jewish Christian Protestant Buddhist Hindu Sikh Methodist Baptist Lutheran "
    "Presbyterian Anglican Mormon Quaker".split()
)
"""Adjectives of RELIGION."""

LANGUAGES = frozenset(
    "English French German Spanish Italian Portuguese Dutch Swedish Norwegian Danish Finnish "
    "Russian Polish Czech Hungarian Greek Turkish Arabic Hebrew Persian Hindi Urdu Punjabi "
    "Bengali Tamil Telugu Kannada Malayalam Marathi Gujarati Mandarin Cantonese Japanese Korean "
    "Vietnamese Thai Indonesian Malay Tagalog Swahili Romanian Bulgarian Serbian Croatian "
    "Ukrainian Icelandic Catalan Basque Welsh Latin".split()
)

WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
MONTHS = tuple(
    "January February March April May June July August September October November December".split()
)
