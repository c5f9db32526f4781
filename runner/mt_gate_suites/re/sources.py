"""The sentences of a recipe with the pairs that their corpora mark in them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language

from mt_gate.base.errors import UsageError
from mt_gate.relation_corpora.reading import read_relations
from mt_gate.relation_corpora.row import RelationRow
from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.builder_api import Say
from mt_gate_suites.recipe import CorpusFile, Recipe
from mt_gate_suites.sentences import sentences_of


class GivenPair(NamedTuple):
    """A pair that a corpus marks: id of the row, arguments, and relation, which may be empty."""

    id: str
    head: Argument
    tail: Argument
    relation: str


class MarkedSentence(NamedTuple):
    """A distinct sentence with its marked pairs; a sentence of plain text has none.

    ``entities`` are mentions whose types the corpus states.
    """

    id: str
    text: str
    origin: str
    pairs: tuple[GivenPair, ...]
    entities: tuple[Argument, ...] = ()


class Corpora(NamedTuple):
    """Sentences to build from, and sentences that are used only for their names."""

    sentences: list[MarkedSentence]
    stock: list[str]


def read_corpora(recipe: Recipe, data: Path, nlp: Language, say: Say) -> Corpora:
    """Read the corpora of a recipe, each sentence once; build from at most ``recipe.sentences``.

    The choice of sentences depends on the seed and the texts, not on the order of the files.

    Raises:
        UsageError: a file is missing or not of its kind.
        CannotJudge: a corpus of relations has a row that does not fit.
    """
    by_text: dict[str, MarkedSentence] = {}
    stock: dict[str, None] = {}
    for corpus in recipe.corpus:
        sentences = _read(corpus, data, nlp, say)
        if not corpus.sources:
            stock |= dict.fromkeys(sentence.text for sentence in sentences)
            continue
        for sentence in sentences:
            before = by_text.get(sentence.text)
            pairs = (*before.pairs, *sentence.pairs) if before else sentence.pairs
            stated = (*before.entities, *sentence.entities) if before else sentence.entities
            whole = (before or sentence)._replace(pairs=pairs, entities=stated)
            by_text[sentence.text] = whole
    taken = set(draw_by_text(by_text, recipe.seed)[: recipe.sentences])
    lent = [text for text in by_text if text not in taken]
    return Corpora(
        [sentence for text, sentence in by_text.items() if text in taken],
        [*lent, *(text for text in stock if text not in by_text)],
    )


def draw_by_text(keys: Iterable[str], seed: int) -> list[str]:
    """Return keys in a random order that depends only on the seed and on each key."""
    return sorted(keys, key=lambda key: hashlib.sha256(f"{seed}\0{key}".encode()).digest())


def _read(corpus: CorpusFile, data: Path, nlp: Language, say: Say) -> Sequence[MarkedSentence]:
    if corpus.kind == "questions":
        raise UsageError(
            f"{data / corpus.file} is of kind questions. Expected kind relations, text, tokens or "
            "passages."
        )
    if corpus.kind != "relations":
        return [
            MarkedSentence(sentence.id, sentence.text, corpus.name, ())
            for sentence in sentences_of(corpus, data, nlp, say)
        ]
    empty: list[str] = []
    patch = data / corpus.patch if corpus.patch else None
    rows = list(read_relations(data / corpus.file, corpus.format, patch, left_out=empty.append))
    written = [row for row in rows if row.as_written]
    whole = [
        row for row in written if not any(_is_torn(row.text, one) for one in (row.head, row.tail))
    ]
    say(
        f"{corpus.name}: {len(rows)} rows, skipped: {len(rows) - len(written)} for unclear spacing"
        f", {len(written) - len(whole)} for a head or tail that cuts a word, "
        f"{len(empty)} for an empty head or tail"
    )
    return [_mark(row, corpus.name) for row in whole]


def _is_torn(text: str, one: Argument) -> bool:
    words = text[one.start : one.end]
    before, after = text[one.start - 1 : one.start], text[one.end : one.end + 1]
    cut = (before.isalnum() and words[:1].isalnum()) or (after.isalnum() and words[-1:].isalnum())
    return cut or words != words.strip()


def _mark(row: RelationRow, origin: str) -> MarkedSentence:
    relation = row.relations[0] if row.relations else ""
    text = row.text.strip()
    shift = row.text.index(text)
    head, tail, *entities = (
        one._replace(start=one.start - shift, end=one.end - shift)
        for one in (row.head, row.tail, *row.entities)
    )
    pair = GivenPair(row.id, head, tail, relation)
    return MarkedSentence(row.id, text, origin, (pair,), tuple(entities))
