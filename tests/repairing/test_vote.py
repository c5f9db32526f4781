from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.language.tools import Slot
from mt_gate.repairing.reading import Suspect
from mt_gate.repairing.vote import MIN_SCORE, Candidate, Scores, Voter, tally, votes, weight_of
from mt_gate.running.predicting import Cache, Predictor
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.protocol import Prediction
from repairing.made_tools import SETTINGS, tools

OSLO = Suspect("In Oslo.", (3, 7), "LOC")


def voter(label: str | None, score: float = 6.0, cosine: float = 0.5, part: bool = False) -> Voter:
    return Voter(Candidate(Slot("In Rome.", 3, 7), score, cosine, part), label)


def scores(*voters: Voter, kind: Scores = Scores.LOGIT) -> dict[str | None, float]:
    vote = tally(OSLO, voters, kind)
    assert vote is not None
    return dict(vote.scores)


def test_the_weight_of_a_voter_is_the_papers() -> None:
    assert scores(voter("LOC", 6.0, 0.5)) == {"LOC": pytest.approx(6 * math.exp(1.25))}
    assert scores(voter(None, 6.0, 0.5)) == {None: pytest.approx(0.2 * 6 * math.exp(1.25))}
    half = scores(voter("LOC", 6.0, 0.5, part=True))
    assert half == {"LOC": pytest.approx(0.5 * 6 * math.exp(1.25))}
    tenth = scores(voter(None, 6.0, 0.5, part=True))
    assert tenth == {None: pytest.approx(0.1 * 6 * math.exp(1.25))}


def test_scores_add_up_by_label() -> None:
    assert scores(voter("ORG"), voter("ORG"), voter("LOC")) == {
        "ORG": pytest.approx(12 * math.exp(1.25)),
        "LOC": pytest.approx(6 * math.exp(1.25)),
    }


def test_five_voices_for_no_entity_weigh_as_one() -> None:
    vote = tally(OSLO, [*[voter(None)] * 4, voter("ORG")], Scores.LOGIT)
    assert vote is not None
    assert vote.label == "ORG"
    vote = tally(OSLO, [*[voter(None)] * 6, voter("ORG")], Scores.LOGIT)
    assert vote is not None
    assert vote.label is None


def test_no_voter_is_no_vote() -> None:
    assert tally(OSLO, [], Scores.LOGIT) is None


@pytest.mark.parametrize(
    ("said", "labels", "winner"),
    [("ORG", ["LOC", "ORG"], "ORG"), ("PER", ["ORG", "LOC"], "LOC"), (None, ["PER", "ORG"], "ORG")],
)
def test_ties_go_to_what_was_said_then_by_alphabet(
    said: str | None, labels: list[str], winner: str
) -> None:
    vote = tally(OSLO._replace(said=said), [voter(label) for label in labels], Scores.LOGIT)
    assert vote is not None
    assert vote.label == winner


@pytest.mark.parametrize("kind", Scores)
def test_a_better_score_weighs_no_less_and_never_below_zero(kind: Scores) -> None:
    weights = [weight_of(score, kind) for score in (-50.0, -3.0, 0.0, 1.0, 5.5, 700.0, 1e6)]
    assert weights == sorted(weights)
    assert weights[0] >= 0
    assert all(map(math.isfinite, weights))
    assert weight_of(MIN_SCORE[kind] + 0.1, kind) > 0


def test_a_log_ratio_weighs_as_a_logit_would() -> None:
    for ratio, wanted in ((0.0, 10.0), (-4.5, 5.5), (1.5, 11.5), (-30.0, 0.0)):
        assert scores(voter("LOC", ratio, 0.0), kind=Scores.LOG_RATIO) == {
            "LOC": pytest.approx(wanted)
        }


