"""Runs are recorded where they are good enough and belong together, else only with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from baselines.made import ROWS, SETTINGS, SUITE, measured, result_of, static
from mt_gate.base.errors import UsageError
from mt_gate.baselines.recording import check_alike, check_recordable, check_together
from mt_gate.results.result import EarlyStop, GateVerdict, Result
from mt_gate.stored_results import record_stored

REPLACE = msgspec.structs.replace
PATH = Path("out/result.json")


@pytest.mark.parametrize("verdict", ["regression", "collapse", "warning", "cannot-judge"])
def test_a_bad_run_needs_a_reason(verdict: str) -> None:
    bad = result_of(ROWS, verdict=GateVerdict(verdict))
    with pytest.raises(UsageError, match=rf"{verdict}\. To record it anyway, add --accept"):
        check_recordable(PATH, bad, None)
    with pytest.raises(UsageError, match="has an empty reason"):
        check_recordable(PATH, bad, " ")
    check_recordable(PATH, bad, "we changed the labels")


def test_a_stopped_run_is_not_recorded_for_any_reason() -> None:
    early = EarlyStop(look=3, looks=10, asked=30, clusters=100)
    stopped = REPLACE(result_of(ROWS), early=early)
    for accept in (None, "we need one"):
        with pytest.raises(UsageError, match="stopped early, after 30 of 100 clusters of original"):
            check_recordable(PATH, stopped, accept)
    went_on = REPLACE(stopped, early=REPLACE(early, look=10, asked=100))
    check_recordable(PATH, went_on, None)


def runs(*changes: dict[str, Any]) -> dict[Path, Result]:
    """Return runs of a checkpoint each, the first as it is."""
    return {
        Path(f"{number}.json"): measured(ROWS, number, **changed).result
        for number, changed in enumerate(({}, *changes), 1)
    }


def test_a_baseline_is_of_one_to_five_runs_each_named_once() -> None:
    paths = [Path(f"{number}.json") for number in range(6)]
    with pytest.raises(UsageError, match=r"A baseline has 1 to 5 runs \(got 6\)\. Pass fewer"):
        record_stored(paths, "ner", Path("baselines"), None)
    with pytest.raises(UsageError, match="The same result is named twice"):
        record_stored([*paths[:2], *paths[:1]], "ner", Path("baselines"), None)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"suite": REPLACE(SUITE, sha256="cd" * 32)}, "2.json: suite sha256 is 'cd.*but 1.json"),
        ({"suite": REPLACE(SUITE, part=("100",))}, r"suite part is \('100',\), but 1.json has"),
        ({"suite": REPLACE(SUITE, task="re")}, "suite task is 're', but 1.json has 'ner'"),
        ({"settings": REPLACE(SETTINGS, margin=0.02)}, "margin is 0.02, but 1.json has 0.01"),
        (
            {"settings": REPLACE(SETTINGS, relations=("swap",))},
            "relations is .'swap',., but 1.json has",
        ),
        ({"settings": REPLACE(SETTINGS, complete=False)}, "complete is False, but 1.json has True"),
    ],
)
def test_runs_that_do_not_belong_together_are_refused_in_one_line(
    changed: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        check_together(runs(changed))
    assert str(caught.value).endswith("Run it again like the first, or omit it.")
    assert caught.value.exit_code == 2


def test_a_run_twice_tells_of_no_difference() -> None:
    first = measured(ROWS).result
    with pytest.raises(UsageError, match=r"b\.json is of the same run as a.json"):
        check_together({Path("a.json"): first, Path("b.json"): first})


def alike(*patterns: str, accept: str | None = None) -> None:
    """Check runs of 60 sources each, one pattern of groups for each run."""
    made = {
        Path(f"{number}.json"): measured(static(pattern * 30), number)
        for number, pattern in enumerate(patterns, 1)
    }
    results = {path: run.result for path, run in made.items()}
    check_alike(results, {path: run.verdicts for path, run in made.items()}, accept)


GOOD, FAIR, WEAK, BROKEN = "ssss", "sssv" + "ssss" * 3, "ssvs", "vvvv"


@pytest.mark.parametrize(
    ("patterns", "named"),
    [
        ((GOOD, BROKEN), 2),
        ((BROKEN, GOOD), 1),
        ((GOOD, GOOD, BROKEN), 3),
        ((GOOD, FAIR, BROKEN, GOOD), 3),
        ((GOOD, BROKEN, BROKEN), 2),
        ((GOOD, WEAK * 2, BROKEN), 3),
        ((GOOD, GOOD, "tttt"), 3),
    ],
)
def test_a_broken_run_among_good_ones_needs_a_reason(patterns: tuple[str, ...], named: int) -> None:
    with pytest.raises(UsageError, match='or record it anyway with --accept "reason"') as failed:
        alike(*patterns)
    assert str(failed.value).startswith(f"{named}.json ")
    alike(*patterns, accept="known to be broken")


@pytest.mark.parametrize("patterns", [(GOOD,), (BROKEN, BROKEN), (GOOD, FAIR), (FAIR, GOOD, FAIR)])
def test_trainings_of_one_recipe_need_none(patterns: tuple[str, ...]) -> None:
    alike(*patterns)
