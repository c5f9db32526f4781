"""Question and passage as words of a plain vocabulary, for models without a tokenizer.

``vocabulary.txt`` stands beside the model: UTF-8, one word a line, line number
= id, the first two lines ``<pad>`` and ``<unk>``. Words are split by
``tasks/words.py`` and looked up in lower case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mt_gate.base.errors import CannotJudge
from mt_gate.domain import NotApplicable
from mt_gate.sut import yes_no
from mt_gate.sut.batching import Lengths
from mt_gate.sut.card import CARD, MAX_BESIDE, VOCABULARY, Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import InputRefusal, Inputs
from mt_gate.sut.yes_no import read_answers
from mt_gate.tasks.boolq import PASSAGE, QUESTION
from mt_gate.tasks.words import word_spans

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

PAD, UNKNOWN = "<pad>", "<unk>"
INPUTS = Inputs(("question_ids", "passage_ids"))
_CAUSE = f"expected one word per line, UTF-8, the first two {PAD} and {UNKNOWN}"


class EncodedWords(NamedTuple):
    """Word ids of both texts, and the passage's characters that were read; None for all."""

    question: list[int]
    passage: list[int]
    read: int | None


class WordPairReader:
    """Yes or no from the words of a question and its passage."""

    inputs = INPUTS
    reads_types = False

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        """Load the vocabulary.

        Raises CannotJudge: the vocabulary is unfit, or the labels do not say yes and no.
        """
        self.answers = read_answers(card.labels, card.answers, where=str(folder.path / CARD))
        self.ids = read_vocabulary(folder)
        self.labels = len(card.labels)
        self.max_length = card.max_length

    def probe(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the input: any text can be asked."""
        return value

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[EncodedWords | InputRefusal]:
        """Encode questions with their passages, at most ``max_length`` words together."""
        return [self._encoded(item[QUESTION], item[PASSAGE]) for item in inputs]

    def _encoded(self, question: str, passage: str) -> EncodedWords | InputRefusal:
        asked, spans = self._looked_up(question, word_spans(question)), word_spans(passage)
        room = self.max_length - len(asked)
        if room <= 0:
            return InputRefusal(NotApplicable.QUESTION_TOO_LONG)
        read = spans[room - 1][1] if len(spans) > room else None
        return EncodedWords(asked, self._looked_up(passage, spans[:room]), read)

    def _looked_up(self, text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
        unknown = self.ids[UNKNOWN]
        found = [self.ids.get(text[start:end].lower(), unknown) for start, end in spans]
        return found or [unknown]  # a recurrent network cannot read nothing

    def lengths(self, item: EncodedWords) -> Lengths:
        """Return words of the question, words of the passage."""
        return len(item.question), len(item.passage)

    def feeds(self, items: Sequence[EncodedWords]) -> dict[str, Array]:
        """Return the ids of both texts; items of one batch have the same lengths."""
        return {
            "question_ids": np.array([item.question for item in items], np.int64),
            "passage_ids": np.array([item.passage for item in items], np.int64),
        }

    def shape(self, items: Sequence[EncodedWords]) -> tuple[int, ...]:
        """Return (items, labels)."""
        return (len(items), self.labels)

    def decode(self, items: Sequence[EncodedWords], scores: Array) -> list[Prediction]:
        """Return yes or no of each."""
        pairs = zip(items, scores, strict=True)
        return [yes_no.decode(self.answers, logits, item.read) for item, logits in pairs]


def read_vocabulary(folder: CheckpointFolder) -> dict[str, int]:
    """Read words and their ids.

    Raises CannotJudge: missing, too large, not UTF-8, without its first two lines, or a word twice.
    """
    path = folder.path / VOCABULARY
    data = folder.read(VOCABULARY, limit=MAX_BESIDE, cause=_CAUSE)
    try:
        words = data.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise CannotJudge(f"{path}: not UTF-8 ({error.reason}); {_CAUSE}") from None
    words = [word.removesuffix("\r") for word in words]
    if words[:2] != [PAD, UNKNOWN]:  # any file may stand there: nothing of it is quoted
        raise CannotJudge(f"{path}: {len(words)} lines, the first two are different; {_CAUSE}")
    ids = {word: number for number, word in enumerate(words)}
    if len(ids) != len(words):
        twice = next(number for number, word in enumerate(words, 1) if ids[word] != number - 1)
        raise CannotJudge(f"{path}: the word of line {twice} occurs twice; {_CAUSE}, each once")
    return ids
