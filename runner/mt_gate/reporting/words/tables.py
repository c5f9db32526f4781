"""Tables, lines and sentences of reports on policy, slices, subtypes and changes."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TextIO

from mt_gate.base import figures
from mt_gate.base.escaping import shorten
from mt_gate.domain import AnswerChange
from mt_gate.reporting.table import Table, show_lines, show_table
from mt_gate.reporting.words import texts
from mt_gate.reporting.words.texts import Catalogue, Counts
from mt_gate.results import rules
from mt_gate.results.result import (
    Churn,
    Comparison,
    Decision,
    Drift,
    MovedAnswers,
    RelationResult,
    Result,
    RunSettings,
    SliceResult,
    Stratum,
)
from mt_gate.settings.policy import Policy, Tier, task_of

_MOST_PROMISES = 20
"""Maximum sentences on pinned cases and accepted regressions; the rest are counted."""
_MOST_LABELS = 12
"""Maximum labels in a table; ``result.json`` has more."""
LONGEST_TITLE, _LONGEST_NAME = 60, 50
_MOST_SLICES, _MOST_MOVED = 60, 10
"""Maximum slices on a page, and changed slices in a comment."""
_MOST_STRATA = 20
"""Maximum subtypes of a relation in a table; a stored result may have any number."""
_STRATA = {
    "frequent": "frequent replacement",
    "rare": "rare replacement",
    "words": "other words",
    "type": "only the type label",
    "paper": "the paper's wording",
    "natural": "natural wording",
    "to-the-end": "moved to the end",
}
_SPANS = (
    AnswerChange.KEPT,
    AnswerChange.RELABELLED,
    AnswerChange.MOVED,
    AnswerChange.LOST,
    AnswerChange.FOUND,
)
_LIMITS = {
    "max_churn": "changed predictions",
    "max_negative_flips": "newly wrong inputs or newly violated cases",
}


def title_of(catalogue: Catalogue, relation: str) -> str:
    """Return the title of a relation for a table."""
    return shorten(texts.text_of(catalogue, relation).title, LONGEST_TITLE)


# Policy.


def policy_table(result: Result, catalogue: Catalogue) -> Table:
    """Return the policy's requirements for each relation; no rows if there is no policy."""
    head = ("Relation", "Tier", "Margin", "Alpha", "Also")
    required = [] if result.settings.policy == Policy() else result.relations
    rows = [
        (
            title_of(catalogue, relation.id),
            f"{relation.tier}: {texts.TIER_MEANS[relation.tier]}",
            *_margin_and_alpha(relation, result),
            ", ".join(_extras(relation.id, result)),
        )
        for relation in required
    ]
    return Table("wlrrw", head, rows)


def _margin_and_alpha(relation: RelationResult, result: Result) -> tuple[str, str]:
    own, tested = own_settings(relation, result), relation.tier is not Tier.REPORT
    return figures.size_in_points(own.margin), figures.setting(
        own.alpha
    ) if tested else "not tested"


def own_settings(entry: Counts, result: Result) -> RunSettings:
    """Return the settings that apply to a relation, or to the pool of blocking relations."""
    nothing = rules.Paired(0, None)
    paired = {item.id: item.comparison or nothing for item in result.relations}
    if isinstance(entry, RelationResult):
        return rules.make_relation_settings(result.settings, entry.id, paired[entry.id])
    return rules.make_pool_settings(result.settings, paired)


def _extras(relation: str, result: Result) -> Iterator[str]:
    settings = result.settings
    entry = settings.policy.of(relation)
    if relation in settings.required or entry.required:
        yield "required"
    for name, margin in sorted((entry.slices or {}).items()):
        yield f"margin {figures.size_in_points(margin)} for {slice_name(name)}"
    if entry.max_relative_rise is not None:
        yield f"rise of at most {figures.percent(entry.max_relative_rise)} of its baseline rate"
    if entry.share is not None:
        yield f"tested separately, with {figures.percent(entry.share)} of its tier's alpha"
    if (loss := settings.policy.accepted_of(relation)) is not None:
        yield f"rise of {figures.size_in_points(loss.rise)} accepted until {loss.expires}"


def promises(result: Result, catalogue: Catalogue) -> tuple[str, ...]:
    """Return a sentence for each pinned case and each accepted regression."""
    policy = result.settings.policy
    lines = [
        f"Pinned case {item.group}: {item.reason} (owner {item.owner})."
        for item in policy.must_hold
    ]
    lines += [
        f"{title_of(catalogue, item.relation)}: a rise of up to "
        f"{figures.size_in_points(item.rise)} is accepted until {item.expires}: {item.reason} "
        f"(owner {item.owner})."
        for item in policy.accepted
    ]
    more = [f"And {len(lines) - _MOST_PROMISES} more in result.json."]
    shown = [shorten(sentence, 600) for sentence in lines[:_MOST_PROMISES]]
    return (*shown, *(more if len(lines) > _MOST_PROMISES else []))


