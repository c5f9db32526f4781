"""Interface between the suite build and the builders of tasks, and the table of builders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pkgutil import resolve_name
from typing import Any, NamedTuple

from mt_gate.base.errors import UsageError, did_you_mean, quoted
from mt_gate.base.figures import counted
from mt_gate.domain import Alignment, Group, Source
from mt_gate.relations.catalogue import relations_of
from mt_gate.suites.format import SuiteRelation, group_id
from mt_gate.tasks.spec import ImportPath, Input
from mt_gate_suites.recipe import Recipe

Say = Callable[[str], None]
Progress = Callable[[int, int], None]


class Built(NamedTuple):
    """The result of a builder: sources, cases in the relations' order, tools and thresholds.

    ``left_out`` counts the built cases that are not in the suite, by relation and reason.
    ``stated`` has the relations that the suite states itself, by id, and ``labels`` the
    labels that these name. ``offensive`` has the words of the texts that reports must mask.
    ``seen`` and ``converted`` count the usable texts and those with a case, by relation.
    """

    relations: tuple[str, ...]
    sources: Sequence[Source]
    groups: Sequence[Group]
    tools: dict[str, str]
    thresholds: dict[str, float]
    left_out: Mapping[str, Mapping[str, int]] = {}
    stated: Mapping[str, SuiteRelation] = {}
    labels: tuple[str, ...] = ()
    offensive: frozenset[str] = frozenset()
    seen: Mapping[str, int] = {}
    converted: Mapping[str, int] = {}


def make_group(
    relation: str,
    source_id: str,
    source: Input,
    follow_up: Input,
    alignment: Alignment,
    stratum: str = "",
) -> Group:
    """Return a case of a relation: the id of a source, and the source's edited input."""
    return Group(
        id=group_id(relation, source, follow_up),
        relation=relation,
        source=source_id,
        follow_up=follow_up,
        alignment=alignment,
        stratum=stratum,
    )


def no_progress(_done: int, _total: int) -> None:
    """Print nothing."""


def wanted_relations(recipe: Recipe) -> list[str]:
    """Return the relations to build, in catalogue order.

    Raises:
        UsageError: the recipe names an unknown relation.
    """
    every = relations_of(recipe.task)
    known = [relation.id for relation in every]
    wanted = recipe.relations or [relation.id for relation in every if relation.default]
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"Task {recipe.task} has no relation {quoted(name)}.{did_you_mean(name, known)} It "
                f"has {', '.join(known)}."
            )
    return [name for name in known if name in wanted]


TASK_BUILDERS: dict[str, ImportPath] = {
    "ner": "mt_gate_suites.ner.builder:build_ner",
    "boolq": "mt_gate_suites.boolq.builder:build_boolq",
    "re": "mt_gate_suites.re.builder:build_re",
    "text": "mt_gate_suites.text.builder:build_text",
}
"""A ``build.Builder`` for each task, as an import path: a build loads only what it needs."""

TRANSFORMATIONS: dict[str, ImportPath] = {
    "ner/phrase-replacement": "mt_gate_suites.ner.exchanges:phrases",
    "ner/structural": "mt_gate_suites.ner.structural:questions",
    "ner/token-replacement": "mt_gate_suites.ner.exchanges:words",
    "boolq/adverbial-position": "mt_gate_suites.boolq.adverbial_position:transform",
    "boolq/antonym-adjective": "mt_gate_suites.boolq.antonym_adjective:transform",
    "boolq/before-after": "mt_gate_suites.boolq.before_after:transform",
    "boolq/negation-tag": "mt_gate_suites.boolq.negation_tag:transform",
    "boolq/synonym-adjective": "mt_gate_suites.boolq.synonym_adjective:transform",
    "boolq/tense-change": "mt_gate_suites.boolq.tense_change:transform",
    "boolq/voice-change": "mt_gate_suites.boolq.voice_change:transform",
    "re/co-related-type": "mt_gate_suites.re.co_related:transform",
    "re/coarser-type": "mt_gate_suites.re.coarser:transform",
    "re/coreferent": "mt_gate_suites.re.coreferent:transform",
    "re/same-type": "mt_gate_suites.re.same_type:transform",
    "re/swap-antisymmetric": "mt_gate_suites.re.swap:transform",
    "re/swap-symmetric": "mt_gate_suites.re.swap:swap_equals",
    "re/type-label": "mt_gate_suites.re.type_label:transform",
}
"""The transformation of each relation, of a type in ``ner/builder.py``, ``boolq/question.py`` or
``re/sample.py``. Compositions, and relations that a run builds, have no entry."""

