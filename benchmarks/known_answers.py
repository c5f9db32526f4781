"""Known answers of the shipped suites: adds them from corpora, and writes the table of the docs.

    python benchmarks/known_answers.py                     print the table
    python benchmarks/known_answers.py --write             put it into results/suites.md
    python benchmarks/known_answers.py --data DATA NAME... add known answers to these suites

DATA is the folder of the recipes' files (results/suites.md). Groups, ids and licences stay as they
are. ``mt-gate suite build --recipe`` writes known answers itself; adding them spares building the
groups again, which reviewers have accepted as they are.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from mt_gate.relations.base import is_known_answer
from mt_gate.suites.format import (
    SHIPPED,
    Suite,
    read_suite,
    shipped_suites,
    with_known_answers,
    write_suite,
)
from mt_gate_suites.known_answers import read_known_answers, with_answers
from mt_gate_suites.recipe import read_recipe
from page_tables import put

PAGE = Path(__file__).parent / "results" / "suites.md"
TABLE = "known-answers"


def add(name: str, data: Path) -> None:
    """Write a shipped suite again, with its known answers."""
    suite, recipe = read_suite(SHIPPED / name), read_recipe(name)
    groups = [group for group in suite.groups if not is_known_answer(group.relation)]
    known = read_known_answers(recipe, data)
    plain = (msgspec.structs.replace(one, gold=None, slices={}) for one in suite.sources)
    sources = with_answers(plain, known)
    head = msgspec.structs.replace(suite.head, version=recipe.version)
    head = with_known_answers(head, sources, recipe.says)
    write_suite(SHIPPED / name, head, sources, groups)


def table() -> str:
    """Return how many sources of each shipped suite have a known answer, and from where."""
    lines = [
        "| Suite | Sources | With a known answer | From | Slices |",
        "| --- | ---: | ---: | --- | --- |",
    ]
    for name in shipped_suites():
        suite = read_suite(SHIPPED / name)
        known = sum(source.gold is not None for source in suite.sources)
        cells = (f"`{name}`", f"{len(suite.sources):,}", f"{known:,}", _origins(suite))
        lines.append(f"| {' | '.join([*cells, ', '.join(_slices(suite)) or '–'])} |")
    return "\n".join(lines)


def _origins(suite: Suite) -> str:
    known = Counter(source.origin for source in suite.sources if source.gold is not None)
    return "; ".join(f"{origin} ({number:,})" for origin, number in sorted(known.items())) or "–"


def _slices(suite: Suite) -> Iterator[str]:
    names = {name for source in suite.sources for name in source.slices}
    for name in sorted(names):
        values = {source.slices[name] for source in suite.sources if name in source.slices}
        yield f"{name} ({len(values)})"


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    for name in arguments.names if arguments.data else ():
        add(name, arguments.data)
    print(table())
    if arguments.write:
        put(PAGE, TABLE, table())


if __name__ == "__main__":
    main()
