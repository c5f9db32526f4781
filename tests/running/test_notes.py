"""What a run says of itself beside its figures, and when it says nothing."""

from __future__ import annotations

import msgspec

from baselines.made import ROWS, built
from mt_gate.domain import NotApplicable
from mt_gate.results.result import GateVerdict
from mt_gate.running.notes import baseline_notes, run_notes
from reporting import made_up

RESULT = made_up.result()
ROW = made_up.rows()[0]


def of(*reasons: str, part: tuple[str, ...] = (), fingerprint: str = "ab" * 32) -> tuple[str, ...]:
    suite = msgspec.structs.replace(RESULT.suite, part=part)
    head = msgspec.structs.replace(RESULT.checkpoint, fingerprint=fingerprint)
    rows = [msgspec.structs.replace(ROW, reason=reason) for reason in reasons]
    return run_notes(suite, head, rows)


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


def test_a_loss_against_one_run_says_what_one_run_cannot_tell() -> None:
    run = msgspec.structs.replace(RESULT, checkpoint=built().first.checkpoint)
    (note,) = baseline_notes(run, built(), GateVerdict.REGRESSION)
    assert note.startswith("the baseline is one run: how much the same recipe trained again")
    assert baseline_notes(run, built(), GateVerdict.PASS) == ()
    assert baseline_notes(run, built(ROWS, ROWS), GateVerdict.REGRESSION) == ()


def test_a_baseline_of_an_older_format_says_what_it_lacks() -> None:
    run = msgspec.structs.replace(RESULT, checkpoint=built().first.checkpoint)
    old = msgspec.structs.replace(built(), format=2)
    (note,) = baseline_notes(run, old, GateVerdict.PASS)
    assert note.startswith("the baseline was recorded by an older release: no unstable groups, no")
