"""Suites for boolean questions: what each relation's builder makes, and two of them in a row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language

from mt_gate.base.errors import CannotJudge, UsageError, quoted, reported
from mt_gate.base.lazy import resolve
from mt_gate.domain import Block, Group, Source
from mt_gate.language.kinds import ToolNames
from mt_gate.language.wordnet import WordNet
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.catalogue import BY_ID
from mt_gate.suites.format import group_id
from mt_gate.tasks.boolq import PASSAGE, QUESTION
from mt_gate_suites.boolq.faults import question_fault
from mt_gate_suites.boolq.question import ParsedQuestion, QuestionText, read_questions
from mt_gate_suites.boolq.sources import SourceQuestion, read_boolq
from mt_gate_suites.boolq.transformation import (
    OfPassage,
    OfQuestion,
    OfQuestions,
    QuestionResources,
    Transformation,
    question_rewrites,
)
from mt_gate_suites.builder_api import Built, Progress, Say, wanted_relations
from mt_gate_suites.builders import RELATIONS
from mt_gate_suites.drawing import Drawing
from mt_gate_suites.grammar.compose import compose, joined
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.recipe import CorpusFile, Recipe

AT_ONCE = 256
"""Questions or passages that are worked on between two reports of progress."""

Turned = Mapping[str, Rewrite]
"""Rewrites of questions, or of passages, by the source's id."""


class ChangedSource(NamedTuple):
    """A source with its follow-up's question and passage; None where one stays."""

    source: SourceQuestion
    question: Rewrite | None
    passage: Rewrite | None


def build_boolq(
    recipe: Recipe,
    data: Path,
    nlp: Language,
    say: Say,
    tools: ToolNames | None,
    progress: Progress,
) -> Built:
    """Build the groups of a recipe for task boolq.

    Raises:
        UsageError: a file is missing or not of its kind, or a relation is unknown.
        CannotJudge: WordNet is missing, or no question can be turned.
    """
    relations = wanted_relations(recipe)
    wordnet = WordNet(tools.wordnet if tools else "")
    found: dict[str, list[Group]] = defaultdict(list)
    sources: dict[str, SourceQuestion] = {}
    drawing = Drawing(recipe)
    for corpus in recipe.corpus:
        questions = _read(corpus, data, say)
        for item in questions:
            if sources.setdefault(item.id, item).input != item.input:
                raise UsageError(
                    f"{corpus.name}: id {quoted(item.id)} is of two questions; give each its own"
                )
        inputs = {name: item.input for name, item in sources.items()}
        short = [name for name in relations if not _enough(recipe, found[name])]
        serves = [name for name in short if not corpus.relations or name in corpus.relations]
        turning = _Turning(questions, nlp, wordnet, progress, sound=recipe.check_sources)
        say(f"{corpus.name}: {turning.left_out} questions with faults of their own are left out")
        for name in serves:
            found[name] += drawing.drawn(
                turning.groups(name), inputs, _room(recipe, found[name]), found[name]
            )
    groups = [group for name in relations for group in found[name]]
    if not groups:
        raise CannotJudge(
            "no question can be edited; expected boolean questions in English, such as "
            '"is oslo the capital of norway"'
        )
    used = [Source(id=item.id, input=item.input, origin=item.origin) for item in sources.values()]
    used_tools = {"wordnet": wordnet.name}
    return Built(tuple(relations), used, groups, used_tools, {}, drawing.left_out)


def _enough(recipe: Recipe, groups: Sequence[Group]) -> bool:
    return bool(recipe.enough) and len(groups) >= recipe.enough


def _room(recipe: Recipe, groups: Sequence[Group]) -> int:
    """Return how many groups a corpus may give; the first gives all it has."""
    return recipe.enough - len(groups) if recipe.enough and groups else recipe.groups


def _read(corpus: CorpusFile, data: Path, say: Say) -> list[SourceQuestion]:
    path = data / corpus.file
    if not path.is_file():
        raise UsageError(f"{path}: no such file; the recipe names it; check --data")
    if corpus.kind != "questions":
        raise UsageError(f"{path}: of kind {corpus.kind}; task boolq reads kind questions")
    try:
        questions = list(read_boolq(path, corpus.name))
    except (ValueError, OSError, EOFError) as error:
        raise UsageError(
            f"{path}: not boolean questions ({reported(error)}); see docs/suites.md"
        ) from None
    say(f"{corpus.name}: {len(questions)} questions")
    return questions


