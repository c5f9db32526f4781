"""Pages of the command line say what the commands say."""

from __future__ import annotations

import re

import pytest

from command_line import every_command
from mt_gate.cli import COMMANDS
from site_commands import overview, page, plain


def test_every_command_and_option_has_its_row() -> None:
    pages = {name: page(name) for name in COMMANDS}
    for path, command in every_command():
        words = path.split() if isinstance(path, str) else [*path]
        words = [word for word in words if word != "mt-gate"]
        if not words:
            continue
        assert re.search(rf"^#+ mt-gate {' '.join(words)}$", pages[words[0]], re.MULTILINE)
        for param in command.params:
            for option in (name for name in param.opts if name.startswith("--")):
                if not getattr(param, "hidden", False):
                    assert option in pages[words[0]], (path, option)


def test_the_overview_names_them_all() -> None:
    text = overview()
    assert all(f"[`mt-gate {name}`](cli/{name}.md)" in text for name in COMMANDS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a *b* <c> d|e", r"a \*b\* \<c\> d\|e"),
        ("see docs/own-relations.md.", "see [docs/own-relations.md](/own-relations.md)."),
        ("a\n  b", "a b"),
    ],
)
def test_words_are_shown_as_they_are(text: str, expected: str) -> None:
    assert plain(text) == expected
