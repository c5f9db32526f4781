"""Questions and sentences read by the parser, and their words by name."""

from __future__ import annotations

from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from mt_gate_suites.boolq.question import ParsedQuestion, QuestionText, read_questions


def read(nlp: Language, question: str, passage: str = "", title: str = "") -> ParsedQuestion:
    """Return a question as a builder reads it."""
    return next(read_questions([QuestionText(question, passage, title)], nlp))


def word(doc: Doc | Span, text: str) -> Token:
    """Return the first token with a text, in whatever letter case."""
    return next(token for token in doc if token.lower_ == text.lower())
