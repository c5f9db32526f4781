from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from mt_gate.domain import Verdict
from mt_gate.relations.base import ExecutedGroup
from mt_gate.relations.ner.entity_shuffle import RELATION, shuffle


def output(text: str, *names: str) -> dict[str, list]:
    """Return an output with ``names`` ("Anna:PER"), each found after the one before it."""
    result, at = [], 0
    for item in names:
        name, _, label = item.replace("_", " ").partition(":")
        start = text.index(name, at)
        at = start + len(name)
        result.append([start, at, label or "PER"])
    return {"entities": result}


def follow_ups(text: str, *names: str) -> list[str]:
    built = shuffle({"text": text}, output(text, *names), Random(1))
    return [str(item.input["text"]) for item in built]


@cases("relations/names-change-places")
def test_names_of_one_label_change_places(text: str, names: str, follow_up: str) -> None:
    expected = [follow_up] if follow_up else []
    assert follow_ups(text, *names.split()) == expected


@cases("relations/names-stay")
def test_what_is_not_safe_stays(text: str, names: str) -> None:
    assert follow_ups(text, *names.split()) == []


@pytest.mark.parametrize(
    "label",
    "DATE MISC NORP PRODUCT EVENT WORK_OF_ART LAW CARDINAL "  # OntoNotes
    "COMMERCIAL_ITEM OTHER TITLE QUANTITY "  # Amazon Comprehend
    "PersonType DateTime Skill PhoneNumber Email URL IP Address Event misc".split(),  # Azure
)
def test_labels_that_hold_things_of_many_kinds_stay(label: str) -> None:
    assert follow_ups("Anna met Boris.", "Anna", "Boris") == ["Boris met Anna."]
    assert follow_ups("Anna met Boris.", f"Anna:{label}", f"Boris:{label}") == []


@pytest.mark.parametrize(
    "label", ["PERSON", "Person", "per", "LOCATION", "Location", "GPE", "ORGANIZATION", "ORG"]
)
def test_labels_of_one_kind_change_places(label: str) -> None:
    moved = follow_ups("They are Anna and Boris.", f"Anna:{label}", f"Boris:{label}")
    assert moved == ["They are Boris and Anna."]


def test_a_name_that_stays_does_not_keep_the_others() -> None:
    text = "Mrs. Smith met Anna and Boris."
    assert follow_ups(text, "Smith", "Anna", "Boris") == ["Mrs. Smith met Boris and Anna."]


def listing(count: int) -> tuple[str, list[str]]:
    names = [f"{chr(65 + number)}na" for number in range(count)]
    return f"They are {', '.join(names[:-1])} and {names[-1]}.", names


@pytest.mark.parametrize(("count", "expected"), [(2, 1), (3, 5), (4, 23), (5, 8), (9, 8)])
def test_all_orders_of_four_names_and_eight_of_more(count: int, expected: int) -> None:
    text, names = listing(count)
    built = follow_ups(text, *names)
    assert len(built) == len(set(built)) == expected
    assert text not in built


def test_names_of_all_labels_are_swapped_together() -> None:
    text = "Anna and Boris went to Oslo and Bern."
    assert sorted(follow_ups(text, "Anna", "Boris", "Oslo:LOC", "Bern:LOC")) == [
        "Anna and Boris went to Bern and Oslo.",
        "Boris and Anna went to Bern and Oslo.",
        "Boris and Anna went to Oslo and Bern.",
    ]


NAMES = ("Anna", "Boris Lee", "Carl", "NATO", "Oslo", "Lake Erie", "Texas", "the Rhine", "Anna Lee")
GAPS = (" and ", ", ", " met ", " in ", "'s friend ", " of ", " (", ") ", ". ", " the ", " – ", "")


@st.composite
def sentences(draw: st.DrawFn) -> tuple[str, dict[str, list]]:
    """Draw names in any surroundings, each with a label that its words alone decide."""
    text, result = draw(st.sampled_from(("", "The ", "Yesterday, ", "(", "Mr. "))), []
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=8)):
        result.append([len(text), len(text) + len(name), label_of(name)])
        text += name + draw(st.sampled_from(GAPS))
    return text + ".", {"entities": result}


def label_of(name: str) -> str:
    return "PER" if name.split()[0] in ("Anna", "Boris", "Carl") else "LOC"


@given(sentences(), st.randoms(use_true_random=False))
def test_follow_ups_are_rearrangements_that_an_oracle_answers_alike(
    sentence: tuple[str, dict[str, list]], rng: Random
) -> None:
    text, before = sentence
    built = shuffle({"text": text}, before, rng)
    texts = [item.input["text"] for item in built]
    assert len(set(texts)) == len(texts)
    assert text not in texts
    for item in built:
        after = item.input["text"]
        assert Counter(after) == Counter(text)
        for block in item.alignment:
            source = text[block.source : block.source + block.length]
            assert source == after[block.follow_up : block.follow_up + block.length]
        for side in ("source", "follow_up"):
            spans = sorted((getattr(block, side), block.length) for block in item.alignment)
            ends = [0, *(start + length for start, length in spans)]
            assert [start for start, _ in spans] == ends[:-1]
            assert ends[-1] == len(text)
        oracle = {"entities": oracle_entities(text, before, after)}
        case = ExecutedGroup({"text": text}, item.input, before, oracle, item.alignment)
        assert RELATION.holds(case).verdict is Verdict.SATISFIED


def oracle_entities(text: str, before: dict[str, list], after: str) -> list[list]:
    """Label ``after`` by the names' words alone; the text between them is the source's."""
    gaps, at = [], 0
    for start, end, _ in before["entities"]:
        start += 4 * text.startswith("the ", start)  # the article stays
        gaps.append(text[at:start])
        at = end
    gaps.append(text[at:])
    names = sorted({name.removeprefix("the ") for name in NAMES}, key=len, reverse=True)
    pattern = f"({'|'.join(names)})".join(map(re.escape, gaps))
    match = re.fullmatch(pattern, after)
    assert match is not None
    return [
        [*match.span(group), label_of(match.group(group))]
        for group in range(1, len(before["entities"]) + 1)
    ]


@given(sentences(), st.integers())
def test_one_seed_gives_one_result(sentence: tuple[str, dict[str, list]], seed: int) -> None:
    text, before = sentence
    first, second = (shuffle({"text": text}, before, Random(seed)) for _ in range(2))
    assert first == second


@given(st.text(max_size=60), st.data())
def test_any_text_and_any_spans_are_borne(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = [[start, end, "X"] for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    for item in shuffle({"text": text}, {"entities": spans}, Random(1)):
        assert Counter(item.input["text"]) == Counter(text)
