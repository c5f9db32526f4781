"""What every report says of runs that are made up, in files next to this test.

To renew the files after a meant change: ``MT_GATE_RENEW_SNAPSHOTS=1 pytest`` this file, and read
the difference.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from cases import FOLDER, read_cases
from history.making import history
from mt_gate.baselines.schema import read_baseline
from mt_gate.domain import AnswerChange
from mt_gate.history.views import history_lines
from mt_gate.reporting.words.first_screen import advice, examples, gather
from mt_gate.reporting.words.sentences import sentence
from mt_gate.reporting.words.tables import show_policy
from mt_gate.reporting.words.texts import RelationText
from mt_gate.reporting.writers.findings import annotations_of, badge, command, sarif
from mt_gate.reporting.writers.terminal import show, show_baseline, show_diff
from mt_gate.results.result import (
    EarlyStop,
    GateVerdict,
    GroupRow,
    MovedAnswers,
    Result,
    SliceResult,
    Stratum,
)
from mt_gate.settings.values import read_policy
from reporting import made_up, made_up_re
from reporting.judging import judged
from reporting.made_up import junit, report, summary
from reporting.several_runs import compared, compared_texts, evaluated, evaluated_texts, over_time

FILES = Path(__file__).parent / "snapshots"
RENEW = "MT_GATE_RENEW_SNAPSHOTS" in os.environ
_BLOCKS = frozenset(
    "p li tr h1 h2 h3 h4 section details summary table ol ul dl dt div caption pre nav".split()
)
_INLINE = re.compile(r"\s+")


def check(name: str, text: str) -> None:
    """Fail unless a text is what its file holds, or write the file."""
    path = FILES / name
    if RENEW:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs"


class PageText(HTMLParser):
    """The words of a page, a line a block, with what it says to those who cannot see it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.lines, self.hidden = [""], False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden = tag in ("script", "style")
        if tag in _BLOCKS:
            self.lines.append("")
        elif tag in ("td", "th", "dd", "option"):
            self.lines[-1] += " | "
        for name, value in attrs:
            if name in ("aria-label", "title"):
                self.lines[-1] += f"<{value}>"

    def handle_endtag(self, tag: str) -> None:
        self.hidden = False
        if tag in _BLOCKS:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.lines[-1] += _INLINE.sub(" ", data)

    def __str__(self) -> str:
        lines = (_INLINE.sub(" ", line).strip() for line in self.lines)
        return "\n".join(line for line in lines if line) + "\n"


class Case(NamedTuple):
    result: Result
    rows: list[GroupRow]
    catalogue: Mapping[str, RelationText]


def made(verdict: GateVerdict, **more: object) -> Case:
    result = made_up.result(verdict, **more)
    rows = made_up.rows() if result.baseline else made_up.rows({None: 12})
    return Case(result, rows, made_up.CATALOGUE)


def relations() -> Case:
    """Relation extraction with kinds of edit, second sources, and what the baseline answered."""
    rows = made_up_re.rows()
    result = made_up_re.result(rows, GateVerdict.REGRESSION)
    strata = {
        "frequent": Stratum(
            groups=40, applicable=30, violated=3, violation_rate=0.1, ci95=(0.021, 0.187)
        ),
        "rare": Stratum(groups=40, applicable=0, violated=0),
    }
    first = msgspec.structs.replace(result.relations[0], strata=strata)
    result = msgspec.structs.replace(result, relations=(first, *result.relations[1:]))
    return Case(result, rows, made_up_re.CATALOGUE)


def questions() -> Case:
    clean = made_up.result()
    moves = [("yes", "yes", 900), ("yes", "no", 80), ("no", "no", 700), ("no", "yes", 31)]
    answers = msgspec.structs.replace(
        clean.churn.answers,
        moves=tuple(
            MovedAnswers(
                how=AnswerChange.KEPT if before == after else AnswerChange.CHANGED,
                before=before,
                after=after,
                number=number,
            )
            for before, after, number in moves
        ),
    )
    churn = msgspec.structs.replace(clean.churn, answers=answers)
    head = msgspec.structs.replace(clean.suite, task="boolq")
    return Case(made_up.result(suite=head, churn=churn), made_up.questions(), made_up.QUESTIONS)


def labels() -> Case:
    """Texts with labels and scores: one or several labels, a score that is compared, a pair."""
    text = (FOLDER / "reporting" / "labels.json").read_text("utf-8")
    rows = msgspec.json.decode(text, type=list[GroupRow])
    head = msgspec.structs.replace(made_up.result().suite, task="text")
    relation = msgspec.structs.replace(made_up.result().relations[3], id="text/homoglyphs")
    return Case(made_up.result(suite=head, relations=(relation,)), rows, {})


def both_answers() -> Case:
    """Entities next to those of the baseline, errors by kind, a repair, and an early stop."""
    clean = made_up.result(repair=made_up.repair())
    first = msgspec.structs.replace(clean.relations[0], errors={"range-error": 4, "<i>": 1})
    overall = msgspec.structs.replace(clean.overall, errors={"omission": 3, "<b>|x": 1})
    result = msgspec.structs.replace(
        clean,
        relations=(first, *clean.relations[1:]),
        overall=overall,
        early=EarlyStop(look=3, looks=10, asked=1_300, clusters=4_000, loss=True),
    )
    return Case(result, made_up.with_baseline_answers(), made_up.CATALOGUE)


