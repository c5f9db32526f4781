"""Write a checkpoint's model as ``model.onnx`` and compare it with PyTorch's output."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from mt_gate.base import figures
from mt_gate.base.errors import CannotJudge, reported
from mt_gate.exporting.heads import AUTO_ENCODER, CLASSIFIER, Pooling, read_pooling
from mt_gate.exporting.hugging_face import (
    SAFE,
    HuggingFaceFolder,
    load_config,
    refuse_unloadable,
    report_failures,
)
from mt_gate.exporting.language_models import LabelScores, LastEnd
from mt_gate.exporting.precision import save_model
from mt_gate.sut import card as cards
from mt_gate.sut.batching import exact_length_batches
from mt_gate.sut.card import MODEL
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.reader import (
    IDS,
    TOKENS,
    InputRefusal,
    Inputs,
    Reader,
    load_tokenizer,
    longest,
    open_reader,
    short_feeds,
    stretched,
)
from mt_gate.sut.session import Session
from mt_gate.tasks.boolq import TEXT_TO_TEXT
from mt_gate.tasks.relation_extraction import STARTS
from mt_gate.tasks.table import TASKS

OPSET = 20
"""The first ONNX opset with GELU as one operator. In 23 attention is also one operator, but ONNX
Runtime 1.31 rejects its rotary embeddings, and computes it too inaccurately in fp16."""
_SIZES: Mapping[str, int] = {"batch": 2, "length": 7}
"""The free axes, and their sizes in the traced example."""
_TYPES = "token_type_ids"


def input_names(model: torch.nn.Module, config: Any, inputs: Inputs = TOKENS) -> list[str]:
    """Return those of ``inputs`` that a model's ``forward`` takes.

    Token types are only inputs if ``config`` has more than one type.
    """
    taken = signature(model.forward).parameters
    has_types = getattr(config, "type_vocab_size", 0) > 1
    optional = [name for name in inputs.optional if name in taken]
    names = (*inputs.required, *optional)
    return [name for name in names if has_types or not name.endswith(_TYPES)]


def write_onnx(model: torch.nn.Module, config: Any, path: Path, inputs: Inputs = TOKENS) -> None:
    """Write a model to a file; it takes token ids in batches of any size and length.

    It takes those of ``inputs`` that ``input_names`` returns. Raises CannotJudge.
    """
    import onnx

    # Name the axes "batch" and "length", whatever the example's sizes.
    free = {name: torch.export.Dim(name) for name in _SIZES}
    example, axes = {}, {}
    for name in input_names(model, config, inputs):
        shape = inputs.shapes.get(name, tuple(_SIZES))
        size = [_SIZES[axis] if isinstance(axis, str) else axis for axis in shape]
        make = torch.zeros if name.endswith(_TYPES) else torch.ones
        example[name] = make(size, dtype=torch.int64)
        axes[name] = {
            index: free[axis] for index, axis in enumerate(shape) if isinstance(axis, str)
        }
    try:
        program = torch.onnx.export(
            model,
            (),
            kwargs=example,
            dynamo=True,
            opset_version=OPSET,
            dynamic_shapes=axes,
            output_names=["logits"],
            verbose=False,
        )
    except torch.onnx.OnnxExporterError as error:
        text = reported(error.__cause__ or error, 300)
        name = (getattr(config, "architectures", None) or [type(model).__name__])[0]
        raise CannotJudge(
            f"PyTorch cannot export architecture {name} to ONNX ({text}). Run it in PyTorch with "
            "--backend torch, or export it yourself and write a checkpoint.json next to model.onnx."
        ) from None
    assert program is not None
    program.save(str(path))  # with a second file if the weights exceed 2 GiB
    # Remove the exporter's stack traces, which are large and name paths of this machine.
    made = onnx.load(path)
    for graph in (made.graph, *made.functions):
        for node in graph.node:
            del node.metadata_props[:]
            node.doc_string = ""
        del graph.metadata_props[:]
    del made.metadata_props[:]
    save_model(made, path)


Reference = Callable[[Mapping[str, torch.Tensor]], torch.Tensor]
"""A function from the model's inputs to the logits of the original checkpoint."""
_SPARE, _COPIES = 50_000_000, 4
"""Limit of a model's elements: ``_COPIES`` times those of the weight files, plus ``_SPARE``."""


