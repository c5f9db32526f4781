"""Values of secrets are ``***`` in whatever mt-gate writes, as they are or escaped."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator
from urllib.parse import quote

import msgspec
import pytest

from history.test_table import named
from mt_gate.base import escaping, redaction
from mt_gate.base.errors import CannotJudge, quoted, reported
from mt_gate.history.views import csv_table
from mt_gate.reporting.writers.findings import sarif
from mt_gate_suites.audit.sheet import row
from reporting import made_up

PLAIN = "ghs_CanaryCanary0123456789"
ODD = "a/B+c=<d>&e'f\"g\\h$i%j::k##[l,m\tn"
KEY = "-----BEGIN KEY-----\nMIICanaryLineOne\nMIICanaryLineTwo\nshort\n-----END KEY-----\n"


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    redaction.watch({})


@pytest.mark.parametrize(
    "name",
    "GITHUB_TOKEN INPUT_GITHUB-TOKEN HF_TOKEN ACTIONS_RUNTIME_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN "
    "AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_ACCESS_KEY_ID AZURE_LANGUAGE_KEY "
    "AZURE_CLIENT_SECRET SECRET_THING DB_PASSWORD GOOGLE_CREDENTIALS TOKEN_2 deploy_key "
    "STORAGE_CONNECTION_STRING".split(),
)
def test_names_of_secrets(name: str) -> None:
    redaction.watch({name: PLAIN})
    assert redaction.hide(f"a {PLAIN} b") == "a *** b"


@pytest.mark.parametrize("name", "HOME PATH KEYBOARD TOKENIZERS_PARALLELISM GITHUB_SHA".split())
def test_other_names(name: str) -> None:
    redaction.watch({name: PLAIN})
    assert redaction.hide(PLAIN) == PLAIN


def test_short_values_stay() -> None:
    redaction.watch({"MY_TOKEN": "entity", "MY_KEY": ""})
    assert redaction.hide("an entity") == "an entity"


def test_a_password_in_an_address() -> None:
    redaction.watch({"PIP_INDEX_URL": "https://me:CanaryPassword@example.org/simple"})
    assert redaction.hide("it is CanaryPassword") == "it is ***"


def test_a_value_that_is_no_text() -> None:
    redaction.watch({"MY_TOKEN": "Canary\udcff\udc80Canary"})
    assert redaction.hide("a Canary\udcff\udc80Canary") == "a ***"
    assert redaction.hide_bytes(b"a Canary\xff\x80Canary") == b"a ***"


def test_lines_of_a_value() -> None:
    redaction.watch({"DEPLOY_KEY": KEY})
    assert redaction.hide("xMIICanaryLineTwoy short") == "x***y short"
    assert redaction.hide(KEY.strip()) == "***"


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
def test_looks(name: str, secret: str) -> None:
    shown = ESCAPES[name](secret)
    redaction.watch({"MY_SECRET": secret})
    for part in (secret[:10], secret[-10:]):
        assert part not in redaction.hide(shown), shown
    assert "***" in redaction.hide(shown)
    assert redaction.hide_bytes(shown.encode()) == redaction.hide(shown).encode()


@pytest.mark.parametrize("before", ["", "x", "xy", "x-access-token:"])
def test_base64(before: str) -> None:
    redaction.watch({"GITHUB_TOKEN": PLAIN})
    packed = base64.b64encode(f"{before}{PLAIN}".encode()).decode()
    found = redaction.hide(packed)
    assert "***" in found
    assert len(found) < len(packed) - len(PLAIN)


@pytest.mark.parametrize("form", ["sarif", "history", "sheet"])
def test_a_secret_with_signs_of_a_format_is_hidden_before_they_are_doubled(form: str) -> None:
    secret = 'pa"ss{word}-Canary'
    redaction.watch({"DB_PASSWORD": secret})
    text = f"could not reach {secret} today"
    if form == "sarif":
        result = msgspec.structs.replace(made_up.result(), notes=(text,))
        overall = msgspec.structs.replace(result.overall.comparison, reason=text)
        overall = msgspec.structs.replace(result.overall, comparison=overall)
        told = sarif(msgspec.structs.replace(result, overall=overall), made_up.CATALOGUE)
    elif form == "history":
        told = csv_table(named(text))
    else:
        told = row([text, "other"])
    assert "could not reach *** today" in redaction.hide(told)
    assert "Canary" not in told


def test_nothing_is_cut_within_a_secret() -> None:
    redaction.watch({"GITHUB_TOKEN": PLAIN})
    text = "x" * 50 + PLAIN + "y" * 5000
    for shown in (
        quoted(text, 60),
        quoted([text], 60),
        reported(ValueError(text), 60),
        redaction.shorten(text, 60),
        str(CannotJudge("x" * 1980 + PLAIN + "y" * 100)),
    ):
        assert PLAIN[:6] not in shown
        assert len(shown) <= 2000


def test_without_secrets_texts_are_the_same_object() -> None:
    redaction.watch({})
    text = "a text"
    assert redaction.hide(text) is text


def test_lines_are_hidden_together_and_stay_lines() -> None:
    redaction.watch({"MY_TOKEN": PLAIN, "MY_KEY": KEY})
    lines = [b"", f"a {PLAIN}".encode(), b"b" * (1 << 20), b"MIICanaryLineOne", b""]
    assert [*redaction.hide_lines(lines)] == [b"", b"a ***", b"b" * (1 << 20), b"***", b""]
