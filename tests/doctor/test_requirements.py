from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from mt_gate.doctor.requirements import Requirement, fits, parsed, requirements

RELEASES = st.lists(st.integers(0, 30), min_size=1, max_size=3).map(lambda n: ".".join(map(str, n)))


@given(RELEASES, RELEASES, RELEASES, st.sampled_from(["", "+cpu"]))
def test_versions_are_compared_as_pip_does(
    version: str, least: str, bound: str, local: str
) -> None:
    versions = f">={least},<{bound}"
    expected = Version(version + local) in SpecifierSet(versions)
    if Version(version) == Version(bound) and local:
        expected = False
    assert fits(version + local, versions) == expected


def test_lines_of_metadata() -> None:
    lines = [
        "click>=8.1",
        'onnxruntime-gpu>=1.31; extra == "gpu"',
        "spacy<4,>=3.8; extra == 'suite'",
        "name[with]>=1",
        "; nothing",
    ]
    assert parsed(lines) == [
        Requirement("click", ">=8.1", ""),
        Requirement("onnxruntime-gpu", ">=1.31", "gpu"),
        Requirement("spacy", "<4,>=3.8", "suite"),
        Requirement("name", ">=1", ""),
    ]


@given(st.lists(st.text()))
def test_no_line_makes_it_fail(lines: list[str]) -> None:
    assert len(parsed(lines)) <= len(lines)


def test_the_package_says_what_it_needs() -> None:
    found = requirements()
    assert found is not None
    assert {"", "cpu", "gpu", "export", "suite"} <= {item.extra for item in found}
