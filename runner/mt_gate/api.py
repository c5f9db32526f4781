"""The Python API: run, compare, record and build as the command line does.

Keyword arguments are the settings of the command line, with the same values and checks. Settings
files are read only if ``config`` names one. Nothing is printed unless ``progress`` is true. Every
failure is an ``MtGateError``: ``UsageError`` (exit code 2 on the command line) or ``CannotJudge``
(exit code 3).
"""

from __future__ import annotations

import json
import os
import shlex
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import asdict, dataclass, field
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, Unpack

import click

from mt_gate import gate, stored_results
from mt_gate.base import console, escaping
from mt_gate.base.errors import CannotJudge, UsageError, unknown
from mt_gate.base.errors import MtGateError as MtGateError
from mt_gate.base.escaping import one_line, visible
from mt_gate.cli import BY_ENTRY_POINT, load_by_entry_point
from mt_gate.domain import Group, Verdict
from mt_gate.reporting.words import texts
from mt_gate.reporting.words.first_screen import Kind, Shown, advice, example_lines, gather
from mt_gate.reporting.words.sentences import facts, headline
from mt_gate.reporting.writers.html import notebook_view
from mt_gate.results.result import Change, GroupRow, Overall, RelationResult
from mt_gate.results.store import (
    RESULT,
    RowHead,
    Run,
    chosen,
    read_all_rows,
    read_result,
    result_file,
)
from mt_gate.running.preparing import RunInputs
from mt_gate.settings.keywords import DecidingKeywords, Place, RunKeywords, SideKeywords
from mt_gate.settings.loading import merged, read_file
from mt_gate.settings.record import CONFIG, DECIDING, SETTINGS
from mt_gate.suites.format import Suite
from mt_gate.suites.quick import open_suite
from mt_gate.sut.systems.function import Function, FunctionSystem, name_of
from mt_gate.sut.systems.kinds import PYTHON, is_system

Record = dict[str, Any]
_REPORT = "report.html"
_LOOKED_AT = 1_000
"""Number of cases from which examples are chosen."""
_MOST_SHOWN, _WIDTH = 5, 100
"""Maximum new violations that a failure message shows, and characters of each line."""


@dataclass(frozen=True)
class RelationRecord:
    """Figures of one relation, or of all relations (``overall``).

    ``applicable`` is the number of testable cases. ``rate`` and ``baseline_rate`` are the violated
    shares of compared cases (without a baseline, of testable cases), 0 to 1; ``change`` is their
    difference. ``p`` is corrected for all tests. ``decision`` is None if nothing was compared.
    """

    id: str
    title: str
    cases: int
    applicable: int
    violated: int
    rate: float | None
    baseline_rate: float | None
    change: float | None
    ci95: tuple[float, float] | None
    p: float | None
    decision: str | None


