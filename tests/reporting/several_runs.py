"""Runs next to each other, over time, and against labels: no checkpoint ever said any of this."""

from __future__ import annotations

import io

import msgspec

from history.making import history
from mt_gate.evaluating.records import (
    ComparedRun,
    Evaluation,
    EvaluationSettings,
    Labels,
    Measure,
    RelationShare,
    Samples,
    plain_share,
)
from mt_gate.evaluating.reports import page as evaluation_page
from mt_gate.evaluating.reports import texts as evaluation_texts
from mt_gate.evaluating.reports.texts import lines as evaluation_lines
from mt_gate.history import views
from mt_gate.history.runs import SIDE, History, PastRate, PastRun, SuiteHistory
from mt_gate.results.result import GateVerdict
from reporting import made_up


def side_by_side() -> History:
    """Return three checkpoints, of which the second answers best, and the third not to all."""
    result = made_up.result()
    ids = [*(item.id for item in result.relations), ""]
    runs = []
    for letter, violated in zip("ABC", (40, 10, 30), strict=True):
        value = violated / 100
        rates = [
            PastRate(name, 120, 100, violated, value, (value - 0.05, value + 0.1))
            for name in (ids[1:] if letter == "C" else ids)
        ]
        head = msgspec.structs.replace(result.checkpoint, name=f"checkpoint {letter}")
        created = "2026-01-01T12:00:00+00:00"
        run = PastRun(f"{letter}/result.json", letter, created, head, result.verdict, 0.01, ())
        runs.append(run._replace(rates=tuple(rates)))
    of = SuiteHistory(result.suite, tuple(runs), tuple(ids[:-1]))
    return History((of,), SIDE, notes=("a note",))


def compared() -> str:
    return views.page(side_by_side(), made_up.CATALOGUE)


def compared_texts() -> list[str]:
    stream = io.StringIO()
    views.show_side_by_side(side_by_side(), made_up.CATALOGUE, stream)
    return [stream.getvalue(), views.side_by_side_markdown(side_by_side(), made_up.CATALOGUE)]


def evaluation() -> Evaluation:
    result = made_up.result()
    share = RelationShare(
        id="", violation=plain_share(3, 9), labelled=2, sources=1, source_right=plain_share(2, 2)
    )
    relations = tuple(
        msgspec.structs.replace(share, id=relation.id) for relation in result.relations
    )
    return Evaluation(
        kind="evaluation",
        format=1,
        tool=result.tool,
        verdict=GateVerdict.MEASURED,
        exit_code=0,
        reasons=("a reason",),
        created="today",
        task="ner",
        labels=Labels(name="labels.jsonl", sha256="0" * 64, samples=8, left_out={}),
        checkpoint=result.checkpoint,
        settings=EvaluationSettings(alpha=0.05, margin=0.01),
        accuracy=plain_share(6, 8),
        error_rate=plain_share(2, 8),
        measures=(Measure(name="recall", label="LOC", share=plain_share(1, 3)),),
        unanswered={},
        samples=Samples(right=(), wrong=()),
        run=ComparedRun(
            path="out", created="today", suite=result.suite, relations=relations, overall=share
        ),
    )


def evaluated() -> str:
    return evaluation_page.render(evaluation(), made_up.CATALOGUE)


def evaluated_texts() -> list[str]:
    lines = evaluation_lines(evaluation(), made_up.CATALOGUE)
    return [*lines, evaluation_texts.summary(evaluation(), made_up.CATALOGUE)]


def over_time() -> str:
    return views.page(history(), made_up.CATALOGUE)
