"""Which inflected forms a written word can be, by Penn tag."""

from __future__ import annotations

import functools

import lemminflect

OPEN_CLASSES = ("VERB", "ADJ", "NOUN")
FUNCTION_WORDS = frozenset(
    "be is are was were been being am has have had having do does did done doing will would can "
    "could may might shall should must ought need dare let get gets got go goes such same other "
    "own more most less least many much few several some any no not none one".split()
)
"""Words that carry grammar: putting one in, or taking it out, is more than another word."""


@functools.lru_cache(maxsize=100_000)
def tags(form: str) -> frozenset[str]:
    """Return the tags of verbs, adjectives and nouns that a lower-case form can have.

    ``shared`` -> VBD, VBN (and JJ where a dictionary has it); empty for function
    words and for what is in no dictionary.
    """
    if form in FUNCTION_WORDS:
        return frozenset()
    found: set[str] = set()
    for pos, lemmas in lemminflect.getAllLemmas(form).items():
        if pos in OPEN_CLASSES:
            for lemma in lemmas:
                inflections = lemminflect.getAllInflections(lemma, upos=pos)
                found.update(tag for tag, forms in inflections.items() if form in forms)
    return frozenset(found)
