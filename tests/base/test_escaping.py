"""Texts are escaped for each place, and the values of secrets are hidden."""

from __future__ import annotations

import base64
import html
import json
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import quote
from xml.dom.minidom import parseString
from xml.sax.saxutils import escape

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from history.test_table import named
from mt_gate.base import escaping
from mt_gate.base.errors import CannotJudge, quoted, reported
from mt_gate.base.escaping import (
    command_data,
    command_property,
    log_line,
    markdown,
    one_line,
    shorten,
    visible,
)
from mt_gate.history.views import csv_table
from mt_gate.reporting.writers.findings import sarif
from mt_gate_suites.audit.sheet import row
from reporting import made_up

ANYTHING = st.text(st.characters(codec=None))
NASTY = st.text(  # what is rarely drawn, drawn often
    st.one_of(
        st.characters(codec=None), st.sampled_from("|`<>&*_~[]\\$@#:\n\r\x00\u202e\u2028\ud800")
    )
)


@pytest.mark.parametrize(("text", "shown"), table(__file__, "visible"))
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


PLAIN = "ghs_CanaryCanary0123456789"
ODD = "a/B+c=<d>&e'f\"g\\h$i%j::k##[l,m\tn"
KEY = "-----BEGIN KEY-----\nMIICanaryLineOne\nMIICanaryLineTwo\nshort\n-----END KEY-----\n"


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    escaping.watch({})


SECRET_NAMES = (
    "GITHUB_TOKEN INPUT_GITHUB-TOKEN HF_TOKEN ACTIONS_RUNTIME_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN "
    "AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_ACCESS_KEY_ID AZURE_LANGUAGE_KEY "
    "AZURE_CLIENT_SECRET SECRET_THING DB_PASSWORD GOOGLE_CREDENTIALS TOKEN_2 deploy_key "
    "STORAGE_CONNECTION_STRING"
)
OTHER_NAMES = "HOME PATH KEYBOARD TOKENIZERS_PARALLELISM GITHUB_SHA"
ADDRESS = "https://me:CanaryPassword@example.org/simple"


@pytest.mark.parametrize(
    ("name", "value", "text", "shown"),
    [
        *((name, PLAIN, f"a {PLAIN} b", "a *** b") for name in SECRET_NAMES.split()),
        *((name, PLAIN, PLAIN, PLAIN) for name in OTHER_NAMES.split()),
        ("MY_TOKEN", "entity", "an entity", "an entity"),
        ("MY_KEY", "", "an entity", "an entity"),
        ("PIP_INDEX_URL", ADDRESS, "it is CanaryPassword", "it is ***"),
        ("MY_TOKEN", "Canary\udcff\udc80Canary", "a Canary\udcff\udc80Canary", "a ***"),
        ("DEPLOY_KEY", KEY, "xMIICanaryLineTwoy short", "x***y short"),
        ("DEPLOY_KEY", KEY, KEY.strip(), "***"),
    ],
)
def test_values_of_secrets(name: str, value: str, text: str, shown: str) -> None:
    escaping.watch({name: value})
    assert escaping.hide(text) == shown
    data = text.encode("utf-8", "surrogateescape")
    assert escaping.hide_bytes(data) == shown.encode("utf-8", "surrogateescape")


ESCAPES = {
    "as it is": str,
    "html": html.escape,
    "html's text": lambda text: html.escape(text, quote=False),
    "JSON": json.dumps,
    "JSON as UTF-8": lambda text: json.dumps(text, ensure_ascii=False),
    "repr": repr,
    "repr of more": lambda text: repr([f"it's {text}", text]),
    "Markdown": lambda text: escaping.markdown(f"at {text} end"),
    "visible": escaping.visible,
    "log": escaping.log_line,
    "quoted, in a log": lambda text: escaping.log_line(repr(text)),
    "quoted, in Markdown": lambda text: escaping.markdown(str(CannotJudge(f"is {text!r};"))),
    "command": lambda text: escaping.command_data(escaping.log_line(text)),
    "property": lambda text: escaping.command_property(escaping.log_line(text)),
    "address": quote,
    "address, all": lambda text: quote(text, safe=""),
    "packed HTML": lambda text: json.dumps(html.escape(text).replace("&quot;", "&#34;")),
}


@pytest.mark.parametrize("name", ESCAPES)
@pytest.mark.parametrize("secret", [PLAIN, ODD])
def test_a_secret_is_hidden_however_escaped(name: str, secret: str) -> None:
    shown = ESCAPES[name](secret)
    escaping.watch({"MY_SECRET": secret})
    for part in (secret[:10], secret[-10:]):
        assert part not in escaping.hide(shown), shown
    assert "***" in escaping.hide(shown)
    assert escaping.hide_bytes(shown.encode()) == escaping.hide(shown).encode()


@pytest.mark.parametrize("before", ["", "x", "xy", "x-access-token:"])
def test_base64(before: str) -> None:
    escaping.watch({"GITHUB_TOKEN": PLAIN})
    packed = base64.b64encode(f"{before}{PLAIN}".encode()).decode()
    actual = escaping.hide(packed)
    assert "***" in actual
    assert len(actual) < len(packed) - len(PLAIN)


@pytest.mark.parametrize("form", ["sarif", "history", "sheet"])
def test_a_secret_with_signs_of_a_format_is_hidden_before_they_are_doubled(form: str) -> None:
    secret = 'pa"ss{word}-Canary'
    escaping.watch({"DB_PASSWORD": secret})
    text = f"could not reach {secret} today"
    if form == "sarif":
        result = msgspec.structs.replace(made_up.result(), notes=(text,))
        overall = msgspec.structs.replace(result.overall.comparison, reason=text)
        overall = msgspec.structs.replace(result.overall, comparison=overall)
        message = sarif(msgspec.structs.replace(result, overall=overall), made_up.CATALOGUE)
    elif form == "history":
        message = csv_table(named(text))
    else:
        message = row([text, "other"])
    assert "could not reach *** today" in escaping.hide(message)
    assert "Canary" not in message


def test_nothing_is_cut_within_a_secret() -> None:
    escaping.watch({"GITHUB_TOKEN": PLAIN})
    text = "x" * 50 + PLAIN + "y" * 5000
    for shown in (
        quoted(text, 60),
        quoted([text], 60),
        reported(ValueError(text), 60),
        escaping.shorten(text, 60),
        str(CannotJudge("x" * 1980 + PLAIN + "y" * 100)),
    ):
        assert PLAIN[:6] not in shown
        assert len(shown) <= 2000


def test_without_secrets_texts_are_the_same_object() -> None:
    escaping.watch({})
    text = "a text"
    assert escaping.hide(text) is text


def test_lines_are_hidden_together_and_stay_lines() -> None:
    escaping.watch({"MY_TOKEN": PLAIN, "MY_KEY": KEY})
    lines = [b"", f"a {PLAIN}".encode(), b"b" * (1 << 20), b"MIICanaryLineOne", b""]
    assert [*escaping.hide_lines(lines)] == [b"", b"a ***", b"b" * (1 << 20), b"***", b""]
