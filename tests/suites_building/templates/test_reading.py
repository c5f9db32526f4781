"""Files of templates: what is wrong with one is a line that says so."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from mt_gate.base.errors import UsageError
from mt_gate.suites.format import read_suite, relations_in
from mt_gate_suites.templates.builder import build_templates
from mt_gate_suites.templates.reading import read_language

CASES = tomllib.loads(
    (Path(__file__).parents[2] / "cases/suites_building/templates.toml").read_text()
)["case"]
OWN = """
language = "en"
first_names = ["Anna", "Ben"]
family_names = ["Moss", "Hale"]

[kinds.badge]
pattern = 'B-[0-9]{6}'

[kinds.account]
generator = "iban(DE)"

[[template]]
context = "form"
text = "Badge {badge} of {person} with account {account}"

[[template]]
context = "form"
text = "Lost: badge {badge}"

[[look_alike]]
kind = "room"
text = "Room B-## is closed."
"""


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_what_is_wrong_is_one_line(case: dict, tmp_path: Path) -> None:
    file = tmp_path / "templates.toml"
    file.write_text(case["file"])
    with pytest.raises(UsageError) as raised:
        read_language(file)
    assert str(raised.value).startswith(str(file))
    assert case["says"] in str(raised.value)
    assert "\n" not in str(raised.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "templates.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="Correct the file"):
        read_language(file)


def test_kinds_of_a_user(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(OWN)
    said: list[str] = []
    build_templates([file], tmp_path / "own", said.append, name="own", licence="ours")
    suite = read_suite(tmp_path / "own")
    assert suite.head.labels == ("account", "badge", "person")
    kinds = {e.label: s.input["text"][e.start : e.end] for s in suite.sources for e in s.entities}
    assert kinds["account"].startswith("DE")
    assert kinds["badge"].startswith("B-")
    assert said == ["8 texts of 3 kinds"]
    assert {"ner/known-answer", "ner/look-alike"} <= {*relations_in(suite.head)}


def test_the_command_builds_it(command: Callable, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN)
    built = command("suite", "build", "--kind", "templates", "--sources", "own.toml", "--out", "s")
    assert built.code == 0
    assert json.loads((tmp_path / "s" / "suite.json").read_text())["task"] == "ner"
    refused = command(
        *("suite", "build", "--kind", "templates", "--sources", "own.toml"),
        *("--task", "boolq", "--out", "s"),
    )
    assert (refused.code, "--task does not work" in refused.err) == (2, True)
    two = command(
        *("suite", "build", "--kind", "templates", "--sources", "own.toml"),
        *("--sources", "own.toml", "--out", "s"),
    )
    assert (two.code, "Two files have one language" in two.err) == (2, True)


def test_two_builds_are_equal(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(OWN)
    for name in "ab":
        build_templates([file], tmp_path / name, lambda _: None, name="own", licence="ours")
    for part in ("suite.json", "groups.jsonl.gz", "sources.jsonl.gz"):
        assert (tmp_path / "a" / part).read_bytes() == (tmp_path / "b" / part).read_bytes()


TWICE = """
language = "en"
[[template]]
context = "form"
text = "From: {account}\\nTo: {account}\\nBy: {age}"
other_keys = "De: {account}\\nA: {account}\\nPar: {age}"
[[template]]
context = "form"
text = "Old account {account}, new account {account}."
"""


def test_a_kind_may_occur_twice(tmp_path: Path) -> None:
    (tmp_path / "twice.toml").write_text(TWICE)
    out = tmp_path / "twice"
    build_templates([tmp_path / "twice.toml"], out, lambda _: None, name="twice", licence="ours")
    suite = read_suite(out)
    sources = {source.id: source for source in suite.sources}
    both = [g for g in suite.groups if g.relation in ("ner/other-keys", "ner/field-order")]
    assert {group.relation for group in both} == {"ner/other-keys", "ner/field-order"}
    for group in both:
        source = sources[group.source]
        before, after = (
            [value["text"][start:end] for start, end, _ in entities]
            for value, entities in (
                (source.input, source.entities),
                (group.follow_up, group.entities),
            )
        )
        assert after == before
    assert not [group for group in suite.groups if group.relation == "ner/other-context"]