def write_model(
    folder: HuggingFaceFolder,
    draft: Path,
    inputs: Inputs,
    tokens: Sequence[Sequence[int]] = (),
    write: Callable[..., object] | None = None,
) -> Reference:
    """Write ``model.onnx`` in fp32; return the reference for its scores.

    ``tokens`` are the ids of each label of a language model. ``write`` replaces ``write_onnx``.
    """
    path, write = draft / MODEL, write or write_onnx
    if folder.form == TEXT_TO_TEXT:
        pieces = _first_pieces(folder, draft)
        # PyTorch 2.13 cannot export its sdpa attention, the default of transformers 5.
        model: Any = load_model(folder, attention="eager")
        # Export only the output rows of these tokens. The whole layer has a row for each word of
        # the vocabulary, a tenth of the weights of a base model.
        whole = model.get_output_embeddings()
        rows = torch.nn.Linear(whole.in_features, len(pieces), bias=whole.bias is not None)
        with torch.no_grad():
            rows.weight.copy_(whole.weight[pieces])
            if whole.bias is not None:
                rows.bias.copy_(whole.bias[pieces])
        model.lm_head = rows
        step: Any = FirstStep(model).eval()
        write(step, model.config, path)
        model.lm_head = whole
        return lambda feeds: step(**feeds)[:, pieces]
    if folder.auto == AUTO_ENCODER:
        encoder: Any = load_model(folder, unused="pooler.")
        pooling = None if folder.form == STARTS else read_pooling(folder.source)
        from safetensors.torch import load_file

        file, where = folder.source / CLASSIFIER, folder.path / CLASSIFIER
        cause = "Expected safetensors with 'weight' and 'bias'. Save it again."
        with report_failures(f"{where} cannot be read", cause, hiding=(file, where)):
            tensors = load_file(file)
        labels, width = len(folder.labels), encoder.config.hidden_size * (1 if pooling else 2)
        wanted = {"weight": (labels, width), "bias": (labels,)}
        if pooling and labels == 2:  # scikit-learn has one row for two labels
            tensors = {
                name: torch.cat([-tensor / 2, tensor / 2]) if len(tensor) == 1 else tensor
                for name, tensor in tensors.items()
            }
        shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
        if shapes != wanted:
            raise CannotJudge(
                f"{where} has {str(shapes)[:200]}. Expected {wanted}. Save the classifier again."
            )
        weight, bias = (tensors[name].float() for name in wanted)
        kind = partial(PooledStates, pooling) if pooling else StartStates
        classified: Any = kind(encoder, weight, bias).eval()
        write(classified, encoder.config, path, inputs)
        return lambda feeds: classified(**feeds)
    model = load_model(folder)
    config: Any = model.config
    config.use_cache = False
    if tokens:
        scores: Any = LabelScores(model, tokens).eval()
        write(scores, config, path, inputs)
        return lambda feeds: scores(**feeds)
    if getattr(config, "is_encoder_decoder", False):
        write(LastEnd(model).eval(), config, path, inputs)
        # Row by row, because texts may have different numbers of end tokens.
        return lambda feeds: torch.cat([model(**row).logits for row in _rows(feeds)])
    if getattr(config, "pad_token_id", None) is None:
        config.pad_token_id = -1  # decoders look for it; no token has this id
    with _one_language(model):
        write(model, config, path, inputs)
    return lambda feeds: model(**feeds).logits


def _rows(feeds: Mapping[str, torch.Tensor]) -> Iterator[dict[str, torch.Tensor]]:
    for at in range(len(next(iter(feeds.values())))):
        yield {name: tensor[at : at + 1] for name, tensor in feeds.items()}


def load_model(folder: HuggingFaceFolder, unused: str = "", attention: str = "") -> torch.nn.Module:
    """Load the whole model in float32, ready for inference.

    Weights whose names begin with ``unused`` may be missing. ``attention`` names an implementation
    of transformers, empty for its default. Raises CannotJudge.
    """
    kind = getattr(transformers, folder.auto)
    with refuse_unloadable(folder):
        config = load_config(folder)
        with torch.device("meta"):
            empty = kind(config) if issubclass(kind, torch.nn.Module) else kind.from_config(config)
        size = sum(tensor.numel() for tensor in (*empty.parameters(), *empty.buffers()))
        if size > _COPIES * folder.weights.elements + _SPARE:
            raise CannotJudge(
                f"{folder.path}: config.json describes a model of {figures.count(size)} numbers, "
                f"but the weights have {figures.count(folder.weights.elements)}. Save the whole "
                "model."
            )
        more = {"attn_implementation": attention} if attention else {}
        model, missing = load_weights(folder.auto, folder.source, **more)
    if unused:
        missing = [name for name in missing if not name.startswith(unused)]
    if missing:
        raise CannotJudge(
            f"{folder.path}: the weights lack {missing[0]} ({len(missing)} tensors in total). "
            "transformers would use random values. Save the whole model."
        )
    if _TYPES not in signature(model.forward).parameters:  # config.json may have the key anyway
        model.config.type_vocab_size = 0
    return model.eval()  # type: ignore[no-any-return]


