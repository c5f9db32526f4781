"""Whether a mark is on a whole name or noun, whoever set it: a corpus or a pipeline.

Not whole, whatever a corpus says:
    [death] row                    Lady [Gaga]                    [John Brantley] III
    [Marlow] Regatta               Ministry of [Forestry]         10 [September 1895]
    [California State University] Bakersfield                     the [2012] Summer Olympics
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import lemminflect
from spacy.tokens import Doc, Span, Token

from mt_gate.domain import Entity
from mt_gate.lexicons.calendar import MONTHS
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.entities import words
from mt_gate_suites.re.entities.titles import without_title

_JOINED_BEFORE = re.compile(r"[\w\-–/&@#$£€’'.]$")
_JOINED_AFTER = re.compile(r"^(?:[\w&/@%°]|[-–](?!(?:based|born)\b)|['’](?!s?(?:\W|$)))")
_QUOTE_BEFORE, _QUOTE_AFTER = re.compile(r"[\"“]$"), re.compile(r"^[.,!?]?[\"”]")
_SUFFIX = re.compile(
    r"^,? (?:Jr|Sr|Esq|Inc|Ltd|LLC|LLP|L\.P|LP|L\.L\.C|Co|Corp|PLC|plc|S\.A|N\.V|GmbH|Ph\.?D|M\.?D|"
    r"[IVX]{2,5}|V|K\.?C|Q\.?C)\b"
)
_VERSUS_BEFORE, _VERSUS_AFTER = re.compile(r"\bvs?\. $"), re.compile(r"^ vs?\. ")
_MONTH = f"(?:{'|'.join(MONTHS)})"
_DATE_BEFORE = re.compile(rf"(?:\d(?:st|nd|rd|th)?|{_MONTH})(?:,| of)? $")
_DATE_AFTER = re.compile(rf"^(?:,| of)? (?:\d|{_MONTH})")
_OF_AFTER = re.compile(r"^ (?:of|&) (?:the )?[^\W\d_a-z]")
_LINK_AFTER = re.compile(r"^ (?:for|at|upon|on|de|del|du|von|am) (?:the )?[^\W\d_a-z]")
_BAND_AFTER = re.compile(r"^,? (?:and|&) (?:[Tt]he|[Hh]is|[Hh]er|[Tt]heir) [^\W\d_a-z]")
_POSSESSIVE_BEFORE = re.compile(r"\b[^\W\d_a-z][\w.]*(?:['’]s|s['’]) $")
_POSSESSIVE_AFTER = re.compile(r"^(?:['’]s|(?<=s)['’]) [^\W\d_a-z]")
_ORDINAL_BEFORE = re.compile(r"\b(?:\d+(?:st|nd|rd|th)|No\.? ?\d+) $")
_SUBTITLE_AFTER = re.compile(r"^: [^\W\d_a-z]")
_SHARED_SURNAME = re.compile(r"^ (?:and|&) (?:[^\W\d_a-z][\w.'’-]* )+[^\W\d_a-z]")
_STOPPED = re.compile(r"(?:^|\W)(?:[A-Z]\.)+$|\b(?:Jr|Sr|Inc|Co|Corp|Ltd|Bros|St)\.$")
"""Marks whose last full stop is their own."""
_CAMPUS_BEFORE = re.compile(r"University of [^\W\d_a-z]\w+(?:,| at) $")
_IN_AFTER = re.compile(r"^ in (?:the )?[^\W\d_a-z]")
_CAMPUS = re.compile(r"^(?:,| at| in|[-–—]) ?[^\W\d_a-z]")
_VALUES = frozenset("DATE TIME DURATION NUMBER ORDINAL MONEY PERCENT QUANTITY".split())
_NAMES = frozenset("WORK_OF_ART ORG FAC EVENT LAW PRODUCT GPE LOC PERSON".split())
"""spaCy's labels of names."""
_PLACES = frozenset("CITY STATE_OR_PROVINCE COUNTRY LOCATION".split())
_SAME = {"PERSON": "PERSON", "ORGANIZATION": "ORG"} | dict.fromkeys(_PLACES, "GPE")
_MADE_OF_NAMES = frozenset({"", "ORGANIZATION", "FACILITY", "LOCATION", "EVENT", "WORK_OF_ART"})
"""Types whose names join others with small words: Ministry of Fisheries and Forestry."""
_ARTICLED = frozenset({"", "PERSON", "ORGANIZATION", "CITY", "WORK_OF_ART"})
"""Types whose single names may have an article of their own, which a sentence's start hides."""
_OPENING = frozenset("ADP DET PRON SCONJ CCONJ ADV VERB AUX PART INTJ".split())
"""Parts of speech of a sentence's first word that is no part of the name after it."""
_STYLES = word_set("re/entities", "styles")
"""Titles that make one name of a single word after them: Lady Gaga, Doctor Who, Judge Judy."""
_OFFICES = word_set("re/entities", "offices")
"""Titles of those who have a place or a body below them: Mayor of London."""


