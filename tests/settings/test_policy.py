"""The policy: what it asks of a relation, how it is read, and what is refused in one line."""

from __future__ import annotations

import tomllib
from ast import literal_eval
from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from mt_gate.base.errors import UsageError
from mt_gate.running.preparing import check_day
from mt_gate.settings.loading import load
from mt_gate.settings.policy import Accepted, Entry, MustHold, Policy, Shares, Tier
from mt_gate.settings.values import policy_text, read_policy


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
    assert [of for of in policy.relations if policy.of(of).required] == ["ner/x"]


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


FILE = """
[policy.shares]
block = 0.8

[policy.tasks.boolq]
tier = "report"

[policy.relations."ner/structural"]
tier = "warn"
margin = 0.02
max-relative-rise = 0.5
required = true

[[policy.must-hold]]
group = "8928e648788815b9"
reason = "the chairman's name"
owner = "ann"

[[policy.accepted]]
relation = "ner/token-replacement"
rise = 0.03
reason = "another tokenizer"
owner = "bob"
expires = 2027-01-31
"""


def test_all_of_it_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(FILE)
    assert load({"checkpoint": "m", "task": "ner"}, path).policy == Policy(
        shares=Shares(block=0.8),
        tasks={"boolq": Entry(tier=Tier.REPORT)},
        relations={
            "ner/structural": Entry(
                tier=Tier.WARN, margin=0.02, max_relative_rise=0.5, required=True
            )
        },
        must_hold=(MustHold(group="8928e648788815b9", reason="the chairman's name", owner="ann"),),
        accepted=(
            Accepted(
                relation="ner/token-replacement",
                rise=0.03,
                reason="another tokenizer",
                owner="bob",
                expires="2027-01-31",
            ),
        ),
    )


def test_an_option_replaces_the_policy_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(FILE)
    options = {"checkpoint": "m", "task": "ner", "policy": 'tasks.ner.tier = "warn"'}
    assert load(options, path).policy == Policy(tasks={"ner": Entry(tier=Tier.WARN)})


@cases("settings/bad-policies")
def test_what_is_not_known_is_refused_in_one_line(text: str, expected: str) -> None:
    assert literal_eval(expected) in refusal(literal_eval(text))


def test_deep_tables_are_refused_in_short() -> None:
    refusal("a." * 5000 + "b = 1")


def refusal(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        read_policy("gate.toml: policy", text)
    assert str(caught.value).startswith("gate.toml: policy")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    return str(caught.value)


@pytest.mark.parametrize("value", [3, [], None, True, {"relations": {3: 4}}])
def test_another_thing_is_no_policy(value: object) -> None:
    with pytest.raises(UsageError):
        read_policy("policy", value)


names = st.sampled_from(["ner/a", "ner/b", "re/ü \"x\" \\ 'y'", "boolq/b"])
words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20
).filter(str.strip)
entries = st.builds(
    Entry,
    tier=st.none() | st.sampled_from([Tier.BLOCK, Tier.WARN]),
    margin=st.none() | st.floats(0, 1, exclude_max=True),
    max_relative_rise=st.none() | st.floats(0, 1000),
    share=st.none() | st.floats(0.001, 0.2),
    required=st.none() | st.booleans(),
)
policies = st.builds(
    Policy,
    shares=st.builds(
        Shares, block=st.none() | st.floats(0.1, 0.5), warn=st.none() | st.floats(0.1, 0.5)
    ),
    relations=st.dictionaries(names, entries),
    must_hold=st.lists(
        st.builds(MustHold, group=words, reason=words, owner=words),
        max_size=2,
        unique_by=lambda item: item.group,
    ).map(tuple),
    accepted=st.lists(
        st.builds(
            Accepted,
            relation=names,
            rise=st.floats(0, 1, exclude_max=True),
            reason=words,
            owner=words,
            expires=st.dates().map(str),
        ),
        max_size=2,
        unique_by=lambda item: item.relation,
    ).map(tuple),
)


@given(policies)
def test_its_text_and_its_json_are_read_as_the_policy(policy: Policy) -> None:
    assert read_policy("here", policy_text(policy)) == policy
    assert read_policy("here", tomllib.loads(policy_text(policy))) == policy
    assert msgspec.json.decode(msgspec.json.encode(policy), type=Policy) == policy
