from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from mt_gate.doctor.requirements import Requirement, fits, parsed, requirements


@pytest.mark.parametrize(
    ("version", "versions", "fitting"),
    [
        ("2.13.0+cpu", ">=2.6", True),
        ("2.6.0rc1", ">=2.5", True),  # what is installed is asked for, whatever its stage
        ("4.0", ">=3.8,<4", False),
        ("3.8.18", ">=3.8,<4", True),
        ("3.7", ">=3.8", False),
        ("as the maker calls it", ">=1", True),
    ],
)
def test_versions_are_compared_as_pip_does(version: str, versions: str, fitting: bool) -> None:
    assert fits(version, SpecifierSet(versions)) == fitting


def test_lines_of_metadata() -> None:
    lines = [
        "click>=8.1",
        'onnxruntime-gpu>=1.31; extra == "gpu"',
        "spacy<4,>=3.8; extra == 'suite'",
        "name[with]>=1",
        "elsewhere; sys_platform == 'nowhere' and extra == 'suite'",
        "; nothing",
    ]
    assert parsed(lines, ["gpu", "suite"]) == [
        Requirement("click", SpecifierSet(">=8.1"), ""),
        Requirement("onnxruntime-gpu", SpecifierSet(">=1.31"), "gpu"),
        Requirement("spacy", SpecifierSet("<4,>=3.8"), "suite"),
        Requirement("name", SpecifierSet(">=1"), ""),
    ]


@given(st.lists(st.text()))
def test_no_line_makes_it_fail(lines: list[str]) -> None:
    assert len(parsed(lines, [])) <= len(lines)


def test_the_package_says_what_it_needs() -> None:
    found = requirements()
    assert found is not None
    assert {"", "cpu", "gpu", "export", "suite"} <= {item.extra for item in found}
