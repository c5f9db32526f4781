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

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from mt_gate import __version__
from mt_gate.building.ner.structural import Rewrite, to_question
from mt_gate.building.recipe import CorpusFile, Recipe, refused_ids
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
from mt_gate.relations.ner import entity_shuffle, structural
from mt_gate.suites.format import FORMAT, Corpus, Head, SuiteRelation, group_id, write_suite

DEFAULT_PIPELINE = "en_core_web_sm"
BATCH = 256
LICENCES = "LICENCES.md"
# spaCy's labels, by the type that most systems under test share.
NAME_TYPES = {"PERSON": "PER", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC"}

Say = Callable[[str], None]


class Candidate(NamedTuple):
    """A good source sentence with what the relations can make of it."""

    sentence: Sentence
    question: Rewrite | None
    may_shuffle: bool


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


def build(recipe: Recipe, data: Path, out: Path, pipeline: str, say: Say) -> Head:
    """Build a suite and write it.

    Args:
        recipe: corpora and sizes.
        data: folder that the recipe's file names start from.
        out: the suite's folder.
        pipeline: name of an English spaCy pipeline with tagger, parser and entities.
        say: told what was read, a line a corpus.

    Raises:
        UsageError: a file is missing, or the task has no builder.
        CannotJudge: the pipeline is missing, or no sentence is usable.
    """
    if recipe.task != "ner":
        raise UsageError(f"task {recipe.task}: suites cannot be built for it yet; tasks: ner")
    nlp = load_pipeline(pipeline)
    chosen = _choose(recipe, list(_candidates(recipe, data, nlp, say)))
    if not chosen:
        raise CannotJudge(
            "no sentence is a usable source; expected whole English sentences that name people, "
            "places or organisations"
        )
    sources = [_source(candidate) for candidate in chosen]
    groups = [_group(c, c.question) for c in chosen if c.question is not None]
    head = write_suite(out, _head(recipe, sources, groups, nlp), sources, groups)
    with replacing(out / LICENCES) as temporary:
        temporary.write_text(_licences(head), encoding="utf-8")
    return head


def _licences(head: Head) -> str:
    """Return the notice that goes with the sentences."""
    lines = [
        f"# Sentences of the suite {head.name}",
        "",
        "They keep the licences of their sources. Sentences were chosen, detokenised or split out",
        "of passages; follow-ups are these sentences turned into questions, under one licence.",
        "",
        "| Source | Licence | Sentences | Attribution |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {corpus.name} | {corpus.licence} | {corpus.sentences} | {corpus.attribution} |"
        for corpus in head.sources
    ]
    return "\n".join(lines) + "\n"


def _candidates(recipe: Recipe, data: Path, nlp: Language, say: Say) -> Iterator[Candidate]:
    serves = {corpus.name: corpus.relations for corpus in recipe.corpus}
    for sentence, doc in _parsed(recipe, data, nlp, say):
        allowed = serves[sentence.origin]
        names = _names(doc)
        if not names or source_fault(doc):
            continue
        question = _question(doc) if _may(allowed, structural.RELATION.id) else None
        may_shuffle = any(len(texts) > 1 for texts in names.values())
        may_shuffle = may_shuffle and _may(allowed, entity_shuffle.RELATION.id)
        if question or may_shuffle:
            yield Candidate(sentence, question, may_shuffle)


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
    """Return a seeded sample: questions first, up to their number, then names to shuffle."""

    def draw(candidate: Candidate) -> bytes:
        return hashlib.sha256(f"{recipe.seed}\0{candidate.sentence.text}".encode()).digest()

    drawn = sorted(candidates, key=draw)
    with_question = [c for c in drawn if c.question][: recipe.groups]
    taken = {candidate.sentence.id for candidate in with_question}
    others = [
        candidate._replace(question=None)
        for candidate in drawn
        if candidate.may_shuffle and candidate.sentence.id not in taken
    ]
    room = max(0, recipe.sources - len(with_question))
    refused = refused_ids(recipe)
    chosen = [c for c in [*with_question, *others[:room]] if c.sentence.id not in refused]
    return sorted(chosen, key=lambda candidate: candidate.sentence.id)


def _source(candidate: Candidate) -> Source:
    sentence = candidate.sentence
    bind = (entity_shuffle.RELATION.id,) if candidate.may_shuffle else ()
    return Source(id=sentence.id, input={"text": sentence.text}, origin=sentence.origin, bind=bind)


def _group(candidate: Candidate, question: Rewrite) -> Group:
    source, follow_up = {"text": candidate.sentence.text}, {"text": question.text}
    return Group(
        id=group_id(structural.RELATION.id, source, follow_up),
        relation=structural.RELATION.id,
        source=candidate.sentence.id,
        follow_up=follow_up,
        alignment=question.alignment,
    )


def _head(
    recipe: Recipe, sources: Sequence[Source], groups: Sequence[Group], nlp: Language
) -> Head:
    taken = Counter(source.origin for source in sources)
    bound = sum(entity_shuffle.RELATION.id in source.bind for source in sources)
    return Head(
        format=FORMAT,
        name=recipe.name,
        task=recipe.task,
        version=recipe.version,
        seed=recipe.seed,
        description=recipe.description,
        relations=(
            SuiteRelation(
                id=structural.RELATION.id,
                groups=len(groups),
                sources=len({group.source for group in groups}),
            ),
            SuiteRelation(id=entity_shuffle.RELATION.id, groups=0, sources=bound, bound=True),
        ),
        sources=tuple(
            Corpus(
                name=corpus.name,
                licence=corpus.licence,
                attribution=corpus.attribution,
                sentences=taken[corpus.name],
            )
            for corpus in recipe.corpus
        ),
        tools=_tools(nlp),
        thresholds={},
        files={},
    )


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
