"""What an ontology must not say: faults that would make a relation expect nonsense.

Each fault is one clause that names the relation, what was found, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate.base.errors import quoted
from mt_gate.ontologies.ontology import ALL, BACKWARD, FORWARD, Ontology, RelationMeaning
from mt_gate.tasks.relation_extraction import ARGUMENTS, HEAD, TYPES

_LONGEST = 80


def faults(ontology: Ontology) -> Iterator[str]:
    """Yield what is wrong with an ontology: cycles, then the rest in the order of its relations."""
    if not ontology.name.strip() or len(ontology.name) > _LONGEST:
        yield f"name {shown(ontology.name)} must have 1 to {_LONGEST} characters"
    if not ontology.relations:
        yield "no relations, expected at least one"
    if ontology.none and ontology.none in ontology.relations:
        yield f"none {shown(ontology.none)} is listed among the relations: remove it there"
    if ontology.directed and ontology.none.endswith((FORWARD, BACKWARD)):
        yield f"none {shown(ontology.none)} has a direction, but 'no relation' has none"
    # First, since relations in a cycle have other faults that follow from it.
    yield from _cycles(ontology)
    for label, meaning in ontology.relations.items():
        yield from (f"{shown(label)}: {fault}" for fault in _of_one(ontology, label, meaning))


def shown(label: str) -> str:
    """Return a label as a message may hold it: quoted, of bounded length."""
    return quoted(label, _LONGEST)


def _of_one(ontology: Ontology, label: str, meaning: RelationMeaning) -> Iterator[str]:
    if not label.strip():
        yield "a relation without a name"
    if ontology.directed and label.endswith((FORWARD, BACKWARD)):
        yield "has a direction: name it without, because both directions are meant"
    for name, types in zip(ARGUMENTS, (meaning.head, meaning.tail), strict=True):
        unknown = [kind for kind in types if kind not in TYPES]
        if unknown:
            known = ", ".join(sorted(TYPES))
            yield f"{name} of unknown type {', '.join(map(shown, unknown[:5]))}. Known: {known}"
    if meaning.place not in ARGUMENTS:
        yield f"place {shown(meaning.place)} must be {' or '.join(ARGUMENTS)}"
    if meaning.symmetric and {*meaning.head} != {*meaning.tail}:
        yield (
            f"symmetric, with head {_listed(meaning.head)} and tail {_listed(meaning.tail)}: a "
            "symmetric relation needs the same types on both sides"
        )
    yield from _ways_back(ontology, label, meaning)
    yield from _coarser(ontology, meaning)
    yield from _shares(ontology, label, meaning)


def _ways_back(ontology: Ontology, label: str, meaning: RelationMeaning) -> Iterator[str]:
    """What is wrong with the relation from tail to head."""
    back = meaning.inverse or meaning.entails_back
    if not back:
        return
    field = "inverse" if meaning.inverse else "entails_back"
    if meaning.inverse and meaning.entails_back:
        yield "inverse and entails_back: omit one of them"
    if ontology.directed:
        yield f"{field} in a directed scheme, whose labels are each other's inverses: remove it"
    elif meaning.symmetric or back == label:
        yield (
            "its own inverse and antisymmetric: if the relation is symmetric, set symmetric "
            f"and no {field}"
        )
    elif back not in ontology.relations:
        yield f"{field} {shown(back)} is not a relation of this ontology"
    else:
        other = ontology.relations[back]
        if meaning.inverse and other.inverse != label:
            inverse = shown(other.inverse) if other.inverse else "none"
            yield (
                f"its inverse is {shown(back)}, whose inverse is {inverse}: make them each "
                "other's, or set entails_back if only one follows from the other"
            )
        if meaning.entails_back and label in (other.inverse, other.entails_back):
            yield f"entails_back {shown(back)}, which entails it in turn: set inverse in both"
        for one, two, which in (
            (meaning.head, other.tail, "head and tail"),
            (meaning.tail, other.head, "tail and head"),
        ):
            if one and two and not {*one} & {*two}:
                yield (
                    f"{which} of it and {shown(back)} have no type in common ({_listed(one)} "
                    f"and {_listed(two)}), although one is the other swapped"
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
                f"coarser {shown(meaning.coarser)} gives no type for its {meaning.place}: the "
                "place's type shows which relation is meant"
            )
        elif own and {*larger} <= {*own}:
            yield (
                f"coarser {shown(meaning.coarser)} has no {meaning.place} of a type that is not "
                f"its own ({_listed(larger)})"
            )


def _shares(ontology: Ontology, label: str, meaning: RelationMeaning) -> Iterator[str]:
    for field, named in (
        ("shares_head", meaning.shares_head),
        ("shares_tail", meaning.shares_tail),
    ):
        if named and not meaning.symmetric:
            yield f"{field} without symmetric: only a symmetric relation shares"
        for name in named:
            if name == label:
                yield f"{field} names itself: name another relation"
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
            yield f"coarser runs in a cycle: {listed}; a place cannot be larger than itself"
        done.update(path)


def _listed(types: tuple[str, ...]) -> str:
    return ", ".join(types) or "any"
