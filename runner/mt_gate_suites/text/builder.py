"""Suites for text classification: a recipe's corpora, edited by its relations.

Without a label in the recipe, relations of a label (``Directed``) are omitted; a file of relations
can set a label, too (``own``).
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.figures import counted
from mt_gate.domain import Group, Source
from mt_gate.language.kinds import ToolNames
from mt_gate.relations.stated import OutputRelation, Same, When, labels_in
from mt_gate.tasks.table import TASKS
from mt_gate.tasks.text import TEXT
from mt_gate_suites.builder_api import Built, Progress, Say
from mt_gate_suites.drawing import Drawing
from mt_gate_suites.recipe import CorpusFile, Recipe
from mt_gate_suites.sentences import read_labelled, sentences_of
from mt_gate_suites.source_faults import source_fault
from mt_gate_suites.text.catalogue import relations_for
from mt_gate_suites.text.making import Planned, made
from mt_gate_suites.text.transformation import Parser

PROSE = ("tokens", "passages")
"""Kinds of corpora of whole sentences, from which faulty sentences are omitted."""


class _Read(NamedTuple):
    """The content of the corpora.

    ``sources`` are the texts to edit. ``serves`` limits some sources, by id, to the relations of
    their corpus. ``offensive`` has the slurs and profanities of labelled corpora.
    """

    sources: list[Source]
    serves: dict[str, tuple[str, ...]]
    offensive: frozenset[str]

    def serving(self, planned: Planned, recipe: Recipe) -> list[Source]:
        """Return a relation's sources; for surface relations, at most ``recipe.sentences``."""
        name = planned.relation.id
        served = [one for one in self.sources if name in self.serves.get(one.id, (name,))]
        return served[: recipe.sentences] if planned.surface else served


def build_text(
    recipe: Recipe,
    data: Path,
    nlp: Language,
    say: Say,
    _tools: ToolNames | None,
    progress: Progress,
) -> Built:
    """Build the cases of a recipe for task text.

    Raises:
        UsageError: a file is missing or not of its kind, or a relation is unknown.
        CannotJudge: no relation can edit the texts.
    """
    task = TASKS[recipe.task]
    planned = planned_relations(recipe)
    parser = Parser(nlp)
    read = _read(recipe, data, parser, say)
    sources = {source.id: source for source in read.sources}
    drawing = Drawing(recipe)
    groups: list[Group] = []
    seen, converted = dict[str, int](), dict[str, int]()
    for at, one in enumerate(planned):
        progress(at, len(planned))
        served = read.serving(one, recipe)
        result = made(one, served, task, parser, recipe.seed)
        seen[one.relation.id] = len(served)
        converted[one.relation.id] = len({group.source for group in result.groups})
        sources.update({source.id: source for source in result.sources})
        inputs = {name: source.input for name, source in sources.items()}
        groups += drawing.drawn(result.groups, inputs)
    progress(len(planned), len(planned))
    if not groups:
        raise CannotJudge("No relation can edit these texts. Pass English texts.")
    having = {group.relation for group in groups}
    stated = {one.relation.id: one.relation for one in planned if one.relation.id in having}
    outputs = [relation.output for relation in stated.values() if relation.output is not None]
    labels = tuple(sorted({label for output in outputs for label in labels_in(output)}))
    left_out = drawing.left_out
    offensive = read.offensive if recipe.offensive else frozenset()
    return Built(
        tuple(stated),
        list(sources.values()),
        groups,
        {},
        {},
        left_out,
        stated,
        labels,
        offensive,
        seen,
        converted,
    )


def planned_relations(recipe: Recipe) -> list[Planned]:
    """Return the relations that a recipe names, or all that need no label that it lacks.

    Raises:
        UsageError: a relation is unknown, or needs a label that the recipe lacks.
    """
    known = {f"{recipe.task}/{one.name}": one for one in relations_for(recipe.task)}
    for name in (*recipe.caps.relations, *recipe.relations):
        if name not in known:
            raise UsageError(
                f"Unknown relation {quoted(name)}. Task {recipe.task} has {', '.join(known)}."
            )
    relations = []
    for name in recipe.relations or known:
        relation = known[name]
        output = relation.output_in(recipe.task, recipe.label)
        if output is None and recipe.relations:
            raise UsageError(
                f"Relation {quoted(name)} needs a label. Set 'label' in the recipe, or use the "
                "relation in a file of relations, with 'use' and 'output', and --relations FILE."
            )
        if output is not None:
            stated = relation.stated(recipe.task, _about(output, recipe.label))
            relations.append(Planned(stated, relation.transformation, surface=relation.surface))
    return relations


def _about(output: OutputRelation, label: str) -> OutputRelation:
    if not label or not isinstance(output, Same):
        return output
    return Same(labels=(label,), when=When(label=label))


def _read(recipe: Recipe, data: Path, parser: Parser, say: Say) -> _Read:
    """Return the distinct texts of all corpora, at most ``recipe.sources``."""
    seen: dict[str, Source] = {}
    serves: dict[str, tuple[str, ...]] = {}
    offensive: set[str] = set()
    for corpus in recipe.corpus:
        if corpus.kind == "labelled":
            rows = read_labelled(corpus, data)
            say(f"{corpus.name}: {counted(len(rows), 'text')}")
            offensive.update(word for row in rows for word in row.offensive)
            ones = [
                Source(id=row.id, input={TEXT: row.text}, origin=corpus.name)
                for row in rows
                if row.edit and recipe.label in ("", row.label)
            ]
        else:
            ones = _sentences(recipe, corpus, data, parser, say)
        for source in ones:
            if source.input[TEXT] not in seen:
                seen[source.input[TEXT]] = source
                if corpus.relations:
                    serves[source.id] = corpus.relations
    # Sort by hash: a random sample that does not depend on the order of the texts.
    drawn = sorted(seen.values(), key=_order)[: recipe.sources]
    return _Read(drawn, serves, frozenset(offensive))


def _order(source: Source) -> bytes:
    return hashlib.sha256(source.input[TEXT].encode()).digest()


def _sentences(
    recipe: Recipe, corpus: CorpusFile, data: Path, parser: Parser, say: Say
) -> list[Source]:
    """Return the sentences of a corpus; of prose to check, at most ``recipe.sources``."""
    sentences = [
        Source(id=one.id, input={TEXT: one.text}, origin=one.origin)
        for one in sentences_of(corpus, data, parser.nlp, say, whole=True)
    ]
    if not recipe.check_sources or corpus.kind not in PROSE:
        return sentences
    drawn = sorted(sentences, key=_order)[: recipe.sources]
    docs = parser.docs([one.input[TEXT] for one in drawn])
    return [one for one, doc in zip(drawn, docs, strict=True) if not source_fault(doc)]
