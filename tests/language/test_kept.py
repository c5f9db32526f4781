from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.base.errors import CannotJudge
from mt_gate.language.cached import Cached, CachedAnswers
from mt_gate.language.tools import Fill, Slot


class CountingTool:
    name = "asked"

    def __init__(self, fails_at: str = "") -> None:
        self.questions: list[str] = []
        self.fails_at = fails_at

    def answer(self, questions: list[str]) -> list[float]:
        if self.fails_at in questions and self.fails_at:
            raise KeyboardInterrupt
        self.questions += questions
        return [float(len(question)) for question in questions]


def test_a_question_is_computed_once(tmp_path: Path) -> None:
    tool = CountingTool()
    for _ in range(2):
        cache = CachedAnswers(tmp_path / "kept.sqlite")
        assert cache.answers("t", ["a", "bb", "a"], float, tool.answer) == [1, 2, 1]
    assert tool.questions == ["a", "bb"]


def test_another_tool_computes_again(tmp_path: Path) -> None:
    cache, tool = CachedAnswers(tmp_path / "kept.sqlite"), CountingTool()
    cache.answers("one", ["a"], float, tool.answer)
    cache.answers("two", ["a"], float, tool.answer)
    assert tool.questions == ["a", "a"]


def test_a_killed_build_keeps_what_was_answered(tmp_path: Path) -> None:
    first = CachedAnswers(tmp_path / "kept.sqlite")
    first.answers("t", ["a"], float, CountingTool().answer)
    with pytest.raises(KeyboardInterrupt):
        first.answers("t", ["b"], float, CountingTool(fails_at="b").answer)
    tool = CountingTool()
    assert CachedAnswers(tmp_path / "kept.sqlite").answers("t", ["a", "b"], float, tool.answer) == [
        1,
        1,
    ]
    assert tool.questions == ["b"]


def test_fills_come_back_as_they_were(tmp_path: Path) -> None:
    class Fits:
        name = "fits"

        def fit(self, slots: list[tuple[Slot, list[str]]], top: int) -> list[list[Fill]]:
            return [[Fill(new, -1.25) for new in fillers][:top] for _, fillers in slots]

    slots = [(Slot("a b", 0, 1), ["c", "d"])]
    cache = CachedAnswers(tmp_path / "kept.sqlite")
    fits = Cached(Fits(), cache).fit(slots, 1)
    assert fits == Cached(Fits(), cache).fit(slots, 1) == [[Fill("c", -1.25)]]


def test_a_file_that_is_no_store_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(CannotJudge, match="--cache"):
        CachedAnswers(path)
