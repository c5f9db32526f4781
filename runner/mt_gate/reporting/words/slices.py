"""The slices of known answers and labelled examples, in tables."""

from __future__ import annotations

from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.base.escaping import markdown
from mt_gate.base.redaction import shorten
from mt_gate.reporting.words.facts import LONGEST, right_before_and_now, slice_name
from mt_gate.reporting.words.texts import DECISION_WORDS, Catalogue, text_of
from mt_gate.results.result import Result

MOST_LINES, MOST_IN_MARKDOWN = 20, 10
"""Slices that a table shows, and one in a comment."""
_MARKDOWN_HEAD = (
    "| Right answers by slice | Cases | Baseline | Now | Decision |",
    "| --- | ---: | ---: | ---: | --- |",
)


class SliceLine(NamedTuple):
    """A slice as tables show it: how many of ``total`` cases were right and are; not escaped."""

    title: str
    name: str
    before: int
    now: int
    total: int
    decision: str


def slice_lines(result: Result, catalogue: Catalogue) -> list[SliceLine]:
    """Return the slices that lost most, or without a baseline those with the fewest right."""
    lines = [
        SliceLine(
            shorten(text_of(catalogue, relation.id).title, LONGEST),
            slice_name(one.name),
            *right_before_and_now(one),
            DECISION_WORDS[one.comparison.decision] if one.comparison else "Not compared",
        )
        for relation in result.relations
        for one in relation.slices
        if right_before_and_now(one)[2]
    ]
    return sorted(lines, key=_by_loss)[:MOST_LINES]


def _by_loss(line: SliceLine) -> tuple[float, float, str]:
    return (line.now - line.before) / line.total, line.now / line.total, line.name


def slice_table(result: Result, catalogue: Catalogue) -> str:
    """Return the slices that moved as a Markdown table; empty where none did."""
    lines = slice_lines(result, catalogue)
    moved = [line for line in lines if line.now != line.before][:MOST_IN_MARKDOWN]
    rows = (
        f"| {markdown(line.title)}, {markdown(line.name)} | {figures.count(line.total)} | "
        f"{figures.count(line.before)} | {figures.count(line.now)} | {line.decision} |"
        for line in moved
    )
    return "\n".join([*_MARKDOWN_HEAD, *rows]) if moved else ""
