"""A fine-tuned checkpoint and damaged copies of it, on a part of the shipped suite."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from mt_gate.base.errors import PASS, REGRESSION
from mt_gate.suites.format import find_suite, read_suite, write_suite
from variants import permute_positions, shuffle_weights, write_variant

pytest.importorskip("torch", reason="needs mt-gate[export]")

GROUPS = 150


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first groups of ner-default, with their sources."""
    suite = read_suite(find_suite("ner-default"))
    groups = [g for g in suite.groups if g.relation == "ner/structural"][:GROUPS]
    used = {group.source for group in groups}
    sources = [source for source in suite.sources if source.id in used]
    relations = tuple(
        msgspec.structs.replace(item, groups=0 if item.bound else len(groups))
        for item in suite.head.relations
        if item.bound or item.id == "ner/structural"
    )
    folder = tmp_path_factory.mktemp("part") / "suite"
    write_suite(folder, msgspec.structs.replace(suite.head, relations=relations), sources, groups)
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def judged(
    command: Callable, shared: Path, fine_tuned: Callable[[str], Path], part: Path, cache: Path
) -> Callable:
    """Record the checkpoint's baseline, unless it is there, then judge a changed copy of it."""
    original, baseline = fine_tuned("ner"), cache / "ner.json"

    def run(checkpoint: Path, out: Path, *flags: object) -> tuple[int, dict]:
        settings = ("--task", "ner", "--suite", part, "--cache", cache, "--out", out)
        answer = command("run", "--checkpoint", checkpoint, *settings, *flags)
        assert (out / "result.json").is_file(), answer
        return answer.code, json.loads((out / "result.json").read_text())

    def judge(change: Callable | None, folder: Path) -> tuple[int, dict]:
        if not baseline.is_file():
            run(original, folder / "first")
            record = (folder / "first" / "result.json", "--name", "ner", "--dir", cache)
            assert command("baseline", "record", *record).code == PASS
        checkpoint = original
        if change:
            checkpoint = write_variant(shared / "models" / "ner", folder / "copy", change)
        return run(checkpoint, folder / "second", "--baseline", baseline)

    return judge


def test_the_same_checkpoint_passes(judged: Callable, tmp_path: Path) -> None:
    code, result = judged(None, tmp_path)
    assert (code, result["verdict"]) == (PASS, "pass")
    assert result["predictions"]["cached"] == result["predictions"]["unique"]
    for relation in result["relations"]:
        assert not relation["comparison"]["delta"], (
            "none where too few sources have names to exchange"
        )
        assert relation["applicable"] > 0


def test_permuted_positions_are_a_regression(judged: Callable, tmp_path: Path) -> None:
    code, result = judged(permute_positions, tmp_path)
    assert (code, result["verdict"]) == (REGRESSION, "regression")
    structural = result["relations"][0]["comparison"]
    assert structural["candidate_rate"] > 2 * structural["baseline_rate"]
    assert structural["new_violations"] > structural["fixed_violations"]


def test_a_checkpoint_that_predicts_nothing_has_collapsed(judged: Callable, tmp_path: Path) -> None:
    code, result = judged(shuffle_weights(0.20, r"\d+"), tmp_path)
    assert (code, result["verdict"]) == (REGRESSION, "collapse")
    silent = result["profile"]["candidate"]["entities per sentence"]
    assert silent < 0.2 * result["profile"]["baseline"]["entities per sentence"]


def test_a_slight_change_passes(judged: Callable, tmp_path: Path) -> None:
    code, result = judged(shuffle_weights(0.05, "5"), tmp_path)
    assert (code, result["verdict"]) == (PASS, "pass")
