from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.cache import Cache, input_key
from mt_gate.sut.protocol import Prediction

KEY = input_key(b"{}")
ANSWER = Prediction({"entities": [[0, 4, "PER"]]}, 1.5)


def test_keeps_answers_reasons_and_facts(tmp_path: Path) -> None:
    cache = Cache(tmp_path, "system")
    refused = Prediction(None, reason="truncated")
    cache.put([(KEY, ANSWER), (input_key(b"2"), refused)])
    cache.keep_fact("noise", 1e-6)
    cache.close()
    again = Cache(tmp_path, "system")
    assert again.get([KEY, input_key(b"2"), input_key(b"3")]) == {
        KEY: ANSWER,
        input_key(b"2"): refused,
    }
    assert again.fact("noise") == 1e-6
    assert again.fact("other") is None


def test_systems_are_kept_apart(tmp_path: Path) -> None:
    Cache(tmp_path, "one").put([(KEY, ANSWER)])
    assert Cache(tmp_path, "two").get([KEY]) == {}


def test_more_keys_than_a_query_takes(tmp_path: Path) -> None:
    keys = [input_key(str(number).encode()) for number in range(2345)]
    cache = Cache(tmp_path, "system")
    cache.put((key, ANSWER) for key in keys)
    assert len(cache.get(keys)) == 2345


def test_two_at_once(tmp_path: Path) -> None:
    one, two = Cache(tmp_path, "system"), Cache(tmp_path, "system")
    one.put([(KEY, ANSWER)])
    two.put([(KEY, ANSWER)])
    assert two.get([KEY]) == {KEY: ANSWER}


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
    assert cache.fact("noise") is None
