"""Read files of templates: one language each, with its lists of values.

    [[template]]
    context = "support chat"
    text = "Hi, this is {person}. You can reach me at {phone}."

    [[look_alike]]
    kind = "order number"
    text = "Order ###-####### ships tomorrow."

    [kinds.badge]
    pattern = 'B-[0-9]{6}'

A slot is the name of a kind, with the country of an identity number if there are several:
``{national-id:US}``. Other braces are text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, NamedTuple

import msgspec
import rstr
from msgspec import Meta

from mt_gate.base.errors import CannotJudge, UsageError, did_you_mean, quoted, reported
from mt_gate.base.files import read_whole
from mt_gate.relations.stated import LabelName
from mt_gate_suites.templates.values import GENERATORS, Draw, Forms, Generator, Lists, Text, Texts

MAX_BYTES = 4 << 20
_SLOT = re.compile(r"\{([a-z][a-z0-9-]*)(?::([A-Z]{2}))?\}")
_NAMED = re.compile(r"([a-z][a-z0-9-]*)(?:\(([A-Z]{2})\))?")
Label = Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f]+\Z")]


class TemplateLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A template; ``other_keys`` is the same form with its keys in another language.

    ``without`` are names of relations that would make it unnatural.
    """

    context: Label
    text: Text
    other_keys: str = ""
    without: tuple[str, ...] = ()


class LookAlikeLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text that only looks as if it had values; ``#`` is a random digit."""

    kind: Label
    text: Text


class KindLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values of a kind: a list, a regular expression, or a generator such as ``iban(DE)``."""

    values: Texts = ()
    pattern: str = ""
    generator: str = ""


class TemplateFile(Lists, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of templates; ``and`` joins two values."""

    language: Label
    joined: str = msgspec.field(name="and", default=", ")
    template: Annotated[tuple[TemplateLine, ...], Meta(max_length=10_000)] = ()
    look_alike: Annotated[tuple[LookAlikeLine, ...], Meta(max_length=10_000)] = ()
    kinds: Mapping[LabelName, KindLine] = {}


class Slot(NamedTuple):
    """A place for a value; ``argument`` is a country, or empty."""

    kind: str
    argument: str = ""


class Template(NamedTuple):
    """A template, as texts and slots in order; ``other_keys`` is the same, or empty."""

    id: str
    context: str
    parts: tuple[str | Slot, ...]
    other_keys: tuple[str | Slot, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its slots, in order."""
        return tuple(part.kind for part in self.parts if isinstance(part, Slot))


class Language(NamedTuple):
    """The content of a file of templates, checked."""

    file: TemplateFile
    templates: tuple[Template, ...]
    generators: Mapping[str, Generator]


def read_language(path: Path) -> Language:
    """Read a file of templates.

    Raises:
        UsageError: it is not valid, or has no template.
    """
    try:
        data = read_whole(path, limit=MAX_BYTES, cause="Check --sources.")
        file = msgspec.convert(tomllib.loads(data.decode()), TemplateFile)
    except CannotJudge as error:
        raise UsageError(str(error)) from None
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, or other fields
        raise UsageError(f"{path}: {reported(error)}. Correct the file.") from None
    generators = dict(GENERATORS)
    for kind, own in file.kinds.items():
        generators[kind] = _generator(own, f"{path}: kind {quoted(kind, 60)}")
    templates = []
    for number, line in enumerate(file.template, 1):
        where = f"{path}: template {number}"
        parts = _parts(line.text, generators, where)
        other = _parts(line.other_keys, generators, where) if line.other_keys else ()
        kinds = [part.kind for part in parts if isinstance(part, Slot)]
        if not kinds:
            raise UsageError(f"{where} has no slot. Add one, such as {{email}}, or use look_alike.")
        if other and sorted(kinds) != sorted(p.kind for p in other if isinstance(p, Slot)):
            raise UsageError(
                f"{where}: other_keys and text must have the same slots. Fix one of them."
            )
        name = f"{file.language}-{number}"
        templates.append(Template(name, line.context, parts, other, line.without))
    if not templates:
        raise UsageError(f"{path} has no [[template]]. Add one.")
    language = Language(file, tuple(templates), generators)
    _check_lists(language, path)
    return language


def _parts(text: str, generators: Mapping[str, Generator], where: str) -> tuple[str | Slot, ...]:
    parts: list[str | Slot] = []
    at = 0
    for match in _SLOT.finditer(text):
        kind, argument = match[1], match[2] or ""
        if kind not in generators:
            raise UsageError(
                f"{where}: no kind {quoted(kind, 60)}.{did_you_mean(kind, [*generators])} Define "
                f"it: [kinds.{kind}] with values, pattern or generator."
            )
        if match.start() > at:
            parts.append(text[at : match.start()])
        parts.append(Slot(kind, argument))
        at = match.end()
    if at < len(text):
        parts.append(text[at:])
    return tuple(parts)


def _generator(line: KindLine, where: str) -> Generator:
    if sum(map(bool, (line.values, line.pattern, line.generator))) != 1:
        raise UsageError(f"{where} needs one of values, pattern or generator. Set one.")
    if line.values:
        return lambda draw: [draw.rng.choice(line.values)]
    if line.pattern:
        try:
            re.compile(line.pattern)
            rstr.Rstr().xeger(line.pattern)
        except (re.error, ValueError, KeyError, NotImplementedError, RecursionError) as error:
            raise UsageError(
                f"{where}: pattern {quoted(line.pattern, 60)} cannot be used ({reported(error)}). "
                "Correct it."
            ) from None
        return partial(_draw_pattern, line.pattern)
    named = _NAMED.fullmatch(line.generator)
    if not named or named[1] not in GENERATORS:
        raise UsageError(
            f"{where}: no generator {quoted(line.generator, 60)}. Use one of "
            f"{', '.join(GENERATORS)}, or such as iban(DE)."
        )
    return lambda draw: GENERATORS[named[1]](draw._replace(argument=named[2] or draw.argument))


def _draw_pattern(pattern: str, draw: Draw) -> Forms:
    return [rstr.Rstr(draw.rng).xeger(pattern).strip()]


def _check_lists(language: Language, path: Path) -> None:
    """Raise UsageError if a value of a template cannot be drawn, for example for lack of names."""
    for template in language.templates:
        for part in (*template.parts, *template.other_keys):
            if isinstance(part, Slot):
                try:
                    forms = draw_slot(language, part, Random(0))
                except (IndexError, KeyError):
                    raise UsageError(
                        f"{path}: kind {quoted(part.kind, 60)} has no values: a list "
                        f"such as first_names or cities is empty, or {part.argument or 'its'} is "
                        "not a country that it knows. Add the list, or define the kind."
                    ) from None
                if not all(form.strip() == form and form for form in forms):
                    raise UsageError(
                        f"{path}: a value of kind {quoted(part.kind, 60)} is empty, or begins or "
                        "ends with a space. Correct the kind."
                    )


def draw_slot(language: Language, slot: Slot, rng: Random) -> Forms:
    """Return a value for a slot, and other ways to write it."""
    draw = Draw(language.file.language, language.file, rng, slot.argument)
    return language.generators[slot.kind](draw)
