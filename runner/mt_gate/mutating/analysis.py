"""Mutation analysis: which relations detect mutants better than accuracy on labels does.

RQ4 of Chen, Jin and Xie, ESEC/FSE 2021, section 6.4. A method is accuracy, or one relation. Of the
cases that pass on the original, the ratio of a mutant is the share that fails on it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike

from mt_gate.base import figures
from mt_gate.base.console import Say
from mt_gate.base.errors import UsageError
from mt_gate.base.escaping import markdown, shorten
from mt_gate.base.files import (
    decode_format,
    read_whole,
    readable,
    scratch,
    sha256_file,
    write_whole,
)
from mt_gate.baselines.schema import BaselineSource
from mt_gate.domain import LABELS
from mt_gate.judging.verdicts import RelationVerdicts, verdicts_from_rows
from mt_gate.mutating.mutate import mutate
from mt_gate.mutating.operators import Mutation
from mt_gate.reporting.table import Cell, Table, markdown_table, show_lines, show_table
from mt_gate.results.result import CheckpointHead, Count, Name, SuiteHead
from mt_gate.results.store import check_writable, locked
from mt_gate.running.measuring import measure
from mt_gate.running.predicting import Clock, Progress
from mt_gate.running.preparing import LoadedSuite, RunInputs, load_suite, prepare
from mt_gate.settings.record import Settings

ANALYSIS = "mutation-analysis.json"
ACCURACY = "accuracy"
FORMAT = 1
_PARITY = 8
_MOST_BYTES = 16 << 20
_CAUSE = f"Expected the {ANALYSIS} of 'mt-gate mutate'. Choose another --out."
Ratios = Mapping[Name, float]


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """A mutation with the number of newly failing cases of each method."""

    mutation: Mutation
    failing: Mapping[Name, Count]


class SignedRank(msgspec.Struct, frozen=True, kw_only=True):
    """The signed-rank test of a relation's ratios against accuracy's, over an operator's mutants.

    ``one_tailed`` is for the alternative that accuracy's ratios are less.
    """

    two_tailed: float
    one_tailed: float
    conclusion: str


class Tested(msgspec.Struct, frozen=True, kw_only=True):
    """The mean ratio of each method over an operator's mutants, and a test of each relation."""

    operator: Name
    mutants: Count
    mean: Ratios
    tests: Mapping[Name, SignedRank]


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """The content of ``mutation-analysis.json``; ``passed`` counts cases of the original."""

    format: int
    suite: SuiteHead
    labels_sha256: str
    checkpoint: CheckpointHead
    alpha: float
    passed: Mapping[Name, Count]
    mutants: tuple[Mutant, ...] = ()
    operators: tuple[Tested, ...] = ()


Cases = Mapping[str, tuple[frozenset[str], frozenset[str]]]
"""The passed and the failed cases of each method by id."""


class Measured(NamedTuple):
    """A system's cases, with what identifies the run."""

    cases: Cases
    suite: SuiteHead
    checkpoint: CheckpointHead


def analyse(
    settings: Settings, mutations: Sequence[Mutation], say: Say, progress: Progress
) -> Analysis:
    """Run the original and its mutants, and write ``mutation-analysis.json`` and ``.md``.

    Mutants that an earlier call has measured are not measured again.

    Raises:
        UsageError: no labels, or ``out`` has the analysis of another run.
        CannotJudge: the checkpoint, suite or labels do not fit.
    """
    labels = settings.labels
    if labels is None:
        raise UsageError("--labels is missing. --mutants compares relations with accuracy on it.")
    settings = replace(settings, baseline=None, early_stop=False)  # the file is also for runs
    check_writable(settings.out)
    with locked(settings.out):
        suite = load_suite(settings)
        original = _measured(settings, RunInputs(suite=suite), say, progress)
        analysis = Analysis(
            format=FORMAT,
            suite=original.suite,
            labels_sha256=sha256_file(labels),
            checkpoint=original.checkpoint,
            alpha=settings.alpha,
            passed={name: len(passed) for name, (passed, _) in original.cases.items()},
        )
        mutants = _known(settings.out / ANALYSIS, analysis)
        for number, mutation in enumerate(mutations, 1):
            if mutation not in mutants:
                named = f"{mutation.operator}, seed {mutation.seed}"
                say(f"Mutant {number} of {len(mutations)}: {named}")
                own = _measured_mutant(settings, suite, mutation, progress)
                mutants[mutation] = count_failing(original.cases, own)
            stored = [Mutant(mutation=key, failing=own) for key, own in mutants.items()]
            analysis = replace(analysis, mutants=tuple(stored))
            write_whole(settings.out / ANALYSIS, readable(analysis))
        analysis = replace(analysis, operators=tuple(compare_operators(analysis, mutations)))
        write_whole(settings.out / ANALYSIS, readable(analysis))
        write_whole(settings.out / "mutation-analysis.md", analysis_markdown(analysis))
    return analysis


