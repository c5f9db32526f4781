"""The HTML report: one file that opens from disk and asks nobody for anything.

Whatever comes from a checkpoint or a suite passes ``_finalize`` and Jinja's
escaping on its way out. The content security policy names the hashes of the
report's own style and script, so nothing else can run.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mt_gate.reporting import figures, forest
from mt_gate.reporting.beside import beside
from mt_gate.reporting.escaping import shorten, visible
from mt_gate.reporting.gathering import Gathered, Kept, Kind, Rows, gather, shown
from mt_gate.reporting.identity import NO_FINGERPRINT, runtime_text, short_fingerprint
from mt_gate.reporting.outputs import FOLLOW_UP, SOURCE, renderer
from mt_gate.reporting.relations_between import BETWEEN
from mt_gate.reporting.signature import signature
from mt_gate.reporting.strata import strata_lines, stratum_in_words
from mt_gate.reporting.texts import (
    DECISION_WORDS,
    POOLED,
    REASONS,
    SYMBOLS,
    VERDICT_WORDS,
    Catalogue,
    RelationText,
    after_rate,
    before_rate,
    errors_in_words,
    failing_first,
    is_compared,
    sentence,
    text_of,
)
from mt_gate.result import Comparison, GroupRow, Overall, RelationResult, Result

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_TEMPLATES = Path(__file__).parent / "templates"

_BYTES_OF_GROUPS = 4_000_000
"""What all groups together may take of the report's 5 MB."""

_LONGEST = 3000
_LONGEST_LABEL = 40
_LONGEST_TITLE = 100
_MOST_LINES = 6
_MOST_REASONS = 20
_COLOURS = 8
_KNOWN_LABELS = {"PER": 0, "PERSON": 0, "LOC": 1, "GPE": 1, "ORG": 2, "MISC": 3}
_KNOWN_LABELS |= {"HEAD": 2, "TAIL": 3, "RELATION": 0}


Counts = RelationResult | Overall


class Heading(NamedTuple):
    """How a kind of group is headed, and whether its list is open."""

    words: str
    open: bool


_HEADINGS = {
    Kind.NEW: Heading("Newly violated", True),
    Kind.VIOLATED: Heading("Violated", True),
    Kind.FIXED: Heading("Fixed", True),
    Kind.STILL: Heading("Violated still", False),
}


class GroupList(NamedTuple):
    """The groups of one relation and kind, already rendered."""

    kind: Kind
    heading: Heading
    groups: tuple[Markup, ...]
    total: int

    @property
    def left_out(self) -> int:
        """How many groups the report does not show."""
        return self.total - len(self.groups)


class Entry(NamedTuple):
    """A relation, or all of them together, as the tables show it."""

    text: RelationText
    groups: int
    counts: Counts
    before: float | None
    after: float | None
    comparison: Comparison | None
    bar: forest.Bar | None
    alternative: str


class Section(NamedTuple):
    """A relation with its lists of groups."""

    entry: Entry
    id: str
    anchor: str
    lists: tuple[GroupList, ...]


class ProfileRow(NamedTuple):
    """One line of the output profile, with the lengths of its bars in percent."""

    name: str
    baseline: float | None
    candidate: float | None
    baseline_width: float
    candidate_width: float


def _finalize(value: object) -> object:
    """Make a template's value safe and bounded; rendered parts pass as they are."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible(shorten(value, _LONGEST))
    return value


def _typographic(write: Callable[..., str]) -> Callable[..., str]:
    """Return a number format with a real minus sign."""
    return lambda *values: write(*values).replace("-", "\N{MINUS SIGN}")


def _colour(label: str) -> int:
    """Return the colour of a label, the same in every report."""
    name = label.partition(BETWEEN)[0].rpartition("-")[2].upper()
    return _KNOWN_LABELS.get(name, 4 + zlib.crc32(name.encode("utf-8", "replace")) % 4)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the templates' environment: everything escaped, visible and bounded."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in ("percent", "points", "interval", "p_value", "count", "size_in_points", "between"):
        environment.filters[name] = _typographic(getattr(figures, name))
    environment.filters.update(
        setting=figures.setting,
        short_fingerprint=short_fingerprint,
        runtime_text=runtime_text,
        colour=_colour,
        short_label=lambda label: shorten(label, _LONGEST_LABEL),
        stratum=stratum_in_words,
    )
    return environment


def asset(name: str) -> tuple[Markup, str]:
    """Return a style or script of the package's own, with its hash for the policy."""
    from markupsafe import Markup

    text = (_TEMPLATES / name).read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return Markup(text), f"'sha256-{digest}'"


