"""Token classification: text to token ids, logits to entities as character spans."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import category

from mt_gate.sut.card import CARD, TOKENIZER, Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import InputRefusal, Reader, encode_texts, load_tokenizer
from mt_gate.tasks.tag_scheme import TagScheme, entities_of, read_tag_scheme

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Tokenizer

    Array = np.ndarray[Any, Any]


_SPACE = "▁"
"""SentencePiece's token for a space, whose offsets may be those of the letter after it."""
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Letters of scripts without spaces: Thai, Lao, Burmese, Khmer, kana, Chinese characters."""


class EncodedSentence(NamedTuple):
    """Token ids of a sentence; its words as character spans, and the index of their first token."""

    ids: list[int]
    type_ids: list[int]
    words: list[tuple[int, int]]
    first_tokens: list[int]


class TokenClassification(Reader):
    """Entities from the labels of a sentence's tokens."""

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        self.scheme = read_tag_scheme(card.labels, where=str(folder.path / CARD))
        self.tokenizer = load_tokenizer(folder)
        self._where = folder.path / TOKENIZER
        self.width = len(card.labels)
        self.max_length = card.max_length

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[EncodedSentence | InputRefusal]:
        """Encode sentences; one that is too long is not cut, since names would be lost."""
        encoded = encode(self.tokenizer, [item["text"] for item in inputs], self._where)
        return [self.fitted(item) for item in encoded]

    def shape(self, items: Sequence[EncodedSentence]) -> tuple[int, ...]:
        """Return (items, tokens of the longest, labels)."""
        return (len(items), max(len(item.ids) for item in items), self.width)

    def decode(self, items: Sequence[EncodedSentence], scores: Array) -> list[Prediction]:
        """Return the entities of each."""
        pairs = zip(items, scores, strict=True)
        return [decode(item, logits, self.scheme) for item, logits in pairs]


def encode(
    tokenizer: Tokenizer, texts: Sequence[str], where: object = TOKENIZER
) -> list[EncodedSentence]:
    """Encode sentences; offsets are in characters of the texts as they are."""
    encodings = encode_texts(tokenizer, texts, where)
    begins, space = _begins_word(tokenizer), tokenizer.token_to_id(_SPACE)
    return [_encoded(text, of, begins, space) for text, of in zip(texts, encodings, strict=True)]


BeginsWord = Callable[[str, int], bool]
"""Whether a token that begins at a place of a text begins a word of its own."""


def _begins_word(tokenizer: Tokenizer) -> BeginsWord | None:
    """Return what splits words further than the tokenizer does; None where its words are whole.

    Word pieces (``##ing``) continue a word. The pieces of other tokenizers need not: SentencePiece
    splits at spaces only, so a full stop, or a whole Chinese sentence, belongs to one "word".
    """
    if getattr(tokenizer.model, "continuing_subword_prefix", None):
        return None
    splitter = tokenizer.pre_tokenizer
    splits_marks = splitter is not None and len(splitter.pre_tokenize_str("a.a")) > 1

    def begins(text: str, start: int) -> bool:
        around = text[max(start - 1, 0) : start + 1]
        if _UNSPACED.search(around):
            return True
        return not splits_marks and any(category(one)[0] in "PSZ" for one in around)

    return begins


def _encoded(
    text: str, encoding: Any, begins: BeginsWord | None, space: int | None
) -> EncodedSentence:
    words: list[tuple[int, int]] = []
    first: list[int] = []
    last, ids = None, encoding.ids
    for index, (word, (start, end)) in enumerate(
        zip(encoding.word_ids, encoding.offsets, strict=True)
    ):
        # Byte-level tokens may begin with a space, or be nothing but spaces.
        while start < end and text[start].isspace():
            start += 1
        if word is None or start == end or ids[index] == space:
            continue
        end = start + len(text[start:end].rstrip())
        is_new = word != last or (
            begins is not None and start >= words[-1][1] and begins(text, start)
        )
        if is_new:
            words.append((start, end))
            first.append(index)
        else:
            words[-1] = (words[-1][0], max(end, words[-1][1]))
        last = word
    return EncodedSentence(ids, encoding.type_ids, words, first)


def decode(encoded: EncodedSentence, logits: np.ndarray[Any, Any], scheme: TagScheme) -> Prediction:
    """Read entities off the logits, shape (tokens, labels), of one sentence.

    A word has the label of its first token.
    """
    if not encoded.first_tokens:
        return Prediction({"entities": []})
    scores = logits[encoded.first_tokens]
    best = scores.argmax(axis=1).tolist()
    ordered = scores.copy()
    ordered.partition(scores.shape[1] - 2, axis=1)
    margin = float((ordered[:, -1] - ordered[:, -2]).min())
    words = encoded.words
    entities = [
        [words[first][0], words[last - 1][1], label]
        for first, last, label in entities_of(scheme, best)
    ]
    return Prediction({"entities": entities}, margin)
