"""Loading a checkpoint's model and tokenizer, by transformers, without its code."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from mt_gate.errors import CannotJudge
from mt_gate.exporting.byte_level import fast_tokenizer
from mt_gate.exporting.hugging_face import HuggingFaceFolder
from mt_gate.sut import card as cards

if TYPE_CHECKING:
    import torch


def load_model(folder: HuggingFaceFolder, unused: str = "") -> torch.nn.Module:
    """Load the whole model in float32, ready for inference.

    Args:
        folder: what to load.
        unused: how names of weights begin that may be missing; empty for none.

    Raises:
        CannotJudge: transformers cannot load it, or weights are missing.
    """
    import torch
    import transformers

    try:
        model, info = getattr(transformers, folder.auto).from_pretrained(
            str(folder.path),
            dtype=torch.float32,
            use_safetensors=True,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
        )
    except Exception as error:  # transformers raises errors of many libraries
        raise CannotJudge(
            f"{folder.path}: transformers cannot load it ({' '.join(str(error).split())[:300]}); "
            "expected a checkpoint saved with save_pretrained()"
        ) from None
    missing = sorted([*info["missing_keys"], *(key for key, *_ in info["mismatched_keys"])])
    if unused:
        missing = [name for name in missing if not name.startswith(unused)]
    if missing:
        raise CannotJudge(
            f"{folder.path}: weights lack {missing[0]} ({len(missing)} in all), which would be "
            "random; expected every weight of the configuration; save the whole model"
        )
    return model.eval()  # type: ignore[no-any-return]


def save_tokenizer(folder: HuggingFaceFolder, draft: Path) -> None:
    """Write ``tokenizer.json`` to ``draft``, made from older files where it has to be.

    Raises:
        CannotJudge: there is none, and none can be made.
    """
    source = folder.path / cards.TOKENIZER
    if source.is_file():
        shutil.copyfile(source, draft / cards.TOKENIZER)
        return
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(
            str(folder.path), use_fast=True, trust_remote_code=False, local_files_only=True
        )
        fast = tokenizer.backend_tokenizer if tokenizer.is_fast else fast_tokenizer(tokenizer)
        fast.save(str(draft / cards.TOKENIZER))
    except Exception as error:  # transformers raises errors of many libraries
        raise CannotJudge(
            f"{folder.path}: no usable tokenizer ({' '.join(str(error).split())[:200]}); expected "
            "tokenizer.json, or the vocabulary files it is made from; save the tokenizer beside "
            "the model with tokenizer.save_pretrained()"
        ) from None
