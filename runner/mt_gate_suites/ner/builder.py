"""Suites for named entity recognition: whole sentences turned, words replaced, names to shuffle.

The builder that a relation's record names is a function of some parsed sentences and
the pipeline that parsed them; what it may build besides, where language tools are named,
a function of a ``Replacer`` and some sentences.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.base.errors import CannotJudge
from mt_gate.base.lazy import resolve
from mt_gate.domain import Group, Source
from mt_gate.language.kinds import ToolNames, Tools, open_tools
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.catalogue import BY_ID
from mt_gate.suites.format import group_id
from mt_gate_suites.builder_api import Built, Progress, Say, wanted_relations
from mt_gate_suites.builders import RELATIONS, WITH_TOOLS
from mt_gate_suites.corpora import sentences_of
from mt_gate_suites.drawing import Drawing
from mt_gate_suites.grammar.faults import grammar_fault
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.ner.noun_phrases import Usage
from mt_gate_suites.ner.replacement import Replacer
from mt_gate_suites.recipe import Recipe, refused_ids
from mt_gate_suites.sentences import SourceSentence, distinct, source_fault
from mt_gate_suites.source_faults import text_fault

BATCH = 256
# spaCy's labels, by the type that most systems under test share.
NAME_TYPES = {"PERSON": "PER", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC"}

AT_ONCE = 32
"""Sentences whose words are replaced together: what a killed build asks its tools again."""


OfSentences = Callable[[Sequence[Doc], Language], list[list[Rewrite]]]
TOO_LONG = "too long for the language model"
OfReplacer = Callable[[Replacer, Sequence[Doc]], list[list[Rewrite]]]


class CandidateSentence(NamedTuple):
    """A good source sentence with what the relations can make of it.

    ``made`` are its follow-ups, by relation; ``bind`` are the relations that can
    build from it at run time; ``may_replace`` says whether language tools may.
    """

    sentence: SourceSentence
    made: dict[str, list[Rewrite]]
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
        UsageError: a file is missing or not of its kind.
        CannotJudge: a tool is missing, or no sentence is usable.
    """
    names = wanted_relations(recipe)
    relations = [BY_ID[name] for name in names]
    asks = tools and tools.models and any(one.id in WITH_TOOLS for one in relations)
    opened = open_tools(tools) if tools and asks else None
    usage = Usage()
    candidates = list(_candidates(recipe, relations, data, nlp, usage, say, asks=bool(asks)))
    chosen = _choose(recipe, candidates)
    if not chosen:
        raise CannotJudge(
            "no sentence is a usable source; expected whole English sentences that name people, "
            "places or organisations"
        )
    made: Made = {name: _made(name, chosen) for name in names}
    tool_names: dict[str, str] = {}
    too_long: Counter[str] = Counter()
    if opened:
        replacer = Replacer(opened, recipe.filters, nlp, usage, recipe.fills)
        tool_names = replacer.names
        for name, found in _replacements(
            recipe, relations, chosen, nlp, replacer, progress, too_long
        ).items():
            made[name] += found
        whole = [one.id for one in relations if one.id in RELATIONS and one.id not in WITH_TOOLS]
        if recipe.filters.structural_fall < 1:
            for name in whole:
                texts = {sentence.text for sentence, _ in made[name]}
                too_long[name] += sum(not opened.reads(text) for text in texts)
        made |= {name: _natural(made[name], recipe, opened) for name in whole}
    thresholds = msgspec.structs.asdict(recipe.filters) if opened else {}
    sources = [_source(candidate) for candidate in chosen]
    inputs = {source.id: source.input for source in sources}
    drawing = Drawing(recipe)
    groups = [group for name in names for group in drawing.drawn(_groups(name, made[name]), inputs)]
    for name, number in (+too_long).items():
        say(f"{name}: {number} sentences are too long for the language model and were skipped")
        drawing.left_out[name][TOO_LONG] += number
    return Built(tuple(names), sources, groups, tool_names, thresholds, drawing.left_out)


def _made(
    relation: str, chosen: Sequence[CandidateSentence]
) -> list[tuple[SourceSentence, Rewrite]]:
    return [(one.sentence, new) for one in chosen for new in one.made.get(relation, ())]


