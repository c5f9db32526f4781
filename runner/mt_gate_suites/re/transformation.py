"""What the record of a relation of task re names as its builder."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mt_gate_suites.re.coreferent.chains import Coreference
from mt_gate_suites.re.same_type.pools import Pools
from mt_gate_suites.re.sample import EditedSample, Sample


class SampleResources(NamedTuple):
    """What transformations of samples may ask beside the sample.

    ``pools`` hold the names of the corpora, ``coreference`` finds other mentions of the same.
    """

    pools: Pools
    coreference: Coreference


Transformation = Callable[[Sample, SampleResources], list[EditedSample]]
"""From a sample to its follow-ups, none where it is unsure."""