PAPER_RULES: dict[str, ImportPath] = {
    "ner/structural": "mt_gate_suites.ner.structural:paper_questions",
    "boolq/adverbial-position": "mt_gate_suites.boolq.paper:move_adverbial",
    "boolq/antonym-adjective": "mt_gate_suites.boolq.paper:replace_by_antonym",
    "boolq/before-after": "mt_gate_suites.boolq.paper:swap_order",
    "boolq/negation-tag": "mt_gate_suites.boolq.paper:negate",
    "boolq/synonym-adjective": "mt_gate_suites.boolq.paper:replace_by_synonyms",
    "boolq/tense-change": "mt_gate_suites.boolq.paper:change_tense",
    "boolq/voice-change": "mt_gate_suites.boolq.voice_change:paper_transform",
}
"""Transformations that edit all that their paper edits (``Recipe.paper``); other relations of a
paper have no further conditions, or are built by ``WITH_TOOLS``."""

WITH_TOOLS: dict[str, ImportPath] = {
    "ner/phrase-replacement": "mt_gate_suites.ner.replacement:Replacer.phrases",
    "ner/token-replacement": "mt_gate_suites.ner.replacement:Replacer.words",
}
"""Builders of further cases, for which the recipe must name language tools."""


REFUSALS: dict[str, str] = {
    "ner/entity-shuffle": "no two names of one type",
    "ner/phrase-replacement": "no noun phrase to replace",
    "ner/structural": "no statement to turn into a question",
    "ner/token-replacement": "no verb or adjective to replace",
    "boolq/adverbial-position": "no clause or phrase to move",
    "boolq/antonym-adjective": "no adjective with a fitting antonym",
    "boolq/before-after": "no “before” or “after” to swap",
    "boolq/negation-tag": "no statement to negate",
    "boolq/synonym-adjective": "no adjective with a fitting synonym",
    "boolq/tense-change": "no tense to change",
    "boolq/voice-change": "no clause to turn into the passive or active",
    "re/co-related-type": "no related entity of another type",
    "re/coarser-type": "no place within a larger place",
    "re/combine-shared-head": "no third entity next to a symmetric relation",
    "re/combine-shared-tail": "no third entity next to a symmetric relation",
    "re/coreferent": "no coreferent mention",
    "re/same-type": "no other fitting name",
    "re/swap-antisymmetric": "no relation with an inverse",
    "re/swap-symmetric": "no symmetric relation",
    "re/type-label": "no entity with a second type",
}
"""The main reason why a relation makes no case of a usable text."""


def skipped(what: str, faults: Mapping[str, int]) -> str:
    """Return how many texts were not usable, with the reasons; the most frequent come first."""
    reasons = sorted(faults.items(), key=lambda item: (-item[1], item[0]))
    listed = ", ".join(f"{count:,} {name.replace('-', ' ')}" for name, count in reasons)
    return f"{counted(sum(faults.values()), what)} skipped{listed and ': ' + listed}"


def transformation_of(relation: str, *, paper: bool) -> Any:
    """Return the transformation of a relation by its paper's rule, or by the strict one."""
    return resolve_name((PAPER_RULES if paper else {}).get(relation) or TRANSFORMATIONS[relation])
