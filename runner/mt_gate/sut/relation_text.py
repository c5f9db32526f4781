"""Relation extraction: a sentence with head and tail as tokens, by the card's templates.

An input that is longer than the system takes is refused whole: cut text could
be where an edit lies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from mt_gate.domain import NotApplicable
from mt_gate.sut import relation_scores
from mt_gate.sut.arguments import ArgumentPlace, ShownText, Templates, TextPair
from mt_gate.sut.batching import Lengths
from mt_gate.sut.card import CARD, TOKENIZER, Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.input_form import check_form
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import TOKENS, InputRefusal, Inputs
from mt_gate.sut.token_feeds import encode_texts, load_tokenizer, token_feeds
from mt_gate.tasks.relation_extraction import ARGUMENTS, PLAIN

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

    Array = np.ndarray[Any, Any]

_AT_ONCE = 256
"""Inputs given to the tokenizer together; what it returns is far larger than the ids."""
_UNKNOWN = ("<unk>", "[UNK]")
STARTS_INPUTS = Inputs(
    (*TOKENS.required, "entity_starts"),
    TOKENS.optional,
    {"entity_starts": ("batch", 2)},
)


class EncodedPair(NamedTuple):
    """Token ids, int32; half-open token spans of head and tail with their markers, if shown."""

    ids: Array
    type_ids: Array
    spans: tuple[tuple[int, int], ...]


class Showing(Protocol):
    """What turns an input into text."""

    reads_types: bool

    @property
    def markers(self) -> Sequence[str]:
        """The tokens that only templates may hold."""
        ...

    def show(self, value: Mapping[str, Any]) -> ShownText | None:
        """Return the text; None where the type of an argument has no name."""
        ...


class RelationReader:
    """The relation of head and tail from the tokens of their sentence.

    Inputs whose own text holds a marker or another special token are refused:
    the tokenizer would read it as one.
    """

    inputs = TOKENS

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        """Load the tokenizer.

        Raises:
            CannotJudge: it is unfit, or templates or labels are.
        """
        where = str(folder.path / CARD)
        relation_scores.check_labels(card.labels, where)
        check_form(card, where)
        self.tokenizer = load_tokenizer(folder)
        self._where = folder.path / TOKENIZER
        self.labels = card.labels
        self.max_length = card.max_length
        plain = card.input_form == PLAIN
        self.showing: Showing = TextPair(card) if plain else Templates(card, self.tokenizer, where)
        self.reads_types = self.showing.reads_types
        self._special = _special_ids(self.tokenizer, self.showing.markers)

    def probe(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an input with types that the checkpoint has names for."""
        if not isinstance(self.showing, Templates):
            return value
        kinds = {name: min(known) for name, known in self.showing.names.items()}
        return {**value, **{name: [*value[name][:2], kinds[name]] for name in ARGUMENTS}}

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[EncodedPair | InputRefusal]:
        """Encode sentences with their arguments."""
        return [
            item
            for start in range(0, len(inputs), _AT_ONCE)
            for item in self._encoded(inputs[start : start + _AT_ONCE])
        ]

    def _encoded(self, inputs: Sequence[Mapping[str, Any]]) -> Iterator[EncodedPair | InputRefusal]:
        shown = [self.showing.show(value) for value in inputs]
        texts = [item.texts for item in shown if item is not None]
        encodings = iter(encode_texts(self.tokenizer, texts, self._where))
        for item in shown:
            if item is None:
                yield InputRefusal(NotApplicable.UNKNOWN_TYPE)
            else:
                yield self._item(item, next(encodings))

    def _item(self, shown: ShownText, encoding: Encoding) -> EncodedPair | InputRefusal:
        # Made anew whenever they are asked for; "made" are tokens that stand for no text.
        ids, made, offsets = encoding.ids, encoding.special_tokens_mask, encoding.offsets
        if len(ids) > self.max_length:
            return InputRefusal(NotApplicable.TRUNCATED)
        read = [_Token(at, *offsets[at]) for at, of in enumerate(made) if not of]
        special = [token for token in read if ids[token.place] in self._special]
        if any(_is_of_input(shown, encoding, token) for token in special):
            return InputRefusal(NotApplicable.MARKER_IN_TEXT)
        spans = tuple(_tokens_of(place, read) for place in shown.places)
        if any(start == end for start, end in spans):
            return InputRefusal(NotApplicable.ARGUMENT_UNREAD)
        return EncodedPair(np.array(ids, np.int32), np.array(encoding.type_ids, np.int32), spans)

    def lengths(self, item: EncodedPair) -> Lengths:
        """Return the number of tokens."""
        return (len(item.ids),)

    def feeds(self, items: Sequence[EncodedPair]) -> dict[str, Array]:
        """Return ids, mask and types."""
        return token_feeds(items)

    def shape(self, items: Sequence[EncodedPair]) -> tuple[int, ...]:
        """Return (items, labels)."""
        return (len(items), len(self.labels))

    def decode(self, items: Sequence[EncodedPair], scores: Array) -> list[Prediction]:  # noqa: ARG002
        """Return the relation of each."""
        return [relation_scores.decode(self.labels, logits) for logits in scores]


class StartsReader(RelationReader):
    """Also feeds the index of the first token of head and tail, shape (batch, 2)."""

    inputs = STARTS_INPUTS

    def feeds(self, items: Sequence[EncodedPair]) -> dict[str, Array]:
        """Return ids, mask, types and starts."""
        starts = [[start for start, _ in item.spans] for item in items]
        return {**token_feeds(items), "entity_starts": np.array(starts, np.int64)}


def _special_ids(tokenizer: Tokenizer, markers: Sequence[str]) -> frozenset[int]:
    """Return the ids that no text of an input may be read as; make all markers whole tokens.

    A marker that stands in the vocabulary alone (``[unused1]`` of BERT) would
    else be split.
    """
    from tokenizers import AddedToken

    known = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    tokenizer.add_special_tokens(
        [AddedToken(marker, normalized=False) for marker in markers if marker not in known]
    )
    added = tokenizer.get_added_tokens_decoder()
    # What stands for unknown characters stands in any text.
    return frozenset(
        number
        for number, token in added.items()
        if (token.special or token.content in markers) and token.content not in _UNKNOWN
    )


class _Token(NamedTuple):
    """A token that was read from text: its place, and its characters, half-open."""

    place: int
    start: int
    end: int


def _is_of_input(shown: ShownText, encoding: Encoding, token: _Token) -> bool:
    """Whether a token stands for characters of the input itself."""
    texts = (shown.texts,) if isinstance(shown.texts, str) else shown.texts
    sequence = encoding.token_to_sequence(token.place)
    for own in shown.own:
        common = texts[own.text][max(token.start, own.start) : min(token.end, own.end)]
        if own.text == sequence and common.strip():
            return True
    return False


def _tokens_of(place: ArgumentPlace, read: Sequence[_Token]) -> tuple[int, int]:
    """Return the half-open token span of an argument and what its template adds; (0, 0) for none.

    A tokenizer may drop characters (controls), and all of an argument with them.
    """
    found = [at for at, start, end in read if end > place.start and start < place.end]
    return (found[0], found[-1] + 1) if found else (0, 0)
