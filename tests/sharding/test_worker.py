"""Workers write the same files as a single shard; every shard is run although workers are lost."""

from __future__ import annotations

import pickle
from collections import Counter, deque
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mt_gate.base.console import Failure
from mt_gate.base.errors import CANNOT_JUDGE, USAGE, CannotJudge
from mt_gate.results.result import TOOL
from mt_gate.settings.record import Settings
from mt_gate.sharding.answering import Part, read_answers, read_shard
from mt_gate.sharding.distributing import MOST_LOST, Distribution, Event, Lost
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


class Machines:
    """Workers with the results that the test sets, in the order of the requests."""

    def __init__(self, losses: Counter[Part | None]) -> None:
        self.losses = losses
        self.attempts: Counter[Part] = Counter()
        self.started = 0
        self._doing: deque[tuple[int, Part | None]] = deque()
        self.at_once = 0

    def start(self) -> int:
        self.started += 1
        self._doing.append((self.started, None))
        self.at_once = max(self.at_once, len(self._doing))
        return self.started

    def ask(self, worker: int, part: Part) -> None:
        self.attempts[part] += 1
        self._doing.append((worker, part))
        self.at_once = max(self.at_once, len(self._doing))

    def next(self) -> Event:
        worker, part = self._doing.popleft()
        if self.losses[part]:
            self.losses[part] -= 1
            return Event(worker, Lost("the node is gone"))
        return Event(worker, None if part is None else Files(str(part).encode(), b""))


def parts(of: int) -> list[Part]:
    return [Part(number, of) for number in range(1, of + 1)]


@given(
    st.integers(1, 12),
    st.integers(1, 5),
    st.lists(st.integers(0, MOST_LOST - 1), min_size=12, max_size=12),
    st.integers(0, MOST_LOST - 1),
)
def test_each_shard_is_answered_once(of: int, most: int, losses: list[int], unopened: int) -> None:
    wanted = parts(of)
    lost = Counter(dict(zip(wanted, losses, strict=False)))
    machines = Machines(Counter({**lost, None: unopened}))
    result: list[str] = []
    actual = [*Distribution(machines, wanted, most, result.append).answers()]
    assert sorted(part for part, _ in actual) == wanted
    assert all(files.head == str(part).encode() for part, files in actual)
    # A loss costs the shard that the worker had, and no other.
    assert machines.attempts == Counter({part: 1 + lost[part] for part in wanted})
    assert len(result) == sum(lost.values()) + unopened - machines.losses[None]
    assert machines.at_once <= most


def test_a_shard_that_no_worker_survives() -> None:
    machines = Machines(Counter({Part(2, 3): MOST_LOST}))
    with pytest.raises(CannotJudge, match=r"Shard 2/3 was not run: 3 workers .* node is gone"):
        [*Distribution(machines, parts(3), 2, lambda _: None).answers()]
    assert machines.attempts[Part(2, 3)] == MOST_LOST


def test_workers_that_never_open() -> None:
    machines = Machines(Counter({None: 100}))
    with pytest.raises(CannotJudge, match="No worker opened the checkpoint: 6 workers were lost"):
        [*Distribution(machines, parts(3), 2, lambda _: None).answers()]
    assert machines.started == 2 * MOST_LOST + 1  # one more is on its way


def test_no_more_workers_than_shards() -> None:
    machines = Machines(Counter())
    assert len([*Distribution(machines, parts(2), 9, lambda _: None).answers()]) == 2
    assert machines.started == 2
