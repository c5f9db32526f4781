"""Counts of rows per relation, with what the suite says of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from making_stated import write_stated
from mt_gate.domain import EntityError, ErrorCategory, NotApplicable, Verdict
from mt_gate.results.result import GroupRow, Precision, RelationWords
from mt_gate.running.measuring import count_all, described, overall
from mt_gate.suites.format import read_suite

STATED = {name: {"kind": "within", "label": "toxic", "by": 0.1} for name in ("text/a", "text/b")}


def test_counts_have_what_the_suite_says_of_its_own_relations(tmp_path: Path) -> None:
    pairs = [({"text": "One."}, {"text": "Two."})]
    suite = read_suite(write_stated(tmp_path / "suite", "text", STATED, pairs, labels=("toxic",)))
    precision = Precision(read=10, acceptable=9, interval=(0.6, 1.0), sheet="a sheet")
    stated, read = suite.head.relations
    head = msgspec.structs.replace(
        suite.head,
        relations=(stated, msgspec.structs.replace(read, precision=precision, output=None)),
    )
    counted = count_all(["text/a", "text/b"], [])
    first, second = described(counted, msgspec.structs.replace(suite, head=head))
    assert (first.id, first.precision) == ("text/a", None)
    assert first.words == RelationWords(
        title="Title of text/a",
        description="What text/a asks.",
        before="before it",
        after="after it",
    )
    assert (second.id, second.precision, second.words) == ("text/b", precision, None)


def row(verdict: Verdict, reason: str = "", **told: Any) -> GroupRow:
    return GroupRow(
        id="1f",
        relation="ner/entity-shuffle",
        source_id="a",
        verdict=verdict,
        source={"text": "Anna met Boris."},
        reason=reason,
        **told,
    )


def test_a_relation_counts_verdicts_reasons_and_errors() -> None:
    error = EntityError(category=ErrorCategory.INCORRECT_CATEGORY)
    held = row(Verdict.SATISFIED, unstable=True)
    reasons = (NotApplicable.VACUOUS, NotApplicable.NO_FOLLOW_UP, NotApplicable.TRUNCATED)
    unbuilt = [row(Verdict.NOT_APPLICABLE, reason) for reason in reasons]
    rows = [row(Verdict.VIOLATED, errors=(error,)), *unbuilt, held, held]
    counted, nothing = count_all(["ner/entity-shuffle", "ner/other"], rows)
    assert (counted.groups, counted.applicable, counted.violated) == (6, 3, 1)
    assert counted.violation_rate == pytest.approx(1 / 3)
    assert counted.not_applicable == {"no-follow-up": 1, "truncated": 1, "vacuous": 1}
    assert [*counted.not_applicable] == sorted(counted.not_applicable)
    assert counted.errors == {"incorrect-category": 1}
    assert counted.unstable == 2
    assert (nothing.groups, nothing.violation_rate, nothing.errors) == (0, None, {})
    total = overall([counted, counted, nothing])
    assert (total.applicable, total.violated, total.errors) == (6, 2, {"incorrect-category": 2})
    assert total.violation_rate == pytest.approx(1 / 3)
    assert overall([nothing]).violation_rate is None
