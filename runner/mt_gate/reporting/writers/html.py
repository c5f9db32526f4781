"""The HTML report: one file that opens from disk and asks nobody for anything.

Texts are escaped in one place, by the templates (``page_templates``), also
those of the groups that the page holds packed (``group_pages``).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mt_gate.base import figures
from mt_gate.base.escaping import visible
from mt_gate.base.redaction import shorten
from mt_gate.reporting.pages.group_index import FactReader
from mt_gate.reporting.pages.group_pages import PAGE, GroupPages, Listed, group_pages
from mt_gate.reporting.pages.page_templates import asset, environment
from mt_gate.reporting.plots import churn_plot, forest, rates_plot
from mt_gate.reporting.words.advice import advice
from mt_gate.reporting.words.beside import beside
from mt_gate.reporting.words.chance import chance
from mt_gate.reporting.words.churn import (
    ChurnRate,
    churn_rates,
    churn_tables,
    drift_in_words,
)
from mt_gate.reporting.words.gathering import Gathered, Kind, Rows, gather, shown
from mt_gate.reporting.words.outputs import FOLLOW_UP, SOURCE, renderer
from mt_gate.reporting.words.policy import (
    TIER_MEANS,
    alpha_in_words,
    own_margin,
    policy_lines,
    promises,
)
from mt_gate.reporting.words.rendering import shows_original_alone, what_broke
from mt_gate.reporting.words.repeating import command
from mt_gate.reporting.words.signature import signature
from mt_gate.reporting.words.slices import slice_lines
from mt_gate.reporting.words.strata import strata_lines
from mt_gate.reporting.words.texts import (
    DECISION_WORDS,
    REASONS,
    SYMBOLS,
    VERDICT_WORDS,
    Catalogue,
    RelationText,
    after_rate,
    before_rate,
    beside_decision,
    errors_in_words,
    failing_first,
    is_compared,
    pooled_counts,
    pooled_relations,
    pooled_title,
    sentence,
    text_of,
    tone,
)
from mt_gate.reporting.writers.markdown import provenance, telling
from mt_gate.results.result import (
    NO_FINGERPRINT,
    Comparison,
    GroupRow,
    Overall,
    RelationResult,
    Result,
)

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["asset", "environment", "render", "report"]

_LONGEST_TITLE = 100
_LONGEST_NAME = 38
_MOST_LINES = 6
_MOST_REASONS = 20
"""Of those why groups of a relation are not applicable."""
_REASONS_SHOWN = 6
"""Of those behind the verdict, worst first; the others are a click away."""
_PAGE = "report.html.j2"
_FIRST_SCREEN = 3
"""The most telling groups that stand right under the verdict."""


Counts = RelationResult | Overall


class Heading(NamedTuple):
    """How a kind of group is headed, and whether its list is open."""

    words: str
    open: bool


_HEADINGS = {
    Kind.NEW: Heading("Newly violated", True),
    Kind.VIOLATED: Heading("Violated", True),
    Kind.FIXED: Heading("Fixed", True),
    Kind.STILL: Heading("Still violated", False),
}


class GroupList(NamedTuple):
    """The groups of one relation and kind: the first of them rendered, the others packed."""

    id: str
    kind: Kind
    heading: Heading
    groups: tuple[Markup, ...]
    packed: int
    total: int

    @property
    def left_out(self) -> int:
        """How many groups the page does not hold at all."""
        return self.total - max(self.packed, len(self.groups))


class TableEntry(NamedTuple):
    """A relation, or all of them together, as the tables show it."""

    text: RelationText
    groups: int
    counts: Counts
    before: float | None
    after: float | None
    comparison: Comparison | None
    bar: forest.DifferenceBar | None
    alternative: str
    rates: rates_plot.RatePair
    rates_in_words: str
    beside: str
    tone: str
    margin_at: float

    @property
    def of_pairs(self) -> bool:
        """Whether the rate after is that of pairs, not of all groups."""
        return self.comparison is not None and self.comparison.candidate_rate is not None


class RelationSection(NamedTuple):
    """A relation with its lists of groups."""

    entry: TableEntry
    id: str
    anchor: str
    lists: tuple[GroupList, ...] = ()


class Plots(NamedTuple):
    """The two drawings over all relations: differences, and rates before and after."""

    differences: forest.ForestPlot
    rates: rates_plot.RatesPlot


class ChurnStrip(NamedTuple):
    """A line of the plot of what changed."""

    rate: ChurnRate
    bar: churn_plot.RateBar
    alternative: str


class ProfileRow(NamedTuple):
    """One line of the output profile, with the lengths of its bars in percent."""

    name: str
    baseline: float | None
    candidate: float | None
    baseline_width: float
    candidate_width: float


@lru_cache(maxsize=1)
def _group_macro() -> Any:
    return environment().get_template("group.html.j2").module.group  # type: ignore[attr-defined]


def _group(row: GroupRow, render: Any) -> dict[str, object]:
    """Return what the template of one group needs."""
    broke = what_broke(row, render)
    alone = shows_original_alone(row)
    found = beside(row, render)
    once = found is None or found.alike
    return {
        "row": row,
        "source": render.sentence(row, SOURCE) if once else None,
        "follow_up": render.sentence(row, FOLLOW_UP) if once and not alone else None,
        "broke": broke[:_MOST_LINES],
        "more": len(broke) - _MOST_LINES,
        "context": render.context(row),
        "second": render.second(row) if once else None,
        "edit": render.edit(row),
        "beside": found,
    }


def _entry(
    text: RelationText, groups: int, counts: Counts, plots: Plots, result: Result
) -> TableEntry:
    margin, compared = own_margin(counts, result), is_compared(result)
    comparison = counts.comparison
    before, after = before_rate(counts), after_rate(counts)
    plot = plots.differences
    return TableEntry(
        text._replace(title=shorten(text.title, _LONGEST_TITLE)),
        groups,
        counts,
        before,
        after,
        comparison,
        forest.bar(plot.axis, comparison) if comparison else None,
        forest.in_words(comparison, margin) if comparison else "not compared",
        plots.rates.at(before, after),
        rates_plot.in_words(before, after, compared),
        beside_decision(counts),
        tone(counts),
        plot.axis.at(margin),
    )


def _profile(result: Result) -> tuple[ProfileRow, ...]:
    candidate, baseline = result.profile.candidate, result.profile.baseline or {}
    names = [*dict.fromkeys([*baseline, *candidate])]
    most = max([*candidate.values(), *baseline.values(), 0]) or 1

    def width(value: float | None) -> float:
        return figures.place(100 * min(max((value or 0) / most, 0), 1))

    pairs = [(name, baseline.get(name), candidate.get(name)) for name in names]
    return tuple(ProfileRow(*pair, width(pair[1]), width(pair[2])) for pair in pairs)


def _churn(result: Result) -> dict[str, object]:
    """Return what the template needs to draw and tell what changed."""
    rates = churn_rates(result)
    plot = churn_plot.churn_plot([(rate.flips, rate.limit) for rate in rates])
    strips = [
        ChurnStrip(rate, bar, churn_plot.in_words(rate.flips, rate.limit))
        for rate, bar in zip(rates, plot.bars, strict=True)
    ]
    return {
        "strips": strips,
        "limited": any(rate.limit is not None for rate in rates),
        "rates": plot.rates,
        "tables": churn_tables(result.churn),
    }


def _reasons(relation: RelationResult) -> str:
    """Return why groups of a relation are not applicable, with counts."""
    parts = []
    for reason, number in [*relation.not_applicable.items()][:_MOST_REASONS]:
        meaning = f" ({REASONS[reason]})" if reason in REASONS else ""
        parts.append(f"{figures.count(number)} {shorten(reason, _LONGEST_TITLE)}{meaning}")
    return ", ".join(parts) or "none"


def _plots(result: Result) -> Plots:
    everything: list[Counts] = [*result.relations, result.overall]
    comparisons = [counts.comparison for counts in everything if counts.comparison]
    rates = [rate(counts) for counts in everything for rate in (before_rate, after_rate)]
    margins = [own_margin(counts, result) for counts in everything if counts.comparison]
    differences = forest.plot(comparisons, result.settings.margin, margins)
    return Plots(differences, rates_plot.rates_plot(rates))


def _sections(result: Result, catalogue: Catalogue, plots: Plots) -> list[RelationSection]:
    """Return the relations in the suite's order, without their groups."""
    return [
        RelationSection(
            _entry(text_of(catalogue, relation.id), relation.groups, relation, plots, result),
            relation.id,
            f"relation-{number}",
        )
        for number, relation in enumerate(result.relations, 1)
    ]


