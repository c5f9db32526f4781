"""``mt-gate compare`` of evaluations: protocols, plots, and errors next to violations."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conftest import Answer, check_refused
from evaluating.test_protocols import CASES, LABELS, pairs
from mt_gate.base.errors import PASS, USAGE
from mt_gate.evaluating.records import Evaluation, encoded, read_evaluation
from mt_gate.evaluating.relation_labels import UNMAPPED
from mt_gate.evaluating.relations import protocols
from mt_gate.evaluating.scores import SystemScores
from mt_gate.results.result import GateVerdict
from reporting import made_up


@pytest.fixture
def evaluated(run_gate: Callable, command: Callable[..., Answer], small: Path, tmp_path: Path):
    """A folder with a run and an evaluation of the small checkpoint."""
    labels = tmp_path / "labels.jsonl"
    labels.write_text('{"text": "Anna was in Oslo.", "entities": [[0, 4, "PER"]]}\n')
    assert run_gate().code == PASS
    arguments = ("--checkpoint", small, "--task", "ner", "--labels", labels, "--out", "out")
    assert command("evaluate", *arguments).code == PASS
    return tmp_path / "out"


def test_errors_stand_next_to_violation_rates(
    command: Callable[..., Answer], evaluated: Path, tmp_path: Path
) -> None:
    again = Path(shutil.copytree(evaluated, tmp_path / "again"))
    answer = command("compare", evaluated, again, "--out", "both")
    assert answer.code == PASS, answer
    evaluation = read_evaluation(evaluated / "evaluation.json")
    error = f"{100 * evaluation.error_rate.rate:.0f}%"
    row = re.search(r"^Error rate.*$", answer.out, re.MULTILINE)
    assert row
    assert row[0].count(error) >= 2
    page = (tmp_path / "both" / "comparison.html").read_text()
    relations = 2
    assert page.count('<rect class="bar') == 2 * (relations + 2)  # 1 - F1, overall, each relation
    assert "Errors on labels" in (tmp_path / "both" / "comparison.md").read_text()
    (again / "evaluation.json").unlink()
    answer = command("compare", evaluated, again, "--out", "both")
    assert answer.code == PASS
    assert "Error rate" not in answer.out
    assert '<rect class="bar' not in (tmp_path / "both" / "comparison.html").read_text()


def test_an_evaluation_of_another_checkpoint_or_labels(
    command: Callable[..., Answer], evaluated: Path, tmp_path: Path
) -> None:
    again = Path(shutil.copytree(evaluated, tmp_path / "again"))
    value = read_evaluation(again / "evaluation.json")
    replace = msgspec.structs.replace
    head = replace(value.checkpoint, fingerprint=f"sha256:{1:064x}")
    labels = replace(value.labels, sha256="1" * 64)
    changes = {"is of another checkpoint": {"checkpoint": head}, "labels": {"labels": labels}}
    for words, change in changes.items():
        (again / "evaluation.json").write_bytes(encoded(replace(value, **change)))
        answer = command("compare", evaluated, again)
        assert answer.code == PASS, "runs need no evaluations"
        assert "Only violation rates are shown" in answer.err
        assert words in answer.err
        assert "Error rate" not in answer.out
    for folder in (evaluated, again):
        (folder / "result.json").unlink()
    check_refused(command("compare", evaluated, again), USAGE, "different labels or mappings")


def of_relations(path: Path, name: str, values: Any, *, attention: bool) -> Evaluation:
    """Write an evaluation of task re of the cases worked by hand, with these logits."""
    scores = SystemScores("logits", LABELS, values, values[:, 0] == values[:, 0])
    template = read_evaluation(path / "evaluation.json")
    evaluation = msgspec.structs.replace(
        template,
        task="re",
        checkpoint=msgspec.structs.replace(made_up.result(GateVerdict.PASS).checkpoint, name=name),
        relations=protocols(pairs(CASES), scores, UNMAPPED, attention=attention),
    )
    folder = path.parent / name
    folder.mkdir()
    (folder / "evaluation.json").write_bytes(encoded(evaluation))
    return evaluation


def test_protocols_of_several_systems(
    command: Callable[..., Answer], evaluated: Path, tmp_path: Path
) -> None:
    import numpy as np

    rng = np.random.default_rng(2)
    ones = of_relations(evaluated, "plain", rng.normal(size=(6, 3)), attention=False)
    att = of_relations(evaluated, "attentive", rng.normal(size=(6, 3)), attention=True)
    answer = command("compare", tmp_path / "plain", tmp_path / "attentive", "--out", "both")
    assert answer.code == PASS, answer
    for letter, evaluation, ways in (
        ("A", ones, ("AVG", "ONE")),
        ("B", att, ("AVG", "ONE", "ATT")),
    ):
        assert evaluation.relations is not None
        curves = {(c.protocol, c.aggregator): c for c in evaluation.relations.curves}
        for way in ways:
            own = [
                curves["held-out", way],
                curves["bag-manual", way],
                curves["sentence-manual", ""],
            ]
            figures = [
                f"{100 * figure.value:.1f}"
                for curve in own
                for figure in (curve.auc, curve.micro_f1, curve.macro_f1)
            ]
            row = re.search(rf"^{letter}  {way} +(.*)$", answer.out, re.MULTILINE)
            assert row, answer.out
            assert row[1].split() == figures
    assert not re.search("^A  ATT", answer.out, re.MULTILINE)
    page = (tmp_path / "both" / "comparison.html").read_text()
    assert page.count("<polyline") == 6, "one line per system in each of three plots"
    assert "B ATT" in page
    assert "A ONE" in page
    assert "held-out AUC" in (tmp_path / "both" / "comparison.md").read_text()
