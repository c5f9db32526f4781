"""The HTML report: one file that opens from disk and makes no request.

Texts are escaped in one place, by the templates (``page_templates``). A page with ten thousand
groups as plain HTML would be slow and large. So only the first groups of each list are plain HTML.
All that fit are packed in chunks (JSON, raw deflate, base64), which the page's script unpacks to
show them. Groups that do not fit are counted. Filters and sorting use columns of small numbers,
which compress well; each number is the index of a choice of a filter.
"""

from __future__ import annotations

import base64
import hashlib
import heapq
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, NamedTuple

from mt_gate.base import figures
from mt_gate.base.errors import REGRESSION
from mt_gate.base.escaping import hide, shorten, visible
from mt_gate.relations.catalogue import BY_ID
from mt_gate.reporting.page_templates import (
    Strip,
    StripRate,
    Strips,
    difference_axis,
    environment,
    rate_axis,
    rate_strips,
    render_page,
)
from mt_gate.reporting.table import Cell, Table
from mt_gate.reporting.words import rendering, tables, texts
from mt_gate.reporting.words.first_screen import (
    Gathered,
    Kind,
    advice,
    example_lines,
    examples,
    provenance,
    sides,
    threshold_words,
    worst_relations,
)
from mt_gate.reporting.words.rendering import both_answers, renderer
from mt_gate.reporting.words.sentences import facts, headline
from mt_gate.reporting.words.tables import stratum_in_words
from mt_gate.reporting.words.texts import ERRORS, Catalogue, Counts, command, signature
from mt_gate.reporting.writers.terminal import relations_table
from mt_gate.results.result import GroupRow, Result
from mt_gate.tasks.table import TASKS

if TYPE_CHECKING:
    from markupsafe import Markup


PAGE = 25
"""Number of groups of one list shown at a time."""
PACKED = 4_200_000
"""Maximum bytes of base64 for all chunks and the index."""
PLAIN = 350_000
"""Maximum bytes of the groups in plain HTML."""
_CHUNK = 64_000
"""Characters of HTML after which a chunk ends; its last group may exceed them."""
_INDEXED = 32
"""Estimated bytes of the packed index per group."""
_PLAIN_ID = re.compile(r"[0-9A-Za-z_-]{1,64}", re.ASCII)
_MOST_CHOICES = 100
"""Maximum choices of a filter, most frequent first; predictions may have any number of labels."""
_LONGEST_CHOICE = 60
_OPENING = 80
"""Number of characters that alphabetical order compares."""
_NOTEBOOK_EXAMPLES, _NOTEBOOK_WIDTH = 3, 100
"""Maximum examples in a notebook, and the characters of their lines."""
_KINDS = (Kind.NEW, Kind.VIOLATED, Kind.FIXED, Kind.STILL)


class Chunk(NamedTuple):
    """Some groups of one list, packed; ``list`` is the list's number."""

    list: int
    groups: int
    packed: str


class GroupPages(NamedTuple):
    """The lists' first groups, all chunks, and the packed index of the groups in them."""

    plain: list[list[Markup]]  # the first groups of each list
    packed: list[int]  # the number of groups in the chunks, by list
    chunks: list[Chunk]
    packed_index: str
    choices: dict[str, list[str]]  # the choices of each filter; columns refer to their positions


def unique_name(name: str, taken: Counter[str], ending: str = "_{}") -> str:
    """Return a name that is not taken, if necessary with a number from 2 on; mark it as taken."""
    unique = name
    while unique in taken:  # continue from the last number, so that many equal names stay fast
        taken[name] += 1
        unique = name + ending.format(taken[name])
    taken[unique] = 1
    return unique


