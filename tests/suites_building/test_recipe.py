"""Recipes: what is none is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases import table
from mt_gate.base.errors import UsageError

recipe = pytest.importorskip("mt_gate_suites.recipe", reason="needs mt-gate[suite]")


@pytest.mark.parametrize(
    "text",
    [
        b"", b"\xff", b"name = ", b"seed = 0x" + b"f" * 9000, b"seed = " + b"9" * 9000,
        b"name = " + b"[" * 90_000, b"name = 7\n", b"x" * (2 << 20),
    ],
    ids=["empty", "not UTF-8", "cut", "huge hex", "huge", "deep", "no text", "large"],
)  # fmt: skip
def test_files_that_are_none(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_bytes(text)
    with pytest.raises(UsageError) as caught:
        recipe.read_recipe(str(tmp_path / "recipe.toml"))
    assert str(caught.value).startswith(str(tmp_path / "recipe.toml"))


def test_a_link_to_another_folder(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").symlink_to("/proc/self/environ")
    with pytest.raises(UsageError, match="a link out of"):
        recipe.read_recipe(str(tmp_path / "recipe.toml"))


START = (
    'name = "c"\ntask = "ner"\nversion = "1"\nseed = 1\ndescription = ""\n{}'
    '[[corpus]]\nname = "P"\nfile = "own.txt"\nkind = "text"\nlicence = "CC0"\nattribution = "me"\n'
)


@pytest.mark.parametrize(
    ("more", "end", "words"),
    [
        ("", "[caps]\nedit_share = 0\n", "edit_share"),
        ("", "[caps]\nedit_share = 1.5\n", "edit_share"),
        ("", "[caps]\nnear = 0.6\n", "unknown field"),
        ("", "[caps]\ngroups_per_source = 0\n", "groups_per_source"),
        ("", '[caps.relations."re/same-type"]\nedit_share = 1\n', "caps for relation 're/same"),
        ('refused = "nowhere.tsv"\n', "", "nowhere.tsv does not exist"),
        (f'refused = "{"x" * 5000}"\n', "", "File name too long. Choose another path"),
    ],
)
def test_caps_and_files_that_do_not_fit(more: str, end: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text(START.format(more) + end)
    with pytest.raises(UsageError) as caught:
        recipe.read_recipe(str(tmp_path / "recipe.toml"))
    assert words in str(caught.value)


@pytest.mark.parametrize(("corpus", "words"), table(__file__, "formats_and_files_that_do_not_fit"))
def test_formats_and_files_that_do_not_fit(corpus: str, words: str, tmp_path: Path) -> None:
    head = 'name = "c"\ntask = "text"\nversion = "1"\nseed = 1\ndescription = ""\n[[corpus]]\n'
    about = 'name = "P"\nlicence = "CC0"\nattribution = "me"\n'
    (tmp_path / "recipe.toml").write_text(f"{head}{about}{corpus}\n")
    with pytest.raises(UsageError) as caught:
        recipe.read_recipe(str(tmp_path / "recipe.toml"))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    """Ids and corpora are called by the names of files."""
    files = tmp_path / "a" / "x.txt", tmp_path / "b" / "x.txt"
    with pytest.raises(UsageError, match=r"two files named '?x.txt'?, but .*\. Rename one"):
        recipe.recipe_of_files("text", "own", files, "", "unstated")
