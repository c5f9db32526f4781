"""LUKE's tensors, held against the tokenizer of transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from making_re import INPUTS, LABELS, save_luke
from mt_gate.sut.card import Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.relation_text import EncodedPair, EntityPairReader

pytest.importorskip("transformers", reason="needs mt-gate[export]")

TEXT = st.text("abcAB é ,.'s-1東😀\n", min_size=1, max_size=14)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[EntityPairReader, Any]:
    from transformers import AutoTokenizer

    from mt_gate.exporting.tokenizer import byte_level_form

    folder: Path = save_luke(tmp_path_factory.mktemp("luke") / "luke")
    slow = AutoTokenizer.from_pretrained(folder)  # in transformers 5 it is fast itself
    fast = slow.backend_tokenizer if slow.is_fast else byte_level_form(slow)
    fast.save(str(folder / "tokenizer.json"))
    card = Card(
        task="re",
        labels=LABELS,
        input_form="entity-pair",
        head="<ent>{text}<ent>",
        tail="<ent2>{text}<ent2>",
        entities=(2, 3),
        max_length=120,
    )
    return EntityPairReader(CheckpointFolder(folder), card), slow


def assert_as_transformers(both: tuple[EntityPairReader, Any], item: dict[str, Any]) -> None:
    reader, slow = both
    (found,) = reader.encode([item])
    assert isinstance(found, EncodedPair), found
    spans = [tuple(item[name][:2]) for name in ("head", "tail")]
    wanted = slow(item["text"], entity_spans=spans, return_token_type_ids=True)
    feeds = reader.feeds([found])
    for name in (*reader.inputs.required, "attention_mask", "entity_attention_mask"):
        assert feeds[name][0].tolist() == list(wanted[name]), name


def test_made_up_sentences(both: tuple[EntityPairReader, Any]) -> None:
    for item in INPUTS[:100]:
        assert_as_transformers(both, item)


@settings(max_examples=200)
@given(parts=st.tuples(TEXT, TEXT, st.text(" ,a", max_size=2), TEXT, TEXT), swapped=st.booleans())
def test_any_text(
    both: tuple[EntityPairReader, Any], parts: tuple[str, ...], swapped: bool
) -> None:
    first, one, between, other, last = parts
    # An argument has more than blanks; LUKE's own tokenizer has no place for one that has not.
    one, other = f"x{one}", f"{other}x"
    text = first + one + between + other + last
    start = len(first)
    far = start + len(one) + len(between)
    spans = [[start, start + len(one), ""], [far, far + len(other), ""]]
    head, tail = reversed(spans) if swapped else spans
    assert_as_transformers(both, {"text": text, "head": head, "tail": tail})
