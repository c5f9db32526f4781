"""Ages that stand with a noun, and those of nobody."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import is_aligned, marked, sample
from mt_gate_suites.re.co_related.ages_of_nouns import changes
from mt_gate_suites.re.sample import TAIL

ANNA = "[Anna Weber|PERSON]"


@pytest.mark.parametrize(
    ("text", "follow_up"),
    [
        (f"{ANNA} met a [46-year-old|DURATION] man.", f"{ANNA} met a man aged [46|NUMBER]."),
        (f"{ANNA} met an [18-year-old|DURATION] student.",
         f"{ANNA} met a student aged [18|NUMBER]."),
        (f"{ANNA} met a man aged [46|NUMBER].", f"{ANNA} met a [46-year-old|DURATION] man."),
        (f"{ANNA} met a girl aged [11|NUMBER].", f"{ANNA} met an [11-year-old|DURATION] girl."),
        (f"{ANNA} died at age [46|NUMBER].", f"{ANNA} died at [46 years|DURATION] of age."),
    ],
)  # fmt: skip
def test_an_age_in_other_words(nlp: Language, text: str, follow_up: str) -> None:
    source = sample(nlp, text)
    (change,) = changes(source, TAIL)
    assert marked(change) == follow_up
    assert is_aligned(source, change)


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} tasted a [46-year-old|DURATION] whisky.",
        f"{ANNA} met the [46-year-old|DURATION] man.",
        f"{ANNA} met a [46-year-old|DURATION] man with a hat.",
        f"{ANNA} met men aged [46|NUMBER].",
        f"{ANNA} met a man aged [46|NUMBER] to 50.",
        f"{ANNA} opened a cheese aged [12|NUMBER].",
        f"{ANNA} left at age [46|NUMBER] or 47.",
        f"{ANNA} won at [46|NUMBER].",
    ],
)
def test_what_is_nobodys_age_stays(nlp: Language, text: str) -> None:
    assert changes(sample(nlp, text), TAIL) == []