def is_whole_mark(doc: Doc, mark: Entity, entities: Sequence[Entity]) -> bool:
    """Whether nothing outside a mark belongs to what it names.

    Args:
        doc: the parsed sentence.
        mark: its characters, and its type or nothing.
        entities: typed mentions of the sentence, which may touch the mark.
    """
    span = doc.char_span(mark.start, mark.end)
    if span is None:
        return False
    before, after = doc.text[: mark.start], doc.text[mark.end :]
    if _JOINED_BEFORE.search(before) or _JOINED_AFTER.match(after):
        return False
    if _VERSUS_BEFORE.search(before) or _VERSUS_AFTER.match(after):
        return False  # a case: "[Texas] v. White"
    if bool(_QUOTE_BEFORE.search(before)) != bool(_QUOTE_AFTER.match(after)):
        return False
    if _is_within_a_name(span):
        return False
    if span.text.endswith(".") and not _STOPPED.search(span.text):
        return False
    if mark.label == "DATE":
        return not (_DATE_BEFORE.search(before) or _DATE_AFTER.match(after)) and _ends(span)
    if mark.label in _VALUES:
        return _ends(span)
    if not mark.label and not span[-1].text[0].isupper() and not _is_whole_noun(span):
        return False  # a capital may stand in it: "[American football] fans"
    if not any(token.text[0].isupper() for token in span):
        return True
    if mark.label == "PERSON" and not _is_whole_person(span, after):
        return False
    if any(x.search(before) for x in (_ORDINAL_BEFORE, _CAMPUS_BEFORE)) or (
        _SUBTITLE_AFTER.match(after)
    ):
        return False  # "20th [Century Fox]", "[Jack Reacher]: One Shot"
    if _POSSESSIVE_BEFORE.search(before) or _POSSESSIVE_AFTER.match(after):
        return False  # "St. Andrew's [Methodist Church]", "[Disney]'s Hollywood Studios"
    return (
        not _SUFFIX.match(after)
        and _ends(span, mark.label, entities)
        and _begins(span, mark.label, entities)
        and not _goes_on(span, mark.label, entities, after)
        and not _went_before(span, mark.label, entities)
    )


def _is_within_a_name(span: Span) -> bool:
    """Whether the pipeline takes a longer name, or a title begins before: Die in [Liverpool]."""
    for ent in span.doc.ents:
        if ent.label_ in _NAMES and ent.start <= span.start and span.end <= ent.end:
            outside = [*span.doc[ent.start : span.start], *span.doc[span.end : ent.end]]
            if any(_is_capital(token) and not _is_before_names(token) for token in outside):
                return True
    at = span.start - 1
    if at > 0 and span.doc[at].lower_ == "the":
        at -= 1
    if at < 1 or span.doc[at].pos_ != "ADP":
        return False
    word = span.doc[at - 1]
    is_free = word.ent_type_ in {"", "WORK_OF_ART"}
    return _is_capital(word) and word.is_alpha and is_free and not _opens(word)


def _is_whole_person(span: Span, after: str) -> bool:
    """Whether a person's name is of one person, with the surname that another's has for both.

    Not "[Joseph B.] and Lyman G. Bloomingdale", "[Brian] and Mark Gunn", "[Bill & His Comets]".
    """
    if re.search(r" (?:and|&) |['’]s\b|\d", span.text):
        return False
    given_alone = len(span) == 1 or re.search(r" [A-Z]\.$", span.text)
    return not (given_alone and _SHARED_SURNAME.match(after))


def _is_before_names(token: Token) -> bool:
    """Whether a capital is that of an article, a title or an honorific, which no mark has."""
    title = token.text in words.HONORIFICS or token.text in _STYLES | _OFFICES
    return title or token.lower_ in {"the", "a", "an"}


def _is_whole_noun(span: Span) -> bool:
    """Whether words of no type are a noun that no other makes a compound of."""
    root, doc = span.root, span.doc
    if span.end < len(doc) and doc[span.end].tag_ in {"NN", "NNS"}:
        return False
    if root.pos_ not in {"NOUN", "PROPN", "VERB", "NUM"}:
        return False
    if root.dep_ in {"compound", "nmod", "amod", "nummod"} and root.head.i >= span.end:
        return False
    return not any(
        child.i < span.start and child.dep_ in {"compound", "nmod"} for child in root.children
    )


def _is_capital(token: Token) -> bool:
    return token.text[0].isupper() and token.text != "I"


