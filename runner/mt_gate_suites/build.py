"""Build a suite: turn sentences into fixed metamorphic cases. Rare and slow."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from pkgutil import resolve_name

import msgspec
import spacy
from spacy.language import Language

from mt_gate import __version__
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.files import scratch, write_whole
from mt_gate.domain import Group, Source
from mt_gate.language.kinds import ToolNames
from mt_gate.relations.catalogue import BY_ID
from mt_gate.reporting.table import Table
from mt_gate.suites.format import (
    CAUSE,
    FILTERS,
    FORMAT,
    GROUPS,
    HEAD,
    SOURCES,
    Corpus,
    SuiteFile,
    SuiteRelation,
    read_head,
    read_suite,
    with_known_answers,
    write_suite,
)
from mt_gate.suites.offensive import digest_of
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS, listed
from mt_gate_suites import builder_api
from mt_gate_suites.builder_api import REFUSALS, Built, Progress, Say, no_progress
from mt_gate_suites.known_answers import (
    NO_ANSWERS,
    SAYS,
    KnownAnswer,
    read_known_answers,
    with_answers,
)
from mt_gate_suites.measures.near_duplicates import drop_near_duplicates
from mt_gate_suites.recipe import Recipe

LICENCES = "LICENCES.md"
_DRAFT = ".mt-gate-suite-"
"""Prefix of the temporary folder in which a suite is written."""
Builder = Callable[[Recipe, Path, Language, Say, ToolNames | None, Progress], Built]
"""Builds the cases of a task."""


def suite_there(out: Path, name: str) -> SuiteFile | None:
    """Return the metadata of the suite in a folder; None if it has no readable suite.

    Raises:
        UsageError: the folder has a suite of another name.
    """
    if not os.path.lexists(out / HEAD):
        return None
    try:
        there = read_head(out)
    except CannotJudge:  # an unreadable suite may be replaced
        return None
    if there.name != name:
        raise UsageError(
            f"{out} has suite {quoted(there.name)}, which {quoted(name)} would replace. Choose "
            "another --out, or the same --name."
        )
    return there


def lost_marks(there: SuiteFile | None, built: SuiteFile, out: Path) -> str:
    """Return a message if a build removes stored figures of an audit."""
    marked = {item.id for item in built.relations if item.precision}
    gone = [item.id for item in there.relations if item.precision] if there else []
    if marked.issuperset(gone):
        return ""
    return (
        f"{out}: the new suite.json does not have the review figures of the old one. If the cases "
        f"are the same, restore them: mt-gate suite audit {out} --read SHEET.csv"
    )


def load_pipeline(name: str) -> Language:
    """Load a spaCy pipeline.

    Raises:
        CannotJudge: it is not installed.
    """
    try:
        return spacy.load(name)
    except OSError:
        raise CannotJudge(
            f"The spaCy pipeline {quoted(name)} is not installed. Run python -m spacy download "
            f"{name}, or choose another with --pipeline."
        ) from None


def build(
    recipe: Recipe,
    data: Path,
    out: Path,
    pipeline: str,
    say: Say,
    *,
    tools: ToolNames | None = None,
    progress: Progress = no_progress,
    show: Callable[[Table], None] = lambda _: None,
) -> SuiteFile:
    """Build a suite and write it.

    Args:
        recipe: corpora, relations and sizes.
        data: folder that the recipe's file names start from.
        out: the suite's folder.
        pipeline: name of an English spaCy pipeline with tagger, parser and entities.
        say: gets one line for each corpus that was read.
        tools: language tools; None omits the relations that need them.
        progress: gets the number of sources done and of all, while words are replaced.
        show: gets a table of the texts and cases of each relation.

    Raises:
        UsageError: a file is missing, a tool is not named, or the task has no builder.
        CannotJudge: pipeline or tools are missing, or no sentence is usable.
    """
    build_groups = builder_of(TASKS[recipe.task])
    nlp = load_pipeline(pipeline)
    built = build_groups(recipe, data, nlp, say, tools, progress)
    answers = read_known_answers(recipe, data)
    rules = {FILTERS: "paper"} if recipe.paper else {}
    head = write_built(recipe, built, out, _tools(nlp) | rules, answers)
    show(_summary(head, built))
    return head


def builder_of(task: TaskSpec) -> Builder:
    """Return the builder of a task. Raises UsageError: it has none."""
    if task.id not in builder_api.TASK_BUILDERS:
        known = listed(lambda spec: spec.id in builder_api.TASK_BUILDERS)
        raise UsageError(f"No suites can be built for task {task.id}. Expected task {known}.")
    builder: Builder = resolve_name(builder_api.TASK_BUILDERS[task.id])
    return builder


def _summary(head: SuiteFile, built: Built) -> Table:
    """Return the table of texts and cases of each relation, with the reasons for the others."""
    rows = []
    for item in head.relations:
        if item.id not in built.seen:
            continue
        seen, converted = built.seen[item.id], built.converted[item.id]
        dropped = {REFUSALS.get(item.id, "nothing to edit"): seen - converted, **item.left_out}
        why = "; ".join(f"{count:,} {reason}" for reason, count in dropped.items() if count)
        cases = item.sources if item.bound else item.groups
        rows.append((item.id, f"{seen:,}", f"{converted:,}", f"{cases:,}", why))
    return Table("lrrrl", ("Relation", "Texts", "Converted", "Cases", "Not used"), rows)


def write_built(
    recipe: Recipe,
    built: Built,
    out: Path,
    tools: dict[str, str],
    known: Mapping[str, KnownAnswer] = NO_ANSWERS,
) -> SuiteFile:
    """Write the built cases as a suite, with a notice of the licences of its sentences.

    Args:
        recipe: the recipe of the suite.
        built: sources and groups; unused sources without a known answer are omitted.
        out: the suite's folder.
        tools: versions that an identical rebuild needs, in addition to those in ``built``.
        known: right answers by id of the source, unless sources have their own.

    Raises:
        UsageError: no run could read the suite; nothing is written.
    """
    used = {group.source for group in built.groups}
    bound = [
        source
        for source in _bound_once(recipe, built)
        if source.bind or source.id in used or source.gold is not None
    ]
    sources = with_answers(bound, known)
    head = _head(recipe, built, sources, tools | built.tools)
    head = with_known_answers(head, sources, recipe.says or SAYS)
    return write_whole_suite(head, sources, built.groups, out)


def write_whole_suite(
    head: SuiteFile, sources: Sequence[Source], groups: Sequence[Group], out: Path
) -> SuiteFile:
    """Write a suite with the notice of its sentences' licences, completely or not at all.

    Raises:
        UsageError: it is more, or other, than a suite may hold.
    """
    with _written(out) as folder:
        head = write_suite(folder, head, sources, groups)
        write_whole(folder / LICENCES, _licences(head))
    return head


@contextlib.contextmanager
def _written(out: Path) -> Iterator[Path]:
    """Yield a temporary folder, then move its suite to ``out`` if a run can read it.

    Remains of a killed build next to ``out`` are removed first.
    """
    there = next(folder for folder in out.absolute().parents if folder.is_dir())
    with scratch(there, _DRAFT) as folder:
        yield folder
        try:
            read_suite(folder)
        except CannotJudge as error:
            message = str(error).replace(f"{folder}{os.sep}", "").removesuffix(f" {CAUSE}")
            raise UsageError(
                f"{out} was not written, because a run could not read it. {message}"
            ) from None
        out.mkdir(parents=True, exist_ok=True)
        for written in (SOURCES, GROUPS, LICENCES, HEAD):
            (folder / written).replace(out / written)


def _bound_once(recipe: Recipe, built: Built) -> Iterator[Source]:
    """Yield the sources, each relation bound to only one of several near duplicates."""
    text = TASKS[recipe.task].text
    bounds: dict[str, frozenset[str]] = {}
    for name in built.relations:
        least = recipe.caps.of(name).near_duplicates
        if _at_run_time(name, built) and least is not None:
            bounds[name] = drop_near_duplicates(
                (text(s.input) for s in built.sources if name in s.bind), least
            )
    for source in built.sources:
        bind = [
            name for name in source.bind if name not in bounds or text(source.input) in bounds[name]
        ]
        yield msgspec.structs.replace(source, bind=tuple(bind))


def _licences(head: SuiteFile) -> str:
    """Return the notice that goes with the sentences."""
    lines = [
        f"# Sentences of the suite {head.name}",
        "",
        "They keep the licences of their sources. The recipe and each source's attribution state",
        "how mt-gate edited them. An edited text has the licence of its original.",
        "",
        "| Source | Licence | Sentences | Attribution |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {corpus.name} | {corpus.licence} | {corpus.sentences} | {corpus.attribution} |"
        for corpus in head.sources
    ]
    return "\n".join(lines) + "\n"


def _head(
    recipe: Recipe, built: Built, sources: Sequence[Source], tools: dict[str, str]
) -> SuiteFile:
    taken = Counter(source.origin for source in sources)
    return SuiteFile(
        format=FORMAT,
        name=recipe.name,
        task=recipe.task,
        version=recipe.version,
        seed=recipe.seed,
        description=recipe.description,
        relations=tuple(_counted(name, sources, built) for name in built.relations),
        sources=tuple(
            Corpus(
                name=corpus.name,
                licence=corpus.licence,
                attribution=corpus.attribution,
                sentences=taken[corpus.name],
            )
            for corpus in recipe.corpus
            if corpus.sources
        ),
        tools=tools,
        thresholds=built.thresholds,
        files={},
        labels=built.labels,
        offensive=tuple(sorted(map(digest_of, built.offensive))),
    )


def _counted(name: str, sources: Sequence[Source], built: Built) -> SuiteRelation:
    if _at_run_time(name, built):
        bound = sum(name in source.bind for source in sources)
        return SuiteRelation(id=name, groups=0, sources=bound, bound=True)
    own = [group.source for group in built.groups if group.relation == name]
    left_out = dict(sorted(built.left_out.get(name, {}).items()))
    relation = built.stated.get(name, SuiteRelation(id=name, groups=0, sources=0))
    return msgspec.structs.replace(
        relation, groups=len(own), sources=len(set(own)), left_out=left_out
    )


def _at_run_time(name: str, built: Built) -> bool:
    return name not in built.stated and BY_ID[name].at_run_time


def _tools(nlp: Language) -> dict[str, str]:
    """Return the tool versions that a rebuild needs to be the same, byte for byte."""
    tools = {
        "mt-gate": __version__,
        "spacy": version("spacy"),
        "pipeline": f"{nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}",
    }
    with contextlib.suppress(PackageNotFoundError):
        tools["lemminflect"] = version("lemminflect")
    return tools
