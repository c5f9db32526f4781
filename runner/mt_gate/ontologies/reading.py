"""Read ontology files: built-in ones and the user's own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, did_you_mean, page, quoted
from mt_gate.base.figures import counted
from mt_gate.base.files import decode_format, read_whole
from mt_gate.ontologies.ontology import ALL, BACKWARD, FORWARD, Ontology, RelationMeaning
from mt_gate.tasks.relation_extraction import ARGUMENTS, HEAD, TYPES

FORMAT = 1
LARGEST = 1 << 20
"""Maximum bytes of an ontology file."""
NAMED = 50
"""Maximum labels in a message; the rest are counted."""

_LONGEST_SHOWN = 80
"""Maximum characters of a label in a message."""
_SHIPPED = Path(__file__).parent / "data"
_CAUSE = f"Fix the file. Its format: {page('ontologies')}"


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of an ontology file."""

    format: int
    name: str
    none: str
    directed: bool
    relations: dict[str, RelationMeaning]


def shipped_ontologies() -> list[str]:
    """Return the names of the built-in ontologies."""
    return sorted(path.stem for path in _SHIPPED.glob("*.json"))


def shipped_mappings() -> dict[str, Path]:
    """Return the built-in tables that rename the labels of one scheme, by name."""
    return {path.stem: path for path in sorted(_SHIPPED.glob("*.tsv"))}


def open_ontology(name_or_path: str) -> Ontology:
    """Return a built-in ontology or a user's ontology, checked, with its digest.

    Raises UsageError: it is neither a built-in ontology nor a file. CannotJudge: the file is
    unreadable, of a later format, not of the expected form, or inconsistent.
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
    """Return the built-in ontology that covers all labels; None if none does.

    If several do, return the one with the fewest relations. At least one label must be a relation.
    """
    ontologies = [_shipped(name) for name in shipped_ontologies()]
    covering = [
        ontology
        for ontology in ontologies
        if not ontology.missing(labels) and not all(map(ontology.is_no_relation, labels))
    ]
    return min(covering, key=lambda ontology: len(ontology.relations), default=None)


def ontology_for(name: str, labels: Sequence[str], where: str) -> Ontology:
    """Return the ontology for a system's labels: the named one, or the built-in one that fits.

    ``labels`` are all labels that the system can predict, empty if unknown; no other label is
    expected. Raises UsageError: no ontology has that name. CannotJudge: the ontology does not cover
    the labels, or no built-in one fits.
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
    """Return a message: no built-in ontology covers the labels; it names the closest, if any."""
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
    return f"{len(missing)} of {counted(len(labels), 'label')}: {named}{more}"


@cache
def _shipped(name: str) -> Ontology:
    return _read(_SHIPPED / f"{name}.json")


def _read(path: Path) -> Ontology:
    data = read_whole(path, limit=LARGEST, cause=_CAUSE)
    file = decode_format(data, _File, path=path, what="ontology", latest=FORMAT, cause=_CAUSE)
    ontology = Ontology(
        name=file.name,
        none=file.none,
        directed=file.directed,
        relations=file.relations,
        digest=hashlib.sha256(data).hexdigest(),
    )
    wrong = [*faults(ontology)]
    if wrong:
        more = f" (and {len(wrong) - 1} more problems)" if len(wrong) > 1 else ""
        raise CannotJudge(f"{path}: {wrong[0]}{more}. {_CAUSE}")
    return ontology


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long, or with a null character
        return False


def faults(ontology: Ontology) -> Iterator[str]:
    """Yield the faults of an ontology: general ones, cycles, then those of each relation."""
    if not ontology.name.strip() or len(ontology.name) > _LONGEST_SHOWN:
        yield f"name {shown(ontology.name)} must have 1 to {_LONGEST_SHOWN} characters"
    if not ontology.relations:
        yield "it has no relations, expected at least one"
    if ontology.none and ontology.none in ontology.relations:
        yield f"none {shown(ontology.none)} is also a relation: remove it from the relations"
    if ontology.directed and ontology.none.endswith((FORWARD, BACKWARD)):
        yield f"none {shown(ontology.none)} has a direction, but 'no relation' cannot have one"
    # Cycles come first, because they cause further faults in their relations.
    yield from _cycles(ontology)
    for label, meaning in ontology.relations.items():
        yield from (
            f"{shown(label)}: {fault}" for fault in _find_relation_faults(ontology, label, meaning)
        )


def shown(label: str) -> str:
    """Return a label for a message, quoted and shortened."""
    return quoted(label, _LONGEST_SHOWN)


