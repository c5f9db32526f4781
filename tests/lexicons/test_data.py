"""Every lexicon is whole, read by somebody, and the only place of its words."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mt_gate.lexicons.reading import DATA, HEAD, read

PACKAGE = DATA.parents[1]
FILES = sorted(DATA.rglob("*.txt"))
READERS = {"word_set", "ordered", "rows", "mapping"}

MOST = 10
"""Words of English that a module may list itself.

A closed class fits (the nine modal verbs), and the few words of one rule; what is
longer is a list that a speaker of English could extend, and stands in ``data/``.
"""
SPEAKING = (
    "audits",
    "building",
    "language",
    "ontologies",
    "relation_corpora",
    "relations",
    "tasks",
)
"""Packages that know English; the others list keys, options and file names of formats."""
NO_LEXICON = {
    "building/ner/exchange_conditions.py": "the names of conditions",
    "language/wordnet.py": "the names of WordNet's files, in their order",
}


ADJECTIVES = "boolq/adjectives"
EXCHANGES = "ner/exchanges"


def lexicon_of(path: Path) -> str:
    return path.relative_to(DATA).with_suffix("").as_posix()


@pytest.mark.parametrize("path", FILES, ids=lexicon_of)
def test_a_lexicon_tells_where_it_is_from(path: Path) -> None:
    """The reader refuses what has no head, is out of order or occurs twice."""
    assert read(path)
    head = dict(line[2:].split(": ", 1) for line in path.read_text().split("\n")[: len(HEAD)])
    assert tuple(head) == HEAD
    assert "Apache-2.0" in head["licence"]


@functools.cache
def parsed() -> dict[str, ast.Module]:
    """Return all modules by path, but the reader itself."""
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
    del paths["lexicons/reading.py"]
    return {name: ast.parse(path.read_text()) for name, path in paths.items()}


def asked_for() -> Iterator[tuple[str, str]]:
    """Yield lexicon and section of every reading."""
    for module in parsed().values():
        for node in ast.walk(module):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id in READERS and len(node.args) > 1:
                lexicon, section = map(written, node.args[:2])
                if section:
                    yield lexicon or ADJECTIVES, section


def written(argument: ast.expr) -> str:
    """Return a text that stands in the code; nothing for a name: LEXICON, of the adjectives."""
    is_text = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    return ast.literal_eval(argument) if is_text else ""


def test_every_section_is_read_and_every_reading_finds_one() -> None:
    sections = {(lexicon_of(path), section) for path in FILES for section in read(path)}
    adjectives = DATA / f"{ADJECTIVES}.txt"
    cells = {
        word[1:]
        for section in ("synonyms", "opposites")
        for row in read(adjectives)[section].rows
        for cell in row
        for word in cell.split()
        if word.startswith("@")
    }
    lists = {
        name[1:]
        for section in ("words", "phrases")
        for row in read(DATA / f"{EXCHANGES}.txt")[section].rows
        for name in re.findall(r"@[a-z-]+", row[-1])
    }
    wanted = {*asked_for(), *((ADJECTIVES, section) for section in cells)}
    wanted |= {(EXCHANGES, section) for section in lists}
    assert sections == wanted


def collections_in(module: ast.Module) -> Iterator[tuple[int, list[str]]]:
    for node in ast.walk(module):
        if isinstance(node, ast.Set | ast.List | ast.Tuple):
            items: list[ast.expr | None] = [*node.elts]
        elif isinstance(node, ast.Dict):
            items = [*node.keys]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            text = written(node.func.value)
            if node.func.attr == "split" and text:
                mark = written(node.args[0]) if node.args else None
                yield node.lineno, text.split(mark)
            continue
        else:
            continue
        values = [item.value for item in items if isinstance(item, ast.Constant)]
        yield node.lineno, [value for value in values if isinstance(value, str)]


def is_word(text: str) -> bool:
    """Whether a text is a word: tags and types are written in capitals, marks have no letters."""
    return any(letter.islower() for letter in text)


def test_words_stand_in_lexicons_alone() -> None:
    found = {
        f"{name}:{line}"
        for name, module in parsed().items()
        if name.startswith(SPEAKING)
        for line, items in collections_in(module)
        if sum(map(is_word, items)) > MOST and name not in NO_LEXICON
    }
    assert not found, f"word lists in code: {sorted(found)}; move them to lexicons/data"
