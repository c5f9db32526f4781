from __future__ import annotations

import msgspec
import pytest

from cases import table
from mt_gate.reporting.words.texts import signature
from mt_gate.results.result import Runtime, runtime_text, short_fingerprint
from reporting import made_up

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


def shown_in_signature(runtime: Runtime) -> str:
    result = made_up.tiered()
    checkpoint = msgspec.structs.replace(result.checkpoint, runtime=runtime)
    return signature(msgspec.structs.replace(result, checkpoint=checkpoint)).split("|")[3]


def test_a_checkpoint() -> None:
    assert runtime_text(ONNX) == "ONNX Runtime 1.31, CPUExecutionProvider, int8, on cpu (EPYC)"
    assert shown_in_signature(ONNX) == "cpu int8 ort1.31"


@pytest.mark.parametrize(
    ("parts", "text", "short"),
    table(__file__, "other_systems_say_what_they_have"),
)
def test_other_systems_say_what_they_have(parts: dict, text: str, short: str) -> None:
    runtime = Runtime(**{**EMPTY, **parts})
    assert runtime_text(runtime) == text
    assert shown_in_signature(runtime) == short
