"""Loading models of language tools from the hub, a folder, or a GGUF file.

Weights come as safetensors or GGUF only: no pickle, no code of a model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mt_gate.base.errors import CannotJudge, quoted, reported
from mt_gate.base.files import sha256_file

GGUF = ".gguf"
_UNBOUNDED = 1_000_000
"""Tokens; tokenizers without a limit say 1e30 or so."""
_COUNT_FROM_PADDING = {
    "roberta",
    "xlm-roberta",
    "xlm-roberta-xl",
    "camembert",
    "mpnet",
    "longformer",
}
"""Models whose positions begin behind the padding id."""


def describe(kind: str, model: str, loaded: Any) -> str:
    """Return kind, name and version of a model: a digest of its weights, or the hub's commit."""
    path = Path(model)
    files = [path] if path.is_file() else sorted(path.glob("*.safetensors"))
    if files:
        version = "sha256 " + "+".join(sha256_file(file)[:12] for file in files)
    else:
        version = f"commit {getattr(loaded.config, '_commit_hash', None) or 'unknown'}"
    return f"{kind} {path.name} {version}"


def load_causal(model: str) -> tuple[Any, Any]:
    """Return tokenizer and causal language model, in fp32 for the same scores everywhere."""
    from transformers import AutoModelForCausalLM

    return _load(model, AutoModelForCausalLM, "a causal language model")


def load_masked(model: str) -> tuple[Any, Any]:
    """Return tokenizer and masked language model."""
    from transformers import AutoModelForMaskedLM

    return _load(model, AutoModelForMaskedLM, "a masked language model")


def load_encoder(model: str) -> tuple[Any, Any]:
    """Return tokenizer and encoder."""
    from transformers import AutoModel

    return _load(model, AutoModel, "an encoder")


def longest_input(tokenizer: Any, model: Any) -> int:
    """Return the most tokens of an input, special ones counted, that a model reads."""
    config = model.config
    positions = getattr(config, "max_position_embeddings", None) or _UNBOUNDED
    if getattr(config, "model_type", "") in _COUNT_FROM_PADDING:
        positions -= (getattr(config, "pad_token_id", None) or 0) + 1
    return int(min(positions, tokenizer.model_max_length, _UNBOUNDED))


def _load(model: str, kind: Any, wanted: str) -> tuple[Any, Any]:
    import torch
    from transformers import AutoTokenizer

    where, options = model, dict[str, Any]()
    if model.endswith(GGUF):
        path = Path(model)
        where, options = str(path.parent), {"gguf_file": path.name}
    weights = options or {"use_safetensors": True}
    try:
        tokenizer = AutoTokenizer.from_pretrained(where, trust_remote_code=False, **options)
        loaded = kind.from_pretrained(
            where, trust_remote_code=False, dtype=torch.float32, **weights
        )
    except (OSError, ValueError, ImportError, KeyError, RuntimeError) as error:
        raise CannotJudge(
            f"Language model {quoted(model, 200)} cannot be loaded as {wanted} "
            f"({reported(error, 300)}). Pass a model of the hub, a folder with safetensors and a "
            "tokenizer, or a .gguf file."
        ) from None
    if not tokenizer.is_fast:
        raise CannotJudge(
            f"Language model {quoted(model, 200)} has no tokenizer.json, which mt-gate needs. "
            "Choose a model with a fast tokenizer."
        )
    return tokenizer, loaded.eval()
