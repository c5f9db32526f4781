"""Which tags a release moves."""

from __future__ import annotations

import pytest

from cases import table
from releasing import scripts

moving_tags = scripts.load("moving_tags")
TAGS = """\
0123\trefs/tags/release/v1.9.0
0123\trefs/tags/v0.9.0
0123\trefs/tags/v1
0123\trefs/tags/v1.2.9
0123\trefs/tags/v1.10.0
0123\trefs/tags/v1.10.0^{}
0123\trefs/tags/v2.0.0
0123\trefs/tags/v3.0.0rc1
0123\trefs/tags/vendor/v7
"""


@pytest.mark.parametrize(("version", "major", "latest"), table(__file__, "newest"))
def test_only_what_is_newest_moves_a_tag(version: str, major: str, latest: str) -> None:
    done = scripts.run(scripts.CI / "moving_tags.py", version, text=TAGS)
    assert done.stdout == f"major={major}\nlatest={latest}\n"


def test_the_first_release() -> None:
    assert moving_tags.moving((1, 0, 0), set()) == ("v1", True)
    assert moving_tags.moving((0, 1, 0), set()) == ("", True)


@pytest.mark.parametrize("version", ["1.2", "1.2.3rc1", "v1.2.3", "1.02.3", "1.2.3\n", ""])
def test_what_is_no_version_of_a_release(version: str) -> None:
    done = scripts.run(scripts.CI / "moving_tags.py", version)
    assert (done.returncode, done.stdout) == (2, "")
    assert "expected X.Y.Z" in done.stderr
