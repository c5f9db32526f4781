"""Relation extraction: inputs, outputs, and the comparison of predictions.

Input: ``{"text": str, "head": [start, end, type], "tail": [start, end, type]}``, half-open
character spans that do not overlap; a type is one of ``TYPES``, or empty if unknown. Output:
``{"relation": str, "score": float}``, a label of the system (including the no-relation label) and
its probability in [0, 1]; for an evaluation also ``"scores"``, the logits of all labels in the
system's order. A gold output may have ``relations`` instead, a list of all correct relations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from mt_gate.base.errors import quoted
from mt_gate.domain import Alignment, AnswerMove
from mt_gate.tasks.spec import (
    PROMPT,
    CheckpointForm,
    Demo,
    Input,
    Output,
    Score,
    TaskSpec,
    one_label,
)

ID = "re"
TEXT, HEAD, TAIL = "text", "head", "tail"
ARGUMENTS = (HEAD, TAIL)
MARKERS, STARTS, TYPED = "entity-markers", "entity-starts", "typed-markers"
MASK, ENTITY_PAIR, PLAIN = "entity-mask", "entity-pair", "plain-text"
"""Formats of head and tail in the input of a checkpoint."""
NO_RELATION = "no_relation"
"""Name that replaces every scheme's label for no relation."""
_NONE_NAMES = frozenset({"", NO_RELATION, "na", "n/a", "none", "no relation", "other", "others"})

TYPES = frozenset(
    # TACRED's, which KBP systems share
    "PERSON ORGANIZATION LOCATION CITY STATE_OR_PROVINCE COUNTRY NATIONALITY RELIGION IDEOLOGY "
    "TITLE DATE TIME DURATION NUMBER ORDINAL MONEY PERCENT CAUSE_OF_DEATH CRIMINAL_CHARGE URL "
    "EMAIL HANDLE MISC "
    # Further types of OntoNotes
    "FACILITY EVENT WORK_OF_ART PRODUCT LAW LANGUAGE QUANTITY".split()
)
"""Types of arguments. ``LOCATION``: places other than CITY, STATE_OR_PROVINCE and COUNTRY."""


class Argument(NamedTuple):
    """The head or the tail: half-open character span, and its type (empty if unknown)."""

    start: int
    end: int
    type: str = ""


def argument(value: Input, name: str) -> Argument:
    """Return the head or the tail of an input."""
    return Argument(*value[name])


def make_input(text: str, head: Argument, tail: Argument) -> dict[str, Any]:
    """Return the input for predicting the relation of two arguments of a text."""
    return {TEXT: text, HEAD: list(head), TAIL: list(tail)}


def swapped(value: Input) -> dict[str, Any]:
    """Return the input with head and tail swapped."""
    return {TEXT: value[TEXT], HEAD: value[TAIL], TAIL: value[HEAD]}


def fault(value: Mapping[str, Any]) -> str:
    """Return a message on a wrong text or argument of an input; empty if all are right."""
    text = value.get(TEXT)
    if not isinstance(text, str):
        return "no text"
    spans: list[tuple[int, int]] = []
    for name in ARGUMENTS:
        marked = value.get(name)
        if not isinstance(marked, list | tuple) or len(marked) != 3:
            return f"{name} is {quoted(marked)}, expected [start, end, type]"
        start, end, kind = marked
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
            span = f"{str(start)[:20]} to {str(end)[:20]}"
            return f"{name} spans {span}, but the text has {len(text)} characters"
        if not isinstance(kind, str) or (kind and kind not in TYPES):
            return f"{name} is of type {quoted(kind, 40)}, known are {', '.join(sorted(TYPES))}"
        spans.append((start, end))
    (start, end), (other, other_end) = spans
    if start < other_end and other < end:
        return f"head {start} to {end} and tail {other} to {other_end} overlap"
    return ""


