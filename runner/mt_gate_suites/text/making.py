"""Make cases from sources by transformations, for all builders of suites of texts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from mt_gate.domain import Alignment, Block, Group, Source
from mt_gate.suites.format import SuiteRelation
from mt_gate.tasks.spec import Input, TaskSpec
from mt_gate.tasks.text import SECOND, TEXT
from mt_gate_suites.builder_api import make_group
from mt_gate_suites.grammar.rewrite import joined
from mt_gate_suites.text.transformation import (
    OfPair,
    OfTemplates,
    OfText,
    PairOfTexts,
    Parser,
    TemplateGroup,
    Transformation,
    chooser,
    rewrites_of,
)

TEMPLATES = "templates"
"""The origin of sources that a template makes."""


class Planned(NamedTuple):
    """A relation to build: its record, its transformation, and the text that it edits.

    If ``surface`` is true, it edits only the spelling, so that any text can be its source.
    """

    relation: SuiteRelation
    transformation: Transformation
    edits: str = TEXT
    surface: bool = False


class Made(NamedTuple):
    """Cases of a relation, and the sources that its templates made."""

    groups: list[Group]
    sources: list[Source]


def made(
    planned: Planned,
    sources: Sequence[Source],
    task: TaskSpec,
    parser: Parser | None,
    seed: int,
) -> Made:
    """Return the cases that a relation makes from sources, each id once.

    Args:
        planned: the relation to build.
        sources: the suite's sources; those without the text that is edited are skipped.
        task: the suite's task.
        parser: parses texts; None if no transformation needs it.
        seed: seed of random choices.
    """
    how, name = planned.transformation, planned.relation.id
    if isinstance(how, OfTemplates):
        return _fill_templates(name, how.groups(chooser(seed, name, "")))
    if isinstance(how, OfPair):
        return Made(_once(_make_pairs(name, how, sources)), [])
    served = [source for source in sources if planned.edits in source.input]
    texts = [source.input[planned.edits] for source in served]
    rewrites = rewrites_of(how, texts, parser, seed, name)
    groups = []
    for source, several in zip(served, rewrites, strict=True):
        for one in several:
            new = task.with_text(source.input, planned.edits, one.text, one.alignment)
            if new is None:
                continue
            blocks = _moved(one.alignment, task, source.input, new, planned.edits)
            groups.append(make_group(name, source.id, source.input, new, blocks, one.stratum))
    return Made(_once(groups), [])


def _make_pairs(name: str, how: OfPair, sources: Sequence[Source]) -> list[Group]:
    groups = []
    for source in sources:
        if SECOND in source.input:
            for new in how.rewrites(PairOfTexts(source.input[TEXT], source.input[SECOND])):
                follow_up = {**source.input, TEXT: new.pair.text, SECOND: new.pair.second}
                groups.append(make_group(name, source.id, source.input, follow_up, new.alignment))
    return groups


def _fill_templates(name: str, template_groups: Sequence[TemplateGroup]) -> Made:
    sources: dict[str, Source] = {}
    groups = []
    for one in template_groups:
        pair = _input(one.source)
        digest = hashlib.sha256(one.source.joined.encode()).hexdigest()[:12]
        source = Source(id=f"{TEMPLATES}-{digest}", input=pair, origin=TEMPLATES)
        sources[source.id] = source
        follow_up = _input(one.follow_up)
        groups.append(make_group(name, source.id, pair, follow_up, one.alignment, one.stratum))
    return Made(_once(groups), list(sources.values()))


def needs_parse(transformation: Transformation) -> bool:
    """Whether a transformation reads parsed texts."""
    return not isinstance(transformation, OfText | OfPair | OfTemplates)


def _input(pair: PairOfTexts) -> dict[str, str]:
    return {TEXT: pair.text, SECOND: pair.second} if pair.second else {TEXT: pair.text}


def _once(groups: Sequence[Group]) -> list[Group]:
    return list({group.id: group for group in groups}.values())


def _moved(
    alignment: Alignment, task: TaskSpec, source: Input, follow_up: Input, edits: str
) -> Alignment:
    """Convert an alignment of one text to an alignment of all texts of an input, one per line."""
    names = task.names(source)
    start = sum(len(source[name]) + 1 for name in names[: names.index(edits)])
    end = start + len(source[edits])
    rest = len(task.text(source)) - end
    blocks = [
        Block(0, 0, start),
        *(Block(one.source + start, one.follow_up + start, one.length) for one in alignment),
        Block(end, start + len(follow_up[edits]), rest),
    ]
    return joined(block for block in blocks if block.length)
