"""Exports against PyTorch itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from making import LABELS, SENTENCES, save_bert, save_roberta
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.exporting.hugging_face import inspect
from mt_gate.exporting.precision import quantise
from mt_gate.sut.card import CheckpointOptions, read_card
from mt_gate.sut.onnx import OnnxSystem

pytest.importorskip("torch", reason="needs mt-gate[export]")
pytest.importorskip("transformers", reason="needs mt-gate[export]")

from mt_gate.exporting.export import export
from mt_gate.exporting.parity import BOUNDS

INPUTS = [{"text": text} for text in SENTENCES]


def spans(system: OnnxSystem, texts: list[str]) -> dict[int, object]:
    batches = system.predict([{"text": text} for text in texts])
    return {index: prediction.output for batch in batches for index, prediction in batch}


def test_card_and_parity(exported: Path) -> None:
    card = read_card(exported)
    assert card.parity is not None
    assert card.parity.inputs >= 256
    assert card.parity.equal_predictions == 1
    assert card.parity.largest_logit_difference < BOUNDS["fp32"].logits
    assert card.labels == LABELS
    assert card.max_length == 64
    assert card.architecture == "BertForTokenClassification"
    assert card.fingerprint.startswith("sha256:")


def test_nothing_of_the_exporting_machine_stays_in_the_model(exported: Path) -> None:
    assert b".py" not in (exported / "model.onnx").read_bytes()


@pytest.mark.parametrize("precision", ["int8", "fp16"])
def test_smaller_precisions(hugging_face: Path, tmp_path: Path, precision: str) -> None:
    card = export(hugging_face, "ner", tmp_path / "small", precision, INPUTS)
    assert card.precision == precision
    assert OnnxSystem(tmp_path / "small", "ner", "cpu").head.runtime.precision == precision


def test_byte_level_positions_from_the_padding_on(tmp_path: Path) -> None:
    folder = save_roberta(tmp_path / "roberta", LABELS)
    card = export(folder, "ner", tmp_path / "out", "fp32", INPUTS)
    assert card.max_length == 60
    assert spans(OnnxSystem(tmp_path / "out", "ner", "cpu"), SENTENCES[:3])


@pytest.mark.parametrize("family", ["Roberta", "RobertaPreLayerNorm", "Data2VecText", "Xmod"])
def test_the_longest_input_is_found_by_trying(tmp_path: Path, family: str) -> None:
    """Positions counted from the padding id, which config.json need not name."""
    more = {"languages": ["de_DE", "en_XX"], "default_language": "en_XX"}
    more = more if family == "Xmod" else {}
    folder = save_roberta(tmp_path / "saved", LABELS, family=family, **more)
    for name, key in (
        ("config.json", "pad_token_id"),
        ("tokenizer_config.json", "model_max_length"),
    ):
        content = json.loads((folder / name).read_text())
        content.pop(key, None)
        (folder / name).write_text(json.dumps(content))
    card = export(folder, "ner", tmp_path / "out", "fp32", INPUTS[:20])
    assert card.max_length == 64  # of 66 places
    long = spans(OnnxSystem(tmp_path / "out", "ner", "cpu"), ["z" * 62, "z" * 63])
    assert [long[0] is None, long[1] is None] == [False, True]
    asked = CheckpointOptions(max_length=65)
    with pytest.raises(UsageError, match="takes at most 64 tokens"):
        export(folder, "ner", tmp_path / "no", "fp32", INPUTS[:20], asked)


def test_fingerprint_follows_the_weights(
    hugging_face: Path, exported: Path, tmp_path: Path
) -> None:
    other = save_bert(tmp_path / "other", LABELS, seed=4)
    assert inspect(other, "ner").fingerprint != read_card(exported).fingerprint
    assert inspect(hugging_face, "ner").fingerprint == read_card(exported).fingerprint


def test_an_export_unlike_its_checkpoint_is_refused(
    hugging_face: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mt_gate.exporting import writing

    write = writing.write_onnx

    def worse(model: object, config: object, path: Path, *rest: object) -> None:
        import onnx

        write(model, config, path, *rest)
        changed = onnx.load(path)
        bias = next(i for i in changed.graph.initializer if i.name.endswith("classifier.bias"))
        values = onnx.numpy_helper.to_array(bias) + np.float32([9, 0, 0, 0, 0, 0, 0])
        bias.CopyFrom(onnx.numpy_helper.from_array(values, bias.name))
        onnx.save(changed, path)

    monkeypatch.setattr(writing, "write_onnx", worse)
    with pytest.raises(CannotJudge, match="differs from torch"):
        export(hugging_face, "ner", tmp_path / "out", "fp32", INPUTS)
    assert not (tmp_path / "out").exists()


def test_missing_weights_are_not_made_up(hugging_face: Path, tmp_path: Path) -> None:
    import shutil

    from safetensors.numpy import load_file, save_file

    folder = Path(shutil.copytree(hugging_face, tmp_path / "headless"))
    tensors = load_file(folder / "model.safetensors")
    del tensors["classifier.weight"]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(CannotJudge, match=r"classifier\.weight"):
        export(folder, "ner", tmp_path / "out", "fp32", INPUTS)


def test_nothing_else_is_overwritten(hugging_face: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("kept")
    with pytest.raises(UsageError, match="is not an export"):
        export(hugging_face, "ner", tmp_path / "mine", "fp32", INPUTS)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "kept"


def test_a_hand_written_card_is_enough(exported: Path, tmp_path: Path) -> None:
    import shutil

    folder = Path(shutil.copytree(exported, tmp_path / "by-hand"))
    card = {"task": "ner", "labels": LABELS, "max_length": 64}
    (folder / "checkpoint.json").write_text(json.dumps(card))
    by_hand = OnnxSystem(folder, "ner", "cpu")
    assert by_hand.head.fingerprint.startswith("sha256:")
    assert spans(by_hand, SENTENCES[:9]) == spans(OnnxSystem(exported, "ner", "cpu"), SENTENCES[:9])


def test_command(command, hugging_face: Path, tmp_path: Path) -> None:
    answer = command("export", hugging_face, "--task", "ner", "--out", tmp_path / "out")
    assert answer.code == 0, answer
    assert "largest logit difference" in answer.err
    nowhere = command("export", "no/such-checkpoint", "--task", "ner", "--out", tmp_path / "no")
    assert nowhere.code == 2
    assert len(nowhere.err.strip().splitlines()) == 1


def test_real_checkpoint(fine_tuned: Callable[[str], Path]) -> None:
    """A fine-tuned checkpoint: its tokenizer asks for cutting at 80 tokens, which must not be."""
    folder = fine_tuned("ner")
    parity = read_card(folder).parity
    assert parity is not None
    assert parity.equal_predictions == 1
    (output,) = spans(OnnxSystem(folder, "ner", "cpu"), ["x " * 200 + "in Berlin."]).values()
    assert output == {"entities": [[403, 409, "LOC"]]}


@given(arrays.arrays(np.float32, (5, 7), elements=st.floats(-100, 100, width=32)))
@example(np.full((5, 7), 2.28e-43, np.float32))
def test_rows_are_rounded_by_half_a_scale_at_most(values: np.ndarray) -> None:
    rounded, scale = quantise(values)
    assert rounded.dtype == np.int8
    assert np.all(np.abs(rounded * scale - values) <= scale * 0.501)


def test_what_stands_beside_an_export_is_not_removed(hugging_face: Path, tmp_path: Path) -> None:
    out = tmp_path / "exported"
    export(hugging_face, "ner", out, "fp32", INPUTS)
    export(hugging_face, "ner", out, "fp32", INPUTS)  # an earlier export gives way
    (out / "thesis.txt").write_text("kept")
    with pytest.raises(UsageError, match="is not an export alone"):
        export(hugging_face, "ner", out, "fp32", INPUTS)
    assert (out / "thesis.txt").read_text() == "kept"
