"""What a sentence says that a name is, against the type that the name is given.

[Don Mills] (PERSON) is a subway station    no person
[Acme] (ORGANIZATION), a thriller by Bond   no organisation
"""

from __future__ import annotations

from collections.abc import Iterator

from spacy.tokens import Span, Token

from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.coreferent.gender import of_noun
from mt_gate_suites.re.coreferent.person_nouns import is_person_noun
from mt_gate_suites.re.sample import HEAD, TAIL, Sample

_OF_PERSONS = word_set("re/stated_kind", "persons")
_OF_NO_BODY = word_set("re/stated_kind", "no-organisation")
_BE = frozenset({"be", "become", "remain"})


def is_contradicted(sample: Sample) -> bool:
    """Whether the sentence says of the head or the tail that it is of another kind."""
    return any(_is_other(sample, sample.argument(name)) for name in (HEAD, TAIL))


def _is_other(sample: Sample, argument: Argument) -> bool:
    span = sample.doc.char_span(argument.start, argument.end)
    if span is None or argument.type not in {"PERSON", "ORGANIZATION"}:
        return False
    nouns = list(_said(span))
    if argument.type == "PERSON":
        return any(not _may_be_a_person(noun) for noun in nouns)
    return any(noun.lemma_.lower() in _OF_NO_BODY or of_noun(noun.lower_) for noun in nouns)


def _said(span: Span) -> Iterator[Token]:
    """Yield the common nouns in the singular that say what a name is."""
    root = span.root
    found = [one for one in root.children if one.dep_ == "appos" and one.i >= span.end]
    if root.dep_ == "appos" and root.head.pos_ == "NOUN":
        found.append(root.head)
    if root.dep_ == "nsubj" and root.head.lemma_ in _BE:
        found += [one for one in root.head.rights if one.dep_ == "attr"]
    for noun in found:
        has_article = any(one.lower_ in {"a", "an", "the"} for one in noun.lefts)
        if noun.tag_ == "NN" and noun.text.islower() and has_article:
            yield noun


def _may_be_a_person(noun: Token) -> bool:
    lemma = noun.lemma_.lower()
    return is_person_noun(noun) or bool(of_noun(lemma)) or lemma in _OF_PERSONS
