"""The table of all tasks, by name."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name

from mt_gate.tasks import boolq, ner, relation_extraction, text
from mt_gate.tasks.spec import ImportPath, TaskSpec

TASKS: dict[str, TaskSpec] = {
    task.id: task for task in (ner.TASK, boolq.TASK, relation_extraction.TASK, text.TASK)
}


def listed(has: Callable[[TaskSpec], object] = bool) -> str:
    """Return the names of the tasks that have something: ``a, b or c``."""
    *names, end = [task.id for task in TASKS.values() if has(task)]
    return f"{', '.join(names)} or {end}" if names else end


def named_in_table(path: ImportPath) -> TaskSpec:
    """Return the task at an import path; add it to the table if it is new.

    For a child process, which gets the path of its task from the run that started it.
    """
    task: TaskSpec = resolve_name(path)
    return TASKS.setdefault(task.id, task)
