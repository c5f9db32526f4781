"""Building a suite: sentences in, frozen metamorphic groups out. Rare and slow."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import msgspec
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from mt_gate import __version__
from mt_gate.building.ner.noun_phrases import Usage
from mt_gate.building.ner.replacement import Replacer
from mt_gate.building.ner.structural import to_question
from mt_gate.building.recipe import CorpusFile, Recipe, refused_ids
from mt_gate.building.rewrite import Rewrite
from mt_gate.building.sentences import (
    Sentence,
    distinct,
    read_text,
    read_tokens,
    source_fault,
    split_passages,
)
from mt_gate.domain import Group, Source
from mt_gate.errors import CannotJudge, UsageError
from mt_gate.jsonio import replacing
from mt_gate.language.opening import ToolNames, Tools, open_tools
from mt_gate.relations.catalogue import BY_ID, relations_of
from mt_gate.relations.ner import (
    entity_shuffle,
    phrase_replacement,
    structural,
    token_replacement,
)
from mt_gate.suites.format import FORMAT, Corpus, Head, SuiteRelation, group_id, write_suite

DEFAULT_PIPELINE = "en_core_web_sm"
BATCH = 256
LICENCES = "LICENCES.md"
# spaCy's labels, by the type that most systems under test share.
NAME_TYPES = {"PERSON": "PER", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC"}

REPLACING = frozenset({token_replacement.RELATION.id, phrase_replacement.RELATION.id})
"""Relations whose follow-ups need language tools."""
AT_ONCE = 32
"""Sentences whose words are replaced together: what a killed build asks its tools again."""

Say = Callable[[str], None]
Progress = Callable[[int, int], None]


def no_progress(_done: int, _total: int) -> None:
    """Say nothing."""


class Candidate(NamedTuple):
    """A good source sentence with what the relations can make of it."""

    sentence: Sentence
    question: Rewrite | None
    may_shuffle: bool
    may_replace: bool


Made = dict[str, list[tuple[Sentence, Rewrite]]]
"""Follow-ups with their sources, by relation."""


def load_pipeline(name: str) -> Language:
    """Load a spaCy pipeline.

    Raises:
        CannotJudge: it is not installed.
    """
    try:
        return spacy.load(name)
    except OSError:
        raise CannotJudge(
            f"spaCy pipeline {name!r} is not installed; python -m spacy download {name}, or name "
            "another with --pipeline"
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
) -> Head:
    """Build a suite and write it.

    Args:
        recipe: corpora, relations and sizes.
        data: folder that the recipe's file names start from.
        out: the suite's folder.
        pipeline: name of an English spaCy pipeline with tagger, parser and entities.
        say: told what was read, a line a corpus.
        tools: language tools; None leaves out the relations that need them.
        progress: told sentences done and sentences to do while words and phrases are replaced.

    Raises:
        UsageError: a file is missing, the task has no builder, or a tool is not named.
        CannotJudge: pipeline or tools are missing, or no sentence is usable.
    """
    if recipe.task != "ner":
        raise UsageError(f"task {recipe.task}: suites cannot be built for it yet; tasks: ner")
    relations = _relations(recipe, tools)
    opened = open_tools(tools) if tools and not REPLACING.isdisjoint(relations) else None
    nlp = load_pipeline(pipeline)
    usage = Usage()
    candidates = list(_candidates(recipe, relations, data, nlp, usage, say))
    chosen = _choose(recipe, candidates)
    if not chosen:
        raise CannotJudge(
            "no sentence is a usable source; expected whole English sentences that name people, "
            "places or organisations"
        )
    names = _tools(nlp)
    made: Made = {structural.RELATION.id: _questions(chosen, recipe, opened)}
    if opened:
        replacer = Replacer(opened, recipe.filters, nlp, usage, recipe.fills)
        names |= replacer.names
        made |= _replacements(recipe, relations, chosen, nlp, replacer, progress)
    sources = [_source(candidate) for candidate in chosen]
    groups = [
        group
        for relation in relations
        for group in _groups(relation, made.get(relation, []), recipe)
    ]
    used = {group.source for group in groups}
    sources = [source for source in sources if source.bind or source.id in used]
    thresholds = msgspec.structs.asdict(recipe.filters) if opened else {}
    head = _head(recipe, relations, sources, groups, names, thresholds)
    head = write_suite(out, head, sources, groups)
    with replacing(out / LICENCES) as temporary:
        temporary.write_text(_licences(head), encoding="utf-8")
    return head


def _relations(recipe: Recipe, tools: ToolNames | None) -> list[str]:
    """Return the relations to build, in catalogue order.

    Raises:
        UsageError: the recipe asks for one that is unknown, or whose tools are not named.
    """
    known = [relation.id for relation in relations_of(recipe.task)]
    wanted = recipe.relations or [r for r in known if tools or r not in REPLACING]
    for name in wanted:
        if name not in known:
            raise UsageError(f"relation {name!r}: task {recipe.task} has {', '.join(known)}")
    if tools is None and not REPLACING.isdisjoint(wanted):
        raise UsageError(
            f"relation {min(REPLACING.intersection(wanted))!r} needs a language model and an "
            "encoder; name them with --masked-lm or --causal-lm, and --encoder"
        )
    return [name for name in known if name in wanted]


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


def _licences(head: Head) -> str:
    """Return the notice that goes with the sentences."""
    lines = [
        f"# Sentences of the suite {head.name}",
        "",
        "They keep the licences of their sources. Sentences were chosen, detokenised or split out",
        "of passages; follow-ups are these sentences turned into questions, or with a word or a",
        "phrase replaced, under the same licence.",
        "",
        "| Source | Licence | Sentences | Attribution |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {corpus.name} | {corpus.licence} | {corpus.sentences} | {corpus.attribution} |"
        for corpus in head.sources
    ]
    return "\n".join(lines) + "\n"


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
    corpora = (_sentences(corpus, data, nlp, say) for corpus in recipe.corpus)
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


def _sentences(corpus: CorpusFile, data: Path, nlp: Language, say: Say) -> list[Sentence]:
    path = data / corpus.file
    if not path.is_file():
        raise UsageError(f"{path}: no such file; the recipe names it; check --data")
    try:
        sentences = list(_read(corpus, path, nlp))
    except (ValueError, OSError, EOFError) as error:
        raise UsageError(
            f"{path}: not of kind {corpus.kind} ({error}); see docs/suites.md"
        ) from None
    say(f"{corpus.name}: {len(sentences)} sentences")
    return sentences


def _read(corpus: CorpusFile, path: Path, nlp: Language) -> Iterable[Sentence]:
    if corpus.kind == "passages":
        return split_passages(path, corpus.name, nlp)
    return (
        read_tokens(path, corpus.name) if corpus.kind == "tokens" else read_text(path, corpus.name)
    )


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


def _groups(relation: str, made: Sequence[tuple[Sentence, Rewrite]], recipe: Recipe) -> list[Group]:
    """Return the groups of a relation, at most the recipe's number, without refused ones."""
    found = {}
    for sentence, rewrite in made:
        source, follow_up = {"text": sentence.text}, {"text": rewrite.text}
        name = group_id(relation, source, follow_up)
        found[name] = Group(
            id=name,
            relation=relation,
            source=sentence.id,
            follow_up=follow_up,
            alignment=rewrite.alignment,
        )
    refused = refused_ids(recipe)
    # An id is a hash: the least of them are a random sample, the same wherever it is drawn.
    taken = {name for name in sorted(found)[: recipe.groups] if name not in refused}
    return [group for name, group in found.items() if name in taken]


