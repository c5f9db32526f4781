"""Nouns of people and groups that have a country, and phrases built of them."""

from __future__ import annotations

from spacy.tokens import Doc, Token

from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.coreferent.person_nouns import is_person_noun

_PERSON_NOUNS = word_set("re/co_related", "citizens")
_GROUP_NOUNS = word_set("re/co_related", "groups")
_WORKS = word_set("re/co_related", "works")
_PRODUCED = word_set("re/co_related", "produced")
_MEN = word_set("re/co_related", "people-and-groups")
_SEVERAL = word_set("re/co_related", "several")
_KIN = word_set("re/co_related", "kin")
_TEAMS = word_set("re/co_related", "teams")
_INSTITUTIONS = word_set("re/co_related", "institutions")
_OF_STATE = frozenset({"attorney", "judge", "diplomat"})
"""Nouns of people that also name offices of a state: the ``U.S. attorney``."""
_STOPS = frozenset(".,;:)!?")
_GOES_ON = frozenset({"who", "whose", "known", "born", "based"})


def is_citizen(token: Token) -> bool:
    """Whether a common noun is a person or group that people say the country of."""
    lemma = token.lemma_.lower()
    return token.pos_ == "NOUN" and (lemma in _PERSON_NOUNS or lemma in _GROUP_NOUNS)


def are_citizens(token: Token) -> bool:
    """Whether a plural noun is of people: ``soldiers``, ``tourists``."""
    lemma = token.lemma_.lower()
    return lemma in _PERSON_NOUNS or lemma in _SEVERAL or lemma in _KIN


def is_of_a_country(token: Token) -> bool:
    """Whether a common noun is a person, a group or a work that is from a country."""
    lemma = token.lemma_.lower()
    return is_citizen(token) or (token.pos_ == "NOUN" and lemma in _PRODUCED | _KIN)


def is_person(token: Token) -> bool:
    """Whether a singular common noun is of a person."""
    lemma = token.lemma_.lower()
    return lemma in _PERSON_NOUNS or is_person_noun(token)


def is_bearer(token: Token) -> bool:
    """Whether a common noun before a name tells who bears it: ``singer``, ``club``."""
    return is_citizen(token) or token.lemma_.lower() in _TEAMS


def is_institution(token: Token) -> bool:
    """Whether a noun is of a body that is of the country which it is in: ``bank``."""
    return token.tag_ == "NN" and token.lemma_.lower() in _GROUP_NOUNS | _INSTITUTIONS


def is_group(token: Token) -> bool:
    """Whether a noun is a band, a firm or the like."""
    return token.lemma_.lower() in _GROUP_NOUNS


def has_nationality(token: Token) -> bool:
    """Whether a noun is of people or their works, which have a nationality; not of a state."""
    lemma = token.lemma_.lower()
    known = is_citizen(token) or lemma in _WORKS or lemma in _MEN
    return known and lemma not in _OF_STATE


def phrase_end(doc: Doc, start: int) -> int | None:
    """Return the token after ``film director``, ``actor and singer`` at ``start``; None if unsure.

    The phrase is singular, in small letters, and what follows it starts something new.
    """
    at, end = start, None
    while (item := _item_end(doc, at)) is not None:
        if ends(doc, item):
            end = item
        at = item
        while at < len(doc) and doc[at].lower_ in {",", "and"}:
            at += 1
        if at == item:
            break
    if end is not None and (_lists_more(doc, end) or _is_half_a_list(doc, start, end)):
        return None
    return end


def _is_half_a_list(doc: Doc, start: int, end: int) -> bool:
    """``singer, songwriter``, which goes on: ``, DJ and designer``."""
    words = [token.lower_ for token in doc[start:end]]
    return "," in words and "and" not in words


def _lists_more(doc: Doc, at: int) -> bool:
    """Whether one more noun follows, of which nothing is known: ``, cook``, ``, and a cook``."""
    if any(one.i >= at and one.pos_ in {"NOUN", "PROPN"} for one in _joined(doc[at - 1])):
        return True
    if at + 1 >= len(doc) or doc[at].text != ",":
        return False
    if doc[at + 1].lower_ in {"and", "or", "&"}:
        return at + 2 >= len(doc) or doc[at + 2].pos_ not in {"VERB", "AUX", "PRON"}
    return doc[at + 1].text.islower() and doc[at + 1].pos_ in {"NOUN", "ADJ"}


def _joined(token: Token) -> list[Token]:
    """The tokens that are coordinated with a token, by the parse."""
    first = token
    while first.dep_ == "conj" and first.head.i != first.i:
        first = first.head
    found, queue = [], [first]
    while queue:
        more = [one for one in queue.pop().children if one.dep_ == "conj"]
        found += more
        queue += more
    return found


def _item_end(doc: Doc, start: int) -> int | None:
    """The token after one noun with its modifiers."""
    at = nouns_end(doc, start)
    last = doc[at - 1]
    single = last.tag_ == "NN" or last.lower_ == "series"
    return at if at > start and single and is_of_a_country(last) else None


def nouns_end(doc: Doc, start: int) -> int:
    """Return the token after the nouns and adjectives in small letters that begin at ``start``."""
    at = start
    while at < len(doc) and doc[at].text.islower() and doc[at].pos_ in {"ADJ", "NOUN"}:
        at += 1
    return at


def ends(doc: Doc, at: int) -> bool:
    """Whether a phrase surely ends before a token."""
    return at >= len(doc) or doc[at].text in _STOPS or doc[at].lower_ in _GOES_ON
