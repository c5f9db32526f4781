"""Conversion between a task's inputs and a model's tensors.

A reader knows one input form: it turns inputs into encoded items, items into feeds, and the model's
scores into predictions. A task's record names the readers of its forms. This module has those of
token classification, and of sequence classification of a text or a pair.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import category

import numpy as np

from mt_gate.base.errors import CannotJudge, page, quoted, reported
from mt_gate.base.figures import counted
from mt_gate.domain import NotApplicable
from mt_gate.sut.batching import Lengths
from mt_gate.sut.card import CARD, MAX_FILE, TOKENIZER, Card, InputForm
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.prompt import fill
from mt_gate.sut.protocol import Prediction
from mt_gate.tasks.table import TASKS
from mt_gate.tasks.tag_scheme import TagScheme, entities_of, read_tag_scheme
from mt_gate.tasks.text import (
    ACTIVATIONS,
    NONE,
    PAIR,
    SECOND,
    SIGMOID,
    SOFTMAX,
    TEXT,
)

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

    Array = np.ndarray[Any, Any]


class Inputs(NamedTuple):
    """Names of a model's input tensors, by default int64 of shape (batch, length).

    ``shapes`` has the shapes of the others: a name is a free axis, a number a fixed one.
    """

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    shapes: Mapping[str, tuple[str | int, ...]] = {}


TOKENS = Inputs(("input_ids",), ("attention_mask", "token_type_ids"))


class InputRefusal(NamedTuple):
    """An input that the system cannot read, with the reason that reports show."""

    reason: NotApplicable


class Reader:
    """One input form of one task, with a checkpoint's tokenizer, limits and labels.

    This base class suits forms whose items are tokens and that have one score per label.
    """

    inputs = TOKENS
    reads_types = False
    """Whether the types of arguments (task re) are part of the input."""
    width: int
    """Number of scores of an input."""
    max_length: int

    def probe(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the task's short input as this checkpoint can read it."""
        return value

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Encode inputs, in their order: an item each, or an ``InputRefusal``."""
        raise NotImplementedError

    def fitted(self, item: Any) -> Any:
        """Return an item; reject one without tokens or too long: truncation may remove an edit."""
        if not item.ids:
            return InputRefusal(NotApplicable.NO_TOKENS)
        return InputRefusal(NotApplicable.TRUNCATED) if len(item.ids) > self.max_length else item

    def lengths(self, item: Any) -> Lengths:
        """Return the lengths of the item's sequences; batches are made by these lengths."""
        return (len(item.ids),)

    def feeds(self, items: Sequence[Any]) -> dict[str, Array]:
        """Return the tensors for items; their lengths may differ if the model takes a mask."""
        return token_feeds(items)

    def shape(self, items: Sequence[Any]) -> tuple[int, ...]:
        """Return the shape that the scores of these items must have."""
        return (len(items), self.width)

    def decode(self, items: Sequence[Any], scores: Array) -> list[Prediction]:
        """Return the predictions for these items from their float32 scores."""
        raise NotImplementedError


def open_reader(folder: CheckpointFolder, card: Card) -> Reader:
    """Return the reader for a card's task and input form, with the files next to the card."""
    form = TASKS[card.task].forms[card.input_form]
    reader: Reader = resolve_name(form.reader)(folder, card)
    return reader


def short_feeds(reader: Reader, task: str) -> dict[str, Array]:
    """Return the feeds of the task's short input; none if the checkpoint rejects it."""
    (item,) = reader.encode([reader.probe(TASKS[task].probe)])
    return {} if isinstance(item, InputRefusal) else reader.feeds([item])


AT_ONCE = 256
"""Inputs per call of the tokenizer, whose results are far larger than the ids."""
_CAUSE = (
    "Expected the checkpoint's fast tokenizer. Save it with tokenizer.save_pretrained() or "
    "export the checkpoint again."
)


IDS = "input_ids"
TYPES = "token_type_ids"
MASK = "attention_mask"
"""The tensor that distinguishes tokens from padding; a model without it must get no padding."""


