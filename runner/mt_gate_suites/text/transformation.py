"""Transformations, which relations of texts name as their builders.

``OfText`` needs only the text and serves any task. ``OfDoc`` needs a parsed text. ``OfDocs``
also parses its edited texts, many together. All are deterministic: they make random choices
by the ``Random`` that ``chooser`` makes from seed, relation and text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.domain import Alignment, Block
from mt_gate.suites.format import ORIGINAL_IDS
from mt_gate_suites.grammar.rewrite import Rewrite

BATCH = 64


class OfText(NamedTuple):
    """Edits a text without a parse; the result is empty if there is no place for an edit."""

    rewrites: Callable[[str, Random], Sequence[Rewrite]]


class OfDoc(NamedTuple):
    """Edits a parsed text; the result is empty if the edit is unsure."""

    rewrites: Callable[[Doc, Random], Sequence[Rewrite]]


class OfDocs(NamedTuple):
    """Edits parsed texts, all of them together; results are in the order of the texts."""

    rewrites: Callable[[Sequence[Doc], Language], Sequence[Sequence[Rewrite]]]


class PairOfTexts(NamedTuple):
    """An input of two texts, or of one text if ``second`` is empty."""

    text: str
    second: str

    @property
    def joined(self) -> str:
        """Both texts, one per line, as alignments count them; ``text`` if there is no second."""
        return f"{self.text}\n{self.second}" if self.second else self.text


class PairRewrite(NamedTuple):
    """An edited pair of texts, and its alignment with the original pair."""

    pair: PairOfTexts
    alignment: Alignment


class OfPair(NamedTuple):
    """Edits an input of two texts."""

    rewrites: Callable[[PairOfTexts], Sequence[PairRewrite]]


class TemplateGroup(NamedTuple):
    """A source that a template makes, with its edited text."""

    source: PairOfTexts
    follow_up: PairOfTexts
    stratum: str

    @property
    def alignment(self) -> Alignment:
        """The common beginning and the common end of both texts."""
        return common(self.source.joined, self.follow_up.joined)


class OfTemplates(NamedTuple):
    """Makes its own sources; returns its cases in a random order."""

    groups: Callable[[Random], Sequence[TemplateGroup]]


OfOneText = OfText | OfDoc | OfDocs
Transformation = OfOneText | OfPair | OfTemplates


def common(before: str, after: str) -> Alignment:
    """Return the common beginning and the common end of two texts.

    >>> common("a big dog", "a small dog")
    (Block(source=0, follow_up=0, length=2), Block(source=5, follow_up=7, length=4))
    """
    shorter = min(len(before), len(after))
    head = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    room = shorter - head
    tail = next((at for at in range(room) if before[-1 - at] != after[-1 - at]), room)
    ends = Block(len(before) - tail, len(after) - tail, tail)
    return tuple(block for block in (Block(0, 0, head), ends) if block.length)


def chooser(seed: int, relation: str, text: str) -> Random:
    """Return the generator for a relation's edits of a text, the same on any machine."""
    return Random(f"{seed}\0{ORIGINAL_IDS.get(relation, relation)}\0{text}")


class Parser:
    """A pipeline that parses each text once, however many relations read it."""

    def __init__(self, nlp: Language) -> None:
        """Take a spaCy pipeline."""
        self.nlp = nlp
        self._docs: dict[str, Doc] = {}

    def docs(self, texts: Sequence[str]) -> list[Doc]:
        """Return the parsed texts, in their order."""
        new = [text for text in dict.fromkeys(texts) if text not in self._docs]
        self._docs.update(zip(new, self.nlp.pipe(new, batch_size=BATCH), strict=True))
        return [self._docs[text] for text in texts]


def rewrites_of(
    transformation: OfOneText,
    texts: Sequence[str],
    parser: Parser | None,
    seed: int,
    relation: str,
) -> list[list[Rewrite]]:
    """Return the edited texts of each text, in order, without those equal to the original.

    Args:
        transformation: the transformation of the relation.
        texts: the original texts.
        parser: parses the texts; may be None if the transformation needs no parse.
        seed: seed of random choices.
        relation: id of the relation.

    Raises:
        TypeError: the transformation needs a parser, but there is none.
    """
    choosers = [chooser(seed, relation, text) for text in texts]
    if isinstance(transformation, OfText):
        rewrites = [*map(transformation.rewrites, texts, choosers)]
    elif parser is None:
        raise TypeError(f"{relation} needs parsed texts")
    else:
        docs = parser.docs(texts)
        if isinstance(transformation, OfDocs):
            rewrites = [*transformation.rewrites(docs, parser.nlp)]
        else:
            rewrites = [*map(transformation.rewrites, docs, choosers)]
    return [
        [one for one in several if one.text != text]
        for text, several in zip(texts, rewrites, strict=True)
    ]
