"""Question and passage as tokens: two texts of a pair, or one text by a template.

Where an input is longer than the system takes, the passage alone loses its
end: a question without its last words is another question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.domain import NotApplicable
from mt_gate.sut import yes_no
from mt_gate.sut.batching import Lengths
from mt_gate.sut.card import CARD, TOKENIZER, Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import TOKENS, InputRefusal, encode_texts, load_tokenizer, token_feeds
from mt_gate.sut.yes_no import read_answers
from mt_gate.tasks.boolq import PASSAGE, QUESTION

if TYPE_CHECKING:
    from tokenizers import Encoding

    Array = np.ndarray[Any, Any]

TEMPLATE = "boolq question: {question} passage: {passage}"
"""What a text-to-text model is asked, where its card has no template."""
_AT_ONCE = 256
"""Inputs given to the tokenizer together; what it returns is far larger than the ids."""
_PLACES = ("{question}", "{passage}")


class EncodedPassage(NamedTuple):
    """Token ids, int32, and how many characters of the passage they hold; None for all."""

    ids: Array
    type_ids: Array
    read: int | None


class PassageReader:
    """Yes or no from the tokens of a question and its passage."""

    inputs = TOKENS
    reads_types = False

    def __init__(self, folder: CheckpointFolder, card: Card, asked: Asked) -> None:
        """Load the tokenizer; ``asked`` says how an input becomes texts."""
        self.tokenizer = load_tokenizer(folder)
        self._where = folder.path / TOKENIZER
        self.answers = read_answers(card.labels, card.answers, where=str(folder.path / CARD))
        self.labels = len(card.labels)
        self.max_length = card.max_length
        self._asked = asked

    def probe(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the input: any text can be asked."""
        return value

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[EncodedPassage | InputRefusal]:
        """Encode questions with their passages."""
        return list(self._encoded(inputs))

    def _encoded(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[EncodedPassage | InputRefusal]:
        for start in range(0, len(inputs), _AT_ONCE):
            asked = [self._asked(item) for item in inputs[start : start + _AT_ONCE]]
            encodings = encode_texts(self.tokenizer, [item.texts for item in asked], self._where)
            for item, encoding in zip(asked, encodings, strict=True):
                yield _fitted(encoding, item, self.max_length)

    def lengths(self, item: EncodedPassage) -> Lengths:
        """Return the number of tokens."""
        return (len(item.ids),)

    def feeds(self, items: Sequence[EncodedPassage]) -> dict[str, Array]:
        """Return ids, mask and types."""
        return token_feeds(items)

    def shape(self, items: Sequence[EncodedPassage]) -> tuple[int, ...]:
        """Return (items, labels)."""
        return (len(items), self.labels)

    def decode(self, items: Sequence[EncodedPassage], scores: Array) -> list[Prediction]:
        """Return yes or no of each."""
        pairs = zip(items, scores, strict=True)
        return [yes_no.decode(self.answers, logits, item.read) for item, logits in pairs]


class EncodedQuestion(NamedTuple):
    """An input as the tokenizer gets it, and where the passage stands in that.

    ``sequence`` is 0 where all is one text, 1 where the passage is the second.
    """

    texts: str | tuple[str, str]
    sequence: int
    passage: range


Asked = Callable[[Mapping[str, Any]], EncodedQuestion]


def text_pair(folder: CheckpointFolder, card: Card) -> PassageReader:
    """Read question and passage as a pair, through the tokenizer's own template."""

    def asked(value: Mapping[str, Any]) -> EncodedQuestion:
        return EncodedQuestion((value[QUESTION], value[PASSAGE]), 1, range(len(value[PASSAGE])))

    return PassageReader(folder, card, asked)


def text_to_text(folder: CheckpointFolder, card: Card) -> PassageReader:
    """Read question and passage as one text, by the card's template.

    Raises CannotJudge: the template has not each of its two places once.
    """
    template = card.template or TEMPLATE
    if any(template.count(place) != 1 for place in _PLACES):
        raise CannotJudge(
            f"{folder.path / CARD}: template is {quoted(template, 80)}; expected a text with "
            f"{' and '.join(_PLACES)}, each once; fix the file"
        )
    before, after = template.split(_PLACES[1])

    def asked(value: Mapping[str, Any]) -> EncodedQuestion:
        # Not str.format: a template comes with a checkpoint, and formats can reach attributes.
        head, tail = (part.replace(_PLACES[0], value[QUESTION]) for part in (before, after))
        passage = range(len(head), len(head) + len(value[PASSAGE]))
        return EncodedQuestion(f"{head}{value[PASSAGE]}{tail}", 0, passage)

    return PassageReader(folder, card, asked)


def _fitted(
    encoding: Encoding, asked: EncodedQuestion, limit: int
) -> EncodedPassage | InputRefusal:
    ids = np.array(encoding.ids, np.int32)
    types = np.array(encoding.type_ids, np.int32)
    if not len(ids):
        return InputRefusal(NotApplicable.NO_TOKENS)
    excess = len(ids) - limit
    if excess <= 0:
        return EncodedPassage(ids, types, None)
    cut = list(_passage_tokens(encoding, asked))
    if excess >= len(cut):
        return InputRefusal(NotApplicable.QUESTION_TOO_LONG)
    kept, lost = cut[-excess - 1], cut[-excess]
    # A character may be of several tokens: it is read only if none of them is lost.
    end = min(encoding.offsets[kept][1], encoding.offsets[lost][0])
    read = end - asked.passage.start
    if read <= 0:
        return InputRefusal(NotApplicable.QUESTION_TOO_LONG)
    gone = cut[-excess:]
    return EncodedPassage(np.delete(ids, gone), np.delete(types, gone), read)


def _passage_tokens(encoding: Encoding, asked: EncodedQuestion) -> Iterable[int]:
    special = encoding.special_tokens_mask
    places = zip(encoding.sequence_ids, encoding.offsets, strict=True)
    for index, (sequence, (start, end)) in enumerate(places):
        # A second text is passage to its end, tokens of mere blanks at its borders too.
        within = end > asked.passage.start and start < asked.passage.stop
        if (within or asked.sequence) and sequence == asked.sequence and not special[index]:
            yield index
