"""Adapters of PEFT (LoRA and others), merged into their base before the export."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from mt_gate.base.errors import CannotJudge
from mt_gate.exporting import folder_files
from mt_gate.exporting.folder_files import ADAPTER, CONFIG
from mt_gate.exporting.hugging_face import (
    HuggingFaceFolder,
    read_config,
    report_failures,
    tokenizer_folder,
)
from mt_gate.exporting.models import load_weights

_WEIGHTS = "adapter_model.safetensors"
_CAUSE = "Merge it with merge_and_unload() of PEFT, save the whole model, and pass that."


def merge(seen: HuggingFaceFolder, adapter: Path, base: Path, into: Path) -> HuggingFaceFolder:
    """Merge a copied adapter into its copied base, and write the model to ``into``.

    Return ``seen`` with ``into`` as its source. Raises CannotJudge.
    """
    try:
        from peft import PeftModel
    except ImportError:
        raise CannotJudge(
            f"{seen.path} has an adapter, and peft is not installed. Run pip install "
            "'mt-gate[peft]', or merge it with merge_and_unload() and pass the whole model."
        ) from None
    saved = folder_files.read_header(adapter / _WEIGHTS, adapter)
    named = tokenizer_folder(adapter, base)
    for file in named.iterdir():
        if file.is_file() and file.suffix != ".safetensors" and file.name not in (CONFIG, ADAPTER):
            shutil.copyfile(file, into / file.name)
    (base / CONFIG).write_text(json.dumps(read_config(adapter, base)))
    with report_failures(f"{seen.path}: the adapter cannot be merged", _CAUSE):
        model, missing = load_weights(seen.auto, base, ignore_mismatched_sizes=True)
        for name in missing:
            if not any(key.endswith(f".{name}") for key in saved):
                raise CannotJudge(
                    f"{seen.path}: neither the base nor the adapter has {name}, so its weights "
                    "would be random. Add it to modules_to_save and train the adapter again."
                )
        merged: Any = PeftModel.from_pretrained(model, str(adapter)).merge_and_unload()
        merged.save_pretrained(str(into), safe_serialization=True)
    (into / CONFIG).write_text((base / CONFIG).read_text())
    return seen._replace(source=into, weights=folder_files.read_weights(into), base=None)
