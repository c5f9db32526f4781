"""A result and its rows: each names the other, and what was changed is not believed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cases import table
from mt_gate.base import escaping
from mt_gate.base.errors import CannotJudge
from mt_gate.results.result import GroupRow
from mt_gate.results.store import (
    GROUPS,
    RESULT,
    read_all_rows,
    read_result,
    read_rows,
    shown,
    write_result,
    write_rows,
)
from reporting import made_up

ROWS = made_up.rows()


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    return made_up.store(tmp_path, made_up.result(), ROWS)


def read(folder: Path) -> list[GroupRow]:
    path = folder / RESULT
    return [*read_rows(path, read_result(path))]


def edited(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    value = json.loads((folder / RESULT).read_text())
    change(value)
    (folder / RESULT).write_text(json.dumps(value))


def rewritten(folder: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Change the rows as who knows no digests would."""
    path = folder / GROUPS
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    change(rows)
    path.write_bytes(gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in rows)))


def test_what_is_read_is_what_was_written(stored: Path) -> None:
    result = read_result(stored / RESULT)
    assert result.run is not None
    actual = read(stored)
    assert {row.run for row in actual} == {result.run.id}
    assert [msgspec.structs.replace(row, run="") for row in actual] == ROWS
    assert [*read_all_rows(stored / RESULT, result)] == actual


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda value: value.update(created="today"), r"changed after it was written\. Run"),
        (lambda value: value["settings"].update(margin=0.5), "changed after it was written"),
        (lambda value: value["relations"].pop(), "changed after it was written"),
        (lambda value: value["run"].update(nonce="0" * 32), "changed after it was written"),
        (lambda value: value["run"].update(id="0" * 32), r"has run id 000000000000\.\.\."),
        (lambda value: value.pop("run"), "has no run id"),
        (lambda value: value.update(format=0), r"result format 0, but this release reads 1\. Run"),
        (lambda value: value.update(format=2), r"result format 2, but this release reads 1\. Use"),
        (lambda value: value.update(format="<b>"), "result format unknown, but this release"),
        (lambda value: value.update(format=True), r"not as expected \(Expected `int`"),
        (lambda value: value["run"].update(rows_sha256="0" * 64), "sha256 of its text is"),
    ],
)
def test_a_result_that_was_changed_is_not_read(stored: Path, change: Any, said: str) -> None:
    edited(stored, change)
    with pytest.raises(CannotJudge, match=said):
        read(stored)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows.pop(), "sha256 of its text is"),
        (lambda rows: rows.append(rows[0]), "sha256 of its text is"),
        (lambda rows: rows[0].update(verdict="satisfied"), "sha256 of its text is"),
        (lambda rows: rows[3].update(run="0" * 32), r"has a row of run 000000000000\.\.\.,"),
        (lambda rows: rows[3].pop("run"), "has a row of run none"),
        (lambda rows: rows[3].update(relation="ner/other"), r"has a row of ner/other, which"),
    ],
)
def test_rows_that_were_changed_are_not_read(stored: Path, change: Any, said: str) -> None:
    rewritten(stored, change)
    with pytest.raises(CannotJudge, match=said):
        read(stored)


def figure(value: Any, *path: Any, to: Any) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = to


BEYOND = table(__file__, "beyond")


@pytest.mark.parametrize(("path", "value"), BEYOND)
def test_figures_have_the_bounds_of_their_meaning(stored: Path, path: Any, value: Any) -> None:
    edited(stored, lambda result: figure(result, *path, to=value))
    with pytest.raises(CannotJudge, match=r"result\.json is not as expected \(Expected"):
        read_result(stored / RESULT)


def test_a_writer_that_fails_is_no_defect_of_ours(stored: Path) -> None:
    def fail() -> str:
        raise KeyError("entities")

    with pytest.raises(
        CannotJudge, match=r"has rows that mt-gate did not write \(KeyError\)\. Run 'mt-gate"
    ):
        shown(stored / RESULT, fail)


@pytest.mark.parametrize("name", ["suite", "relation"])
def test_a_secret_that_names_what_is_compared_is_refused(tmp_path: Path, name: str) -> None:
    """A baseline of such a run would fit no other."""
    result = made_up.fitting(made_up.result(), ROWS)
    secret = result.suite.name if name == "suite" else result.settings.relations[0]
    escaping.watch({"CACHE_KEY": secret})
    try:
        with pytest.raises(CannotJudge, match="The value of a secret in the environment is"):
            write_rows(tmp_path, result, ROWS)
    finally:
        escaping.watch({})
    assert [*tmp_path.iterdir()] == []


def test_a_result_has_the_relations_that_its_settings_name(tmp_path: Path) -> None:
    clean = made_up.fitting(made_up.result(), ROWS)
    settings = msgspec.structs.replace(clean.settings, relations=("a",))
    result = msgspec.structs.replace(clean, settings=settings)
    write_result(tmp_path, write_rows(tmp_path, result, ROWS))
    with pytest.raises(CannotJudge, match=r"its relations differ from those of its settings\. Run"):
        read_result(tmp_path / RESULT)


def test_a_result_counts_no_more_violated_cases_than_testable_ones(tmp_path: Path) -> None:
    clean = made_up.fitting(made_up.result(), ROWS)
    last = msgspec.structs.replace(clean.relations[-1], violated=500, applicable=3)
    result = msgspec.structs.replace(clean, relations=(*clean.relations[:-1], last))
    write_result(tmp_path, write_rows(tmp_path, result, ROWS))
    with pytest.raises(CannotJudge, match=r"counts more violated cases than testable ones\. Run"):
        read_result(tmp_path / RESULT)
