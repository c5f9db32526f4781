"""What a release says of itself comes from the changelog, and only of a release that is there."""

from __future__ import annotations

import pytest

import mt_gate
from releasing import scripts

release_notes = scripts.load("release_notes")
CHANGELOG = """# Changelog

## Unreleased

### Added

- Later.

## 1.2.0 - 2026-01-31

### Fixed

- Then.

## 1.1.0 - 2026-01-01

## 1.0.0

- No date.
"""


def test_the_version_is_the_package_s() -> None:
    assert release_notes.version() == mt_gate.__version__


def test_a_section() -> None:
    assert release_notes.notes(CHANGELOG, "1.2.0") == "### Fixed\n\n- Then.\n"


@pytest.mark.parametrize("version", ["1.1.0", "1.0.0", "1.2", "1x2.0", "Unreleased", ""])
def test_no_section(version: str) -> None:
    with pytest.raises(ValueError, match=r"CHANGELOG\.md: no section"):
        release_notes.notes(CHANGELOG, version)
