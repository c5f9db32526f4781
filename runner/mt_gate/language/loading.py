"""Load models of language tools from the hub, a folder, or a GGUF file.

Weights must be safetensors or GGUF: no pickle is loaded, and no code of a model is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from mt_gate.base.errors import CannotJudge, quoted, reported
from mt_gate.base.files import sha256_file

GGUF = ".gguf"
_UNBOUNDED = 1_000_000
"""Maximum tokens of an input; tokenizers without a limit report about 1e30."""
_COUNT_FROM_PADDING = {
    "roberta",
    "xlm-roberta",
    "xlm-roberta-xl",
    "camembert",
    "mpnet",
    "longformer",
}
"""Model types whose positions start after the padding id."""


def describe(kind: str, model: str, loaded: Any) -> str:
    """Return kind, name and version of a model: a digest of its weights, or the hub's commit."""
    path = Path(model)
    files = [path] if path.is_file() else sorted(path.glob("*.safetensors"))
    if files:
        version = "sha256 " + "+".join(sha256_file(file)[:12] for file in files)
    else:
        version = f"commit {getattr(loaded.config, '_commit_hash', None) or 'unknown'}"
    return f"{kind} {path.name} {version}"


def longest_input(tokenizer: Any, model: Any) -> int:
    """Return the maximum number of tokens of an input, including special tokens."""
    config = model.config
    positions = getattr(config, "max_position_embeddings", None) or _UNBOUNDED
    if getattr(config, "model_type", "") in _COUNT_FROM_PADDING:
        positions -= (getattr(config, "pad_token_id", None) or 0) + 1
    return int(min(positions, tokenizer.model_max_length, _UNBOUNDED))


CAUSAL, MASKED, ENCODER = "a causal language model", "a masked language model", "an encoder"
_CLASSES = {CAUSAL: "AutoModelForCausalLM", MASKED: "AutoModelForMaskedLM", ENCODER: "AutoModel"}


def load(model: str, kind: str) -> tuple[Any, Any]:
    """Return tokenizer and model of a kind, in fp32 so that scores are the same everywhere."""
    import torch
    import transformers

    where, options = model, dict[str, Any]()
    if model.endswith(GGUF):
        path = Path(model)
        where, options = str(path.parent), {"gguf_file": path.name}
    weights = options or {"use_safetensors": True}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            where, trust_remote_code=False, **options
        )
        loaded = getattr(transformers, _CLASSES[kind]).from_pretrained(
            where, trust_remote_code=False, dtype=torch.float32, **weights
        )
    except (OSError, ValueError, ImportError, KeyError, RuntimeError) as error:
        raise CannotJudge(
            f"Language model {quoted(model, 200)} cannot be loaded as {kind} "
            f"({reported(error, 300)}). Pass a model of the hub, a folder with safetensors and a "
            "tokenizer, or a .gguf file."
        ) from None
    if not tokenizer.is_fast:
        raise CannotJudge(
            f"Language model {quoted(model, 200)} has no tokenizer.json, which mt-gate needs. "
            "Choose a model with a fast tokenizer."
        )
    return tokenizer, loaded.eval()


def batches(rows: Sequence[Sequence[int]], most: int) -> Iterator[list[int]]:
    """Yield batches of at most ``most`` indices of token rows with one length, shortest first."""
    order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
    for _, indices in groupby(order, key=lambda index: len(rows[index])):
        while some := [*islice(indices, most)]:
            yield some
