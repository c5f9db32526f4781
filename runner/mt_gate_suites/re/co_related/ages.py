"""Ages: ``46``, a number, and ``46 years old``, a duration.

before   Jupp, 46, works in the lab.
after    Jupp, 46 years old, works in the lab.
"""

from __future__ import annotations

import re

from spacy.tokens import Doc, Token

from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.re.rephrase_argument import said_otherwise
from mt_gate_suites.re.sample import EditedSample, Sample

_AGE = re.compile(r"(?:[1-9]|[1-9]\d|1[01]\d)")
_OLD = re.compile(r"((?:[1-9]|[1-9]\d|1[01]\d)) years old")
_STOPS = frozenset(",.;:)!?")
_PERSONS = frozenset("i he she".split())


def changes(sample: Sample, name: str) -> list[EditedSample]:
    """Return the sample with the age of a person said in the other way; or nothing."""
    argument = sample.argument(name)
    words = sample.words(argument)
    old = _OLD.fullmatch(words)
    if old and argument.type == "DURATION":
        if not _stands_alone(sample, argument) and not _is_predicate(sample, argument):
            return []
        new, kind = old.group(1), "NUMBER"
    elif argument.type == "NUMBER" and (form := _form(sample, argument)):
        new, kind = words + form, "DURATION"
    else:
        return []
    made = said_otherwise(sample, name, [(argument.start, argument.end, new)], 0, new, kind)
    return [made] if made else []


def _form(sample: Sample, argument: Argument) -> str:
    """Return what follows the number where it is an age, said in full."""
    if not _AGE.fullmatch(sample.words(argument)):
        return ""
    if _stands_alone(sample, argument) or _is_predicate(sample, argument):
        return " years old" if sample.words(argument) != "1" else " year old"
    if _follows_words(sample, argument, "the age of"):
        return " years" if sample.words(argument) != "1" else " year"
    return ""


def _stands_alone(sample: Sample, argument: Argument) -> bool:
    """``Jupp, 46,`` and ``Jupp (46)``."""
    before, after = _around(sample, argument)
    if before is None or before.i == 0 or after is None:
        return False
    name = before.nbor(-1)
    if before.text == "," and after.text in {",", "."}:
        return _is_person(sample, name) and not _is_listed(sample.doc, before, after)
    return before.text == "(" and after.text == ")" and _is_person(sample, name)


def _is_listed(doc: Doc, before: Token, after: Token) -> bool:
    """Whether more numbers follow or come before: scores, jersey numbers, years."""
    near = doc[max(before.i - 4, 0) : before.i].text + doc[after.i : after.i + 4].text
    return bool(re.search(r"\d", near))


def _is_predicate(sample: Sample, argument: Argument) -> bool:
    """``He is 46.``"""
    before, after = _around(sample, argument)
    if before is None or before.lower_ not in {"is", "was", "'s", "’s"} or before.i == 0:
        return False
    subject = before.nbor(-1)
    ends = after is None or after.text in _STOPS or after.lower_ in {"and", "when"}
    return ends and (subject.lower_ in _PERSONS or _is_person(sample, subject))


def _follows_words(sample: Sample, argument: Argument, words: str) -> bool:
    lead = sample.text[: argument.start].rstrip()
    _, after = _around(sample, argument)
    ends = after is None or not (
        after.text == "-" or after.lower_ in {"years", "months", "to", "or"}
    )
    return lead.lower().endswith(" " + words) and ends


def _around(sample: Sample, argument: Argument) -> tuple[Token | None, Token | None]:
    span = sample.doc.char_span(argument.start, argument.end)
    if span is None:
        return None, None
    before = span[0].nbor(-1) if span.start else None
    after = sample.doc[span.end] if span.end < len(sample.doc) else None
    return before, after


def _is_person(sample: Sample, token: Token) -> bool:
    """Whether a token ends a mention of a person, by the sample's types or the parse."""
    end = token.idx + len(token)
    given = (sample.head, sample.tail)
    typed = any(e.end == end and e.label == "PERSON" for e in sample.entities)
    return (
        typed
        or any(a.end == end and a.type == "PERSON" for a in given)
        or (token.ent_type_ == "PERSON" and token.pos_ == "PROPN")
    )
