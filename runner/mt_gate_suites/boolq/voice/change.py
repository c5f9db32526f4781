"""``boolq/voice-change``: active and passive clauses of the passage change places.

MR2-3 of the reading-comprehension paper (section 4.2). What the passage says
stays the same, so the question's answer must. Every clause that surely bears the
other voice, and that bears on the answer (``bearing``), is turned; the others stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from mt_gate_suites.boolq.question import QuestionText
from mt_gate_suites.boolq.transformation import OfPassage
from mt_gate_suites.boolq.voice import active_to_passive, passive_to_active
from mt_gate_suites.boolq.voice.bearing import bears_on
from mt_gate_suites.boolq.voice.clause_frame import is_enclosed, sentence_fault
from mt_gate_suites.boolq.voice.phrase_kinds import as_object, as_subject
from mt_gate_suites.boolq.voice.phrases import NounPhrase
from mt_gate_suites.boolq.voice.pieces import Copied, Piece, Turn, copied, turned
from mt_gate_suites.boolq.voice.reduced_passive import find_relative
from mt_gate_suites.boolq.voice.reference import pronoun_follows
from mt_gate_suites.grammar.casing import FirstWord, first_word_case
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite


class VoiceChange(NamedTuple):
    """A passage with clauses of the other voice, and how many were turned."""

    rewrite: Rewrite
    turned: int


def voice_change(
    passage: Doc, asked: QuestionText | None = None, at_most: int | None = None
) -> VoiceChange | Refusal:
    """Turn the clauses of a parsed passage that surely bear the other voice.

    Args:
        passage: the whole passage, parsed with sentences and entities.
        asked: what the clauses must bear on; None turns whatever can be turned.
        at_most: turn no more clauses than so many, from the first on.
    """
    turns = list(_turns(passage, asked))[:at_most]
    if not turns:
        return Refusal("no-convertible-clause")
    return VoiceChange(turned(passage.text, turns), len(turns))


def _with_every_turn(passage: Doc, asked: QuestionText) -> Rewrite | Refusal:
    change = voice_change(passage, asked)
    return change if isinstance(change, Refusal) else change.rewrite


TRANSFORMATION = OfPassage(_with_every_turn)


def _turns(passage: Doc, asked: QuestionText | None) -> Iterator[Turn]:
    sentences = list(passage.sents)
    for at, sentence in enumerate(sentences):
        following = sentences[at + 1] if at + 1 < len(sentences) else None
        if pronoun_follows(following):
            continue
        whole = sentence_fault(sentence) is None
        end = 0
        for verb in sentence:
            if verb.pos_ != "VERB" or is_enclosed(sentence, verb):
                continue
            turn = _relative(verb) or (_turn(verb, sentence) if whole else None)
            if turn is None or turn.start < end:
                continue
            if asked is None or bears_on(verb, asked):
                end = turn.end
                yield turn


def _turn(verb: Token, sentence: Span) -> Turn | None:
    active = active_to_passive.find_active(verb, sentence)
    if not isinstance(active, str):
        return _passive(active, sentence)
    passive = passive_to_active.find_passive(verb, sentence)
    return None if isinstance(passive, str) else _active(passive, sentence)


def _passive(clause: active_to_passive.ActiveClause, sentence: Span) -> Turn | None:
    group = active_to_passive.passive_group(clause)
    if isinstance(group, str):
        return None
    opens = clause.subject.start == sentence.start
    front = _moved_first(clause.object, as_subject(clause.object.head), opens)
    back = _moved_in(clause.subject, as_object(clause.subject.head), sentence, opens)
    if front is None or back is None:
        return None
    first, *others = group.auxiliaries
    pieces: list[Piece] = [front, f" {first}"]
    pieces += _spaced(clause.adverbs)
    pieces += [f" {word}" for word in others]
    pieces += [f" {group.participle} by ", back]
    text = sentence.doc
    return Turn(text[clause.subject.start].idx, _end(clause.object), tuple(pieces))


def _active(clause: passive_to_active.PassiveClause, sentence: Span) -> Turn | None:
    group = passive_to_active.active_group(clause)
    if isinstance(group, str):
        return None
    opens = clause.subject.start == sentence.start
    front = _moved_first(clause.agent, None, opens)
    back = _moved_in(clause.subject, as_object(clause.subject.head), sentence, opens)
    if front is None or back is None:
        return None
    pieces: list[Piece] = [front]
    pieces += [f" {word}" for word in group.auxiliaries]
    pieces += _spaced(clause.adverbs)
    pieces += [f" {' and '.join(group.verbs)} ", back]
    if clause.between:
        start, end = clause.between.start_char, clause.between.end_char
        pieces += [" ", copied(sentence.doc.text, start, end)]
    return Turn(sentence.doc[clause.subject.start].idx, _end(clause.agent), tuple(pieces))


def _relative(verb: Token) -> Turn | None:
    """Return the active form of a passive relative clause: that Ann wrote."""
    found = find_relative(verb)
    if found is None:
        return None
    agent = found.part.agent
    pieces: tuple[Piece, ...] = (
        f"{found.pronoun} ",
        Copied(agent.span.start_char, agent.span.end_char, agent.span.text),
        f" {' and '.join(found.part.verbs)}",
    )
    return Turn(verb.doc[found.start].idx, _end(agent), pieces)


def _spaced(adverbs: tuple[Token, ...]) -> Iterator[Piece]:
    for adverb in adverbs:
        yield " "
        yield copied(adverb.doc.text, adverb.idx, adverb.idx + len(adverb))


def _end(phrase: NounPhrase) -> int:
    last = phrase.span[-1]
    return last.idx + len(last)


def _moved_first(phrase: NounPhrase, pronoun: str | None, opens: bool) -> Piece | None:
    """Return a phrase for the place of the subject, with a capital where it opens the sentence."""
    if phrase.is_pronoun:
        return pronoun and (pronoun.capitalize() if opens else pronoun)
    text = phrase.span.text
    if not text[0].isalpha():
        return None
    if opens and text[0].islower():
        if any(c.isupper() for c in phrase.span[0].text):
            return None
        text = text[0].upper() + text[1:]
    return Copied(phrase.span.start_char, phrase.span.end_char, text)


def _moved_in(phrase: NounPhrase, pronoun: str | None, sentence: Span, opens: bool) -> Piece | None:
    """Return a phrase for a place within the sentence, where only a name keeps its capital."""
    if phrase.is_pronoun:
        return pronoun
    text = phrase.span.text
    if opens:
        case = _first_word_case(phrase, sentence)
        if case is FirstWord.UNSURE:
            return None
        if case is FirstWord.LOWER:
            text = text[0].lower() + text[1:]
    return Copied(phrase.span.start_char, phrase.span.end_char, text)


def _first_word_case(phrase: NounPhrase, sentence: Span) -> FirstWord:
    first = phrase.span[0]
    if first.ent_type_ in {"PERSON", "GPE"} and first.ent_iob_ == "B" and first.tag_ == "NNP":
        return FirstWord.KEEP
    return first_word_case(sentence.as_doc())
