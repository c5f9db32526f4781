"""Statements that make a question that somebody would ask, with a change beside a name.

``structural`` says how a statement is turned and ``question_sense`` which may be; of
those the suite takes the plain ones. Readers refuse a long question three times as
often as a short one, most often for what was wrong with the statement already.
"""

from __future__ import annotations

import re

import lemminflect
from spacy.tokens import Doc, Token

from mt_gate.language.forms import tags
from mt_gate_suites.ner.nearness import is_near_a_name, is_of_a_name

MOST_WORDS = 20
MOST_COMMAS = 2
_MARKS = re.compile(r"[\"“”()\[\]/&]")
_NOUN_ENDING = re.compile(r"(?:ia|osis|itis|ism|ics|ology|ine|ol|ase|ide|ate|ion|ment|ness|ing)$")
_MODALS = frozenset({"may", "might", "must", "should", "would", "'d", "’d"})


def plainness_fault(doc: Doc) -> str | None:
    """Return the code of why a statement makes no plain question; None when it does."""
    if sum(not t.is_punct for t in doc) > MOST_WORDS or _MARKS.search(doc.text):
        return "not-plain"
    if sum(t.text == "," for t in doc) > MOST_COMMAS:
        return "not-plain"
    if any(t.dep_ == "neg" or t.lower_ in {"or", "either", "nor"} for t in doc):
        return "negated-or-alternative"
    finite = _finite(doc)
    if finite is None or (finite.tag_ == "MD" and finite.lower_ in _MODALS):
        return "modal"
    if _opens_with_a_word(doc):
        return "first-word-case"
    if _names_what_it_describes(finite):
        return "hard-to-read"
    if finite.lemma_ != "be" and any(_may_be_a_second_verb(token, finite) for token in doc):
        return "conjunct-form"
    # The relation looks at what stands beside what moves or changes.
    return None if is_near_a_name(doc[finite.i : finite.i + 1]) else "far-from-names"


def _finite(doc: Doc) -> Token | None:
    """The finite verb of the main clause."""
    root = next((t for t in doc if t.head == t), None)
    if root is None:
        return None
    return next((c for c in root.children if c.dep_ in {"aux", "auxpass"}), root)


def _may_be_a_second_verb(token: Token, finite: Token) -> bool:
    """A verb after "and" that is read as something else: answered the riddle and married Ann.

    It would keep its ending in the question.
    """
    doc = token.doc
    if token.lower_ != "and" or token.i <= finite.i or token.i + 2 >= len(doc):
        return False
    verb, after = doc[token.i + 1], doc[token.i + 2]
    return (
        verb.tag_ != finite.tag_
        and finite.tag_ in tags(verb.lower_)
        and after.pos_ in {"DET", "PRON", "PROPN"}
    )


def _names_what_it_describes(finite: Token) -> bool:
    """Whether a long description is equated with a name: Was the authority on design Ann Lee?"""
    if finite.lemma_ != "be":
        return False
    told = [c for c in finite.children if c.dep_ == "attr" and is_of_a_name(c)]
    bare = any(not any(c.dep_ == "det" for c in name.children) for name in told)
    subjects = [c for c in finite.children if c.dep_ == "nsubj" and c.tag_ in {"NN", "NNS"}]
    return bare and any(len(list(subject.subtree)) > 3 for subject in subjects)


def _opens_with_a_word(doc: Doc) -> bool:
    """Whether a noun opens that may be no name at all: Geese, Heterochromia, Mathematician Ian.

    Its capital would stay, since it is read as a name.
    """
    first = doc[0]
    is_noun = "NOUN" in lemminflect.getAllLemmas(first.lower_)
    if first.tag_ in {"NN", "NNS"}:
        return bool(first.ent_type_) and is_noun
    if first.dep_ in {"nsubj", "nsubjpass"} and first.tag_ in {"NNP", "NNPS"}:
        surely_named = first.ent_type_ in {"PERSON", "GPE", "LOC"} or first.text.isupper()
        return is_noun or (not surely_named and bool(_NOUN_ENDING.search(first.text)))
    return first.dep_ == "compound" and is_noun and first.ent_type_ in {"PERSON", "NORP", ""}
