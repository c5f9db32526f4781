from __future__ import annotations

import msgspec
import pytest

from mt_gate.reporting.words.texts import (
    DECISION_WORDS,
    SYMBOLS,
    VERDICT_WORDS,
    errors_in_words,
    failing_first,
    listing,
    sentence,
    stopped_early,
    text_of,
)
from mt_gate.results.result import Decision, EarlyStop, GateVerdict, Rule
from mt_gate.settings.policy import Entry, Policy, Tier
from reporting import made_up
from reporting.judging import Patterns, judged


def test_every_verdict_and_decision_has_its_words_and_sign() -> None:
    assert set(VERDICT_WORDS) == set(GateVerdict)
    assert set(DECISION_WORDS) == set(Decision)
    assert set(SYMBOLS) == {*map(str, GateVerdict), *map(str, Decision)}


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (GateVerdict.REGRESSION, "1 of 4 relations regresses: Entity shuffle (+5.2 pp)."),
        (GateVerdict.COLLAPSE, "has stopped answering where the baseline answered: Entity shuffle"),
        (GateVerdict.INCONCLUSIVE, "may be numerical noise"),
        (GateVerdict.PASS, "No evidence of a loss on 3 relations. A loss of 3.1 pp over all"),
        (GateVerdict.PASS, "Not compared: Phrase replacement (250 paired sources)."),
        (GateVerdict.IMPROVED, "Better than the baseline: Entity shuffle (-4.0 pp)."),
        (GateVerdict.MEASURED, "nothing is judged. 13.6 % of 1,605 applicable groups"),
        (GateVerdict.CANNOT_JUDGE, "so there is no verdict"),
    ],
)
def test_the_sentence_of_each_verdict(verdict: GateVerdict, words: str) -> None:
    assert words in sentence(made_up.result(verdict), made_up.CATALOGUE)


def test_a_regression_of_the_pool_alone() -> None:
    pooled = made_up.comparison(Decision.REGRESSION, 0.02, 0.01)
    overall = msgspec.structs.replace(made_up.result().overall, comparison=pooled)
    result = made_up.result(overall=overall, relations=())
    words = "but all together do: +2.0 pp [+1.0, +3.0]"
    assert words in sentence(result, made_up.CATALOGUE)


def test_a_fall_of_applicability_is_told_with_its_shares() -> None:
    relations = list(made_up.compared_relations(Decision.PASS))
    fallen = msgspec.structs.replace(
        relations[2].comparison, decision=Decision.COLLAPSE, rule=Rule.STOPPED_ANSWERING
    )
    relations[2] = msgspec.structs.replace(relations[2], comparison=fallen)
    result = made_up.result(GateVerdict.COLLAPSE, relations=tuple(relations))
    assert "from 86.0 % to 84.0 %" in sentence(result, made_up.CATALOGUE)


OTHERS = "s" * 50 + "o" * 50
"""A relation that half of the answers leave applicable."""


@pytest.mark.parametrize(
    ("candidate", "baseline", "settings", "words"),
    [
        (
            {"a": "n" * 8 + "s" * 92, "b": "n" * 8 + "s" * 92},
            {"a": "s" * 100, "b": "s" * 100},
            {},
            "answered: all relations together (answered groups: from 100 % to 92.0 %).",
        ),
        (
            {"a": "s" * 100, "b": "o" * 100},
            {"a": "s" * 100, "b": OTHERS},
            {},
            "Other answers leave far fewer groups to test by: b.",
        ),
        (
            {"a": "s" * 100, "b": "o" * 4 + "s" * 12},
            {"a": "s" * 100, "b": "s" * 12 + "o" * 4},
            {},
            "No longer comparable: b.",
        ),
        (
            {"a": "s" * 100, "b": "o" * 100},
            {"a": "s" * 100, "b": "o" * 100},
            {},
            "No evidence of a loss on 1 relation.",
        ),
        (
            {"a": "s" * 100, "b": "o" * 100},
            {"a": "s" * 100, "b": "o" * 100},
            {},
            "Not compared: b (0 paired sources).",
        ),
        (
            {"a": "s" * 100, "b": "o" * 100},
            {"a": "s" * 100, "b": "o" * 100},
            {"required": ("b",)},
            "Required, and not compared: b.",
        ),
        (
            {"a": "s" * 100},
            {"a": "s" * 100},
            {"required": ("b",)},
            "A relation that is required is not in this run.",
        ),
    ],
)
def test_less_to_test_by_is_told(
    candidate: Patterns, baseline: Patterns, settings: dict[str, object], words: str
) -> None:
    assert words in sentence(judged(candidate, baseline, **settings), {})


