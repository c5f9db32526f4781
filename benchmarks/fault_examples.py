"""Labelled examples of each task in one form, and what may be wrong with a team's training data.

An example is what a checkpoint reads and its label ids: one for each word (task ner), or one for
the whole. Each damage takes a share of the examples, or says how much is left, and draws by its
seed alone.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.files import write_whole
from mt_gate.ontologies.ontology import FORWARD, parts_of
from rows import read_rows

Labels = Sequence[str]


class Example(NamedTuple):
    """Texts as the tokenizer takes them; ``by_word`` they are words with a label each."""

    texts: tuple[str, ...]
    labels: tuple[int, ...]
    by_word: bool = False


Examples = list[Example]


def read_examples(task: str, data: Path, labels: Labels) -> Examples:
    """Return the training examples of a task, in the order of their file."""
    ids = {label: index for index, label in enumerate(labels)}
    return [*_READERS[task](data / task, ids)]


def write_labelled(task: str, data: Path, path: Path) -> None:
    """Write what checkpoints are scored on, whole or not at all.

    It is one file of all labelled parts that none trains on.
    """
    lines = [json.dumps(row) + "\n" for row in _LABELLED[task](data / task)]
    write_whole(path, "".join(lines))


def _ner(folder: Path, ids: dict[str, int]) -> Iterator[Example]:
    for name in ("uner_ewt_train.jsonl.gz", "wikigold.jsonl"):
        for row in read_rows(folder / name):
            tags = tuple(ids.get(tag, ids["O"]) for tag in row["tags"])
            yield Example(tuple(row["tokens"]), tags, by_word=True)


def _boolq(folder: Path, ids: dict[str, int]) -> Iterator[Example]:
    for row in read_rows(folder / "train.jsonl.gz"):
        yield Example((row["question"], row["passage"]), (ids["yes" if row["answer"] else "no"],))


def _re(folder: Path, ids: dict[str, int]) -> Iterator[Example]:
    for row in read_rows(folder / "kbp37_train.jsonl.gz"):
        turned = _directed(row)
        yield Example((_marked(turned),), (ids[turned["relation"]],))


def _text(folder: Path, ids: dict[str, int]) -> Iterator[Example]:
    """Yield tweets after the usual cleaning, as the demo's baseline is trained."""
    from train_demo_text import cleaned, moderation

    for row in cleaned(moderation(folder).train):
        yield Example((row.text,), (ids[row.label],))


def _labelled_texts(folder: Path) -> Iterator[Any]:
    """Yield tweets that none trains on, cleaned, with labels as the suite calls them."""
    from mt_gate.tasks.text import TASK
    from train_demo_text import cleaned, moderation

    assert TASK.demo is not None
    called = {own: label for label, owns in TASK.demo.label_map.items() for own in owns}
    for row in cleaned(moderation(folder).test["all"]):
        yield {"text": row.text, "label": called.get(row.label, row.label)}