def plain_id(group: str) -> str:
    """Return a group's id, or a hash if the id cannot be part of an address."""
    if _PLAIN_ID.fullmatch(group):
        return group
    return hashlib.sha256(group.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def pack(value: object) -> str:
    """Return a value as JSON, deflated without a header, in base64."""
    text = hide(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    squeeze = zlib.compressobj(6, wbits=-zlib.MAX_WBITS)
    data = squeeze.compress(text.encode("utf-8")) + squeeze.flush()
    return base64.b64encode(data).decode("ascii")


def notebook_view(result: Result, gathered: Gathered, catalogue: Catalogue) -> str:
    """Return verdict, relations and examples as a part of a page, with its own style."""
    shown = [
        "\n".join(example_lines(row, result, catalogue, _NOTEBOOK_WIDTH))
        for row in examples(result, gathered, _NOTEBOOK_EXAMPLES)
    ]
    page: str = (
        environment()
        .get_template("notebook.html.j2")
        .render(
            result=result,
            headline=headline(result, catalogue),
            facts=facts(result, catalogue),
            table=relations_table(result, catalogue),
            examples=shown,
        )
    )
    return page


def group_pages(
    lists: Sequence[tuple[Kind, Sequence[GroupRow]]],
    task: str,
    render: Callable[[GroupRow, str], Markup],
) -> GroupPages:
    """Render and pack groups until all are packed or the bytes are used up.

    Every list gets its first chunk. Then new violations come first, fixed ones next, and still
    violated ones last. ``render`` returns the escaped HTML of a row; its second argument is the id.
    """
    names: Counter[str] = Counter()
    waiting = [iter(rows) for _, rows in lists]
    first: list[list[Markup]] = [[] for _ in lists]
    packed: list[list[tuple[GroupRow, str]]] = [[] for _ in lists]
    turns = [(0, 0, number) for number in range(len(lists))]
    chunks: list[Chunk] = []
    left = PACKED
    while turns:
        _, round_, number = heapq.heappop(turns)
        taken, rendered, size = [], [], 0
        for row in waiting[number]:
            name = unique_name(plain_id(row.id), names)
            taken.append((row, name))
            rendered.append(render(row, name))
            size += len(rendered[-1])
            if size > _CHUNK:
                break
        if round_ == 0:
            first[number] = rendered[:PAGE]
        data = pack(rendered)
        needed = len(data) + _INDEXED * len(taken)
        if not taken or needed > left:
            continue
        left -= needed
        chunks.append(Chunk(number, len(taken), data))
        packed[number] += taken
        heapq.heappush(turns, (1 + _KINDS.index(lists[number][0]), round_ + 1, number))
    chunks.sort(key=lambda chunk: chunk.list)
    # Divide the bytes for plain HTML; bytes that the shortest lists do not need go to longer ones.
    sizes = [[*accumulate(len(group.encode("utf-8")) for group in groups)] for groups in first]
    left = PLAIN
    shortest = sorted(range(len(first)), key=lambda number: sizes[number][-1:])
    for after, number in zip(range(len(first), 0, -1), shortest, strict=True):
        within = [size for size in sizes[number] if size <= left // after]
        del first[number][len(within) :]
        left -= within[-1] if within else 0
    order = [[chunk.list, chunk.groups] for chunk in chunks]
    index, choices = _index([group for groups in packed for group in groups], task)
    data = pack({**index, "chunks": order})
    return GroupPages(first, [*map(len, packed)], chunks, data, choices)


def _index(
    groups: Sequence[tuple[GroupRow, str]], task: str
) -> tuple[dict[str, object], dict[str, list[str]]]:
    """Return columns with the properties of each group, and the choices of the filters."""
    render = renderer(task)
    # Sort by the text that is read first: the question, not the passage.
    first = TASKS[task].texts[0] if task in TASKS else "text"
    rows = [row for row, _ in groups]
    named = []
    for row in rows:
        outputs = [row.source_output, row.follow_up_output, row.second_output]
        if row.before:
            outputs += [row.before.source, row.before.follow_up, row.before.second]
        answered = [render.labels(output) for output in outputs if isinstance(output, Mapping)]
        named.append(chain.from_iterable(answered))
    labels, label = _numbered(named, str)
    categories = ([error.category.value for error in row.errors] for row in rows)
    errors, error = _numbered(categories, lambda name: ERRORS.get(name, name))
    kinds = ([row.stratum] if row.stratum else [] for row in rows)
    strata, stratum = _numbered(kinds, stratum_in_words)
    openings = [str(row.source.get(first, ""))[:_OPENING].casefold() for row in rows]
    ranks = []
    for values in ([row.source_id for row in rows], openings):
        places = {value: place for place, value in enumerate(sorted(set(values)))}
        ranks.append([places[value] for value in values])
    columns = {
        "ids": [name for _, name in groups],
        "label": label,
        "error": error,
        "stratum": stratum,
        "source": ranks[0],
        "alphabet": ranks[1],
        "strength": [*map(render.strongest or render.weight, rows)],
    }
    return columns, {"labels": labels, "errors": errors, "strata": strata}


def _numbered(
    named: Iterable[Iterable[str]], words: Callable[[str], str]
) -> tuple[list[str], list[list[int]]]:
    """Return distinct texts of the most frequent names, and their numbers for each group."""
    distinct = [dict.fromkeys(names) for names in named]
    counted = Counter(name for names in distinct for name in names)
    often = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:_MOST_CHOICES]
    numbers = {name: number for number, (name, _) in enumerate(often)}
    taken: Counter[str] = Counter()
    shown = (visible(shorten(words(name), _LONGEST_CHOICE)) for name in numbers)
    choices = [unique_name(" ".join(name.split()) or "(empty)", taken, " ({})") for name in shown]
    return choices, [[numbers[name] for name in names if name in numbers] for names in distinct]


_LONGEST_TITLE = 100
_LONGEST_NAME = 38
_MOST_LINES, _MOST_LABELS = 6, 12
_MOST_REASONS = 20
"""Maximum reasons for skipped cases of a relation."""
_FIRST_SCREEN, _MOST_WORST = 5, 5
"""Maximum examples (shown one at a time), and relations, under the verdict."""
_WORSE = (Kind.NEW, Kind.VIOLATED)
_HEADINGS = {
    Kind.NEW: "Newly violated",
    Kind.VIOLATED: "Violated",
    Kind.FIXED: "Fixed",
    Kind.STILL: "Still violated",
}


class Section(NamedTuple):
    """A relation with its lists of groups, or the pool."""

    text: texts.RelationText
    groups: int
    counts: Counts
    id: str = ""
    anchor: str = ""
    lists: tuple[dict[str, Any], ...] = ()
    at_run_time: bool = False  # whether cases are built from predictions, so runs differ


def report(result: Result, gathered: Gathered, catalogue: Catalogue) -> str:
    """Return the HTML report of a run."""
    sections = []
    for number, relation in enumerate(result.relations, 1):
        text = texts.text_of(catalogue, relation.id)
        text = text._replace(title=shorten(text.title, _LONGEST_TITLE))
        anchor = f"relation-{number}"
        at_run_time = relation.id in BY_ID and BY_ID[relation.id].at_run_time
        section = Section(text, relation.groups, relation, relation.id, anchor, (), at_run_time)
        sections.append(section)
    compared, together = texts.is_compared(result), texts.pooled(result)
    overall = Section(texts.RelationText(together.title), together.groups, together.counts)
    macro = environment().get_template("group.html.j2").module.group  # type: ignore[attr-defined]
    failing, pages = _with_groups(result, gathered, sections, macro)
    every = [*failing, overall]
    worst = worst_relations(result, catalogue, _MOST_WORST)
    weighing = [entry for _, entry in worst.relations]
    weighty = [section for section in every if section.counts in weighing]
    kinds = dict.fromkeys(part["kind"] for section in failing for part in section.lists)
    candidate, baseline = result.profile.candidate, result.profile.baseline or {}
    most = max([*candidate.values(), *baseline.values(), 0]) or 1
    profile = []  # with the lengths of bars in percent
    for name in dict.fromkeys((*baseline, *candidate)):
        line: dict[str, Any] = {"name": name}
        for side, values in (("baseline", baseline), ("candidate", candidate)):
            value = values.get(name)
            width = figures.place(100 * min(max((value or 0) / most, 0), 1))
            line |= {side: value, f"{side}_width": width}
        profile.append(line)
    render = rendering.renderer(result.suite.task)
    name = shorten(visible(result.checkpoint.name), _LONGEST_NAME)
    return render_page(
        "report.html.j2",
        script="report.js",
        result=result,
        title=f"{texts.VERDICT_WORDS[result.verdict]}: {name}, {result.suite.task}",
        compared=compared,
        sections=sections,
        overall=overall,
        failing_first=failing,
        first_screen=[
            macro(
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
        others=worst.others,
        differences=_differences(every, result),
        rates=None if compared else _rates(every),
        not_counted=_not_counted(sections, result),
        strata=tables.strata_table(result, catalogue),
        slices=tables.slice_table(result, catalogue),
        policy=tables.policy_table(result, catalogue),
        promises=tables.promises(result, catalogue),
        profile=profile,
        churn=_churn(result),
        churn_table=tables.churn_table(result.churn),
        drift_in_words=tables.drift_in_words,
        errors_in_words=texts.errors_in_words,
        render=render,
        threshold=threshold_words(result),
        sides=sides(result),
        headline=headline(result, catalogue),
        effect="This fails the build." if result.exit_code else "This does not fail the build.",
        banner_tone="regression" if result.exit_code == REGRESSION else result.verdict,
        facts=facts(result, catalogue),
        advice=advice(result),
        provenance=provenance(result),
        reasons=texts.titled_reasons(result, catalogue),
        command=command(result),
        signature=signature(result),
    )


def failure_page(message: str, task: str, code: int, notes: Sequence[str] = ()) -> str:
    """Return the page of a run without a result; the last sentence of ``message`` is the advice."""
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
    comparisons = [section.counts.comparison for section in every if section.counts.comparison]
    margins = [tables.own_settings(section.counts, result).margin for section in every]
    axis, marks = difference_axis(comparisons, result.settings.margin, margins, ticks)
    strips = []
    for section, margin in zip(every, margins, strict=True):
        comparison, low, high = section.counts.comparison, None, None
        state = texts.shown_state(section.counts)
        words = "no change could be computed" if comparison else "not compared"
        if comparison and comparison.delta is not None:
            low, high = map(axis.at, comparison.ci95 or (None, None))
            words = (
                f"change {figures.change(comparison.delta, comparison.ci95)}, "
                f"margin {figures.size_in_points(margin)}"
            )
        strips.append(
            Strip(
                title=section.text.title,
                description=words,
                words=figures.points(comparison.delta) if comparison else words,
                quiet=figures.moved(*state.rates),
                tone=state.tone,
                at=axis.at(comparison.delta if comparison else None),
                low=None if high is None else low,
                high=None if low is None else high,
                margin=axis.at(margin),
                missing="too few cases",
                pooled=not section.id,
                state=state.words,
                link=section.anchor,
            )
        )
    return Strips(tuple(strips), marks, axis.at(0))


def _rates(every: Sequence[Section]) -> Strips:
    """Return the violation rates of a run that was not compared; overall last."""
    axis, ticks = rate_axis(section.counts.violation_rate for section in every)
    strips = [
        Strip(
            title=section.text.title,
            description=f"{figures.percent(section.counts.violation_rate)} in this run",
            words=figures.percent(section.counts.violation_rate),
            quiet="",
            tone=texts.shown_state(section.counts).tone,
            at=axis.at(section.counts.violation_rate),
            missing="no testable case",
            pooled=not section.id,
            link=section.anchor,
        )
        for section in every
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


def _churn(result: Result) -> Strips:
    """Return the rates of changes: overall first, then by label that the baseline predicted."""
    churn, settings = result.churn, result.settings
    if churn is None:
        return Strips((), ())
    of_flips, of_answers = (
        limit if limit < 1 else None  # 1 means no limit
        for limit in (settings.max_negative_flips, settings.max_churn)
    )
    of_groups = of_flips if result.labelled is None else None
    strips = [("Newly violated", churn.groups, of_groups)]
    if churn.labelled is not None:
        strips.append(("Newly wrong", churn.labelled.negative, of_flips))
    if churn.answers is not None:
        strips.insert(0, ("Changed predictions", churn.answers.inputs, of_answers))
        strips += [
            (f"Was “{shorten(label.label, 40)}”", label.flips, None)
            for label in churn.answers.labels[:_MOST_LABELS]
        ]
    return rate_strips(
        [
            StripRate(words, flips.number, flips.of, flips.rate, flips.ci95, limit)
            for words, flips, limit in strips
        ],
        "no data",
    )


def _group(row: GroupRow, render: rendering.Renderer, *, brief: bool = False) -> dict[str, object]:
    """Return the template's values for one case; ``brief`` omits the baseline's texts."""
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
    result: Result, gathered: Gathered, sections: list[Section], macro: Callable[..., Markup]
) -> tuple[list[Section], GroupPages]:
    """Return the relations with their lists, failing ones first, and the packed groups."""
    kinds = (Kind.NEW, Kind.FIXED, Kind.STILL) if texts.is_compared(result) else (Kind.VIOLATED,)
    by_id = {section.id: section for section in sections}
    ordered = [by_id[relation.id] for relation in texts.worst_first(result.relations)]
    lists_of = [
        (section, kind, gathered[section.id, kind])
        for section in ordered
        for kind in kinds
        if (section.id, kind) in gathered
    ]
    render = rendering.renderer(result.suite.task)
    lists = [(kind, shown.rows) for _, kind, shown in lists_of]
    pages = group_pages(
        lists, result.suite.task, lambda row, name: macro(_group(row, render), name)
    )
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