def load_tokenizer(folder: CheckpointFolder) -> Tokenizer:
    """Load ``tokenizer.json``, with truncation and padding turned off."""
    from tokenizers import Tokenizer

    data = folder.read(TOKENIZER, limit=MAX_FILE, cause=_CAUSE)
    try:
        tokenizer = Tokenizer.from_buffer(data)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # tokenizers raises bare Exception, and panics as well
        raise CannotJudge(
            f"{folder.path / TOKENIZER} is not a tokenizer ({reported(error)}). {_CAUSE}"
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def encode_texts(
    tokenizer: Tokenizer, texts: Sequence[Any], where: object, special_tokens: bool = True
) -> list[Encoding]:
    """Return the encodings of texts, or of pairs of texts, in their order. Raises CannotJudge."""
    try:
        return tokenizer.encode_batch(  # type: ignore[no-any-return]
            list(texts), add_special_tokens=special_tokens
        )
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # tokenizers raises bare Exception, and panics as well
        raise CannotJudge(
            f"{where} fails on a text ({reported(error, 100)}). It must accept any text, also "
            f"characters without a token. {_CAUSE}"
        ) from None


def token_feeds(items: Sequence[Any]) -> dict[str, np.ndarray[Any, Any]]:
    """Return ids, mask and types, int64, shape (items, tokens of the longest).

    Shorter items are padded at the end with 0 in all three. Every vocabulary has the id 0, and the
    mask hides it.
    """
    shape = (len(items), max(len(item.ids) for item in items))
    ids, mask, types = (np.zeros(shape, np.int64) for _ in range(3))
    for row, item in enumerate(items):
        length = len(item.ids)
        ids[row, :length] = item.ids
        mask[row, :length] = 1
        types[row, :length] = item.type_ids
    return {IDS: ids, MASK: mask, TYPES: types}


def stretched(
    feeds: Mapping[str, np.ndarray[Any, Any]], length: int
) -> dict[str, np.ndarray[Any, Any]]:
    """Return the feeds of one item, lengthened to ``length`` tokens by repeating its second one."""
    own = feeds[IDS].shape[1]
    places = np.sort(np.append(np.arange(own), np.ones(length - own, np.int64)))
    tokens = {IDS, MASK, TYPES}
    return {name: item[:, places] if name in tokens else item for name, item in feeds.items()}


def longest(fits: Callable[[int], bool], least: int, most: int) -> int:
    """Return the largest length from ``least`` to ``most`` that fits; ``least`` is not tried.

    Most models fit ``most``, or a few positions less, so the search goes down from there.
    """
    if fits(most):
        return most
    step, bad = 1, most
    while most - step > least and not fits(most - step):
        bad, step = most - step, 2 * step
    good = max(most - step, least)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good


_SPACE = "▁"
"""SentencePiece's token for a space, whose offsets may be those of the letter after it."""
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Letters of scripts without spaces: Thai, Lao, Burmese, Khmer, kana, Chinese characters."""


class EncodedSentence(NamedTuple):
    """Token ids of a sentence; the character spans of its words, and each word's first token."""

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
        """Encode sentences; reject one that is too long, because truncation would lose names."""
        encoded = encode_sentences(self.tokenizer, [item["text"] for item in inputs], self._where)
        return [self.fitted(item) for item in encoded]

    def shape(self, items: Sequence[EncodedSentence]) -> tuple[int, ...]:
        """Return (items, tokens of the longest, labels)."""
        return (len(items), max(len(item.ids) for item in items), self.width)

    def decode(self, items: Sequence[EncodedSentence], scores: Array) -> list[Prediction]:
        """Return the entities of each sentence."""
        pairs = zip(items, scores, strict=True)
        return [decode_entities(item, logits, self.scheme) for item, logits in pairs]


def encode_sentences(
    tokenizer: Tokenizer, texts: Sequence[str], where: object = TOKENIZER
) -> list[EncodedSentence]:
    """Encode sentences; offsets are in characters of the unchanged texts."""
    encodings = encode_texts(tokenizer, texts, where)
    begins, space = _begins_word(tokenizer), tokenizer.token_to_id(_SPACE)
    return [
        _encoded(text, encoding, begins, space)
        for text, encoding in zip(texts, encodings, strict=True)
    ]


BeginsWord = Callable[[str, int], bool]
"""Whether a token that begins at this index of a text begins a new word."""


def _begins_word(tokenizer: Tokenizer) -> BeginsWord | None:
    """Return a function that splits the tokenizer's words further; None if that is not needed.

    Word pieces (``##ing``) continue a word. Pieces of other tokenizers may begin one: SentencePiece
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
        return not splits_marks and any(category(char)[0] in "PSZ" for char in around)

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
        # Byte-level tokens may begin with a space, or consist of spaces.
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


def decode_entities(
    encoded: EncodedSentence, logits: np.ndarray[Any, Any], scheme: TagScheme
) -> Prediction:
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


_DIGITS = 6
_PROBE = "It was bad."


class EncodedText(NamedTuple):
    """Token ids of a text or a pair, and for each token the number of its text."""

    ids: list[int]
    type_ids: list[int]


class TextReader(Reader):
    """Reader of one text or of a pair; predicts labels with scores."""

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        self._where = folder.path / CARD
        self._labels = card.labels
        self._activation = activation_of(card, card.labels, str(self._where))
        self._low, self._high = card.score_range
        self._template = card.template
        self._special_tokens = card.special_tokens
        self._pairs = card.input_form == PAIR or f"{{{SECOND}}}" in card.template
        self.tokenizer = load_tokenizer(folder)
        self._tokenizer_file = folder.path / TOKENIZER
        self.max_length = card.max_length
        self.width = len(card.labels)

    def probe(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the input, with a second text if this checkpoint reads pairs."""
        return {**value, SECOND: _PROBE} if self._pairs else value

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[EncodedText | InputRefusal]:
        """Encode texts; reject those that are too long, because truncation may remove an edit."""
        texts = [self._texts(value) for value in inputs]
        encodings = encode_texts(self.tokenizer, texts, self._tokenizer_file, self._special_tokens)
        return [self.fitted(EncodedText(encoding.ids, encoding.type_ids)) for encoding in encodings]

    def _texts(self, value: Mapping[str, Any]) -> str | tuple[str, str]:
        if (SECOND in value) is not self._pairs:
            reads, has = ("pairs", "single texts") if self._pairs else ("single texts", "pairs")
            form = '"text"' if self._pairs else f'"{PAIR}"'
            raise CannotJudge(
                f"{self._where} reads {reads}, but the inputs are {has}. Choose a suite of "
                f'{reads}. If the checkpoint was trained on {has}, set "input_form": {form} '
                f"({page('labels')})"
            )
        if self._template:
            return fill(self._template, value)
        return (value[TEXT], value[SECOND]) if self._pairs else value[TEXT]

    def decode(self, items: Sequence[EncodedText], scores: Array) -> list[Prediction]:  # noqa: ARG002
        """Return the predicted labels, the likeliest first, and the scores of all labels."""
        logits = scores.astype(np.float64)
        if self._activation == SOFTMAX:
            likelihoods = np.exp(logits - logits.max(axis=1, keepdims=True))
            likeliest = [[at] for at in logits.argmax(axis=1).tolist()]
            ordered = np.partition(logits, logits.shape[1] - 2, axis=1)
            gaps: Array = ordered[:, -1] - ordered[:, -2]
            return self._answers(
                likelihoods / likelihoods.sum(axis=1, keepdims=True), likeliest, gaps
            )
        if self._activation == SIGMOID:
            order = np.argsort(-logits, axis=1, kind="stable").tolist()
            counts = (logits >= 0).sum(axis=1).tolist()
            decided = [likely[:count] for likely, count in zip(order, counts, strict=True)]
            scores = 0.5 * (1 + np.tanh(logits / 2))
            return self._answers(scores, decided, np.abs(logits).min(axis=1))
        scores = (logits - self._low) / (self._high - self._low)
        return self._answers(scores, [[]] * len(scores), np.full(len(scores), np.inf))

    def _answers(
        self, scores: Array, decided: Sequence[Sequence[int]], margins: Array
    ) -> list[Prediction]:
        rows = zip(decided, np.round(scores, _DIGITS).tolist(), margins.tolist(), strict=True)
        predictions = []
        for some, row, margin in rows:
            output = {
                "labels": [self._labels[at] for at in some],
                "scores": dict(zip(self._labels, row, strict=True)),
            }
            predictions.append(Prediction(output, margin))
        return predictions


def activation_of(form: InputForm, labels: Sequence[str], where: str) -> str:
    """Return the activation that turns logits into scores: the card's, or by default softmax."""
    if not labels or len({*labels}) < len(labels):
        raise CannotJudge(f"{where}: the labels are {_few(labels)}. Expected each only once.")
    if form.activation not in ("", *ACTIVATIONS):
        raise CannotJudge(
            f"{where}: activation is {quoted(form.activation, 40)}. Expected one of: "
            f"{', '.join(ACTIVATIONS)}. Fix the file."
        )
    low, high = form.score_range
    if not low < high:
        raise CannotJudge(
            f"{where}: score_range is {low:g} to {high:g}. Expected the lowest and the highest "
            'score, such as "score_range": [0, 5]. Fix the file.'
        )
    several = len(labels) > 1
    if not {"": several, SOFTMAX: several, SIGMOID: True, NONE: not several}[form.activation]:
        activation = f"activation {form.activation}" if form.activation else "no activation"
        raise CannotJudge(
            f"{where} has {counted(len(labels), 'label')} ({_few(labels)}) and {activation}. Set "
            f'"activation" to {SOFTMAX} for one label of several, {SIGMOID} for any number of '
            f"labels, or {NONE} for one score: {page('labels', 'from-logits-to-labels')}"
        )
    return form.activation or SOFTMAX


def _few(labels: Sequence[str]) -> str:
    return quoted(", ".join(labels[:6]) + (", ..." if len(labels) > 6 else ""), 120)