def slices() -> Case:
    """A relation with right answers, slices, and a sentence that the suite gives it."""
    clean = made_up.result()
    relation = clean.relations[3]
    one = SliceResult(
        name="target: women",
        groups=100,
        applicable=100,
        violated=17,
        comparison=relation.comparison,
    )
    changed = msgspec.structs.replace(
        relation,
        says="Keeps {n} of {total} names",
        slices=(one, msgspec.structs.replace(one, name="new", comparison=None)),
    )
    result = msgspec.structs.replace(clean, relations=(*clean.relations[:3], changed))
    return Case(result, made_up.rows(), made_up.CATALOGUE)


CASES: dict[str, Callable[[], Case]] = {
    "regression": lambda: made(GateVerdict.REGRESSION),
    "collapse": lambda: made(GateVerdict.COLLAPSE),
    "strict": lambda: Case(made_up.strict(), made_up.rows(), made_up.CATALOGUE),
    "pass": lambda: made(GateVerdict.PASS),
    "improved": lambda: made(GateVerdict.IMPROVED),
    "measured": lambda: made(GateVerdict.MEASURED),
    "cannot-judge": lambda: made(GateVerdict.CANNOT_JUDGE),
    "policy": lambda: Case(made_up.tiered(), made_up.rows(), made_up.CATALOGUE),
    "relations": relations,
    "questions": questions,
    "labels": labels,
    "both-answers": both_answers,
    "slices": slices,
}


def shown(result: Result, catalogue: Mapping[str, RelationText], rows: Sequence[GroupRow]) -> str:
    stream = io.StringIO()
    show(result, catalogue, stream, out=Path("out"), example=rows, verbose=True)
    return stream.getvalue()


@pytest.mark.parametrize("name", CASES)
def test_reports(name: str) -> None:
    result, rows, catalogue = CASES[name]()
    again = made_up.again(rows)
    annotations = annotations_of(result, catalogue, "ner", "out/report.html")
    texts = {
        "terminal": shown(result, catalogue, examples(result, gather(result, again), 1)),
        "summary": summary(result, again, catalogue),
        "annotations": "\n".join(map(command, annotations)) + "\n",
        "badge": badge(result),
        "sarif": sarif(result, catalogue),
        "junit": junit(result, again, catalogue),
        "page": str(PageText(report(result, again, catalogue))),
    }
    check(f"{name}.txt", "\n".join(f"######## {kind}\n{text}" for kind, text in texts.items()))


NAMES = {"a": "ner/token-replacement", "b": "ner/structural", "c": "ner/entity-shuffle"}


def patterns(text: str, named: bool) -> dict[str, str]:
    """Return "a=7v93s b=100s" as letters by relation, see ``judging.made``."""
    parts = dict(part.split("=") for part in text.split())
    return {
        NAMES[name] if named else name: "".join(
            letter * int(number) for number, letter in re.findall(r"(\d+)(\w)", runs)
        )
        for name, runs in parts.items()
    }


def test_judged_runs() -> None:
    """Why the gate decided so, in one sentence, and what to do."""
    lines = []
    for case in read_cases("reporting/judged"):
        policy = case["policy"]
        settings = json.loads(case["settings"] or "{}")
        settings = {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}
        now, before = (patterns(case[side], bool(policy)) for side in ("candidate", "baseline"))
        if policy:
            settings |= {"policy": read_policy("policy", policy), "relations": tuple(now)}
        result = judged(now, before, **settings)
        catalogue = made_up.CATALOGUE if policy else {}
        lines += [
            f"## {case['name']}",
            f"{result.verdict}: {sentence(result, catalogue)}",
            f"advice: {' '.join(advice(result))}",
            *(f"- {reason}" for reason in result.reasons),
            *(
                line
                for one in result.relations
                if one.comparison
                and (line := f"{one.id}: {one.comparison.reason}") not in result.reasons
            ),
            "",
        ]
    check("judged.txt", "\n".join(lines))


DEMO = Path(__file__).parents[2] / "baselines" / "ner-demo.json"


def test_tables() -> None:
    """Baselines and policies on a terminal."""
    stream = io.StringIO()
    baseline = read_baseline(DEMO)
    show_baseline(Path("a.json"), baseline, stream)
    several = msgspec.structs.replace(baseline, runs=(baseline.runs[0],) * 3, accept="for a reason")
    show_baseline(Path("b.json"), several, stream)
    first = baseline.runs[0]
    changed = tuple(
        msgspec.structs.replace(
            item,
            violated_groups=(*item.violated_groups[::2], *item.satisfied_groups[:3]),
            satisfied_groups=(*item.violated_groups[1::2], *item.satisfied_groups[3:]),
        )
        for item in first.relations
    )
    other = msgspec.structs.replace(
        baseline, runs=(msgspec.structs.replace(first, relations=changed),)
    )
    show_diff((Path("a.json"), Path("b.json")), baseline, other, stream)
    show_policy(made_up.tiered(), made_up.CATALOGUE, stream)
    check("tables.txt", stream.getvalue())


def test_several_runs() -> None:
    """Runs over time, next to each other, and against labels."""
    texts = [
        *history_lines(history()),
        str(PageText(over_time())),
        *compared_texts(),
        str(PageText(compared())),
        *evaluated_texts(),
        str(PageText(evaluated())),
    ]
    check("several-runs.txt", "\n".join(texts))