def _with_groups(
    result: Result, gathered: Gathered, sections: list[RelationSection]
) -> tuple[list[RelationSection], GroupPages]:
    """Return the relations with their lists, failing ones first, and the packed groups."""
    kinds = (Kind.NEW, Kind.FIXED, Kind.STILL) if is_compared(result) else (Kind.VIOLATED,)
    order = {relation.id: n for n, relation in enumerate(failing_first(result.relations))}
    ordered = sorted(sections, key=lambda section: order[section.id])
    found = [
        (section, Listed(kind, kept))
        for section in ordered
        for kind in kinds
        if (kept := shown(gathered, section.id, kind)).total
    ]
    render, macro = renderer(result.suite.task), _group_macro()
    pages = group_pages(
        [listed for _, listed in found],
        result.suite.task,
        lambda row, name: macro(_group(row, render), name),
    )
    lists: dict[str, list[GroupList]] = {}
    for number, (section, listed) in enumerate(found):
        lists.setdefault(section.anchor, []).append(
            GroupList(
                f"{section.anchor}-{listed.kind}",
                listed.kind,
                _HEADINGS[listed.kind],
                pages.plain[number],
                pages.packed[number],
                listed.kept.total,
            )
        )
    return [s._replace(lists=tuple(lists.get(s.anchor, ()))) for s in ordered], pages


