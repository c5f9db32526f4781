"""Sources that are many are kept on disk, and are the same sources in each pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.base.errors import CannotJudge
from mt_gate.domain import Source
from mt_gate.suites import held_sources
from mt_gate.suites.format import SHIPPED, read_suite, write_suite
from mt_gate.suites.held_sources import (
    KeptSources,
    by_id,
    part_of_sources,
    some_by_id,
)

WHOLE = read_suite(SHIPPED / "intent-default")
SOURCES = tuple(
    Source(id=f"source {number}", input={"text": f"Text {number}."}, origin="made up")
    for number in range(10)
)


@pytest.fixture(params=[0, 3, held_sources.FEW])
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(held_sources, "FEW", request.param)
    monkeypatch.setattr(held_sources, "_AT_ONCE", 4)
    return int(request.param)


def test_they_are_the_sources(few: int) -> None:
    held = held_sources.held_sources(SOURCES)
    assert isinstance(held, KeptSources) == (few < len(SOURCES))
    assert (*held,) == (*held,) == SOURCES
    assert len(held) == len(SOURCES)
    assert SOURCES[3] in held
    assert "source 3" not in held
    known = by_id(held)
    assert dict(known) == {source.id: source for source in SOURCES}
    assert len(known) == len(SOURCES)
    assert "another" not in known
    with pytest.raises(KeyError):
        known["another"]
    assert some_by_id(known, ["source 4", "another", "source 1"]) == [SOURCES[4], SOURCES[1]]


@pytest.mark.usefixtures("few")
def test_all_that_are_wanted_are_what_is_held() -> None:
    held = held_sources.held_sources(SOURCES)
    assert part_of_sources(held, lambda _: True) is held
    some = part_of_sources(held, lambda source: source.id != "source 4")
    assert (*some,) == SOURCES[:4] + SOURCES[5:]
    assert len(some) == len(SOURCES) - 1


def test_a_suite_is_read_alike(few: int) -> None:
    read = read_suite(SHIPPED / "intent-default")
    assert isinstance(read.sources, KeptSources) == (few < len(read.sources))
    assert (*read.sources,) == (*WHOLE.sources,)
    assert read.identity == WHOLE.identity
    without = {corpus.name for corpus in WHOLE.head.sources[:1]}
    assert (*read.without(without).sources,) == (*WHOLE.without(without).sources,)


@pytest.mark.usefixtures("few")
def test_an_id_that_occurs_twice_is_told(tmp_path: Path) -> None:
    write_suite(tmp_path, WHOLE.head, [*WHOLE.sources, WHOLE.sources[0]], WHOLE.groups)
    with pytest.raises(CannotJudge, match="a source id occurs twice"):
        read_suite(tmp_path)
