"""The relations of a suite: those of mt-gate that it names, and those that it states itself."""

from __future__ import annotations

from collections.abc import Collection

from mt_gate import __version__
from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.catalogue import BY_ID
from mt_gate.relations.known_answer import has_known_answers, is_known_answer, known_answer
from mt_gate.relations.stated import condition, judge
from mt_gate.suites.format import SuiteFile, SuiteRelation, label_set
from mt_gate.tasks.table import TASKS


def relation_of(relation: SuiteRelation, labels: Collection[str]) -> MetamorphicRelation:
    """Return the relation of a suite as it is judged: mt-gate's own, or what the suite states."""
    task = TASKS[relation.id.partition("/")[0]]
    if is_known_answer(relation.id):
        return known_answer(task, labels)
    if relation.output is None:
        return BY_ID[relation.id]
    return MetamorphicRelation(
        id=relation.id,
        title=relation.title,
        description=relation.description,
        paper=relation.paper,
        before=relation.before,
        after=relation.after,
        holds=judge(relation.output, task, labels),
        when=condition(relation.output, task),
    )


def relations_in(head: SuiteFile) -> dict[str, MetamorphicRelation]:
    """Return the relations of a suite by id, in its order. Raises CannotJudge."""
    task = TASKS[head.task]
    for relation in head.relations:
        of_task = relation.id.startswith(f"{head.task}/")
        known = relation.id in BY_ID or (is_known_answer(relation.id) and has_known_answers(task))
        if not of_task or (relation.output is None and not known):
            raise CannotJudge(
                f"suite {head.name}: relation {quoted(relation.id)} of task {head.task} is "
                f"unknown to mt-gate {__version__}; use a newer mt-gate or an older suite"
            )
    labels = label_set(head)
    return {relation.id: relation_of(relation, labels) for relation in head.relations}