def _lists(
    result: Result, relation: str, gathered: Gathered, allowance: int
) -> Iterator[GroupList]:
    """Yield the lists of a relation's groups, at most ``allowance`` bytes of them."""
    compared = is_compared(result)
    kinds = (Kind.NEW, Kind.FIXED, Kind.STILL) if compared else (Kind.VIOLATED,)
    for kind in kinds:
        kept = shown(gathered, relation, kind)
        groups = _rendered(kept, result, allowance)
        allowance -= sum(_size(group) for group in groups)
        if kept.total:
            yield GroupList(kind, _HEADINGS[kind], groups, kept.total)


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def _rendered(kept: Kept, result: Result, allowance: int) -> tuple[Markup, ...]:
    """Return the first groups of a list that stay within an allowance of bytes."""
    render_group = _group_macro()
    render = renderer(result.suite.task)
    found = []
    for row in kept:
        group = render_group(_group(row, render))
        allowance -= _size(group)
        if allowance < 0:
            break
        found.append(group)
    return tuple(found)


@lru_cache(maxsize=1)
def _group_macro() -> Any:
    return environment().get_template("group.html.j2").module.group  # type: ignore[attr-defined]


def _group(row: GroupRow, render: Any) -> dict[str, object]:
    """Return what the template of one group needs."""
    broke = render.broke(row)
    return {
        "row": row,
        "source": render.sentence(row, SOURCE),
        "follow_up": render.sentence(row, FOLLOW_UP),
        "broke": broke[:_MOST_LINES],
        "more": len(broke) - _MOST_LINES,
        "context": render.context(row),
        "second": render.second(row),
        "edit": render.edit(row),
        "beside": beside(row, render),
    }


def _entry(text: RelationText, groups: int, counts: Counts, plot: forest.Plot) -> Entry:
    comparison = counts.comparison
    return Entry(
        text._replace(title=shorten(text.title, _LONGEST_TITLE)),
        groups,
        counts,
        before_rate(counts),
        after_rate(counts),
        comparison,
        forest.bar(plot.axis, comparison) if comparison else None,
        forest.in_words(comparison, plot.margin) if comparison else "not compared",
    )


def _profile(result: Result) -> tuple[ProfileRow, ...]:
    candidate, baseline = result.profile.candidate, result.profile.baseline or {}
    names = [*dict.fromkeys([*baseline, *candidate])]
    most = max([*candidate.values(), *baseline.values(), 0]) or 1

    def width(value: float | None) -> float:
        return round(100 * min(max((value or 0) / most, 0), 1), 2)

    pairs = [(name, baseline.get(name), candidate.get(name)) for name in names]
    return tuple(ProfileRow(*pair, width(pair[1]), width(pair[2])) for pair in pairs)


def _reasons(relation: RelationResult) -> str:
    """Return why groups of a relation are not applicable, with counts."""
    parts = []
    for reason, number in [*relation.not_applicable.items()][:_MOST_REASONS]:
        meaning = f" ({REASONS[reason]})" if reason in REASONS else ""
        parts.append(f"{figures.count(number)} {shorten(reason, _LONGEST_TITLE)}{meaning}")
    return ", ".join(parts) or "none"


def _context(result: Result, gathered: Gathered, catalogue: Catalogue) -> dict[str, object]:
    """Return everything the page's template needs."""
    pooled = RelationText(POOLED, "", "", "")
    everything: list[Counts] = [*result.relations, result.overall]
    plot = forest.plot([e.comparison for e in everything if e.comparison], result.settings.margin)
    total = sum(relation.groups for relation in result.relations)
    share = _BYTES_OF_GROUPS // max(len(result.relations), 1)
    sections = [
        Section(
            _entry(text_of(catalogue, relation.id), relation.groups, relation, plot),
            relation.id,
            f"relation-{number}",
            tuple(_lists(result, relation.id, gathered, share)),
        )
        for number, relation in enumerate(result.relations, 1)
    ]
    order = [relation.id for relation in failing_first(result.relations)]
    kinds = dict.fromkeys(part.kind for section in sections for part in section.lists)
    return {
        "result": result,
        "compared": is_compared(result),
        "sections": sections,
        "failing_first": sorted(sections, key=lambda section: order.index(section.id)),
        "strata": strata_lines(result, catalogue),
        "overall": _entry(pooled, total, result.overall, plot),
        "plot": plot,
        "kinds": {kind: _HEADINGS[kind].words for kind in kinds},
        "profile": _profile(result),
        "render": renderer(result.suite.task),
        "sentence": sentence(result, catalogue),
    }


def render(result: Result, gathered: Gathered, catalogue: Catalogue) -> str:
    """Return the HTML report of a run from groups already gathered."""
    style, style_hash = asset("report.css")
    script, script_hash = asset("report.js")
    page = environment().get_template("report.html.j2")
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
        reasons=_reasons,
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
