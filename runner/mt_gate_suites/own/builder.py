"""Suites of a user's own relations: a file of relations with sources, or finished pairs.

Everything is built and checked before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from mt_gate import __version__
from mt_gate.base.errors import UsageError, did_you_mean, page, quoted
from mt_gate.base.escaping import one_line
from mt_gate.base.figures import counted
from mt_gate.domain import Group, Source
from mt_gate.relations.base import has_known_answers
from mt_gate.relations.stated import kind_of, labels_in
from mt_gate.suites.format import MAX_TEXT, SuiteFile, SuiteRelation
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS, listed
from mt_gate_suites.build import load_pipeline, write_built
from mt_gate_suites.builder_api import Built, Say
from mt_gate_suites.own.functions import function_of, load_function
from mt_gate_suites.own.pairs import read_pairs
from mt_gate_suites.own.relations_file import (
    OwnRelation,
    RelationsFile,
    output_of,
    own_id,
    read_relations,
)
from mt_gate_suites.own.rules import rule_of, templates_of, where_it_may
from mt_gate_suites.own.sources import read_sources
from mt_gate_suites.recipe import CorpusFile, Recipe
from mt_gate_suites.text.catalogue import relations_for
from mt_gate_suites.text.making import TEMPLATES, Made, Planned, made, needs_parse
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfPair, OfTemplates, Parser, Transformation

FEW = 20
"""A rule that edits every one of more sources than this needs ``everywhere = true``."""


_TEXTS = ("title", "description", "paper", "before", "after")


class Plan(NamedTuple):
    """A file of relations, ready to build; ``tools`` has the digests of the user's functions."""

    file: RelationsFile
    task: TaskSpec
    planned: tuple[Planned, ...]
    tools: dict[str, str]


def plan(path: Path) -> Plan:
    """Read a file of relations, and find the transformation of each.

    Raises:
        UsageError: the file is invalid.
    """
    file = read_relations(path)
    task = TASKS[file.task]
    planned = []
    tools = {}
    for one in file.relation:
        where = f"{path}: relation {quoted(one.name)}"
        how, tool = _transformation(one, file, path, where)
        if isinstance(how, OfPair | OfTemplates):
            for key in ("only_if", "unless", "edits"):
                if getattr(one, key):
                    raise UsageError(
                        f"{where} changes both texts of a pair, or makes its own sources, so it "
                        f"cannot have '{key}'. Omit '{key}'."
                    )
        else:
            how = where_it_may(one, how, where)
        if tool:
            tools[f"function of {task.id}/{one.name}"] = tool
        edits = one.edits or task.texts[0]
        if edits not in task.texts:
            raise UsageError(
                f"{where} edits {quoted(edits)}, which task {task.id} does not have. Set edits to "
                f"{' or '.join(task.texts)}."
            )
        planned.append(Planned(_stated(one, file, task, where), how, edits))
    return Plan(file, task, tuple(planned), tools)


def _transformation(
    one: OwnRelation, file: RelationsFile, path: Path, where: str
) -> tuple[Transformation, str]:
    """Return a relation's transformation, and the name and digest of its function, if any."""
    if one.template:
        if not TASKS[file.task].label_map:
            known = listed(lambda spec: spec.label_map)
            raise UsageError(f"{where} has templates, which make sources only for task {known}.")
        templates = sum(relation.template is not None for relation in file.relation)
        return templates_of(one.template, file.slots, where, templates), ""
    if one.use:
        return _shipped(one, file.task, where).transformation, ""
    if one.function:
        loaded = load_function(one.function, path.parent, where)
        return function_of(loaded, where), loaded.named
    return rule_of(one, where), ""


def _shipped(one: OwnRelation, task: str, where: str) -> TextRelation:
    known = {relation.name: relation for relation in relations_for(task)}
    if one.use not in known:
        raise UsageError(
            f"{where} uses {quoted(one.use)}, which is not a built-in relation of task "
            f"{task}.{did_you_mean(one.use, known)} Known: {', '.join(known)}."
        )
    return known[one.use]


