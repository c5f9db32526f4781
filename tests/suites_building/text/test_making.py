"""Groups made of sources: ids, alignments over all texts, sources that templates bring."""

from __future__ import annotations

from random import Random

from mt_gate.domain import Source
from mt_gate.relations.stated import Same
from mt_gate.suites.format import SuiteRelation, group_id
from mt_gate.tasks.table import TASKS
from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.own.relations_file import Template
from mt_gate_suites.own.rules import templates_of
from mt_gate_suites.text.catalogue import BY_NAME
from mt_gate_suites.text.making import Planned, made
from mt_gate_suites.text.transformation import OfText

TASK = TASKS["text"]
STATED = SuiteRelation(id="text/marked", groups=0, sources=0, title="Marked", output=Same())


def marked(text: str, _: Random) -> list[Rewrite]:
    return [edited(text, [(1, 2, "+")])] if len(text) > 1 else []


def source(name: str, **texts: str) -> Source:
    return Source(id=name, input=texts, origin="made up")


def test_an_edit_of_the_first_text_leaves_the_second() -> None:
    sources = [source("a", text="abc", second="xyz"), source("b", text="q")]
    actual = made(Planned(STATED, OfText(marked)), sources, TASK, None, 1)
    (group,) = actual.groups
    assert group.follow_up == {"text": "a+c", "second": "xyz"}
    assert group.alignment == ((0, 0, 1), (2, 2, 5))
    assert group.id == group_id("text/marked", sources[0].input, group.follow_up)
    assert actual.sources == []


def test_an_edit_of_the_second_text_leaves_the_first() -> None:
    sources = [source("a", text="abc", second="xyz"), source("b", text="qrs")]
    actual = made(Planned(STATED, OfText(marked), edits="second"), sources, TASK, None, 1)
    (group,) = actual.groups
    assert group.follow_up == {"text": "abc", "second": "x+z"}
    assert group.alignment == ((0, 0, 5), (6, 6, 1))


def test_pairs_alone_change_places() -> None:
    sources = [source("a", text="abc", second="x"), source("b", text="q")]
    stated = BY_NAME["pair-order"].stated("text", Same())
    actual = made(Planned(stated, BY_NAME["pair-order"].transformation), sources, TASK, None, 1)
    assert [group.follow_up for group in actual.groups] == [{"text": "x", "second": "abc"}]


def test_templates_bring_their_sources() -> None:
    stated = Template(source="{who} are good", follow_up="{who} are not good")
    planned = Planned(STATED, templates_of(stated, {"who": ("cats", "dogs")}, "f"))
    actual = made(planned, [], TASK, None, 1)
    assert {group.source for group in actual.groups} == {one.id for one in actual.sources}
    assert len(actual.groups) == 2
    assert all(one.origin == "templates" for one in actual.sources)
    assert actual == made(planned, [], TASK, None, 1)


def test_the_same_follow_up_is_one_group() -> None:
    twice = OfText(lambda text, _: marked(text, Random(0)) * 2)
    actual = made(Planned(STATED, twice), [source("a", text="abc")], TASK, None, 1)
    assert len(actual.groups) == 1
