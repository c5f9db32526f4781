"""Limits on similar cases of a relation: a recipe's ``[caps]``. A missing cap is off."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from mt_gate.domain import Group
from mt_gate.relations.catalogue import BY_ID
from mt_gate_suites.measures.changed_words import Edit

Share = Annotated[float, Meta(gt=0, le=1)]
AtMost = Annotated[int, Meta(ge=1)]


class Caps(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Caps of a relation; None switches a cap off.

    ``edit_share`` is the largest share of a relation's cases that may have the same edit.
    ``taken_out_share`` and ``put_in_share`` limit the words that an edit removes and inserts, and
    ``marked_share`` the words that only the edited text marks, or marks differently. Edits that
    only move words or marks are exempt from the first three. Shares apply to a relation with a
    ``MetamorphicRelation.fixed_edit`` only if the recipe names it. One case of each edit always
    stays. ``groups_per_source`` is the most cases of one source, ``groups_per_text`` of one edited
    text, such as a passage with several questions. ``near_duplicates`` is the similarity from
    which only one of several texts is edited (``measures/near_duplicates.py``). Edits that remove
    the same word of ``alike`` count as one edit, whatever else they change.
    """

    edit_share: Share | None = None
    taken_out_share: Share | None = None
    put_in_share: Share | None = None
    marked_share: Share | None = None
    groups_per_source: AtMost | None = None
    groups_per_text: AtMost | None = None
    near_duplicates: Share | None = None
    alike: tuple[str, ...] | None = None


_SHARES = ("edit_share", "taken_out_share", "put_in_share", "marked_share")


class RecipeCaps(Caps, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Caps of all relations; ``relations`` has other caps for some relations, by id."""

    relations: Mapping[str, Caps] = {}

    def of(self, relation: str) -> Caps:
        """Return the caps of a relation."""
        of_all = {name: getattr(self, name) for name in Caps.__struct_fields__}
        if relation in BY_ID and BY_ID[relation].fixed_edit:
            of_all |= dict.fromkeys(_SHARES)
        own = msgspec.structs.asdict(self.relations.get(relation, Caps()))
        return Caps(**of_all | {name: value for name, value in own.items() if value is not None})


def counted(edit: Edit, caps: Caps) -> Edit:
    """Return the edit as it counts: "the same thing -> different things" may count as "same"."""
    words = edit.taken_out.split()
    word = next((word for word in caps.alike or () if word in words), None)
    return edit if word is None else Edit(word, "")


class LeftOut:
    """Reasons in ``suite.json`` why built cases are not in the suite."""

    NEAR_DUPLICATE = "near-duplicate text"
    SOURCE = "groups of one source"
    TEXT = "groups of one text"
    EDIT = "frequent edit"
    TAKEN_OUT = "frequent words taken out"
    PUT_IN = "frequent words put in"
    MARKED = "frequent words marked"
    NO_ROOM = "no room"
    REFUSED = "rejected by a reviewer"


class Described(NamedTuple):
    """A case with what caps count: its edited text, its edit, and the words newly marked."""

    group: Group
    text: str
    edit: Edit
    marked: str = ""


class Kind(NamedTuple):
    """Cases of one kind of edit in sampling order, and the most cases to take of them."""

    groups: Sequence[Described]
    room: int


class Taken(NamedTuple):
    """Cases within the caps, in sampling order, and the reason for each other case, by id."""

    groups: list[Described]
    left_out: dict[str, str]


class _Rule(NamedTuple):
    """A cap, the reason for the cases that it omits, and the function for a case's key.

    Cases with the same key count together; cases with an empty key do not count.
    """

    cap: str
    why: str
    key: Callable[[Described], str]


_RULES = (
    _Rule("groups_per_source", LeftOut.SOURCE, lambda one: one.group.source),
    _Rule("groups_per_text", LeftOut.TEXT, lambda one: one.text),
    _Rule(
        "edit_share",
        LeftOut.EDIT,
        lambda one: "" if one.edit.is_rearrangement else one.edit.name,
    ),
    _Rule("taken_out_share", LeftOut.TAKEN_OUT, lambda one: one.edit.taken_out),
    _Rule("put_in_share", LeftOut.PUT_IN, lambda one: one.edit.put_in),
    _Rule("marked_share", LeftOut.MARKED, lambda one: one.marked),
)


def within(kinds: Sequence[Kind], caps: Caps, before: Sequence[Described] = ()) -> Taken:
    """Return as many cases as the caps allow, in the passed order.

    Shares refer to all cases in the end, ``before`` included. Fewer cases lower the limits, so
    sampling repeats until the limits do not change.
    """
    total = len(before) + sum(min(kind.room, len(kind.groups)) for kind in kinds)
    limits = [_limit(rule, caps, total) for rule in _RULES]
    while True:
        taken = _drawn(kinds, limits, before, caps)
        total = len(before) + len(taken.groups)
        lower = [
            min(old, _limit(rule, caps, total)) for rule, old in zip(_RULES, limits, strict=True)
        ]
        if lower == limits:
            return taken
        limits = lower


def _limit(rule: _Rule, caps: Caps, total: int) -> float:
    """Return the most cases with the same key that a rule allows among ``total`` cases."""
    most: float | None = getattr(caps, rule.cap)
    if most is None:
        return math.inf
    # Round first, because 0.29 * 100 is less than 29.
    return max(1, math.floor(round(most * total, 6))) if rule.cap in _SHARES else most


def _drawn(
    kinds: Sequence[Kind], limits: Sequence[float], before: Sequence[Described], caps: Caps
) -> Taken:
    def keys_of(one: Described) -> list[tuple[str, str]]:
        as_counted = one._replace(edit=counted(one.edit, caps))
        return [(rule.why, rule.key(as_counted)) for rule in _RULES]

    counts = Counter(key for one in before for key in keys_of(one))
    taken: list[Described] = []
    left_out: dict[str, str] = {}
    for groups, room in kinds:
        free = room
        for one in groups:
            keys = keys_of(one)
            full = [
                why
                for (why, key), limit in zip(keys, limits, strict=True)
                if key and counts[why, key] >= limit
            ]
            if full or not free:
                left_out[one.group.id] = full[0] if full else LeftOut.NO_ROOM
                continue
            counts.update(keys)
            taken.append(one)
            free -= 1
    return Taken(taken, left_out)
