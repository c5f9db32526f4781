"""The first screen of every report, next to its sentences: the compared runs, examples, advice.

Two passes over the rows of a run, one to rank and one to keep, give the cases that reports show.

Nothing is escaped here.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from itertools import takewhile
from pathlib import PurePath
from typing import NamedTuple

from msgspec.structs import replace

from mt_gate.base import figures
from mt_gate.base.escaping import shorten
from mt_gate.baselines.schema import NAME, NEW_GATE
from mt_gate.domain import Verdict
from mt_gate.reporting.words import rendering, tables, texts
from mt_gate.reporting.words.rendering import renderer
from mt_gate.reporting.words.texts import Catalogue, Counts, is_compared
from mt_gate.results import rules
from mt_gate.results.result import (
    Change,
    Decision,
    GateVerdict,
    GroupRow,
    Result,
    Rule,
    SuiteHead,
    is_loss,
)
from mt_gate.results.store import chosen
from mt_gate.suites.offensive import Mask
from mt_gate.tasks.table import TASKS

Rows = Callable[[], Iterable[GroupRow]]
"""Returns a fresh iterator over all rows at every call."""


class Kind(StrEnum):
    """Why a group is shown.

    ``violated`` is used if nothing was compared, ``pinned`` if only the setting names the group.
    """

    NEW = "new"
    FIXED = "fixed"
    STILL = "still"
    VIOLATED = "violated"
    PINNED = "pinned"


class Shown(NamedTuple):
    """The groups shown for a relation and kind, most relevant first, and the number of all."""

    rows: Sequence[GroupRow] = ()
    total: int = 0


MOST = 12_000
"""Maximum number of groups that a report keeps."""
Gathered = dict[tuple[str, Kind], Shown]
"""Shown cases by relation id and kind; pairs without rows are absent."""
_BY_CHANGE: dict[Change | None, Kind] = {
    Change.NEW: Kind.NEW,
    Change.FIXED: Kind.FIXED,
    Change.STILL: Kind.STILL,
}


def gather(result: Result, rows: Rows, most: int = MOST) -> Gathered:
    """Return the groups to show, with the offensive words of ``result.masked`` masked.

    Pinned cases come first, then stable before unstable cases, then by the renderer's ``weight``,
    then in file order. At most ``most`` groups are kept overall; the longest lists are cut to one
    length.
    """
    must_hold = frozenset(rules.must_hold(result.settings))
    weigh = renderer(result.suite.task).weight
    mask = Mask(frozenset(result.masked)) if result.masked else None
    # A violated case that the baseline does not have is not a change, so list it as still violated.
    violated = Kind.STILL if is_compared(result) else Kind.VIOLATED
    shown_rows = partial(
        chosen,
        wanted=lambda row: (
            row.change in _BY_CHANGE or row.verdict is Verdict.VIOLATED or row.id in must_hold
        ),
    )
    ranked: defaultdict[tuple[str, Kind], list[tuple[bool, bool, int, int]]] = defaultdict(list)
    for number, row in enumerate(shown_rows(rows())):
        rank = row.id not in must_hold, row.unstable, -weigh(row), number
        unchanged = violated if row.verdict is Verdict.VIOLATED else Kind.PINNED
        ranked[row.relation, _BY_CHANGE.get(row.change, unchanged)].append(rank)
    totals = {key: len(ranks) for key, ranks in ranked.items()}
    left, waiting = most, len(ranked)
    for ranks in sorted(ranked.values(), key=len):
        ranks.sort()
        del ranks[left // waiting :]
        left, waiting = left - len(ranks), waiting - 1
    wanted = {rank[-1] for ranks in ranked.values() for rank in ranks}
    by_number: dict[int, GroupRow] = {}
    for number, row in enumerate(shown_rows(rows())):
        shown = row
        if number not in wanted:
            continue
        if mask is not None:
            spec = TASKS[result.suite.task]
            source, follow_up = mask.group(spec, row.source, row.follow_up, row.alignment)
            second = None if row.second is None else mask.group(spec, row.second, None).source
            shown = replace(row, source=source, follow_up=follow_up, second=second)
        by_number[number] = shown
    return {
        key: Shown([by_number[rank[-1]] for rank in ranks], totals[key])
        for key, ranks in ranked.items()
    }


WORSE = (GateVerdict.REGRESSION, GateVerdict.COLLAPSE, GateVerdict.WARNING)
"""Verdicts for which reports list the regressed relations, with an example."""
_WEIGHTY = (Decision.COLLAPSE, Decision.REGRESSION, Decision.INCONCLUSIVE)
_SHORT = (70, 160)
"""Maximum characters of a text that fits into one line with its labels, and of a short text."""
_EVERY_LABEL = "*"
_BEFORE_EDIT = 30
"""Characters of a long text shown before its edit."""


class Advice(NamedTuple):
    """The next step, and a command for it with its ``label``; any may be empty."""

    words: str = ""
    command: str = ""
    label: str = ""


def sides(result: Result) -> tuple[str, str]:
    """Return names of candidate and baseline; equal names get a suffix, as in "ner (int8)"."""
    checkpoint, baseline = result.checkpoint, result.baseline
    name = shorten(checkpoint.name, 60)
    if baseline is None:
        return name, ""
    if not baseline.against:
        called = shorten(baseline.name, 60)
        return name, called if called == "baseline" else f"baseline {called}"
    other = shorten(baseline.against, 60)
    if baseline.prompt and other.removeprefix("openai:") == name:
        return f"{name} (new prompt)", f"{name} (base prompt)"
    if PurePath(other).name == name and baseline.runtime is not None:
        for candidate, base in zip(
            *(
                (runtime.precision, runtime.device, figures.counted(runtime.threads, "thread"))
                for runtime in (checkpoint.runtime, baseline.runtime)
            ),
            strict=True,
        ):
            if candidate != base:
                return f"{name} ({candidate})", f"{name} ({base})"
    return name, other


def subject(result: Result) -> str:
    """Return a line with the compared runs, the suite, and the number of cases."""
    candidate, baseline = sides(result)
    comparison = result.overall.comparison
    total = sum(relation.groups for relation in result.relations)
    number = (
        f"{figures.count(result.overall.applicable)} of {figures.counted(total, 'case')} testable"
    )
    if comparison:
        number = f"{figures.counted(comparison.pairs, 'case')} compared"
    sample = " (sample)" if result.suite.part else ""
    names = f"{candidate} vs {baseline}" if baseline else candidate
    return f"{names} · {shorten(result.suite.name, 60)}{sample} · {number}"


def provenance(result: Result) -> tuple[str, ...]:
    """Return warnings: edits of the baseline, and a regression since its anchor."""
    if result.baseline is None:
        return tuple(note for note in result.notes if note.startswith(NEW_GATE))
    lost = result.anchor is not None and is_loss(result.anchor.verdict)
    lost_words = (result.anchor.sentence,) if result.anchor and lost else ()
    return (*result.baseline.notes, *lost_words)


def examples(result: Result, gathered: Gathered, most: int) -> list[GroupRow]:
    """Return the most relevant violations: relations in turn, distinct sources, short first."""
    kind = Kind.NEW if texts.is_compared(result) else Kind.VIOLATED
    queues = [
        iter(
            sorted(
                gathered.get((relation.id, kind), Shown()).rows,
                key=lambda row: bisect(
                    _SHORT, sum(len(value) for value in row.source.values() if type(value) is str)
                ),
            )
        )
        for relation in texts.worst_first(result.relations)
    ]
    best: list[GroupRow] = []
    sources: set[str] = set()
    while queues and len(best) < most:
        queue = queues.pop(0)
        row = next((r for r in queue if r.source_id not in sources), None)
        if row is not None:
            sources.add(row.source_id)
            best.append(row)
            queues.append(queue)
    return best


def threshold_words(result: Result) -> str:
    """Return "threshold: hateful 0.8" if the checkpoint has thresholds; empty otherwise."""
    parts = [
        f"{shorten(label, 40)} {figures.setting(value)}"
        if label != _EVERY_LABEL
        else figures.setting(value)
        for label, value in result.checkpoint.threshold.items()
    ]
    return f"threshold: {', '.join(parts)}" if parts else ""


def example_lines(row: GroupRow, result: Result, catalogue: Catalogue, width: int) -> Iterator[str]:
    """Yield a case in plain text, in lines of ``width`` characters that show the edit."""
    render = rendering.renderer(result.suite.task)
    threshold = threshold_words(result)
    about = f" ({threshold})" if threshold else ""
    yield f"Example: {tables.title_of(catalogue, row.relation)}{about}"
    bare = replace(row, source_output=None, second_output=None, follow_up_output=None)
    shown = row if render.in_text else bare
    sides = [rendering.SOURCE]
    if not rendering.shows_original_alone(row):
        sides.append(rendering.FOLLOW_UP)
    lines = [" ".join(rendering.plain(render.sentence(shown, side)).split()) for side in sides]
    start = 0
    if len(lines) > 1:
        pairs = zip(*lines, strict=False)
        start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    for side, whole in zip(sides, lines, strict=True):
        line = whole
        _, output = rendering.side_of(row, side)
        said = "" if render.in_text or output is None else render.answered(row.source, output)
        ending = f" → {shorten(said, width // 2)}" if said else ""
        room = width - 2 - len(ending)
        if len(line) > room and start > _BEFORE_EDIT:
            rest = line[min(start - _BEFORE_EDIT, len(line) - room + 1) :]
            line = f"…{rest.partition(' ')[2] or rest}"
        yield f"  {shorten(line, room)}{ending}"
    if len(sides) == 1:
        yield from (f"  {shorten(words, width - 2)}" for words in rendering.what_broke(row, render))


# The worst relations.


class Worst(NamedTuple):
    """Titles and counts of the relations that determine the verdict.

    ``overall`` has one entry for the pool, or none if nothing is wrong. ``others`` counts the other
    relations by state, such as "5 unclear".
    """

    relations: list[tuple[str, Counts]]
    overall: list[tuple[str, Counts]]
    others: str


def worst_relations(result: Result, catalogue: Catalogue, most: int) -> Worst:
    """Return the relations that determine the verdict, worst first, at most ``most``."""
    ordered = texts.worst_first(result.relations)
    weighty = [r for r in ordered if r.comparison and r.comparison.decision in _WEIGHTY]
    shown: list[tuple[str, Counts]] = [
        (tables.title_of(catalogue, relation.id), relation) for relation in weighty[:most]
    ]
    overall: list[tuple[str, Counts]] = []
    pooled = result.overall.comparison
    if pooled and (weighty or pooled.decision in _WEIGHTY):
        overall.append((texts.pooled(result).title, result.overall))
    states = Counter(texts.state_of(r.comparison) for r in ordered[len(shown) :] if r.comparison)
    others = (f"{figures.count(n)} {_OTHERS[state]}" for state, n in states.items())
    return Worst(shown, overall, ", ".join(others))


_OTHERS: Mapping[str, str] = {
    Decision.COLLAPSE: "more without predictions",
    Decision.REGRESSION: "more regressed",
    Decision.INCONCLUSIVE: "inconclusive",
    texts.UNCLEAR: "unclear",
    Decision.PASS: "without a regression",
    Decision.IMPROVED: "improved",
    Decision.NOT_COMPARABLE: "with too few cases",
    Decision.NOT_JUDGED: "report only",
}


# What to do.


def advice(result: Result, folder: str = "") -> Advice:
    """Return the next step; ``folder`` is the run's, shell-quoted, or empty if it may be moved."""
    name = result.baseline.name if result.baseline else first_name(result.suite)
    record = f"mt-gate baseline record {folder or 'RUN'} --name {name}"
    accept = f'{record} --accept "reason"'
    of_two = result.baseline is not None and result.baseline.against
    whole = result.settings.complete and not result.suite.part
    stopped = result.early is not None and result.early.stopped  # such a run is not recorded
    again = " Run it without --early-stop first." if stopped else ""
    in_pull_request = (
        "To accept the regression instead, record a new baseline in a separate pull request."
        f"{again}"
    )
    if of_two or stopped:  # nothing to record, or this run cannot be recorded
        accept = record = ""
    if of_two:
        in_pull_request = "To allow a larger regression, raise --margin."
    todo = Advice()
    match result.verdict:
        case GateVerdict.REGRESSION:
            words = f"Review the new violations, and fix {what_to_fix(result)}. {in_pull_request}"
            todo = Advice(words, accept, "Accept")
        case GateVerdict.COLLAPSE:
            export = "Check the exported labels and tokenizer first: the export may be wrong."
            if result.checkpoint.runtime.provider == "openai":
                export = "Check the prompt first: a reply must begin with a label's text."
            causes = {r.comparison.rule for r in result.relations if r.comparison}
            if Rule.REQUIRED in causes and Rule.STOPPED_ANSWERING not in causes:
                todo = Advice("Use a larger suite, or remove the relations from --required.")
            else:
                words = export if of_two else f"{export} {in_pull_request}"
                todo = Advice(words, accept, "Accept")
        case GateVerdict.WARNING:
            words = "The policy only warns. Review the relations named above before you release."
            for_good = " To accept them, record a new baseline." if accept else ""
            todo = Advice(words + for_good, accept, "Record")
        case GateVerdict.INCONCLUSIVE:
            strict = "" if result.settings.strict else " To fail the build in such cases: --strict"
            todo = Advice(
                "This run can neither confirm nor rule out a regression. Review the relations "
                f"named above before you release.{strict}"
            )
        case GateVerdict.PASS:
            pooled = result.overall.comparison
            effect = rules.power(pooled)[1] if pooled and not pooled.unchanged else None
            if effect is not None:
                size = figures.size_in_points(effect)
                todo = Advice(f"To detect regressions below {size}, use a larger suite.")
        case GateVerdict.IMPROVED | GateVerdict.MEASURED if not of_two and whole:
            words = f"Record this run as the baseline of later runs.{again}"
            todo = Advice(words, record, "Record")
    if todo.command and not folder:
        return todo._replace(words=f"{todo.words} RUN is the folder of this report:")
    return todo


def what_to_fix(result: Result) -> str:
    """Return what can be fixed if a run fails."""
    return "the prompt or the model" if result.checkpoint.prompt else "the checkpoint"


def first_name(suite: SuiteHead) -> str:
    """Return the name for a first baseline: the task, or the suite if it is not the task's default.

    The action finds a baseline named like the task. Each suite of a task needs its own baseline.
    """
    if suite.name == TASKS[suite.task].default_suite or not NAME.fullmatch(suite.name):
        return suite.task
    return suite.name
