from __future__ import annotations

import pytest

from cases import table
from mt_gate.results.result import Runtime, runtime_signature, runtime_text, short_fingerprint

EMPTY = {"provider": "", "precision": "", "device": "", "onnxruntime": "", "cpu": ""}
ONNX = Runtime(
    provider="CPUExecutionProvider", precision="int8", device="cpu", onnxruntime="1.31", cpu="EPYC"
)


@pytest.mark.parametrize(
    ("fingerprint", "shown"),
    table(__file__, "hashes_are_cut_and_names_are_not"),
)
def test_hashes_are_cut_and_names_are_not(fingerprint: str, shown: str) -> None:
    assert short_fingerprint(fingerprint, 8) == shown


def test_a_checkpoint() -> None:
    assert runtime_text(ONNX) == "ONNX Runtime 1.31, CPUExecutionProvider, int8, on cpu (EPYC)"
    assert runtime_signature(ONNX) == "cpu int8 ort1.31"


@pytest.mark.parametrize(
    ("parts", "text", "short"),
    table(__file__, "other_systems_say_what_they_have"),
)
def test_other_systems_say_what_they_have(parts: dict, text: str, short: str) -> None:
    runtime = Runtime(**{**EMPTY, **parts})
    assert runtime_text(runtime) == text
    assert runtime_signature(runtime) == short
