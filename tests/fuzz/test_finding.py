from __future__ import annotations

from pathlib import Path

from fuzz.finding import Finder
from fuzz.target import Target


def read(data: bytes) -> None:
    if data.startswith(b"key"):
        raise KeyError(data)
    if data.startswith(b"value"):
        raise ValueError(data)


def test_one_input_of_each_kind_is_kept(tmp_path: Path) -> None:
    finder = Finder(Target(read, dict), tmp_path)
    for data in (b"fine", b"key 1", b"key 2", b"value"):
        finder(data)
    kept = {path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".txt"}
    assert kept == {b"key 1", b"value"}
    told = sorted(path.read_text().partition(" ")[0] for path in tmp_path.glob("*.txt"))
    assert told == ["KeyError", "ValueError"]
