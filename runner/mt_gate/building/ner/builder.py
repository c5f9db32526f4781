"""Suites for named entity recognition: sentences to questions, replacements, names to shuffle."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.base.errors import CannotJudge
from mt_gate.building.builder_api import Built, Progress, Say, drawn, wanted_relations
from mt_gate.building.corpora import sentences_of
from mt_gate.building.ner.noun_phrases import Usage
from mt_gate.building.ner.replacement import Replacer
from mt_gate.building.ner.structural import to_question
from mt_gate.building.recipe import Recipe, refused_ids
from mt_gate.building.rewrite import Rewrite
from mt_gate.building.sentences import Sentence, distinct, source_fault
from mt_gate.domain import Group, Source
from mt_gate.language.kinds import ToolNames, Tools, open_tools
from mt_gate.relations.ner import entity_shuffle, phrase_replacement, structural, token_replacement
from mt_gate.suites.format import group_id

BATCH = 256
# spaCy's labels, by the type that most systems under test share.
NAME_TYPES = {"PERSON": "PER", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC"}

REPLACING = frozenset({token_replacement.RELATION.id, phrase_replacement.RELATION.id})
"""Relations whose follow-ups need language tools."""
AT_ONCE = 32
"""Sentences whose words are replaced together: what a killed build asks its tools again."""


class Candidate(NamedTuple):
    """A good source sentence with what the relations can make of it."""

    sentence: Sentence
    question: Rewrite | None
    may_shuffle: bool
    may_replace: bool


Made = dict[str, list[tuple[Sentence, Rewrite]]]
"""Follow-ups with their sources, by relation."""


def build_ner(
    recipe: Recipe,
    data: Path,
    nlp: Language,
    say: Say,
    tools: ToolNames | None,
    progress: Progress,
) -> Built:
    """Build the groups of a recipe for task ner.

    Raises:
        UsageError: a file is missing or not of its kind, or a tool is not named.
        CannotJudge: a tool is missing, or no sentence is usable.
    """
    named = tools if tools and tools.models else None
    relations = wanted_relations(recipe, REPLACING, named is not None)
    opened = open_tools(named) if named and not REPLACING.isdisjoint(relations) else None
    usage = Usage()
    candidates = list(_candidates(recipe, relations, data, nlp, usage, say))
    chosen = _choose(recipe, candidates)
    if not chosen:
        raise CannotJudge(
            "no sentence is a usable source; expected whole English sentences that name people, "
            "places or organisations"
        )
    names: dict[str, str] = {}
    made: Made = {structural.RELATION.id: _questions(chosen, recipe, opened)}
    if opened:
        replacer = Replacer(opened, recipe.filters, nlp, usage, recipe.fills)
        names = replacer.names
        made |= _replacements(recipe, relations, chosen, nlp, replacer, progress)
    groups = [
        group
        for relation in relations
        for group in drawn(_groups(relation, made.get(relation, [])), recipe)
    ]
    thresholds = msgspec.structs.asdict(recipe.filters) if opened else {}
    sources = [_source(candidate) for candidate in chosen]
    return Built(tuple(relations), sources, groups, names, thresholds)


def _questions(
    chosen: Sequence[Candidate], recipe: Recipe, tools: Tools | None
) -> list[tuple[Sentence, Rewrite]]:
    """Return the questions that pass the syntactic filter, where it is on."""
    questions = [(c.sentence, c.question) for c in chosen if c.question is not None]
    if tools is None or recipe.filters.structural_fall >= 1:
        return questions
    before = tools.naturalness.naturalness([sentence.text for sentence, _ in questions])
    after = tools.naturalness.naturalness([rewrite.text for _, rewrite in questions])
    fall = recipe.filters.structural_fall
    return [
        pair for pair, old, new in zip(questions, before, after, strict=True) if new >= old - fall
    ]


def _replacements(
    recipe: Recipe,
    relations: Sequence[str],
    chosen: Sequence[Candidate],
    nlp: Language,
    replacer: Replacer,
    progress: Progress,
) -> Made:
    """Replace words and phrases, some sentences at a time, so that little is lost in a kill."""
    serves = {corpus.name: corpus.relations for corpus in recipe.corpus}
    ways = {
        token_replacement.RELATION.id: replacer.words,
        phrase_replacement.RELATION.id: replacer.phrases,
    }
    made: Made = {name: [] for name in ways if name in relations}
    for start in range(0, len(chosen), AT_ONCE):
        progress(start, len(chosen))
        some = [candidate.sentence for candidate in chosen[start : start + AT_ONCE]]
        docs = list(nlp.pipe(sentence.text for sentence in some))
        for name, found in made.items():
            allowed = [
                (sentence, doc)
                for sentence, doc in zip(some, docs, strict=True)
                if _may(serves[sentence.origin], name)
            ]
            rewrites = ways[name]([doc for _, doc in allowed])
            for (sentence, _), several in zip(allowed, rewrites, strict=True):
                found += [(sentence, rewrite) for rewrite in several]
    progress(len(chosen), len(chosen))
    return made


def _candidates(
    recipe: Recipe, relations: Sequence[str], data: Path, nlp: Language, usage: Usage, say: Say
) -> Iterator[Candidate]:
    corpora = {corpus.name: corpus for corpus in recipe.corpus}
    for sentence, doc in _parsed(recipe, data, nlp, say):
        usage.add(doc)
        corpus = corpora[sentence.origin]
        served = [name for name in relations if _may(corpus.relations, name)]
        names = _names(doc)
        faulty = recipe.check_sources and source_fault(doc)
        if not names or not corpus.sources or faulty:
            continue
        question = _question(doc) if structural.RELATION.id in served else None
        may_shuffle = any(len(texts) > 1 for texts in names.values())
        may_shuffle = may_shuffle and entity_shuffle.RELATION.id in served
        may_replace = not REPLACING.isdisjoint(served)
        if question or may_shuffle or may_replace:
            yield Candidate(sentence, question, may_shuffle, may_replace)


def _may(allowed: Sequence[str], relation: str) -> bool:
    return not allowed or relation in allowed


def _question(doc: Doc) -> Rewrite | None:
    rewrite = to_question(doc)
    return rewrite if isinstance(rewrite, Rewrite) else None


def _parsed(recipe: Recipe, data: Path, nlp: Language, say: Say) -> Iterator[tuple[Sentence, Doc]]:
    corpora = (sentences_of(corpus, data, nlp, say) for corpus in recipe.corpus)
    # A list, since splitting passages switches off parts of the pipeline that parsing needs.
    sentences = list(_apart(distinct(sentence for corpus in corpora for sentence in corpus)))
    say(f"parsing {len(sentences)} distinct sentences")
    pairs = ((sentence.text, sentence) for sentence in sentences)
    for doc, sentence in nlp.pipe(pairs, as_tuples=True, batch_size=BATCH):
        yield sentence, doc


def _apart(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield the first of sentences that differ in letter case, digits and marks only."""
    seen: set[str] = set()
    for sentence in sentences:
        words = re.sub(r"[\W\d_]+", " ", sentence.text).casefold()
        if words not in seen:
            seen.add(words)
            yield sentence


