"""Of texts that are nearly the same one is kept, and none is lost to one that is not like it."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mt_gate_suites.measures.near_duplicates import drop_near_duplicates, runs_of

TEXTS = st.lists(
    st.lists(st.sampled_from("one two three four five six".split()), max_size=12).map(" ".join)
)
LEAST = st.floats(0.3, 1)


def likeness(one: str, other: str) -> float:
    first, second = runs_of(one), runs_of(other)
    return len(first & second) / len(first | second)


def test_one_of_two_that_differ_in_a_word() -> None:
    start = "The river flows through the old town of Vienna and then through the city of "
    near = [start + "Budapest.", start + "Bratislava."]
    other = "Belarus shares a border with Russia, and has done so for a long time by now."
    remaining = drop_near_duplicates([*near, other], 0.6)
    assert other in remaining
    assert len(remaining) == 2
    assert drop_near_duplicates([*near, other], 0.99) == {*near, other}


def test_marks_and_case_are_no_difference() -> None:
    assert (
        len(drop_near_duplicates(["Anna met Boris in Oslo.", "anna met Boris, in Oslo!"], 1)) == 1
    )


@given(TEXTS, LEAST, st.randoms(use_true_random=False))
def test_the_order_is_of_no_account(texts: list[str], least: float, random: Random) -> None:
    remaining = drop_near_duplicates(texts, least)
    mixed = [*texts, *texts]
    random.shuffle(mixed)
    assert drop_near_duplicates(mixed, least) == remaining


@given(TEXTS, LEAST)
def test_dropped_texts_are_like_remaining_ones(texts: list[str], least: float) -> None:
    remaining = drop_near_duplicates(texts, least)
    assert remaining <= set(texts)
    for text in set(texts) - remaining:
        assert any(likeness(text, other) >= least for other in remaining)


@given(TEXTS, TEXTS, LEAST)
def test_what_is_taken_already_stays(first: list[str], texts: list[str], least: float) -> None:
    remaining = drop_near_duplicates(texts, least, first)
    assert set(first) <= remaining
    assert drop_near_duplicates(texts, least, remaining) == remaining


def test_no_near_pair_is_missed_among_many() -> None:
    random = Random(5)
    words = [f"w{number}" for number in range(400)]
    texts = [random.sample(words, 20) for _ in range(300)]
    near = [[*text[:10], "other", *text[11:]] for text in texts]
    assert len(drop_near_duplicates(map(" ".join, texts + near), 0.6)) == len(texts)
