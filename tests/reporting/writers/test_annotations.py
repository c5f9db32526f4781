"""One annotation a relation, with figures and the way to the sentences, within GitHub's limits."""

from __future__ import annotations

import re

import pytest

from mt_gate.base.escaping import one_line
from mt_gate.reporting.writers.findings import MOST, Annotation, annotations_of, command
from mt_gate.results.result import Decision, GateVerdict, Result
from reporting import hostile_pages, made_up


def of(result: Result) -> list[Annotation]:
    return [*annotations_of(result, made_up.CATALOGUE, "ner", "mt-gate-out/report.html")]


def levels(result: Result) -> list[str]:
    return [annotation.level for annotation in of(result)]


def strict() -> Result:
    settings = made_up.settings(strict=True)
    return made_up.result(GateVerdict.INCONCLUSIVE, settings=settings, exit_code=1)


def test_it_agrees_with_the_exit_code() -> None:
    for verdict in GateVerdict:
        result = made_up.result(verdict)
        assert ("error" in levels(result)) == (result.exit_code != 0), verdict
    assert levels(strict()) == ["error", "error"]
    assert levels(made_up.result(GateVerdict.INCONCLUSIVE)) == ["warning", "warning"]


@pytest.mark.parametrize(("number", "shown"), [(MOST, MOST), (MOST + 1, MOST), (500, MOST)])
def test_what_is_beyond_githubs_limit_is_told_together(number: int, shown: int) -> None:
    compared = made_up.comparison(Decision.REGRESSION, 0.05)
    relations = tuple(made_up.relation(f"ner/{n}", 9, 3, compared) for n in range(number))
    found = of(made_up.result(relations=relations))
    assert len(found) == shown
    last = found[-1]
    if number > MOST:
        assert last.title == f"mt-gate ner: {number - MOST + 1} more relations"
        assert last.message.startswith(f"regression, ner/{MOST - 1}")
        assert "mt-gate-out/report.html" in last.message
    assert all(len(annotation.message) <= 1_000 for annotation in found)


def unescaped(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ",")):
        text = text.replace(code, character)
    return text.replace("%25", "%")


def test_a_command_is_one_line_that_reads_back() -> None:
    [line, _] = map(command, of(made_up.result()))
    level, title, message = re.fullmatch(r"::(\w+) title=([^:,]*)::(.*)", line).groups()
    [annotation, _] = of(made_up.result())
    assert level == "error"
    assert unescaped(title) == annotation.title
    assert unescaped(message) == annotation.message


def test_hostile_texts_stay_in_their_place() -> None:
    dealer = hostile_pages.Dealer(hostile_pages.TEXTS)
    lines = []
    for number in range(hostile_pages.ROUNDS):
        made = hostile_pages.material(dealer, "ner", number)
        found = annotations_of(made.result, made.catalogue, made.result.checkpoint.name, "out")
        lines += map(command, found)
    assert len(lines) > 50
    for line in lines:
        assert one_line(line) == line
        assert re.fullmatch(r"::(error|warning) title=[^:,]+::.+", line), line
        assert len(line) < 4_096
