"""In which form a checkpoint reads its input, and what its logits mean: by its files alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cases import cases
from making_folders import write_folder
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.exporting.hugging_face import inspect
from mt_gate.sut.card import CheckpointOptions

CLASSIFIER = "BertForSequenceClassification"
LABELS = {"0": "no", "1": "yes"}
MARKED = {"head": "[E1] {text} [/E1]", "tail": "[E2] {text} [/E2]"}


def write_classifier(folder: Path, labels: int, problem: str, form: str) -> Path:
    names = {str(at): f"LABEL_{at}" for at in range(labels)}
    more = {"problem_type": problem} if problem else {}
    write_folder(folder, architectures=[CLASSIFIER], id2label=names, **more)
    if form:
        (folder / "input_form.json").write_text(form)
    return folder


@cases("exporting/text_forms")
def test_what_logits_mean(
    tmp_path: Path, labels: str, problem: str, form: str, input_form: str, activation: str
) -> None:
    folder = write_classifier(tmp_path / "made", int(labels), problem, form)
    actual = inspect(folder, "text").reading
    assert (actual.input_form, actual.activation) == (input_form, activation)


@cases("exporting/text_forms_refused")
def test_what_cannot_be_read_is_refused(
    tmp_path: Path, labels: str, problem: str, form: str, words: str
) -> None:
    folder = write_classifier(tmp_path / "made", int(labels), problem, form)
    with pytest.raises(CannotJudge) as caught:
        inspect(folder, "text")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@cases("exporting/relation_forms_refused")
def test_forms_of_relations_that_are_refused(
    tmp_path: Path, architecture: str, form: str, words: str
) -> None:
    folder = write_folder(tmp_path / "made", architectures=[architecture], id2label=LABELS)
    if form:
        (folder / "input_form.json").write_text(form)
    with pytest.raises(CannotJudge) as caught:
        inspect(folder, "re")
    assert all(word in str(caught.value) for word in words.split("|"))
    assert "\n" not in str(caught.value)


def test_markers_in_the_vocabulary(tmp_path: Path) -> None:
    """Of one kind they say the form; of two kinds they say nothing."""
    folder = write_folder(tmp_path / "made", architectures=[CLASSIFIER], id2label=LABELS)
    markers = ["[E1]", "[/E1]", "[E2]", "[/E2]"]
    content = {"model": {"vocab": {marker: at for at, marker in enumerate(markers)}}}
    (folder / "tokenizer.json").write_text(json.dumps(content))
    actual = inspect(folder, "re").reading
    assert (actual.input_form, actual.head, actual.tail) == ("entity-markers", *MARKED.values())
    others = dict.fromkeys(("<e1>", "</e1>", "<e2>", "</e2>"), 9)
    (folder / "added_tokens.json").write_text(json.dumps(others))
    with pytest.raises(CannotJudge, match="markers of 2 kinds"):
        inspect(folder, "re")


class TestAnswers:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return write_folder(tmp_path / "made", architectures=[CLASSIFIER], id2label=LABELS)

    @pytest.fixture
    def text_to_text(self, tmp_path: Path) -> Path:
        return write_folder(tmp_path / "t5", architectures=["T5ForConditionalGeneration"])

    def test_what_changes_answers_changes_the_fingerprint(
        self, folder: Path, text_to_text: Path
    ) -> None:
        def fingerprint(path: Path, options: CheckpointOptions) -> str:
            return inspect(path, "boolq", options).fingerprint

        usual = CheckpointOptions({"yes": "yes", "no": "no"}, 32)
        assert fingerprint(folder, CheckpointOptions()) == fingerprint(folder, usual)
        usual = CheckpointOptions({"yes": "True", "no": "False"}, 32)
        assert fingerprint(text_to_text, CheckpointOptions()) == fingerprint(text_to_text, usual)
        others = [CheckpointOptions(max_length=20), CheckpointOptions({"yes": "no", "no": "yes"})]
        assert (
            len({fingerprint(folder, options) for options in [CheckpointOptions(), *others]}) == 3
        )

    def test_lengths_beyond_the_model(self, folder: Path, text_to_text: Path) -> None:
        """Positions of a text-to-text model are relative: its limit is a habit."""
        options = CheckpointOptions(max_length=700)
        with pytest.raises(UsageError, match="at most 32 tokens"):
            inspect(folder, "boolq", options)
        assert inspect(text_to_text, "boolq", options).max_length == 700

    def test_labels_that_transformers_leaves_out(self, folder: Path) -> None:
        """save_pretrained() writes no names for two labels that were never named."""
        config = json.loads((folder / "config.json").read_text())
        del config["id2label"]
        (folder / "config.json").write_text(json.dumps(config))
        options = CheckpointOptions({"yes": "LABEL_1", "no": "LABEL_0"})
        assert inspect(folder, "boolq", options).labels == ("LABEL_0", "LABEL_1")
