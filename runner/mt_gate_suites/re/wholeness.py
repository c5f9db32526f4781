"""Check that a marked mention, of a corpus or a pipeline, is a whole name or noun.

Not whole:
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
from mt_gate.lexicons import titles
from mt_gate.lexicons.calendar import MONTHS
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.titles import strip_title

_CAPITAL = r"[^\W\d_a-z]"
_MONTH = f"(?:{'|'.join(MONTHS)})"
_JOINED_BEFORE = re.compile(r"(?:[\w\-–/&@#$£€’'.]|\bvs?\. )$")
_JOINED_AFTER = re.compile(
    r"[\w&/@%°]|[-–](?!(?:based|born)\b)|['’](?!s?(?:\W|$))| vs?\. |: [^\W\d_a-z]"
)
_QUOTE_BEFORE, _QUOTE_AFTER = re.compile(r"[\"“]$"), re.compile(r"[.,!?]?[\"”]")
_DATE_BEFORE = re.compile(rf"(?:\d(?:st|nd|rd|th)?|{_MONTH})(?:,| of)? $")
_DATE_AFTER = re.compile(rf"(?:,| of)? (?:\d|{_MONTH})")
_NAME_BEFORE = re.compile(
    rf"\b(?:{_CAPITAL}[\w.]*(?:['’]s|s['’])|\d+(?:st|nd|rd|th)|No\.? ?\d+"
    rf"|University of {_CAPITAL}\w+(?:,| at)) $"
)
"""St. Andrew's [Methodist Church], 20th [Century Fox], University of Nevada, [Las Vegas]."""
_NAME_AFTER = re.compile(
    rf"(?:['’]s|(?<=s)['’]) {_CAPITAL}| (?:of|&) (?:the )?{_CAPITAL}"
    r"|,? (?:Jr|Sr|Esq|Inc|Ltd|LLC|LLP|L\.P|LP|L\.L\.C|Co|Corp|PLC|plc|S\.A|N\.V|GmbH|Ph\.?D|M\.?D|"
    r"[IVX]{2,5}|V|K\.?C|Q\.?C)\b"
)
"""[Disney]'s Hollywood Studios, [University] of Oslo, [Apple], Inc."""
_LINK_AFTER = re.compile(rf" (?:for|at|upon|on|de|del|du|von|am) (?:the )?{_CAPITAL}")
_BAND_AFTER = re.compile(rf",? (?:and|&) (?:[Tt]he|[Hh]is|[Hh]er|[Tt]heir) {_CAPITAL}")
_SHARED_SURNAME = re.compile(rf" (?:and|&) (?:{_CAPITAL}[\w.'’-]* )+{_CAPITAL}")
_CAMPUS = re.compile(rf"(?:,| at| in|[-–—]) ?{_CAPITAL}")
_STOPPED = re.compile(r"(?:^|\W)(?:[A-Z]\.)+$|\b(?:Jr|Sr|Inc|Co|Corp|Ltd|Bros|St)\.$")
"""Marks whose last full stop belongs to an abbreviation."""
_VALUES = frozenset("DATE TIME DURATION NUMBER ORDINAL MONEY PERCENT QUANTITY".split())
_NAMES = frozenset("WORK_OF_ART ORG FAC EVENT LAW PRODUCT GPE LOC PERSON".split())
"""spaCy's labels of names."""
_PLACES = frozenset("CITY STATE_OR_PROVINCE COUNTRY LOCATION".split())
_SAME = {"PERSON": "PERSON", "ORGANIZATION": "ORG"} | dict.fromkeys(_PLACES, "GPE")
_MADE_OF_NAMES = frozenset({"", "ORGANIZATION", "FACILITY", "LOCATION", "EVENT", "WORK_OF_ART"})
"""Types whose names may join names by small words: Ministry of Fisheries and Forestry."""
_ARTICLED = frozenset({"", "PERSON", "ORGANIZATION", "CITY", "WORK_OF_ART"})
"""Types whose one-word names may include an article, which is unclear at a sentence's start."""
_OPENING = frozenset("ADP DET PRON SCONJ CCONJ ADV VERB AUX PART INTJ".split())
"""Parts of speech of a sentence's first word that does not belong to a name after it."""
_STYLES = word_set("re/entities", "styles")
"""Titles that form a name with a single word after them: Lady Gaga, Doctor Who, Judge Judy."""
_OFFICES = word_set("re/entities", "offices")
"""Titles of heads of a place or body: Mayor of London."""
_HONORIFICS = titles.with_stops(titles.known_to("entities"))


