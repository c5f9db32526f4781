"""What a policy means for a suite, as a person sees it in a terminal or a build log."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TextIO

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.reporting.words.console import (
    WIDTH,
    bare_table,
    console,
    encodable,
    folded,
    print_table,
    room_for_titles,
    wrapped,
)
from mt_gate.reporting.words.policy import (
    TIER_MEANS,
    alpha_in_words,
    policy_line,
    pooled_settings,
    promises,
)
from mt_gate.reporting.words.texts import Catalogue, before_rate, pooled_title
from mt_gate.results import rules
from mt_gate.results.result import Decision, Overall, RelationResult, Result
from mt_gate.settings.policy import Tier

_LONGEST_TITLE = 60
_NAMES = ("tier", "margin", "alpha", "before", "sources", "found 4 times in 5")

Row = tuple[str, tuple[str, ...]]


def show_policy(result: Result, catalogue: Catalogue, stream: TextIO | None = None) -> None:
    """Print the smallest loss that is likely to be found of each relation, tier by tier.

    Args:
        result: of a run that was compared under the policy.
        catalogue: titles of the relations.
        stream: where to print; standard output if left out.
    """
    stream = stream or sys.stdout
    encode, where = encodable(stream), console(stream)
    rows = [
        (shorten(encode(title), _LONGEST_TITLE), cells) for title, cells in _rows(result, catalogue)
    ]
    columns = zip(_NAMES, *(cells for _, cells in rows), strict=True)
    widths = [max(map(len, column)) for column in columns]
    room, gap = room_for_titles(max(where.width, WIDTH), [title for title, _ in rows], widths)
    table = bare_table(gap)
    table.add_column("relation", no_wrap=True)
    for name in _NAMES:
        table.add_column(name, justify="left" if name == "tier" else "right", no_wrap=True)
    for title, cells in rows:
        table.add_row(folded(title, room), *cells)
    print_table(where, table)
    where.print()
    for line in _notes(result, catalogue):
        print(wrapped(f"  - {encode(line)}", where), file=stream)


def _rows(result: Result, catalogue: Catalogue) -> Iterator[Row]:
    """Yield a row a relation by tier, and after those that block the one of all of them."""
    for tier in Tier:
        yield from (
            _row(relation, result, catalogue)
            for relation in result.relations
            if relation.tier is tier
        )
        if tier is Tier.BLOCK:
            yield _together(result)


def _row(relation: RelationResult, result: Result, catalogue: Catalogue) -> Row:
    line = policy_line(relation, result, catalogue)
    before, sources, found = _found(relation)
    asked = (str(line.tier), figures.size_in_points(line.margin), alpha_in_words(line))
    return line.title, (*asked, before, sources, found if line.alpha else "not tested")


def _together(result: Result) -> Row:
    by = pooled_settings(result)
    asked = (str(Tier.BLOCK), figures.size_in_points(by.margin), figures.setting(by.alpha))
    return pooled_title(result), (*asked, *_found(result.overall))


def _found(entry: RelationResult | Overall) -> tuple[str, str, str]:
    comparison = entry.comparison
    if comparison is None:
        return (figures.UNDEFINED,) * 3
    effect = comparison.minimum_detectable_effect
    if comparison.decision is not Decision.REGRESSION:
        effect = rules.detectable(comparison)
    found = "nothing" if effect is None else figures.size_in_points(effect)
    if comparison.p_value is None:
        found = "not compared"
    return figures.percent(before_rate(entry)), figures.count(comparison.clusters), found


def _notes(result: Result, catalogue: Catalogue) -> Iterator[str]:
    for tier, means in TIER_MEANS.items():
        if any(relation.tier is tier for relation in result.relations):
            yield f"{tier}: {means}"
    for relation in result.relations:
        line = policy_line(relation, result, catalogue)
        if line.more:
            yield f"{line.title}: {line.more}"
    for name in result.settings.policy.not_of([relation.id for relation in result.relations]):
        yield f"{shorten(name, _LONGEST_TITLE)}: not in this run"
    yield from promises(result, catalogue)
    yield f"under this policy the run's verdict is {result.verdict.value}, exit {result.exit_code}"
