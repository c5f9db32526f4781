"""Ages said as a number or as a duration, and numbers that are no ages."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import is_aligned, marked, sample
from mt_gate_suites.re.co_related.ages import changes
from mt_gate_suites.re.sample import HEAD, TAIL

ANNA = "[Anna Weber|PERSON]"


@pytest.mark.parametrize(
    ("text", "follow_up"),
    [
        (f"{ANNA}, [46|NUMBER], works in the lab.",
         f"{ANNA}, [46 years old|DURATION], works in the lab."),
        (f"{ANNA} ([46|NUMBER]) works in the lab.",
         f"{ANNA} ([46 years old|DURATION]) works in the lab."),
        (f"{ANNA} is [46|NUMBER].", f"{ANNA} is [46 years old|DURATION]."),
        (f"{ANNA} died at the age of [46|NUMBER].",
         f"{ANNA} died at the age of [46 years|DURATION]."),
        (f"{ANNA} is [1|NUMBER].", f"{ANNA} is [1 year old|DURATION]."),
        (f"{ANNA} is [46 years old|DURATION].", f"{ANNA} is [46|NUMBER]."),
        (f"{ANNA}, [46 years old|DURATION], works in the lab.",
         f"{ANNA}, [46|NUMBER], works in the lab."),
    ],
)  # fmt: skip
def test_an_age_in_other_words(nlp: Language, text: str, follow_up: str) -> None:
    source = sample(nlp, text)
    (change,) = changes(source, TAIL)
    assert marked(change) == follow_up
    assert change.stratum in {"number-to-duration", "duration-to-number"}
    assert is_aligned(source, change)
    assert changes(source, HEAD) == []


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} saw [46|NUMBER] birds.",
        f"{ANNA} scored [146|NUMBER].",
        f"{ANNA}, [46|NUMBER], 47, won the game.",
        f"{ANNA} is [46|NUMBER] metres tall.",
        f"{ANNA} died at the age of [46|NUMBER] years.",
        f"{ANNA} lived there for [46 years old|DURATION] houses.",
        f"{ANNA} is [46|QUANTITY].",
        f"{ANNA}, [forty|NUMBER], works in the lab.",
        f"The house of {ANNA}, number [46|NUMBER], burned.",
    ],
)
def test_what_is_no_age_stays(nlp: Language, text: str) -> None:
    assert changes(sample(nlp, text), TAIL) == []
