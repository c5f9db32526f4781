"""What a baseline keeps is what the comparison takes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from baselines.made import RECORDED, ROWS, SETTINGS, bound, built, measured, static
from judging.made import moves_of
from mt_gate.base.errors import UsageError
from mt_gate.baselines.schema import baseline_path, check_name, read_baseline, verdicts_of
from mt_gate.baselines.writing import build_baseline, write_baseline
from mt_gate.domain import NotApplicable
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.result import (
    Decision,
    GateVerdict,
)


def test_a_run_against_its_own_baseline_passes(file: Path) -> None:
    outcome = compare(verdicts_from_rows(ROWS), read_baseline(file).verdicts(), SETTINGS)
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.PASS, 0)
    for comparison in (*outcome.relations.values(), outcome.overall):
        assert (comparison.delta, comparison.decision) == (0.0, Decision.PASS)
        assert (comparison.new_violations, comparison.fixed_violations) == (0, 0)
    assert not {"new", "fixed"} & set(moves_of(outcome).values())


def test_a_baseline_file_judges_as_its_rows_do(file: Path) -> None:
    candidate = verdicts_from_rows(static("vvns" * 10 + "vv") + bound(["vv", "s", "vss", ""] * 5))
    from_file = compare(candidate, read_baseline(file).verdicts(), SETTINGS)
    from_rows = compare(candidate, [verdicts_from_rows(ROWS)], SETTINGS)
    assert from_file == from_rows


def test_unstable_groups_are_kept_and_sources_of_a_bound_relation(tmp_path: Path) -> None:
    rows = [
        msgspec.structs.replace(row, unstable=row.id in ("swap-000000000001", "bind-2-1"))
        for row in ROWS
    ]
    write_baseline(tmp_path / "ner.json", built(rows))
    swap, bind = read_baseline(tmp_path / "ner.json").first.relations
    assert (swap.unstable_groups, bind.unstable_groups) == (
        ("swap-000000000001",),
        ("source-0002",),
    )
    assert verdicts_of(swap).unstable == {"swap-000000000001"}
    assert verdicts_of(bind).unstable == {"source-0002"}
    assert {relation.unstable_groups for relation in built().first.relations} == {()}


def test_silent_sources_of_a_bound_relation_are_kept(tmp_path: Path) -> None:
    *rows, answered = [*static("vs"), *bound(["v", "", "s", "", ""])]
    answered = msgspec.structs.replace(answered, reason=NotApplicable.NO_FOLLOW_UP.value)
    write_baseline(tmp_path / "ner.json", built([*rows, answered]))
    swap, bind = read_baseline(tmp_path / "ner.json").first.relations
    assert (swap.silent_sources, [*(bind.silent_sources or ())]) == (
        None,
        ["source-0001", "source-0003"],
    )
    assert verdicts_of(bind).silent_sources == {"source-0001", "source-0003"}


def test_each_run_has_its_own_verdicts() -> None:
    baseline = built(static("vs"), static("ss"))
    assert [run["swap"].violated for run in baseline.verdicts()] == [
        {"swap-000000000000"},
        frozenset(),
    ]
    assert baseline.first is baseline.runs[0]
    assert baseline.head("ner.json").runs == 2


def test_the_noisiest_and_the_newest_of_several_runs_count() -> None:
    noisy = msgspec.structs.replace(SETTINGS, relations=("swap",), noise=0.5)
    runs = [
        measured(static("vs"), 1, created="2026-02-01"),
        measured(static("vs"), 2, created="2026-01-01", settings=noisy),
    ]
    baseline = build_baseline(runs, "ner")
    assert (baseline.recorded, baseline.settings.noise) == ("2026-02-01", 0.5)
    assert [run.created for run in baseline.runs] == ["2026-02-01", "2026-01-01"]


def test_the_head_names_file_suite_and_checkpoint(file: Path) -> None:
    head = read_baseline(file).head(file)
    assert (head.path, head.name, head.recorded) == (str(file), "ner", RECORDED)
    assert (head.suite_sha256, head.checkpoint_fingerprint) == ("ab" * 32, "1" * 64)
    assert (head.against, head.runtime) == ("", None)
    measured = read_baseline(file)
    of_a_run = measured.head(file, against="checkpoint old")
    assert of_a_run.against == "checkpoint old"
    assert of_a_run.runtime == measured.first.checkpoint.runtime


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".ner", "a/b", "a\\b", "ner\n", "é", "a" * 101, "-x", "a\0"]
)
def test_a_name_cannot_lead_elsewhere(name: str) -> None:
    with pytest.raises(UsageError, match="baseline name"):
        baseline_path("baselines", name)


@pytest.mark.parametrize("name", ["ner", "ner-2.1_b", "0"])
def test_a_plain_name_is_taken(name: str) -> None:
    assert check_name(name) == name
    assert baseline_path("baselines", name) == Path("baselines") / f"{name}.json"


def test_a_name_that_is_refused_is_told_what_is_expected() -> None:
    with pytest.raises(UsageError) as caught:
        check_name("a/b")
    assert str(caught.value) == (
        "baseline name 'a/b': expected letters, digits, '.', '_' and '-', starting with a letter "
        "or digit, at most 100 in total"
    )
