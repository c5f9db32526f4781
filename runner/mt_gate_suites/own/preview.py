"""What a file of relations makes of some sources, before anything is built of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from mt_gate.base.errors import UsageError
from mt_gate.base.escaping import one_line
from mt_gate.domain import Source
from mt_gate.relations.stated import kind_of
from mt_gate.tasks.spec import TaskSpec
from mt_gate_suites.build import load_pipeline
from mt_gate_suites.own.builder import plan
from mt_gate_suites.own.sources import read_sources
from mt_gate_suites.text.making import Made, Planned, made, needs_parse
from mt_gate_suites.text.transformation import Parser

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
    found = plan(path)
    sources = read_sources(files, found.task) if files else []
    parser = None
    if any(needs_parse(one.transformation) for one in found.planned):
        parser = Parser(load_pipeline(pipeline))
    lines: list[str] = []
    for one in found.planned:
        result = made(one, sources, found.task, parser, found.file.seed)
        lines += _shown(one, result, sources, found.task, most)
    if not lines:
        raise UsageError(f"{path}: no relation")
    return "\n".join(lines)


def _shown(
    planned: Planned, found: Made, sources: Sequence[Source], task: TaskSpec, most: int
) -> Iterator[str]:
    inputs = {source.id: source.input for source in (*sources, *found.sources)}
    served = len({group.source for group in found.groups})
    output = planned.relation.output
    kind = kind_of(output) if output else ""
    yield one_line(
        f"{planned.relation.id} ({kind}): {len(found.groups)} follow-ups of {served} of "
        f"{len(inputs)} sources"
    )
    # An id is a hash: in their order groups are a random sample.
    for group in sorted(found.groups, key=lambda one: one.id)[:most]:
        before, after = task.lines(inputs[group.source], group.follow_up, group.alignment)
        yield f"  - {one_line(before)}"
        yield f"  + {one_line(after)}"


__all__ = ["PER_RELATION", "preview"]
