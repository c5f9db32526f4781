"""Whether an edit is near a name or governs one, and so may change its prediction.

A tagger reads a name by the words around it. An edit at the other end of the
sentence changes nothing in its input, so such edits are not made.
"""

from __future__ import annotations

import re

from spacy.tokens import Doc, Span, Token

from mt_gate_suites.grammar.rewrite import Rewrite

WORDS_BETWEEN = 2
"""Maximum number of words between an edit and a name that counts as near."""
_ARGUMENTS = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "agent", "prep", "attr", "appos"})
_BETWEEN = re.compile(r" ?(?:[Tt]he )?")
"""Text that may be between a change and the name that it touches."""


def is_near_a_name(span: Span) -> bool:
    """Whether a name is within a few words of a span, or is an argument of it.

    ``directed by`` is near a name in ``directed by Anna Weber``. ``remains`` has a name as
    argument in ``Oslo, for all that is said of it, remains``.
    """
    near = span.doc[max(0, span.start - WORDS_BETWEEN - 1) : span.end + WORDS_BETWEEN + 1]
    return any(is_of_a_name(token) for token in near) or any(
        _governs_a_name(token, 2) for token in span
    )


def changes_next_to_a_name(doc: Doc, rewrite: Rewrite) -> bool:
    """Whether a name gets another word next to it in the edited text.

    ``Oslo was ...`` -> ``Was Oslo ...`` does. ``It was built by a king in Oslo.`` -> ``Was it
    built by a king in Oslo?`` does not, because a final mark does not count.
    """
    text = doc.text
    edges = {
        edge
        for block in rewrite.alignment
        for edge in (block.source, block.source + block.length)
        if (edge or block.follow_up) and edge < len(text) - 1
    }
    return any(
        _BETWEEN.fullmatch(text[min(edge, place) : max(edge, place)])
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
    through = [child for child in children if depth > 1 and child.dep_ in {"agent", "prep"}]
    return any(is_of_a_name(child) for child in children) or any(
        _governs_a_name(child, depth - 1) for child in through
    )
