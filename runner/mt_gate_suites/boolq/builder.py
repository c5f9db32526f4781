"""Suites for boolean questions, edited by one relation or by two in a row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from spacy.language import Language

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.figures import counted
from mt_gate.domain import Block, Group, Source
from mt_gate.language.kinds import ToolNames
from mt_gate.language.wordnet import WordNet
from mt_gate.relations.catalogue import BY_ID
from mt_gate.tasks.boolq import PASSAGE, QUESTION
from mt_gate_suites.boolq.faults import question_fault
from mt_gate_suites.boolq.question import (
    ParsedQuestion,
    QuestionText,
    Resources,
    Transformation,
    read_questions,
)
from mt_gate_suites.boolq.sources import SourceQuestion, read_boolq
from mt_gate_suites.builder_api import (
    Built,
    Progress,
    Say,
    make_group,
    skipped,
    transformation_of,
    wanted_relations,
)
from mt_gate_suites.drawing import Drawing
from mt_gate_suites.grammar.rewrite import Rewrite, compose, joined
from mt_gate_suites.recipe import CorpusFile, Recipe
from mt_gate_suites.sentences import read_file

BETWEEN_REPORTS = 256
"""Questions that are worked on between two reports of progress."""
OF_PASSAGES = frozenset({"boolq/voice-change"})
"""Relations that edit the passage; the others edit the question."""


def build_boolq(
    recipe: Recipe,
    data: Path,
    nlp: Language,
    say: Say,
    tools: ToolNames | None,
    progress: Progress,
) -> Built:
    """Build the cases of a recipe for task boolq.

    Raises:
        UsageError: a file is missing or not of its kind, or a relation is unknown.
        CannotJudge: WordNet is missing, or no question can be edited.
    """
    relations = wanted_relations(recipe)
    wordnet = WordNet(tools.wordnet if tools else "")
    resources = Resources(nlp, wordnet)
    made: dict[str, list[Group]] = defaultdict(list)
    sources: dict[str, SourceQuestion] = {}
    drawing = Drawing(recipe)
    seen, converted = Counter[str](), Counter[str]()
    for corpus in recipe.corpus:
        questions = _read(corpus, data, say)
        for item in questions:
            if sources.setdefault(item.id, item).input != item.input:
                raise UsageError(
                    f"{corpus.name}: two questions have the id {quoted(item.id)}. Give each its "
                    "own."
                )
        inputs = {name: item.input for name, item in sources.items()}
        edits = Edits(questions, resources, progress, recipe)
        say(f"{corpus.name}: {skipped('faulty question', edits.faults)}")
        for name in relations:
            groups, enough = made[name], recipe.enough
            if (enough and len(groups) >= enough) or name not in (corpus.relations or relations):
                continue
            # The first corpus gives all its cases; a later one only adds cases up to ``enough``.
            room = enough - len(groups) if enough and groups else recipe.groups
            built = list(edits.groups(name))
            seen[name] += edits.usable
            converted[name] += len(built)
            groups += drawing.drawn(built, inputs, room, groups)
    groups = [group for name in relations for group in made[name]]
    if not groups:
        raise CannotJudge(
            'No question can be edited. Expected boolean questions in English, such as "is oslo '
            'the capital of norway".'
        )
    used = [Source(id=item.id, input=item.input, origin=item.origin) for item in sources.values()]
    return Built(
        tuple(relations),
        used,
        groups,
        {"wordnet": wordnet.name},
        {},
        drawing.left_out,
        seen=seen,
        converted=converted,
    )


def _read(corpus: CorpusFile, data: Path, say: Say) -> list[SourceQuestion]:
    if corpus.kind != "questions":
        raise UsageError(
            f"{data / corpus.file} is of kind {corpus.kind}, but task boolq reads kind questions."
        )
    questions = read_file(corpus, data, lambda path: read_boolq(path, corpus.name))
    say(f"{corpus.name}: {counted(len(questions), 'question')}")
    return questions


class Edits:
    """Edits the questions of a corpus; one relation may edit the results of another."""

    def __init__(
        self,
        sources: Sequence[SourceQuestion],
        resources: Resources,
        progress: Progress,
        recipe: Recipe,
    ) -> None:
        """Parse the questions; omit faulty ones if the recipe checks them."""
        self._resources = resources
        self._progress = progress
        self._recipe = recipe
        self._made: dict[str, Mapping[str, Rewrite]] = {}
        self._sources = {source.id: source for source in sources}
        self.faults: Counter[str] = Counter()
        self._questions = self._parse({source.id: source.texts for source in sources})
        self.usable = len(self._questions)

    def groups(self, name: str) -> Iterator[Group]:
        """Yield the cases of a relation, in the order of the sources."""
        parts = [part.id for part in BY_ID[name].parts] or [name]
        edited = [self._rewrites(parts[0])]
        if parts[1:] and parts[1] in OF_PASSAGES:
            edited.append(self._rewrites(parts[1]))
        elif parts[1:]:
            edited = [self._again(edited[0], parts.pop())]
        for source in self._questions:
            if all(source in rewrites for rewrites in edited):
                changes = {
                    PASSAGE if part in OF_PASSAGES else QUESTION: rewrites[source]
                    for part, rewrites in zip(parts, edited, strict=True)
                }
                yield _group(name, self._sources[source], changes)

    def _rewrites(self, relation: str) -> Mapping[str, Rewrite]:
        if relation not in self._made:
            self._made[relation] = self._apply(relation, self._questions)
        return self._made[relation]

    def _again(self, first: Mapping[str, Rewrite], relation: str) -> Mapping[str, Rewrite]:
        """Edit the questions of a first relation by a second one; return both edits as one."""
        texts = {
            source: self._sources[source].texts._replace(question=rewrite.text)
            for source, rewrite in first.items()
        }
        second = self._apply(relation, self._parse(texts))
        both = {source: compose(first[source], rewrite) for source, rewrite in second.items()}
        return {
            source: rewrite
            for source, rewrite in both.items()
            if rewrite.text != self._sources[source].texts.question
        }

    def _apply(
        self, relation: str, questions: Mapping[str, ParsedQuestion]
    ) -> Mapping[str, Rewrite]:
        transformation: Transformation = transformation_of(relation, paper=self._recipe.paper)
        made: dict[str, Rewrite] = {}
        for at, (source, question) in enumerate(questions.items()):
            if at % BETWEEN_REPORTS == 0:
                self._progress(at, len(questions))
            rewrite = transformation(question, self._resources)
            if rewrite is not None:
                made[source] = rewrite
        self._progress(len(questions), len(questions))
        return made

    def _parse(self, texts: Mapping[str, QuestionText]) -> dict[str, ParsedQuestion]:
        nlp, wordnet = self._resources
        parsed: dict[str, ParsedQuestion] = {}
        questions = read_questions(list(texts.values()), nlp, wordnet.is_name)
        for at, (source, question) in enumerate(zip(texts, questions, strict=True)):
            if at % BETWEEN_REPORTS == 0:
                self._progress(at, len(texts))
            fault = question_fault(question, wordnet) if self._recipe.check_sources else None
            if fault:
                self.faults[fault] += 1
            else:
                parsed[source] = question
        self._progress(len(texts), len(texts))
        return parsed


def _group(relation: str, source: SourceQuestion, changes: Mapping[str, Rewrite]) -> Group:
    before = source.input
    rewrites = {
        name: changes.get(name) or Rewrite(text, (Block(0, 0, len(text)),))
        for name, text in before.items()
    }
    question, passage = rewrites[QUESTION], rewrites[PASSAGE]
    after = {name: rewrite.text for name, rewrite in rewrites.items()}
    # Alignments count in question, line end and passage.
    old, new = len(before[QUESTION]), len(question.text)
    alignment = joined(
        [
            *question.alignment,
            Block(old, new, 1),
            *(Block(a + old + 1, b + new + 1, size) for a, b, size in passage.alignment),
        ]
    )
    stratum = passage.stratum or question.stratum
    return make_group(relation, source.id, before, after, alignment, stratum)
