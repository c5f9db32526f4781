"""What an ontology's labels can reach of a suite for relation extraction."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from making_relations import group, source, suite
from mt_gate.base.errors import PASS
from mt_gate.ontologies.reading import open_ontology, shipped_ontologies
from mt_gate.suites.format import write_suite
from mt_gate_suites.measures.reach import reach

BOTH, ONE_WAY = "re/swap-symmetric", "re/swap-antisymmetric"
LARGER, HEAD = "re/coarser-type", "re/combine-shared-head"


def made():
    people = source("[Anna|h PERSON] met [Otto|t PERSON].", "people")
    swapped = "[Anna|t PERSON] met [Otto|h PERSON]."
    city = source("[Anna|h PERSON] was born in [Oslo|t CITY].", "city")
    larger = "[Anna|h PERSON] was born in [Norway|t COUNTRY]."
    three = source("[Anna|h PERSON] and [Otto|t PERSON] met [Eva|e PERSON].", "three", (HEAD,))
    two = source("[Anna|h PERSON] and [Otto|t PERSON] met.", "two", (HEAD,))
    groups = [group(name, people, swapped) for name in (BOTH, ONE_WAY)]
    groups += [group(LARGER, city, larger), group(BOTH, city, larger.replace("Norway", "Oslo"))]
    return suite([BOTH, ONE_WAY, LARGER, HEAD], [people, city, three, two], groups)


def test_labels_types_and_meaning_decide() -> None:
    counts = {name: reach(made(), open_ontology(name)) for name in shipped_ontologies()}
    # What holds both ways in TACRED is between persons, or between organisations.
    assert counts["tacred"] == {BOTH: 1, ONE_WAY: 1, LARGER: 1, HEAD: 1}
    # Directed, without symmetric relations and without steps from place to place.
    assert counts["semeval2010"] == {BOTH: 0, ONE_WAY: 1, LARGER: 0, HEAD: 0}


def test_show_tells_it(command: Callable, tmp_path: Path) -> None:
    whole = made()
    write_suite(tmp_path / "suite", whole.head, whole.sources, whole.groups)
    answer = command("suite", "show", tmp_path / "suite")
    assert answer.code == PASS, answer
    (line,) = [line for line in answer.out.splitlines() if line.startswith(f"  {ONE_WAY}")]
    assert len(line.split()) == 1 + len(shipped_ontologies())
