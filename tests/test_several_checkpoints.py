"""Several checkpoints in one command: a run each, as each would have had alone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from making_onnx import save_checkpoint, tagger
from mt_gate import gate
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION, USAGE
from mt_gate.running import loading
from mt_gate.suites import quick


@pytest.fixture
def run(command: Callable, suite: Path) -> Callable[..., Any]:
    """Run checkpoints on the small suite."""

    def several(*checkpoints: Path, more: tuple[object, ...] = ()) -> Any:
        named = [word for one in checkpoints for word in ("--checkpoint", one)]
        return command("run", *named, "--task", "ner", "--suite", suite, "--out", "out", *more)

    return several


def figures(folder: Path) -> dict[str, Any]:
    """Return a result without what no two runs have alike."""
    found = json.loads((folder / "result.json").read_text())
    return {name: found[name] for name in found if name not in ("run", "created", "timing")}


def test_each_is_run_as_alone(
    run: Callable, small: Path, worse: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = {}
    for one in (small, worse):
        assert run(one, more=("--cache", f"alone-{one.name}")).code == PASS
        alone[one.name] = figures(tmp_path / "out")
        shutil.rmtree(tmp_path / "out")
    read = []
    monkeypatch.setattr(
        loading, "open_suite", lambda name: read.append(name) or quick.open_suite(name)
    )
    done = run(small, worse, more=("--cache", "together"))
    assert done.code == PASS
    assert len(read) == 1
    assert {path.name for path in (tmp_path / "out").iterdir()} == {small.name, worse.name}
    assert {name: figures(tmp_path / "out" / name) for name in alone} == alone
    for name in alone:
        assert re.search(rf"^{name} .*Measured", done.out, re.MULTILINE)
        assert f"report: out/{name}/report.html\n" in done.err


def test_the_worst_exit_code_counts(run: Callable, command: Callable, tmp_path: Path) -> None:
    small = save_checkpoint(tmp_path / "small", tagger())
    worse = save_checkpoint(tmp_path / "worse", tagger(adds={"?": 8.0}))
    run(small, more=("--out", "first"))
    command("baseline", "record", "first", "--name", "ner")
    judging = ("--baseline", "baselines/ner.json")
    lost = run(worse, small, more=judging)
    assert lost.code == REGRESSION
    assert re.search(rf"^{small.name} .* Pass", lost.out, re.MULTILINE)
    assert re.search(rf"^{worse.name} .* Regression", lost.out, re.MULTILINE)
    broken = Path(shutil.copytree(small, tmp_path / "broken"))
    (broken / "model.onnx").write_bytes(b"no model")
    failed = run(broken, worse, small, more=judging)
    assert failed.code == CANNOT_JUDGE
    assert re.search(r"^broken .* Cannot judge", failed.out, re.MULTILINE)
    assert re.search(rf"^{worse.name} .* Regression", failed.out, re.MULTILINE)
    assert "mt-gate: broken: " in failed.err
    assert not (tmp_path / "out" / "broken").exists()
    assert figures(tmp_path / "out" / small.name)["verdict"] == "pass"


def test_nothing_of_an_earlier_run_stays_beside_them(
    run: Callable, small: Path, worse: Path, tmp_path: Path
) -> None:
    """A later step would take it for this run's."""
    assert run(small).code == PASS
    assert (tmp_path / "out" / "result.json").is_file()
    assert run(small, worse).code == PASS
    assert {path.name for path in (tmp_path / "out").iterdir()} == {small.name, worse.name}


def test_one_that_cannot_be_run_as_asked(
    run: Callable, small: Path, worse: Path, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / small.name).write_text("in the way")
    done = run(small, worse)
    assert done.code == USAGE
    assert re.search(rf"^{small.name} .* Not run", done.out, re.MULTILINE)
    assert re.search(rf"^{worse.name} .* Measured", done.out, re.MULTILINE)
    assert f"mt-gate: {small.name}: --out out/{small.name}: cannot be written" in done.err


def test_rows_of_one_run_at_a_time(
    run: Callable, small: Path, worse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gc
    import weakref

    class Rows(list):  # type: ignore[type-arg]
        """A list that can be watched."""

    kept: list[weakref.ref[Rows]] = []
    one_run = gate.run

    def watched(*given: Any, **more: Any) -> gate.Run:
        gc.collect()
        assert not [rows for rows in kept if rows() is not None]
        result, rows = one_run(*given, **more)
        held = Rows(rows)
        kept.append(weakref.ref(held))
        return gate.Run(result, held)

    monkeypatch.setattr(gate, "run", watched)
    assert run(small, worse).code == PASS
    assert len(kept) == 2


class TestRefusals:
    """Told before anything is asked."""

    @pytest.fixture
    def refused(self, run: Callable, tmp_path: Path) -> Callable[..., str]:
        def several(*checkpoints: Path, more: tuple[object, ...] = ()) -> str:
            done = run(*checkpoints, more=more)
            assert done.code == USAGE
            assert done.err.count("\n") == 1
            assert not (tmp_path / "out").exists()
            return str(done.err)

        return several

    def test_two_of_one_name(self, refused: Callable, small: Path, tmp_path: Path) -> None:
        other = shutil.copytree(small, tmp_path / "other" / small.name)
        assert f"both are named {small.name}" in refused(small, other)
        assert f"both are named {small.name}" in refused(small, small)

    def test_one_that_is_not_there(self, refused: Callable, small: Path) -> None:
        assert "no such folder" in refused(small, Path("nowhere"))

    def test_without_a_name(self, refused: Callable, small: Path) -> None:
        assert "has no name" in refused(small, Path("/"))

    @pytest.mark.parametrize(
        ("more", "words"),
        [
            (("--record-missing", "--baseline", "b.json"), "--record-missing"),
            (("--against", "nowhere"), "--against"),
            (("--shard", "1/2"), "--shard"),
            (("--system", "command:true"), "expected one of the two"),
        ],
    )
    def test_what_is_of_one_run(
        self, refused: Callable, small: Path, worse: Path, more: tuple[str, ...], words: str
    ) -> None:
        assert words in refused(small, worse, more=more)
