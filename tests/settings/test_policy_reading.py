"""The table ``policy``: what is read of it, and what is refused in one line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import UsageError
from mt_gate.settings.loading import load
from mt_gate.settings.policy import (
    Accepted,
    Entry,
    MustHold,
    Policy,
    Shares,
    Tier,
)
from mt_gate.settings.policy_reading import policy_text, read_policy

ACCEPTED = 'accepted = [{relation = "ner/a", rise = 0.1, reason = "r", owner = "o", expires = %s}]'
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


def test_an_option_stands_in_for_the_file_s(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(FILE)
    given = {"checkpoint": "m", "task": "ner", "policy": 'tasks.ner.tier = "warn"'}
    assert load(given, path).policy == Policy(tasks={"ner": Entry(tier=Tier.WARN)})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1", "unknown key 'x'; known: shares, tasks, relations, must-hold, accepted"),
        ("labels.PER.margin = 0.1", "policy: labels: a policy has no limits by label yet; name"),
        ("tasks.ner.labels.PER.margin = 0.1", "no limits by label yet; name tasks and relations"),
        ('relations."ner/a".teir = "warn"', "unknown key 'teir'; known: tier, margin,"),
        ('relations."ner/a".tier = "wran"', "expected one of: block, warn, report"),
        ('relations."ner/a".tier = true', "expected one of: block, warn, report"),
        ('relations."ner/a".margin = nan', "margin is nan; expected a number from 0 to below"),
        ('relations."ner/a".margin = 1.5', "margin is 1.5; expected a number from 0 to below"),
        ('relations."ner/a".max-relative-rise = -1', "expected a number from 0 to 1000"),
        ('relations."ner/a".required = "yes"', "expected true or false"),
        ('relations."ner/a" = 3', 'relations."ner/a" is 3; expected a table'),
        ("relations = 3", "relations is 3; expected a table by name"),
        ('relations."structural".tier = "warn"', "'structural' is of no task; expected an id"),
        ('tasks.nre.tier = "warn"', "tasks names 'nre'; known: ner, boolq, re"),
        ("tasks.ner.share = 0.5", "share is of one relation"),
        ("shares = {block = 0.9, warn = 0.2}", "shares add up to 1.1 of alpha; expected at most 1"),
        ("shares.block = 1.0", "expected a number from 0.001 to 0.999"),
        ("shares.report = 0.1", "unknown key 'report'; known: block, warn"),
        (
            'relations = {"ner/a" = {share = 0.6}, "ner/b" = {share = 0.4}}',
            "tier block, have shares that add up to 1; expected less than 1",
        ),
        ('relations."ner/a" = {tier = "report", share = 0.1}', "that is not tested (tier report)"),
        (ACCEPTED % '"2027-02-30"', "expected a day such as 2027-01-31"),
        (ACCEPTED % '"soon"', "expected a day such as 2027-01-31"),
        (ACCEPTED % "2027-01-01T10:00:00", "expected a day such as 2027-01-31"),
        ('accepted = [{relation = "ner/a"}]', "accepted 1: rise is missing"),
        ("accepted = 3", "accepted is 3; expected a list of tables"),
        ("must-hold = ['a']", "must-hold 1 is 'a'; expected a table"),
        ('must-hold = [{group = "a", reason = " ", owner = "o"}]', "a sentence in one line"),
        (r'must-hold = [{group = "a", reason = "a\nb", owner = "o"}]', "a sentence in one line"),
        (
            'must-hold = [{group = "a", reason = "r", owner = "o"}, '
            '{group = "a", reason = "r", owner = "p"}]',
            "must-hold names 'a' twice",
        ),
        ('relations."ner/a\\u007f".tier = "warn"', "expected a relation's id in one line"),
        ('relations."ner/a\\nb".tier = "warn"', "expected a relation's id in one line"),
        ('relations."ner/a\\u007f" = 3', r'relations."ner/a\u007f" is 3'),
        ('must-hold = [{group = "a\udcff", reason = "r", owner = "o"}]', "expected a group's id"),
        ("must_hold = []\nmust-hold = []", "must-hold and must_hold are the same; expected one"),
        (
            'relations."ner/a" = {max_relative_rise = 1, max-relative-rise = 0}',
            "max-relative-rise and max_relative_rise are the same; expected one of the two",
        ),
        ("relations = [", "not TOML"),
        ("a." * 5000 + "b = 1", "policy"),
    ],
)
def test_what_is_not_known_is_refused_in_one_line(text: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_policy("gate.toml: policy", text)
    assert str(caught.value).startswith("gate.toml: policy")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


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
