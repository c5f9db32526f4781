"""Baselines and results of made-up rows, a letter a group."""

from __future__ import annotations

from typing import Any

import msgspec

from mt_gate.baselines.schema import Anchor, Baseline
from mt_gate.baselines.writing import RunToRecord, build_baseline
from mt_gate.domain import Verdict
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.result import (
    FORMAT,
    CheckpointHead,
    GateVerdict,
    GroupRow,
    Overall,
    Predictions,
    Profiles,
    Result,
    RunMark,
    RunSettings,
    Runtime,
    SuiteHead,
    Timing,
    Tool,
)
from mt_gate.running.measuring import count_all

SUITE = SuiteHead(name="ner-default", version="3", task="ner", sha256="ab" * 32)
SETTINGS = RunSettings(
    alpha=0.05,
    margin=0.01,
    strict=False,
    max_applicability_loss=0.1,
    max_violation_rate={"*": 0.9},
    must_hold=(),
    relations=("swap", "bind"),
    complete=True,
    noise=1e-6,
)
LETTERS = {"v": Verdict.VIOLATED, "s": Verdict.SATISFIED}
RECORDED = "2025-01-31T12:00:00Z"


def static(pattern: str, relation: str = "swap") -> list[GroupRow]:
    """Build a group a letter, two a source; a letter beyond v and s is a reason."""
    return [
        GroupRow(
            id=f"{relation}-{i:012x}",
            relation=relation,
            source_id=f"source-{i // 2:04x}",
            verdict=LETTERS.get(code, Verdict.NOT_APPLICABLE),
            source={"text": "A."},
            follow_up={"text": "B."},
            reason="" if code in LETTERS else {"n": "vacuous", "t": "too-long"}[code],
        )
        for i, code in enumerate(pattern)
    ]


def bound(patterns: list[str], relation: str = "bind") -> list[GroupRow]:
    """Build a source a pattern; an empty one binds nothing."""
    return [
        GroupRow(
            id=f"{relation}-{i}-{j}",
            relation=relation,
            source_id=f"source-{i:04x}",
            verdict=LETTERS.get(code, Verdict.NOT_APPLICABLE),
            source={"text": "A."},
            reason="" if code in LETTERS else "unbound",
            bound=True,
        )
        for i, pattern in enumerate(patterns)
        for j, code in enumerate(pattern or "-")
    ]


def result_of(rows: list[GroupRow], **changed: Any) -> Result:
    """Count rows as a run would."""
    relations = count_all(dict.fromkeys(row.relation for row in rows), rows)
    named = tuple(relation.id for relation in relations)
    result = Result(
        format=FORMAT,
        tool=Tool(name="mt-gate", version="0.1.0"),
        verdict=GateVerdict.MEASURED,
        exit_code=0,
        reasons=(),
        created=RECORDED,
        suite=SUITE,
        checkpoint=CheckpointHead(
            name="models/ner",
            fingerprint="cd" * 32,
            runtime=Runtime(
                provider="cpu", precision="fp32", device="cpu", onnxruntime="1.20", cpu="x86"
            ),
        ),
        settings=msgspec.structs.replace(SETTINGS, relations=named),
        relations=relations,
        overall=Overall(applicable=0, violated=0, violation_rate=None),
        profile=Profiles(candidate={"PER": 0.75, "LOC": 0.5}),
        timing=Timing(),
        predictions=Predictions(requested=0, unique=0, cached=0),
    )
    return msgspec.structs.replace(result, **changed)


ROWS = static("vsns" * 10 + "tv") + bound(["vs", "", "sss", "v"] * 5)


def measured(rows: list[GroupRow], number: int = 1, **changed: Any) -> RunToRecord:
    """Return a run by its number, from 1 to 9, which is its id and its checkpoint's."""
    result = result_of(rows, **changed)
    head = msgspec.structs.replace(result.checkpoint, fingerprint=str(number) * 64)
    mark = RunMark(id=str(number) * 32, nonce="0" * 32, rows_sha256="0" * 64)
    result = msgspec.structs.replace(result, checkpoint=head, run=mark)
    return RunToRecord(result, verdicts_from_rows(rows))


def built(
    *runs: list[GroupRow], accept: str | None = None, anchor: Anchor | None = None
) -> Baseline:
    """Build a baseline of runs, by default one of ``ROWS``."""
    numbered = [measured(rows, number) for number, rows in enumerate(runs or (ROWS,), 1)]
    return build_baseline(numbered, "ner", accept, anchor)
