"""Count which groups of a built-in suite today's builders make again, and which rejected ones.

    python benchmarks/builder_yardstick.py --data DATA --parses FOLDER TASK [RELATION...]

``DATA`` holds the files that the recipe ``TASK-default`` names, ``FOLDER`` exists and keeps the
parses for the next call. The recipe is built without caps and without its list of rejected groups:
a group is lost only where no rule makes it any more. One row a relation:

- built: groups that the rules make
- kept: groups of the built-in suite, which readers accepted; other: another group of the same
  source and kind of edit instead, since names come from other pools; lost: neither
- rejected: groups that readers rejected in an audit sheet, or whose id or source is on the list

With ``yields`` for ``TASK``, it prints the table of ``results/suites.md`` instead: how many groups
the strict rules and the papers' rules make of the papers' public corpora.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from msgspec.structs import replace
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from mt_gate.domain import Group
from mt_gate.language.kinds import ToolNames
from mt_gate.reporting.table import Table, markdown_table
from mt_gate.suites.format import find_suite, read_suite
from mt_gate.suites.reviews import ACCEPTED
from mt_gate_suites.build import load_pipeline
from mt_gate_suites.builder_api import TASK_BUILDERS
from mt_gate_suites.caps import RecipeCaps
from mt_gate_suites.recipe import read_recipe, recipe_of_files, refused_ids

SHEETS = Path(__file__).parents[1] / "docs" / "audits"
PIPELINE, UNLIMITED = "en_core_web_sm", 10_000_000
PARSED = ["TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START", "ENT_IOB", "ENT_TYPE"]


class ParseCache:
    """A pipeline that parses each text once, in all calls with the same folder."""

    def __init__(self, nlp: Language, folder: Path) -> None:
        self._nlp, self._folder = nlp, folder
        self._docs: dict[str, dict[str, Doc]] = {}
        self._new: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._nlp, name)

    def __call__(self, text: str) -> Any:
        return next(self.pipe([text]))

    def pipe(self, texts: Iterable[Any], *, as_tuples: bool = False, **_: object) -> Iterator[Any]:
        rows = [row if as_tuples else (row, None) for row in texts]
        name = f"{'-'.join(self._nlp.pipe_names)}.spacy"
        if name not in self._docs:
            self._docs[name] = dict(self._read(name))
        docs = self._docs[name]
        new = [text for text in dict.fromkeys(text for text, _ in rows) if text not in docs]
        docs |= {doc.text: doc for doc in self._nlp.pipe(new, batch_size=128)}
        self._new |= {name} if new else set()
        for text, context in rows:
            yield (docs[text], context) if as_tuples else docs[text]

    def _read(self, name: str) -> Iterator[tuple[str, Doc]]:
        if (self._folder / name).is_file():
            for doc in DocBin().from_disk(self._folder / name).get_docs(self._nlp.vocab):
                yield doc.text, doc

    def save(self) -> None:
        for name in self._new:
            DocBin(attrs=PARSED, docs=self._docs[name].values()).to_disk(self._folder / name)


def build_all(task: str, relations: tuple[str, ...], options: argparse.Namespace) -> list[Group]:
    """Build every group that the rules make from the recipe's corpora."""
    recipe = read_recipe(f"{task}-default")
    recipe = replace(recipe, caps=RecipeCaps(), refused="", enough=0, relations=relations)
    recipe = replace(recipe, sources=UNLIMITED, groups=UNLIMITED)
    nlp: Any = ParseCache(load_pipeline(options.pipeline), options.parses)
    tools = ToolNames(wordnet=options.wordnet, cache=options.parses)
    build = resolve_name(TASK_BUILDERS[task])
    built = build(recipe, options.data, nlp, lambda _: None, tools, lambda *_: None)
    nlp.save()
    return [*built.groups]


CORPORA = {"ner": "ner/bbc_sentences.jsonl", "boolq": "boolq/dev.jsonl"}
PUBLISHED = {
    "ner/token-replacement": "3,568",
    "ner/phrase-replacement": "7,786",
    "ner/structural": "350",
}
"""Groups that the papers publish; the paper on boolean questions states only rates."""


def count_yields(options: argparse.Namespace) -> Table:
    """Build the papers' corpora by both rules, and return the groups of each relation."""
    counts: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
    nlp: Any = ParseCache(load_pipeline(options.pipeline), options.parses)
    tools = ToolNames(wordnet=options.wordnet, cache=options.parses)
    for task, file in CORPORA.items():
        recipe = recipe_of_files(task, "yields", (options.data / file,), "", "")
        for paper, count in counts.items():
            rules = recipe.with_paper() if paper else recipe
            build = resolve_name(TASK_BUILDERS[task])
            built = build(rules, options.data, nlp, lambda _: None, tools, lambda *_: None)
            count.update(group.relation for group in built.groups)
    nlp.save()
    rows = []
    for name, groups in counts[True].items():
        accepted = "{} of {}".format(*ACCEPTED[name]) if name in ACCEPTED else "–"
        strict = f"{counts[False][name]:,}"
        rows.append((f"`{name}`", strict, f"{groups:,}", accepted, PUBLISHED.get(name, "–")))
    head = ("Relation", "Strict", "Paper", "Accepted in a sample", "Published")
    return Table("lrrrr", head, rows)


def read_rejected(task: str) -> frozenset[str]:
    """Read the ids of groups and sources that readers rejected."""
    ids = set(refused_ids(read_recipe(f"{task}-default")))
    for sheet in SHEETS.rglob(f"{task}-*.csv"):
        rows = csv.DictReader(sheet.read_text(encoding="utf-8-sig").splitlines(keepends=True))
        ids |= {row["id"] for row in rows if row.get("mark") not in ("ok", "")}
    return frozenset(ids)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--parses", type=Path, required=True)
    parser.add_argument("--wordnet", default="")
    parser.add_argument("--pipeline", default=os.environ.get("MT_GATE_SPACY_PIPELINE", PIPELINE))
    parser.add_argument("task", choices=("ner", "boolq", "re", "yields"))
    parser.add_argument("relations", nargs="*")
    options = parser.parse_args()
    if options.task == "yields":
        sys.stdout.write(markdown_table(count_yields(options)) + "\n")
        return
    rejected = read_rejected(options.task)
    shipped, built = defaultdict[str, list[Group]](list), defaultdict[str, list[Group]](list)
    for group in read_suite(find_suite(f"{options.task}-default")).groups:
        shipped[group.relation].append(group)
    for group in build_all(options.task, tuple(options.relations), options):
        built[group.relation].append(group)
    row = "{:<42}{:>8}{:>8}{:>8}{:>8}{:>10}\n"
    sys.stdout.write(row.format("relation", "built", "kept", "other", "lost", "rejected"))
    for name in sorted(options.relations or {*shipped, *built} - {f"{options.task}/known-answer"}):
        ids = {group.id for group in built[name]}
        edits = {(group.source, group.stratum) for group in built[name]}
        gone = [group for group in shipped[name] if group.id not in ids]
        lost = sum((group.source, group.stratum) not in edits for group in gone)
        kept = len(shipped[name]) - len(gone)
        back = sum(not rejected.isdisjoint((group.id, group.source)) for group in built[name])
        sys.stdout.write(row.format(name, len(ids), kept, len(gone) - lost, lost, back))


if __name__ == "__main__":
    main()
