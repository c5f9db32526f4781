"""Encode a sentence whose head and tail are marked, using the templates of checkpoint.json.

An input longer than the model takes is skipped: truncation could remove the edit.
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
from mt_gate.sut.prompt import fill
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import (
    AT_ONCE,
    TOKENS,
    EncodedText,
    InputRefusal,
    Inputs,
    Reader,
    encode_texts,
    load_tokenizer,
    token_feeds,
)
from mt_gate.tasks import relation_extraction as re_task
from mt_gate.tasks.relation_extraction import ARGUMENTS, ENTITY_PAIR, HEAD, PLAIN, TAIL

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

    Array = np.ndarray[Any, Any]

_MARKER = re.compile(r"\[[^\[\]\s]+\]|<[^<>\s]+>")
"""A marker such as [E1] or <e1>; the tokenizer must have each as one token."""
_DIGITS = 6
_UNKNOWN = ("<unk>", "[UNK]")


class OriginalSpan(NamedTuple):
    """Characters copied from the input, in the first shown text (0) or the second (1)."""

    text: int
    start: int
    end: int


class ShownText(NamedTuple):
    """One text or two for the tokenizer.

    ``places``: half-open spans of head and tail in the text, with markers, without outer spaces;
    empty if they are not marked.
    """

    texts: str | tuple[str, str]
    originals: tuple[OriginalSpan, ...]
    places: tuple[tuple[int, int], ...] = ()


class Templates:
    """Mark head and tail, each with its template: markers around its words, or instead of them."""

    def __init__(self, form: InputForm, tokenizer: Tokenizer, where: str) -> None:
        self.templates: Mapping[str, str] = {name: getattr(form, name) for name in ARGUMENTS}
        self.moves_space_inside = form.input_form == ENTITY_PAIR
        self.reads_types = reads_types(form)
        self.names: dict[str, dict[str, str]] = {}
        """For each argument, the shown name of each type; the key "" is for all other types."""
        markers = set()
        for name, template in self.templates.items():
            kinds = {**form.types, **({"": form.other_type} if form.other_type else {})}
            known = self.names[name] = {}
            missing: list[str] = []
            for kind, shown in sorted(kinds.items()) if TYPE in template else [("", "")]:
                used = _MARKER.findall(template.replace(TYPE, shown).replace(TEXT, " "))
                unknown = [marker for marker in used if tokenizer.token_to_id(marker) is None]
                missing += unknown
                if not unknown:
                    known[kind] = shown
                    markers.update(used)
            if not known:
                raise CannotJudge(
                    f"{where}: {name} is {quoted(template)}, but {quoted(missing[0])} is not a "
                    "token of the tokenizer. Use the markers that the checkpoint was trained "
                    "with: fix the template, or save their tokenizer next to the model."
                )
        self.markers = sorted(markers)

    def show(self, value: Mapping[str, Any]) -> ShownText | None:
        """Return the text with its arguments marked; None if a type has no name.

        All other characters stay unchanged. With ``moves_space_inside`` the space before an
        argument moves inside its start marker, as LUKE's tokenizer does.
        """
        text: str = value[re_task.TEXT]
        shown = ""
        originals: list[OriginalSpan] = []
        places: dict[str, tuple[int, int]] = {}
        copied_until = 0
        arguments = [(name, re_task.argument(value, name)) for name in ARGUMENTS]

        def append_original(start: int, end: int) -> str:
            if start < end:
                originals.append(OriginalSpan(0, len(shown), len(shown) + end - start))
            return shown + text[start:end]

        def count_space(position: int) -> int:
            return int(self.moves_space_inside and position > 0 and text[position - 1] == " ")

        for name, argument in sorted(arguments, key=lambda item: item[1].start):
            names = self.names[name]
            kind = names.get(argument.type, names.get(""))
            if kind is None:
                return None
            before, shows_words, after = self.templates[name].partition(TEXT)
            before, after = before.replace(TYPE, kind), after.replace(TYPE, kind)
            start = max(copied_until, argument.start - count_space(argument.start))
            shown = append_original(copied_until, start)
            opening = len(shown) + len(before) - len(before.lstrip())
            shown += before
            # With LUKE a space at the end of an argument comes after the end marker.
            end = argument.end - count_space(argument.end)
            shown = append_original(start, end if shows_words else start) + after
            places[name] = opening, len(shown) - len(after) + len(after.rstrip())
            copied_until = end if shows_words else argument.end
        shown = append_original(copied_until, len(text))
        return ShownText(shown, tuple(originals), (places[HEAD], places[TAIL]))


def argument_words(value: Mapping[str, Any]) -> dict[str, str]:
    """Return the words of head and tail, by name."""
    spans = {name: re_task.argument(value, name) for name in ARGUMENTS}
    return {name: value[re_task.TEXT][span.start : span.end] for name, span in spans.items()}


class TextPair:
    """Unchanged sentence, and a second text with both names, built from a template."""

    markers: Sequence[str] = ()
    reads_types = False
    names: Mapping[str, Mapping[str, str]] = {}
    """Empty, because types are not shown."""

    def __init__(self, form: InputForm) -> None:
        self.parts = re.split(r"(\{head\}|\{tail\})", form.template)

    def show(self, value: Mapping[str, Any]) -> ShownText:
        """Return both texts."""
        text: str = value[re_task.TEXT]
        words = {f"{{{name}}}": shown for name, shown in argument_words(value).items()}
        originals, second = [OriginalSpan(0, 0, len(text))], ""
        for part in self.parts:
            if part in words:
                originals.append(OriginalSpan(1, len(second), len(second) + len(words[part])))
            second += words.get(part, part)
        return ShownText((text, second), tuple(originals))


def check_labels(labels: Sequence[str], where: str) -> None:
    """Check the labels of a relation classifier: two or more texts, each once and not empty."""
    twice = [label for index, label in enumerate(labels) if label in labels[:index]]
    if len(labels) < 2 or twice or not all(label.strip() for label in labels):
        problem = "has fewer than two labels" if len(labels) < 2 else "has an empty label"
        if twice:
            problem = f"has the label {quoted(twice[0], 60)} twice"
        raise CannotJudge(
            f"{where} {problem}. Task re needs two labels or more, each once, in the order of the "
            "scores. Fix the file."
        )


def decode(labels: Sequence[str], scores: Array) -> Prediction:
    """Return the likeliest relation with its probability; ``scores`` has one logit per label."""
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
    """Reader for models that predict the relation of head and tail from their sentence.

    It skips inputs whose text contains a marker or another special token, because the tokenizer
    could not tell it from one that a template adds.
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
        self._special = register_markers(self.tokenizer, self.showing.markers)

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
        # Each access builds a new list, so read them once.
        ids, special_mask, offsets = encoding.ids, encoding.special_tokens_mask, encoding.offsets
        if len(ids) > self.max_length:
            return InputRefusal(NotApplicable.TRUNCATED)
        read = [
            (index, *offsets[index]) for index, special in enumerate(special_mask) if not special
        ]
        texts = (shown.texts,) if isinstance(shown.texts, str) else shown.texts
        for index, start, end in read:
            for original in shown.originals if ids[index] in self._special else ():
                common = texts[original.text][max(start, original.start) : min(end, original.end)]
                if original.text == encoding.token_to_sequence(index) and common.strip():
                    return InputRefusal(NotApplicable.MARKER_IN_TEXT)
        spans = []
        for first, last in shown.places:
            tokens = [index for index, start, end in read if end > first and start < last]
            if not tokens:  # a tokenizer may drop control characters, even a whole argument
                return InputRefusal(NotApplicable.ARGUMENT_UNREAD)
            spans.append((tokens[0], tokens[-1] + 1))
        types = np.array(encoding.type_ids, np.int32)
        return EncodedPair(np.array(ids, np.int32), types, tuple(spans))

    def decode(self, items: Sequence[EncodedPair], scores: Array) -> list[Prediction]:  # noqa: ARG002
        """Return the predicted relation of each input."""
        return [decode(self.labels, logits) for logits in scores]


