"""Patterns of a stranger's file: what they match, and what bounds them."""

from __future__ import annotations

import pytest

from mt_gate.base.errors import UsageError
from mt_gate.building.own import matching
from mt_gate.building.own.matching import LONGEST_PATTERN, BoundedPattern


def test_replacements_name_groups() -> None:
    pattern = BoundedPattern(r"(\w+) and (\w+)", "f")
    pattern.check_replacement(r"\2 and \1")
    (found,) = pattern.replacements("salt and pepper", r"\2 and \1")
    assert found == (0, 15, "pepper and salt")


def test_letter_case_may_be_ignored() -> None:
    assert BoundedPattern("a", "f", ignore_case=True).matches("A")
    assert not BoundedPattern("a", "f").matches("A")


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "(?P<n>a)(?P<n", "a{2", "\\"])
def test_what_is_no_pattern(pattern: str) -> None:
    if pattern == "a{2":
        assert BoundedPattern(pattern, "f").matches("a{2")
        return
    with pytest.raises(UsageError, match="is no regular expression"):
        BoundedPattern(pattern, "f")


def test_a_pattern_is_bounded_in_length() -> None:
    with pytest.raises(UsageError, match="characters, at most"):
        BoundedPattern("a" * (LONGEST_PATTERN + 1), "f")


@pytest.mark.parametrize("new", [r"\1", r"\g<name>", "\\"])
def test_a_replacement_that_does_not_fit(new: str) -> None:
    with pytest.raises(UsageError, match="does not fit"):
        BoundedPattern("a", "f").check_replacement(new)


def test_endless_backtracking_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "SECONDS", 0.05)
    pattern = BoundedPattern(r"(a+)+$", "rules.toml: relation 'slow'")
    text = "a" * 4000 + "b"
    with pytest.raises(UsageError, match=r"rules.toml: relation 'slow'.*took more than 0.05 s"):
        pattern.matches(text)
    with pytest.raises(UsageError, match="took more than"):
        list(pattern.replacements(text, ""))
