from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.yes_no import AnswerIndices, read_answers


@pytest.mark.parametrize(
    ("labels", "yes"),
    [(("no", "yes"), 1), (("TRUE", "FALSE"), 0), (("False", "True"), 1), (("Yes.", "No."), 0)],
)
def test_labels_that_say_it_themselves(labels: tuple[str, str], yes: int) -> None:
    assert read_answers(labels, {}, where="here") == AnswerIndices(yes, 1 - yes)


def test_labels_by_name() -> None:
    labels = ("LABEL_0", "LABEL_1")
    found = read_answers(labels, {"yes": "LABEL_0", "no": "LABEL_1"}, where="here")
    assert found == AnswerIndices(0, 1)
    assert found.named(labels) == {"yes": "LABEL_0", "no": "LABEL_1"}


def test_names_go_before_what_the_labels_say() -> None:
    assert read_answers(("no", "yes"), {"yes": "no", "no": "yes"}, where="here") == AnswerIndices(
        0, 1
    )


@pytest.mark.parametrize(
    ("labels", "named", "words"),
    [
        (("LABEL_0", "LABEL_1"), {}, "--answers yes=LABEL_1,no=LABEL_0"),
        (("0", "1"), {}, "--answers"),
        (("negative", "positive"), {}, "--answers"),
        (("no", "yes", "maybe"), {}, "3 labels"),
        (("no", "yes", "maybe"), {"yes": "yes", "no": "no"}, "3 labels"),
        (("score",), {}, "1 labels"),
        (("a", "b"), {"yes": "a", "no": "c"}, "no is given as 'c'"),
        (("a", "b"), {"yes": "a", "no": "a"}, "another for no"),
        (("a", "b"), {"yes": "a"}, "another for no"),
    ],
)
def test_labels_that_nothing_maps(
    labels: tuple[str, ...], named: dict[str, str], words: str
) -> None:
    with pytest.raises(CannotJudge) as caught:
        read_answers(labels, named, where="here")
    assert str(caught.value).startswith("here: ")
    assert words in str(caught.value)


@given(st.lists(st.text(max_size=9), max_size=4), st.dictionaries(st.text(), st.text(), max_size=3))
def test_any_labels_are_read_or_refused(labels: list[str], named: dict[str, str]) -> None:
    try:
        answers = read_answers(labels, named, where="here")
    except CannotJudge:
        return
    assert sorted(answers) == [0, 1]
