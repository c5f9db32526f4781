"""Suites in words, for ``mt-gate suite list|show|verify``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from mt_gate.audits.agreement import Agreement
from mt_gate.audits.readable import of_suite
from mt_gate.base.errors import UsageError, quoted
from mt_gate.base.figures import UNDEFINED, percent
from mt_gate.ontologies.reading import open_ontology, shipped_ontologies
from mt_gate.reporting.words.strata import stratum_in_words
from mt_gate.results.result import Precision
from mt_gate.suites.format import (
    SHIPPED,
    Suite,
    SuiteRelation,
    find_suite,
    read_head,
    read_suite,
    shipped_suites,
)
from mt_gate.suites.reach import reach
from mt_gate.tasks.table import TASKS


def listing() -> str:
    """Return a line a shipped suite."""
    heads = [read_head(SHIPPED / name) for name in shipped_suites()]
    return "\n".join(
        f"{head.name}  task {head.task}, version {head.version}, "
        f"{sum(corpus.sentences for corpus in head.sources)} sources, "
        f"{len(head.relations)} relations"
        for head in heads
    )


def description(name: str, groups: int, relation: str | None) -> str:
    """Return what a suite holds, with ``groups`` random examples a relation.

    Raises:
        UsageError: no such suite, or it has no such relation.
        CannotJudge: the suite is damaged.
    """
    suite = read_suite(find_suite(name))
    head = suite.head
    listed = [item for item in head.relations if relation in (None, item.id)]
    if not listed:
        known = ", ".join(item.id for item in head.relations)
        raise UsageError(f"relation {quoted(relation)}: suite {head.name} has {known}")
    lines = [
        f"{head.name}, version {head.version}, task {head.task}",
        f"sha256 {suite.identity.sha256}",
        head.description,
        "",
        "Sources:",
        *(f"  {c.sentences:5d}  {c.name} ({c.licence}): {c.attribution}" for c in head.sources),
        "",
        "Built with: " + ", ".join(f"{tool} {text}" for tool, text in head.tools.items()),
    ]
    for item in listed:
        lines += ["", *_relation(suite, item, groups)]
    if TASKS[head.task].needs_ontology:
        lines += ["", *_by_ontology(suite, listed)]
    return "\n".join(_printable(line) for line in lines)


def _relation(suite: Suite, item: SuiteRelation, count: int) -> Iterator[str]:
    if item.bound:
        yield f"{item.id}: built at run time from {item.sources} sources"
    else:
        yield f"{item.id}: {item.groups} groups from {item.sources} sources"
    if item.precision:
        yield f"  {precision_words(item.precision)}"
    groups = [group for group in of_suite(suite) if group.relation == item.id]
    for group in Random(suite.head.seed).sample(groups, min(count, len(groups))):
        yield f"  {group.id}" + (f"  {stratum_in_words(group.stratum)}" if group.stratum else "")
        source, follow_up = TASKS[suite.head.task].lines(
            group.source, group.follow_up, group.alignment
        )
        yield f"    source     {source}"
        yield f"    follow-up  {follow_up}"


def _by_ontology(suite: Suite, listed: Sequence[SuiteRelation]) -> Iterator[str]:
    names = shipped_ontologies()
    counts = [reach(suite, open_ontology(name)) for name in names]
    width = max(len(item.id) for item in listed)
    yield "Groups (sources, if built at run time) for which each shipped ontology has labels:"
    yield " " * (width + 2) + "  ".join(f"{name:>11s}" for name in names)
    for item in listed:
        cells = "  ".join(f"{count[item.id]:11d}" for count in counts)
        yield f"  {item.id:{width}s}{cells}"


def precision_words(found: Precision) -> str:
    """Return what an audit found, for example ``read: 198 of 200 acceptable, ...``."""
    low, high = map(percent, found.interval)
    return f"read: {found.acceptable} of {found.read} acceptable, 95 % interval {low} to {high}"


def agreement_words(found: Agreement) -> str:
    """Return how far two readers agree, for example ``two readers: accepted 97.0 % and ...``."""
    first, second = (
        percent((found.both + alone) / found.groups)
        for alone in (found.first_only, found.second_only)
    )
    kappa = UNDEFINED if found.kappa is None else f"{found.kappa:.2f}"
    return (
        f"two readers: accepted {first} and {second}, alike on {percent(found.alike)}, "
        f"Cohen's kappa {kappa}"
    )


def verified(name: str) -> str:
    """Return a line that says the suite is whole.

    Raises:
        UsageError: no such suite.
        CannotJudge: the suite is damaged.
    """
    suite = read_suite(find_suite(name))
    return _printable(
        f"{suite.head.name}: complete; {len(suite.sources)} sources, {len(suite.groups)} groups, "
        f"sha256 {suite.identity.sha256}"
    )


def _printable(line: str) -> str:
    """Keep control characters of a stranger's suite off the terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
