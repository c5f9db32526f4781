r"""Make any string safe to show: in XML, in Markdown, in a log, in a terminal.

Sentences, labels and names come from checkpoints and suites that may be
hostile. Unsafe characters become visible escapes (``\x00``), so that nothing
in a text is invisible.
"""

from __future__ import annotations

import re

# U+200C and U+200D stay: Persian, Indic scripts and emoji need them.
_INVISIBLE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and line feed
    "\u00ad\u034f\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff"  # without width
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"  # nor these
    "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # with the width of a space, or of nothing
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
"""Temporary marks around a character that begins a link on GitHub; ``markdown`` replaces them."""

_MARKDOWN_STRUCTURE = re.compile(r"[&<>|`*_~\[\]\\]")
_MARKDOWN_START = re.compile(r"^\s*((?=[-+=#])|\d+(?=[.)]))(.)")
_COMMAND = re.compile(r"##(?=\w*\[)")
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

    Character references take away the meaning of punctuation; mentions, issue numbers, addresses
    and emoji names are found by GitHub after those are resolved, so a span around one character
    breaks them, and hides the dollar sign from GitHub's formulas; it leaves no trace in what is
    copied from the page. Not for the values of HTML attributes.
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
    return re.sub(":(?=:)", ": ", _COMMAND.sub("## ", one_line(text)))


def command_data(text: str) -> str:
    """Return the message of a GitHub workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def command_property(text: str) -> str:
    """Return a property's value of a GitHub workflow command."""
    return command_data(text).replace(":", "%3A").replace(",", "%2C")
