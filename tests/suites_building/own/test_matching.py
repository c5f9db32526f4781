"""Patterns of a stranger's file: what they match, and what bounds them."""

from __future__ import annotations

import pytest

from mt_gate.base.errors import UsageError
from mt_gate_suites.own import matching
from mt_gate_suites.own.matching import LONGEST_PATTERN, BoundedPattern


def test_replacements_name_groups() -> None:
    pattern = BoundedPattern(r"(\w+) and (\w+)", "f")
    pattern.check_replacement(r"\2 and \1")
    (found,) = pattern.replacements("salt and pepper", r"\2 and \1")
    assert found == (0, 15, "pepper and salt")


def test_letter_case_may_be_ignored() -> None:
    assert BoundedPattern("a", "f", ignore_case=True).matches("A")
    assert not BoundedPattern("a", "f").matches("A")


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", "[a", "*", "(?P<n>a)(?P<n", "\\"),
        *("(?R)?a", "(a)(?1)", "(?&n)", "(?|a|b)", r"\K", r"\p{L}", r"\L<words>", "(*PRUNE)"),
        *("(?:cats){e<=1}", "a{2", "(?e)a", "(?V1)a", "[[:alpha:]]", "[a--b]", "a{1,2}{e}"),
    ],
)
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(UsageError, match="is no regular expression"):
        BoundedPattern(pattern, "f")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        *((r"a\{2", "a{2"), ("[{]e", "{e"), (r"[\]{]e", "{e"), ("a{2}", "aa"), ("a{,2}b", "b")),
        *((r"\N{EM DASH}", "\u2014"), ("(?<=a|bc)d", "bcd"), ("(?i)A{1,300}?b++", "aab")),
    ],
)
def test_what_re_reads_is_a_pattern(pattern: str, text: str) -> None:
    assert BoundedPattern(pattern, "f").matches(text)


@pytest.mark.parametrize(
    "pattern",
    ["(a{60000}){60000}", "(ab{3000}){3000}", "((a{99}){99}){99}", "(?:x|(?=a{999}){99})"],
)
def test_a_pattern_is_bounded_with_its_repetitions_written_out(pattern: str) -> None:
    with pytest.raises(UsageError, match=r"items with its repetitions written out, at most 50,000"):
        BoundedPattern(pattern, "f")


def test_replacements_are_bounded_together() -> None:
    pattern = BoundedPattern("(.+)", "f")
    with pytest.raises(UsageError, match="have more than"):
        list(pattern.replacements("a" * 10_000, r"\1" * 2_000))


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
