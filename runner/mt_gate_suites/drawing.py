"""Choose the cases of a suite from the built cases."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from mt_gate.domain import Group
from mt_gate.tasks.spec import Input
from mt_gate.tasks.table import TASKS
from mt_gate_suites.caps import Caps, Described, Kind, LeftOut, within
from mt_gate_suites.measures.changed_words import edit_of, newly_marked
from mt_gate_suites.measures.near_duplicates import drop_near_duplicates
from mt_gate_suites.recipe import Recipe, refused_ids


class Drawing:
    """Samples the cases of one relation after another, and counts why others are omitted.

    ``left_out`` has these counts by relation and reason; relations without caps are not
    counted.
    """

    def __init__(self, recipe: Recipe) -> None:
        """Take the recipe, and read the ids of its rejected cases."""
        self._recipe = recipe
        self._refused = refused_ids(recipe)
        self._task = TASKS[recipe.task]
        self.left_out: dict[str, Counter[str]] = defaultdict(Counter)

    def drawn(
        self,
        groups: Iterable[Group],
        inputs: Mapping[str, Input],
        most: int | None = None,
        before: Sequence[Group] = (),
    ) -> list[Group]:
        """Return a relation's cases within the recipe's caps, without rejected ones.

        Each kind of edit (``Group.stratum``) may have an equal share of ``most``.

        Args:
            groups: built cases of one relation.
            inputs: inputs of all sources, by id.
            most: maximum cases; None for the recipe's number.
            before: cases of the relation that were taken before, from other corpora.
        """
        groups_by_id = {group.id: group for group in groups}
        if not groups_by_id:
            return []
        relation = next(iter(groups_by_id.values())).relation
        caps = self._recipe.caps.of(relation)
        # An id is a hash, so the first cases by id are a random sample, the same on any machine.
        order = [self._described(groups_by_id[name], inputs) for name in sorted(groups_by_id)]
        past = [self._described(group, inputs) for group in before]
        left_out = _near_duplicates(order, past, caps)
        order = [one for one in order if one.group.id not in left_out]
        taken = within(self._kinds(order, most), caps, past)
        read = [one for one in taken.groups if one.group.id not in self._refused]
        # Without the rejected ones an edit may exceed its share again; nothing is added.
        choice = within([Kind(read, len(read))], caps, past)
        refused = {one.group.id: LeftOut.REFUSED for one in taken.groups}
        left_out = refused | left_out | taken.left_out | choice.left_out
        names = {one.group.id for one in choice.groups}
        if caps != Caps():
            self.left_out[relation].update(
                left_out[name] for name in groups_by_id if name not in names
            )
        kinds = sorted({one.stratum for one in groups_by_id.values()})
        return [
            group
            for kind in kinds
            for name, group in groups_by_id.items()
            if name in names and group.stratum == kind
        ]

    def _described(self, group: Group, inputs: Mapping[str, Input]) -> Described:
        source = inputs[group.source]
        view = self._task.view(source, group.follow_up, group.alignment)
        edit = edit_of(self._task, source, group.follow_up)
        marked = newly_marked(self._task, source, group.follow_up)
        return Described(group, view.source, edit, marked)

    def _kinds(self, order: Sequence[Described], most: int | None) -> list[Kind]:
        """Return the kinds of edit in order, each with the most cases that it may have."""
        by_stratum: dict[str, list[Described]] = defaultdict(list)
        for one in order:
            by_stratum[one.group.stratum].append(one)
        room = (most or self._recipe.groups) // max(1, len(by_stratum))
        return [Kind(by_stratum[name], room) for name in sorted(by_stratum)]


def _near_duplicates(
    order: Sequence[Described], past: Sequence[Described], caps: Caps
) -> dict[str, str]:
    """Return the ids of cases whose texts are near duplicates of other texts, with the reason."""
    if caps.near_duplicates is None:
        return {}
    texts = drop_near_duplicates(
        (one.text for one in order), caps.near_duplicates, first=(one.text for one in past)
    )
    return {one.group.id: LeftOut.NEAR_DUPLICATE for one in order if one.text not in texts}
