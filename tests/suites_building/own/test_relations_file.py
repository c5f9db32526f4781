"""A file of relations: what it may say, and one line for what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.base.errors import UsageError
from mt_gate.relations.stated import Becomes, Same, When
from mt_gate.tasks.table import TASKS
from mt_gate_suites.own.relations_file import MAX_FILE, output_of, read_relations

RULE = "replace = { pattern = 'a', with = 'b' }"
HEAD = '[[relation]]\nname = "one"\ntitle = "One"\noutput = { kind = "same" }\n'


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "relations.toml"
    path.write_text(text)
    return path


def test_a_whole_file(tmp_path: Path) -> None:
    found = read_relations(written(tmp_path, f'task = "ner"\nseed = 7\n{HEAD}{RULE}\nmost = 3\n'))
    (relation,) = found.relation
    assert (found.task, found.seed, relation.name, relation.most) == ("ner", 7, "one", 3)
    assert relation.ways == ["replace"]
    assert relation.replace is not None
    assert relation.replace.new == "b"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "missing required field `relation`"),
        ("relation = []", "length >= 1"),
        ("not toml", "expected relations in TOML"),
        (
            f"{HEAD}{RULE}\nreplce = 1\n",
            "relation 'one': unknown field 'replce'; did you mean 'replace'? known: name, output",
        ),
        (f"[[relation]]\n{RULE}\nnmae = 'a'\n", "relation 1: unknown field 'nmae'; did you mean"),
        (f"colour = 1\n{HEAD}{RULE}\n", "unknown field 'colour'; known: relation, task, labels"),
        (
            f"{HEAD}replace = {{ pattern = 'a', wiht = 'b' }}\n",
            "relation 'one': replace: unknown field 'wiht'; did you mean 'with'? known: pattern, w",
        ),
        (
            f"{HEAD}{RULE}\n[[relation]]\n{RULE}\n",
            "relation 2: Object missing required field `name`;",
        ),
        (
            f"{HEAD}{RULE}\nmost = 'x'\n",
            "relation 'one': Expected `int | null`, got `str` - at `$.most`",
        ),
        ("relation = 7", "Expected `array`, got `int` - at `$.relation`; correct it as"),
        ("relation = [7]", "relation 1: Expected `object`, got `int`; correct it as"),
        (f"{HEAD}{RULE}\nwords = {{ a = 'b' }}\n", "has replace and words; expected one of"),
        (HEAD, "has no way to make follow-ups"),
        (f"{HEAD}{RULE}\n{HEAD}{RULE}\n", "stands there twice"),
        (f'[[relation]]\nname = "one"\n{RULE}\n', "has no title"),
        (f'[[relation]]\nname = "One!"\ntitle = "x"\n{RULE}\n', "matching regex"),
        (f'task = "chess"\n{HEAD}{RULE}\n', "task 'chess'; expected task"),
        (f"{HEAD}{RULE}\nmost = 0\n", ">= 1"),
        (f"{HEAD}insert = {{ sentences = ['a'], place = 'aside' }}\n", "aside"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        read_relations(written(tmp_path, text))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read_relations(tmp_path / "none.toml")
    large = written(tmp_path, "#" * (MAX_FILE + 1))
    with pytest.raises(UsageError, match="at most"):
        read_relations(large)
    large.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="expected relations in TOML"):
        read_relations(large)


def test_output_relations_are_read() -> None:
    text = TASKS["text"]
    assert output_of({"kind": "same"}, text, (), "f") == Same()
    stated = {"kind": "becomes", "labels": {"a": "b"}, "when": {"label": "a"}}
    assert output_of(stated, text, ("a", "b"), "f") == Becomes(
        labels={"a": "b"}, when=When(label="a")
    )


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"kind": "alike"}, "kind 'alike'; expected one of same, differs"),
        ({}, "has no kind"),
        ("same", "has no kind"),
        ({"kind": "same", "more": 1}, "same: unknown field 'more'; known: kind, when, labels; see"),
        (
            {"kind": "rises", "lable": "a", "by": 0.1},
            "unknown field 'lable'; did you mean 'label'?",
        ),
        ({"kind": "same", "when": {"lable": "a"}}, "unknown field 'lable'; did you mean 'label'?"),
        ({"kind": "becomes"}, "missing required field `labels`; it has kind, when, labels; see"),
        ({"kind": "rises", "label": "a", "by": 2}, "<= 1"),
        ({"kind": "rises", "label": "c", "by": 0.1}, "names label 'c'; labels of the suite: a, b"),
        ({"kind": "spans-mapped"}, "does not fit task text"),
    ],
)
def test_output_relations_that_are_refused(stated: object, message: str) -> None:
    with pytest.raises(UsageError) as error:
        output_of(stated, TASKS["text"], ("a", "b"), "file.toml")
    assert str(error.value).startswith("file.toml: ")
    assert message in str(error.value)
