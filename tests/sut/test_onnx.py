"""How an exported checkpoint predicts on a CPU, and with the batches of a GPU."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from making import SENTENCES
from making_onnx import LENGTH, network, save_checkpoint, tagger
from mt_gate.base.errors import UsageError
from mt_gate.domain import NotApplicable
from mt_gate.sut.batching import BatchCosts
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.protocol import Prediction

INPUTS = [{"text": text + " in Oslo" * (number % 7)} for number, text in enumerate(SENTENCES[:40])]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnx", reason="needs mt-gate[export]")
    return tmp_path_factory.mktemp("taggers")


def answers(system: OnnxSystem, inputs: Sequence[Mapping[str, Any]]) -> list[Prediction]:
    result = dict(pair for batch in system.predict(inputs) for pair in batch)
    return [result[index] for index in range(len(inputs))]


def widths(system: OnnxSystem, monkeypatch: pytest.MonkeyPatch) -> list[set[int]]:
    seen: list[set[int]] = []
    answer = system._answer

    def noted(items: Sequence[Any]) -> list[Prediction]:
        seen.append({len(item.ids) for item in items})
        return answer(items)

    monkeypatch.setattr(system, "_answer", noted)
    return seen


def as_on_gpu(folder: Path) -> OnnxSystem:
    system = OnnxSystem(folder, "ner", "cpu")
    system.session.device = "cuda"
    return system


def test_a_cpu_pads_nothing_and_a_gpu_answers_alike(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = save_checkpoint(folder / "masked", tagger(adds={"?": 8.0}))
    cpu, gpu = OnnxSystem(made, "ner", "cpu"), as_on_gpu(made)
    exact, bucketed = widths(cpu, monkeypatch), widths(gpu, monkeypatch)
    # A batch that costs much makes wide buckets.
    monkeypatch.setattr("mt_gate.sut.onnx.measured", lambda *_: BatchCosts(4096, 1.0, 1e-6))
    expected, actual = answers(cpu, INPUTS), answers(gpu, INPUTS)
    assert [one.output for one in actual] == [one.output for one in expected]
    np.testing.assert_allclose(
        [one.margin for one in actual], [one.margin for one in expected], rtol=1e-5
    )
    assert all(len(lengths) == 1 for lengths in exact)
    assert any(len(lengths) > 1 for lengths in bucketed)
    assert len(bucketed) < len(exact)


def test_a_card_of_others_without_a_length(tmp_path: Path) -> None:
    """The usual length is tried once, and a shorter one found, rather than a failure in the run."""
    folder = save_checkpoint(tmp_path / "made", network())
    card = json.loads((folder / "checkpoint.json").read_text())
    card.pop("max_length")
    (folder / "checkpoint.json").write_text(json.dumps(card))
    system = OnnxSystem(folder, "ner", "cpu")
    assert system.card.max_length == LENGTH
    short, long = answers(system, [{"text": "a " * (LENGTH - size)} for size in (2, 1)])
    assert short.output is not None
    assert long.reason is NotApplicable.TRUNCATED
    with pytest.raises(UsageError, match=f"takes at most {LENGTH} tokens"):
        OnnxSystem(folder, "ner", "cpu", options=CheckpointOptions(max_length=LENGTH + 1))
