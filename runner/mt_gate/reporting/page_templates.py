"""Templates of all pages, and the geometry of their drawings.

Texts of a checkpoint or a suite pass ``_finalize`` and Jinja's escaping. A page's content security
policy names the hashes of its own styles and script, so nothing else can run.

A ``Strip`` is a figure's line for one relation; a ``Panel`` has one mark per run. x is in percent
of the width, so that a drawing scales with the page without distortion; y is in pixels.
"""

from __future__ import annotations

import base64
import hashlib
import math
import zlib
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mt_gate import __version__
from mt_gate.base import figures
from mt_gate.base.escaping import shorten, visible
from mt_gate.reporting.words import texts
from mt_gate.reporting.words.rendering import BETWEEN
from mt_gate.reporting.words.tables import shown_effect, stratum_in_words
from mt_gate.results.result import NO_FINGERPRINT, Comparison, runtime_text, short_fingerprint

if TYPE_CHECKING:
    from jinja2 import Environment


HEIGHT = 120
"""Height of a panel's drawing area, in pixels."""
_EDGE, _TOP = 4.0, 8.0
"""Margins: left and right in percent, top and bottom in pixels."""
_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
Interval = tuple[float, float]


class Axis(NamedTuple):
    """A scale, ``low`` < ``high``; values beyond its ends are drawn at the end."""

    low: float
    high: float

    def at(self, value: float | None) -> float | None:
        """Return the x of a value, in percent of the width; None if the value is missing."""
        if value is None or not math.isfinite(value):
            return None
        return _across((min(max(value, self.low), self.high) - self.low) / (self.high - self.low))


class Tick(NamedTuple):
    """A position on an axis, with its label."""

    at: float
    label: str


class Strip(NamedTuple):
    """One line of a figure: a value with its interval (positions in percent), and its texts."""

    title: str
    description: str  # text for screen readers
    words: str  # the value as text
    quiet: str  # less prominent text after the value
    tone: str  # CSS class of the colour: a decision, or "measured"
    at: float | None
    low: float | None = None
    high: float | None = None
    before: float | None = None  # position of an earlier value
    margin: float | None = None  # position of the limit that the value must not exceed
    missing: str = ""  # text shown if there is no value
    pooled: bool = False  # whether it is for all relations combined, drawn as a diamond
    state: str = ""  # decision as text, below the title
    link: str = ""  # anchor that the title links to


class Strips(NamedTuple):
    """Strips on one axis; ``zero``: position of 0, or None if the axis starts at 0."""

    strips: tuple[Strip, ...]
    ticks: tuple[Tick, ...]
    zero: float | None = None


def _across(share: float) -> float:
    return figures.place(_EDGE + share * (100 - 2 * _EDGE))


def _step(span: float, most: int) -> float:
    return next((step for step in _STEPS if span / step <= most), _STEPS[-1])


def difference_axis(
    comparisons: Iterable[Comparison], margin: float, margins: Iterable[float] = (), most: int = 10
) -> tuple[Axis, tuple[Tick, ...]]:
    """Return an axis of about ``most`` ticks that includes all intervals, zero, and margins."""
    values = [0.0, 2 * margin, -margin, *margins]
    for comparison in comparisons:
        known = (comparison.delta, *(comparison.ci95 or ()))
        values += [value for value in known if value is not None and math.isfinite(value)]
    # A difference of rates is within -1 and 1.
    low, high = (min(max(value, -1.0), 1.0) for value in (min(values), max(values)))
    pad = 0.05 * (high - low) or 0.01
    axis = Axis(low - pad, high + pad)
    step = _step(axis.high - axis.low, most)
    numbers = range(math.ceil(axis.low / step), math.floor(axis.high / step) + 1)
    ticks = [(number * step, figures.tick(number * step, signed=True)) for number in numbers]
    return axis, tuple(Tick(axis.at(value) or 0.0, label) for value, label in ticks)