def _known(path: Path, analysis: Analysis) -> dict[Mutation, Mapping[str, int]]:
    """Return the mutants of an earlier analysis of the same checkpoint, suite and labels."""
    if not path.exists():
        return {}
    data = read_whole(path, limit=_MOST_BYTES, cause=_CAUSE)
    before = decode_format(data, Analysis, path=path, what="analysis", latest=FORMAT, cause=_CAUSE)
    fits = all(mutant.failing.keys() == analysis.passed.keys() for mutant in before.mutants)
    if not fits or _identity(before) != _identity(analysis):
        raise UsageError(f"{path} is of another checkpoint, suite or labels. Choose another --out.")
    return {mutant.mutation: mutant.failing for mutant in before.mutants}


def _identity(analysis: Analysis) -> tuple[object, ...]:
    fingerprint = analysis.checkpoint.fingerprint
    return fingerprint, analysis.suite, analysis.labels_sha256, analysis.passed


def _measured_mutant(
    settings: Settings, suite: LoadedSuite, mutation: Mutation, progress: Progress
) -> Cases:
    """Make a mutant in a temporary folder, with its own cache, and return its cases."""
    with scratch(settings.out) as folder:
        mutate(Path(settings.checkpoint), mutation, folder / "mutant")
        own = replace(settings, checkpoint=str(folder / "mutant"), cache=folder / "cache")
        # The original's export was compared on more inputs, and a mutant differs only in weights.
        inputs = RunInputs(suite=suite, parity=_PARITY)
        return _measured(own, inputs, lambda _: None, progress).cases


def count_failing(before: Cases, after: Cases) -> dict[str, int]:
    """Count each method's cases that pass on the original and fail on the mutant."""
    nothing = frozenset[str](), frozenset[str]()
    return {name: len(passed & after.get(name, nothing)[1]) for name, (passed, _) in before.items()}


def _measured(settings: Settings, inputs: RunInputs, say: Say, progress: Progress) -> Measured:
    clock = Clock()
    prepared = prepare(settings, say, clock, BaselineSource(), inputs)
    with closing(prepared.system):
        result, rows = measure(prepared, progress, clock)
    labelled = result.labelled
    assert labelled is not None, "labels are required"
    wrong = frozenset(map(str, labelled.wrong))
    right = frozenset(map(str, range(labelled.inputs))) - wrong
    cases = {ACCURACY: (right, wrong)}
    for name, verdicts in verdicts_from_rows(rows).items():
        if name != f"{settings.task}/{LABELS}":
            cases[name] = _passed_and_failed(verdicts)
    return Measured(cases, result.suite, result.checkpoint)


def _passed_and_failed(verdicts: RelationVerdicts) -> tuple[frozenset[str], frozenset[str]]:
    """Return passed and failed cases; of a bound relation, sources.

    Cases of a bound relation depend on predictions, so two systems seldom have the same.
    """
    if not verdicts.bound:
        return verdicts.satisfied, verdicts.violated
    judged = {name: counts for name, counts in verdicts.sources.items() if counts.applicable}
    failed = frozenset(name for name, counts in judged.items() if counts.violated)
    return frozenset(judged) - failed, failed


def compare_operators(analysis: Analysis, mutations: Sequence[Mutation]) -> Iterator[Tested]:
    """Yield the tests over some of the mutants by operator, without methods that nothing passes."""
    passed = {name: number for name, number in analysis.passed.items() if number}
    for operator in dict.fromkeys(mutation.operator for mutation in mutations):
        own = [
            mutant.failing
            for mutant in analysis.mutants
            if mutant.mutation in mutations and mutant.mutation.operator is operator
        ]
        ratios = {name: [failing[name] / of for failing in own] for name, of in passed.items()}
        accuracy = ratios.get(ACCURACY, [])
        tests = {
            name: compare_ratios(accuracy, values, analysis.alpha)
            for name, values in ratios.items()
            if accuracy and name != ACCURACY
        }
        mean = {name: float(np.mean(values)) for name, values in ratios.items()}
        yield Tested(operator=operator, mutants=len(own), mean=mean, tests=tests)


