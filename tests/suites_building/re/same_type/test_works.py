"""Titles in quotation marks that may give way to another, and those that may not."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import sample
from mt_gate_suites.re.same_type.mentions import mention
from mt_gate_suites.re.same_type.works import work

MAX = "[Max|PERSON]"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (f'{MAX} wrote "[Old Dark House|WORK_OF_ART]" in Paris.', True),
        (f"{MAX} wrote “[Old Dark House|WORK_OF_ART]” in Paris.", True),
        (f"{MAX} wrote [Old Dark House|WORK_OF_ART] in Paris.", False),
        (f'{MAX} wrote "The [Old Dark House|WORK_OF_ART]" in Paris.', False),
        (f'{MAX} wrote the novel "[Old Dark House|WORK_OF_ART]" in Paris.', False),
        (f'{MAX} wrote "[Old Dark House|WORK_OF_ART]", a novel, in Paris.', False),
        (f'{MAX} wrote "[Old Dark House|WORK_OF_ART]" (a dream) in Paris.', False),
        (f'{MAX} wrote "[Old Dark House|WORK_OF_ART]", the title track, in Paris.', False),
    ],
)
def test_titles(nlp: Language, text: str, whole: bool) -> None:
    assert work(mention(sample(nlp, text), "tail")) == whole
