"""What each relation makes of a question or a passage, and where it makes nothing."""

from __future__ import annotations

from pkgutil import resolve_name

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from cases import cases, read_cases
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.adjectives import ANTONYMS, SYNONYMS
from mt_gate_suites.boolq.negation_tag import NATURAL, PAPER, TAG
from mt_gate_suites.boolq.question import QuestionText, Resources, read_questions
from mt_gate_suites.boolq.voice_change import voice_change
from mt_gate_suites.builder_api import TRANSFORMATIONS
from mt_gate_suites.grammar.rewrite import Rewrite

OF_QUESTIONS = sorted(
    name.removeprefix("boolq/") for name in TRANSFORMATIONS if name.startswith("boolq/")
)
OF_QUESTIONS.remove("voice-change")
ROWS = [
    pytest.param(relation, row, id=f"{relation}-{row['question']}")
    for relation in OF_QUESTIONS
    for row in read_cases(f"boolq/{relation}")
]
WORDS = (
    "is are was were do does can has will it there you the a an dog gun king war season 3 legal "
    "true story last largest same different as from die own have to been before after in at on if "
    "when canada texas chess 2010 any anyone ever and won based x ,"
).split()


@pytest.fixture(scope="module")
def resources(nlp: Language, wordnet_folder: str) -> Resources:
    return Resources(nlp, WordNet(wordnet_folder))


def edit(
    resources: Resources, relation: str, question: str, passage: str = "", title: str = ""
) -> Rewrite | None:
    source_question = QuestionText(question, passage, title)
    (parsed,) = read_questions([source_question], resources.nlp, resources.wordnet.is_name)
    rewrite: Rewrite | None = resolve_name(TRANSFORMATIONS[f"boolq/{relation}"])(parsed, resources)
    return rewrite


@pytest.mark.parametrize(("relation", "row"), ROWS)
def test_follow_ups(resources: Resources, relation: str, row: dict[str, str]) -> None:
    rewrite = edit(resources, relation, row["question"], row["passage"], row["title"])
    assert (rewrite.text if rewrite else "") == row["follow_up"]


@pytest.mark.parametrize("relation", OF_QUESTIONS)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(WORDS), max_size=9))
def test_what_is_aligned_is_the_same_text(
    resources: Resources, relation: str, words: list[str]
) -> None:
    question = " ".join(words)
    rewrite = edit(resources, relation, question)
    if rewrite is None:
        return
    assert rewrite.text != question
    assert "  " not in rewrite.text
    end, copied = 0, set()
    for block in rewrite.alignment:
        there = range(block.follow_up, block.follow_up + block.length)
        assert block.source >= end
        assert question[block.source :][: block.length] == rewrite.text[there.start : there.stop]
        assert copied.isdisjoint(there)
        end = block.source + block.length
        copied |= set(there)


@cases("boolq/voice-change")
def test_voice_change(nlp: Language, passage: str, follow_up: str) -> None:
    rewrite = voice_change(nlp(passage))
    assert (rewrite.text if rewrite else "") == follow_up
    for block in rewrite.alignment if rewrite else ():
        source = passage[block.source : block.source + block.length]
        copy = follow_up[block.follow_up : block.follow_up + block.length]
        assert source.lower() == copy.lower()


def test_clauses_that_bear_on_the_answer_change_voice(resources: Resources) -> None:
    passage = (
        "The Strain was created by Ann Lee. On August 6, 2014, FX renewed The Strain for a second"
        " season. Rain fell."
    )
    title = "The Strain (TV series)"
    question = "will there be a season 4 of the strain"
    rewrite = edit(resources, "voice-change", question, passage, title)
    assert rewrite
    assert "The Strain was created by Ann Lee. On August 6, 2014, The Strain was" in rewrite.text
    question = "is the strain based on a true story"
    assert edit(resources, "voice-change", question, passage, title) is None
    assert voice_change(resources.nlp(passage), at_most=1) is not None


def test_half_of_the_negations_have_the_words_of_the_paper(resources: Resources) -> None:
    questions = [f"is {name} the capital of norway" for name in ("bonn", "rome", "oslo", "bergen")]
    made = [edit(resources, "negation-tag", question) for question in questions]
    assert {one.stratum for one in made if one} == {PAPER, NATURAL}
    assert all(one.text.endswith(TAG) == (one.stratum == PAPER) for one in made if one)


@pytest.mark.parametrize("table", [ANTONYMS, SYNONYMS])
def test_no_adjective_becomes_itself(table: dict) -> None:
    for adjective, entries in table.items():
        assert adjective == adjective.lower()
        for entry in entries:
            assert adjective not in entry.new.split("/")
            assert entry.predicate or entry.nouns
