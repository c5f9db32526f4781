"""Which of a relation's groups a suite takes, and what it tells of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mt_gate.building.caps import Caps, LeftOut, RecipeCaps
from mt_gate.building.drawing import Drawing
from mt_gate.building.recipe import CorpusFile, Recipe
from mt_gate.domain import Group

CORPUS = CorpusFile(name="c", file="c.txt", kind="text", licence="CC0", attribution="nobody")
RELATION = "ner/structural"
SOURCE = {"text": "The film was shot in Oslo."}
MOVIE = {"text": "The movie was shot in Oslo."}
INPUTS = {"s": SOURCE}


def recipe(**more: Any) -> Recipe:
    start: dict[str, Any] = {"name": "r", "task": "ner", "version": "1", "seed": 1}
    return Recipe(**start, description="", corpus=(CORPUS,), **more)


def groups(*names: str, stratum: str = "", source: str = "s") -> list[Group]:
    return [
        Group(id=name, relation=RELATION, source=source, follow_up=MOVIE, stratum=stratum)
        for name in names
    ]


def ids(found: list[Group]) -> list[str]:
    return [group.id for group in found]


def test_groups_are_drawn_by_their_ids_and_keep_their_order() -> None:
    made = groups("d", "a", "c", "b", "a")
    assert ids(Drawing(recipe(groups=3)).drawn(made, INPUTS)) == ["a", "c", "b"]
    assert ids(Drawing(recipe(groups=3)).drawn(made, INPUTS, most=1)) == ["a"]
    drawing = Drawing(recipe())
    assert ids(drawing.drawn(made, INPUTS)) == ["d", "a", "c", "b"]
    assert drawing.drawn([], INPUTS) == []
    assert not drawing.left_out


def test_kinds_of_edit_have_equal_shares() -> None:
    made = [*groups("a", "b", "c", stratum="x"), *groups("d", "e", stratum="w")]
    assert ids(Drawing(recipe(groups=5)).drawn(made, INPUTS)) == ["d", "e", "a", "b"]


def test_nothing_takes_the_place_of_a_refused_group(tmp_path: Path) -> None:
    refused = tmp_path / "refused.tsv"
    refused.write_text("a\tno name\n\nz\tnot here\n")
    made = groups("d", "a", "c", "b")
    left = Drawing(recipe(groups=3, refused=str(refused))).drawn(made, INPUTS)
    assert ids(left) == ["c", "b"]
    caps = RecipeCaps(groups_per_source=3)
    drawing = Drawing(recipe(refused=str(refused), caps=caps))
    assert ids(drawing.drawn(made, INPUTS)) == ["c", "b"]
    assert drawing.left_out[RELATION] == {LeftOut.REFUSED: 1, LeftOut.SOURCE: 1}


def test_caps_are_those_of_the_relation() -> None:
    own = {RELATION: Caps(groups_per_source=1)}
    drawing = Drawing(recipe(caps=RecipeCaps(groups_per_source=2, relations=own)))
    assert ids(drawing.drawn(groups("b", "a"), INPUTS)) == ["a"]
    assert drawing.left_out[RELATION] == {LeftOut.SOURCE: 1}


def test_near_duplicates_are_edited_once() -> None:
    start = "The film of the river that flows through the old town was shot in "
    inputs = {name: {"text": start + f"{name}."} for name in ("Oslo", "Rome", "Paris")}
    made = [group for name in inputs for group in groups(f"1 {name}", f"2 {name}", source=name)]
    drawing = Drawing(recipe(caps=RecipeCaps(near_duplicates=0.6)))
    kept = drawing.drawn(made, inputs)
    assert len({group.source for group in kept}) == 1
    assert len(kept) == 2
    assert drawing.left_out[RELATION] == {LeftOut.NEAR_DUPLICATE: 4}
    others = [name for name in inputs if name != kept[0].source]
    more = groups("3", source=others[0])
    assert drawing.drawn(more, inputs, before=kept) == []
