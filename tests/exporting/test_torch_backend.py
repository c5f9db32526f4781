"""Checkpoints in PyTorch against the same checkpoints in ONNX Runtime, and in transformers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from making import SENTENCES, save_bert
from mt_gate.base.errors import CannotJudge
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.protocol import Prediction
from speeds import first_daily

pytest.importorskip("torch", reason="needs mt-gate[export]")
pytest.importorskip("transformers", reason="needs mt-gate[export]")

from making_decoders import save_decoder
from mt_gate.exporting.export import export
from mt_gate.exporting.torch_backend import TorchSystem

INPUTS = [{"text": text} for text in SENTENCES]


def predictions(system: OnnxSystem, inputs: Sequence[Mapping[str, Any]]) -> list[Prediction]:
    actual = dict(pair for batch in system.predict(inputs) for pair in batch)
    return [actual[index] for index in range(len(inputs))]


def test_predictions_are_those_of_the_export(hugging_face: Path, exported: Path) -> None:
    one, other = TorchSystem(hugging_face, "ner", "cpu"), OnnxSystem(exported, "ner", "cpu")
    actual, wanted = predictions(one, INPUTS), predictions(other, INPUTS)
    assert [answer.output for answer in actual] == [answer.output for answer in wanted]
    margins = [[answer.margin or 0 for answer in answers] for answers in (actual, wanted)]
    assert np.allclose(*margins, atol=1e-3)
    assert one.card.max_length == other.card.max_length
    assert one.head.fingerprint == one.card.fingerprint
    assert one.head.runtime.provider.startswith("torch ")
    assert one.cache_key != other.cache_key
    assert max(one.noise(INPUTS[:20]).values()) < 1e-3


@pytest.mark.parametrize("task", first_daily(["ner", "boolq", "re"]))
def test_reference_checkpoints(task: str, shared: Path, fine_tuned: Callable[[str], Path]) -> None:
    from mt_gate.exporting.export import suite_inputs
    from mt_gate.tasks.table import TASKS

    inputs = suite_inputs(TASKS[task].default_suite, task, 20)
    one = TorchSystem(shared / "models" / task, task, "cpu")
    actual, wanted = (
        predictions(system, inputs) for system in (one, OnnxSystem(fine_tuned(task), task, "cpu"))
    )
    assert [answer.output for answer in actual] == [answer.output for answer in wanted]


def test_a_mixture_of_experts(tmp_path: Path) -> None:
    """Which PyTorch cannot export; transformers itself is the oracle."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = save_decoder(tmp_path / "experts", "Mixtral", "ForSequenceClassification")
    with pytest.raises(CannotJudge, match="--backend torch"):
        export(folder, "text", tmp_path / "out", "fp32", INPUTS[:3])
    answers = predictions(TorchSystem(folder, "text", "cpu"), INPUTS[:9])
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder)
    for value, answer in zip(INPUTS, answers, strict=False):
        with torch.no_grad():
            logits = model(**tokenizer(value["text"], return_tensors="pt")).logits[0]
        scores = torch.softmax(logits, 0).tolist()
        assert answer.output is not None
        assert np.allclose(list(answer.output["scores"].values()), scores, atol=1e-5)


def test_a_run(hugging_face: Path, tmp_path: Path, command: Callable[..., Any]) -> None:
    arguments = ("--task", "ner", "--sources", 9, "--backend", "torch", "--out", tmp_path / "out")
    run = command("run", "--checkpoint", hugging_face, *arguments)
    assert run.code == 0, run
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert any("slower. No ONNX model was tested" in note for note in result["notes"])
    assert result["options"]["backend"] == "torch"


def test_what_does_not_fit(hugging_face: Path, exported: Path, command: Callable[..., Any]) -> None:
    torch = ("--task", "ner", "--sources", 9, "--backend", "torch")
    for words, folder, *more in (
        ("does not run an exported checkpoint", exported),
        ("runs only in fp32", hugging_face, "--precision", "int8"),
    ):
        answer = command("run", "--checkpoint", folder, *torch, *more)
        assert answer.code == 2
        assert f"--backend torch {words}" in answer.err
    answer = command("run", "--checkpoint", hugging_face, *torch, "--device", "cuda")
    assert answer.code == 3
    assert "computes on the CPU only" in answer.err