def rate_axis(rates: Iterable[float | None]) -> tuple[Axis, tuple[Tick, ...]]:
    """Return an axis that starts at 0 and includes every rate, in [0, 1]."""
    known = [rate for rate in rates if rate is not None and math.isfinite(rate)]
    highest = min(1.0, max([0.01, *known]))
    step = _step(highest, 6)
    places = [number * step for number in range(figures.steps(highest, step) + 1)]
    axis = Axis(0, places[-1])
    return axis, tuple(Tick(axis.at(rate) or 0.0, f"{figures.tick(rate)}%") for rate in places)


class StripRate(NamedTuple):
    """A rate to draw: ``number`` of ``total``, with its interval and the limit for it, if any."""

    title: str
    number: int
    total: int
    rate: float | None
    ci95: Interval | None
    limit: float | None = None


def rate_strips(rates: Sequence[StripRate], missing: str) -> Strips:
    """Return strips of rates on one axis; ``missing`` is the text if a rate is None."""
    ends = [end for rate in rates for end in (rate.rate, *(rate.ci95 or ()), rate.limit)]
    axis, ticks = rate_axis(ends)
    strips = []
    for title, number, total, rate, ci95, limit in rates:
        low, high = ci95 or (None, None)
        counts = f"{figures.count(number)} of {figures.count(total)}"
        allowed = "" if limit is None else f", limit {figures.percent(limit)}"
        words = f"{counts}, {figures.percent(rate)}, 95% CI {figures.between(ci95)}{allowed}"
        strips.append(
            Strip(
                title=title,
                description=missing if rate is None else words,
                words=figures.percent(rate),
                quiet=counts,
                tone="measured",
                at=axis.at(rate),
                low=axis.at(low),
                high=axis.at(high),
                margin=axis.at(limit),
                missing=missing,
            )
        )
    return Strips(tuple(strips), ticks)


class PanelValue(NamedTuple):
    """One run's value; ``joined``: draw a line from the previous mark."""

    value: float | None
    ci95: Interval | None
    tone: str
    joined: bool = True


class PanelMark(NamedTuple):
    """A run's mark: position, ends of its interval, and tone (CSS class); ``y`` is 0 at the top."""

    x: float
    y: float
    top: float | None
    bottom: float | None
    tone: str


class Panel(NamedTuple):
    """Marks, lines (x1, y1, x2, y2), ticks of the y axis, and full-width lines of limits."""

    marks: tuple[PanelMark, ...]
    lines: tuple[tuple[float, float, float, float], ...]
    ticks: tuple[Tick, ...]
    bounds: tuple[float, ...]


def places(moments: Sequence[datetime]) -> tuple[float, ...]:
    """Return the x of each run, proportional to time; moments are in order."""
    past = [(moment - moments[0]).total_seconds() for moment in moments]
    return tuple(_across(seconds / past[-1] if past[-1] else 0.5) for seconds in past)


def steps(number: int) -> tuple[float, ...]:
    """Return the x of each run, evenly spaced."""
    return tuple(_across(run / (number - 1) if number > 1 else 0.5) for run in range(number))


