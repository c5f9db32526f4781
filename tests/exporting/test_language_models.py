"""Decoders as classifiers: with a classifier's head, or by the probability of a label's text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cases import table
from making_decoders import CHAT, FAMILIES, LABELS, save_decoder
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.sut.card import Card, CheckpointOptions, read_card
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.prompt import Prompt, read_prompt
from speeds import first_daily

pytest.importorskip("torch", reason="needs mt-gate[export]")
pytest.importorskip("transformers", reason="needs mt-gate[export]")

import torch
import transformers

from mt_gate.exporting import models, precision
from mt_gate.exporting.export import export

pytestmark = pytest.mark.export

TEXTS = [{"text": text} for text in ("Fine.", "It was bad.", "We saw the film on Monday, twice.")]
QUESTIONS = [
    {"question": "is it late", "passage": passage}
    for passage in ("It is ten.", "The clock struck ten when they came home.")
]
DIFFERENT = {"good": "Yes", "bad": "No"}
ALIKE = {"good": "not so bad", "bad": "nay", "other": "not good"}


def export_text(saved: Path, out: Path, labels: Mapping[str, str] | None = None) -> Card:
    prompt = Prompt(user="Post: {text}\nGood?\n", labels=dict(labels)) if labels else None
    return export(saved, "text", out, "fp32", TEXTS, CheckpointOptions(prompt=prompt))


def scores_of(folder: Path, inputs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    system = OnnxSystem(folder, read_card(folder).task, "cpu")
    predicted = dict(pair for batch in system.predict(inputs) for pair in batch)
    return [predicted[at].output or {} for at in range(len(inputs))]


def log_probability(saved: Path, ids: Sequence[int], continued: Sequence[int]) -> float:
    """Return the log-probability of the last tokens by transformers alone, step by step."""
    model = transformers.AutoModelForCausalLM.from_pretrained(saved, dtype=torch.float32).eval()
    total, read = 0.0, [*ids]
    for token in continued:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([read]), use_cache=False).logits[0, -1]
        total += float(torch.log_softmax(logits.double(), 0)[token])
        read.append(token)
    return total


@pytest.mark.parametrize("family", first_daily([*FAMILIES], 3))
def test_a_classifier_with_a_decoder_body_predicts_as_transformers(
    family: str, tmp_path: Path
) -> None:
    saved = save_decoder(tmp_path / "saved", family, "ForSequenceClassification")
    export_text(saved, tmp_path / "out")
    model = transformers.AutoModelForSequenceClassification.from_pretrained(saved).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(saved)
    for value, output in zip(TEXTS, scores_of(tmp_path / "out", TEXTS), strict=True):
        ids = torch.tensor([tokenizer(value["text"])["input_ids"]])
        with torch.no_grad():
            wanted = torch.softmax(model(input_ids=ids).logits[0].double(), 0).tolist()
        assert [*output["scores"].values()] == pytest.approx(wanted, abs=1e-5)
        assert output["labels"] == [LABELS[int(np.argmax(wanted))]]


@pytest.mark.parametrize("labels", [DIFFERENT, ALIKE], ids=["first token", "whole text"])
@pytest.mark.parametrize("family", first_daily(["Llama", "Gemma2", "GPT2", "Qwen3"]))
def test_a_language_model_scores_the_texts_of_labels(
    family: str, labels: dict[str, str], tmp_path: Path
) -> None:
    head = "LMHeadModel" if family == "GPT2" else "ForCausalLM"
    saved = save_decoder(tmp_path / "saved", family, head)
    export_text(saved, tmp_path / "out", labels)
    tokenizer = transformers.AutoTokenizer.from_pretrained(saved)
    for value, output in zip(TEXTS, scores_of(tmp_path / "out", TEXTS), strict=True):
        ids = tokenizer(f"Post: {value['text']}\nGood?\n")["input_ids"]
        logs = []
        for text in labels.values():
            tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
            scored = tokens[:1] if labels is DIFFERENT else tokens
            logs.append(log_probability(saved, ids, scored))
        wanted = np.exp(logs) / np.exp(logs).sum()
        assert [*output["scores"].values()] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("labels", [DIFFERENT, ALIKE], ids=["first token", "whole text"])
def test_padding_changes_no_score(labels: dict[str, str], tmp_path: Path) -> None:
    saved = save_decoder(tmp_path / "saved", "Llama", "ForCausalLM")
    export_text(saved, tmp_path / "out", labels)
    system = OnnxSystem(tmp_path / "out", "text", "cpu")
    items = system.reader.encode(TEXTS)
    alone = np.concatenate([system.session.logits(system.reader.feeds([item])) for item in items])
    together = system.session.logits(system.reader.feeds(items))
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert (alone < 0).all(), "log-probabilities"


def test_a_question_follows_the_chat_template(tmp_path: Path) -> None:
    saved = save_decoder(tmp_path / "saved", "Qwen3", "ForCausalLM", chat=CHAT)
    path = tmp_path / "prompt.toml"
    path.write_text('system = "Be brief."\nuser = "{passage} {question}?"\n')
    options = CheckpointOptions(prompt=read_prompt(path, "boolq"))
    card = export(saved, "boolq", tmp_path / "out", "fp32", QUESTIONS, options)
    assert card.template == "<|system|>Be brief.\n<|user|>{passage} {question}?\n<|assistant|>"
    assert not card.special_tokens
    assert card.label_texts == {"yes": "Yes", "no": "No"}
    outputs = scores_of(tmp_path / "out", QUESTIONS)
    ids = transformers.AutoTokenizer.from_pretrained(saved)(
        "<|system|>Be brief.\n<|user|>It is ten. is it late?\n<|assistant|>",
        add_special_tokens=False,
    )["input_ids"]
    tokens = [[ord("Y") - 33 + 4], [ord("N") - 33 + 4]]  # bytes in the order of the alphabet
    logs = [log_probability(saved, ids, token) for token in tokens]
    assert outputs[0]["score"] == pytest.approx(1 / (1 + np.exp(logs[1] - logs[0])), abs=1e-5)


def test_a_relation_is_read_off_the_texts_of_labels(tmp_path: Path) -> None:
    saved = save_decoder(tmp_path / "saved", "Llama", "ForCausalLM")
    prompt = Prompt(
        user="{text}\n{head} and {tail}:\n",
        labels={"per:city_of_birth": "born", "no_relation": "none"},
    )
    options = CheckpointOptions(prompt=prompt)
    value = {"text": "Ann is from Rome.", "head": [0, 3, "PERSON"], "tail": [12, 16, "CITY"]}
    export(saved, "re", tmp_path / "out", "fp32", [value], options)
    [output] = scores_of(tmp_path / "out", [value])
    tokenizer = transformers.AutoTokenizer.from_pretrained(saved)
    ids = tokenizer("Ann is from Rome.\nAnn and Rome:\n")["input_ids"]
    first = [tokenizer(text, add_special_tokens=False)["input_ids"][:1] for text in ("b", "n")]
    logs = [log_probability(saved, ids, token) for token in first]
    assert output["relation"] == ["per:city_of_birth", "no_relation"][int(np.argmax(logs))]
    assert output["score"] == pytest.approx(max(np.exp(logs)) / sum(np.exp(logs)), abs=1e-5)


def test_another_prompt_is_another_fingerprint(tmp_path: Path) -> None:
    saved = save_decoder(tmp_path / "saved", "Llama", "ForCausalLM")
    cards = [export_text(saved, tmp_path / name, {"a": name, "b": "no"}) for name in ("x", "y")]
    assert cards[0].fingerprint != cards[1].fingerprint
    assert "is a language model (LlamaForCausalLM), which needs a prompt" in refusal(
        lambda: export_text(saved, tmp_path / "z")
    )


@pytest.mark.parametrize(("labels", "chat", "words"), table(__file__, "refused"))
def test_a_prompt_that_cannot_work_is_refused(
    labels: dict[str, str], chat: str, words: str, tmp_path: Path
) -> None:
    saved = save_decoder(tmp_path / "saved", "Llama", "ForCausalLM", chat=chat)
    assert words in refusal(lambda: export_text(saved, tmp_path / "out", labels))


def test_a_classifier_takes_no_prompt(tmp_path: Path) -> None:
    saved = save_decoder(tmp_path / "saved", "Llama", "ForSequenceClassification")
    assert "--prompt is for language models" in refusal(
        lambda: export_text(saved, tmp_path / "out", DIFFERENT)
    )


def refusal(run: Callable[[], Any]) -> str:
    with pytest.raises((CannotJudge, UsageError)) as raised:
        run()
    return str(raised.value)


def test_weights_above_the_limit_are_in_a_second_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = save_decoder(tmp_path / "saved", "Llama", "ForSequenceClassification")
    export_text(saved, tmp_path / "one")
    monkeypatch.setattr(precision, "MOST_IN_MESSAGE", 1000)
    card = export_text(saved, tmp_path / "two")
    assert {*card.files} == {"model.onnx", "model.onnx.data", "tokenizer.json"}
    assert (tmp_path / "two" / "model.onnx.data").stat().st_size > 1000
    assert scores_of(tmp_path / "two", TEXTS) == scores_of(tmp_path / "one", TEXTS)
    monkeypatch.undo()
    assert models.save_model is precision.save_model
    export_text(saved, tmp_path / "two")  # replaces both files
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == [
        "checkpoint.json",
        "model.onnx",
        "tokenizer.json",
    ]
