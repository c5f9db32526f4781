"""A suite that another one holds whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mt_gate.base.errors import UsageError
from mt_gate.building.base_suite import with_base
from mt_gate.building.build import write_built
from mt_gate.building.builder_api import Built
from mt_gate.building.caps import RecipeCaps
from mt_gate.building.drawing import Drawing
from mt_gate.building.recipe import CorpusFile, Recipe, refused_ids
from mt_gate.domain import Block, Group, Source
from mt_gate.suites.format import group_id, read_suite

CORPUS = CorpusFile(name="c", file="c.txt", kind="text", licence="CC0", attribution="nobody")
RELATION, SHUFFLE = "ner/structural", "ner/entity-shuffle"


def recipe(name: str, **more: Any) -> Recipe:
    start: dict[str, Any] = {"name": name, "task": "ner", "version": "1", "seed": 1}
    return Recipe(**start, description="", corpus=(CORPUS,), **more)


def source(name: str, text: str, **more: Any) -> Source:
    return Source(id=name, input={"text": text}, origin="c", **more)


def group(of: Source) -> Group:
    follow_up = {"text": f"Is it true? {of.input['text']}"}
    return Group(
        id=group_id(RELATION, of.input, follow_up),
        relation=RELATION,
        source=of.id,
        follow_up=follow_up,
        alignment=(Block(0, 12, len(of.input["text"])),),
    )


def built(*sources: Source) -> Built:
    return Built((RELATION,), sources, [group(one) for one in sources], {}, {})


OSLO, ROME = source("a", "Ann lives in Oslo."), source("b", "Bob lives in Rome.")


@pytest.fixture
def base(tmp_path: Path) -> str:
    folder = tmp_path / "base"
    write_built(recipe("base"), built(OSLO, ROME), folder, {})
    return str(folder)


def test_its_groups_stay_and_others_stand_beside_them(base: str, tmp_path: Path) -> None:
    more = source("c", "Cid lives in Bonn.")
    deep = recipe("deep", base=base)
    write_built(deep, with_base(deep, built(more)), tmp_path / "deep", {})
    suite = read_suite(tmp_path / "deep")
    assert suite.groups[:2] == read_suite(Path(base)).groups
    assert [one.source for one in suite.groups] == ["a", "b", "c"]
    assert suite.head.relations[0].groups == 3


def test_a_source_of_both_is_taken_once_and_serves_what_either_says(base: str) -> None:
    again = source("a", OSLO.input["text"], bind=(SHUFFLE,))
    merged = with_base(recipe("deep", base=base), Built((RELATION, SHUFFLE), [again], [], {}, {}))
    assert [(one.id, one.bind) for one in merged.sources] == [("a", (SHUFFLE,)), ("b", ())]


def test_an_id_that_the_base_uses_for_another_input_is_changed(base: str) -> None:
    other = source("a", "Cid lives in Bonn.")
    merged = with_base(recipe("deep", base=base), built(other))
    assert [one.id for one in merged.sources] == ["a", "b", "deep: a"]
    assert [one.source for one in merged.groups] == ["a", "b", "deep: a"]


def test_what_has_a_text_of_the_base_is_of_its_cluster(base: str) -> None:
    twin = source("c", OSLO.input["text"])
    merged = with_base(recipe("deep", base=base), built(twin))
    assert [one.cluster for one in merged.sources] == ["", "", "a"]


def test_groups_of_the_base_are_not_drawn_again_but_count_for_caps(base: str) -> None:
    new = source("c", "Cid lives in Bonn.")
    drawing = Drawing(recipe("deep", base=base, caps=RecipeCaps(groups_per_source=1)))
    made = [group(OSLO), group(new)]
    assert drawing.drawn(made, {"a": OSLO.input, "c": new.input}) == [group(new)]


def test_what_was_refused_of_a_shipped_base_stays_out() -> None:
    refused = refused_ids(recipe("deep", base="ner-default"))
    assert refused == refused_ids(recipe("deep", base="ner-default", refused=""))
    assert len(refused) > 100


def test_a_base_that_is_not_there_is_told() -> None:
    with pytest.raises(UsageError, match="neither a shipped suite"):
        with_base(recipe("deep", base="no-such-suite"), built(OSLO))
