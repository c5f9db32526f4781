"""What a relation's record may name: a function of one question, or of all of them."""

from __future__ import annotations

from spacy.language import Language

from making_questions import read
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.question import ParsedQuestion
from mt_gate_suites.boolq.transformation import OfQuestions, QuestionResources, question_rewrites
from mt_gate_suites.grammar.edits import edited
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite


def _once_more(question: ParsedQuestion, resources: QuestionResources) -> Rewrite | Refusal:
    if not resources.wordnet.knows(question.text.rpartition(" ")[2]):
        return Refusal("unknown")
    return edited(question.text, [(len(question.text), len(question.text), " again")])


def test_of_one_question_or_of_all_is_the_same(nlp: Language, wordnet_folder: str) -> None:
    resources = QuestionResources(nlp, WordNet(wordnet_folder))
    questions = [read(nlp, "is it old"), read(nlp, "is it qwrtz")]

    def all_at_once(
        questions: list[ParsedQuestion], given: QuestionResources
    ) -> list[Rewrite | Refusal]:
        return [_once_more(question, given) for question in questions]

    one = question_rewrites(_once_more, questions, resources)
    assert one == question_rewrites(OfQuestions(all_at_once), questions, resources)
    assert isinstance(one[0], Rewrite)
    assert one[0].text == "is it old again"
    assert one[1] == Refusal("unknown")
