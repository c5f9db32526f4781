"""Language models as classifiers: the prompt as stored text, and the log-probability of labels.

A label's score is the log-probability of its text after the prompt. It covers only the first token
if the first tokens of all labels differ, and all tokens otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import torch

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.exporting.folder_files import CHAT_TEMPLATE, TOKENIZER_CONFIG, read_json
from mt_gate.exporting.hugging_face import SAFE, HuggingFaceFolder, has_file, report_failures
from mt_gate.sut.card import Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.prompt import Prompt, check_template, fill
from mt_gate.sut.reader import encode_texts, load_tokenizer
from mt_gate.tasks.table import TASKS

_MOST_TEMPLATE = 1 << 20
_AGAIN = "Expected the chat template that save_pretrained() writes. Save the tokenizer again."


def with_prompt(card: Card, folder: HuggingFaceFolder, prompt: Prompt, chat: str) -> Card:
    """Return a card with the prompt as the model reads it, in its chat template if there is one.

    Without a chat template, spaces at the end of the prompt move to the labels' texts, because a
    token includes the space before its word. Raises CannotJudge.
    """
    if chat:
        template = _apply_chat_template(folder, prompt, chat)
        check_template(f"{folder.path}: the chat template's result", template, card.task)
    else:
        template = "\n\n".join(filter(None, (prompt.system, prompt.user)))
    stem = template.rstrip(" ")
    space = template[len(stem) :]
    texts = {label: space + text for label, text in prompt.labels.items()}
    return msgspec.structs.replace(card, template=stem, special_tokens=not chat, label_texts=texts)


def read_chat_template(folder: HuggingFaceFolder) -> str:
    """Return the checkpoint's chat template, empty if it has none. Raises CannotJudge."""
    path = folder.source
    if has_file(path, CHAT_TEMPLATE):
        data = (path / CHAT_TEMPLATE).read_bytes()[: _MOST_TEMPLATE + 1]
        with report_failures(f"{folder.path / CHAT_TEMPLATE} cannot be read", _AGAIN):
            stated: Any = data.decode("utf-8")
    elif has_file(path, TOKENIZER_CONFIG):
        settings = read_json(path, TOKENIZER_CONFIG, dict[str, Any], 64 << 20, _AGAIN)
        stated = settings.get("chat_template") or ""
    else:
        return ""
    if isinstance(stated, list):  # several templates, each with a name
        named = {one.get("name"): one.get("template") for one in stated if isinstance(one, dict)}
        stated = named.get("default", "")
    if not isinstance(stated, str) or len(stated) > _MOST_TEMPLATE:
        raise CannotJudge(f"{folder.path}: the chat template is not a text, or too long. {_AGAIN}")
    return stated


def _apply_chat_template(folder: HuggingFaceFolder, prompt: Prompt, chat: str) -> str:
    from transformers import AutoTokenizer

    what = f"{folder.path}: the chat template rejects the prompt"
    cause = "Change the prompt, for example remove its system message, or fix the template."
    with report_failures(what, cause, hiding=(folder.source, folder.path)):
        tokenizer = AutoTokenizer.from_pretrained(str(folder.source), use_fast=True, **SAFE)
        # transformers renders in Jinja's immutable sandbox. Turn off a model's reasoning.
        rendered = tokenizer.apply_chat_template(
            prompt.messages,
            chat_template=chat,
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=False,
        )
        return str(rendered)


def scored_tokens(card: Card, draft: CheckpointFolder) -> list[tuple[int, ...]]:
    """Return the token ids of each label whose probabilities are its score. Raises UsageError.

    They are the first tokens of the labels' texts if these differ, otherwise all tokens.
    """
    tokenizer = load_tokenizer(draft)
    context = fill(card.template, TASKS[card.task].probe)
    whole = [context, *(context + card.label_texts[label] for label in card.labels)]
    before, *after = (
        encoding.ids for encoding in encode_texts(tokenizer, whole, card.name, card.special_tokens)
    )
    unknown = {tokenizer.token_to_id(token) for token in ("<unk>", "[UNK]")} - {None}
    tokens: dict[str, tuple[int, ...]] = {}
    for label, ids in zip(card.labels, after, strict=True):
        text = card.label_texts[label]
        own = tuple(ids[len(before) :])
        if ids[: len(before)] != before or not own:
            raise UsageError(
                f"{card.name}: the tokenizer joins the end of the prompt with {quoted(text)}, the "
                f"text of label {quoted(label)}. End the prompt with a line break, or change the "
                "text."
            )
        if unknown & {*own}:
            raise UsageError(
                f"{card.name}: the vocabulary lacks a part of {quoted(text)}, the text of label "
                f"{quoted(label)}. Choose another text."
            )
        tokens[label] = own
    for (label, short), (other, long) in itertools.permutations(tokens.items(), 2):
        if long[: len(short)] == short:
            raise UsageError(
                f"{card.name}: the text of label {quoted(other)} begins with the text of "
                f"{quoted(label)}, so the model would never predict it. Change one of them."
            )
    first = [ids[:1] for ids in tokens.values()]
    return first if len({*first}) == len(first) else [*tokens.values()]


