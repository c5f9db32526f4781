"""The words of the reports: verdicts, decisions, and one sentence that sums up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.base.errors import REGRESSION
from mt_gate.base.redaction import shorten
from mt_gate.domain import NotApplicable, metamorphic
from mt_gate.relations import catalogue
from mt_gate.relations.known_answer import has_known_answers, known_answer, labels_id
from mt_gate.reporting.words.churn import over_limits
from mt_gate.reporting.words.facts import facts
from mt_gate.results import rules
from mt_gate.results.result import (
    Comparison,
    Decision,
    GateVerdict,
    Overall,
    RelationResult,
    Result,
    Rule,
    is_loss,
)
from mt_gate.settings.policy import Tier
from mt_gate.suites.format import SuiteFile
from mt_gate.tasks.table import TASKS


class RelationText(NamedTuple):
    """How a relation is presented: a short title, one sentence, an example."""

    title: str
    description: str
    before: str
    after: str


Catalogue = Mapping[str, RelationText]
LABELS = RelationText(
    "Labelled examples",
    "The file of --labels says what is right; the prediction must be it.",
    "",
    "",
)


def relation_texts() -> Catalogue:
    """Return how the relations that mt-gate knows are presented."""
    known = [known_answer(task) for task in TASKS.values() if has_known_answers(task)]
    labels = {labels_id(task): LABELS for task in TASKS}
    return labels | {
        item.id: RelationText(item.title, item.description, item.before, item.after)
        for item in (*known, *catalogue.BY_ID.values())
    }


def with_stated(known: Catalogue, result: Result) -> Catalogue:
    """Return a catalogue with the relations that a run's suite states itself."""
    stated = {
        item.id: RelationText(
            item.words.title, item.words.description, item.words.before, item.words.after
        )
        for item in result.relations
        if item.words is not None and item.id not in known
    }
    return {**known, **stated} if stated else known


def texts_of_suite(head: SuiteFile) -> Catalogue:
    """Return how the relations of a suite are presented, those that it states among them."""
    stated = {
        item.id: RelationText(item.title, item.description, item.before, item.after)
        for item in head.relations
        if item.output is not None
    }
    return {**relation_texts(), **stated}


POOLED = "All relations"
BLOCKING = "Relations that block"
_MOST_CATEGORIES = 10

VERDICT_WORDS = {
    GateVerdict.REGRESSION: "Regression",
    GateVerdict.COLLAPSE: "Collapse",
    GateVerdict.WARNING: "Warning",
    GateVerdict.INCONCLUSIVE: "Inconclusive",
    GateVerdict.PASS: "Pass",
    GateVerdict.IMPROVED: "Improved",
    GateVerdict.MEASURED: "Measured",
    GateVerdict.CANNOT_JUDGE: "Cannot judge",
}

DECISION_WORDS = {
    Decision.REGRESSION: "Regression",
    Decision.COLLAPSE: "Collapse",
    Decision.INCONCLUSIVE: "Inconclusive",
    Decision.PASS: "Pass",
    Decision.IMPROVED: "Improved",
    Decision.NOT_COMPARABLE: "Not comparable",
    Decision.NOT_JUDGED: "Not judged",
}

TIER_WORDS = {Tier.BLOCK: "", Tier.WARN: "warns only", Tier.REPORT: "shown only"}
"""What stands after the decision on a relation that does not block."""

ACCEPTED = "accepted"
"""What stands after the decision on a loss that the policy accepts for now."""

SYMBOLS = {
    "regression": "✕",
    "collapse": "✕",
    "warning": "⚠",
    "inconclusive": "?",
    "pass": "✓",
    "improved": "▲",
    "measured": "•",
    "not-comparable": "–",
    "not-judged": "·",
    "cannot-judge": "!",
}
"""A sign beside the word of each verdict and decision."""

REASONS: Mapping[str, str] = {reason.value: reason.words for reason in NotApplicable}
"""What the reason of a group that is not applicable means; stored results may hold others."""

ERRORS = {
    "omission": "omission",
    "over-labelling": "over-labelling",
    "incorrect-category": "incorrect category",
    "range-error": "range error",
    "undecided": "omission or over-labelling",
}
"""How an error category is named; what the two answers leave open is named by both."""


