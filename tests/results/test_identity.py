from __future__ import annotations

import pytest

from mt_gate.results.result import Runtime, runtime_signature, runtime_text, short_fingerprint

EMPTY = {"provider": "", "precision": "", "device": "", "onnxruntime": "", "cpu": ""}
ONNX = Runtime(
    provider="CPUExecutionProvider", precision="int8", device="cpu", onnxruntime="1.31", cpu="EPYC"
)


@pytest.mark.parametrize(
    ("fingerprint", "shown"),
    [
        ("sha256:98fe76dc5432" + "0" * 52, "98fe76dc"),
        ("98fe76dc54320000", "98fe76dc"),
        ("", "none"),
        ("v1", "v1"),
        ("release 2024-06-01, build 7", "release 2024-06-01, build 7"),
        ("x" * 200, "x" * 40),
    ],
)
def test_hashes_are_cut_and_names_are_not(fingerprint: str, shown: str) -> None:
    assert short_fingerprint(fingerprint, 8) == shown


def test_a_checkpoint() -> None:
    assert runtime_text(ONNX) == "ONNX Runtime 1.31, CPUExecutionProvider, int8, on cpu (EPYC)"
    assert runtime_signature(ONNX) == "cpu int8 ort1.31"


@pytest.mark.parametrize(
    ("parts", "text", "short"),
    [
        (
            {"provider": "spaCy 3.8", "device": "cpu", "cpu": "EPYC"},
            "spaCy 3.8, on cpu (EPYC)",
            "cpu spaCy 3.8",
        ),
        ({"provider": "command", "cpu": "EPYC"}, "command, on EPYC", "command"),
        ({"provider": "Amazon Comprehend"}, "Amazon Comprehend", "Amazon Comprehend"),
        ({}, "", ""),
    ],
)
def test_other_systems_say_what_they_have(parts: dict, text: str, short: str) -> None:
    runtime = Runtime(**{**EMPTY, **parts})
    assert runtime_text(runtime) == text
    assert runtime_signature(runtime) == short