def panel(
    values: Sequence[PanelValue],
    across: Sequence[float],
    label: Callable[[float], str],
    bounds: Sequence[float] = (),
) -> Panel:
    """Return a panel of runs at x ``across``; its y axis includes all values and bounds."""
    known = [*bounds]
    for value in values:
        known += [number for number in (value.value, *(value.ci95 or ())) if number is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    step = _step(high - low, 4)
    first = -figures.steps(-low, step)
    last = max(figures.steps(high, step), first + 1)

    def down(value: float) -> float:
        share = (value / step - first) / (last - first)
        return figures.place(HEIGHT - _TOP - share * (HEIGHT - 2 * _TOP))

    marks: list[PanelMark] = []
    lines = []
    before: PanelMark | None = None
    for value, x in zip(values, across, strict=True):
        if value.value is None:
            before = None
            continue
        top, bottom = (down(value.ci95[1]), down(value.ci95[0])) if value.ci95 else (None, None)
        mark = PanelMark(x, down(value.value), top, bottom, value.tone)
        if before is not None and value.joined:
            lines.append((before.x, before.y, x, mark.y))
        marks.append(mark)
        before = mark
    ticks = tuple(Tick(down(n * step), label(n * step)) for n in range(first, last + 1))
    return Panel(tuple(marks), tuple(lines), ticks, tuple(map(down, bounds)))


_TEMPLATES = Path(__file__).parent / "templates"
_LONGEST = 3000
"""Maximum characters of a value."""
_LONGEST_LABEL = 40
_KNOWN_LABELS = {"PER": 0, "PERSON": 0, "LOC": 1, "GPE": 1, "ORG": 2, "MISC": 3}
_KNOWN_LABELS |= {"HEAD": 2, "TAIL": 3, "RELATION": 0}
_NOISE = {
    "repeated": "in a second run",
    "neighbours": "in another batch",
    "padded": "padded",
    "threads": "on other threads",
    "graph": "operator by operator",
    "provider": "on the CPU",
    "asked twice": "between two requests",
}
"""Texts for the way in which a prediction was repeated to measure noise."""


def render_page(name: str, *, styles: tuple[str, ...] = (), script: str = "", **more: Any) -> str:
    """Return a page as one file that makes no request; ``styles`` come after ``report.css``."""
    from markupsafe import Markup

    assets, hashes = [], []
    for asset in ("report.css", *styles, *filter(None, [script])):
        text = (_TEMPLATES / asset).read_text(encoding="utf-8")
        digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
        assets.append(Markup(text))
        hashes.append(f"'sha256-{digest}'")
    code, code_hash = (assets.pop(), hashes.pop()) if script else ("", "")
    more |= {"styles": assets, "style_hashes": " ".join(hashes)}
    return environment().get_template(name).render(**more, script=code, script_hash=code_hash)


def _finalize(value: object) -> object:
    # Called for each value of a page. Most are of type str, so test that first: it is fast.
    if type(value) is str or (isinstance(value, str) and not hasattr(value, "__html__")):
        return visible(shorten(value, _LONGEST))
    return value


def _typographic(write: Callable[..., str]) -> Callable[..., str]:
    return lambda *values: write(*values).replace("-", "\N{MINUS SIGN}")


def _colour(label: str) -> int:
    name = label.partition(BETWEEN)[0].rpartition("-")[2].upper()
    return _KNOWN_LABELS.get(name, 4 + zlib.crc32(name.encode("utf-8", "replace")) % 4)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the templates' environment: unsafe characters shown as escapes, long values cut."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in ("percent", "points", "interval", "p_value", "count", "size_in_points", "between"):
        templates.filters[name] = _typographic(getattr(figures, name))
    templates.filters.update(
        counted=figures.counted,
        setting=figures.setting,
        seconds=figures.seconds,
        short_fingerprint=short_fingerprint,
        runtime_text=runtime_text,
        noise_in_words=lambda noise: ", ".join(
            f"{figures.significant(size)} {_NOISE[way]}"
            for way, size in noise.items()
            if way in _NOISE
        ),
        prompt_lines=texts.prompt_lines,
        colour=_colour,
        short_label=lambda label: shorten(label, _LONGEST_LABEL),
        stratum=stratum_in_words,
        minus=_typographic(str),
    )
    templates.globals.update(
        version=__version__,
        looks=texts.LOOKS,
        verdict_words=texts.VERDICT_WORDS,
        states=texts.STATES,
        state_of=texts.state_of,
        shown_state=texts.shown_state,
        shown_effect=shown_effect,
        no_fingerprint=NO_FINGERPRINT,
    )
    return templates
