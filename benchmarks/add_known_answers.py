"""Adds known answers and slices to shipped suites, from the corpora of their recipes.

    python benchmarks/add_known_answers.py DATA [NAME ...]

DATA is the folder of the recipes' files (docs/suites.md). Groups, ids and licences stay as they
are. ``mt-gate suite build --recipe`` writes known answers itself; this spares building the groups
again, which a suite that readers have marked must not change.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from mt_gate.building.known_answers import read_known_answers, with_answers
from mt_gate.building.recipe import read_recipe
from mt_gate.relations.known_answer import is_known_answer
from mt_gate.suites.format import (
    SHIPPED,
    read_suite,
    shipped_suites,
    with_known_answers,
    write_suite,
)


def main(data: Path, names: list[str]) -> None:
    """Write each suite again, with its known answers."""
    for name in names:
        suite, recipe = read_suite(SHIPPED / name), read_recipe(name)
        groups = [group for group in suite.groups if not is_known_answer(group.relation)]
        known = read_known_answers(recipe, data, suite.head.relations, groups)
        plain = (msgspec.structs.replace(one, gold=None, slices={}) for one in suite.sources)
        sources = with_answers(plain, known)
        head = msgspec.structs.replace(suite.head, version=recipe.version)
        head = with_known_answers(head, sources, recipe.says)
        write_suite(SHIPPED / name, head, sources, groups)
        answered = sum(source.gold is not None for source in sources)
        print(f"{name}: {answered} of {len(sources)} sources have a known answer")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or shipped_suites())
