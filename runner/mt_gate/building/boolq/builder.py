"""Suites for boolean questions: seven transformations, and two of them in a row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language

from mt_gate.base.errors import CannotJudge, UsageError, reported
from mt_gate.building.boolq.adjectives.antonym import antonym
from mt_gate.building.boolq.adjectives.synonym import synonym
from mt_gate.building.boolq.adverbials.position import adverbial_position
from mt_gate.building.boolq.before_after import before_after
from mt_gate.building.boolq.negation.tag import with_negation_tags
from mt_gate.building.boolq.question import Asked, Question, read_questions
from mt_gate.building.boolq.sources import SourceQuestion, read_boolq
from mt_gate.building.boolq.tense.change import tense_change
from mt_gate.building.boolq.voice.change import VoiceChange, voice_change
from mt_gate.building.builder_api import Built, Progress, Say, drawn, wanted_relations
from mt_gate.building.compose import compose
from mt_gate.building.recipe import CorpusFile, Recipe
from mt_gate.building.rewrite import Refusal, Rewrite
from mt_gate.domain import Block, Group, Source
from mt_gate.language.kinds import ToolNames
from mt_gate.language.wordnet import WordNet
from mt_gate.relations.boolq import compositions
from mt_gate.suites.format import group_id
from mt_gate.tasks.boolq import PASSAGE, QUESTION

AT_ONCE = 256
"""Questions or passages that are worked on between two reports of progress."""
VOICE, NEGATION = "boolq/voice-change", "boolq/negation-tag"
"""The relations that edit passages, and that parse many statements at once."""

Turned = Mapping[str, Rewrite]
"""Rewrites of questions, or of passages, by the source's id."""


class Change(NamedTuple):
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
    relations = wanted_relations(recipe, frozenset(), has_tools=True)
    wordnet = WordNet(tools.wordnet if tools else "")
    found: dict[str, list[Group]] = defaultdict(list)
    sources: dict[str, SourceQuestion] = {}
    for corpus in recipe.corpus:
        questions = _read(corpus, data, say)
        sources |= {item.id: item for item in questions}
        short = [name for name in relations if not _enough(recipe, found[name])]
        serves = [name for name in short if not corpus.relations or name in corpus.relations]
        turning = _Turning(questions, nlp, wordnet, progress)
        for name in serves:
            found[name] += drawn(turning.groups(name), recipe, _room(recipe, found[name]))
    groups = [group for name in relations for group in found[name]]
    if not groups:
        raise CannotJudge(
            "no question can be turned; expected boolean questions in English, such as "
            '"is oslo the capital of norway"'
        )
    used = [Source(id=item.id, input=item.input, origin=item.origin) for item in sources.values()]
    return Built(tuple(relations), used, groups, {"wordnet": wordnet.name}, {})


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
    ) -> None:
        self._sources = sources
        self._nlp = nlp
        self._wordnet = wordnet
        self._progress = progress
        self._questions: dict[str, Question] | None = None
        self._made: dict[str, Turned] = {}

    def groups(self, relation: str) -> Iterator[Group]:
        """Yield the groups of a relation, in the order of the sources."""
        parts = compositions.PARTS.get(relation)
        changes = self._composed(parts[0].id, parts[1].id) if parts else self._single(relation)
        for change in changes:
            yield _group(relation, change)

    def _single(self, relation: str) -> Iterator[Change]:
        turned = self._turned(relation)
        for source in self._sources:
            rewrite = turned.get(source.id)
            if rewrite is not None:
                voice = relation == VOICE
                yield Change(source, None if voice else rewrite, rewrite if voice else None)

    def _composed(self, first: str, second: str) -> Iterator[Change]:
        """Yield sources that both relations apply to, the second to what the first made."""
        before = self._turned(first)
        if second == VOICE:
            passages = self._turned(VOICE)
            for source in self._sources:
                if source.id in before and source.id in passages:
                    yield Change(source, before[source.id], passages[source.id])
            return
        taken = [source for source in self._sources if source.id in before]
        asked = [source.asked._replace(question=before[source.id].text) for source in taken]
        turned = self._rewrites(second, list(self._parsed(asked)))
        for source, rewrite in zip(taken, turned, strict=True):
            if isinstance(rewrite, Rewrite):
                both = compose(before[source.id], rewrite)
                if both.text != source.asked.question:
                    yield Change(source, both, None)

    def _turned(self, relation: str) -> Turned:
        if relation not in self._made:
            self._made[relation] = (
                self._passages() if relation == VOICE else self._of_questions(relation)
            )
        return self._made[relation]

    def _of_questions(self, relation: str) -> Turned:
        if self._questions is None:
            asked = [source.asked for source in self._sources]
            ids = (source.id for source in self._sources)
            self._questions = dict(zip(ids, self._parsed(asked), strict=True))
        rewrites = self._rewrites(relation, list(self._questions.values()))
        pairs = zip(self._questions, rewrites, strict=True)
        return {name: rewrite for name, rewrite in pairs if isinstance(rewrite, Rewrite)}

    def _parsed(self, asked: Sequence[Asked]) -> Iterator[Question]:
        for at, question in enumerate(read_questions(asked, self._nlp, self._wordnet.is_name)):
            if at % AT_ONCE == 0:
                self._progress(at, len(asked))
            yield question
        self._progress(len(asked), len(asked))

    def _rewrites(
        self, relation: str, questions: Sequence[Question]
    ) -> Sequence[Rewrite | Refusal]:
        if relation == NEGATION:
            return with_negation_tags(questions, self._nlp)
        way = _ways(self._wordnet)[relation]
        return [way(question) for question in questions]

    def _passages(self) -> Turned:
        """Turn each distinct passage once: several questions may ask about one."""
        texts = list(dict.fromkeys(source.asked.passage for source in self._sources))
        turned: dict[str, VoiceChange] = {}
        for at, doc in enumerate(self._nlp.pipe(texts, batch_size=32)):
            if at % AT_ONCE == 0:
                self._progress(at, len(texts))
            change = voice_change(doc)
            if isinstance(change, VoiceChange):
                turned[texts[at]] = change
        self._progress(len(texts), len(texts))
        return {
            source.id: turned[source.asked.passage].rewrite
            for source in self._sources
            if source.asked.passage in turned
        }


