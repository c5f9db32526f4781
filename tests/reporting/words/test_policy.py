"""What reports say of a policy: a line a relation, a sentence a promise."""

from __future__ import annotations

import msgspec
import pytest

from mt_gate.reporting.words.policy import (
    MOST_PROMISES,
    own_margin,
    policy_lines,
    policy_table,
    promises,
)
from mt_gate.reporting.words.texts import decision_words, pooled_title, sentence, tone
from mt_gate.results.result import Decision, GateVerdict, Result
from mt_gate.settings.policy import MustHold, Policy, Tier
from reporting import hostile, made_up
from reporting.judging import judged

RISEN, HELD = "v" * 30 + "s" * 170, "v" * 10 + "s" * 190
SHUFFLE = "ner/entity-shuffle"


def test_without_a_policy_nothing_is_said() -> None:
    plain = made_up.result()
    assert policy_lines(plain, made_up.CATALOGUE) == ()
    assert promises(plain, made_up.CATALOGUE) == ()
    assert policy_table(plain, made_up.CATALOGUE) == ""
    assert pooled_title(plain) == "All relations"


def test_a_line_says_all_that_is_asked_of_a_relation() -> None:
    found = {line.title: line for line in policy_lines(made_up.tiered(), made_up.CATALOGUE)}
    shuffle, structural = found["Entity shuffle"], found["Structural"]
    assert (shuffle.tier, shuffle.margin, shuffle.alpha) == (Tier.WARN, 0.01, pytest.approx(0.01))
    assert (structural.tier, structural.alpha) == (Tier.REPORT, None)
    token = found["Token replacement"]
    assert token.margin == 0.03, "the loss that is accepted"
    assert (
        token.more == "required, rise of at most 10.0 % of its rate before, loss of 3.0 pp "
        "accepted until 2027-01-31"
    )
    assert token.alpha == pytest.approx(0.04)


def test_promises_name_reason_and_owner() -> None:
    assert promises(made_up.tiered(), made_up.CATALOGUE) == (
        "Group 8928e648788815b9 must hold: the chairman's name (owner ann@example.org).",
        "A rise of up to 3.0 pp of Token replacement is accepted until 2027-01-31: another "
        "tokenizer (owner bob).",
    )


def test_of_many_promises_the_rest_is_counted() -> None:
    groups = tuple(MustHold(group=f"{n:x}", reason="r", owner="o") for n in range(50))
    settings = msgspec.structs.replace(made_up.settings(), policy=Policy(must_hold=groups))
    found = promises(made_up.result(settings=settings), made_up.CATALOGUE)
    assert len(found) == MOST_PROMISES + 1
    assert found[-1] == "And 30 more in result.json."


def test_markup_in_reasons_and_owners_is_text() -> None:
    table = policy_table(hostile.result(made_up.tiered()), hostile.CATALOGUE)
    assert "<script>" not in table
    assert "<img" not in table
    assert "&#60;script&#62;" in table


def of(policy: str, *, strict: bool = False, **patterns: tuple[str, str]) -> Result:
    from mt_gate.settings.policy_reading import read_policy

    names = {"a": "ner/token-replacement", "b": "ner/structural", "c": SHUFFLE}
    now = {names[key]: pair[0] for key, pair in patterns.items()}
    before = {names[key]: pair[1] for key, pair in patterns.items()}
    read = read_policy("policy", policy)
    return judged(now, before, policy=read, relations=tuple(now), strict=strict)


WARNS = 'relations."ner/structural".tier = "warn"\n'
SHOWS = f'relations."{SHUFFLE}".tier = "report"\n'
ACCEPTED = (
    'accepted = [{relation = "ner/token-replacement", rise = 0.5, reason = "why", owner = "bob", '
    'expires = "2027-01-31"}]'
)
SAME, WORSE, BETTER = (HELD, HELD), (RISEN, HELD), (HELD, RISEN)