def _find_relation_faults(
    ontology: Ontology, label: str, meaning: RelationMeaning
) -> Iterator[str]:
    if not label.strip():
        yield "the relation has no name"
    if ontology.directed and label.endswith((FORWARD, BACKWARD)):
        yield "the name has a direction, but the entry is for both directions: remove it"
    for name, types in zip(ARGUMENTS, (meaning.head, meaning.tail), strict=True):
        unknown = [kind for kind in types if kind not in TYPES]
        if unknown:
            known = ", ".join(sorted(TYPES))
            yield f"unknown {name} type {', '.join(map(shown, unknown[:5]))}. Known: {known}"
    if meaning.place not in ARGUMENTS:
        yield f"place {shown(meaning.place)} must be {' or '.join(ARGUMENTS)}"
    if meaning.symmetric and {*meaning.head} != {*meaning.tail}:
        yield (
            f"a symmetric relation needs the same types on both sides, but head is "
            f"{_listed(meaning.head)} and tail is {_listed(meaning.tail)}"
        )
    yield from _ways_back(ontology, label, meaning)
    yield from _coarser(ontology, meaning)
    yield from _shares(ontology, label, meaning)


def _ways_back(ontology: Ontology, label: str, meaning: RelationMeaning) -> Iterator[str]:
    """Yield faults of ``inverse`` and ``entails_back``."""
    back = meaning.inverse or meaning.entails_back
    if not back:
        return
    field = "inverse" if meaning.inverse else "entails_back"
    if meaning.inverse and meaning.entails_back:
        yield "it has both inverse and entails_back: omit one of them"
    if ontology.directed:
        yield f"remove {field}: in a directed scheme, the two labels are each other's inverses"
    elif meaning.symmetric or back == label:
        yield (
            f"{field} names the relation itself: if it is symmetric, set symmetric and no {field}"
        )
    elif back not in ontology.relations:
        yield f"{field} {shown(back)} is not a relation of this ontology"
    else:
        other = ontology.relations[back]
        if meaning.inverse and other.inverse != label:
            inverse = shown(other.inverse) if other.inverse else "none"
            yield (
                f"its inverse is {shown(back)}, but the inverse of that is {inverse}: make them "
                "inverses of each other, or set entails_back if only one follows from the other"
            )
        if meaning.entails_back and label in (other.inverse, other.entails_back):
            yield f"{shown(back)} and it entail each other: set inverse in both"
        for one, two, which in (
            (meaning.head, other.tail, ("head", "tail")),
            (meaning.tail, other.head, ("tail", "head")),
        ):
            if one and two and not {*one} & {*two}:
                yield (
                    f"its {which[0]} and the {which[1]} of {shown(back)} are the same entity, but "
                    f"have no type in common ({_listed(one)} and {_listed(two)})"
                )


def _coarser(ontology: Ontology, meaning: RelationMeaning) -> Iterator[str]:
    if not meaning.coarser:
        return
    target = ontology.relations.get(meaning.coarser)
    if target is None:
        yield f"coarser {shown(meaning.coarser)} is not a relation of this ontology"
    elif meaning.place in ARGUMENTS:
        at_head = meaning.place == HEAD
        own = meaning.head if at_head else meaning.tail
        larger = target.head if at_head else target.tail
        if not larger:
            yield (
                f"coarser {shown(meaning.coarser)} has no type for its {meaning.place}: add it, "
                "because it shows which relation is meant"
            )
        elif own and {*larger} <= {*own}:
            yield (
                f"coarser {shown(meaning.coarser)} has the same {meaning.place} types "
                f"({_listed(larger)}): add a type of a larger place"
            )


def _shares(ontology: Ontology, label: str, meaning: RelationMeaning) -> Iterator[str]:
    for field, named in (
        ("shares_head", meaning.shares_head),
        ("shares_tail", meaning.shares_tail),
    ):
        if named and not meaning.symmetric:
            yield f"{field} is only for a symmetric relation: set symmetric, or remove {field}"
        for name in named:
            if name == label:
                yield f"{field} names the relation itself: name another one"
            elif name != ALL and name not in ontology.relations:
                yield f"{field} {shown(name)} is not a relation of this ontology"


def _cycles(ontology: Ontology) -> Iterator[str]:
    """Yield each cycle of coarser relations once."""
    done: set[str] = set()
    for start in ontology.relations:
        path: dict[str, None] = {}
        label = start
        while label in ontology.relations and label not in done and label not in path:
            path[label] = None
            label = ontology.relations[label].coarser
        if label in path:
            steps = [*path]
            cycle = [*steps[steps.index(label) :], label]
            listed = " -> ".join(map(shown, cycle if len(cycle) <= 12 else [*cycle[:11], "..."]))
            yield f"coarser has a cycle, but a place cannot be larger than itself: {listed}"
        done.update(path)


def _listed(types: tuple[str, ...]) -> str:
    return ", ".join(types) or "any"