def _ways(wordnet: WordNet) -> dict[str, Callable[[Question], Rewrite | Refusal]]:
    """Return the transformations that look at one question at a time."""
    return {
        "boolq/antonym-adjective": lambda question: antonym(question, wordnet),
        "boolq/synonym-adjective": lambda question: synonym(question, wordnet),
        "boolq/tense-change": tense_change,
        "boolq/before-after": before_after,
        "boolq/adverbial-position": adverbial_position,
    }


def _group(relation: str, change: Change) -> Group:
    before = change.source.input
    question = change.question or _unchanged(before[QUESTION])
    passage = change.passage or _unchanged(before[PASSAGE])
    after = {QUESTION: question.text, PASSAGE: passage.text}
    return Group(
        id=group_id(relation, before, after),
        relation=relation,
        source=change.source.id,
        follow_up=after,
        alignment=_joined(question, passage, len(before[QUESTION])),
    )


def _unchanged(text: str) -> Rewrite:
    return Rewrite(text, (Block(0, 0, len(text)),))


def _joined(question: Rewrite, passage: Rewrite, length: int) -> tuple[Block, ...]:
    """Return the alignment over question, line end and passage; ``length`` of the old question."""
    source, follow_up = length + 1, len(question.text) + 1
    blocks = [
        *question.alignment,
        Block(length, len(question.text), 1),
        *(Block(b.source + source, b.follow_up + follow_up, b.length) for b in passage.alignment),
    ]
    joined: list[Block] = []
    for block in blocks:
        last = joined[-1] if joined else None
        if last and (last.source + last.length, last.follow_up + last.length) == block[:2]:
            joined[-1] = last._replace(length=last.length + block.length)
        else:
            joined.append(block)
    return tuple(joined)
