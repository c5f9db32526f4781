"""Suites for named entity recognition: sentences restructured, words replaced, names shuffled.

The functions of ``TRANSFORMATIONS`` edit parsed sentences and get their pipeline, too. Those of
``WITH_TOOLS`` need language tools: they get a ``Replacer`` and parsed sentences.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import NamedTuple

import msgspec
from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.base.errors import CannotJudge
from mt_gate.base.figures import counted
from mt_gate.domain import Group, Source
from mt_gate.language.kinds import ToolNames, Tools, open_lexicons, open_tools
from mt_gate.relations.catalogue import BY_ID
from mt_gate_suites.builder_api import (
    TRANSFORMATIONS,
    WITH_TOOLS,
    Built,
    Progress,
    Say,
    make_group,
    skipped,
    transformation_of,
    wanted_relations,
)
from mt_gate_suites.drawing import Drawing
from mt_gate_suites.grammar.faults import grammar_fault
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.ner.replacement import Replacer
from mt_gate_suites.ner.slots import SEEN_AT_LEAST, Usage
from mt_gate_suites.recipe import Recipe, refused_ids
from mt_gate_suites.sentences import SourceSentence, distinct, sentences_of
from mt_gate_suites.source_faults import source_fault, text_fault

BATCH = 256
# The type that most models use, by spaCy's label.
NAME_TYPES = {"PERSON": "PER", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC"}
AT_ONCE = 32
"""Sentences per batch of replaced words; a killed build has to repeat one batch."""
TOO_LONG = "too long for the language model"

OfSentences = Callable[[Sequence[Doc], Language], list[list[Rewrite]]]
OfReplacer = Callable[[Replacer, Sequence[Doc]], list[list[Rewrite]]]
Made = dict[str, list[tuple[SourceSentence, Rewrite]]]
"""Edited texts with their sources, by relation."""


class CandidateSentence(NamedTuple):
    """A usable source sentence, with the relations that can edit it.

    ``made`` has its edited texts by relation, ``bind`` the relations that can build
    from it at run time, ``replacing`` the relations that edit it with language tools.
    """

    sentence: SourceSentence
    made: Mapping[str, list[Rewrite]]
    bind: tuple[str, ...]
    replacing: tuple[str, ...]


def build_ner(
    recipe: Recipe,
    data: Path,
    nlp: Language,
    say: Say,
    tools: ToolNames | None,
    progress: Progress,
) -> Built:
    """Build the cases of a recipe for task ner.

    Raises:
        UsageError: a file is missing or not of its kind.
        CannotJudge: a tool is missing, or no sentence is usable.
    """
    names = wanted_relations(recipe)
    models = tools is not None and tools.models
    replacing = [name for name in names if name in WITH_TOOLS] if models or recipe.paper else []
    opened = None
    if replacing:
        opened = open_tools(tools) if tools and models else open_lexicons(tools)
    usage, seen = Usage(), Counter[str]()
    read = _candidates(recipe, names, replacing, data, nlp, usage, say, seen)
    chosen = _choose(recipe, list(read))
    if not chosen:
        raise CannotJudge(
            "No sentence is a usable source. Expected whole English sentences that name people, "
            "places or organisations."
        )
    made: Made = {
        name: [(one.sentence, new) for one in chosen for new in one.made.get(name, ())]
        for name in names
    }
    tool_names: dict[str, str] = {}
    too_long: Counter[str] = Counter()
    if opened:
        replacer = Replacer(
            opened,
            recipe.filters,
            nlp,
            usage,
            recipe.fills,
            strict=not (recipe.paper and models),
            least=1 if recipe.paper else SEEN_AT_LEAST,
        )
        tool_names = replacer.names
        _replace(made, replacing, chosen, nlp, replacer, progress, too_long)
        if models and recipe.filters.structural_fall < 1:
            for name in TRANSFORMATIONS.keys() & made.keys() - WITH_TOOLS.keys():
                texts = {sentence.text for sentence, _ in made[name]}
                too_long[name] += sum(not opened.reads(text) for text in texts)
                made[name] = _natural(made[name], recipe.filters.structural_fall, opened)
    sources = [
        Source(
            id=one.sentence.id,
            input={"text": one.sentence.text},
            origin=one.sentence.origin,
            bind=one.bind,
        )
        for one in chosen
    ]
    inputs = {source.id: source.input for source in sources}
    drawing = Drawing(recipe)
    groups = [group for name in names for group in drawing.drawn(_groups(name, made[name]), inputs)]
    for name, number in (+too_long).items():
        say(f"{name}: {counted(number, 'sentence')} skipped, too long for the language model")
        drawing.left_out[name][TOO_LONG] += number
    thresholds = msgspec.structs.asdict(recipe.filters) if models else {}
    converted = {
        name: len({sentence.id for sentence, _ in made[name]})
        + sum(name in source.bind for source in sources)
        for name in names
    }
    return Built(
        tuple(names),
        sources,
        groups,
        tool_names,
        thresholds,
        drawing.left_out,
        seen=seen,
        converted=converted,
    )


def _natural(
    turned: Sequence[tuple[SourceSentence, Rewrite]], fall: float, tools: Tools
) -> list[tuple[SourceSentence, Rewrite]]:
    before = tools.naturalness.naturalness([sentence.text for sentence, _ in turned])
    after = tools.naturalness.naturalness([rewrite.text for _, rewrite in turned])
    # Naturalness 0 means that a sentence is too long for the language model.
    scored = zip(turned, before, after, strict=True)
    return [pair for pair, old, new in scored if old > 0 and new >= old - fall]


def _replace(
    made: Made,
    replacing: Sequence[str],
    chosen: Sequence[CandidateSentence],
    nlp: Language,
    replacer: Replacer,
    progress: Progress,
    too_long: Counter[str],
) -> None:
    """Replace words and phrases in batches of sentences, so that a killed build loses little.

    Sentences that are too long for the language model are counted in ``too_long``, by relation.
    """
    builders: dict[str, OfReplacer] = {name: resolve_name(WITH_TOOLS[name]) for name in replacing}
    for start in range(0, len(chosen), AT_ONCE):
        progress(start, len(chosen))
        some = chosen[start : start + AT_ONCE]
        docs = list(nlp.pipe(one.sentence.text for one in some))
        for name, build in builders.items():
            allowed = [
                (one, doc) for one, doc in zip(some, docs, strict=True) if name in one.replacing
            ]
            read = [(one, doc) for one, doc in allowed if replacer.reads(doc.text)]
            too_long[name] += len(allowed) - len(read)
            rewrites = build(replacer, [doc for _, doc in read])
            for (one, _), several in zip(read, rewrites, strict=True):
                made[name] += [(one.sentence, rewrite) for rewrite in several]
    progress(len(chosen), len(chosen))


def _candidates(
    recipe: Recipe,
    names: Sequence[str],
    replacing: Sequence[str],
    data: Path,
    nlp: Language,
    usage: Usage,
    say: Say,
    seen: Counter[str],
) -> Iterator[CandidateSentence]:
    """Yield the sentences that a relation can edit; count the usable ones by relation."""
    faults: Counter[str] = Counter()
    corpora = {corpus.name: corpus for corpus in recipe.corpus}
    # Tools use all phrases of the corpora; without tools, faulty sentences need no parse.
    whole = bool(replacing) or not recipe.check_sources
    parsed = _parse(recipe, data, nlp, say, faults, whole=whole)
    while batch := list(itertools.islice(parsed, BATCH)):
        good: list[tuple[SourceSentence, Doc]] = []
        for sentence, doc in batch:
            usage.add(doc)
            if not corpora[sentence.origin].sources:
                continue
            fault = _fault(doc, recipe)
            if fault:
                faults[fault] += 1
            else:
                good.append((sentence, doc))
        serves = {one.id: corpora[one.origin].relations or tuple(names) for one, _ in good}
        made: dict[str, dict[str, list[Rewrite]]] = {one.id: {} for one, _ in good}
        for name in names:
            if name in TRANSFORMATIONS and not (recipe.paper and name in replacing):
                build: OfSentences = transformation_of(name, paper=recipe.paper)
                served = [pair for pair in good if name in serves[pair[0].id]]
                rewrites = build([doc for _, doc in served], nlp)
                for (sentence, _), several in zip(served, rewrites, strict=True):
                    if several:
                        made[sentence.id][name] = several
        for sentence, doc in good:
            allowed = [name for name in names if name in serves[sentence.id]]
            seen.update(allowed)
            two_of_a_type = any(len(texts) > 1 for texts in _names(doc).values())
            bind = tuple(name for name in allowed if two_of_a_type and BY_ID[name].at_run_time)
            tools = tuple(name for name in allowed if name in replacing)
            if made[sentence.id] or bind or tools:
                yield CandidateSentence(sentence, made[sentence.id], bind, tools)
    if faults:
        say(skipped("sentence", faults))


def _fault(doc: Doc, recipe: Recipe) -> str:
    fault = source_fault(doc) if recipe.check_sources else None
    if not fault and recipe.check_sources and not recipe.paper:
        fault = grammar_fault(doc)
    return fault or ("" if _names(doc) else "no-name")


def _parse(
    recipe: Recipe, data: Path, nlp: Language, say: Say, faults: Counter[str], *, whole: bool
) -> Iterator[tuple[SourceSentence, Doc]]:
    """Parse the sentences, without those that differ only in case, digits or marks from another."""
    corpora = (sentences_of(corpus, data, nlp, say) for corpus in recipe.corpus)
    first: dict[str, SourceSentence] = {}
    sourced = {corpus.name for corpus in recipe.corpus if corpus.sources}
    # Read all corpora first: splitting passages disables parts of the pipeline that parsing needs.
    for sentence in distinct(itertools.chain.from_iterable(corpora)):
        first.setdefault(re.sub(r"[\W\d_]+", " ", sentence.text).casefold(), sentence)
    sentences = []
    for one in first.values():
        fault = None if whole else text_fault(one.text)
        if fault is None:
            sentences.append(one)
        elif one.origin in sourced:
            faults[fault] += 1
    say(f"parsing {len(sentences)} distinct sentences")
    pairs = ((sentence.text, sentence) for sentence in sentences)
    for doc, sentence in nlp.pipe(pairs, as_tuples=True, batch_size=BATCH):
        yield sentence, doc


def _names(doc: Doc) -> dict[str, set[str]]:
    names: dict[str, set[str]] = defaultdict(set)
    for entity in doc.ents:
        if entity.label_ in NAME_TYPES and entity.text[:1].isupper():
            names[NAME_TYPES[entity.label_]].add(entity.text)
    return names


def _choose(recipe: Recipe, candidates: Sequence[CandidateSentence]) -> list[CandidateSentence]:
    """Return a seeded sample of sentences with edits, and of sentences with names to shuffle.

    Both samples use the same order and so share sentences: a run then needs fewer predictions.
    """

    def draw(candidate: CandidateSentence) -> bytes:
        return hashlib.sha256(f"{recipe.seed}\0{candidate.sentence.text}".encode()).digest()

    refused = refused_ids(recipe)
    drawn = sorted((c for c in candidates if c.sentence.id not in refused), key=draw)
    making = {
        c.sentence.id for c in [c for c in drawn if c.made or c.replacing][: recipe.sentences]
    }
    binding = {c.sentence.id for c in [c for c in drawn if c.bind][: recipe.sources]}
    made, bound = set(making), set(binding)
    chosen: list[CandidateSentence] = []
    for candidate in sorted(drawn, key=lambda candidate: candidate.sentence.id):
        name = candidate.sentence.id
        if name not in bound:
            candidate = candidate._replace(bind=())
        if name not in made:
            candidate = candidate._replace(made={}, replacing=())
        if name in made or name in bound:
            chosen.append(candidate)
    return chosen


def _groups(relation: str, made: Sequence[tuple[SourceSentence, Rewrite]]) -> Iterator[Group]:
    for sentence, rewrite in made:
        source, follow_up = {"text": sentence.text}, {"text": rewrite.text}
        yield make_group(relation, sentence.id, source, follow_up, rewrite.alignment)
