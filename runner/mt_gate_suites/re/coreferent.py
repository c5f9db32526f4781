"""``re/coreferent``: head or tail moves to another mention of the same person or thing.

Source: Sun et al., Algorithms 2023, MR-R4. The paper uses NeuralCoref. Here rules find mentions,
and skip them if grammar or agreement is unclear.
    acronym   the [Labour Party] (LP) won     -> the Labour Party ([LP]) won
    name      ([LP]); [Smith], after the full name
    pronoun   [Anna] left; she lost her bag   -> Anna left; [she] lost her bag
    relative  [Anna], who left                -> Anna, [who] left
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from spacy.tokens import Span, Token

from mt_gate.tasks.relation_extraction import ARGUMENTS, HEAD, TAIL, Argument
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.name_pools import Pools
from mt_gate_suites.re.persons import (
    Person,
    find_persons,
    is_person_noun,
    is_pronoun,
    resolve_pronouns,
)
from mt_gate_suites.re.sample import EditedSample, Sample, move

ACRONYM, NAME, PRONOUN, RELATIVE = "acronym", "name", "pronoun", "relative-pronoun"
_ORDER = (ACRONYM, NAME, PRONOUN, RELATIVE)
"""The surest kind first."""
_OF_WORDS = "alternate_names"
"""Part of the labels of relations between names themselves; a pronoun is not a name."""
_SAYING_WHAT = frozenset({"attr", "oprd", "appos", "acomp", "compound", "amod", "nmod"})
"""Roles of words that describe a person: a relative pronoun after them means that person."""
_OPENING, _CLOSING = r"\s*(?:\(|-LRB-)\s*", r"\s*(?:\)|-RRB-)"
_ACRONYM = r"[A-Z][A-Za-z&.]{1,9}"
_AFTER = re.compile(rf"{_OPENING}({_ACRONYM}){_CLOSING}")
_SMALL = word_set("re/coreferent", "small-words-of-names")
_MOST_WORDS, _LEAST_LOOSE = 10, 3
_SAYING, _EFFECTS = word_set("re/coreferent", "saying"), word_set("re/coreferent", "effects")
_SINGULAR, _PLURAL = frozenset({"NN", "NNP"}), frozenset({"NNS", "NNPS"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_WITHOUT_SUBJECT = frozenset({"xcomp", "conj", "advcl", "pcomp", "prep"})


class Mention(NamedTuple):
    """Another mention of an argument: half-open character span, and kind of mention."""

    start: int
    end: int
    kind: str


def transform(sample: Sample, _: Pools) -> list[EditedSample]:
    """Return, for head and tail, the sample with the argument at its surest other mention.

    The list is empty if head and tail may name the same person or thing.
    """
    head, tail = sample.head, sample.tail
    if _OF_WORDS in sample.relation or _has_words(sample, head, tail):
        return []
    by_argument = {name: _find_mentions(sample, name) for name in ARGUMENTS}
    if any(_has_words(sample, one, tail) for one in by_argument[HEAD]):
        return []
    if any(_has_words(sample, one, head) for one in by_argument[TAIL]):
        return []
    return [
        move(
            sample, name, sample.argument(name)._replace(start=best.start, end=best.end), best.kind
        )
        for name, mentions in by_argument.items()
        for best in mentions[:1]
    ]


def _has_words(sample: Sample, one: Mention | Argument, other: Argument) -> bool:
    overlaps = one.start < other.end and other.start < one.end
    words = sample.text[one.start : one.end]
    return overlaps or words.casefold() == sample.words(other).casefold()


def _find_mentions(sample: Sample, name: str) -> list[Mention]:
    """Return the other mentions of an argument, surest first, then nearest."""
    place = sample.argument(name)
    span = sample.doc.char_span(place.start, place.end)
    if span is None:
        return []
    near = sorted(
        _find(span, place.type), key=lambda one: (abs(one.start - place.start), one.start)
    )
    return sorted(near, key=lambda one: _ORDER.index(one.kind))


def _find(span: Span, kind: str) -> Iterator[Mention]:
    if len(span) == 1 and is_pronoun(span[0]):
        known = find_persons(span.doc)
        person = resolve_pronouns(span.doc, known).get(span.start)
        yield from _mention_person(span, person, known) if person else ()
        return
    root, proper = span.root, span.root.pos_ == "PROPN"
    if kind == "PERSON" or (not kind and proper and root.ent_type_ == "PERSON"):
        known = find_persons(span.doc, span)
        mine = (one for one in known if any(name.start == span.start for name in one.names))
        person = next(mine, None)
        yield from _mention_person(span, person, known) if proper and person else ()
    elif kind or not is_person_noun(root):
        text = span.doc.text
        match = _AFTER.match(text, span.end_char)
        if match and _is_acronym(match[1], span.text):
            yield Mention(*match.span(1), ACRONYM)
            for again in re.finditer(rf"(?<![\w-]){re.escape(match[1])}(?![\w-])", text):
                if again.start() >= match.end() and len(match[1]) >= _LEAST_LOOSE:
                    yield Mention(*again.span(), ACRONYM)
        full = _find_full_name(span)
        if full is not None:
            yield Mention(*full, NAME)
        yield from (_make_mention(token, PRONOUN) for token in _find_pronouns(span, proper))
    is_role = root.dep_ == "pobj" and root.head.lower_ == "as"
    if root.dep_ not in _SAYING_WHAT and not is_role:
        yield from (_make_mention(token, RELATIVE) for token in _find_relatives(span, kind, proper))


def _make_mention(token: Token, kind: str) -> Mention:
    return Mention(token.idx, token.idx + len(token), kind)


def _mention_person(span: Span, person: Person, known: list[Person]) -> Iterator[Mention]:
    for name in person.names:
        if name.end <= span.start or span.end <= name.start:
            yield Mention(name.start_char, name.end_char, NAME)
    for place, meant in resolve_pronouns(span.doc, known).items():
        if meant == person and place != span.start:
            yield _make_mention(span.doc[place], PRONOUN)


def _find_full_name(span: Span) -> tuple[int, int] | None:
    """Return the span of an acronym's full name, if brackets after the name define the acronym."""
    text, short = span.doc.text, span.text
    defined = re.search(rf"{_OPENING}({re.escape(short)}){_CLOSING}", text)
    if not re.fullmatch(_ACRONYM, short) or not defined or defined.start(1) > span.start_char:
        return None
    words = list(re.finditer(r"\S+", text[: defined.start()]))[-_MOST_WORDS:]
    for at in range(len(words) - 1, -1, -1):
        start, end = words[at].start(), len(text[: defined.start()].rstrip())
        if words[at][0][0].isupper() and _is_acronym(short, text[start:end]):
            before = words[at - 1][0] if at else ""
            # Its name may be longer: "Hong Kong [Institute of ...]", "Army [Air Corps] (AC)".
            longer = before[:1].isupper() and before.isalpha() and before.lower() not in _SMALL
            return None if longer and words[at - 1].start() else (start, end)
    return None


