"""Relabel a suspicious entity by the votes of similar entities (TIN, section 3.5.2)."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from mt_gate.base.errors import UsageError, page
from mt_gate.domain import Entity
from mt_gate.language import kinds as opening
from mt_gate.language.tools import Fill, Fillers, Similarity, Slot
from mt_gate.relations.ner.entities import core, cores
from mt_gate.repairing.reading import Suspect
from mt_gate.results.result import RepairSettings
from mt_gate.running.predicting import Predictor
from mt_gate.tasks.words import word_spans

_WORD = re.compile(r"\w")
_PART = re.compile(r"[^\W_]{2,}")
_JOINT = re.compile(r"[-–/&]")


_LOGIT_OF_OLD = 10.0
"""Assumed logit of the original word. A log ratio is the new word's logit minus the original's."""


class Scores(StrEnum):
    """Kind of scores that a filler tool returns."""

    LOGIT = "logit"
    LOG_RATIO = "log-ratio"


class RepairTools(NamedTuple):
    """Tools that propose and compare words, and the kind of scores of the proposals."""

    fillers: Fillers
    similarity: Similarity
    scores: Scores


_LEAST_LOGIT = 5.5
MIN_SCORE = {Scores.LOGIT: _LEAST_LOGIT, Scores.LOG_RATIO: _LEAST_LOGIT - _LOGIT_OF_OLD}
"""Default least score of a candidate: the paper's value, on each scale."""


_OFFSETS = {Scores.LOGIT: 0.0, Scores.LOG_RATIO: _LOGIT_OF_OLD}
"""Offset added to a candidate's score to get a logit."""


def open_tools(names: opening.ToolNames | None) -> RepairTools:
    """Open the language tools.

    Raises UsageError: no language model or no encoder is named. CannotJudge: one is missing or
    cannot be loaded.
    """
    if names is None:
        raise UsageError(
            "mt-gate repair needs a language model and an encoder. Name them with --masked-lm or "
            f"--causal-lm, and --encoder: {page('mutation', 'which-predictions-are-wrong')}"
        )
    scores = Scores.LOGIT if names.masked_lm else Scores.LOG_RATIO
    return RepairTools(*opening.open_voting_tools(names), scores)


class Mask(NamedTuple):
    """A word of an entity, or a part of a compound word (``part``)."""

    slot: Slot
    part: bool


class Candidate(NamedTuple):
    """An entity that replaces the suspicious entity: ``slot`` holds its sentence and span.

    ``score`` is the tool's score for the new word. ``cosine`` is the similarity of the two
    entities, each in its sentence.
    """

    slot: Slot
    score: float
    cosine: float
    part: bool


def masks(suspect: Suspect) -> list[Mask]:
    """Return the words of an entity, then the parts of its compounds."""
    start, end = suspect.span
    words = [
        (start + first, start + last)
        for first, last in word_spans(suspect.text[start:end])
        if _WORD.match(suspect.text, start + first, start + last)
    ]
    whole = [Mask(Slot(suspect.text, *span), False) for span in words]
    return whole + [mask for span in words for mask in _parts(suspect.text, *span)]


def _parts(text: str, start: int, end: int) -> Iterator[Mask]:
    if not _JOINT.search(text, start + 1, end - 1):
        return
    for part in _PART.finditer(text, start, end):
        yield Mask(Slot(text, *part.span()), True)


def same_case(before: str, after: str) -> bool:
    """Whether both words start with the same kind of character: capital, small, digit, other."""
    return _start(before) == _start(after)


def _start(word: str) -> tuple[bool, bool, bool]:
    first = word[:1]
    return first.isupper(), first.islower(), first.isdigit()


def candidates(
    suspects: Sequence[Suspect], tools: RepairTools, settings: RepairSettings
) -> list[list[Candidate]]:
    """Return the candidates for each suspicious entity, with distinct sentences for each.

    A filler needs a score of at least ``min_score``, and must start like the word it replaces. The
    new entity needs a cosine of at least ``min_cosine`` to the old entity.
    """
    masked = [masks(suspect) for suspect in suspects]
    slots = [*dict.fromkeys(mask.slot for mask in chain.from_iterable(masked))]
    fills = dict(zip(slots, tools.fillers.fill(slots, settings.top) if slots else (), strict=True))
    proposed = [
        _proposed(suspect, own, fills, settings)
        for suspect, own in zip(suspects, masked, strict=True)
    ]
    pairs = [
        (Slot(suspect.text, *suspect.span), candidate.slot)
        for suspect, proposals in zip(suspects, proposed, strict=True)
        for candidate in proposals
    ]
    cosines = iter(tools.similarity.similarity(pairs) if pairs else ())
    alike = [[candidate._replace(cosine=next(cosines)) for candidate in own] for own in proposed]
    return [
        [candidate for candidate in own if candidate.cosine >= settings.min_cosine] for own in alike
    ]


