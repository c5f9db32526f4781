from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from mt_gate.base.errors import CannotJudge
from mt_gate.tasks.tag_scheme import entities_of, read_tag_scheme

BIO = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
BIOES = ("O", "B-PER", "I-PER", "E-PER", "S-PER", "S-LOC", "B-LOC", "E-LOC")
BILOU = ("O", "B-PER", "I-PER", "L-PER", "U-PER", "U-LOC")
BARE = ("O", "PER", "LOC")


def entities(labels: Sequence[str], tags: str) -> list[tuple[int, int, str]]:
    scheme = read_tag_scheme(labels, where="here")
    return entities_of(
        scheme, [labels.index(tag.replace("\u00a0", " ")) for tag in tags.split(" ")]
    )


@pytest.mark.parametrize(
    ("labels", "tags", "expected"),
    table(__file__, "reading"),
)
def test_reading(labels: list[str], tags: str, expected: list) -> None:
    assert [[*one] for one in entities(labels, tags)] == expected


def test_names_of_schemes() -> None:
    names = [read_tag_scheme(labels, where="x").name for labels in (BIO, BIOES, BILOU, BARE)]
    assert names == ["bio", "bioes", "bioes", "types"]
    assert read_tag_scheme(BIO, where="x").types == ["LOC", "PER"]


@pytest.mark.parametrize(
    "labels",
    [(), ("O",), ("LABEL_0", "LABEL_1"), ("negative", "positive"), ("O", "O", "PER"),
     ("O", "B-PER", "LOC"), ("B-PER", "I-PER"), ("O", "b-per", "LOC"), ("O", "PER-B", "LOC"),
     ("O", "B", "I", "LOC"), ("O", "B.PER", "I_PER", "LOC"), ("O", "E-PER", "S-PER", "LOC"),
     ("O", "BPER", "IPER", "LOC"), ("O", "M", "E", "S"), ("O", "BEGIN-PER", "IN-PER", "LOC"),
     ("[CLS]", "X", "O"), ("B", "I", "X")],
)  # fmt: skip
def test_what_is_no_scheme_is_refused_in_one_line(labels: tuple[str, ...]) -> None:
    with pytest.raises(CannotJudge, match="tag scheme") as caught:
        read_tag_scheme(labels, where="config.json")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("config.json")


@given(st.lists(st.integers(0, len(BIOES) - 1)))
def test_entities_are_sorted_disjoint_and_cover_every_tag(ids: list[int]) -> None:
    scheme = read_tag_scheme(BIOES, where="here")
    actual = entities_of(scheme, ids)
    covered = [at for start, end, _ in actual for at in range(start, end)]
    assert covered == [at for at, label in enumerate(ids) if label != 0]
