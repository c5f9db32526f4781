"""What the checkpoints of docs/text.md are made of."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason="needs mt-gate[export]")
pytest.importorskip("spacy", reason="needs mt-gate[suite]")

from onnx import save
from tokenizers import Tokenizer, models, pre_tokenizers

from making_stated import Pair, write_stated
from mt_gate.base.errors import PASS
from mt_gate.suites.format import find_suite, read_suite
from mt_gate_suites.text.inference.templates import CONTRADICTION, ENTAILMENT, NEUTRAL
from train_text_references import bayes, inference, weights, word_sum


def test_no_pair_of_the_suite_is_trained_on() -> None:
    part = inference()
    suite = read_suite(find_suite("inference-default"))
    inputs = [source.input for source in suite.sources]
    inputs += [group.follow_up for group in suite.groups]
    asked = {(one["text"], one["second"]) for one in inputs}
    trained, tested = ({row.texts for row in rows} for rows in part)
    assert not trained & asked
    assert not tested & (asked | trained)
    assert {row.label for row in part.train} == {ENTAILMENT, NEUTRAL, CONTRADICTION}
    assert len(part.train) > 8 * len(part.test) > 1000


def test_each_label_counts_as_much_as_any_other() -> None:
    rows = inference().train
    labels = sorted({row.label for row in rows})
    found = dict(zip(labels, weights(labels, rows).tolist(), strict=True))
    sums = {label: sum(found[row.label] for row in rows if row.label == label) for label in labels}
    assert [*sums.values()] == pytest.approx([len(rows) / 3] * 3, rel=1e-4)


def test_weights_of_pieces() -> None:
    table = bayes([[1, 2], [1]], [0, 1], 4)
    assert table.shape == (4, 2)
    assert table[0].tolist() == table[3].tolist() == [0, 0], "no text has it"
    assert table[1].tolist() == pytest.approx([np.log(2 / 6), np.log(2 / 5)])
    assert table[2].tolist() == pytest.approx([np.log(2 / 6), np.log(1 / 5)])


def test_a_plain_model_is_gated(command: Callable[..., Any], tmp_path: Path) -> None:
    """Model, tokenizer and card as a user would put them next to each other, without PyTorch."""
    words = ["[UNK]", "good", "bad"]
    folder = tmp_path / "plain"
    folder.mkdir()
    save(word_sum(bayes([[1], [2, 2]], [0, 1], 3)), folder / "model.onnx")
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    card = {"task": "text", "labels": ["fair", "hateful"], "max_length": 64}
    (folder / "checkpoint.json").write_text(json.dumps(card))
    pairs: list[Pair] = [
        ({"text": f"{at} {word}"}, {"text": f"{at} {word} {word}"})
        for at in range(12)
        for word in ("good", "bad")
    ]
    suite = write_stated(tmp_path / "suite", "text", {"text/again": {"kind": "same"}}, pairs)
    done = command(
        *("run", "--checkpoint", folder, "--task", "text", "--suite", suite),
        *("--out", tmp_path / "out", "--cache", tmp_path / "cache"),
    )
    assert done.code == PASS, done
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["profile"]["candidate"]
    assert result["overall"]["violated"] == 0
    assert result["overall"]["applicable"] == len(pairs)
