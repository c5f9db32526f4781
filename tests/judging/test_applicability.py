"""Less to test by: systems that fall silent, and systems that give other answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import pytest

from judging.made import DEFAULTS, bound, rows
from mt_gate.judging.comparison import Outcome, compare
from mt_gate.judging.measuring import compare_applicability
from mt_gate.judging.statistics import holm
from mt_gate.judging.verdicts import RelationVerdicts, verdicts_from_rows
from mt_gate.results.result import Applicability, Comparison, Decision, GateVerdict, GroupRow, Rule

SATISFIED = "s" * 200


def gate(candidate: Iterable[GroupRow], baseline: Iterable[GroupRow], **changed: object) -> Outcome:
    chosen = msgspec.structs.replace(DEFAULTS, **changed)
    return compare(verdicts_from_rows(candidate), [verdicts_from_rows(baseline)], chosen)


def with_unchanged(made: Sequence[GroupRow]) -> list[GroupRow]:
    """Return the rows with those of a relation that nothing changes, so that a run is judged."""
    return [*rows(SATISFIED, "held"), *made]


def judged(
    candidate: Sequence[GroupRow], baseline: Sequence[GroupRow], **changed: object
) -> Outcome:
    return gate(with_unchanged(candidate), with_unchanged(baseline), **changed)


def decision_and_rule(outcome: Outcome, relation: str = "r") -> tuple[Decision, Rule]:
    comparison = outcome.relations[relation]
    return comparison.decision, comparison.rule


def shares(comparison: Comparison) -> Applicability:
    assert comparison.applicability is not None
    return comparison.applicability


def test_a_rare_relation_that_falls_silent_has_collapsed() -> None:
    """Of 93 in 1,000 groups none is left: 9.3 points, and all that there was."""
    outcome = judged(rows("n" * 1000), rows("s" * 93 + "n" * 907))
    assert outcome.verdict is GateVerdict.COLLAPSE
    assert decision_and_rule(outcome) == (Decision.COLLAPSE, Rule.STOPPED_ANSWERING)
    assert "limit 50.0% of it" in outcome.relations["r"].reason


def test_a_rare_relation_that_other_answers_empty_is_no_pass() -> None:
    """``swap-symmetric``: 9.3% to 0, since no symmetric relation is answered any longer."""
    outcome = judged(rows("o" * 1000), rows("s" * 93 + "o" * 907))
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.INCONCLUSIVE, 0)
    assert decision_and_rule(outcome) == (Decision.INCONCLUSIVE, Rule.FEWER_APPLICABLE)
    assert shares(outcome.relations["r"]).applicable.p_adjusted < 1e-25
    assert outcome.reasons[0].startswith("r: fewer testable cases, 9.3% → 0%")
    assert (
        judged(rows("o" * 1000), rows("s" * 93 + "o" * 907), required=("r",)).verdict
        is GateVerdict.COLLAPSE
    )


@pytest.mark.parametrize(("relations", "lost"), [(6, 99), (6, 51), (2, 99)])
def test_relations_that_all_lose_a_little_less_than_is_allowed_have_collapsed(
    relations: int, lost: int
) -> None:
    ids = [f"r{i}" for i in range(relations)]
    candidate = [row for r in ids for row in rows("n" * lost + "s" * (1000 - lost), r)]
    outcome = gate(candidate, [row for r in ids for row in rows("s" * 1000, r)])
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.COLLAPSE, 1)
    assert {outcome.relations[r].decision for r in ids} == {Decision.PASS}
    assert outcome.overall.rule is Rule.STOPPED_ANSWERING
    assert shares(outcome.overall).answered.candidate == 1 - lost / 1000
    assert outcome.reasons[0].startswith("overall: predictions missing")


def test_a_better_checkpoint_that_says_yes_less_passes_and_tells_it() -> None:
    """``antonym-adjective``: applicable where the answer is yes, 58.5% and then 46.6%."""
    baseline = "s" * 465 + "v" * 120 + "o" * 415
    candidate = "s" * 466 + "o" * 119 + "o" * 415
    outcome = judged(rows(candidate), rows(baseline))
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.PASS, 0)
    assert decision_and_rule(outcome) == (Decision.PASS, Rule.NO_RISE)
    fewer = "r: fewer testable cases, 58.5% → 46.6% (p < 0.001)"
    assert any(reason.startswith(fewer) for reason in outcome.reasons)
    assert fewer.removeprefix("r: ") in outcome.relations["r"].reason


@pytest.mark.parametrize(
    ("candidate", "baseline"),
    [
        # Half and not more than half.
        ("s" * 40 + "n" * 960, "s" * 80 + "n" * 920),
        # All of too few sources to be compared by.
        ("n" * 1000, "s" * 9 + "n" * 991),
        # As many lost as gained.
        ("n" * 60 + "s" * 60 + "n" * 880, "s" * 60 + "n" * 60 + "n" * 880),
    ],
)
def test_what_is_no_collapse(candidate: str, baseline: str) -> None:
    outcome = judged(rows(candidate), rows(baseline))
    assert outcome.relations["r"].decision is not Decision.COLLAPSE
    assert outcome.verdict is not GateVerdict.COLLAPSE


@pytest.mark.parametrize("made", [rows("o" * 50), rows("s" * 9)])
def test_a_required_relation_that_is_not_compared_fails(made: list[GroupRow]) -> None:
    outcome = judged(made, made, required=("r",))
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.COLLAPSE, 1)
    assert decision_and_rule(outcome) == (Decision.COLLAPSE, Rule.REQUIRED)
    assert outcome.relations["r"].fails


def verdicts(pattern: str) -> RelationVerdicts:
    return verdicts_from_rows(rows(pattern))["r"]


def test_a_baseline_of_several_runs_counts_by_its_mean() -> None:
    now = verdicts("n" * 30 + "s" * 70)
    before = [verdicts("s" * 100), verdicts("n" * 10 + "s" * 90), verdicts("o" * 20 + "s" * 80)]
    first, pooled = compare_applicability([now], [before])
    assert pooled is None
    assert first is not None
    assert first.applicable.baseline == pytest.approx(0.9)
    assert first.answered.baseline == pytest.approx(290 / 300)
    assert (first.applicable.candidate, first.answered.candidate) == (0.7, 0.7)
    assert (first.only_baseline, first.only_candidate, first.sources) == (10, 0, 80)
    alone, _ = compare_applicability([now], [before[:1]])
    assert alone is not None
    assert alone.sources == 100
    assert alone.applicable.p_adjusted == pytest.approx(2**-30)


def test_a_bound_baseline_without_reasons_is_compared_on_applicable_groups() -> None:
    now = verdicts_from_rows(bound(["o"] * 50 + ["s"] * 50))["b"]
    before = verdicts_from_rows(bound(["s"] * 100))["b"]
    (result, _) = compare_applicability([now], [[before]])
    silent = RelationVerdicts(id="b", bound=True, sources=before.sources)
    (untold, _) = compare_applicability([now], [[silent]])
    assert result is not None
    assert untold is not None
    assert result.answered.candidate == 1.0
    assert untold.answered == untold.applicable == result.applicable


def test_both_shares_are_corrected_over_relations_and_pool_for_their_part_of_alpha() -> None:
    now = ["n" * 5 + "o" * 3 + "s" * 92, "o" * 6 + "s" * 94]
    before = ["s" * 100] * 2
    runs = [verdicts(pattern) for pattern in now], [[verdicts(pattern)] for pattern in before]
    *each, pooled = compare_applicability(*runs, 0.5)
    alone = [compare_applicability([new], [old])[0] for new, old in zip(*runs, strict=True)]
    assert pooled is not None
    for name, of_pool in (("applicable", 2.0**-8), ("answered", 2.0**-5)):
        own = [getattr(one, name).p_adjusted for one in alone]
        corrected = holm([*own, of_pool])
        actual = [getattr(one, name).p_adjusted for one in (*each, pooled)]
        assert actual == pytest.approx([min(1.0, 2 * p) for p in corrected])


def test_the_part_that_may_be_lost_is_set() -> None:
    candidate, baseline = rows("s" * 60 + "n" * 940), rows("s" * 93 + "n" * 907)
    assert judged(candidate, baseline).verdict is GateVerdict.PASS
    strict = judged(candidate, baseline, max_applicability_drop=0.2)
    assert decision_and_rule(strict) == (Decision.COLLAPSE, Rule.STOPPED_ANSWERING)
    nothing = judged(rows("n" * 1000), baseline, max_applicability_drop=1.0)
    assert decision_and_rule(nothing) == (Decision.INCONCLUSIVE, Rule.COMPARABILITY_LOST)
