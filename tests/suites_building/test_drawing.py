"""Which of a relation's groups a suite takes, and its counts of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from mt_gate.base.errors import UsageError
from mt_gate.domain import Group
from mt_gate_suites.caps import Caps, LeftOut, RecipeCaps
from mt_gate_suites.drawing import Drawing
from mt_gate_suites.measures.bite import CHOOSING, REPORTING, Bite, Figures, RelationBite
from mt_gate_suites.recipe import CorpusFile, Recipe

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


def ids(drawn: list[Group]) -> list[str]:
    return [group.id for group in drawn]


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


def figures(groups: int, never: int) -> Figures:
    return Figures(
        groups=groups,
        never=never,
        compared=0,
        flips=0,
        judged=groups,
        violated=groups - never,
        violation_rate=None,
        flip_share=None,
        never_share=None,
    )


def chosen(folder: Path, use: str = CHOOSING, **more: Any) -> str:
    """Write figures of the relation; return the file's path."""
    relation = RelationBite(
        id=RELATION, figures=figures(60, 55), **{"strata": {}, "edits": {}, **more}
    )
    head: dict[str, Any] = {"format": 1, "use": use, "suite": "s", "version": "1", "sha256": "0"}
    bite = Bite(**head, checkpoints=(), relations=(relation,))
    (folder / "bite.json").write_bytes(msgspec.json.encode(bite))
    return str(folder / "bite.json")


def test_edits_that_nobody_violates_give_way_where_there_is_no_room(tmp_path: Path) -> None:
    never, once = figures(9, 9), figures(9, 8)
    file = chosen(tmp_path, edits={"film -> movie": never, "film -> picture": once})
    picture = {"text": "The picture was shot in Oslo."}
    biting = [msgspec.structs.replace(one, follow_up=picture) for one in groups("c", "d")]
    made = [*groups("a", "b"), *biting]
    assert ids(Drawing(recipe(bite=file)).drawn(made, INPUTS)) == ["a", "b", "c", "d"]
    drawing = Drawing(recipe(bite=file))
    assert ids(drawing.drawn(made, INPUTS, most=3)) == ["a", "c", "d"]
    assert drawing.left_out[RELATION] == {LeftOut.DULL: 1}
    few = chosen(tmp_path, edits={"film -> movie": figures(4, 4)})
    assert ids(Drawing(recipe(bite=few)).drawn(made, INPUTS, most=3)) == ["a", "b", "c"]


@pytest.mark.parametrize("text", ["", "{}", '{"format": 9}', "x" * 99, "[" * 9999])
def test_a_choice_by_what_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "bite.json").write_text(text)
    with pytest.raises(UsageError, match="suite bite SUITE --runs"):
        Drawing(recipe(bite=str(tmp_path / "bite.json")))


def test_no_choice_by_figures_that_are_to_be_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="figures for reporting"):
        Drawing(recipe(bite=chosen(tmp_path, use=REPORTING)))


def test_what_counts_as_one_edit_is_the_recipes() -> None:
    texts = {name: {"text": f"The film {name} was shot in Oslo."} for name in "abcd"}
    puts = ("movie", "show", "play", "song")
    made = [
        Group(
            id=name,
            relation=RELATION,
            source=name,
            follow_up={"text": text["text"].replace("film", new)},
        )
        for (name, text), new in zip(texts.items(), puts, strict=True)
    ]
    for alike, most in (((), 4), (("film",), 1)):
        caps = RecipeCaps(relations={RELATION: Caps(edit_share=0.25, alike=alike)})
        assert len(Drawing(recipe(caps=caps)).drawn(made, texts)) == most
