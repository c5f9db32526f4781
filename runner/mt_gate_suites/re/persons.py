"""The persons of a sentence: their names, their gender, and the pronouns that surely mean them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from mt_gate.lexicons import titles
from mt_gate_suites.lexicons.given_names import TRUSTED
from mt_gate_suites.lexicons.reading import word_set

MALE, FEMALE = "male", "female"
_GENDERS = {"he": MALE, "him": MALE, "his": MALE, "she": FEMALE, "her": FEMALE}
_NOUNS = dict.fromkeys(word_set("people", "male-nouns"), MALE) | dict.fromkeys(
    word_set("people", "female-nouns"), FEMALE
)
_PERSON_NOUNS = word_set("people", "person-nouns") | {*_NOUNS}
_NOT_PERSONS = word_set("people", "no-person-nouns")
_ENDINGS = ("er", "or", "ist", "ian", "eer", "man", "woman", "person", "crat", "monger")
_TITLES = {
    word: gender for gender in (MALE, FEMALE) for word in titles.lower(titles.list_titles(gender))
}
_ADDRESS = titles.lower(titles.with_stops(titles.known_to("coreference")))
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_NO_PERSONS = frozenset({"GPE", "LOC", "DATE", "TIME", "NORP", "LANGUAGE", "MONEY", "PERCENT"})
_QUOTES = frozenset("\"“”„``''")


class Person(NamedTuple):
    """One person: the mentions by name in text order, and the gender that they show."""

    names: tuple[Span, ...]
    gender: str

    def holds(self, token: Token) -> bool:
        """Whether a token is part of a mention."""
        return any(name.start <= token.i < name.end for name in self.names)


def is_person_noun(token: Token) -> bool:
    """Whether a token is a common noun in the singular that may mean one person."""
    word = token.lower_
    if token.tag_ not in {"NN", "NNP"} or token.ent_type_ == "PERSON" or word in _NOT_PERSONS:
        return False
    return word in _PERSON_NOUNS or (
        token.tag_ == "NN" and len(word) > 4 and word.endswith(_ENDINGS)
    )


def is_pronoun(token: Token) -> bool:
    """Whether a token is a pronoun for one man or one woman."""
    return token.lower_ in _GENDERS


def find_persons(doc: Doc, span: Span | None = None) -> list[Person]:
    """Return the persons of a sentence by first mention.

    Args:
        doc: the sentence.
        span: a span that names a person, even if the parser has another label.
    """
    spans = [ent for ent in doc.ents if ent.label_ == "PERSON"]
    if span is not None:
        spans = [ent for ent in spans if ent.end <= span.start or span.end <= ent.start]
        spans.append(span)
    clusters: list[list[Span]] = []
    for one in sorted(spans, key=lambda one: one.start):
        name = one[:-1] if len(one) > 1 and one[-1].tag_ == "POS" else one
        known = [names for names in clusters if any(_is_short_for(name, full) for full in names)]
        if len(known) == 1:
            known[0].append(name)
        else:
            clusters.append([name])
    return [Person(tuple(names), _agree({*map(_find_gender, names)})) for names in clusters]


def resolve_pronouns(doc: Doc, known: list[Person]) -> dict[int, Person]:
    """Return the person that each pronoun means, by token; omit unsure pronouns."""
    persons: dict[int, Person] = {}
    unsure: set[str] = set()
    for pronoun in doc:
        # A capital inside a sentence is part of a title: "Bill Haley & His Comets".
        titled = pronoun.text.istitle() and pronoun.i > 0 and not doc[pronoun.i - 1].is_punct
        if not is_pronoun(pronoun) or titled:
            continue
        gender = _GENDERS[pronoun.lower_]
        person = None if gender in unsure else _find_meant(pronoun, known)
        if person is None:
            unsure.add(gender)  # a person without a name may be meant from here on
        else:
            persons[pronoun.i] = person
    return persons


def _find_meant(pronoun: Token, known: list[Person]) -> Person | None:
    doc, gender = pronoun.doc, _GENDERS[pronoun.lower_]
    fitting = [one for one in known if one.gender in {"", gender}]
    earlier = [one for one in fitting if one.names[0].end <= pronoun.i]
    if len(earlier) != 1 or any(
        _may_be_another(token, gender, known) for token in doc[: pronoun.i]
    ):
        return None
    (person,) = earlier
    if any(token.text in _QUOTES for token in doc[person.names[0].start : pronoun.i]):
        return None
    if pronoun.tag_ == "PRP$":
        noun = pronoun.head
        said = noun.dep_ in {"attr", "appos"} or (noun.dep_ == "pobj" and noun.head.lower_ == "as")
        return None if said else person  # "Anna Smith was her pupil"
    # An object pronoun in the clause of the name means another person: "Anna saw her".
    # So does a subject after a fronted name: "With Anna, she won".
    fronted = {
        token.i
        for one in pronoun.head.lefts
        if one.dep_ in {"prep", "advcl"}
        for token in one.subtree
    }
    named = [name for name in person.names if name.start < pronoun.i]
    aside = all(name.root.i in fronted and name.root.dep_ not in _SUBJECTS for name in named)
    return person if pronoun.dep_ in _SUBJECTS and not aside else None


def _may_be_another(token: Token, gender: str, known: list[Person]) -> bool:
    """Whether a noun or a name before a pronoun may be a person who is not among ``known``."""
    if any(person.holds(token) for person in known):
        return False
    if is_person_noun(token):
        return token.dep_ in _SUBJECTS and _NOUNS.get(token.lower_, gender) == gender
    if token.pos_ != "PROPN" or token.ent_type_ in {"DATE", "TIME"}:
        return False
    # A parser often mistakes a family name in subject position for a firm or a place.
    lone = token.dep_ in _SUBJECTS and token.text.istitle() and not any(token.lefts)
    loose = not token.ent_type_ and token.lower_ not in _ADDRESS
    is_trusted = token.ent_type_ not in _NO_PERSONS and token.lower_ in TRUSTED
    return lone or ((loose or is_trusted) and token.dep_ in {*_SUBJECTS, "dobj", "pobj", "poss"})


def _strip_titles(name: Span) -> list[str]:
    return [token.text for token in name if token.lower_ not in _ADDRESS]


def _is_short_for(short: Span, full: Span) -> bool:
    """Whether a later name repeats an earlier one, or is its family name or first name."""
    words, whole = _strip_titles(short), _strip_titles(full)
    if not words or not whole or short.start <= full.start or short.root.dep_ in {"appos", "conj"}:
        return False
    title = _TITLES.get(short.doc[short.start - 1].lower_, "") if short.start else ""
    if title and title != _find_gender(full):
        return False  # "Mrs Smith" after "William Smith"
    if words == whole:
        return len(words) == 1
    first_names = [whole[0]] if whole[0].lower() in TRUSTED else []
    return len(words) == 1 and len(whole) > 1 and words[0] in (*first_names, whole[-1])


def _find_gender(name: Span) -> str:
    return _agree({*_read_cues(name)})


def _agree(genders: set[str]) -> str:
    said = genders - {""}
    return said.pop() if len(said) == 1 else ""


def _read_cues(name: Span) -> Iterator[str]:
    doc, root = name.doc, name.root
    before = doc[name.start - 1].lower_ if name.start else ""
    yield _TITLES.get(name[0].lower_, "") or _TITLES.get(before, "") or _NOUNS.get(before, "")
    gender = TRUSTED.get(_strip_titles(name)[0].lower(), "") if _strip_titles(name) else ""
    yield gender if gender in {MALE, FEMALE} else ""
    nouns = [child for child in root.children if child.dep_ in {"appos", "compound", "nmod"}]
    if root.dep_ == "nsubj" and root.head.lemma_ == "be":
        nouns += [child for child in root.head.rights if child.dep_ == "attr"]
    yield from (_NOUNS.get(noun.lower_, "") for noun in nouns)
