"""What users and workflows ask for: settings, policies, label maps, events."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from fuzz.changing import as_toml
from fuzz.target import Target, written
from mt_gate.github import base_commit
from mt_gate.github.base_commit import read_event
from mt_gate.settings.loading import merged, parse
from mt_gate.settings.values import checked, policy_text, read_policy

CONFIG = Path("mt-gate.toml")
SETTINGS = Path(__file__).with_name("settings.toml")
"""Settings of every kind."""


def _settings(data: bytes) -> None:
    merged({}, parse(data, CONFIG, str(CONFIG)), CONFIG)


def _policy(data: bytes) -> None:
    policy = read_policy("policy", data.decode("utf-8", "surrogateescape"))
    again = read_policy("policy", policy_text(policy))
    if again != policy:
        raise AssertionError("its own text is read as another policy")


def _text_setting(name: str) -> Target:
    def read(data: bytes) -> None:
        checked(name, name, data.decode("utf-8", "surrogateescape"))

    return Target(read, lambda: {"usual": USUAL[name]})


USUAL = {
    "label_map": b"toxic=insult+threat, fine=neutral",
    "threshold": b"toxic=0.5, fine=0.25",
    "answers": b"yes=entailment, no=contradiction",
    "max_violation_rate": b"*=0.5, ner/structural=0.1",
}


def _event(kind: type[Any]) -> Target:
    def read(data: bytes) -> None:
        read_event(written("event.json", data), kind, "expected an event")

    return Target(read, lambda: {"pull": json.dumps(PULL).encode()})


SIDE = {"sha": "a" * 40, "ref": "main", "repo": {"full_name": "org/repo", "fork": False}}
PULL = {
    "number": 7,
    "pull_request": {"number": 7, "base": SIDE, "head": SIDE},
    "merge_group": {"base_sha": "b" * 40},
}


def _settings_seeds() -> dict[str, bytes]:
    return {"all": SETTINGS.read_bytes()}


def _policy_seeds() -> dict[str, bytes]:
    policy = tomllib.loads(SETTINGS.read_text())["policy"]
    return {"policy": as_toml(policy)}


TARGETS = {
    "settings": Target(_settings, _settings_seeds),
    "policy": Target(_policy, _policy_seeds),
    **{f"setting-{name}": _text_setting(name) for name in USUAL},
    "event": _event(base_commit._Event),
}
