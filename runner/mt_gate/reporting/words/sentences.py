"""What a run comes to, in sentences: the verdict, whether it can be chance, and what to do.

Nothing is escaped here.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.base.errors import REGRESSION
from mt_gate.base.redaction import shorten
from mt_gate.baselines.schema import NAME
from mt_gate.reporting.words import tables, texts
from mt_gate.reporting.words.texts import Catalogue
from mt_gate.results import rules
from mt_gate.results.out_folder import BASE
from mt_gate.results.result import (
    Comparison,
    Decision,
    GateVerdict,
    RelationResult,
    Result,
    Rule,
    SuiteHead,
    is_loss,
)
from mt_gate.settings.policy import Tier
from mt_gate.settings.record import Settings
from mt_gate.tasks.table import TASKS

_MOST_FACTS = 3
"""Relations whose sentence reports begin with."""
_WORST = 3
"""Slices that a sentence names."""
OPENINGS: Mapping[Rule, str] = {
    Rule.LIMIT: "A limit or a group that must hold is violated",
    Rule.STOPPED_ANSWERING: "The checkpoint has stopped answering where the baseline answered",
    Rule.REQUIRED: "Required, and not compared",
    Rule.RISE_OR_NOISE: "A loss that may be numerical noise",
    Rule.FEWER_APPLICABLE: "Other answers leave far fewer groups to test by",
    Rule.COMPARABILITY_LOST: "No longer comparable",
    Rule.NOT_SHOWN: "Not shown to stay within the",
    Rule.RISE_ALONE: "Worse if tested alone, not among all tests of the run",
    Rule.ACCEPTED: "Worse, and accepted",
    Rule.TOO_FEW: "Not compared",
    Rule.REPORTED: "Shown, not judged",
}
"""What comes before the names of the relations that a rule decided."""
_STRICT = "The build fails: the gate is strict."


class Advice(NamedTuple):
    """What to do, and the command to do it with; either may be empty."""

    words: str = ""
    command: str = ""


def sentence(result: Result, catalogue: Catalogue) -> str:
    """Return the whole result in a few sentences, first what the suite says that rates mean."""
    facts = [_fact(relation) for relation in result.relations]
    fails = result.verdict is GateVerdict.INCONCLUSIVE and result.exit_code == REGRESSION
    return _joined(
        *[fact for fact in facts if fact][:_MOST_FACTS],
        result.baseline.rereading if result.baseline else "",
        _SENTENCES[result.verdict](result, catalogue),
        _STRICT if fails else "",
    )


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))


def _fact(relation: RelationResult) -> str:
    """Return "Flags 160 of 1,082 hateful texts (15 %).", of a relation whose suite says so."""
    before, now, total = tables.right_before_and_now(relation)
    if not relation.says or total < rules.MIN_CLUSTERS:
        return ""
    old, new = (figures.percent(part / total, 0) for part in (before, now))
    says = relation.says.replace("{n}", figures.count(now)).replace("{total}", figures.count(total))
    compared = relation.comparison is not None and relation.comparison.baseline_rate is not None
    then = f"; baseline {figures.count(before)} ({old})" if compared else ""
    moved = []
    for one in tables.regressed_slices(relation)[:_WORST]:
        old, new_right, of = map(figures.count, tables.right_before_and_now(one))
        moved.append(f"{tables.slice_name(one.name)} {old} of {of} -> {new_right} of {of}")
    return _joined(f"{says} ({new}){then}.", f"Lost most: {'; '.join(moved)}." if moved else "")


# The verdict.


def _titles(relations: Iterable[RelationResult], catalogue: Catalogue) -> str:
    return texts.listing([texts.text_of(catalogue, relation.id).title for relation in relations])


def _named(relations: Iterable[RelationResult], catalogue: Catalogue) -> str:
    names = []
    for relation in relations:
        delta = relation.comparison.delta if relation.comparison else None
        figure = "" if delta is None else f" ({figures.points(delta)})"
        names.append(texts.text_of(catalogue, relation.id).title + figure)
    return texts.listing(names)


def _by_rule(result: Result, decision: Decision, *of_rules: Rule) -> list[RelationResult]:
    """Return what one of the rules decided so; what warns leaves a run open as what blocks does."""
    return [
        relation
        for relation in texts.decided(result, decision)
        if relation.comparison and relation.comparison.rule in of_rules
        if decision is Decision.INCONCLUSIVE or texts.counts_in_verdict(relation)
    ]


def _opened(rule: Rule, names: str) -> str:
    return f"{OPENINGS[rule]}: {names}." if names else ""


def _regression(result: Result, catalogue: Catalogue) -> str:
    first = ""
    risen = _by_rule(result, Decision.REGRESSION, Rule.RISE, Rule.RISE_IN_SLICE)
    pooled = result.overall.comparison
    if risen:
        total = figures.counted(len(result.relations), "relation")
        verb = "regresses" if len(risen) == 1 else "regress"
        first = f"{len(risen)} of {total} {verb}: {_named(risen, catalogue)}."
    elif pooled and pooled.decision is Decision.REGRESSION:
        change = figures.change(pooled.delta, pooled.ci95)
        first = f"No single relation regresses, but all together do: {change}."
    ruled = _by_rule(result, Decision.REGRESSION, Rule.LIMIT, Rule.MUST_HOLD)
    over = tables.over_limits(result)
    text = _joined(
        first,
        _opened(Rule.LIMIT, _titles(ruled, catalogue)),
        f"More changed than is allowed: {over}." if over else "",
    )
    return _joined(text or "A limit of this gate is exceeded.", _warned(result, catalogue))


def _warned(result: Result, catalogue: Catalogue) -> str:
    """Name the relations that would fail the build, were their tier to block."""
    warned = [
        relation
        for relation in result.relations
        if relation.comparison
        and not texts.counts_in_verdict(relation)
        and rules.warns_in(relation.tier, relation.comparison.decision, result.settings)
    ]
    return (
        f"Worse, and only a warning by the policy: {_named(warned, catalogue)}." if warned else ""
    )


def _warning(result: Result, catalogue: Catalogue) -> str:
    pooled, blocking = result.overall.comparison, texts.blocking_relations(result)
    open_ones = texts.decided(result, Decision.INCONCLUSIVE)
    is_open = pooled is not None and pooled.decision is Decision.INCONCLUSIVE
    if is_open or any(map(texts.counts_in_verdict, open_ones)):
        rest = _inconclusive(result, catalogue)
    elif not blocking:
        rest = "No relation of this run blocks."
    else:
        other = " else" if any(map(texts.is_accepted, blocking)) else ""
        rest = _joined(f"No evidence of a loss on what{other} blocks.", _detectable(result))
    return _joined(_warned(result, catalogue), _accepted(result, catalogue), rest)


def _accepted(result: Result, catalogue: Catalogue) -> str:
    """Name the losses that the policy accepts for now, each with its day and owner."""
    accepted = [
        f"{_named([relation], catalogue)} until {said.expires}, owner {shorten(said.owner, 80)}"
        for relation in filter(texts.is_accepted, result.relations)
        if (said := result.settings.policy.accepted_of(relation.id)) is not None
    ]
    return _opened(Rule.ACCEPTED, texts.listing(accepted))


def _collapse(result: Result, catalogue: Catalogue) -> str:
    silent = [
        _fall(texts.text_of(catalogue, relation.id).title, relation.comparison)
        for relation in _by_rule(result, Decision.COLLAPSE, Rule.STOPPED_ANSWERING)
    ]
    pooled = result.overall.comparison
    if not silent and pooled and pooled.rule is Rule.STOPPED_ANSWERING:
        silent = [_fall(f"{_pool(result)} together", pooled)]
    required = _by_rule(result, Decision.COLLAPSE, Rule.REQUIRED)
    text = _joined(
        _as_sentence(result.one_class),
        _opened(Rule.STOPPED_ANSWERING, texts.listing(silent)),
        _opened(Rule.REQUIRED, _titles(required, catalogue)),
    )
    text = text or "A relation that is required is not in this run."
    return _joined(text, _warned(result, catalogue))


def _fall(title: str, comparison: Comparison | None) -> str:
    shares = comparison.applicability if comparison else None
    if shares is None:
        return title
    before, after = map(figures.percent, (shares.answered.baseline, shares.answered.candidate))
    return f"{title} (answered groups: from {before} to {after})"


def _as_sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:].rstrip('.')}." if note else ""


def _inconclusive(result: Result, catalogue: Catalogue) -> str:
    if result.settings.strict and result.relations and not texts.blocking_relations(result):
        return "No relation of this run blocks, and a strict gate asks for one."
    pooled = result.overall.comparison
    parts = []
    for rule in (
        Rule.RISE_OR_NOISE,
        Rule.FEWER_APPLICABLE,
        Rule.COMPARABILITY_LOST,
        Rule.NOT_SHOWN,
    ):
        relations = _by_rule(result, Decision.INCONCLUSIVE, rule)
        if relations:
            names = _named(relations, catalogue)
        elif pooled and pooled.rule is rule:
            names = f"{_pool(result)} together"
        else:
            continue
        of_margin = f" {_margins(result, relations)}" if rule is Rule.NOT_SHOWN else ""
        parts.append(f"{OPENINGS[rule]}{of_margin}: {names}.")
    text = _joined(_as_sentence(result.shift), *parts)
    return text or "Some of this gate's settings could not be judged."


def _margins(result: Result, relations: Iterable[RelationResult]) -> str:
    margins = {tables.own_settings(relation, result).margin for relation in relations}
    margins = margins or {tables.own_settings(result.overall, result).margin}
    if len(margins) > 1:
        return "margins of the policy"
    return f"margin of {figures.size_in_points(margins.pop())}"


def _pool(result: Result) -> str:
    partial = texts.pooled_title(result) == texts.SAME_MARGIN
    return "the relations with the run's margin" if partial else "all relations"


def _detectable(result: Result) -> str:
    comparison, pool = result.overall.comparison, _pool(result)
    if comparison is None or comparison.minimum_detectable_effect is None:
        finds_nothing = comparison is not None and rules.finds_nothing(comparison)
        return (
            "None could have been found: alpha is too small for several runs."
            if finds_nothing
            else ""
        )
    if rules.has_no_room(comparison):
        return f"Over {pool} even a rise to 100 % could have been missed."
    effect = rules.detectable(comparison)
    if effect is None:
        size = figures.size_in_points(comparison.delta)
        return f"A loss of {size} over {pool} could have been missed."
    size = figures.size_in_points(effect)
    return f"A loss of {size} over {pool} would have been found about 4 times in 5."


def _not_compared(result: Result, catalogue: Catalogue) -> str:
    """Name the relations that could not be judged; a run without them shows less."""
    few = [
        f"{texts.text_of(catalogue, relation.id).title} "
        f"({figures.counted(relation.comparison.clusters, 'paired source')})"
        for relation in texts.decided(result, Decision.NOT_COMPARABLE)
        if relation.comparison
    ]
    shown = _titles(texts.decided(result, Decision.NOT_JUDGED), catalogue)
    return _joined(_opened(Rule.TOO_FEW, texts.listing(few)), _opened(Rule.REPORTED, shown))


def _pass(result: Result, catalogue: Catalogue) -> str:
    left_out = (Decision.NOT_COMPARABLE, Decision.NOT_JUDGED)
    compared = len(result.relations) - sum(len(texts.decided(result, one)) for one in left_out)
    accepted = _accepted(result, catalogue)
    rest = compared - sum(map(texts.is_accepted, result.relations))
    total = figures.counted(rest, "other relation" if accepted else "relation")
    alone = _by_rule(result, Decision.PASS, Rule.RISE_ALONE)
    return _joined(
        accepted,
        f"No evidence of a loss on {total}." if rest or not accepted else "",
        _opened(Rule.RISE_ALONE, _named(alone, catalogue)),
        _detectable(result),
        _not_compared(result, catalogue),
    )


def _improved(result: Result, catalogue: Catalogue) -> str:
    improved = texts.decided(result, Decision.IMPROVED)
    where = f": {_named(improved, catalogue)}" if improved else f", {_pool(result)} together"
    return _joined(
        f"Better than the baseline{where}.",
        _accepted(result, catalogue),
        "No evidence of a loss elsewhere.",
        _not_compared(result, catalogue),
    )


_SENTENCES: Mapping[GateVerdict, Callable[[Result, Catalogue], str]] = {
    GateVerdict.REGRESSION: _regression,
    GateVerdict.COLLAPSE: _collapse,
    GateVerdict.WARNING: _warning,
    GateVerdict.INCONCLUSIVE: _inconclusive,
    GateVerdict.PASS: _pass,
    GateVerdict.IMPROVED: _improved,
    GateVerdict.MEASURED: lambda result, _: (
        "Nothing to compare with, so nothing is judged. "
        f"{figures.percent(result.overall.violation_rate)} of "
        f"{figures.counted(result.overall.applicable, 'applicable group')} are violated."
    ),
    GateVerdict.CANNOT_JUDGE: lambda result, _: (
        "Nothing is judged: the policy has every relation of this run shown only."
        if {relation.tier for relation in result.relations} == {Tier.REPORT}
        else "Nothing could be compared with the baseline, so there is no verdict."
    ),
}


def chance(result: Result, catalogue: Catalogue) -> str:
    """Return how often chance alone gives the clearest rise: its p before it is adjusted.

    Empty where no rise decides: a limit, a group that must hold and a strict margin are no chance.
    """
    opening, rule = "Hardly chance", Rule.RISE
    if result.verdict in (GateVerdict.INCONCLUSIVE, GateVerdict.PASS, GateVerdict.IMPROVED):
        opening, rule = "It may be chance", Rule.RISE_ALONE
    warns = result.verdict is GateVerdict.WARNING
    lines = [
        (f"“{texts.text_of(catalogue, relation.id).title}”", relation.comparison)
        for relation in result.relations
        if relation.comparison and relation.comparison.rule is rule
        if (relation.tier is Tier.WARN if warns else texts.counts_in_verdict(relation))
    ]
    pooled = result.overall.comparison
    if not lines and pooled and pooled.rule is rule:
        lines = [(f"{_pool(result)} together", pooled)]
    if not lines or result.verdict is GateVerdict.COLLAPSE:
        return ""
    title, comparison = min(lines, key=lambda one: one[1].p_value or 0.0)
    among = f", the clearest of {len(lines)} rises," if len(lines) > 1 else ""
    p = comparison.p_value or 0.0
    share = "fewer than 1 of 1,000" if p < 0.001 else f"about {figures.percent(p)} of"
    return (
        f"{opening}: {title}{among} would reach {figures.points(comparison.delta)} in {share} "
        "comparisons if changes were as likely for better as for worse."
    )


# What to do.


def advice(result: Result) -> Advice:
    """Return what follows from the verdict; empty where the reasons already say what to do."""
    name = result.baseline.name if result.baseline else _first_name(result.suite)
    record = f"mt-gate baseline record RUN --name {name}"
    accept = f'{record} --accept "reason"'
    # Of two that were run in one job there is no baseline to record.
    of_two = result.baseline is not None and result.baseline.against
    clear = "Nothing stands against a release."
    recorded, judged_by = "record this run as the baseline", "To judge later runs by this one:"
    if result.early is not None and result.early.stopped:  # such a run is not recorded
        recorded = "run it again without --early-stop, record that run as the baseline"
        judged_by = "To judge later runs by it, run it again without --early-stop:"
    larger = "record several runs of the baseline's recipe, or use a larger suite"
    keep, before = f"keep the old checkpoint. To accept it, {recorded} and say why:", "release it."
    if of_two:
        accept = record = judged_by = ""
        clear, larger = "Nothing stands against using it in the base's place.", "use a larger suite"
        keep = (
            "keep the base. To allow a larger loss, raise the margin, and say why where it is set."
        )
        before = "use it in the base's place."
    match result.verdict:
        case GateVerdict.REGRESSION:
            words = f"Read the newly violated groups. If they are worse answers, {keep}"
            return Advice(words, accept)
        case GateVerdict.COLLAPSE if of_two:
            return Advice(
                "Keep the base, and look at what the candidate answers: it may be exported wrongly."
            )
        case GateVerdict.COLLAPSE:
            return Advice(
                "Look at what it answers: labels or tokenizer may be exported wrongly. "
                f"To accept it, {recorded} and say why:",
                accept,
            )
        case GateVerdict.WARNING:
            words = (
                f"By the policy n{clear[1:-1]}. Read the newly violated groups of what is named "
                "all the same."
            )
            more = "" if of_two else " To record this run as the baseline, say why:"
            return Advice(words + more, accept)
        case GateVerdict.INCONCLUSIVE:
            return Advice(
                "Nothing shows that it got worse, and nothing that it did not: read the groups of "
                f"what is named before you {before}"
            )
        case GateVerdict.PASS:
            pooled = result.overall.comparison
            if pooled is None or pooled.unchanged or pooled.minimum_detectable_effect is None:
                return Advice(clear)
            # What finds smaller losses, where a loss of some size could have been missed.
            effect = rules.detectable(pooled)
            if effect is None:
                return Advice(f"{clear} To find losses that could have been missed, {larger}.")
            size = figures.size_in_points(effect)
            return Advice(f"{clear} If a loss of less than {size} matters to you, {larger}.")
        case GateVerdict.IMPROVED:
            return Advice(_joined(clear, judged_by), record)
        case GateVerdict.MEASURED:
            return Advice(judged_by, record)
        case _:
            return Advice()


def _first_name(suite: SuiteHead) -> str:
    """Return what a first baseline is best called: the task, else a suite that is not its default.

    The action looks for the task's by itself; suites of one task need a baseline each.
    """
    if suite.name == TASKS[suite.task].default_suite or not NAME.fullmatch(suite.name):
        return suite.task
    return suite.name


def next_steps(settings: Settings, result: Result) -> Iterator[str]:
    """Yield a line for each thing to do, or to look at, when a run has been shown."""
    yield f"report: {settings.out / 'report.html'}"
    if settings.against:
        yield f"the base's own report: {settings.out / BASE / 'report.html'}"
        return
    record = shlex.join(["mt-gate", "baseline", "record", str(settings.out)])
    whole = result.settings.complete and not result.suite.part
    if settings.baseline is None and whole and not result.exit_code:
        name = _first_name(result.suite)
        usual = name == settings.task  # where the action looks by itself
        then = "" if usual else f", and name it: --baseline baselines/{name}.json"
        yield f"to judge later runs by this one: {record} --name {name}{then}"
    stopped = result.early is not None and result.early.stopped
    if settings.baseline and is_loss(result.verdict) and not stopped:
        name = shlex.quote(settings.baseline.stem)
        yield (
            f'if this loss is acceptable: {record} --name {name} --accept "reason", '
            "in a separate pull request (docs/baselines.md)"
        )