def compare_ratios(accuracy: ArrayLike, relation: ArrayLike, alpha: float) -> SignedRank:
    """Test two methods' ratios over the same mutants, both of shape (mutants,)."""
    two, one = wilcoxon(accuracy, relation)
    return SignedRank(two_tailed=two, one_tailed=one, conclusion=conclude(two, one, alpha))


def conclude(two_tailed: float, one_tailed: float, alpha: float) -> str:
    """Return what the paper's section 6.4 concludes of a relation."""
    if two_tailed >= alpha:
        return "SIMILAR"
    return "BETTER" if one_tailed < alpha else "WORSE"


def wilcoxon(first: ArrayLike, second: ArrayLike) -> tuple[float, float]:
    """Return the exact signed-rank test of pairs (Wilcoxon 1945): two-tailed p, p for "first less".

    Equal pairs are omitted, and equal differences share the mean of their ranks. Both p are 1 if no
    pair differs. The distribution is that of the rank sum under random signs.
    """
    values = np.round(np.asarray(second, np.float64) - np.asarray(first, np.float64), 12)
    values = values[values != 0]
    _, place, ties = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(ties) - ties + 1)[place]  # twice the mean rank, a whole number
    chances = np.ones(1)
    for rank in doubled.tolist():
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    total = int(doubled[values > 0].sum())
    less, more = float(chances[total:].sum()), float(chances[: total + 1].sum())
    return min(1.0, 2 * min(less, more)), min(1.0, less)


def analysis_table(analysis: Analysis) -> Table:
    """Return the table of all operators: mean ratios, p-values and conclusions by relation."""
    names = [name for name in analysis.passed if name != ACCURACY]
    figures_of: dict[str, Callable[[SignedRank], str]] = {
        "two-tailed p": lambda test: f"{test.two_tailed:.4f}",
        "one-tailed p": lambda test: f"{test.one_tailed:.4f}",
        "conclusion": lambda test: test.conclusion,
    }
    counts = (figures.count(analysis.passed[name]) for name in (ACCURACY, *names))
    rows: list[Sequence[Cell]] = [("cases that pass on the original", *counts)]
    for of in analysis.operators:
        means = (figures.percent(of.mean.get(name)) for name in (ACCURACY, *names))
        rows.append((f"{of.operator}: mean ratio of {of.mutants}", *means))
        for title, figure in figures_of.items():
            cells = (figure(of.tests[name]) if name in of.tests else "-" for name in names)
            rows.append((title, "", *cells))
    heads = ("operator", ACCURACY, *(name.partition("/")[2] for name in names))
    return Table("w" + "r" * (len(names) + 1), heads, rows)


def analysis_notes(analysis: Analysis) -> Iterator[str]:
    """Yield what the table shows, and the methods without a passed case."""
    yield (
        "Mean ratio: share of newly failing cases among those that pass on the original. Wilcoxon "
        f"signed-rank test over the mutants, alpha {figures.setting(analysis.alpha)}. One-tailed: "
        "accuracy's ratios are lower."
    )
    for name, number in analysis.passed.items():
        if not number:
            yield f"{name}: no case passes on the original, so it is not compared."


def analysis_markdown(analysis: Analysis) -> str:
    """Return the analysis as GitHub Markdown."""
    notes = "\n".join(f"- {note}" for note in analysis_notes(analysis))
    names = (analysis.checkpoint.name, analysis.suite.name)
    checkpoint, suite = (markdown(shorten(name, 100)) for name in names)
    head = f"## Mutation analysis of {checkpoint} on {suite}"
    return f"{head}\n\n{markdown_table(analysis_table(analysis))}\n\n{notes}\n"


def show_analysis(analysis: Analysis) -> None:
    """Print the analysis."""
    show_table(analysis_table(analysis), sys.stdout)
    show_lines(["", *(f"- {note}" for note in analysis_notes(analysis))])