class Level(StrEnum):
    """How grave a decision is, gravest first, in the words of SARIF and of workflow commands."""

    ERROR = "error"
    WARNING = "warning"


def stopped_early(result: Result) -> tuple[str, ...]:
    """Return the sentence for where runs stand beside each other; none of one that was asked whole.

    What the run itself says of it is the first of its reasons.
    """
    early = result.early
    if early is None or not early.stopped:
        return ()
    return (
        f"{result.checkpoint.name} stopped early: its counts and rates are of "
        f"{figures.count(early.asked)} of {figures.counted(early.clusters, 'cluster')} of sources",
    )


def level_of(comparison: Comparison) -> Level | None:
    """Return how grave a decision is in its run, None where it is nothing to report."""
    if comparison.fails:
        return Level.ERROR
    found = is_loss(comparison.decision) or comparison.decision is Decision.INCONCLUSIVE
    return Level.WARNING if found else None


def pooled_title(result: Result) -> str:
    """Return what is pooled, in a run some of whose relations may not block."""
    return BLOCKING if result.settings.policy.has_tiers else POOLED


def pooled_relations(result: Result) -> list[RelationResult]:
    """Return the relations that are judged together: those that block, right answers apart."""
    blocking = [relation for relation in result.relations if relation.tier is Tier.BLOCK]
    together = metamorphic(relation.id for relation in blocking)
    return [relation for relation in blocking if relation.id in together]


def pooled_counts(result: Result) -> Overall:
    """Return the counts of what is judged together, with its comparison."""
    if not result.settings.policy.has_tiers:
        return result.overall
    blocking = pooled_relations(result)
    applicable = sum(relation.applicable for relation in blocking)
    violated = sum(relation.violated for relation in blocking)
    rate = violated / applicable if applicable else None
    return Overall(
        applicable=applicable,
        violated=violated,
        violation_rate=rate,
        comparison=result.overall.comparison,
    )


def decision_words(entry: RelationResult | Overall) -> str:
    """Return what was decided, with what is to be known of it."""
    if entry.comparison is None:
        return "Not compared"
    words, beside = DECISION_WORDS[entry.comparison.decision], beside_decision(entry)
    return f"{words} ({beside})" if beside else words


def beside_decision(entry: RelationResult | Overall) -> str:
    """Return that a loss is accepted, and the tier of a relation that does not block."""
    accepted = ACCEPTED if is_accepted(entry) else ""
    tier = TIER_WORDS[entry.tier] if isinstance(entry, RelationResult) else ""
    return ", ".join(filter(None, (accepted, tier)))


def is_accepted(entry: RelationResult | Overall) -> bool:
    """Whether it is worse, and the policy accepts that for now."""
    return entry.comparison is not None and entry.comparison.rule is Rule.ACCEPTED


_FAILS = Decision.REGRESSION.value
_STRICT = "The build fails: the gate is strict."


def tone(entry: RelationResult | Overall) -> str:
    """Return what a decision is coloured by: red is what fails, not a loss that only warns."""
    if entry.comparison is None:
        return "measured"
    warns = isinstance(entry, RelationResult) and not counts_in_verdict(entry)
    if warns and is_loss(entry.comparison.decision):
        return GateVerdict.WARNING.value
    if entry.comparison.fails and not is_loss(entry.comparison.decision):
        return _FAILS  # what is open, where the gate is strict
    return entry.comparison.decision.value


def counts_in_verdict(relation: RelationResult) -> bool:
    """Whether what was decided of a relation weighs as one that blocks does."""
    comparison = relation.comparison
    return relation.tier is Tier.BLOCK or (
        comparison is not None and comparison.rule in rules.UNTIERED
    )


def errors_in_words(errors: Mapping[str, int]) -> str:
    """Return "range error 3, omission 1", most first; empty where nothing is counted."""
    ordered = sorted(errors.items(), key=lambda item: (-item[1], item[0]))[:_MOST_CATEGORIES]
    return ", ".join(
        f"{ERRORS.get(name, name)} {figures.count(number)}" for name, number in ordered
    )


def text_of(catalogue: Catalogue, relation: str) -> RelationText:
    """Return how a relation is presented; by its id where nothing is known."""
    return catalogue.get(relation) or RelationText(relation, "", "", "")


