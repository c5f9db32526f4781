"""A file of relations, a package and a file of pairs: built, audited, run, recorded, gated."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("spacy", reason="needs mt-gate[suite]")

from mt_gate.demo import CHECKPOINTS
from mt_gate.relations.stated import Same, SpansMapped
from mt_gate.suites.format import read_suite
from mt_gate_suites.own.functions import load_function
from mt_gate_suites.text.catalogue import RELATIONS

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLES = DOCS / "own-relations"
PACKAGE = EXAMPLES / "shouting"

MODERATION = """\
import json, sys
for line in sys.stdin:
    item = json.loads(line)
    words = item["text"].lower()
    toxic = {toxic}
    score = 0.9 if toxic else 0.1
    answer = {{"id": item["id"], "labels": ["toxic" if toxic else "fine"]}}
    answer["scores"] = {{"toxic": score, "fine": 1 - score}}
    print(json.dumps(answer), flush=True)
"""
GOOD = "('hate' in words or 'despise' in words) and 'not' not in words and 'used to' not in words"
BAD = "'hate' in words or 'despise' in words"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example package, installed by pip into a folder."""
    folder = tmp_path_factory.mktemp("installed")
    source = tmp_path_factory.mktemp("source")
    for path in PACKAGE.iterdir():
        if path.is_file():
            (source / path.name).write_bytes(path.read_bytes())
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    done = subprocess.run(
        [*pip, "--no-build-isolation", "--no-deps", "--target", str(folder), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and "No module named" in done.stderr:
        pytest.skip(f"pip or setuptools is missing: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def importable(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(installed))
    importlib.invalidate_caches()
    yield
    sys.modules.pop("mt_gate_shouting", None)


def test_the_docs_show_the_examples_word_for_word() -> None:
    page = (DOCS / "own-relations.md").read_text()
    code = PACKAGE / "mt_gate_shouting.py"
    for path in (code, PACKAGE / "pyproject.toml", EXAMPLES / "pairs.jsonl"):
        assert path.read_text() in page, path
    assert len(code.read_text().splitlines()) <= 40


@pytest.mark.usefixtures("importable")
def test_an_installed_package_is_loaded_by_its_entry_point(tmp_path: Path) -> None:
    loaded = load_function("shouting", tmp_path, "f")
    assert loaded.named.startswith("mt_gate_shouting:shouting mt-gate-shouting 1.2 sha256:")


def relations(_: Path) -> list[str]:
    return ["--relations", str(EXAMPLES / "relations.toml"), "--sources", f"{EXAMPLES}/texts.txt"]


def pairs(tmp_path: Path) -> list[str]:
    """The file of the docs, and as many more pairs as a comparison needs."""
    path = tmp_path / "pairs.jsonl"
    more = [
        {"source": f"I hate {who}.", "follow_up": f"I used to hate {who}.", "relation": "past"}
        for who in "cats dogs boats bikes trains planes cars trams buses tolls".split()
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in more)
    path.write_text((EXAMPLES / "pairs.jsonl").read_text() + lines)
    return ["--kind", "pairs", "--task", "text", "--sources", str(path)]


def package(tmp_path: Path) -> list[str]:
    path = tmp_path / "shouting.toml"
    path.write_text(
        'labels = ["toxic"]\n[[relation]]\nname = "shouting"\ntitle = "Said loudly"\n'
        'output = { kind = "same" }\nfunction = "shouting"\n'
    )
    return ["--relations", str(path), "--sources", f"{EXAMPLES}/texts.txt"]


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize("how", [relations, pairs, package])
def test_from_rules_to_gate(
    how: Callable[[Path], list[str]], command: Callable[..., Any], tmp_path: Path
) -> None:
    suite = tmp_path / "suite"
    built = command("suite", "build", *how(tmp_path), "--name", "mine", "--out", suite)
    assert built.code == 0, built.err
    assert command("suite", "verify", suite).code == 0
    sheets = command("suite", "audit", suite, "--out", tmp_path / "sheets")
    assert sheets.code == 0, sheets.err
    for name, rule in (("good", GOOD), ("bad", BAD)):
        (tmp_path / f"{name}.py").write_text(MODERATION.format(toxic=rule))

    def run(name: str, *flags: object) -> Any:
        system = f"command:{sys.executable} {tmp_path / name}.py"
        fixed = ("run", "--system", system, "--task", "text", "--suite", suite)
        return command(*fixed, "--out", tmp_path / name, *flags)

    first = run("good")
    assert first.code == 0, first.err
    result = json.loads((tmp_path / "good" / "result.json").read_text())
    rows = {row["id"]: row for row in result["relations"]}
    assert all(row["violated"] == 0 for name, row in rows.items() if name != "text/typo")
    assert result["overall"]["applicable"] > 0
    recorded = command("baseline", "record", tmp_path / "good", "--name", "text")
    assert recorded.code == 0, recorded.err
    again = run("good", "--baseline", tmp_path / "baselines" / "text.json")
    assert again.code == 0, again.err
    other = run("bad", "--baseline", tmp_path / "baselines" / "text.json")
    assert other.code in (0, 1), other.err
    worse = json.loads((tmp_path / "bad" / "result.json").read_text())
    violated = {row["id"] for row in worse["relations"] if row["violated"]}
    in_suite = {one.relation for one in read_suite(suite).groups}
    assert in_suite & {"text/denied", "text/past"} <= violated


SURFACE = [one.name for one in RELATIONS if one.surface]
CAFES = [
    f"{who} met the mayor at the café in {place} yesterday, and they discussed several problems."
    for who in ("Anna Keller", "Boris Johnson", "Maria Lopez")
    for place in ("Paris", "Oslo", "Berlin", "Madrid")
]
OTHER_TASKS = {
    "ner": [{"text": text} for text in CAFES],
    "re": [
        {
            "text": text,
            "head": [0, text.index(" met"), "PERSON"],
            "tail": [text.index(" in ") + 4, text.index(" yesterday"), "CITY"],
        }
        for text in CAFES
    ],
    "boolq": [
        {"question": f"is it true that {text[:-1].lower()}", "passage": text} for text in CAFES
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("task", OTHER_TASKS)
def test_the_surface_relations_run_in_suites_of_other_tasks(
    task: str, command: Callable[..., Any], tmp_path: Path
) -> None:
    """All of them, on the demo's checkpoint: entities are mapped through the edit, answers stay."""
    texts, rules, suite = (tmp_path / name for name in ("texts.jsonl", "rules.toml", "suite"))
    texts.write_text("".join(f"{json.dumps(row)}\n" for row in OTHER_TASKS[task]))
    uses = (f'[[relation]]\nname = "{name}"\nuse = "{name}"\n' for name in SURFACE)
    rules.write_text("\n".join([f'task = "{task}"', *uses]))
    built = command("suite", "build", "--relations", rules, "--sources", texts, "--out", suite)
    assert built.code == 0, built.err
    how = ("--checkpoint", CHECKPOINTS / f"{task}-baseline", "--task", task, "--suite", suite)
    done = command("run", *how, "--out", tmp_path / "out", "--cache", tmp_path / "cache")
    assert done.code == 0, done.err
    actual = json.loads((tmp_path / "out" / "result.json").read_text())["relations"]
    assert {one["id"] for one in actual} == {f"{task}/{name}" for name in SURFACE}
    assert all(one["applicable"] for one in actual)
    kinds = {type(one.output) for one in read_suite(suite).head.relations}
    assert kinds == ({SpansMapped} if task == "ner" else {Same})