def show_policy(result: Result, catalogue: Catalogue, stream: TextIO | None = None) -> None:
    """Print the smallest regression that each relation can detect, tier by tier."""
    stream = stream or sys.stdout
    head = ("relation", "tier", "margin", "alpha", "baseline", "texts", "detects")
    rows: list[tuple[str, ...]] = []
    for tier in Tier:
        for relation in result.relations:
            if relation.tier is tier:
                required = _margin_and_alpha(relation, result)
                before, sources, effect = _detectable(relation)
                effect = "not tested" if tier is Tier.REPORT else effect
                title = title_of(catalogue, relation.id)
                rows.append((title, str(tier), *required, before, sources, effect))
        if tier is Tier.BLOCK:
            own = own_settings(result.overall, result)
            required = (figures.size_in_points(own.margin), figures.setting(own.alpha))
            title = texts.pooled(result).title
            rows.append((title, str(tier), *required, *_detectable(result.overall)))
    show_table(Table("wlrrrrr", head, rows), stream)
    notes = [
        f"{tier}: {means}"
        for tier, means in texts.TIER_MEANS.items()
        if any(relation.tier is tier for relation in result.relations)
    ]
    notes += [
        f"{title_of(catalogue, relation.id)}: {more}"
        for relation in result.relations
        if (more := ", ".join(_extras(relation.id, result)))
    ]
    in_run = {relation.id for relation in result.relations}
    notes += [
        f"{shorten(name, LONGEST_TITLE)}: not in this run"
        for name in result.settings.policy.named()
        if task_of(name) == result.suite.task and name not in in_run
    ]
    notes += promises(result, catalogue)
    verdict = f"verdict is {result.verdict.value}, exit {result.exit_code}"
    notes.append(f"under this policy the run's {verdict}")
    show_lines(["", *(f"  - {line}" for line in notes)], stream)


def shown_effect(comparison: Comparison) -> float | None:
    """Return the smallest detectable regression; None if none can be detected."""
    if comparison.decision is Decision.REGRESSION:
        return comparison.minimum_detectable_effect
    return rules.power(comparison)[1]


def _detectable(entry: Counts) -> tuple[str, str, str]:
    comparison = entry.comparison
    if comparison is None:
        return (figures.UNDEFINED,) * 3
    effect = shown_effect(comparison)
    size = "nothing" if effect is None else figures.size_in_points(effect)
    if comparison.p_value is None:
        size = "too few cases"
    return (
        figures.percent(texts.shown_state(entry).rates[0]),
        figures.count(comparison.clusters),
        size,
    )


# Slices of known answers and labelled examples.


def slice_table(result: Result, catalogue: Catalogue, *, moved: bool = False) -> Table:
    """Return the slices, largest fall or least accuracy first, and those of few cases last.

    ``moved``: only changed slices.
    """
    slices = []
    for relation in result.relations:
        for part in relation.slices:
            before, now, total = right_before_and_now(part)
            if total and not (moved and before == now):
                title = shorten(texts.text_of(catalogue, relation.id).title, _LONGEST_NAME)
                compared = part.comparison
                state = texts.STATES[texts.state_of(compared)] if compared else "Not compared"
                name = slice_name(part.name)
                is_known = compared is not None and compared.baseline_rate is not None
                then = figures.count(before) if is_known else figures.UNDEFINED
                cells = (figures.count(total), then, figures.count(now))
                row = (f"{title}, {name}", *cells, state)
                few = total < rules.MIN_CLUSTERS
                slices.append(((few, (now - before) / total, now / total, name), row))
    head = ("Right predictions by slice", "Cases", "Baseline", "Now", "State")
    rows = [row for _, row in sorted(slices)][: _MOST_MOVED if moved else _MOST_SLICES]
    return Table("wrrrl", head, rows)


def slice_name(name: str) -> str:
    """Return the name of a slice for a sentence: ``target women``."""
    return shorten(name.replace(": ", " ", 1), _LONGEST_NAME)


def right_before_and_now(one: RelationResult | SliceResult) -> tuple[int, int, int]:
    """Return the numbers of right cases before and now, and of all; equal if not compared."""
    comparison = one.comparison
    if comparison is None or comparison.baseline_rate is None or comparison.candidate_rate is None:
        right = one.applicable - one.violated
        return right, right, one.applicable
    before, now = (
        figures.number_of(1 - rate, comparison.pairs)
        for rate in (comparison.baseline_rate, comparison.candidate_rate)
    )
    return before, now, comparison.pairs


