"""Texts of reports: relations, verdicts, decisions, counts, and the command to repeat a run."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from operator import attrgetter
from pathlib import PurePath
from typing import Any, NamedTuple

from msgspec.structs import replace

from mt_gate.base import figures
from mt_gate.base.escaping import one_line, shorten, visible
from mt_gate.base.figures import setting
from mt_gate.domain import LABELS, ErrorCategory, NotApplicable, metamorphic
from mt_gate.relations import catalogue
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
    short_fingerprint,
)
from mt_gate.settings.policy import Policy, Tier
from mt_gate.settings.record import PRECISIONS, SETTINGS, STORED, dashed
from mt_gate.settings.values import in_text, policy_text
from mt_gate.suites.format import SuiteFile
from mt_gate.tasks.table import TASKS


class RelationText(NamedTuple):
    """Texts on a relation: a short title, one sentence, an example."""

    title: str
    description: str = ""
    before: str = ""
    after: str = ""


_TEXTS = attrgetter(*RelationText._fields)
Catalogue = Mapping[str, RelationText]
Counts = RelationResult | Overall
POOLED = "Overall"
BLOCKING = "Overall (blocking)"
SAME_MARGIN = "Overall (same margin)"
VERDICT_WORDS = {verdict: verdict.replace("-", " ").capitalize() for verdict in GateVerdict}
UNCLEAR = "unclear"
"""State of a rise that is significant only before correction for all tests of the run."""
STATES: Mapping[str, str] = {
    Decision.COLLAPSE: "No prediction",
    Decision.REGRESSION: "Regression",
    Decision.INCONCLUSIVE: "Inconclusive",
    UNCLEAR: "Unclear",
    Decision.PASS: "No regression",
    Decision.IMPROVED: "Improved",
    Decision.NOT_COMPARABLE: "Too few cases",
    Decision.NOT_JUDGED: "Report only",
}
"""Text of each state of a relation, worst first: a decision, or unclear."""
TIER_MEANS = {Tier.BLOCK: "fails the build", Tier.WARN: "warns only", Tier.REPORT: "report only"}


class Look(NamedTuple):
    """Symbols of a verdict or decision: a sign on pages, an emoji on GitHub, a terminal colour."""

    sign: str
    emoji: str
    colour: str = ""


LOOKS = {
    "regression": Look("✕", ":x:", "red"),
    "collapse": Look("✕", ":x:", "red"),
    "warning": Look("⚠", ":warning:", "yellow"),
    "inconclusive": Look("?", ":warning:", "yellow"),
    UNCLEAR: Look("~", ":grey_question:", "yellow"),
    "pass": Look("✓", ":white_check_mark:", "green"),
    "improved": Look("▲", ":white_check_mark:", "green"),
    "measured": Look("•", ":bar_chart:", "cyan"),
    "not-comparable": Look("–", ":grey_question:", "yellow"),
    "not-judged": Look("·", ":grey_question:"),
    "cannot-judge": Look("!", ":no_entry:", "yellow"),
}
REASONS: Mapping[str, str] = {reason.value: reason.words for reason in NotApplicable}
"""Meanings of the reasons for skipped cases; stored results may have other reasons."""
ERRORS = {verdict.value: verdict.replace("-", " ", 1) for verdict in ErrorCategory} | {
    "over-labelling": "over-labelling",
    "undecided": "omission or over-labelling",
}
"""Texts of error categories; an undecided error has both possible names."""
_MOST_CATEGORIES = 10


def prompt_lines(result: Result) -> list[str]:
    """Return the lines of a run's prompt; with the baseline's, marked, if that is different."""
    now = result.checkpoint.prompt.splitlines()
    if not (result.baseline and result.baseline.prompt):
        return now
    before = result.baseline.prompt.splitlines()
    # Not ndiff: it also compares within lines, which takes minutes for thousands of them.
    lines = [*unified_diff(before, now, n=len(before) + len(now), lineterm="")][3:]
    return [f"{line[:1]} {line[1:]}" for line in lines] or now


def relation_texts(result: Result | None = None) -> Catalogue:
    """Return the texts of mt-gate's relations, and of those that the run's suite states."""
    known = [answer for task in TASKS.values() for answer in catalogue.known_answers(task)]
    right = "Compares the prediction with the label in the file of --labels. They must be equal."
    labels = {f"{task}/{LABELS}": RelationText("Labelled examples", right) for task in TASKS}
    items = (*known, *catalogue.BY_ID.values())
    texts = {item.id: RelationText(*_TEXTS(item)) for item in items}
    stated = {
        item.id: RelationText(*_TEXTS(item.words))
        for item in (result.relations if result else ())
        if item.words is not None
    }
    return {**stated, **labels, **texts}


def texts_of_suite(head: SuiteFile) -> Catalogue:
    """Return the texts of mt-gate's relations, and of those that a suite states."""
    stated = {
        item.id: RelationText(*_TEXTS(item)) for item in head.relations if item.output is not None
    }
    return {**relation_texts(), **stated}


