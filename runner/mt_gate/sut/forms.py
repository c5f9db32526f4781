"""The input forms, by task: which reader reads them, which file stands beside the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.sut.card import CARD, Card
from mt_gate.sut.entity_pair import EntityPairReader
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.input_form import MARKERS, MASK, PAIR, PLAIN, STARTS, TYPED
from mt_gate.sut.passage import text_pair, text_to_text
from mt_gate.sut.reader import Reader
from mt_gate.sut.relation_text import RelationReader, StartsReader
from mt_gate.sut.token_classification import TokenClassification
from mt_gate.sut.word_pair import WordPairReader

READERS: dict[tuple[str, str], Callable[[CheckpointFolder, Card], Reader[Any]]] = {
    ("ner", "text"): TokenClassification,
    ("boolq", "text-pair"): text_pair,
    ("boolq", "text-to-text"): text_to_text,
    ("boolq", "word-pair"): WordPairReader,
    ("re", MARKERS): RelationReader,
    ("re", STARTS): StartsReader,
    ("re", TYPED): RelationReader,
    ("re", MASK): RelationReader,
    ("re", PAIR): EntityPairReader,
    ("re", PLAIN): RelationReader,
}


def open_reader(folder: CheckpointFolder, card: Card) -> Reader[Any]:
    """Return the reader for a card's task and input form, with what stands beside the card.

    Raises:
        CannotJudge: no such form for the task, or tokenizer, vocabulary or labels are unfit.
    """
    reader = READERS.get((card.task, card.input_form))
    if reader is None:
        known = ", ".join(form for task, form in READERS if task == card.task)
        raise CannotJudge(
            f"{folder.path / CARD}: input_form {quoted(card.input_form)}; task {card.task} expects "
            "one of: "
            f"{known or 'none yet'}; mend the file or export the checkpoint anew"
        )
    return reader(folder, card)
