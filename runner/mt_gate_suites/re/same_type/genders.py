"""Whether a sentence tells the gender of a person it names."""

from __future__ import annotations

import re

_MALE = "he|his|him|himself"
_FEMALE = "she|her|hers|herself"
_OTHER = (
    "wife|husband|spouses?|wives|married|marri\\w+|weds?|wedding|divorc\\w+|widow\\w*|son|sons|"
    "daughters?|mother|father|parents?|brothers?|sisters?|uncle|aunt|nephews?|niece|grand\\w+|"
    "girl|boy|girls|boys|man|men|woman|women|lady|lord|sir|dame|mr|mrs|ms|miss|madam|king|queen|"
    "prince|princess|duke|duchess|earl|count|countess|baron|baroness|emperor|empress|actress|"
    "actor|pope|priest|bishop|archbishop|cardinal|monk|nun|friar|abbot|male|female|soprano|"
    "tenor|baritone|alto|contralto|mezzo|countertenor|bass|chairman|chairwoman|spokesman|"
    "spokeswoman|congressman|congresswoman|businessman|businesswoman|girlfriend|boyfriend|fianc\\w+|"
    "mistress|lover|affair|bride|groom|heir|heiress|widower|pregnan\\w+|gay|lesbian|"
    "sportsman|sportswoman|brethren|ladies|gentlemen|husbands|couple|bachelor|maiden|twin|"
    "cousin|sibling|hero|heroine|host|hostess|waitress|waiter|goddess|god"
)
_WORDS = re.compile(rf"\b(?:{_MALE}|{_FEMALE}|{_OTHER})\b", re.I)


def tells_gender(text: str) -> bool:
    """Whether any word of a sentence goes with one gender only, or with kinship."""
    return bool(_WORDS.search(text))


def pronoun_gender(text: str) -> str:
    """Return ``man`` or ``woman`` where nothing but pronouns of one gender tells it."""
    found = {word.lower() for word in _WORDS.findall(text)}
    if found and found <= set(_MALE.split("|")):
        return "man"
    return "woman" if found and found <= set(_FEMALE.split("|")) else ""
