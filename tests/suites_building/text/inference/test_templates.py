"""Words and samples of templates."""

from __future__ import annotations

from random import Random

from mt_gate_suites.text.inference.templates import PEOPLE, sampled, two_people
from mt_gate_suites.text.transformation import PairOfTexts, TemplateGroup


def group(number: int) -> TemplateGroup:
    return TemplateGroup(PairOfTexts(f"a{number}", "b"), PairOfTexts("c", "d"), "")


def test_two_people_differ() -> None:
    pairs = list(two_people())
    assert len(pairs) == len(PEOPLE) * (len(PEOPLE) - 1)
    assert all(one != other for one, other in pairs)


def test_a_sample_is_of_distinct_groups_and_the_same_for_a_seed() -> None:
    def makes() -> list[TemplateGroup]:
        return [group(at) for at in range(50)] * 2

    found = sampled(makes, Random(1), most=20)
    assert len(set(found)) == 20
    assert found == sampled(makes, Random(1), most=20)
    assert found != sampled(makes, Random(2), most=20)
    assert len(sampled(makes, Random(1))) == 50
