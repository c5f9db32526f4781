"""How arguments of a relation are shown to a checkpoint: data, in its card or next to its weights.

The same fields stand in ``checkpoint.json`` and in ``input_form.json``, which
a Hugging Face folder may hold for the export (docs/checkpoints.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.tasks.relation_extraction import ARGUMENTS, MARKERS, MASK, PAIR, STARTS, TYPED, TYPES

TEXT, TYPE = "{text}", "{type}"
MOST_TEMPLATE, MOST_MENTION = 200, 512
"""Characters of a template or a type's name, and tokens of a mention."""
_PLACE = re.compile(r"\{[^{}]*\}")


class InputForm(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """An input form with its data; those after ``template`` are for task re alone.

    ``head`` and ``tail`` are what replaces an argument, with ``{text}`` for its words and
    ``{type}`` for its type's name; ``types`` names each type of ``TYPES`` that the checkpoint
    knows, ``other_type`` all others. ``template`` is what a text-to-text model reads (task
    boolq), or the second text of form ``plain-text``, with ``{head}`` and ``{tail}``. ``entities``
    are the ids of the two entities that form ``entity-pair`` asks about, ``mention_length`` is in
    tokens. ``ontology`` is the name of a scheme of labels, ``selective_attention`` says that the
    checkpoint was trained on bags whose queries are the rows of its classifier; neither changes an
    answer. ``activation`` says what makes scores of logits and ``score_range`` what a mere score
    lies between (task text).
    """

    input_form: str = ""
    template: str = ""
    head: str = ""
    tail: str = ""
    types: Mapping[str, str] = {}
    other_type: str = ""
    entities: tuple[int, ...] = ()
    mention_length: int = 30
    ontology: str = ""
    selective_attention: bool = False
    activation: str = ""
    score_range: tuple[float, float] = (0.0, 1.0)


def reading(form: InputForm) -> dict[str, Any]:
    """Return what changes how inputs or scores are read; empty where nothing is said of it."""
    fields = {name: getattr(form, name) for name in ("head", "tail", "types", "other_type")}
    if form.input_form == PAIR:
        fields |= {"entities": form.entities, "mention_length": form.mention_length}
    if form.activation:
        fields |= {"activation": form.activation, "score_range": form.score_range}
    return {name: value for name, value in fields.items() if value}


class FormRule(NamedTuple):
    """Whether the templates of a form hold words and types: True, False, or None for either."""

    text: bool
    type: bool | None
    example: tuple[str, str]


RULES: Mapping[str, FormRule] = {
    MARKERS: FormRule(True, False, ("[E1] {text} [/E1]", "[E2] {text} [/E2]")),
    STARTS: FormRule(True, None, ("[E1] {text} [/E1]", "[E2] {text} [/E2]")),
    TYPED: FormRule(True, True, ("<S:{type}> {text} </S:{type}>", "<O:{type}> {text} </O:{type}>")),
    MASK: FormRule(False, None, ("[subject-{type}]", "[object-{type}]")),
    PAIR: FormRule(True, False, ("<ent>{text}<ent>", "<ent2>{text}<ent2>")),
}
"""The forms that show arguments by templates."""
PLAIN_EXAMPLE = "{head}, {tail}"


def check_form(form: InputForm, where: str) -> None:
    """Check a form of task re with its data. Raises CannotJudge."""
    rule = RULES.get(form.input_form)
    if rule is not None:
        for name, example in zip(ARGUMENTS, rule.example, strict=True):
            value = getattr(form, name)
            places = _PLACE.findall(value)
            words = places.count(TEXT) == int(rule.text)
            types = rule.type is None or (TYPE in places) == rule.type
            shown = bool(value.replace(TEXT, "").strip())
            if not (words and types and shown) or set(places) - {TEXT, TYPE} or _too_long(value):
                _refuse(where, name, value, f'"{name}": "{example}"')
    elif {"{head}", "{tail}"} != set(_PLACE.findall(form.template)) or _too_long(form.template):
        _refuse(where, "template", form.template, f'"template": "{PLAIN_EXAMPLE}"')
    _check_types(form, where)
    entities = form.entities
    if form.input_form == PAIR and (len(entities) != 2 or min(entities) < 0):
        raise CannotJudge(
            f"{where}: entities are {quoted(list(entities))}. Expected the ids of the head's and "
            'the tail\'s entity, such as "entities": [2, 3]. Fix the file.'
        )
    if not 1 <= form.mention_length <= MOST_MENTION:
        raise CannotJudge(
            f"{where}: mention_length is {form.mention_length}. Expected 1 to {MOST_MENTION} "
            "tokens. Fix the file."
        )


def reads_types(form: InputForm) -> bool:
    """Whether types of arguments enter the input."""
    return TYPE in form.head or TYPE in form.tail


def _too_long(template: str) -> bool:
    return len(template) > MOST_TEMPLATE


def _refuse(where: str, name: str, value: str, example: str) -> None:
    raise CannotJudge(
        f"{where}: {name} is {quoted(value, 60)}. Expected a template of at most {MOST_TEMPLATE} "
        f"characters, such as {example}. Fix the file."
    )


def _check_types(form: InputForm, where: str) -> None:
    for kind, name in form.types.items():
        if kind not in TYPES:
            raise CannotJudge(
                f"{where}: types has {quoted(kind, 40)}. Known: {', '.join(sorted(TYPES))}."
            )
        _check_type_name(name, where)
    _check_type_name(form.other_type or "-", where)
    if reads_types(form) and not form.types and not form.other_type:
        raise CannotJudge(
            f"{where}: a template has {TYPE}, but types is empty. Expected the checkpoint's name "
            f'of each type that it knows, such as "types": {{"PERSON": "person"}}. Fix the file.'
        )


def _check_type_name(name: str, where: str) -> None:
    if not name.strip() or _PLACE.search(name) or _too_long(name):
        raise CannotJudge(
            f"{where}: a type's name is {quoted(name, 60)}. Expected a text of at most "
            f"{MOST_TEMPLATE} characters, not empty and without places. Fix the file."
        )
