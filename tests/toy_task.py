"""A task in one module, as another package could bring it: is a sentence glad or sad?

Nothing of ``mt_gate`` knows of it. ``register`` puts its two records into the two
tables; what the records name by import path is found in this module.

Input: ``{"text": str}``. Output: ``{"mood": "glad" | "sad", "score": float}``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from making import suite_head
from mt_gate.base import figures
from mt_gate.domain import Block, Group, Source, Verdict
from mt_gate.evaluating.labelled import Labelled, TaskEvaluation, sample_id
from mt_gate.relations import catalogue
from mt_gate.relations.base import ExecutedGroup, Judgement, MetamorphicRelation
from mt_gate.reporting.words import rendering
from mt_gate.reporting.words.rendering import FOLLOW_UP, Renderer
from mt_gate.results.result import GroupRow
from mt_gate.suites.format import SuiteRelation, group_id
from mt_gate.suites.format import write_suite as write
from mt_gate.sut.batching import Lengths
from mt_gate.sut.card import Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import InputRefusal, Inputs
from mt_gate.tasks.spec import CheckpointForm, TaskSpec
from mt_gate.tasks.table import TASKS

WORDS = ("<other>", "good", "bad", "today", "dinner", "film")
SENTENCES = [
    f"The {thing} of {name} was {word}."
    for thing in ("dinner", "film", "walk")
    for name in ("Anna", "Boris", "Carla", "Dmitri", "Emma")
    for word in ("good", "bad")
]


def profile(outputs: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    counts = Counter(output["mood"] for output in outputs)
    return {f"share of {mood}": counts[mood] / counts.total() for mood in sorted(counts)}


def is_right(gold: Mapping[str, Any], output: Mapping[str, Any]) -> bool:
    return bool(gold["mood"] == output["mood"])


TASK = TaskSpec(
    path=f"{__name__}:TASK",
    id="mood",
    texts=("text",),
    probe={"text": "The film was good."},
    profile=profile,
    is_right=is_right,
    forms={"words": CheckpointForm(f"{__name__}:WordsReader", "words.txt")},
    default_suite="mood-default",
    renderer=f"{__name__}:RENDERER",
    evaluation=f"{__name__}:EVALUATION",
)


def stays(case: ExecutedGroup) -> Judgement:
    alike = case.source_output["mood"] == case.follow_up_output["mood"]
    return Judgement(Verdict.SATISFIED if alike else Verdict.VIOLATED)


RELATION = MetamorphicRelation(
    id="mood/added-day",
    title="A day added",
    description="When it was does not tell whether it was glad or sad: the mood must stay.",
    paper="made up",
    before="The film was good.",
    after="The film was good today.",
    holds=stays,
)


def register() -> None:
    TASKS[TASK.id] = TASK
    catalogue.BY_ID[RELATION.id] = RELATION


class WordsReader:
    """The mood from the words of a sentence."""

    inputs = Inputs(("word_ids",))
    reads_types = False

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        words = folder.read("words.txt", limit=1000).decode().split()
        self.ids = {word: number for number, word in enumerate(words)}
        self.labels = card.labels

    def probe(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        return value

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[list[int] | InputRefusal]:
        return [
            [self.ids.get(word, 0) for word in value["text"].strip(".").split()] for value in inputs
        ]

    def lengths(self, item: list[int]) -> Lengths:
        return (len(item),)

    def feeds(self, items: Sequence[list[int]]) -> dict[str, Any]:
        return {"word_ids": np.array(items, np.int64)}

    def shape(self, items: Sequence[list[int]]) -> tuple[int, ...]:
        return (len(items), len(self.labels))

    def decode(self, items: Sequence[list[int]], scores: Any) -> list[Prediction]:  # noqa: ARG002
        return [self.decoded(logits) for logits in scores]

    def decoded(self, scores: Any) -> Prediction:
        best = int(scores.argmax())
        margin = float(scores.max() - scores.min())
        return Prediction({"mood": self.labels[best], "score": round(margin, 6)}, margin)


def sentence(row: GroupRow, side: int) -> rendering.Marked:
    value, output = rendering.side_of(row, side)
    marked = rendering.mark(value["text"], (), (), row.alignment, side)
    if output is None:
        return marked
    broken = side == FOLLOW_UP and row.verdict is Verdict.VIOLATED
    answer = rendering.Segment(
        (rendering.Piece("mood", rendering.UNCHANGED),), output["mood"], broken
    )
    return marked._replace(segments=(*marked.segments, answer))


def broke(row: GroupRow) -> tuple[str, ...]:
    before, after = row.source_output, row.follow_up_output
    return (f"from {before['mood']} to {after['mood']}",) if before and after else ()


RENDERER = Renderer(
    sentence=sentence,
    broke=broke,
    weight=lambda _: 1,
    profile="Moods",
    quantity=figures.percent,
    labels=lambda output: (output["mood"],),
)


class Line(NamedTuple):
    """A labelled line."""

    text: str
    mood: str


def samples(path: Path) -> Iterator[Labelled]:
    for text in path.read_text().splitlines():
        line = Line(**json.loads(text))
        value = {"text": line.text}
        yield Labelled(sample_id(value), value, {"mood": line.mood})


EVALUATION = TaskEvaluation(
    samples, lambda output: ((output["mood"], None),), pooled=False, named=True
)


def write_checkpoint(folder: Path, today: float = 0.0) -> Path:
    """Write a model that adds up its words' moods; ``today`` is how sad that word makes it."""
    from onnx import TensorProto, checker, helper, numpy_helper, save

    folder.mkdir(parents=True)
    moods = np.zeros((len(WORDS), 2), np.float32)
    moods[WORDS.index("good"), 0] = moods[WORDS.index("bad"), 1] = 1
    moods[WORDS.index("today"), 1] = today
    nodes = [
        helper.make_node("Gather", ["moods", "word_ids"], ["found"]),
        helper.make_node("ReduceSum", ["found", "axis"], ["logits"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "mood",
        [helper.make_tensor_value_info("word_ids", TensorProto.INT64, ["batch", "length"])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 2])],
        [
            numpy_helper.from_array(moods, "moods"),
            numpy_helper.from_array(np.array([1], np.int64), "axis"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model)
    save(model, folder / "model.onnx")
    (folder / "words.txt").write_text("\n".join(WORDS))
    card = {"task": TASK.id, "labels": ["glad", "sad"]}
    (folder / "checkpoint.json").write_text(json.dumps(card))
    return folder


def write_suite(folder: Path) -> Path:
    """Write a suite of the relation."""
    sources, groups = [], []
    for number, text in enumerate(SENTENCES):
        source = Source(id=f"made-{number:04d}", input={"text": text}, origin="made up")
        after = {"text": f"{text[:-1]} today."}
        same = (Block(0, 0, len(text) - 1), Block(len(text) - 1, len(text) + 5, 1))
        sources.append(source)
        groups.append(
            Group(
                id=group_id(RELATION.id, source.input, after),
                relation=RELATION.id,
                source=source.id,
                follow_up=after,
                alignment=same,
            )
        )
    relation = SuiteRelation(id=RELATION.id, groups=len(groups), sources=len(groups))
    head = suite_head(TASK.id, [relation], len(groups), name="moods")
    write(folder, head, sources, groups)
    return folder
