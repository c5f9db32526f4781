from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from mt_gate.domain import Block
from mt_gate.reporting.words.first_screen import examples, gather
from mt_gate.reporting.writers.markdown import COMMENT_LIMIT, Passage, fit
from mt_gate.reporting.writers.terminal import show
from mt_gate.results.result import Change, GateVerdict, Result
from reporting import hostile_pages, made_up
from reporting.made_up import summary


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(result: Result, stream: io.StringIO | None = None) -> str:
    stream = stream or io.StringIO()
    show(result, made_up.CATALOGUE, stream, verbose=True)
    return stream.getvalue()


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.parametrize("verdict", GateVerdict)
def test_the_verdict_is_first_and_tables_fit_eighty_columns(verdict: GateVerdict) -> None:
    first, *lines = shown(made_up.result(verdict)).splitlines()
    assert first.startswith(f"{str(verdict).replace('-', ' ').upper()}: ")
    assert first.endswith(f" (exit {made_up.result(verdict).exit_code})")
    tables = [line for line in lines if re.search(r" {2,}|─", line) and not line.startswith("  ")]
    assert max(map(len, tables), default=0) <= 80


@pytest.mark.parametrize(("columns", "most"), [(100, 16), (80, 20)])
@pytest.mark.parametrize("verdict", GateVerdict)
def test_a_verdict_takes_few_lines(
    verdict: GateVerdict, columns: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = made_up.result(verdict)
    example = examples(result, gather(result, made_up.again(made_up.rows())), 1)
    stream = Terminal()
    show(result, made_up.CATALOGUE, stream, out=Path("mt-gate-out"), example=example)
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in stream.getvalue().splitlines()]
    assert sum(max(1, -(-len(line) // columns)) for line in lines) <= most


def test_colours_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in shown(made_up.result())
    assert "\x1b[" in shown(made_up.result(), Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in shown(made_up.result(), Terminal())


def test_hostile_texts_are_neither_commands_nor_colours() -> None:
    stream = io.StringIO()
    made = hostile_pages.run()
    show(made.result, made.catalogue, stream, verbose=True)
    text = stream.getvalue()
    assert not set("\x1b\x00\u202e\u2028\r") & set(text)
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())


def test_markup_of_the_library_is_text() -> None:
    result = made_up.result(notes=("[red]not red[/red] :warning:",))
    assert "[red]not red[/red] :warning:" in shown(result)


def test_importing_it_is_cheap() -> None:
    code = "import sys, mt_gate.reporting.writers.terminal; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    path = {"PYTHONPATH": ":".join(p for p in sys.path if p)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=path)
    assert not {"jinja2", "rich", "junit_xml", "numpy", "markupsafe"} & set(done.stdout.split())


ROWS = made_up.again(made_up.rows())
PLAIN = made_up.again(made_up.rows({None: 12}))


@pytest.mark.parametrize("limit", [0, 1, 40, 200, 700, 1500, 2000, 2400, COMMENT_LIMIT])
def test_the_text_is_smaller_than_its_limit(limit: int) -> None:
    text = summary(made_up.result(), ROWS, made_up.CATALOGUE, limit)
    assert len(text.encode()) <= max(limit - 1, 0)
    assert text.count("<b>") == text.count("</b>")


def test_names_that_grow_when_they_are_escaped_cost_a_block_and_not_all() -> None:
    """A dollar sign takes fourteen bytes; cut short, the names of all blocks have none of it."""
    plain = [Passage(f"{number}" * 60, "text " * 20) for number in range(5)]
    growing = [Passage("$" * 250, "x" * 4000), Passage("$" * 250, "x" * 4000)]
    text = fit("head", [*plain, *growing], "foot", 4500)
    assert text.startswith("head\n\n<details>")
    assert text.endswith("foot\n\n</details>\n")
    assert len(text.encode()) < 4500


@pytest.mark.parametrize("limit", [300, 5000, COMMENT_LIMIT])
def test_hostile_texts_stay_below_the_limit(limit: int) -> None:
    made = hostile_pages.run()
    text = summary(made.result, made_up.again(made.rows), made.catalogue, limit)
    assert len(text.encode()) < limit


def test_the_most_telling_flips_are_five_of_different_sources() -> None:
    result = made_up.result()
    flips = examples(result, gather(result, ROWS), 5)
    assert len({row.source_id for row in flips}) == len(flips) == 5
    assert flips[0].relation == "ner/entity-shuffle"


def test_a_mention_is_none_where_an_edit_cuts_it() -> None:
    before, after = (
        "Thanks @octocat, see http://a.example.",
        "Thanks @another, see http://b.example.",
    )
    blocks = Block(0, 0, before.index("octocat")), Block(15, 15, 11), Block(28, 28, 10)
    row = made_up.row(1, "ner/structural", ("a b", "a c"), ((), ()), Change.NEW)
    row = msgspec.structs.replace(
        row,
        source={"text": before},
        follow_up={"text": after},
        alignment=blocks,
        unmatched={},
        source_output={"entities": []},
        follow_up_output={"entities": []},
    )
    result = made_up.fitting(made_up.result(), [row])
    text = summary(result, made_up.again([row]), made_up.CATALOGUE)
    (line,) = (line for line in text.splitlines() if line.startswith("> Thanks"))
    assert "<span>@</span>octocat" in line
