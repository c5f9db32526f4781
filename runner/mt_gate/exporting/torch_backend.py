"""Checkpoints that run in PyTorch instead of ONNX Runtime (``--backend torch``)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch

from mt_gate.base.errors import CannotJudge, page
from mt_gate.base.files import scratch
from mt_gate.exporting import models
from mt_gate.exporting.export import check_length, draft_card
from mt_gate.exporting.hugging_face import copy_folder, inspect, quiet, report_failures
from mt_gate.settings.record import FP32, TORCH
from mt_gate.sut import card as cards
from mt_gate.sut.folder import CheckpointFolder, Model
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.processes import usable_cores
from mt_gate.sut.reader import Inputs, open_reader
from mt_gate.sut.session import Session

_CAUSE = (
    "If the model takes only some lengths, as Nystromformer does, run your own pipeline: --system "
    f"'command:python predict.py' ({page('systems')})"
)


class TorchSession(Session):
    """A model in PyTorch, on the CPU, with the methods of a session of ONNX Runtime."""

    def __init__(self, reference: models.Reference, inputs: tuple[str, ...], threads: int) -> None:
        self._reference = reference
        self.inputs, self.threads, self.fixed = inputs, threads, {}
        self.provider = self.computing = f"{TORCH} {torch.__version__}"
        self.device, self.version = "cpu", ""

    def logits(self, feeds: Mapping[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        """Return the model's logits for int64 feeds. Raises CannotJudge."""
        torch.set_num_threads(self.threads)
        tensors = {name: torch.from_numpy(feeds[name]) for name in self.inputs}
        with (
            report_failures("PyTorch fails on an input", _CAUSE),
            torch.inference_mode(),
        ):
            return self._reference(tensors).float().numpy()


class TorchSystem(OnnxSystem):
    """A Hugging Face folder in PyTorch, with the tokenizer and reader that an export would have."""

    is_onnx = False

    def __init__(
        self,
        folder: Path,
        task: str,
        device: str,
        name: str = "",
        options: cards.CheckpointOptions = cards.CheckpointOptions(),  # noqa: B008 - immutable
    ) -> None:
        if device == "cuda":
            raise CannotJudge(
                "--backend torch computes on the CPU only. Omit --device cuda, or --backend torch."
            )
        self._folder = folder
        seen = inspect(folder, task, options)
        if seen.weights.onnx:
            raise CannotJudge(f"{folder} has only an ONNX model. Omit --backend torch.")
        with scratch() as place, quiet():
            draft = place / "export"
            draft.mkdir()
            source = copy_folder(seen, task, options, place / "checkpoint")
            card = draft_card(source, draft, task, FP32)
            reader = open_reader(CheckpointFolder(draft), card)
            inputs: list[str] = []

            def keep(model: Any, config: Any, _: Path, taken: Inputs = reader.inputs) -> None:
                inputs.extend(models.input_names(model, config, taken))

            self._reference = models.write_model(source, draft, reader.inputs, write=keep)
            self._inputs = tuple(inputs)
            session = self.open_session(self.read_model(), "cpu", options.threads or usable_cores())
            length = models.longest_input(self._reference, session, reader, card, folder)
            check_length(options, length, folder)
            cards.write_card(draft, msgspec.structs.replace(card, max_length=length))
            super().__init__(draft, task, "cpu", name or folder.resolve().name, options)

    def identify(self, card: cards.Card) -> tuple[cards.Card, Model]:
        """Return the card, which has the folder's fingerprint, and a model without bytes."""
        return card, self.read_model()

    def read_model(self) -> Model:
        """Return a model without bytes: the weights are in memory."""
        return Model(self._folder, b"", {})

    def open_session(
        self,
        model: Model,  # noqa: ARG002
        device: str,  # noqa: ARG002
        threads: int,
        fused: bool = True,  # noqa: ARG002
    ) -> Session:
        """Return a session of the model in memory, without a copy."""
        return TorchSession(self._reference, self._inputs, threads)
