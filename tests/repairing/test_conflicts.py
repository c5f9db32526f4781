from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.domain import Entity, ErrorCategory
from mt_gate.repairing.conflicts import Ballot, EntityOutcome, Repaired, change_of, settle
from mt_gate.repairing.reading import Suspect
from mt_gate.repairing.vote import Vote

TEXT = "The Cricket South Africa board met."
CRICKET, AFRICA, BOARD, ALL = (4, 24), (12, 24), (25, 30), (4, 30)


def ballot(
    span: tuple[int, int], said: str | None, voted: str | None, score: float = 1.0
) -> Ballot:
    return Ballot(Suspect(TEXT, span, said), Vote(voted, ((voted, score),), ()))


def unvoted(span: tuple[int, int], said: str | None) -> Ballot:
    return Ballot(Suspect(TEXT, span, said), None)


def settled(entities: list[tuple], *ballots: Ballot) -> Repaired:
    return settle(TEXT, [Entity(*item) for item in entities], ballots)


def changes(entities: list[tuple], *ballots: Ballot) -> list[ErrorCategory | None]:
    repaired = settled(entities, *ballots)
    before = [Entity(*item) for item in entities]
    return [change_of(decision, before, repaired.entities) for decision in repaired.decisions]


def test_a_label_is_changed_put_in_and_taken_out() -> None:
    assert settled([(*AFRICA, "LOC")], ballot(AFRICA, "LOC", "ORG")).entities == ((*AFRICA, "ORG"),)
    assert settled([], ballot(AFRICA, None, "LOC")).entities == ((*AFRICA, "LOC"),)
    assert settled([(*AFRICA, "LOC")], ballot(AFRICA, "LOC", None)).entities == ()


def test_what_each_change_fixes() -> None:
    assert changes([(*AFRICA, "LOC")], ballot(AFRICA, "LOC", "ORG")) == ["incorrect-category"]
    assert changes([], ballot(AFRICA, None, "LOC")) == ["omission"]
    assert changes([(*AFRICA, "LOC")], ballot(AFRICA, "LOC", None)) == ["over-labelling"]
    assert changes([(*AFRICA, "LOC")], ballot(AFRICA, "LOC", "LOC")) == [None]


def test_an_entity_keeps_its_article() -> None:
    repaired = settled([(0, 24, "LOC")], ballot(CRICKET, "LOC", "ORG"))
    assert repaired.entities == ((0, 24, "ORG"),)


def test_of_two_ranges_the_lower_score_is_dropped() -> None:
    ballots = ballot(CRICKET, None, "ORG", 0.9), ballot(AFRICA, "LOC", "LOC", 0.5)
    repaired = settled([(*AFRICA, "LOC")], *ballots)
    assert repaired.entities == ((*CRICKET, "ORG"),)
    assert [decision.label for decision in repaired.decisions] == ["ORG", None]
    assert all(decision.sure for decision in repaired.decisions)
    assert changes([(*AFRICA, "LOC")], *ballots) == ["range-error", "range-error"]


def test_of_two_ranges_with_one_score_the_predicted_one_stays() -> None:
    repaired = settled(
        [(*AFRICA, "LOC")], ballot(CRICKET, None, "ORG"), ballot(AFRICA, "LOC", "LOC")
    )
    assert repaired.entities == ((*AFRICA, "LOC"),)


def test_a_dropped_range_is_in_nobodys_way() -> None:
    repaired = settled(
        [],
        ballot(BOARD, None, "ORG", 3.0),
        ballot(ALL, None, "ORG", 2.0),
        ballot(AFRICA, None, "LOC", 1.0),
    )
    assert repaired.entities == ((*AFRICA, "LOC"), (*BOARD, "ORG"))


def test_a_prediction_without_vote_stays_and_keeps_a_new_range_out() -> None:
    ballots = ballot(AFRICA, None, "LOC", 9.0), unvoted(CRICKET, "ORG")
    repaired = settled([(*CRICKET, "ORG")], *ballots)
    assert repaired.entities == ((*CRICKET, "ORG"),)
    decision = repaired.decisions[0]
    assert (decision.label, decision.outcome, decision.sure) == (
        None,
        EntityOutcome.UNCHANGED,
        False,
    )


def test_an_excluded_range_does_not_block_others() -> None:
    repaired = settled(
        [(*BOARD, "ORG")], ballot(ALL, None, "ORG", 9.0), ballot(AFRICA, None, "LOC", 1.0)
    )
    assert repaired.entities == ((*AFRICA, "LOC"), (*BOARD, "ORG"))


def test_an_answer_that_overlaps_another_is_not_taken_out_by_a_vote_for_it() -> None:
    both = [(*ALL, "ORG"), (*AFRICA, "LOC")]
    repaired = settled(both, ballot(AFRICA, "LOC", "LOC"))
    assert set(repaired.entities) == {*both}
    assert repaired.decisions[0].outcome is EntityOutcome.UNCHANGED


spans = st.sampled_from([CRICKET, AFRICA, BOARD, ALL, (4, 11)])
labels = st.sampled_from(["LOC", "ORG"])


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[Entity], list[Ballot]]:
    """Disjoint predictions, and ballots on distinct stretches that say what was said."""
    entities: list[Entity] = []
    for span in draw(st.lists(spans, unique=True)):
        if all(span[1] <= other.start or other.end <= span[0] for other in entities):
            entities.append(Entity(*span, draw(labels)))
    said = {(entity.start, entity.end): entity.label for entity in entities}
    ballots = []
    for span in draw(st.lists(spans, unique=True)):
        label = draw(st.none() | labels)
        vote = Vote(label, ((label, draw(st.floats(0.1, 9))),), ()) if draw(st.booleans()) else None
        ballots.append(Ballot(Suspect(TEXT, span, said.get(span)), vote))
    return sorted(entities), ballots


@given(sentences())
def test_what_comes_out_is_disjoint_and_follows_the_decisions(
    sentence: tuple[list[Entity], list[Ballot]],
) -> None:
    entities, ballots = sentence
    repaired = settle(TEXT, entities, ballots)
    assert [*repaired.entities] == sorted(repaired.entities)
    assert all(a.end <= b.start for a, b in pairwise(repaired.entities))
    after = {(entity.start, entity.end): entity.label for entity in repaired.entities}
    for decision in repaired.decisions:
        assert after.get(decision.ballot.suspect.span) == decision.label
    voted = {ballot.suspect.span for ballot in ballots if ballot.vote}
    for entity in entities:
        assert entity[:2] in voted or entity in repaired.entities
    best = max((b for b in ballots if b.vote), key=lambda b: b.vote.score, default=None)
    if best and best.vote and best.suspect.said and best.vote.label:
        scores = [b.vote.score for b in ballots if b.vote]
        assert scores.count(best.vote.score) > 1 or after[best.suspect.span] == best.vote.label
