r"""A prompt for a language model: a template for the task's texts, and a text for each label.

A prompt file is the user's message as plain text, or TOML with more:

    system = "You are a careful reader."
    user = "{passage}\nQuestion: {question}?\nAnswer with Yes or No."
    labels = {yes = "Yes", no = "No"}
    parameters = {temperature = 0, max_tokens = 4}
    prices = [0.15, 0.6]
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from mt_gate.base.errors import MtGateError, UsageError, nearest, quoted
from mt_gate.base.files import read_whole
from mt_gate.tasks.spec import LONGEST_LABEL, MOST_LABELS
from mt_gate.tasks.table import TASKS

MAX_BYTES, MOST_SHOWN = 1 << 20, 20_000
"""Maximum bytes of a prompt file, and maximum characters of a prompt in a result."""
_PLACE = re.compile(r"\{([a-z]+)\}")
_CAUSE = "Expected the text of a prompt, or a .toml file with the key user."
OWN_PARAMETERS = frozenset("model messages stream n logprobs top_logprobs response_format".split())
"""Parameters of a request that mt-gate sets."""
YES_NO = {"yes": "Yes", "no": "No"}
"""Texts of the labels of task boolq, unless the prompt has others."""
Price = Annotated[float, Meta(ge=0, le=1e9)]


class Prompt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Messages to a model with placeholders such as ``{text}``, and the text of each label.

    ``parameters`` are sent with each request to an endpoint. ``json`` requests a reply in JSON that
    follows a schema of the labels. ``prices`` are per million input tokens and output tokens, in
    any currency.
    """

    user: Annotated[str, Meta(min_length=1)]
    system: str = ""
    labels: dict[str, str] = {}
    parameters: dict[str, Any] = {}
    json: bool = False
    prices: tuple[Price, Price] | None = None

    @property
    def messages(self) -> list[dict[str, str]]:
        """The messages of a chat, with placeholders for an input's texts."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, {"role": "user", "content": self.user}]


def describe(messages: str, labels: Mapping[str, str], more: Mapping[str, Any]) -> str:
    """Return a prompt as a text for people; its labels and ``more`` settings are JSON."""
    shown = {"labels": dict(labels), **{name: value for name, value in more.items() if value}}
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in shown.items()]
    return "\n".join([messages, *lines])[:MOST_SHOWN]


def read_prompt(path: Path, task: str, labels: Mapping[str, str] | None = None) -> Prompt:
    """Read a prompt file; ``labels`` replace those of the file. Raises UsageError."""
    try:
        text = read_whole(path, limit=MAX_BYTES, cause=_CAUSE).decode("utf-8")
        fields = tomllib.loads(text) if path.suffix == ".toml" else {"user": text}
        for name in fields.keys() - {*Prompt.__struct_fields__}:
            near = nearest(name, Prompt.__struct_fields__)
            known = ", ".join(Prompt.__struct_fields__)
            raise UsageError(
                f"Prompt {path} has the unknown key {quoted(name)}. "
                + (f"Did you mean {near}?" if near else f"Expected: {known}")
            )
        prompt = msgspec.convert(fields, Prompt)
    except UsageError:
        raise
    except MtGateError as error:
        raise UsageError(f"Prompt {path} cannot be read: {error}") from None
    except ValueError as error:
        raise UsageError(f"Prompt {path} cannot be read ({error}). {_CAUSE}") from None
    if own := sorted(OWN_PARAMETERS.intersection(prompt.parameters)):
        raise UsageError(f"Prompt {path}: mt-gate sets the parameter {own[0]} itself. Omit it.")
    texts = labels or prompt.labels or (YES_NO if TASKS[task].answers else {})
    check_template(f"Prompt {path}", f"{prompt.system}{prompt.user}", task)
    if not TASKS[task].spans:
        check_label_texts(f"Prompt {path}", texts, task)
    return msgspec.structs.replace(prompt, labels=dict(texts))


def read_label_texts(text: str) -> dict[str, str]:
    """Read ``LABEL=TEXT,LABEL=TEXT``. Raises UsageError."""
    parts = [part.partition("=") for part in text.split(",") if part]
    if any(not label.strip() or not equals for label, equals, _ in parts):
        raise UsageError(
            f"--labels must be LABEL=TEXT,LABEL=TEXT (got {quoted(text)}). For texts with a comma, "
            "write the table [labels] in a prompt file that ends in .toml."
        )
    return {label.strip(): words for label, _, words in parts}


def check_template(where: str, template: str, task: str) -> None:
    """Raise UsageError unless a template has a placeholder for each text of an input."""
    spec = TASKS[task]
    places = set(_PLACE.findall(template))
    for name in (*spec.texts, *spec.marks):
        if name not in places and name not in spec.optional:
            near = nearest(name, places)
            raise UsageError(
                f"{where} has no placeholder {{{name}}} for the input's {name}. "
                + (f"It has {{{near}}}. Rename it." if near else "Add it.")
            )


def check_label_texts(where: str, texts: Mapping[str, str], task: str) -> None:
    """Raise UsageError unless there are at least two labels, each with a different text."""
    answers = TASKS[task].answers
    example = 'yes = "Yes", no = "No"' if answers else 'hateful = "Yes", "not hateful" = "No"'
    expected = f"Expected a TOML file with a text for each label: labels = {{{example}}}"
    if len(texts) < 2:
        raise UsageError(f"{where} needs at least two labels (got {len(texts)}). {expected}")
    if answers and set(texts) != set(answers):
        raise UsageError(f"{where} has the labels {quoted(', '.join(texts))}. {expected}")
    if len(texts) > MOST_LABELS or max(map(len, texts.values())) > LONGEST_LABEL:
        raise UsageError(
            f"{where} has too many or too long labels. Use at most {MOST_LABELS:,} labels of "
            f"{LONGEST_LABEL} characters."
        )
    shown: dict[str, str] = {}
    for label, text in texts.items():
        if not text.strip():
            raise UsageError(f"{where}: the text of label {quoted(label)} is empty. {expected}")
        other = shown.setdefault(text.strip().casefold(), label)
        if other != label:
            raise UsageError(
                f"{where}: {quoted(other)} and {quoted(label)} have the same text {quoted(text)}. "
                "Change one of them."
            )


def fill(template: str, value: Mapping[str, Any]) -> str:
    """Fill a template with the texts of an input; other placeholders stay."""
    # str.format could read attributes. One pass, so placeholders inside an input's text stay.
    return _PLACE.sub(lambda place: str(value.get(place[1], place[0])), template)