def _head(
    recipe: Recipe,
    relations: Sequence[str],
    sources: Sequence[Source],
    groups: Sequence[Group],
    tools: dict[str, str],
    thresholds: dict[str, float],
) -> Head:
    taken = Counter(source.origin for source in sources)
    return Head(
        format=FORMAT,
        name=recipe.name,
        task=recipe.task,
        version=recipe.version,
        seed=recipe.seed,
        description=recipe.description,
        relations=tuple(_counted(name, sources, groups) for name in relations),
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
        thresholds=thresholds,
        files={},
    )


def _counted(name: str, sources: Sequence[Source], groups: Sequence[Group]) -> SuiteRelation:
    if BY_ID[name].bind is not None:
        bound = sum(name in source.bind for source in sources)
        return SuiteRelation(id=name, groups=0, sources=bound, bound=True)
    own = [group.source for group in groups if group.relation == name]
    return SuiteRelation(id=name, groups=len(own), sources=len(set(own)))


def _tools(nlp: Language) -> dict[str, str]:
    """Return what a rebuild needs to come out the same, byte for byte."""
    tools = {
        "mt-gate": __version__,
        "spacy": version("spacy"),
        "pipeline": f"{nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}",
    }
    with contextlib.suppress(PackageNotFoundError):
        tools["lemminflect"] = version("lemminflect")
    return tools