def test_strict_asks_the_other_question() -> None:
    strict = made_up.settings(strict=True)
    result = made_up.result(GateVerdict.INCONCLUSIVE, settings=strict, exit_code=1)
    open_one = made_up.comparison(Decision.INCONCLUSIVE, 0.004, rule=Rule.NOT_SHOWN)
    relations = [
        msgspec.structs.replace(result.relations[0], comparison=open_one),
        *result.relations[1:],
    ]
    result = msgspec.structs.replace(result, relations=tuple(relations))
    assert "Not shown to stay within the margin of 1.0 pp" in sentence(result, {})


HELD, STILL, RISEN = "s" * 100, "v" * 20 + "s" * 80, "v" * 12 + "s" * 88


@pytest.mark.parametrize(
    ("candidate", "baseline", "settings", "words"),
    [
        ({"a": RISEN, "b": HELD}, HELD, {}, "1 of 2 relations regresses: a (+12.0 pp)."),
        (
            {"a": STILL, "b": STILL},
            STILL,
            {"must_hold": ("b:0",)},
            "A limit or a group that must hold is violated: b.",
        ),
        (
            {"a": STILL, "b": STILL},
            STILL,
            {"max_violation_rate": {"*": 0.1}},
            "A limit or a group that must hold is violated: a and b.",
        ),
        (
            {"a": RISEN, "b": "v" + HELD[1:]},
            HELD,
            {"must_hold": ("b:0",)},
            "1 of 2 relations regresses: a (+12.0 pp). "
            "A limit or a group that must hold is violated: b.",
        ),
        (
            {"a": "V" + "v" * 5 + "s" * 94, "b": HELD},
            HELD,
            {},
            "A loss that may be numerical noise: a (+6.0 pp).",
        ),
        (
            {"a": RISEN.upper(), "b": HELD},
            HELD,
            {},
            "1 of 2 relations regresses: a (+12.0 pp).",
        ),
        (
            {"a": STILL, "b": STILL},
            STILL,
            {"must_hold": ("nowhere",)},
            "Some of this gate's settings could not be judged.",
        ),
        (
            {"a": STILL, "b": STILL},
            STILL,
            {"strict": True, "margin": 0.0001},
            "Not shown to stay within the margin of <0.1 pp: all relations together. "
            "The build fails: the gate is strict.",
        ),
    ],
)
def test_a_lead_says_of_chance_what_was_tested_alone(
    candidate: dict[str, str], baseline: str, settings: dict[str, object], words: str
) -> None:
    result = judged(candidate, dict.fromkeys(candidate, baseline), **settings)
    assert sentence(result, {}) == words


def test_listing() -> None:
    assert listing([]) == ""
    assert listing(["a"]) == "a"
    assert listing(["a", "b"]) == "a and b"
    assert listing([*"abcde"]) == "a, b, c and 2 more"


def test_an_unknown_relation_goes_by_its_id() -> None:
    assert text_of({}, "ner/none") == ("ner/none", "", "", "")


def test_failing_relations_come_first() -> None:
    relations = made_up.compared_relations(Decision.REGRESSION)
    assert [r.id for r in failing_first(relations)][:2] == ["ner/entity-shuffle", "ner/structural"]


def test_errors_are_listed_most_first() -> None:
    counts = {"omission": 2, "undecided": 1200, "range-error": 2, "<new>": 1}
    words = "omission or over-labelling 1,200, omission 2, range error 2, <new> 1"
    assert errors_in_words(counts) == words
    assert errors_in_words({}) == ""


def test_beside_others_a_run_that_stopped_early_says_so() -> None:
    early = EarlyStop(look=3, looks=10, asked=1_300, clusters=4_000, loss=True)
    found = made_up.result(early=early)
    [told] = stopped_early(found)
    assert told.startswith(f"{found.checkpoint.name} stopped early: its counts and rates are of ")
    assert told.endswith("of 1,300 of 4,000 clusters of sources")
    whole = msgspec.structs.replace(early, look=10, asked=4_000, loss=None)
    assert stopped_early(made_up.result()) == stopped_early(made_up.result(early=whole)) == ()


def test_what_warns_and_is_open_is_named() -> None:
    base = made_up.result(GateVerdict.INCONCLUSIVE)
    relations = [
        msgspec.structs.replace(relation, tier=Tier.WARN)
        if relation.id == "ner/structural"
        else msgspec.structs.replace(relation, comparison=made_up.comparison(Decision.PASS, 0.0))
        for relation in base.relations
    ]
    policy = Policy(relations={"ner/structural": Entry(tier=Tier.WARN)})
    settings = msgspec.structs.replace(base.settings, policy=policy)
    result = msgspec.structs.replace(base, relations=tuple(relations), settings=settings)
    (open_one,) = (one for one in relations if one.id == "ner/structural")
    assert open_one.comparison is not None
    assert open_one.comparison.rule is Rule.RISE_OR_NOISE
    title = made_up.CATALOGUE["ner/structural"].title
    assert sentence(result, made_up.CATALOGUE).startswith("A loss that may be numerical noise: ")
    assert title in sentence(result, made_up.CATALOGUE)
