"""The figures of a bench, from a reference and candidates that are made up."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fault_bench import tables
from fault_bench.faults import Family, Fault, Half
from fault_bench.records import (
    CANDIDATE,
    CANDIDATES,
    CandidateRecord,
    Gate,
    LabelCounts,
    PartFindings,
    ReferenceRecord,
    write_candidate,
    write_reference,
)
from fault_bench.summarising import summarised
from mt_gate.base.errors import CannotJudge
from mt_gate.results.result import (
    CheckpointHead,
    GateVerdict,
    RelationResult,
    RunSettings,
    Runtime,
    SuiteHead,
    Tool,
)

SAMPLES = 1000
SETTINGS = RunSettings(
    alpha=0.05,
    margin=0.01,
    strict=False,
    max_applicability_loss=0.1,
    max_violation_rate={},
    must_hold=(),
    relations=("ner/a", "ner/b"),
    complete=True,
    noise=0.0,
)
PASSED = Gate(
    verdict=GateVerdict.PASS,
    caught=False,
    fired=(),
    difference=0.001,
    reasons=(),
    half_caught=False,
)
CAUGHT = Gate(
    verdict=GateVerdict.REGRESSION,
    caught=True,
    fired=("ner/a",),
    difference=0.1,
    reasons=("ner/a: worse",),
    half_caught=False,
)


def right(number: int) -> tuple[tuple[int, int], ...]:
    return tuple((int(at < number), 1) for at in range(SAMPLES))


def reference() -> ReferenceRecord:
    relation = RelationResult(
        id="ner/a",
        groups=10,
        applicable=10,
        violated=1,
        violation_rate=0.1,
        not_applicable={},
        unstable=0,
        errors={},
    )
    runtime = Runtime(
        provider="CPU", precision="fp32", device="cpu", onnxruntime="1", cpu="", threads=1
    )
    return ReferenceRecord(
        study="this",
        tool=Tool(name="mt-gate", version="1"),
        checkpoint=CheckpointHead(name="small", fingerprint="sha256:1", runtime=runtime),
        suite=SuiteHead(name="s", version="1", task="ner", sha256="0" * 64),
        labels=LabelCounts(file="l", sha256="0" * 64, samples=SAMPLES, measure="accuracy"),
        settings=SETTINGS,
        relations=(relation, msgspec.structs.replace(relation, id="ner/b")),
        asked_characters={"ner/a": 100, "ner/b": 300},
        seconds=40.0,
        counts=right(900),
    )


def candidate(folder: Path, kind: str, number: int, gate: Gate | None, **more: Any) -> None:
    fault = Fault(
        kind=kind,
        family=Family.TRAINING,
        half=more.pop("half", Half.TELLING),
        strength=more.pop("strength", 1),
        harmless=more.pop("harmless", False),
    )
    record = CandidateRecord(
        study=more.pop("study", "this"), fault=fault, counts=right(number), gate=gate, **more
    )
    place = folder / CANDIDATES / fault.name
    place.mkdir(parents=True)
    write_candidate(place, record, {})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_reference(tmp_path, reference())
    candidate(tmp_path, "noise", 850, CAUGHT)
    candidate(tmp_path, "noise", 885, PASSED, strength=2)
    candidate(tmp_path, "steps", 878, CAUGHT, half=Half.CHOOSING)
    candidate(tmp_path, "better", 910, CAUGHT, half=Half.CHOOSING)
    candidate(tmp_path, "seed", 880, PASSED, harmless=True)
    candidate(tmp_path, "restless", 860, None, error="too much noise")
    candidate(tmp_path, "other", 100, CAUGHT, study="another")
    record = CandidateRecord(
        study="this",
        fault=Fault(kind="gone", family=Family.OPTIMISING, half=Half.TELLING, strength=1),
        error="cannot be made",
    )
    place = tmp_path / CANDIDATES / "gone-1"
    place.mkdir()
    write_candidate(place, record, {})
    return tmp_path


def part(folder: Path, half: Half | None) -> PartFindings:
    (found,) = [part for part in summarised(folder).parts if part.half is half]
    return found


def test_candidates_are_counted_by_what_they_truly_cost(folder: Path) -> None:
    every = part(folder, None)
    assert (every.candidates, every.harmless, every.harmless_caught) == (6, 1, 0)
    assert (every.severe, every.severe_caught) == (3, 2)
    assert (every.harmful, every.harmful_caught, every.harmful_half_caught) == (4, 2, 0)
    assert (every.below, every.below_caught) == (1, 1)


def test_halves_add_up(folder: Path) -> None:
    every, *halves = summarised(folder).parts
    assert [half.half for half in halves] == [Half.CHOOSING, Half.TELLING]
    for name in ("candidates", "severe", "harmful", "harmful_caught", "below", "harmless"):
        assert getattr(every, name) == sum(getattr(half, name) for half in halves), name
    for size, number in every.paired.items():
        assert number == pytest.approx(sum(half.paired.get(size, 0) for half in halves))


def test_the_paired_test_is_held_against_the_gate(folder: Path) -> None:
    found = summarised(folder)
    assert list(found.faults[0].found) == [100, 300, 1000]
    costs = {item.fault.name: item.cost for item in found.faults}
    assert costs["noise-1"] == pytest.approx(0.05)
    assert costs["better-1"] == pytest.approx(-0.01)
    assert part(folder, None).paired[1000] == 4
    assert 100 < (part(folder, None).worth or 0) < 1000


def test_ways_to_judge_count_what_they_judge(folder: Path) -> None:
    first, *larger = part(folder, None).ways
    assert first.way == "one run, margin 1.0 pp"
    assert (first.severe, first.severe_caught) == (2, 2)  # one of three was not judged
    assert (first.harmful, first.harmful_caught, first.below_caught) == (3, 2, 1)
    assert (first.harmless, first.harmless_caught) == (1, 0)
    assert 100 < (first.worth or 0) < 1000
    assert [way.harmful_caught for way in larger] == [0, 0]  # no verdict of them differs
    assert [row[:2] for row in tables.ways(summarised(folder)).rows[:2]] == [
        ("all", "one run, margin 1.0 pp"),
        ("all", "one run, margin 2.0 pp"),
    ]


def test_relations_are_counted_on_what_is_harmful(folder: Path) -> None:
    one, two = summarised(folder).relations
    assert (one.caught, one.caught_choosing, one.alone, one.seconds) == (2, 1, 2, 10.0)
    assert (two.caught, two.caught_choosing, two.alone, two.seconds) == (0, 0, 0, 30.0)


def test_what_was_not_made_or_judged_is_told(folder: Path) -> None:
    found = summarised(folder)
    assert found.left_out == {"gone-1": "cannot be made"}
    rows = tables.left_out(found).rows
    assert [tuple(row) for row in rows] == [
        ("gone-1", "cannot be made"),
        ("restless-1", "too much noise"),
    ]


def test_what_one_alone_sees_is_named(folder: Path) -> None:
    table = tables.only_one(summarised(folder))
    assert [row[:2] for row in table.rows] == [
        ("restless-1", "the paired test"),
        ("noise-2", "the paired test"),
    ]


def test_tables_have_a_cell_for_each_column(folder: Path) -> None:
    for _, table in tables.sections(summarised(folder)):
        assert all(len(row) == len(table.head) for row in table.rows)
    tables.write_markdown(folder / "page.md", summarised(folder))
    text = (folder / "page.md").read_text()
    assert "| all | 6 | 2 of 3 | 2 of 4 | 0 of 4 |" in text
    assert "## Seen by one alone" in text


@pytest.mark.parametrize(
    ("labels", "samples", "words"),
    [
        (None, 1000, "more than 1,000"),
        (0.0, 1000, "0"),
        (25.0, 1000, "at most 25"),
        (12.0, 12, "at most 12"),
        (312.0, 1000, "310"),
    ],
)
def test_the_worth_in_labels_is_told(
    folder: Path, labels: float | None, samples: int, words: str
) -> None:
    found = msgspec.structs.replace(part(folder, None), worth=labels)
    assert tables.worth_in_words(found, [samples]) == words


def test_what_cannot_be_read_is_left_out_and_told(folder: Path) -> None:
    (folder / CANDIDATES / "noise-1" / CANDIDATE).write_text("{")
    found = summarised(folder)
    assert "cannot be read" in found.left_out["noise-1"]
    assert "noise-1" not in {item.fault.name for item in found.faults}


def test_relations_share_the_time_of_the_suite_alone(folder: Path) -> None:
    write_reference(folder, msgspec.structs.replace(reference(), labels_seconds=60.0))
    found = summarised(folder)
    assert sum(relation.seconds for relation in found.relations) == 40
    assert found.seconds == 100


def test_a_folder_without_a_study_is_told(tmp_path: Path) -> None:
    with pytest.raises(CannotJudge, match=r"reference\.json: no such file"):
        summarised(tmp_path)


def test_a_copy_under_another_name_is_no_second_candidate(folder: Path) -> None:
    before = summarised(folder)
    places = folder / CANDIDATES
    shutil.copytree(places / "noise-1", places / "noise-1.before")
    assert summarised(folder) == before