def _first_screen(result: Result, gathered: Gathered, catalogue: Catalogue) -> list[Markup]:
    """Return the most telling groups, each with the title of its relation."""
    render, macro = renderer(result.suite.task), _group_macro()
    return [
        macro(
            _group(flip.row, render),
            FactReader(result.suite.task).name(flip.row.id),
            shorten(text_of(catalogue, flip.row.relation).title, _LONGEST_TITLE),
        )
        for flip in telling(result, gathered, _FIRST_SCREEN)
    ]


def _title(result: Result) -> str:
    """Return the page's title, short enough for a tab and a list of results."""
    name = shorten(visible(result.checkpoint.name), _LONGEST_NAME)
    return f"{VERDICT_WORDS[result.verdict]}: {name}, {result.suite.task} (mt-gate)"


def _context(result: Result, gathered: Gathered, catalogue: Catalogue) -> dict[str, object]:
    """Return everything the page's template needs."""
    plots = _plots(result)
    compared = is_compared(result)
    total = sum(relation.groups for relation in pooled_relations(result))
    sections = _sections(result, catalogue, plots)
    failing, pages = _with_groups(result, gathered, sections)
    kinds = dict.fromkeys(part.kind for section in failing for part in section.lists)
    pooled = RelationText(pooled_title(result), "", "", "")
    return {
        "result": result,
        "title": _title(result),
        "compared": compared,
        "sections": sections,
        "failing_first": failing,
        "first_screen": _first_screen(result, gathered, catalogue),
        "pages": pages,
        "page": PAGE,
        "strength": renderer(result.suite.task).strength,
        "strata": strata_lines(result, catalogue),
        "slices": slice_lines(result, catalogue),
        "overall": _entry(pooled, total, pooled_counts(result), plots, result),
        "plot": plots.differences,
        "rates": plots.rates,
        "kinds": {kind: _HEADINGS[kind].words for kind in kinds},
        "profile": _profile(result),
        "churn": _churn(result),
        "policy": policy_lines(result, catalogue),
        "promises": promises(result, catalogue),
        "drift_in_words": drift_in_words,
        "render": renderer(result.suite.task),
        "sentence": sentence(result, catalogue),
        "chance": chance(result, catalogue),
        "advice": advice(result),
        "provenance": provenance(result),
        "command": command(result),
    }


def render(result: Result, gathered: Gathered, catalogue: Catalogue) -> str:
    """Return the HTML report of a run from groups already gathered."""
    style, style_hash = asset("report.css")
    script, script_hash = asset("report.js")
    page = environment().get_template(_PAGE)
    return page.render(
        **_context(result, gathered, catalogue),
        style=style,
        style_hash=style_hash,
        script=script,
        script_hash=script_hash,
        signature=signature(result),
        no_fingerprint=NO_FINGERPRINT,
        verdict_words=VERDICT_WORDS,
        decision_words=DECISION_WORDS,
        symbols=SYMBOLS,
        tier_means=TIER_MEANS,
        alpha_in_words=alpha_in_words,
        reasons=_reasons,
        reasons_shown=_REASONS_SHOWN,
        errors_in_words=errors_in_words,
    )


def report(result: Result, rows: Rows, catalogue: Catalogue) -> str:
    """Return the HTML report of a run.

    Args:
        result: the run.
        rows: returns a fresh iterator over the run's groups.
        catalogue: title, description and example of each relation.
    """
    return render(result, gather(result, rows), catalogue)
