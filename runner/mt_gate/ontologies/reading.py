"""Ontologies as files: those that the package carries, and the user's own."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, did_you_mean, page, quoted
from mt_gate.base.jsonio import decode_json, read_bytes
from mt_gate.ontologies.checking import faults, shown
from mt_gate.ontologies.ontology import Ontology, RelationMeaning

FORMAT = 1
LARGEST = 1 << 20
"""Bytes of an ontology file."""
NAMED = 50
"""Labels that a message names; of more it gives the number."""

_SHIPPED = Path(__file__).parent / "data"
_CAUSE = f"Fix the file. Its format: {page('ontologies')}"


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An ontology as it is on disk."""

    format: int
    name: str
    none: str
    directed: bool
    relations: dict[str, RelationMeaning]


def shipped_ontologies() -> list[str]:
    """Return the names of the ontologies that the package carries."""
    return sorted(path.stem for path in _SHIPPED.glob("*.json"))


def open_ontology(name_or_path: str) -> Ontology:
    """Return a built-in ontology or the user's, checked, with its digest.

    Raises UsageError: neither a built-in ontology nor a file. CannotJudge: unreadable, of a later
    format, not of the expected form, or at odds with itself.
    """
    if name_or_path in shipped_ontologies():
        return _shipped(name_or_path)
    path = Path(name_or_path)
    if not _is_file(path):
        raise UsageError(
            "No ontology named "
            f"{shown(name_or_path)}.{did_you_mean(name_or_path, shipped_ontologies())} Use a "
            f"built-in one ({', '.join(shipped_ontologies())}) or a file."
        )
    return _read(path)


def fitting(labels: Sequence[str]) -> Ontology | None:
    """Return the built-in ontology that covers all labels; None where none does.

    Where several do, it is the one with the fewest relations: the least said of
    what the system cannot answer. One relation at least must be among the labels.
    """
    ontologies = [_shipped(name) for name in shipped_ontologies()]
    covering = [
        ontology
        for ontology in ontologies
        if not ontology.missing(labels) and not all(map(ontology.is_none, labels))
    ]
    return min(covering, key=lambda ontology: len(ontology.relations), default=None)


def ontology_for(name: str, labels: Sequence[str], where: str) -> Ontology:
    """Return what a system's labels mean: by the named ontology or file, or the built-in that fits.

    ``labels`` are all that the system can predict, empty where it does not say; no other is ever
    expected. Raises UsageError: no ontology has that name. Raises CannotJudge: labels are not
    covered, or nothing says what they mean.
    """
    if not name and not labels:
        raise CannotJudge(
            f"{where} does not list its labels. Define them with --ontology "
            f"({', '.join(shipped_ontologies())}, or your own file)."
        )
    ontology = open_ontology(name) if name else fitting(labels)
    if ontology is None:
        raise CannotJudge(f"{where}: {_nearest(labels)}")
    missing = ontology.missing(labels)
    if missing:
        raise CannotJudge(
            f"{where}: ontology {ontology.name} does not cover {_counted(missing, labels)}. Use "
            f"another --ontology, or a file that covers them: {page('ontologies')}"
        )
    return msgspec.structs.replace(ontology, answers=frozenset(labels))


def _nearest(labels: Sequence[str]) -> str:
    """Report that no built-in ontology covers the labels, and what the nearest lacks."""
    ontologies = [_shipped(name) for name in shipped_ontologies()]
    nearest = min(ontologies, key=lambda ontology: len(ontology.missing(labels)))
    missing = nearest.missing(labels)
    lacks = ""
    if len(missing) == len(labels):
        lacks = f": none covers {_counted(missing, labels)}"
    elif missing:
        lacks = f" (the closest, {nearest.name}, does not cover {_counted(missing, labels)})"
    return (
        f"no built-in ontology defines its labels{lacks}. Write one and pass it with "
        f"--ontology FILE: {page('ontologies')}"
    )


def _counted(missing: Sequence[str], labels: Sequence[str]) -> str:
    more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
    named = ", ".join(map(shown, missing[:NAMED]))
    return f"{len(missing)} of {len(labels)} labels: {named}{more}"


@cache
def _shipped(name: str) -> Ontology:
    return _read(_SHIPPED / f"{name}.json")


def _read(path: Path) -> Ontology:
    data = read_bytes(path, limit=LARGEST, cause=_CAUSE)
    format_number = decode_json(data, dict[str, Any], path=path, cause=_CAUSE).get("format")
    if format_number != FORMAT or isinstance(format_number, bool):
        raise CannotJudge(
            f"{path} has ontology format {quoted(format_number, 20)}, but this release reads "
            f"{FORMAT}. {_CAUSE}"
        )
    file = decode_json(data, _File, path=path, cause=_CAUSE)
    ontology = Ontology(
        name=file.name,
        none=file.none,
        directed=file.directed,
        relations=file.relations,
        digest=hashlib.sha256(data).hexdigest(),
    )
    wrong = [*faults(ontology)]
    if wrong:
        more = f" (and other faults: {len(wrong) - 1})" if len(wrong) > 1 else ""
        raise CannotJudge(f"{path}: {wrong[0]}{more}. {_CAUSE}")
    return ontology


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long, or with a null character
        return False