class _Turning:
    """Turns the questions of a corpus; what one relation made another may build on."""

    def __init__(
        self,
        sources: Sequence[SourceQuestion],
        nlp: Language,
        wordnet: WordNet,
        progress: Progress,
        *,
        sound: bool,
    ) -> None:
        """Read the questions; where only ``sound`` ones are wanted, leave out the others."""
        self._resources = QuestionResources(nlp, wordnet)
        self._progress = progress
        self._sound = sound
        self._made: dict[str, Turned] = {}
        parsed = self._parsed([source.asked for source in sources])
        pairs = [
            (source, question)
            for source, question in zip(sources, parsed, strict=True)
            if self._is_good(question)
        ]
        self._sources = [source for source, _ in pairs]
        self._questions = {source.id: question for source, question in pairs}
        self.left_out = len(sources) - len(pairs)

    def groups(self, name: str) -> Iterator[Group]:
        """Yield the groups of a relation, in the order of the sources."""
        relation = BY_ID[name]
        changes = self._composed(*relation.parts) if relation.parts else self._single(relation)
        for change in changes:
            yield _group(name, change)

    def _single(self, relation: MetamorphicRelation) -> Iterator[ChangedSource]:
        turned = self._turned(relation)
        of_passage = isinstance(resolve(RELATIONS[relation.id]), OfPassage)
        for source in self._sources:
            rewrite = turned.get(source.id)
            if rewrite is not None:
                yield ChangedSource(source, *((None, rewrite) if of_passage else (rewrite, None)))

    def _composed(
        self, first: MetamorphicRelation, second: MetamorphicRelation
    ) -> Iterator[ChangedSource]:
        """Yield sources that both relations apply to, the second to what the first made."""
        before = self._turned(first)
        transformation: Transformation = resolve(RELATIONS[second.id])
        if isinstance(transformation, OfPassage):
            passages = self._turned(second)
            for source in self._sources:
                if source.id in before and source.id in passages:
                    yield ChangedSource(source, before[source.id], passages[source.id])
            return
        taken = [source for source in self._sources if source.id in before]
        asked = [source.asked._replace(question=before[source.id].text) for source in taken]
        between = zip(taken, self._parsed(asked), strict=True)
        sound = [(source, question) for source, question in between if self._is_good(question)]
        taken, questions = [source for source, _ in sound], [question for _, question in sound]
        turned = question_rewrites(transformation, questions, self._resources)
        for source, rewrite in zip(taken, turned, strict=True):
            if isinstance(rewrite, Rewrite):
                both = compose(before[source.id], rewrite)
                if both.text != source.asked.question:
                    yield ChangedSource(source, both, None)

    def _is_good(self, question: ParsedQuestion) -> bool:
        return not self._sound or question_fault(question, self._resources.wordnet) is None

    def _turned(self, relation: MetamorphicRelation) -> Turned:
        if relation.id not in self._made:
            transformation: Transformation = resolve(RELATIONS[relation.id])
            self._made[relation.id] = (
                self._passages(transformation)
                if isinstance(transformation, OfPassage)
                else self._of_questions(transformation)
            )
        return self._made[relation.id]

    def _of_questions(self, transformation: OfQuestion | OfQuestions) -> Turned:
        questions = list(self._questions.values())
        rewrites = question_rewrites(transformation, questions, self._resources)
        pairs = zip(self._questions, rewrites, strict=True)
        return {name: rewrite for name, rewrite in pairs if isinstance(rewrite, Rewrite)}

    def _parsed(self, asked: Sequence[QuestionText]) -> Iterator[ParsedQuestion]:
        nlp, wordnet = self._resources
        for at, question in enumerate(read_questions(asked, nlp, wordnet.is_name)):
            if at % AT_ONCE == 0:
                self._progress(at, len(asked))
            yield question
        self._progress(len(asked), len(asked))

    def _passages(self, transformation: OfPassage) -> Turned:
        """Parse each distinct passage once: several questions may ask about one."""
        asking: dict[str, list[SourceQuestion]] = defaultdict(list)
        for source in self._sources:
            asking[source.asked.passage].append(source)
        turned: dict[str, Rewrite] = {}
        docs = self._resources.nlp.pipe(asking, batch_size=32)
        for at, (doc, sources) in enumerate(zip(docs, asking.values(), strict=True)):
            if at % AT_ONCE == 0:
                self._progress(at, len(asking))
            for source in sources:
                rewrite = transformation.rewrite(doc, source.asked)
                if isinstance(rewrite, Rewrite):
                    turned[source.id] = rewrite
        self._progress(len(asking), len(asking))
        return turned


def _group(relation: str, change: ChangedSource) -> Group:
    before = change.source.input
    question = change.question or _unchanged(before[QUESTION])
    passage = change.passage or _unchanged(before[PASSAGE])
    after = {QUESTION: question.text, PASSAGE: passage.text}
    return Group(
        id=group_id(relation, before, after),
        relation=relation,
        source=change.source.id,
        follow_up=after,
        alignment=_whole(question, passage, len(before[QUESTION])),
        stratum=passage.stratum or question.stratum,
    )


def _unchanged(text: str) -> Rewrite:
    return Rewrite(text, (Block(0, 0, len(text)),))


def _whole(question: Rewrite, passage: Rewrite, length: int) -> tuple[Block, ...]:
    """Return the alignment over question, line end and passage; ``length`` of the old question."""
    source, follow_up = length + 1, len(question.text) + 1
    blocks = [
        *question.alignment,
        Block(length, len(question.text), 1),
        *(Block(b.source + source, b.follow_up + follow_up, b.length) for b in passage.alignment),
    ]
    return joined(blocks)
