"""A yes/no question read as a statement: where its subject ends.

Parsers often err here, above all where ``be`` stands before two noun phrases
("is the tortoise and the hare a fairy tale"). So the predicate must begin at a
word with which one can begin; the statement that this makes is parsed in its
turn; and where several places are left, one must be surer than the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Token

from mt_gate.language.forms import tags
from mt_gate_suites.boolq.negation.openers import (
    ADVERBS,
    AUXILIARIES,
    BASES,
    BE,
    CLAUSE,
    DETERMINERS,
    DO,
    PARTICIPLES,
    Opener,
    is_pronoun,
    openers,
    verb_kind,
)
from mt_gate_suites.boolq.question import BATCH, ParsedQuestion
from mt_gate_suites.grammar.rewrite import Refusal
from mt_gate_suites.lexicons.reading import word_set

_FINITE = word_set("boolq/negation", "finite")
_KINDS_OF_WORKS = word_set("boolq/negation", "works")


class Parts(NamedTuple):
    """A question's parts, as places in its text.

    The auxiliary begins the text; the subject is ``[subject, subject_end)``;
    the rest goes from ``predicate`` to the end.
    """

    auxiliary: str
    subject: int
    subject_end: int
    predicate: int


def statements(questions: Sequence[ParsedQuestion], nlp: Language) -> list[Parts | Refusal]:
    """Find the parts of every question, or say why they are not sure."""
    places = [[] if _fault(question) else openers(question) for question in questions]
    texts = [
        _statement(question, opener.token)
        for question, here in zip(questions, places, strict=True)
        for opener in here
    ]
    docs = nlp.pipe(texts, batch_size=BATCH)
    found: list[Parts | Refusal] = []
    for question, here in zip(questions, places, strict=True):
        tried = [item._replace(sound=_is_sound(next(docs), question, item.token)) for item in here]
        found.append(_parts(question, tried))
    return found


def _fault(question: ParsedQuestion) -> str:
    """Say why a question cannot be auxiliary, subject and predicate; empty where it can."""
    doc = question.doc
    if len(doc) < 4:
        return "too-short"
    if doc[0].lower_ not in AUXILIARIES or question.in_name(doc[0]) or not doc[0].whitespace_:
        return "auxiliary"
    return "blanks" if any(token.is_space for token in doc) else ""


def _parts(question: ParsedQuestion, tried: Sequence[Opener]) -> Parts | Refusal:
    fault = _fault(question)
    if fault:
        return Refusal(fault)
    doc = question.doc
    if is_pronoun(question):
        chosen = doc[2] if tried and (tried[0].sound or doc[1].lower_ != "there") else None
    elif doc[0].lower_ in BE:
        chosen = _be_opener(question, tried)
    else:
        chosen = _verb_opener(question, tried)
    if chosen is None:
        return Refusal("subject-unclear")
    if _is_malformed(question, chosen):
        return Refusal("malformed")
    before = chosen.nbor(-1)
    return Parts(doc[0].lower_, doc[1].idx, before.idx + len(before), chosen.idx)


def _is_malformed(question: ParsedQuestion, opener: Token) -> bool:
    """Whether a finite verb or a clause stands where none can: ``is it is made of wood``."""
    doc = question.doc
    subject = [token for token in doc[1 : opener.i] if not question.in_name(token)]
    if any(token.lower_ in _FINITE | CLAUSE for token in subject):
        return True
    if doc[0].lower_ in BE:
        return opener.lower_ in _FINITE
    if any(token.lower_ == "used" and token.nbor(1).lower_ == "to" for token in doc[opener.i : -1]):
        return doc[0].lower_ in DO
    if doc[0].lower_ == "does" and _is_plural(question, subject):
        return True
    verb = next(token for token in doc[opener.i :] if token.lower_ not in ADVERBS)
    return verb.tag_ != "RB" and verb_kind(verb) is None


def _is_plural(question: ParsedQuestion, subject: Sequence[Token]) -> bool:
    """Whether a bare subject is no singular, or ends with a finite verb: ``does a shares b``."""
    last = subject[-1] if subject else None
    if (
        last is None
        or question.in_name(last)
        or any(token.tag_ in {"IN", "VBG"} for token in subject)
    ):
        return False
    return bool(tags(last.lower_) & {"NNS", "VBZ"}) and "NN" not in tags(last.lower_)


def _statement(question: ParsedQuestion, opener: Token) -> str:
    """Return the negated statement that a place makes, for the parser to read."""
    first, cased = question.doc[0], question.cased
    subject = cased[question.doc[1].idx : opener.idx].strip()
    return f"{subject[0].upper()}{subject[1:]} {first.lower_} not {cased[opener.idx :]}."


def _is_sound(doc: Doc, question: ParsedQuestion, opener: Token) -> bool:
    """Whether a statement's verb is that of its main clause, and its subject all before it."""
    place = opener.idx - question.doc[1].idx
    finite = next((token for token in doc if token.idx == place), None)
    if finite is None:
        return False
    root = finite if finite.dep_ == "ROOT" else finite.head
    tops = [token for token in doc[: finite.i] if token.head.i >= finite.i]
    subjects = {"nsubj", "nsubjpass", "expl", "csubj", "csubjpass"}
    single = len(tops) == 1 and tops[0].head == root and tops[0].dep_ in subjects
    return root.dep_ == "ROOT" and root.i >= finite.i and single


