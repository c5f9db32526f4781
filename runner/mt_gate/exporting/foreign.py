"""Folders that cannot be exported: what they are, and the command that works instead."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from mt_gate.base.errors import CannotJudge, page
from mt_gate.exporting.folder_files import CONFIG, MODULES
from mt_gate.exporting.heads import CLASSIFIER

_HEAD = "model_head.pkl"
# safetensors writes an array's memory as it is, and scikit-learn's may be in Fortran's order.
_CONVERSION = (
    "import joblib, safetensors.numpy as s; h = joblib.load('model_head.pkl'); "
    "s.save_file({'weight': h.coef_.astype('f4', 'C'), 'bias': h.intercept_.astype('f4')}, "
    f"'{CLASSIFIER}')"
)
_PIPELINE = f"Run your own pipeline: --system 'command:python predict.py' ({page('systems')})"


def _names(path: Path, pattern: str) -> list[str]:
    return sorted(file.name for file in path.glob(pattern))


def _explain_spacy(path: Path) -> str:
    if not all(os.path.lexists(path / name) for name in ("config.cfg", "meta.json")):
        return ""
    return (
        "is a spaCy pipeline. Run it with --task ner --system "
        f"{shlex.quote(f'spacy:{path}')} instead of --checkpoint."
    )


def _explain_flair(path: Path) -> str:
    names = [name for name in ("best-model.pt", "final-model.pt") if os.path.lexists(path / name)]
    if not names:
        return ""
    return (
        "is a Flair model, which can run any program when it is read. If you trust it, run it with "
        f"--task ner --system {shlex.quote(f'flair:{path / names[0]} --trusted')} instead of "
        "--checkpoint."
    )


def _explain_gguf(path: Path) -> str:
    if not (names := _names(path, "*.gguf")):
        return ""
    return (
        f"is a language model for llama.cpp. Serve it with llama-server -m {path / names[0]}, and "
        "run it with --system openai:MODEL --endpoint http://localhost:8080/v1 --prompt FILE: "
        f"{page('language-models')}"
    )


def _explain_setfit(path: Path) -> str:
    if not os.path.lexists(path / MODULES) or os.path.lexists(path / CLASSIFIER):
        return ""
    if os.path.lexists(path / _HEAD):
        return (
            f"is a SetFit model, whose {_HEAD} can run any program when it is read. If you trust "
            f'it, convert it once: cd {shlex.quote(str(path))} && python -c "{_CONVERSION}"'
        )
    return ""


def _explain_others(path: Path) -> str:
    if _names(path, "gliner_config.json"):
        return f"is a GLiNER model, which transformers cannot load. {_PIPELINE}"
    for pattern, option in {
        "tf_model*.h5": "from_tf",
        "flax_model*.msgpack": "from_flax",
    }.items():
        if _names(path, pattern) and not _names(path, "*.safetensors"):
            return (
                "has weights of another library. Convert them with transformers 4: "
                f"AutoModel...from_pretrained('{path}', {option}=True).save_pretrained('{path}')"
            )
    if not os.path.lexists(path / CONFIG) and _names(path, "*.pkl") + _names(path, "*.joblib"):
        return f"is a pickled model, which can run any program when it is read. {_PIPELINE}"
    return ""


_WEIGHTS = ("*.safetensors", "*.onnx", "onnx/*.onnx")
_KINDS = (_explain_spacy, _explain_flair, _explain_gguf, _explain_setfit, _explain_others)


def refuse_foreign(path: Path) -> None:
    """Raise CannotJudge if a folder is of a kind that cannot be exported."""
    is_whole = os.path.lexists(path / CONFIG) and any(_names(path, each) for each in _WEIGHTS)
    for explain in (_explain_setfit,) if is_whole else _KINDS:
        if text := explain(path):
            raise CannotJudge(f"{path} {text}")
