"""Folders that cannot be exported: what they are, and the command that works instead."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from mt_gate.base.errors import CannotJudge, page
from mt_gate.exporting.folder_files import CONFIG, MODULES
from mt_gate.exporting.heads import CLASSIFIER

_HEAD = "model_head.pkl"
# safetensors writes an array's memory unchanged. scikit-learn's may be in Fortran order.
_CONVERSION = (
    "import joblib, safetensors.numpy as s; h = joblib.load('model_head.pkl'); "
    "s.save_file({'weight': h.coef_.astype('f4', 'C'), 'bias': h.intercept_.astype('f4')}, "
    f"'{CLASSIFIER}')"
)
_PIPELINE = f"Run your own pipeline: --system 'command:python predict.py' ({page('systems')})"
_CONVERT = (
    "has TensorFlow or Flax weights. Convert them with transformers 4: "
    "AutoModel...from_pretrained('{path}', from_%s=True).save_pretrained('{path}')"
)
_FLAIR = (
    "is a Flair model, which can run any program when it is read. If you trust it, run it with "
    "--task ner --system {flair} instead of --checkpoint."
)
_PICKLED = f"is a pickled model, which can run any program when it is read. {_PIPELINE}"
_KINDS = {
    "config.cfg": (
        "is a spaCy pipeline. Run it with --task ner --system {spacy} instead of --checkpoint."
    ),
    "best-model.pt": _FLAIR,
    "final-model.pt": _FLAIR,
    "*.gguf": (
        "is a language model for llama.cpp. Serve it with llama-server -m {file}, and run it with "
        "--system openai:MODEL --endpoint http://localhost:8080/v1 --prompt FILE: "
        f"{page('language-models')}"
    ),
    "gliner_config.json": f"is a GLiNER model, which transformers cannot load. {_PIPELINE}",
    "tf_model*.h5": _CONVERT % "tf",
    "flax_model*.msgpack": _CONVERT % "flax",
}
"""Message about a folder without a whole checkpoint, by a file in it."""
_WEIGHTS = ("*.safetensors", "*.onnx", "onnx/*.onnx")


def refuse_foreign(path: Path) -> None:
    """Raise CannotJudge if a folder is of a kind that cannot be exported."""
    has_config = os.path.lexists(path / CONFIG)
    kinds = _KINDS if has_config else {**_KINDS, "*.pkl": _PICKLED, "*.joblib": _PICKLED}
    names = [MODULES, _HEAD, CLASSIFIER]
    if [os.path.lexists(path / name) for name in names] == [True, True, False]:
        raise CannotJudge(
            f"{path} is a SetFit model, whose {_HEAD} can run any program when it is read. If you "
            f'trust it, convert it once: cd {shlex.quote(str(path))} && python -c "{_CONVERSION}"'
        )
    if has_config and any(any(path.glob(pattern)) for pattern in _WEIGHTS):
        return
    for pattern, text in kinds.items():
        if files := sorted(path.glob(pattern)):
            reason = text.format(
                path=path,
                file=files[0],
                spacy=shlex.quote(f"spacy:{path}"),
                flair=shlex.quote(f"flair:{files[0]} --trusted"),
            )
            raise CannotJudge(f"{path} {reason}")
