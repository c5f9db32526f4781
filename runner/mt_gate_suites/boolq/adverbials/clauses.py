"""Says whether a clause of ``when`` or ``if`` may stand at the other end of a question."""

from __future__ import annotations

from spacy.tokens import Span

from mt_gate_suites.boolq.adverbials import words
from mt_gate_suites.boolq.adverbials.phrases import Adverbial
from mt_gate_suites.boolq.question import ParsedQuestion

_FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})


def clause_fault(question: ParsedQuestion, phrase: Adverbial, *, leads: bool) -> str | None:
    """Return why a clause cannot move; None if it can."""
    if phrase.rest[0].lower_ not in words.AUXILIARIES:
        return "not-a-question"
    if len(phrase.span) < 2 or phrase.span[1].lower_ in words.AUXILIARIES:
        return "asked-when"
    finite = any(t.tag_ in _FINITE for t in phrase.span[1:])
    if not finite and not (phrase.opener == "when" and phrase.span[1].tag_ == "VBG"):
        return "no-verb"
    if leads:
        pointing = {token.lower_ for token in phrase.rest} & words.BACKWARD
        return "pronoun" if pointing else None
    before = phrase.rest[-1]
    if {before.lower_, before.lemma_.lower()} & words.ASKING:
        return "noun-clause"
    if before.tag_ in {"IN", "TO", "DT", "CC", "PRP$"}:
        return "runs-on"
    if any(token.lower_ in words.LIMITING for token in phrase.rest):
        return "limited"
    if phrase.rest[0].lower_ in words.BE and not _has_predicate(question, phrase.rest):
        return "no-predicate"
    return None if _pronouns_read_well(phrase) else "pronoun"


def _has_predicate(question: ParsedQuestion, rest: Span) -> bool:
    """Whether something is said of the subject of ``be``."""
    if rest[1].lower_ in words.SUBJECT_PRONOUNS:
        return len(rest) > 2
    return (
        rest[-1].tag_ in {"JJ", "VBN", "VBG"} and not question.in_name(rest[-1]) and len(rest) > 2
    )


def _pronouns_read_well(phrase: Adverbial) -> bool:
    """Whether no pronoun of the clause would come before what it stands for."""
    pointing = [token for token in phrase.span if token.lower_ in words.BACKWARD]
    forms = {token.lower_ for token in pointing}
    if not forms:
        return True
    return forms == {"it"} and len(pointing) == 1 and _is_weather(phrase.span)


def _is_weather(span: Span) -> bool:
    return span[1].lower_ == "it" and bool({t.lower_ for t in span} & words.WEATHER)
