"""What changed between baseline and run in words and tables: answers, groups, labelled inputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.domain import AnswerChange
from mt_gate.judging.churn import answers_differ, groups_turned, labelled_turned
from mt_gate.results.result import AnswerChurn, Churn, Drift, Flips, MovedAnswers, Result
from mt_gate.results.rules import over_churn

MOST_LABELS = 12
"""Labels that a table or a plot shows; ``result.json`` has more."""
OTHERS = "another"
_LONGEST_LABEL = 40
_SPANS = (
    AnswerChange.KEPT,
    AnswerChange.RELABELLED,
    AnswerChange.MOVED,
    AnswerChange.LOST,
    AnswerChange.FOUND,
)
_NAMES = {
    "max_churn": "answers that differ",
    "max_negative_flips": "inputs or groups that turned",
}


class ChurnRate(NamedTuple):
    """A line of the plot: what turned, how often, and the limit that is set on it, if any."""

    words: str
    flips: Flips
    limit: float | None = None


class ChurnTable(NamedTuple):
    """Answers of the baseline by what became of them: counts, with heads of rows and columns.

    ``same`` is the place of the column of those kept in each row, None where there is none.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...], int | None], ...]


def churn_line(churn: Churn) -> str:
    """Return all that changed in one line, without escaping."""
    parts = [groups_turned(churn.groups)]
    if churn.answers is not None:
        parts.insert(0, answers_differ(churn.answers.inputs))
    if (found := churn.labelled) is not None:
        parts.append(f"{labelled_turned(found)}, {figures.count(found.positive)} back")
    if churn.answers is not None and churn.answers.drift is not None:
        parts.append(f"scores {drift_in_words(churn.answers.drift)}")
    return f"What changed: {'; '.join(parts)}."


def drift_in_words(drift: Drift) -> str:
    """Say how far scores moved."""
    return (
        f"moved by {figures.significant(drift.mean)} in the mean and by "
        f"{figures.significant(drift.p99)} or less in 99 % of "
        f"{figures.counted(drift.inputs, 'input')}"
    )


def over_limits(result: Result) -> str:
    """Name what is above its limit, empty where nothing is."""
    if result.churn is None:
        return ""
    found = over_churn(result.churn, result.labelled is not None, result.settings)
    return " and ".join(_NAMES[name] for name in found)


def churn_rates(result: Result) -> tuple[ChurnRate, ...]:
    """Return what turned, all of it first, then by label of the baseline's answer."""
    churn, settings = result.churn, result.settings
    if churn is None:
        return ()
    of_groups = settings.max_negative_flips if result.labelled is None else None
    found = [ChurnRate("Groups held, now violated", churn.groups, _set(of_groups))]
    if churn.labelled is not None:
        found.append(
            ChurnRate(
                "Labelled right, now wrong",
                churn.labelled.negative,
                _set(settings.max_negative_flips),
            )
        )
    if churn.answers is not None:
        whole = ChurnRate("Answers that differ", churn.answers.inputs, _set(settings.max_churn))
        found.insert(0, whole)
        found += [
            ChurnRate(f"Answered {_label(of.label)} before", of.flips)
            for of in churn.answers.labels[:MOST_LABELS]
        ]
    return tuple(found)


def churn_tables(churn: Churn | None) -> tuple[ChurnTable, ...]:
    """Return what became of the baseline's answers: of spans, or from label to label."""
    if churn is None or churn.answers is None:
        return ()
    moves = churn.answers.moves
    spans = any(move.how in _SPANS[1:] for move in moves)
    if not spans and not any(move.how is AnswerChange.CHANGED for move in moves):
        return ()
    table = _of_spans(churn.answers) if spans else _confusion(moves)
    return (table,) if table.rows else ()


def _set(limit: float | None) -> float | None:
    """Return a limit, None where it allows all."""
    return None if limit is None or limit >= 1 else limit


def _label(label: str) -> str:
    return shorten(label, _LONGEST_LABEL)


def _of_spans(answers: AnswerChurn) -> ChurnTable:
    counts: defaultdict[str, dict[AnswerChange, int]] = defaultdict(dict)
    for move in answers.moves:
        of = counts[move.before or move.after]
        of[move.how] = of.get(move.how, 0) + move.number
    ordered = sorted(counts.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    return ChurnTable(
        "Entities by what became of them, by label of the baseline (found: of this run)",
        tuple(how.value for how in _SPANS),
        tuple(
            (_label(label), tuple(of.get(how, 0) for how in _SPANS), 0)
            for label, of in ordered[:MOST_LABELS]
        ),
    )


def _confusion(moves: Sequence[MovedAnswers]) -> ChurnTable:
    """Return from which label to which; labels that moved most, and what is left as another."""
    counts = {(move.before, move.after): move.number for move in moves}
    shown = [*_most_moved(counts)][:MOST_LABELS]
    rest = any(after not in shown for before, after in counts if before in shown)
    rows = []
    for at, before in enumerate(shown):
        cells = [counts.get((before, after), 0) for after in shown]
        if rest:
            of = sum(number for (old, _), number in counts.items() if old == before)
            cells.append(of - sum(cells))
        rows.append((_label(before), tuple(cells), at))
    return ChurnTable(
        "Answers of the baseline (rows) and of this run (columns)",
        (*map(_label, shown), *((OTHERS,) if rest else ())),
        tuple(rows),
    )


def _most_moved(counts: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """Yield the labels, those that most answers left or came to first."""
    moved: defaultdict[str, int] = defaultdict(int)
    for (before, after), number in counts.items():
        for label in (before, after):
            moved[label] += number if before != after else 0
    yield from sorted(moved, key=lambda label: (-moved[label], label))
