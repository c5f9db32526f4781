"""Hugging Face classifiers: what their logits mean, and parity with PyTorch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from making_text import CLASSIFIER, TEXTS, save_classifier
from mt_gate.base.errors import CannotJudge
from mt_gate.sut.card import read_card

pytest.importorskip("transformers", reason="needs mt-gate[export]")

SINGLE, MULTI, SCORE = (
    "single_label_classification",
    "multi_label_classification",
    "regression",
)


def read_form(folder: Path) -> Any:
    from mt_gate.exporting.hugging_face import inspect

    return inspect(folder, "text").reading


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Return a checkpoint of so many labels."""
    folder = tmp_path_factory.mktemp("saved")
    made: dict[int, Path] = {}

    def save(labels: int) -> Path:
        if labels not in made:
            names = [f"LABEL_{at}" for at in range(labels)]
            made[labels] = save_classifier(folder / str(labels), names)
        return made[labels]

    return save


@pytest.fixture
def classifier(saved: Callable[[int], Path], tmp_path: Path) -> Callable[..., Path]:
    """Return a copy whose configuration and input form are as given."""
    import shutil

    def copy(labels: int, problem: str | None, form: Any = None) -> Path:
        folder = tmp_path / "made"
        shutil.copytree(saved(labels), folder)
        config = json.loads((folder / "config.json").read_text())
        config.pop("problem_type", None)
        config |= {"problem_type": problem} if problem else {}
        (folder / "config.json").write_text(json.dumps(config))
        if form is not None:
            (folder / "input_form.json").write_text(json.dumps(form))
        return folder

    return copy


@pytest.mark.parametrize(
    ("labels", "problem", "form", "found"),
    [
        (3, None, None, ("text", "softmax")),
        (3, SINGLE, None, ("text", "softmax")),
        (3, MULTI, None, ("text", "sigmoid")),
        (1, SCORE, None, ("text", "none")),
        (1, MULTI, None, ("text", "sigmoid")),
        (1, SCORE, {"activation": "sigmoid"}, ("text", "sigmoid")),
        (3, SINGLE, {"input_form": "text-pair"}, ("text-pair", "softmax")),
    ],
)
def test_what_logits_mean(
    classifier: Callable, labels: int, problem: str | None, form: Any, found: tuple[str, str]
) -> None:
    told = read_form(classifier(labels, problem, form))
    assert (told.input_form, told.activation) == found


@pytest.mark.parametrize(
    ("labels", "problem", "form", "words"),
    [
        (1, None, None, "1 labels ('LABEL_0') and no activation; expected softmax"),
        (3, SCORE, None, "and activation none"),
        (1, SINGLE, None, "and activation softmax"),
        (3, None, {"activation": "tanh"}, "activation is 'tanh'"),
        (3, "multi_label", None, "problem_type is 'multi_label'; expected one of: single_label_"),
        (3, ["regression"], None, "problem_type is ['regression']; expected one of"),
        (3, None, {"input_form": "entity-markers"}, "input_form is 'entity-markers'"),
        (3, None, {"head": "[E1] {text}"}, "has head; expected something like"),
        (3, None, {"activations": "sigmoid"}, "activations"),
        (1, SCORE, {"activation": "none", "score_range": [5, 0]}, "score_range is 5 to 0"),
    ],
)
def test_what_cannot_be_read_is_refused(
    classifier: Callable, labels: int, problem: str | None, form: Any, words: str
) -> None:
    with pytest.raises(CannotJudge) as caught:
        read_form(classifier(labels, problem, form))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_input_form_is_part_of_the_fingerprint(classifier: Callable) -> None:
    from mt_gate.exporting.hugging_face import inspect

    folder = classifier(3, None)
    before = inspect(folder, "text").fingerprint
    (folder / "input_form.json").write_text('{"activation": "sigmoid"}')
    assert inspect(folder, "text").fingerprint != before


def test_parity_with_pytorch(classifier: Callable, tmp_path: Path) -> None:
    from mt_gate.exporting.export import export

    folder = classifier(3, MULTI)
    inputs = [{"text": text} for text in TEXTS[:40]]
    card = export(folder, "text", tmp_path / "out", "fp32", inputs)
    assert card.parity is not None
    assert card.parity.equal_predictions >= 0.995
    assert card.parity.largest_logit_difference < 1e-3
    read = read_card(tmp_path / "out")
    assert (read.activation, read.input_form, read.architecture) == (
        "sigmoid",
        "text",
        f"Bert{CLASSIFIER}",
    )
