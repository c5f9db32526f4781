"""``re/swap-symmetric`` and ``re/swap-antisymmetric``: head and tail are exchanged.

Source: Sun et al., Algorithms 2023, MR-S1 and MR-S2. What the system answers to
the source says which of the two applies, if either.
"""

from __future__ import annotations

from mt_gate.building.re.sample import EditedSample, Sample
from mt_gate.building.re.transformation import SampleResources
from mt_gate.domain import Block


def transform(sample: Sample, _: SampleResources) -> list[EditedSample]:
    """Return the same sentence with head and tail exchanged."""
    whole = (Block(0, 0, len(sample.text)),)
    return [EditedSample(sample.text, sample.tail, sample.head, whole)]
