from __future__ import annotations

import ast
import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mt_gate
from mt_gate.base import figures


@pytest.mark.parametrize(
    ("rate", "shown"),
    [
        (None, "n/a"),
        (math.nan, "n/a"),
        (0.0, "0%"),
        (1.0, "100%"),
        (0.0004, "<0.1%"),
        (0.9996, ">99.9%"),
        (0.123, "12.3%"),
        (0.5, "50.0%"),
    ],
)
def test_percent(rate: float | None, shown: str) -> None:
    assert figures.percent(rate) == shown


@given(st.floats(0, 1))
def test_none_and_all_only_where_exactly_true(rate: float) -> None:
    assert (figures.percent(rate) == "0%") == (rate == 0)
    assert (figures.percent(rate) == "100%") == (rate == 1)
    assert figures.percent(rate) not in ("0.0%", "100.0%")


def test_intervals() -> None:
    assert figures.interval(None) == "n/a"
    assert figures.interval((-0.011, 0.054)) == "-1.1 to +5.4"
    assert figures.interval((math.inf, 0.0)) == "n/a"
    assert figures.change(0.02, (0.0, 0.04)) == "+2.0 pp (95% CI 0 to 4.0)"
    assert figures.change(None, None) == "n/a"
    assert figures.size_in_points(0.01) == "1.0 pp"


@pytest.mark.parametrize(
    ("p", "shown"),
    [(None, "n/a"), (0.0, "<0.001"), (0.0213, "0.021"), (0.9999, ">0.999"), (1.0, "1")],
)
def test_p_value(p: float | None, shown: str) -> None:
    assert figures.p_value(p) == shown


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_figure_and_its_limit_do_not_look_alike(one: float, other: float) -> None:
    decimals = figures.distinct_decimals(one, other)
    assert decimals >= 1
    for write in (figures.percent, figures.points, figures.size_in_points):
        alike = write(one, decimals) == write(other, decimals)
        assert not alike or abs(one - other) <= 2e-7, "less than a reader is told"
        assert write(one, 1) == write(one)
    if 0 < one < 1 and 0.001 < other < 0.999 and abs(one - other) > 2e-7:
        shown = figures.p_value(one, other)
        assert shown[0] in "<>" or float(shown) != round(other, decimals + 2)


def test_more_decimals_where_they_are_needed_alone() -> None:
    assert figures.p_value(0.0499, 0.05) == "0.0499"
    assert figures.p_value(0.00002, 0.05) == "<0.001"
    assert figures.percent(0.05004, figures.distinct_decimals(0.05004, 0.05)) == "5.004%"
    assert figures.percent(0.00001, 2) == "<0.01%"
    assert figures.points(-0.00001, 3) == "-0.001 pp"


def test_counts_and_quantities() -> None:
    assert figures.counted(1, "group") == "1 group"
    assert figures.counted(12345, "group") == "12,345 groups"
    assert figures.counted(2, "entity", "entities") == "2 entities"
    assert figures.quantity(None) == "n/a"
    assert figures.quantity(0.0) == "0.00"
    assert figures.quantity(0.001) == "<0.01"
    assert figures.setting(0.05) == "0.05"


WRITERS = (
    "commands",
    "demo.py",
    "doctor.py",
    "evaluating/judging.py",
    "evaluating/reports",
    "exporting/models.py",
    "github",
    "history",
    "judging/findings.py",
    "reporting",
)
_LAYOUT = re.compile(r"\.\d+|[<>^]?\d*[dsX]?")
"""Format specs that cut a text, pad a cell, or write a byte."""


def _writers(ending: str) -> list[Path]:
    package = Path(mt_gate.__file__).parent
    places = [package / name for name in WRITERS]
    assert all(place.exists() for place in places)
    return [
        path
        for place in places
        for path in ([place] if place.is_file() else place.rglob(f"*{ending}"))
        if path.name.endswith(ending)
    ]


def _formats(node: ast.AST) -> bool:
    """Whether a piece of code writes a number in a form of its own."""
    if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
        parts = node.format_spec.values
        constant = "".join(str(p.value) for p in parts if isinstance(p, ast.Constant))
        return not _LAYOUT.fullmatch(constant)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("round", "format")
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and isinstance(node.left, ast.Constant | ast.JoinedStr)
        and not (isinstance(node.left, ast.Constant) and isinstance(node.left.value, int | float))
    )


def test_no_writer_formats_a_number_by_itself() -> None:
    for path in _writers(".py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not _formats(node), f"{path}:{getattr(node, 'lineno', '')}"
    for path in _writers(".j2"):
        assert not re.search(r"\|\s*(round|format)\b", path.read_text("utf-8")), path