def text_of(catalogue: Catalogue, relation: str) -> RelationText:
    """Return the texts of a relation; its id as the title if it is not known."""
    return catalogue.get(relation) or RelationText(relation)


def gate_name(result: Result) -> str:
    """Return the name of the run's gate."""
    return result.options.get("name") or result.suite.task


def titled_reasons(result: Result, catalogue: Catalogue, *, ids: bool = False) -> list[str]:
    """Return the reasons of a verdict with titles instead of ids, or with both if ``ids``."""
    reasons = []
    for reason in result.reasons:
        name, separator, rest = reason.partition(": ")
        relation, tier, more = name.partition(" (tier")
        title = text_of(catalogue, relation).title
        shown = f"{title} [{relation}]" if ids and title != relation else title
        reasons.append(f"{shown}{tier}{more}{separator}{rest}")
    return reasons


def blocking_relations(result: Result) -> list[RelationResult]:
    """Return the blocking relations, without known answers."""
    blocking = [relation for relation in result.relations if relation.tier is Tier.BLOCK]
    compared = metamorphic(relation.id for relation in blocking)
    return [relation for relation in blocking if relation.id in compared]


class Pooled(NamedTuple):
    """Relations tested together: title, number of groups, and counts with their comparison."""

    title: str
    groups: int
    counts: Overall


def pooled(result: Result) -> Pooled:
    """Return the pool of a run: its blocking relations with one margin."""
    blocking = blocking_relations(result)
    names = rules.pooled([relation.id for relation in blocking], result.settings)
    together = [relation for relation in blocking if relation.id in names]
    groups = sum(relation.groups for relation in together)
    has_tiers = result.settings.policy.has_tiers
    if len(together) == len(blocking) and not has_tiers:
        return Pooled(POOLED, groups, result.overall)
    title = BLOCKING if len(together) == len(blocking) else SAME_MARGIN
    applicable = sum(relation.applicable for relation in together)
    violated = sum(relation.violated for relation in together)
    rate = violated / applicable if applicable else None
    counts = {"applicable": applicable, "violated": violated, "violation_rate": rate}
    return Pooled(title, groups, replace(result.overall, **counts, errors={}))


def relation_entries(
    result: Result, catalogue: Catalogue, longest: int
) -> list[tuple[str, int, Counts]]:
    """Return title, groups and counts of each relation, and last of the pool."""
    entries: list[tuple[str, int, Counts]] = [
        (shorten(text_of(catalogue, item.id).title, longest), item.groups, item)
        for item in result.relations
    ]
    return [*entries, pooled(result)]


def state_of(comparison: Comparison) -> str:
    """Return the state of a relation: its decision, or ``UNCLEAR``."""
    return UNCLEAR if comparison.rule is Rule.RISE_ALONE else comparison.decision.value


class ShownState(NamedTuple):
    """Texts, colour and figures of a comparison.

    ``words`` end with ``note``, which may state that a regression is accepted or that a relation
    only warns. ``tone`` selects the colour: red if it fails the build. ``rates`` are those of
    baseline and candidate, over compared cases if there are any. ``p`` is the p-value of the
    decision: for a fall, that of the test's other side.
    """

    words: str
    note: str
    tone: str
    rates: tuple[float | None, float | None]
    p: float | None


def shown_state(entry: Counts) -> ShownState:
    """Return texts, colour and figures for a relation or the pool."""
    comparison = entry.comparison
    if comparison is None:
        return ShownState("Not compared", "", "measured", (None, entry.violation_rate), None)
    state, is_worse = state_of(comparison), is_loss(comparison.decision)
    notes, tone = ["accepted"] if is_accepted(entry) else [], state
    if comparison.fails and not is_worse:
        tone = Decision.REGRESSION.value  # inconclusive in strict mode
    if isinstance(entry, RelationResult):
        if entry.tier is Tier.WARN:
            notes.append(TIER_MEANS[entry.tier])
        if is_worse and not counts_in_verdict(entry):
            tone = GateVerdict.WARNING.value
    note, now = ", ".join(notes), comparison.candidate_rate
    return ShownState(
        words=f"{STATES[state]} ({note})" if note else STATES[state],
        note=note,
        tone=tone,
        rates=(comparison.baseline_rate, entry.violation_rate if now is None else now),
        p=comparison.p_better if comparison.rule is Rule.FALL else comparison.p_adjusted,
    )


def is_accepted(entry: Counts) -> bool:
    """Whether it regressed, and the policy accepts that for now."""
    return entry.comparison is not None and entry.comparison.rule is Rule.ACCEPTED


def counts_in_verdict(relation: RelationResult) -> bool:
    """Whether a relation's decision can fail the build: it blocks, or the rule ignores tiers."""
    comparison = relation.comparison
    untiered = comparison is not None and comparison.rule in rules.UNTIERED
    return relation.tier is Tier.BLOCK or untiered


