"""``mt-gate export``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from mt_gate.base import figures
from mt_gate.base.console import say
from mt_gate.base.errors import UsageError
from mt_gate.commands import options
from mt_gate.settings.record import FP32
from mt_gate.tasks.table import TASKS


@click.command()
@click.argument("checkpoint", type=options.PLACE)
@options.setting("task", required=True)
@options.out(required=True)
@options.setting("precision", FP32)
@options.settings("suite", "prompt")
@click.option(
    "--labels",
    metavar="LABEL=TEXT,...",
    help="Text for each label of the prompt, e.g. yes=Yes,no=No [default: those of the prompt].",
)
@options.READING
@options.LIMITS
def export(
    checkpoint: str,
    task: str,
    out: Path,
    precision: str | None,
    suite: str | None,
    prompt: Path | None,
    labels: str | None,
    answers: Mapping[str, str] | None,
    max_length: int | None,
    timeout: float | None,
    max_memory: float | None,
) -> None:
    """Export a Hugging Face checkpoint to ONNX, checked against PyTorch.

    CHECKPOINT is a folder or a hub id. The export is compared with PyTorch on inputs of the suite.
    """
    from mt_gate.exporting.export import suite_inputs
    from mt_gate.exporting.hugging_face import fetch, inspect
    from mt_gate.running.systems import PARITY_INPUTS, PARITY_PROMPTS, export_confined
    from mt_gate.settings.loading import check_fits_task
    from mt_gate.sut.card import CheckpointOptions
    from mt_gate.sut.prompt import read_label_texts, read_prompt

    check_fits_task(task, {"answers": answers})
    if labels and not prompt:
        raise UsageError("--labels has the texts of a prompt's labels. Pass --prompt FILE, too.")
    read = read_prompt(prompt, task, read_label_texts(labels or "")) if prompt else None
    reading = CheckpointOptions(answers or {}, max_length, prompt=read, precision=precision or "")
    path = fetch(checkpoint)
    fingerprint = inspect(path, task, reading).fingerprint
    most = PARITY_PROMPTS if read else PARITY_INPUTS
    inputs = suite_inputs(suite or TASKS[task].default_suite, task, most)
    allowed = options.allowed(timeout, max_memory)
    precision = precision or FP32
    card = export_confined(path, task, out, precision, inputs, reading, allowed, fingerprint)
    if card.parity is None:
        say(
            f"{out}: {card.architecture}, {card.precision}. The folder's own ONNX model, not "
            "compared with another."
        )
        return
    say(
        f"{out}: {card.architecture}, {precision}. Compared with {card.parity.reference} on "
        f"{card.parity.inputs} inputs: largest logit difference "
        f"{figures.significant(card.parity.largest_logit_difference)}, equal predictions "
        f"{figures.percent(card.parity.equal_predictions)}."
    )
