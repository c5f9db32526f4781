"""The table of tasks: what its records name is there, and nothing else names a task."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

import mt_gate
import mt_gate_suites
from cases import table
from mt_gate.evaluating.labelled import TaskEvaluation
from mt_gate.exporting.heads import TaskExport
from mt_gate.relations.catalogue import RELATIONS
from mt_gate.reporting.words.rendering import Renderer
from mt_gate.suites.format import shipped_suites
from mt_gate.tasks import ner, text
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS, listed, named_in_table
from mt_gate_suites import builder_api

PACKAGE = Path(mt_gate.__file__).parent
SUITES = Path(mt_gate_suites.__file__).parent
SPECS = pytest.mark.parametrize("spec", TASKS.values(), ids=list(TASKS))

ALLOWED = {
    ("tasks/detokenise.py", "re"): "the end of a contraction, as in you're",
    ("training.py", "text.ID"): "the task of a pipeline of transformers",
    ("training.py", "ner.ID"): "the task of a pipeline of transformers",
}
"""What may stay, by file, and why."""


@SPECS
def test_every_import_path_names_what_it_should(spec: TaskSpec) -> None:
    assert resolve_name(spec.path) is spec
    assert isinstance(resolve_name(spec.renderer), Renderer)
    assert isinstance(resolve_name(spec.evaluation), TaskEvaluation)
    assert isinstance(resolve_name(spec.export), TaskExport)
    for form in spec.forms.values():
        assert len(inspect.signature(resolve_name(form.reader)).parameters) == 2


@SPECS
def test_the_builder_is_there(spec: TaskSpec) -> None:
    pytest.importorskip("spacy", reason="needs mt-gate[suite]")
    assert len(inspect.signature(resolve_name(builder_api.TASK_BUILDERS[spec.id])).parameters) == 6


@SPECS
def test_exports_are_of_forms_that_the_task_has(spec: TaskSpec) -> None:
    export: TaskExport = resolve_name(spec.export)
    assert {head.form for head in export.heads} <= set(spec.forms)


@SPECS
def test_the_package_carries_what_a_record_names(spec: TaskSpec) -> None:
    assert spec.default_suite in shipped_suites()
    assert spec.demo is not None
    assert (spec.demo.suite or spec.default_suite) in shipped_suites()
    for checkpoint in spec.demo[:2]:
        assert (PACKAGE / "checkpoints" / checkpoint / "checkpoint.json").is_file()


def test_every_relation_is_of_a_task() -> None:
    named = {relation.id.partition("/")[0] for relation in RELATIONS}
    assert named == set(TASKS) - {text.ID}  # its suites state their relations


def test_names_are_listed_as_messages_say_them() -> None:
    assert listed() == "ner, boolq, re or text"
    assert listed(lambda spec: not spec.needs_ontology) == "ner, boolq or text"
    assert listed(lambda spec: spec.needs_ontology) == "re"


def test_a_process_keeps_the_record_of_a_known_task() -> None:
    assert named_in_table("mt_gate.tasks.ner:TASK") is ner.TASK
    assert list(TASKS) == ["ner", "boolq", "re", "text"]


@cache
def trees() -> dict[str, ast.Module]:
    """Return what is parsed of both packages, but for the tasks' own modules."""
    own = {
        spec.path.removeprefix("mt_gate.").replace(".", "/").replace(":TASK", ".py")
        for spec in TASKS.values()
    }
    files = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    files |= {path.relative_to(SUITES.parent).as_posix(): path for path in SUITES.rglob("*.py")}
    del files["mt_gate_suites/builder_api.py"]  # the table of the tasks' builders
    return {name: ast.parse(path.read_text()) for name, path in files.items() if name not in own}


def faults(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield what names a task in code, or compares tasks, with its line."""
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documentation:
            yield from ((name, node.lineno) for name in names_in(node.value))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mt_gate.tasks."):
            yield from ((alias.name, node.lineno) for alias in node.names if alias.name == "ID")
        elif isinstance(node, ast.Attribute) and node.attr == "ID":
            yield ast.unparse(node), node.lineno
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            kind = ast.unparse(node.args[1])
            if re.search(r"Reader\b|TokenClassification\b|Renderer\b", kind):
                yield f"isinstance(..., {kind})", node.lineno
        elif isinstance(node, ast.Compare):
            sides = [ast.unparse(side) for side in (node.left, *node.comparators)]
            yield from ((side, node.lineno) for side in sides if re.search(r"\bTASK\b", side))


def names_in(value: Any) -> list[str]:
    """Return the tasks that a text names, where it is a name or a list of names.

    "text" is a word of its own; it names the task among other names.
    """
    words = re.findall(r"[\w'-]+", value) if isinstance(value, str) else []
    result = [word for word in words if word in TASKS]
    others = {*result} - {text.ID}
    if not others:
        return []
    return result if len(result) == len(words) or len(others) >= len(TASKS) - 1 else []


def test_no_task_is_named_outside_its_own_module() -> None:
    actual = {
        (file, what, line)
        for file, tree in trees().items()
        for what, line in faults(tree)
        if (file, what) not in ALLOWED
    }
    assert not actual


def test_every_exception_is_needed() -> None:
    actual = {(file, what) for file, tree in trees().items() for what, _ in faults(tree)}
    assert set(ALLOWED) <= actual


@pytest.mark.parametrize("code", table(__file__, "names_of_tasks_are_detected"))
def test_names_of_tasks_are_detected(code: str) -> None:
    assert list(faults(ast.parse(code)))


@pytest.mark.parametrize("code", table(__file__, "what_names_none_is_let_pass"))
def test_what_names_none_is_let_pass(code: str) -> None:
    assert not list(faults(ast.parse(code)))
