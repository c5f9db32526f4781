"""Checkpoints for boolean questions: exported, compared with PyTorch, run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cases import table
from making_boolq import INPUTS, save_pair_bert, save_pair_roberta, save_t5
from mt_gate.running.evaluation import largest_noise
from mt_gate.sut.boolq import TEMPLATE
from mt_gate.sut.card import read_card
from mt_gate.sut.onnx import OnnxSystem
from speeds import Made, first_daily

pytest.importorskip("torch", reason="needs mt-gate[export]")
pytest.importorskip("transformers", reason="needs mt-gate[export]")

import torch
import transformers

from mt_gate.exporting.export import export
from mt_gate.exporting.models import BOUNDS

MAKERS = {"bert": save_pair_bert, "roberta": save_pair_roberta, "t5": save_t5}


def make_exported(folder: Path, name: str) -> None:
    saved = MAKERS[name](folder / "saved")
    export(saved, "boolq", folder / "exported", "fp32", INPUTS)


@pytest.fixture
def made(made_once: Made) -> Callable[[str], Path]:
    """Return a checkpoint as it was saved."""
    return lambda name: made_once(make_exported, name) / "saved"


@pytest.fixture
def exports(made_once: Made) -> Callable[[str], Path]:
    return lambda name: made_once(make_exported, name) / "exported"


def answers(system: OnnxSystem, inputs: list[dict[str, str]]) -> list[Mapping[str, object]]:
    result = dict(pair for batch in system.predict(inputs) for pair in batch)
    outputs = [result[index].output for index in range(len(inputs))]
    assert None not in outputs
    return outputs


@pytest.mark.parametrize(
    ("name", "form", "length", "labels"),
    first_daily([tuple(row) for row in table(__file__, "card_and_parity")], 2),
)
def test_card_and_parity(
    exports: dict[str, Path], name: str, form: str, length: int, labels: dict[str, str]
) -> None:
    card = read_card(exports(name))
    assert (card.input_form, card.max_length, card.answers) == (form, length, labels)
    assert card.template == (TEMPLATE if name == "t5" else "")
    assert card.parity is not None
    assert card.parity.inputs >= 256
    assert card.parity.equal_predictions == 1
    assert card.parity.largest_logit_difference < BOUNDS["fp32"][0]
    system = OnnxSystem(exports(name), "boolq", "cpu")
    assert 0 <= largest_noise(system.noise(INPUTS[::10])) < 1e-3  # other batches move no answer


def test_pairs_are_answered_as_transformers_answers_them(
    made: Mapping[str, Path], exports: dict[str, Path]
) -> None:
    long = {"question": INPUTS[0]["question"], "passage": INPUTS[0]["passage"] * 5}
    inputs = [*INPUTS[:20], long]
    actual = answers(OnnxSystem(exports("roberta"), "boolq", "cpu"), inputs)
    tokenizer = transformers.AutoTokenizer.from_pretrained(made("roberta"))
    model = transformers.AutoModelForSequenceClassification.from_pretrained(made("roberta")).eval()
    for item, output in zip(inputs, actual, strict=True):
        fed = tokenizer(
            item["question"], item["passage"], truncation="only_second", return_tensors="pt"
        )
        with torch.no_grad():
            yes = model(**fed).logits.softmax(-1)[0, 1].item()
        assert output["score"] == pytest.approx(yes, abs=1e-4)
    assert "read" not in actual[0]
    assert 0 < actual[-1]["read"] < len(long["passage"])


def test_text_to_text_says_the_word_that_is_more_likely_to_be_generated(
    made: Mapping[str, Path], exports: dict[str, Path]
) -> None:
    actual = answers(OnnxSystem(exports("t5"), "boolq", "cpu"), INPUTS[:20])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(made("t5") / "tokenizer.json")
    )
    model = transformers.T5ForConditionalGeneration.from_pretrained(made("t5")).eval()
    words = tokenizer.convert_tokens_to_ids(["▁False", "▁True"])
    for item, output in zip(INPUTS, actual, strict=False):
        fed = tokenizer(TEMPLATE.format(**item), return_tensors="pt").input_ids
        done = model.generate(
            fed, max_new_tokens=1, output_logits=True, return_dict_in_generate=True, do_sample=False
        )
        yes = done.logits[0][0, words].softmax(-1)[1].item()
        assert output["score"] == pytest.approx(yes, abs=1e-4)
