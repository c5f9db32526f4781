"""What the record of a relation of task boolq names as its builder.

Most name a function of one question. ``OfQuestions`` is for what parses its own
statements, many at once; ``OfPassage`` for what leaves the question as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.question import ParsedQuestion, QuestionText
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite


class QuestionResources(NamedTuple):
    """What transformations of questions may ask beside the question."""

    nlp: Language
    wordnet: WordNet


OfQuestion = Callable[[ParsedQuestion, QuestionResources], Rewrite | Refusal]


class OfQuestions(NamedTuple):
    """Edits questions, all of them at once; answers stand in their order."""

    rewrites: Callable[[Sequence[ParsedQuestion], QuestionResources], Sequence[Rewrite | Refusal]]


class OfPassage(NamedTuple):
    """Edits a parsed passage where that bears on a question; the question stays."""

    rewrite: Callable[[Doc, QuestionText], Rewrite | Refusal]


Transformation = OfQuestion | OfQuestions | OfPassage


def question_rewrites(
    transformation: OfQuestion | OfQuestions,
    questions: Sequence[ParsedQuestion],
    resources: QuestionResources,
) -> Sequence[Rewrite | Refusal]:
    """Return what becomes of each question, in their order."""
    if isinstance(transformation, OfQuestions):
        return transformation.rewrites(questions, resources)
    return [transformation(question, resources) for question in questions]
