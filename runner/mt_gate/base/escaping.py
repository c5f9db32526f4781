r"""Make any text safe to show: in XML, in Markdown, in a log, in a terminal.

Sentences, labels and names come from checkpoints and suites that may be hostile. Unsafe characters
become visible escapes (``\x00``), so that nothing in a text is invisible.

Secrets of the environment never leave mt-gate: all output has ``***`` in place of their values.
This is the last of several safeguards. Texts of files, libraries and services end in messages,
labels and reports; a token in one of them must not reach a log or a comment. Every output path
calls ``hide`` or ``hide_bytes``: standard output and error (``console.py``), files (``files.py``),
a report's packed groups, a step's outputs and summary, and comments. Code that shortens text must
hide secrets first, because a truncated secret is not recognised.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from urllib.parse import quote

# U+200C and U+200D stay: Persian, Indic scripts and emoji need them.
_INVISIBLE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and line feed
    "\u00ad\u034f\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff"  # without width
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"  # also without width
    "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # look like a space, or like nothing
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # reorder the text around them
    "\u2028\u2029\ufff9-\ufffb"  # line ends that only some parsers see, annotations
    "\ud800-\udfff\ufdd0-\ufdef"  # lone surrogates, noncharacters
    + "".join(
        f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
    )
)
_UNSAFE = re.compile(f"[{_INVISIBLE}]")
_NAMED = {"\r": "\\r", "\n": "\\n", "\t": "\\t"}

_WORD_JOINER = "\u2060"
"""Temporary marker around a character that begins a link on GitHub; ``markdown`` replaces it."""

_MARKDOWN_STRUCTURE = re.compile(r"[&<>|`*_~\[\]\\]")
_MARKDOWN_START = re.compile(r"^\s*((?=[-+=#])|\d+(?=[.)]))(.)")
OLD_COMMAND = re.compile(r"##(?=\w*\[)")
"""Runners execute ``##[command]`` anywhere in a line, so ``log_line`` adds a space to it."""
_MARKDOWN_LINKS = re.compile(r"[@#:](?=\S)|\b[wW]{3}(?=\.)|\b[gG][hH](?=-)")

