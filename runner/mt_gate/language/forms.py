"""Inflected forms and lemmas of words, by Penn tag."""

from __future__ import annotations

import functools

import lemminflect

from mt_gate.lexicons.reading import word_set

TAGS = {
    "VERB": ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"),
    "ADJ": ("JJ", "JJR", "JJS"),
    "NOUN": ("NN", "NNS"),
}
"""Penn tags of verbs, adjectives and nouns."""
FUNCTION_WORDS = word_set("ner/word_slots", "function-words")


@functools.lru_cache(maxsize=100_000)
def tags(form: str) -> frozenset[str]:
    """Return the tags of verbs, adjectives and nouns that a lower-case form can have.

    ``shared`` -> VBD, VBN (and JJ if the dictionary has it). The result is empty for function words
    and for forms that are not in the dictionary.
    """
    if form in FUNCTION_WORDS:
        return frozenset()
    tags: set[str] = set()
    for pos, lemmas in lemminflect.getAllLemmas(form).items():
        if pos in TAGS:
            for lemma in lemmas:
                tags.update(tag for tag in TAGS[pos] if form in inflected(lemma, tag))
    return frozenset(tags)


def inflected(lemma: str, tag: str) -> tuple[str, ...]:
    """Return the known forms of a lemma with a tag, most usual first."""
    return tuple(lemminflect.getInflection(lemma, tag=tag, inflect_oov=False))


def lemmas(form: str, pos: str) -> frozenset[str]:
    """Return the lemmas that a form may have as VERB, ADJ or NOUN."""
    return frozenset(lemminflect.getAllLemmas(form).get(pos, ()))


def is_word(form: str) -> bool:
    """Whether a lower-case form is in the dictionary, as a word or, capitalised, as a name."""
    return bool(
        form in FUNCTION_WORDS
        or lemminflect.getAllLemmas(form)
        or lemminflect.getAllLemmas(form.capitalize())
    )
