"""Token classification: text to token ids, logits to entities as character spans."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mt_gate.errors import CannotJudge
from mt_gate.sut.protocol import Prediction
from mt_gate.tasks.tag_scheme import TagScheme, entities_of
from mt_gate.tasks.words import word_spans

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Tokenizer


class Encoded(NamedTuple):
    """Token ids of a sentence, and for each word the index of its first token (or -1)."""

    ids: list[int]
    type_ids: list[int]
    words: list[tuple[int, int]]
    first_tokens: list[int]


def load_tokenizer(path: Path) -> Tokenizer:
    """Load ``tokenizer.json``, without the cutting and padding it may ask for.

    Raises:
        CannotJudge: missing or broken.
    """
    from tokenizers import Tokenizer

    if not path.is_file():
        raise CannotJudge(
            f"{path}: no such file; expected the checkpoint's fast tokenizer; "
            "save it with tokenizer.save_pretrained() or export the checkpoint anew"
        )
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception
        raise CannotJudge(
            f"{path}: not a tokenizer ({' '.join(str(error).split())[:200]}); "
            "save it with tokenizer.save_pretrained() or export the checkpoint anew"
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def encode(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Encoded]:
    """Encode sentences; offsets are in characters of the texts as given."""
    encodings = tokenizer.encode_batch(list(texts))
    return [_encoded(text, encoding) for text, encoding in zip(texts, encodings, strict=True)]


def _encoded(text: str, encoding: Any) -> Encoded:
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
    return Encoded(encoding.ids, encoding.type_ids, words, first)


def decode(encoded: Encoded, logits: np.ndarray[Any, Any], scheme: TagScheme) -> Prediction:
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
