"""Which of a relation's groups a suite takes, and its counts of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mt_gate.domain import Group
from mt_gate_suites.caps import Caps, LeftOut, RecipeCaps
from mt_gate_suites.drawing import Drawing
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
