"""What a run says of itself beside its figures, and when it says nothing."""

from __future__ import annotations

import msgspec
import pytest

from baselines.made import ROWS, built
from cases import table
from mt_gate.domain import NotApplicable
from mt_gate.results.result import GateVerdict, Result
from mt_gate.running.notes import baseline_notes, run_notes
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


def test_what_could_not_be_asked_is_counted() -> None:
    (one,) = of(NotApplicable.TRUNCATED)
    assert one.startswith("1 group not asked: an input, or its question alone, is longer")
    (two,) = of(NotApplicable.TRUNCATED, NotApplicable.QUESTION_TOO_LONG)
    assert two.startswith("2 groups not asked")


def test_a_part_and_a_system_without_fingerprint_are_told() -> None:
    part, system = of(part=("40 of 60 sources, seed 1",), fingerprint="")
    assert part == "a part of ner-default: 40 of 60 sources, seed 1"
    assert system.startswith("the system, models/ner, has no fingerprint")


def test_how_answers_are_read_is_told_and_what_the_baseline_s_were_read_by() -> None:
    read = msgspec.structs.replace(RESULT.checkpoint, reading="threshold toxic=0.8")
    assert run_notes(RESULT.suite, read, ()) == ("answers are read by threshold toxic=0.8",)
    baseline = built()
    run = msgspec.structs.replace(
        RESULT,
        checkpoint=msgspec.structs.replace(baseline.first.checkpoint, reading=read.reading),
    )
    assert "the baseline's answers were read by its own labels alone" in baseline_notes(
        run, baseline, GateVerdict.PASS
    )


def apart(noise: dict[str, float] | None = None, **changed: object) -> tuple[str, ...]:
    baseline = built()
    known = {"cpu_features": ("avx2", "fma"), "threads": 2}
    head = baseline.first.checkpoint
    then = msgspec.structs.replace(head.runtime, **known)
    now = msgspec.structs.replace(then, **changed)
    heads = [msgspec.structs.replace(head, runtime=each) for each in (then, now)]
    first = msgspec.structs.replace(baseline.first, checkpoint=heads[0])
    recorded = msgspec.structs.replace(baseline, runs=(first, first))
    run: Result = msgspec.structs.replace(RESULT, checkpoint=heads[1], noise=noise or {})
    return baseline_notes(run, recorded, GateVerdict.PASS)


def test_runs_computed_alike_need_no_word() -> None:
    assert apart() == ()
    assert apart(cpu="another with the same instructions") == ()


@pytest.mark.parametrize(
    ("field", "value", "said"), table(__file__, "every_condition_that_differs_is_named")
)
def test_every_condition_that_differs_is_named(field: str, value: object, said: str) -> None:
    assert apart(**{field: value}) == (said,)


def test_of_a_gpu_the_cpu_does_not_count_and_its_distance_is_told() -> None:
    notes = apart(
        {"provider": 0.00123, "repeated": 0.5},
        provider="CUDA",
        device="cuda",
        threads=8,
        cpu_features=("avx2",),
    )
    assert len(notes) == 3
    assert notes[2] == "scores of one input differ by up to 0.0012 between CUDA and the CPU"
    assert apart({"provider": 0.00123}) == ()


def test_a_loss_against_one_run_says_what_one_run_cannot_tell() -> None:
    run = msgspec.structs.replace(RESULT, checkpoint=built().first.checkpoint)
    (note,) = baseline_notes(run, built(), GateVerdict.REGRESSION)
    assert note.startswith("the baseline is one run: how much the same recipe trained again")
    assert baseline_notes(run, built(), GateVerdict.PASS) == ()
    assert baseline_notes(run, built(ROWS, ROWS), GateVerdict.REGRESSION) == ()
