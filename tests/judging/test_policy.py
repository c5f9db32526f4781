"""Runs judged by a policy: for each tier and outcome the verdict, exit code and words."""

from __future__ import annotations

import msgspec
import pytest

from cases import cases
from judging.made import DEFAULTS, pattern_of, rows
from mt_gate.base.errors import UsageError
from mt_gate.judging.comparison import Outcome, compare
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.result import Decision, GateVerdict, Rule
from mt_gate.settings.values import read_policy

RISEN, STEADY, FALLEN = "v" * 30 + "s" * 170, "v" * 10 + "s" * 190, "v" * 1 + "s" * 199
SILENT, FEW = "v" * 10 + "s" * 40 + "n" * 150, "s" * 5
A, B = "ner/token-replacement", "ner/structural"


def judged(
    now: dict[str, str], before: dict[str, str], policy: str, runs: int = 1, **changed: object
) -> Outcome:
    settings = msgspec.structs.replace(
        DEFAULTS, policy=read_policy("policy", policy), relations=tuple(now), **changed
    )
    one, other = (
        verdicts_from_rows(row for name, pattern in run.items() for row in rows(pattern, name))
        for run in (now, before)
    )
    return compare(one, [other] * runs, settings)


BLOCK, WARN, REPORT = (f'relations."{A}".tier = "{tier}"\n' for tier in ("block", "warn", "report"))
MUST = f'must-hold = [{{group = "{A}:3", reason = "a chairman", owner = "ann"}}]\n'
ACCEPTED = (
    f'accepted = [{{relation = "{A}", rise = %s, reason = "a tokenizer", owner = "ann", '
    'expires = "2027-01-31"}]\n'
)
V, D = GateVerdict, Decision
MORE = {
    "": "",
    "must": MUST,
    "required": f'tasks.ner.required = true\nrelations."{B}".required = false\n',
    "accepted 0.15": ACCEPTED % "0.15",
    "accepted 0.05": ACCEPTED % "0.05",
}


@cases("judging/policies")
def test_tiers(
    name: str,
    tier: str,
    now: str,
    before: str,
    strict: str,
    more: str,
    verdict: str,
    code: str,
    decision: str,
    rule: str,
    words: str,
) -> None:
    """What A does under a policy, with B unchanged; the words are in one of the reasons."""
    policy = f'relations."{A}".tier = "{tier}"\n{MORE[more]}'
    runs = ({A: pattern_of(pattern), B: STEADY} for pattern in (now, before))
    actual = judged(*runs, policy, strict=bool(strict))
    relation = actual.relations[A]
    assert (actual.verdict, actual.exit_code) == (verdict, int(code)), name
    assert (relation.decision, relation.rule) == (decision, rule)
    assert any(words in reason for reason in actual.reasons), actual.reasons
    untiered = relation.rule in (Rule.REQUIRED, Rule.MUST_HOLD)
    assert relation.fails == (
        actual.exit_code == 1
        and relation.decision in (D.REGRESSION, D.COLLAPSE)
        and (tier == "block" or untiered)
    )


def test_a_pinned_case_of_another_task_says_nothing() -> None:
    """Gates of several tasks may share one policy."""
    pinned = 'must-hold = [{group = "x", reason = "why", owner = "ann", task = "TASK"}]\n'
    runs = {A: STEADY, B: STEADY}
    assert judged(runs, runs, pinned.replace("TASK", "re")).verdict == "pass"
    assert judged(runs, runs, pinned.replace("TASK", "ner")).verdict == "inconclusive"
    with pytest.raises(UsageError, match="nre"):
        judged(runs, runs, pinned.replace("TASK", "nre"))


def test_an_own_margin_counts_where_the_relation_s_says() -> None:
    now, before = {A: RISEN, B: RISEN}, {A: STEADY, B: STEADY}
    lax = judged(now, before, f'relations."{A}".margin = 0.2')
    assert [actual.decision for actual in lax.relations.values()] == [D.PASS, D.REGRESSION]
    assert lax.overall.decision is D.REGRESSION, "A, with a margin of its own, is not part of it"
    assert lax.overall.pairs == lax.relations[B].pairs
    assert any(line.startswith("relations with the run's margin overall: ") for line in lax.reasons)
    strict = judged(now, before, f'relations."{A}".margin = 0.01', margin=0.2)
    assert [actual.decision for actual in strict.relations.values()] == [D.REGRESSION, D.PASS]


def test_a_rise_that_is_small_in_points_may_be_too_large_for_its_rate() -> None:
    policy = f'relations."{A}".max-relative-rise = 0.5'
    actual = judged({A: RISEN, B: STEADY}, {A: STEADY, B: STEADY}, policy, margin=0.2)
    assert actual.relations[A].decision is D.REGRESSION
    assert "a rise of 50.0% of its baseline rate (2.5 pp)" in actual.relations[A].reason
    lax = judged(
        {A: RISEN, B: STEADY}, {A: STEADY, B: STEADY}, policy.replace("0.5", "3"), margin=0.2
    )
    assert lax.relations[A].decision is D.PASS
    absolute = judged({A: RISEN, B: STEADY}, {A: STEADY, B: STEADY}, policy.replace("0.5", "3"))
    assert absolute.relations[A].decision is D.REGRESSION, "the stricter of the two counts"
    assert "of its rate before" not in absolute.relations[A].reason


