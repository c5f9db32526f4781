"""Runs on several suites judged as one, by the command."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Answer
from making import SENTENCES, make_suite
from making_onnx import save_checkpoint, tagger
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION, USAGE
from mt_gate.results.store import read_result
from mt_gate.several_suites import judge_as_one

Run = Callable[..., Path]
HALVES = {"one": SENTENCES[:60], "other": SENTENCES[60:120]}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A checkpoint that violates nothing."""
    return save_checkpoint(tmp_path / "base", tagger())


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    """One that loses the entities of questions."""
    return save_checkpoint(tmp_path / "lossy", tagger(adds={"?": 8.0}))


@pytest.fixture
def compared(run_gate: Callable[..., Answer], command: Callable, base: Path, tmp_path: Path) -> Run:
    """Run a checkpoint on a suite, compared with the first one; return its folder."""

    def run(half: str, checkpoint: Path, *flags: object) -> Path:
        suite, baseline = tmp_path / f"suite-{half}", tmp_path / "baselines" / f"{half}.json"
        if not baseline.exists():
            make_suite(suite, HALVES[half])
            before = tmp_path / f"before-{half}"
            assert run_gate(checkpoint=base, suite=suite, out=before).code == PASS
            record = ("baseline", "record", before, "--name", half)
            assert command(*record, "--dir", baseline.parent).code == PASS
        out = tmp_path / f"{half}-{checkpoint.name}"
        done = run_gate(*flags, checkpoint=checkpoint, suite=suite, baseline=baseline, out=out)
        assert done.code in (PASS, REGRESSION), done.err
        return out

    return run


def test_all_pairs_are_judged_together(compared: Run, command: Callable, lossy: Path) -> None:
    runs = [compared(half, lossy) for half in HALVES]
    done = command("pool", *runs)
    assert done.code == REGRESSION
    assert "regression" in done.out
    results = [read_result(run / "result.json") for run in runs]
    found = judge_as_one(runs)
    assert found.overall.comparison is not None
    pairs = [result.overall.comparison.pairs for result in results if result.overall.comparison]
    assert found.overall.comparison.pairs == sum(pairs)
    for relation in found.relations:
        parts = [of for result in results for of in result.relations if of.id == relation.id]
        assert relation.groups == sum(of.groups for of in parts)
        assert relation.violated == sum(of.violated for of in parts)
    assert "of one name in several suites" in done.out  # made-0000 is in both
    for result in results:
        assert f" by itself, on {result.suite.name}: " in done.out
    assert done.out.count("the baseline is one run") == 1


def test_the_same_checkpoint_passes(compared: Run, command: Callable, base: Path) -> None:
    done = command("pool", *(compared(half, base) / "result.json" for half in HALVES))
    assert done.code == PASS
    assert "Pass. No evidence of a loss on" in done.out
    assert "of one name" not in done.out


def test_runs_of_one_job_are_pooled_too(
    run_gate: Callable[..., Answer], command: Callable, base: Path, lossy: Path, tmp_path: Path
) -> None:
    runs = []
    for half, sentences in HALVES.items():
        suite, out = make_suite(tmp_path / f"suite-{half}", sentences), tmp_path / half
        assert run_gate("--against", base, checkpoint=lossy, suite=suite, out=out).code != USAGE
        runs.append(out)
    assert command("pool", *runs).code == REGRESSION


def refused(done: Answer, code: int, *words: str) -> None:
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1)
    for word in words:
        assert word in done.err


def test_what_cannot_be_judged_as_one_is_told(
    compared: Run, command: Callable, base: Path, lossy: Path, tmp_path: Path
) -> None:
    one, other = (compared(half, base) for half in HALVES)
    refused(command("pool", one), USAGE, "one run; expected two or more")
    refused(command("pool", one, one), USAGE, "named twice")
    copy = shutil.copytree(one, tmp_path / "copy")
    refused(command("pool", one, copy), USAGE, "the same suite as", "expected each suite once")
    refused(command("pool", one, tmp_path / "nothing"), CANNOT_JUDGE, "nothing", "no such file")
    measured = tmp_path / "before-other"
    refused(command("pool", one, measured), USAGE, "was compared with no baseline")
    refused(command("pool", one, compared("other", lossy)), USAGE, "checkpoint name", f"{one}")
    strict = tmp_path / "strict"
    again = ("compare", other, "--baseline", tmp_path / "baselines" / "other.json", "--out", strict)
    assert command(*again, "--alpha", "0.01").code == PASS
    refused(command("pool", one, strict), USAGE, "alpha 0.01", "has 0.05")


def test_each_policy_names_relations_of_its_suite(
    compared: Run, command: Callable, base: Path, tmp_path: Path
) -> None:
    one, other = (compared(half, base) for half in HALVES)
    shuffle = '[relations."ner/entity-shuffle"]\ntier = "warn"\n'

    def again(run: Path, half: str, policy: str) -> Path:
        baseline, out = tmp_path / "baselines" / f"{half}.json", tmp_path / f"{half}-again"
        done = command("compare", run, "--baseline", baseline, "--out", out, "--policy", policy)
        assert done.code == PASS, done.err
        return out

    warned = again(other, "other", shuffle)
    refused(command("pool", one, warned), USAGE, "other words on ner/entity-shuffle")
    assert command("pool", again(one, "one", shuffle), warned).code == PASS


def test_where_a_baseline_lay_is_told(
    compared: Run, command: Callable, base: Path, tmp_path: Path
) -> None:
    runs = [compared(half, base) for half in HALVES]
    (tmp_path / "baselines" / "one.json").rename(tmp_path / "moved.json")
    told = "one.json: no such file", "the folder that the run was started in"
    refused(command("pool", *runs), CANNOT_JUDGE, *told)


def test_another_baseline_than_the_run_was_compared_with_is_refused(
    compared: Run, command: Callable, lossy: Path, tmp_path: Path
) -> None:
    runs = [compared(half, lossy) for half in HALVES]
    record = ("baseline", "record", runs[0], "--name", "one", "--dir", tmp_path / "baselines")
    assert command(*record, "--accept", "it will do").code == PASS
    refused(command("pool", *runs), CANNOT_JUDGE, "compare it again", "one.json")


def test_a_baseline_of_another_checkpoint_is_refused_though_it_answered_alike(
    compared: Run, run_gate: Callable[..., Answer], command: Callable, base: Path, tmp_path: Path
) -> None:
    runs = [compared(half, base) for half in HALVES]
    alike = save_checkpoint(tmp_path / "alike", tagger(adds={"?": 1e-3}))
    out = tmp_path / "alike-one"
    assert run_gate(checkpoint=alike, suite=tmp_path / "suite-one", out=out).code == PASS
    record = ("baseline", "record", out, "--name", "one", "--dir", tmp_path / "baselines")
    assert command(*record, "--accept", "as good").code == PASS
    told = "one.json is another baseline", "compare it again"
    refused(command("pool", *runs), CANNOT_JUDGE, *told)


def test_a_run_that_stopped_early_is_refused(compared: Run, command: Callable, base: Path) -> None:
    one, other = (compared(half, base, "--early-stop") for half in HALVES)
    stopped = [
        run
        for run in (one, other)
        if (early := json.loads((run / "result.json").read_text()).get("early"))
        and early["look"] < early["looks"]
    ]
    assert stopped
    refused(command("pool", one, other), USAGE, "stopped early", "--early-stop")
