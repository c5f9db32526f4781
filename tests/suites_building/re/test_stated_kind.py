"""Names that their sentence says are something else than their type."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import sample
from mt_gate_suites.re.stated_kind import is_contradicted


@pytest.mark.parametrize(
    "text",
    [
        "[Don Mills|PERSON] is a subway station, which is the eastern terminus of Line 4 Sheppard "
        "in [Toronto|CITY], Ontario, Canada.",
        "[Kershaw|PERSON] was a brand of knives in [Portland|CITY].",
        "[Nautilus|ORGANIZATION] is a novel from [Boston|CITY].",
    ],
)
def test_another_kind(nlp: Language, text: str) -> None:
    assert is_contradicted(sample(nlp, text))


@pytest.mark.parametrize(
    "text",
    [
        "[Anna Weber|PERSON] is a singer from [Toronto|CITY].",
        "[Anna Weber|PERSON], a member of parliament, lives in [Toronto|CITY].",
        "[Anna Weber|PERSON] was the youngest of five in [Toronto|CITY].",
        "[Acme|ORGANIZATION] is a company based in [Toronto|CITY].",
        "[Acme|ORGANIZATION] is based in [Toronto|CITY].",
        "[Anna Weber|PERSON] met [Acme|ORGANIZATION].",
    ],
)
def test_no_contradiction(nlp: Language, text: str) -> None:
    assert not is_contradicted(sample(nlp, text))
