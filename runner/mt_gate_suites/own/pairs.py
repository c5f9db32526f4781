"""Read finished cases as JSON lines, from another generator or written by hand.

    {"source": "I hate it.", "follow_up": "I do not hate it.",
     "relation": "negated", "output": {"kind": "falls", "label": "toxic", "by": 0.1}}

The first line of a relation has its output relation; later lines may omit it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from mt_gate.base.errors import UsageError, page, quoted, reported, unknown_field
from mt_gate.base.files import canonical
from mt_gate.domain import Group, Source
from mt_gate.relations.stated import MAX_LABELS, Equals, LabelName, kind_of
from mt_gate.suites.format import Says, Suite, SuiteRelation, group_id, says_fault
from mt_gate.tasks.spec import TaskSpec
from mt_gate_suites.own.relations_file import Name, Words, output_of, own_id
from mt_gate_suites.own.sources import clustered, input_of, read_json, read_lines
from mt_gate_suites.text.transformation import common


class PairLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line; ``source`` and ``follow_up`` are texts, or objects with the task's texts."""

    source: str | dict[str, Any]
    follow_up: str | dict[str, Any]
    relation: Name = ""
    output: dict[str, Any] | None = None
    title: Words = ""
    description: Words = ""
    says: Says = ""
    id: LabelName | None = None
    stratum: Annotated[str, Meta(max_length=200)] = ""
    gold: Annotated[tuple[LabelName, ...], Meta(max_length=MAX_LABELS)] | None = None
    origin: LabelName | None = None


class Pairs(NamedTuple):
    """The content of pairs files: relations as a suite states them, sources, cases."""

    relations: tuple[SuiteRelation, ...]
    sources: list[Source]
    groups: list[Group]


def read_pairs(paths: tuple[Path, ...], task: TaskSpec, base: Suite | None = None) -> Pairs:
    """Read files of pairs.

    Args:
        paths: of the files.
        task: of the suite.
        base: a suite that the pairs extend: its relations need no output, and a source that it
            has keeps its id. The result contains its relations, sources and cases, too.

    Raises:
        UsageError: a line is not a pair, its relation has no output relation or two, both texts
            are the same, or there is no pair.
    """
    relations = {relation.id: relation for relation in base.head.relations} if base else {}
    sources = {canonical(source.input): source for source in base.sources} if base else {}
    taken = {source.id for source in sources.values()}
    groups = {group.id: group for group in base.groups} if base else {}
    old = {*groups}
    for path in paths:
        for number, line in read_lines(path):
            where = f"{path}:{number}"
            pair = _pair(read_json(path, number, line), where)
            relation = _relation(pair, relations, task, where)
            relations[relation.id] = relation
            source_input = input_of(pair.source, task, f"{where}: source")
            key = canonical(source_input)  # not the text: in task re, a sentence has many inputs
            if key not in sources:
                name = pair.id or f"{path.stem}-{len(sources) + 1}"
                if name in taken:
                    stated = "id" if pair.id else "the generated id"
                    raise UsageError(
                        f"{where}: {stated} {quoted(name)} is the id of another source. Change it."
                    )
                taken.add(name)
                origin = pair.origin or path.name
                sources[key] = Source(id=name, input=source_input, origin=origin)
            group = _group(pair, relation, sources[key], task, where)
            if group.id not in old and groups.setdefault(group.id, group) != group:
                raise UsageError(
                    f"{where}: an earlier line has the same pair with other gold labels, or of "
                    "another subtype. Remove one of the two."
                )
    if len(groups) == len(old):
        raise UsageError(f"{', '.join(map(str, paths))} has no pair. See {page('own-relations')}")
    in_clusters = clustered(sources.values(), task)
    return Pairs(tuple(relations.values()), in_clusters, list(groups.values()))


def _pair(row: dict[str, Any], where: str) -> PairLine:
    if wrong := unknown_field(row, PairLine):
        raise UsageError(f"{where}: {wrong} See {page('own-relations')}")
    for needed in ("source", "follow_up"):
        if needed not in row:
            raise UsageError(
                f"{where} has no {needed}. Expected source and follow_up, and output "
                "unless an earlier line states it."
            )
    try:
        return msgspec.convert(row, PairLine)
    except (msgspec.ValidationError, RecursionError) as error:
        raise UsageError(f"{where}: {reported(error)}. See {page('own-relations')}") from None


def _relation(
    pair: PairLine, known: dict[str, SuiteRelation], task: TaskSpec, where: str
) -> SuiteRelation:
    """Return the relation that a line, or an earlier line, states."""
    stated = None if pair.output is None else output_of(pair.output, task, (), where)
    name = pair.relation or (kind_of(stated) if stated else "")
    earlier = known.get(f"{task.id}/{name}")
    if earlier and stated in (None, earlier.output):
        return earlier
    if stated is None:
        raise UsageError(
            f"{where}: neither this line nor an earlier one has an output for relation "
            f'{quoted(name)}. Add an output, such as {{"kind": "same"}}'
        )
    if earlier:
        raise UsageError(
            f"{where}: relation {quoted(name)} has another output in an earlier line. Use one "
            "relation for each output."
        )
    if wrong := says_fault(pair.says):
        raise UsageError(f"{where}: {wrong}. Correct it, or omit it.")
    return SuiteRelation(
        id=own_id(task, name, where),
        groups=0,
        sources=0,
        title=pair.title or name.replace("-", " ").capitalize(),
        description=pair.description,
        says=pair.says,
        output=stated,
    )


def _group(
    pair: PairLine, relation: SuiteRelation, source: Source, task: TaskSpec, where: str
) -> Group:
    follow_up = input_of(pair.follow_up, task, f"{where}: follow_up")
    if task.names(follow_up) != task.names(source.input):
        raise UsageError(
            f"{where}: the two inputs do not have the same keys. Give both the same keys."
        )
    if follow_up == source.input:
        raise UsageError(
            f"{where}: both inputs are the same text. Correct one of them, or remove the line."
        )
    if isinstance(relation.output, Equals) and pair.gold is None:
        raise UsageError(
            f"{where}: gold labels are missing, but the output kind equals needs them. Add gold, "
            'such as ["a label"]'
        )
    return Group(
        id=group_id(relation.id, source.input, follow_up),
        relation=relation.id,
        source=source.id,
        follow_up=follow_up,
        alignment=common(task.text(source.input), task.text(follow_up)),
        stratum=pair.stratum,
        gold=pair.gold,
    )
