"""The contenders of benchmarks/speed.py, which starts a process for each of them.

    python benchmarks/speed_contenders.py NAME SPEC

``SPEC`` is a file of JSON, see ``Spec``. What is imported and loaded is not timed. Says when
it is ready; then measures once for each line on standard input, and answers it with a line of JSON,
see ``Time``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mt_gate.sut import card as cards
from mt_gate.sut.batching import in_lanes
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.folder import CheckpointFolder, read_model
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.reader import InputRefusal
from mt_gate.sut.relation_text import RelationReader
from mt_gate.sut.session import Session
from mt_gate.tasks.boolq import PASSAGE, QUESTION

BATCH = 32
"""Inputs in a pipeline's batch, as its documentation suggests to begin with."""
PIPELINES = {"ner": "token-classification"}
"""Hugging Face's pipelines by task; other tasks classify texts."""


class Spec(msgspec.Struct, frozen=True):
    """Inputs, and the model that runs them.

    ``model`` is a Hugging Face folder, ``checkpoint`` its export. ``inputs`` are all distinct ones
    of a run, ``sample`` some of them; ``groups`` are pairs, a source and its follow-up.
    """

    task: str
    model: str
    checkpoint: str
    threads: int
    inputs: Sequence[dict[str, Any]]
    sample: Sequence[dict[str, Any]]
    groups: Sequence[tuple[dict[str, Any], dict[str, Any]]]


class Time(msgspec.Struct, frozen=True):
    """Seconds on the clock and of processors for ``units``; ``tokens`` where they were counted."""

    seconds: float
    cpu: float
    units: int
    tokens: int = 0


Work = Callable[[], object]


class Contender(NamedTuple):
    """What is timed, and how many units of work that is."""

    work: Work
    units: int
    tokens: int = 0


def floor(spec: Spec) -> Contender:
    """The session alone: distinct inputs in batches of one length, arrays made beforehand."""
    system = _system(spec)
    arrays = _arrays(spec, system)
    folder = CheckpointFolder(Path(spec.checkpoint), system.card.files)
    model = read_model(folder, cards.MODEL)
    session = Session(model, "cpu", system.reader.inputs, spec.threads)
    return Contender(_each(session.logits, arrays.feeds), arrays.inputs, arrays.tokens)


def side_by_side(spec: Spec) -> Contender:
    """The same batches as a run asks them, several at once."""
    system = _system(spec)
    arrays = _arrays(spec, system)
    ask, feeds, lanes = system.session.logits, arrays.feeds, system.lanes

    def work() -> None:
        for _ in in_lanes(ask, feeds, lanes):
            pass

    return Contender(work, arrays.inputs, arrays.tokens)


class _Arrays(NamedTuple):
    """Distinct inputs that a checkpoint takes, ready to run in batches."""

    feeds: Sequence[dict[str, Any]]
    inputs: int
    tokens: int


def _arrays(spec: Spec, system: OnnxSystem) -> _Arrays:
    reader = system.reader
    items = [item for item in reader.encode(spec.inputs) if not isinstance(item, InputRefusal)]
    feeds = [reader.feeds([items[index] for index in batch]) for batch in system.batches(items)]
    return _Arrays(feeds, len(items), sum(sum(reader.lengths(item)) for item in items))


def tokenised(spec: Spec) -> Contender:
    """The reader alone: distinct inputs to token ids."""
    reader = _system(spec).reader
    return Contender(lambda: reader.encode(spec.inputs), len(spec.inputs))


def one_by_one(spec: Spec) -> Contender:
    """A pipeline that runs one distinct input after the other."""
    texts = _texts(spec, spec.sample)
    return Contender(_each(_pipeline(spec), texts), len(texts))


def batched(spec: Spec) -> Contender:
    """A pipeline that runs distinct inputs in batches, in the order of the suite."""
    pipeline, texts = _pipeline(spec), _texts(spec, spec.sample)
    return Contender(lambda: pipeline(texts, batch_size=BATCH), len(texts))


def by_group(spec: Spec) -> Contender:
    """A pipeline that runs case by case: the original again for each, then the edited text."""
    texts = [text for pair in spec.groups for text in _texts(spec, pair)]
    return Contender(_each(_pipeline(spec), texts), len(spec.groups))


def _each(ask: Callable[[Any], object], items: Sequence[Any]) -> Work:
    def work() -> None:
        for item in items:
            ask(item)

    return work


def _system(spec: Spec) -> OnnxSystem:
    options = CheckpointOptions(threads=spec.threads)
    return OnnxSystem(Path(spec.checkpoint), spec.task, "cpu", options=options)


def _pipeline(spec: Spec) -> Callable[..., Any]:
    """Return a pipeline of the checkpoint in fp32, as it was exported; longer texts are cut."""
    import torch
    from transformers import AutoTokenizer, pipeline

    torch.set_num_threads(spec.threads)
    kind = PIPELINES.get(spec.task, "text-classification")
    cut: dict[str, Any] = {"truncation": True, "max_length": 512}
    tokenizer = AutoTokenizer.from_pretrained(spec.model, model_max_length=cut["max_length"])
    more = {} if spec.task in PIPELINES else cut
    made: Callable[..., Any] = pipeline(
        kind, model=spec.model, tokenizer=tokenizer, device=-1, dtype=torch.float32, **more
    )
    made(_texts(spec, spec.inputs[:1]))  # the first answer also makes what later ones use
    return made


def _texts(spec: Spec, inputs: Sequence[dict[str, Any]]) -> list[Any]:
    """Return inputs as a pipeline takes them."""
    if spec.task == "boolq":
        return [{"text": item[QUESTION], "text_pair": item[PASSAGE]} for item in inputs]
    if spec.task == "re":
        reader = _system(spec).reader
        assert isinstance(reader, RelationReader)
        shown = [reader.showing.show(item) for item in inputs]
        return [item.texts for item in shown if item is not None]
    return [item["text"] for item in inputs]


def timed(contender: Contender) -> Time:
    """Do the work once."""
    start, used = time.perf_counter(), time.process_time()
    contender.work()
    seconds, cpu = time.perf_counter() - start, time.process_time() - used
    return Time(seconds, cpu, contender.units, contender.tokens)


CONTENDERS = {
    each.__name__: each for each in (floor, side_by_side, tokenised, one_by_one, batched, by_group)
}


def main() -> None:
    """Measure whenever a line comes, and print."""
    name, path = sys.argv[1:]
    contender = CONTENDERS[name](msgspec.json.decode(Path(path).read_bytes(), type=Spec))
    print("ready", flush=True)
    for _ in sys.stdin:
        print(msgspec.json.encode(timed(contender)).decode(), flush=True)


if __name__ == "__main__":
    main()
