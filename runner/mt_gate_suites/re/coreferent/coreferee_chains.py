"""coreferee's chains as mentions, for pipelines that hold it.

coreferee is a spaCy component that leaves its chains in ``doc._.coref_chains``:
a chain is a sequence of mentions, a mention has ``token_indexes``, the head
words alone, several of them for ``Peter and Mary``. It gives no scores; its
authors report that about four in five pronouns are resolved as annotated.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from mt_gate.base.errors import reported
from mt_gate_suites.re.coreferent.chains import CHAIN, Coreference, CoreferentMention, ranked
from mt_gate_suites.re.coreferent.rules import NAMELESS, RULES

PIPE, EXTENSION = "coreferee", "coref_chains"
_SCORE = 0.8


class Chains:
    """Reads the chains of documents that coreferee parsed; no mentions in any other."""

    def mentions(self, doc: Doc, start: int, end: int, kind: str = "") -> list[CoreferentMention]:
        """Return the names and pronouns of the span's chain, the nearest first."""
        span = doc.char_span(start, end)
        if span is None or kind in NAMELESS:
            return []
        mine = [heads for heads in _chains(doc) if any(i in heads for i in _heads(span))]
        if len(mine) != 1:
            return []
        places = (_place(doc[i]) for i in mine[0] if not span.start <= i < span.end)
        found = (
            CoreferentMention(one.start_char, one.end_char, _SCORE, CHAIN) for one in places if one
        )
        return ranked((one for one in found if one.end <= start or end <= one.start), start)


class FirstToAnswer:
    """Asks one after the other until one finds a mention."""

    def __init__(self, asked: Iterable[Coreference]) -> None:
        """Hold whom to ask, in this order."""
        self._asked = tuple(asked)

    def mentions(self, doc: Doc, start: int, end: int, kind: str = "") -> list[CoreferentMention]:
        """Return what the first that is not silent says."""
        for one in self._asked:
            found = one.mentions(doc, start, end, kind)
            if found:
                return found
        return []


def with_coreferee(pipeline: Language, say: Callable[[str], None]) -> None:
    """Add coreferee to a pipeline where it is installed and knows the pipeline's model."""
    if PIPE in pipeline.pipe_names or importlib.util.find_spec(PIPE) is None:
        return
    try:
        pipeline.add_pipe(PIPE)
    except Exception as error:  # its own kinds: no model for this language, or this version
        reason = reported(error, 200)
        say(f"coreferee is installed and left out: {reason}")


def opened(pipeline: Language) -> Coreference:
    """Return the rules; where the pipeline holds coreferee, its chains where they are silent."""
    return FirstToAnswer((RULES, Chains())) if PIPE in pipeline.pipe_names else RULES


def _chains(doc: Doc) -> Iterator[list[int]]:
    """Give the head words of each chain; a mention of several persons is left out."""
    if not Doc.has_extension(EXTENSION):
        return
    chains: Iterable[Any] = doc._.get(EXTENSION) or ()
    for chain in chains:
        yield [mention.token_indexes[0] for mention in chain if len(mention.token_indexes) == 1]


def _heads(span: Span) -> tuple[int, ...]:
    """Return where a chain may mention a span: its head, or its last word."""
    return (span.root.i, span.end - 1)


def _place(token: Token) -> Span | None:
    """Return the whole of a mention: a pronoun, or the name that a word is part of."""
    if token.pos_ == "PRON":
        return token.doc[token.i : token.i + 1]
    return next((ent for ent in token.doc.ents if ent.start <= token.i < ent.end), None)
