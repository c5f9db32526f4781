"""Checkpoints for questions and relations, in every form: exported, compared with PyTorch, run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import making_boolq
from cases import table
from making_re import (
    FORMS,
    INPUTS,
    LABELS,
    make_marker_checkpoint,
    save_luke,
    save_relation_bert,
    save_relation_roberta,
    save_start_states,
    write_form,
)
from mt_gate.base.errors import CannotJudge
from mt_gate.sut.boolq import TEMPLATE
from mt_gate.sut.card import Card, CheckpointOptions, read_card
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.protocol import largest_noise
from speeds import Made, first_daily

pytest.importorskip("torch", reason="needs mt-gate[export]")
pytest.importorskip("transformers", reason="needs mt-gate[export]")

import torch
import transformers
from safetensors.torch import load_file, save_file

from mt_gate.exporting.export import export
from mt_gate.exporting.models import BOUNDS

QUESTIONS: Mapping[str, Callable[[Path], Path]] = {
    "pair-bert": making_boolq.save_pair_bert,
    "pair-roberta": making_boolq.save_pair_roberta,
    "t5": making_boolq.save_t5,
}
RELATIONS: Mapping[str, Callable[[Path], Path]] = {
    "unstated": make_marker_checkpoint,
    "entity-starts": save_start_states,
    "entity-pair": save_luke,
    "roberta": save_relation_roberta,
    **{form: lambda folder, form=form: save_relation_bert(folder, form=form) for form in FORMS},
}
READS_TYPES = {"typed-markers", "entity-mask"}


def make_exported(folder: Path, name: str) -> None:
    if name in QUESTIONS:
        saved, task, inputs = QUESTIONS[name](folder / "saved"), "boolq", making_boolq.INPUTS
    else:
        saved, task, inputs = RELATIONS[name](folder / "saved"), "re", INPUTS
    export(saved, task, folder / "exported", "fp32", inputs)


@pytest.fixture
def made(made_once: Made) -> Callable[[str], Path]:
    """Return a checkpoint as it was saved."""
    return lambda name: made_once(make_exported, name) / "saved"


@pytest.fixture
def exports(made_once: Made) -> Callable[[str], Path]:
    return lambda name: made_once(make_exported, name) / "exported"


def outputs(system: OnnxSystem, inputs: list[Any]) -> list[Mapping[str, Any]]:
    result = dict(pair for batch in system.predict(inputs) for pair in batch)
    answers = [result[index].output for index in range(len(inputs))]
    assert None not in answers
    return answers


def check_parity(card: Card) -> None:
    assert card.parity is not None
    assert card.parity.inputs >= 256
    assert card.parity.equal_predictions == 1
    assert card.parity.largest_logit_difference < BOUNDS["fp32"][0]


@pytest.mark.parametrize(
    ("name", "form", "length", "labels"),
    first_daily([tuple(row) for row in table(__file__, "question_cards")], 2),
)
def test_question_cards(
    exports: dict[str, Path], name: str, form: str, length: int, labels: dict[str, str]
) -> None:
    card = read_card(exports(name))
    assert (card.input_form, card.max_length, card.answers) == (form, length, labels)
    assert card.template == (TEMPLATE if name == "t5" else "")
    check_parity(card)
    system = OnnxSystem(exports(name), "boolq", "cpu")
    noise = largest_noise(system.noise(making_boolq.INPUTS[::10]))
    assert 0 <= noise < 1e-3  # other batches move no answer


@pytest.mark.parametrize("name", first_daily([*RELATIONS], 3))
def test_relation_cards(exports: dict[str, Path], name: str) -> None:
    card = read_card(exports(name))
    assert card.input_form == (
        name if name in {*FORMS, "entity-starts", "entity-pair"} else "entity-markers"
    )
    assert card.labels == LABELS
    check_parity(card)
    system = OnnxSystem(exports(name), "re", "cpu")
    assert system.reads_types == (name in READS_TYPES)
    assert system.labels == LABELS
    assert system.card.fingerprint not in ("", card.fingerprint)  # of the export, not its source


def test_marked_sentences_are_answered_as_transformers_answers_them(
    made: Mapping[str, Path], exports: dict[str, Path]
) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(made("unstated"))
    model = transformers.AutoModelForSequenceClassification.from_pretrained(made("unstated")).eval()
    actual = outputs(OnnxSystem(exports("unstated"), "re", "cpu"), INPUTS[:30])
    for item, output in zip(INPUTS, actual, strict=False):
        with torch.no_grad():
            likely = model(**tokenizer(marked(item), return_tensors="pt")).logits.softmax(-1)[0]
        assert output["relation"] == LABELS[int(likely.argmax())]
        assert output["score"] == pytest.approx(likely.max().item(), abs=1e-4)


def marked(item: Mapping[str, Any]) -> str:
    text = item["text"]
    spans = [(*item["head"][:2], "[E1] ", " [/E1]"), (*item["tail"][:2], "[E2] ", " [/E2]")]
    for start, end, before, after in sorted(spans, reverse=True):
        text = f"{text[:start]}{before}{text[start:end]}{after}{text[end:]}"
    return text


def test_states_at_the_start_markers_are_classified(
    made: Mapping[str, Path], exports: dict[str, Path]
) -> None:
    folder = made("entity-starts")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    encoder = transformers.BertModel.from_pretrained(folder).eval()
    head = load_file(folder / "classifier.safetensors")
    system = OnnxSystem(
        exports("entity-starts"), "re", "cpu", options=CheckpointOptions(scores=True)
    )
    markers = tokenizer.convert_tokens_to_ids(["[E1]", "[E2]"])
    for item, output in zip(INPUTS, outputs(system, INPUTS[:30]), strict=False):
        fed = tokenizer(marked(item), return_tensors="pt")
        at = [fed.input_ids[0].tolist().index(marker) for marker in markers]
        with torch.no_grad():
            states = encoder(**fed).last_hidden_state[0]
        scores = head["weight"] @ torch.cat([states[at[0]], states[at[1]]]) + head["bias"]
        assert output["scores"] == pytest.approx(scores.tolist(), abs=1e-3)


def test_entity_pairs_are_answered_as_transformers_answers_them(
    made: Mapping[str, Path], exports: dict[str, Path]
) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(made("entity-pair"))
    model = transformers.LukeForEntityPairClassification.from_pretrained(made("entity-pair")).eval()
    system = OnnxSystem(exports("entity-pair"), "re", "cpu", options=CheckpointOptions(scores=True))
    for item, output in zip(INPUTS, outputs(system, INPUTS[:30]), strict=False):
        spans = [tuple(item[name][:2]) for name in ("head", "tail")]
        fed = tokenizer(item["text"], entity_spans=spans, return_tensors="pt")
        with torch.no_grad():
            scores = model(**fed).logits[0]
        assert output["scores"] == pytest.approx(scores.tolist(), abs=1e-3)


@pytest.mark.parametrize("name", ["unstated", "entity-starts", "entity-pair"])
def test_what_is_refused_while_it_is_exported(
    made: Mapping[str, Path], tmp_path: Path, name: str
) -> None:
    saved = Path(shutil.copytree(made(name), tmp_path / "saved"))
    if name == "unstated":
        write_form(saved, input_form="entity-markers", head="[H] {text}", tail="[T] {text}")
        words = "'[H]' is not a token"
    elif name == "entity-starts":
        classifier = saved / "classifier.safetensors"
        head = load_file(classifier)
        save_file({**head, "weight": head["weight"][:, :32].contiguous()}, classifier)
        words = "classifier.safetensors has {'bias': (4,)"
    else:
        (saved / "merges.txt").unlink()
        (saved / "tokenizer.json").unlink(missing_ok=True)  # which transformers 5 saves, too
        words = "no usable tokenizer"
    with pytest.raises(CannotJudge) as actual:
        export(saved, "re", tmp_path / "out", "fp32", INPUTS[:10])
    assert words in str(actual.value)
    assert str(saved) in str(actual.value)
    assert len(str(actual.value).splitlines()) == 1
    assert [*tmp_path.iterdir()] == [saved]


def test_pairs_are_answered_as_transformers_answers_them(
    made: Mapping[str, Path], exports: dict[str, Path]
) -> None:
    long = {
        "question": making_boolq.INPUTS[0]["question"],
        "passage": making_boolq.INPUTS[0]["passage"] * 5,
    }
    inputs = [*making_boolq.INPUTS[:20], long]
    actual = outputs(OnnxSystem(exports("pair-roberta"), "boolq", "cpu"), inputs)
    tokenizer = transformers.AutoTokenizer.from_pretrained(made("pair-roberta"))
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        made("pair-roberta")
    ).eval()
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
    actual = outputs(OnnxSystem(exports("t5"), "boolq", "cpu"), making_boolq.INPUTS[:20])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(made("t5") / "tokenizer.json")
    )
    model = transformers.T5ForConditionalGeneration.from_pretrained(made("t5")).eval()
    words = tokenizer.convert_tokens_to_ids(["▁False", "▁True"])
    for item, output in zip(making_boolq.INPUTS, actual, strict=False):
        fed = tokenizer(TEMPLATE.format(**item), return_tensors="pt").input_ids
        done = model.generate(
            fed, max_new_tokens=1, output_logits=True, return_dict_in_generate=True, do_sample=False
        )
        yes = done.logits[0][0, words].softmax(-1)[1].item()
        assert output["score"] == pytest.approx(yes, abs=1e-4)
