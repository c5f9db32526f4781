"""Format numbers for all reports; no other module formats numbers.

Rates are percentages with one decimal, or with more if a rate would look equal to the limit next to
it. "0%" and "100%" have no decimals and appear only if exactly true. An undefined figure is "n/a",
never 0. Differences of rates are signed and in percentage points. Thousands have commas, p-values
have three decimals.
"""

from __future__ import annotations

import math

UNDEFINED = "n/a"


def percent(rate: float | None, decimals: int = 1) -> str:
    """Return a rate in [0, 1] as a percentage."""
    if rate is None or not math.isfinite(rate):
        return UNDEFINED
    if rate in (0, 1):
        return f"{100 * rate:.0f}%"
    least = 10.0**-decimals
    shown = f"{100 * rate:.{decimals}f}"
    if not float(shown):
        shown = f"<{least:.{decimals}f}"
    elif float(shown) == 100:
        shown = f">{100 - least:.{decimals}f}"
    return f"{shown}%"


def points(delta: float | None, decimals: int = 1) -> str:
    """Return a difference of two rates in signed percentage points."""
    if delta is None or not math.isfinite(delta):
        return UNDEFINED
    if delta == 0:
        return "0 pp"
    sign = "+" if delta > 0 else "-"
    size = f"{abs(100 * delta):.{decimals}f}"
    return f"{sign}{size if float(size) else f'<{10.0**-decimals:.{decimals}f}'} pp"


def size_in_points(size: float | None, decimals: int = 1) -> str:
    """Return the size of a difference, without a sign: a margin, a detectable effect."""
    return points(size, decimals).lstrip("+")


def distinct_decimals(one: float, other: float) -> int:
    """Return the number of decimals (1 to 5) at which two unequal rates also look unequal."""
    if math.isclose(one, other, abs_tol=1e-9):
        return 1
    differing = (n for n in range(1, 5) if f"{100 * one:.{n}f}" != f"{100 * other:.{n}f}")
    return next(differing, 5)


def interval(bounds: tuple[float, float] | None, decimals: int = 1) -> str:
    """Return a confidence interval of a difference, in percentage points: "1.3 to 6.0"."""
    if bounds is None or not all(map(math.isfinite, bounds)):
        return UNDEFINED
    low, high = (points(bound, decimals).removesuffix(" pp") for bound in bounds)
    if bounds[0] >= 0:  # ends need signs only if one is below zero
        low, high = low.lstrip("+"), high.lstrip("+")
    return f"{low} to {high}"


def between(bounds: tuple[float, float] | None) -> str:
    """Return the interval of a rate: "10.1% to 14.5%"."""
    if bounds is None or not all(map(math.isfinite, bounds)):
        return UNDEFINED
    return f"{percent(bounds[0])} to {percent(bounds[1])}"


def change(delta: float | None, bounds: tuple[float, float] | None, decimals: int = 1) -> str:
    """Return a difference with its interval: "+3.6 pp (95% CI 1.3 to 6.0)"."""
    words = points(delta, decimals)
    return words if bounds is None else f"{words} (95% CI {interval(bounds, decimals)})"


def p_value(p: float | None, level: float | None = None) -> str:
    """Return a p-value with three decimals, or a bound such as "<0.001".

    More decimals are used until the p-value is visibly on its side of ``level``.
    """
    if p is None or not math.isfinite(p):
        return UNDEFINED
    if p == 1:
        return "1"
    differing = (n for n in range(3, 7) if level is None or _is_distinct(p, level, n))
    decimals = next(differing, 7)
    least = 10.0**-decimals
    if p < least:
        return f"<{least:.{decimals}f}"
    return f">{1 - least:.{decimals}f}" if p > 1 - least else f"{p:.{decimals}f}"


def significance(p: float | None) -> str:
    """Return "p = 0.005", "p < 0.001"."""
    shown = p_value(p)
    return f"p {shown[0]} {shown[1:]}" if shown[0] in "<>" else f"p = {shown}"


def moved(before: float | None, after: float | None) -> str:
    """Return two rates as "12.6% → 16.2%"."""
    return f"{percent(before)} → {percent(after)}"


def _is_distinct(p: float, level: float, decimals: int) -> bool:
    if p < 10.0**-decimals:
        return p == level or level >= 10.0**-decimals
    return math.isclose(p, level, abs_tol=1e-9) or round(p, decimals) != round(level, decimals)


def count(number: int) -> str:
    """Return a whole number with a comma between thousands."""
    return f"{number:,}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return "1 group", "2,000 groups"."""
    return f"{count(number)} {noun if number == 1 else plural or noun + 's'}"


def quantity(value: float | None) -> str:
    """Return a plain quantity, such as entities a sentence, with two decimals."""
    if value is None or not math.isfinite(value):
        return UNDEFINED
    shown = f"{value:.2f}"
    return "<0.01" if shown == "0.00" and value > 0 else shown


def setting(value: float) -> str:
    """Return a setting in its shortest form: 0.05, 1."""
    return f"{value:g}"


def score(value: float | None) -> str:
    """Return a system's score in [0, 1] with two decimals; empty if it gives none."""
    return "" if value is None else f"{value:.2f}"


def number_of(rate: float, of: int) -> int:
    """Return the count that a rate in [0, 1] is of ``of`` items."""
    return round(rate * of)


def significant(value: float | None, digits: int = 2) -> str:
    """Return a number by its first digits: a logit's difference, a threshold of scores."""
    return UNDEFINED if value is None or not math.isfinite(value) else f"{value:.{digits}g}"


def seconds(value: float) -> str:
    """Return a duration as text."""
    return f"{value:.1f} s"


def milliseconds(value: float) -> str:
    """Return seconds with three decimals and no unit, as JUnit's schema has them."""
    return f"{max(value, 0):.3f}"


def output(value: float | None) -> str:
    """Return a share for scripts, with six decimals; empty if it is undefined."""
    return "" if value is None else f"{value:.6f}"


def tick(share: float, *, signed: bool = False) -> str:
    """Return the label of a tick on an axis, in percent with at most one decimal.

    ``signed`` is for percentage points, with a real minus sign.
    """
    rounded = round(100 * share, 1)
    return f"{rounded:+g}".replace("-", "\N{MINUS SIGN}") if signed and share else f"{rounded:g}"


def steps(value: float, step: float) -> int:
    """Return how many steps of an axis reach a value; ignore rounding errors."""
    return math.ceil(round(value / step, 9))


def place(value: float, digits: int = 2) -> float:
    """Return a coordinate of a drawing, rounded as the drawing's file has it."""
    return round(value, digits)


def hundredths(share: float) -> int:
    """Return a share in whole hundredths, by which cases are ranked and filtered."""
    return round(100 * share)
