"""``mt-gate compare`` of many results, on small, real runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from making import SENTENCES, make_suite
from mt_gate.base.errors import PASS, USAGE
from mt_gate.judging.clustered import rates
from mt_gate.results.store import read_result, read_rows


@pytest.fixture
def runs(run_gate: Callable, tmp_path: Path) -> list[Path]:
    folders = [tmp_path / "one", tmp_path / "two"]
    assert run_gate(out=folders[0]).code == PASS
    assert run_gate(out=folders[1], relations="ner/structural").code == PASS
    return folders


def refuse(answer: Any, code: int, *words: str) -> None:
    assert answer.code == code, answer
    assert len(answer.err.strip().splitlines()) == 1
    for word in words:
        assert word in answer.err
    assert answer.out == ""


def test_a_table_and_clusters_of_bars(command: Callable, runs: list[Path], tmp_path: Path) -> None:
    answer = command("compare", *runs, "--out", tmp_path / "out")
    assert answer.code == PASS, answer
    result = json.loads((runs[0] / "result.json").read_text())
    page = (tmp_path / "out" / "comparison.html").read_text()
    text = (tmp_path / "out" / "comparison.md").read_text()
    for relation in result["relations"]:
        counts = f"{relation['violated']} of {relation['applicable']}"
        assert counts in page
        assert counts in text
    assert page.count('<div class="multiple">') == len(result["relations"]) + 1
    assert "B: not run" in page
    for out in (answer.out, page, text):
        assert "not run" in out
        assert "The runs do not have the same relations" in out
        assert "the same checkpoint" in out
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert "<script" not in page


def test_results_of_two_suites_are_refused(
    command: Callable, run_gate: Callable, runs: list[Path], tmp_path: Path
) -> None:
    other = make_suite(tmp_path / "other", SENTENCES[60:90])
    run_gate(out=tmp_path / "three", suite=other)
    answer = command("compare", *runs, tmp_path / "three", "--out", tmp_path / "out")
    refuse(answer, USAGE, "three", "Run both checkpoints on one suite")
    assert not (tmp_path / "out").exists()


def test_rates_are_the_result_s_with_intervals_around_them(runs: list[Path]) -> None:
    path = runs[0] / "result.json"
    result = read_result(path)
    found = rates(result, read_rows(path, result))
    for relation in result.relations:
        rate = found.relations[relation.id]
        assert (rate.violated, rate.applicable, rate.rate) == (
            relation.violated,
            relation.applicable,
            relation.violation_rate,
        )
        if rate.rate is not None and rate.ci95 is not None:
            assert 0 <= rate.ci95[0] <= rate.rate <= rate.ci95[1] <= 1
    assert found.overall.violated == result.overall.violated
    nothing = msgspec.structs.replace(
        result,
        relations=tuple(
            msgspec.structs.replace(item, applicable=0, violated=0) for item in result.relations
        ),
    )
    empty = rates(nothing, [])
    assert empty.overall.rate is None
    assert empty.overall.ci95 is None
