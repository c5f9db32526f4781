"""Pronouns for persons: which one a pronoun surely means."""

from __future__ import annotations

from collections.abc import Iterator

from spacy.tokens import Doc, Span, Token

from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.coreferent.clause_subjects import fronted_for, own_subject, subject_over
from mt_gate_suites.re.coreferent.gender import FEMALE, MALE, of_noun
from mt_gate_suites.re.coreferent.people import Person, described, other_nouns, strange_names

_GENDERS = {"he": MALE, "him": MALE, "his": MALE, "she": FEMALE, "her": FEMALE}
_KIN = word_set("re/coreferent", "kin")
_MOST_BETWEEN = 3
_QUOTES = frozenset("\"“”„``''")


def pronouns(doc: Doc) -> Iterator[Token]:
    """Give the pronouns for one man or one woman."""
    for token in doc:
        # A capital inside a sentence is part of a title: ``Bill Haley & His Comets``.
        titled = token.text.istitle() and token.i > 0 and not doc[token.i - 1].is_punct
        if token.lower_ in _GENDERS and token.tag_ in ("PRP", "PRP$") and not titled:
            yield token


def is_pronoun(token: Token) -> bool:
    """Whether a token is a pronoun for one man or one woman."""
    return token.lower_ in _GENDERS


def resolved(doc: Doc, known: list[Person]) -> dict[int, Person]:
    """Return the person that each pronoun means, by token; those in doubt are left out."""
    found: dict[int, Person] = {}
    unsure: set[str] = set()
    for pronoun in pronouns(doc):
        sex = _GENDERS[pronoun.lower_]
        person = _beside(doc, pronoun, known)
        if person is None and sex not in unsure:
            person = _meant(doc, pronoun, known)
        if person is None:
            # Somebody whom the text does not name may be meant from here on.
            unsure.add(sex)
        else:
            found[pronoun.i] = person
    # One who is not named may be meant ahead, too: ``When he left, Erin was kind to him``.
    return {
        place: person
        for place, person in found.items()
        if place > person.first.start or _GENDERS[doc[place].lower_] not in unsure
    }


def _beside(doc: Doc, pronoun: Token, known: list[Person]) -> Person | None:
    """Return who stands right before ``and his wife``, whoever else is there."""
    if pronoun.tag_ != "PRP$" or pronoun.i < 2 or doc[pronoun.i - 1].lower_ != "and":
        return None
    noun = pronoun.head
    if noun.lower_ not in _KIN or noun.i - pronoun.i > _MOST_BETWEEN:
        return None
    sex = _GENDERS[pronoun.lower_]
    for person in known:
        for name in person.names:
            beside = doc[name.end : pronoun.i - 1]
            if name.end < pronoun.i and _is_tail_of_name(beside) and person.gender in ("", sex):
                return None if _has_rival(name, person, known, sex) else person
    return None


def _has_rival(name: Span, person: Person, known: list[Person], sex: str) -> bool:
    """Whether somebody before may have the wife too: ``He joined William and his wife``.

    Not so in ``a son of William and his wife``, where the two stand for one pair.
    """
    doc = name.doc
    if name.root.dep_ == "pobj" and name.root.head.lower_ == "of":
        return False
    if any(_GENDERS.get(token.lower_) == sex for token in doc[: name.start]):
        return True
    if _lone_subjects(doc, name.start, known):
        return True
    others = (one for one in known if one is not person and one.gender in ("", sex))
    return any(
        other.root.dep_ in ("nsubj", "nsubjpass") and other.end <= name.start
        for one in others
        for other in one.names
    )


def _lone_subjects(doc: Doc, before: int, known: list[Person]) -> list[Token]:
    """Return subjects of one capital word that a parser takes for no name: ``Woods was``."""
    return [
        token
        for token in doc[:before]
        if token.dep_ in ("nsubj", "nsubjpass")
        and token.pos_ in ("NOUN", "PROPN")
        and token.text.istitle()
        and not token.ent_type_
        and not any(True for _ in token.lefts)
        and not any(person.holds(token) for person in known)
    ]