class Result:
    """The result of a run, with its reports.

    Without ``out``, the reports are in a temporary folder, which is deleted with this object.
    """

    def __init__(self, run: Run, folder: Path, temporary: TemporaryDirectory[str] | None) -> None:
        """Make the result of a run whose reports are in ``folder``."""
        self._run, self._temporary = run, temporary
        self._catalogue = texts.relation_texts(run.result)
        self.folder = folder
        """Folder of the reports; ``record_baseline`` and ``compare`` read it."""

    @classmethod
    def read(cls, place: Place) -> Result:
        """Read a stored result from its folder or its ``result.json``. Raises CannotJudge."""
        path = result_file(Path(place))
        result = read_result(path)
        return cls(Run(result, read_all_rows(path, result)), path.parent, None)

    @property
    def verdict(self) -> str:
        """The verdict, such as ``pass`` or ``regression``."""
        return self._run.result.verdict.value

    @property
    def exit_code(self) -> int:
        """The exit code as on the command line: 0 passed, 1 regressed, 3 not comparable."""
        return self._run.result.exit_code

    @property
    def passed(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == 0

    @property
    def headline(self) -> str:
        """The verdict as a clause, such as "2 of 9 relations regressed"."""
        return one_line(visible(headline(self._run.result, self._catalogue)))

    @property
    def path(self) -> Path:
        """The HTML report."""
        return self.folder / _REPORT

    @property
    def relations(self) -> tuple[RelationRecord, ...]:
        """One record per relation, in the suite's order."""
        return tuple(self._record(entry.id, entry) for entry in self._run.result.relations)

    @property
    def overall(self) -> RelationRecord:
        """The record of all relations together."""
        return self._record("overall", self._run.result.overall)

    def violations(self) -> list[Record]:
        """Return the violated cases, with unchanged texts."""
        return self._cases(lambda row: row.verdict is Verdict.VIOLATED)

    def new_violations(self) -> list[Record]:
        """Return the cases that are violated now, but were not violated in the baseline."""
        return self._cases(lambda row: row.change is Change.NEW)

    def metrics(self) -> dict[str, float]:
        """Return ``mt_gate/<relation>/violation_rate`` of each relation, and of ``overall``."""
        entries = (*self.relations, self.overall)
        rates = {f"mt_gate/{one.id}/violation_rate": one.rate for one in entries}
        return {name: rate for name, rate in rates.items() if rate is not None}

    def failure(self, relation: str = "") -> str:
        """Return why the run, or the named relation, fails the build; empty if it does not.

        The text has figures, the first new violations, the report's path and the next step.
        """
        result, catalogue = self._run.result, self._catalogue
        lines = []
        if not relation and not self.passed:
            lines = [f"mt-gate: {self.headline} (exit {self.exit_code})"]
            lines += facts(result, catalogue)
        for entry in result.relations:
            if entry.id == relation and entry.comparison and entry.comparison.fails:
                title = texts.text_of(catalogue, relation).title
                lines = [f"mt-gate: {title}: {texts.shown_state(entry).words} ({relation})"]
                lines += [entry.comparison.reason]
                gathered = gather(result, lambda: self._run.rows, _LOOKED_AT)
                new = gathered.get((relation, Kind.NEW), Shown())
                shown = new.rows[:_MOST_SHOWN]
                lines += [f"New violations ({len(shown)} of {new.total}):"] if shown else []
                for row in shown:
                    lines += [*example_lines(row, result, catalogue, _WIDTH)][1:]
        if lines:
            todo = advice(result, shlex.quote(str(self.folder)))
            lines += [f"Report: {self.path}", f"Next: {todo.words} {todo.command}".rstrip()]
        return "\n".join(one_line(visible(line)) for line in lines)

    def to_frame(
        self, of: Literal["relations", "violations", "new_violations"] = "relations"
    ) -> Any:
        """Return records as a DataFrame of pandas, or of polars if pandas is not installed.

        Texts and predictions of cases are JSON text. Raises CannotJudge: neither is installed.
        """
        if of != "relations":
            cases = self.new_violations() if of == "new_violations" else self.violations()
            rows = [{name: _cell(value) for name, value in case.items()} for case in cases]
            return _frame(rows)
        records = []
        for entry in self.relations:
            values = asdict(entry)
            values["ci95_low"], values["ci95_high"] = values.pop("ci95") or (None, None)
            records.append(values)
        return _frame(records)

    def _cases(self, wanted: Callable[[RowHead | GroupRow], bool]) -> list[Record]:
        return [_plain(row) for row in chosen(self._run.rows, wanted)]

    def _record(self, name: str, entry: RelationResult | Overall) -> RelationRecord:
        compared, state = entry.comparison, texts.shown_state(entry)
        title, cases = texts.POOLED, sum(one.groups for one in self._run.result.relations)
        if isinstance(entry, RelationResult):
            title, cases = texts.text_of(self._catalogue, name).title, entry.groups
        return RelationRecord(
            id=name,
            title=title,
            cases=cases,
            applicable=entry.applicable,
            violated=entry.violated,
            rate=state.rates[1],
            baseline_rate=state.rates[0],
            change=compared.delta if compared else None,
            ci95=compared.ci95 if compared else None,
            p=state.p,
            decision=compared.decision.value if compared else None,
        )

    def __repr__(self) -> str:
        return f"<mt_gate.Result {self.verdict} (exit {self.exit_code}): {self.headline}>"

    def _repr_html_(self) -> str:
        """Return HTML for a notebook; texts of the suite and the model are escaped."""
        result = self._run.result
        gathered = gather(result, lambda: self._run.rows, _LOOKED_AT)
        return notebook_view(result, gathered, self._catalogue)


@dataclass(frozen=True)
class SuiteFacts:
    """A suite; ``number_of_cases`` counts its stored cases.

    Relations in ``at_run_time`` make further cases from a model's predictions.
    """

    name: str
    version: str
    task: str
    relations: tuple[str, ...]
    at_run_time: tuple[str, ...]
    number_of_cases: int
    _suite: Suite = field(repr=False, compare=False)

    def cases(self) -> Iterator[Record]:
        """Yield the stored cases: dicts of relation, id, source and ``follow_up``."""
        sources = {source.id: source.input for source in self._suite.sources}
        for group in self._suite.groups:
            yield _case(group, sources[group.source])


def run(
    *,
    system: str | Function | None = None,
    fingerprint: str = "",
    config: Place | None = None,
    progress: bool = False,
    **settings: Unpack[RunKeywords],
) -> Result:
    """Run a suite on a checkpoint or another system, like ``mt-gate run``.

    ``system`` is a text as on the command line, or a callable that gets a list of inputs and
    returns one output per input. A callable's predictions are cached only if you pass a
    ``fingerprint``; change it when predictions can change. Raises UsageError and CannotJudge.
    """
    values: dict[str, Any] = {**settings, "system": system}
    return _run(values, config, {"system": fingerprint}, progress=progress)


def qualify(
    base: Place | Function,
    candidate: Place | Function,
    *,
    base_fingerprint: str = "",
    fingerprint: str = "",
    config: Place | None = None,
    progress: bool = False,
    **settings: Unpack[SideKeywords],
) -> Result:
    """Compare two checkpoints or other systems directly, like ``mt-gate qualify``.

    Each may be a callable, as for ``run``. Raises UsageError and CannotJudge.
    """
    tested = "checkpoint"
    if not isinstance(candidate, str | os.PathLike) or is_system(os.fspath(candidate)):
        tested = "system"
    values: dict[str, Any] = {**settings, "against": base, tested: candidate}
    marks = {tested: fingerprint, "against": base_fingerprint}
    return _run(values, config, marks, progress=progress)


def compare(
    run: Result | Place,
    baseline: Place,
    *,
    seeds: Sequence[Result | Place] = (),
    out: Place | None = None,
    **settings: Unpack[DecidingKeywords],
) -> Result:
    """Compare a result with a baseline, like ``mt-gate compare``.

    ``run`` is a result, or its folder. ``seeds`` are results of other trainings of its recipe: the
    means of all are compared. Raises UsageError and CannotJudge.
    """
    values: dict[str, Any] = {**settings}
    with _reported():
        _check_names(values, DECIDING)
        folder, temporary = _folder(out)
        path, *others = (result_file(_place(one)) for one in (run, *seeds))
        compared = stored_results.compare_stored(path, Path(baseline), folder, values, others)
        return Result(compared, folder, temporary)


def record_baseline(
    runs: Result | Place | Sequence[Result | Place],
    name: Place,
    *,
    accept: str | None = None,
    answers: bool = True,
    new_anchor: bool = False,
) -> Path:
    """Record one or more results as a baseline, like ``mt-gate baseline record``.

    ``name`` is the path of a JSON file, or a name for a file in the folder ``baselines``. Return
    the file's path. Raises UsageError and CannotJudge.
    """
    some = [runs] if isinstance(runs, Result | str | os.PathLike) else [*runs]
    path = Path(name)
    folder = path.parent if path.suffix == ".json" else Path("baselines")
    stem = path.stem if path.suffix == ".json" else os.fspath(name)
    with _reported():
        recorded = stored_results.record_stored(
            [result_file(_place(one)) for one in some],
            stem,
            folder,
            accept,
            answers=answers,
            new_anchor=new_anchor,
        )
    return recorded.paths[0]


def load_suite(name_or_folder: Place) -> SuiteFacts:
    """Read a built-in suite, a quick suite, or the folder of a suite.

    Raises UsageError and CannotJudge.
    """
    with _reported():
        suite = open_suite(os.fspath(name_or_folder))
    head = suite.head
    return SuiteFacts(
        head.name,
        head.version,
        head.task,
        tuple(relation.id for relation in head.relations),
        tuple(relation.id for relation in head.relations if relation.bound),
        len(suite.groups),
        suite,
    )


def build_suite(out: Place, *, progress: bool = False, **options: Any) -> SuiteFacts:
    """Build a suite, like ``mt-gate suite build``; arguments are the command's options.

    A list repeats an option. Needs ``mt-gate[suite]``. Raises UsageError and CannotJudge.
    """
    flags = []
    for name, value in (options | {"out": out, "quiet": not progress}).items():
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            flags.append(flag)
        elif value is not None and value is not False:
            values = value if isinstance(value, list | tuple) else [value]
            flags += [part for one in values for part in (flag, str(one))]
    [group] = BY_ENTRY_POINT
    with _reported(), _quiet(progress):
        try:
            load_by_entry_point(group).main(["build", *flags], group, standalone_mode=False)
        except click.ClickException as error:
            raise UsageError(error.format_message()) from None
    return load_suite(out)


def _run(
    values: Mapping[str, Any], config: Place | None, marks: Mapping[str, str], *, progress: bool
) -> Result:
    """Check settings and run; ``marks`` are the fingerprints of callables, by setting."""
    _check_names(values, SETTINGS)
    functions: dict[str, Function] = {}
    passed: dict[str, Any] = {}
    for name, value in values.items():
        passed[name] = os.fspath(value) if isinstance(value, os.PathLike) else value
        if name in marks and callable(value):
            functions[name] = value
            passed[name] = f"{PYTHON}:{name_of(value)}"
        elif marks.get(name):
            raise UsageError("fingerprint works only with a callable. Omit it.")
    with _reported():
        stored = read_file(Path(config)) if config is not None else {}
        folder, temporary = _folder(values.get("out") or stored.get("out"))
        passed["out"] = folder
        settings = merged(passed, stored, Path(config or CONFIG))
        systems = {
            name: FunctionSystem(function, settings.task, marks[name])
            for name, function in functions.items()
        }
        inputs = RunInputs(system=systems.get("system"), base_system=systems.get("against"))
        with console.Progress(shown=progress) as shown:
            say: console.Say = console.say if progress else lambda _: None
            return Result(gate.run(settings, say, shown, inputs=inputs), folder, temporary)


def _check_names(values: Mapping[str, Any], known: Mapping[str, Any] | Sequence[str]) -> None:
    for name in values:
        if name not in known:
            raise UsageError(unknown("setting", name, [*known]))


def _folder(out: Place | None) -> tuple[Path, TemporaryDirectory[str] | None]:
    if out is not None:
        return Path(out), None
    temporary = TemporaryDirectory(prefix="mt-gate-", ignore_cleanup_errors=True)
    return Path(temporary.name), temporary


def _place(run: Result | Place) -> Path:
    return run.folder / RESULT if isinstance(run, Result) else Path(run)


def _plain(row: GroupRow) -> Record:
    before = row.before
    return {
        "relation": row.relation,
        "id": row.id,
        "change": row.change.value if row.change else None,
        "source": row.source,
        "follow_up": row.follow_up,
        "source_prediction": row.source_output,
        "follow_up_prediction": row.follow_up_output,
        "baseline_source_prediction": before.source if before else None,
        "baseline_follow_up_prediction": before.follow_up if before else None,
    }


def _case(group: Group, source: Mapping[str, Any]) -> Record:
    return {
        "relation": group.relation,
        "id": group.id,
        "source": dict(source),
        "follow_up": dict(group.follow_up),
    }


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping) else value


def _frame(rows: Sequence[Record]) -> Any:
    with suppress(ImportError):
        import pandas

        return pandas.DataFrame(rows)
    with suppress(ImportError):
        import polars

        # A column may be empty in its first hundred rows, from which polars guesses its type.
        return polars.DataFrame(rows, infer_schema_length=None)
    raise CannotJudge("to_frame needs pandas or polars. Run pip install pandas")


@contextmanager
def _reported() -> Iterator[None]:
    """Raise CannotJudge for every OSError, and hide the environment's secrets in messages."""
    escaping.watch(os.environ)
    with warnings.catch_warnings():
        # NumPy warns of figures that mt-gate checks itself.
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"mt_gate\.")
        try:
            yield
        except OSError as error:
            raise CannotJudge(console.describe_refusal(error)) from error


@contextmanager
def _quiet(progress: bool) -> Iterator[None]:
    if progress:
        yield
        return
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        yield
