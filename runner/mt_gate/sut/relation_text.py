"""Relation extraction: a sentence with head and tail as tokens, by the card's templates.

An input that is longer than the system takes is refused whole: cut text could be where an edit is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.domain import NotApplicable
from mt_gate.sut.card import CARD, TEXT, TOKENIZER, TYPE, Card, InputForm, check_form, reads_types
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import (
    AT_ONCE,
    TOKENS,
    InputRefusal,
    Inputs,
    Reader,
    encode_texts,
    load_tokenizer,
    token_feeds,
)
from mt_gate.tasks import relation_extraction as re_task
from mt_gate.tasks.relation_extraction import ARGUMENTS, HEAD, PAIR, PLAIN, TAIL

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

    Array = np.ndarray[Any, Any]

_MARKER = re.compile(r"\[[^\[\]\s]+\]|<[^<>\s]+>")
"""What must be one token wherever a template holds it."""
_DIGITS = 6
_UNKNOWN = ("<unk>", "[UNK]")


class Own(NamedTuple):
    """Characters of the input itself, in the first text (0) or the second (1)."""

    text: int
    start: int
    end: int


class ShownText(NamedTuple):
    """What the tokenizer gets.

    ``places`` are those of head and tail, half-open, with what their templates add but blanks;
    empty where none is shown.
    """

    texts: str | tuple[str, str]
    own: tuple[Own, ...]
    places: tuple[tuple[int, int], ...] = ()


class Templates:
    """Arguments shown by a template each: markers around them, or a word for them."""

    def __init__(self, form: InputForm, tokenizer: Tokenizer, where: str) -> None:
        self.templates: Mapping[str, str] = {name: getattr(form, name) for name in ARGUMENTS}
        self.takes_blank = form.input_form == PAIR
        self.reads_types = reads_types(form)
        self.names: dict[str, dict[str, str]] = {}
        """For each argument, the name of each type that its template can show; "" for all others"""
        markers = set()
        for name, template in self.templates.items():
            kinds = {**form.types, **({"": form.other_type} if form.other_type else {})}
            known = self.names[name] = {}
            missing: list[str] = []
            for kind, shown in sorted(kinds.items()) if TYPE in template else [("", "")]:
                own = _MARKER.findall(template.replace(TYPE, shown).replace(TEXT, " "))
                unknown = [marker for marker in own if tokenizer.token_to_id(marker) is None]
                missing += unknown
                if not unknown:
                    known[kind] = shown
                    markers.update(own)
            if not known:
                raise CannotJudge(
                    f"{where}: {name} is {quoted(template)}, but {quoted(missing[0])} is not a "
                    "token of the tokenizer. Expected the markers that the checkpoint was trained "
                    "with. Fix the template, or save the tokenizer that has them next to the "
                    "model."
                )
        self.markers = sorted(markers)

    def show(self, value: Mapping[str, Any]) -> ShownText | None:
        """Return the text with its arguments shown; None where a type has no name.

        Each character of the text that no template replaces stays as it is. With ``takes_blank``
        the blank before an argument comes after its opening, as the tokenizer of LUKE has it.
        """
        text: str = value[re_task.TEXT]
        shown = ""
        own: list[Own] = []
        places: dict[str, tuple[int, int]] = {}
        read = 0
        arguments = [(name, re_task.argument(value, name)) for name in ARGUMENTS]

        def copy(start: int, end: int) -> str:
            if start < end:
                own.append(Own(0, len(shown), len(shown) + end - start))
            return shown + text[start:end]

        def blank(at: int) -> int:
            return int(self.takes_blank and at > 0 and text[at - 1] == " ")

        for name, argument in sorted(arguments, key=lambda item: item[1].start):
            names = self.names[name]
            kind = names.get(argument.type, names.get(""))
            if kind is None:
                return None
            before, holds, after = self.templates[name].partition(TEXT)
            before, after = before.replace(TYPE, kind), after.replace(TYPE, kind)
            start = max(read, argument.start - blank(argument.start))
            shown = copy(read, start)
            opening = len(shown) + len(before) - len(before.lstrip())
            shown += before
            # With LUKE a blank at the end of an argument belongs to what follows it.
            end = argument.end - blank(argument.end)
            shown = copy(start, end if holds else start) + after
            places[name] = opening, len(shown) - len(after) + len(after.rstrip())
            read = end if holds else argument.end
        shown = copy(read, len(text))
        return ShownText(shown, tuple(own), (places[HEAD], places[TAIL]))


class TextPair:
    """The sentence as it is, and both names as a second text by a template."""

    markers: Sequence[str] = ()
    reads_types = False
    names: Mapping[str, Mapping[str, str]] = {}
    """Of no argument: types are not shown."""

    def __init__(self, form: InputForm) -> None:
        self.parts = re.split(r"(\{head\}|\{tail\})", form.template)

    def show(self, value: Mapping[str, Any]) -> ShownText:
        """Return both texts."""
        text: str = value[re_task.TEXT]
        named = {f"{{{name}}}": re_task.argument(value, name) for name in ARGUMENTS}
        words = {place: text[of.start : of.end] for place, of in named.items()}
        own, second = [Own(0, 0, len(text))], ""
        for part in self.parts:
            if part in words:
                own.append(Own(1, len(second), len(second) + len(words[part])))
            second += words.get(part, part)
        return ShownText((text, second), tuple(own))


def check_labels(labels: Sequence[str], where: str) -> None:
    """Check the labels of a relation classifier: any texts, each once, two or more."""
    twice = [label for index, label in enumerate(labels) if label in labels[:index]]
    if len(labels) < 2 or twice or not all(label.strip() for label in labels):
        listed = (
            f"{quoted(twice[0], 60)} twice" if twice else f"{len(labels)}: {quoted(labels[:3])}"
        )
        raise CannotJudge(
            f"{where}: the labels are {listed}. Task re needs the name of each relation once, two "
            "or more, in the order of the scores. Fix the file."
        )


def decode(labels: Sequence[str], scores: Array) -> Prediction:
    """Return the likeliest relation with its probability; ``scores`` are logits, one a label."""
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


class EncodedPair(NamedTuple):
    """Token ids, int32; half-open token spans of head and tail with their markers, if shown."""

    ids: Array
    type_ids: Array
    spans: tuple[tuple[int, int], ...]


class RelationReader(Reader):
    """The relation of head and tail from the tokens of their sentence.

    Inputs whose own text holds a marker or another special token are refused: the tokenizer would
    read it as one.
    """

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        where = str(folder.path / CARD)
        check_labels(card.labels, where)
        check_form(card, where)
        self.tokenizer = load_tokenizer(folder)
        self._where = folder.path / TOKENIZER
        self.labels = card.labels
        self.width = len(card.labels)
        self.max_length = card.max_length
        plain = card.input_form == PLAIN
        self.showing = TextPair(card) if plain else Templates(card, self.tokenizer, where)
        self.reads_types = self.showing.reads_types
        self._special = _special_ids(self.tokenizer, self.showing.markers)

    def probe(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an input with types that the checkpoint has names for."""
        names = self.showing.names
        return {**value, **{name: [*value[name][:2], min(names[name])] for name in names}}

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[EncodedPair | InputRefusal]:
        """Encode sentences with their arguments."""
        items: list[EncodedPair | InputRefusal] = []
        for start in range(0, len(inputs), AT_ONCE):
            shown = [self.showing.show(value) for value in inputs[start : start + AT_ONCE]]
            texts = [item.texts for item in shown if item is not None]
            encodings = iter(encode_texts(self.tokenizer, texts, self._where))
            for item in shown:
                if item is None:
                    items.append(InputRefusal(NotApplicable.UNKNOWN_TYPE))
                else:
                    items.append(self._item(item, next(encodings)))
        return items

    def _item(self, shown: ShownText, encoding: Encoding) -> EncodedPair | InputRefusal:
        # The tokenizer makes these lists whenever they are read.
        ids, made, offsets = encoding.ids, encoding.special_tokens_mask, encoding.offsets
        if len(ids) > self.max_length:
            return InputRefusal(NotApplicable.TRUNCATED)
        # "made" are tokens that stand for no text.
        read = [(at, *offsets[at]) for at, of in enumerate(made) if not of]
        texts = (shown.texts,) if isinstance(shown.texts, str) else shown.texts
        for at, start, end in read:
            for own in shown.own if ids[at] in self._special else ():
                common = texts[own.text][max(start, own.start) : min(end, own.end)]
                if own.text == encoding.token_to_sequence(at) and common.strip():
                    return InputRefusal(NotApplicable.MARKER_IN_TEXT)
        spans = []
        for first, last in shown.places:
            tokens = [at for at, start, end in read if end > first and start < last]
            if not tokens:  # a tokenizer may drop characters (controls), and all of an argument
                return InputRefusal(NotApplicable.ARGUMENT_UNREAD)
            spans.append((tokens[0], tokens[-1] + 1))
        types = np.array(encoding.type_ids, np.int32)
        return EncodedPair(np.array(ids, np.int32), types, tuple(spans))

    def decode(self, items: Sequence[EncodedPair], scores: Array) -> list[Prediction]:  # noqa: ARG002
        """Return the relation of each."""
        return [decode(self.labels, logits) for logits in scores]


