"""Which architectures can be exported for a task, and in which input form.

An architecture is told by the end of its class's name: the part before it is
the family (BERT, RoBERTa, ...), which transformers' own loaders know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.sut.input_form import MARKERS, PAIR, STARTS


class Head(NamedTuple):
    """A kind of architecture: how its name ends, its input form, and what loads it."""

    ending: str
    form: str
    auto: str


_CLASS = re.compile(r"[A-Za-z]\w{0,99}", re.ASCII)
TEXT_TO_TEXT = "text-to-text"
HEADS: Mapping[str, tuple[Head, ...]] = {
    "ner": (Head("ForTokenClassification", "text", "AutoModelForTokenClassification"),),
    "boolq": (
        Head("ForSequenceClassification", "text-pair", "AutoModelForSequenceClassification"),
        # T5, mT5, UMT5: their first word is the answer. BART and its like begin otherwise.
        Head("T5ForConditionalGeneration", TEXT_TO_TEXT, "AutoModelForSeq2SeqLM"),
    ),
    "re": (
        Head("LukeForEntityPairClassification", PAIR, "LukeForEntityPairClassification"),
        Head("ForSequenceClassification", MARKERS, "AutoModelForSequenceClassification"),
        # An encoder alone, with a classifier of its start states beside it.
        Head("Model", STARTS, "AutoModel"),
    ),
}


def architecture_of(path: Path, config: Mapping[str, Any], task: str) -> tuple[str, Head]:
    """Return the architecture's name and kind.

    Raises:
        CannotJudge: an architecture for something else.
        UsageError: a task without exports.
    """
    names = config.get("architectures")
    name = names[0] if isinstance(names, list) and names else "none"
    if not (isinstance(name, str) and _CLASS.fullmatch(name)):
        raise CannotJudge(
            f"{path}: architectures begins with {str(name)[:60]!r}; expected the name of a class; "
            "save the checkpoint anew"
        )
    if task not in HEADS:
        raise UsageError(
            f"task {task}: checkpoints for it cannot be exported yet; tasks: {', '.join(HEADS)}"
        )
    for head in HEADS[task]:
        if name.endswith(head.ending):
            return name, head
    endings = " or ".join(head.ending for head in HEADS[task])
    raise CannotJudge(
        f"{path}: architecture {name}; task {task} expects one that ends in {endings}; "
        "name the right checkpoint or the right --task"
    )
