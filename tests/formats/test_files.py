"""Files of every format that a release has written, kept under ``files``, are read.

``MT_GATE_GOLDEN=write`` writes a folder of today's format where there is none, and no other: what a
release has written stays as it is. The folder of a format that no release had yet is removed first.
docs/versioning.md lists the formats.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import documents
from baselines.made import ROWS, built
from making import make_suite
from mt_gate.baselines import schema as baselines
from mt_gate.baselines.outputs import outputs_path, parse_outputs
from mt_gate.baselines.schema import read_baseline
from mt_gate.baselines.writing import record_pair
from mt_gate.demo import CHECKPOINTS
from mt_gate.ontologies import reading as ontologies
from mt_gate.results import result as results
from mt_gate.results.store import RESULT, read_result, read_rows
from mt_gate.suites import format as suites
from mt_gate.sut import card as cards
from reporting import made_up

FILES = Path(__file__).parent / "files"
BASELINE, ONTOLOGY = "ner.json", "kbp37.json"


class Kind(NamedTuple):
    """A file that users keep: the format written today, and what reads and writes a folder."""

    format: int
    read: Callable[[Path], None]
    write: Callable[[Path], object]


def read_run(folder: Path) -> None:
    result = read_result(folder / RESULT)
    assert list(read_rows(folder / RESULT, result))


def read_recorded(folder: Path) -> None:
    baseline = read_baseline(folder / BASELINE)
    assert all(of.verdicts() for of in baseline.runs)
    stored_formats = outputs_path(folder / BASELINE)
    assert stored_formats.is_file() == (baseline.answers_sha256 != "")
    if stored_formats.is_file():
        parse_outputs(stored_formats.read_bytes(), baseline)


def read_groups(folder: Path) -> None:
    assert suites.read_suite(folder).groups


def read_meanings(folder: Path) -> None:
    assert ontologies.open_ontology(str(folder / ONTOLOGY)).relations


def read_checkpoint(folder: Path) -> None:
    assert cards.read_card(folder).labels


def write_card(folder: Path) -> None:
    shutil.copy(CHECKPOINTS / "ner-baseline" / cards.CARD, folder)


def write_ontology(folder: Path) -> None:
    shutil.copy(Path(ontologies.__file__).parent / "data" / ONTOLOGY, folder)


KINDS = {
    "result": Kind(
        results.FORMAT,
        read_run,
        lambda folder: made_up.store(folder, made_up.result(), made_up.rows()),
    ),
    "baseline": Kind(
        baselines.FORMAT,
        read_recorded,
        lambda folder: record_pair(folder / BASELINE, built(), ROWS),
    ),
    "suite": Kind(suites.FORMAT, read_groups, make_suite),
    "checkpoint": Kind(cards.FORMAT, read_checkpoint, write_card),
    "ontology": Kind(ontologies.FORMAT, read_meanings, write_ontology),
}


def stored_formats(kind: str) -> list[int]:
    return sorted(int(folder.name) for folder in (FILES / kind).iterdir())


def write_missing(folder: Path, kind: Kind) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=True)
        kind.write(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_is_read(kind: str) -> None:
    now = FILES / kind / str(KINDS[kind].format)
    if os.environ.get("MT_GATE_GOLDEN") == "write":
        write_missing(now, KINDS[kind])
    assert now.is_dir(), f"{kind}: format {now.name} has no file; MT_GATE_GOLDEN=write makes it"
    for number in stored_formats(kind):
        KINDS[kind].read(FILES / kind / str(number))


def test_the_page_names_them() -> None:
    page = (documents.ROOT / "docs" / "versioning.md").read_text()
    rows = re.findall(r"^\| `(\w+)`[^|]*\|[^|]*\| (\d+) \| ([\d, ]+) \|$", page, re.MULTILINE)
    assert {
        kind: (int(written), [int(number) for number in read.split(",")])
        for kind, written, read in rows
    } == {kind: (KINDS[kind].format, stored_formats(kind)) for kind in KINDS}
