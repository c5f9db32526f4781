from __future__ import annotations

import os
import pwd
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from mt_gate.base import escaping
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.files import canonical
from mt_gate.results.result import GateVerdict
from mt_gate.running import predicting as caches
from mt_gate.running.predicting import Cache, Clock, Predictor, default_folder, input_key
from mt_gate.sut.protocol import Prediction
from reporting import made_up

KEY = input_key(b"{}")
ANSWER = Prediction({"entities": [[0, 4, "PER"]]}, 1.5)


def test_a_cache_stores_answers_and_reasons(tmp_path: Path) -> None:
    cache = Cache(tmp_path, "system")
    refused = Prediction(None, reason="truncated")
    cache.put([(KEY, ANSWER), (input_key(b"2"), refused)])
    cache.close()
    again = Cache(tmp_path, "system")
    assert again.get([KEY, input_key(b"2"), input_key(b"3")]) == {
        KEY: ANSWER,
        input_key(b"2"): refused,
    }


OPENS = """
import sys
from pathlib import Path
from mt_gate.running.predicting import Cache, input_key
from mt_gate.sut.protocol import Prediction
print("ready", flush=True)
input()
cache = Cache(Path(sys.argv[1]), "system")
keys = [input_key(f"{sys.argv[2]} {number}".encode()) for number in range(5)]
cache.put((key, Prediction({"entities": []})) for key in keys)
print(len(cache.get(keys)))
"""


def test_processes_that_make_a_cache_together_lose_nothing(tmp_path: Path) -> None:
    """Whoever finds the file busy waits, and does not take it for broken."""
    for turn in range(5):
        folder = tmp_path / str(turn)
        started = [
            subprocess.Popen(
                [sys.executable, "-c", OPENS, folder, str(number)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for number in range(4)
        ]
        for one in started:
            assert one.stdout
            assert one.stdout.readline() == "ready\n"
        for one in started:
            assert one.stdin
            one.stdin.write("\n")
            one.stdin.flush()
        assert [one.communicate()[0] for one in started] == ["5\n"] * 4
        cache = Cache(folder, "system")
        keys = [input_key(f"{one} {of}".encode()) for one in range(4) for of in range(5)]
        assert len(cache.get(keys)) == 20
        assert not [*cache.path.parent.glob("*.broken")]


def test_a_file_that_another_keeps_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path, "system")
    cache.put([(KEY, ANSWER)])
    cache.close()
    monkeypatch.setattr(caches, "_PATIENCE", 0.1)
    with sqlite3.connect(cache.path) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        busy = Cache(tmp_path, "system")
        busy.put([(KEY, ANSWER)])
        assert busy.get([KEY]) == {}
    other.close()
    assert Cache(tmp_path, "system").get([KEY]) == {KEY: ANSWER}
    assert not [*cache.path.parent.glob("*.broken")]


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000])
def test_a_broken_file_is_only_a_lost_saving(tmp_path: Path, content: bytes) -> None:
    cache = Cache(tmp_path, "system")
    cache.close()
    cache.path.write_bytes(content)
    again = Cache(tmp_path, "system")
    assert again.get([KEY]) == {}
    again.put([(KEY, ANSWER)])
    assert again.get([KEY]) == {KEY: ANSWER}


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file", "system")
    cache.put([(KEY, ANSWER)])
    assert cache.get([KEY]) == {}


def change(cache: Cache, statement: str, *values: object) -> None:
    cache.close()
    with sqlite3.connect(cache.path) as database:
        assert database.execute(statement, values).rowcount > 0


def test_any_flipped_bit_of_a_row_is_detected(tmp_path: Path) -> None:
    cache = Cache(tmp_path, "system")
    cache.put([(KEY, ANSWER)])
    with sqlite3.connect(cache.path) as database:
        (value,) = database.execute("SELECT value FROM predictions").fetchone()
    for bit in range(len(value) * 8):
        flipped = bytearray(value)
        flipped[bit // 8] ^= 1 << bit % 8
        change(cache, "UPDATE predictions SET value = ?", bytes(flipped))
        cache = Cache(tmp_path, "system")
        assert cache.get([KEY]) == {}
    cache.put([(KEY, ANSWER)])
    assert Cache(tmp_path, "system").get([KEY]) == {KEY: ANSWER}


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """As containers have them: a number that no list of users knows."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 1 + max(user.pw_uid for user in pwd.getpwall()))
    with pytest.raises(UsageError, match="Pass a folder with --cache, or set HOME"):
        default_folder()


def test_an_answer_with_a_secret_is_not_stored(tmp_path: Path) -> None:
    secret = 'ghs_"CANARY"\u00e9'
    escaping.watch({"MY_TOKEN": secret})
    try:
        cache = Cache(tmp_path, "system")
        result = Prediction({"labels": [f"a {secret}"]}), Prediction(None, reason=secret)
        cache.put([(KEY, ANSWER), *((input_key(bytes([n])), one) for n, one in enumerate(result))])
        assert [*cache.get([KEY, input_key(b"\0"), input_key(b"\1")])] == [KEY]
        cache.close()
    finally:
        escaping.watch({})
    assert all(b"CANARY" not in path.read_bytes() for path in cache.path.parent.iterdir())


def test_good_answers_before_an_implausible_margin_are_stored_and_no_more_inputs_run(
    tmp_path: Path,
) -> None:
    inputs = [{"text": str(number)} for number in range(9)]
    asked = []

    class System:
        head = made_up.result(GateVerdict.MEASURED).checkpoint

        def predict(self, inputs: Sequence[object]) -> Iterator[list[tuple[int, Prediction]]]:
            for index in range(len(inputs)):
                asked.append(index)
                yield [(index, ANSWER if index < 4 else ANSWER._replace(margin=1e12))]

    cache = Cache(tmp_path, "system")
    predictor = Predictor(cast("Any", System()), cache, lambda *_: None)
    with pytest.raises(CannotJudge, match="two scores of an input differ by 1e\\+12"):
        predictor.predict(inputs)
    assert asked == [0, 1, 2, 3, 4]
    assert len(cache.get([input_key(canonical(value)) for value in inputs])) == 4


def test_a_phase_within_another_is_not_counted_twice() -> None:
    pass_time = [0.0]
    clock = Clock(lambda: pass_time[-1])
    with clock.phase("judge"):
        pass_time.append(1.0)
        with clock.phase("predict"):
            pass_time.append(11.0)
            with clock.phase("export"):
                pass_time.append(15.0)
        pass_time.append(16.0)
        with clock.phase("predict"):
            pass_time.append(18.0)
        pass_time.append(19.0)
    pass_time.append(20.0)
    actual = clock.timing()
    assert (actual.judge, actual.predict, actual.export, actual.total) == (3.0, 12.0, 4.0, 20.0)
