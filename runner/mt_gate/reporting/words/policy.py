"""What a run's policy asks of each relation, as a table and in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mt_gate.base.escaping import markdown
from mt_gate.base.figures import percent, setting, size_in_points
from mt_gate.base.redaction import shorten
from mt_gate.reporting.words.texts import Catalogue, text_of
from mt_gate.results import rules
from mt_gate.results.result import Overall, RelationResult, Result, RunSettings
from mt_gate.settings.policy import Policy, Tier

_LONGEST_TITLE = 80
_LONG_PROMISE = 600
MOST_PROMISES = 20
"""Sentences on groups and accepted losses that a report shows; the rest are counted."""

TIER_MEANS = {
    Tier.BLOCK: "fails the build",
    Tier.WARN: "warns only",
    Tier.REPORT: "shown only",
}


class PolicyLine(NamedTuple):
    """What is asked of a relation: its margin with all that counts, alpha None if not tested."""

    title: str
    tier: Tier
    margin: float
    alpha: float | None
    more: str


def policy_lines(result: Result, catalogue: Catalogue) -> tuple[PolicyLine, ...]:
    """Return a line a relation, in the suite's order; none where the run has no policy."""
    if result.settings.policy == Policy():
        return ()
    return tuple(policy_line(relation, result, catalogue) for relation in result.relations)


def policy_line(relation: RelationResult, result: Result, catalogue: Catalogue) -> PolicyLine:
    """Return what is asked of a relation of a run."""
    own = rules.of_relation(result.settings, relation.id, _paired(relation))
    return PolicyLine(
        shorten(text_of(catalogue, relation.id).title, _LONGEST_TITLE),
        relation.tier,
        own.margin,
        None if relation.tier is Tier.REPORT else own.alpha,
        ", ".join(_more(relation.id, result)),
    )


def own_margin(entry: RelationResult | Overall, result: Result) -> float:
    """Return the rise that a relation, or what blocks together, may have."""
    if isinstance(entry, RelationResult):
        return rules.of_relation(result.settings, entry.id, _paired(entry)).margin
    return pooled_settings(result).margin


def pooled_settings(result: Result) -> RunSettings:
    """Return the settings by which what blocks is judged together."""
    return rules.of_pool(result.settings, {item.id: _paired(item) for item in result.relations})


def _paired(relation: RelationResult) -> rules.Paired:
    comparison = relation.comparison
    return rules.NOT_PAIRED if comparison is None else rules.paired_of(comparison)


def _more(relation: str, result: Result) -> Iterator[str]:
    settings = result.settings
    entry = settings.policy.of(relation)
    if rules.is_required(relation, settings):
        yield "required"
    if entry.max_relative_rise is not None:
        yield f"rise of at most {percent(entry.max_relative_rise)} of its rate before"
    if entry.share is not None:
        yield f"tested by itself, {percent(entry.share)} of its tier's alpha"
    if (loss := settings.policy.accepted_of(relation)) is not None:
        yield f"loss of {size_in_points(loss.rise)} accepted until {loss.expires}"


def promises(result: Result, catalogue: Catalogue) -> tuple[str, ...]:
    """Return a sentence for each group that must hold and each loss that is accepted."""
    policy = result.settings.policy
    found = [
        f"Group {item.group} must hold: {item.reason} (owner {item.owner})."
        for item in policy.must_hold
    ]
    found += [
        f"A rise of up to {size_in_points(item.rise)} of {_title(item.relation, catalogue)} is "
        f"accepted until {item.expires}: {item.reason} (owner {item.owner})."
        for item in policy.accepted
    ]
    shown = [shorten(sentence, _LONG_PROMISE) for sentence in found[:MOST_PROMISES]]
    more = len(found) - len(shown)
    return (*shown, *([f"And {more} more in result.json."] if more else []))


def _title(relation: str, catalogue: Catalogue) -> str:
    return shorten(text_of(catalogue, relation).title, _LONGEST_TITLE)


def alpha_in_words(line: PolicyLine) -> str:
    """Return the alpha of a relation that is tested."""
    return "not tested" if line.alpha is None else setting(line.alpha)


def policy_table(result: Result, catalogue: Catalogue) -> str:
    """Return the policy in Markdown, empty where the run has none."""
    lines = policy_lines(result, catalogue)
    if not lines:
        return ""
    head = ("| Relation | Tier | Margin | Alpha | Besides |", "| --- | --- | ---: | ---: | --- |")
    rows = [
        f"| {markdown(line.title)} | {line.tier}: {TIER_MEANS[line.tier]} | "
        f"{size_in_points(line.margin)} | {alpha_in_words(line)} | {markdown(line.more)} |"
        for line in lines
    ]
    told = [f"- {markdown(sentence)}" for sentence in promises(result, catalogue)]
    text = "\n".join(["#### Policy\n", *head, *rows])
    return "\n\n".join([text, *(["\n".join(told)] if told else [])])
