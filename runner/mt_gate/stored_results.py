"""Judge a stored result again, report it, or record it as a baseline, without a checkpoint."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mt_gate import gate
from mt_gate.base import figures
from mt_gate.base.errors import REGRESSION, CannotJudge, UsageError, quoted
from mt_gate.baselines.outputs import outputs_path
from mt_gate.baselines.recording import (
    ONE_RUN,
    AnchorChoice,
    check_alike,
    check_recordable,
    check_together,
    check_within,
    choose_anchor,
    compare_with_anchor,
)
from mt_gate.baselines.schema import MOST_RUNS, check_fits, check_name, read_baseline
from mt_gate.baselines.writing import RunToRecord, build_baseline, record_alone, record_pair
from mt_gate.judging.clustered import Rate, rates
from mt_gate.judging.findings import never_compared
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.relations.base import is_labels
from mt_gate.reporting.table import Cell, Table, markdown_table
from mt_gate.reporting.words.first_screen import gather
from mt_gate.reporting.words.sentences import headline
from mt_gate.reporting.words.texts import LOOKS, gate_name, relation_texts
from mt_gate.reporting.writers import findings, html, markdown
from mt_gate.results.result import GateVerdict, GroupRow, Result
from mt_gate.results.store import (
    Run,
    check_writable,
    read_all_rows,
    read_result,
    renewed,
    reserved,
    result_file,
    result_text,
    shown,
)
from mt_gate.running.judge import judge
from mt_gate.running.preparing import check_day, check_policy, today
from mt_gate.settings.loading import read_file
from mt_gate.settings.record import DECIDING, dashed
from mt_gate.settings.values import checked
from mt_gate.suites.quick import open_suite


def compare_stored(
    result_path: Path,
    baseline_path: Path,
    out: Path | None,
    values: Mapping[str, Any],
    seeds: Sequence[Path] = (),
) -> Run:
    """Judge a stored result with a baseline; write the five files to ``out``, if any.

    ``seeds`` are results of other trainings of the candidate's recipe. Return the result with its
    rows. Raises UsageError: a setting outside what is allowed, or seeds that do not fit.
    CannotJudge: result or baseline missing, unreadable, or of different suites.
    """
    if out is None:
        return _compared(result_path, baseline_path, values, seeds)
    check_writable(out)
    with reserved(out):
        run = _compared(result_path, baseline_path, values, seeds)
        with renewed(out, keep=result_path.parent) as folder:
            return shown(result_path, lambda: gate.report(folder, run))


def checked_policy(
    result_path: Path, baseline: Path | None, config: Path | None, values: Mapping[str, Any]
) -> Result:
    """Judge a stored result with the settings of a file, to show what its policy can detect.

    Without ``baseline``, use the one that the run was compared with. ``config`` must exist; None is
    ``mt-gate.toml``, which may be missing. ``values`` override the file, and the file overrides the
    run. Raises UsageError and CannotJudge.
    """
    stored = read_file(config)
    said = {name: stored[name] for name in DECIDING if name in stored}
    said |= {name: value for name, value in values.items() if value is not None}
    if baseline is None:
        head = read_result(result_path).baseline
        if head is None:
            raise UsageError(f"{result_path} was not compared with a baseline. Pass --baseline.")
        baseline = Path(head.path)
    return _compared(result_path, baseline, said).result


def _compared(
    result_path: Path, baseline_path: Path, values: Mapping[str, Any], seeds: Sequence[Path] = ()
) -> Run:
    result = read_result(result_path)
    runs = {result_path: result, **{path: read_result(path) for path in seeds}}
    if len(runs) <= len(seeds):
        raise UsageError("The same result is named twice. Pass each run once.")
    check_together(runs)
    for path, run in runs.items():
        if seeds and run.early and run.early.stopped:
            raise UsageError(f"{path} stopped early. Run it again without --early-stop.")
    baseline = read_baseline(baseline_path)
    check_fits(baseline, result.suite, baseline_path)
    rows = read_all_rows(result_path, result)
    changed = {
        name: checked(f"--{dashed(name)}", name, values[name])
        for name in DECIDING
        if values.get(name) is not None
    }
    if "policy" in changed:
        listed = [relation.id for relation in result.relations]
        check_policy(changed["policy"], result.suite.task, today(), listed)
    else:
        _check_day(result_path, result, "Pass another with --policy.")
    if seeds or "retrained" in changed:
        changed["retrained"] = bool(seeds) or changed["retrained"] or msgspec.UNSET
    settings = msgspec.structs.replace(result.settings, **changed)
    return judge(
        Run(msgspec.structs.replace(result, settings=settings), rows),
        baseline,
        baseline_path,
        seeds=[verdicts_from_rows(read_all_rows(path, runs[path])) for path in seeds],
    )


def _check_day(result_path: Path, result: Result, todo: str) -> None:
    where = f"{result_path}: its policy"
    check_day(result.settings.policy, result.suite.task, today(), where, todo)


def report_text(result_path: Path, kind: str) -> str:
    """Return one report of a stored result: html, junit, markdown, json, sarif, badge or corpora.

    Raises CannotJudge: the result is missing or unreadable, or not of the suite that it names.
    """
    result = read_result(result_path)
    if kind == "json":
        return result_text(result)
    if kind == "badge":
        return findings.badge(result)
    texts = relation_texts(result)
    if kind == "sarif":
        return findings.sarif(result, texts)
    rows = read_all_rows(result_path, result)
    if kind == "corpora":
        return markdown_table(corpora_table(result_path, result, rows)) + "\n"
    write = {"html": html.report, "junit": findings.junit, "markdown": markdown.summary}[kind]
    return shown(result_path, lambda: write(result, gather(result, lambda: rows), texts))


def gates_table(paths: Iterable[Path]) -> Table:
    """Return the verdicts of several gates; a result that cannot be read is a row, too."""
    rows: list[Sequence[Cell]] = []
    for path in paths:
        try:
            result = read_result(result_file(path))
        except CannotJudge as error:
            look = LOOKS[GateVerdict.CANNOT_JUDGE]
            rows.append((look.emoji, path.name, f"cannot judge: {error}", figures.UNDEFINED))
            continue
        look = LOOKS[GateVerdict.REGRESSION if result.exit_code == REGRESSION else result.verdict]
        comparison = result.overall.comparison
        change = figures.points(comparison.delta if comparison else None)
        words = headline(result, relation_texts(result))
        rows.append((look.emoji, gate_name(result), words, change))
    return Table("lwwr", ("", "Gate", "Result", "Change"), rows)


def corpora_table(path: Path, result: Result, rows: Iterable[GroupRow]) -> Table:
    """Return the violation rates by corpus of the source texts, with 95% CIs.

    Reading comprehension paper, section 6.1 (RQ1).
    """
    suite = open_suite(result.options.get("suite") or result.suite.name)
    origins = {source.id: source.origin for source in suite.sources}
    by_corpus: defaultdict[str, list[GroupRow]] = defaultdict(list)
    for row in rows:
        if is_labels(row.relation):
            continue
        if row.source_id not in origins:
            raise CannotJudge(
                f"{path}: suite {suite.head.name} has no source text "
                f"{quoted(row.source_id, 60)}. Run 'mt-gate run' again with this suite."
            )
        by_corpus[origins[row.source_id]].append(row)
    by_name = {name: rates(result, some) for name, some in sorted(by_corpus.items())}
    table: list[Sequence[Cell]] = []
    for relation in result.relations:
        if is_labels(relation.id):
            continue
        own = [of.relations[relation.id] for of in by_name.values()]
        table.append((relation.id, *map(_rate_cell, own)))
    return Table("w" + "r" * len(by_name), ("relation", *by_name), table)


def _rate_cell(rate: Rate) -> Cell:
    counts = f"{figures.count(rate.violated)} of {figures.count(rate.applicable)}"
    interval = figures.between(rate.ci95) if rate.ci95 else ""
    return figures.percent(rate.rate), interval, counts


class Recorded(NamedTuple):
    """The files of a recorded baseline, and messages on its runs and its anchor."""

    paths: tuple[Path, ...]
    words: tuple[str, ...]


def record_stored(
    result_paths: Sequence[Path],
    name: str,
    folder: Path,
    accept: str | None,
    *,
    answers: bool = True,
    new_anchor: bool = False,
) -> Recorded:
    """Record stored results as a baseline; reports show the first.

    ``accept`` is the reason to record runs that would be rejected. With ``answers``, store the
    predictions of the first run. ``new_anchor`` drops the anchor of the previous baseline. Raises
    UsageError and CannotJudge.
    """
    path = folder / f"{check_name(name)}.json"
    if new_anchor and accept is None:
        raise UsageError('--new-anchor needs a reason. Add --accept "reason"')
    if len(result_paths) > MOST_RUNS:
        raise UsageError(
            f"A baseline has 1 to {MOST_RUNS} runs (got {len(result_paths)}). Pass fewer."
        )
    if len(set(result_paths)) < len(result_paths):
        raise UsageError("The same result is named twice. Pass each run once.")
    results = {result_path: read_result(result_path) for result_path in result_paths}
    check_together(results)
    for result_path, result in results.items():
        check_recordable(result_path, result, accept)
        if accept is None:
            _check_day(result_path, result, 'To record the run anyway, add --accept "reason"')
    first_path, first = next(iter(results.items()))
    rows = read_all_rows(first_path, first)
    verdicts = {
        run_path: verdicts_from_rows(rows if result is first else read_all_rows(run_path, result))
        for run_path, result in results.items()
    }
    runs = [RunToRecord(results[run_path], verdicts[run_path]) for run_path in results]
    check_alike(results, verdicts, accept)
    ids = [run.result.run.id for run in runs if run.result.run]
    before, fewer = 0, ""
    with suppress(CannotJudge):  # a baseline that cannot be read is replaced without a message
        before = len(read_baseline(path).runs) if path.exists() else 0
    if before > max(1, len(runs)):
        fewer = (
            f"This replaces {before} baseline runs with {len(runs)}. To record several again, "
            "pass several folders."
        )
    choice = AnchorChoice(None, "New anchor: the next baseline will be compared with this one.")
    if not new_anchor:
        choice = choose_anchor(path, first.suite, ids)
    if anchor := choice.anchor:
        compared = [compare_with_anchor(anchor, run.verdicts, run.result.settings) for run in runs]
        check_within(compared, path, accept)
    baseline = build_baseline(runs, name=name, accept=accept, anchor=choice.anchor)
    without = ""
    if answers:
        without = record_pair(path, baseline, rows)
    else:
        record_alone(path, baseline)
    paths = (path, outputs_path(path)) if answers and not without else (path,)
    # A relation is never compared if no source has a testable case.
    served = {
        relation: sum(source.applicable > 0 for source in verdicts.sources.values())
        for relation, verdicts in runs[0].verdicts.items()
    }
    few = never_compared({name: served.get(name, 0) for name in first.settings.relations})
    several = f"The baseline has {len(runs)} runs."
    number = several if len(runs) > 1 else "" if first.checkpoint.prompt else ONE_RUN
    return Recorded(paths, tuple(filter(None, (without, fewer, number, choice.words, few))))
