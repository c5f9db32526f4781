"""Tokens of a treebank or a tagged corpus put back together as written text.

    before   The band 's `` Hey Jude '' sold 10 % more ( in the US ) .
    after    The band's "Hey Jude" sold 10% more (in the US).

If the tokens do not show how the text was written (a lone ``'``, a ``/``, a hyphen that may be a
dash), the result is None: a wrong guess would damage every case built from the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mt_gate.lexicons.reading import word_set

_QUOTES = {"``": '"', "''": '"', "“": '"', "”": '"', "‘": "'", "’": "'"}
_CLOSING = frozenset({",", ".", ";", ":", "?", "!", "%", ")", "]", "…", "...", "°", "™", "®"})
_OPENING = frozenset({"(", "[", "$", "£", "€", "US$", "#"})
_SUFFIX = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m|S|RE|VE|LL|D|M))$")
_SPLIT_SUFFIXES = frozenset({"s", "t", "re", "ve", "ll", "d", "m"})
_UNCERTAIN = frozenset({"/", "'", "*", "+", "=", "<", ">", "|", "\\", "~", "^", "@", "_"})
_INFORMAL_HALVES = frozenset({"gon", "wan", "got", "lem", "gim"})
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}
_PREFIXES = word_set("tokens", "prefixes")
_PARTICIPLES = re.compile(r"(?:based|style|like|year|month|day|old|born|time|term|level|party)s?$")


def detokenise(tokens: Sequence[str]) -> str | None:
    """Return the text of ``tokens``, or None when the spacing is uncertain."""
    plain = _join_split_suffixes([_plain(token) for token in tokens])
    if plain is None or plain.count('"') % 2:
        return None
    text = ""
    glue = True
    quoted = False
    for i, token in enumerate(plain):
        before = plain[i - 1] if i else ""
        after = plain[i + 1] if i + 1 < len(plain) else ""
        spacing = _spacing(token, before, after, quoted)
        if spacing is None:
            return None
        left, right = spacing
        text += token if glue or left else f" {token}"
        glue = right
        quoted ^= token == '"'
    return text.replace("can not", "cannot")


def token_spans(tokens: Sequence[str], text: str) -> list[tuple[int, int]] | None:
    """Return the span of each token in ``text``, which ``detokenise`` made of the tokens.

    None if the text is not made of these tokens.
    """
    spans: list[tuple[int, int]] = []
    at = 0
    for token in tokens:
        letters = "".join(_plain(token).split())
        at = _past_blanks(text, at)
        start = at
        for letter in letters:
            at = _past_blanks(text, at)
            if text[at : at + 1] != letter:
                return None
            at += 1
        spans.append((start, at))
    return spans if _past_blanks(text, at) == len(text) else None


def _past_blanks(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def _plain(token: str) -> str:
    return _QUOTES.get(token, _BRACKETS.get(token, token))


def _join_split_suffixes(tokens: list[str]) -> list[str] | None:
    """Fix ``that ' s`` and ``do n ' t``; None for a quote mark with no clear side."""
    whole: list[str] = []
    i = 0
    while i < len(tokens):
        after = tokens[i + 1] if i + 1 < len(tokens) else ""
        if tokens[i] != "'":
            whole.append(tokens[i])
        elif whole and after in _SPLIT_SUFFIXES:
            joined = "'" + after
            if after == "t" and whole[-1] == "n":
                whole.pop()
                joined = "n't"
            elif after == "t":
                return None
            whole.append(joined)
            i += 1
        elif whole and whole[-1].endswith("s") and tokens.count("'") == 1 and after.isalpha():
            whole[-1] += "'"
        else:
            return None
        i += 1
    return whole


def _spacing(token: str, before: str, after: str, quoted: bool) -> tuple[bool, bool] | None:
    """Return whether ``token`` sticks to its left and to its right neighbour."""
    if token in _UNCERTAIN or (token.lower() in _INFORMAL_HALVES and after in {"na", "ta", "me"}):
        return None
    if token == '"':
        return quoted, not quoted
    if token == "-":
        return (True, True) if _is_hyphen(before, after) else None
    if token == "&":
        return (False, False) if len(before) > 2 and len(after) > 2 else None
    if token in {",", ".", ":"} and before[-1:].isdigit() and after[:1].isdigit():
        return None if token != ":" or len(after) != 2 else (True, True)
    if token == "#":
        return (False, True) if after.isdigit() else None
    if token in _OPENING:
        return False, True
    return token in _CLOSING or _SUFFIX.fullmatch(token) is not None, False


def _is_hyphen(before: str, after: str) -> bool:
    if before.isdigit() and after.isdigit():
        return True
    if not (before.isalnum() and after.isalpha()):
        return False
    return before.lower() in _PREFIXES or _PARTICIPLES.search(after) is not None
