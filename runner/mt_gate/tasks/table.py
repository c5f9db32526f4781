"""The tasks, by name."""

from __future__ import annotations

from mt_gate.tasks import boolq, ner, relation_extraction
from mt_gate.tasks.task import Task

TASKS: dict[str, Task] = {
    task.id: task for task in (ner.TASK, boolq.TASK, relation_extraction.TASK)
}
