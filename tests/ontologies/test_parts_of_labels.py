"""Parts of labels."""

from __future__ import annotations

import pytest

from cases import table
from mt_gate.ontologies.ontology import parts_of


@pytest.mark.parametrize(
    ("label", "parts"),
    table(__file__, "a_label_has_parts"),
)
def test_a_label_has_parts(label: str, parts: list[str]) -> None:
    actual = parts_of(label)
    assert [*actual] == parts
    assert actual.called(actual.kind) == label
