"""The settings that a shard's file stores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mt_gate.settings.loading import merged
from mt_gate.settings.record import SETTINGS
from mt_gate.sharding.answering import SETTINGS_OF_SHARD, shard_settings

VALUES = {
    "task": "text",
    "precision": "fp16",
    "relations": ["text/letter-case", "text/zero-width"],
    "sources": 12,
    "exclude": ["poems", "letters"],
    "answers": {"yes": "entailed", "no": "refuted"},
    "label_map": {"toxic": ["insult", "threat"]},
    "threshold": {"toxic": 0.25},
    "max_length": 64,
    "ontology": "kbp37",
}


@pytest.mark.parametrize("name", SETTINGS_OF_SHARD)
def test_a_setting_is_stored_as_its_file_has_it(name: str) -> None:
    """So that a merge, which reads the file, does not take it for another."""
    task = {"answers": "boolq", "ontology": "re"}.get(name, "text")
    options = {"checkpoint": "model", "task": task, name: VALUES[name]}
    result = shard_settings(merged(options, {}, Path("mt-gate.toml")))
    assert result == json.loads(json.dumps(result))
    assert name in result
    again = merged({"checkpoint": "model", **result}, {}, Path("mt-gate.toml"))
    assert shard_settings(again) == result
    assert set(result) == {"task", name}
    assert SETTINGS[name].default != result[name]
