"""How a checkpoint for task re is told its form, and what is refused in one line."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from making import save_bert
from making_re import (
    CLASSIFIER,
    INPUTS,
    LABELS,
    MARKED,
    make_marker_checkpoint,
    save_luke,
    save_relation_bert,
    save_start_states,
    write_form,
)
from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.hugging_face import inspect
from mt_gate.sut.onnx import OnnxSystem

pytest.importorskip("torch", reason="needs mt-gate[export]")
pytest.importorskip("transformers", reason="needs mt-gate[export]")

from safetensors.torch import load_file, save_file

from mt_gate.exporting.export import export


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    makers = {"told": make_marker_checkpoint, "starts": save_start_states, "luke": save_luke}
    folder = tmp_path_factory.mktemp("re")
    return {name: maker(folder / name) for name, maker in makers.items()}


@pytest.fixture
def folder(made: Mapping[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """Return a copy of a checkpoint that the test may damage."""
    return lambda name: Path(shutil.copytree(made[name], tmp_path / name))


def test_every_file_is_part_of_the_fingerprint(folder: Callable[[str], Path]) -> None:
    starts, luke = folder("starts"), folder("luke")
    seen = [inspect(starts, "re").fingerprint]
    write_form(starts, input_form="entity-starts", **MARKED, ontology="kbp37")
    seen.append(inspect(starts, "re").fingerprint)
    head = load_file(starts / "classifier.safetensors")
    save_file({**head, "bias": head["bias"] + 1}, starts / "classifier.safetensors")
    seen.append(inspect(starts, "re").fingerprint)
    (starts / "mine.json").write_text("{}")
    write_form(starts, input_form="entity-starts", **MARKED, ontology="mine.json")
    seen.append(inspect(starts, "re").fingerprint)
    (starts / "mine.json").write_text("{ }")
    seen.append(inspect(starts, "re").fingerprint)
    assert len(set(seen)) == len(seen)
    before = inspect(luke, "re").fingerprint
    (luke / "entity_vocab.json").write_text('{"[MASK]": 3, "[MASK2]": 2}')
    assert inspect(luke, "re").fingerprint != before


def test_an_ontology_of_the_user_s_own_goes_along(
    folder: Callable[[str], Path], tmp_path: Path
) -> None:
    saved = folder("told")
    write_form(saved, input_form="entity-markers", **MARKED, ontology="mine.json")
    (saved / "mine.json").write_text('{"name": "mine"}')
    card = export(saved, "re", tmp_path / "out", "fp32", INPUTS[:10])
    assert card.ontology == "mine.json"
    assert "mine.json" in card.files
    (tmp_path / "out" / "mine.json").write_text("{}")
    with pytest.raises(CannotJudge, match=r"mine\.json: is not the file"):
        OnnxSystem(tmp_path / "out", "re", "cpu")


@pytest.fixture
def refused(tmp_path: Path) -> Callable[..., str]:
    """Export, expecting one line that holds ``words`` and nothing written."""

    def check(folder: Path, *words: str) -> str:
        with pytest.raises(CannotJudge) as told:
            export(folder, "re", tmp_path / "out", "fp32", INPUTS[:10])
        message = str(told.value)
        assert len(message.splitlines()) == 1
        for word in words:
            assert word in message
        assert not (tmp_path / "out").exists()
        assert not [path for path in tmp_path.iterdir() if path.name.startswith(".mt-gate")]
        return message

    return check


def test_no_form_and_no_known_markers(refused: Callable, tmp_path: Path) -> None:
    folder = save_bert(tmp_path / "plain", LABELS, head=CLASSIFIER)
    refused(folder, "no known markers", "input_form.json", '"head": "[E1] {text} [/E1]"')
    both = save_relation_bert(
        tmp_path / "both", data={"head": "[E1] [/E1] <e1> </e1>", "tail": "[E2] [/E2] <e2> </e2>"},
        tell=False,
    )  # fmt: skip
    refused(both, "markers of 2 kinds")


def test_an_encoder_without_its_classifier(
    refused: Callable, folder: Callable[[str], Path]
) -> None:
    starts = folder("starts")
    head = load_file(starts / "classifier.safetensors")
    path = starts / "classifier.safetensors"
    save_file({"weight": head["weight"][:, :32].contiguous(), "bias": head["bias"]}, path)
    refused(starts, "classifier.safetensors: holds", "(4, 64)")
    path.write_bytes(b"not safetensors")
    refused(starts, "classifier.safetensors: no safetensors header")
    path.unlink()
    refused(starts, "no classifier.safetensors", "2 x hidden")
    (starts / "input_form.json").unlink()
    refused(starts, "only an encoder", '"input_form": "entity-starts"')


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", ["input_form.json", "something like"]),
        ("[]", ["input_form.json"]),
        ('{"head": 1}', ["input_form.json"]),
        ('{"input_form": "entity-markers", "heads": "x"}', ["input_form.json", "heads"]),
        ('{"input_form": "entity-pair"}', ["'entity-pair'", "entity-markers, typed-markers"]),
        ("{}", ["input_form ''"]),
        ('{"input_form": "plain-text"}', ["template is ''", "{head}, {tail}"]),
        (
            '{"input_form": "entity-markers", "head": "[H] {text}", "tail": "[T] {text}"}',
            ["'[H]' is not a token"],
        ),
    ],
)
def test_a_form_that_is_unfit(
    refused: Callable, folder: Callable[[str], Path], content: str, words: list[str]
) -> None:
    saved = folder("told")
    (saved / "input_form.json").write_text(content)
    refused(saved, *words)


def test_a_luke_without_its_entities(refused: Callable, folder: Callable[[str], Path]) -> None:
    luke = folder("luke")
    (luke / "entity_vocab.json").write_text('{"[MASK]": 2}')
    refused(luke, "entity_vocab.json", "[MASK2]")
    (luke / "entity_vocab.json").unlink()
    refused(luke, "entity_vocab.json: no such file")
    write_form(luke, entities=[2, 3])
    assert inspect(luke, "re").reading.entities == (2, 3)
    (luke / "merges.txt").unlink()
    (luke / "tokenizer.json").unlink(missing_ok=True)  # which transformers 5 saves, too
    refused(luke, "no usable tokenizer")


@pytest.mark.parametrize("labels", [("same", "same", "other"), ("alone",)])
def test_labels_that_are_unfit(
    refused: Callable, folder: Callable[[str], Path], edit_json: Callable, labels: tuple[str, ...]
) -> None:
    saved = folder("told")
    named = {str(index): label for index, label in enumerate(labels)}
    edit_json(saved / "config.json", lambda config: config.update(id2label=named))
    refused(saved, "config.json: labels are", "once, two or more")


def test_another_architecture(refused: Callable, hugging_face: Path) -> None:
    refused(hugging_face, "BertForTokenClassification", "LukeForEntityPairClassification or For")
