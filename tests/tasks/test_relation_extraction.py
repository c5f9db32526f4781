from __future__ import annotations

from typing import Any

import pytest

from mt_gate.tasks.relation_extraction import fault

FINE = {"text": "Anna is in Oslo.", "head": [0, 4, "PERSON"], "tail": [11, 15, ""]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"head": [0, 4, ["PERSON"]]}, "of type"),
        ({"head": [0, 4, {}]}, "of type"),
        ({"head": [0, 4, []]}, "of type"),
        ({"head": [0, 4, None]}, "of type"),
        ({"tail": [11, 15, "NOBODY"]}, "of type 'NOBODY'"),
        ({"head": [0, 10**30, ""]}, "the text has 16 characters"),
        ({"head": [[0], {}, ""]}, "the text has 16 characters"),
        ({"head": [True, 4, ""]}, "the text has 16 characters"),
        ({"head": "0-4"}, "expected [start, end, type]"),
        ({"head": {"start": 0}}, "expected [start, end, type]"),
        ({"text": ["Anna"]}, "no text"),
    ],
)
def test_arguments_of_any_form_are_told(change: dict[str, Any], words: str) -> None:
    assert not fault(FINE)
    told = fault({**FINE, **change})
    assert words in told
    assert len(told) < 600
