"""Sentences with head and tail as tokens: what is shown, where, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import table
from making_re import (
    FORMS,
    INPUTS,
    LABELS,
    MARKED,
    save_luke,
    save_relation_bert,
    save_relation_roberta,
)
from mt_gate.base.errors import CannotJudge
from mt_gate.domain import NotApplicable
from mt_gate.sut.card import Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.reader import InputRefusal
from mt_gate.sut.relation_text import (
    EncodedPair,
    EntityPairReader,
    RelationReader,
    StartsReader,
    check_labels,
    decode,
    with_scores,
)

pytest.importorskip("transformers", reason="needs mt-gate[export]")

LETTERS = st.text("abc é ,.@[]E1/<>\t東😀'", min_size=1, max_size=12)
Make = Callable[..., RelationReader]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = tmp_path_factory.mktemp("tokenizers")
    berts = {form: save_relation_bert(made / form, form=form) for form in FORMS}
    return {**berts, "byte-level": save_relation_roberta(made / "roberta")}


@pytest.fixture(scope="module")
def make(folders: dict[str, Path]) -> Make:
    def reader(form: str, folder: str = "", **data: Any) -> RelationReader:
        length = data.pop("max_length", 64)
        named = {**FORMS.get(form, MARKED), **data}
        card = Card(task="re", labels=LABELS, input_form=form, max_length=length, **named)
        kind = StartsReader if form == "entity-starts" else RelationReader
        return kind(CheckpointFolder(folders[folder or form]), card)

    return reader


def value(text: str, head: str, tail: str, *types: str) -> dict[str, Any]:
    kinds = types or ("PERSON", "CITY")
    spans = ((text.index(words), text.index(words) + len(words)) for words in (head, tail))
    one, other = ([*span, kind] for span, kind in zip(spans, kinds, strict=True))
    return {"text": text, "head": one, "tail": other}


def tokens(reader: RelationReader, item: dict[str, Any]) -> str:
    (result,) = reader.encode([item])
    assert isinstance(result, EncodedPair), result
    return " ".join(reader.tokenizer.id_to_token(int(number)) for number in result.ids)


def refusal(reader: RelationReader, item: dict[str, Any]) -> str:
    (result,) = reader.encode([item])
    assert isinstance(result, InputRefusal), result
    return result.reason


@pytest.mark.parametrize(
    ("form", "expected"), table(__file__, "what_each_form_shows_where_the_head_is_last")
)
def test_what_each_form_shows_where_the_head_is_last(make: Make, form: str, expected: str) -> None:
    assert tokens(make(form), value("In Oslo Anna was.", "Anna", "Oslo")) == expected


@pytest.mark.parametrize("folder", ["entity-markers", "byte-level"])
@pytest.mark.parametrize("form", ["entity-markers", "entity-starts"])
def test_tokens_are_those_of_transformers(
    make: Make, folders: dict[str, Path], form: str, folder: str
) -> None:
    from transformers import AutoTokenizer

    reader, tokenizer = make(form, folder), AutoTokenizer.from_pretrained(folders[folder])
    for item in INPUTS[:60]:
        text, places = item["text"], sorted([(*item["head"], "1"), (*item["tail"], "2")])
        for start, end, _, number in reversed(places):
            marked = f"[E{number}] {text[start:end]} [/E{number}]"
            text = text[:start] + marked + text[end:]
        (actual,) = reader.encode([item])
        assert isinstance(actual, EncodedPair)
        assert actual.ids.tolist() == tokenizer(text).input_ids
        starts = [
            actual.ids.tolist().index(reader.tokenizer.token_to_id(m)) for m in ("[E1]", "[E2]")
        ]
        assert [start for start, _ in actual.spans] == starts
        if form == "entity-starts":
            assert reader.feeds([actual])["entity_starts"].tolist() == [starts]


@settings(max_examples=150)
@given(parts=st.tuples(LETTERS, LETTERS, LETTERS, LETTERS, LETTERS), swapped=st.booleans())
@pytest.mark.parametrize("folder", ["entity-markers", "byte-level"])
def test_markers_stand_once_each_whatever_the_text(
    make: Make, folder: str, parts: tuple[str, ...], swapped: bool
) -> None:
    reader = make("entity-starts", folder, max_length=500)
    text, at = "".join(parts), [0]
    for part in parts:
        at.append(at[-1] + len(part))
    one, other = [at[1], at[2], ""], [at[3], at[4], ""]
    head, tail = (other, one) if swapped else (one, other)
    (actual,) = reader.encode([{"text": text, "head": head, "tail": tail}])
    if isinstance(actual, InputRefusal):
        assert actual.reason == NotApplicable.MARKER_IN_TEXT
        assert "[E1]" in text or "[/E1]" in text
        return
    order = ["[E2]", "[/E2]", "[E1]", "[/E1]"] if swapped else ["[E1]", "[/E1]", "[E2]", "[/E2]"]
    markers = [reader.tokenizer.token_to_id(marker) for marker in order]
    assert [number for number in actual.ids.tolist() if number in markers] == markers
    for (start, end), sign in zip(actual.spans, ("1", "2"), strict=True):
        ends = actual.ids[start], actual.ids[end - 1]
        assert ends == tuple(reader.tokenizer.token_to_id(m) for m in (f"[E{sign}]", f"[/E{sign}]"))


@pytest.mark.parametrize("form", ["entity-markers", "entity-starts", "plain-text", "byte-level"])
@pytest.mark.parametrize("hostile", ["[E2] Rome [/E2]", "[SEP]", "[/E1]", "a[E1]b", "<s>", "</s>"])
def test_special_tokens_in_the_sentence_are_not_read(make: Make, form: str, hostile: str) -> None:
    folder = "byte-level" if form == "byte-level" else "entity-markers"
    reader = make("entity-markers" if form == "byte-level" else form, folder)
    known = {token.content for token in reader.tokenizer.get_added_tokens_decoder().values()}
    texts = (f"Anna {hostile} in Oslo.", f"{hostile} Anna in Oslo.", f"Anna in Oslo {hostile}")
    for text in texts:
        actual = reader.encode([value(text, "Anna", "Oslo")])[0]
        is_marker = any(token in hostile for token in known)
        assert isinstance(actual, InputRefusal) == is_marker
        assert not is_marker or actual == InputRefusal(NotApplicable.MARKER_IN_TEXT)
    within = value("Anna [/E1] X in Oslo.", "Anna [/E1] X", "Oslo")
    assert refusal(reader, within) == NotApplicable.MARKER_IN_TEXT


def test_types_without_a_name(make: Make) -> None:
    for kinds in (("PERSON", "COUNTRY"), ("", "CITY"), ("TITLE", "")):
        item = value("Anna was in Oslo.", "Anna", "Oslo", *kinds)
        assert refusal(make("typed-markers"), item) == NotApplicable.UNKNOWN_TYPE
        other = make("typed-markers", other_type="CITY")
        assert "</S:" in tokens(other, item)


def test_a_long_sentence_is_refused_whole(make: Make) -> None:
    item = value("Anna was in Oslo.", "Anna", "Oslo")
    length = len(tokens(make("entity-markers"), item).split())
    assert tokens(make("entity-markers", max_length=length), item)
    assert refusal(make("entity-markers", max_length=length - 1), item) == "truncated"


def test_an_argument_that_the_tokenizer_drops(make: Make) -> None:
    """BERT's normaliser drops control characters: here all of a template and its words."""
    punctuated = {
        "head": "\x01{text}\x01{type}",
        "tail": "# {type} {text} #",
        "types": {"PERSON": "\x02", "CITY": "in"},
    }
    reader = make("typed-markers", "entity-markers", **punctuated)
    item = {"text": "\x03 in Oslo", "head": [0, 1, "PERSON"], "tail": [5, 9, "CITY"]}
    assert refusal(reader, item) == NotApplicable.ARGUMENT_UNREAD