def _is_acronym(short: str, name: str) -> bool:
    """Whether the capitals of a word are the initials of a name's words."""
    letters = "".join(letter for letter in short if letter.isupper())
    words = re.findall(r"[^\W\d_]+", name)
    great = "".join(word[0] for word in words if word.lower() not in _SMALL)
    every = "".join(word[0] for word in words).upper()
    if len(letters) < 2 or len(words) < 2 or re.search(r"\d", name):
        return False
    return letters in {great.upper(), every} and great.isupper()


def _find_pronouns(span: Span, proper: bool) -> Iterator[Token]:
    """Yield the pronouns that surely mean a name or noun, which must be a subject.

    ``its`` (``their`` after a plural) must be in the subject's clause. ``it`` must be the subject
    of what the first subject says: ``Toyota said it would close the plant``.
    """
    root = span.root
    plural = root.tag_ in _PLURAL and not proper
    fits = plural or proper or root.tag_ == "NN"
    if root.dep_ not in _SUBJECTS or not fits or any(c.dep_ == "conj" for c in root.children):
        return
    for token in span.doc[span.end :]:
        if token.lower_ == ("their" if plural else "its") and token.tag_ == "PRP$":
            if _find_subject_over(token) == root and not _has_noun_between(span, token, plural):
                yield token
        elif not plural and token.lower_ == "it" and token.dep_ == "nsubj":
            over = token.head.head
            said = token.head.dep_ == "ccomp" and over.lemma_ in _SAYING
            if said and _find_subject(over) == root and not _has_noun_between(span, token, True):
                yield token


def _find_subject(verb: Token) -> Token | None:
    subject = next((child for child in verb.lefts if child.dep_ in _SUBJECTS), None)
    if subject is not None and verb.dep_ == "relcl" and subject.tag_ in {"WDT", "WP"}:
        return verb.head
    return subject


def _find_subject_over(token: Token) -> Token | None:
    """Return the subject of a token's clause: ``Acme wanted to sell its plant``."""
    for one in token.ancestors:
        if one.pos_ in {"VERB", "AUX"}:
            subject = _find_subject(one)
            if subject is not None:
                return subject
            if one.dep_ not in _WITHOUT_SUBJECT:
                return one.head if one.dep_ == "acl" else None
    return None


def _has_noun_between(span: Span, token: Token, plural: bool) -> bool:
    """Whether the pronoun might mean another noun, between span and pronoun."""
    return any(
        one.pos_ in {"NOUN", "PROPN", "PRON"}
        and one.ent_type_ not in {"DATE", "TIME"}
        and (plural or one.tag_ in _SINGULAR or one.pos_ == "PRON")
        for one in span.doc[span.end : token.i]
    )


def _find_relatives(span: Span, kind: str, proper: bool) -> Iterator[Token]:
    """Yield ``who``, ``which`` or ``that`` right after a name, where it can mean nothing else."""
    doc, root = span.doc, span.root
    comma = doc[span.end : span.end + 1].text == ","
    following = doc[span.end + comma : span.end + comma + 1]
    if not following or following[0].dep_ not in _SUBJECTS:
        return
    token, verb = following[0], following[0].head
    person = kind == "PERSON" or (
        not proper and not kind and (is_person_noun(root) or token.lower_ == "who")
    )
    plain = not comma and not proper
    words = {"who"} if person else {"which", "that"} if plain else {"which"}
    if token.lower_ not in words or verb.dep_ != "relcl" or verb.head != root:
        return
    if not (comma and verb.lemma_ in _EFFECTS) and not _has_rival(span, person):
        yield token


def _has_rival(span: Span, person: bool) -> bool:
    """Whether the clause may belong to a noun before: ``the son of John Smith, who``."""
    root = span.root
    if root.dep_ in {"conj", "appos"} or any(child.dep_ == "conj" for child in root.children):
        return True
    nouns = [one for one in root.ancestors if one.pos_ in {"NOUN", "PROPN"}]
    if person:
        return root.dep_ == "pobj" and any(
            is_person_noun(one) or one.ent_type_ == "PERSON" or one.tag_ == "NNS" for one in nouns
        )
    if root.dep_ != "pobj":
        return any(one.i < span.start for one in nouns)
    start = min(one.i for one in root.head.subtree)
    before = span.doc[start - 1] if start else None
    verbal = before is not None and before.pos_ in {"VERB", "AUX", "ADV"}
    return before is None or not verbal or before.dep_ == "acl"