class StartsReader(RelationReader):
    """Also feeds the index of the first token of head and tail, shape (batch, 2)."""

    inputs = Inputs(
        (*TOKENS.required, "entity_starts"), TOKENS.optional, {"entity_starts": ("batch", 2)}
    )

    def feeds(self, items: Sequence[EncodedPair]) -> dict[str, Array]:
        """Return ids, mask, types and starts."""
        starts = [[start for start, _ in item.spans] for item in items]
        return {**token_feeds(items), "entity_starts": np.array(starts, np.int64)}


IDS, POSITIONS = "entity_ids", "entity_position_ids"
MASK, KINDS = "entity_attention_mask", "entity_token_type_ids"


class EntityPairReader(RelationReader):
    """LUKE: words and the two entities, as ``LukeForEntityPairClassification`` takes them.

    Each entity has an id (a mask for the head, another for the tail) and the positions of its
    tokens, markers included, shape (batch, 2, mention_length), so that the model attends to it as
    to a word.
    """

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        super().__init__(folder, card)
        self.entities = card.entities
        self.mention_length = card.mention_length
        pair: tuple[str | int, ...] = ("batch", 2)
        self.inputs = Inputs(
            (*TOKENS.required, IDS, POSITIONS),
            (*TOKENS.optional, MASK, KINDS),
            {IDS: pair, MASK: pair, KINDS: pair, POSITIONS: (*pair, self.mention_length)},
        )

    def feeds(self, items: Sequence[EncodedPair]) -> dict[str, Array]:
        """Return the words' tensors and the entities'; positions are padded with -1."""
        count = len(items)
        positions = np.full((count, 2, self.mention_length), -1, np.int64)
        for row, item in enumerate(items):
            for entity, (start, end) in enumerate(item.spans):
                used = np.arange(start, min(end, start + self.mention_length))
                positions[row, entity, : len(used)] = used
        return {
            **token_feeds(items),
            IDS: np.tile(np.array(self.entities, np.int64), (count, 1)),
            POSITIONS: positions,
            MASK: np.ones((count, 2), np.int64),
            KINDS: np.zeros((count, 2), np.int64),
        }


def _special_ids(tokenizer: Tokenizer, markers: Sequence[str]) -> frozenset[int]:
    """Return the ids that no text of an input may be read as; make all markers whole tokens.

    A marker that is in the vocabulary alone (``[unused1]`` of BERT) would else be split.
    """
    from tokenizers import AddedToken

    known = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    tokenizer.add_special_tokens(
        [AddedToken(marker, normalized=False) for marker in markers if marker not in known]
    )
    # A replacement of unknown characters may be in any text.
    return frozenset(
        number
        for number, token in tokenizer.get_added_tokens_decoder().items()
        if (token.special or token.content in markers) and token.content not in _UNKNOWN
    )
