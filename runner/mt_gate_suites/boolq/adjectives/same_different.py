"""``the same`` and ``different``, which no other adjective is built like.

The reading-comprehension paper (ESEC/FSE 2021), section 4.1, takes them for
plain antonyms: ``a different``, ``the same``, ``same as`` and ``different from``
are the grammar that then breaks.

    is an oz and a fl oz the same               -> is an oz and a fl oz different
    is propane gas the same as lpg gas          -> is propane gas different from lpg gas
    is twix the same company as mars            -> is twix a different company from mars
    is congo and zaire the same country         -> is congo and zaire different countries
"""

from __future__ import annotations

from spacy.tokens import Doc, Token

from mt_gate.language.forms import inflected, lemmas
from mt_gate_suites.boolq.adjectives.slots import BE, END, Edit, next_word
from mt_gate_suites.lexicons.reading import word_set

_KINDS = word_set("boolq/adjectives", "same-kinds")
_PLURALS = {"person": "people"}
_AFTER = word_set("boolq/adjectives", "after-same")
_NO_NOUN = word_set("boolq/adjectives", "no-noun-after-same")
_SHADES = word_set("boolq/adjectives", "shades-of-same")
_NOT_BEFORE = word_set("boolq/adjectives", "not-before-same")
_CLAUSES = word_set("boolq/adjectives", "clauses-of-same")


def opposed(doc: Doc, at: int) -> list[Edit] | None:
    """Return the edits that make ``same`` of ``different``, or the other way round."""
    if doc[at].lower_ == "different":
        return _to_same(doc, at)
    start = _start(doc, at)
    if start is None or not _is_asked(doc, start, at):
        return None
    if doc[at + 1].lower_ == "as":
        if not _noun_after(doc, at + 1):
            return None
        return [(*_span(doc, start, at + 1), "different from")]
    if doc[at + 1].lower_ in _AFTER and _compares(doc, start, at):
        return [(*_span(doc, start, at), "different")]
    return _to_different_kind(doc, start, at)


def _to_different_kind(doc: Doc, start: int, at: int) -> list[Edit] | None:
    """``the same company (as)`` -> ``a different company (from)``, ``different companies``."""
    noun = _kind(doc, at)
    if noun is None or doc[start].lower_ != "the" or noun.tag_ != "NN":
        return None
    front = _span(doc, start, at)
    if next_word(noun) == "as":
        if not _noun_after(doc, noun.i + 1):
            return None
        return [(*front, "a different"), (*_span(doc, noun.i + 1, noun.i + 1), "from")]
    if next_word(noun) == "every":
        return [(*front, "a different")]
    if next_word(noun) != END or not _is_several(doc, start):
        return None
    plural = _PLURALS.get(noun.lower_) or next(iter(inflected(noun.lower_, "NNS")), None)
    if plural is None:
        return None
    # "is twix and mars the same company" is asked; "is ... different companies" is not.
    verb = {"is": "are", "was": "were"}.get(doc[0].lower_)
    agreeing = [(*_span(doc, 0, 0), verb)] if verb else []
    return [*agreeing, (*front, "different"), (*_span(doc, noun.i, noun.i), plural)]


def _to_same(doc: Doc, at: int) -> list[Edit] | None:
    """``different (from)`` -> ``the same (as)``; ``different species`` -> ``the same species``."""
    after = doc[at + 1].lower_
    start = at - 1 if doc[at - 1].lower_ == "two" else at
    if not _is_asked(doc, start, at):
        return None
    if after in {"from", "than"}:
        return [(*_span(doc, at, at + 1), "the same as")] if _noun_after(doc, at + 1) else None
    if after in _AFTER and start == at:
        return [(*_span(doc, at, at), "the same")]
    noun = _kind(doc, at)
    if noun is None or noun.tag_ != "NNS" or next_word(noun) != END or not _is_several(doc, start):
        return None
    single = sorted(lemmas(noun.lower_, "NOUN"))[:1] or [noun.lower_]
    return [(*_span(doc, start, at), "the same"), (*_span(doc, noun.i, noun.i), single[0])]


def _start(doc: Doc, at: int) -> int | None:
    """Return where ``the same`` begins; the article may be missing before ``same as``."""
    if doc[at - 1].lower_ == "the":
        return at - 1
    return at if doc[at + 1].lower_ == "as" and doc[at - 1].pos_ in {"NOUN", "PROPN"} else None


def _is_asked(doc: Doc, start: int, at: int) -> bool:
    """Whether the question is whether something is the same: nothing else lies between."""
    before = {token.lower_ for token in doc[1:start]}
    last = doc[start - 1].lower_
    return (
        doc[0].lower_ in BE
        and start > 1
        and last not in _SHADES
        and before.isdisjoint(_CLAUSES)
        and not any(token.tag_ == "MD" or token.lower_ in BE for token in doc[1:start])
        and (last not in {"in", "on", "by", "from", "at"} or _kind(doc, at) is not None)
        and last not in _NOT_BEFORE
        and "not" not in {token.lower_ for token in doc[at:]}
    )


def _compares(doc: Doc, start: int, at: int) -> bool:
    """Whether it is told what is compared: several things, or places and times after."""
    after = doc[at + 1].lower_
    return after in _AFTER and (after != END or _is_several(doc, start))


def _is_several(doc: Doc, start: int) -> bool:
    """Whether the subject is several things: a list, or a plural."""
    subject = [token.lower_ for token in doc[1:start]]
    return "and" in subject[1:] or doc[0].lower_ in {"are", "were"}


def _kind(doc: Doc, at: int) -> Token | None:
    """Return the noun after the adjective where there can be two of it."""
    noun = None
    for token in doc[at + 1 : at + 4]:
        if token.tag_ not in {"NN", "NNS"}:
            break
        noun = token
    if noun is None or not {noun.lower_, noun.lemma_} & _KINDS:
        return None
    return noun


def _noun_after(doc: Doc, at: int) -> bool:
    """Whether a thing, and no clause, follows the word at ``at``."""
    rest = doc[at + 1 : len(doc) - 1]
    return (
        len(rest) > 0
        and rest[0].lower_ not in _NO_NOUN
        and not any(token.tag_ == "MD" or token.lower_ in {*BE, "does", "do"} for token in rest)
        and not any(token.lower_ in {"when", "if", "or", "same", "as"} for token in rest)
    )


def _span(doc: Doc, first: int, last: int) -> tuple[int, int]:
    return doc[first].idx, doc[last].idx + len(doc[last])
