"""Texts on suites, for ``mt-gate suite list|show|verify``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import msgspec

from mt_gate.base.errors import UsageError, did_you_mean, quoted
from mt_gate.base.escaping import one_line
from mt_gate.base.figures import UNDEFINED, count, counted, percent, score
from mt_gate.base.files import readable
from mt_gate.relations.base import is_known_answer
from mt_gate.reporting.words.tables import stratum_in_words
from mt_gate.results.result import Precision
from mt_gate.suites.format import (
    SHIPPED,
    Suite,
    SuiteRelation,
    masked_of,
    read_head,
    shipped_suites,
)
from mt_gate.suites.offensive import Mask
from mt_gate.suites.quick import open_suite, quick_suites
from mt_gate.tasks.table import TASKS
from mt_gate_suites.audit.marked import Agreement
from mt_gate_suites.audit.readable import suite_cases
from mt_gate_suites.measures.diversity import Diversity, diversity


def listing() -> str:
    """Return one line for each built-in suite."""
    heads = [read_head(SHIPPED / name) for name in shipped_suites()]
    parts = [f"{name}  a sample of {whole}" for name, whole in quick_suites().items()]
    whole = [
        f"{head.name}  task {head.task}, version {head.version}, "
        f"{sum(corpus.sentences for corpus in head.sources)} sources, "
        f"{len(head.relations)} relations"
        for head in heads
    ]
    return "\n".join([*whole, *parts])


def description(name: str, groups: int, relation: str | None, *, mask: bool = True) -> str:
    """Describe a suite, with ``groups`` random cases of each relation.

    With ``mask``, the offensive words that the suite names are masked.

    Raises:
        UsageError: no such suite, or it has no such relation.
        CannotJudge: the suite is damaged.
    """
    suite = open_suite(name)
    head = suite.head
    listed = list_relations(suite, relation)
    lines = [
        f"{head.name}, version {head.version}, task {head.task}",
        f"sha256 {suite.identity.sha256}",
        head.description,
        *(f"Subset: {words}" for words in suite.part),
        "",
        "Sources:",
        *(f"  {c.sentences:5d}  {c.name} ({c.licence}): {c.attribution}" for c in head.sources),
        "",
        "Built with: " + ", ".join(f"{tool} {text}" for tool, text in head.tools.items()),
    ]
    varied = diversity(suite)
    hidden = Mask(masked_of(head) if mask else ())
    for item in listed:
        shown = _relation(suite, item, varied[item.id], groups, hidden)
        lines += ["", *shown]
    return "\n".join(_printable(line) for line in lines)


def _printable(line: str) -> str:
    """Escape unprintable characters: texts may differ only in a zero-width one."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def described(name: str, relation: str | None) -> str:
    """Describe a suite as JSON for scripts, without cases.

    Raises:
        UsageError: no such suite, or it has no such relation.
        CannotJudge: the suite is damaged.
    """
    suite = open_suite(name)
    varied = diversity(suite)
    relations = [
        {**msgspec.to_builtins(item), "diversity": msgspec.to_builtins(varied[item.id])}
        for item in list_relations(suite, relation)
    ]
    head = {**msgspec.to_builtins(suite.identity), "description": suite.head.description}
    return readable({**head, "relations": relations}).decode()


def list_relations(suite: Suite, relation: str | None) -> list[SuiteRelation]:
    """Return the relations of a suite, or the one that is named.

    Raises:
        UsageError: it has no such relation.
    """
    head = suite.head
    listed = [item for item in head.relations if relation in (None, item.id)]
    if not listed:
        known = ", ".join(item.id for item in head.relations)
        raise UsageError(
            f"Suite {head.name} has no relation "
            f"{quoted(relation)}.{did_you_mean(relation, [item.id for item in head.relations])} It "
            f"has {known}."
        )
    return listed


