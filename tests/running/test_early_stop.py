"""What is refused with an early stop, and a run in parts that goes to its end."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from baselines.made import built, static
from making_stated import write_stated
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.judging.family import LOOKS, look_of
from mt_gate.relations.base import Context
from mt_gate.results.result import EarlyStop
from mt_gate.results.store import Run
from mt_gate.running.evaluation import evaluate
from mt_gate.running.judge import judge
from mt_gate.running.measuring import ask_in_parts
from mt_gate.running.predicting import Cache, Predictor
from mt_gate.running.preparing import check_settings
from mt_gate.settings.policy import Entry, Policy, Tier
from mt_gate.settings.record import Settings
from mt_gate.suites.format import read_suite, relations_in
from reporting import made_up
from running.test_evaluation import WITHIN, Made, scored

EARLY = EarlyStop(look=3, looks=LOOKS, asked=30, clusters=1_000)
OF_THE_WHOLE: dict[str, Any] = {
    "strict": True,
    "max_violation_rate": {"*": 0.5},
    "must_hold": ("ab",),
    "required": ("ner/structural",),
    "max_churn": 0.5,
    "max_negative_flips": 0.5,
    "policy": Policy(relations={"ner/structural": Entry(tier=Tier.WARN)}),
}


def settings(**named: Any) -> Settings:
    return Settings(task="ner", suite="ner-default", checkpoint="models/ner", **named)


@pytest.mark.parametrize("name", OF_THE_WHOLE)
def test_what_needs_the_whole_suite_is_refused(name: str) -> None:
    options = {name: OF_THE_WHOLE[name]}
    check_settings(settings(**options))
    with pytest.raises(
        UsageError, match=f"^--early-stop does not work with {name.replace('_', '-')}, "
    ):
        check_settings(settings(early_stop=True, **options))


def test_a_stopped_run_is_judged_as_it_was_stopped() -> None:
    result = made_up.result()
    strict = replace(result, settings=replace(result.settings, strict=True))
    for of, early, error, words in (
        (result, replace(EARLY, looks=7), CannotJudge, f"of 7, but this release has {LOOKS}"),
        (strict, EARLY, UsageError, "^strict needs the whole suite"),
    ):
        run = Run(replace(of, early=early), made_up.rows())
        with pytest.raises(error, match=words):
            judge(run, built(static("vs")), Path("b.json"))
    for of, early in ((result, EARLY), (strict, replace(EARLY, look=LOOKS, asked=1_000))):
        run = Run(replace(of, early=early), made_up.rows())
        judge(run, built(static("vs")), Path("b.json"))


def in_parts(folder: Path, until: int) -> tuple[Any, Any]:
    pairs = [({"text": str(i / 100)}, {"text": str(i / 90)}) for i in range(60)]
    write_stated(folder / "suite", "text", WITHIN, pairs, labels=("toxic",))
    suite = read_suite(folder / "suite")
    relations = [*relations_in(suite.head).values()]
    with (
        closing(Cache(folder / "one", "scores")) as cache,
        closing(Cache(folder / "two", "scores")) as other,
    ):
        rows, noise = evaluate(
            suite, relations, Predictor(Made(scored, 0.1), cache, lambda *_: None)
        )
        whole = [*rows], noise
        predictor = Predictor(Made(scored), other, lambda *_: None)
        looks: list[int] = []

        def decided(rows: Any, look: int) -> bool:
            looks.append(look)
            assert {look_of(row.cluster_key) for row in rows} <= {*range(1, look + 1)}
            return look == until

        measured = predictor.noise([source.input for source in suite.sources])
        parts, early = ask_in_parts(suite, relations, predictor, measured, Context(), decided)
    assert looks == [*range(1, min(until, LOOKS - 1) + 1)]
    return (parts, measured, early), whole


def test_a_run_to_the_end_is_the_whole_run(tmp_path: Path) -> None:
    (rows, noise, early), whole = in_parts(tmp_path, LOOKS)
    assert ([*rows], noise) == whole
    assert early == EarlyStop(look=LOOKS, looks=LOOKS, asked=60, clusters=60)


def test_a_stopped_run_is_the_first_part_of_the_whole(tmp_path: Path) -> None:
    (stopped, _, early), (rows, _) = in_parts(tmp_path, 4)
    stopped = [*stopped]
    assert stopped == [row for row in rows if look_of(row.cluster_key) <= 4]
    assert 0 < early.asked == len(stopped) < early.clusters == 60
