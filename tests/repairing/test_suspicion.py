from __future__ import annotations

from mt_gate.domain import Block, Side
from mt_gate.relations.base import ExecutedGroup
from mt_gate.repairing.reading import suspects

SOURCE, QUESTION = "Anna was in Oslo.", "Was Anna in Oslo?"
BLOCKS = (Block(0, 4, 4), Block(5, 0, 3), Block(9, 9, 7))


def list_suspects(
    before: list, after: list, blocks: tuple = BLOCKS
) -> list[tuple[Side, str, str | None]]:
    outputs = ({"entities": before}, {"entities": after})
    case = ExecutedGroup({"text": SOURCE}, {"text": QUESTION}, *outputs, blocks)
    return [(side, suspect.words, suspect.said) for side, suspect in suspects(case)]


def test_a_stretch_with_two_labels_is_suspicious_on_both_sides() -> None:
    assert list_suspects([[0, 4, "PER"]], [[4, 8, "ORG"]]) == [
        (Side.SOURCE, "Anna", "PER"),
        (Side.FOLLOW_UP, "Anna", "ORG"),
    ]


def test_no_entity_is_a_label() -> None:
    assert list_suspects([], [[12, 16, "LOC"]]) == [
        (Side.SOURCE, "Oslo", None),
        (Side.FOLLOW_UP, "Oslo", "LOC"),
    ]


def test_both_ranges_of_an_entity_are_suspicious() -> None:
    ranges = list_suspects([[9, 16, "LOC"]], [[12, 16, "LOC"]])
    assert [(words, said) for side, words, said in ranges if side is Side.SOURCE] == [
        ("in Oslo", "LOC"),
        ("Oslo", None),
    ]


def test_what_agrees_is_not_suspicious() -> None:
    assert list_suspects([[0, 4, "PER"]], [[4, 8, "PER"]]) == []
    assert list_suspects([], []) == []


def test_a_full_stop_and_an_article_make_no_difference() -> None:
    assert list_suspects([[12, 17, "LOC"]], [[12, 16, "LOC"]]) == []


def test_inserted_and_split_stretches_are_not_suspicious() -> None:
    assert list_suspects([], [[0, 3, "ORG"]], BLOCKS[:1]) == []
    assert list_suspects([[0, 8, "ORG"]], []) == []