def errors_in_words(errors: Mapping[str, int]) -> str:
    """Return "range error 3, omission 1", most first; empty if nothing is counted."""
    ordered = sorted(errors.items(), key=lambda item: (-item[1], item[0]))[:_MOST_CATEGORIES]
    return ", ".join(f"{ERRORS.get(name, name)} {figures.count(n)}" for name, n in ordered)


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
    """Whether anything was compared with a baseline."""
    return result.overall.comparison is not None or any(r.comparison for r in result.relations)


def worst_first(relations: Sequence[RelationResult]) -> list[RelationResult]:
    """Return the relations that fail the build first, then by state, then by rise."""
    order = [*STATES]
    ranked = [
        (not of.fails, order.index(state_of(of)), -(of.delta or 0.0), number)
        if (of := relation.comparison)
        else (True, len(order), 0.0, number)
        for number, relation in enumerate(relations)
    ]
    return [relations[number] for *_, number in sorted(ranked)]


_DIGITS = 8
"""Hexadecimal digits shown of a hash: enough to distinguish the runs of a project."""


def signature(result: Result) -> str:
    """Return the run's signature; results with the same one can be compared figure by figure."""
    suite, used = result.suite, result.settings
    settings = [f"alpha {setting(used.alpha)}", f"margin {setting(used.margin)}"]
    if result.early:
        settings.append(f"look {result.early.look} of {result.early.looks}")
    if used.strict:
        settings.append("strict")
    if used.policy != Policy():
        text = policy_text(used.policy).encode(errors="backslashreplace")
        settings.append(f"policy {hashlib.sha256(text).hexdigest()[:_DIGITS]}")
    if not used.complete:
        settings.append(f"only {','.join(used.relations)}")
    runtime = result.checkpoint.runtime
    computed = f"{runtime.device} {runtime.precision} ort{runtime.onnxruntime}"
    if not runtime.onnxruntime:
        computed = " ".join(filter(None, (runtime.device, runtime.provider)))
    parts = (
        f"{result.tool.name} {result.tool.version}",
        f"suite {suite.name} {suite.version} {suite.sha256[:_DIGITS]}",
        f"checkpoint {short_fingerprint(result.checkpoint.fingerprint, _DIGITS)}",
        computed,
        " ".join(settings),
    )
    return one_line("|".join(parts))


def command(result: Result) -> str:
    """Return a shell command line that runs the same gate again.

    Paths are as the user gave them, relative to the working folder of the run. A baseline that was
    read from git is first extracted again, into a file next to the working tree's baseline.
    """
    head, before = result.baseline, ""
    baseline = head.path if head and not head.against else ""
    if head and head.commit and not head.against:
        path = PurePath(head.path)
        baseline = f"{path.stem}-{head.commit[:7]}.json"
        # Git resolves ./PATH in the working folder, and does not accept absolute paths.
        place = ["-C", str(path.parent)] if path.is_absolute() else []
        inside = path.name if path.is_absolute() else path.as_posix()
        shown = shlex.join(["git", *place, "show", f"{head.commit}:./{inside}"])
        before = f"{shown} > {shlex.quote(baseline)} && "
    # The settings that the result stores, by name.
    values: dict[str, Any] = {name: getattr(result.settings, name) for name in STORED}
    values["retrained"] = bool(result.settings.retrained)
    # Without --relations, a run uses the default relations and those that the suite states.
    stated = {relation.id for relation in result.relations if relation.words is not None}
    default = {name for name, relation in catalogue.BY_ID.items() if relation.default}
    if result.settings.complete and {*result.settings.relations} <= stated | default:
        del values["relations"]
    left_out = []
    for part in result.suite.part:  # notes on omitted corpora and sampled sources
        match part.replace(",", "").split():
            case ["without", name]:
                left_out.append(name)
            case [number, "of", _, "sources", "seed", _]:
                values["sources"] = number
    values |= {
        "label_map": result.checkpoint.label_map,
        "threshold": result.checkpoint.threshold,
        "task": result.suite.task,
        "suite": result.suite.name,
        "baseline": baseline,
        "early_stop": result.early is not None,
        "exclude": tuple(left_out),
        **result.options,
    }
    if head is not None and head.against:
        values["against"] = head.against
        for prefix, runtime in (("", result.checkpoint.runtime), ("base_", head.runtime)):
            if runtime and runtime.onnxruntime:
                known = runtime.precision if runtime.precision in PRECISIONS else None
                values |= {f"{prefix}precision": known, f"{prefix}threads": runtime.threads or None}
    words = ["mt-gate", "run"]
    for name in SETTINGS:
        value = values.get(name)
        if value is not None and value is not False and value not in ("", (), {}, Policy()):
            words += [f"--{dashed(name)}", *([] if value is True else [in_text(value)])]
    return visible(before) + shlex.join(map(visible, words))