class TestHeads:
    """A classifier of an encoder's vectors, as SetFit trains it, against scikit-learn."""

    @pytest.mark.parametrize("labels", [2, 3])
    def test_setfit(self, tmp_path: Path, labels: int) -> None:
        linear = pytest.importorskip("sklearn.linear_model")
        import joblib
        import torch
        from transformers import AutoModel, AutoTokenizer

        folder = save_bert(tmp_path / "setfit", ("a", "b"), head="Model")
        encoder, tokenizer = (kind.from_pretrained(folder) for kind in (AutoModel, AutoTokenizer))
        vectors = []
        for text in SENTENCES[:60]:
            with torch.no_grad():
                states = encoder(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
            vectors.append((states.mean(0) / states.mean(0).norm()).numpy())
        head = linear.LogisticRegression().fit(vectors, [index % labels for index in range(60)])
        joblib.dump(head, folder / "model_head.pkl")
        names = ["negative", "positive", "neutral"][:labels]
        layers = ("Transformer", "Pooling", "Normalize")
        modules = [{"type": f"sentence_transformers.models.{name}"} for name in layers]
        files = {
            "modules.json": modules,
            "1_Pooling/config.json": {"pooling_mode_mean_tokens": True},
            "config_setfit.json": {"labels": names, "normalize_embeddings": False},
            "sentence_bert_config.json": {"max_seq_length": 40},
        }
        (folder / "1_Pooling").mkdir()
        for name, content in files.items():
            (folder / name).write_text(json.dumps(content))
        with pytest.raises(CannotJudge, match="is a SetFit model") as error:
            export(folder, "text", tmp_path / "out", "fp32", INPUTS[:60])
        here = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        subprocess.run(str(error.value).partition("once: ")[2], shell=True, check=True, env=here)
        card = export(folder, "text", tmp_path / "out", "fp32", INPUTS[:60])
        assert (card.labels, card.max_length) == (tuple(names), 40)
        answers = predictions(OnnxSystem(tmp_path / "out", "text", "cpu"), INPUTS[:60])
        for answer, wanted in zip(answers, head.predict_proba(vectors), strict=True):
            assert answer.output is not None
            scores = [answer.output["scores"][name] for name in names]
            assert np.allclose(scores, wanted, atol=1e-5)

    def test_an_encoder_alone(self, tmp_path: Path) -> None:
        folder = save_bert(tmp_path / "encoder", ("a", "b"), head="Model")
        with pytest.raises(CannotJudge, match=r"an encoder but no classifier"):
            TorchSystem(folder, "text", "cpu", options=CheckpointOptions())


def test_an_adapter(tmp_path: Path) -> None:
    """LoRA, merged at the export; PEFT's own unmerged model is the oracle."""
    peft = pytest.importorskip("peft", reason="needs mt-gate[peft]")
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    labels = ("negative", "neutral", "positive")
    base = save_bert(tmp_path / "base", labels, head="ForSequenceClassification")
    adapter = tmp_path / "adapter"
    settings = peft.LoraConfig(
        task_type="SEQ_CLS", target_modules=["query", "value"], init_lora_weights=False
    )
    model = peft.get_peft_model(
        AutoModelForSequenceClassification.from_pretrained(base), settings
    ).eval()
    model.save_pretrained(adapter)
    export(adapter, "text", tmp_path / "out", "fp32", INPUTS[:20])
    answers = predictions(OnnxSystem(tmp_path / "out", "text", "cpu"), INPUTS[:20])
    tokenizer = AutoTokenizer.from_pretrained(base)
    for value, answer in zip(INPUTS, answers, strict=False):
        with torch.no_grad():
            logits = model(**tokenizer(value["text"], return_tensors="pt")).logits[0]
        assert answer.output is not None
        scores = [answer.output["scores"][label] for label in labels]
        assert np.allclose(scores, torch.softmax(logits, 0).tolist(), atol=1e-5)