def _stated(one: OwnRelation, file: RelationsFile, task: TaskSpec, where: str) -> SuiteRelation:
    """Return a relation as the suite states it; the built-in relation it uses fills its gaps."""
    shipped = _shipped(one, task.id, where) if one.use else None
    output = shipped.output_in(task.id) if shipped else None
    if one.output is not None:
        output = output_of(one.output, task, file.labels, where)
    if output is None:
        more = ", which a relation of a label needs" if shipped else ""
        raise UsageError(f"{where} has no output{more}. Add one: {page('own-relations')}")
    return SuiteRelation(
        id=own_id(task, one.name, where),
        groups=0,
        sources=0,
        says=one.says,
        output=output,
        **{name: getattr(one, name) or getattr(shipped, name, "") for name in _TEXTS},
    )


def parser_for(planned: Sequence[Planned], name: str) -> Parser | None:
    """Return the parser of a spaCy pipeline; None if no relation needs it."""
    parses = any(needs_parse(one.transformation) for one in planned)
    return Parser(load_pipeline(name)) if parses else None


def _check_fires(
    one: OwnRelation,
    planned: Planned,
    result: Made,
    sources: Sequence[Source],
    task: TaskSpec,
    where: str,
) -> None:
    if not result.groups:
        what = "pairs" if isinstance(planned.transformation, OfPair) else "texts"
        raise UsageError(
            f"{where} edits none of the {len(sources)} {what}: it never matches, or changes "
            "nothing. Preview it with mt-gate suite try."
        )
    for group in result.groups:
        texts = [group.follow_up[name] for name in task.names(group.follow_up)]
        if not all(text.strip() for text in texts):
            raise UsageError(
                f"{where} removes all words of {quoted(group.source)}. Narrow it with only_if or "
                "unless."
            )
        if longest := max((len(text) for text in texts if len(text) > MAX_TEXT), default=0):
            raise UsageError(
                f"{where} makes a text of {longest} characters from {quoted(group.source)} (limit "
                f"{MAX_TEXT}). Remove that source."
            )
    served = {group.source for group in result.groups}
    is_rule = bool(one.replace or one.words) and not one.everywhere
    if is_rule and len(sources) > FEW and len(served) == len(sources):
        raise UsageError(
            f"{where} matches all {len(sources)} texts. Narrow it with only_if or unless, or set "
            "everywhere = true if you want that."
        )


def build_relations(
    path: Path,
    files: tuple[Path, ...],
    out: Path,
    say: Say,
    *,
    name: str,
    licence: str,
    pipeline: str,
) -> SuiteFile:
    """Build a suite from a file of relations, and write it.

    Args:
        path: the file of relations.
        files: files of sources; may be empty if all relations are templates.
        out: the suite's folder.
        say: reports what was read.
        name: the suite's name.
        licence: the licence of the sources.
        pipeline: a spaCy pipeline, loaded only if a built-in relation needs a parse.

    Raises:
        UsageError: relations or sources are invalid, or a relation edits nothing, edits all texts
            without ``everywhere``, takes too long, or its function fails; nothing is written.
    """
    relation_plan = plan(path)
    needs_sources = any(
        not isinstance(p.transformation, OfTemplates) for p in relation_plan.planned
    )
    if needs_sources and not files:
        raise UsageError(f"The relations of {path} need sources. Add --sources FILE.")
    sources = read_sources(files, relation_plan.task) if files else []
    read = counted(len(relation_plan.planned), "relation"), counted(len(sources), "source")
    say(f"{path}: {'; '.join(read)}")
    parser = parser_for(relation_plan.planned, pipeline)
    every = []
    for one, planned in zip(relation_plan.file.relation, relation_plan.planned, strict=True):
        result = made(planned, sources, relation_plan.task, parser, relation_plan.file.seed)
        where = f"{path}: relation {quoted(one.name)}"
        _check_fires(one, planned, result, sources, relation_plan.task, where)
        every.append((planned, result))
    taken = {source.id: source for source in sources}
    for _, result in every:
        taken.update({source.id: source for source in result.sources})
    groups = [group for _, result in every for group in result.groups]
    stated = {planned.relation.id: planned.relation for planned, _ in every}
    more = TEMPLATES if any(result.sources for _, result in every) else ""
    recipe = _recipe(name, relation_plan.task, files, licence, relation_plan.file.seed, more)
    tools = {"mt-gate": __version__, **relation_plan.tools}
    labels = relation_plan.file.labels or _labels(stated.values(), groups, relation_plan.task)
    built = Built(tuple(stated), list(taken.values()), groups, {}, {}, {}, stated, labels)
    return write_built(recipe, built, out, tools)


