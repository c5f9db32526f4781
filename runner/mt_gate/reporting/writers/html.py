"""The HTML report: one file that opens from disk and asks nobody for anything.

Texts are escaped in one place, by the templates (``page_templates``), also
those of the groups that the page holds packed (``group_pages``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mt_gate.base import figures
from mt_gate.base.errors import REGRESSION
from mt_gate.base.escaping import visible
from mt_gate.base.redaction import shorten
from mt_gate.reporting.pages.group_pages import PAGE, GroupPages, group_pages, plain_id
from mt_gate.reporting.pages.page_templates import environment, render_page
from mt_gate.reporting.plots import Strip, Strips, difference_axis, rate_axis
from mt_gate.reporting.table import Cell, Table
from mt_gate.reporting.words import rendering, tables, texts
from mt_gate.reporting.words.both_answers import both_answers
from mt_gate.reporting.words.first_screen import (
    advice,
    effect,
    entries_to_show,
    examples,
    number_of_others,
    provenance,
    sides,
    threshold_words,
)
from mt_gate.reporting.words.gathering import Gathered, Kind
from mt_gate.reporting.words.repeating import command, signature
from mt_gate.reporting.words.sentences import facts, headline
from mt_gate.reporting.words.texts import Catalogue, Counts
from mt_gate.results.result import GroupRow, Result

if TYPE_CHECKING:
    from markupsafe import Markup

_LONGEST_TITLE = 100
_LONGEST_NAME = 38
_MOST_LINES = 6
_MOST_REASONS = 20
"""Why cases of a relation are skipped."""
_FIRST_SCREEN, _MOST_WORST = 5, 5
"""Examples, one at a time, and relations under the verdict."""
_WORSE = (Kind.NEW, Kind.VIOLATED)
_HEADINGS = {
    Kind.NEW: "Newly violated",
    Kind.VIOLATED: "Violated",
    Kind.FIXED: "Fixed",
    Kind.STILL: "Still violated",
}


class Section(NamedTuple):
    """A relation with its lists of groups, or all relations together."""

    text: texts.RelationText
    groups: int
    counts: Counts
    id: str = ""
    anchor: str = ""
    lists: tuple[dict[str, Any], ...] = ()


def report(result: Result, gathered: Gathered, catalogue: Catalogue) -> str:
    """Return the HTML report of a run."""
    sections = []
    for number, relation in enumerate(result.relations, 1):
        text = texts.text_of(catalogue, relation.id)
        text = text._replace(title=shorten(text.title, _LONGEST_TITLE))
        anchor = f"relation-{number}"
        sections.append(Section(text, relation.groups, relation, relation.id, anchor))
    total = sum(relation.groups for relation in texts.pooled_relations(result))
    pooled = texts.RelationText(texts.pooled_title(result))
    overall = Section(pooled, total, texts.pooled_counts(result))
    failing, pages = _with_groups(result, gathered, sections)
    every = [*failing, overall]
    worst = entries_to_show(result, catalogue)[:-1][:_MOST_WORST]
    weighty = [section for section in every if section.counts in [entry for _, entry in worst]]
    kinds = dict.fromkeys(part["kind"] for section in failing for part in section.lists)
    render = rendering.renderer(result.suite.task)
    name = shorten(visible(result.checkpoint.name), _LONGEST_NAME)
    return render_page(
        "report.html.j2",
        script="report.js",
        result=result,
        title=f"{texts.VERDICT_WORDS[result.verdict]}: {name}, {result.suite.task}",
        compared=texts.is_compared(result),
        sections=sections,
        overall=overall,
        failing_first=failing,
        first_screen=[
            _group_macro()(
                _group(row, render, brief=True),
                plain_id(row.id),
                shorten(texts.text_of(catalogue, row.relation).title, _LONGEST_TITLE),
            )
            for row in examples(result, gathered, _FIRST_SCREEN)
        ],
        pages=pages,
        page=PAGE,
        kinds={kind: _HEADINGS[kind] for kind in kinds},
        violations=sum(shown.total for (_, kind), shown in gathered.items() if kind in _WORSE),
        worst=_differences([*weighty, overall] if weighty else [], result, 5),
        others=number_of_others(result, len(worst)),
        differences=_differences(every, result),
        rates=_rates(every),
        not_counted=_not_counted(sections, result),
        strata=tables.strata_table(result, catalogue),
        slices=tables.slice_table(result, catalogue),
        policy=tables.policy_table(result, catalogue),
        promises=tables.promises(result, catalogue),
        profile=_profile(result),
        churn=tables.churn_strips(result),
        churn_table=tables.churn_table(result.churn),
        drift_in_words=tables.drift_in_words,
        errors_in_words=texts.errors_in_words,
        render=render,
        threshold=threshold_words(result),
        sides=sides(result),
        headline=headline(result, catalogue),
        effect=effect(result),
        banner_tone="regression" if result.exit_code == REGRESSION else result.verdict,
        facts=facts(result, catalogue),
        advice=advice(result),
        provenance=provenance(result),
        reasons=[*map(texts.with_title(catalogue), result.reasons)],
        command=command(result),
        signature=signature(result),
    )


def failure_page(message: str, task: str, code: int, notes: Sequence[str] = ()) -> str:
    """Return the page of a run that came to no result; ``message`` ends with what to do."""
    *causes, todo = re.split(r"(?<=[.!?]) (?=[A-Z])", message)
    return render_page(
        "cannot_judge.html.j2",
        task=task,
        code=code,
        cause=" ".join(causes) or message,
        todo=todo if causes else "Fix the cause, and run it again.",
        notes=notes,
    )


def _differences(every: Sequence[Section], result: Result, ticks: int = 10) -> Strips:
    """Return the changes of violation rates, each with its margin; overall last."""
    comparisons = [one.counts.comparison for one in every if one.counts.comparison]
    margins = [tables.own_settings(one.counts, result).margin for one in every]
    axis, marks = difference_axis(comparisons, result.settings.margin, margins, ticks)
    strips = []
    for one, margin in zip(every, margins, strict=True):
        comparison, low, high = one.counts.comparison, None, None
        words = "no change could be computed" if comparison else "not compared"
        if comparison and comparison.delta is not None:
            low, high = map(axis.at, comparison.ci95 or (None, None))
            words = (
                f"change {figures.change(comparison.delta, comparison.ci95)}, "
                f"margin {figures.size_in_points(margin)}"
            )
        strips.append(
            Strip(
                title=one.text.title,
                description=words,
                words=figures.points(comparison.delta) if comparison else words,
                quiet=figures.moved(texts.before_rate(one.counts), texts.after_rate(one.counts)),
                tone=texts.tone(one.counts),
                at=axis.at(comparison.delta if comparison else None),
                low=None if high is None else low,
                high=None if low is None else high,
                margin=axis.at(margin),
                missing="too few cases",
                pooled=not one.id,
                state=texts.state_words(one.counts),
                link=one.anchor,
            )
        )
    return Strips(tuple(strips), marks, axis.at(0))


def _rates(every: Sequence[Section]) -> Strips:
    """Return the violation rates of a run that was not compared; overall last."""
    axis, ticks = rate_axis(one.counts.violation_rate for one in every)
    strips = [
        Strip(
            title=one.text.title,
            description=f"{figures.percent(one.counts.violation_rate)} in this run",
            words=figures.percent(one.counts.violation_rate),
            quiet="",
            tone=texts.tone(one.counts),
            at=axis.at(one.counts.violation_rate),
            missing="no testable case",
            pooled=not one.id,
            link=one.anchor,
        )
        for one in every
    ]
    return Strips(tuple(strips), ticks)


def _not_counted(sections: Sequence[Section], result: Result) -> Table:
    """Return how many cases of each relation are skipped, and why."""
    compared = texts.is_compared(result)
    of_shares = ("Testable", "With a prediction", "Testable only in the baseline")
    head = ["Relation", "Skipped", *((*of_shares, "Only in this run") if compared else ())]
    rows = []
    for section, relation in zip(sections, result.relations, strict=True):
        reasons = []
        for reason, number in [*relation.not_applicable.items()][:_MOST_REASONS]:
            meaning = f" ({texts.REASONS[reason]})" if reason in texts.REASONS else ""
            reasons.append(f"{figures.count(number)} {shorten(reason, _LONGEST_TITLE)}{meaning}")
        cells: list[Cell] = [section.text.title, ", ".join(reasons) or "none"]
        shares = relation.comparison.applicability if relation.comparison else None
        if shares is not None and compared:
            for share in (shares.applicable, shares.answered):
                rates = figures.moved(share.baseline, share.candidate)
                cells.append((rates, figures.significance(share.p_adjusted)))
            cells += map(figures.count, (shares.only_baseline, shares.only_candidate))
        elif compared:
            cells += (figures.UNDEFINED,) * 4
        rows.append([*cells, figures.count(relation.unstable)])
    columns = "ww" + "r" * (5 if compared else 1)
    return Table(columns, (*head, "Numerically unstable"), rows)


def _profile(result: Result) -> list[dict[str, Any]]:
    """Return the lines of the output profile, with the lengths of their bars in percent."""
    candidate, baseline = result.profile.candidate, result.profile.baseline or {}
    most = max([*candidate.values(), *baseline.values(), 0]) or 1
    lines = []
    for name in dict.fromkeys((*baseline, *candidate)):
        line: dict[str, Any] = {"name": name}
        for side, profile in (("baseline", baseline), ("candidate", candidate)):
            value = profile.get(name)
            width = figures.place(100 * min(max((value or 0) / most, 0), 1))
            line |= {side: value, f"{side}_width": width}
        lines.append(line)
    return lines


@lru_cache(maxsize=1)
def _group_macro() -> Any:
    return environment().get_template("group.html.j2").module.group  # type: ignore[attr-defined]


def _group(row: GroupRow, render: rendering.Renderer, *, brief: bool = False) -> dict[str, object]:
    """Return what the template of one case needs; ``brief`` leaves out the baseline's texts."""
    broke = rendering.what_broke(row, render)
    alone = rendering.shows_original_alone(row)
    pairs = None if brief and render.in_text else both_answers(row, render)
    once = pairs is None or pairs.alike
    return {
        "row": row,
        "source": render.sentence(row, rendering.SOURCE) if once else None,
        "follow_up": render.sentence(row, rendering.FOLLOW_UP) if once and not alone else None,
        "broke": broke[:_MOST_LINES],
        "more": len(broke) - _MOST_LINES,
        "context": render.context(row),
        "second": render.second(row) if once else None,
        "edit": render.edit(row),
        "both": pairs,
    }


