"""Exports of each family of architectures against PyTorch itself, and where they are written."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from making import LABELS, SENTENCES, save_roberta
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.exporting.hugging_face import inspect, report_failures
from mt_gate.sut.card import CheckpointOptions, read_card
from mt_gate.sut.onnx import OnnxSystem
from speeds import first_daily

pytest.importorskip("torch", reason="needs mt-gate[export]")
pytest.importorskip("transformers", reason="needs mt-gate[export]")


from mt_gate.exporting import models
from mt_gate.exporting.export import export
from mt_gate.exporting.models import BOUNDS

INPUTS = [{"text": text} for text in SENTENCES]


def answer(system: OnnxSystem, texts: Sequence[str]) -> Mapping[int, Any]:
    batches = system.predict([{"text": text} for text in texts])
    return {index: prediction.output for batch in batches for index, prediction in batch}


def test_card_and_parity(hugging_face: Path, exported: Path) -> None:
    card = read_card(exported)
    assert card.parity is not None
    assert card.parity.inputs >= 256
    assert card.parity.equal_predictions == 1
    assert card.parity.largest_logit_difference < BOUNDS["fp32"][0]
    assert (card.labels, card.max_length) == (LABELS, 64)
    assert card.architecture == "BertForTokenClassification"
    assert card.fingerprint == inspect(hugging_face, "ner").fingerprint
    assert b".py" not in (exported / "model.onnx").read_bytes()  # paths of this machine


@pytest.mark.parametrize("precision", first_daily(["int8", "fp16"]))
def test_smaller_precisions(hugging_face: Path, tmp_path: Path, precision: str) -> None:
    card = export(hugging_face, "ner", tmp_path / "small", precision, INPUTS)
    assert card.precision == precision
    assert OnnxSystem(tmp_path / "small", "ner", "cpu").head.runtime.precision == precision


@pytest.mark.parametrize(
    "family", first_daily(["Roberta", "RobertaPreLayerNorm", "Data2VecText", "Xmod"])
)
def test_the_longest_input_is_measured(tmp_path: Path, edit_json: Callable, family: str) -> None:
    """Positions counted from the padding id, which config.json need not name."""
    languages = {"languages": ["de_DE", "en_XX"], "default_language": "en_XX"}
    more = languages if family == "Xmod" else {}
    folder = save_roberta(tmp_path / "saved", LABELS, family=family, **more)
    edit_json(folder / "config.json", lambda config: config.pop("pad_token_id", None))
    edit_json(
        folder / "tokenizer_config.json", lambda settings: settings.pop("model_max_length", None)
    )
    card = export(folder, "ner", tmp_path / "out", "fp32", INPUTS[:20])
    assert card.max_length == 64  # of 66 places
    long = answer(OnnxSystem(tmp_path / "out", "ner", "cpu"), ["z" * 62, "z" * 63])
    assert [long[0] is None, long[1] is None] == [False, True]
    options = CheckpointOptions(max_length=65)
    if family == "Roberta":
        with pytest.raises(UsageError, match="takes at most 64"):
            export(folder, "ner", tmp_path / "no", "fp32", INPUTS[:20], options)


def test_a_stray_key_in_the_configuration(
    hugging_face: Path, tmp_path: Path, edit_json: Callable
) -> None:
    """The inputs follow ``forward()``, which takes no types of tokens in DistilBERT."""
    from transformers import DistilBertConfig, DistilBertForTokenClassification

    folder = Path(shutil.copytree(hugging_face, tmp_path / "saved"))
    labels = {"id2label": dict(enumerate(LABELS)), "num_labels": len(LABELS)}
    sizes = {"dim": 32, "hidden_dim": 64, "n_layers": 1, "n_heads": 2}
    config = DistilBertConfig(max_position_embeddings=64, **sizes, **labels)
    DistilBertForTokenClassification(config).save_pretrained(folder)
    before = export(folder, "ner", tmp_path / "before", "fp32", INPUTS[:20])
    stray = {"type_vocab_size": 2, "is_decoder": False, "n_positions": 9, "notes": {"by": "Anna"}}
    edit_json(folder / "config.json", lambda saved: saved.update(stray))
    after = export(folder, "ner", tmp_path / "after", "fp32", INPUTS[:20])
    assert after.parity == before.parity
    texts = SENTENCES[:20]
    systems = (OnnxSystem(tmp_path / name, "ner", "cpu") for name in ("before", "after"))
    one, other = (answer(system, texts) for system in systems)
    assert one == other


def test_an_architecture_of_a_later_version(
    hugging_face: Path, tmp_path: Path, edit_json: Callable
) -> None:
    folder = Path(shutil.copytree(hugging_face, tmp_path / "saved"))
    edit_json(folder / "config.json", lambda saved: saved.update(model_type="bert-of-2030"))
    with pytest.raises(CannotJudge, match="know model type 'bert-of-2030'"):
        export(folder, "ner", tmp_path / "out", "fp32", INPUTS[:2])


def test_an_export_unlike_its_checkpoint_is_refused(
    hugging_face: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = models.write_onnx

    def worse(model: object, config: object, path: Path, *rest: object) -> None:
        import onnx

        write(model, config, path, *rest)
        changed = onnx.load(path)
        bias = next(i for i in changed.graph.initializer if i.name.endswith("classifier.bias"))
        values = onnx.numpy_helper.to_array(bias) + np.float32([9, 0, 0, 0, 0, 0, 0])
        bias.CopyFrom(onnx.numpy_helper.from_array(values, bias.name))
        onnx.save(changed, path)

    monkeypatch.setattr(models, "write_onnx", worse)
    with pytest.raises(CannotJudge, match="does not match torch"):
        export(hugging_face, "ner", tmp_path / "out", "fp32", INPUTS)
    assert not (tmp_path / "out").exists()


def test_only_an_earlier_export_gives_way(hugging_face: Path, tmp_path: Path) -> None:
    out, mine = tmp_path / "exported", tmp_path / "mine"
    export(hugging_face, "ner", out, "fp32", INPUTS[:9])
    export(hugging_face, "ner", out, "fp32", INPUTS[:9])
    mine.mkdir()
    for folder in (out, mine):
        (folder / "thesis.txt").write_text("kept")
        with pytest.raises(UsageError, match="has files that no export wrote"):
            export(hugging_face, "ner", folder, "fp32", INPUTS[:9])
        assert (folder / "thesis.txt").read_text() == "kept"


def test_command(command, hugging_face: Path, tmp_path: Path) -> None:
    whole = command("export", hugging_face, "--task", "ner", "--out", tmp_path / "out")
    assert whole.code == 0, whole
    assert "largest logit difference" in whole.err
    nowhere = command("export", "no/such-checkpoint", "--task", "ner", "--out", tmp_path / "no")
    assert nowhere.code == 2
    assert len(nowhere.err.strip().splitlines()) == 1


def test_real_checkpoint(fine_tuned: Callable[[str], Path]) -> None:
    """A fine-tuned checkpoint: its tokenizer asks for cutting at 80 tokens, which must not be."""
    folder = fine_tuned("ner")
    parity = read_card(folder).parity
    assert parity is not None
    assert parity.equal_predictions == 1
    (output,) = answer(OnnxSystem(folder, "ner", "cpu"), ["x " * 200 + "in Berlin."]).values()
    assert output == {"entities": [[403, 409, "LOC"]]}


class Panic(BaseException):
    """As libraries in Rust raise it."""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("two\nlines"), "two lines"),
        (Panic("index out of bounds"), "index out of bounds"),
        (SystemExit(1), "(1)"),
        (MemoryError(), "(MemoryError)"),
        (KeyError("/tmp/ours/config.json"), "mine/config.json"),
        (ValueError("a " * 10**6), "a a a"),
    ],
)
def test_one_line(error: BaseException, words: str) -> None:
    hiding = ("/tmp/ours", "mine")
    with pytest.raises(CannotJudge) as actual, report_failures("x: failed", "Y.", hiding=hiding):
        raise error
    assert str(actual.value).startswith("x: failed (")
    assert str(actual.value).endswith("). Y.")
    assert words in str(actual.value)
    assert len(str(actual.value)) < 250
