"""The persons that a text names, and the nouns in it that may stand for others."""

from __future__ import annotations

import re
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from mt_gate.lexicons import titles
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.coreferent import gender
from mt_gate_suites.re.coreferent.person_nouns import is_person_noun

_NOT_NAMES = frozenset({"GPE", "LOC", "DATE", "TIME", "NORP", "LANGUAGE", "MONEY", "PERCENT"})
_TIMES = frozenset({"DATE", "TIME"})
_SHIPS = word_set("re/coreferent", "ships")
_WORKS = word_set("re/coreferent", "works")
_YEAR_ALONE = re.compile(r"\s?\((?:19|20)\d\d\)")
_JOINED = frozenset({"and", "turned"})
_ROLE_VERBS = frozenset("be become remain name appoint elect".split())
TITLES = titles.lower(titles.with_stops(titles.known_to("coreference")))


_PLACE_ENDINGS = word_set("re/coreferent", "place-endings")


class Person(NamedTuple):
    """One person: the mentions by name in text order, and the gender that they say."""

    names: tuple[Span, ...]
    gender: str

    @property
    def first(self) -> Span:
        """The first mention by name."""
        return self.names[0]

    def holds(self, token: Token) -> bool:
        """Whether a token is one of a mention's."""
        return any(name.start <= token.i < name.end for name in self.names)


def persons(doc: Doc, asked: Span | None = None) -> list[Person]:
    """Return the persons of a text by first mention.

    Args:
        doc: parsed text.
        asked: a span that names a person, whatever the parser says of it.
    """
    clusters: list[list[Span]] = []
    for name in _names(doc, asked):
        known = [names for names in clusters if any(_is_short_for(name, one) for one in names)]
        if len(known) == 1:
            known[0].append(name)
        else:
            clusters.append([name])
    return [Person(tuple(names), _gender(names)) for names in clusters]


def described(token: Token) -> Token:
    """Return the word that a noun says more of: ``Smith`` for ``lawyer`` in an apposition."""
    head = token.head
    if token.dep_ in ("appos", "compound", "nmod"):
        return described(head) if head.i != token.i else token
    if token.dep_ == "attr" or (token.dep_ in ("oprd", "dobj") and head.lemma_ in _ROLE_VERBS):
        for child in head.lefts:
            if child.dep_ in ("nsubj", "nsubjpass"):
                return child
    return token


def _is_lone_subject(token: Token) -> bool:
    """Whether a subject is one word: a family name is often taken for a firm or a place."""
    if token.dep_ not in ("nsubj", "nsubjpass") or not token.text.istitle():
        return False
    return token.ent_iob_ == "B" and token.doc[token.i + 1].ent_iob_ != "I"


def _named(token: Token, known: list[Person]) -> bool:
    """Whether a noun is said of a named person: by grammar, or right before the name."""
    if any(person.holds(described(token)) for person in known):
        return True
    if token.dep_ in ("nsubj", "nsubjpass") and token.head.lemma_ == "be":
        attributes = [one for one in token.head.rights if one.dep_ == "attr"]
        if any(person.holds(one) for one in attributes for person in known):
            return True
    after = token.i + 1
    while after < len(token.doc) - 1 and token.doc[after].lower_ in _JOINED:
        after += 2
    return any(name.start == after for person in known for name in person.names)


def other_nouns(doc: Doc, before: int, known: list[Person]) -> list[Token]:
    """Return the nouns before a token that stand for a person who is not named."""
    found = [token for token in doc[:before] if is_person_noun(token)]
    return [token for token in found if not _is_role(token) and not _named(token, known)]


def strange_names(doc: Doc, before: int, known: list[Person]) -> list[Token]:
    """Return names before a token that may be persons although the parser does not say so."""
    found = []
    for token in doc[:before]:
        if token.pos_ != "PROPN" or any(person.holds(token) for person in known):
            continue
        if not token.ent_type_:
            loose = token.dep_ in ("nsubj", "nsubjpass", "dobj", "pobj", "poss", "conj", "appos")
            if loose and token.text[:1].isupper() and token.text.lower() not in TITLES:
                found.append(token)
        elif token.ent_type_ not in _TIMES and (
            _is_lone_subject(token)
            or (token.ent_type_ not in _NOT_NAMES and gender.is_given_name(token.text))
        ):
            found.append(token)
    return found


def _is_role(token: Token) -> bool:
    """Whether a noun says what somebody is: ``as a teacher``, ``became a judge``."""
    if token.dep_ == "pobj" and token.head.lower_ == "as":
        return True
    if token.dep_ == "conj" and token.head.i != token.i and is_person_noun(token.head):
        return _is_role(token.head)
    return described(token).i != token.i


