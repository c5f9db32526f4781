"""Questions become negated statements whose answer is the other one (MR1-4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language

from mt_gate_suites.boolq.negation import tag
from mt_gate_suites.boolq.negation.tag import with_negation_tags
from mt_gate_suites.boolq.negation.wording import NATURAL, PAPER, PAPER_WORDING, TAG
from mt_gate_suites.boolq.question import ParsedQuestion, QuestionText, read_questions
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite

TITLES = {
    "did eric clapton play while my guitar gently weeps": "While My Guitar Gently Weeps",
    "is i can only imagine based on a true story": "I Can Only Imagine (film)",
    "is all in the family filmed in front of an audience": "All in the Family",
}


def read(nlp: Language, question: str) -> ParsedQuestion:
    asked = QuestionText(question, "Here Eric Clapton played.", TITLES.get(question, ""))
    return next(read_questions([asked], nlp))


def negated(nlp: Language, question: str) -> Rewrite | Refusal:
    """Deny a question in the paper's words."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tag, "wording_of", lambda *_: PAPER_WORDING)
        return with_negation_tags([read(nlp, question)], nlp)[0]


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("is there such thing as a black card", "there is not such thing as a black card"),
        ("can you turn left on red in canada", "you cannot turn left on red in canada"),
        (
            "did eric clapton play while my guitar gently weeps",
            "eric clapton did not play while my guitar gently weeps",
        ),
        (
            "do uk citizens need a tourist visa for turkey",
            "uk citizens do not need a tourist visa for turkey",
        ),
        ("has england ever won the indy 500", "england has never won the indy 500"),
        ("has anyone ever won the indy 500", "no one has ever won the indy 500"),
        ("has any team ever swept the final", "no team has ever swept the final"),
        ("are there any snakes in hawaii", "there are not any snakes in hawaii"),
        ("will there be a second season", "there will not be a second season"),
        ("do i have to show an id", "i do not have to show an id"),
        ("is it legal to own a skunk", "it is not legal to own a skunk"),
        ("is a turtle the same as a tortoise", "a turtle is not the same as a tortoise"),
        (
            "is there a difference between a turtle and a tortoise",
            "there is not a difference between a turtle and a tortoise",
        ),
        (
            "are zip code and postal code the same",
            "zip code and postal code are not the same",
        ),
        (
            "is i can only imagine based on a true story",
            "i can only imagine is not based on a true story",
        ),
        (
            "is all in the family filmed in front of an audience",
            "all in the family is not filmed in front of an audience",
        ),
        ("is english the most spoken language", "english is not the most spoken language"),
    ],
)
def test_negations(nlp: Language, question: str, statement: str) -> None:
    rewrite = negated(nlp, question)
    assert isinstance(rewrite, Rewrite), rewrite
    assert rewrite.text == statement + TAG


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("can you be a sir if not british", "negated"),
        ("is there a car with no doors", "negated"),
        ("didn't they win the world cup", "negated"),
        ("are there states where you don't need a belt", "negated"),
        ("is it in north america or south america", "alternatives"),
        ("can you drink until you are 21", "link"),
        ("do all dogs have tails", "quantifier"),
        ("is father's day the same day every year", "quantifier"),
        ("can only men be priests", "quantifier"),
        ("do they still make cars in detroit", "quantifier"),
        ("is it always hot in egypt", "quantifier"),
        ("do you have to pay both ways", "quantifier"),
        ("are most cats grey", "quantifier"),
        ("is the tower supposed to lean", "modal"),
        ("is it something you should eat", "quantifier"),
        ("is this a dog, a cat", "punctuation"),
        ("can you use any router with comcast", "any"),
        ("is it in any of the books", "any"),
        ("can anyone join the army", "any-subject"),
        ("do any planes have beds", "any-subject"),
        ("did anyone survive the crash", "any-subject"),
        ("do cats have fur and claws", "and"),
        ("do men and women have ribs", "and-subject"),
        ("is the riddler and the joker the same character", "agreement"),
        ("is navy blue and midnight blue the same", "agreement"),
        ("is ihop and applebees owned by the same company", "agreement"),
        ("do your maid of honor have to be married", "agreement"),
        ("do i watch the clone wars movie first", "advice"),
        ("has one of the cats won the race", "partial-subject"),
        ("did a man win the race", "partial-subject"),
        ("has a school shooting happened in texas", "partial-subject"),
        ("has a woman ever won the indy 500", "partial-subject"),
        ("is it the best film ever", "ever"),
        ("did england ever win the world cup", "ever"),
        ("should i stay in the house", "modal"),
        ("how does it work", "auxiliary"),
    ],
)
def test_refusals(nlp: Language, question: str, reason: str) -> None:
    assert negated(nlp, question) == Refusal(reason)


def test_each_question_has_one_of_two_kinds_of_wording(nlp: Language) -> None:
    asked = [read(nlp, f"is {name} the capital of norway") for name in "abcdefgh"]
    made = [one for one in with_negation_tags(asked, nlp) if isinstance(one, Rewrite)]
    assert {one.stratum for one in made} == {PAPER, NATURAL}
    assert all(one.text.endswith(TAG) == (one.stratum == PAPER) for one in made)


@pytest.mark.parametrize(
    "question", ["", "is", "is it", "any", "has any", "has any won", "was there ever", "do i any"]
)
def test_fragments_break_nothing(nlp: Language, question: str) -> None:
    assert isinstance(negated(nlp, question), Refusal)


_WORDS = "is can does has have the a you cat any anyone ever there it won have based on run and x"


@given(st.lists(st.sampled_from(_WORDS.split()), max_size=7))
def test_blocks_hold_equal_text(nlp: Language, words: list[str]) -> None:
    source = " ".join(words)
    rewrite = negated(nlp, source)
    if isinstance(rewrite, Refusal):
        assert rewrite.reason
        return
    assert rewrite.text.endswith(TAG)
    assert list(rewrite.alignment) == sorted(rewrite.alignment)
    taken: set[int] = set()
    end = 0
    for block in rewrite.alignment:
        copied = rewrite.text[block.follow_up : block.follow_up + block.length]
        assert copied == source[block.source : block.source + block.length]
        assert block.source >= end
        assert block.length > 0
        places = set(range(block.follow_up, block.follow_up + block.length))
        assert not places & taken
        taken |= places
        end = block.source + block.length
