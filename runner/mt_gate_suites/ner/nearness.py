"""Whether an edit stands near a name, or governs one: what a system may trip over.

A tagger reads a name by what stands around it. An edit at the other end of the
sentence changes nothing that it looks at, so such edits are not made.
"""

from __future__ import annotations

import re

from spacy.tokens import Doc, Span, Token

from mt_gate_suites.grammar.rewrite import Rewrite

WORDS_BETWEEN = 2
"""Most words between an edit and a name that counts as near."""
_ARGUMENTS = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "agent", "prep", "attr", "appos"})


def is_near_a_name(span: Span) -> bool:
    """Whether a name stands within a few words of a stretch, or is an argument of it.

    ``Oslo``'s verb in ``Oslo, for all that is said of it, remains``; in ``directed
    by Anna Weber`` what is beside the name.
    """
    doc = span.doc
    near = doc[max(0, span.start - WORDS_BETWEEN - 1) : span.end + WORDS_BETWEEN + 1]
    if any(is_of_a_name(token) for token in near):
        return True
    return any(_governs_a_name(token, 2) for token in span)


_BESIDE = re.compile(r" ?(?:[Tt]he )?")
"""What may stand between a change and the name that it touches."""


def changes_beside_a_name(doc: Doc, rewrite: Rewrite) -> bool:
    """Whether a name has another word beside it in the follow-up.

    ``Oslo was ...`` -> ``Was Oslo ...`` does, ``It was built by a king in Oslo.`` -> ``Was it
    built by a king in Oslo?`` does not: a final mark is no word.
    """
    text = doc.text
    final = len(text) - 1
    edges = {
        edge
        for block in rewrite.alignment
        for edge in (block.source, block.source + block.length)
        if (edge or block.follow_up) and edge < final
    }
    return any(
        _BESIDE.fullmatch(text[min(edge, place) : max(edge, place)])
        for name in doc.ents
        if is_of_a_name(name.root)
        for place in (name.start_char, name.end_char)
        for edge in edges
    )


def is_of_a_name(token: Token) -> bool:
    """Whether a token is a capitalised part of a name of a person, an organisation or a place."""
    return token.ent_type_ in {"PERSON", "ORG", "GPE", "LOC", "FAC"} and token.text[:1].isupper()


def _governs_a_name(token: Token, depth: int) -> bool:
    children = [child for child in token.children if child.dep_ in _ARGUMENTS]
    if any(is_of_a_name(child) for child in children):
        return True
    through = [child for child in children if child.dep_ in {"agent", "prep"}]
    return depth > 1 and any(_governs_a_name(child, depth - 1) for child in through)
