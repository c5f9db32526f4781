"""Suites for named entity recognition: whole sentences turned, words replaced, names to shuffle.

The builder that a relation's record names is a function of one parsed sentence;
of a relation that needs language tools, a function of a ``Replacer`` and some
sentences.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.base.errors import CannotJudge
from mt_gate.base.lazy import resolve
from mt_gate.building.builder_api import Built, Progress, Say, wanted_relations
from mt_gate.building.corpora import sentences_of
from mt_gate.building.drawing import Drawing
from mt_gate.building.ner.noun_phrases import Usage
from mt_gate.building.ner.replacement import Replacer
from mt_gate.building.recipe import Recipe, refused_ids
from mt_gate.building.rewrite import Refusal, Rewrite
from mt_gate.building.sentences import SourceSentence, distinct, source_fault
from mt_gate.domain import Group, Source
from mt_gate.language.kinds import ToolNames, Tools, open_tools
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.catalogue import BY_ID
from mt_gate.suites.format import group_id

BATCH = 256
# spaCy's labels, by the type that most systems under test share.
NAME_TYPES = {"PERSON": "PER", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC"}

AT_ONCE = 32
"""Sentences whose words are replaced together: what a killed build asks its tools again."""


OfSentence = Callable[[Doc], Rewrite | Refusal]
OfReplacer = Callable[[Replacer, Sequence[Doc]], list[list[Rewrite]]]


class CandidateSentence(NamedTuple):
    """A good source sentence with what the relations can make of it.

    ``turned`` are its follow-ups as a whole, by relation; ``bind`` are the
    relations that can build from it at run time.
    """

    sentence: SourceSentence
    turned: dict[str, Rewrite]
    bind: tuple[str, ...]
    may_replace: bool


Made = dict[str, list[tuple[SourceSentence, Rewrite]]]
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
    names = wanted_relations(recipe, has_tools=named is not None)
    relations = [BY_ID[name] for name in names]
    opened = open_tools(named) if named and any(one.needs_tools for one in relations) else None
    usage = Usage()
    candidates = list(_candidates(recipe, relations, data, nlp, usage, say))
    chosen = _choose(recipe, candidates)
    if not chosen:
        raise CannotJudge(
            "no sentence is a usable source; expected whole English sentences that name people, "
            "places or organisations"
        )
    tool_names: dict[str, str] = {}
    made = {name: _natural(name, chosen, recipe, opened) for name in _turning(relations)}
    if opened:
        replacer = Replacer(opened, recipe.filters, nlp, usage, recipe.fills)
        tool_names = replacer.names
        made |= _replacements(recipe, relations, chosen, nlp, replacer, progress)
    thresholds = msgspec.structs.asdict(recipe.filters) if opened else {}
    sources = [_source(candidate) for candidate in chosen]
    inputs = {source.id: source.input for source in sources}
    drawing = Drawing(recipe)
    groups = [
        group
        for name in names
        for group in drawing.drawn(_groups(name, made.get(name, [])), inputs)
    ]
    return Built(tuple(names), sources, groups, tool_names, thresholds, drawing.left_out)


def _turning(relations: Sequence[MetamorphicRelation]) -> dict[str, OfSentence]:
    """Return what turns a whole sentence, by relation."""
    return {
        one.id: resolve(one.builder) for one in relations if one.builder and not one.needs_tools
    }


def _natural(
    relation: str, chosen: Sequence[CandidateSentence], recipe: Recipe, tools: Tools | None
) -> list[tuple[SourceSentence, Rewrite]]:
    """Return the turned sentences that pass the syntactic filter, where it is on."""
    turned = [(c.sentence, c.turned[relation]) for c in chosen if relation in c.turned]
    if tools is None or recipe.filters.structural_fall >= 1:
        return turned
    before = tools.naturalness.naturalness([sentence.text for sentence, _ in turned])
    after = tools.naturalness.naturalness([rewrite.text for _, rewrite in turned])
    fall = recipe.filters.structural_fall
    return [pair for pair, old, new in zip(turned, before, after, strict=True) if new >= old - fall]


def _replacements(
    recipe: Recipe,
    relations: Sequence[MetamorphicRelation],
    chosen: Sequence[CandidateSentence],
    nlp: Language,
    replacer: Replacer,
    progress: Progress,
) -> Made:
    """Replace words and phrases, some sentences at a time, so that little is lost in a kill."""
    serves = {corpus.name: corpus.relations for corpus in recipe.corpus}
    replacing: dict[str, OfReplacer] = {
        one.id: resolve(one.builder) for one in relations if one.needs_tools
    }
    made: Made = {name: [] for name in replacing}
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
            rewrites = replacing[name](replacer, [doc for _, doc in allowed])
            for (sentence, _), several in zip(allowed, rewrites, strict=True):
                found += [(sentence, rewrite) for rewrite in several]
    progress(len(chosen), len(chosen))
    return made


def _candidates(
    recipe: Recipe,
    relations: Sequence[MetamorphicRelation],
    data: Path,
    nlp: Language,
    usage: Usage,
    say: Say,
) -> Iterator[CandidateSentence]:
    corpora = {corpus.name: corpus for corpus in recipe.corpus}
    for sentence, doc in _parsed(recipe, data, nlp, say):
        usage.add(doc)
        corpus = corpora[sentence.origin]
        served = [relation for relation in relations if _may(corpus.relations, relation.id)]
        names = _names(doc)
        faulty = recipe.check_sources and source_fault(doc)
        if not names or not corpus.sources or faulty:
            continue
        turned = _turned(doc, _turning(served))
        two_of_a_type = any(len(texts) > 1 for texts in names.values())
        bind = tuple(one.id for one in served if one.at_run_time) if two_of_a_type else ()
        may_replace = any(one.needs_tools for one in served)
        if turned or bind or may_replace:
            yield CandidateSentence(sentence, turned, bind, may_replace)


def _may(allowed: Sequence[str], relation: str) -> bool:
    return not allowed or relation in allowed


def _turned(doc: Doc, turning: dict[str, OfSentence]) -> dict[str, Rewrite]:
    made = {name: turn(doc) for name, turn in turning.items()}
    return {name: rewrite for name, rewrite in made.items() if isinstance(rewrite, Rewrite)}


def _parsed(
    recipe: Recipe, data: Path, nlp: Language, say: Say
) -> Iterator[tuple[SourceSentence, Doc]]:
    corpora = (sentences_of(corpus, data, nlp, say) for corpus in recipe.corpus)
    # A list, since splitting passages switches off parts of the pipeline that parsing needs.
    sentences = list(_apart(distinct(sentence for corpus in corpora for sentence in corpus)))
    say(f"parsing {len(sentences)} distinct sentences")
    pairs = ((sentence.text, sentence) for sentence in sentences)
    for doc, sentence in nlp.pipe(pairs, as_tuples=True, batch_size=BATCH):
        yield sentence, doc


def _apart(sentences: Iterable[SourceSentence]) -> Iterator[SourceSentence]:
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


def _choose(recipe: Recipe, candidates: Sequence[CandidateSentence]) -> list[CandidateSentence]:
    """Return a seeded sample, in three parts: whole sentences, names to shuffle, words to replace.

    Each part has room for what the parts before it left of the recipe's numbers.
    """

    def draw(candidate: CandidateSentence) -> bytes:
        return hashlib.sha256(f"{recipe.seed}\0{candidate.sentence.text}".encode()).digest()

    drawn = sorted(candidates, key=draw)
    chosen = [c for c in drawn if c.turned][: recipe.groups]
    for part, room in ((_shuffles, recipe.sources), (_replaces, recipe.sentences)):
        taken = {candidate.sentence.id for candidate in chosen}
        others = [c for c in drawn if part(c) and c.sentence.id not in taken]
        chosen += [c._replace(turned={}) for c in others[: max(0, room - len(chosen))]]
    refused = refused_ids(recipe)
    kept = [candidate for candidate in chosen if candidate.sentence.id not in refused]
    return sorted(kept, key=lambda candidate: candidate.sentence.id)


def _shuffles(candidate: CandidateSentence) -> bool:
    return bool(candidate.bind)


def _replaces(candidate: CandidateSentence) -> bool:
    return candidate.may_replace


def _source(candidate: CandidateSentence) -> Source:
    sentence = candidate.sentence
    source = {"text": sentence.text}
    return Source(id=sentence.id, input=source, origin=sentence.origin, bind=candidate.bind)


def _groups(relation: str, made: Sequence[tuple[SourceSentence, Rewrite]]) -> Iterator[Group]:
    for sentence, rewrite in made:
        source, follow_up = {"text": sentence.text}, {"text": rewrite.text}
        yield Group(
            id=group_id(relation, source, follow_up),
            relation=relation,
            source=sentence.id,
            follow_up=follow_up,
            alignment=rewrite.alignment,
        )
