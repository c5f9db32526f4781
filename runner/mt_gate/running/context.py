"""What relations may know of a system, found once for a run."""

from __future__ import annotations

from mt_gate.base.errors import CannotJudge
from mt_gate.ontologies.reading import ontology_for, shipped_ontologies
from mt_gate.relations.base import Context
from mt_gate.running.operating import OperatedSystem
from mt_gate.sut.card import CARD
from mt_gate.sut.confined import ConfinedCheckpoint
from mt_gate.sut.protocol import System
from mt_gate.tasks.table import TASKS


def context_of(task: str, ontology: str, system: System) -> Context:
    """Return the context of a run.

    Args:
        task: the run's task.
        ontology: a shipped ontology or a file, as the user names it; empty for
            the one that the checkpoint names, or the shipped one that has its labels.
        system: opened.

    Raises:
        CannotJudge: none is named or fits, or it does not cover the system's labels.
        UsageError: no such ontology.
    """
    if isinstance(system, OperatedSystem):
        return Context(labels=frozenset(system.labels))
    if not TASKS[task].needs_ontology:
        return Context()
    if not isinstance(system, ConfinedCheckpoint):
        return Context(ontology_for(ontology, (), system.head.name))
    asked = ontology or _own_ontology(system)
    found = ontology_for(asked, system.labels, f"checkpoint {system.head.name}")
    return Context(found, system.reads_types)


def _own_ontology(system: ConfinedCheckpoint) -> str:
    """Return what a checkpoint names: a shipped ontology, or a file beside it; empty for none."""
    name = system.card.ontology
    if not name or name in shipped_ontologies():
        return name
    if set(name) & {"/", "\\"} or name.startswith("."):
        raise CannotJudge(
            f"{system.folder / CARD}: ontology is {name[:60]!r}; expected "
            f"{', '.join(shipped_ontologies())} or the name of a file next to it; fix the file"
        )
    return str(system.folder / name)