def _natural(
    turned: list[tuple[SourceSentence, Rewrite]], recipe: Recipe, tools: Tools
) -> list[tuple[SourceSentence, Rewrite]]:
    """Return the turned sentences that pass the syntactic filter, where it is on."""
    if recipe.filters.structural_fall >= 1:
        return turned
    before = tools.naturalness.naturalness([sentence.text for sentence, _ in turned])
    after = tools.naturalness.naturalness([rewrite.text for _, rewrite in turned])
    fall = recipe.filters.structural_fall
    return [
        pair
        for pair, old, new in zip(turned, before, after, strict=True)
        # 0 is of a sentence that is too long for the language model.
        if old > 0 and new >= old - fall
    ]


def _replacements(
    recipe: Recipe,
    relations: Sequence[MetamorphicRelation],
    chosen: Sequence[CandidateSentence],
    nlp: Language,
    replacer: Replacer,
    progress: Progress,
    too_long: Counter[str],
) -> Made:
    """Replace words and phrases, some sentences at a time, so that little is lost in a kill.

    Sentences that are too long for the language model are counted in ``too_long``, by relation.
    """
    serves = {corpus.name: corpus.relations for corpus in recipe.corpus}
    replacing: dict[str, OfReplacer] = {
        one.id: resolve(WITH_TOOLS[one.id]) for one in relations if one.id in WITH_TOOLS
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
            read = [pair for pair in allowed if replacer.reads(pair[1].text)]
            too_long[name] += len(allowed) - len(read)
            allowed = read
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
    *,
    asks: bool,
) -> Iterator[CandidateSentence]:
    corpora = {corpus.name: corpus for corpus in recipe.corpus}
    # Tools are told of all phrases of the corpora; without them faulty sentences need no parse.
    parsed = _parsed(recipe, data, nlp, say, whole=asks or not recipe.check_sources)
    while batch := list(itertools.islice(parsed, BATCH)):
        good: list[tuple[SourceSentence, Doc]] = []
        for sentence, doc in batch:
            usage.add(doc)
            faulty = recipe.check_sources and (source_fault(doc) or grammar_fault(doc))
            if corpora[sentence.origin].sources and not faulty and _names(doc):
                good.append((sentence, doc))
        made: dict[str, dict[str, list[Rewrite]]] = {one.id: {} for one, _ in good}
        for relation in relations:
            if relation.id not in RELATIONS:
                continue
            build: OfSentences = resolve(RELATIONS[relation.id])
            served = [p for p in good if _may(corpora[p[0].origin].relations, relation.id)]
            rewrites = build([doc for _, doc in served], nlp)
            for (sentence, _), several in zip(served, rewrites, strict=True):
                if several:
                    made[sentence.id][relation.id] = several
        for sentence, doc in good:
            allowed = [r for r in relations if _may(corpora[sentence.origin].relations, r.id)]
            two_of_a_type = any(len(texts) > 1 for texts in _names(doc).values())
            bind = tuple(one.id for one in allowed if one.at_run_time) if two_of_a_type else ()
            may_replace = asks and any(one.id in WITH_TOOLS for one in allowed)
            if made[sentence.id] or bind or may_replace:
                yield CandidateSentence(sentence, made[sentence.id], bind, may_replace)


def _may(allowed: Sequence[str], relation: str) -> bool:
    return not allowed or relation in allowed


def _parsed(
    recipe: Recipe, data: Path, nlp: Language, say: Say, *, whole: bool
) -> Iterator[tuple[SourceSentence, Doc]]:
    corpora = (sentences_of(corpus, data, nlp, say) for corpus in recipe.corpus)
    # A list, since splitting passages switches off parts of the pipeline that parsing needs.
    sentences = list(_apart(distinct(sentence for corpus in corpora for sentence in corpus)))
    sentences = [one for one in sentences if whole or not text_fault(one.text)]
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
    """Return a seeded sample: sentences that something is made of, and names to shuffle.

    A sentence serves as many relations as it can, so that a run asks fewer inputs.
    """

    def draw(candidate: CandidateSentence) -> bytes:
        return hashlib.sha256(f"{recipe.seed}\0{candidate.sentence.text}".encode()).digest()

    refused = refused_ids(recipe)
    drawn = sorted((c for c in candidates if c.sentence.id not in refused), key=draw)
    making = [c for c in drawn if c.made or c.may_replace][: recipe.sentences]
    taken = {candidate.sentence.id for candidate in making}
    others = [c._replace(made={}, may_replace=False) for c in drawn if c.sentence.id not in taken]
    binding = {c.sentence.id for c in [c for c in drawn if c.bind][: recipe.sources]}
    chosen = [c if c.sentence.id in binding else c._replace(bind=()) for c in making]
    chosen += [c for c in others if c.sentence.id in binding]
    return sorted(chosen, key=lambda candidate: candidate.sentence.id)


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
