"""Every lexicon is whole, read by somebody, and the only place of its words."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mt_gate.lexicons import reading as of_gate
from mt_gate.lexicons.reading import read
from mt_gate_suites.lexicons import reading as of_suites

FOLDERS = (of_gate.DATA, of_suites.DATA)
RUNNER = of_gate.DATA.parents[2]
FILES = {
    path.relative_to(folder).with_suffix("").as_posix(): path
    for folder in FOLDERS
    for path in sorted(folder.rglob("*.txt"))
}
HEAD = ("title", "origin", "licence", "made")
"""What every file says of itself, in this order."""
READERS = {"word_set", "ordered", "rows", "mapping", "any_of", "word_pattern"}

MOST = 10
"""Words of English that a module may list itself.

A closed class fits (the nine modal verbs), and the few words of one rule; what is
longer is a list that a speaker of English could extend, and is in ``data/``.
"""
SPEAKING = (
    "mt_gate/language",
    "mt_gate/ontologies",
    "mt_gate/relation_corpora",
    "mt_gate/relations",
    "mt_gate/tasks",
    "mt_gate_suites",
)
"""Packages that know English; the others list keys, options and file names of formats."""
NO_LEXICON = {
    "mt_gate_suites/builder_api.py": "the names of relations",
    "mt_gate_suites/ner/exchanges.py": "the names of conditions",
    "mt_gate/language/wordnet.py": "the names of WordNet's files, in their order",
    "mt_gate_suites/templates/values.py": "the names of kinds, and parts of fictional user names",
}


ADJECTIVES = "boolq/adjectives"
EXCHANGES = "ner/exchanges"


def test_no_lexicon_hides_another() -> None:
    assert len(FILES) == sum(len([*folder.rglob("*.txt")]) for folder in FOLDERS)


@pytest.mark.parametrize("path", FILES.values(), ids=FILES)
def test_a_lexicon_tells_where_it_is_from_and_is_in_the_format(path: Path) -> None:
    *lines, end = path.read_text(encoding="utf-8").split("\n")
    assert not end, "no line break at the end"
    head = dict(line[2:].split(": ", 1) for line in lines[: len(HEAD)])
    assert tuple(head) == HEAD
    assert all(head.values())
    assert "Apache-2.0" in head["licence"]
    starts = [number for number, line in enumerate(lines) if line.startswith("[")]
    assert len(starts) == len(read(path)), "a section has no name, or that of another"
    for start, (name, (columns, rows)) in zip(starts, read(path).items(), strict=True):
        assert rows, name
        assert len({*rows}) == len(rows), f"{name} has an entry twice"
        assert {len(row) for row in rows} == {len(columns) or 1}, name
        assert all(cell == cell.strip() for row in rows for cell in row), name
        entries = ["\t".join(row) for row in rows]
        assert entries == sorted(entries) or lines[start + 1].startswith("# order: "), name


@functools.cache
def parsed() -> dict[str, ast.Module]:
    """Return all modules by path, but the readers themselves."""
    modules = sorted(RUNNER.glob("mt_gate*/**/*.py"))
    paths = {path.relative_to(RUNNER).as_posix(): path for path in modules}
    for package in ("mt_gate", "mt_gate_suites"):
        del paths[f"{package}/lexicons/reading.py"]
    return {name: ast.parse(path.read_text()) for name, path in paths.items()}


def requested_sections() -> Iterator[tuple[str, str]]:
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
    """Return a text that is in the code; nothing for a name: LEXICON, of the adjectives."""
    is_text = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    return ast.literal_eval(argument) if is_text else ""


def test_every_section_is_read_and_every_reading_finds_one() -> None:
    sections = {(name, section) for name, path in FILES.items() for section in read(path)}
    cells = {
        word[1:]
        for section in ("synonyms", "opposites")
        for row in read(FILES[ADJECTIVES])[section].rows
        for cell in row
        for word in cell.split()
        if word.startswith("@")
    }
    lists = {
        name[1:]
        for section in ("words", "phrases")
        for row in read(FILES[EXCHANGES])[section].rows
        for name in re.findall(r"@[a-z-]+", row[-1])
    }
    wanted = {*requested_sections(), *((ADJECTIVES, section) for section in cells)}
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
    actual = {
        f"{name}:{line}"
        for name, module in parsed().items()
        if name.startswith(SPEAKING)
        for line, items in collections_in(module)
        if sum(map(is_word, items)) > MOST and name not in NO_LEXICON
    }
    assert not actual, f"word lists in code: {sorted(actual)}; move them to lexicons/data"
