"""What is left out of the fast tests, and how what they share is made."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path

import pytest

from speeds import BY_FIXTURE, BY_MODULE, HEAVY, Made, turn

TESTS = Path(__file__).parent


def test_what_is_named_is_there() -> None:
    """A fixture or file of another name would be fast from one day to the next."""
    assert all((TESTS / place).exists() for place in BY_MODULE)
    defined = {name for path in TESTS.rglob("*.py") for name in fixtures_of(path.read_text())}
    assert BY_FIXTURE.keys() <= defined
    assert {*BY_FIXTURE.values(), *BY_MODULE.values()} == HEAVY.keys()


def test_what_takes_longest_is_due_first() -> None:
    places = ["tests/test_gate.py", "tests/hostile/test_suites.py", "tests/test_demo.py"]
    places += ["tests/end_to_end"]
    assert sorted(places, key=turn) == places[::-1]


def fixtures_of(code: str) -> Iterator[str]:
    lines = code.splitlines()
    for line, after in itertools.pairwise(lines):
        if line.startswith("@pytest.fixture"):
            yield after.removeprefix("def ").partition("(")[0]


def make_counted(folder: Path, counter: Path, text: str) -> None:
    with counter.open("a") as file:
        file.write(f"{text}\n")
    folder.mkdir()
    (folder / "made").write_text(text)


def make_badly(folder: Path, counter: Path) -> None:
    make_counted(folder, counter, "half")
    if counter.read_text().count("half") < 2:
        raise OSError("no room")


def ask(base: Path, counter: Path) -> str:
    made = Made(base)
    return (made(make_counted, counter, "a") / "made").read_text()


def test_processes_share_what_one_of_them_makes(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    with get_context("fork").Pool(4) as pool:
        assert pool.starmap(ask, [(tmp_path / "made", counter)] * 8) == ["a"] * 8
    assert counter.read_text() == "a\n"
    made = Made(tmp_path / "made")
    assert made(make_counted, counter, "b") != made(make_counted, counter, "a")
    assert counter.read_text() == "a\nb\n"


def test_what_a_maker_left_half_done_is_made_again(tmp_path: Path) -> None:
    made, counter = Made(tmp_path / "made"), tmp_path / "counter"
    with pytest.raises(OSError, match="no room"):
        made(make_badly, counter)
    assert (made(make_badly, counter) / "made").read_text() == "half"
    assert made(make_badly, counter).is_dir()
    assert counter.read_text() == "half\nhalf\n"
