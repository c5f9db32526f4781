"""Settings of a pull request: those that judge it are its base's, from real repositories."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from cases import read_cases
from making_pull_requests import Files, Forge, Propose, event, git, of_pull_request
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.github.base_commit import base_of
from mt_gate.github.base_settings import JudgedSettings, load_judged
from mt_gate.settings.loading import FILES, merged
from mt_gate.settings.record import SETTINGS, Settings, Whose, dashed
from speeds import first_daily

NAME = "mt-gate.toml"
OPTIONS = {"checkpoint": "models/ner", "task": "ner"}
DEFAULTS = Settings(checkpoint="models/ner", task="ner", suite="ner-default")
VALUES = {case["name"]: case["value"] for case in read_cases("github/settings")}
TASK_OF = {"ontology": "re", "answers": "boolq", "label_map": "text", "threshold": "text"}
"""The task of settings that are of one alone."""
JUDGES = [name for name in SETTINGS if SETTINGS[name].whose is Whose.JUDGE]
OF_TESTED = [name for name in SETTINGS if SETTINGS[name].whose is Whose.TESTED]
Edit = Callable[..., dict[str, str]]


def options_for(name: str) -> dict[str, Any]:
    """Return options with which a setting may be set."""
    if SETTINGS[name].of_endpoints:
        against = {"against": "openai:base"} if name == "base_prompt" else {}
        return {"system": "openai:m", "task": "ner", **against}
    return {"checkpoint": "m", "task": TASK_OF.get(name, "ner")}


def judged(
    environment: dict[str, str],
    options: dict[str, Any] | None = None,
    config: str = "",
    choice: str | None = None,
) -> JudgedSettings:
    return load_judged(
        OPTIONS if options is None else options,
        Path(config) if config else None,
        base_of(environment, choice),
    )


@pytest.fixture
def edit(propose: Propose) -> Edit:
    """Open a pull request that changes a settings file, check it out, return the environment."""

    def edit(base: str | None, change: str | None, more: Files | None = None) -> dict[str, str]:
        before = {} if base is None else {NAME: base.encode()}
        own = {} if change == base else {NAME: None if change is None else change.encode()}
        return propose(before, {**own, **(more or {})})[1]

    return edit


def test_unchanged_settings_are_taken_without_a_word(edit: Edit) -> None:
    text = 'margin = 0.2\nout = "here"\nmax-length = 9\n'
    actual = judged(edit(text, text))
    assert (actual.settings.margin, actual.settings.out) == (0.2, Path("here"))
    assert actual.settings.max_length == 9
    assert not actual.notes


PROJECT = "pyproject.toml"
TABLE = "[project]\nname = 'x'\n[tool.mt-gate]\nmargin = {}\n"


@pytest.mark.parametrize(
    ("base", "own", "name"),
    [
        (
            {PROJECT: TABLE.format(0.2)},
            {PROJECT: TABLE.format(0.9)},
            f"[tool.mt-gate] of {PROJECT}",
        ),
        ({PROJECT: TABLE.format(0.2)}, {NAME: "margin = 0.9\n"}, NAME),
        ({PROJECT: TABLE.format(0.2)}, {PROJECT: None}, f"[tool.mt-gate] of {PROJECT}"),
        ({PROJECT: TABLE.format(0.2)}, {PROJECT: "[tool]\n"}, f"[tool.mt-gate] of {PROJECT}"),
        ({NAME: "margin = 0.2\n"}, {NAME: None, PROJECT: TABLE.format(0.9)}, PROJECT),
        (
            {NAME: "margin = 0.2\n", PROJECT: TABLE.format(0.7)},
            {NAME: None, PROJECT: TABLE.format(0.9)},
            PROJECT,
        ),
    ],
)
def test_the_base_s_settings_judge_in_either_file(
    propose: Propose, base: dict[str, str], own: dict[str, str | None], name: str
) -> None:
    files = {key: None if text is None else text.encode() for key, text in own.items()}
    _, environment = propose({key: text.encode() for key, text in base.items()}, files)
    actual = judged(environment)
    assert actual.settings.margin == 0.2
    [note] = actual.notes
    assert name in note
    assert "(base: 0.2). mt-gate used the file of its base, " in note


def test_a_table_that_a_pull_request_adds_does_not_judge(propose: Propose) -> None:
    before = {PROJECT: b"[project]\nname = 'x'\n"}
    _, environment = propose(before, {PROJECT: TABLE.format(0.9).encode()})
    actual = judged(environment)
    assert actual.settings.margin == DEFAULTS.margin
    [note] = actual.notes
    assert note.startswith(f"[tool.mt-gate] of {PROJECT} is not in the base of this pull request")


def test_a_project_without_a_table_is_no_settings_file(propose: Propose) -> None:
    _, environment = propose({PROJECT: b"[project]\n"}, {PROJECT: b"[project]\nname = 'x'\n"})
    actual = judged(environment)
    assert actual == JudgedSettings(DEFAULTS, actual.base, checkpoint="models/ner")


@pytest.mark.parametrize(("text", "has_gate"), [(TABLE.format(0.2), True), ("[tool]\n", False)])
def test_a_table_of_the_base_is_a_gate(propose: Propose, text: str, has_gate: bool) -> None:
    base = base_of(propose({PROJECT: text.encode()}, {})[1], None)
    assert base is not None
    try:
        note = base.first_baseline(Path("baselines/ner.json"), FILES)
    except CannotJudge as error:
        note = str(error)
    assert (f"The base has a gate ([tool.mt-gate] of {PROJECT})" in note) == has_gate
    assert ("has no mt-gate settings" in note) != has_gate


def test_a_table_of_the_base_that_cannot_be_read(propose: Propose) -> None:
    before = {PROJECT: TABLE.format(7).encode()}
    _, environment = propose(before, {PROJECT: TABLE.format(0.1).encode()})
    with pytest.raises(CannotJudge, match=r"pyproject\.toml of base commit .* Fix it in the base"):
        judged(environment)


def test_there_is_a_value_of_every_setting() -> None:
    assert [*VALUES] == [*SETTINGS]


@pytest.mark.parametrize("name", [name for name in JUDGES if name != "task"])
def test_what_judges_is_the_base_s(edit: Edit, name: str) -> None:
    options = options_for(name)
    environment = edit("device = 'auto'\n", f"{dashed(name)} = {VALUES[name]}\n")
    actual = judged(environment, options)
    assert actual.settings == merged(options, {}, Path(NAME))
    [note] = actual.notes
    assert note.startswith(f"{NAME} is edited by this pull request: {dashed(name)} ")
    assert " (base: not set). mt-gate used the file of its base, " in note


def test_the_task_is_the_base_s(edit: Edit) -> None:
    actual = judged(edit("task = 'ner'\n", "task = 'boolq'\n"), {"checkpoint": "m"})
    assert (actual.settings.task, actual.settings.suite) == ("ner", "ner-default")
    assert "task 'boolq' (base: 'ner')" in actual.notes[0]


@pytest.mark.parametrize(
    "name", first_daily([name for name in JUDGES if name not in ("task", "system")], 4)
)
def test_a_pull_request_removes_no_setting_that_judges(edit: Edit, name: str) -> None:
    options = options_for(name)
    actual = judged(edit(f"{dashed(name)} = {VALUES[name]}\n", None), options)
    assert getattr(actual.settings, name) != getattr(DEFAULTS, name)
    assert (
        f"{NAME} is removed by this pull request: {dashed(name)} not set (base: " in actual.notes[0]
    )


def test_the_base_s_system_is_not_replaced_by_a_checkpoint(edit: Edit) -> None:
    environment = edit("system = 'command:x'\n", "checkpoint = 'm'\nmax-length = 9\n")
    actual = judged(environment, {"task": "ner"})
    assert (actual.settings.system, actual.settings.checkpoint) == ("command:x", "")
    [note] = actual.notes
    assert "checkpoint 'm' (base: not set), system not set (base: 'command:x')" in note
    assert "max-length 9 (base: not set). mt-gate used the file of its base" in note


@pytest.mark.parametrize("name", OF_TESTED)
def test_the_checkpoint_is_the_pull_request_s_and_noted(edit: Edit, name: str) -> None:
    options = {"task": "ner"}
    tested = "system = 'openai:m'\n" if name == "prompt" else "checkpoint = 'm'\n"
    own = f"{'' if name == 'checkpoint' else tested}{dashed(name)} = {VALUES[name]}\n"
    actual = judged(edit(tested, own), options)
    assert getattr(actual.settings, name) != getattr(DEFAULTS, name)
    [note] = actual.notes
    assert note.startswith(
        f"{NAME} is edited by this pull request. mt-gate used its settings for the test: "
        f"{dashed(name)} "
    )


def test_the_device_is_the_pull_request_s(edit: Edit) -> None:
    actual = judged(edit("device = 'cuda'\n", "device = 'cpu'\n"))
    own = replace(DEFAULTS, device="cpu")
    assert actual == JudgedSettings(own, actual.base, checkpoint="models/ner")


def test_inputs_override_both_files(edit: Edit) -> None:
    environment = edit("margin = 0.2\n", "margin = 0.9\n")
    assert judged(environment, {**OPTIONS, "margin": "0.1"}).settings.margin == 0.1


def test_a_setting_from_an_input_is_not_noted(edit: Edit) -> None:
    environment = edit("checkpoint = 'a'\nprecision = 'int8'\n", "checkpoint = 'b'\n")
    assert not judged(environment, {**OPTIONS, "precision": "fp16"}).notes
    [note] = judged(environment).notes
    assert note.endswith("mt-gate used its settings for the test: precision not set (base: 'int8')")
    assert not judged(environment, {"task": "ner", "system": "command:x"}).notes


class TestNewFile:
    """The base has no settings: a pull request cannot bring those that judge it."""

    def test_they_do_not_count(self, edit: Edit) -> None:
        judges = [name for name in JUDGES if name not in ("system", "against")]
        text = "".join(f"{dashed(name)} = {VALUES[name]}\n" for name in judges)
        actual = judged(edit(None, text + "precision = 'int8'\n"))
        assert actual.settings == replace(DEFAULTS, precision="int8")
        [note] = actual.notes
        assert note.startswith(f"{NAME} is not in the base of this pull request, ")
        assert ". mt-gate ignored these settings: suite 'other', baseline 'other.json', " in note
        assert note.endswith(f", and {len(judges) - 1 - 6} more")

    def test_the_task_does_where_nobody_else_names_one(self, edit: Edit) -> None:
        environment = edit(None, "task = 'boolq'\nprecision = 'int8'\n")
        actual = judged(environment, {"checkpoint": "m"})
        assert (actual.settings.task, actual.settings.suite) == ("boolq", "boolq-default")
        assert not actual.notes
        assert judged(environment).settings.task == "ner"

    @pytest.mark.parametrize("base", [None, "checkpoint = 'a'\n"])
    def test_a_program_is_refused(self, edit: Edit, base: str | None) -> None:
        environment = edit(base, "system = 'command:sh -c \"env > stolen\"'\n")
        with pytest.raises(CannotJudge) as refused:
            judged(environment, {"task": "ner"})
        text = str(refused.value)
        assert text.startswith(f"{NAME}: system ")
        assert "comes with this pull request, so mt-gate does not run it. The base, " in text
        assert "has no system. Set the input system in the workflow, merge the settings" in text
        assert "\n" not in text


def test_the_working_tree_on_purpose(edit: Edit) -> None:
    environment = edit("margin = 0.2\n", "margin = 0.9\nsystem = 'command:x'\n")
    actual = judged(environment, {"task": "ner"}, choice="worktree")
    assert (actual.settings.margin, actual.settings.system) == (0.9, "command:x")


def test_other_events_read_the_working_tree(edit: Edit) -> None:
    environment = edit("margin = 0.2\n", "margin = 0.9\n")
    for name in ("push", "schedule", ""):
        actual = judged(environment | {"GITHUB_EVENT_NAME": name})
        assert (actual.settings.margin, actual.base, actual.notes) == (0.9, None, ())


def test_a_merge_group_is_judged_by_what_it_is_put_on(edit: Edit, tmp_path: Path) -> None:
    environment = edit("margin = 0.2\n", "margin = 0.9\n")
    base = git(tmp_path / "forge" / "clone", "rev-parse", "main")
    environment |= event(tmp_path, "merge_group", {"merge_group": {"base_sha": base}})
    actual = judged(environment)
    assert actual.settings.margin == 0.2
    assert f"{NAME} is edited by this merge group: margin 0.9 (base: 0.2)" in actual.notes[0]


def test_a_base_that_may_be_newer_is_noted(edit: Edit) -> None:
    environment = edit("margin = 0.2\n", "margin = 0.9\n")
    actual = judged(environment | {"GITHUB_EVENT_NAME": "pull_request_target"})
    assert actual.settings.margin == 0.2
    assert "(or the checkout is older than its base)" in actual.notes[0]


def test_a_named_file(edit: Edit) -> None:
    environment = edit(None, None, {"search/gate.toml": b"margin = 0.9\n"})
    actual = judged(environment, config="search/gate.toml")
    assert actual.settings == DEFAULTS
    assert actual.notes[0].startswith("search/gate.toml is not in the base of this pull request, ")
    with pytest.raises(UsageError, match=r"nowhere\.toml does not exist"):
        judged(environment, config="nowhere.toml")


def test_a_checkout_in_a_folder_needs_no_repository_around_it(
    edit: Edit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = edit("margin = 0.2\n", "margin = 0.9\n")
    monkeypatch.chdir(tmp_path)
    assert judged(environment).settings == DEFAULTS
    assert judged(environment, config=f"workspace/{NAME}").settings.margin == 0.2
    (tmp_path / NAME).write_text("margin = 0.9\n")
    with pytest.raises(CannotJudge, match="it is not in a git repository"):
        judged(environment)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("system = \"x '\\u202e' <b>\\n\\u001b[2J\"", r"""system "x '\u202e' <b>\n\x1b[2J" """),
        (f"suite = '{'s' * 200}'", f"'{'s' * 57}...'"),
        ("strict = true", "strict true"),
        ("must-hold = ['a', 'b']", "must-hold 'a, b'"),
        ("max-violation-rate = {'ner/structural' = 0.5}", "'ner/structural=0.5'"),
        ("cache = 'here'", "cache 'here'"),
    ],
)
def test_values_are_cut_and_escaped(edit: Edit, value: str, expected: str) -> None:
    [note] = judged(edit("device = 'cpu'\n", f"{value}\n")).notes
    assert expected in note
    assert note.isprintable()
    assert len(note) < 250


class TestUnreadable:
    """Where the base's file cannot be read there is one line, with what to do, and no verdict."""

    def refused(self, environment: dict[str, str]) -> str:
        with pytest.raises(CannotJudge) as failed:
            judged(environment)
        text = str(failed.value)
        assert text.startswith(NAME)
        assert "baseline-from: worktree" in text
        assert "\n" not in text
        return text

    @pytest.mark.parametrize(
        ("base", "words"),
        [
            ("alhpa = 0.1\n", "Unknown setting 'alhpa'"),
            ("margin = 7\n", "margin must be a number from 0 to below 1"),
            ("SECRET_9=hunter2\n", "not valid TOML (at line 1, column 10)"),
            ("system = 'a'\ncheckpoint = 'b'\n", "both checkpoint and system"),
            ("version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
            ("a = " + "[" * 20_000, "not valid TOML"),
            (f"margin = {'9' * 5000}\n", "not valid TOML"),
            ("#" * (1 << 20) + "\n", "1048577 bytes there, limit 1048576"),
        ],
    )
    def test_content(self, edit: Edit, base: str, words: str) -> None:
        text = self.refused(edit(base, "margin = 0.2\n"))
        assert words in text
        assert "hunter2" not in text

    def test_a_link(self, edit: Edit, forge: Forge, tmp_path: Path) -> None:
        environment = edit("margin = 0.2\n", None)
        base = forge.base({NAME: "/proc/self/environ"})
        payload = of_pull_request(base, "b" * 40)
        environment |= event(tmp_path, "pull_request_target", payload)
        assert "a symbolic link there, expected a plain file" in self.refused(environment)

    def test_no_git(self, edit: Edit) -> None:
        environment = edit("margin = 0.2\n", "margin = 0.9\n")
        assert "git is not installed" in self.refused(environment | {"PATH": ""})


def test_a_link_of_the_pull_request_shows_nothing(edit: Edit, tmp_path: Path) -> None:
    environment = edit("margin = 0.2\n", None)
    secret = tmp_path / "secret"
    secret.write_text("KEY=hunter2\n")
    for target in ("/proc/self/environ", str(secret), "/dev/zero", "nowhere"):
        Path(NAME).unlink(missing_ok=True)
        Path(NAME).symlink_to(target)
        with pytest.raises(UsageError) as failed:
            judged(environment)
        assert "hunter2" not in str(failed.value)
        assert len(str(failed.value)) < 300
