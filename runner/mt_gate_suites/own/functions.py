"""A user's function as a transformation: found by name, held to what it must return.

    def shouting(text, rng):
        return [[(len(text), len(text), "!!!")]]

A function gets a text and a ``random.Random``, and returns follow-ups, each as a list of edits
(start, end, new text), or as a text. It needs nothing of mt-gate. It runs when a suite is
built, never when a checkpoint is judged.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import importlib.metadata
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from mt_gate.base.errors import UsageError, quoted, reported
from mt_gate_suites.grammar.edits import edited
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.own.sources import unprintable
from mt_gate_suites.text.transformation import OfText, common

GROUP = "mt_gate.relations"
"""The entry points under which packages bring relations."""
MOST = 20
"""Follow-ups of a text."""
LONGEST = 1 << 20
"""Characters of a follow-up."""

UserFunction = Callable[[str, Random], Iterable[Any]]


class Loaded(NamedTuple):
    """A user's function, and what tells it from another version of it."""

    function: UserFunction
    named: str


def load_function(name: str, folder: Path, where: str) -> Loaded:
    """Return the function that an entry point or ``module:function`` names.

    Args:
        name: of either form.
        folder: that modules are looked for in besides those installed: the file's own.
        where: file and relation, opening each message.

    Raises:
        UsageError: there is none, or it cannot be imported.
    """
    version = ""
    target = name
    if ":" not in name:
        points = importlib.metadata.entry_points(group=GROUP)
        found = [point for point in points if point.name == name]
        if not found:
            known = ", ".join(sorted(point.name for point in points)) or "none"
            raise UsageError(
                f"{where}: no entry point {quoted(name)} of {GROUP}; installed: {known}; or name "
                "a function as module:function"
            )
        target = found[0].value
        dist = found[0].dist
        version = f" {dist.name} {dist.version}" if dist else ""
    module_name, _, attribute = target.partition(":")
    try:
        with _importable(folder):
            module = importlib.import_module(module_name)
            function = module
            for part in attribute.split("."):
                function = getattr(function, part)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{where}: function {quoted(name)} cannot be loaded ({type(error).__name__}: "
            f"{reported(error)}); expected module:function, importable from {folder}"
        ) from None
    if not callable(function):
        raise UsageError(f"{where}: {quoted(name)} is no function")
    try:
        digest = _digest(module)
    except (TypeError, OSError):
        raise UsageError(
            f"{where}: function {quoted(name)} is of a built-in module, which has no source file "
            "to tell its version by; name a function of your own module that calls it"
        ) from None
    return Loaded(function, f"{target}{version} sha256:{digest}")


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder.resolve()))
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(str(folder.resolve()))


def _digest(module: Any) -> str:
    """Return the sha256 of a module's file; of what it imports nothing is said.

    Raises:
        TypeError, OSError: it has no file, as a built-in module.
    """
    path = inspect.getsourcefile(module)
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else "unknown"


def function_of(loaded: Loaded, where: str) -> OfText:
    """Return a user's function as a transformation.

    Every text is edited twice, with the same generator: a function that then answers otherwise
    would build another suite each time.
    """

    def rewrites(text: str, rng: Random) -> list[Rewrite]:
        first, again = (_called(loaded, text, copy.deepcopy(rng), where) for _ in range(2))
        if first != again:
            raise UsageError(
                f"{where}: the function is not deterministic: it made {quoted(_shown(first))}, "
                f"then {quoted(_shown(again))} of {quoted(text)}; take what is random from rng"
            )
        return first

    return OfText(rewrites)


def _shown(rewrites: list[Rewrite]) -> str:
    return rewrites[0].text if rewrites else "nothing"


def _called(loaded: Loaded, text: str, rng: Random, where: str) -> list[Rewrite]:
    try:
        answer = loaded.function(text, rng) or ()
        found = [] if isinstance(answer, str | bytes) else list(answer)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{where}: the function raised {type(error).__name__} ({reported(error)}) on "
            f"{quoted(text)}; return [] for a text that it does not serve"
        ) from None
    if isinstance(answer, str | bytes):
        raise UsageError(
            f"{where}: the function returned the text {quoted(answer)} for {quoted(text)}; return "
            "a list of texts"
        )
    if len(found) > MOST:
        raise UsageError(
            f"{where}: the function made {len(found)} follow-ups of {quoted(text)}; at most {MOST}"
        )
    return [_rewrite(text, one, where) for one in found]


def _rewrite(text: str, follow_up: object, where: str) -> Rewrite:
    """Return a follow-up that is a text or a list of edits; refuse anything else."""
    if isinstance(follow_up, str):
        new = Rewrite(follow_up, common(text, follow_up))
    elif isinstance(follow_up, list | tuple) and (edits := _edits(text, follow_up)) is not None:
        new = edited(text, edits)
    else:
        raise UsageError(
            f"{where}: the function returned {quoted(follow_up)} for {quoted(text)}; expected "
            "texts, or lists of edits (start, end, new text) in order, within the text"
        )
    if not new.text.strip():
        raise UsageError(
            f"{where}: the function made an empty text of {quoted(text)}; return [] for a text "
            "that it does not serve"
        )
    if len(new.text) > LONGEST:
        raise UsageError(
            f"{where}: the function made a text of {len(new.text)} characters of {quoted(text)}; "
            f"expected at most {LONGEST}; shorten it, or return []"
        )
    if fault := unprintable(new.text, text):
        raise UsageError(f"{where}: the function made a text with {fault} of {quoted(text)}")
    return new


def _edits(text: str, stated: Iterable[object]) -> list[tuple[int, int, str]] | None:
    """Return edits that are in order, apart and within the text; None for anything else."""
    found: list[tuple[int, int, str]] = []
    at = 0
    for one in stated:
        match one:
            case (int(start), int(end), str(new)) if at <= start <= end <= len(text):
                found.append((start, end, new))
                at = end
            case _:
                return None
    return found