def _asked(doc: Doc) -> int:
    """Where the predicate begins by the question's own parse; -1 where that has no subject."""
    first = doc[0]
    root = first if first.dep_ == "ROOT" else first.head
    subjects = [child for child in root.children if child.dep_ in {"nsubj", "nsubjpass", "csubj"}]
    return subjects[0].right_edge.i + 1 if subjects else -1


def _verb_opener(question: ParsedQuestion, tried: Sequence[Opener]) -> Token | None:
    """Choose the main verb: where both parses meet, or the one place that there is."""
    sound = [item.token for item in tried if item.sound]
    asked = _asked(question.doc)
    for token in sound:
        if token.i == asked:
            others = [item.token for item in tried if item.token != token]
            return None if any(_rivals(token, item) for item in others) else token
    if len(sound) == 1 and sound[0] == tried[0].token:
        return sound[0]
    return None


def _rivals(chosen: Token, other: Token) -> bool:
    """Whether another word may be the verb: ``sac fly count as``, ``trains run express``."""
    word, before = chosen.lower_, other.nbor(-1)
    if other.i < chosen.i:
        return other.i + 1 == chosen.i and "JJ" in tags(word)
    noun = word not in BASES | PARTICIPLES | ADVERBS and bool(tags(word) & {"NN", "NNS"})
    if noun and (before == chosen or before.tag_[:2] == "NN"):
        return True
    own = any(child.dep_ in {"nsubj", "nsubjpass", "aux"} for child in other.children)
    return other.tag_ in {"VB", "VBP"} and not own


def _be_opener(question: ParsedQuestion, tried: Sequence[Opener]) -> Token | None:
    """Choose where the predicate after ``be`` begins: the first place, if none rivals it."""
    if not tried:
        return None
    sure = [item for item in tried if item.token.lower_ in {"based", "considered"}]
    settled = len(sure) == 1
    first = sure[0] if settled else tried[0]
    named = _is_name(question, first.token)
    if not (first.sound or named or settled):
        return None
    rivals = [item for item in tried if item.token.i > first.token.i]
    agreed = first.sound and _asked(question.doc) == first.token.i
    if first.kind == "preposition":
        prepositions = all(item.kind == "preposition" for item in rivals)
        prepositions &= all(token.lower_ != "to" for token in question.doc[first.token.i :])
        return first.token if prepositions and (named or _may_follow(first.token, tried)) else None
    if any(item.kind == "determiner" for item in rivals) and not settled:
        return first.token if agreed and first.kind == "adverb" else None
    beside = first.kind == "determiner" and not named
    return None if beside and _is_apposition(question, first.token, rivals) else first.token


def _may_follow(preposition: Token, tried: Sequence[Opener]) -> bool:
    """Whether one phrase after a plain subject must be the predicate: ``is the mall in chicago``.

    Words without an article may hide a predicate of their own: ``tea a drink with milk``.
    """
    doc, before = preposition.doc, preposition.nbor(-1)
    plain = doc[1].lower_ in DETERMINERS or preposition.i <= 3 or _asked(doc) == preposition.i
    hidden = preposition.lower_ in {"with", "for"} or "JJ" in tags(before.lower_)
    return len(tried) == 1 and plain and not hidden


def _is_name(question: ParsedQuestion, opener: Token) -> bool:
    """Whether all of the subject is one name; such take no phrase after them."""
    before = opener.nbor(-1)
    end = before.idx + len(before)
    starts = [question.doc[1].idx]
    if question.doc[1].lower_ in DETERMINERS:
        starts.append(question.doc[2].idx)
    return any(start <= at and stop == end for start, stop in question.names for at in starts)


def _is_apposition(question: ParsedQuestion, opener: Token, rivals: Sequence[Opener]) -> bool:
    """Whether an article may begin a name beside the subject: is the movie ``the duel`` good."""
    work = opener.nbor(-1).lower_ in _KINDS_OF_WORKS
    named = question.in_name(opener)
    ends = question.doc[-2].tag_ == "JJ"
    return (named and (work or bool(rivals))) or (work and (ends or bool(rivals)))
