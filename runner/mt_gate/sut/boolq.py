"""Question and passage for a checkpoint: two texts of a pair, one text by a template, or words.

If an input is longer than the system takes, only the passage is truncated, because a question
without its last words is a different question.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.base.figures import counted
from mt_gate.domain import NotApplicable
from mt_gate.sut.batching import Lengths
from mt_gate.sut.card import CARD, MAX_FILE, TOKENIZER, VOCABULARY, Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import AT_ONCE, InputRefusal, Inputs, Reader, encode_texts, load_tokenizer
from mt_gate.tasks.boolq import NO, PASSAGE, QUESTION, YES
from mt_gate.tasks.words import word_spans

if TYPE_CHECKING:
    from tokenizers import Encoding

    Array = np.ndarray[Any, Any]

KNOWN = (("yes", "no"), ("true", "false"), ("y", "n"))
"""Labels whose meaning is known, in any letter case: yes, then no."""
TEMPLATE = "boolq question: {question} passage: {passage}"
"""Input of a text-to-text model if checkpoint.json has no template."""
PAD, UNKNOWN = "<pad>", "<unk>"
_MOST_SHOWN, _DIGITS = 6, 6
_PLACES = ("{question}", "{passage}")
_CAUSE = f"Expected UTF-8 with one word per line, first {PAD} and {UNKNOWN}"


class AnswerIndices(NamedTuple):
    """The index of each answer among the labels."""

    yes: int
    no: int


def read_answers(labels: Sequence[str], named: Mapping[str, str], *, where: str) -> AnswerIndices:
    """Find yes and no among a checkpoint's labels; ``named`` maps them, or is empty."""
    listed = ", ".join(labels[:_MOST_SHOWN]) + (", ..." if len(labels) > _MOST_SHOWN else "")
    if len(labels) != 2:
        raise CannotJudge(
            f"{where} has {counted(len(labels), 'label')} ({listed}). Task boolq needs two, one "
            "for yes and one for no. Use a checkpoint that was trained for it."
        )
    if named:
        if set(named) != {YES, NO} or named[YES] == named[NO]:
            raise CannotJudge(
                f"{where}: the answers are {quoted(dict(named))}. Expected one label for yes and "
                f"another for no, of {listed}. Fix --answers, or 'answers' in checkpoint.json."
            )
        for answer in (YES, NO):
            if named[answer] not in labels:
                raise CannotJudge(
                    f"{where}: the answer {answer} is {quoted(named[answer])}. Expected one of the "
                    f"labels {listed}. Fix --answers, or 'answers' in checkpoint.json. For a "
                    "text-to-text model, pass --answers to mt-gate export."
                )
        return AnswerIndices(labels.index(named[YES]), labels.index(named[NO]))
    plain = [label.strip().rstrip(".").casefold() for label in labels]
    for yes, no in KNOWN:
        if sorted(plain) == sorted((yes, no)):
            return AnswerIndices(plain.index(yes), plain.index(no))
    raise CannotJudge(
        f"{where}: mt-gate does not know which of the labels {listed} means yes. Map them: "
        f"--answers yes={labels[1]},no={labels[0]}, or the other way round."
    )


def decode(answers: AnswerIndices, scores: Array, read: int | None) -> Prediction:
    """Return the predicted answer for logits, one per label, with the probability of yes.

    ``read`` is the number of the passage's characters that fitted; None if all of it did.
    """
    gap = float(scores[answers.yes]) - float(scores[answers.no])
    small = math.exp(-abs(gap))
    score = 1 / (1 + small) if gap >= 0 else small / (1 + small)
    output = {"answer": YES if gap > 0 else NO, "score": round(score, _DIGITS)}
    return Prediction(output if read is None else {**output, "read": read}, abs(gap))


class _YesNoReader(Reader):
    """Base of the readers of boolq: two labels, and any text as input."""

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        self.answers = read_answers(card.labels, card.answers, where=str(folder.path / CARD))
        self.width = len(card.labels)
        self.max_length = card.max_length

    def decode(self, items: Sequence[Any], scores: Array) -> list[Prediction]:
        """Return the prediction, yes or no, of each input."""
        pairs = zip(items, scores, strict=True)
        return [decode(self.answers, logits, item.read) for item, logits in pairs]


class EncodedPassage(NamedTuple):
    """Token ids, int32, and how many characters of the passage they cover; None for all."""

    ids: Array
    type_ids: Array
    read: int | None


class EncodedQuestion(NamedTuple):
    """An input as the tokenizer gets it, and the span of the passage in its text.

    ``sequence`` is 0 if everything is one text, and 1 if the passage is the second text.
    """

    texts: str | tuple[str, str]
    sequence: int
    passage: range


class PassageReader(_YesNoReader):
    """Yes or no from the tokens of a question and its passage."""

    def __init__(
        self,
        folder: CheckpointFolder,
        card: Card,
        encode: Callable[[Mapping[str, Any]], EncodedQuestion],
    ) -> None:
        self.tokenizer = load_tokenizer(folder)
        self._where = folder.path / TOKENIZER
        super().__init__(folder, card)
        self._special_tokens = card.special_tokens
        self._encode = encode

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[EncodedPassage | InputRefusal]:
        """Encode questions with their passages."""
        items: list[EncodedPassage | InputRefusal] = []
        for start in range(0, len(inputs), AT_ONCE):
            shown = [self._encode(item) for item in inputs[start : start + AT_ONCE]]
            texts = [item.texts for item in shown]
            encodings = encode_texts(self.tokenizer, texts, self._where, self._special_tokens)
            for item, encoding in zip(shown, encodings, strict=True):
                items.append(_fitted(encoding, item, self.max_length))
        return items


