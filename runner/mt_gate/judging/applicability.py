"""The share of groups that two runs could judge, compared: has the system stopped answering?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from mt_gate.judging import statistics
from mt_gate.judging.statistics import SEED
from mt_gate.judging.verdicts import RelationVerdicts, answering, looked_at
from mt_gate.results.result import Applicability


def compare_applicability(
    now: Sequence[RelationVerdicts], before: Sequence[Sequence[RelationVerdicts]]
) -> list[Applicability | None]:
    """Compare the share applicable, by the clustered test, Holm over the relations."""
    found = [_share(new, old[0]) for new, old in zip(now, before, strict=True)]
    adjusted = iter(statistics.holm([share.p_adjusted for share in found if share]))
    return [share and msgspec.structs.replace(share, p_adjusted=next(adjusted)) for share in found]


def _share(now: RelationVerdicts, before: RelationVerdicts) -> Applicability | None:
    """Compare the share of groups (or binding sources) applicable, p not adjusted.

    None where the runs have no group in common.
    """
    bound = now.bound or before.bound
    both = looked_at(now, bound) & looked_at(before, bound)
    if not both:
        return None
    new, old = (answering(verdicts, bound) for verdicts in (now, before))
    lost, gained = (old - new) & both, (new - old) & both
    source_of = {unit: unit for unit in both} if bound else now.source_of
    fall = Counter(map(source_of.__getitem__, lost))
    fall.subtract(map(source_of.__getitem__, gained))
    return Applicability(
        baseline=len(old & both) / len(both),
        candidate=len(new & both) / len(both),
        p_adjusted=statistics.sign_flip_p(list(fall.values()), seed=SEED),
        only_baseline=len(old - new),
        only_candidate=len(new - old),
    )