class _Places:
    """Positions of the tokens whose output the model computes, shape (batch, tokens)."""

    at: torch.Tensor


class _ChosenRows(torch.nn.Module):
    """The output layer, computed only at some positions of each text."""

    def __init__(self, layer: torch.nn.Module, places: _Places) -> None:
        super().__init__()
        self.layer = layer
        self.places = places

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        chosen = self.places.at.unsqueeze(-1).expand(-1, -1, states.shape[-1])
        logits: torch.Tensor = self.layer(torch.gather(states, 1, chosen))
        return logits


class LabelScores(torch.nn.Module):
    """A language model that returns the log-probability of each label after a text.

    ``tokens`` are the ids of each label. Padding must be at the end of a text.
    """

    def __init__(self, model: Any, tokens: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self.places = _Places()
        self.model = model
        # Some models scale or cap the output layer's result, so replace it inside the model.
        model.set_output_embeddings(_ChosenRows(model.get_output_embeddings(), self.places))
        longest = max(map(len, tokens))
        padded = [[*ids, *[0] * (longest - len(ids))] for ids in tokens]
        self.register_buffer("ids", torch.tensor(padded))
        self.register_buffer(
            "real", torch.tensor([[at < len(ids) for at in range(longest)] for ids in tokens])
        )
        self.ids: torch.Tensor
        self.real: torch.Tensor

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return the log-probabilities, shape (batch, labels)."""
        labels, longest = self.ids.shape
        last = attention_mask.sum(1, keepdim=True) - 1
        if longest == 1:
            self.places.at = last
            return self._log(input_ids, attention_mask)[:, 0, self.ids[:, 0]]
        # Repeat each text per label, followed by the label's tokens except the last.
        batch = input_ids.shape[0]
        steps = torch.arange(longest, device=input_ids.device)
        at = (last + steps).unsqueeze(1).expand(batch, labels, longest)
        ids, mask = (
            torch.nn.functional.pad(part, (0, longest - 1)).unsqueeze(1).repeat(1, labels, 1)
            for part in (input_ids, attention_mask)
        )
        behind = at[:, :, 1:]
        behind_ids = self.ids[:, :-1].unsqueeze(0).expand(batch, -1, -1)
        ids = ids.scatter(2, behind, behind_ids).flatten(0, 1)
        mask = mask.scatter(2, behind, torch.ones_like(behind_ids)).flatten(0, 1)
        self.places.at = at.flatten(0, 1)
        logs = self._log(ids, mask)
        logs = logs.reshape(batch, labels, longest, logs.shape[-1])
        wanted = self.ids.unsqueeze(0).unsqueeze(-1).expand(batch, -1, -1, 1)
        chosen = torch.gather(logs, 3, wanted).squeeze(-1)
        return (chosen * self.real).sum(2)

    def _log(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        output = self.model(input_ids=ids, attention_mask=mask, use_cache=False)
        return torch.log_softmax(output.logits.float(), dim=-1)


class LastEnd(torch.nn.Module):
    """An encoder-decoder that classifies the state at the last end token (BART, T5).

    transformers checks that all texts have equally many end tokens. That cannot be exported.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return the logits, shape (batch, labels)."""
        model = self.model
        body = getattr(model, model.base_model_prefix)
        shifted: Mapping[str, torch.Tensor] = {}
        if hasattr(model, "_shift_right"):
            shifted = {"decoder_input_ids": model._shift_right(input_ids)}
        states = body(
            input_ids=input_ids, attention_mask=attention_mask, use_cache=False, **shifted
        ).last_hidden_state
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        last = (places * (input_ids == model.config.eos_token_id)).argmax(1)
        chosen = last.view(-1, 1, 1).expand(-1, 1, states.shape[-1])
        logits: torch.Tensor = model.classification_head(torch.gather(states, 1, chosen)[:, 0])
        return logits
