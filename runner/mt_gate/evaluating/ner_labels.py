"""Sentences with their entities: ``tokens`` and ``tags``, or ``text`` and ``entities``.

Tokens are put together as suites put them together, so that their sentences
are found again; those of unclear spacing are left out, as they are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge
from mt_gate.base.redaction import shorten
from mt_gate.domain import Entity
from mt_gate.evaluating.labelled import Labelled, TaskEvaluation, Unfit, decoded_lines, sample_id
from mt_gate.tasks import ner
from mt_gate.tasks.detokenise import detokenise, token_spans
from mt_gate.tasks.tag_scheme import OUTSIDE, TagScheme, entities_of, read_tag_scheme

CAUSE = (
    "expected JSON lines with 'tokens' and 'tags', or 'text' and 'entities'; fix the file of "
    "--labels"
)


class LabelledSentence(NamedTuple):
    """A labelled sentence; entities in the file's order."""

    text: str
    entities: tuple[Entity, ...]


class _Line(msgspec.Struct):
    tokens: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    text: str | None = None
    entities: tuple[tuple[int, int, str], ...] | None = None


def labelled_sentences(path: Path) -> Iterator[LabelledSentence | None]:
    """Yield the sentence of each line; None for one whose spacing is unclear.

    Raises:
        CannotJudge: missing, too large, a line that is not of either form, or
            tags of more than one scheme.
    """
    lines = [*_checked(path)]
    tags = {tag for line in lines for tag in line.tags or ()} - {OUTSIDE}
    scheme_tags = (OUTSIDE, *sorted(tags))
    scheme = _scheme(path, scheme_tags) if tags else None
    ids = {tag: index for index, tag in enumerate(scheme_tags)}
    for line in lines:
        yield _sentence(line, scheme, ids)


def _checked(path: Path) -> Iterator[_Line]:
    for number, line in decoded_lines(path, _Line, cause=CAUSE):
        fault = _fault(line)
        if fault:
            raise CannotJudge(f"{path}: line {number}: {fault}; {CAUSE}")
        yield line


def _fault(line: _Line) -> str:
    """Return what is wrong with a line, empty where nothing is."""
    if line.tokens is not None and line.tags is not None:
        tokens, tags = len(line.tokens), len(line.tags)
        return "" if tokens == tags else f"{tokens} tokens and {tags} tags"
    if line.text is None or line.entities is None:
        return "neither form"
    length = len(line.text)
    outside = [(a, b) for a, b, _ in line.entities if not 0 <= a < b <= length]
    return f"an entity at {outside[0]} of {length} characters" if outside else ""


def _scheme(path: Path, tags: tuple[str, ...]) -> TagScheme:
    try:
        return read_tag_scheme(tags, where=str(path))
    except CannotJudge:
        raise CannotJudge(
            f"{path}: tags are {shorten(', '.join(tags[:6]), 200)}; expected one scheme "
            "throughout, "
            "such as B-X, I-X and O; fix the file of --labels"
        ) from None


def _sentence(
    line: _Line, scheme: TagScheme | None, ids: Mapping[str, int]
) -> LabelledSentence | None:
    """Return a line's sentence; None where its spacing is unclear."""
    if line.tokens is None or line.tags is None:
        return LabelledSentence(
            line.text or "", tuple(Entity(*item) for item in line.entities or ())
        )
    text = detokenise(line.tokens)
    spans = token_spans(line.tokens, text) if text else None
    if not text or spans is None:
        return None
    found = entities_of(scheme, [ids[tag] for tag in line.tags]) if scheme else []
    entities = (Entity(spans[first][0], spans[last - 1][1], label) for first, last, label in found)
    return LabelledSentence(text, tuple(entity for entity in entities if entity.start < entity.end))


def _samples(path: Path) -> Iterator[Labelled | Unfit]:
    for sentence in labelled_sentences(path):
        if sentence is None:
            yield Unfit("unclear spacing")
        elif not sentence.text.strip():
            yield Unfit("no text")
        else:
            value = {"text": sentence.text}
            entities = sorted([*entity] for entity in set(sentence.entities))
            yield Labelled(sample_id(value), value, {"entities": entities})


def _items(output: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
    return ((entity.label, (entity.start, entity.end)) for entity in ner.entities(output))


EVALUATION = TaskEvaluation(_samples, _items, pooled=True, named=True)