def is_whole_mark(doc: Doc, mark: Entity, entities: Sequence[Entity]) -> bool:
    """Whether a mark covers a whole name or noun.

    Args:
        doc: the parsed sentence.
        mark: the marked characters, and their type, which may be empty.
        entities: typed mentions of the sentence, which may touch the mark.
    """
    span, kind = doc.char_span(mark.start, mark.end), mark.label
    if span is None:
        return False
    before, after = doc.text[: mark.start], doc.text[mark.end :]
    if _JOINED_BEFORE.search(before) or _JOINED_AFTER.match(after) or _is_in_a_name(span):
        return False
    if bool(_QUOTE_BEFORE.search(before)) != bool(_QUOTE_AFTER.match(after)):
        return False
    if span.text.endswith(".") and not _STOPPED.search(span.text):
        return False
    if kind in _VALUES:
        torn = _DATE_BEFORE.search(before) or _DATE_AFTER.match(after)
        return not (kind == "DATE" and torn) and _ends(span, "DATE", entities)
    if not kind and not span[-1].text[0].isupper() and not _is_whole_noun(span):
        return False  # a capital may be in it: "[American football] fans"
    if not any(token.text[0].isupper() for token in span):
        return True
    if _NAME_BEFORE.search(before) or _NAME_AFTER.match(after):
        return False
    if kind == "PERSON" and not _is_one_person(span, after):
        return False
    ends = _ends(span, kind, entities) and not _goes_on(span, kind, entities, after)
    return ends and _begins(span, kind, entities) and not _went_before(span, kind, entities)


def _is_in_a_name(span: Span) -> bool:
    """Whether the pipeline sees a longer name, or a title began before: Die in [Liverpool]."""
    doc = span.doc
    for ent in doc.ents:
        if ent.label_ in _NAMES and ent.start <= span.start and span.end <= ent.end:
            for token in (*doc[ent.start : span.start], *doc[span.end : ent.end]):
                title = token.text in _HONORIFICS | _STYLES | _OFFICES
                if _is_capital(token) and not title and token.lower_ not in {"the", "a", "an"}:
                    return True
    word = _find_word_before(span, "ADP")
    free = word is not None and word.ent_type_ in {"", "WORK_OF_ART"}
    return word is not None and free and _is_capital(word) and not _opens(word)


def _find_word_before(span: Span, pos: str = "") -> Token | None:
    doc, at = span.doc, span.start - 1
    if at > 0 and doc[at].lower_ == "the":
        at -= 1
    return doc[at - 1] if at > 0 and pos in {"", doc[at].pos_} else None


def _is_capital(token: Token) -> bool:
    return token.text[0].isupper() and token.text != "I"


def _opens(token: Token) -> bool:
    first = token.i == 0 or token.nbor(-1).text in {'"', "“", ":", ";", "("}
    return first and token.pos_ in _OPENING


def _is_one_person(span: Span, after: str) -> bool:
    if re.search(r" (?:and|&) |['’]s\b|\d", span.text) or _BAND_AFTER.match(after):
        return False
    is_first_name = len(span) == 1 or re.search(r" [A-Z]\.$", span.text)
    return not (is_first_name and _SHARED_SURNAME.match(after))


def _is_whole_noun(span: Span) -> bool:
    """Whether words without a type are a noun that is not part of a longer compound."""
    root, doc = span.root, span.doc
    if span.end < len(doc) and doc[span.end].tag_ in {"NN", "NNS"}:
        return False
    modifies = root.dep_ in {"compound", "nmod", "amod", "nummod"} and root.head.i >= span.end
    compound = (c for c in root.children if c.i < span.start and c.dep_ in {"compound", "nmod"})
    return root.pos_ in {"NOUN", "PROPN", "VERB", "NUM"} and not modifies and not any(compound)


