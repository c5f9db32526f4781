"""Names, docstrings, comments, pages and messages use plain words, not the old private ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import prose

NAMES: dict[str, str] = {
    "FOUND": "an entity that only the candidate predicts, by its name in result.json",
    "asked": "how many clusters an early stop ran, by its name in result.json",
    "only_kept": "by its name in suite.json",
    "KEPT": "an entity that both predict, by its name in result.json",
    "HELD_OUT": "held-out data, the field's term",
    "held_out": "held-out data, the field's term",
}
"""Names that may stay, each with its reason."""
WORDS = re.compile(rf"\b(?:{'|'.join(sorted(prose.DIALECT))}|let go)\b", re.IGNORECASE)


def names_of(tree: ast.AST) -> Iterator[str]:
    """Yield every name that a module binds."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name


def is_dialect(name: str) -> bool:
    """Whether a name is, or has as a part, a word of the dialect."""
    return bool(prose.DIALECT & {*name.lower().split("_")}) or "let_go" in name


def test_names_say_what_a_value_holds() -> None:
    dialect = {
        f"{path.relative_to(prose.ROOT)}: {name}"
        for path in prose.modules()
        for name in names_of(ast.parse(path.read_text(encoding="utf-8")))
        if is_dialect(name) and name not in NAMES
    }
    assert sorted(dialect) == []


def test_docstrings_and_comments_use_plain_words() -> None:
    dialect = [
        f"{path.relative_to(prose.ROOT)}:{at}: {line.strip()}"
        for path in prose.modules()
        for at, line in prose.comments_and_docstrings(path)
        if WORDS.search(re.sub("|".join(prose.PLAIN), "", line, flags=re.IGNORECASE))
    ]
    assert dialect == []


def test_it_sees_the_dialect() -> None:
    source = "def told(given):\n    kept_rows = [found for found in given]\n    return kept_rows\n"
    assert {name for name in names_of(ast.parse(source)) if is_dialect(name)} == {
        "told", "given", "kept_rows", "found",
    }  # fmt: skip
    assert WORDS.search("what stands beside it")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "The model answers otherwise beside a reader.",
            ["answers otherwise", "a reader", "beside"],
        ),
        ("A loss\nof which nobody tells", ["loss", "of which", "tells"]),
        ("Two cases with held-out data; a merge group of yes/no question answering", []),
    ],
)
def test_it_sees_private_words(text: str, words: list[str]) -> None:
    assert sorted(word for _, word, _ in prose.private_words(text)) == sorted(words)


def test_code_examples_and_addresses_are_no_prose(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('`told` [here](told.md) "told"\n```\ntold\n```\nit was\ntold\n')
    assert [(one.line, one.word) for one in prose.findings_of_page(page)] == [(6, "told")]


def test_messages_are_what_users_see(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '"""A docstring is no message of users."""\n'
        'OPTION = option(help="a help text without its stop")\n'
        'raise E(f"a message with {name} in the middle" " and a second part")\n'
        'NOTE = ["It ends as a sentence does.", "words that are none of these", "Too short."]\n'
    )
    texts = [text for _, text in sorted(prose.messages_of_module(path))]
    assert texts[::2] == ["a help text without its stop", "It ends as a sentence does."]
    assert texts[1:2] == ["a message with X in the middle and a second part"]


def test_pages_and_messages_use_plain_words() -> None:
    assert [*map(str, prose.findings())] == []


def test_sentences_are_short() -> None:
    for part, sentences in prose.parts().items():
        mean, long = prose.measure(sentences)
        assert mean <= prose.MEAN, part
        assert long <= prose.MOST_LONG, part
