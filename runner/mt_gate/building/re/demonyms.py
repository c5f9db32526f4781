"""Adjectives of countries: ``French`` for France.

Only those that mean one country: ``Korean``, ``Congolese``, ``Dominican`` and
``Guinean`` mean two, and are left out.
"""

from __future__ import annotations

from functools import cache

from mt_gate.building.re.geography import country_name, country_of, folded

_ADJECTIVES = """
AF Afghan|AL Albanian|DZ Algerian|AO Angolan|AR Argentine|AM Armenian|AU Australian|AT Austrian
AZ Azerbaijani|BS Bahamian|BH Bahraini|BD Bangladeshi|BB Barbadian|BY Belarusian|BE Belgian
BZ Belizean|BJ Beninese|BT Bhutanese|BO Bolivian|BA Bosnian|BW Botswanan|BR Brazilian|GB British
BN Bruneian|BG Bulgarian|BF Burkinabé|BI Burundian|KH Cambodian|CM Cameroonian|CA Canadian
TD Chadian|CL Chilean|CN Chinese|CO Colombian|CR Costa Rican|HR Croatian|CU Cuban|CY Cypriot
CZ Czech|DK Danish|EC Ecuadorian|EG Egyptian|ER Eritrean|EE Estonian|ET Ethiopian|FJ Fijian
FI Finnish|FR French|GA Gabonese|GM Gambian|DE German|GH Ghanaian|GR Greek|GD Grenadian
GT Guatemalan|GY Guyanese|HT Haitian|HN Honduran|HU Hungarian|IS Icelandic|IN Indian
ID Indonesian|IR Iranian|IQ Iraqi|IE Irish|IL Israeli|IT Italian|CI Ivorian|JM Jamaican
JP Japanese|JO Jordanian|KZ Kazakh|KE Kenyan|KW Kuwaiti|KG Kyrgyz|LA Laotian|LV Latvian
LB Lebanese|LR Liberian|LY Libyan|LT Lithuanian|MG Malagasy|MW Malawian|MY Malaysian|ML Malian
MT Maltese|MR Mauritanian|MU Mauritian|MX Mexican|MD Moldovan|MN Mongolian|ME Montenegrin
MA Moroccan|MZ Mozambican|MM Burmese|NA Namibian|NP Nepalese|NL Dutch|NI Nicaraguan|NG Nigerian
KP North Korean|MK Macedonian|NO Norwegian|OM Omani|PK Pakistani|PA Panamanian|PY Paraguayan
PE Peruvian|PH Philippine|PL Polish|PT Portuguese|QA Qatari|RO Romanian|RU Russian|RW Rwandan
SA Saudi|SN Senegalese|RS Serbian|SL Sierra Leonean|SK Slovak|SI Slovenian|SO Somali
ZA South African|KR South Korean|ES Spanish|LK Sri Lankan|SD Sudanese|SE Swedish|CH Swiss
SY Syrian|TW Taiwanese|TJ Tajik|TZ Tanzanian|TH Thai|TG Togolese|TN Tunisian|TR Turkish
TM Turkmen|UG Ugandan|UA Ukrainian|AE Emirati|US American|UY Uruguayan|UZ Uzbek|VE Venezuelan
VN Vietnamese|YE Yemeni|ZM Zambian|ZW Zimbabwean
"""
_CONSTITUENTS = {"England": "English", "Scotland": "Scottish", "Wales": "Welsh"}
_OTHER_FORMS = {
    "Argentinian": "AR",
    "Argentinean": "AR",
    "Filipino": "PH",
    "Slovene": "SI",
    "Serb": "RS",
    "Croat": "HR",
    "Kazakhstani": "KZ",
    "Saudi Arabian": "SA",
    "Azeri": "AZ",
    "Nepali": "NP",
}
"""Adjectives that are read, and written in their first form."""
_PEOPLES = frozenset({"MM", "MK", "KZ", "UZ", "TJ", "TM", "KG", "BA"})
"""Countries whose adjective is a people's, or a former name's, as well: read, not written."""


@cache
def _by_code() -> dict[str, str]:
    cells = "|".join(_ADJECTIVES.strip().splitlines()).split("|")
    return {cell[:2]: cell[3:] for cell in cells}


def adjective_of(country: str) -> str:
    """Return the adjective of a country by any of its names; nothing where unsure.

    >>> adjective_of("the Netherlands"), adjective_of("England"), adjective_of("Gondor")
    ('Dutch', 'English', '')
    """
    for name, adjective in _CONSTITUENTS.items():
        if folded(country) == folded(name):
            return adjective
    if folded(country) == "northern ireland":
        return ""
    code = country_of(country)
    return "" if code in _PEOPLES else _by_code().get(code, "")


@cache
def _countries() -> dict[str, str]:
    names = {adjective: country_name(code) for code, adjective in _by_code().items()}
    names |= {adjective: country_name(code) for adjective, code in _OTHER_FORMS.items()}
    names |= {adjective: name for name, adjective in _CONSTITUENTS.items()}
    own = {_by_code()[code] for code in _PEOPLES}
    return {adjective: name for adjective, name in names.items() if adjective not in own}


def country_of_adjective(adjective: str) -> str:
    """Return the name, without article, of the country of an adjective; nothing where unsure.

    >>> country_of_adjective("Dutch"), country_of_adjective("Korean")
    ('Netherlands', '')
    """
    return _countries().get(adjective, "")
