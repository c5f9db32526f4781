"""What benchmarks/results/reviews.md says of readers, and what ships."""

from __future__ import annotations

import pytest

pytest.importorskip("spacy", reason="needs mt-gate[suite]")

from mt_gate.relations.base import is_known_answer
from mt_gate.suites.format import find_suite, read_suite, shipped_suites
from mt_gate_suites.audit.marked import ACCEPTED
from reading_table import PAGE, SHEETS, TABLES, WRITTEN, lines_of


@pytest.mark.parametrize("name", shipped_suites())
def test_what_readers_refused_has_left_the_suite(name: str) -> None:
    suite = read_suite(find_suite(name))
    ids = {group.id for group in suite.groups}
    sheets = lines_of(SHEETS / name) or lines_of(SHEETS)
    built = [item.id for item in suite.head.relations if not item.bound]
    lines = [line for relation in built for line in sheets.get(relation, [])]
    assert not [line.id for line in lines if line.mark != ACCEPTED and line.id in ids]
    accepted = [line for line in lines if line.mark == ACCEPTED and line.id in ids]
    assert len(accepted) > len(lines) / 2, "the sheets are of this suite"
    edited = [item for item in suite.head.relations if not is_known_answer(item.id)]
    sampled = {line.partition("\t")[0] for line in WRITTEN.read_text("utf-8").splitlines()}
    unsampled = [item.id for item in edited if not item.bound and not item.precision]
    unread = [relation for relation in unsampled if relation not in sampled]
    assert not unread, "mt-gate suite audit --read was not run on the suite that was built last"


@pytest.mark.parametrize("name", TABLES)
def test_the_page_has_what_the_sheets_say(name: str) -> None:
    shown = PAGE.read_text(encoding="utf-8").partition(f"<!-- table: {name} -->\n")[2]
    assert shown.partition("<!-- end -->")[0] == TABLES[name]()
