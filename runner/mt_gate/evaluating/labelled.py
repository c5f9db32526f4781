"""The user's labelled inputs: inputs of a task with their gold outputs.

A record for each task defines how to read its labelled files. The record of task ``re`` is in
``relations.py``.
"""

from __future__ import annotations

import codecs
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, reported
from mt_gate.base.escaping import shorten
from mt_gate.base.figures import counted
from mt_gate.base.files import MAX_LINE, MAX_LINES, canonical, read_gzip_lines, read_whole
from mt_gate.domain import Entity
from mt_gate.running.predicting import input_key
from mt_gate.tasks import boolq, ner, text
from mt_gate.tasks.detokenise import detokenise, token_spans
from mt_gate.tasks.table import TASKS
from mt_gate.tasks.tag_scheme import OUTSIDE, entities_of, read_tag_scheme

if TYPE_CHECKING:
    from mt_gate.evaluating.relation_labels import LabelFormat
    from mt_gate.evaluating.relations import RelationPart

MAX_LABELS = 256 << 20
"""Maximum bytes of a labelled file, unpacked."""
_TWO_WAYS = "labelled in two ways"


class Labelled(NamedTuple):
    """An input with its gold output, both in the task's form; ``id`` depends only on the input.

    Samples of one ``cluster`` are not independent. A sample without a cluster is independent.
    """

    id: str
    input: Mapping[str, Any]
    gold: Mapping[str, Any]
    cluster: str = ""


class LabelledFile(NamedTuple):
    """The samples of a file, in its order, each input once; ``left_out`` counts lines by reason."""

    samples: list[Labelled]
    left_out: Mapping[str, int]


class TaskEvaluation(NamedTuple):
    """Functions and options to evaluate a task on labels."""

    read: Callable[[Path], Iterator[Labelled | str]]  # the reason if a line is not a sample
    # The items of an output that can be right or missed: (label, position of an entity or None).
    items: Callable[[Mapping[str, Any]], Iterable[tuple[str, object]]]
    pooled: bool  # whether overall precision, recall and F1 differ from accuracy
    named: bool  # whether label names are free, so that they can differ from the checkpoint's
    # A part of the evaluation that is specific to the task: (file, table of labels, file format).
    part: Callable[[Path, Path | None, LabelFormat], RelationPart] | None = None

    def samples(self, path: Path, task: str) -> list[Labelled]:
        """Return the samples of a file in mt-gate's own format, as in an evaluation."""
        from mt_gate.evaluating.relation_labels import LabelFormat

        if self.part is None:
            return read_labelled(path, task).samples
        return self.part(path, None, LabelFormat()).labelled.samples


def evaluation_of(task: str) -> TaskEvaluation:
    """Return how a task is evaluated."""
    spec = TASKS.get(task)
    if spec is None or not spec.evaluation:
        known = ", ".join(name for name, spec in TASKS.items() if spec.evaluation)
        raise UsageError(f"--task {task} has no labels to evaluate. Tasks that have: {known}.")
    resolved: TaskEvaluation = resolve_name(spec.evaluation)
    return resolved


def read_labelled(path: Path, task: str) -> LabelledFile:
    """Return the labelled inputs of a file, and counts of its skipped lines.

    A repeated input counts once. An input with two different labels is skipped.
    """
    read = evaluation_of(task).read
    by_key: dict[str, Labelled] = {}
    two_ways: set[str] = set()
    left_out: Counter[str] = Counter()
    for item in read(path):
        if isinstance(item, str):
            left_out[item] += 1
        elif item.id in two_ways:
            left_out[_TWO_WAYS] += 1
        elif by_key.setdefault(item.id, item).gold != item.gold:
            del by_key[item.id]
            two_ways.add(item.id)
            left_out[_TWO_WAYS] += 2
        elif by_key[item.id] is not item:
            left_out["seen before"] += 1
    if not by_key:
        counts = ", ".join(f"{number} {reason}" for reason, number in left_out.items())
        raise CannotJudge(
            f"{path} has no labelled input ({counts or 'no line'}). Choose other --labels."
        )
    return LabelledFile([*by_key.values()], dict(sorted(left_out.items())))


def sample_id(value: Mapping[str, Any]) -> str:
    """Return the id of an input: 32 hex digits of a hash of its content."""
    return input_key(canonical(value)).hex()


def _lines(path: Path, kind: Any, cause: str) -> Iterator[Any]:
    """Yield the record of each line that is not empty; CannotJudge if a record has a ``fault()``.

    ``cause`` ends each message.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, data in enumerate(_texts(path, cause), 1):
        if number > MAX_LINES:
            raise CannotJudge(f"{path} has more than {MAX_LINES} lines, also empty ones. {cause}")
        if not data.strip():
            continue
        try:
            line = decoder.decode(data)
            fault = line.fault()
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            fault = reported(error)
        if fault:
            raise CannotJudge(f"{path}: line {number}: {fault}. {cause}")
        yield line


def _texts(path: Path, cause: str) -> Iterator[bytes]:
    if path.suffix == ".gz":
        yield from read_gzip_lines(path, cause=cause, most_bytes=MAX_LABELS)
        return
    data = read_whole(path, limit=MAX_LABELS, cause=cause).removeprefix(codecs.BOM_UTF8)
    for line in io.BytesIO(data):  # a list of empty lines would need many times the memory
        if len(line) > MAX_LINE:
            raise CannotJudge(f"{path}: a line has more than {MAX_LINE} bytes. {cause}")
        yield line


_SENTENCES = (
    "Expected JSON lines with 'tokens' and 'tags', or 'text' and 'entities'. Fix the file of "
    "--labels."
)


class _Sentence(msgspec.Struct):
    tokens: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    text: str | None = None
    entities: tuple[tuple[int, int, str], ...] | None = None

    def fault(self) -> str:
        if self.tokens is not None and self.tags is not None:
            tokens, tags = len(self.tokens), len(self.tags)
            return (
                "" if tokens == tags else f"{counted(tokens, 'token')}, but {counted(tags, 'tag')}"
            )
        if self.text is None or self.entities is None:
            return "neither of these forms"
        length = len(self.text)
        outside = [(a, b) for a, b, _ in self.entities if not 0 <= a < b <= length]
        return f"an entity at {outside[0]} of {counted(length, 'character')}" if outside else ""


class LabelledSentence(NamedTuple):
    """A labelled sentence with its entities in the file's order."""

    text: str
    entities: tuple[Entity, ...]