THREE = ("no_relation", "spouse", "child")


def test_all_scores_where_they_are_wanted() -> None:
    scores = np.array([0.1234567, 2, -3], np.float32)
    actual = with_scores(decode(THREE, scores), scores)
    assert actual.output is not None
    assert actual.output["scores"] == [0.123457, 2.0, -3.0]
    assert actual.output["relation"] == "spouse"


@pytest.mark.parametrize("labels", [(), ("one",), ("one", "two", "one"), ("one", " ")])
def test_labels_that_are_unfit(labels: tuple[str, ...]) -> None:
    with pytest.raises(CannotJudge, match=r"^here has .*once"):
        check_labels(labels, "here")


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
    (result,) = reader.encode([item])
    assert isinstance(result, EncodedPair), result
    spans = [tuple(item[name][:2]) for name in ("head", "tail")]
    wanted = slow(item["text"], entity_spans=spans, return_token_type_ids=True)
    feeds = reader.feeds([result])
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


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_any_finite_scores_are_read(scores: list[float]) -> None:
    actual = decode(LABELS, np.array(scores, np.float32))
    assert actual.output is not None
    assert actual.output["relation"] == LABELS[int(np.argmax(scores))]
    assert 1 / 3 - 1e-6 <= actual.output["score"] <= 1
    assert actual.margin >= 0
