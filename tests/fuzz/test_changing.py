from __future__ import annotations

import json
import tomllib
from random import Random

import pytest

from fuzz.changing import changed
from fuzz.parts import SEPARATOR, apart, joined


def many(data: bytes) -> set[bytes]:
    rng = Random(3)
    return {changed(data, rng, (b"another",)) for _ in range(400)}


def as_read(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def test_the_same_chance_makes_the_same_input() -> None:
    assert changed(b'{"a": 1}', Random(5)) == changed(b'{"a": 1}', Random(5))


def test_fields_of_json_are_changed_within_valid_json() -> None:
    found = [as_read(data) for data in many(b'{"a": 1, "b": [2, 3]}')]
    assert len([value for value in found if isinstance(value, dict)]) > 100


def test_fields_of_toml_are_changed_within_valid_toml() -> None:
    valid = 0
    for data in many(b'day = 2027-01-31\nname = "x"\n[table]\nrate = 0.5\n'):
        try:
            valid += bool(tomllib.loads(data.decode()))
        except (ValueError, RecursionError):
            continue
    assert valid > 50


def test_one_part_is_changed_at_a_time() -> None:
    data = joined((b'{"a": 1}', b"first\nsecond\n"))
    for one in many(data):
        head, rows = apart(one, 2)
        assert head == b'{"a": 1}' or rows == b"first\nsecond\n" or SEPARATOR not in one


@pytest.mark.parametrize("data", [b"", b"\xff", b"{", b"a = ", b"[1%s]" % (b"0" * 400)])
def test_what_is_no_text_with_fields_is_changed_too(data: bytes) -> None:
    assert len(many(data)) > 20


def test_parts_that_are_missing_are_empty() -> None:
    assert apart(b"a", 3) == [b"a", b"", b""]
    assert apart(joined((b"a", b"b", b"c")), 2) == [b"a", joined((b"b", b"c"))]
