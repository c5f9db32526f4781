"""Relation extraction: a sentence with head and tail as tokens, by the card's templates.

An input that is longer than the system takes is refused whole: cut text could
be where an edit lies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.domain import NotApplicable
from mt_gate.sut.batching import Lengths
from mt_gate.sut.card import CARD, TOKENIZER, Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.input_form import TEXT, TYPE, InputForm, check_form, reads_types
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import (
    TOKENS,
    InputRefusal,
    Inputs,
    encode_texts,
    load_tokenizer,
    token_feeds,
)
from mt_gate.tasks import relation_extraction as re_task
from mt_gate.tasks.relation_extraction import ARGUMENTS, HEAD, PAIR, PLAIN, TAIL, Argument

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

    Array = np.ndarray[Any, Any]


_MARKER = re.compile(r"\[[^\[\]\s]+\]|<[^<>\s]+>")
"""What must be one token wherever a template holds it."""


class ArgumentPlace(NamedTuple):
    """Where an argument stands in the text, with what its template adds but blanks."""

    start: int
    end: int


class Own(NamedTuple):
    """Characters of the input itself, in the first text (0) or the second (1)."""

    text: int
    start: int
    end: int


class ShownText(NamedTuple):
    """What the tokenizer gets. ``places`` are those of head and tail; empty where none is shown."""

    texts: str | tuple[str, str]
    own: tuple[Own, ...]
    places: tuple[ArgumentPlace, ...] = ()


class Templates:
    """Arguments shown by a template each: markers around them, or a word for them."""

    def __init__(self, form: InputForm, tokenizer: Tokenizer, where: str) -> None:
        """Find the markers in the tokenizer's vocabulary.

        Raises CannotJudge: a marker is no token, or none of the types has its own.
        """
        self.templates: Mapping[str, str] = {name: getattr(form, name) for name in ARGUMENTS}
        self.takes_blank = form.input_form == PAIR
        self.other_type = form.other_type
        self.names = {
            name: _known_types(template, form, tokenizer, f"{where}: {name}")
            for name, template in self.templates.items()
        }
        self.markers = sorted(
            {
                marker
                for name, template in self.templates.items()
                for kind in [*self.names[name].values()]
                for marker in _markers(template, kind)
            }
        )
        self.reads_types = reads_types(form)

    def type_name(self, name: str, kind: str) -> str | None:
        """Return the checkpoint's name of an argument's type; None where it has none."""
        names = self.names[name]
        return names.get(kind, names.get(""))

    def show(self, value: Mapping[str, Any]) -> ShownText | None:
        """Return the text with its arguments shown; None where a type has no name.

        Each character of the text that no template replaces stays as it is. With ``takes_blank``
        the blank before an argument stands after its opening, as the tokenizer of LUKE has it.
        """
        text: str = value[re_task.TEXT]
        parts: list[str] = []
        own: list[Own] = []
        places: dict[str, ArgumentPlace] = {}
        read = length = 0

        def put(part: str, *, is_own: bool) -> None:
            nonlocal length
            if is_own and part:
                own.append(Own(0, length, length + len(part)))
            parts.append(part)
            length += len(part)

        for name, argument in sorted(_arguments(value), key=lambda item: item[1].start):
            kind = self.type_name(name, argument.type)
            if kind is None:
                return None
            before, holds, after = self.templates[name].partition(TEXT)
            start = max(read, argument.start - self._blank(text, argument.start))
            put(text[read:start], is_own=True)
            opening = length + len(before) - len(before.lstrip())
            put(before.replace(TYPE, kind), is_own=False)
            # With LUKE a blank at the end of an argument belongs to what follows it.
            end = argument.end - self._blank(text, argument.end)
            put(text[start:end] if holds else "", is_own=True)
            put(after.replace(TYPE, kind), is_own=False)
            places[name] = ArgumentPlace(opening, length - len(after) + len(after.rstrip()))
            read = end if holds else argument.end
        put(text[read:], is_own=True)
        return ShownText("".join(parts), tuple(own), (places[HEAD], places[TAIL]))

    def _blank(self, text: str, at: int) -> int:
        return int(self.takes_blank and at > 0 and text[at - 1] == " ")


class TextPair:
    """The sentence as it is, and both names as a second text by a template."""

    markers: tuple[str, ...] = ()
    reads_types = False

    def __init__(self, form: InputForm) -> None:
        """Take the template apart."""
        self.parts = re.split(r"(\{head\}|\{tail\})", form.template)

    def show(self, value: Mapping[str, Any]) -> ShownText:
        """Return both texts."""
        text: str = value[re_task.TEXT]
        words = {f"{{{name}}}": text[item.start : item.end] for name, item in _arguments(value)}
        own, second = [Own(0, 0, len(text))], ""
        for part in self.parts:
            if part in words:
                own.append(Own(1, len(second), len(second) + len(words[part])))
            second += words.get(part, part)
        return ShownText((text, second), tuple(own))


def _arguments(value: Mapping[str, Any]) -> Iterator[tuple[str, Argument]]:
    for name in ARGUMENTS:
        yield name, re_task.argument(value, name)


def _markers(template: str, kind: str) -> list[str]:
    return _MARKER.findall(template.replace(TYPE, kind).replace(TEXT, " "))


def _known_types(
    template: str, form: InputForm, tokenizer: Tokenizer, where: str
) -> dict[str, str]:
    if TYPE not in template:
        names = {"": ""}
    else:
        names = {**form.types, **({"": form.other_type} if form.other_type else {})}
    missing: list[str] = []
    known = {}
    for kind, name in sorted(names.items()):
        lost = [m for m in _markers(template, name) if tokenizer.token_to_id(m) is None]
        missing += lost
        if not lost:
            known[kind] = name
    if not known:
        raise CannotJudge(
            f"{where} is {quoted(template)}, and {quoted(missing[0])} is not a token of the "
            "tokenizer; expected the markers that the checkpoint was trained with; fix the "
            "template, or save the tokenizer that has them next to the model"
        )
    return known


_DIGITS = 6


def check_labels(labels: Sequence[str], where: str) -> None:
    """Check the labels of a relation classifier: any texts, each once, two or more.

    Raises CannotJudge: they are not.
    """
    twice = [label for index, label in enumerate(labels) if label in labels[:index]]
    if len(labels) < 2 or twice or not all(label.strip() for label in labels):
        found = f"{quoted(twice[0], 60)} twice" if twice else f"{len(labels)}: {quoted(labels[:3])}"
        raise CannotJudge(
            f"{where}: labels are {found}; task re expects the name of each relation once, two or "
            "more, in the order of the scores; fix the file"
        )


def decode(labels: Sequence[str], scores: Array) -> Prediction:
    """Return the likeliest relation with its probability."""
    values = scores.astype(np.float64)
    best = int(values.argmax())
    score = 1 / float(np.exp(values - values[best]).sum())
    margin = float(values[best] - np.delete(values, best).max())
    return Prediction({"relation": labels[best], "score": round(score, _DIGITS)}, margin)


def with_scores(prediction: Prediction, scores: Array) -> Prediction:
    """Return a prediction whose output also lists all logits, in the order of the labels."""
    if prediction.output is None:
        return prediction
    listed = [round(float(score), _DIGITS) for score in scores]
    return prediction._replace(output={**prediction.output, "scores": listed})


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

    Inputs whose own text holds a marker or another special token are refused: the tokenizer would
    read it as one.
    """

    inputs = TOKENS

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        """Load the tokenizer. Raises CannotJudge: it is unfit, or templates or labels are."""
        where = str(folder.path / CARD)
        check_labels(card.labels, where)
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
        return [decode(self.labels, logits) for logits in scores]


class StartsReader(RelationReader):
    """Also feeds the index of the first token of head and tail, shape (batch, 2)."""

    inputs = STARTS_INPUTS

    def feeds(self, items: Sequence[EncodedPair]) -> dict[str, Array]:
        """Return ids, mask, types and starts."""
        starts = [[start for start, _ in item.spans] for item in items]
        return {**token_feeds(items), "entity_starts": np.array(starts, np.int64)}


def _special_ids(tokenizer: Tokenizer, markers: Sequence[str]) -> frozenset[int]:
    """Return the ids that no text of an input may be read as; make all markers whole tokens.

    A marker that stands in the vocabulary alone (``[unused1]`` of BERT) would else be split.
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
