"""The templates of all pages: everything from outside is escaped, visible and bounded.

Whatever comes from a checkpoint or a suite passes ``_finalize`` and Jinja's
escaping on its way out. A page's content security policy names the hashes of
its own styles and script, so nothing else can run.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mt_gate import __version__
from mt_gate.base import figures
from mt_gate.base.escaping import visible
from mt_gate.base.redaction import shorten
from mt_gate.reporting.words import texts
from mt_gate.reporting.words.rendering import BETWEEN
from mt_gate.reporting.words.tables import shown_effect, stratum_in_words
from mt_gate.results.result import NO_FINGERPRINT, runtime_text, short_fingerprint

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_TEMPLATES = Path(__file__).parent / "templates"
_LONGEST = 3000
_LONGEST_LABEL = 40
_KNOWN_LABELS = {"PER": 0, "PERSON": 0, "LOC": 1, "GPE": 1, "ORG": 2, "MISC": 3}
_KNOWN_LABELS |= {"HEAD": 2, "TAIL": 3, "RELATION": 0}
_NOISE = {
    "repeated": "predicted again",
    "neighbours": "in another batch",
    "padded": "padded",
    "threads": "on other threads",
    "graph": "operator by operator",
    "provider": "on the CPU",
}
"""The only change between predictions whose scores differ."""


def render_page(name: str, *, styles: tuple[str, ...] = (), script: str = "", **more: Any) -> str:
    """Return a page as one file that opens from disk and sends no request.

    ``styles`` are files of the page's own, after the one of all pages.
    """
    sheets = [_asset(style) for style in ("report.css", *styles)]
    code, code_hash = _asset(script) if script else ("", "")
    more["styles"] = [text for text, _ in sheets]
    more["style_hashes"] = " ".join(digest for _, digest in sheets)
    return environment().get_template(name).render(**more, script=code, script_hash=code_hash)


def _asset(name: str) -> tuple[Markup, str]:
    from markupsafe import Markup

    text = (_TEMPLATES / name).read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return Markup(text), f"'sha256-{digest}'"


def _finalize(value: object) -> object:
    # Called for each value of a page: most are plain texts, known by their type alone.
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
    """Return the templates' environment: everything escaped, visible and bounded."""
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
            f"{figures.significant(size)} {_NOISE.get(way, way)}" for way, size in noise.items()
        ),
        colour=_colour,
        short_label=lambda label: shorten(label, _LONGEST_LABEL),
        stratum=stratum_in_words,
        minus=_typographic(str),
    )
    templates.globals.update(
        version=__version__,
        symbols=texts.SYMBOLS,
        verdict_words=texts.VERDICT_WORDS,
        states=texts.STATES,
        state_of=texts.state_of,
        before_rate=texts.before_rate,
        after_rate=texts.after_rate,
        p_of=texts.p_of,
        shown_effect=shown_effect,
        state_note=texts.state_note,
        tone=texts.tone,
        no_fingerprint=NO_FINGERPRINT,
    )
    return templates
