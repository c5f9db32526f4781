"""Where people, groups and works are from: ``a French actor`` and ``an actor from France``."""

from __future__ import annotations

from spacy.tokens import Doc, Span, Token

from mt_gate_suites.lexicons.demonyms import adjective_of, country_of_adjective
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.co_related.attributes import article_edit, is_one_of_several
from mt_gate_suites.re.co_related.citizens import (
    are_citizens,
    ends,
    is_citizen,
    is_of_a_country,
    nouns_end,
    phrase_end,
)
from mt_gate_suites.re.co_related.offices import Rule, preposition, with_article
from mt_gate_suites.re.rephrase_argument import said_otherwise
from mt_gate_suites.re.sample import EditedSample, Sample

_BELONGING = frozenset({"citizen", "citizens", "native", "natives", "national", "nationals"})
"""Nouns of people that are ``of`` their country."""
_COUNTING = word_set("re/co_related", "counting")
_AFTER_PLURAL = frozenset({"VBD", "VBP", "MD"})


def _from_country(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``a French actor``: ``an actor from France``."""
    doc, country = span.doc, country_of_adjective(span.text)
    end = phrase_end(doc, span.end)
    if not country or end is None or not _is_indefinite(doc, span.start):
        return None
    if is_one_of_several(span) or _is_joined(doc, span.start):
        return None
    article = article_edit(span, doc[span.end].text)
    if article is None:
        return None
    edits = [*article, (span.start_char, doc[span.end].idx, ""), _behind(doc, end, country)]
    return said_otherwise(sample, name, edits, len(edits) - 1, country, "COUNTRY")


def _behind(doc: Doc, end: int, country: str) -> tuple[int, int, str]:
    """The edit that puts a country behind a noun phrase."""
    last = doc[end - 1]
    place = last.idx + len(last)
    word = "of" if last.lower_ in _BELONGING else "from"
    return place, place, f" {word} {with_article(country)}"


def _is_indefinite(doc: Doc, start: int) -> bool:
    """Whether ``a`` or ``an`` stands before a token, past one small adjective or a year at most."""
    if start and (_is_small_adjective(doc[start - 1]) or _is_year(doc[start - 1])):
        start -= 1
    return start > 0 and doc[start - 1].lower_ in {"a", "an"}


def _is_small_adjective(token: Token) -> bool:
    return token.text.islower() and token.tag_ in {"JJ", "VBN"}


def _is_year(token: Token) -> bool:
    return len(token.text) == 4 and token.text.isdigit()


def _is_joined(doc: Doc, start: int) -> bool:
    """``a lawyer and a French poet``: after it, ``from France`` may be said of both."""
    article = next((at for at in (start - 1, start - 2) if doc[at].lower_ in {"a", "an"}), 0)
    return article > 0 and doc[article - 1].lower_ in {"and", "or", "&"}


def _out_of_country(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``an actor from France``: ``a French actor``; ``citizens of France``: ``French citizens``."""
    doc, adjective = span.doc, adjective_of(span.text)
    word = preposition(span, "from") or preposition(span, "of")
    if not adjective or word is None or not ends(doc, span.end):
        return None
    start = word.i - 1
    last = doc[start]
    if word.lower_ == "of" and last.lower_ not in _BELONGING:
        return None
    several = last.tag_ == "NNS" and are_citizens(last)
    if not several and (not is_of_a_country(last) or last.tag_ != "NN"):
        return None
    while start and doc[start - 1].pos_ == "NOUN" and doc[start - 1].text.islower():
        start -= 1
    if not (_counts(doc, start) if several else _is_indefinite(doc, start)):
        return None
    article = article_edit(doc[start : start + 1], adjective)
    if article is None:
        return None
    edits = [
        *article,
        (doc[start].idx, doc[start].idx, f"{adjective} "),
        (last.idx + len(last), span.end_char, ""),
    ]
    return said_otherwise(sample, name, edits, len(article), adjective, "NATIONALITY")


def _counts(doc: Doc, start: int) -> bool:
    """Whether a plural noun at a token stands bare or with a word that counts."""
    if start == 0:
        return False
    before = doc[start - 1]
    bare = before.pos_ in {"ADP", "VERB", "AUX"} or before.text in {",", "("}
    return bare or before.lower_ in _COUNTING or before.like_num


def _several_from_country(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``two French soldiers``: ``two soldiers from France``."""
    doc, country = span.doc, country_of_adjective(span.text)
    end = _plural_end(doc, span.end)
    if not country or end is None or is_one_of_several(span) or not _counts(doc, span.start):
        return None
    if doc[span.start - 1].lower_ in {"by", "from"} and doc[end - 1].lower_ not in _BELONGING:
        return None
    edits = [(span.start_char, doc[span.end].idx, ""), _behind(doc, end, country)]
    return said_otherwise(sample, name, edits, 1, country, "COUNTRY")


def _plural_end(doc: Doc, start: int) -> int | None:
    """The token after ``film directors`` at ``start``, where the phrase ends; None if unsure."""
    at = nouns_end(doc, start)
    if at == start or doc[at - 1].tag_ != "NNS" or not are_citizens(doc[at - 1]):
        return None
    return at if ends(doc, at) or doc[at].tag_ in _AFTER_PLURAL else None


def _born(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``a German-born physicist``: ``a physicist born in Germany``."""
    doc, country = span.doc, country_of_adjective(span.text)
    start = span.end + 2
    if not country or doc[span.end : start].text != "-born" or start >= len(doc):
        return None
    has_other = doc[start].ent_type_ == "NORP" and doc[start].text[0].isupper()
    end = phrase_end(doc, start + has_other)
    if end is None or not is_citizen(doc[end - 1]) or not _is_indefinite(doc, span.start):
        return None
    if _is_joined(doc, span.start) or (end < len(doc) and doc[end].lower_ in {"born", "based"}):
        return None
    article = article_edit(span, doc[start].text)
    if article is None:
        return None
    place = doc[end - 1].idx + len(doc[end - 1])
    said = f" born in {with_article(country)}"
    edits = [*article, (span.start_char, doc[start].idx, ""), (place, place, said)]
    return said_otherwise(sample, name, edits, len(edits) - 1, country, "COUNTRY")


OF_COUNTRY: tuple[Rule, ...] = (_out_of_country,)
OF_NATIONALITY: tuple[Rule, ...] = (_from_country, _several_from_country, _born)
