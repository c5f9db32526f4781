"""Loading a checkpoint's model, by transformers, without its code."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.hugging_face import HuggingFaceFolder

if TYPE_CHECKING:
    import torch
from mt_gate.base.errors import MtGateError

_MOST_TEXT = 200


@contextlib.contextmanager
def told(what: str, cause: str, *, hiding: tuple[object, object] = ("", "")) -> Iterator[None]:
    """Tell a library's failure in one line.

    Panics of libraries in Rust, and calls that would end the process, share no base class with
    other errors but the last one.

    Args:
        what: was being done to what.
        cause: what was expected and what to do, closing the message.
        hiding: a path of ours that the library may name, and the user's in its place.

    Raises:
        CannotJudge: for whatever was raised but the user's own interruption.
    """
    try:
        yield
    except (MtGateError, KeyboardInterrupt):
        raise
    except BaseException as error:
        found = _brief(error)
        ours, theirs = map(str, hiding)
        found = found.replace(ours, theirs) if ours else found
        raise CannotJudge(f"{what} ({found[:_MOST_TEXT]}); {cause}") from None


def _brief(error: BaseException) -> str:
    """Return the beginning of what an error says; its kind where it says nothing."""
    text = " ".join(str(error)[: 10 * _MOST_TEXT].split())
    return text or type(error).__name__


_SPARE, _COPIES = 50_000_000, 4
"""Elements that may be missing at first, and how often those of the file may be shared."""
_SAVED = "expected a checkpoint saved with save_pretrained()"
SAFE: Mapping[str, Any] = {"trust_remote_code": False, "local_files_only": True}


def load_model(folder: HuggingFaceFolder, unused: str = "", attention: str = "") -> torch.nn.Module:
    """Load the whole model in float32, ready for inference.

    Args:
        folder: what to load.
        unused: how names of weights begin that may be missing; empty for none.
        attention: transformers' implementation of it; empty for the one that it takes by itself.

    Raises:
        CannotJudge: transformers cannot load it, its configuration describes more than its weights
            can hold, or weights are missing.
    """
    import torch
    import transformers

    kind = getattr(transformers, folder.auto)
    hiding = (folder.source, folder.path)
    with told(f"{folder.path}: transformers cannot load it", _SAVED, hiding=hiding):
        _check_size(folder, kind)
        model, info = kind.from_pretrained(
            str(folder.source),
            dtype=torch.float32,
            use_safetensors=True,
            output_loading_info=True,
            **({"attn_implementation": attention} if attention else {}),
            **SAFE,
        )
    missing = sorted([*info["missing_keys"], *(key for key, *_ in info["mismatched_keys"])])
    if unused:
        missing = [name for name in missing if not name.startswith(unused)]
    if missing:
        raise CannotJudge(
            f"{folder.path}: weights lack {missing[0]} ({len(missing)} in total), which would be "
            "random; expected every weight of the configuration; save the whole model"
        )
    return model.eval()  # type: ignore[no-any-return]


def load_config(folder: HuggingFaceFolder) -> Any:
    """Return the configuration with the defaults of its class.

    Raises:
        CannotJudge: transformers cannot load it.
    """
    import transformers

    hiding = (folder.source, folder.path)
    with told(f"{folder.path}: transformers cannot load it", _SAVED, hiding=hiding):
        return transformers.AutoConfig.from_pretrained(str(folder.source), **SAFE)


def _check_size(folder: HuggingFaceFolder, kind: Any) -> None:
    """Build the model without memory, and hold its size against that of the weights."""
    import torch

    config = load_config(folder)
    with torch.device("meta"):
        model = kind(config) if issubclass(kind, torch.nn.Module) else kind.from_config(config)
    asked = sum(tensor.numel() for tensor in (*model.parameters(), *model.buffers()))
    most = _COPIES * folder.weights.elements + _SPARE
    if asked > most:
        raise CannotJudge(
            f"{folder.path}: config.json describes a model of {asked:,} numbers, the weights hold "
            f"{folder.weights.elements:,}; expected every weight of the configuration; save the "
            "whole model"
        )


@contextlib.contextmanager
def one_language(model: Any) -> Iterator[None]:
    """Let a model with an adapter for each language (X-MOD) use the adapter of its default one.

    It chooses adapters text by text, which cannot be exported; transformers' pipelines always
    choose the default.
    """
    language = getattr(model.config, "default_language", None)
    chosen = [module for module in model.modules() if hasattr(module, "lang_adapter") and language]
    for module in chosen:
        module.lang_adapter = _Adapter(module, module.adapter_modules[language])
    try:
        yield
    finally:
        for module in chosen:
            del module.lang_adapter


class _Adapter(NamedTuple):
    """An X-MOD layer's own steps around one adapter."""

    layer: Any
    adapter: Any

    def __call__(self, _: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        """Return the adapted states, (batch, length, hidden)."""
        layer, normed = self.layer, states
        if layer.adapter_layer_norm is not None:
            normed = layer.adapter_layer_norm(states)
        elif layer.adapter_reuse_layer_norm:
            normed = layer.LayerNorm(states)
        residual = normed if layer.ln_before_adapter else states
        adapted: torch.Tensor = layer.dropout(self.adapter(normed)) + residual
        return adapted
