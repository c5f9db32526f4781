"""A nationality that a sentence says of a person: ``She is French``, ``She is from France``."""

from __future__ import annotations

from spacy.tokens import Span, Token

from mt_gate_suites.lexicons.demonyms import adjective_of, country_of_adjective
from mt_gate_suites.re.co_related.citizens import ends
from mt_gate_suites.re.co_related.offices import Rule, with_article
from mt_gate_suites.re.coreferent.gender import of_noun
from mt_gate_suites.re.rephrase_argument import said_otherwise
from mt_gate_suites.re.sample import EditedSample, Sample

_BE = frozenset({"is", "was", "are", "were"})
_PERSONS = frozenset({"he", "she", "i", "who"})


def _into_from(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``she is French``: ``she is from France``."""
    doc, country = span.doc, country_of_adjective(span.text)
    if not country or span.start < 2 or doc[span.start - 1].lower_ not in _BE:
        return None
    if not ends(doc, span.end) or not _is_person(sample, doc[span.start - 2]):
        return None
    said = f"from {with_article(country)}"
    edits = [(span.start_char, span.end_char, said)]
    return said_otherwise(sample, name, edits, 0, country, "COUNTRY")


def _out_of_from(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``she is from France``: ``she is French``."""
    doc, adjective = span.doc, adjective_of(span.text)
    start = span.start - 1 - (span.start > 0 and doc[span.start - 1].lower_ == "the")
    if not adjective or start < 2 or doc[start].lower_ != "from":
        return None
    if doc[start - 1].lower_ not in _BE or not _is_person(sample, doc[start - 2]):
        return None
    if not ends(doc, span.end):
        return None
    edits = [(doc[start].idx, span.end_char, adjective)]
    return said_otherwise(sample, name, edits, 0, adjective, "NATIONALITY")


def _is_person(sample: Sample, token: Token) -> bool:
    if token.lower_ in _PERSONS or (token.pos_ == "NOUN" and of_noun(token.lower_)):
        return True
    end = token.idx + len(token)
    return any(one.end == end and one.label == "PERSON" for one in sample.entities)


OF_COUNTRY: tuple[Rule, ...] = (_out_of_from,)
OF_NATIONALITY: tuple[Rule, ...] = (_into_from,)
