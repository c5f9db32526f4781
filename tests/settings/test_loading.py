"""Settings from files and options, and their values as texts."""

from __future__ import annotations

import os
from ast import literal_eval
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases, table
from mt_gate.base.errors import UsageError
from mt_gate.settings.loading import MAX_BYTES, load
from mt_gate.settings.record import SETTINGS, Settings
from mt_gate.settings.values import checked, in_text

OPTIONS = {"checkpoint": "models/ner", "task": "ner"}


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_flags_override_the_file_and_absent_flags_do_not(tmp_path: Path) -> None:
    file = tmp_path / "mt-gate.toml"
    file.write_text('checkpoint = "a"\ntask = "ner"\nmargin = 0.2\nalpha = 0.01\nstrict = true\n')
    settings = load({"alpha": "0.1", "margin": None, "strict": None}, None)
    assert (settings.alpha, settings.margin, settings.strict) == (0.1, 0.2, True)
    assert load({"strict": False}, None).strict is False


def test_one_of_checkpoint_and_system(tmp_path: Path) -> None:
    system = {"system": "spacy:x", "task": "ner"}
    assert load(system, None) == Settings(system="spacy:x", task="ner", suite="ner-default")
    with pytest.raises(UsageError, match="the command line: both checkpoint and system"):
        load({**OPTIONS, **system}, None)
    (tmp_path / "own.toml").write_text('system = "spacy:x"\ncheckpoint = "y"\n')
    with pytest.raises(UsageError, match=r"own\.toml: both checkpoint and system"):
        load({"task": "ner"}, tmp_path / "own.toml")


def test_a_flag_overrides_the_file_s_other_way_to_name_what_is_tested(tmp_path: Path) -> None:
    (tmp_path / "mt-gate.toml").write_text('checkpoint = "a"\ntask = "ner"\ntimeout = 5\n')
    settings = load({"system": "command:x"}, None)
    assert (settings.system, settings.checkpoint, settings.timeout) == ("command:x", "", 5)
    (tmp_path / "mt-gate.toml").write_text('system = "command:x"\ntask = "ner"\n')
    settings = load({"checkpoint": "a"}, None)
    assert (settings.system, settings.checkpoint, settings.timeout) == ("", "a", 60)


def test_labels_of_a_shared_file_are_for_tasks_that_have_labels(tmp_path: Path) -> None:
    path = tmp_path / "shared.toml"
    path.write_text("checkpoint = 'm'\n[label-map]\nhateful = 'LABEL_1'\n")
    assert load({"task": "text"}, path).label_map == {"hateful": ("LABEL_1",)}
    assert load({"task": "boolq"}, path).label_map == {}
    with pytest.raises(UsageError, match="label-map"):
        load({"task": "boolq", "label_map": "hateful=LABEL_1"}, path)


def test_tables_and_lists_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        'max-length = 99\nmust-hold = ["x"]\n[answers]\nyes = "a, b"\nno = "c"\n'
        '[max-violation-rate]\n"ner/structural" = 0.25\n'
    )
    read = load({"checkpoint": "x", "task": "boolq"}, tmp_path / "own.toml")
    assert (read.answers, read.max_length) == ({"yes": "a, b", "no": "c"}, 99)
    assert (read.must_hold, read.max_violation_rate) == (("x",), {"ner/structural": 0.25})


