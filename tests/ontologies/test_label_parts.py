"""Labels taken apart."""

from __future__ import annotations

import pytest

from mt_gate.ontologies.label_parts import parts_of


@pytest.mark.parametrize(
    ("label", "parts"),
    [
        ("B-PER", ("B-", "PER", "")),
        ("E-LOC", ("E-", "LOC", "")),
        ("PER", ("", "PER", "")),
        ("O", ("", "O", "")),
        ("yes", ("", "yes", "")),
        ("per:title(e2,e1)", ("", "per:title", "(e2,e1)")),
        ("B-(e1,e2)", ("B-", "", "(e1,e2)")),
    ],
)
def test_a_label_has_parts(label: str, parts: tuple[str, str, str]) -> None:
    found = parts_of(label)
    assert found == parts
    assert found.called(found.kind) == label


def test_what_says_nothing_has_no_kind() -> None:
    said = {
        label
        for label in ("O", "no_relation", "Other", "B-O", "no")
        if parts_of(label).says_nothing
    }
    assert {"O", "no_relation"} <= said
    assert "no" not in said
