from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from website.making import make_site, needs_sphinx

if TYPE_CHECKING:
    from speeds import Made


@pytest.fixture(scope="session")
def site(made_once: Made) -> Path:
    """The folder of all versions, with ``main`` in it; nobody changes it."""
    needs_sphinx()
    return made_once(make_site) / "out"