def test_how_a_checkpoint_is_read_says_nothing_of_other_systems(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--max-length is for checkpoints"):
        load({"system": "spacy:x", "task": "ner", "max_length": 9}, None)
    (tmp_path / "mt-gate.toml").write_text('checkpoint = "a"\ntask = "ner"\nmax-length = 9\n')
    assert load({"system": "command:x"}, None).max_length is None


@pytest.mark.parametrize(("text", "words"), table(__file__, "bad_files"))
def test_bad_files(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(UsageError, match=words):
        load(OPTIONS, tmp_path / "own.toml")


PROJECT = "[project]\nname = 'x'\n"


@pytest.mark.parametrize(("text", "margin"), table(__file__, "tables_of_a_project"))
def test_a_table_of_pyproject_is_read_like_the_file(text: str, margin: float) -> None:
    Path("pyproject.toml").write_text(PROJECT + text)
    assert load(OPTIONS, None).margin == margin
    if text:
        assert load(OPTIONS, Path("pyproject.toml")).margin == margin


@pytest.mark.parametrize(("text", "words"), table(__file__, "bad_projects"))
def test_bad_projects(text: str, words: str) -> None:
    Path("pyproject.toml").write_text(PROJECT + text)
    with pytest.raises(UsageError, match=words):
        load(OPTIONS, None)


def test_a_project_that_is_named_must_have_the_table() -> None:
    Path("pyproject.toml").write_text(PROJECT)
    assert load(OPTIONS, None).margin == 0.01
    assert refused(Path("pyproject.toml")) == (
        "pyproject.toml has no table [tool.mt-gate]. Add it."
    )


@pytest.mark.parametrize(
    ("text", "is_named"),
    [(PROJECT, False), (f"{PROJECT}[tool.mt-gate]\nmargin = 0.2\n", True), ("not TOML", False)],
)
def test_the_own_file_comes_first(
    text: str, is_named: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mt-gate.toml").write_text("alpha = 0.1\n")
    Path("pyproject.toml").write_text(text)
    settings = load(OPTIONS, None)
    assert (settings.alpha, settings.margin) == (0.1, 0.01)
    line = "mt-gate: mt-gate.toml and [tool.mt-gate] of pyproject.toml both have settings."
    assert capsys.readouterr().err.startswith(line) == is_named
    Path("pyproject.toml").unlink()
    Path("pyproject.toml").symlink_to("/dev/zero")
    assert load(OPTIONS, None).alpha == 0.1


def refused(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        load(OPTIONS, path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "PATH=/bin\0TOKEN=hunter2\0",
        "hunter2",
        "hunter2 = ",
        "a = 'hunter2",
        "[hunter2\n",
        "a = " + "[" * 50_000,
        f"margin = {'9' * 5000}",
        "a = 1\na = 'hunter2'\n",
    ],
)
def test_what_is_no_settings_file_is_not_quoted(tmp_path: Path, text: str) -> None:
    (tmp_path / "own.toml").write_text(text)
    message = refused(tmp_path / "own.toml")
    assert "own.toml cannot be read: the file is not valid TOML" in message
    assert "hunter2" not in message


@pytest.mark.parametrize("name", ["margin", "sources", "strict", "relations", "task", "suite"])
@pytest.mark.parametrize("value", [f"0x{'f' * 9000}", f"'{'x' * 9000}'", f"[{'0, ' * 9000}]"])
def test_huge_values_are_refused_in_short(tmp_path: Path, name: str, value: str) -> None:
    (tmp_path / "own.toml").write_text(f"{name} = {value}\n")
    assert len(refused(tmp_path / "own.toml")) < 400


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mt-gate.toml"
    for target in ("/proc/self/environ", "/dev/zero", "nowhere", str(tmp_path)):
        path.symlink_to(target)
        assert "mt-gate.toml " in refused(path)
        with pytest.raises(UsageError):
            load(OPTIONS, None)
        path.unlink()
    os.mkfifo(path)
    assert "a FIFO. Expected a regular file. Check --config." in refused(path)
    path.unlink()
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    assert f"at most {MAX_BYTES} are allowed" in refused(path)


ENDING = "since 1.2; use margin; 2.0 has it no longer"


@pytest.mark.parametrize("options", [{"alpha": "0.1"}, {}])
@pytest.mark.parametrize("text", ["alpha = 0.1\n", ""])
def test_a_deprecated_setting_warns_where_it_is_used(
    options: dict[str, str],
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
) -> None:
    monkeypatch.setitem(SETTINGS, "alpha", SETTINGS["alpha"]._replace(deprecated=ENDING))
    Path("mt-gate.toml").write_text(text)
    settings = load({**OPTIONS, **options}, None)
    said = capsys.readouterr().err
    assert said == (f"mt-gate: alpha is deprecated {ENDING}\n" if options or text else "")
    assert settings.alpha == (0.1 if said else 0.05)


@cases("settings/texts")
def test_texts(name: str, text: str, value: str) -> None:
    assert checked("--x", name, literal_eval(text)) == literal_eval(value)


@cases("settings/values-of-files")
def test_values_of_files(name: str, value: str, read: str) -> None:
    actual = checked("own.toml: x", name, literal_eval(value))
    assert actual == literal_eval(read)
    assert type(actual) is type(literal_eval(read))


@cases("settings/bad-values")
def test_bad_values_name_themselves_and_what_is_allowed(name: str, value: str, words: str) -> None:
    assert words in refusal(name, literal_eval(value))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("out", "x" * 5000, "File name too long. Choose another path"),
        ("max_violation_rate", {str(i): 0.1 for i in range(201)}, "rates of at most 200 relations"),
        ("relations", "x" * 201, "at most 200 names of at most 200 characters, separated by"),
        ("sources", int("f" * 9000, 16), "(got a value that is too large to show)"),
    ],
    ids=["path", "rates", "names", "number"],
)
def test_large_values_are_not_shown(name: str, value: object, words: str) -> None:
    assert words in refusal(name, value)


def refusal(name: str, value: object) -> str:
    with pytest.raises(UsageError) as caught:
        checked("--here", name, value)
    assert str(caught.value).startswith("--here")
    assert "\n" not in str(caught.value)
    return str(caught.value)


@given(
    name=st.sampled_from([*SETTINGS]),
    text=st.text(st.characters(exclude_categories=())),  # also bytes of a shell that are no UTF-8
)
def test_any_text_is_taken_or_refused_in_one_line(name: str, text: str) -> None:
    try:
        value = checked("--here", name, text)
    except UsageError as error:
        message = str(error)
    else:
        message = ""
        assert checked("--here", name, value) == value, "what is checked stays as it is"
    assert "\n" not in message


@given(
    st.one_of(
        st.tuples(st.just("alpha"), st.floats(1e-6, 0.5)),
        st.tuples(st.just("strict"), st.booleans()),
        st.tuples(st.just("sources"), st.integers(1, 10_000_000)),
        st.tuples(
            st.just("max_violation_rate"), st.dictionaries(st.sampled_from("ab*"), st.floats(0, 1))
        ),
        st.tuples(
            st.just("must_hold"), st.lists(st.text("0af", min_size=1), unique=True).map(tuple)
        ),
    )
)
def test_a_value_in_text_is_read_as_that_value(expected: tuple[str, Any]) -> None:
    name, value = expected
    assert checked("--here", name, in_text(value)) == value
