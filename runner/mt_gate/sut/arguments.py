"""A sentence with its head and tail as the text that a checkpoint was trained to read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.sut.input_form import TEXT, TYPE, InputForm, reads_types
from mt_gate.tasks import relation_extraction as re_task
from mt_gate.tasks.relation_extraction import ARGUMENTS, HEAD, PAIR, TAIL, Argument

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MARKER = re.compile(r"\[[^\[\]\s]+\]|<[^<>\s]+>")
"""What must be one token wherever a template holds it."""


class ArgumentPlace(NamedTuple):
    """Where an argument stands in the text, with what its template adds but blanks."""

    start: int
    end: int


class Own(NamedTuple):
    """Characters of the input itself, in the first text (0) or the second (1)."""

    text: int
    start: int
    end: int


class ShownText(NamedTuple):
    """What the tokenizer gets. ``places`` are those of head and tail; empty where none is shown."""

    texts: str | tuple[str, str]
    own: tuple[Own, ...]
    places: tuple[ArgumentPlace, ...] = ()


class Templates:
    """Arguments shown by a template each: markers around them, or a word for them."""

    def __init__(self, form: InputForm, tokenizer: Tokenizer, where: str) -> None:
        """Find the markers in the tokenizer's vocabulary.

        Raises:
            CannotJudge: a marker is no token, or none of the types has its own.
        """
        self.templates: Mapping[str, str] = {name: getattr(form, name) for name in ARGUMENTS}
        self.takes_blank = form.input_form == PAIR
        self.other_type = form.other_type
        self.names = {
            name: _known_types(template, form, tokenizer, f"{where}: {name}")
            for name, template in self.templates.items()
        }
        self.markers = sorted(
            {
                marker
                for name, template in self.templates.items()
                for kind in [*self.names[name].values()]
                for marker in _markers(template, kind)
            }
        )
        self.reads_types = reads_types(form)

    def type_name(self, name: str, kind: str) -> str | None:
        """Return the checkpoint's name of an argument's type; None where it has none."""
        names = self.names[name]
        return names.get(kind, names.get(""))

    def show(self, value: Mapping[str, Any]) -> ShownText | None:
        """Return the text with its arguments shown; None where a type has no name.

        Each character of the text that no template replaces stays as it is.
        With ``takes_blank`` the blank before an argument stands after its
        opening, as the tokenizer of LUKE has it.
        """
        text: str = value[re_task.TEXT]
        parts: list[str] = []
        own: list[Own] = []
        places: dict[str, ArgumentPlace] = {}
        read = length = 0

        def put(part: str, *, is_own: bool) -> None:
            nonlocal length
            if is_own and part:
                own.append(Own(0, length, length + len(part)))
            parts.append(part)
            length += len(part)

        for name, argument in sorted(_arguments(value), key=lambda item: item[1].start):
            kind = self.type_name(name, argument.type)
            if kind is None:
                return None
            before, holds, after = self.templates[name].partition(TEXT)
            start = max(read, argument.start - self._blank(text, argument.start))
            put(text[read:start], is_own=True)
            opening = length + len(before) - len(before.lstrip())
            put(before.replace(TYPE, kind), is_own=False)
            # With LUKE a blank at the end of an argument belongs to what follows it.
            end = argument.end - self._blank(text, argument.end)
            put(text[start:end] if holds else "", is_own=True)
            put(after.replace(TYPE, kind), is_own=False)
            places[name] = ArgumentPlace(opening, length - len(after) + len(after.rstrip()))
            read = end if holds else argument.end
        put(text[read:], is_own=True)
        return ShownText("".join(parts), tuple(own), (places[HEAD], places[TAIL]))

    def _blank(self, text: str, at: int) -> int:
        return int(self.takes_blank and at > 0 and text[at - 1] == " ")


class TextPair:
    """The sentence as it is, and both names as a second text by a template."""

    markers: tuple[str, ...] = ()
    reads_types = False

    def __init__(self, form: InputForm) -> None:
        """Take the template apart."""
        self.parts = re.split(r"(\{head\}|\{tail\})", form.template)

    def show(self, value: Mapping[str, Any]) -> ShownText:
        """Return both texts."""
        text: str = value[re_task.TEXT]
        words = {f"{{{name}}}": text[item.start : item.end] for name, item in _arguments(value)}
        own, second = [Own(0, 0, len(text))], ""
        for part in self.parts:
            if part in words:
                own.append(Own(1, len(second), len(second) + len(words[part])))
            second += words.get(part, part)
        return ShownText((text, second), tuple(own))


def _arguments(value: Mapping[str, Any]) -> Iterator[tuple[str, Argument]]:
    for name in ARGUMENTS:
        yield name, re_task.argument(value, name)


def _markers(template: str, kind: str) -> list[str]:
    return _MARKER.findall(template.replace(TYPE, kind).replace(TEXT, " "))


def _known_types(
    template: str, form: InputForm, tokenizer: Tokenizer, where: str
) -> dict[str, str]:
    """Return the name of each type that the template can show; "" stands for all others."""
    if TYPE not in template:
        names = {"": ""}
    else:
        names = {**form.types, **({"": form.other_type} if form.other_type else {})}
    missing: list[str] = []
    known = {}
    for kind, name in sorted(names.items()):
        lost = [m for m in _markers(template, name) if tokenizer.token_to_id(m) is None]
        missing += lost
        if not lost:
            known[kind] = name
    if not known:
        raise CannotJudge(
            f"{where} is {quoted(template)}, and {quoted(missing[0])} is not a token of the "
            "tokenizer; expected "
            "the markers that the checkpoint was trained with; fix the template, or save the "
            "tokenizer that has them next to the model"
        )
    return known