def labelled_sentences(path: Path) -> Iterator[LabelledSentence | None]:
    """Yield the sentence of each line; None if its spacing is unclear.

    Tokens are joined as in suites, so that sentences of suites are recognised.
    """
    lines = [*_lines(path, _Sentence, _SENTENCES)]
    tags = (OUTSIDE, *sorted({tag for line in lines for tag in line.tags or ()} - {OUTSIDE}))
    try:
        scheme = read_tag_scheme(tags, where=str(path)) if len(tags) > 1 else None
    except CannotJudge:
        raise CannotJudge(
            f"{path} has the tags {shorten(', '.join(tags[:6]), 200)}. Use one scheme throughout, "
            "such as B-X, I-X and O. Fix the file of --labels."
        ) from None
    ids = {tag: index for index, tag in enumerate(tags)}
    for line in lines:
        if line.tokens is None or line.tags is None:
            entities = tuple(Entity(*entity) for entity in line.entities or ())
            yield LabelledSentence(line.text or "", entities)
            continue
        joined = detokenise(line.tokens)
        spans = token_spans(line.tokens, joined) if joined else None
        if not joined or spans is None:
            yield None
            continue
        ranges = entities_of(scheme, [ids[tag] for tag in line.tags]) if scheme else []
        places = (Entity(spans[a][0], spans[b - 1][1], label) for a, b, label in ranges)
        yield LabelledSentence(joined, tuple(place for place in places if place.start < place.end))


def _ner_samples(path: Path) -> Iterator[Labelled | str]:
    for sentence in labelled_sentences(path):
        if sentence is None:
            yield "unclear spacing"
        elif not sentence.text.strip():
            yield "no text"
        else:
            entities = sorted([*entity] for entity in set(sentence.entities))
            yield _labelled({"text": sentence.text}, {"entities": entities})


def _labelled(value: Mapping[str, Any], gold: Mapping[str, Any]) -> Labelled:
    return Labelled(sample_id(value), value, gold)


NER = TaskEvaluation(
    _ner_samples,
    lambda output: ((entity.label, (entity.start, entity.end)) for entity in ner.entities(output)),
    pooled=True,
    named=True,
)
_QUESTIONS = (
    "Expected JSON lines with 'question', 'passage' and 'answer' (true, false, 'yes', 'no', "
    "or null to skip the line). Fix the file of --labels."
)


class _Question(msgspec.Struct):
    # A file may also have titles of passages, which are not part of the input.
    question: str
    passage: str
    answer: bool | Literal["yes", "no"] | None

    def value(self) -> dict[str, str]:
        return {boolq.QUESTION: self.question, boolq.PASSAGE: self.passage}

    def fault(self) -> str:
        return _empty(self.value())


def _empty(value: Mapping[str, str]) -> str:
    return next((f"{name} is empty" for name, words in value.items() if not words.strip()), "")


def _boolq_samples(path: Path) -> Iterator[Labelled | str]:
    for line in _lines(path, _Question, _QUESTIONS):
        if line.answer is None:
            yield "no answer"
        else:
            answer = boolq.YES if line.answer in (True, boolq.YES) else boolq.NO
            yield _labelled(line.value(), {"answer": answer})


BOOLQ = TaskEvaluation(
    _boolq_samples, lambda output: ((output["answer"], None),), pooled=False, named=False
)
_TEXTS = (
    "Expected JSON lines with 'text', for a pair 'second', and 'label' or 'labels' (a list, "
    "empty if no label applies, or null to skip the line). Fix the file of --labels."
)


class _Text(msgspec.Struct):
    text: str
    second: str | None = None
    label: str | None = None
    labels: tuple[str, ...] | None = None

    def value(self) -> dict[str, str]:
        second = {} if self.second is None else {text.SECOND: self.second}
        return {text.TEXT: self.text, **second}

    def fault(self) -> str:
        both = self.label is not None and self.labels is not None
        return _empty(self.value()) or ("it has both label and labels" if both else "")


def _text_samples(path: Path) -> Iterator[Labelled | str]:
    for line in _lines(path, _Text, _TEXTS):
        labels = line.labels if line.label is None else (line.label,)
        if labels is None:
            yield "no label"
        else:
            yield _labelled(line.value(), {"labels": sorted({*labels})})


TEXT = TaskEvaluation(
    _text_samples,
    lambda output: [(label, None) for label in output["labels"]],
    pooled=True,
    named=True,
)