class RelationPromptReader(Reader):
    """Reader for language models: a prompt with the sentence, and the words of head and tail."""

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        check_labels(card.labels, str(folder.path / CARD))
        self.tokenizer = load_tokenizer(folder)
        self._where = folder.path / TOKENIZER
        self._template = card.template
        self._special_tokens = card.special_tokens
        self.labels = card.labels
        self.width = len(card.labels)
        self.max_length = card.max_length

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[EncodedText | InputRefusal]:
        """Encode prompts."""
        prompts = [fill(self._template, {**value, **argument_words(value)}) for value in inputs]
        encodings = encode_texts(self.tokenizer, prompts, self._where, self._special_tokens)
        return [self.fitted(EncodedText(encoding.ids, encoding.type_ids)) for encoding in encodings]

    def decode(self, items: Sequence[EncodedText], scores: Array) -> list[Prediction]:  # noqa: ARG002
        """Return the predicted relation of each input."""
        return [decode(self.labels, logits) for logits in scores]


class StartsReader(RelationReader):
    """Reader that also feeds the index of the first token of head and tail, shape (batch, 2)."""

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
    """Reader for LUKE: feeds words and entities, as ``LukeForEntityPairClassification`` takes them.

    Each entity has an id (one mask for the head, another for the tail) and the positions of its
    tokens, including markers, shape (batch, 2, mention_length). The model attends to it as to a
    word.
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
        """Return the tensors of words and entities; positions are padded with -1."""
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


def register_markers(tokenizer: Tokenizer, markers: Sequence[str]) -> frozenset[int]:
    """Register the markers as special tokens; return ids that must not occur in an input's text.

    Without this a marker that is only in the vocabulary (``[unused1]`` of BERT) would be split.
    """
    from tokenizers import AddedToken

    known = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    tokenizer.add_special_tokens(
        [AddedToken(marker, normalized=False) for marker in markers if marker not in known]
    )
    # Any text can produce the unknown token, so allow it.
    return frozenset(
        number
        for number, token in tokenizer.get_added_tokens_decoder().items()
        if (token.special or token.content in markers) and token.content not in _UNKNOWN
    )
