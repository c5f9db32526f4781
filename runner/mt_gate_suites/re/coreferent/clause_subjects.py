"""Whose clause a word stands in: the subject of its verb, said or left out."""

from __future__ import annotations

from spacy.tokens import Token

_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_WITHOUT_SUBJECT = frozenset({"xcomp", "conj", "advcl", "pcomp", "acl", "prep"})
_RELATIVES = frozenset({"who", "which", "that", "whom"})
_MOST_STEPS = 12


def verb_over(token: Token) -> Token | None:
    """Return the nearest verb above a token."""
    for one in token.ancestors:
        if one.pos_ in ("VERB", "AUX"):
            return one
    return None


def own_subject(verb: Token) -> Token | None:
    """Return a verb's own subject; a relative pronoun stands for the noun before it."""
    for child in verb.lefts:
        if child.dep_ in _SUBJECTS:
            relative = verb.dep_ == "relcl" and child.lower_ in _RELATIVES
            return verb.head if relative else child
    return None


def subject_over(token: Token) -> Token | None:
    """Return the subject of the clause that a token stands in.

    A verb without a subject of its own has that of the verb above it:
    ``Anna wanted to see her``, ``Anna came and saw her``.
    """
    verb = verb_over(token)
    for _ in range(_MOST_STEPS):
        if verb is None:
            return None
        subject = own_subject(verb)
        if subject is not None:
            return subject
        if verb.dep_ == "acl":
            return verb.head
        if verb.dep_ not in _WITHOUT_SUBJECT:
            return None
        verb = verb_over(verb)
    return None


def fronted_for(token: Token) -> Token | None:
    """Return the subject that follows the opening phrase which a token stands in, if any.

    ``his`` in ``In his speech, Obama said so`` gives ``Obama``.
    """
    for one in (token, *token.ancestors):
        verb = one.head
        if one.dep_ in ("prep", "advcl") and one.i < verb.i and verb.pos_ in ("VERB", "AUX"):
            subject = own_subject(verb)
            if subject is not None and subject.i > max(t.i for t in one.subtree):
                return subject
    return None
