from __future__ import annotations

import re
import unicodedata
from xml.dom.minidom import parseString
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from mt_gate.base.escaping import (
    command_data,
    command_property,
    log_line,
    markdown,
    one_line,
    shorten,
    visible,
)

ANYTHING = st.text(st.characters(codec=None))
NASTY = st.text(  # what is rarely drawn, drawn often
    st.one_of(
        st.characters(codec=None), st.sampled_from("|`<>&*_~[]\\$@#:\n\r\x00\u202e\u2028\ud800")
    )
)


@pytest.mark.parametrize(
    ("text", "shown"),
    table(__file__, "visible"),
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(NASTY)
def test_visible_text_is_legal_xml_and_utf8(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    document = parseString(f"<a>{escape(shown)}</a>".encode())
    actual = document.documentElement.firstChild
    assert (actual.data if actual else "") == shown


@given(ANYTHING)
def test_visible_is_stable(text: str) -> None:
    assert visible(visible(text)) == visible(text)


SEEN_OR_NEEDED = re.compile(
    "[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U00013438"
    "\u200c\u200d]"
)
"""Format characters that have a sign of their own, or that scripts and emoji need."""


def test_nothing_that_cannot_be_seen_is_shown() -> None:
    every = map(chr, range(0x110000))
    hidden = [one for one in every if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    blanks = "\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0"
    for one in (*hidden, *blanks):
        shown = visible(one) == one
        assert shown == (one in "\t\n" or SEEN_OR_NEEDED.match(one) is not None), hex(ord(one))


@given(NASTY)
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1
    assert not any(unicodedata.category(c) == "Cc" for c in one_line(text))


@pytest.mark.parametrize(("text", "shown"), table(__file__, "markdown"))
def test_markdown(text: str, shown: str) -> None:
    assert markdown(text) == shown


@given(NASTY)
def test_markdown_leaves_no_structure(text: str) -> None:
    shown = re.sub(r"<span>([$@#:wWhH])</span>", " ", markdown(text))
    bare = re.sub(r"&#\d+;", "", shown)
    assert not re.search(r"[&<>|`*~\[\]\\$\n\r]", bare)
    assert not re.search(r"@\w|#\w", bare)


@pytest.mark.parametrize(("text", "shown"), table(__file__, "log_line"))
def test_log_line(text: str, shown: str) -> None:
    assert log_line(text) == shown


@given(NASTY)
def test_log_line_holds_no_command(text: str) -> None:
    assert "::" not in log_line(text)
    assert "##[" not in log_line(text)


def test_workflow_commands() -> None:
    assert command_data("50 %\r\nnext: a,b") == "50 %25%0D%0Anext: a,b"
    assert command_property("a:b,c\n") == "a%3Ab%2Cc%0A"


@given(ANYTHING)
def test_command_property_ends_where_it_should(text: str) -> None:
    assert not set(command_property(text)) & set(":,\r\n")


def test_shorten() -> None:
    assert shorten("abc", 3) == "abc"
    assert shorten("abcd", 3) == "ab…"
    assert shorten("abcd", 0) == "…"