@pytest.mark.parametrize(
    ("found", "verdict", "words"),
    [
        (
            of(WARNS, a=SAME, b=WORSE),
            GateVerdict.WARNING,
            "Worse, and only a warning by the policy: Structural (+10.0 pp). No evidence of a loss "
            "on what blocks. A loss of 3.4 pp",
        ),
        (
            of(WARNS, a=WORSE, b=WORSE),
            GateVerdict.REGRESSION,
            "1 of 2 relations regresses: Token replacement (+10.0 pp). Worse, and only a warning "
            "by the policy: Structural (+10.0 pp).",
        ),
        (
            of('tasks.ner.tier = "warn"', a=SAME, b=WORSE),
            GateVerdict.WARNING,
            "Worse, and only a warning by the policy: Structural (+10.0 pp). No relation of this "
            "run blocks.",
        ),
        (
            of(SHOWS, a=SAME, c=WORSE),
            GateVerdict.PASS,
            "No evidence of a loss on 1 relation. A loss of 3.4 pp over all relations would have "
            "been found about 4 times in 5. Shown, not judged: Entity shuffle.",
        ),
        (
            of(ACCEPTED, a=WORSE, b=SAME),
            GateVerdict.PASS,
            "Worse, and accepted: Token replacement (+10.0 pp) until 2027-01-31, owner bob. No "
            "evidence of a loss on 1 other relation. A loss of",
        ),
        (
            of(ACCEPTED, a=WORSE),
            GateVerdict.PASS,
            "Worse, and accepted: Token replacement (+10.0 pp) until 2027-01-31, owner bob. A loss",
        ),
        (
            of(ACCEPTED, a=WORSE, b=BETTER),
            GateVerdict.IMPROVED,
            "Better than the baseline: Structural (-10.0 pp). Worse, and accepted: Token "
            "replacement (+10.0 pp) until 2027-01-31, owner bob. No evidence of a loss elsewhere.",
        ),
        (
            of(WARNS + ACCEPTED, a=WORSE, b=WORSE, c=SAME),
            GateVerdict.WARNING,
            "Worse, and only a warning by the policy: Structural (+10.0 pp). Worse, and accepted: "
            "Token replacement (+10.0 pp) until 2027-01-31, owner bob. No evidence of a loss on "
            "what else blocks.",
        ),
        (
            of('tasks.ner.tier = "report"', a=WORSE),
            GateVerdict.CANNOT_JUDGE,
            "Nothing is judged: the policy has every relation of this run shown only.",
        ),
        (
            of('tasks.ner.tier = "warn"', a=WORSE, strict=True),
            GateVerdict.INCONCLUSIVE,
            "No relation of this run blocks, and a strict gate asks for one.",
        ),
        (
            of("tasks.ner.margin = 0.003", a=SAME, strict=True),
            GateVerdict.INCONCLUSIVE,
            "Not shown to stay within the margin of 0.3 pp: all relations together.",
        ),
    ],
)
def test_the_sentence_on_a_run_tells_what_blocks_from_what_warns(
    found: Result, verdict: GateVerdict, words: str
) -> None:
    assert found.verdict is verdict
    assert sentence(found, made_up.CATALOGUE).startswith(words)


def test_a_loss_that_only_warns_is_no_failure_in_word_and_colour() -> None:
    found = of(WARNS + SHOWS, a=WORSE, b=WORSE, c=WORSE)
    assert [decision_words(relation) for relation in found.relations] == [
        "Regression", "Regression (warns only)", "Not judged (shown only)",
    ]  # fmt: skip
    assert [tone(relation) for relation in found.relations] == [
        "regression", "warning", "not-judged",
    ]  # fmt: skip
    assert pooled_title(found) == "Relations that block"
    assert tone(found.overall) == Decision.REGRESSION
    assert own_margin(found.overall, found) == 0.01


def test_a_loss_that_is_accepted_is_called_so() -> None:
    found = of(ACCEPTED, a=WORSE)
    assert decision_words(found.relations[0]) == decision_words(found.overall) == "Pass (accepted)"
    both = of('tasks.ner.tier = "warn"\n' + ACCEPTED, a=WORSE)
    assert decision_words(both.relations[0]) == "Pass (accepted, warns only)"
