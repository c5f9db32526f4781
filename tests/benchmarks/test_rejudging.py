"""Candidates judged again by what is stored: larger margins, and several runs as the baseline."""

from __future__ import annotations

from pathlib import Path

import msgspec

from benchmarks.test_summarising import reference as made_up
from fault_bench.faults import Family, Fault, Half
from fault_bench.kept_verdicts import to_keep
from fault_bench.records import (
    CANDIDATES,
    VERDICTS,
    CandidateRecord,
    Gate,
    ReferenceRecord,
    write_candidate,
)
from fault_bench.rejudging import RUNS, Rejudging, rejudged
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts, SourceVerdicts
from mt_gate.results.result import GateVerdict

SOURCES = [f"s{at:04}" for at in range(800)]


def run_of(violated: int) -> RunVerdicts:
    """Return verdicts on one relation with a group a source, so many violated."""
    lost = frozenset(SOURCES[:violated])
    one = RelationVerdicts(
        id="ner/a",
        violated=lost,
        satisfied=frozenset(SOURCES) - lost,
        source_of={source: source for source in SOURCES},
        sources={source: SourceVerdicts(1, lost & {source}) for source in SOURCES},
    )
    return {"ner/a": one}


def reference() -> ReferenceRecord:
    settings = msgspec.structs.replace(made_up().settings, relations=("ner/a",))
    return msgspec.structs.replace(made_up(), settings=settings, verdicts=to_keep(run_of(80)))


def candidate(
    folder: Path,
    kind: str,
    strength: int,
    verdicts: RunVerdicts,
    *,
    harmless: bool = False,
    caught: bool = True,
) -> CandidateRecord:
    gate = Gate(
        verdict=GateVerdict.REGRESSION,
        caught=caught,
        fired=("ner/a",),
        difference=0.1,
        reasons=(),
        half_caught=True,
    )
    fault = Fault(
        kind=kind,
        family=Family.TRAINING,
        half=Half.CHOOSING,
        strength=strength,
        harmless=harmless,
    )
    record = CandidateRecord(study="this", fault=fault, counts=((1, 1),), gate=gate)
    place = folder / CANDIDATES / fault.name
    place.mkdir(parents=True)
    write_candidate(place, record, verdicts)
    return record


def again(folder: Path, *records: CandidateRecord) -> Rejudging:
    return rejudged(folder, reference(), records)


def test_a_loss_within_a_larger_margin_is_none(tmp_path: Path) -> None:
    small = candidate(tmp_path, "small", 1, run_of(101))
    large = candidate(tmp_path, "large", 1, run_of(180))
    found = again(tmp_path, small, large)
    margins = found.ways[:3]
    assert margins == tuple(f"one run, margin {points}.0 pp" for points in (1, 2, 3))
    assert [found.caught["small-1"][way] for way in margins] == [True, True, False]
    assert [found.caught["large-1"][way] for way in margins] == [True, True, True]
    assert found.runs == ()


def test_what_the_recipe_itself_moves_is_no_loss_against_several_runs(tmp_path: Path) -> None:
    seeds = [
        candidate(tmp_path, "another-seed", at, run_of(number), harmless=True)
        for at, number in enumerate((60, 90, 120, 110), 1)
    ]
    ruined = candidate(tmp_path, "ruined", 1, run_of(400))
    found = again(tmp_path, *reversed(seeds), ruined)
    assert found.runs == ("another-seed-1", "another-seed-2", "another-seed-3")
    way = found.ways[-1]
    assert way == f"{RUNS} runs, margin 1.0 pp"
    assert all(way not in found.caught[name] for name in found.runs)
    assert found.caught["another-seed-4"][way] is False
    assert found.caught["ruined-1"][way] is True


def test_too_few_runs_are_no_baseline(tmp_path: Path) -> None:
    seeds = [candidate(tmp_path, "another-seed", at, run_of(80), harmless=True) for at in (1, 2)]
    assert again(tmp_path, *seeds).runs == ()


def test_verdicts_that_cannot_be_read_are_not_judged(tmp_path: Path) -> None:
    one = candidate(tmp_path, "small", 1, run_of(180))
    (tmp_path / CANDIDATES / "small-1" / VERDICTS).write_text("{")
    assert again(tmp_path, one).caught == {}
