"""``checkpoint.json``: description of an exported checkpoint, next to its model and tokenizer.

Users may write it by hand for any ONNX model (docs/checkpoints.md). Then only ``task`` and
``labels`` are required.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, did_you_mean, quoted
from mt_gate.base.files import canonical, decode_json, read_whole, replacing
from mt_gate.sut.folder import CAUSE, CheckpointFolder, Model, read_model
from mt_gate.sut.prompt import Prompt
from mt_gate.tasks.relation_extraction import (
    ARGUMENTS,
    ENTITY_PAIR,
    MARKERS,
    MASK,
    STARTS,
    TYPED,
    TYPES,
)
from mt_gate.tasks.spec import LONGEST_LABEL, MOST_LABELS
from mt_gate.tasks.table import TASKS

TEXT, TYPE = "{text}", "{type}"
MOST_TEMPLATE, MOST_MENTION = 200, 512
"""Maximum characters of a template or a type's name, and maximum tokens of a mention."""
_PLACE = re.compile(r"\{[^{}]*\}")


class InputForm(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """An input form with its data.

    ``head`` and ``tail`` are templates that replace the arguments, with ``{text}`` for the words
    and ``{type}`` for the type's name (task re). ``types`` names each type of ``TYPES`` that the
    checkpoint knows, ``other_type`` all others. ``template`` is the input of a text-to-text model
    (task boolq), the prompt of form ``prompt``, with a place for each text of the task, or the
    second text of form ``plain-text``, with ``{head}`` and ``{tail}``. ``special_tokens``: the
    tokenizer adds its special tokens to the prompt; false if a chat template has added them.
    ``entities`` are the ids of the two entities of form ``entity-pair``, and ``mention_length`` is
    in tokens. ``ontology`` names the scheme of labels. ``selective_attention``: the checkpoint was
    trained on bags whose queries are the rows of its classifier. Neither changes a prediction.
    ``activation`` turns logits into scores, and ``score_range`` bounds a plain score (task text).
    """

    input_form: str = ""
    template: str = ""
    special_tokens: bool = True
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
    """Return the fields that change how inputs or scores are read; empty if none is set."""
    fields = {name: getattr(form, name) for name in ("head", "tail", "types", "other_type")}
    if form.input_form == ENTITY_PAIR:
        fields |= {"entities": form.entities, "mention_length": form.mention_length}
    if not form.special_tokens:
        fields["no_special_tokens"] = True
    if form.activation:
        fields |= {"activation": form.activation, "score_range": form.score_range}
    return {name: value for name, value in fields.items() if value}


class FormRule(NamedTuple):
    """Whether the templates of a form must contain words and types; None makes types optional."""

    text: bool
    type: bool | None
    example: tuple[str, str]


RULES: Mapping[str, FormRule] = {
    MARKERS: FormRule(True, False, ("[E1] {text} [/E1]", "[E2] {text} [/E2]")),
    STARTS: FormRule(True, None, ("[E1] {text} [/E1]", "[E2] {text} [/E2]")),
    TYPED: FormRule(True, True, ("<S:{type}> {text} </S:{type}>", "<O:{type}> {text} </O:{type}>")),
    MASK: FormRule(False, None, ("[subject-{type}]", "[object-{type}]")),
    ENTITY_PAIR: FormRule(True, False, ("<ent>{text}<ent>", "<ent2>{text}<ent2>")),
}
"""The forms that mark arguments with templates."""
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
            if (
                not (words and types and shown)
                or set(places) - {TEXT, TYPE}
                or len(value) > MOST_TEMPLATE
            ):
                _refuse(where, name, value, f'"{name}": "{example}"')
    elif {"{head}", "{tail}"} != set(_PLACE.findall(form.template)) or len(
        form.template
    ) > MOST_TEMPLATE:
        _refuse(where, "template", form.template, f'"template": "{PLAIN_EXAMPLE}"')
    for kind in form.types:
        if kind not in TYPES:
            raise CannotJudge(
                f"{where}: types has the unknown type {quoted(kind, 40)}. Known: "
                f"{', '.join(sorted(TYPES))}. Fix the file."
            )
    for name in (*form.types.values(), form.other_type or "-"):
        if not name.strip() or _PLACE.search(name) or len(name) > MOST_TEMPLATE:
            raise CannotJudge(
                f"{where}: a type's name is {quoted(name, 60)}. Expected a text of at most "
                f"{MOST_TEMPLATE} characters, not empty and without placeholders. Fix the file."
            )
    if reads_types(form) and not form.types and not form.other_type:
        raise CannotJudge(
            f"{where}: a template has {TYPE}, but types is empty. Expected the checkpoint's name "
            f'of each type, such as "types": {{"PERSON": "person"}}. Fix the file.'
        )
    entities = form.entities
    if form.input_form == ENTITY_PAIR and (len(entities) != 2 or min(entities) < 0):
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
    """Whether types of arguments are part of the input."""
    return TYPE in form.head or TYPE in form.tail


def _refuse(where: str, name: str, value: str, example: str) -> None:
    raise CannotJudge(
        f"{where}: {name} is {quoted(value, 60)}. Expected a template of at most {MOST_TEMPLATE} "
        f"characters, such as {example}. Fix the file."
    )


HUB = "hub:"
"""Prefix of a checkpoint on the hub: ``hub:ORG/NAME`` or ``hub:ORG/NAME@REVISION``."""
FORMAT = 1
CARD, MODEL, TOKENIZER = "checkpoint.json", "model.onnx", "tokenizer.json"
VOCABULARY = "vocabulary.txt"
DRAFT = ".mt-gate-export-"
"""Prefix of the temporary folder in which a checkpoint is exported."""
LEAST_LENGTH, USUAL_LENGTH, MOST_LENGTH = 3, 512, 1_000_000
MAX_CARD = 4 << 20
MAX_FILE = 256 << 20
"""Maximum bytes of a tokenizer or vocabulary; one of 250,000 words has 20 million."""

Labels = Annotated[
    tuple[Annotated[str, msgspec.Meta(max_length=LONGEST_LABEL)], ...],
    msgspec.Meta(max_length=MOST_LABELS),
]


class Parity(msgspec.Struct, frozen=True, kw_only=True):
    """How the exported model compares with the reference on ``inputs`` sentences.

    ``largest_logit_difference`` is absolute; ``equal_predictions`` a share in [0, 1].
    """

    reference: str
    inputs: int
    largest_logit_difference: float
    equal_predictions: float


class CheckpointOptions(NamedTuple):
    """The user's options for a checkpoint; empty and None keep the checkpoint's own value.

    ``answers`` are the labels of ``yes`` and ``no``, ``max_length`` is in tokens (words for form
    ``word-pair``). ``scores``: return all logits of a relation. ``threads`` is the number of CPU
    threads, at least 1. ``prompt`` is for the export of a language model. ``precision`` chooses
    one of several ONNX models in a folder that mt-gate did not export.
    """

    answers: Mapping[str, str] = {}
    max_length: int | None = None
    scores: bool = False
    threads: int | None = None
    prompt: Prompt | None = None
    precision: str = ""


class Card(InputForm, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=False):
    """``checkpoint.json``; ``files`` are sha256 digests that bind the card to its files.

    ``fingerprint`` is that of the exported checkpoint at the time of the export. ``answers`` names
    the labels that mean yes and no, for task boolq; it may be empty. ``label_texts`` are the texts
    whose probabilities a language model's scores are.
    """

    task: str
    labels: Labels
    format: int = FORMAT
    name: str = ""
    architecture: str = "unknown"
    max_length: int = USUAL_LENGTH
    answers: Mapping[str, str] = {}
    label_texts: Mapping[str, str] = {}
    precision: str = "fp32"
    fingerprint: str = ""
    files: Mapping[str, str] = {}
    parity: Parity | None = None
    tools: Mapping[str, str] = {}


def is_exported(checkpoint: str) -> bool:
    """Whether a path of the user is a folder with an exported checkpoint."""
    return os.path.isfile(os.path.join(checkpoint, CARD))


def read_card(folder: Path, for_task: str = "") -> Card:
    """Read and check ``checkpoint.json``, also that it is for a task. Raises CannotJudge."""
    path = folder / CARD
    data = read_whole(path, limit=MAX_CARD, cause=CAUSE, inside=folder)
    number = decode_json(data, dict[str, Any], path=path, cause=CAUSE).get("format", FORMAT)
    if isinstance(number, int) and number > FORMAT:
        raise CannotJudge(
            f"{path} has format {number}, but this release reads up to {FORMAT}. Update mt-gate."
        )
    card = decode_json(data, Card, path=path, cause=CAUSE)
    if not LEAST_LENGTH <= card.max_length <= MOST_LENGTH:
        raise CannotJudge(
            f"{path}: max_length must be {LEAST_LENGTH} to {MOST_LENGTH} (got {card.max_length}). "
            f"{CAUSE}"
        )
    task = TASKS.get(card.task)
    if task is None:
        raise CannotJudge(
            f"{path}: task {quoted(card.task)} is unknown.{did_you_mean(card.task, TASKS)} Known: "
            f"{', '.join(TASKS)}. {CAUSE}"
        )
    form = card.input_form or task.first_form
    if form not in task.forms:
        raise CannotJudge(
            f"{path}: input_form {quoted(form)} does not fit task {task.id}. Use one of: "
            f"{', '.join(task.forms)}. Fix the file or export the checkpoint again."
        )
    if for_task and card.task != for_task:
        raise CannotJudge(
            f"{path} is a checkpoint for task {card.task}, but this run is for task {for_task}. "
            f"Pass another checkpoint, or --task {card.task}."
        )
    return msgspec.structs.replace(card, input_form=form)


def companion(card: Card) -> str:
    """Return the name of the file that must be next to the model."""
    return TASKS[card.task].forms[card.input_form].next_to


def with_options(card: Card, options: CheckpointOptions, where: str) -> Card:
    """Return an identified card with the user's options.

    Options that change a prediction change the fingerprint, too. Raises UsageError.
    """
    length = options.max_length or card.max_length
    if length > card.max_length:
        raise UsageError(
            f"--max-length {length} is too large: {where} takes at most {card.max_length} tokens."
        )
    answers = options.answers or card.answers
    changed: dict[str, Any] = {}
    if dict(answers) != dict(card.answers):
        changed["answers"] = answers
    if length != card.max_length:
        changed["max_length"] = length
    return msgspec.structs.replace(
        card, answers=answers, max_length=length, fingerprint=derived(card.fingerprint, changed)
    )


def derived(fingerprint: str, changed: Mapping[str, Any]) -> str:
    """Return the fingerprint of a system with changed settings; the same without changes."""
    if not changed:
        return fingerprint
    return f"sha256:{hashlib.sha256(canonical([fingerprint, changed])).hexdigest()}"


def identify(folder: CheckpointFolder, card: Card) -> tuple[Card, Model]:
    """Return the card with the fingerprint of its files, and the model.

    The fingerprint that the card states shows where it comes from, but is not trusted. Raises
    CannotJudge.
    """
    model = read_model(folder, MODEL)
    folder.read(companion(card), limit=MAX_FILE)
    for name in card.files:
        if Path(name).name != name:
            raise CannotJudge(
                f"{folder.path / CARD}: files has {name[:60]!r}. Expected names of files next to "
                f"it. {CAUSE}"
            )
        if name not in folder.digests:
            folder.count(name)
    digests = folder.digests
    own: list[Any] = [digests, card.task, card.labels, card.max_length, card.input_form]
    own += [part for part in (card.answers, card.template, reading(card)) if part]
    fingerprint = f"sha256:{hashlib.sha256(canonical(own)).hexdigest()}"
    return msgspec.structs.replace(card, fingerprint=fingerprint, files=digests), model


def write_card(folder: Path, card: Card) -> None:
    """Write ``checkpoint.json``, whole or not at all."""
    with replacing(folder / CARD) as temporary:
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(card), indent=2) + b"\n")