def _ends(span: Span, kind: str, entities: Sequence[Entity]) -> bool:
    """Whether no capital and no number follows the mark directly."""
    if span.end == len(span.doc):
        return True
    after = span.doc[span.end]
    if kind == "TITLE" and any(e.label == "PERSON" and e.start == after.idx for e in entities):
        return True
    return not _is_capital(after) and not (kind != "DATE" and after.text[0].isdigit())


def _begins(span: Span, kind: str, entities: Sequence[Entity]) -> bool:
    """Whether a capital or a number right before the mark does not belong to its name."""
    doc = span.doc
    if not span.start:
        return True
    before = doc[span.start - 1]
    if before.text[0].isdigit():
        return kind not in {"", "EVENT", "WORK_OF_ART"}
    if not _is_capital(before) or not before.text[0].isalpha():
        if kind == "EVENT" and before.tag_ == "POS":
            return False  # "the Women's [World Cup]"
        return kind != "PERSON" or before.lower_ not in {"the", "a", "an", "in", "near"}
    if before.text == "The":
        hidden = {"PERSON", "WORK_OF_ART"} if len(span) > 1 else _ARTICLED  # "The [Guardian]"
        return before.i == 0 and kind not in hidden
    if _opens(before):
        return True
    if kind != "PERSON":
        return kind == "TITLE" and before.ent_type_ == "NORP"
    if len(span) == 1 and before.text in _STYLES:
        return False
    title = strip_title(doc[before.i : span.end]).start > before.i
    known = before.text in _HONORIFICS or before.ent_type_ == "NORP"
    return title or known or _is_title(before, entities)


def _is_title(token: Token, entities: Sequence[Entity]) -> bool:
    end = token.idx + len(token)
    return any(entity.label == "TITLE" and entity.end == end for entity in entities)


def _goes_on(span: Span, kind: str, entities: Sequence[Entity], after: str) -> bool:
    """Whether the name goes on behind a small word: United [Force] in Lebanon, [Hall] and Oates."""
    if kind not in _MADE_OF_NAMES:
        return False
    inside = re.match(rf" in (?:the )?{_CAPITAL}", after) and _is_a_word(span[-1])
    campus = re.search(r"\b(?:University of|State University|College)\b", span.text)
    if inside or _LINK_AFTER.match(after) or (campus and _CAMPUS.match(after)):
        return True
    joined = re.match(rf",? and (?:the )?(?={_CAPITAL})", after)
    if not joined:
        return False
    start = span.end_char + len(joined[0])
    same = any(e.start == start and e.label == kind for e in entities)
    label = _SAME.get(kind, "ORG")
    same = same or any(e.start_char == start and e.label_ == label for e in span.doc.ents)
    return not same or any(
        e.start < span.end < e.end and e.end > span.end + 1 for e in span.doc.ents
    )


def _went_before(span: Span, kind: str, entities: Sequence[Entity]) -> bool:
    """Whether the name began before a small word: Ministry of [Forestry], Antigua and [Barbuda]."""
    word = _find_word_before(span)
    if word is None or not _is_capital(word) or not word.is_alpha or _opens(word):
        return False
    small = word.nbor(1).lower_
    if small in {"in", "for", "at", "on"} and word.pos_ != "DET" and _is_a_word(word):
        return True  # "Interim Force in [Lebanon]", "Meet Me in [St. Louis]"
    if small in {"of", "&"}:
        office = word.text in _OFFICES or _is_title(word, entities)
        return not (small == "of" and office and kind in _PLACES | {"ORGANIZATION"})
    if small in {"for", "at", "on"}:
        return word.ent_type_ in {"ORG", "FAC", "EVENT"} and kind != "PERSON"
    if small != "and" or kind not in _MADE_OF_NAMES | _PLACES | {"PERSON"}:
        return False
    if any(e.start <= word.i and span.end <= e.end for e in span.doc.ents):
        return True  # one name for the pipeline
    end = word.idx + len(word)
    same = any(entity.label == kind and entity.end == end for entity in entities)
    return word.ent_type_ != _SAME.get(kind, "ORG") and not same


def _is_a_word(token: Token) -> bool:
    """Whether a capitalised token is an ordinary word, so that a longer name may contain it."""
    return token.pos_ == "PRON" or bool(lemminflect.getAllLemmas(token.lower_))
