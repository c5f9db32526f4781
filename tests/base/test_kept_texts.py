"""Texts by key are a dict's, whether memory or a database holds them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base import kept_texts
from mt_gate.base.guarding import Failure, guarded
from mt_gate.base.kept_texts import KeptTexts

TEXTS = st.lists(st.tuples(st.binary(max_size=2), st.binary(max_size=5)), max_size=12)


@given(st.lists(TEXTS, max_size=4), st.sampled_from([0, 3, kept_texts.FEW]))
def test_they_are_a_dict(rounds: list[list[tuple[bytes, bytes]]], few: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_texts, "FEW", few)
        patch.setattr(kept_texts, "_AT_ONCE", 2)
        kept, plain = KeptTexts(), dict[bytes, bytes]()
        for some in rounds:
            kept.add(text for text in some)
            plain.update(some)
            new = [(key[::-1], text) for key, text in some]
            kept.add_new(text for text in new)
            for key, text in new:
                plain.setdefault(key, text)
            assert len(kept) == len(plain)
        assert [*kept.pairs()] == [*plain.items()]
        assert [*kept] == [*plain]
        assert dict(kept) == plain
        wanted = [b"", b"a", *plain, b"not there"]
        assert kept.among(wanted) == {key: plain[key] for key in wanted if key in plain}
        assert [key in kept for key in wanted] == [key in plain for key in wanted]


def test_many_take_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_texts, "FEW", 2)
    kept = KeptTexts()
    kept.add((bytes([number]), b"x") for number in range(2))
    assert kept._database is None
    kept.add([(b"more", b"y")])
    assert kept._database is not None
    assert not kept._held


def test_what_the_database_cannot_do_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(kept_texts, "FEW", 0)
    monkeypatch.setattr(kept_texts, "_PUT", "INSERT INTO none VALUES (?, ?)")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    failed = guarded(lambda: KeptTexts().add([(b"a", b"b")]))
    assert isinstance(failed, Failure)
    assert failed.code == 3
    assert failed.message.startswith(f"{tmp_path}: cannot be read or written (a temporary file: ")
    assert isinstance(guarded(lambda: sqlite3.connect("/no/folder/x")), Failure)
