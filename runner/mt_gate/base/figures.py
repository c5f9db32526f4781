"""How numbers are written, in every report alike.

"0 %" and "100 %" appear only where exactly true; a rate that is undefined is
"n/a", never 0; differences of rates are in percentage points and signed.
"""

from __future__ import annotations

import math

UNDEFINED = "n/a"


def _undefined(value: float | None) -> bool:
    return value is None or not math.isfinite(value)


def percent(rate: float | None) -> str:
    """Return a rate in [0, 1] as a percentage with one decimal."""
    if rate is None or _undefined(rate):
        return UNDEFINED
    if rate in (0, 1):
        return f"{100 * rate:.0f} %"
    shown = f"{100 * rate:.1f} %"
    return {"0.0 %": "<0.1 %", "100.0 %": ">99.9 %"}.get(shown, shown)


def _signed(delta: float) -> str:
    """Return a difference of rates in percentage points, without its unit."""
    if delta == 0:
        return "0"
    sign = "+" if delta > 0 else "-"
    size = f"{abs(100 * delta):.1f}"
    return sign + ("<0.1" if size == "0.0" else size)


def points(delta: float | None) -> str:
    """Return a difference of two rates in signed percentage points."""
    if delta is None or _undefined(delta):
        return UNDEFINED
    return f"{_signed(delta)} pp"


def size_in_points(size: float | None) -> str:
    """Return the size of a difference, without a sign: a margin, a detectable effect."""
    return points(size).lstrip("+")


def interval(bounds: tuple[float, float] | None) -> str:
    """Return a confidence interval of a difference, in percentage points."""
    if bounds is None or any(map(_undefined, bounds)):
        return UNDEFINED
    return f"[{_signed(bounds[0])}, {_signed(bounds[1])}]"


def between(bounds: tuple[float, float] | None) -> str:
    """Return the interval of a rate: "10.1 % to 14.5 %"."""
    if bounds is None or any(map(_undefined, bounds)):
        return UNDEFINED
    return f"{percent(bounds[0])} to {percent(bounds[1])}"


def change(delta: float | None, bounds: tuple[float, float] | None) -> str:
    """Return a difference together with its 95 % interval."""
    return f"{points(delta)} {interval(bounds)}" if bounds is not None else points(delta)


def p_value(p: float | None) -> str:
    """Return a p-value with three decimals, with its limits spelt out."""
    if p is None or _undefined(p):
        return UNDEFINED
    if p < 0.001:
        return "<0.001"
    if p == 1:
        return "1"
    return ">0.999" if p > 0.999 else f"{p:.3f}"


def count(number: int) -> str:
    """Return a whole number with a comma between thousands."""
    return f"{number:,}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return "1 group", "2,000 groups"."""
    return f"{count(number)} {noun if number == 1 else plural or noun + 's'}"


def quantity(value: float | None) -> str:
    """Return a plain quantity, such as entities a sentence, with two decimals."""
    if value is None or _undefined(value):
        return UNDEFINED
    shown = f"{value:.2f}"
    return "<0.01" if shown == "0.00" and value > 0 else shown


def setting(value: float) -> str:
    """Return a setting as short as it was written: 0.05, 1."""
    return f"{value:g}"
