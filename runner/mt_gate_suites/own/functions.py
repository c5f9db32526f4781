"""Load a user's function as a transformation, and check its results.

    def shouting(text, rng):
        return [[(len(text), len(text), "!!!")]]

A function gets a text and a ``random.Random``, and returns edited texts, each as a text or as a
list of edits (start, end, new text). It need not import mt-gate. It runs when a suite is built,
never when a checkpoint is judged.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import importlib.metadata
import inspect
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from mt_gate.base.errors import UsageError, quoted, reported
from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.own.sources import unprintable
from mt_gate_suites.text.transformation import OfText, common

GROUP = "mt_gate.relations"
"""Entry point group in which packages offer relations."""
MOST = 20
"""Maximum number of edited texts of one text."""
LONGEST = 1 << 20
"""Maximum number of characters of an edited text."""

UserFunction = Callable[[str, Random], Iterable[Any]]


class Loaded(NamedTuple):
    """A user's function, and its target with version and digest."""

    function: UserFunction
    named: str


def load_function(name: str, folder: Path, where: str) -> Loaded:
    """Return the function that an entry point or ``module:function`` names.

    Args:
        name: an entry point, or ``module:function``.
        folder: the file's folder, in which modules are searched in addition to installed ones.
        where: file and relation, which begin each message.

    Raises:
        UsageError: the function does not exist, or cannot be imported.
    """
    version, target = "", name
    if ":" not in name:
        points = {point.name: point for point in importlib.metadata.entry_points(group=GROUP)}
        if name not in points:
            raise UsageError(
                f"{where}: entry point {quoted(name)} of {GROUP} is not installed (installed: "
                f"{', '.join(sorted(points)) or 'none'}). Install its package, or write "
                "module:function."
            )
        target, dist = points[name].value, points[name].dist
        version = f" {dist.name} {dist.version}" if dist else ""
    module_name, _, attribute = target.partition(":")
    own = str(folder.resolve())
    sys.path.insert(0, own)
    try:
        module = importlib.import_module(module_name)
        function = module
        for part in attribute.split("."):
            function = getattr(function, part)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{where}: function {quoted(name)} cannot be loaded ({type(error).__name__}: "
            f"{reported(error)}). Expected module:function, importable from {folder}."
        ) from None
    finally:
        with suppress(ValueError):
            sys.path.remove(own)
    if not callable(function):
        raise UsageError(f"{where}: {quoted(name)} is not a function. Expected module:function.")
    try:
        path = inspect.getsourcefile(module)
        # The digest does not cover what the module imports.
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else "unknown"
    except (TypeError, OSError):
        raise UsageError(
            f"{where}: function {quoted(name)} is of a built-in module, which has no source file "
            "that shows its version. Write a function in your own module that calls it."
        ) from None
    return Loaded(function, f"{target}{version} sha256:{digest}")


def function_of(loaded: Loaded, where: str) -> OfText:
    """Return a user's function as a transformation.

    Every text is edited twice, with copies of one generator. If the results differ, the function
    is rejected, because every build would make another suite.
    """

    def rewrites(text: str, rng: Random) -> list[Rewrite]:
        first, again = (_call(loaded, text, copy.deepcopy(rng), where) for _ in range(2))
        if first != again:
            one, other = (made[0].text if made else "nothing" for made in (first, again))
            raise UsageError(
                f"{where}: the function is not deterministic. For {quoted(text)} it returned "
                f"{quoted(one)}, then {quoted(other)}. Take random numbers from rng."
            )
        return first

    return OfText(rewrites)


def _call(loaded: Loaded, text: str, rng: Random, where: str) -> list[Rewrite]:
    try:
        answer = loaded.function(text, rng) or ()
        results = [] if isinstance(answer, str | bytes) else list(answer)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{where}: the function raised {type(error).__name__} ({reported(error)}) on "
            f"{quoted(text)}. Return [] for a text that it cannot edit."
        ) from None
    if isinstance(answer, str | bytes):
        raise UsageError(
            f"{where}: the function returned the text {quoted(answer)} for {quoted(text)}. Return "
            "a list of texts."
        )
    if len(results) > MOST:
        raise UsageError(
            f"{where}: the function returned {len(results)} edited texts for {quoted(text)}. "
            f"Return at most {MOST}."
        )
    return [_rewrite(text, one, where) for one in results]


def _rewrite(text: str, follow_up: object, where: str) -> Rewrite:
    """Return the rewrite for a text or a list of edits; reject anything else."""
    edits = _edits(text, follow_up) if isinstance(follow_up, list | tuple) else None
    if isinstance(follow_up, str):
        new = Rewrite(follow_up, common(text, follow_up))
    elif edits is not None:
        new = edited(text, edits)
    else:
        raise UsageError(
            f"{where}: the function returned {quoted(follow_up)} for {quoted(text)}. Expected "
            "texts, or lists of edits (start, end, new text) in order, within the text."
        )
    fault = ""
    if not new.text.strip():
        fault = f"an empty text for {quoted(text)}. Return [] for a text that it cannot edit"
    elif len(new.text) > LONGEST:
        fault = (
            f"a text of {len(new.text)} characters for {quoted(text)}, but {LONGEST} is the limit. "
            "Shorten it, or return []"
        )
    elif control := unprintable(new.text, text):
        fault = f"a text with {control} for {quoted(text)}. Remove it"
    if fault:
        raise UsageError(f"{where}: the function returned {fault}.")
    return new


def _edits(text: str, stated: Iterable[object]) -> list[tuple[int, int, str]] | None:
    """Return edits that are in order, separate and within the text; None for anything else."""
    edits: list[tuple[int, int, str]] = []
    at = 0
    for one in stated:
        match one:
            case (int(start), int(end), str(new)) if at <= start <= end <= len(text):
                edits.append((start, end, new))
                at = end
            case _:
                return None
    return edits
