"""The process of an export: that of a checkpoint, which exports as well."""

from __future__ import annotations

from pathlib import Path

from mt_gate.exporting.export import export
from mt_gate.sut import wire, worker
from mt_gate.tasks.table import named_in_table


def main() -> None:
    """Answer the lines on standard input until it ends."""
    worker.main(_export)


def _export(request: wire.Export) -> wire.Exported:
    return wire.Exported(
        export(
            Path(request.checkpoint),
            named_in_table(request.task).id,
            Path(request.out),
            request.precision,
            request.inputs,
            request.options,
            request.expected,
        )
    )
