"""Preview the edited texts of a file of relations, before a suite is built."""

from __future__ import annotations

from pathlib import Path

from mt_gate.base.errors import UsageError
from mt_gate.base.escaping import one_line
from mt_gate.relations.stated import kind_of
from mt_gate_suites.own.builder import parser_for, plan
from mt_gate_suites.own.sources import read_sources
from mt_gate_suites.text.making import made

PER_RELATION = 10
"""Groups shown."""


def preview(path: Path, files: tuple[Path, ...], pipeline: str, most: int = PER_RELATION) -> str:
    """Return before and after of some groups of each relation of a file, or that it has none.

    Args:
        path: of the relations.
        files: of the sources.
        pipeline: of spaCy, loaded only where a relation that ships needs a parse.
        most: groups of a relation.

    Raises:
        UsageError: relations or sources are not as expected.
    """
    relation_plan = plan(path)
    sources = read_sources(files, relation_plan.task) if files else []
    parser = parser_for(relation_plan.planned, pipeline)
    lines: list[str] = []
    for planned in relation_plan.planned:
        result = made(planned, sources, relation_plan.task, parser, relation_plan.file.seed)
        inputs = {source.id: source.input for source in (*sources, *result.sources)}
        served = len({group.source for group in result.groups})
        output = planned.relation.output
        lines.append(
            f"{planned.relation.id} ({kind_of(output) if output else ''}): {len(result.groups)} "
            f"follow-ups of {served} of {len(inputs)} sources"
        )
        # An id is a hash: in their order groups are a random sample.
        for group in sorted(result.groups, key=lambda one: one.id)[:most]:
            texts = relation_plan.task.lines(inputs[group.source], group.follow_up, group.alignment)
            lines += [f"  {sign} {one_line(text)}" for sign, text in zip("-+", texts, strict=True)]
    if not lines:
        raise UsageError(f"{path} has no relation.")
    return "\n".join(lines)
