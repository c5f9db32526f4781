"""Kinds of edit of a relation in words, with their violation rates: the paper's Table 8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.base.escaping import markdown
from mt_gate.base.redaction import shorten
from mt_gate.reporting.words.texts import Catalogue, text_of
from mt_gate.results.result import RelationResult, Result, Stratum

_WORDS = {
    "frequent": "frequent replacement",
    "rare": "rare replacement",
    "words": "other words",
    "type": "only the type label",
    "paper": "the paper's words",
    "natural": "natural words",
}
_MARKDOWN_HEAD = (
    "| Relation | Kind of edit | Violated | Rate | 95 % interval |",
    "| --- | --- | ---: | ---: | :---: |",
)
_LONGEST_NAME = 40
_LONGEST_TITLE = 60
_MOST = 20
"""Of one relation; a stored result may hold anything."""


class StratumLine(NamedTuple):
    """A kind of edit as tables show it; not escaped."""

    title: str
    name: str
    counts: Stratum


def stratum_in_words(name: str) -> str:
    """Return how a kind of edit is named; as it stands where nothing is known of it."""
    return _WORDS.get(name) or shorten(name, _LONGEST_NAME)


def strata_lines(result: Result, catalogue: Catalogue) -> list[StratumLine]:
    """Return a line for each kind of edit of each relation, in the result's order."""
    return [
        StratumLine(
            shorten(text_of(catalogue, relation.id).title, _LONGEST_TITLE),
            stratum_in_words(name),
            counts,
        )
        for relation in result.relations
        for name, counts in [*relation.strata.items()][:_MOST]
    ]


def strata_table(result: Result, catalogue: Catalogue) -> str:
    """Return the lines as a Markdown table, empty where no relation has kinds of edit."""
    lines = strata_lines(result, catalogue)
    return "\n".join([*_MARKDOWN_HEAD, *map(_markdown_row, lines)]) if lines else ""


def _markdown_row(line: StratumLine) -> str:
    counts = line.counts
    cells = (
        markdown(line.title),
        markdown(line.name),
        f"{figures.count(counts.violated)} of {figures.count(counts.applicable)}",
        figures.percent(counts.violation_rate),
        figures.between(counts.ci95),
    )
    return f"| {' | '.join(cells)} |"


def stratum_rates(relation: RelationResult) -> Sequence[str]:
    """Return "frequent replacement: 3 of 20 violated (15.0 %, 95 % interval ...)", a line each."""
    return [
        f"{stratum_in_words(name)}: {figures.count(counts.violated)} of "
        f"{figures.count(counts.applicable)} applicable groups violated "
        f"({figures.percent(counts.violation_rate)}, "
        f"95 % interval {figures.between(counts.ci95)})"
        for name, counts in [*relation.strata.items()][:_MOST]
    ]
