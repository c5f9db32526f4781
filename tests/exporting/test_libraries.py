"""Libraries are quiet and off the network, and whatever they raise is reported in one line."""

from __future__ import annotations

import sys

import pytest

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.exporting.libraries import offline, quiet, report_failures


class Panic(BaseException):
    """As libraries in Rust raise it."""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("two\nlines"), "two lines"),
        (Panic("index out of bounds"), "index out of bounds"),
        (SystemExit(1), "(1)"),
        (MemoryError(), "(MemoryError)"),
        (KeyError("/tmp/ours/config.json"), "mine/config.json"),
        (ValueError("a " * 10**6), "a a a"),
    ],
)
def test_one_line(error: BaseException, words: str) -> None:
    hiding = ("/tmp/ours", "mine")
    with pytest.raises(CannotJudge) as found, report_failures("x: failed", "y", hiding=hiding):
        raise error
    assert str(found.value).startswith("x: failed (")
    assert str(found.value).endswith("); y")
    assert words in str(found.value)
    assert len(str(found.value)) < 250


@pytest.mark.parametrize("error", [UsageError("mine"), CannotJudge("mine"), KeyboardInterrupt()])
def test_our_own_messages_and_interruptions_pass(error: BaseException) -> None:
    with pytest.raises(type(error)) as found, report_failures("x", "y"):
        raise error
    assert found.value is error


def test_what_libraries_print_stays_with_them(capfd: pytest.CaptureFixture[str]) -> None:
    import logging
    import warnings

    with quiet():
        print("out")
        print("err", file=sys.stderr)
        warnings.warn("warned", stacklevel=1)
        logging.getLogger("transformers").critical("logged")
    assert capfd.readouterr() == ("", "")


@pytest.mark.export
def test_offline_and_back(monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    hub = pytest.importorskip("transformers.utils.hub")

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    if hasattr(hub, "_is_offline_mode"):  # of transformers 4
        monkeypatch.setattr(hub, "_is_offline_mode", False)
    with offline():
        assert constants.HF_HUB_OFFLINE
        assert hub.is_offline_mode()
    assert not constants.HF_HUB_OFFLINE
    assert not hub.is_offline_mode()
