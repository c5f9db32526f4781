"""Parts of shipped suites, for benchmarks that need fewer inputs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from msgspec.structs import replace

from mt_gate.domain import Source
from mt_gate.suites.format import find_suite, read_suite, write_suite


def cut_suite(name: str, inputs: int, folder: Path) -> Path:
    """Write the part of a suite with about ``inputs`` distinct inputs, built groups only."""
    suite = read_suite(find_suite(name))
    groups = tuple(suite.groups)[: inputs // 2]
    counts = Counter(group.relation for group in groups)
    used = {group.source for group in groups}
    sources = [
        Source(id=source.id, input=source.input, origin=source.origin)
        for source in suite.sources
        if source.id in used
    ]
    relations = tuple(
        replace(item, groups=counts[item.id], sources=len(used), precision=None)
        for item in suite.head.relations
        if counts[item.id]
    )
    write_suite(folder, replace(suite.head, relations=relations), sources, groups)
    return folder
