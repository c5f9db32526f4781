"""A task of the cluster gives the files of a single shard, or the reason why there are none."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from mt_gate.base.console import Failure
from mt_gate.base.errors import CANNOT_JUDGE, USAGE
from mt_gate.results.result import TOOL
from mt_gate.settings.record import Settings
from mt_gate.sharding import distributing
from mt_gate.sharding.answering import Part, read_answers, read_shard
from mt_gate.sharding.distributing import Files, shard_files, write_files


@pytest.fixture
def settings(small: Path, suite: Path, tmp_path: Path) -> Settings:
    cache, out = tmp_path / "cache", tmp_path / "out"
    return Settings(checkpoint=str(small), task="ner", suite=str(suite), cache=cache, out=out)


def of_shard(settings: Settings, part: Part) -> Files:
    result = shard_files(TOOL.version, pickle.dumps(settings), part)
    assert not isinstance(result, Failure), result
    return result


def predicted_in(files: Files, folder: Path) -> list[bool]:
    write_files(files, folder)
    return [answer.is_predicted for answer in read_answers(folder, read_shard(folder))]


def test_its_files_are_those_of_a_shard(
    settings: Settings, command: Callable, tmp_path: Path
) -> None:
    run = "run", "--checkpoint", settings.checkpoint, "--task", "ner", "--suite", settings.suite
    for number in (1, 2):
        own = ("--shard", f"{number}/2", "--out", f"own/{number}", "--cache", "own-cache")
        assert command(*run, *own).code == 0
        write_files(of_shard(settings, Part(number, 2)), tmp_path / "task" / str(number))
        for name in ("shard.json", "answers.jsonl.gz"):
            own_bytes = (tmp_path / "own" / str(number) / name).read_bytes()
            assert (tmp_path / "task" / str(number) / name).read_bytes() == own_bytes


def test_predictions_of_a_lost_worker_do_not_count_as_cached(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a loss a shard is predicted again as if for the first time."""
    with monkeypatch.context() as lost:
        lost.setattr(distributing.DeferredCache, "close", lambda _: None)
        first = predicted_in(of_shard(settings, Part(1, 2)), tmp_path / "lost")
    again = predicted_in(of_shard(settings, Part(1, 2)), tmp_path / "again")
    later = predicted_in(of_shard(settings, Part(1, 2)), tmp_path / "later")
    assert first
    assert all(first)
    assert all(again)
    assert not any(later)


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"checkpoint": "nowhere"}, USAGE, "Checkpoint folder 'nowhere' does not exist"),
        ({"suite": "nowhere"}, USAGE, "No suite named 'nowhere'"),
        ({"labels": Path("nowhere.jsonl")}, CANNOT_JUDGE, "nowhere.jsonl"),
    ],
)
def test_a_shard_that_cannot_be_run_is_reported(
    settings: Settings, change: dict, code: int, words: str
) -> None:
    changed = pickle.dumps(replace(settings, **change))
    actual = shard_files(TOOL.version, changed, Part(1, 2))
    assert isinstance(actual, Failure)
    assert actual.code == code
    assert words in actual.message


def test_another_version_is_reported(settings: Settings) -> None:
    actual = shard_files("9.9", pickle.dumps(settings), Part(1, 2))
    assert isinstance(actual, Failure)
    assert actual.code == CANNOT_JUDGE
    assert "this machine has '9.9'" in actual.message
