"""Edits of filled templates that keep each value: the relations of suites from templates.

A text is a sequence of pieces, some of which are values, so that an edit knows where each is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple

from mt_gate.domain import Entity
from mt_gate_suites.templates.reading import Language, Slot, Template, draw_slot
from mt_gate_suites.templates.values import Draw, draw_foreign_person


class Piece(NamedTuple):
    """A part of a text; a value has a kind, its place among the values, and its other forms."""

    text: str
    kind: str = ""
    place: int = -1
    forms: tuple[str, ...] = ()


Pieces = tuple[Piece, ...]


class Filled(NamedTuple):
    """A template with its values."""

    language: Language
    template: Template
    pieces: Pieces


Edit = Callable[[Filled, Random], Pieces | None]
"""Returns the edited text; None if there is nothing to edit. Values keep their places."""


def text_of(pieces: Pieces) -> str:
    """Return the text."""
    return "".join(piece.text for piece in pieces)


def entities_of(pieces: Pieces) -> tuple[Entity, ...]:
    """Return where the values are, in the order of their places."""
    entities: list[tuple[int, Entity]] = []
    at = 0
    for piece in pieces:
        if piece.kind:
            entities.append((piece.place, Entity(at, at + len(piece.text), piece.kind)))
        at += len(piece.text)
    return tuple(entity for _, entity in sorted(entities))


def fill_template(language: Language, template: Template, rng: Random) -> Filled:
    """Return a template with drawn values."""
    return Filled(language, template, _filled(language, template.parts, rng))


def fill_look_alike(text: str, rng: Random) -> str:
    """Return a look-alike with random digits."""
    return "".join(rng.choice("0123456789") if sign == "#" else sign for sign in text)


def _filled(language: Language, parts: Sequence[str | Slot], rng: Random) -> Pieces:
    pieces: list[Piece] = []
    place = 0
    for part in parts:
        if isinstance(part, str):
            pieces.append(Piece(part))
            continue
        text, *forms = draw_slot(language, part, rng)
        pieces.append(Piece(text, part.kind, place, tuple(forms)))
        place += 1
    return tuple(pieces)


def _slots(template: Template) -> list[Slot]:
    return [part for part in template.parts if isinstance(part, Slot)]


# Edits of one value. They return the new text of a value, or None.


def _each(
    change: Callable[[str, Random], str | None],
    kinds: Collection[str] = (),
    not_of: Collection[str] = (),
) -> Edit:
    """Return an edit that changes each value of these kinds (all, if empty)."""

    def edit(filled: Filled, rng: Random) -> Pieces | None:
        pieces = []
        changed = False
        for piece in filled.pieces:
            text = None
            if piece.kind and (not kinds or piece.kind in kinds) and piece.kind not in not_of:
                text = change(piece.text, rng)
            changed |= text not in (None, piece.text)
            pieces.append(piece if text is None else piece._replace(text=text))
        return tuple(pieces) if changed else None

    return edit


NAMES = ("person", "street", "city", "company")
SECRETS = ("password", "api-key")
"""Kinds of which every letter counts."""
WORDS = (*NAMES, "username", "email", "url")


def _draw_others(filled: Filled, rng: Random) -> Pieces | None:
    """Replace each value by another of its kind."""
    slots = _slots(filled.template)
    return tuple(
        piece._replace(text=draw_slot(filled.language, slots[piece.place], rng)[0])
        if piece.kind
        else piece
        for piece in filled.pieces
    )


def _other_origin(filled: Filled, rng: Random) -> Pieces | None:
    lists = filled.language.file
    if "person" not in filled.template.kinds or not lists.foreign_names:
        return None
    draw = Draw(lists.language, lists, rng)
    return tuple(
        piece._replace(text=draw_foreign_person(draw)[0]) if piece.kind == "person" else piece
        for piece in filled.pieces
    )


def _other_format(filled: Filled, rng: Random) -> Pieces | None:
    pieces = tuple(
        piece._replace(text=rng.choice(piece.forms)) if piece.forms else piece
        for piece in filled.pieces
    )
    return pieces if pieces != filled.pieces else None


def _other_context(filled: Filled, rng: Random) -> Pieces | None:
    """Put the value into another template of its kind."""
    slots = {*_slots(filled.template)}
    others = [
        template
        for template in filled.language.templates
        if slots.issubset(_slots(template))
        and template.id != filled.template.id
        and len({*template.kinds}) == len(template.kinds)
    ]
    if len({*filled.template.kinds}) < len(filled.template.kinds):
        return None
    if not others:
        return None
    template = rng.choice(others)
    values = {piece.kind: piece for piece in filled.pieces if piece.kind}
    place = len(values)
    pieces: list[Piece] = []
    for piece in fill_template(filled.language, template, rng).pieces:
        if piece.kind in values:
            pieces.append(values[piece.kind])
        elif piece.kind:
            pieces.append(piece._replace(place=place))
            place += 1
        else:
            pieces.append(piece)
    return tuple(pieces)


_ONLY_ONE = ("", "street", "postcode", "city", "age", "birth-date", "plate")
"""Kinds of which a person or a car has one."""
_OF_ONE = frozenset({"age", "birth-date", "street", "city", "national-id", "record-number"})
"""Kinds that describe one person, so that the text cannot name two."""


def _second_value(filled: Filled, rng: Random) -> Pieces | None:
    """Add another value of a kind after one that has spaces around it."""
    slots, pieces = _slots(filled.template), filled.pieces
    if "=" in text_of(pieces):  # the second value would be part of the first
        return None
    is_about_one = not _OF_ONE.isdisjoint(filled.template.kinds)
    fitting = [
        at
        for at, piece in enumerate(pieces)
        if piece.kind not in (*_ONLY_ONE, *("person",) * is_about_one)
        and (not at or pieces[at - 1].text.endswith(" "))
        and (at + 1 == len(pieces) or pieces[at + 1].text[0] in " ,.;\n")
    ]
    if not fitting:
        return None
    at = rng.choice(fitting)
    first = pieces[at]
    second = Piece(draw_slot(filled.language, slots[first.place], rng)[0], first.kind, len(slots))
    if second.text == first.text:
        return None
    return (*pieces[: at + 1], Piece(filled.language.file.joined), second, *pieces[at + 1 :])


def _look_alikes(filled: Filled, rng: Random, number: int) -> list[str]:
    texts = [line.text for line in filled.language.file.look_alike if "\n" not in line.text]
    return [fill_look_alike(text, rng) for text in rng.sample(texts, min(number, len(texts)))]


def _other_position(filled: Filled, rng: Random) -> Pieces | None:
    """Add a sentence without values before the text."""
    before = _look_alikes(filled, rng, 1)
    return (Piece(f"{before[0]}\n"), *filled.pieces) if before else None


def _longer_text(filled: Filled, rng: Random) -> Pieces | None:
    """Add many sentences without values before and after the text."""
    others = _look_alikes(filled, rng, 6)
    if not others:
        return None
    cut = rng.randint(len(others) // 2, len(others))
    before, after = "\n".join(others[:cut]), "\n".join(others[cut:])
    return (Piece(f"{before}\n"), *filled.pieces, Piece(f"\n{after}" if after else ""))


def _cased(change: Callable[[str], str]) -> Edit:
    def edit(filled: Filled, _rng: Random) -> Pieces | None:
        if not {*filled.template.kinds}.issubset({*NAMES, "phone", "birth-date", "age", "email"}):
            return None
        if any(len(change(piece.text)) != len(piece.text) for piece in filled.pieces):
            return None
        pieces = tuple(piece._replace(text=change(piece.text)) for piece in filled.pieces)
        return pieces if text_of(pieces) != text_of(filled.pieces) else None

    return edit


_PUNCTUATION = re.compile(r"(?<=\w)[.,;:!?。，；：！？、।]+(?=\s|$)|(?<=[^\s])[。，；！？।]")


def _no_punctuation(filled: Filled, _rng: Random) -> Pieces | None:
    """Remove punctuation around the values, as transcripts of speech have none."""
    pieces = []
    for number, piece in enumerate(filled.pieces):
        text = piece.text
        if not piece.kind:
            after_value = number and filled.pieces[number - 1].kind
            text = re.sub(r"^[.,;:!?。，；！？।]+(?=\s|$)", "", text) if after_value else text
            text = _PUNCTUATION.sub("", text)
        pieces.append(piece._replace(text=text))
    edited = tuple(pieces)
    touching = any(a.kind and b.kind for a, b in pairwise(piece for piece in edited if piece.text))
    return edited if text_of(edited) != text_of(filled.pieces) and not touching else None


def _at_space(new: Sequence[str]) -> Callable[[str, Random], str | None]:
    def change(value: str, rng: Random) -> str | None:
        places = [at for at, sign in enumerate(value) if sign == " "]
        if not places:
            return None
        at = rng.choice(places)
        return f"{value[:at]}{rng.choice(new)}{value[at + 1 :]}"

    return change


def _other_spaces(value: str, rng: Random) -> str | None:
    return value.replace(" ", rng.choice("\u00a0\u202f\u2009")) if " " in value else None


def _full_width(value: str, _rng: Random) -> str | None:
    wide = "".join(chr(ord(x) + 0xFEE0) if x.isascii() and x.isdigit() else x for x in value)
    return wide if wide != value else None


def _inside(sign: str) -> Callable[[str, Random], str | None]:
    """Add a sign between two letters or digits of a value."""

    def change(value: str, rng: Random) -> str | None:
        places = [at for at in range(1, len(value)) if value[at - 1 : at + 1].isalnum()]
        if not places:
            return None
        at = rng.choice(places)
        return f"{value[:at]}{sign}{value[at:]}"

    return change


_ALIKE = dict(zip("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ", strict=True))
"""Latin letters, and Cyrillic ones that look the same."""
_SCANNED = {
    "0": "O",
    "1": "l",
    "5": "S",
    "8": "B",
    "O": "0",
    "l": "1",
    "S": "5",
    "B": "8",
    "rn": "m",
}


def _replaced(table: Mapping[str, str]) -> Callable[[str, Random], str | None]:
    """Replace one of the signs of a table in a value."""

    def change(value: str, rng: Random) -> str | None:
        places = [(at, old) for old in table for at in _finds(value, old)]
        if not places:
            return None
        at, old = rng.choice(places)
        return f"{value[:at]}{table[old]}{value[at + len(old) :]}"

    return change


def _finds(text: str, part: str) -> Iterator[int]:
    return (match.start() for match in re.finditer(re.escape(part), text))


def _surrounded(filled: Filled, marks: tuple[str, str]) -> Pieces:
    pieces: list[Piece] = []
    for piece in filled.pieces:
        pieces += [Piece(marks[0]), piece, Piece(marks[1])] if piece.kind else [piece]
    return tuple(pieces)


_MARKUP = (
    ("**", "**"),
    ("<b>", "</b>"),
    ("`", "`"),
    ('<span class="value">', "</span>"),
)
_QUOTES = (('"', '"'), ("“", "”"), ("'", "'"), ("«", "»"), ("(", ")"), ("[", "]"))


def _marked_up(filled: Filled, rng: Random) -> Pieces | None:
    if '"' in text_of(filled.pieces) or any("<" in piece.text for piece in filled.pieces):
        return None
    secret = not {*SECRETS}.isdisjoint(filled.template.kinds)  # it may have a ** of its own
    return _surrounded(filled, rng.choice(_MARKUP[1:] if secret else _MARKUP))


def _quoted(filled: Filled, rng: Random) -> Pieces | None:
    if any(sign in text_of(filled.pieces) for sign in "\"'“«<`="):
        return None
    return _surrounded(filled, rng.choice(_QUOTES))


def _in_json(filled: Filled, _rng: Random) -> Pieces | None:
    """Make the text a string of JSON; a value must not need an escape."""
    if any(
        piece.kind and json.dumps(piece.text, ensure_ascii=False)[1:-1] != piece.text
        for piece in filled.pieces
    ):
        return None
    inside = (
        piece
        if piece.kind
        else piece._replace(text=json.dumps(piece.text, ensure_ascii=False)[1:-1])
        for piece in filled.pieces
    )
    return (Piece('{"id": 7, "text": "'), *inside, Piece('", "read": false}'))


_SPOKEN = {
    "en": ("dot", "at"),
    "de": ("Punkt", "ät"),
    "fr": ("point", "arobase"),
    "es": ("punto", "arroba"),
    "it": ("punto", "chiocciola"),
    "nl": ("punt", "apenstaartje"),
    "pt": ("ponto", "arroba"),
}


def _spoken(filled: Filled, _rng: Random) -> Pieces | None:
    """Write e-mail addresses as a program writes what it hears."""
    words = _SPOKEN.get(filled.language.file.language)
    if "email" not in filled.template.kinds or words is None:
        return None
    dot, at = words
    return tuple(
        piece._replace(text=piece.text.replace(".", f" {dot} ").replace("@", f" {at} "))
        if piece.kind == "email"
        else piece
        for piece in filled.pieces
    )


def _reordered(filled: Filled, rng: Random) -> Pieces | None:
    """Put the lines of a form in another order."""
    lines: list[list[Piece]] = [[]]
    for piece in filled.pieces:
        first, *rest = [piece.text] if piece.kind else piece.text.split("\n")
        lines[-1].append(piece._replace(text=first))
        lines += [[piece._replace(text=line)] for line in rest]
    keyed = [
        at
        for at, line in enumerate(lines)
        if re.match(r"[^\W\d][^:\n{\[<]{0,30}[:：]", line[0].text)
    ]
    keys = {line[0].text.split(":")[0] for line in lines}
    asks = any(sign in text_of(filled.pieces) for sign in "?？")  # an answer follows its question
    if len(keyed) < 3 or len(keyed) != len(lines) or asks or len(keys) < len(lines):
        return None
    order = lines
    while order == lines:
        order = rng.sample(lines, len(lines))
    pieces: list[Piece] = []
    for line in order:
        pieces += [*([Piece("\n")] if pieces else []), *line]
    return tuple(piece for piece in pieces if piece.text)


def _other_keys(filled: Filled, _rng: Random) -> Pieces | None:
    if not filled.template.other_keys:
        return None
    values = [piece for piece in reversed(filled.pieces) if piece.kind]
    pieces = []
    for part in filled.template.other_keys:
        if isinstance(part, str):
            pieces.append(Piece(part))
        else:  # the first value of its kind that is left
            at = max(at for at, piece in enumerate(values) if piece.kind == part.kind)
            pieces.append(values.pop(at))
    return tuple(pieces)


class TemplateRelation(NamedTuple):
    """A relation of suites from templates, with its texts in reports."""

    name: str
    title: str
    description: str
    edit: Edit
    before: str
    after: str


_MUST = "Values found before must be found."
_LETTERED = {*SECRETS, "plate", "iban", "mac", "ip", "age"}

RELATIONS: tuple[TemplateRelation, ...] = tuple(
    TemplateRelation(name, title, f"{what} {_MUST}", edit, before, after)
    for name, title, what, edit, before, after in (
        (
            "another-value", "Another value", "Replaces each value by another of its kind.",
            _draw_others, "Call Anna Moss.", "Call Ben Hale.",
        ),
        (
            "name-origin", "Names of other origins", "Replaces a name by one of another origin.",
            _other_origin, "Call Anna Moss.", "Call Chinwe Okonkwo.",
        ),
        (
            "value-format", "Other formats", "Writes values in another usual format.",
            _other_format, "Call +49 30 23125 042.", "Call 030/23125042.",
        ),
        (
            "other-context", "Another context", "Puts the value into another text.",
            _other_context, "Call Anna Moss.", "Signed by Anna Moss",
        ),
        (
            "other-position", "Another position", "Adds a sentence before the text.",
            _other_position, "Call Anna Moss.", "The parcel weighs 12 kg.\nCall Anna Moss.",
        ),
        (
            "longer-text", "A longer text", "Adds many sentences around the text.",
            _longer_text, "Call Anna Moss.", "The parcel weighs 12 kg. ...\nCall Anna Moss.\n...",
        ),
        (
            "two-values", "Two values", "Adds a second value of the kind.",
            _second_value, "Call Anna Moss.", "Call Anna Moss and Ben Hale.",
        ),
        (
            "lower-case", "Lower case", "Writes the text in lower case.",
            _cased(str.lower), "Call Anna Moss.", "call anna moss.",
        ),
        (
            "upper-case", "Upper case", "Writes the text in capitals.",
            _cased(str.upper), "Call Anna Moss.", "CALL ANNA MOSS.",
        ),
        (
            "no-punctuation", "Missing punctuation", "Removes punctuation around values.",
            _no_punctuation, "Call Anna Moss, please.", "Call Anna Moss please",
        ),
        (
            "line-break", "Line breaks in values", "Breaks a value at a space.",
            _each(_at_space("\n\t"), not_of=SECRETS), "Call Anna Moss.", "Call Anna\nMoss.",
        ),
        (
            "other-spaces", "Other spaces", "Writes no-break or thin spaces in values.",
            _each(_other_spaces), "Call Anna Moss.", "Call Anna\u00a0Moss.",
        ),
        (
            "full-width", "Full-width digits", "Writes full-width digits in values.",
            _each(_full_width, not_of=SECRETS), "Call 555 0134.", "Call ５５５ ０１３４.",
        ),
        (
            "zero-width", "Zero-width characters", "Adds an invisible character to values.",
            _each(_inside("\u200b")), "Call Anna Moss.", "Call An\u200bna Moss.",
        ),
        (
            "homoglyph", "Homoglyphs", "Replaces a Latin letter by a Cyrillic one like it.",
            _each(_replaced(_ALIKE), kinds=WORDS), "Call Anna Moss.", "Call Аnna Moss.",
        ),
        (
            "ocr-confusion", "OCR confusions", "Misreads a sign of each value, as scanners do.",
            _each(_replaced(_SCANNED), not_of=_LETTERED), "Call 555 0134.", "Call 555 O134.",
        ),
        (
            "markup", "Markup", "Puts HTML or Markdown around values.",
            _marked_up, "Call Anna Moss.", "Call <b>Anna Moss</b>.",
        ),
        (
            "quotes", "Quotes and brackets", "Puts quotes or brackets around values.",
            _quoted, "Call Anna Moss.", "Call “Anna Moss”.",
        ),
        (
            "json-string", "JSON escapes", "Makes the text a string of JSON.",
            _in_json, "Call Anna Moss.", '{"text": "Call Anna Moss."}',
        ),
        (
            "spoken-form", "Spoken form", "Writes e-mail addresses as they are spoken.",
            _spoken, "Mail a.moss@example.org", "Mail a dot moss at example dot org",
        ),
        (
            "field-order", "Order of fields", "Puts the lines of a form in another order.",
            _reordered, "Name: Anna Moss\nAge: 42", "Age: 42\nName: Anna Moss",
        ),
        (
            "other-keys", "Translated keys", "Writes the keys of a form in another language.",
            _other_keys, "Name: Anna Moss", "Nombre: Anna Moss",
        ),
    )
)  # fmt: skip
