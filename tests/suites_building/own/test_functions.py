"""A user's function: found by name, held to what it must return."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mt_gate.base.errors import UsageError
from mt_gate_suites.own.functions import LONGEST, MOST, Loaded, function_of, load_function

EXAMPLE = Path(__file__).parents[3] / "docs" / "own-relations" / "shouting"


def made(function: Callable[..., Any], text: str = "some words") -> list[str]:
    rewrites = function_of(Loaded(function, "f"), "rules.toml: relation 'own'").rewrites
    return [one.text for one in rewrites(text, Random(1))]


def test_edits_and_texts() -> None:
    assert made(lambda *_: [[(0, 4, "any"), (5, 5, "old ")], "other words"]) == [
        "any old words",
        "other words",
    ]
    assert made(lambda *_: []) == []
    assert made(lambda *_: None) == []


def test_what_is_random_comes_from_rng() -> None:
    def numbered(text: str, rng: Random) -> list[str]:
        return [f"{text} {rng.randrange(10**6)}"]

    assert made(numbered) == made(numbered)


COUNT = iter(range(10**6))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda *_: 1 / 0, "raised ZeroDivisionError (division by zero) on 'some words'"),
        (lambda _: [], "raised TypeError"),
        (lambda *_: [7], "returned 7"),
        (lambda *_: [None], "returned None"),
        (lambda *_: [[(3, 1, "x")]], "expected texts, or lists of edits"),
        (lambda *_: [[(0, 99, "x")]], "expected texts, or lists of edits"),
        (lambda *_: [[(0, 1, 5)]], "expected texts, or lists of edits"),
        (lambda *_: [[(4, 6, ""), (0, 1, "")]], "expected texts, or lists of edits"),
        (lambda *_: ["  "], "an empty text of 'some words'; return [] for"),
        (
            lambda *_: ["a" * (LONGEST + 1)],
            f"a text of {LONGEST + 1} characters of 'some words'; expected at most {LONGEST}",
        ),
        (lambda *_: [f"{next(COUNT)}"], "is not deterministic"),
        (lambda *_: ["a"] * (MOST + 1), "at most 20"),
        (lambda text, _: text.upper(), "the text 'SOME WORDS' for 'some words'; return a list of"),
        (lambda *_: sys.exit(3), "raised SystemExit (3) on 'some words'"),
        (lambda *_: ["some\ud800"], "half of a character (a lone surrogate, U+D800)"),
        (lambda *_: [[(0, 0, "\x1b[31m")]], "the control character U+001B of 'some words'"),
    ],
)
def test_functions_that_are_refused(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        made(function)
    assert str(error.value).startswith("rules.toml: relation 'own': ")
    assert message in str(error.value)


def test_a_module_next_to_the_file() -> None:
    loaded = load_function("mt_gate_shouting:shouting", EXAMPLE, "f")
    assert loaded.named.startswith("mt_gate_shouting:shouting sha256:")
    assert len(loaded.named.rpartition(":")[2]) == 64
    assert made(loaded.function, "I hate it.")[0] == "I HATE it!"
    for text in ("", "I am", "I hate it!"):
        assert made(loaded.function, text) == []


def test_a_module_that_ends_python(tmp_path: Path) -> None:
    (tmp_path / "ends_python.py").write_text("raise SystemExit(0)\n")
    with pytest.raises(UsageError, match=r"'ends_python:f' cannot be loaded \(SystemExit: 0\)"):
        load_function("ends_python:f", tmp_path, "f")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no_such_module_here:f", "cannot be loaded (ModuleNotFoundError"),
        ("json:no_such_name", "cannot be loaded (AttributeError"),
        ("json:decoder.NaN", "is no function"),
        ("no-such-entry-point", "no entry point 'no-such-entry-point' of mt_gate.relations"),
        (":", "cannot be loaded"),
        ("sys:intern", "is of a built-in module"),
        ("builtins:str.upper", "is of a built-in module"),
    ],
)
def test_names_that_are_refused(name: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        load_function(name, EXAMPLE, "rules.toml: relation 'own'")
    assert message in str(error.value)