def _with_groups(
    result: Result, gathered: Gathered, sections: list[Section]
) -> tuple[list[Section], GroupPages]:
    """Return the relations with their lists, failing ones first, and the packed groups.

    Of each list the first groups are rendered, the others packed; ``left_out`` is how many groups
    the page does not hold at all.
    """
    kinds = (Kind.NEW, Kind.FIXED, Kind.STILL) if texts.is_compared(result) else (Kind.VIOLATED,)
    by_id = {section.id: section for section in sections}
    ordered = [by_id[relation.id] for relation in texts.worst_first(result.relations)]
    lists_of = [
        (section, kind, gathered[section.id, kind])
        for section in ordered
        for kind in kinds
        if (section.id, kind) in gathered
    ]
    render, macro = rendering.renderer(result.suite.task), _group_macro()

    def to_html(row: GroupRow, name: str) -> Markup:
        html: Markup = macro(_group(row, render), name)
        return html

    lists = [(kind, shown.rows) for _, kind, shown in lists_of]
    pages = group_pages(lists, result.suite.task, to_html)
    parts: dict[str, list[dict[str, Any]]] = {section.id: [] for section in ordered}
    for number, (section, kind, shown) in enumerate(lists_of):
        plain = pages.plain[number]
        part = {
            "id": f"{section.anchor}-{kind}",
            "kind": kind,
            "heading": _HEADINGS[kind],
            "groups": plain,
            "total": shown.total,
            "left_out": shown.total - max(pages.packed[number], len(plain)),
        }
        parts[section.id].append(part)
    return [section._replace(lists=tuple(parts[section.id])) for section in ordered], pages
