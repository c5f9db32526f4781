"""What is left out of the fast tests, and how what they share is made."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from multiprocessing import get_context
from pathlib import Path

import pytest

from speeds import BY_FIXTURE, BY_MODULE, HEAVY, Made, mark_of_module, turn

TESTS = Path(__file__).parent
_LISTING = """
def pytest_collection_finish(session):
    for item in session.items:
        print("collected", item.nodeid.partition("[")[0], *item.fixturenames)
"""


def collected(folder: Path, *flags: str) -> Mapping[str, set[str]]:
    """Return the tests that pytest selects, with the fixtures that each asks for."""
    (folder / "listing.py").write_text(_LISTING)
    plugins = ("-p", "no:cacheprovider", "-p", "listing")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", *plugins, *flags],
        cwd=TESTS.parent,
        env={**os.environ, "PYTHONPATH": f"{folder}:{TESTS.parent / 'runner'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("collected ")]
    assert lines, done
    return {name: set(fixtures) for _, name, *fixtures in lines}


def test_fast_tests_ask_for_nothing_that_takes_long(tmp_path: Path) -> None:
    fast = collected(tmp_path, "--fast")
    assert len(fast) > 1000
    for name, fixtures in fast.items():
        assert not fixtures & BY_FIXTURE.keys(), name
        assert mark_of_module(TESTS.parent / name.partition("::")[0]) is None


@pytest.mark.parametrize(
    ("code", "blamed"),
    [
        ("import transformers\ndef test_it(): ...", "test_made.py"),
        ("def test_it(): import transformers", "test_made.py::test_it"),
    ],
)
def test_what_is_slow_to_import_is_not_fast(tmp_path: Path, code: str, blamed: str) -> None:
    (tmp_path / "transformers.py").touch()
    made = tmp_path / "test_made.py"
    made.write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "speeds", "--fast", made.name],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{TESTS}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode, done
    assert f"transformers was imported by {blamed}: " in done.stdout


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


def test_what_a_name_does_not_tell_is_no_maker(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="its name tells it"):
        Made(tmp_path)(lambda folder: folder.mkdir())