def _directed(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its label's direction in the label, half of the rows with the tail first.

    Which half is drawn by the row's id, so that it is the same ever after.
    """
    head, tail, relation = row["head"], row["tail"], row["relation"]
    turn = hashlib.sha256(row["id"].encode()).digest()[0] % 2
    if turn:
        head, tail = tail, head
    if relation != "no_relation":
        relation += "(e2,e1)" if turn else "(e1,e2)"
    places = [{name: of[name] for name in ("text", "start", "end")} for of in (head, tail)]
    return {
        "id": row["id"],
        "tokens": row["tokens"],
        "head": places[0],
        "tail": places[1],
        "relation": relation,
    }


def _marked(row: dict[str, Any]) -> str:
    words = list(row["tokens"])
    marks = [(row["head"], "[E1]", "[/E1]"), (row["tail"], "[E2]", "[/E2]")]
    for place, before, after in sorted(marks, key=lambda mark: -mark[0]["start"]):
        words[place["end"] : place["end"]] = [after]
        words[place["start"] : place["start"]] = [before]
    return " ".join(words)


def _parts(*names: str, change: Callable[[Any], Any] = lambda row: row) -> Any:
    def read(folder: Path) -> Iterator[Any]:
        for name in names:
            yield from map(change, read_rows(folder / name))

    return read


_READERS: dict[str, Callable[[Path, dict[str, int]], Iterator[Example]]] = {
    "ner": _ner,
    "boolq": _boolq,
    "re": _re,
    "text": _text,
}
_LABELLED: dict[str, Callable[[Path], Iterator[Any]]] = {
    "ner": _parts("uner_ewt_dev.jsonl", "uner_ewt_test.jsonl"),
    "boolq": _parts("dev.jsonl"),
    "re": _parts("kbp37_dev.jsonl", "kbp37_test.jsonl.gz", change=_directed),
    "text": _labelled_texts,
}


def drawn(examples: Examples, number: int, seed: int) -> Examples:
    """Draw so many examples, each once."""
    return random.Random(f"examples {seed}").sample(examples, min(number, len(examples)))


def shortest(examples: Examples, share: float, _: Labels, __: int) -> Examples:
    """Keep the share with the fewest words, repeated to as many examples as there were."""
    order = sorted(examples, key=lambda example: sum(len(text.split()) for text in example.texts))
    return _repeated(order[: max(1, round(share * len(order)))], len(examples))


def without_labels(examples: Examples, number: float, labels: Labels, _: int) -> Examples:
    """Leave out what has one of the most frequent kinds of label, the ``number`` commonest.

    A kind is a label without its scheme's prefix or its direction; the one that says nothing
    (the most frequent of all words or examples) is not counted.
    """
    gone = {kind for kind, _ in _kinds(examples, labels).most_common(int(number))}
    kept = [e for e in examples if not gone & {parts_of(labels[at]).kind for at in e.labels}]
    return _repeated(kept, len(examples))


def noisy(examples: Examples, share: float, labels: Labels, seed: int) -> Examples:
    """Give a share of the labels, entities of task ner, another kind or none at random."""
    rng = random.Random(f"noise {seed}")
    kinds = [*dict.fromkeys(parts_of(label).kind for label in labels)]

    def other(kind: str) -> str:
        return rng.choice([name for name in kinds if name != kind]) if rng.random() < share else ""

    return [_relabelled(example, labels, other) for example in examples]


def exchanged(examples: Examples, share: float, labels: Labels, seed: int) -> Examples:
    """Give a share of the two most frequent kinds of label each other's name."""
    rng = random.Random(f"exchange {seed}")
    (one, _), (two, _) = _kinds(examples, labels).most_common(2)
    partner = {one: two, two: one}

    def other(kind: str) -> str:
        return partner[kind] if kind in partner and rng.random() < share else ""

    return [_relabelled(example, labels, other) for example in examples]


def _repeated(examples: Examples, number: int) -> Examples:
    return (examples * (number // max(1, len(examples)) + 1))[:number]


def _kinds(examples: Examples, labels: Labels) -> Counter[str]:
    """Count kinds of label, once an example; what says nothing is left out."""
    return Counter(
        kind
        for example in examples
        for kind in {
            parts.kind
            for parts in (parts_of(labels[at]) for at in example.labels)
            if not parts.says_nothing
        }
    )


def _relabelled(example: Example, labels: Labels, other: Callable[[str], str]) -> Example:
    """Return an example whose kinds are what ``other`` says, empty where one is to stay.

    It runs once for each entity, or for the one label; words outside of entities stay.
    """
    new, kind = [], ""
    for at in example.labels:
        label = labels[at]
        if example.by_word and label == "O":
            new.append(at)
            continue
        if not label.startswith("I-") or not new:
            kind = other(parts_of(label).kind)
        new.append(labels.index(_renamed(label, kind, labels)) if kind else at)
    return example._replace(labels=tuple(new))


def _renamed(label: str, kind: str, labels: Labels) -> str:
    """Return the label of another kind at the same place: its prefix or its direction is kept."""
    wanted = (parts_of(label).called(kind), f"{kind}{FORWARD}", kind)
    return next(name for name in wanted if name in labels)
