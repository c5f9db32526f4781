"""Head and tail exchanged: the text stays, and twice is not at all."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import RESOURCES, is_aligned, marked, sample
from mt_gate_suites.re.swap import between_equals, transform


@pytest.mark.parametrize("tail_first", [False, True])
def test_the_arguments_change_roles(nlp: Language, tail_first: bool) -> None:
    source = sample(nlp, "[Lily|PERSON] is the sister of [Mary|PERSON].", tail_first=tail_first)
    (change,) = transform(source, RESOURCES)
    assert (change.head, change.tail) == (source.tail, source.head)
    assert change.text == source.text
    assert marked(change) == "[Lily|PERSON] is the sister of [Mary|PERSON]."
    assert is_aligned(source, change)


def test_types_stay_with_their_words(nlp: Language) -> None:
    source = sample(nlp, "[Lily|PERSON] lives in [Oslo|CITY].")
    (change,) = transform(source, RESOURCES)
    assert (change.head.type, change.tail.type) == ("CITY", "PERSON")
    back = source._replace(head=change.head, tail=change.tail)
    (again,) = transform(back, RESOURCES)
    assert (again.head, again.tail) == (source.head, source.tail)


@pytest.mark.parametrize(
    ("marked", "equal"),
    [
        ("[Lily|PERSON] is the sister of [Mary|PERSON].", True),
        ("[Oslo|CITY] is near [Norway|COUNTRY].", True),
        ("[Lily|PERSON] works for [Google|ORGANIZATION].", True),
        ("[NGC 45|] is a galaxy in [Cetus|].", True),
        ("[Lily|PERSON] left in [1990|DATE].", False),
        ("[Lily|PERSON] is a [French|NATIONALITY] singer.", False),
        ("[Lily|PERSON] is a [singer|TITLE].", False),
        ("The ice [chunks|] fell from an [airplane|].", False),
    ],
)
def test_where_a_relation_may_hold_both_ways(nlp: Language, marked: str, equal: bool) -> None:
    assert bool(between_equals(sample(nlp, marked), RESOURCES)) == equal