def _proposed(
    suspect: Suspect,
    masked: Sequence[Mask],
    fills: dict[Slot, list[Fill]],
    settings: RepairSettings,
) -> list[Candidate]:
    """Return candidates of acceptable score and spelling; whole words come before parts."""
    candidates: dict[str, Candidate] = {}
    start, end = suspect.span
    for mask in masked:
        for fill in fills[mask.slot][: settings.top]:
            if not (
                math.isfinite(fill.score)
                and fill.score >= settings.min_score
                and fill.text.split() == [fill.text]
                and fill.text != mask.slot.filler
                and same_case(mask.slot.filler, fill.text)
            ):
                continue
            text = mask.slot.filled(fill.text).text
            entity = Slot(text, start, end + len(text) - len(suspect.text))
            candidates.setdefault(text, Candidate(entity, fill.score, math.nan, mask.part))
    return list(candidates.values())


BALANCE = 2.5
"""Weight of similarity compared with the score: the paper's k."""
NONE_FACTOR = 0.2
"""Weight of a candidate's vote if the system predicts no entity for it."""
PART_FACTOR = 0.5
"""Weight of a candidate's vote if only a part of a word is new."""
AT_ONCE = 200
"""Number of suspicious entities in one batch, with about 20,000 candidate sentences."""


class Voter(NamedTuple):
    """A candidate and the label predicted for it; None means no entity."""

    candidate: Candidate
    label: str | None


class Vote(NamedTuple):
    """The winning label (None means no entity), and all labels with scores, best first."""

    label: str | None
    scores: tuple[tuple[str | None, float], ...]
    voters: tuple[Voter, ...]

    @property
    def score(self) -> float:
        """The score of the winning label."""
        return self.scores[0][1]


def votes(
    suspects: Sequence[Suspect], tools: RepairTools, predictor: Predictor, settings: RepairSettings
) -> Iterator[Vote | None]:
    """Yield the vote on each suspicious entity; None if no candidate is left.

    Each distinct candidate sentence is predicted once. A sentence without a prediction, such as one
    that is too long, does not vote.
    """
    for start in range(0, len(suspects), AT_ONCE):
        some = suspects[start : start + AT_ONCE]
        ballots = candidates(some, tools, settings)
        texts = [*dict.fromkeys(candidate.slot.text for own in ballots for candidate in own)]
        answers = predictor.predict([{"text": text} for text in texts])
        known = dict(zip(texts, answers, strict=True))
        for suspect, own in zip(some, ballots, strict=True):
            yield tally(
                suspect,
                tuple(
                    Voter(candidate, _label(candidate, output))
                    for candidate in own
                    if (output := known[candidate.slot.text].output) is not None
                ),
                tools.scores,
            )


def _label(candidate: Candidate, output: Mapping[str, object]) -> str | None:
    text, start, end = candidate.slot
    wanted = core(text, Entity(start, end, ""))[:2]
    return next((entity.label for entity in cores(text, output) if entity[:2] == wanted), None)


def tally(suspect: Suspect, voters: Sequence[Voter], scores: Scores) -> Vote | None:
    """Add up the voters' weights by label; ties go to the predicted label, then by alphabet.

    The weight of a voter is ``weight_of(score) x exp(2.5 x cosine)``, times 0.2 if its label is no
    entity, times 0.5 if it replaces a part of a word.
    """
    if not voters:
        return None
    weights: dict[str | None, list[float]] = defaultdict(list)
    for voter in voters:
        weights[voter.label].append(_weight(voter, scores))
    totals = [(label, math.fsum(parts)) for label, parts in weights.items()]
    totals.sort(
        key=lambda item: (-item[1], item[0] != suspect.said, item[0] is None, item[0] or "")
    )
    return Vote(totals[0][0], tuple(totals), tuple(voters))


def weight_of(score: float, scores: Scores) -> float:
    """Return a candidate's score as a logit, at least 0; a log ratio is converted."""
    return max(score + _OFFSETS[scores], 0.0)


def _weight(voter: Voter, scores: Scores) -> float:
    candidate = voter.candidate
    weight = weight_of(candidate.score, scores) * math.exp(BALANCE * candidate.cosine)
    if voter.label is None:
        weight *= NONE_FACTOR
    return weight * PART_FACTOR if candidate.part else weight
