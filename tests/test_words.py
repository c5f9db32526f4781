"""No name, docstring or comment of the packages uses the words of the project's old dialect."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

import prose

DIALECT = frozenset("told held given beside apart asked anew found kept stands".split())
"""Participles and prepositions that were names; ``let_go`` was another."""
NAMES: dict[str, str] = {
    "FOUND": "an entity that only the candidate predicts, by its name in result.json",
    "asked": "how many clusters an early stop ran, by its name in result.json",
    "only_kept": "by its name in suite.json",
    "KEPT": "an entity that both predict, by its name in result.json",
    "HELD_OUT": "held-out data, the field's term",
    "held_out": "held-out data, the field's term",
}
"""Names that may stay, each with its reason."""
PHRASES = (
    r"\bgiven names?\b|\bgiven/|``asked``",  # a first name; a key of result.json
    r"\bfound\b",  # what somebody or something found: the plain verb
    r"\b[Hh]eld-out\b",  # held-out data, the field's term
    r"\bwas held\b",  # an example of English
    r"\btears? (?:\w+ )?apart\b|\bterms apart\b|\bname apart\b",
    r"\bkept\b",  # the plain verb; as a name it says nothing
)
"""Where a word of the dialect has its plain sense in prose."""
WORDS = re.compile(rf"\b(?:{'|'.join(sorted(DIALECT))}|let go)\b", re.IGNORECASE)


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
    return bool(DIALECT & {*name.lower().split("_")}) or "let_go" in name


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
        if WORDS.search(re.sub("|".join(PHRASES), "", line, flags=re.IGNORECASE))
    ]
    assert dialect == []


def test_it_sees_the_dialect() -> None:
    source = "def told(given):\n    kept_rows = [found for found in given]\n    return kept_rows\n"
    assert {name for name in names_of(ast.parse(source)) if is_dialect(name)} == {
        "told", "given", "kept_rows", "found",
    }  # fmt: skip
    assert WORDS.search("what stands beside it")


@pytest.mark.parametrize("part", ["documentation", "docstrings"])
def test_sentences_are_short(part: str) -> None:
    if part == "documentation":
        sentences = [one for path in prose.pages() for one in prose.sentences_of_page(path)]
    else:
        sentences = [one for path in prose.modules() for one in prose.sentences_of_module(path)]
    mean, long = prose.measure(sentences)
    assert mean <= prose.MEAN
    assert long <= prose.MOST_LONG
