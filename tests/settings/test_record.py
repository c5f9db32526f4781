"""Each setting is defined once: the rest is derived from ``Settings`` or compared with it."""

from __future__ import annotations

from typing import get_type_hints

import click
import msgspec
import pytest

from command_line import every_command
from mt_gate.commands import options
from mt_gate.commands.compare import compare
from mt_gate.commands.run import run
from mt_gate.github import action
from mt_gate.results.result import RunSettings
from mt_gate.settings.record import DECIDING, SETTINGS, STORED, Settings, Whose, dashed
from mt_gate.settings.values import checked


def flags_of(command: click.Command) -> dict[str, click.Parameter]:
    return {item.opts[0].removeprefix("--"): item for item in command.params}


def test_every_field_is_a_setting_with_its_words() -> None:
    assert [*SETTINGS] == [field.name for field in msgspec.structs.fields(Settings)]
    assert {setting.whose for setting in SETTINGS.values()} == {*Whose}
    for setting in SETTINGS.values():
        assert setting.help[0].isupper()
        assert not setting.help.endswith(".")


@pytest.mark.parametrize("name", SETTINGS)
def test_a_default_is_a_value(name: str) -> None:
    default = SETTINGS[name].default
    if default not in (None, "", {}):
        assert checked("--here", name, default) == default


SHARDING = ("shard", "executor", "address", "shards")
"""How a run is computed: of this command alone, and no settings."""
SHOWING = ("-v", "-q", "format")
"""How much of it is shown."""


def test_run_has_an_option_and_the_action_an_input_for_each() -> None:
    assert [*flags_of(run)] == [*map(dashed, SETTINGS), *SHARDING, "config", *SHOWING]
    assert [*action.INPUTS] == [*map(dashed, SETTINGS)]


def test_compare_takes_what_decides() -> None:
    assert {*map(dashed, DECIDING)} <= {*flags_of(compare)}
    assert {*DECIDING} <= {*STORED}


def test_a_result_stores_them_by_the_same_constraints() -> None:
    stored = get_type_hints(RunSettings, include_extras=True)
    assert [*stored] == [*STORED, "complete", "noise", "flips", "allowed_flips"]
    for name in STORED:
        form = SETTINGS[name].form
        own = msgspec.inspect.type_info(form if name != "retrained" else form | msgspec.UnsetType)
        assert msgspec.inspect.type_info(stored[name]) == own, name


OTHERS = {
    ("baseline", "record", "name"),
    ("export", "labels"),
    ("history", "out"),
    ("suite", "build", "name"),
    ("suite", "build", "relations"),
    ("suite", "build", "sources"),
    ("suite", "try", "sources"),
}
"""Options that have a setting's name and mean something else, such as a suite's files."""


@pytest.mark.parametrize(("names", "command"), [*every_command()], ids=str)
def test_an_option_of_a_setting_is_the_same_in_each_command(
    names: tuple[str, ...], command: click.Command
) -> None:
    for flag, option in flags_of(command).items():
        setting = SETTINGS.get(flag.replace("-", "_"))
        if setting is None or (*names, flag) in OTHERS or isinstance(option, click.Argument):
            continue
        assert isinstance(option, click.Option)
        assert (option.help or "").startswith(setting.help), flag
        assert option.metavar == (setting.metavar or None), flag
        if setting.kind is not bool and flag != "out":
            assert isinstance(option.type, options.Value), flag
            assert option.type.name == setting.name