def build_labelled(
    files: tuple[Path, ...], out: Path, say: Say, *, task: str, name: str, licence: str
) -> SuiteFile:
    """Build a suite of labelled examples; every run compares predictions with the labels.

    Raises:
        UsageError: a line is invalid or has no label; nothing is written.
    """
    spec = TASKS[task]
    if not has_known_answers(spec):
        known = listed(has_known_answers)
        raise UsageError(
            f"--kind labelled works only with task {known}, but the task is {task}. Omit it."
        )
    sources = read_sources(files, spec)
    unlabelled = sum(source.gold is None for source in sources)
    if unlabelled:
        raise UsageError(
            f'{files[0]}: {counted(unlabelled, "line")} without a label. Expected {{"text": ..., '
            f'"label": ...}} on each line.'
        )
    say(f"{counted(len(sources), 'labelled example')}")
    recipe = _recipe(name, spec, files, licence, 0, "")
    built = Built((), sources, [], {}, {})
    return write_built(recipe, built, out, {"mt-gate": __version__})


def build_pairs(
    files: tuple[Path, ...], out: Path, say: Say, *, task: str, name: str, licence: str
) -> SuiteFile:
    """Build a suite from finished pairs, and write it.

    Raises:
        UsageError: a line is invalid; nothing is written.
    """
    spec = TASKS[task]
    pairs = read_pairs(files, spec)
    say(f"{counted(len(pairs.groups), 'pair')} of {counted(len(pairs.sources), 'source')}")
    stated = {relation.id: relation for relation in pairs.relations}
    labels = _labels(stated.values(), pairs.groups, spec)
    recipe = _recipe(name, spec, files, licence, 0, "")
    built = Built(tuple(stated), pairs.sources, pairs.groups, {}, {}, {}, stated, labels)
    return write_built(recipe, built, out, {"mt-gate": __version__})


def _labels(
    relations: Iterable[SuiteRelation], groups: Iterable[Group], task: TaskSpec
) -> tuple[str, ...]:
    named = {label for one in relations if one.output for label in labels_in(one.output)}
    named |= {label for group in groups for label in group.gold or ()}
    return () if task.answers else tuple(sorted(named))


def _recipe(
    name: str, task: TaskSpec, files: tuple[Path, ...], licence: str, seed: int, more: str
) -> Recipe:
    """Return a recipe for a user's files, one corpus per file."""
    names = [*dict.fromkeys(file.name for file in files), *([more] if more else [])]
    corpora = tuple(
        CorpusFile(name=x, file=x, kind="text", licence=licence, attribution="as its owner states")
        for x in names
    )
    return Recipe(name=name, task=task.id, version="1", seed=seed, description="", corpus=corpora)


PER_RELATION = 10
"""Cases that ``preview`` shows of each relation."""


def preview(path: Path, files: tuple[Path, ...], pipeline: str, most: int = PER_RELATION) -> str:
    """Return the original and edited texts of some cases of each relation of a file.

    Args:
        path: the file of relations.
        files: files of sources.
        pipeline: a spaCy pipeline, loaded only if a built-in relation needs a parse.
        most: maximum cases of a relation.

    Raises:
        UsageError: relations or sources are invalid, or the file has no relation.
    """
    relation_plan = plan(path)
    sources = read_sources(files, relation_plan.task) if files else []
    parser = parser_for(relation_plan.planned, pipeline)
    lines: list[str] = []
    for planned in relation_plan.planned:
        result = made(planned, sources, relation_plan.task, parser, relation_plan.file.seed)
        inputs = {source.id: source.input for source in (*sources, *result.sources)}
        served = len({group.source for group in result.groups})
        output = planned.relation.output
        lines.append(
            f"{planned.relation.id} ({kind_of(output) if output else ''}): "
            f"{counted(len(result.groups), 'edited text')} of {served} of "
            f"{counted(len(inputs), 'source')}"
        )
        # An id is a hash, so the first cases by id are a random sample.
        for group in sorted(result.groups, key=lambda one: one.id)[:most]:
            texts = relation_plan.task.lines(inputs[group.source], group.follow_up, group.alignment)
            lines += [f"  {sign} {one_line(text)}" for sign, text in zip("-+", texts, strict=True)]
    if not lines:
        raise UsageError(f"{path} has no relation to preview. Add one: {page('own-relations')}")
    return "\n".join(lines)
