"""Finite verbs: number, tense, the form of ``do`` that they need, and their base form.

Do-support (TIN, section 3.1.2, "structural transformation") needs all four:
``shares`` is third person singular present, so ``does ... share``; ``had`` is
past, so ``did ... have``. If tense or lemma is unclear, functions return None.
"""

from __future__ import annotations

from typing import Literal

import lemminflect
from spacy.tokens import Token

from mt_gate_suites.lexicons.reading import word_set

Number = Literal["singular", "plural"]

FINITE_TAGS = frozenset({"VBD", "VBZ", "VBP", "MD"})

_IRREGULAR = {
    "has": "have",
    "had": "have",
    "does": "do",
    "did": "do",
    "premiered": "premiere",
    "premieres": "premiere",
}
_AMBIGUOUS = word_set("verbs", "ambiguous")
_SETTLED = {("found", "VBD"): "find"}
_SINGULAR_PRONOUNS = word_set("verbs", "singular-pronouns")
_PLURAL_PRONOUNS = word_set("verbs", "plural-pronouns")
_PLURAL_NOUNS = frozenset({"police", "people", "majority", "number", "cattle", "rest", "half"})
_EITHER_NUMBER = word_set("verbs", "either-number")


def do_form(verb: Token, subject: Number | None) -> str | None:
    """Return the form of ``do`` that carries a finite verb's tense and number.

    ``shares`` -> ``does``, ``share`` -> ``do``, ``shared`` -> ``did``. None when
    a form like ``put`` could be past or present.
    """
    if verb.tag_ == "VBZ":
        return "does"
    same_as_base = verb.lower_ in _forms(verb.lower_, "VBD")
    if same_as_base:
        return "did" if subject == "singular" and verb.tag_ == "VBD" else None
    return {"VBD": "did", "VBP": "do"}.get(verb.tag_)


def base_form(verb: Token) -> str | None:
    """Return the bare infinitive of a finite verb; None if it is unclear.

    ``shares`` -> ``share``, ``had`` -> ``have``, ``lay`` -> None (of lie or lay?).
    """
    form = verb.lower_
    settled = _IRREGULAR.get(form) or _SETTLED.get((form, verb.tag_))
    if settled:
        return settled
    if form in _AMBIGUOUS or verb.text != form:
        return None
    if verb.tag_ == "VBP":
        return form if form in _lemmas(form) else None
    lemma = verb.lemma_
    return lemma if lemma in _lemmas(form) and form in _forms(lemma, verb.tag_) else None


def verb_number(verb: Token) -> Number | None:
    """Return the number a finite form shows; None for past tenses and modals."""
    if verb.lower_ in {"was", "am", "'m"} or verb.tag_ == "VBZ":
        return "singular"
    if verb.lower_ in {"were", "'re"} or verb.tag_ == "VBP":
        return "plural"
    return None


def agrees(head: Token, verb: Token) -> bool:
    """Whether a subject's head agrees with a finite verb, as a check of the parse.

    ``shows are`` and ``show is`` agree; ``show are`` shows that the subject or
    the verb was parsed wrong (or that the source is faulty).
    """
    wanted = verb_number(verb)
    if wanted is None or head.lower_ in _EITHER_NUMBER:
        return True
    if head.lower_ == "i":
        return verb.lower_ in {"am", "'m", "was", "have", "'ve"} or verb.tag_ == "VBP"
    if head.lower_ == "you":
        return wanted == "plural"
    return subject_number(head) == wanted or (head.tag_ == "NNPS" and wanted == "singular")


def subject_number(head: Token) -> Number | None:
    """Return the number of a subject from its head noun, pronoun and conjuncts."""
    if any(child.dep_ == "conj" for child in head.children):
        return "plural"
    if head.lower_ in _SINGULAR_PRONOUNS:
        return "singular"
    if head.lower_ in _PLURAL_PRONOUNS or head.lower_ in _PLURAL_NOUNS:
        return "plural"
    if head.tag_ in {"NNS", "NNPS"}:
        return "plural"
    return "singular" if head.tag_ in {"NN", "NNP"} else None


def _forms(lemma: str, tag: str) -> tuple[str, ...]:
    forms = lemminflect.getAllInflections(lemma, upos="VERB").get(tag, ())
    return tuple(str(form) for form in forms)


def _lemmas(form: str) -> tuple[str, ...]:
    lemmas = lemminflect.getAllLemmas(form, upos="VERB").get("VERB", ())
    return tuple(str(lemma) for lemma in lemmas)
