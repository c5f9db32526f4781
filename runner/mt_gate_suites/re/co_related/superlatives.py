"""What is first in its country: ``the largest bank in France``, ``the largest French bank``.

before   Acme is [France] (COUNTRY)'s largest bank.
after    Acme is the largest [French] (NATIONALITY) bank.
"""

from __future__ import annotations

from spacy.tokens import Doc, Span

from mt_gate_suites.lexicons.demonyms import adjective_of, country_of_adjective
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.co_related.citizens import ends, is_institution, nouns_end
from mt_gate_suites.re.co_related.offices import Rule, preposition, with_article
from mt_gate_suites.re.rephrase_argument import said_otherwise
from mt_gate_suites.re.sample import EditedSample, Sample

_RANKS = word_set("re/co_related", "ranks")


def _end(doc: Doc, start: int) -> int | None:
    """The token after ``bank``, ``commercial bank`` at ``start``, that a country has; None else."""
    at = nouns_end(doc, start)
    return at if at > start and is_institution(doc[at - 1]) else None


def _is_rank(doc: Doc, at: int) -> bool:
    return 0 <= at < len(doc) and doc[at].lower_ in _RANKS


def _out_of_in(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``the largest bank in France``: ``the largest French bank``."""
    doc, adjective = span.doc, adjective_of(span.text)
    word = preposition(span, "in")
    if not adjective or word is None or not ends(doc, span.end):
        return None
    start = word.i
    while start and doc[start - 1].text.islower() and doc[start - 1].pos_ in {"ADJ", "NOUN"}:
        start -= 1
        if _is_rank(doc, start):
            break
    if not _is_rank(doc, start) or _end(doc, start + 1) != word.i:
        return None
    if start == 0 or doc[start - 1].lower_ != "the":
        return None
    first, last = doc[start + 1], doc[word.i - 1]
    edits = [
        (first.idx, first.idx, f"{adjective} "),
        (last.idx + len(last), span.end_char, ""),
    ]
    return said_otherwise(sample, name, edits, 0, adjective, "NATIONALITY")


def _without_possessive(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``France's largest bank``: ``the largest French bank``."""
    doc, adjective = span.doc, adjective_of(span.text)
    at = span.end + 1
    if not adjective or doc[span.end : at].text not in {"'s", "’s"} or not _is_rank(doc, at):
        return None
    before = doc[span.start - 1] if span.start else None
    if before is not None and before.pos_ not in {"ADP", "VERB", "AUX", "PUNCT"}:
        return None
    end = _end(doc, at + 1)
    if end is None:
        return None
    article = "The" if span.start == 0 else "the"
    said = f"{article} {doc[at].text} {adjective}"
    edits = [(span.start_char, doc[at].idx + len(doc[at]), said)]
    return said_otherwise(sample, name, edits, 0, adjective, "NATIONALITY")


def _into_in(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``the largest French bank``: ``the largest bank in France``."""
    doc, country = span.doc, country_of_adjective(span.text)
    end = _end(doc, span.end)
    if not country or end is None or not ends(doc, end) or not _is_rank(doc, span.start - 1):
        return None
    if span.start < 2 or doc[span.start - 2].lower_ != "the":
        return None
    last = doc[end - 1]
    place = last.idx + len(last)
    edits = [
        (span.start_char, doc[span.end].idx, ""),
        (place, place, f" in {with_article(country)}"),
    ]
    return said_otherwise(sample, name, edits, 1, country, "COUNTRY")


OF_COUNTRY: tuple[Rule, ...] = (_out_of_in, _without_possessive)
OF_NATIONALITY: tuple[Rule, ...] = (_into_in,)