def listing(items: Sequence[str], most: int = 3) -> str:
    """Return "a, b and c", or "a, b, c and 4 more"."""
    shown = [*items[:most]]
    if len(items) > most:
        shown.append(f"{len(items) - most} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def decided(result: Result, decision: Decision) -> list[RelationResult]:
    """Return the relations that got a decision, in the suite's order."""
    return [r for r in result.relations if r.comparison and r.comparison.decision is decision]


def is_compared(result: Result) -> bool:
    """Say whether anything was held against a baseline; a baseline alone may be unusable."""
    return result.overall.comparison is not None or any(r.comparison for r in result.relations)


def failing_first(relations: Sequence[RelationResult]) -> list[RelationResult]:
    """Return the relations, those that weigh on the verdict before the others."""
    order = [Decision.COLLAPSE, Decision.REGRESSION, Decision.INCONCLUSIVE]

    def rank(relation: RelationResult) -> tuple[bool, int]:
        decision = relation.comparison.decision if relation.comparison else None
        place = order.index(decision) if decision in order else len(order)
        return not (relation.comparison and relation.comparison.fails), place

    return sorted(relations, key=rank)


def before_rate(entry: RelationResult | Overall) -> float | None:
    """Return the baseline's violation rate over the pairs, None where there is none."""
    return entry.comparison.baseline_rate if entry.comparison else None


def after_rate(entry: RelationResult | Overall) -> float | None:
    """Return the rate to set beside the baseline's: over the pairs, else over all groups."""
    if entry.comparison is None or entry.comparison.candidate_rate is None:
        return entry.violation_rate
    return entry.comparison.candidate_rate


def _named(relations: Iterable[RelationResult], catalogue: Catalogue) -> str:
    names = []
    for relation in relations:
        delta = relation.comparison.delta if relation.comparison else None
        figure = "" if delta is None else f" ({figures.points(delta)})"
        names.append(text_of(catalogue, relation.id).title + figure)
    return listing(names)


def by_rule(result: Result, decision: Decision, *of_rules: Rule) -> list[RelationResult]:
    """Return the relations that one of the rules decided so, in the suite's order."""
    return [
        relation
        for relation in decided(result, decision)
        if relation.comparison
        and relation.comparison.rule in of_rules
        and counts_in_verdict(relation)
    ]


def _regression(result: Result, catalogue: Catalogue) -> str:
    parts = []
    risen = by_rule(result, Decision.REGRESSION, Rule.RISE, Rule.RISE_IN_SLICE)
    pooled = result.overall.comparison
    if risen:
        total = figures.counted(len(result.relations), "relation")
        verb = "regresses" if len(risen) == 1 else "regress"
        parts.append(f"{len(risen)} of {total} {verb}: {_named(risen, catalogue)}.")
    elif pooled and pooled.decision is Decision.REGRESSION:
        change = figures.change(pooled.delta, pooled.ci95)
        parts.append(f"No single relation regresses, but all together do: {change}.")
    ruled = by_rule(result, Decision.REGRESSION, Rule.LIMIT, Rule.MUST_HOLD)
    if ruled:
        names = listing([text_of(catalogue, relation.id).title for relation in ruled])
        parts.append(f"A limit or a group that must hold is violated: {names}.")
    if over := over_limits(result):
        parts.append(f"More changed than is allowed: {over}.")
    return (" ".join(parts) or "A limit of this gate is exceeded.") + _warned(result, catalogue)


def _warned(result: Result, catalogue: Catalogue) -> str:
    """Name the relations that would have failed the build, did they block."""
    found = warned(result)
    return f" Worse, and only a warning by the policy: {_named(found, catalogue)}." if found else ""


def warned(result: Result) -> list[RelationResult]:
    """Return the relations whose decision would fail the build, were their tier to block."""
    return [
        relation
        for relation in result.relations
        if relation.comparison
        and not counts_in_verdict(relation)
        and rules.warns_in(relation.tier, relation.comparison.decision, result.settings)
    ]


def _warning(result: Result, catalogue: Catalogue) -> str:
    told = _warned(result, catalogue).strip()
    open_ones = [r for r in decided(result, Decision.INCONCLUSIVE) if counts_in_verdict(r)]
    if open_ones or _is_open(result.overall.comparison):
        rest = _inconclusive(result, catalogue)
    elif not pooled_relations(result):
        rest = "No relation of this run blocks."
    else:
        other = " else" if any(map(is_accepted, pooled_relations(result))) else ""
        detectable = _detectable(result.overall.comparison)
        rest = f"No evidence of a loss on what{other} blocks.{detectable}"
    return " ".join(filter(None, (told, _accepted(result, catalogue), rest)))


def _accepted(result: Result, catalogue: Catalogue) -> str:
    """Name the losses that the policy accepts for now, each with its day and owner."""
    found = [
        f"{_named([relation], catalogue)} until {said.expires}, owner {shorten(said.owner, 80)}"
        for relation in filter(is_accepted, result.relations)
        if (said := result.settings.policy.accepted_of(relation.id)) is not None
    ]
    return f"Worse, and accepted: {listing(found)}." if found else ""


def _is_open(comparison: Comparison | None) -> bool:
    return comparison is not None and comparison.decision is Decision.INCONCLUSIVE


def _fall(title: str, comparison: Comparison | None) -> str:
    shares = comparison.applicability if comparison else None
    if shares is None:
        return title
    before, after = (
        figures.percent(x) for x in (shares.answered.baseline, shares.answered.candidate)
    )
    return f"{title} (answered groups: from {before} to {after})"


def _collapse(result: Result, catalogue: Catalogue) -> str:
    silent = [
        _fall(text_of(catalogue, relation.id).title, relation.comparison)
        for relation in by_rule(result, Decision.COLLAPSE, Rule.STOPPED_ANSWERING)
    ]
    pooled = result.overall.comparison
    if not silent and pooled and pooled.rule is Rule.STOPPED_ANSWERING:
        silent = [_fall("all relations together", pooled)]
    parts = [_sentence(result.one_class)] if result.one_class else []
    if silent:
        where = listing(silent)
        parts.append(f"The checkpoint has stopped answering where the baseline answered: {where}.")
    required = by_rule(result, Decision.COLLAPSE, Rule.REQUIRED)
    if required:
        names = listing([text_of(catalogue, relation.id).title for relation in required])
        parts.append(f"Required, and not compared: {names}.")
    text = " ".join(parts) or "A relation that is required is not in this run."
    return text + _warned(result, catalogue)


def _sentence(note: str) -> str:
    """Return a note as a sentence of its own."""
    return f"{note[:1].upper()}{note[1:].rstrip('.')}."


def _inconclusive(result: Result, catalogue: Catalogue) -> str:
    openings = (
        ("A loss that may be numerical noise", Rule.RISE_OR_NOISE),
        ("Other answers leave far fewer groups to test by", Rule.FEWER_APPLICABLE),
        ("No longer comparable", Rule.COMPARABILITY_LOST),
        (f"Not shown to stay within the {_margins(result)}", Rule.NOT_SHOWN),
    )
    if result.settings.strict and result.relations and not pooled_relations(result):
        return "No relation of this run blocks, and a strict gate asks for one."
    found = [(opening, _open(result, catalogue, rule)) for opening, rule in openings]
    told = [_sentence(result.shift)] if result.shift else []
    told += [f"{opening}: {names}." for opening, names in found if names]
    return " ".join(told) or "Some of this gate's settings could not be judged."


def _margins(result: Result) -> str:
    """Return the margin that is not shown to be kept, of several that there are several."""
    each = {
        relation.id: rules.paired_of(relation.comparison)
        for relation in result.relations
        if relation.comparison
    }
    open_ones = _left_open(result, Rule.NOT_SHOWN)
    found = {rules.of_relation(result.settings, r.id, each[r.id]).margin for r in open_ones}
    margins = found or {rules.of_pool(result.settings, each).margin}
    if len(margins) > 1:
        return "margins of the policy"
    return f"margin of {figures.size_in_points(margins.pop())}"


def _left_open(result: Result, rule: Rule) -> list[RelationResult]:
    """Return what is inconclusive by a rule: what warns leaves a run open as what blocks does."""
    return [
        relation
        for relation in decided(result, Decision.INCONCLUSIVE)
        if relation.comparison and relation.comparison.rule is rule
    ]


def _open(result: Result, catalogue: Catalogue, rule: Rule) -> str:
    """Name what is inconclusive by a rule; all together only where no relation is."""
    relations = _left_open(result, rule)
    pooled = result.overall.comparison
    if not relations and pooled and pooled.rule is rule:
        return "all relations together"
    return _named(relations, catalogue)


def _detectable(comparison: Comparison | None) -> str:
    if comparison is None or comparison.minimum_detectable_effect is None:
        found = comparison is not None and rules.finds_nothing(comparison)
        return " None could have been found: alpha is too small for several runs." if found else ""
    if rules.has_no_room(comparison):
        return " Over all relations even a rise to 100 % could have been missed."
    effect = rules.detectable(comparison)
    if effect is None:
        size = figures.size_in_points(comparison.delta)
        return f" A loss of {size} over all relations could have been missed."
    size = figures.size_in_points(effect)
    return f" A loss of {size} over all relations would have been found about 4 times in 5."


def _not_compared(result: Result, catalogue: Catalogue) -> str:
    """Name the relations of which nothing is known; a run without them says less."""
    left_out = [
        f"{text_of(catalogue, relation.id).title} "
        f"({figures.counted(relation.comparison.clusters, 'paired source')})"
        for relation in decided(result, Decision.NOT_COMPARABLE)
        if relation.comparison
    ]
    told = f" Not compared: {listing(left_out)}." if left_out else ""
    shown = [text_of(catalogue, r.id).title for r in decided(result, Decision.NOT_JUDGED)]
    return told + (f" Shown, not judged: {listing(shown)}." if shown else "")


def _pass(result: Result, catalogue: Catalogue) -> str:
    left_out = (Decision.NOT_COMPARABLE, Decision.NOT_JUDGED)
    compared = len(result.relations) - sum(len(decided(result, one)) for one in left_out)
    accepted = _accepted(result, catalogue)
    rest = compared - sum(map(is_accepted, result.relations))
    total = figures.counted(rest, "other relation" if accepted else "relation")
    start = f"No evidence of a loss on {total}." if rest or not accepted else ""
    alone = _named(by_rule(result, Decision.PASS, Rule.RISE_ALONE), catalogue)
    told = f" Worse if tested alone, not among all tests of the run: {alone}." if alone else ""
    told += _detectable(result.overall.comparison) + _not_compared(result, catalogue)
    return " ".join(filter(None, (accepted, start))) + told


def _improved(result: Result, catalogue: Catalogue) -> str:
    found = decided(result, Decision.IMPROVED)
    where = f": {_named(found, catalogue)}" if found else ", all relations together"
    elsewhere = f"No evidence of a loss elsewhere.{_not_compared(result, catalogue)}"
    accepted = _accepted(result, catalogue)
    return " ".join(filter(None, (f"Better than the baseline{where}.", accepted, elsewhere)))


def _measured(result: Result, _: Catalogue) -> str:
    overall = result.overall
    groups = figures.counted(overall.applicable, "applicable group")
    rate = figures.percent(overall.violation_rate)
    return f"Nothing to compare with, so nothing is judged. {rate} of {groups} are violated."


def _cannot_judge(result: Result, _: Catalogue) -> str:
    if {relation.tier for relation in result.relations} == {Tier.REPORT}:
        return "Nothing is judged: the policy has every relation of this run shown only."
    return "Nothing could be compared with the baseline, so there is no verdict."


_SENTENCES: Mapping[GateVerdict, Callable[[Result, Catalogue], str]] = {
    GateVerdict.REGRESSION: _regression,
    GateVerdict.COLLAPSE: _collapse,
    GateVerdict.WARNING: _warning,
    GateVerdict.INCONCLUSIVE: _inconclusive,
    GateVerdict.PASS: _pass,
    GateVerdict.IMPROVED: _improved,
    GateVerdict.MEASURED: _measured,
    GateVerdict.CANNOT_JUDGE: _cannot_judge,
}


def sentence(result: Result, catalogue: Catalogue) -> str:
    """Return the whole result in a few sentences, the product's facts first, without escaping."""
    said = _SENTENCES[result.verdict](result, catalogue)
    fails = result.verdict is GateVerdict.INCONCLUSIVE and result.exit_code == REGRESSION
    rereading = result.baseline.rereading if result.baseline else ""
    return " ".join(filter(None, (facts(result), rereading, said, _STRICT if fails else "")))