def _names(doc: Doc) -> dict[str, set[str]]:
    """Return the names that the parser's pipeline sees, by type."""
    found: dict[str, set[str]] = defaultdict(set)
    for entity in doc.ents:
        if entity.label_ in NAME_TYPES and entity.text[:1].isupper():
            found[NAME_TYPES[entity.label_]].add(entity.text)
    return found


def _choose(recipe: Recipe, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return a seeded sample, in three parts: questions, names to shuffle, words to replace.

    Each part has room for what the parts before it left of the recipe's numbers.
    """

    def draw(candidate: Candidate) -> bytes:
        return hashlib.sha256(f"{recipe.seed}\0{candidate.sentence.text}".encode()).digest()

    drawn = sorted(candidates, key=draw)
    chosen = [c for c in drawn if c.question][: recipe.groups]
    for part, room in ((_shuffles, recipe.sources), (_replaces, recipe.sentences)):
        taken = {candidate.sentence.id for candidate in chosen}
        others = [c for c in drawn if part(c) and c.sentence.id not in taken]
        chosen += [c._replace(question=None) for c in others[: max(0, room - len(chosen))]]
    refused = refused_ids(recipe)
    kept = [candidate for candidate in chosen if candidate.sentence.id not in refused]
    return sorted(kept, key=lambda candidate: candidate.sentence.id)


def _shuffles(candidate: Candidate) -> bool:
    return candidate.may_shuffle


def _replaces(candidate: Candidate) -> bool:
    return candidate.may_replace


def _source(candidate: Candidate) -> Source:
    sentence = candidate.sentence
    bind = (entity_shuffle.RELATION.id,) if candidate.may_shuffle else ()
    return Source(id=sentence.id, input={"text": sentence.text}, origin=sentence.origin, bind=bind)


def _groups(relation: str, made: Sequence[tuple[Sentence, Rewrite]]) -> Iterator[Group]:
    for sentence, rewrite in made:
        source, follow_up = {"text": sentence.text}, {"text": rewrite.text}
        yield Group(
            id=group_id(relation, source, follow_up),
            relation=relation,
            source=sentence.id,
            follow_up=follow_up,
            alignment=rewrite.alignment,
        )
