"""What a configuration may not ask for, at any depth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from making_folders import CONFIG
from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.weights import Weights, check_config

WEIGHTS = Weights(("model.safetensors",), tensors=70, elements=100_000)
WHERE = Path("config.json")


def refused(config: dict[str, Any], *words: str) -> None:
    with pytest.raises(CannotJudge) as told:
        check_config(WHERE, config, WEIGHTS)
    for word in ("config.json", *words):
        assert word in str(told.value)
    assert len(str(told.value)) < 400


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"_attn_implementation": "sdpa", "attn_implementation": None},
        {"_attn_implementation": {"": "eager", "text_config": "sdpa"}},
        {"quantization_config": None, "auto_map": {}, "use_kernels": False},
        {"type_vocab_size": 0, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
        {"num_hidden_layers": 64, "classifier_dropout": None, "num_labels": 3},
        {"rope_theta": 10_000_000, "seed": 2**40, "max_relative_positions": -1},
        {"label2id": {"auto_map": 1, "vocab_size": 0, "num_layers": 900}},
        {"task_specific_params": {"summarization": {"max_length": 300, "num_beams": 4}}},
    ],
)
def test_what_may_be_there(more: dict[str, Any]) -> None:
    check_config(WHERE, {**CONFIG, **more}, WEIGHTS)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("auto_map", {"AutoModel": "evil.Model"}),
        ("custom_pipelines", {"x": {"impl": "evil.Pipeline"}}),
        ("custom_generate", "org/evil"),
        ("transformers_weights", "../../other.safetensors"),
        ("quantization_config", {"quant_method": "bitsandbytes"}),
        ("compression_config", {"format": "x"}),
        ("kernel_config", {"RMSNorm": "org/evil:RMSNorm"}),
        ("use_kernels", True),
        ("backbone", "org/evil"),
        ("_attn_implementation", "org/evil"),
        ("attn_implementation", "org/evil@main:kernel"),
        ("_attn_implementation_internal", "flash_attention_2"),
        ("_attn_implementation", {"": "eager", "text_config": "org/evil"}),
        ("_attn_implementation", {"": {"": "org/evil"}}),
    ],
)
def test_code_and_weights_from_elsewhere(key: str, value: Any) -> None:
    refused({**CONFIG, key: value}, key)
    refused({**CONFIG, "text_config": {key: value}}, key)
    refused({**CONFIG, "parts": [[{"deeper": {key: value}}]]}, key)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("num_hidden_layers", 10**8),
        ("num_hidden_layers", 1e8),
        ("encoder_layers", 10**6),
        ("vocab_size", 10**9),
        ("hidden_size", 10**6),
        ("max_position_embeddings", 10**12),
        ("max_position_embeddings", 0),
        ("num_labels", 10_001),
        ("num_attention_heads", -1),
        ("hidden_size", "8"),
        ("hidden_size", 8.0),
        ("hidden_size", True),
        ("pad_token_id", "0"),
        ("pad_token_id", 2**62),
        ("anything", 2**63),
        ("anything_else" * 1000, -(2**70)),
    ],
)
def test_sizes(key: str, value: Any) -> None:
    refused({**CONFIG, key: value}, key[:60], "whole number")
    refused({**CONFIG, "text_config": {key: value}}, key[:60])


def test_depth() -> None:
    nested: Any = 1
    for _ in range(900):
        nested = {"a": [nested]}
    refused({**CONFIG, "a": nested}, "levels deep")
