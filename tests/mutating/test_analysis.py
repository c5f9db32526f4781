"""Mutation analysis: newly failing cases and the signed-rank test, as in the paper, and a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy import stats

from cases import cases
from conftest import Answer, check_refused
from making_boolq import INPUTS, make_boolq_suite, save_pair_bert
from mt_gate.base.errors import USAGE
from mt_gate.mutating.analysis import (
    ACCURACY,
    Analysis,
    Mutant,
    analysis_notes,
    analysis_table,
    compare_operators,
    conclude,
    count_failing,
    wilcoxon,
)
from mt_gate.mutating.operators import Mutation, Operator
from reporting import made_up

pytest.importorskip("transformers", reason="needs mt-gate[export]")
ratios = st.lists(st.integers(0, 6), min_size=1, max_size=10)


@given(st.data())
@settings(max_examples=60)
def test_p_values_are_those_of_scipy(data: st.DataObject) -> None:
    """Small whole numbers have many ties and zeros; SciPy then tries all signs."""
    first = data.draw(ratios)
    second = data.draw(st.lists(st.integers(0, 6), min_size=len(first), max_size=len(first)))
    x, y = np.array(first) / 10, np.array(second) / 10
    differences = np.round(x - y, 12)
    differences = differences[differences != 0]
    actual = wilcoxon(x, y)
    assume(len(differences) > 1)
    every = stats.PermutationMethod(n_resamples=np.inf)
    for p, alternative in zip(actual, ("two-sided", "less"), strict=True):
        wanted = stats.wilcoxon(differences, alternative=alternative, method=every).pvalue
        assert p == pytest.approx(wanted)


def test_equal_ratios_and_a_single_difference() -> None:
    assert wilcoxon([0.1, 0.2], [0.1, 0.2]) == (1, 1)
    assert wilcoxon([0.1, 0.2], [0.1, 0.3]) == (1, 0.5)
    assert wilcoxon([0.1, 0.3], [0.1, 0.2]) == (1, 1)


@pytest.mark.parametrize("pairs", [5, 10, 25])
def test_p_values_without_ties_are_the_exact_ones(pairs: int) -> None:
    x, y = np.random.default_rng(pairs).random((2, pairs))
    for p, alternative in zip(wilcoxon(x, y), ("two-sided", "less"), strict=True):
        wanted = stats.wilcoxon(x, y, alternative=alternative, method="exact").pvalue
        assert p == pytest.approx(wanted)


@cases("mutating/table_2")
def test_conclusions_are_those_of_the_paper(
    operator: str,  # noqa: ARG001 - names the case
    relation: str,  # noqa: ARG001
    two_tailed: str,
    one_tailed: str,
    conclusion: str,
) -> None:
    assert conclude(float(two_tailed), float(one_tailed), 0.05) == conclusion


def test_ten_mutants_on_one_side_have_the_papers_smallest_p() -> None:
    """Table 2 prints 0.0020 and 0.0010 where all ten ratios of accuracy are less."""
    accuracy, relation = np.arange(10) / 100, np.arange(10) / 50 + 0.1
    assert [f"{p:.4f}" for p in wilcoxon(accuracy, relation)] == ["0.0020", "0.0010"]
    assert [f"{p:.4f}" for p in wilcoxon(relation, accuracy)] == ["0.0020", "1.0000"]


def analysis_of(failing: list[dict[str, int]], passed: dict[str, int]) -> Analysis:
    mutants = tuple(
        Mutant(mutation=Mutation(operator=Operator.NEURON_BLOCK, ratio=0.01, seed=n), failing=own)
        for n, own in enumerate(failing)
    )
    run = made_up.result()
    return Analysis(
        format=1,
        suite=run.suite,
        labels_sha256="0" * 64,
        checkpoint=run.checkpoint,
        alpha=0.05,
        passed=passed,
        mutants=mutants,
    )


def test_ratios_are_newly_failing_of_passed_cases() -> None:
    before = {"r": (frozenset("abcd"), frozenset("e")), "gone": (frozenset("x"), frozenset())}
    after = {"r": (frozenset("ae"), frozenset("bc"))}  # d is skipped on the mutant
    assert count_failing(before, after) == {"r": 2, "gone": 0}


def test_ratios_by_hand() -> None:
    """Accuracy: 1/10 and 3/10; the relation: 2/4 and 1/4; a third relation passes nothing."""
    failing = [{ACCURACY: 1, "boolq/a": 2, "boolq/b": 0}, {ACCURACY: 3, "boolq/a": 1, "boolq/b": 0}]
    analysis = analysis_of(failing, {ACCURACY: 10, "boolq/a": 4, "boolq/b": 0})
    [tested] = compare_operators(analysis, [mutant.mutation for mutant in analysis.mutants])
    assert tested.mean == pytest.approx({ACCURACY: 0.2, "boolq/a": 0.375})
    # Differences 0.4 and -0.05 have the ranks 2 and 1: of 4 signs, 2 have a rank sum of 2 or more.
    test = tested.tests["boolq/a"]
    assert (test.two_tailed, test.one_tailed, test.conclusion) == (1, 0.5, "SIMILAR")
    shown = analysis_table(replace(analysis, operators=(tested,)))
    assert shown.head == ("operator", ACCURACY, "a", "b")
    assert shown.rows[0][1:] == ("10", "4", "0")
    assert [row[-1] for row in shown.rows[1:]] == ["n/a", "-", "-", "-"]
    assert any("boolq/b: no case passes" in note for note in analysis_notes(analysis))


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    folder = tmp_path_factory.mktemp("analysis")
    labels = folder / "labels.jsonl"
    rows = ({**value, "answer": number % 2 == 0} for number, value in enumerate(INPUTS[60:90]))
    labels.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return save_pair_bert(folder / "bert"), make_boolq_suite(folder / "suite"), labels


def test_a_whole_analysis_continues_where_it_was(
    command: Callable[..., Answer], parts: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    checkpoint, suite, labels = parts
    out = tmp_path / "analysis"

    def analyse(*flags: object, labels: Path = labels) -> Answer:
        return command(
            *("mutate", checkpoint, "--task", "boolq", "--suite", suite, "--labels", labels),
            *("--operator", "neuron-block", "--ratio", 1, "--out", out, *flags),
        )

    (tmp_path / "mt-gate.toml").write_text('baseline = "nowhere.json"\nearly-stop = true\n')
    first = analyse("--mutants", 1)
    assert first.code == 0, first
    written = json.loads((out / "mutation-analysis.json").read_text())
    assert written["passed"].keys() == {ACCURACY, "boolq/synonym-adjective", "boolq/voice-change"}
    [operator] = written["operators"]
    [mutant] = written["mutants"]
    for name, number in written["passed"].items():
        assert 0 <= mutant["failing"][name] <= number
        assert operator["mean"][name] == pytest.approx(mutant["failing"][name] / number)
    assert "Mutant 1 of 1: neuron-block, seed 0" in first.err
    assert "two-tailed p" in first.out
    assert sorted(path.name for path in out.iterdir()) == [
        "mutation-analysis.json", "mutation-analysis.md",
    ]  # fmt: skip
    more = analyse("--mutants", 2)
    assert "Mutant 1 of 2" not in more.err
    assert "Mutant 2 of 2: neuron-block, seed 1" in more.err
    again = json.loads((out / "mutation-analysis.json").read_text())
    assert again["mutants"][0] == mutant
    assert again["operators"][0]["mutants"] == 2
    fewer = tmp_path / "fewer.jsonl"
    fewer.write_text("".join(labels.read_text().splitlines(keepends=True)[:20]))
    check_refused(analyse("--mutants", 1, labels=fewer), USAGE, "of another checkpoint")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--mutants", 2, "--task", "boolq"], "--labels is missing"),
        (["--task", "boolq", "--operator", "neuron-block"], "--task needs --mutants"),
        (["--operator", "neuron-block", "--operator", "neuron-switch"], "Pass one --operator"),
        ([], "Pass one --operator"),
    ],
)
def test_options_that_do_not_fit(
    command: Callable[..., Answer], flags: list, words: str, tmp_path: Path
) -> None:
    check_refused(command("mutate", "models/x", "--out", tmp_path / "o", *flags), USAGE, words)