# Subtypes of a relation, with their violation rates: the paper's Table 8.


def stratum_in_words(name: str) -> str:
    """Return the text for a subtype; its name if it is not known."""
    return _STRATA.get(name) or shorten(name, 40)


def strata_table(result: Result, catalogue: Catalogue) -> Table:
    """Return a row for each subtype of each relation."""
    head = ("Relation", "Subtype", "Violated", "Rate", "95% CI")
    rows = [
        (title_of(catalogue, relation.id), *_stratum(name, counts))
        for relation in result.relations
        for name, counts in [*relation.strata.items()][:_MOST_STRATA]
    ]
    return Table("wwrrc", head, rows)


def _stratum(name: str, counts: Stratum) -> tuple[str, ...]:
    return (
        stratum_in_words(name),
        f"{figures.count(counts.violated)} of {figures.count(counts.applicable)}",
        figures.percent(counts.violation_rate),
        figures.between(counts.ci95),
    )


def stratum_rates(relation: RelationResult) -> Iterator[str]:
    """Yield "frequent replacement: 3 of 20 cases violated (15.0%, 95% CI ...)"."""
    for name, counts in [*relation.strata.items()][:_MOST_STRATA]:
        words, number, rate, interval = _stratum(name, counts)
        yield f"{words}: {number} cases violated ({rate}, 95% CI {interval})"


# Churn between baseline and run: predictions, cases, labelled inputs.


def churn_line(churn: Churn, *, brief: bool = False) -> str:
    """Return all changes in one line; ``brief`` omits scores and labelled inputs."""
    sentences = rules.describe_churn(churn)
    parts = [sentences[name] for name in ("predictions", "cases") if name in sentences]
    if not brief and (labelled := churn.labelled) is not None:
        right = figures.count(labelled.positive)
        parts.append(f"{sentences['labelled']}, {right} newly right")
    if not brief and churn.answers is not None and churn.answers.drift is not None:
        parts.append(f"scores {drift_in_words(churn.answers.drift)}")
    return f"{'; '.join(parts)}."


def drift_in_words(drift: Drift) -> str:
    """Return how far scores moved."""
    return (
        f"moved by {figures.significant(drift.mean)} on average "
        f"(99th percentile {figures.significant(drift.p99)})"
    )


def over_limits(result: Result) -> str:
    """Name the limits on changes that are exceeded; empty if there are none."""
    if result.churn is None:
        return ""
    over = rules.over_churn(result.churn, result.labelled is not None, result.settings)
    return " and ".join(_LIMITS[name] for name in over)


def churn_table(churn: Churn | None) -> tuple[str, Table] | None:
    """Return a titled table of changed predictions, by entities or by label."""
    if churn is None or churn.answers is None:
        return None
    moves = churn.answers.moves
    if any(move.how in _SPANS[1:] for move in moves):
        title = "Entities by change, by baseline label (new ones by this run's label)"
        counts: defaultdict[str, Counter[AnswerChange]] = defaultdict(Counter)
        for move in moves:
            counts[move.before or move.after][move.how] += move.number
        ordered = sorted(counts.items(), key=lambda item: (-item[1].total(), item[0]))
        rows = [
            (shorten(label, 40), *(figures.count(changes[how]) for how in _SPANS))
            for label, changes in ordered[:_MOST_LABELS]
        ]
        return title, Table("wrrrrr", ("Baseline", *_SPANS), rows)
    if any(move.how is AnswerChange.CHANGED for move in moves):
        return "Predictions of the baseline (rows) and of this run (columns)", _confusion(moves)
    return None


def _confusion(moves: Sequence[MovedAnswers]) -> Table:
    """Return counts from label to label for the labels that changed most; "another": the rest."""
    counts = {(move.before, move.after): move.number for move in moves}
    moved: Counter[str] = Counter()
    for (before, after), number in counts.items():
        for label in (before, after):
            moved[label] += number if before != after else 0
    shown = sorted(moved, key=lambda label: (-moved[label], label))[:_MOST_LABELS]
    rest = any(after not in shown for before, after in counts if before in shown)
    rows = []
    for before in shown:
        cells = [counts.get((before, after), 0) for after in shown]
        if rest:
            of = sum(number for (old, _), number in counts.items() if old == before)
            cells.append(of - sum(cells))
        rows.append((shorten(before, 40), *map(figures.count, cells)))
    names = [*(shorten(label, 40) for label in shown), *(["another"] if rest else [])]
    return Table("w" + "r" * len(names), ("Baseline", *names), rows)