def _ends(span: Span, kind: str = "DATE", entities: Sequence[Entity] = ()) -> bool:
    """Whether no capital and no number follows the mark directly."""
    doc = span.doc
    if span.end == len(doc):
        return True
    after = doc[span.end]
    if kind == "TITLE" and any(e.label == "PERSON" and e.start == after.idx for e in entities):
        return True
    return not _is_capital(after) and not (kind != "DATE" and after.text[0].isdigit())


def _begins(span: Span, kind: str, entities: Sequence[Entity]) -> bool:
    """Whether a capital or a number right before the mark is no part of its name."""
    doc = span.doc
    if not span.start:
        return True
    before = doc[span.start - 1]
    if before.text[0].isdigit():
        return kind not in {"", "EVENT", "WORK_OF_ART"}
    if not _is_capital(before) or not before.text[0].isalpha():
        if kind == "EVENT" and before.tag_ == "POS":
            return False  # "the Women's [World Cup]"
        return not (kind == "PERSON" and before.lower_ in {"the", "a", "an", "in", "near"})
    if before.text == "The":
        if len(span) > 1:
            return before.i == 0 and kind not in {"PERSON", "WORK_OF_ART"}
        return before.i == 0 and kind not in _ARTICLED  # "The [Hague]", "The [Guardian]"
    if _opens(before):
        return True
    if kind == "PERSON":
        if len(span) == 1 and before.text in _STYLES:
            return False
        title = without_title(doc[before.i : span.end]).start > before.i
        known = before.text in words.HONORIFICS or before.ent_type_ == "NORP"
        ended = any(e.label == "TITLE" and e.end == before.idx + len(before) for e in entities)
        return title or known or ended
    return kind == "TITLE" and before.ent_type_ == "NORP"


def _opens(token: Token) -> bool:
    """Whether a capital is that of a sentence's, a quotation's or a clause's first word."""
    first = token.i == 0 or token.nbor(-1).text in {'"', "“", ":", ";", "("}
    return first and token.pos_ in _OPENING


def _goes_on(span: Span, kind: str, entities: Sequence[Entity], after: str) -> bool:
    """Whether the name goes on behind a small word: [University] of Oslo, [Hall] and Oates."""
    if _OF_AFTER.match(after) or (kind == "PERSON" and _BAND_AFTER.match(after)):
        return True
    if kind not in _MADE_OF_NAMES:
        return False
    if _IN_AFTER.match(after) and _is_a_word(span[-1]):
        return True  # "United Nations Interim [Force] in Lebanon"
    if _LINK_AFTER.match(after) or (
        re.search(r"\b(?:University of|State University|College)\b", span.text)
        and _CAMPUS.match(after)
    ):
        return True
    joined = re.match(r"^,? and (?:the )?(?=[^\W\d_a-z])", after)
    if not joined:
        return False
    within = any(e.start < span.end < e.end and e.end > span.end + 1 for e in span.doc.ents)
    return within or not _is_like(span.doc, span.end_char + len(joined[0]), kind, entities)


def _went_before(span: Span, kind: str, entities: Sequence[Entity]) -> bool:
    """Whether the name began before a small word: Ministry of [Forestry], Antigua and [Barbuda]."""
    doc, at = span.doc, span.start - 1
    if at > 0 and doc[at].lower_ == "the":
        at -= 1
    if at < 1:
        return False
    small, word = doc[at].lower_, doc[at - 1]
    if not _is_capital(word) or not word.is_alpha or _opens(word):
        return False
    if small in {"in", "for", "at", "on"} and word.pos_ != "DET" and _is_a_word(word):
        return True  # "Interim Force in [Lebanon]", "Meet Me in [St. Louis]"
    if small in {"of", "&"}:
        is_office = word.text in _OFFICES or any(
            e.label == "TITLE" and e.end == word.idx + len(word) for e in entities
        )
        return not (small == "of" and is_office and kind in _PLACES | {"ORGANIZATION"})
    if small in {"for", "at", "on"}:
        return word.ent_type_ in {"ORG", "FAC", "EVENT"} and kind != "PERSON"
    if small != "and" or kind not in _MADE_OF_NAMES | _PLACES | {"PERSON"}:
        return False
    if any(
        ent.start < span.start - 1 and at > ent.start and span.end <= ent.end for ent in doc.ents
    ):
        return True  # one name for the pipeline
    return word.ent_type_ != _SAME.get(kind, "ORG") and not any(
        e.label == kind and e.end == word.idx + len(word) for e in entities
    )


def _is_a_word(token: Token) -> bool:
    """Whether a capital stands before a word of the language, so that a longer name holds it."""
    return token.pos_ == "PRON" or bool(lemminflect.getAllLemmas(token.lower_))


def _is_like(doc: Doc, start: int, kind: str, entities: Sequence[Entity]) -> bool:
    """Whether another mention of the type begins there."""
    if any(e.start == start and e.label == kind for e in entities):
        return True
    return any(e.start_char == start and e.label_ == _SAME.get(kind, "ORG") for e in doc.ents)
