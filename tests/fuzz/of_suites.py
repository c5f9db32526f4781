"""What suites are, and what they are built from: files of relations, pairs, sources, sheets."""

from __future__ import annotations

import gzip
import hashlib
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fuzz.changing import joined, split_at
from fuzz.target import ROOT, Target, files_of, scratch, written
from making import SENTENCES, make_suite
from making_boolq import INPUTS, make_boolq_suite
from mt_gate.base.files import canonical
from mt_gate.ontologies.reading import open_ontology
from mt_gate.suites.format import GROUPS, HEAD, SOURCES, read_suite
from mt_gate.tasks.table import TASKS
from mt_gate_suites.audit.sheet import from_csv
from mt_gate_suites.own.pairs import read_pairs
from mt_gate_suites.own.relations_file import output_of, read_relations
from mt_gate_suites.own.sources import read_sources
from mt_gate_suites.recipe import read_recipe

FILES = (HEAD, SOURCES, GROUPS)


def _suite(data: bytes) -> None:
    for name, part in zip(FILES, split_at(data, 3), strict=True):
        written(name, part)
    read_suite(scratch())


def _sealed(data: bytes) -> None:
    head, *rows = split_at(data, 3)
    try:
        value: Any = json.loads(head)
    except (ValueError, RecursionError):
        value = None
    for name, text in zip((SOURCES, GROUPS), rows, strict=True):
        written(name, gzip.compress(text, 1))
        if isinstance(value, dict) and isinstance(value.get("files"), dict):
            lines = text.count(b"\n") + (text[-1:] not in (b"\n", b""))
            value["files"][name] = {"lines": lines, "sha256": hashlib.sha256(text).hexdigest()}
    written(HEAD, head if value is None else json.dumps(value).encode())
    read_suite(scratch())


@cache
def _seeds() -> dict[str, bytes]:
    with TemporaryDirectory() as name:
        ner = make_suite(Path(name) / "ner", SENTENCES[:3])
        boolq = make_boolq_suite(Path(name) / "boolq", INPUTS[:2])
        suites = {"kept": ROOT / "tests/formats/files/suite/1", "ner": ner, "boolq": boolq}
        return {
            known: joined((folder / file).read_bytes() for file in FILES)
            for known, folder in suites.items()
        }


def _unpacked(data: bytes) -> bytes:
    head, *rows = split_at(data, 3)
    return joined((head, *map(gzip.decompress, rows)))


def _ontology(data: bytes) -> None:
    open_ontology(str(written("ontology.json", data)))


def _relations(data: bytes) -> None:
    path = written("relations.toml", data)
    result = read_relations(path)
    for relation in result.relation:
        output_of(relation.output, TASKS[result.task], result.labels, str(path))


def _pairs(data: bytes) -> None:
    canonical(read_pairs((written("pairs.jsonl", data),), TASKS["text"]))


def _sources(data: bytes) -> None:
    for source in read_sources((written("sources.jsonl", data),), TASKS["text"]):
        canonical(source)  # as a suite of it is written


def _recipe(data: bytes) -> None:
    if not (scratch() / "ner-default.refused.tsv").exists():
        for name, table in _beginnings("runner/mt_gate_suites/recipes/*.tsv").items():
            written(name.rpartition("-recipes-")[2], table)
    read_recipe(str(written("recipe.toml", data)))


def _sheet(data: bytes) -> None:
    from_csv(data, Path("sheet.csv"))


def _sources_seeds() -> dict[str, bytes]:
    rows = ({"id": "a", "text": "A man."}, {"text": "A man.", "second": "Nobody."})
    return {
        **files_of("docs/own-relations/texts.txt"),
        "lines": b"".join(json.dumps(row).encode() + b"\n" for row in rows),
    }


def _beginnings(*patterns: str) -> dict[str, bytes]:
    return {
        name: b"".join(data.splitlines(keepends=True)[:12])
        for name, data in files_of(*patterns).items()
    }


TARGETS = {
    "suite": Target(_suite, _seeds),
    "suite-sealed": Target(
        _sealed, lambda: {name: _unpacked(data) for name, data in _seeds().items()}
    ),
    "ontology": Target(_ontology, lambda: files_of("runner/mt_gate/ontologies/data/*.json")),
    "relations-file": Target(_relations, lambda: files_of("docs/own-relations/relations.toml")),
    "pairs-file": Target(_pairs, lambda: files_of("docs/own-relations/pairs.jsonl")),
    "sources-file": Target(_sources, _sources_seeds),
    "recipe": Target(_recipe, lambda: files_of("runner/mt_gate_suites/recipes/*.toml")),
    "audit-sheet": Target(_sheet, lambda: _beginnings("docs/audits/*.csv")),
}