def _is_tail_of_name(tokens: Span) -> bool:
    """Whether words after a name belong to it: nothing, ``of Bavaria``, ``III``."""
    if len(tokens) == 0:
        return True
    opens = tokens[0].lower_ in ("of", "in") or tokens[0].pos_ == "PROPN"
    return opens and len(tokens) <= _MOST_BETWEEN and tokens[-1].pos_ == "PROPN"


def _meant(doc: Doc, pronoun: Token, known: list[Person]) -> Person | None:
    sex = _GENDERS[pronoun.lower_]
    fitting = [one for one in known if one.gender in ("", sex)]
    earlier = [one for one in fitting if one.first.end <= pronoun.i]
    ahead = _ahead(pronoun, fitting)
    if len(earlier) + len(ahead) != 1 or not _in_same_quotes(doc, pronoun, (earlier + ahead)[0]):
        return None
    person = (earlier + ahead)[0]
    if any(of_noun(noun.lower_) in ("", sex) for noun in other_nouns(doc, pronoun.i, known)):
        return None
    if _only_named_in_front(pronoun, person) or _says_what_he_is(pronoun, person):
        return None
    if _lone_subjects(doc, pronoun.i, known):
        return None
    if strange_names(doc, pronoun.i, known) or _is_own_object(pronoun, person):
        return None
    return None if _is_under_another(pronoun, known) else person


def _is_under_another(pronoun: Token, known: list[Person]) -> bool:
    """Whether what is said of the pronoun is said by a name that is taken for no person.

    ``After a talk with Lindy Goetz, Irons left, saying that he was done``: Irons was.
    """
    over = (own_subject(verb) for verb in pronoun.ancestors if verb.pos_ in ("VERB", "AUX"))
    subjects = [one for one in over if one is not None and one.i < pronoun.i]
    return any(
        one.text[:1].isupper()
        and one.pos_ in ("NOUN", "PROPN")
        and one.i > one.sent.start
        and not any(person.holds(one) for person in known)
        for one in subjects
    )


def _ahead(pronoun: Token, fitting: list[Person]) -> list[Person]:
    """Return whom a pronoun in an opening phrase points forward to."""
    subject = fronted_for(pronoun)
    if subject is None:
        return []
    return [one for one in fitting if one.first.start > pronoun.i and one.holds(subject)]


def _is_own_object(pronoun: Token, person: Person) -> bool:
    """Whether the pronoun is an object beside its own antecedent, which grammar forbids."""
    if pronoun.tag_ == "PRP$" or pronoun.dep_ in ("nsubj", "nsubjpass"):
        return False
    subject = subject_over(pronoun)
    if subject is None or person.holds(subject) or is_pronoun(subject):
        return True
    return any(subject.i == one.root.i or subject.i == one.root.head.i for one in person.names)


def _only_named_in_front(pronoun: Token, person: Person) -> bool:
    """Whether the person stands aside in the phrase that opens the pronoun's clause.

    ``After an injury to Anna Smith, she made the team``: she need not be Anna Smith.
    """
    verb = pronoun.head
    if pronoun.dep_ not in ("nsubj", "nsubjpass"):
        return False
    fronted = [one for one in verb.lefts if one.dep_ in ("prep", "advcl", "npadvmod", "dep")]
    inside = {token.i for one in fronted for token in one.subtree}
    names = [name for name in person.names if name.start < pronoun.i]
    aside = [n for n in names if n.root.dep_ not in ("nsubj", "nsubjpass", "poss")]
    return bool(names) and all(n.root.i in inside for n in names) and len(aside) == len(names)


def _says_what_he_is(pronoun: Token, person: Person) -> bool:
    """Whether a possessive stands in what the person is: ``Anna Smith was her pupil``."""
    noun = pronoun.head
    if pronoun.tag_ != "PRP$":
        return False
    if noun.dep_ == "pobj" and noun.head.lower_ == "as":
        return True
    return noun.dep_ == "attr" or (noun.i != described(noun).i and person.holds(described(noun)))


def _in_same_quotes(doc: Doc, pronoun: Token, person: Person) -> bool:
    between = doc[min(pronoun.i, person.first.start) : max(pronoun.i, person.first.start)]
    return not any(token.text in _QUOTES for token in between)