def _relation(
    suite: Suite, item: SuiteRelation, varied: Diversity, examples: int, mask: Mask
) -> Iterator[str]:
    sources = counted(item.sources, "source")
    if item.bound:
        yield f"{item.id}: built at run time from {sources}"
    else:
        yield f"{item.id}: {counted(item.groups, 'case')} from {sources}"
    if item.precision:
        yield f"  {precision_words(item.precision)}"
    if is_known_answer(item.id):
        yield from _known_answers(suite)
        return
    yield f"  {mask.text('; '.join(diversity_words(varied)))}"
    if item.left_out:
        reasons = ", ".join(f"{number} {why}" for why, number in sorted(item.left_out.items()))
        yield f"  built, but omitted: {reasons}"
    task = TASKS[suite.head.task]
    groups = [group for group in suite_cases(suite) if group.relation == item.id]
    for group in Random(suite.head.seed).sample(groups, min(examples, len(groups))):
        yield f"  {group.id}" + (f"  {stratum_in_words(group.stratum)}" if group.stratum else "")
        shown = group.masked(task, mask)
        source, follow_up = task.lines(shown.source, shown.follow_up, shown.alignment)
        yield f"    original  {source}"
        yield f"    edited    {follow_up}"


def _known_answers(suite: Suite) -> Iterator[str]:
    """Yield lines on the corpora with known answers, and on the tested slices."""
    of = Counter(source.origin for source in suite.sources)
    known = Counter(source.origin for source in suite.sources if source.gold is not None)
    for origin, number in sorted(known.items()):
        yield f"  known for {count(number)} of {count(of[origin])} sources of {origin}"
    pairs = {pair for s in suite.sources if s.gold is not None for pair in s.slices.items()}
    values = Counter(name for name, _ in pairs)
    if values:
        named = ", ".join(f"{name} ({number})" for name, number in sorted(values.items()))
        yield f"  slices: {named}"


def precision_words(precision: Precision) -> str:
    """Return what an audit found, for example ``reviewed: 198 of 200 acceptable, ...``."""
    low, high = map(percent, precision.interval)
    share = f"{precision.acceptable} of {precision.read} acceptable"
    return f"reviewed: {share}, 95% CI {low} to {high}"


def agreement_words(agreement: Agreement) -> str:
    """Return how far two reviewers agree: ``two reviewers accepted 97.0 % and ...``."""
    first, second = (
        percent((agreement.both + alone) / agreement.groups)
        for alone in (agreement.first_only, agreement.second_only)
    )
    return (
        f"two reviewers accepted {first} and {second}, they agree on {percent(agreement.alike)}, "
        f"Cohen's kappa {score(agreement.kappa) or UNDEFINED}"
    )


def diversity_words(varied: Diversity) -> Iterator[str]:
    """Yield phrases on how varied the cases of a relation are."""
    if varied.fixed_edit:
        yield "all edits of one kind"
    elif varied.groups:
        yield counted(varied.edits, "edit")
        if varied.moved:
            yield f"{counted(varied.moved, 'case')} in which words only move"
        for most_frequent, how in (
            (varied.edit, "most frequent"),
            (varied.put_in, "most frequent insertion"),
        ):
            if most_frequent.groups:
                yield f"{how} {quoted(most_frequent.name)} ({percent(most_frequent.share)})"
    if varied.groups:
        yield f"at most {counted(varied.most_of_one_source, 'case')} of a source"
    if varied.most_of_one_text > varied.most_of_one_source:
        yield f"{varied.most_of_one_text} of a text"
    yield counted(varied.near_duplicates, "near-duplicate text")


def verified(name: str) -> str:
    """Check a suite, and return a line that confirms that it is complete.

    Raises:
        UsageError: no such suite.
        CannotJudge: the suite is damaged.
    """
    suite = open_suite(name)
    return one_line(
        f"{suite.head.name}: complete, with {counted(len(suite.sources), 'source')} and "
        f"{counted(len(suite.groups), 'case')}, sha256 {suite.identity.sha256}"
    )