def _names(doc: Doc, asked: Span | None) -> list[Span]:
    found = [ent for ent in doc.ents if ent.label_ == "PERSON"]
    found += _unlabelled(doc)
    if asked is not None:
        found = [ent for ent in found if ent.end <= asked.start or asked.end <= ent.start]
        found.append(asked)
    return sorted((_trimmed(name) for name in found), key=lambda name: name.start)


def _unlabelled(doc: Doc) -> list[Span]:
    """Return names that the parser gives no label, and that open with a known given name."""
    found: list[Span] = []
    for token in doc:
        if token.pos_ != "PROPN" or token.ent_type_:
            continue
        if found and found[-1].end == token.i:
            found[-1] = doc[found[-1].start : token.i + 1]
        elif gender.is_given_name(token.text):
            found.append(doc[token.i : token.i + 1])
    return found


def _trimmed(name: Span) -> Span:
    """Return a name without a possessive ending."""
    return name[:-1] if len(name) > 1 and name[-1].tag_ == "POS" else name


def bare(name: Span) -> list[str]:
    """Return the words of a name without titles."""
    return [token.text for token in name if token.text.lower() not in TITLES]


def _is_short_for(short: Span, full: Span) -> bool:
    """Whether a later name is an earlier one, or its family or given name."""
    words, whole = bare(short), bare(full)
    if not words or not whole or short.start <= full.start:
        return False
    if words == whole and len(words) > 1:
        # Nobody is named in full twice in a breath: a namesake, a title, a part he plays.
        return short.sent.start != full.sent.start
    if not _titles_agree(short, full) or short.root.dep_ in ("appos", "conj"):
        return False
    if words == whole:
        return True
    given = [whole[0]] if gender.is_given_name(whole[0]) else []
    return len(words) == 1 and len(whole) > 1 and words[0] in (*given, whole[-1])


def _titles_agree(short: Span, full: Span) -> bool:
    """Whether a title before the short name, if any, fits: not ``Mrs Smith`` for a William."""
    title = gender.of_title(short[0].lower_)
    if not title and short.start:
        title = gender.of_title(short.doc[short.start - 1].lower_)
    return not title or title == gender.agreed(_cues(full))


def _gender(names: list[Span]) -> str:
    return gender.agreed(cue for name in names for cue in _cues(name))


def _cues(name: Span) -> list[str]:
    doc, root = name.doc, name.root
    before = doc[name.start - 1] if name.start else None
    cues = [gender.of_title(token.lower_) for token in name[:1]]
    if before is not None:
        cues.append(gender.of_title(before.lower_) if before.text[:1].isupper() else "")
        if before.pos_ == "NOUN":
            cues.append(gender.of_noun(before.lower_))
    given = [word for word in bare(name)[:1] if len(name) > 1 or not cues[0]]
    cues += [gender.of_given_name(word.lower()) for word in given]
    nouns = [child for child in root.children if child.dep_ in ("appos", "compound", "nmod")]
    if root.dep_ == "appos":
        nouns.append(root.head)
    if root.dep_ == "nsubj" and root.head.lemma_ == "be":
        nouns += [child for child in root.head.rights if child.dep_ == "attr"]
    cues += [gender.of_noun(noun.lower_) for noun in nouns if noun.pos_ == "NOUN"]
    return cues


def _is_title(name: Span) -> bool:
    """Whether a name is that of a work: ``the drama J. Edgar``, ``J. Edgar (2011)``."""
    before = name.doc[name.start - 1] if name.start else None
    if before is not None and before.pos_ == "NOUN" and before.lemma_.lower() in _WORKS:
        return True
    return bool(_YEAR_ALONE.match(name.doc.text, name.end_char))


def is_plausible(name: Span) -> bool:
    """Whether a span that is taken for a person may be one by its words and its place."""
    root = name.root
    if root.dep_ in ("compound", "amod", "nmod") or name[-1].lower_ in _PLACE_ENDINGS:
        return False
    after = name.doc[name.end] if name.end < len(name.doc) else None
    if after is not None and after.pos_ == "PROPN":
        return False
    if name.start and name.doc[name.start - 1].text in _SHIPS:
        return False
    if _is_title(name):
        return False
    words = bare(name)
    if any(gender.is_given_name(word) for word in words[:1]) or len(words) > 1:
        return True
    return root.dep_ in ("nsubj", "nsubjpass", "poss") or len(words) < len(name)
