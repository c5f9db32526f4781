"""Find faults of written English that an edited text would repeat, by words and tags.

``source_faults`` finds texts that are not sentences. This module finds sentences that an
editor would correct: a missing comma after a date or a place, a common noun with a
capital, a repeated phrase.
"""

from __future__ import annotations

import re

import lemminflect
from spacy.tokens import Doc, Token

from mt_gate_suites.lexicons.reading import word_set

_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_PATTERNS = (
    ("date-comma", re.compile(rf"{_MONTH} \d{{1,2}}, \d{{4}} [A-Za-z]|{_MONTH}, \d{{4}}\b")),
    (
        "date-preposition",
        re.compile(
            rf"(?:premiered|released|aired|opened|debuted|launched)(?: [A-Z]\w+)? {_MONTH}"
            rf"|\b(?:on|in) \d{{1,2}}(?:st|nd|rd|th) {_MONTH} in\b|\bin {_MONTH} \d{{1,2}}\b"
        ),
    ),
    (
        "hyphen",
        re.compile(
            r"\b\d+ (?:year|week|month|day|hour|minute|mile|foot|inch|man|episode|part|story"
            r"|member) [a-z]"
        ),
    ),
    ("hyphen", re.compile(r"\b(?:second|third|fourth|fifth) (?:largest|highest|most|best)\b")),
    (
        "hyphen",
        re.compile(r"\b\d+(?:st|nd|rd|th)[ -]century [A-Z]\w+ [a-z]|\bnumber one [a-z]+s\b"),
    ),
    ("ampersand", re.compile(r"\b[a-z]\w* & |& [a-z]")),
    (
        "says-twice",
        re.compile(r"\balso\b.*\bas well\b(?! as)|\b(\w+ \w+) \1\b|\bboth\b.*\bas well as\b"),
    ),
    ("lost-word", re.compile(r"\bthe one of\b")),
    ("lost-superscript", re.compile(r"\bsquared \(")),
    ("mixed-marks", re.compile(r"[a-z]['’] (?![a-z])|\b\d{2}s\b(?<!\d{4}s)|\bc\. |;|\s[–—]\s")),
)
_WH = frozenset({"who", "which", "where", "whose", "whom"})
_SEPARATE = word_set("faults", "capital-words")


def grammar_fault(doc: Doc) -> str | None:
    """Return the code of the first fault of a parsed sentence's grammar; None when it is good."""
    for code, pattern in _PATTERNS:
        if pattern.search(doc.text):
            return code
    if any(_is_oddly_capital(token) for token in doc):
        return "odd-capital"
    if any(_lacks_comma_before(token) for token in doc):
        return "relative-comma"
    if any(_lacks_comma_after(token) for token in doc):
        return "place-comma"
    return "agreement" if any(_disagrees(token) for token in doc) else None


def _is_oddly_capital(token: Token) -> bool:
    """Whether a common noun or adjective outside names has a capital: the Federal ban."""
    if token.i == 0 or not token.is_title or not token.is_alpha or token.ent_type_:
        return False
    if token.lower_ in _SEPARATE or not token.doc[token.i - 1].text[:1].isalpha():
        return False
    if token.nbor(-1).tag_ == "NN":
        return False  # the word before says what the name is of: the film Taxi
    after = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
    if any(near is not None and near.text[:1].isupper() for near in (token.nbor(-1), after)):
        return False
    return bool(lemminflect.getAllLemmas(token.lower_))


def _lacks_comma_before(token: Token) -> bool:
    """Whether a relative pronoun follows a name without a comma: ITV Hub which."""
    before = token.doc[token.i - 1] if token.i else None
    return (
        token.lower_ in _WH
        and before is not None
        and before.tag_ in {"NNP", "NNPS"}
        and bool(before.ent_type_)
    )


def _lacks_comma_after(token: Token) -> bool:
    """Whether a comma is missing after a larger place: in Durban, South Africa in 2016."""
    doc = token.doc
    if token.text != "," or token.i == 0 or token.i + 2 >= len(doc):
        return False
    if doc[token.i - 1].ent_type_ != "GPE" or doc[token.i + 1].ent_type_ != "GPE":
        return False
    end = token.i + 1
    while end < len(doc) and doc[end].ent_type_ == "GPE" and doc[end].is_alpha:
        end += 1
    listed = any(t.lower_ in {"and", "or"} for t in doc[end:])
    return end < len(doc) and not doc[end].is_punct and doc[end].text != "'s" and not listed


def _disagrees(token: Token) -> bool:
    """Whether a present verb and its only subject, the noun right before, differ in number."""
    if token.tag_ not in {"VBZ", "VBP"} or token.lower_ in {"'s", "’s"}:
        return False
    subjects = [c for c in token.children if c.dep_ in {"nsubj", "nsubjpass"}]
    if token.dep_ in {"aux", "auxpass"}:
        subjects = [c for c in token.head.children if c.dep_ in {"nsubj", "nsubjpass"}]
    if len(subjects) != 1 or any(c.dep_ in {"conj", "appos"} for c in subjects[0].children):
        return False
    number = {"NN": "VBZ", "NNS": "VBP"}.get(subjects[0].tag_)
    if number is None or subjects[0].lower_ in _EITHER:
        return False
    return subjects[0].i == token.i - 1 and number != token.tag_


_EITHER = word_set("verbs", "either-number")
