"""Known answers from corpora, and the slices of the suite that each source belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from mt_gate.base.errors import UsageError, quoted
from mt_gate.domain import Source
from mt_gate.ontologies.ontology import FORWARD, Ontology
from mt_gate.ontologies.reading import open_ontology
from mt_gate.relation_corpora.reading import read_relations
from mt_gate.relations.base import SCHEME_END
from mt_gate.tasks.boolq import NO, YES
from mt_gate_suites.boolq.sources import QuestionRow, question_id
from mt_gate_suites.recipe import CorpusFile, Recipe
from mt_gate_suites.sentences import read_labelled, rows_of

SAYS = "Gets {n} of {total} known answers right"
"""The sentence on known answers in reports, if the recipe has none."""
_ANSWER, _RELATION = "answer", "relation"
"""Names of slices whose values are the right answers."""
_SAME_RELATION = {
    "wikidata:P25": ("tacred:per:parents", "retacred:per:parents"),
    "wikidata:P26": ("tacred:per:spouse", "retacred:per:spouse", "kbp37:per:spouse(e1,e2)"),
    "wikidata:P40": (
        "tacred:per:children",
        "retacred:per:children",
        "nyt10:/people/person/children",
    ),
}
"""Relations of people with the same definition in other schemes; most others differ in scope."""


class KnownAnswer(NamedTuple):
    """The labels of a right answer, and the slices that its source is in, by name."""

    gold: tuple[str, ...]
    slices: Mapping[str, str] = {}


NO_ANSWERS: Mapping[str, KnownAnswer] = {}


def read_known_answers(recipe: Recipe, data: Path) -> dict[str, KnownAnswer]:
    """Return the known answers of a recipe's corpora, by the id of the source.

    Args:
        recipe: the suite's recipe.
        data: folder that the recipe's file names start from.

    Raises:
        UsageError: a file is missing, or names relations that its scheme does not have.
    """
    answers: dict[str, KnownAnswer] = {}
    for corpus in recipe.corpus:
        if corpus.kind == "labelled":
            answers.update(_labelled(recipe, corpus, data))
        elif corpus.kind == "questions" and corpus.sources:
            answers.update(_questions(data / corpus.file))
        elif corpus.kind == "relations" and corpus.scheme and corpus.sources:
            answers.update(_relations(corpus, data))
    return answers


def with_answers(sources: Iterable[Source], known: Mapping[str, KnownAnswer]) -> Sequence[Source]:
    """Return sources, each with its known answer, if there is one."""
    return [
        msgspec.structs.replace(source, gold=known[source.id].gold, slices=known[source.id].slices)
        if source.id in known
        else source
        for source in sources
    ]


def _labelled(recipe: Recipe, corpus: CorpusFile, data: Path) -> Iterator[tuple[str, KnownAnswer]]:
    for row in read_labelled(corpus, data):
        gold = (row.label,) if recipe.label in ("", row.label) else ()
        yield row.id, KnownAnswer(gold, row.slices)


def _questions(path: Path) -> Iterator[tuple[str, KnownAnswer]]:
    for number, row in rows_of(path, QuestionRow):
        if isinstance(row.answer, bool):
            answer = YES if row.answer else NO
            yield question_id(path, number, row), KnownAnswer((answer,), {_ANSWER: answer})


def _relations(corpus: CorpusFile, data: Path) -> Iterator[tuple[str, KnownAnswer]]:
    scheme = open_ontology(corpus.scheme)
    patch = data / corpus.patch if corpus.patch else None
    for row in read_relations(data / corpus.file, corpus.format, patch, left_out=lambda _: None):
        labels = [_in_scheme(label, scheme, corpus) for label in row.relations]
        if labels:
            gold = tuple(dict.fromkeys(name for label in labels for name in _in_all(label)))
            yield row.id, KnownAnswer(gold, {_RELATION: labels[0]})


def _in_scheme(label: str, scheme: Ontology, corpus: CorpusFile) -> str:
    """Return a corpus's relation from head to tail, as its scheme writes it."""
    directed = (
        f"{label}{FORWARD}" if scheme.directed and not scheme.is_no_relation(label) else label
    )
    if scheme.missing([directed]):
        raise UsageError(
            f"{corpus.file}: relation {quoted(label, 60)} is not in scheme {corpus.scheme}. "
            "Correct the recipe."
        )
    return f"{scheme.name}{SCHEME_END}{directed}"


def _in_all(label: str) -> Iterator[str]:
    """Yield a relation's label, and its labels in other schemes with the same definition."""
    yield label
    yield from _SAME_RELATION.get(label, ())
    scheme, _, name = label.partition(SCHEME_END)
    if scheme == "wikidata":
        title = open_ontology(scheme).relations[name].title
        if title in open_ontology("wiki80").relations:
            yield f"wiki80{SCHEME_END}{title}"
