"""The geometry of precision-recall curves: one plot a protocol, one line an aggregator.

Places are in the units of the drawing's own box, which the page scales as a
whole. A line is told by its dashes and its name, not by its colour alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.evaluating.records import Curve
from mt_gate.evaluating.reports.protocols import MEANINGS, PROTOCOLS, figure_text, precision_text

_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 350, 24, 232
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


class CurvePoint(NamedTuple):
    """A place in the drawing's box."""

    x: float
    y: float


class ShareTick(NamedTuple):
    """Where a share stands on both axes, with its label in percent."""

    x: float
    y: float
    label: str


class CurveLine(NamedTuple):
    """One curve: its points as SVG writes them, its best point, and its words."""

    name: str
    kind: int
    points: str
    best: CurvePoint | None
    words: str


class CurvePlot(NamedTuple):
    """The curves of one protocol."""

    title: str
    meaning: str
    lines: tuple[CurveLine, ...]
    description: str


TICKS = tuple(
    ShareTick(
        figures.place(_LEFT + share * (_RIGHT - _LEFT), 1),
        figures.place(_BOTTOM - share * (_BOTTOM - _TOP), 1),
        figures.tick(share),
    )
    for share in _TICKS
)


def plots(curves: Sequence[Curve]) -> tuple[CurvePlot, ...]:
    """Return a plot a protocol, in the order of the curves."""
    by_protocol: dict[str, list[Curve]] = {}
    for curve in curves:
        by_protocol.setdefault(curve.protocol, []).append(curve)
    return tuple(_plot(name, own) for name, own in by_protocol.items())


def _plot(protocol: str, curves: Sequence[Curve]) -> CurvePlot:
    lines = tuple(_line(curve, kind) for kind, curve in enumerate(curves))
    return CurvePlot(
        PROTOCOLS[protocol],
        MEANINGS[protocol],
        lines,
        "; ".join(f"{line.name}: {line.words}" for line in lines),
    )


def _line(curve: Curve, kind: int) -> CurveLine:
    places = [_place(recall, precision) for recall, precision in curve.points]
    return CurveLine(
        curve.aggregator or "sentences",
        kind,
        " ".join(f"{figures.setting(place.x)},{figures.setting(place.y)}" for place in places),
        _best(curve),
        "; ".join(part for part in (_words(curve), precision_text(curve)) if part),
    )


def _words(curve: Curve) -> str:
    return f"AUC {figure_text(curve.auc)}, best micro F1 {figures.percent(curve.micro_f1.value)}"


def _best(curve: Curve) -> CurvePoint | None:
    """Return where the point with the best F1 stands."""
    right = sum(counts.right for counts in curve.relations)
    predicted = sum(counts.predicted for counts in curve.relations)
    if curve.threshold is None or not predicted or not curve.facts:
        return None
    return _place(right / curve.facts, right / predicted)


def _place(recall: float, precision: float) -> CurvePoint:
    return CurvePoint(
        figures.place(_LEFT + recall * (_RIGHT - _LEFT), 1),
        figures.place(_BOTTOM - precision * (_BOTTOM - _TOP), 1),
    )
