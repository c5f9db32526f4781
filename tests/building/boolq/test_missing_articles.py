"""Which questions are told to lack an article."""

from __future__ import annotations

import pytest

from mt_gate.building.boolq.missing_articles import lacks_an_article


@pytest.mark.parametrize(
    "question",
    [
        "has the host country ever won world cup",
        "are there great white sharks in atlantic ocean",
        "is there lunar eclipse on 27th july 2018",
        "can you get visa on arrival in ghana",
        "is movie bernie based on a true story",
        "is truth or dare movie based on a true story",
        "can you play xbox 360 on a xbox one",
        "is it possible to remember being 1 years old",
    ],
)
def test_a_question_without_its_article_is_told(question: str) -> None:
    assert lacks_an_article(question)


@pytest.mark.parametrize(
    "question",
    [
        "has the host country ever won the world cup",
        "did the us army fight in the world cup stadium",
        "can a us citizen vote in the uk",
        "do i have to bring my own gun to a shooting range",
        "is game of thrones based on a book",
        "is song of songs a book in the bible",
        "does neil degrasse tyson have a tv show",
        "can you play xbox 360 on an xbox one",
        "is there a speed limit in germany",
    ],
)
def test_a_whole_question_is_not(question: str) -> None:
    assert not lacks_an_article(question)
