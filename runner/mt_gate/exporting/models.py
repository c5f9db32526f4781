"""Loading a checkpoint's model and tokenizer, by transformers, without its code."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.byte_level import fast_tokenizer
from mt_gate.exporting.failures import told
from mt_gate.exporting.hugging_face import TOLD, HuggingFaceFolder
from mt_gate.sut import card as cards

if TYPE_CHECKING:
    import torch

_SPARE, _COPIES = 50_000_000, 4
"""Elements that may be missing at first, and how often those of the file may be shared."""
_SAVED = "expected a checkpoint saved with save_pretrained()"
_SAFE: Mapping[str, Any] = {"trust_remote_code": False, "local_files_only": True}
_TOKEN = re.compile(r"[a-z_]*tokens?(_[0-9])?")
_KNOWN = {
    "tokenizer_class", "added_tokens_decoder", "errors", "task", "src_lang", "tgt_lang", "language",
}  # fmt: skip
_SETTINGS = (TOLD, "special_tokens_map.json")


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
            **_SAFE,
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


def _check_size(folder: HuggingFaceFolder, kind: Any) -> None:
    """Build the model without memory, and hold its size against that of the weights."""
    import torch
    import transformers

    config = transformers.AutoConfig.from_pretrained(str(folder.source), **_SAFE)
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


def save_tokenizer(folder: HuggingFaceFolder, draft: Path) -> None:
    """Write ``tokenizer.json`` to ``draft``, made from older files where it has to be.

    Raises:
        CannotJudge: there is none, and none can be made.
    """
    source = folder.source / cards.TOKENIZER
    if source.is_file():
        shutil.copyfile(source, draft / cards.TOKENIZER)
        return
    from transformers import AutoTokenizer

    cause = (
        "expected tokenizer.json, or the vocabulary files it is made from; save the tokenizer "
        "next to the model with tokenizer.save_pretrained()"
    )
    hiding = (folder.source, folder.path)
    with told(f"{folder.path}: no usable tokenizer", cause, hiding=hiding):
        for name in _SETTINGS:
            _keep_settings(folder.source / name)
        tokenizer = AutoTokenizer.from_pretrained(str(folder.source), use_fast=True, **_SAFE)
        fast = tokenizer.backend_tokenizer if tokenizer.is_fast else fast_tokenizer(tokenizer)
        fast.save(str(draft / cards.TOKENIZER))


def _keep_settings(path: Path) -> None:
    """Leave tokens, numbers and switches in a tokenizer's settings, in the copy that is ours.

    The others are handed to the tokenizer as they stand, and may name files of this machine in
    the place of the checkpoint's own.
    """
    if path.is_file():
        settings = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        kept = {name: value for name, value in settings.items() if _is_setting(name, value)}
        path.write_bytes(msgspec.json.encode(kept))


def _is_setting(name: str, value: Any) -> bool:
    if isinstance(value, (bool, int, float)) or name in _KNOWN:
        return True
    return _TOKEN.fullmatch(name) is not None
