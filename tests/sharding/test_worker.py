"""A worker leaves the files that a shard run by itself leaves."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from mt_gate.base.console import Failure
from mt_gate.base.errors import CANNOT_JUDGE, USAGE
from mt_gate.results.result import TOOL
from mt_gate.settings.record import Settings
from mt_gate.sharding.answering import read_answers, read_shard
from mt_gate.sharding.worker import Files, Identity, Worker


@pytest.fixture
def settings(small: Path, suite: Path, tmp_path: Path) -> Settings:
    cache, out = tmp_path / "cache", tmp_path / "out"
    return Settings(checkpoint=str(small), task="ner", suite=str(suite), cache=cache, out=out)


@pytest.fixture
def worker() -> Iterator[Worker]:
    started = Worker()
    yield started
    started.close()


def opened(worker: Worker, settings: Settings) -> Identity:
    result = worker.open(pickle.dumps(settings))
    assert isinstance(result, Identity), result
    return result


def predicted_in(files: Files, folder: Path) -> list[bool]:
    files.write(folder)
    return [answer.is_predicted for answer in read_answers(folder, read_shard(folder))]


def test_its_files_are_those_of_a_shard(
    worker: Worker, settings: Settings, command: Callable, tmp_path: Path
) -> None:
    actual = opened(worker, settings)
    assert worker.started() == TOOL.version
    for number in (1, 2):
        arguments = (
            "--checkpoint",
            settings.checkpoint,
            "--task",
            "ner",
            "--suite",
            settings.suite,
        )
        own = ("--shard", f"{number}/2", "--out", f"own/{number}", "--cache", "own-cache")
        assert command("run", *arguments, *own).code == 0
        files = worker.ask(number, 2)
        assert isinstance(files, Files), files
        files.write(tmp_path / "asked" / str(number))
        for name in ("shard.json", "answers.jsonl.gz"):
            own_bytes = (tmp_path / "own" / str(number) / name).read_bytes()
            assert (tmp_path / "asked" / str(number) / name).read_bytes() == own_bytes
        head = read_shard(tmp_path / "asked" / str(number))
        assert (head.suite.sha256, head.checkpoint.fingerprint) == (
            actual.suite,
            actual.fingerprint,
        )


def test_an_answer_counts_as_known_once_it_has_arrived(settings: Settings, tmp_path: Path) -> None:
    """After a loss a shard is predicted again as if for the first time."""
    for number, place in enumerate(("lost", "again")):
        worker = Worker()
        opened(worker, settings)
        files = worker.ask(1, 2)
        assert isinstance(files, Files)
        actual = predicted_in(files, tmp_path / place)
        assert actual
        assert all(actual), place
        if number:  # asking for the next shard confirms this one
            assert isinstance(worker.ask(2, 2), Files)
        worker._opened.close()  # lost: nobody says that it may keep what it has
    later = Worker()
    opened(later, settings)
    known = later.ask(1, 2)
    assert isinstance(known, Files)
    assert not any(predicted_in(known, tmp_path / "known"))
    later.close()


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"checkpoint": "nowhere"}, USAGE, "Checkpoint folder 'nowhere' does not exist"),
        ({"suite": "nowhere"}, USAGE, "No suite named 'nowhere'"),
        ({"labels": Path("nowhere.jsonl")}, CANNOT_JUDGE, "nowhere.jsonl"),
    ],
)
def test_a_checkpoint_that_cannot_be_opened_is_reported(
    settings: Settings, worker: Worker, change: dict, code: int, words: str
) -> None:
    actual = worker.open(pickle.dumps(replace(settings, **change)))
    assert isinstance(actual, Failure)
    assert actual.code == code
    assert words in actual.message