def marked_text(value: Input, text: str) -> str:
    """Return the text with head and tail marked: ``[Anna|head PERSON] is in [Oslo|tail CITY]``."""
    places = sorted((argument(value, name), name) for name in ARGUMENTS)
    for place, name in reversed(places):
        role = f"{name} {place.type}".rstrip()
        marked = f"[{text[place.start : place.end]}|{role}]"
        text = text[: place.start] + marked + text[place.end :]
    return text


def marked_words(value: Input) -> tuple[tuple[str, str], ...]:
    """Return the words of head and tail, each with its type."""
    spans = (argument(value, name) for name in ARGUMENTS)
    return tuple((value[TEXT][span.start : span.end], span.type) for span in spans)


def with_text(value: Input, name: str, text: str, alignment: Alignment) -> Input | None:
    """Return the input with an edited text, spans moved; None if the edit touches head or tail."""
    moved: dict[str, list[Any]] = {}
    for role in ARGUMENTS:
        span = argument(value, role)
        blocks = [
            block
            for block in alignment
            if block.source <= span.start and span.end <= block.source + block.length
        ]
        if not blocks:
            return None
        offset = blocks[0].follow_up - blocks[0].source
        moved[role] = [span.start + offset, span.end + offset, span.type]
    return {**value, name: text, **moved}


def profile(outputs: Iterable[Output]) -> dict[str, float]:
    """Return the share of each relation over distinct inputs."""
    counts = Counter(output["relation"] for output in outputs)
    total = counts.total()
    return {f"share of {label}": counts[label] / total for label in sorted(counts)}


def is_no_relation(label: str) -> bool:
    """Whether a label is a scheme's name for no relation."""
    return label.strip().lower() in _NONE_NAMES


def is_right(gold: Output, output: Output) -> bool:
    """Whether the relation is a gold relation."""
    predicted, correct = output["relation"], gold.get("relations") or (gold["relation"],)
    return predicted in correct or (is_no_relation(predicted) and any(map(is_no_relation, correct)))


def moves(before: Output, after: Output) -> Iterable[AnswerMove]:
    """Return how the prediction changed."""
    return one_label(before["relation"], after["relation"])


def decided(output: Output) -> tuple[str, ...]:
    """Return the relation; empty for no relation."""
    return () if is_no_relation(output["relation"]) else (output["relation"],)


def score(output: Output) -> Score | None:
    """Return the predicted relation's probability."""
    probability = output.get("score")
    return None if probability is None else Score(output["relation"], probability)


TASK = TaskSpec(
    path=f"{__name__}:TASK",
    id=ID,
    texts=(TEXT,),
    marks=ARGUMENTS,
    probe={TEXT: "Anna lives in Oslo.", HEAD: [0, 4, "PERSON"], TAIL: [14, 18, "CITY"]},
    profile=profile,
    is_right=is_right,
    moves=moves,
    score=score,
    decided=decided,
    fault=fault,
    marked_text=marked_text,
    marked_words=marked_words,
    with_text=with_text,
    forms={
        MARKERS: CheckpointForm("mt_gate.sut.relation_text:RelationReader"),
        STARTS: CheckpointForm("mt_gate.sut.relation_text:StartsReader"),
        TYPED: CheckpointForm("mt_gate.sut.relation_text:RelationReader"),
        MASK: CheckpointForm("mt_gate.sut.relation_text:RelationReader"),
        ENTITY_PAIR: CheckpointForm("mt_gate.sut.relation_text:EntityPairReader"),
        PLAIN: CheckpointForm("mt_gate.sut.relation_text:RelationReader"),
        PROMPT: CheckpointForm("mt_gate.sut.relation_text:RelationPromptReader"),
    },
    default_suite="re-default",
    renderer="mt_gate.reporting.words.relations_between:RENDERER",
    corpus_kind="relations",
    export="mt_gate.exporting.heads:EXPORT",
    evaluation="mt_gate.evaluating.relations:RE",
    demo=Demo("re-baseline", "re-candidate", sources=2000),
    needs_ontology=True,
)
