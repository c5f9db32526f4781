"""Texts and values of files as values of settings, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import UsageError
from mt_gate.settings.record import SETTINGS
from mt_gate.settings.values import checked, default_text, in_text, option_words


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("alpha", ".1", 0.1),
        ("alpha", " 1e-3 ", 0.001),
        ("max_length", " 0144", 144),
        ("strict", " True", True),
        ("strict", "false", False),
        ("out", "a/b", Path("a/b")),
        ("device", "cpu", "cpu"),
        ("max_violation_rate", "0.3", {"*": 0.3}),
        ("max_violation_rate", "ner/structural=0.1, 0.5", {"ner/structural": 0.1, "*": 0.5}),
        ("must_hold", "a, b\nc,,a", ("a", "b", "c")),
        ("must_hold", "", ()),
        ("answers", " yes = True , no=not so", {"yes": "True", "no": "not so"}),
        ("label_map", "a=x|y, b = z", {"a": ("x", "y"), "b": ("z",)}),
        ("threshold", "0.8", {"*": 0.8}),
        ("threshold", "toxic=0.8,0.5", {"toxic": 0.8, "*": 0.5}),
        ("system_environment", "OUR_KEY,_x", ("OUR_KEY", "_x")),
    ],
)
def test_texts(name: str, text: str, value: object) -> None:
    assert checked("--x", name, text) == value


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("margin", 0, 0.0),
        ("sources", 7, 7),
        ("strict", True, True),
        ("out", Path("a"), Path("a")),
        ("max_violation_rate", 0.3, {"*": 0.3}),
        ("max_violation_rate", {"a": 0.25, "b": "0.5"}, {"a": 0.25, "b": 0.5}),
        ("must_hold", [" x", "x"], ("x",)),
        ("answers", {"yes": "a, b", "no": "c"}, {"yes": "a, b", "no": "c"}),
        ("label_map", {"a": ["x|y"], "b": "z"}, {"a": ("x|y",), "b": ("z",)}),
        ("threshold", {"toxic": 0.8}, {"toxic": 0.8}),
    ],
)
def test_values_of_files(name: str, value: object, read: object) -> None:
    found = checked("own.toml: x", name, value)
    assert found == read
    assert type(found) is type(read)


def short(value: object) -> str:
    return value[:30] if isinstance(value, str) else type(value).__name__


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("alpha", "much", "'much'; expected a number from 1e-06 to 0.5"),
        ("alpha", "nan", "'nan'; expected a number from"),
        ("alpha", 0, "0; expected a number from"),
        ("alpha", True, "True; expected a number from"),
        ("alpha", [0.1], "[0.1]; expected a number from"),
        ("margin", "-0.1", "expected a number from 0 to below 1"),
        (
            "margin",
            "1",
            "expected a number from 0 to below 1, of which 0.01 is one percentage point",
        ),
        ("strict", "perhaps", "expected true or false"),
        ("strict", 1, "expected true or false"),
        ("task", "poetry", "expected one of: ner, boolq, re, text"),
        ("task", "ner\n", "expected one of: ner, boolq, re, text"),
        ("device", "tpu", "expected one of: auto, cpu, cuda"),
        ("device", 7, "7; expected one of: auto, cpu, cuda"),
        ("checkpoint", "", "expected a text that is not empty"),
        ("checkpoint", " ", "expected a text that is not empty"),
        ("out", "a\0b", "expected a text that is not empty"),
        ("out", 7, "expected a text that is not empty"),
        ("out", "x" * 5000, "File name too long; name another path"),
        ("suite", "x" * 5000, "File name too long; name another path"),
        ("timeout", "soon", "expected a number from 0.1 to 86400"),
        ("timeout", 0, "expected a number from"),
        ("max_violation_rate", "ner/structural=2", "('ner/structural') is '2'; expected a number"),
        ("max_violation_rate", [[1]], "('*') is [[1]]; expected a number from 0 to 1"),
        ("max_violation_rate", {str(i): 0.1 for i in range(201)}, "rates of at most 200 relations"),
        ("must_hold", 3, "separated by commas"),
        ("must_hold", [[1]], "separated by commas"),
        ("relations", "x" * 201, "at most 200 names of at most 200 characters, separated by"),
        ("relations", [f"r{i}" for i in range(201)], "expected at most 200 names"),
        ("system_environment", "KEY=value", "names of environment variables"),
        ("answers", "yes=a,yes=b,no=c", "yes=TEXT,no=TEXT, two different texts"),
        ("answers", "yes=a,no=a", "two different texts"),
        ("answers", "yes=a", "two different texts"),
        ("answers", "yes=a,no=b,so=c", "two different texts"),
        ("answers", {"yes": "a", "no": 7}, "two different texts"),
        ("answers", {"yes": "a", "no": " "}, "two different texts"),
        ("label_map", "a", "LABEL=NAME|NAME,... with one name or more"),
        ("label_map", "a=", "LABEL=NAME|NAME,... with one name or more"),
        ("label_map", "a=x,a=y", "LABEL=NAME|NAME,... with one name or more"),
        ("label_map", {"a": []}, "LABEL=NAME|NAME,... with one name or more"),
        ("label_map", {"a": [1]}, "LABEL=NAME|NAME,... with one name or more"),
        ("label_map", {}, "LABEL=NAME|NAME,... with one name or more"),
        ("threshold", "toxic=1.5", "('toxic') is '1.5'; expected a number from 0 to 1"),
        ("threshold", "toxic=0.8,toxic=0.3", "'toxic' stands there twice; give it once"),
        ("threshold", "0.8, 0.3", "'*' stands there twice; give it once"),
        ("threshold", {"toxic": -1}, "('toxic') is -1; expected a number from 0 to 1"),
        ("max_length", 2, "a whole number from 3 to 1000000"),
        ("max_length", True, "a whole number from 3"),
        ("max_length", 9.0, "a whole number from 3"),
        ("max_length", "\u0663\u0663", "a whole number from 3"),
        ("sources", "1\udcbd", r"'1\udcbd'; expected a whole number"),
        ("margin", "0.\udcbd", r"'0.\udcbd'; expected a number from 0 to below 1"),
        ("strict", "\udcbd", "expected true or false"),
        ("threshold", "toxic=0.\udcbd", "('toxic') is "),
        ("sources", int("f" * 9000, 16), "a value too large to be shown; expected a whole number"),
    ],
    ids=short,
)
def test_bad_values_name_themselves_and_what_is_allowed(
    name: str, value: object, words: str
) -> None:
    with pytest.raises(UsageError) as caught:
        checked("--here", name, value)
    assert str(caught.value).startswith("--here")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@given(
    name=st.sampled_from([*SETTINGS]),
    text=st.text(st.characters(exclude_categories=())),  # also bytes of a shell that are no UTF-8
)
def test_any_text_is_taken_or_refused_in_one_line(name: str, text: str) -> None:
    try:
        value = checked("--here", name, text)
    except UsageError as error:
        message = str(error)
    else:
        message = ""
        assert checked("--here", name, value) == value, "what is checked stays as it is"
    assert "\n" not in message


@given(
    st.one_of(
        st.tuples(st.just("alpha"), st.floats(1e-6, 0.5)),
        st.tuples(st.just("strict"), st.booleans()),
        st.tuples(st.just("sources"), st.integers(1, 10_000_000)),
        st.tuples(
            st.just("max_violation_rate"), st.dictionaries(st.sampled_from("ab*"), st.floats(0, 1))
        ),
        st.tuples(
            st.just("must_hold"), st.lists(st.text("0af", min_size=1), unique=True).map(tuple)
        ),
    )
)
def test_a_value_in_text_is_read_as_that_value(found: tuple[str, Any]) -> None:
    name, value = found
    assert checked("--here", name, in_text(value)) == value


def test_words_of_the_command_line() -> None:
    assert option_words("max_length", 9) == ["--max-length", "9"]
    assert option_words("margin", 0.0) == ["--margin", "0.0"]
    assert option_words("strict", True) == ["--strict"]
    for name, value in (("strict", False), ("must_hold", ()), ("baseline", ""), ("sources", None)):
        assert option_words(name, value) == []


def test_defaults_in_words() -> None:
    found = {name: default_text(name) for name in SETTINGS}
    assert found["timeout"] == "60"
    assert (found["max_applicability_loss"], found["max_applicability_drop"]) == ("0.1", "0.5")
    assert found["suite"] == "TASK-default"
    assert found["strict"] == found["must_hold"] == found["baseline"] == ""
