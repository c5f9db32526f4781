"""README, relations and code agree."""

from __future__ import annotations

import re
from pathlib import Path

from command_line import every_command
from mt_gate.base import errors
from mt_gate.relations import catalogue
from mt_gate.results.result import GateVerdict

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_every_relation_has_tests_of_its_own() -> None:
    """By its name, in the tests of relations or of what builds them, or in their tables."""
    folders = ("relations", "suites_building", "cases")
    files = [path for name in folders for path in (ROOT / "tests" / name).rglob("*.*")]
    texts = "".join(f"{path.stem} {path.read_text()}" for path in files if path.suffix != ".pyc")
    for relation in (relation for relation in catalogue.RELATIONS if not relation.parts):
        assert relation.id.partition("/")[2] in texts.replace("_", "-"), relation.id


def test_every_verdict_and_exit_code_is_explained() -> None:
    for verdict in GateVerdict:
        assert f"`{verdict.value}`" in README
    for code in (errors.USAGE, errors.CANNOT_JUDGE, errors.INTERNAL):
        assert re.search(rf"\b{code}\b", README)


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 900


def test_flags_in_the_readme_and_docs_exist() -> None:
    texts = [README, *(path.read_text() for path in (ROOT / "docs").glob("*.md"))]
    flags = {
        option
        for _, command in every_command()
        for item in command.params
        for option in (*item.opts, *item.secondary_opts)
    }
    others = {"--help", "--gpus", "--build-arg"}  # Docker's, in prose
    others |= {"--upgrade", "--trusted"}  # of .ci/lock, of the adapter for Flair
    others |= {"--dist", "--mt-gate-update-baseline"}  # of pytest
    others |= {"--revision", "--local-dir", "--include", "--recursive"}  # of downloads
    others |= {"--artifact-uri", "--dst-path", "--root"}
    scripts = (ROOT / name for name in ("benchmarks", ".ci", "tests/fuzz"))
    for script in (path for folder in scripts for path in folder.rglob("*.py")):
        others |= set(
            re.findall(r"(?:add_argument|click\.option)\(\s*\"(--[a-z-]+)", script.read_text())
        )
    programs = "(?:time )?(?:gh|cosign|docker|podman|pip|pip-audit|pipx|ray|#SBATCH|sbatch)"
    of_others = rf"(?m)(?:^|`){programs} (?:[^`\n\\]|\\\n)*"
    for text in (re.sub(of_others, "", text) for text in texts):
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", text)) <= flags | others
