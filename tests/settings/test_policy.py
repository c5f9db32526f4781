"""What a policy asks of a relation: its own word, its task's, its part of alpha."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from mt_gate.base.errors import UsageError
from mt_gate.running.preparing import check_day
from mt_gate.settings.policy import Accepted, Entry, Policy, Shares, Tier


def accepted(relation: str = "ner/structural", **more: object) -> Accepted:
    fields = {"rise": 0.03, "reason": "a reason", "owner": "ann", "expires": "2027-01-31"}
    return Accepted(relation=relation, **{**fields, **more})  # type: ignore[arg-type]


def test_nothing_said_blocks_with_all_of_alpha() -> None:
    nothing = Policy()
    assert nothing.tier("ner/structural") is Tier.BLOCK
    assert nothing.part_of_alpha("ner/structural") == 1.0
    assert not nothing.has_tiers


def test_a_relation_s_own_word_counts_before_its_task_s() -> None:
    policy = Policy(
        tasks={"ner": Entry(tier=Tier.WARN, margin=0.05), "re": Entry(tier=Tier.REPORT)},
        relations={"ner/structural": Entry(tier=Tier.BLOCK), "ner/x": Entry(required=True)},
    )
    assert policy.of("ner/structural") == Entry(tier=Tier.BLOCK, margin=0.05)
    assert policy.of("ner/x") == Entry(tier=Tier.WARN, margin=0.05, required=True)
    assert [policy.tier(name) for name in ("ner/y", "re/y", "boolq/y")] == [
        Tier.WARN, Tier.REPORT, Tier.BLOCK,
    ]  # fmt: skip
    assert policy.has_tiers
    assert policy.required() == ("ner/x",)


@pytest.mark.parametrize(
    ("shares", "block", "warn"),
    [
        (Shares(), 1.0, 1.0),
        (Shares(block=0.8, warn=0.2), 0.8, 0.2),
        (Shares(block=0.7), 0.7, 0.3),
        (Shares(warn=0.1), 0.9, 0.1),
    ],
)
def test_tiers_share_alpha(shares: Shares, block: float, warn: float) -> None:
    policy = Policy(shares=shares, relations={"ner/w": Entry(tier=Tier.WARN)})
    assert policy.part_of_alpha("ner/a") == pytest.approx(block)
    assert policy.part_of_alpha("ner/w") == pytest.approx(warn)


def test_an_entry_of_one_relation_leaves_the_others_unchanged() -> None:
    policy = Policy(
        shares=Shares(block=0.8, warn=0.2),
        relations={
            "ner/a": Entry(share=0.5),
            "ner/b": Entry(share=0.25),
            "ner/w": Entry(share=0.5, tier=Tier.WARN),
            "re/a": Entry(share=0.9),
        },
    )
    parts = {name: policy.part_of_alpha(name) for name in ("ner/a", "ner/b", "ner/c", "ner/w")}
    assert parts == pytest.approx({"ner/a": 0.4, "ner/b": 0.2, "ner/c": 0.2, "ner/w": 0.1})
    assert policy.part_of_family(Tier.BLOCK, "ner") == pytest.approx(0.2)
    assert policy.part_of_family(Tier.WARN, "ner") == pytest.approx(0.1)
    assert policy.part_of_family(Tier.BLOCK, "boolq") == pytest.approx(0.8)
    whole = sum(parts.values()) + policy.part_of_family(Tier.WARN, "ner")
    assert whole == pytest.approx(1.0)


def test_the_largest_accepted_loss_counts() -> None:
    policy = Policy(accepted=(accepted(), accepted(rise=0.05), accepted("ner/x", rise=0.9)))
    actual = policy.accepted_of("ner/structural")
    assert actual is not None
    assert actual.rise == 0.05
    assert policy.accepted_of("ner/y") is None


@pytest.mark.parametrize(
    ("today", "expired"), [("2027-01-30", False), ("2027-01-31", False), ("2027-02-01", True)]
)
def test_an_accepted_loss_holds_to_the_end_of_its_day(today: str, expired: bool) -> None:
    with pytest.raises(UsageError, match="expired on 2027-01-31") if expired else nullcontext():
        check_day(Policy(accepted=(accepted(),)), "ner", today)


def test_without_limits_only_margins_and_tiers_stay() -> None:
    policy = Policy(
        relations={"ner/a": Entry(required=True, margin=0.2)}, tasks={"ner": Entry(required=True)}
    )
    assert policy.without_limits() == Policy(
        relations={"ner/a": Entry(margin=0.2)}, tasks={"ner": Entry()}
    )
