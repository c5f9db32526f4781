"""A callback for transformers' Trainer: violation rates of a quick suite at each evaluation.

    trainer.add_callback(MtGateCallback(trainer, task="text", suite="moderation-quick"))

It predicts with the model in memory, through transformers' pipelines. So a rate can differ slightly
from that of ``mt-gate run`` on the saved checkpoint, which runs its ONNX export.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from transformers import TrainerCallback, pipeline

from mt_gate.api import Result, run
from mt_gate.base.errors import UsageError, quoted
from mt_gate.suites.quick import QUICK, quick_suites
from mt_gate.sut.systems.function import BATCH
from mt_gate.tasks import ner, text
from mt_gate.tasks.table import TASKS

if TYPE_CHECKING:
    from mt_gate.loggers import Logger
    from mt_gate.settings.keywords import RunKeywords

_PIPELINES: dict[str, tuple[str, dict[str, Any]]] = {
    text.ID: ("text-classification", {"top_k": None, "truncation": True}),
    ner.ID: ("token-classification", {"aggregation_strategy": "first"}),
}
"""Pipeline and its options, by task."""
_MANY = "multi_label_classification"
_LIKELY = 0.5
"""Minimum score of a predicted label of multi-label models."""


class MtGateCallback(TrainerCallback):  # type: ignore[misc]  # transformers has no types here
    """Runs a suite at evaluations and logs its violation rates (``Result.metrics``).

    The rates go to the trainer's log and reporters, and to ``loggers``. With the prefix ``eval_``
    they are also metrics of the evaluation, so that ``metric_for_best_model`` can name one.
    """

    def __init__(
        self,
        trainer: Any,
        *,
        every: int = 1,
        loggers: Sequence[Logger] = (),
        **settings: Unpack[RunKeywords],
    ) -> None:
        """Run at a trainer's first evaluation, then at each ``every``-th after it.

        ``settings`` are those of ``mt_gate.run``; by default the suite is the task's quick suite,
        if there is one. Raises UsageError: the task is neither text nor ner.
        """
        task = settings.get("task")
        if task not in _PIPELINES:
            raise UsageError(
                f"MtGateCallback needs task {' or '.join(_PIPELINES)} (got {quoted(task)}). For "
                "others, run mt-gate on the saved checkpoint."
            )
        self._trainer, self._every, self._loggers = trainer, every, loggers
        self._settings: dict[str, Any] = {**settings}
        if f"{task}{QUICK}" in quick_suites():
            self._settings.setdefault("suite", f"{task}{QUICK}")
        self._evaluations = 0
        self.result: Result | None = None
        """The result of the last evaluation."""

    def on_evaluate(
        self,
        args: Any,  # noqa: ARG002 - the Trainer passes it
        state: Any,
        control: Any,  # noqa: ARG002
        *,
        model: Any = None,
        metrics: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        """Run the suite in the main process, and log its rates. Raises CannotJudge."""
        self._evaluations += 1
        if (self._evaluations - 1) % self._every or not state.is_world_process_zero:
            return
        was_training = model.training
        model.eval()
        try:
            predict = predictor(model, self._trainer.processing_class, self._settings["task"])
            self.result = run(system=predict, **self._settings)
        finally:
            model.train(was_training)
        rates = self.result.metrics()
        if metrics is not None:
            metrics.update({f"eval_{name}": rate for name, rate in rates.items()})
        self._trainer.log(dict(rates))
        for logger in self._loggers:
            logger.log(rates, state.global_step)


def predictor(model: Any, tokenizer: Any, task: str) -> Callable[[list[str]], list[Any]]:
    """Return a callable for ``mt_gate.run`` from a model in memory and its tokenizer."""
    name, options = _PIPELINES[task]
    pipe = pipeline(name, model=model, tokenizer=tokenizer, device=model.device, batch_size=BATCH)

    def predict(texts: list[str]) -> list[Any]:
        return [read(output) for output in pipe(texts, **options)]

    def read(output: Any) -> Any:
        if TASKS[task].spans:
            return [(one["start"], one["end"], one["entity_group"]) for one in output]
        scores = {one["label"]: one["score"] for one in output}
        if model.config.problem_type == _MANY:
            return [label for label, score in scores.items() if score >= _LIKELY]
        return scores

    return predict
