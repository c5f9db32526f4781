"""The same words under another type: asked of systems that read types, and of no others."""

from __future__ import annotations

import pytest

from making_relations import TACRED, judged, when
from mt_gate.domain import NotApplicable
from mt_gate.relations.re.type_label import RELATION

US = "[Jupp|h PERSON] is a [US|t COUNTRY] poet."
NATION = "[Jupp|h PERSON] is a [US|t NATIONALITY] poet."


@pytest.mark.parametrize(
    ("said", "told", "verdict"),
    [
        ("per:origin", "per:origin", "satisfied"),
        ("per:origin", "no_relation", "violated"),
        ("no_relation", "per:origin", "not-applicable"),
        ("per:parents", "per:parents", "not-applicable"),
    ],
)
def test_the_relation_stays_between_types_that_it_can_have(
    said: str, told: str, verdict: str
) -> None:
    assert judged(RELATION, TACRED, US, said, NATION, told).verdict == verdict


def test_a_system_that_reads_no_types_is_not_asked() -> None:
    assert when(RELATION, TACRED, US, "per:origin", NATION) == ""
    unread = TACRED._replace(reads_types=False)
    assert when(RELATION, unread, US, "per:origin", NATION) == NotApplicable.TYPES_UNREAD
