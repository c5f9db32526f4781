"""Contracts words, or writes contractions out.

    contraction  I am still waiting, it is late.   -> I'm still waiting, it's late.
    expansion    I don't know where it is.         -> I do not know where it is.

An edited text changes all of them, in one direction. Ambiguous words stay ("she's", "he'd"), and
so do words that cannot change in their place ("Don't you know?", "I know who I am.").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import mapping, word_set
from mt_gate_suites.text.protected import MAX_TEXT, is_free, protected_spans
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfText

_LONG = dict(mapping("text/contractions", "expansions"))
_SHORT = dict(mapping("text/contractions", "contractions"))
_SUBJECTS = word_set("text/contractions", "subjects")
_NO_SUBJECT_AFTER = word_set("text/contractions", "no-subject-after")
_STRESSED_BEFORE = word_set("text/contractions", "stressed-before")
_BEFORE = re.compile(r"([\w'’]+)(\s+)$")
_AFTER = re.compile(r"^\s+([\w'’]+)")


def _pattern(phrases: dict[str, str]) -> re.Pattern[str]:
    alternatives = "|".join(
        re.escape(one).replace("'", "['’]") for one in sorted(phrases, key=len)[::-1]
    )
    return re.compile(rf"(?<![\w'’-])(?:{alternatives})(?![\w'’-])", re.IGNORECASE)


_LONG_PATTERN, _SHORT_PATTERN = _pattern(_LONG), _pattern(_SHORT)


def transform(text: str, _: Random) -> list[Rewrite]:
    """Return up to two edited texts: all contractions written out, all possible ones made."""
    if len(text) > MAX_TEXT:
        return []
    rewrites = (
        _exchanged(text, _LONG_PATTERN, _LONG, _may_expand, "expansion"),
        _exchanged(text, _SHORT_PATTERN, _SHORT, _may_contract, "contraction"),
    )
    return [one for one in rewrites if one is not None]


def _exchanged(
    text: str,
    pattern: re.Pattern[str],
    phrases: dict[str, str],
    may: Callable[[str, re.Match[str]], bool],
    stratum: str,
) -> Rewrite | None:
    spans = protected_spans(text)
    edits = [
        (*match.span(), _cased(phrases[match.group().lower().replace("’", "'")], match.group()))
        for match in pattern.finditer(text)
        if is_free(*match.span(), spans) and may(text, match)
    ]
    return edited(text, edits)._replace(stratum=stratum) if edits else None


def _cased(new: str, old: str) -> str:
    if old[0] == "i" and new.startswith("I"):
        return f"i{new[1:]}"
    return new[0].upper() + new[1:] if old[0].isupper() else new


def _words_around(text: str, match: re.Match[str]) -> tuple[str, str]:
    before = _BEFORE.search(text, max(0, match.start() - 40), match.start())
    after = _AFTER.search(text[match.end() : match.end() + 40])
    return (before[1].lower() if before else ""), (after[1].lower() if after else "")


def _may_expand(text: str, match: re.Match[str]) -> bool:
    before, after = _words_around(text, match)
    if after in _SUBJECTS or after in {"", "but"}:
        return False
    return not match.group().lower().endswith("t") or before in _SUBJECTS


def _is_numeral(text: str, match: re.Match[str]) -> bool:
    named = re.search(r"\b[A-Z][a-z]+ $", text[max(0, match.start() - 40) : match.start()])
    return named is not None and match.group().startswith("I ")


def _may_contract(text: str, match: re.Match[str]) -> bool:
    before, after = _words_around(text, match)
    if not after or after in _STRESSED_BEFORE or _is_numeral(text, match):
        return False
    if match.group().lower().endswith("not"):
        return before in _SUBJECTS
    clause = re.split(r"[.!?,;]", text[: match.start()])[-1]
    return not _NO_SUBJECT_AFTER.intersection(re.findall(r"\w+", clause.lower()))


RELATION = TextRelation(
    name="contraction",
    title="Contractions",
    description="Contracts words, or writes contractions out. The prediction must not change.",
    paper="Ribeiro et al., ACL 2020 (CheckList), contractions",
    before="I do not know where it is.",
    after="I don't know where it is.",
    transformation=OfText(transform),
)
