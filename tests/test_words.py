"""Names, docstrings, comments, pages and messages use plain words, not the old private ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import prose

NAMES: dict[str, str] = {
    "FOUND": "an entity that only the candidate predicts, by its name in result.json",
    "asked": "how many clusters an early stop ran, by its name in result.json",
    "only_kept": "by its name in suite.json",
    "KEPT": "an entity that both predict, by its name in result.json",
    "HELD_OUT": "held-out data, the field's term",
    "held_out": "held-out data, the field's term",
    "test_held_out_is_by_the_automatic_labels": "held-out data, the field's term",
}
"""Names that may stay, each with its reason."""
FILES = [*prose.modules(), *sorted((prose.ROOT / "tests").rglob("*.py"))]
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
        for path in FILES
        for name in names_of(ast.parse(path.read_text(encoding="utf-8")))
        if is_dialect(name) and name not in NAMES
    }
    assert sorted(dialect) == []


def test_docstrings_and_comments_use_plain_words() -> None:
    dialect = [
        f"{path.relative_to(prose.ROOT)}:{at}: {line.strip()}"
        for path in FILES
        for at, line in prose.comments_and_docstrings(path)
        if WORDS.search(re.sub("|".join(prose.PLAIN), "", line, flags=re.IGNORECASE))
    ]
    assert dialect == []


def test_pages_and_messages_use_plain_words() -> None:
    assert [*map(str, prose.findings())] == []


def test_sentences_are_short() -> None:
    for part, sentences in prose.parts().items():
        mean, long = prose.measure(sentences)
        assert mean <= prose.MEAN, part
        assert long <= prose.MOST_LONG, part