def test_an_accepted_loss_hides_no_loss_of_the_others() -> None:
    """Each of six loses too little for a test of its own, and all of them are no chance.

    Nor does a margin of its own: A may rise by it, and did not.
    """
    losing = {f"ner/{i}": "v" * 10 + "s" * 5 * i + "v" * 5 + "s" * 60 for i in range(6)}
    steady = {name: "v" * 10 + "s" * (len(pattern) - 10) for name, pattern in losing.items()}
    now, before = {A: STEADY, **losing}, {A: STEADY, **steady}
    own = f'relations."{A}".margin = %s\n'
    for policy in ("", ACCEPTED % "0.5", own % 0.2, own % 0.5):
        for of_a in (STEADY, RISEN) if policy else (STEADY,):
            actual = judged({**now, A: of_a}, before, policy)
            assert {relation.decision for relation in actual.relations.values()} == {D.PASS}
            assert actual.overall.decision is D.REGRESSION


def test_margins_that_are_alike_are_one_margin() -> None:
    """Said of the run, of the task or of each relation."""
    now = {f"ner/{i}": "v" * (12 + i % 3) + "s" * 188 for i in range(8)}
    before = dict.fromkeys(now, STEADY)
    each = "".join(f'relations."{name}".margin = 0.03\n' for name in now)
    of_run, *others = (
        judged(now, before, policy, margin=margin)
        for policy, margin in (("", 0.03), ("tasks.ner.margin = 0.03", 0.01), (each, 0.01))
    )
    assert 0 < (of_run.overall.delta or 0) < 0.03
    for other in others:
        assert (other.verdict, other.overall) == (of_run.verdict, of_run.overall)


@pytest.mark.parametrize("tier", ["warn", "report"])
def test_the_tests_of_a_tier_are_a_family_of_their_own(tier: str) -> None:
    """What warns or is only shown costs what blocks nothing."""
    weak, noisy = "v" * 17 + "s" * 183, {f"ner/{i}": STEADY for i in range(9)}
    alone = judged({A: weak}, {A: STEADY}, "")
    among = judged({A: weak, **noisy}, {A: STEADY, **noisy}, "")
    others = "".join(f'relations."{name}".tier = "{tier}"\n' for name in noisy)
    separate = judged({A: weak, **noisy}, {A: STEADY, **noisy}, others)
    assert separate.relations[A].p_adjusted == alone.relations[A].p_adjusted
    assert among.relations[A].p_adjusted is not None
    assert separate.relations[A].p_adjusted is not None
    assert separate.relations[A].p_adjusted <= among.relations[A].p_adjusted


def test_a_share_makes_a_test_stricter_or_leaves_it_alone() -> None:
    weak = "v" * 16 + "s" * 184  # p 1/64 = 0.0156
    now, before = {A: weak, B: STEADY}, {A: STEADY, B: STEADY}
    alone = judged(now, before, f'relations."{A}".share = 0.5')
    assert alone.relations[A].p_adjusted == alone.relations[A].p_value == pytest.approx(2**-6)
    assert alone.relations[A].decision is D.REGRESSION
    little = judged(now, before, f'relations."{A}".share = 0.2')
    assert little.relations[A].decision is D.PASS
    split = judged({A: weak}, {A: STEADY}, "shares = {block = 0.2, warn = 0.8}")
    assert (split.relations[A].decision, split.verdict) == (D.PASS, V.PASS)


@pytest.mark.parametrize(("alpha", "expected"), [(1.9e-5, False), (2.5e-5, True), (3.9e-5, True)])
def test_an_alpha_is_too_small_where_no_permutation_is_rarer(alpha: float, expected: bool) -> None:
    """docs/policy.md: several runs show no p below 0.00002."""
    steady = {A: STEADY, B: STEADY}
    effect = judged(steady, steady, "", runs=3, alpha=alpha).overall.minimum_detectable_effect
    assert (effect is not None) == expected
    lost = judged({A: "v" * 150 + "s" * 50, B: "v" * 150 + "s" * 50}, steady, "", 3, alpha=alpha)
    assert (lost.overall.decision is D.REGRESSION) == expected


def test_where_nothing_is_judged_there_is_no_verdict() -> None:
    actual = judged({A: RISEN}, {A: STEADY}, 'tasks.ner.tier = "report"')
    assert (actual.verdict, actual.exit_code) == (V.CANNOT_JUDGE, 3)
    assert actual.reasons[0].startswith("no verdict: the policy sets every relation")


@pytest.mark.parametrize("now", [RISEN, STEADY])
def test_where_nothing_that_blocks_is_compared_a_warning_is_no_verdict(now: str) -> None:
    actual = judged({A: now, B: FEW}, {A: STEADY, B: FEW}, WARN)
    assert (actual.verdict, actual.exit_code) == (V.CANNOT_JUDGE, 3)
    assert actual.reasons[0].startswith("no verdict: no blocking relation has 10")


def test_a_required_relation_that_is_not_there_fails_unless_it_is_another_task_s() -> None:
    run = {A: STEADY}
    missing = judged(run, run, f'relations."{B}".required = true')
    assert (missing.verdict, missing.exit_code) == (V.COLLAPSE, 1)
    assert f"required relation {B} is not in this run" in missing.reasons
    other = judged(run, run, 'relations."re/same-type".required = true')
    assert other.verdict is V.PASS