voters = st.lists(
    st.builds(
        voter,
        st.sampled_from([None, "LOC", "ORG", "PER"]),
        st.floats(5.5, 30),
        st.floats(0.45, 1),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


@given(voters, st.sampled_from([None, "LOC", "ORG"]), st.integers(0, 9))
def test_the_order_of_voters_makes_no_difference(
    drawn_voters: list[Voter], said: str | None, seed: int
) -> None:
    suspect = OSLO._replace(said=said)
    mixed = Random(seed).sample(drawn_voters, len(drawn_voters))
    one, two = (tally(suspect, some, Scores.LOGIT) for some in (drawn_voters, mixed))
    assert one is not None
    assert two is not None
    assert (one.label, one.scores) == (two.label, two.scores)
    assert one.score == max(score for _, score in one.scores)
    assert {label for label, _ in one.scores} == {item.label for item in drawn_voters}


class Counted(Predictor):
    """A predictor that records its inputs."""

    def predict(self, inputs: Sequence[Mapping[str, object]]) -> list:
        self.predicted = [*getattr(self, "predicted", []), *(item["text"] for item in inputs)]
        return super().predict(inputs)


@pytest.fixture
def predictor(small: Path, tmp_path: Path) -> Iterator[Counted]:
    system = OnnxSystem(small, "ner", "cpu")
    cache = Cache(tmp_path, system.cache_key)
    yield Counted(system, cache, lambda _done, _all: None)
    cache.close()


def test_each_distinct_candidate_sentence_is_predicted_once(predictor: Counted) -> None:
    text = "Anna was a friend of Boris in Oslo."
    table = {"Anna": [("Clara", 6.0), ("Erik", 7.0)], "Oslo": [("Rome", 6.0)]}
    actual = [
        Suspect(text, (0, 4), None),
        Suspect(text, (0, 4), "PER"),
        Suspect(text, (30, 34), None),
    ]
    first, second, third = votes(actual, tools(table), predictor, SETTINGS)
    assert sorted(predictor.predicted) == sorted(
        [
            "Clara was a friend of Boris in Oslo.",
            "Erik was a friend of Boris in Oslo.",
            "Anna was a friend of Boris in Rome.",
        ]
    )
    assert first is not None
    assert second is not None
    assert third is not None
    assert first.scores == second.scores
    assert len(first.voters) == 2


class Tagger:
    """A system that answers from a table."""

    cache_key = "tagger"

    def __init__(self, table: Mapping[str, list]) -> None:
        self.table = table

    def predict(self, inputs: Sequence[Mapping[str, str]]) -> Iterator[list]:
        yield [
            (index, Prediction({"entities": self.table[item["text"]]}))
            for index, item in enumerate(inputs)
        ]


@pytest.mark.parametrize(
    ("entities", "label"),
    [
        ([[4, 10, "ORG"]], "ORG"),
        ([[0, 10, "ORG"]], "ORG"),  # with its article
        ([[4, 14, "ORG"]], None),
        ([[4, 7, "ORG"], [7, 10, "ORG"]], None),
        ([[11, 14, "ORG"]], None),
        ([], None),
    ],
)
def test_only_exactly_the_stretch_counts(entities: list, label: str | None, tmp_path: Path) -> None:
    tagger = Tagger({"The Clouds won.": entities})
    predictor = Predictor(tagger, Cache(tmp_path, "tagger"), lambda *_: None)  # type: ignore[arg-type]
    suspect = Suspect("The Stones won.", (4, 10), "ORG")
    (vote,) = votes([suspect], tools({"Stones": [("Clouds", 6.0)]}), predictor, SETTINGS)
    assert vote is not None
    assert vote.label == label


def test_a_sentence_too_long_for_the_system_has_no_vote(predictor: Counted) -> None:
    text = "Anna " + "was a friend of " * 40 + "Oslo."
    suspect = Suspect(text, (0, 4), "PER")
    assert [*votes([suspect], tools({"Anna": [("Clara", 6.0)]}), predictor, SETTINGS)] == [None]
