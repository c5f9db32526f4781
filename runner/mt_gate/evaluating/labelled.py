"""What a user knows to be right: inputs of a task with their gold outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import canonical
from mt_gate.evaluating.boolq_labels import labelled_questions
from mt_gate.evaluating.ner_labels import labelled_sentences
from mt_gate.evaluating.relation_labels import LabelledPair, labelled_pairs
from mt_gate.running.cache import input_key
from mt_gate.tasks import boolq, ner, relation_extraction

AGAIN = "seen before"
TWO_WAYS = "labelled in two ways"


class Labelled(NamedTuple):
    """An input with its gold output, both in the task's form; ``id`` is of the input alone.

    Samples of one ``cluster`` are not independent of one another; where it is empty
    a sample stands alone.
    """

    id: str
    input: Mapping[str, Any]
    gold: Mapping[str, Any]
    cluster: str = ""


class LabelledFile(NamedTuple):
    """The samples of a file, in its order, each input once; ``left_out`` counts lines by reason."""

    samples: list[Labelled]
    left_out: Mapping[str, int]


class _Unfit(NamedTuple):
    reason: str


def read_labelled(path: Path, task: str) -> list[Labelled]:
    """Return the labelled inputs of a file of JSON lines, plain or ``.gz``, each input once.

    Args:
        path: for ``ner`` lines with ``tokens`` and ``tags``, or ``text`` and
            ``entities`` (``[start, end, label]``); for ``boolq`` with
            ``question``, ``passage`` and ``answer``; for ``re`` those of
            ``relation_labels.py``.
        task: the task's id.

    Raises:
        UsageError: a task that has no labelled files.
        CannotJudge: missing, too large, a line of another form, or no sample left.
    """
    return read_labelled_file(path, task).samples


def read_labelled_file(path: Path, task: str) -> LabelledFile:
    """Return the same with a count of the lines that are no sample; raises alike."""
    if task not in READERS:
        raise UsageError(f"--task {task}: expected a task with labels: {', '.join(READERS)}")
    found: dict[str, Labelled] = {}
    two_ways: set[str] = set()
    left_out: Counter[str] = Counter()
    for item in READERS[task](path):
        if isinstance(item, _Unfit):
            left_out[item.reason] += 1
        elif item.id in two_ways:
            left_out[TWO_WAYS] += 1
        elif found.setdefault(item.id, item).gold != item.gold:
            del found[item.id]
            two_ways.add(item.id)
            left_out[TWO_WAYS] += 2
        elif found[item.id] is not item:
            left_out[AGAIN] += 1
    if not found:
        told = ", ".join(f"{number} {reason}" for reason, number in left_out.items())
        raise CannotJudge(
            f"{path}: no labelled input ({told or 'no line'}); expected one at least; "
            "name another file of --labels"
        )
    return LabelledFile([*found.values()], dict(sorted(left_out.items())))


def sample_id(value: Mapping[str, Any]) -> str:
    """Return the id of an input: 32 hex digits of a hash of its content."""
    return input_key(canonical(value)).hex()


def _sentences(path: Path) -> Iterator[Labelled | _Unfit]:
    for sentence in labelled_sentences(path):
        if sentence is None:
            yield _Unfit("unclear spacing")
        elif not sentence.text.strip():
            yield _Unfit("no text")
        else:
            value = {"text": sentence.text}
            entities = sorted([*entity] for entity in set(sentence.entities))
            yield Labelled(sample_id(value), value, {"entities": entities})


def _questions(path: Path) -> Iterator[Labelled | _Unfit]:
    for question in labelled_questions(path):
        if question is None:
            yield _Unfit("no answer")
        else:
            value = {boolq.QUESTION: question.question, boolq.PASSAGE: question.passage}
            yield Labelled(sample_id(value), value, {"answer": question.answer})


def _pairs(path: Path) -> Iterator[Labelled | _Unfit]:
    for item in labelled_pairs(path).pairs:
        yield labelled_pair(item, item.gold())


def labelled_pair(item: LabelledPair, relations: Iterable[str]) -> Labelled:
    """Return a sentence with two entities as a sample; sentences of one bag are one cluster."""
    names = sorted(relations) or [relation_extraction.NO_RELATION]
    return Labelled(item.id, item.input, {"relations": names}, item.bag)


READERS: dict[str, Callable[[Path], Iterator[Labelled | _Unfit]]] = {
    ner.ID: _sentences,
    boolq.ID: _questions,
    relation_extraction.ID: _pairs,
}
"""What reads the labelled files of each task."""