_JOINED = re.compile(f"{_WORD_JOINER}(.){_WORD_JOINER}")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return _NAMED.get(match[0], f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    """Return text with every unsafe character as a visible escape.

    Tabs and line feeds stay. The result is legal in XML 1.0 and encodable as
    UTF-8; markup characters are left for the writer's own escaping.
    """
    if text.isascii() and text.isprintable():  # a fast path for most texts
        return text
    return _UNSAFE.sub(_escape, text)


def one_line(text: str) -> str:
    """Return visible text without line breaks and tabs."""
    return visible(text).replace("\n", "\\n").replace("\t", " ")


def markdown(text: str) -> str:
    """Return text as literal inline Markdown for GitHub, also in a table cell.

    Punctuation becomes character references. GitHub resolves these before it looks for mentions,
    issue numbers, addresses and emoji names, so a span around one character breaks those, and
    hides the dollar sign from formulas. Text copied from the page does not contain the span. Not
    for the values of HTML attributes.
    """
    line = re.sub(r"^\s+", " ", one_line(text))
    line = _MARKDOWN_LINKS.sub(
        lambda match: f"{match[0][:-1]}{_WORD_JOINER}{match[0][-1]}{_WORD_JOINER}", line
    )
    line = _MARKDOWN_STRUCTURE.sub(lambda match: f"&#{ord(match[0])};", line)
    line = _MARKDOWN_START.sub(lambda match: f"{match[1]}&#{ord(match[2])};", line)
    line = _JOINED.sub(r"<span>\1</span>", line)
    return line.replace("$", "<span>$</span>")


def log_line(text: str) -> str:
    """Return one line for a build log that no runner executes as a command."""
    return re.sub(":(?=:)", ": ", OLD_COMMAND.sub("## ", one_line(text)))


def command_data(text: str) -> str:
    """Return the message of a GitHub workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def command_property(text: str) -> str:
    """Return a property's value of a GitHub workflow command."""
    return command_data(text).replace(":", "%3A").replace(",", "%2C")


HIDDEN = "***"
LEAST = 8
"""Minimum length of a secret, or of one of its lines; shorter ones would damage ordinary text."""
MOST_LINES = 200
"""Maximum number of lines hidden per secret; a key of 16,384 bits has as many."""
_BATCH = 1 << 9
"""Lines searched in one batch."""

SECRET_NAME = re.compile(
    r"(TOKEN|KEY|KEY_ID|CREDENTIALS?|PASSPHRASE|[_-]PASS|[_-]PWD|[_-]PAT)[_-]?\d*$"
    r"|SECRET|PASSWORD|PASSWD|CONNECTION_STRING",
    re.IGNORECASE,
)
"""Names of variables that hold secrets, including the action's inputs."""
_IN_ADDRESS = re.compile(r"://[^\s/@:]*:([^\s/@]+)@")
"""A password in an address, in a variable of any name."""

_hidden: tuple[str, ...] = ()
"""All encodings of the secrets of this process, longest first; see ``watch``."""
_hidden_bytes: tuple[bytes, ...] = ()


def watch(environment: Mapping[str, str]) -> None:
    """Hide the secrets of this environment from now on; a new call replaces them."""
    global _hidden, _hidden_bytes
    secrets: set[str] = set()
    for name, value in environment.items():
        secrets.update(_IN_ADDRESS.findall(value))
        if SECRET_NAME.search(name):
            secrets.update((value, value.strip()))
            secrets.update(line.strip() for line in value.splitlines()[:MOST_LINES])
    encodings = {form for secret in secrets if len(secret) >= LEAST for form in _encodings(secret)}
    # One secret may be part of the encoding of a second one: replace the longer one first.
    _hidden = tuple(sorted(encodings, key=lambda form: (-len(form), form)))
    _hidden_bytes = tuple(form.encode("utf-8", "surrogateescape") for form in _hidden)


def hide(text: str) -> str:
    """Return a text with ``***`` in place of every secret, plain or escaped."""
    for encoding in _hidden:
        if encoding in text:
            text = text.replace(encoding, HIDDEN)
    return text


def shorten(text: str, limit: int) -> str:
    """Return at most ``limit`` characters; a shortened text ends with an ellipsis."""
    if len(text) <= limit:
        return text
    text = hide(text)  # before truncation: a truncated secret is not recognised
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def hide_bytes(data: bytes) -> bytes:
    """Return UTF-8 text with ``***`` in place of every secret, plain or escaped."""
    for encoding in _hidden_bytes:
        if encoding in data:
            data = data.replace(encoding, HIDDEN.encode())
    return data


def hide_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines without secrets; search them in batches, which is ten times faster."""
    if not _hidden:
        yield from lines
        return
    remaining = iter(lines)
    while batch := list(islice(remaining, _BATCH)):
        yield from hide_bytes(b"\n".join(batch)).split(b"\n")


def _encodings(secret: str) -> Iterator[str]:
    """Yield each form that escaping can give a secret: in messages, then also in reports."""
    for form in {
        line for quoted in _quoted(secret) for line in {quoted, one_line(quoted), log_line(quoted)}
    }:
        yield form
        for escape in _escapes():
            yield escape(form)
    data = secret.encode("utf-8", "surrogateescape")
    # Base64 depends on the offset modulo 3: try all three, drop characters shared with neighbours.
    for offset, shared in ((0, 0), (1, 2), (2, 3)):
        packed = base64.b64encode(b"\0" * offset + data).decode().rstrip("=")
        whole = packed[shared:] if (offset + len(data)) % 3 == 0 else packed[shared:-1]
        if len(whole) >= LEAST:
            yield whole


def _quoted(secret: str) -> set[str]:
    double = repr(f"'{secret}")[2:-1]  # forces repr to use double quotes
    return {secret, repr(secret)[1:-1], double, visible(secret), *_in_json(secret)}


def _escapes() -> tuple[Callable[[str], str], ...]:
    return (
        html.escape,
        lambda text: html.escape(text, quote=False),
        lambda text: html.escape(text).replace("&quot;", "&#34;").replace("&#x27;", "&#39;"),
        lambda text: html.escape(text, quote=False).replace('"', "&quot;").replace("\n", "&#10;"),
        lambda text: markdown(f"x{text}")[1:],  # the x keeps line-start escapes out
        command_data,
        command_property,
        lambda text: quote(text, errors="surrogateescape"),
        lambda text: quote(text, safe="", errors="surrogateescape"),
        lambda text: _in_json(text)[0],
        lambda text: _in_json(text)[1],
        lambda text: _in_json(html.escape(text).replace("&quot;", "&#34;"))[1],
        lambda text: re.sub("[<>&']", lambda match: f"\\u{ord(match[0]):04x}", _in_json(text)[1]),
    )


def _in_json(text: str) -> tuple[str, str]:
    return json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]
