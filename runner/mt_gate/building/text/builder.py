"""Suites for text classification from sentences alone: the relations that ship.

Those of a label (``Directed``) are left out, since no label is named; a file of relations
names one (``building/own``).
"""

from __future__ import annotations

from pathlib import Path

from spacy.language import Language

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.building.builder_api import Built, Progress, Say
from mt_gate.building.corpora import sentences_of
from mt_gate.building.drawing import Drawing
from mt_gate.building.recipe import Recipe
from mt_gate.building.text.catalogue import relations_for
from mt_gate.building.text.making import Planned, made
from mt_gate.building.text.transformation import OfTemplates
from mt_gate.domain import Group, Source
from mt_gate.language.kinds import ToolNames
from mt_gate.tasks.table import TASKS


def build_text(
    recipe: Recipe,
    data: Path,
    nlp: Language,
    say: Say,
    _tools: ToolNames | None,
    progress: Progress,
) -> Built:
    """Build the groups of a recipe for task text.

    Raises:
        UsageError: a file is missing or not of its kind, or a relation is unknown.
        CannotJudge: no relation makes anything of the texts.
    """
    task = TASKS[recipe.task]
    planned = planned_relations(recipe)
    sources = list(_sources(recipe, data, nlp, say))
    inputs = {source.id: source.input for source in sources}
    drawing = Drawing(recipe)
    groups: list[Group] = []
    for at, one in enumerate(planned):
        progress(at, len(planned))
        found = made(one, sources, task, nlp, recipe.seed)
        groups += drawing.drawn(found.groups, inputs)
    progress(len(planned), len(planned))
    if not groups:
        raise CannotJudge("no relation makes a follow-up of the texts; expected English texts")
    having = {group.relation for group in groups}
    stated = {one.relation.id: one.relation for one in planned if one.relation.id in having}
    return Built(tuple(stated), sources, groups, {}, {}, drawing.left_out, stated)


def planned_relations(recipe: Recipe) -> list[Planned]:
    """Return the relations of a recipe, or all that need neither a label nor pairs.

    Raises:
        UsageError: one is unknown, or of a label.
    """
    known = {f"{recipe.task}/{one.name}": one for one in relations_for(recipe.task)}
    found = []
    for name in recipe.relations or known:
        relation = known.get(name)
        if relation is None:
            raise UsageError(f"relation {quoted(name)}: task {recipe.task} has {', '.join(known)}")
        output = relation.output_in(recipe.task)
        if output is None and recipe.relations:
            raise UsageError(
                f"relation {quoted(name)} is of a label; name it in a file of relations, with "
                "'use' and 'output', and build with --relations"
            )
        serves = bool(recipe.relations) or not isinstance(relation.transformation, OfTemplates)
        if output is not None and serves:
            found.append(Planned(relation.stated(recipe.task, output), relation.transformation))
    return found


def _sources(recipe: Recipe, data: Path, nlp: Language, say: Say) -> list[Source]:
    """Return the texts of all corpora, each once."""
    seen: dict[str, Source] = {}
    for corpus in recipe.corpus:
        for one in sentences_of(corpus, data, nlp, say):
            source = Source(id=one.id, input={"text": one.text}, origin=one.origin)
            seen.setdefault(one.text, source)
    return list(seen.values())
