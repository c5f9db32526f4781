"""Sequence classification: a text, or a pair, to token ids; logits to labels with their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mt_gate.base.errors import CannotJudge, page, quoted
from mt_gate.sut.card import CARD, TOKENIZER, Card, InputForm
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import InputRefusal, Reader, encode_texts, load_tokenizer
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
    Array = np.ndarray[Any, Any]

_DIGITS = 6
_PROBE = "It was bad."


class EncodedText(NamedTuple):
    """Token ids of a text or a pair, and for each token which text it is of."""

    ids: list[int]
    type_ids: list[int]


class TextReader(Reader):
    """Labels with their scores, of one text or of a pair."""

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        self._where = folder.path / CARD
        self._labels = card.labels
        self._activation = activation_of(card, card.labels, str(self._where))
        self._low, self._high = card.score_range
        self._pairs = card.input_form == PAIR
        self.tokenizer = load_tokenizer(folder)
        self._tokenizer_file = folder.path / TOKENIZER
        self.max_length = card.max_length
        self.width = len(card.labels)

    def probe(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the input, with a second text if this checkpoint reads pairs."""
        return {**value, SECOND: _PROBE} if self._pairs else value

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[EncodedText | InputRefusal]:
        """Encode texts; texts that are too long are skipped, since edits may be anywhere."""
        texts = [self._texts(value) for value in inputs]
        encodings = encode_texts(self.tokenizer, texts, self._tokenizer_file)
        return [self.fitted(EncodedText(one.ids, one.type_ids)) for one in encodings]

    def _texts(self, value: Mapping[str, Any]) -> str | tuple[str, str]:
        if (SECOND in value) is not self._pairs:
            reads, has = ("pairs", "one text") if self._pairs else ("one text", "pairs")
            form = '"text"' if self._pairs else f'"{PAIR}"'
            raise CannotJudge(
                f"{self._where} reads {reads}, but the inputs are {has}. Choose a suite of "
                f'{reads}. If the checkpoint was trained on {has}, set "input_form": {form} '
                f"({page('labels')})"
            )
        return (value[TEXT], value[SECOND]) if self._pairs else value[TEXT]

    def decode(self, items: Sequence[EncodedText], scores: Array) -> list[Prediction]:  # noqa: ARG002
        """Return the labels, the likeliest first, and scores: of each, or of many those wanted."""
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
    """Return what makes scores of logits: as the card says, else softmax over several labels."""
    if not labels or len({*labels}) < len(labels):
        raise CannotJudge(f"{where}: the labels are {_few(labels)}. Name each once.")
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
            f"{where} has {len(labels)} labels ({_few(labels)}) and {activation}. Use {SOFTMAX} "
            f"for one label of several, {SIGMOID} for any number of labels, {NONE} for one score. "
            f'Set it as "activation": {page("labels", "from-logits-to-labels")}'
        )
    return form.activation or SOFTMAX


def _few(labels: Sequence[str]) -> str:
    return quoted(", ".join(labels[:6]) + (", ..." if len(labels) > 6 else ""), 120)