def text_pair(folder: CheckpointFolder, card: Card) -> PassageReader:
    """Read question and passage as a pair, through the tokenizer's own template."""

    def encode(value: Mapping[str, Any]) -> EncodedQuestion:
        return EncodedQuestion((value[QUESTION], value[PASSAGE]), 1, range(len(value[PASSAGE])))

    return PassageReader(folder, card, encode)


def text_to_text(folder: CheckpointFolder, card: Card) -> PassageReader:
    """Read question and passage as one text, by the card's template. Raises CannotJudge."""
    template = card.template or TEMPLATE
    if any(template.count(place) != 1 for place in _PLACES):
        raise CannotJudge(
            f"{folder.path / CARD}: template is {quoted(template, 80)}. Expected a text with "
            f"{' and '.join(_PLACES)}, each once. Fix the file."
        )
    before, after = template.split(_PLACES[1])

    def encode(value: Mapping[str, Any]) -> EncodedQuestion:
        # Not str.format: a template comes with a checkpoint, and formats can reach attributes.
        head, tail = (part.replace(_PLACES[0], value[QUESTION]) for part in (before, after))
        passage = range(len(head), len(head) + len(value[PASSAGE]))
        return EncodedQuestion(f"{head}{value[PASSAGE]}{tail}", 0, passage)

    return PassageReader(folder, card, encode)


def _fitted(
    encoding: Encoding, question: EncodedQuestion, limit: int
) -> EncodedPassage | InputRefusal:
    """Return the tokens, without as many at the passage's end as exceed the limit."""
    ids = np.array(encoding.ids, np.int32)
    types = np.array(encoding.type_ids, np.int32)
    if not len(ids):
        return InputRefusal(NotApplicable.NO_TOKENS)
    excess = len(ids) - limit
    if excess <= 0:
        return EncodedPassage(ids, types, None)
    special = encoding.special_tokens_mask
    cut = []
    places = zip(encoding.sequence_ids, encoding.offsets, strict=True)
    for index, (sequence, (first, last)) in enumerate(places):
        # All tokens of a second text belong to the passage, even spaces at its borders.
        within = last > question.passage.start and first < question.passage.stop
        if (within or question.sequence) and sequence == question.sequence and not special[index]:
            cut.append(index)
    if excess >= len(cut):
        return InputRefusal(NotApplicable.QUESTION_TOO_LONG)
    # A character may have several tokens; it counts as read only if none of them is cut.
    end = min(encoding.offsets[cut[-excess - 1]][1], encoding.offsets[cut[-excess]][0])
    read = end - question.passage.start
    if read <= 0:
        return InputRefusal(NotApplicable.QUESTION_TOO_LONG)
    gone = cut[-excess:]
    return EncodedPassage(np.delete(ids, gone), np.delete(types, gone), read)


class EncodedWords(NamedTuple):
    """Word ids of both texts, and how many of the passage's characters were read; None for all."""

    question: list[int]
    passage: list[int]
    read: int | None


class WordPairReader(_YesNoReader):
    """Yes or no from the words of a plain vocabulary, for models without a tokenizer.

    ``vocabulary.txt`` is next to the model: UTF-8, one word a line, line number = id, the first two
    lines ``<pad>`` and ``<unk>``. Words are split by ``tasks/words.py``, in lower case.
    """

    inputs = Inputs(("question_ids", "passage_ids"))

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        super().__init__(folder, card)
        self.ids = read_vocabulary(folder)

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[EncodedWords | InputRefusal]:
        """Encode questions with their passages, at most ``max_length`` words together."""
        return [self._encoded(item[QUESTION], item[PASSAGE]) for item in inputs]

    def _encoded(self, question: str, passage: str) -> EncodedWords | InputRefusal:
        words, spans = self._looked_up(question, word_spans(question)), word_spans(passage)
        room = self.max_length - len(words)
        if room <= 0:
            return InputRefusal(NotApplicable.QUESTION_TOO_LONG)
        read = spans[room - 1][1] if len(spans) > room else None
        return EncodedWords(words, self._looked_up(passage, spans[:room]), read)

    def _looked_up(self, text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
        unknown = self.ids[UNKNOWN]
        ids = [self.ids.get(text[start:end].lower(), unknown) for start, end in spans]
        return ids or [unknown]  # a recurrent network cannot read nothing

    def lengths(self, item: EncodedWords) -> Lengths:
        """Return words of the question, words of the passage."""
        return len(item.question), len(item.passage)

    def feeds(self, items: Sequence[EncodedWords]) -> dict[str, Array]:
        """Return the ids of both texts; items of one batch have the same lengths."""
        return {
            "question_ids": np.array([item.question for item in items], np.int64),
            "passage_ids": np.array([item.passage for item in items], np.int64),
        }


def read_vocabulary(folder: CheckpointFolder) -> dict[str, int]:
    """Read words and their ids. Raises CannotJudge."""
    path = folder.path / VOCABULARY
    data = folder.read(VOCABULARY, limit=MAX_FILE, cause=_CAUSE)
    try:
        words = data.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise CannotJudge(f"{path} is not UTF-8 ({error.reason}). {_CAUSE}.") from None
    words = [word.removesuffix("\r") for word in words]
    if words[:2] != [PAD, UNKNOWN]:  # it may be any file, so quote nothing of it
        raise CannotJudge(
            f"{path} has {counted(len(words), 'line')}, but {PAD} is not the first. {_CAUSE}."
        )
    ids = {word: number for number, word in enumerate(words)}
    if len(ids) != len(words):
        twice = next(number for number, word in enumerate(words, 1) if ids[word] != number - 1)
        raise CannotJudge(f"{path}: the word of line {twice} occurs twice. {_CAUSE}, each once.")
    return ids
