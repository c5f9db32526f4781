"""Runs that benchmarks/calibration.py makes: the same checkpoint again, and very large ones."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mt_gate.demo import CHECKPOINTS
from mt_gate.domain import Verdict
from mt_gate.results.result import GroupRow
from mt_gate.running.measuring import measure
from mt_gate.running.predicting import Clock
from mt_gate.running.preparing import Prepared, context_of, load_suite
from mt_gate.settings.record import Settings
from mt_gate.sut import card as cards
from mt_gate.sut.folder import CheckpointFolder, read_model
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.session import Session

SOURCES = 60
"""Source inputs of the suite that are run repeatedly."""


class Shuffled:
    """A checkpoint that runs in another order, in other batches, with other threads."""

    def __init__(self, system: OnnxSystem, seed: int) -> None:
        self.system = system
        self.rng = np.random.default_rng(seed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.system, name)

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Answer every input; which ones stand side by side in a batch is up to chance."""
        order = self.rng.permutation(len(inputs)).tolist()
        while order:
            number = int(self.rng.integers(1, 200))
            part, order = order[:number], order[number:]
            for answers in self.system.predict([inputs[i] for i in part]):
                yield [(part[index], answer) for index, answer in answers]


def rows_again(task: str, seed: int | None) -> list[GroupRow]:
    """Return the rows of the baseline checkpoint over a sample of its suite, run again.

    Args:
        task: of the checkpoint and its default suite.
        seed: of order, batches and threads; None runs as the gate does.
    """
    folder = CHECKPOINTS / f"{task}-baseline"
    settings = Settings(
        checkpoint=str(folder), task=task, suite=f"{task}-default", sources=SOURCES, device="cpu"
    )
    suite, relations = load_suite(settings)
    system = OnnxSystem(folder, task, "cpu")
    if seed is not None:
        model = read_model(CheckpointFolder(folder, system.card.files), cards.MODEL)
        system.session = Session(model, "cpu", system.reader.inputs, threads=1 + seed % 2)
    shuffled = system if seed is None else Shuffled(system, seed)
    context = context_of(task, settings.ontology, system)
    with tempfile.TemporaryDirectory() as cache:
        prepared = Prepared(
            settings,
            suite.under(context.ontology),
            relations,
            None,
            shuffled,
            context,
            Path(cache),
        )
        return [*measure(prepared, lambda _done, _total: None, Clock()).rows]


def rows_of_size(groups: int, per_source: int, relations: int, run: int) -> Iterator[GroupRow]:
    """Yield the rows of a made-up run; runs 0 and 1 differ in 7 % of their groups."""
    violated = np.random.default_rng(0).random(groups) < 0.15
    violated ^= run * (np.random.default_rng(run).random(groups) < 0.07) > 0
    empty: dict[str, Any] = {}
    for i in range(groups):
        yield GroupRow(
            id=f"{i * 2654435761 % 2**64:016x}",
            relation=f"made-up/relation-{i % relations}",
            source_id=f"source-{i // per_source}",
            verdict=Verdict.VIOLATED if violated[i] else Verdict.SATISFIED,
            source=empty,
            follow_up=empty,
            reason="",
        )
