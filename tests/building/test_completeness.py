"""Every module of building has its test file, and every test file its module."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1] / "runner" / "mt_gate" / "building"


def test_tests_mirror_the_modules() -> None:
    modules = {
        path.relative_to(PACKAGE).with_name(f"test_{path.name}")
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py"
    }
    tests = {path.relative_to(HERE) for path in HERE.rglob("test_*.py")}
    assert sorted(modules - tests) == [], "modules without a test of their own"
    assert sorted(tests - modules - {Path("test_completeness.py")}) == [], "tests of no module"
