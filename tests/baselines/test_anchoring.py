"""The anchor stays while a baseline is recorded again, and shows what the steps add up to."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from baselines.made import SUITE, built, measured, static
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.baselines.recording import check_within, choose_anchor, compare_with_anchor
from mt_gate.baselines.schema import Anchor, Baseline
from mt_gate.baselines.writing import build_baseline, write_baseline
from mt_gate.results.result import AgainstAnchor, GateVerdict, GroupRow
from mt_gate.settings.policy import Entry, MustHold, Policy, Tier

GROUPS = 1000
REPLACE = msgspec.structs.replace


def rows(violated: int, first: int = 0) -> list[GroupRow]:
    """Return groups of which some are violated from the first on, two a source."""
    return static(("s" * first + "v" * violated).ljust(GROUPS, "s"))


def anchor_of(baseline: Baseline) -> Anchor:
    return Anchor(name=baseline.name, recorded=baseline.recorded, runs=baseline.runs)


def against_anchor(violated: int, anchor: int, first: int = 0) -> AgainstAnchor:
    """Compare a run with an anchor, each by how many of 1,000 groups are violated."""
    run = measured(rows(violated, first))
    return compare_with_anchor(anchor_of(built(rows(anchor))), run.verdicts, run.result.settings)


def test_the_same_run_is_no_worse() -> None:
    actual = against_anchor(100, 100)
    assert (actual.figures.delta, actual.verdict, actual.rose) == (0.0, GateVerdict.PASS, ())
    assert (actual.name, actual.recorded, actual.runs) == ("ner", "2025-01-31T12:00:00Z", 1)
    assert "compared with the anchor ner of 2025-01-31T12:00:00Z (models/ner): " in actual.sentence
    assert "10.0% → 10.0%, 0" in actual.sentence
    assert "within the margin of 1.0 pp" in actual.sentence


def test_a_relation_that_only_warns_is_a_warning_against_the_anchor_too() -> None:
    before = [*static("s" * 1000), *static("s" * 1000, "other")]
    run = measured([*static("v" * 100 + "s" * 900), *static("s" * 1000, "other")])
    loud, quiet = (run.verdicts, anchor_of(built(before)))
    name = next(iter(run.verdicts))
    policy = Policy(relations={name: Entry(tier=Tier.WARN)})
    actual = compare_with_anchor(quiet, loud, REPLACE(run.result.settings, policy=policy))
    assert (actual.verdict, actual.rose) == (GateVerdict.WARNING, (name,))
    with pytest.raises(UsageError, match=f"rose: {name}"):
        check_within([actual], Path("ner.json"), None)


def test_what_is_beyond_the_margin_is_recorded_with_a_reason_alone() -> None:
    worse = against_anchor(115, 100)
    with pytest.raises(UsageError, match=r'ner.json: compared with .*\+1.5 pp.*--accept "rea'):
        check_within([worse], Path("ner.json"), None)
    check_within([worse], Path("ner.json"), "the new labels")
    check_within([against_anchor(109, 100)], Path("ner.json"), None)
    check_within([], Path("ner.json"), None)


def test_of_several_runs_the_mean_counts_and_a_loss() -> None:
    far, lost = against_anchor(114, 100, first=60), against_anchor(200, 100)
    assert far.verdict is not GateVerdict.REGRESSION
    check_within([far, against_anchor(104, 100)], Path("ner.json"), None)
    with pytest.raises(UsageError, match=r"\+1\.4 pp.* \(\+1\.1 pp on average over 2 runs\)"):
        check_within([far, against_anchor(108, 100)], Path("ner.json"), None)
    with pytest.raises(UsageError, match="rose: swap"):
        check_within([lost, against_anchor(0, 100)], Path("ner.json"), None)


def test_the_first_baseline_has_none_and_becomes_that_of_the_next(tmp_path: Path) -> None:
    path = tmp_path / "ner.json"
    assert choose_anchor(path, SUITE, ["a"]).anchor is None
    first = built(rows(100))
    write_baseline(path, first)
    choice = choose_anchor(path, SUITE, ["a"])
    assert choice.anchor == anchor_of(first)
    assert choice.words == "anchor: ner of 2025-01-31T12:00:00Z (models/ner)"


def test_the_same_runs_recorded_again_do_not_become_old(tmp_path: Path) -> None:
    path = tmp_path / "ner.json"
    write_baseline(path, built(rows(100)))
    assert choose_anchor(path, SUITE, ["1" * 32]).anchor is None
    anchor = anchor_of(built(rows(90)))
    write_baseline(path, built(rows(100), anchor=anchor))
    assert choose_anchor(path, SUITE, ["1" * 32]).anchor == anchor


@pytest.mark.parametrize(
    "changed", [{"sha256": "cd" * 32}, {"task": "re"}, {"part": ("100",)}, {"ontology": "x"}]
)
def test_another_suite_has_another_anchor(tmp_path: Path, changed: dict[str, str]) -> None:
    write_baseline(tmp_path / "ner.json", built(rows(100)))
    choice = choose_anchor(tmp_path / "ner.json", REPLACE(SUITE, **changed), ["a"])
    assert choice.anchor is None
    assert choice.words == "No anchor: the previous baseline was recorded on another suite."


@pytest.mark.parametrize("data", [b"", b"<<<<<<< HEAD\n", b'{"format": 1, "name": "ner"}'])
def test_an_anchor_that_cannot_be_read_is_not_left_out_in_silence(
    tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "ner.json"
    path.write_bytes(data)
    with pytest.raises(CannotJudge, match="restore the file with git first, or also pass --new-"):
        choose_anchor(path, SUITE, ["a"])


def test_five_small_losses_do_not_creep_through_a_rolling_baseline(tmp_path: Path) -> None:
    """Each step is within the margin of the one before; the anchor stays the first."""
    path = tmp_path / "ner.json"
    write_baseline(path, built(rows(100)))
    refused = []
    for number, violated in enumerate((108, 116, 124, 132, 140), 2):
        run = measured(rows(violated), number)
        choice = choose_anchor(path, SUITE, [str(number) * 32])
        assert choice.anchor is not None
        assert choice.anchor.runs[0].id == "1" * 32
        actual = [compare_with_anchor(choice.anchor, run.verdicts, run.result.settings)]
        reason = None
        try:
            check_within(actual, path, reason)
        except UsageError:
            refused.append(violated)
            reason = "accepted"
        write_baseline(path, build_baseline([run], "ner", reason, choice.anchor))
    assert refused == [116, 124, 132, 140]


def test_limits_and_groups_that_must_hold_are_no_matter_of_the_anchor() -> None:
    run = measured(rows(100))
    settings = REPLACE(
        run.result.settings,
        max_violation_rate={"*": 0.0},
        must_hold=("none",),
        required=("added/since",),
        strict=True,
        policy=Policy(
            must_hold=(MustHold(group="none", reason="a name", owner="ann"),),
            relations={"added/since": Entry(required=True)},
        ),
    )
    actual = compare_with_anchor(anchor_of(built(rows(100))), run.verdicts, settings)
    assert actual.verdict is GateVerdict.PASS
