"""Build a suite from files of templates: filled texts, their look-alikes, and edited texts.

Each template is filled several times; the texts of one template are one cluster. Each relation
takes the texts in a random order, from all templates in turn.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from mt_gate import __version__
from mt_gate.base.errors import UsageError
from mt_gate.base.figures import counted
from mt_gate.domain import Group, Source
from mt_gate.relations.stated import SpansFound
from mt_gate.suites.format import SuiteFile, SuiteRelation
from mt_gate.tasks.ner import TASK
from mt_gate_suites.build import write_built
from mt_gate_suites.builder_api import Built, Say, make_group
from mt_gate_suites.recipe import CorpusFile, Recipe
from mt_gate_suites.templates.edits import (
    RELATIONS,
    Filled,
    Piece,
    TemplateRelation,
    entities_of,
    fill_look_alike,
    fill_template,
    text_of,
)
from mt_gate_suites.templates.reading import Language, read_language
from mt_gate_suites.templates.values import GENERATORS
from mt_gate_suites.text.transformation import common

_SAYS = "Misses {missed} of {total} personal values"


class Sizes(NamedTuple):
    """How often each template and look-alike is filled, and the maximum cases of a relation."""

    fills: int = 3
    look_alikes: int = 2
    cases: int = 400


class _FilledSource(NamedTuple):
    source: Source
    filled: Filled


def build_templates(
    files: Sequence[Path],
    out: Path,
    say: Say,
    *,
    name: str,
    licence: str,
    seed: int = 0,
    sizes: Sizes = Sizes(),  # noqa: B008 - immutable
) -> SuiteFile:
    """Build a suite of task ``ner`` from files of templates, and write it.

    Raises:
        UsageError: a file is not valid, or two are of one language.
    """
    languages = [read_language(path) for path in files]
    names = [language.file.language for language in languages]
    if len({*names}) < len(names):
        raise UsageError(f"Two files have one language ({', '.join(sorted(names))}). Join them.")
    filled = [one for language in languages for one in _fill(language, seed, sizes)]
    sources = [one.source for one in filled]
    for language in languages:
        sources += _look_alikes(language, seed, sizes)
    groups = [
        group for relation in RELATIONS for group in _cases(relation, filled, seed, sizes.cases)
    ]
    made = {group.relation for group in groups}
    stated = {
        (relation_id := _id(relation)): SuiteRelation(
            id=relation_id,
            groups=0,
            sources=0,
            title=relation.title,
            description=relation.description,
            before=relation.before,
            after=relation.after,
            output=SpansFound(),
        )
        for relation in RELATIONS
        if _id(relation) in made
    }
    kinds = {entity.label for source in sources for entity in source.entities}
    kinds |= {entity.label for group in groups for entity in group.entities}
    say(f"{counted(len(sources), 'text')} of {counted(len(kinds), 'kind')}")
    corpora = tuple(
        CorpusFile(name=x, file=x, kind="text", licence=licence, attribution="fictional values")
        for x in names
    )
    recipe = Recipe(
        name=name,
        task=TASK.id,
        version="1",
        seed=seed,
        description="Texts with fictional personal data, from templates.",
        corpus=corpora,
        says=_SAYS if kinds.issubset(GENERATORS) else "",
    )
    built = Built(
        tuple(stated), sources, groups, {}, {}, stated=stated, labels=tuple(sorted(kinds))
    )
    return write_built(recipe, built, out, {"mt-gate": __version__})


def _id(relation: TemplateRelation) -> str:
    return f"{TASK.id}/{relation.name}"


def _rng(*parts: object) -> Random:
    digest = hashlib.sha256("\0".join(map(str, parts)).encode()).digest()
    return Random(int.from_bytes(digest[:8], "big"))


def _fill(language: Language, seed: int, sizes: Sizes) -> list[_FilledSource]:
    name, seen, result = language.file.language, set[str](), []
    for template in language.templates:
        for number in range(sizes.fills):
            filled = fill_template(language, template, _rng(seed, template.id, number))
            text = text_of(filled.pieces)
            if text in seen:
                continue
            seen.add(text)
            source = Source(
                id=f"{template.id}-{number + 1}",
                input={"text": text},
                origin=name,
                entities=entities_of(filled.pieces),
                cluster=template.id,
                gold=(),
                slices={"language": name, "context": template.context},
            )
            result.append(_FilledSource(source, filled))
    return result


def _look_alikes(language: Language, seed: int, sizes: Sizes) -> list[Source]:
    name = language.file.language
    seen: dict[str, Source] = {}
    for at, line in enumerate(language.file.look_alike, 1):
        cluster = f"{name}-look-alike-{at}"
        for number in range(sizes.look_alikes):
            text = fill_look_alike(line.text, _rng(seed, cluster, number))
            seen.setdefault(
                text,
                Source(
                    id=f"{cluster}-{number + 1}",
                    input={"text": text},
                    origin=name,
                    cluster=cluster,
                    gold=(),
                    slices={"language": name, "look-alike": line.kind},
                ),
            )
    return [*seen.values()]


def _cases(
    relation: TemplateRelation, filled: Sequence[_FilledSource], seed: int, most: int
) -> list[Group]:
    """Return up to ``most`` cases of a relation, from the languages in turn."""
    name = _id(relation)
    by_language: defaultdict[str, list[Group]] = defaultdict(list)
    for source, of in filled:
        rng = _rng(seed, name, source.id)
        pieces = None if relation.name in of.template.without else relation.edit(of, rng)
        text = text_of(pieces) if pieces else ""
        if not pieces or text == source.input["text"]:
            continue
        group = make_group(
            name,
            source.id,
            source.input,
            {"text": text},
            common(source.input["text"], text),
            of.language.file.language,
        )
        by_language[group.stratum].append(_with_entities(group, pieces))
    order = [
        sorted(groups, key=lambda group: group.id) for _, groups in sorted(by_language.items())
    ]
    longest = max(map(len, order), default=0)
    turns = (groups[turn] for turn in range(longest) for groups in order if turn < len(groups))
    chosen = {group.id: group for group in [*turns][:most]}
    return [*chosen.values()]


def _with_entities(group: Group, pieces: tuple[Piece, ...]) -> Group:
    return replace(group, entities=entities_of(pieces))
