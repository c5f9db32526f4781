"""action.yml, the code that reads and writes it, README, docs and recipes say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import documents
import reference
from command_line import command_of, option_names
from mt_gate.cli import cli
from mt_gate.github import action, base_commit
from mt_gate.github.comment import INPUTS as COMMENT_INPUTS
from mt_gate.github.comment import Mode
from mt_gate.results.store import Run
from mt_gate.settings.record import CONFIG, SETTINGS, Settings, dashed
from mt_gate.settings.values import default_text
from reporting import made_up

PAGE = (documents.ROOT / "docs" / "action.md").read_text(encoding="utf-8")
FILE = yaml.safe_load((documents.ROOT / "action.yml").read_text(encoding="utf-8"))
READ = {
    *action.INPUTS,
    action.CONFIG,
    action.BASELINE_FROM,
    action.SHARD,
    action.MERGE,
    *action.REPORTS,
}
READ |= {*COMMENT_INPUTS}


def table(title: str) -> dict[str, list[str]]:
    """Return the rows of the table below a title of the page, by their first cell."""
    [part] = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    lines = [line for line in part.splitlines() if line.startswith("| `")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    result = {row[0].strip("`"): row[1:] for row in rows}
    assert len(result) == len(lines), "a name occurs twice"
    return result


def in_code() -> dict[str, str]:
    """Return the default of every input as the code has it, in the page's words."""
    result = {name: default_text(name) for name in SETTINGS}
    result |= {
        name: str(setting.default).lower()
        for name, setting in SETTINGS.items()
        if setting.kind is bool
    }
    return {dashed(name): text for name, text in result.items()} | {
        "baseline": "baselines/TASK.json",
        action.BASELINE_FROM: base_commit.BASE,
        action.CONFIG: str(CONFIG),
        action.SHARD: "",
        action.MERGE: "",
        **dict.fromkeys(action.REPORTS, ""),
        "comment": Mode.CHANGES.value,
        "github-token": "the workflow's",
    }


def described(name: str) -> str:
    """Return what action.yml says of the input of a setting."""
    setting, default = SETTINGS[name], in_code()[dashed(name)]
    if setting.kind is bool and not setting.default:
        link = setting.link and f" See {setting.link}"
        return f"true: {setting.help[0].lower()}{setting.help[1:]}.{link}"
    form = "" if setting.kind is bool or setting.metavar.isalpha() else f" ({setting.metavar})"
    link = setting.link and f" See {setting.link}"
    return f"{setting.help}{form}." + (f" Default {default}." if default else "") + link


def test_every_input_is_documented() -> None:
    assert {*table("Inputs")} == {*FILE["inputs"]} == READ


def test_generated_pages_are_up_to_date() -> None:
    for path, text in reference.pages().items():
        assert path.read_text(encoding="utf-8") == text.rstrip() + "\n", "run docs/reference.py"


@pytest.mark.parametrize("name", SETTINGS)
def test_an_input_is_described_as_the_option_is(name: str) -> None:
    about = FILE["inputs"][dashed(name)]
    assert about["description"] == described(name)
    ending = SETTINGS[name].deprecated
    assert about.get("deprecationMessage", "") == (f"Deprecated {ending}." if ending else "")


def test_every_output_is_documented_and_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    written: dict[str, str] = {}
    monkeypatch.setattr(action, "_write_outputs", lambda _, outputs: written.update(outputs))
    action._tell(
        {}, Settings(task="ner", suite="ner-default", out=tmp_path), Run(made_up.result(), [])
    )
    assert {*table("Outputs")} == {*FILE["outputs"]} == {*written}


def test_inputs_in_workflows_exist() -> None:
    actual = [
        (place, name)
        for place, value in documents.fragments()
        for step in documents.steps(value)
        for name in step.get("with", {})
    ]
    assert len(actual) >= 10
    assert [item for item in actual if item[1] not in FILE["inputs"]] == []


@pytest.mark.parametrize("place", sorted({place for place, _ in documents.command_lines()}))
def test_commands_shown_exist_with_their_flags(place: str) -> None:
    for _, line in (item for item in documents.command_lines() if item[0] == place):
        command, words = command_of(line.split())
        if command is cli:  # the words of a table's heading, or of prose in a comment
            continue
        known = option_names(command)
        shown = {flag for word in words for flag in re.findall(r"^\[?(--[a-z-]+)", word)}
        assert shown <= known | {"--help"}, (line, shown - known)
