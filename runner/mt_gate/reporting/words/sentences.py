"""The first sentences of every report on a run. Nothing is escaped here.

The headline states the result. The facts state what it means for the product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from mt_gate.base import figures
from mt_gate.base.errors import REGRESSION
from mt_gate.base.escaping import shorten
from mt_gate.reporting.words import tables, texts
from mt_gate.reporting.words.texts import Catalogue
from mt_gate.results import rules
from mt_gate.results.result import (
    Decision,
    GateVerdict,
    RelationResult,
    Result,
    Rule,
    fails,
)
from mt_gate.settings.policy import Tier

Words = tuple[str, Sequence[str]]
"""A headline, and facts, some of which may be empty."""
_MOST_FACTS = 3
"""Maximum sentences of one kind at the beginning of a report."""
_FEWEST_ANSWERS = 30
"""Least number of known answers for a figure at the beginning of a report."""
_ONE_CLASS = "one prediction for nearly every input"
_TOGETHER = "overall"
"""End of the name in reasons on all relations combined."""
_STRICT = "The build fails because --strict is set."
_CLAUSES: Mapping[Rule, str] = {
    Rule.RISE_OR_NOISE: "possible regression, within numerical noise,",
    Rule.FEWER_APPLICABLE: "too few testable cases",
    Rule.COMPARABILITY_LOST: "too few testable cases",
    Rule.NOT_SHOWN: "a regression above the margin cannot be ruled out",
    Rule.LIMIT: "no testable case for a limit",
    Rule.MUST_HOLD: "pinned case could not be tested",
}
"""Beginning of the headline of an inconclusive run, before "in 2 of 9 relations"."""


def sentence(result: Result, catalogue: Catalogue) -> str:
    """Return the headline and the facts as one text."""
    every = (_as_sentence(headline(result, catalogue)), *facts(result, catalogue))
    return " ".join(filter(None, every))


def headline(result: Result, catalogue: Catalogue) -> str:
    """Return the result as a clause: "3 of 19 relations regressed"."""
    words, _ = _BY_VERDICT[result.verdict](result, catalogue)
    return "; ".join(filter(None, (_ONE_CLASS if result.one_class else "", words)))


def facts(result: Result, catalogue: Catalogue) -> tuple[str, ...]:
    """Return sentences on what the verdict means for the product, and on its limits."""
    product = [fact for fact in map(_known_answers, result.relations) if fact][:_MOST_FACTS]
    strict = result.verdict is GateVerdict.INCONCLUSIVE and result.exit_code == REGRESSION
    stopped = ""
    if (early := result.early) and early.stopped:
        tested = f"{figures.count(early.asked)} of {figures.count(early.clusters)}"
        stopped = f"Stopped early: {tested} clusters of original texts were tested."
    comparison = result.overall.comparison
    shares = comparison.applicability if comparison else None
    if comparison and shares and comparison.rule is not Rule.STOPPED_ANSWERING and not product:
        for share, words in (
            (shares.answered, "returns a prediction for fewer cases:"),
            (shares.applicable, "predicts something else on the original texts: testable cases"),
        ):
            fell = share.baseline - share.candidate > result.settings.max_applicability_loss
            if fell and share.p_adjusted < result.settings.alpha and not product:
                moved = figures.moved(share.baseline, share.candidate)
                product = [f"The model {words} {moved}."]
    every = (
        _as_sentence(result.one_class),
        *product,
        result.baseline.rereading if result.baseline else "",
        *_BY_VERDICT[result.verdict](result, catalogue)[1],
        _STRICT if strict else "",
        stopped,
    )
    return tuple(fact for fact in every if fact)


def _as_sentence(words: str) -> str:
    first = words.partition(" ")[0]
    begin = words[:1].upper() if first.isalpha() else words[:1]  # a path or an id stays as it is
    return f"{begin}{words[1:].rstrip('.')}." if words else ""


# Changes that users of the model see.


def _known_answers(relation: RelationResult) -> str:
    """Return "Flags 651 → 160 of 1,082 hateful texts (60% → 15%).", and the worst slices."""
    before, now, total = tables.right_before_and_now(relation)
    if not relation.says or total < _FEWEST_ANSWERS:
        return ""
    compared = relation.comparison is not None and relation.comparison.baseline_rate is not None
    sides = (before, now) if compared else (now,)
    missed = "{missed}" in relation.says
    digits = 1 if missed else 0
    counts = [total - right if missed else right for right in sides]
    number, share = (
        " → ".join(map(write, counts))
        for write in (figures.count, lambda part: figures.percent(part / total, digits))
    )
    says = relation.says.replace("{n}", number).replace("{missed}", number)
    says = says.replace("{total}", figures.count(total))
    lost = [
        (-(part.comparison.delta or 0.0), part.name, tables.right_before_and_now(part))
        for part in relation.slices
        if part.comparison and part.comparison.decision is Decision.REGRESSION
    ]
    worst = [
        "{} {} → {} of {}".format(
            tables.slice_name(name),
            *(figures.count(of - right if missed else right) for right in (was, is_now)),
            figures.count(of),
        )
        for _, name, (was, is_now, of) in sorted(lost)[:_MOST_FACTS]
    ]
    return f"{says} ({share})." + (f" Worst: {'; '.join(worst)}." if worst else "")


# Lists of relations.


def _titles(relations: Iterable[RelationResult], catalogue: Catalogue) -> str:
    return texts.listing([texts.text_of(catalogue, relation.id).title for relation in relations])


def _changes(relations: Iterable[RelationResult], catalogue: Catalogue) -> str:
    """Return titles, each with its change: "Word substitution +3.3 pp and ..."."""
    names = []
    for relation in relations:
        delta = relation.comparison.delta if relation.comparison else None
        change = "" if delta is None else f" {figures.points(delta)}"
        names.append(texts.text_of(catalogue, relation.id).title + change)
    return texts.listing(names)


def _by_rule(result: Result, decision: Decision, *of_rules: Rule) -> list[RelationResult]:
    """Return the relations with this decision by one of these rules.

    Relations that only warn are included for inconclusive decisions only.
    """
    return [
        relation
        for relation in texts.decided(result, decision)
        if relation.comparison and relation.comparison.rule in of_rules
        if decision is Decision.INCONCLUSIVE or texts.counts_in_verdict(relation)
    ]


def _number_of(relations: list[RelationResult], result: Result) -> str:
    return f"{len(relations)} of {figures.counted(len(result.relations), 'relation')}"


def _reasons(relations: Iterable[RelationResult], catalogue: Catalogue) -> Iterator[str]:
    """Yield "Head/tail swap: fewer testable cases, ..." for the first few relations."""
    for relation in [*relations][:_MOST_FACTS]:
        if relation.comparison:
            title = texts.text_of(catalogue, relation.id).title
            yield f"{title}: {relation.comparison.reason.rstrip('.')}."


# Headline and facts by verdict.


def _regression(result: Result, catalogue: Catalogue) -> Words:
    parts = []
    risen = _by_rule(result, Decision.REGRESSION, Rule.RISE, Rule.RISE_IN_SLICE)
    pooled = result.overall.comparison
    if risen:
        parts.append(f"{_number_of(risen, result)} regressed")
    elif pooled and pooled.decision is Decision.REGRESSION:
        parts.append("violations rose overall, but in no single relation significantly")
    limited = _by_rule(result, Decision.REGRESSION, Rule.LIMIT)
    pinned = _by_rule(result, Decision.REGRESSION, Rule.MUST_HOLD)
    for words, ruled in (("hard limit exceeded", limited), ("pinned case violated", pinned)):
        if ruled:
            parts.append(f"{words}: {_titles(ruled, catalogue)}")
    if over := tables.over_limits(result):
        parts.append(f"too many {over}")
    both = _by_rule(result, Decision.REGRESSION, Rule.LIMIT, Rule.MUST_HOLD)
    alone = () if texts.is_compared(result) else result.reasons[:_MOST_FACTS]
    known = (*_reasons(both, catalogue), *map(_as_sentence, alone), *_warned(result, catalogue)[1])
    return "; ".join(parts) or "a limit of this gate is exceeded", known


def _warned(result: Result, catalogue: Catalogue) -> Words:
    """Return headline and facts on relations of tier warn that would fail the build if blocking."""
    warned = [
        relation
        for relation in result.relations
        if relation.comparison
        and not texts.counts_in_verdict(relation)
        and relation.tier is Tier.WARN
        and fails(relation.comparison.decision, result.settings)
    ]
    if not warned:
        return "", ()
    known = f"Regressed, but the policy only warns: {_changes(warned, catalogue)}."
    return f"{_number_of(warned, result)} regressed, but the policy only warns", (known,)


def _collapse(result: Result, catalogue: Catalogue) -> Words:
    parts = []
    pooled = result.overall.comparison
    stopped = _by_rule(result, Decision.COLLAPSE, Rule.STOPPED_ANSWERING)
    silent = [(texts.text_of(catalogue, item.id).title, item.comparison) for item in stopped]
    words = "no prediction where the baseline had one"
    if silent:
        parts.append(f"{words}, in {_number_of(stopped, result)}")
    elif pooled and pooled.rule is Rule.STOPPED_ANSWERING:
        parts.append(words)
        silent = [("Overall", pooled)]
    if required := _by_rule(result, Decision.COLLAPSE, Rule.REQUIRED):
        parts.append(f"required relations could not be compared: {_titles(required, catalogue)}")
    if not parts and not result.one_class:
        parts.append("a required relation is not in this run")
    known = []
    for title, comparison in silent[:_MOST_FACTS]:
        if comparison and comparison.applicability:
            share = comparison.applicability.answered
            now, before = figures.percent(share.candidate), figures.percent(share.baseline)
            known.append(f"{title}: predictions for {now} of cases, {before} before.")
    return "; ".join(parts), (*known, *_warned(result, catalogue)[1])


def _warning(result: Result, catalogue: Catalogue) -> Words:
    parts, known = [_warned(result, catalogue)[0]], [*_accepted(result, catalogue)]
    if accepted := [*filter(texts.is_accepted, result.relations)]:
        parts.append(f"known regression in {_titles(accepted, catalogue)}")
    pooled = result.overall.comparison
    open_ones = texts.decided(result, Decision.INCONCLUSIVE)
    overall = pooled is not None and pooled.decision is Decision.INCONCLUSIVE
    if overall or any(map(texts.counts_in_verdict, open_ones)):
        words, more = _inconclusive(result, catalogue)
        parts.append(words)
        known += more
    elif texts.blocking_relations(result):
        known += ["No regression in the other blocking relations.", _detectable(result)]
    else:
        known.append("No relation of this run blocks.")
    return "; ".join(filter(None, parts)), known


def _accepted(result: Result, catalogue: Catalogue) -> Iterator[str]:
    """Yield the regressions that the policy accepts, each with its owner and expiry date."""
    for relation in filter(texts.is_accepted, result.relations):
        if said := result.settings.policy.accepted_of(relation.id):
            owner = shorten(said.owner, 80)
            yield (
                f"Known regression, accepted by {owner} until {said.expires}: "
                f"{_changes([relation], catalogue)}."
            )


def _inconclusive(result: Result, catalogue: Catalogue) -> Words:
    pooled = result.overall.comparison
    parts = ["predictions on the original texts shifted"] if result.shift else []
    for rule, words in _CLAUSES.items():
        relations = _by_rule(result, Decision.INCONCLUSIVE, rule)
        if relations:
            parts.append(f"{words} in {_number_of(relations, result)}")
        elif pooled and pooled.rule is rule and pooled.decision is Decision.INCONCLUSIVE:
            parts.append(f"{words} overall")
    if result.settings.strict and result.relations and not texts.blocking_relations(result):
        parts = ["strict mode needs at least one blocking relation, and this run has none"]
    open_ones = texts.decided(result, Decision.INCONCLUSIVE)
    known = [_as_sentence(result.shift), *_reasons(open_ones, catalogue)]
    if not open_ones and pooled and pooled.decision is Decision.INCONCLUSIVE:
        known.append(f"Overall: {pooled.reason.rstrip('.')}.")
    elif not open_ones and not result.shift:
        named = {relation.id for relation in result.relations}
        of_run = [
            reason
            for reason in result.reasons
            if (name := reason.partition(": ")[0]).partition(" (tier")[0] not in named
            and not name.endswith(_TOGETHER)
        ]
        known += map(_as_sentence, of_run[:_MOST_FACTS])
    known += _accepted(result, catalogue)
    if result.churn is not None:
        known.append(tables.churn_line(result.churn, brief=True))
    words = "; ".join(dict.fromkeys(parts)) or "some configured checks could not be evaluated"
    return words, known


def _pass(result: Result, catalogue: Catalogue) -> Words:
    accepted = [*filter(texts.is_accepted, result.relations)]
    left_out = (None, Decision.NOT_COMPARABLE, Decision.NOT_JUDGED)
    decisions = [
        relation.comparison and relation.comparison.decision for relation in result.relations
    ]
    number = sum(decision not in left_out for decision in decisions) - len(accepted)
    headline = f"no regression found in {figures.counted(number, 'relation')}"
    if accepted:
        headline = f"known regression in {_titles(accepted, catalogue)}"
        if number:
            others = figures.counted(number, "other relation")
            headline = f"no regression found in {others}; {headline}"
    known = [*_accepted(result, catalogue)]
    pooled = result.overall.comparison
    if pooled and pooled.unchanged:
        known.append("Candidate and baseline are the same checkpoint.")
    elif pooled and pooled.delta is not None:
        rates = figures.moved(pooled.baseline_rate, pooled.candidate_rate)
        change = figures.change(pooled.delta, pooled.ci95)
        known.append(f"Violations overall: {rates}, {change}.")
    if alone := _by_rule(result, Decision.PASS, Rule.RISE_ALONE):
        known.append(
            f"Worth a look: {_changes(alone, catalogue)}, not significant after correction."
        )
    if not (pooled and pooled.unchanged):
        known.append(_detectable(result))
    if result.churn is not None:
        known.append(tables.churn_line(result.churn, brief=True))
    if few := texts.decided(result, Decision.NOT_COMPARABLE):
        known.append(f"Too few cases to compare: {_titles(few, catalogue)}.")
    if shown := texts.decided(result, Decision.NOT_JUDGED):
        known.append(f"Report only: {_titles(shown, catalogue)}.")
    return headline, known


def _detectable(result: Result) -> str:
    comparison = result.overall.comparison
    if comparison is None:
        return ""
    power, effect = rules.power(comparison)
    match power:
        case rules.Power.SMALL_ALPHA:
            return (
                "With this alpha no regression can reach significance against several baseline "
                "runs."
            )
        case rules.Power.NO_ROOM:
            return "This run has too few cases to detect even a rise to 100%."
        case rules.Power.MISSED:
            size = figures.size_in_points(comparison.delta)
            return f"This run has too few cases to detect an overall regression of {size}."
        case rules.Power.DETECTS:
            size = figures.size_in_points(effect)
            return f"This run can detect an overall regression of {size} or more (80% power)."
    return ""


def _improved(result: Result, catalogue: Catalogue) -> Words:
    improved = texts.decided(result, Decision.IMPROVED)
    where = f"{_number_of(improved, result)} improved" if improved else "improved overall"
    return f"{where}, no regression found", _pass(result, catalogue)[1]


def _measured(result: Result, _: Catalogue) -> Words:
    rate = figures.percent(result.overall.violation_rate)
    known = [f"Violation rate: {rate} of {figures.counted(result.overall.applicable, 'case')}."]
    # Limits that could not be checked without a baseline.
    unchecked = [note for note in result.notes if note.lower().startswith("not checked")]
    return "no baseline given, so nothing was compared", [*known, *map(_as_sentence, unchecked)]


def _cannot_judge(result: Result, _: Catalogue) -> Words:
    words = "no relation has enough cases in common with the baseline"
    if {relation.tier for relation in result.relations} == {Tier.REPORT}:
        words = 'the policy sets every relation to "report"'
    return words, [*map(_as_sentence, result.reasons[:1])]


_BY_VERDICT: Mapping[GateVerdict, Callable[[Result, Catalogue], Words]] = {
    GateVerdict.REGRESSION: _regression,
    GateVerdict.COLLAPSE: _collapse,
    GateVerdict.WARNING: _warning,
    GateVerdict.INCONCLUSIVE: _inconclusive,
    GateVerdict.PASS: _pass,
    GateVerdict.IMPROVED: _improved,
    GateVerdict.MEASURED: _measured,
    GateVerdict.CANNOT_JUDGE: _cannot_judge,
}
