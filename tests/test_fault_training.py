"""The trainer of the fault bench: where it starts, and what it writes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers", reason="needs mt-gate[export]")

import torch
from transformers import BertForSequenceClassification, BertTokenizerFast

import faults
from fault_bench.faults import Family, kinds, planned
from fault_examples import Example
from fault_training import (
    KINDS,
    RECIPES,
    SHIPPED,
    Plan,
    beside_task,
    check_kept,
    described,
    learn,
    learn_elsewhere,
    plan,
    start,
    started_from,
    train_into,
    unpacked,
)
from mt_gate.sut.card import read_card
from mt_gate.sut.onnx import OnnxSystem
from page_tables import markdown, put, standing


@pytest.mark.parametrize("task", faults.TASKS)
def test_every_task_is_asked_by_settings_that_a_run_takes(task: str, tmp_path: Path) -> None:
    arguments = faults.parse_arguments(["--data", "data", "--out", str(tmp_path)])
    asked = faults.study_request(task, arguments).settings
    assert (asked.task, asked.checkpoint) == (task, str(tmp_path / task / "reference"))
    assert bool(asked.label_map) is (task == "text")


@pytest.mark.parametrize("task", ["ner", "boolq", "re", "text"])
def test_a_shipped_checkpoint_is_unpacked_whole(task: str) -> None:
    folder = SHIPPED / f"{task}-baseline"
    recipe = RECIPES[task]._replace(fresh=("nothing",))
    model, tokenizer = start(task, read_card(folder), recipe)
    weights = unpacked(folder / "model.onnx")
    assert set(weights) == set(model.state_dict()) - {"bert.embeddings.position_ids"}
    if task != "ner":
        return
    text = "Anna Smith lives in Paris ."
    with torch.no_grad():
        logits = model.eval()(**tokenizer(text, return_tensors="pt")).logits[0]
    said = {model.config.id2label[int(at)].partition("-")[2] for at in logits.argmax(-1)}
    system = OnnxSystem(folder, "ner", "cpu")
    (answer,) = [p.output for batch in system.predict([{"text": text}]) for _, p in batch]
    assert said - {""} == {entity[2] for entity in answer["entities"]}


def test_what_begins_anew_hangs_on_the_seed() -> None:
    card = read_card(SHIPPED / "re-baseline")
    one, same, other = (
        start("re", card, RECIPES["re"]._replace(seed=seed))[0].state_dict() for seed in (0, 0, 1)
    )
    fresh = "bert.encoder.layer.1.output.dense.weight"
    kept = "bert.encoder.layer.0.output.dense.weight"
    assert torch.equal(one[fresh], same[fresh])
    assert not torch.equal(one[fresh], other[fresh])
    assert torch.equal(one[kept], other[kept])


def test_a_checkpoint_learns_what_it_is_shown() -> None:
    card = read_card(SHIPPED / "boolq-baseline")
    recipe = RECIPES["boolq"]._replace(epochs=6, rate=1e-3)
    model, tokenizer = start("boolq", card, recipe)
    examples = [
        Example((f"is number {at} even", "numbers"), (at % 2,)) for at in (11, 12, 13, 14)
    ] * 16
    assert learn(model, tokenizer, examples, recipe) == 12
    feeds = tokenizer(["is number 11 even"], ["numbers"], return_tensors="pt")
    with torch.no_grad():
        assert np.isfinite(model(**feeds).logits.numpy()).all()


def test_fewer_layers_and_steps_are_a_recipe() -> None:
    assert plan("ner", "fewer-steps", 0.5).recipe.epochs == RECIPES["ner"].epochs / 2
    card = read_card(SHIPPED / "ner-baseline")
    model, _ = start("ner", card, plan("ner", "fewer-layers", 1).recipe)
    assert model.config.num_hidden_layers == 2
    assert plan("ner", "another-draw", 2).recipe.data_seed == 2


def test_who_is_taught_learns_the_scores_of_another() -> None:
    card, recipe = read_card(SHIPPED / "text-baseline"), RECIPES["text"]._replace(epochs=8)
    teacher, tokenizer = start("text", card, recipe._replace(seed=1))
    student, _ = start("text", card, plan("text", "distilled", 1).recipe)
    assert student.config.num_hidden_layers == teacher.config.num_hidden_layers - 1
    examples = [Example((f"a text of number {at}",), (0,)) for at in range(4)] * 16
    feeds = tokenizer([example.texts[0] for example in examples[:4]], return_tensors="pt")

    def distance() -> float:
        with torch.no_grad():
            both = [one.eval()(**feeds).logits.softmax(-1) for one in (teacher, student)]
        return float((both[0] - both[1]).abs().max())

    before = distance()
    learn(student, tokenizer, examples, recipe, teacher)
    assert distance() < before / 4


def small_data(folder: Path) -> Path:
    """Write questions and tweets, a few of each label."""
    for name in ("boolq", "text"):
        (folder / name).mkdir()
    rows = [{"question": "is it", "passage": "It is.", "answer": at % 2 == 0} for at in range(40)]
    packed = gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode())
    (folder / "boolq" / "train.jsonl.gz").write_bytes(packed)
    tweets = "".join(f"{at % 3},a tweet {'again ' * at}\n" for at in range(60))
    (folder / "text" / "davidson_tweets.csv").write_text(f"class,tweet\n{tweets}")
    return folder


@pytest.mark.parametrize("task", ["text", "boolq"])
def test_steps_on_another_task_change_the_encoder_alone(tmp_path: Path, task: str) -> None:
    data, recipe = small_data(tmp_path), RECIPES[task]._replace(examples=64)
    model, tokenizer = start(task, read_card(SHIPPED / f"{task}-baseline"), recipe)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    planned = plan(task, "another-task", 0.5)
    learn_elsewhere(model, tokenizer, task, data, planned._replace(recipe=recipe))
    changed = {
        name for name, was in before.items() if not torch.equal(was, model.state_dict()[name])
    }
    assert any(name.startswith("bert.encoder.") for name in changed)
    assert not any(name.startswith(("classifier", "bert.pooler")) for name in changed)
    whole = described("a", planned, "start", started_from(beside_task(task), data))
    assert whole != described("a", planned._replace(elsewhere=0.2), "start", "")


def test_a_teacher_is_the_reference(tmp_path: Path) -> None:
    data, distilled = small_data(tmp_path), plan("text", "distilled", 1)
    reference, student = tmp_path / "out" / "reference", tmp_path / "out" / "student"
    train_into("text", data, Plan(RECIPES["text"]._replace(epochs=20)), reference, "")
    with pytest.raises(AssertionError, match="needs a teacher"):
        train_into("text", data, distilled, student, "")
    slow = distilled._replace(recipe=distilled.recipe._replace(epochs=20))
    # Were it to learn the labels, it would not call all texts alike.
    blind = slow._replace(damage=lambda examples, _: [e._replace(labels=(0,)) for e in examples])
    train_into("text", data, blind, student, "", reference)
    feeds = BertTokenizerFast.from_pretrained(student)(
        ["a tweet", "a tweet again", "a tweet again again"], padding=True, return_tensors="pt"
    )
    with torch.no_grad():
        scores = [
            BertForSequenceClassification.from_pretrained(folder).eval()(**feeds).logits.softmax(-1)
            for folder in (reference, student)
        ]
    assert float((scores[0] - scores[1]).abs().max()) < 0.3


def test_a_checkpoint_is_written_whole(tmp_path: Path) -> None:
    (tmp_path / "re").mkdir()
    row = {
        "id": "a",
        "tokens": ["Anna", "leads", "Acme"],
        "head": {"text": "Anna", "start": 0, "end": 1},
        "tail": {"text": "Acme", "start": 2, "end": 3},
        "relation": "per:employee_of",
    }
    packed = gzip.compress((json.dumps(row) + "\n").encode() * 3)
    (tmp_path / "re" / "kbp37_train.jsonl.gz").write_bytes(packed)
    folder, one = tmp_path / "out" / "reference", Plan(RECIPES["re"])
    told = described("reference", one, started_from("re", tmp_path))
    check_kept(folder, told)
    train_into("re", tmp_path, one, folder, told)
    assert (folder / "model.safetensors").is_file()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["reference"]
    check_kept(folder, told)
    (tmp_path / "re" / "kbp37_train.jsonl.gz").write_bytes(packed + packed)
    other = Plan(RECIPES["re"]._replace(seed=1))
    for changed in (
        described("reference", one, started_from("re", tmp_path)),
        described("reference", other, started_from("re", tmp_path)),
    ):
        with pytest.raises(SystemExit, match="another recipe or on other data"):
            check_kept(folder, changed)
    (folder / "recipe.json").unlink()
    with pytest.raises(SystemExit):
        check_kept(folder, told)


def test_each_kind_of_training_fault_has_a_plan() -> None:
    assert set(KINDS) == {kind.name for kind in kinds() if kind.family is Family.TRAINING}


def test_the_bench_trains_what_the_table_says() -> None:
    assert {fault.family for fault in faults.trained("ner", ())} == {Family.TRAINING}
    assert faults.trained("ner", ("casing",)) == []
    assert len(faults.trained("ner", ("label-noise",))) == len(planned("ner", ("label-noise",)))


def test_the_readme_says_what_the_tables_say() -> None:
    said = standing(faults.README.read_text(encoding="utf-8"), "worth")
    assert said == faults.worth(faults.PAGE.read_text(encoding="utf-8"))
    assert "labels for `ner`" in said


def test_what_a_run_is_worth_is_that_of_the_telling_half() -> None:
    head = ("kinds", "candidates", "cost 1 point or more, caught", "worth in labels")
    rows = [("all", "9", "9 of 9", "9"), ("telling", "4", "2 of 3", "1,200")]
    page = f"<!-- table: faults-re -->\n{markdown(head, rows)}<!-- end -->\n"
    assert "1,200 labels for `re` (2 of 3)" in " ".join(faults.worth(page).split())
    assert faults.worth("") == ""


def test_the_page_has_a_place_for_each_task(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(faults.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    for task in faults.TASKS:
        put(page, f"faults-{task}", f"| {task} |\n")
        assert f"<!-- table: faults-{task} -->\n| {task} |\n<!-- end -->" in page.read_text()
    with pytest.raises(SystemExit, match="no mark"):
        put(page, "faults-none", "")
