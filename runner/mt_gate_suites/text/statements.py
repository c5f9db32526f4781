"""Recognise texts of one plain statement, and put a statement into a frame of words.

statement  Women are early.
framed     I used to think that women are early, but I no longer do.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from spacy.tokens import Doc

from mt_gate.domain import Block
from mt_gate.lexicons import nations
from mt_gate_suites.grammar.casing import FirstWord, first_word_case, is_always_capital
from mt_gate_suites.grammar.clauses import Clause, find_clause
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons import given_names
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.text.protected import protected_spans

MOST_WORDS = 20
_UNFIT = re.compile(r"[?:;…()\n]|\.\.|--|[.!](?!\s*$)")
_WH = frozenset({"WDT", "WP", "WP$", "WRB"})
_NO_NAMES = word_set("text/frames", "no-names")
_NAMES = given_names.MALE | given_names.FEMALE | given_names.KNOWN | nations.COUNTRIES
_EVALUATIVE = word_set("text/directional", "gradable")
_BROKEN_OFF = word_set("text/frames", "no-statement")


class Statement(NamedTuple):
    """A parsed text that is one statement.

    ``core`` is its text without the last mark, and with the first letter as inside a
    sentence. ``mark`` is the last mark, which may be empty.
    """

    doc: Doc
    clause: Clause
    core: str
    mark: str


def statement_of(doc: Doc) -> Statement | None:
    """Return a text as a statement; None if it is not surely a statement."""
    text = doc.text.rstrip()
    if not 3 <= len(text.split()) <= MOST_WORDS or _UNFIT.search(text) or protected_spans(text):
        return None
    if doc[0].is_space or any(token.lower_ in _BROKEN_OFF for token in doc):
        return None
    clause = find_clause(doc)
    if isinstance(clause, str) or doc[0].lower_ in {"that", "those", "this", "these"}:
        return None
    if not text.endswith((".", "!")) and any(token.tag_ in _WH for token in doc):
        return None  # a question without its question mark
    mark = text[-1] if text[-1] in ".!" else ""
    core = text[: len(text) - len(mark)]
    case = FirstWord.KEEP if is_small(text) else _first_word_case(doc)
    if case is FirstWord.UNSURE:
        return None
    if case is FirstWord.LOWER:
        core = core[0].lower() + core[1:]
    return Statement(doc, clause, core, mark)


def _first_word_case(doc: Doc) -> FirstWord:
    """Return how the first capital changes; unsure for names that only the parser recognises.

    In users' texts, parsers mistake other words for names, as in "Atm took my card."
    """
    if doc[0].lower_ in _NO_NAMES:
        return FirstWord.LOWER
    case = first_word_case(doc)
    is_name = is_always_capital(doc[0]) or doc[0].text in _NAMES
    return FirstWord.UNSURE if case is FirstWord.KEEP and not is_name else case


def is_small(text: str) -> bool:
    """Whether a text has letters, none of them a capital."""
    return text.islower()


def framed(statement: Statement, before: str, after: str = "", mark: str = "") -> Rewrite:
    """Return a statement with words before and after it, in lower case if the text is.

    Args:
        statement: the statement.
        before: the first words of the new sentence, with a space.
        after: the last words of the new sentence.
        mark: the last mark; empty for the statement's own mark.
    """
    if is_small(statement.doc.text):
        before, after = before.lower(), after.lower()
    text = f"{before}{statement.core}{after}{mark or statement.mark}"
    return Rewrite(text, (Block(0, len(before), len(statement.core)),))


def speaks_of(statement: Statement, words: frozenset[str]) -> bool:
    """Whether a statement contains one of ``words``, which are in lower case."""
    return any(token.lower_ in words for token in statement.doc)


def is_opinion(statement: Statement) -> bool:
    """Whether a statement is an opinion.

    Opinions are what things or people should do, that a thing is good or bad, or what all of a
    kind are ("Cats are a nuisance."). "The winners are in bold." is not an opinion.
    """
    verb, subject = statement.clause.finite, statement.clause.subject
    if verb.lower_ in {"should", "shouldn't"}:
        return True
    if verb != statement.clause.root or verb.lower_ not in {"is", "are", "was", "were"}:
        return False
    complements = [child for child in verb.children if child.dep_ in {"acomp", "attr"}]
    generic = subject.tag_ in {"NNS", "NNPS"} and not any(
        child.dep_ in {"det", "poss", "nummod"} for child in subject.children
    )
    values = {token.lower_ for one in complements for token in one.subtree}
    return bool(complements) and (
        not values.isdisjoint(_EVALUATIVE) or (generic and verb.lower_ == "are")
    )
