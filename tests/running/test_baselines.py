"""The baseline of a run: read where one is named, held against the suite before a run asks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from baselines.made import measured
from making import SENTENCES, make_suite
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.baselines.schema import Baseline, BaselineSource
from mt_gate.baselines.writing import build_baseline, format_baseline, record_alone
from mt_gate.domain import Verdict
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.results.result import GroupRow
from mt_gate.running.preparing import check_baseline, load_baseline
from mt_gate.settings.record import Settings
from mt_gate.suites.format import Suite, read_suite
from mt_gate.suites.relations import relations_in

NOTHING = BaselineSource()


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return read_suite(make_suite(tmp_path / "suite", SENTENCES[:6]))


def row(row_id: str, relation: str, source: str, **more: Any) -> GroupRow:
    return GroupRow(
        id=row_id,
        relation=relation,
        source_id=source,
        verdict=Verdict.SATISFIED,
        source={"text": "A."},
        follow_up={"text": "B."},
        **more,
    )


def rows_of(suite: Suite) -> list[GroupRow]:
    stated = [row(group.id, group.relation, group.source) for group in suite.groups]
    bound = [
        row(f"{source.id}-shuffled", "ner/entity-shuffle", source.id, bound=True)
        for source in suite.sources
    ]
    return stated + bound


def recorded(suite: Suite, rows: Sequence[GroupRow], **changed: Any) -> Baseline:
    run = measured([*rows], suite=suite.identity)
    settings = msgspec.structs.replace(run.result.settings, **changed)
    result = msgspec.structs.replace(run.result, settings=settings)
    return build_baseline([run._replace(result=result)], "ner")


def relations(suite: Suite) -> tuple[MetamorphicRelation, ...]:
    return tuple(relations_in(suite.head).values())


def loaded(
    suite: Suite, path: Path | None, source: BaselineSource = NOTHING, **settings: Any
) -> Baseline | None:
    asked = Settings(
        checkpoint="models/ner", task="ner", suite="made-up", baseline=path, **settings
    )
    return load_baseline(asked, suite, relations(suite), source)


def test_a_baseline_of_the_suite_is_read_from_its_file(suite: Suite, tmp_path: Path) -> None:
    path, baseline = tmp_path / "ner.json", recorded(suite, rows_of(suite))
    record_alone(path, baseline)
    assert loaded(suite, path) == baseline
    assert loaded(suite, None) is None


def test_what_stands_in_for_the_file_is_read_instead(suite: Suite, tmp_path: Path) -> None:
    baseline = recorded(suite, rows_of(suite))
    source = BaselineSource(data=format_baseline(baseline), commit="0123456789")
    path = tmp_path / "gone.json"
    assert loaded(suite, path, source) == baseline
    assert loaded(suite, path, source, record_missing=True) == baseline
    with pytest.raises(CannotJudge, match=r"gone\.json of base commit 0123456: empty"):
        loaded(suite, path, source._replace(data=b""))


def test_a_missing_file_is_recorded_or_told(suite: Suite, tmp_path: Path) -> None:
    path = tmp_path / "ner.json"
    assert loaded(suite, path, record_missing=True) is None
    with pytest.raises(CannotJudge, match=r"ner\.json"):
        loaded(suite, path)
    with pytest.raises(UsageError, match="baseline name 'a b'"):
        loaded(suite, tmp_path / "a b.json", record_missing=True)


def test_a_baseline_covers_the_groups_of_the_suite_and_the_sources_that_bind(
    suite: Suite,
) -> None:
    rows = rows_of(suite)
    check_baseline(recorded(suite, rows), suite, relations(suite), "b.json")
    with pytest.raises(CannotJudge, match=r"b\.json: ner/structural: 1 of this run's 6 groups"):
        check_baseline(recorded(suite, rows[1:]), suite, relations(suite), "b.json")
    with pytest.raises(CannotJudge, match="ner/entity-shuffle: 1 of this run's 6 sources"):
        check_baseline(recorded(suite, rows[:-1]), suite, relations(suite), "b.json")


def test_a_run_that_says_it_was_whole_and_was_not_cannot_judge(suite: Suite) -> None:
    rows = [item for item in rows_of(suite) if not item.bound]
    structural = relations(suite)[:1]
    check_baseline(recorded(suite, rows, complete=False), suite, structural, "b.json")
    with pytest.raises(CannotJudge) as told:
        check_baseline(recorded(suite, rows), suite, structural, "b.json")
    assert str(told.value) == (
        "b.json: says that its run was whole, of ner/structural; suite made-up has ner/structural, "
        "ner/entity-shuffle; record a new baseline with mt-gate baseline record"
    )
    with pytest.raises(CannotJudge, match="its run was partial, of ner/structural, ner/entity-"):
        check_baseline(recorded(suite, rows_of(suite), complete=False), suite, structural, "b.json")
