from __future__ import annotations

import msgspec

from mt_gate.reporting.words.signature import signature
from reporting import made_up


def test_signature() -> None:
    assert signature(made_up.result()) == (
        "mt-gate 0.1.0|suite ner-default 1 ab12cd34|checkpoint 98fe76dc|"
        "cpu fp32 ort1.31.1|alpha 0.05 margin 0.01"
    )


def test_what_is_not_the_default_is_named() -> None:
    changed = {"strict": True, "complete": False, "relations": ("ner/structural",)}
    settings = msgspec.structs.replace(made_up.settings(), **changed)
    end = "|alpha 0.05 margin 0.01 strict only ner/structural"
    assert signature(made_up.result(settings=settings)).endswith(end)


def test_signature_is_one_line() -> None:
    tool = msgspec.structs.replace(made_up.result().tool, version="1\n2\x00")
    assert signature(made_up.result(tool=tool)).startswith("mt-gate 1\\n2\\x00|")