def load_weights(auto: str, source: Path, **more: Any) -> tuple[Any, list[str]]:
    """Return a model in float32, and the sorted names of weights that its files lack."""
    model, info = getattr(transformers, auto).from_pretrained(
        str(source),
        dtype=torch.float32,
        use_safetensors=True,
        output_loading_info=True,
        **SAFE,
        **more,
    )
    return model, sorted([*info["missing_keys"], *(key for key, *_ in info["mismatched_keys"])])


@contextlib.contextmanager
def _one_language(model: Any) -> Iterator[None]:
    """Make a model with an adapter per language (X-MOD) use the adapter of its default language.

    Choosing an adapter for each text cannot be exported. transformers' pipelines use the default.
    """
    language = getattr(model.config, "default_language", None)
    chosen = [module for module in model.modules() if hasattr(module, "lang_adapter") and language]
    for module in chosen:
        module.lang_adapter = partial(_adapt, module, module.adapter_modules[language])
    try:
        yield
    finally:
        for module in chosen:
            del module.lang_adapter


def _adapt(layer: Any, adapter: Any, _: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
    normed = states
    if layer.adapter_layer_norm is not None:
        normed = layer.adapter_layer_norm(states)
    elif layer.adapter_reuse_layer_norm:
        normed = layer.LayerNorm(states)
    residual = normed if layer.ln_before_adapter else states
    adapted: torch.Tensor = layer.dropout(adapter(normed)) + residual
    return adapted


class ClassifiedStates(torch.nn.Module):
    """An encoder with a linear classifier of its states."""

    def __init__(self, encoder: Any, weight: torch.Tensor, bias: torch.Tensor) -> None:
        super().__init__()
        self.encoder = encoder
        self.weight = torch.nn.Parameter(weight)
        self.bias = torch.nn.Parameter(bias)

    def states(
        self, input_ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor | None
    ) -> torch.Tensor:
        """Return the last states, shape (batch, length, hidden)."""
        more = {} if types is None else {_TYPES: types}
        output = self.encoder(input_ids=input_ids, attention_mask=mask, **more)
        states: torch.Tensor = output.last_hidden_state
        return states

    def logits(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return the scores of the labels for one vector per text."""
        return torch.nn.functional.linear(vectors, self.weight, self.bias)


class StartStates(ClassifiedStates):
    """An encoder whose states at the start of head and tail are classified together.

    The best variant in "Matching the Blanks" (Baldini Soares et al., 2019, section 3.2.3,
    entity markers and entity start); Hugging Face has no class for it.
    """

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        entity_starts: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return the logits; ``entity_starts`` are token indices of head and tail, (batch, 2)."""
        states = self.states(input_ids, attention_mask, token_type_ids)
        chosen = entity_starts.unsqueeze(-1).expand(-1, -1, states.shape[-1])
        return self.logits(torch.gather(states, 1, chosen).flatten(1))


class PooledStates(ClassifiedStates):
    """An encoder of sentence-transformers with a classifier of its vectors, such as SetFit's."""

    def __init__(self, pooling: Pooling, *parts: Any) -> None:
        super().__init__(*parts)
        self.pooling = pooling

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return the logits, shape (batch, labels)."""
        states = self.states(input_ids, attention_mask, token_type_ids)
        vectors = states[:, 0]
        if self.pooling.by_mean:
            mask = attention_mask.unsqueeze(-1).to(states.dtype)
            vectors = (states * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
        if self.pooling.normalised:
            vectors = torch.nn.functional.normalize(vectors, dim=1)
        return self.logits(vectors)


class FirstStep(torch.nn.Module):
    """The first decoder step of a text-to-text model (T5): (batch, length) to (batch, words).

    For a model trained to predict one word, this step gives the score of every word of the
    vocabulary.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model
        config: Any = model.config
        self.start: int = config.decoder_start_token_id

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return the logits, shape (batch, words)."""
        start = torch.full_like(input_ids[:, :1], self.start)
        logits: torch.Tensor = self.model(
            input_ids=input_ids,
            attention_mask=attention_mask,
            decoder_input_ids=start,
            use_cache=False,
        ).logits[:, 0]
        return logits


def _first_pieces(folder: HuggingFaceFolder, draft: Path) -> list[int]:
    tokenizer, where = load_tokenizer(CheckpointFolder(draft)), folder.path
    advice = "Name the words that it was trained to output: --answers yes=TEXT,no=TEXT"
    unknown = {tokenizer.token_to_id(token) for token in ("<unk>", "[UNK]")}
    first: dict[int, str] = {}
    for word in folder.labels:
        encoding = tokenizer.encode(word, add_special_tokens=False)
        if not encoding.ids or unknown & set(encoding.ids):
            raise CannotJudge(
                f"{where}: the model cannot output {word!r}, because its vocabulary lacks a part "
                f"of it. {advice}"
            )
        known = first.setdefault(encoding.ids[0], word)
        if known != word:
            raise CannotJudge(
                f"{where}: {known!r} and {word!r} both begin with the token "
                f"{encoding.tokens[0][:40]!r}. Their first tokens must differ. {advice}"
            )
    return list(first)


_TOKENS_A_BATCH = 1024
_MOST_TRIED, _MOST_BOTH = 4100, 1024
"""Maximum tokens of an input to try, in PyTorch and in ONNX Runtime: memory for attention grows
with the square of the length. Longer limits are not checked."""


BOUNDS = {"fp32": (1e-3, 0.995), "fp16": (0.1, 0.98), "int8": (2.0, 0.90)}
"""Limits per precision: largest logit difference, smallest share of equal predictions."""


def longest_input(
    reference: Reference | None, session: Session, reader: Reader, card: cards.Card, path: Path
) -> int:
    """Try how many tokens the model takes, at most ``card.max_length``; return the number.

    Without a ``reference``, only the session is tried. ``path`` is for messages. Raises
    CannotJudge: the session takes fewer than the reference, because the exporter fixed the length
    of its example.
    """
    feeds = short_feeds(reader, card.task)
    if not feeds:
        return card.max_length

    def fits(length: int, *, exported: bool = True) -> bool:
        longer = stretched(feeds, length)
        try:
            if reference is not None:
                with torch.no_grad():
                    reference({name: torch.from_numpy(longer[name]) for name in session.inputs})
            if exported and length <= _MOST_BOTH:
                session.logits(longer)
        except Exception:  # position tables, masks and buffers raise different errors
            return False
        return True

    most = min(card.max_length, _MOST_TRIED)
    tokens = longest(fits, feeds[IDS].shape[1], most)
    if reference is not None and tokens < most and fits(tokens + 1, exported=False):
        raise CannotJudge(
            f"{path}: the exported model takes only {tokens} tokens, but PyTorch takes more. Run "
            "the checkpoint with --backend torch."
        )
    return card.max_length if tokens == most else tokens


def measure_parity(
    reference: Reference,
    session: Session,
    draft: Path,
    card: cards.Card,
    inputs: Sequence[Mapping[str, Any]],
) -> cards.Parity:
    """Compare the export in ``draft`` with the reference on ``inputs``. Raises CannotJudge."""
    reader = open_reader(CheckpointFolder(draft), card)
    items = [item for item in reader.encode(inputs) if not isinstance(item, InputRefusal)]
    if not items:
        raise CannotJudge(
            f"{card.name}: none of the {len(inputs)} inputs for the parity report fits into "
            f"max_length {card.max_length}. Choose another --suite or a larger --max-length."
        )
    is_right = TASKS[card.task].is_right
    largest, equal = 0.0, 0
    for batch in exact_length_batches([reader.lengths(item) for item in items], _TOKENS_A_BATCH):
        chosen = [items[index] for index in batch]
        feeds = reader.feeds(chosen)
        exported = session.logits(feeds).astype(np.float32)
        with torch.no_grad():
            wanted = reference(
                {name: torch.from_numpy(feeds[name]) for name in session.inputs}
            ).numpy()
        if not np.isfinite(wanted).all():
            raise CannotJudge(
                f"{card.name}: the checkpoint itself returns logits that are not finite. Its "
                "weights have NaN, infinity, or numbers that overflow. Train or save it again."
            )
        if not np.isfinite(exported).all():
            raise CannotJudge(
                f"{card.name}: the {card.precision} export returns logits that are not finite, but "
                "the checkpoint does not. Try --precision fp32."
            )
        largest = max(largest, float(np.abs(exported - wanted).max()))
        answers = (reader.decode(chosen, logits) for logits in (exported, wanted))
        for _, (one, *_), (other, *_) in zip(chosen, *answers, strict=True):
            equal += one is not None and other is not None and is_right(other, one)
    return cards.Parity(
        reference=f"torch {torch.__version__}",
        inputs=len(items),
        largest_logit_difference=largest,
        equal_predictions=equal / len(items),
    )


def check_parity(parity: cards.Parity, precision: str, checkpoint: Path) -> None:
    """Raise CannotJudge if an export's predictions differ too much from the checkpoint's."""
    most, least = BOUNDS[precision]
    fits = parity.largest_logit_difference <= most
    if fits and parity.equal_predictions >= least:
        return
    raise CannotJudge(
        f"{checkpoint}: the {precision} export does not match {parity.reference}. Logits differ by "
        f"up to {figures.significant(parity.largest_logit_difference)} (limit "
        f"{figures.setting(most)}), and {figures.percent(parity.equal_predictions)} of "
        f"{parity.inputs} predictions are equal (minimum {figures.percent(least)}). "
        + ("Report this checkpoint." if precision == "fp32" else "Export with --precision fp32.")
    )
