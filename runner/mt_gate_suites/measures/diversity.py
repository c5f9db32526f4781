"""Diversity of a suite: sources and edits per relation, and the share of the most frequent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from mt_gate.domain import Group
from mt_gate.relations.catalogue import BY_ID
from mt_gate.suites.format import Suite
from mt_gate.tasks.spec import Input, TaskSpec
from mt_gate.tasks.table import TASKS
from mt_gate_suites.measures.changed_words import edit_of
from mt_gate_suites.measures.near_duplicates import drop_near_duplicates

NEAR = 0.6
"""Similarity from which two texts are reported as near duplicates."""


class Commonest(msgspec.Struct, frozen=True, kw_only=True):
    """The most frequent value of a property, and its share of the relation's cases.

    Empty and 0 if no case has the property.
    """

    name: str
    groups: int
    share: float


class Diversity(msgspec.Struct, frozen=True, kw_only=True):
    """The diversity of a relation's cases.

    ``texts`` counts the distinct texts that are edited: a sentence may have several pairs, a
    passage several questions. If ``fixed_edit`` is true, all edits are of one kind, so that no
    limit on single edits applies (``MetamorphicRelation.fixed_edit``). ``moved`` counts the cases
    whose edit removes and inserts no word. ``edits`` counts the distinct other edits; ``edit`` is
    the most frequent. ``taken_out`` and ``put_in`` are the words that edits most often remove and
    insert. ``near_duplicates`` counts texts that are similar to another text. A relation that is
    built at run time has only sources and texts.
    """

    groups: int
    sources: int
    texts: int
    most_of_one_source: int
    most_of_one_text: int
    edits: int
    fixed_edit: bool
    moved: int
    edit: Commonest
    taken_out: Commonest
    put_in: Commonest
    near_duplicates: int


def diversity(suite: Suite) -> dict[str, Diversity]:
    """Return the diversity of each relation of a suite, in the suite's order."""
    task = TASKS[suite.head.task]
    inputs = {source.id: source.input for source in suite.sources}
    groups: dict[str, list[Group]] = defaultdict(list)
    for group in suite.groups:
        groups[group.relation].append(group)
    by_relation = {}
    for relation in suite.head.relations:
        own = groups[relation.id]
        sources = Counter(group.source for group in own)
        texts = Counter(edited_text(task, group, inputs) for group in own)
        if relation.bound:
            bound = [source for source in suite.sources if relation.id in source.bind]
            sources = Counter(source.id for source in bound)
            texts = Counter(task.text(source.input) for source in bound)
        edits = [edit_of(task, inputs[group.source], group.follow_up) for group in own]
        worded = [edit for edit in edits if not edit.is_rearrangement]
        by_relation[relation.id] = Diversity(
            groups=len(own),
            sources=len(sources),
            texts=len(texts),
            most_of_one_source=max(sources.values(), default=0) if own else 0,
            most_of_one_text=max(texts.values(), default=0) if own else 0,
            edits=len({edit.name for edit in worded}),
            fixed_edit=relation.id in BY_ID and BY_ID[relation.id].fixed_edit,
            moved=len(edits) - len(worded),
            edit=_commonest((edit.name for edit in worded), len(own)),
            taken_out=_commonest((edit.taken_out for edit in worded), len(own)),
            put_in=_commonest((edit.put_in for edit in worded), len(own)),
            near_duplicates=_near(texts),
        )
    return by_relation


def edited_text(task: TaskSpec, group: Group, inputs: Mapping[str, Input]) -> str:
    """Return the text of a source that a case edits: a sentence, a question, a passage."""
    return task.view(inputs[group.source], group.follow_up, group.alignment).source


def _commonest(names: Iterable[str], of: int) -> Commonest:
    counts = Counter(filter(None, names))
    if not counts:
        return Commonest(name="", groups=0, share=0.0)
    # Among equally frequent names take the first by name, so that the order of cases is irrelevant.
    name = min(counts, key=lambda name: (-counts[name], name))
    return Commonest(name=name, groups=counts[name], share=round(counts[name] / of, 6))


def _near(texts: Iterable[str]) -> int:
    distinct = set(texts)
    return len(distinct) - len(drop_near_duplicates(distinct, NEAR))
