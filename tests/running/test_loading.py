"""What an export is compared on, where a run asks a part of its suite."""

from __future__ import annotations

from pathlib import Path

from making import make_suite
from mt_gate.running.preparing import load_suite, parity_inputs
from mt_gate.running.systems import PARITY_INPUTS
from mt_gate.settings.record import Settings
from mt_gate.suites.format import read_suite


def test_an_export_that_is_kept_is_compared_on_the_whole_suite(tmp_path: Path, small: Path) -> None:
    folder = make_suite(tmp_path / "suite")
    whole = read_suite(folder)
    assert 1 < len(whole.sources) < PARITY_INPUTS
    settings = Settings(task="ner", suite=str(folder), checkpoint="a-hub/model", sources=1)
    part, _ = load_suite(settings)
    assert len(part.sources) == 1
    assert parity_inputs(settings, part) == [source.input for source in whole.sources]
    exported = Settings(task="ner", suite=str(folder), checkpoint=str(small), sources=1)
    assert len(parity_inputs(exported, part)) == 1
