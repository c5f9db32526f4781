"""How often AUC and F1 of the protocols fail a relation extraction system without a cause.

    python benchmarks/protocol_false_alarms.py [--bags 100] [--pairs 200] [--worse 0]

Simulates pairs of systems on the same bags of one to three sentences. Both know as much of the
labels, unless the second is --worse. Prints the share of pairs with a significant fall of any
figure after Holm's correction, at alpha 0.05, and the share of single tests with p below 0.05.
"""

from __future__ import annotations

import argparse

import numpy as np

from mt_gate.evaluating import curves
from mt_gate.evaluating.records import RelationProtocols, unpacked
from mt_gate.evaluating.relation_labels import UNMAPPED, LabelledPair
from mt_gate.evaluating.relations import protocols
from mt_gate.evaluating.scores import SystemScores
from mt_gate.judging.statistics import holm

LABELS = ("no_relation", "A", "B", "C")
INPUT = {"text": "Anna met Bo.", "head": [0, 4, ""], "tail": [9, 11, ""]}
ALPHA = 0.05


def systems(rng: np.random.Generator, bags: int, worse: float) -> list[RelationProtocols]:
    """Return the protocols of two systems; three in ten automatic labels are not in the text."""
    of = np.repeat(np.arange(bags), rng.integers(1, 4, bags))
    auto = rng.choice(4, bags, p=[0.5, 0.25, 0.15, 0.1])[of]
    manual = np.where(rng.random(len(of)) < 0.7, auto, 0)
    pairs = []
    for at, (bag, *sides) in enumerate(zip(of, auto, manual, strict=True)):
        labels = (frozenset({LABELS[number]} - {"no_relation"}) for number in sides)
        pairs.append(LabelledPair(str(at), INPUT, str(bag), "t", *labels))
    common, result = rng.normal(size=(len(of), 4)), []
    for less in (0.0, worse):
        logits = (2 - less) * np.eye(4)[manual] + 0.8 * (common + rng.normal(size=common.shape))
        scores = SystemScores("logits", LABELS, logits, np.ones(len(of), dtype=np.bool_))
        result.append(protocols(pairs, scores, UNMAPPED, attention=False))
    return result


def p_values(before: RelationProtocols, now: RelationProtocols) -> list[float]:
    """Return the p for a fall of each figure of each protocol."""
    found = []
    for old, new in zip(before.curves, now.curves, strict=True):
        differences = unpacked(new.resamples) - unpacked(old.resamples)
        for column, name in enumerate(("auc", "micro_f1", "macro_f1")):
            values = getattr(old, name).value, getattr(new, name).value
            p = curves.fall_p(*values, differences[:, column])
            assert p is not None
            found.append(p)
    return found


def main() -> None:
    """Simulate, and print one line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bags", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--worse", type=float, default=0.0)
    options = parser.parse_args()
    rng = np.random.default_rng(4)
    tests = [p_values(*systems(rng, options.bags, options.worse)) for _ in range(options.pairs)]
    fell = np.mean([min(holm(own)) < ALPHA for own in tests])
    single = np.mean([p < ALPHA for own in tests for p in own])
    print(f"{len(tests)} pairs: {fell:.1%} with a fall after Holm, {single:.1%} of single tests")


if __name__ == "__main__":
    main()
