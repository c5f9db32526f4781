"""The callback for transformers' Trainer, and the loggers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mt_gate
from making import LABELS, SENTENCES, TAGGER, make_suite, save_bert
from making_stated import write_stated
from making_text import CLASSIFIER, PAIRS
from mt_gate.loggers import JsonLinesLogger, MlflowLogger

pytestmark = pytest.mark.export
transformers = pytest.importorskip("transformers", reason="needs mt-gate[export]")
SAME = {"text/same": {"kind": "same"}}
RATE = "mt_gate/overall/violation_rate"


def trainer_of(folder: Path, head: str, labels: tuple[str, ...], **options: Any) -> Any:
    """Return a trainer of a small model that trains for four steps, evaluated twice."""
    saved = save_bert(folder / "bert", labels, head=head)
    tokenizer = transformers.AutoTokenizer.from_pretrained(saved)
    model = getattr(transformers, f"AutoModel{head}").from_pretrained(saved)
    data = []
    for number, text in enumerate(SENTENCES[:8]):
        read = tokenizer(text, truncation=True, padding="max_length", max_length=32)
        wanted = [number % 2] * 32 if head == TAGGER else number % 2
        data.append({**read, "labels": wanted})
    arguments = transformers.TrainingArguments(
        folder / "trained", max_steps=4, eval_steps=2, eval_strategy="steps", report_to=[],
        use_cpu=True, disable_tqdm=True, per_device_train_batch_size=2, save_steps=2, **options,
    )  # fmt: skip
    return transformers.Trainer(
        model, arguments, train_dataset=data, eval_dataset=data, processing_class=tokenizer
    )


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user-cache"))


def test_rates_are_logged_at_evaluations(tmp_path: Path) -> None:
    from mt_gate.training import MtGateCallback, predictor

    suite = write_stated(tmp_path / "suite", "text", SAME, PAIRS)
    best = {"metric_for_best_model": RATE, "load_best_model_at_end": True}
    trainer = trainer_of(tmp_path, CLASSIFIER, ("bad", "good"), **best, greater_is_better=False)
    lines = tmp_path / "logs" / "rates.jsonl"
    gate = MtGateCallback(trainer, task="text", suite=suite, loggers=[JsonLinesLogger(lines)])
    trainer.add_callback(gate)
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if RATE in entry]
    assert [entry["step"] for entry in logged] == [2, 4]
    written = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [line["step"] for line in written] == [2, 4]
    assert [line[RATE] for line in written] == [entry[RATE] for entry in logged]
    assert trainer.state.best_metric == min(entry[RATE] for entry in logged)
    assert gate.result is not None
    for training in (True, False):
        trainer.model.train(training)
        gate.on_evaluate(None, trainer.state, None, model=trainer.model)
        assert trainer.model.training == training
    again = mt_gate.run(
        system=predictor(trainer.model, trainer.processing_class, "text"), task="text", suite=suite
    )
    assert again.overall.rate in [entry[RATE] for entry in logged]
    scores = again.violations()[0]["source_prediction"]["scores"] if again.violations() else {}
    assert not scores or sum(scores.values()) == pytest.approx(1)


def test_a_tagger_at_every_second_evaluation(tmp_path: Path) -> None:
    from mt_gate.training import MtGateCallback

    suite = make_suite(tmp_path / "suite", SENTENCES[:20])
    trainer = trainer_of(tmp_path, TAGGER, LABELS)
    gate = MtGateCallback(trainer, task="ner", suite=suite, every=2)
    trainer.add_callback(gate)
    trainer.train()
    assert gate.result is not None
    logged = [
        entry for entry in trainer.state.log_history if any("mt_gate" in key for key in entry)
    ]
    assert [entry["step"] for entry in logged] in ([2], [])  # none if no case is testable
    entities = [
        entity
        for case in gate.result.violations()
        for entity in case["source_prediction"]["entities"]
    ]
    assert {label for *_, label in entities} <= {"PER", "ORG", "LOC"}


def test_other_tasks_are_refused() -> None:
    from mt_gate.training import MtGateCallback

    for settings in ({"task": "boolq"}, {}):
        with pytest.raises(mt_gate.UsageError, match="needs task text or ner"):
            MtGateCallback(None, **settings)


def test_mlflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(mt_gate.CannotJudge, match="pip install mlflow"):
        MlflowLogger()
    calls = []
    fake = SimpleNamespace(log_metrics=lambda *values, **named: calls.append((*values, named)))
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    MlflowLogger("abc").log({RATE: 0.25}, step=3)
    assert calls == [({RATE: 0.25}, {"step": 3, "run_id": "abc"})]
