"""Whether a label map makes sense of a suite: what the system calls the texts of a known label."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.base.figures import count, percent
from mt_gate.domain import Verdict
from mt_gate.relations.known_answer import is_known_answer
from mt_gate.relations.stated import IsNot
from mt_gate.results.rows import RowHead, RowLines
from mt_gate.settings.values import in_text
from mt_gate.suites.format import SuiteFile

LEAST = 20
"""Texts of a label, and others, that are needed to tell."""
FEW = 0.25
"""Up to this share of a label's texts is predicted as it where the map makes no sense."""
MOST = 0.5
"""At least this share of them is predicted as labels that the map should name instead."""
SOME = 0.2
"""At least this share of them is predicted as each of these."""
MORE_OFTEN = 1.1
"""How many times as often as for other texts; a system that predicts one label for all has 1."""


class _Predicted(NamedTuple):
    """How often each label is predicted for some texts."""

    texts: int
    labels: Counter[str]

    def share(self, label: str) -> float:
        """Return the share of the texts that are predicted as a label."""
        return self.labels[label] / self.texts if self.texts else 0.0


def check_label_sense(
    rows: RowLines, head: SuiteFile, label_map: Mapping[str, tuple[str, ...]]
) -> None:
    """Refuse a label map under which texts of a known label are called something else.

    A system that confuses labels calls other texts the same; one that is read through a wrong map
    does not.

    Raises CannotJudge: another map makes sense of the suite.
    """
    having, other = _predicted(rows, head)
    for label, found in having.items():
        rest = other[label]
        few = found.share(label) <= max(FEW, rest.share(label))
        if found.texts < LEAST or rest.texts < LEAST or not few:
            continue
        meant = [
            name
            for name in found.labels
            if name != label and found.share(name) >= max(SOME, MORE_OFTEN * rest.share(name))
        ]
        if sum(map(found.share, meant)) >= MOST:
            own = tuple(sorted(name.removesuffix(" (own)") for name in meant))
            likely = in_text({**label_map, label: own})
            raise CannotJudge(
                f"suite {head.name}: {percent(found.share(label))} of {count(found.texts)} texts "
                f"known to be {quoted(label, 60)} are predicted so, and "
                f"{percent(sum(map(found.share, meant)))} as {quoted(', '.join(own), 120)}; the "
                f"label map is likely wrong; try --label-map {quoted(likely, 300)}"
            )


def _predicted(
    rows: RowLines, head: SuiteFile
) -> tuple[dict[str, _Predicted], dict[str, _Predicted]]:
    ruled_out = {
        one.id: one.output.labels for one in head.relations if isinstance(one.output, IsNot)
    }

    def wanted(row: RowHead) -> bool:
        judged = row.verdict is not Verdict.NOT_APPLICABLE
        return row.relation in ruled_out or (judged and is_known_answer(row.relation))

    known: list[tuple[frozenset[str], tuple[str, ...]]] = []
    without: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for row in rows.chosen(wanted):
        output = row.follow_up_output
        if output is None:
            continue
        predicted = tuple(output["labels"])
        if is_known_answer(row.relation):
            expected = row.unmatched["expected"] if row.unmatched else predicted
            known.append((frozenset(expected), predicted))
        else:
            for label in ruled_out[row.relation]:
                without[label].append(predicted)
    labels = sorted({label for right, _ in known for label in right})
    having = {label: _counted(p for right, p in known if label in right) for label in labels}
    other = {
        label: _counted([*(p for right, p in known if label not in right), *without[label]])
        for label in labels
    }
    return having, other


def _counted(predicted: Iterable[tuple[str, ...]]) -> _Predicted:
    texts, labels = 0, Counter[str]()
    for some in predicted:
        texts += 1
        labels.update(some)
    return _Predicted(texts, labels)
