"""Loggers of violation rates, for training and for scheduled runs.

A logger has a method ``log(metrics, step)``; ``Result.metrics()`` returns the metrics.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Protocol

from mt_gate.base.errors import CannotJudge


class Logger(Protocol):
    """A destination for metrics."""

    def log(self, metrics: Mapping[str, float], step: int) -> None:
        """Log metrics; ``step`` is a training step, or the number of a run."""


class JsonLinesLogger:
    """Appends a line ``{"step": 100, "mt_gate/overall/violation_rate": 0.12, ...}`` to a file."""

    def __init__(self, path: str | PathLike[str]) -> None:
        """Log to ``path``; its folder is made if it is missing."""
        self._path = Path(path)

    def log(self, metrics: Mapping[str, float], step: int) -> None:
        """Append a line."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"step": step, **metrics}) + "\n")


class MlflowLogger:
    """Logs to the active MLflow run, or to the run with the id ``run_id``."""

    def __init__(self, run_id: str | None = None) -> None:
        """Import MLflow. Raises CannotJudge: it is not installed."""
        try:
            import mlflow
        except ImportError:
            raise CannotJudge("mlflow is not installed. Run pip install mlflow") from None
        self._mlflow, self._run_id = mlflow, run_id

    def log(self, metrics: Mapping[str, float], step: int) -> None:
        """Log metrics of a step."""
        self._mlflow.log_metrics(dict(metrics), step=step, run_id=self._run_id)
