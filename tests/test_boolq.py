"""Boolean questions end to end, on the checkpoints that the package carries."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION, USAGE
from mt_gate.demo import CHECKPOINTS
from mt_gate.relations.catalogue import relations_of

SOURCES, FEW = 1_000, 40
"""So many that the demo's candidate is seen to be worse, and where nothing is compared."""
TWO = ("synonym-adjective", "antonym-adjective")
FIRST, LATER = CHECKPOINTS / "boolq-baseline", CHECKPOINTS / "boolq-candidate"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def run(command: Callable, cache: Path, tmp_path: Path) -> Callable:
    def judged(checkpoint: Path, out: str, *flags: object) -> tuple[object, dict]:
        answer = command(
            *("run", "--checkpoint", checkpoint, "--task", "boolq", "--sources", SOURCES),
            *("--cache", cache, "--out", tmp_path / out, *flags),
        )
        path = tmp_path / out / "result.json"
        return answer, json.loads(path.read_text()) if path.is_file() else {}

    return judged


def test_a_baseline_of_a_part_and_two_candidates(run: Callable, tmp_path: Path) -> None:
    baseline = tmp_path / "boolq.json"
    answer, first = run(FIRST, "first", "--baseline", baseline, "--record-missing")
    assert answer.code == PASS, answer
    usual = [relation.id for relation in relations_of("boolq") if relation.default]
    ids = [relation["id"] for relation in first["relations"]]
    assert ids == ["boolq/known-answer", *usual], "compositions are off"
    [part] = first["suite"]["part"]
    assert re.fullmatch(rf"{SOURCES} of \d+ sources, seed 2021", part)
    assert 0 < first["profile"]["candidate"]["share of yes"] < 1

    answer, again = run(FIRST, "again", "--baseline", baseline)
    assert answer.code == PASS
    assert again["overall"]["comparison"]["delta"] == 0
    assert again["predictions"]["cached"] == again["predictions"]["unique"]

    answer, worse = run(LATER, "later", "--baseline", baseline)
    assert answer.code == REGRESSION
    decided = {item["id"]: item["comparison"]["decision"] for item in worse["relations"]}
    assert decided["boolq/negation-tag"] == "regression"
    report = (tmp_path / "later" / "report.html").read_text()
    assert "is it right" in report
    assert "Shared passage or question" in report


def test_another_part_is_another_suite_to_a_baseline(run: Callable, tmp_path: Path) -> None:
    baseline = tmp_path / "boolq.json"
    run(FIRST, "first", "--baseline", baseline, "--record-missing")
    answer, _ = run(FIRST, "part", "--baseline", baseline, "--exclude", "BoolQ train")
    assert answer.code == CANNOT_JUDGE


def test_compositions_run_where_they_are_named(run: Callable) -> None:
    name = "boolq/synonym-adjective+negation-tag"
    answer, result = run(FIRST, "composed", "--sources", FEW, "--relations", name)
    assert answer.code == PASS, answer
    assert [relation["id"] for relation in result["relations"]] == [name]
    assert result["relations"][0]["applicable"] > 0


def test_an_unknown_corpus_is_named(run: Callable) -> None:
    answer, _ = run(FIRST, "out", "--exclude", "BoolQ")
    assert answer.code == USAGE
    assert "'BoolQ dev', 'BoolQ test', 'BoolQ train'" in answer.err


def test_a_fine_tuned_checkpoint(run: Callable, fine_tuned: Callable[[str], Path]) -> None:
    relations = ",".join(f"boolq/{name}" for name in TWO)
    options = ("--max-length", 144, "--sources", FEW, "--relations", relations)
    answer, result = run(fine_tuned("boolq"), "real", *options)
    assert answer.code == PASS, answer
    assert result["checkpoint"]["runtime"]["precision"] == "fp32"
    rates = {item["id"]: item["violation_rate"] for item in result["relations"]}
    assert rates["boolq/synonym-adjective"] < 0.5 < rates["boolq/antonym-adjective"]
