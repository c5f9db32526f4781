"""Statistics of our prose: how long sentences are, and which words of the old dialect are left.

    python .ci/prose.py [--sentences N]

Reads README, docs and the docstrings and comments of both packages. Tables and code are no prose.
Exits with 1 if sentences are longer than the style guide allows.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
MEAN, LONG, MOST_LONG = 17, 30, 0.05
"""Words of a sentence on average, words of a long one, and the share that may be long."""
_CODE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`\[]*(?:[A-Z`]|mt-gate|torch))")
_SECTIONS = ("Args:", "Returns:", "Raises:", "Yields:")


class Sentence(NamedTuple):
    """A sentence and the file that it is in."""

    path: Path
    text: str

    @property
    def words(self) -> int:
        """How many words it has."""
        return len(self.text.split())


def sentences_of_page(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a Markdown page; of lists each item is a paragraph."""
    text = _LINK.sub(r"\1", _CODE.sub("", path.read_text(encoding="utf-8")))
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    paragraph: list[str] = []
    for line in [*text.splitlines(), ""]:
        stripped = line.strip()
        begins = re.match(r"(?:[-*]|\d+\.) ", stripped)
        if not stripped or begins or stripped.startswith(("|", "#", "<", ">", "![")):
            yield from split(path, " ".join(paragraph))
            paragraph = [stripped[begins.end() :]] if begins else []
        else:
            paragraph.append(stripped)


def sentences_of_module(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a module's docstrings."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node) or ""
            for paragraph in re.split(r"\n\s*\n", text):
                if not paragraph.startswith((*_SECTIONS, "    ", ">>>")):
                    yield from split(path, " ".join(paragraph.split()))


def split(path: Path, paragraph: str) -> Iterator[Sentence]:
    """Yield the sentences of a paragraph that have a verb's worth of words."""
    for text in _END.split(paragraph):
        if len(text.split()) > 2:
            yield Sentence(path, text)


def comments_and_docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line of a module's comments and docstrings."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        for item in body if isinstance(body, list) else ():
            if isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant):
                for number in range(item.lineno, (item.end_lineno or item.lineno) + 1):
                    yield number, lines[number - 1]


def pages() -> list[Path]:
    """Return README and the pages of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def modules() -> list[Path]:
    """Return the modules of both packages."""
    return sorted((ROOT / "runner").rglob("*.py"))


def measure(sentences: list[Sentence]) -> tuple[float, float]:
    """Return the mean number of words, and the share of long sentences."""
    long = sum(one.words > LONG for one in sentences)
    return fmean(one.words for one in sentences), long / len(sentences)


def main() -> int:
    """Print the statistics, and the longest sentences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=0, help="print so many of the longest")
    shown = parser.parse_args().sentences
    parts = {
        "documentation": [one for path in pages() for one in sentences_of_page(path)],
        "docstrings": [one for path in modules() for one in sentences_of_module(path)],
    }
    bad = False
    for name, sentences in parts.items():
        mean, long = measure(sentences)
        bad |= mean > MEAN or long > MOST_LONG
        print(
            f"{name}: {len(sentences):,} sentences, {mean:.1f} words on average, "
            f"{long:.1%} above {LONG}"
        )
        for one in sorted(sentences, key=lambda one: -one.words)[:shown]:
            print(f"  {one.words} {one.path.relative_to(ROOT)}: {one.text}")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
