"""Builds follow-ups of ``re/co-related-type``: the same meaning in words of another type.

    before   [Jupp], [46] (NUMBER), works in the lab.
    after    [Jupp], [46 years old] (DURATION), works in the lab.

Source: Sun et al., Algorithms 2023, MR-R3. Where only the type of an argument changes,
and no word, the relation is ``re/type-label``.
"""

from __future__ import annotations

from mt_gate_suites.re.co_related import ages, ages_of_nouns, countries
from mt_gate_suites.re.sample import HEAD, TAIL, EditedSample, Sample
from mt_gate_suites.re.stated_kind import is_contradicted
from mt_gate_suites.re.transformation import SampleResources


def transform(sample: Sample, _: SampleResources) -> list[EditedSample]:
    """Return the sample with its head, then its tail, said in words of another type."""
    if is_contradicted(sample):
        return []
    return [
        change
        for name in (HEAD, TAIL)
        for changes in (ages.changes, ages_of_nouns.changes, countries.changes)
        for change in changes(sample, name)
    ]
