"""What docs/ontologies.md shows."""

from __future__ import annotations

import re
from pathlib import Path

from mt_gate.ontologies.reading import open_ontology, shipped_ontologies
from mt_gate.tasks.relation_extraction import TYPES

TEXT = (Path(__file__).parents[2] / "docs" / "ontologies.md").read_text(encoding="utf-8")


def test_the_example_opens(tmp_path: Path) -> None:
    example = re.search(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert example
    path = tmp_path / "pets.json"
    path.write_text(example[1])
    ontology = open_ontology(str(path))
    assert ontology.inverse("owner_of", "PERSON", "MISC") == "owned_by"
    assert ontology.coarser("city_kept_in", "tail", "COUNTRY") == "country_kept_in"


def test_the_table_names_what_is_shipped() -> None:
    listed = re.findall(r"^\| `([\w-]+)` \| (\d+) \| (.*?) \| (yes|no) \|", TEXT, re.MULTILINE)
    assert {row[0] for row in listed} == set(shipped_ontologies())
    for name, count, none, directed in listed:
        ontology = open_ontology(name)
        labels = len(ontology.relations) * (2 if ontology.directed else 1) + bool(ontology.none)
        assert (int(count), none.strip("`"), directed) == (
            labels,
            ontology.none or "none",
            "yes" if ontology.directed else "no",
        )


def test_every_type_is_named() -> None:
    assert set(re.findall(r"`([A-Z_]{3,})`", TEXT)) == TYPES
