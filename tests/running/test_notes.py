"""The notes of a run, and when there are none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from baselines.made import ROWS, built, measured
from cases import table
from making import SENTENCES, make_suite
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.baselines.schema import Baseline, BaselineSource
from mt_gate.baselines.writing import build_baseline, format_baseline, record_alone
from mt_gate.domain import NotApplicable, Verdict
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.results.result import GateVerdict, GroupRow, Result
from mt_gate.running import judge
from mt_gate.running.judge import baseline_notes, run_notes
from mt_gate.running.preparing import check_baseline, load_baseline
from mt_gate.settings.record import Settings
from mt_gate.suites.format import Suite, read_suite, relations_in
from reporting import made_up

RESULT = made_up.result()
RELATION = RESULT.relations[0]


def of(*reasons: str, part: tuple[str, ...] = (), fingerprint: str = "ab" * 32) -> tuple[str, ...]:
    suite = msgspec.structs.replace(RESULT.suite, part=part)
    head = msgspec.structs.replace(RESULT.checkpoint, fingerprint=fingerprint)
    reasons_of = [msgspec.structs.replace(RELATION, not_applicable={r: 1}) for r in reasons]
    return run_notes(suite, head, reasons_of)


def test_a_whole_run_of_a_known_system_says_nothing() -> None:
    assert of("", NotApplicable.VACUOUS) == ()


def test_failed_predictions_are_counted() -> None:
    (one,) = of(NotApplicable.TRUNCATED)
    assert one.startswith("1 case skipped: the input is longer")
    (two,) = of(NotApplicable.TRUNCATED, NotApplicable.QUESTION_TOO_LONG)
    assert two.startswith("2 cases skipped")


def test_a_part_and_a_system_without_fingerprint_are_noted() -> None:
    part, system = of(part=("40 of 60 sources, seed 1",), fingerprint="")
    assert part == "Subset of ner-default: 40 of 60 sources, seed 1"
    assert system.startswith("The system, models/ner, has no fingerprint")


def test_a_suite_with_the_papers_rules_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    suite = msgspec.structs.replace(RESULT.suite, filters="paper")
    known = msgspec.structs.replace(RELATION, id="boolq/known-answer")
    monkeypatch.setattr(judge, "ACCEPTED", {})
    (note,) = run_notes(suite, RESULT.checkpoint, [RELATION, known])
    assert note.startswith("Suite ner-default was built with --filters paper")
    assert note.endswith(f"wrong. Not reviewed: {RELATION.id}")
    monkeypatch.setattr(judge, "ACCEPTED", {RELATION.id: (55, 60)})
    (note,) = run_notes(suite, RESULT.checkpoint, [RELATION, known])
    assert note.endswith(f"wrong. Reviewers accepted in samples: {RELATION.id} 55 of 60")


def test_a_note_names_the_reading_of_run_and_baseline() -> None:
    read = msgspec.structs.replace(RESULT.checkpoint, reading="threshold toxic=0.8")
    assert run_notes(RESULT.suite, read, ()) == ("Threshold toxic=0.8",)
    baseline = built()
    run = msgspec.structs.replace(
        RESULT,
        checkpoint=msgspec.structs.replace(baseline.runs[0].checkpoint, reading=read.reading),
    )
    assert "The baseline used no label map" in baseline_notes(run, baseline, GateVerdict.PASS)


def distance_notes(noise: dict[str, float] | None = None, **changed: object) -> tuple[str, ...]:
    baseline = built()
    known = {"cpu_features": ("avx2", "fma"), "threads": 2}
    head = baseline.runs[0].checkpoint
    then = msgspec.structs.replace(head.runtime, **known)
    now = msgspec.structs.replace(then, **changed)
    heads = [msgspec.structs.replace(head, runtime=each) for each in (then, now)]
    first = msgspec.structs.replace(baseline.runs[0], checkpoint=heads[0])
    recorded = msgspec.structs.replace(baseline, runs=(first, first))
    run: Result = msgspec.structs.replace(RESULT, checkpoint=heads[1], noise=noise or {})
    return baseline_notes(run, recorded, GateVerdict.PASS)


def test_runs_computed_alike_need_no_word() -> None:
    assert distance_notes() == ()
    assert distance_notes(cpu="another with the same instructions") == ()


@pytest.mark.parametrize(
    ("field", "value", "said"), table(__file__, "every_condition_that_differs_is_named")
)
def test_every_condition_that_differs_is_named(field: str, value: object, said: str) -> None:
    assert distance_notes(**{field: value}) == (said,)


def test_a_note_of_a_gpu_ignores_the_cpu_and_names_the_distance() -> None:
    notes = distance_notes(
        {"provider": 0.00123, "repeated": 0.5},
        provider="CUDA",
        device="cuda",
        threads=8,
        cpu_features=("avx2",),
    )
    assert len(notes) == 3
    assert notes[2] == "Scores of one input differ by up to 0.0012 between CUDA and the CPU."
    assert distance_notes({"provider": 0.00123}) == ()


def test_a_loss_against_one_run_says_what_one_run_cannot_tell() -> None:
    run = msgspec.structs.replace(RESULT, checkpoint=built().runs[0].checkpoint)
    (note,) = baseline_notes(run, built(), GateVerdict.REGRESSION)
    assert note.startswith(
        "Single-run baseline: variation between training runs is not accounted for"
    )
    assert baseline_notes(run, built(), GateVerdict.PASS) == ()
    assert baseline_notes(run, built(ROWS, ROWS), GateVerdict.REGRESSION) == ()


NOTHING = BaselineSource()


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return read_suite(make_suite(tmp_path / "suite", SENTENCES[:6]))


def row(row_id: str, relation: str, source: str, **more: Any) -> GroupRow:
    return GroupRow(
        id=row_id,
        relation=relation,
        source_id=source,
        verdict=Verdict.SATISFIED,
        source={"text": "A."},
        follow_up={"text": "B."},
        **more,
    )


def rows_of(suite: Suite) -> list[GroupRow]:
    stated = [row(group.id, group.relation, group.source) for group in suite.groups]
    bound = [
        row(f"{source.id}-shuffled", "ner/entity-shuffle", source.id, bound=True)
        for source in suite.sources
    ]
    return stated + bound


def recorded(suite: Suite, rows: Sequence[GroupRow], **changed: Any) -> Baseline:
    run = measured([*rows], suite=suite.identity)
    settings = msgspec.structs.replace(run.result.settings, **changed)
    result = msgspec.structs.replace(run.result, settings=settings)
    return build_baseline([run._replace(result=result)], "ner")


def relations(suite: Suite) -> tuple[MetamorphicRelation, ...]:
    return tuple(relations_in(suite.head).values())


def loaded(
    suite: Suite, path: Path | None, source: BaselineSource = NOTHING, **settings: Any
) -> Baseline | None:
    chosen = Settings(
        checkpoint="models/ner", task="ner", suite="made-up", baseline=path, **settings
    )
    return load_baseline(chosen, suite, relations(suite), source)


def test_a_baseline_of_the_suite_is_read_from_its_file(suite: Suite, tmp_path: Path) -> None:
    path, baseline = tmp_path / "ner.json", recorded(suite, rows_of(suite))
    record_alone(path, baseline)
    assert loaded(suite, path) == baseline
    assert loaded(suite, None) is None


def test_a_replacement_of_the_file_is_read(suite: Suite, tmp_path: Path) -> None:
    baseline = recorded(suite, rows_of(suite))
    source = BaselineSource(data=format_baseline(baseline), commit="0123456789")
    path = tmp_path / "gone.json"
    assert loaded(suite, path, source) == baseline
    assert loaded(suite, path, source, record_missing=True) == baseline
    with pytest.raises(CannotJudge, match=r"gone\.json of base commit 0123456 is empty"):
        loaded(suite, path, source._replace(data=b""))


def test_a_missing_file_is_recorded_or_refused(suite: Suite, tmp_path: Path) -> None:
    path = tmp_path / "ner.json"
    assert loaded(suite, path, record_missing=True) is None
    with pytest.raises(CannotJudge, match=r"ner\.json"):
        loaded(suite, path)
    with pytest.raises(UsageError, match="Baseline name 'a b'"):
        loaded(suite, tmp_path / "a b.json", record_missing=True)


def test_a_baseline_covers_the_groups_of_the_suite_and_the_sources_that_bind(suite: Suite) -> None:
    rows = rows_of(suite)
    check_baseline(recorded(suite, rows), suite, relations(suite), "b.json")
    with pytest.raises(CannotJudge, match=r"b\.json: ner/structural: 1 of this run's 6 cases"):
        check_baseline(recorded(suite, rows[1:]), suite, relations(suite), "b.json")
    with pytest.raises(CannotJudge, match="ner/entity-shuffle: 1 of this run's 6 original texts"):
        check_baseline(recorded(suite, rows[:-1]), suite, relations(suite), "b.json")


def test_a_run_that_says_it_was_whole_and_was_not_cannot_judge(suite: Suite) -> None:
    rows = [item for item in rows_of(suite) if not item.bound]
    structural = relations(suite)[:1]
    check_baseline(recorded(suite, rows, complete=False), suite, structural, "b.json")
    with pytest.raises(CannotJudge) as error:
        check_baseline(recorded(suite, rows), suite, structural, "b.json")
    assert str(error.value) == (
        "b.json is of a whole run of the relations ner/structural, but suite made-up has "
        "ner/structural, ner/entity-shuffle. Record a new baseline with mt-gate baseline record."
    )
    with pytest.raises(CannotJudge, match="of a partial run of the relations ner/structural, ner"):
        check_baseline(recorded(suite, rows_of(suite), complete=False), suite, structural, "b.json")
