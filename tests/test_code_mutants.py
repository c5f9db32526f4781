"""What benchmarks/code_mutants.py mutates, which tests meet it, and how it draws and counts."""

from __future__ import annotations

import re
from collections import Counter

import documents
from code_mutants import (
    AREAS,
    KILLED,
    LIVED,
    TESTS,
    TOO_SLOW,
    area_of,
    configuration,
    draw,
    file_of,
    in_order,
    table,
)

PACKAGE = documents.ROOT / "runner" / "mt_gate"


def made(module: str, number: int) -> list[str]:
    return [f"mt_gate.{module}.x_f__mutmut_{at}" for at in range(number)]


EVERY = [
    *made("judging.rates", 60),
    *made("judging.looks", 20),
    *made("baselines.diff", 20),
    *made("running.baselines", 20),
    *made("running.evaluation", 40),
    *made("domain", 40),
]


def test_what_is_named_is_there() -> None:
    assert all([*PACKAGE.glob(pattern)] for patterns in AREAS.values() for pattern in patterns)
    assert all((documents.ROOT / path).exists() for path in TESTS)
    for test in TOO_SLOW:
        path, _, name = test.partition("::")
        assert path.startswith(TESTS)
        assert re.search(
            rf"^def {name}\(", (documents.ROOT / path).read_text("utf-8"), re.MULTILINE
        )


def test_a_mutant_is_of_its_file_and_area() -> None:
    method = "mt_gate.running.evaluation.x\u01c1_Judge\u01c1built__mutmut_2"
    assert (file_of(method), area_of(method)) == ("running/evaluation.py", "binding")
    assert area_of("mt_gate.running.preparing.x_named__mutmut_1") == "baselines"
    assert area_of("mt_gate.relations.ner.mentions.x_core__mutmut_1") == "span mapping"


def test_tests_of_the_mutant_s_own_file_come_first_and_short_ones_before_long() -> None:
    seconds = {
        "tests/judging/test_rates.py::test_a": 2.0,
        "tests/judging/test_rates.py::test_b": 1.0,
        "tests/judging/test_looks.py::test_c": 0.1,
        "tests/judging/test_churn_rates.py::test_d": 0.2,
    }
    ordered = in_order(EVERY[0], seconds, seconds)
    assert [name[-1] for name in ordered] == [*"bacd"]


def test_each_area_has_its_share_of_a_draw_and_the_same_each_time() -> None:
    drawn = draw(EVERY, 50, seed=3)
    assert Counter(map(area_of, drawn)) == {
        "judging": 20, "baselines": 10, "binding": 10, "span mapping": 10,
    }  # fmt: skip
    assert drawn == draw(reversed(EVERY), 50, seed=3)
    assert drawn != draw(EVERY, 50, seed=4)
    assert set(drawn) < set(draw(EVERY, 60, seed=3))
    assert sorted(draw(EVERY, 1000, seed=3)) == sorted(EVERY)


def test_the_table_adds_up() -> None:
    states = [*KILLED, *LIVED]
    found = {name: states[at % len(states)] for at, name in enumerate(draw(EVERY, 100, seed=1))}
    head, *rows = (re.split(r" {2,}", line.strip()) for line in table(EVERY, found))
    assert head == ["mutants", "drawn", *states]
    counts = {row: [int(figure) for figure in figures] for row, *figures in rows}
    assert [*counts][:3] == ["judging", "judging/looks.py", "judging/rates.py"]
    for area in AREAS:
        files = [figures for row, figures in counts.items() if row != area and area_in(row) == area]
        assert counts[area] == [sum(column) for column in zip(*files, strict=True)]
    assert counts["all"] == [200, 100, 25, 25, 25, 25]


def area_in(row: str) -> str:
    return area_of(f"mt_gate.{row.removesuffix('.py').replace('/', '.')}.x_") if "." in row else ""


def test_mutmut_is_told_of_the_copy_alone() -> None:
    told = configuration()["mutmut"]
    assert told["source_paths"] == "src"
    assert all(line.startswith("src/mt_gate/") for line in told["only_mutate"].splitlines())
    assert "src tests" in told["pytest_add_cli_args"]
