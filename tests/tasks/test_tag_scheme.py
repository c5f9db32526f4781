from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge
from mt_gate.tasks.tag_scheme import entities_of, read_tag_scheme

BIO = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
BIOES = ("O", "B-PER", "I-PER", "E-PER", "S-PER", "S-LOC", "B-LOC", "E-LOC")
BILOU = ("O", "B-PER", "I-PER", "L-PER", "U-PER", "U-LOC")
BARE = ("O", "PER", "LOC")


def entities(labels: tuple[str, ...], tags: str) -> list[tuple[int, int, str]]:
    scheme = read_tag_scheme(labels, where="here")
    return entities_of(
        scheme, [labels.index(tag.replace("\u00a0", " ")) for tag in tags.split(" ")]
    )


@pytest.mark.parametrize(
    ("labels", "tags", "expected"),
    [
        (BIO, "O B-PER I-PER O", [(1, 3, "PER")]),
        (BIO, "B-PER B-PER", [(0, 1, "PER"), (1, 2, "PER")]),
        (BIO, "I-PER I-PER O I-LOC", [(0, 2, "PER"), (3, 4, "LOC")]),  # lenient
        (BIO, "B-PER I-LOC", [(0, 1, "PER"), (1, 2, "LOC")]),
        (BIO, "O O", []),
        (BIOES, "B-PER I-PER E-PER S-PER", [(0, 3, "PER"), (3, 4, "PER")]),
        (BIOES, "S-LOC S-LOC", [(0, 1, "LOC"), (1, 2, "LOC")]),
        (BIOES, "B-PER E-PER I-PER", [(0, 2, "PER"), (2, 3, "PER")]),
        (BILOU, "B-PER L-PER U-LOC O", [(0, 2, "PER"), (2, 3, "LOC")]),
        (("O", "I-PER", "B-PER"), "I-PER I-PER B-PER O", [(0, 2, "PER"), (2, 3, "PER")]),  # IOB1
        (("O", "I-PER", "E-PER"), "I-PER E-PER I-PER", [(0, 2, "PER"), (2, 3, "PER")]),  # IOE
        (
            ("O", "B-X1", "M-X1", "E-X1", "S-X1"),
            "B-X1 M-X1 E-X1 S-X1",
            [(0, 3, "X1"), (3, 4, "X1")],
        ),
        (
            ("O", "B-A", "M-A", "E-A", "W-A"),
            "W-A W-A B-A E-A",
            [(0, 1, "A"), (1, 2, "A"), (2, 4, "A")],
        ),
        (("O", "PER-B", "PER-I"), "PER-B PER-I PER-B", [(0, 2, "PER"), (2, 3, "PER")]),
        (("O", "GPE_NAM_B", "GPE_NAM_I"), "GPE_NAM_B GPE_NAM_I", [(0, 2, "GPE_NAM")]),
        (("O", "B.PER", "I.PER"), "B.PER I.PER", [(0, 2, "PER")]),
        (("O", "B: PER", "I: PER"), "B:\u00a0PER I:\u00a0PER", [(0, 2, "PER")]),
        (("O", "b-per", "i-per"), "b-per i-per", [(0, 2, "PER")]),
        (("o", "b_loc", "i_loc"), "o b_loc i_loc o", [(1, 3, "LOC")]),
        (("O", "B-per", "I-per"), "B-per I-per", [(0, 2, "per")]),
        (("O", "B-e.g.", "I-e.g."), "B-e.g. I-e.g.", [(0, 2, "e.g.")]),
        (("O", "BPER", "IPER", "BLOC", "ILOC"), "BPER IPER BLOC", [(0, 2, "PER"), (2, 3, "LOC")]),
        (("B", "I", "O"), "B I B O I", [(0, 2, ""), (2, 3, ""), (4, 5, "")]),
        (("b", "i", "o"), "b i o", [(0, 2, "")]),
        (("O", "I"), "I I O I", [(0, 2, ""), (3, 4, "")]),
        (("B", "M", "E", "S", "I", "O"), "B M E S O", [(0, 3, ""), (3, 4, "")]),
        (
            ("[PAD]", "B", "I", "O", "X", "[CLS]", "[SEP]"),
            "[CLS] B X B I",
            [(1, 2, ""), (3, 5, "")],
        ),
        (("B-A", "I-A", "O", "X", "[CLS]", "[SEP]"), "B-A I-A X I-A", [(0, 2, "A"), (3, 4, "A")]),
        (("<pad>", "O", "B-A", "I-A", "<START>"), "<pad> B-A <START>", [(1, 2, "A")]),
        (("O", "B-", "I-"), "B- I- B-", [(0, 2, ""), (2, 3, "")]),
        (("O", "begin-per", "inside-per"), "begin-per inside-per", [(0, 2, "PER")]),
        (("O", "PER_START", "PER_CONT"), "PER_START PER_CONT O", [(0, 2, "PER")]),
        (("O", "BEGIN", "INSIDE"), "BEGIN INSIDE BEGIN", [(0, 2, ""), (2, 3, "")]),
        (("O", "LAST_NAME", "MIDDLE_NAME"), "LAST_NAME O", [(0, 1, "LAST_NAME")]),
        (("O", "START_DATE", "END_DATE"), "START_DATE O", [(0, 1, "START_DATE")]),
        (("O", "PER", "[PAD]", "X"), "PER PER X PER", [(0, 2, "PER"), (3, 4, "PER")]),
        (("O", "E-MAIL", "PHONE"), "E-MAIL E-MAIL PHONE", [(0, 2, "E-MAIL"), (2, 3, "PHONE")]),
        (BARE, "PER PER LOC O PER", [(0, 2, "PER"), (2, 3, "LOC"), (4, 5, "PER")]),
    ],
)
def test_reading(labels: tuple[str, ...], tags: str, expected: list) -> None:
    assert entities(labels, tags) == expected


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
    found = entities_of(scheme, ids)
    covered = [at for start, end, _ in found for at in range(start, end)]
    assert covered == [at for at, label in enumerate(ids) if label != 0]
