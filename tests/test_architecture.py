"""The drawing of the packages is the contract that import-linter checks."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "runner" / "ARCHITECTURE.md").read_text(encoding="utf-8")


def contract(name: str) -> list[set[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for found in settings["tool"]["importlinter"]["contracts"]:
        if found["name"] == name:
            return [set(line.split(" | ")) for line in found["layers"]]
    raise AssertionError(name)


def drawn() -> list[set[str]]:
    (drawing,) = re.findall(r"^```\nlayers\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    return [set(re.split("  +", line)[0].split(" | ")) for line in drawing.splitlines()]


def test_the_drawing_has_the_layers_of_the_contract_in_their_order() -> None:
    assert drawn() == [
        layer for layer in contract("packages are layered") if "__main__" not in layer
    ]


def test_every_package_is_drawn_and_told() -> None:
    package = ROOT / "runner" / "mt_gate"
    packages = {path.parent.name for path in package.glob("*/__init__.py")}
    assert packages <= set().union(*drawn())
    assert not {name for name in packages if f"`{name}/`" not in TEXT}
