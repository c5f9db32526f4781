"""Token classification: text to token ids, logits to entities as character spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mt_gate.domain import NotApplicable
from mt_gate.sut.batching import Lengths
from mt_gate.sut.card import CARD, TOKENIZER, Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import TOKENS, InputRefusal
from mt_gate.sut.token_feeds import encode_texts, load_tokenizer, most_tokens, token_feeds
from mt_gate.tasks.tag_scheme import TagScheme, entities_of, read_tag_scheme
from mt_gate.tasks.words import word_spans

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Tokenizer

    Array = np.ndarray[Any, Any]


class EncodedSentence(NamedTuple):
    """Token ids of a sentence, and for each word the index of its first token (or -1)."""

    ids: list[int]
    type_ids: list[int]
    words: list[tuple[int, int]]
    first_tokens: list[int]


class TokenClassification:
    """Entities from the labels of a sentence's tokens."""

    inputs = TOKENS
    reads_types = False

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        """Load the tokenizer.

        Raises:
            CannotJudge: it is unfit, or the labels are no tag scheme.
        """
        self.scheme = read_tag_scheme(card.labels, where=str(folder.path / CARD))
        self.tokenizer = load_tokenizer(folder)
        self._where = folder.path / TOKENIZER
        self.labels = len(card.labels)
        self.max_length = card.max_length

    def probe(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the input: any text can be asked."""
        return value

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[EncodedSentence | InputRefusal]:
        """Encode sentences; one that is too long is not cut, since names would be lost."""
        encoded = encode(self.tokenizer, [item["text"] for item in inputs], self._where)
        return [self._refusal(item) or item for item in encoded]

    def _refusal(self, item: EncodedSentence) -> InputRefusal | None:
        if not item.ids:
            return InputRefusal(NotApplicable.NO_TOKENS)
        return InputRefusal(NotApplicable.TRUNCATED) if len(item.ids) > self.max_length else None

    def lengths(self, item: EncodedSentence) -> Lengths:
        """Return the number of tokens."""
        return (len(item.ids),)

    def feeds(self, items: Sequence[EncodedSentence]) -> dict[str, Array]:
        """Return ids, mask and types."""
        return token_feeds(items)

    def shape(self, items: Sequence[EncodedSentence]) -> tuple[int, ...]:
        """Return (items, tokens of the longest, labels)."""
        return (len(items), most_tokens(items), self.labels)

    def decode(self, items: Sequence[EncodedSentence], scores: Array) -> list[Prediction]:
        """Return the entities of each."""
        pairs = zip(items, scores, strict=True)
        return [decode(item, logits, self.scheme) for item, logits in pairs]


def encode(
    tokenizer: Tokenizer, texts: Sequence[str], where: object = TOKENIZER
) -> list[EncodedSentence]:
    """Encode sentences; offsets are in characters of the texts as given."""
    encodings = encode_texts(tokenizer, texts, where)
    return [_encoded(text, encoding) for text, encoding in zip(texts, encodings, strict=True)]


def _encoded(text: str, encoding: Any) -> EncodedSentence:
    words = word_spans(text)
    first = [-1] * len(words)
    at = 0
    special = encoding.special_tokens_mask
    for index, (start, end) in enumerate(encoding.offsets):
        if special[index] or start == end:
            continue
        while start < end and text[start].isspace():  # byte-level tokens carry their blank
            start += 1
        while at < len(words) and words[at][1] <= start:
            at += 1
        if at < len(words) and first[at] < 0 and words[at][0] < end:
            first[at] = index
    return EncodedSentence(encoding.ids, encoding.type_ids, words, first)


def decode(encoded: EncodedSentence, logits: np.ndarray[Any, Any], scheme: TagScheme) -> Prediction:
    """Read entities off the logits, shape (tokens, labels), of one sentence.

    A word has the label of its first token; a word without a token has none.
    """
    used = [index for index in encoded.first_tokens if index >= 0]
    if not used:
        return Prediction({"entities": []})
    scores = logits[used]
    best = scores.argmax(axis=1).tolist()
    ordered = scores.copy()
    ordered.partition(scores.shape[1] - 2, axis=1)
    margin = float((ordered[:, -1] - ordered[:, -2]).min())
    outside = scheme.tags.index(None)
    answers = iter(best)
    labels = [next(answers) if index >= 0 else outside for index in encoded.first_tokens]
    words = encoded.words
    found = [
        [words[first][0], words[last - 1][1], label]
        for first, last, label in entities_of(scheme, labels)
    ]
    return Prediction({"entities": found}, margin)
