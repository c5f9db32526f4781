"""Every module of building has its test file, and every test file its module."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1] / "runner" / "mt_gate" / "building"
WORD_LISTS = {
    Path("re", f"test_{name}.py")
    for name in ("cities", "demonyms", "given_names", "nations", "place_names")
}
"""Names alone: tested where they are read."""


def test_tests_mirror_the_modules() -> None:
    modules = {
        path.relative_to(PACKAGE).with_name(f"test_{path.name}")
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py"
    }
    tests = {path.relative_to(HERE) for path in HERE.rglob("test_*.py")}
    assert sorted(modules - tests - WORD_LISTS) == [], "modules without a test of their own"
    assert sorted(tests - modules - {Path("test_completeness.py")}) == [], "tests of no module"
    assert sorted(WORD_LISTS - modules) == [], "excused, and there no more"
