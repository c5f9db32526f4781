"""A cache, or shards, that came with a pull request are refused: their answers would be believed.

What they hold is not computed again. Files that git has at the commit checked out are the
pull request's own, whether they lie there, a setting of it names their folder, or a link leads
to them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from mt_gate.base.errors import CannotJudge
from mt_gate.github.base_commit import Base
from mt_gate.github.git_objects import GitFailed, Repository, places

_ADVICE = (
    "name a folder without files of the repository, or remove them from git with git rm -r --cached"
)


def check_cache(environment: Mapping[str, str], folder: Path, base: Base | None) -> None:
    """Refuse a cache with files of the commit that is checked out, where the base is to judge.

    Args:
        environment: of a workflow's step: ``PATH``, ``HOME``.
        folder: the cache, relative to the working folder, or absolute; it need not be there.
        base: of what started the workflow, if it has one.

    Raises:
        CannotJudge: git has files there, or it cannot be told.
    """
    _check(f"cache {folder}", environment, folder, base)


def check_shards(environment: Mapping[str, str], folder: Path, base: Base | None) -> None:
    """Refuse shards with files of the commit that is checked out, where the base is to judge.

    Where the jobs that ask come to no end, nothing is fetched over what lies there.

    Args:
        environment: as ``check_cache`` takes it.
        folder: that holds the folders of the shards.
        base: of what started the workflow, if it has one.

    Raises:
        CannotJudge: git has files there, or it cannot be told.
    """
    _check(f"merge {folder}", environment, folder, base)


def _check(what: str, environment: Mapping[str, str], folder: Path, base: Base | None) -> None:
    if base is None or not base.judges:
        return
    try:
        committed = any(
            _committed(Repository(top, environment), place.relative_to(top))
            for place in places(folder)
            for top in _tops(place)
        )
    except GitFailed as failed:
        raise CannotJudge(
            f"{what}: unknown whether git has files there: {failed}; {_ADVICE}"
        ) from None
    if committed:
        raise CannotJudge(
            f"{what}: git has files there, which may have come with the pull request and "
            f"are not trusted; {_ADVICE}"
        )


def _committed(repository: Repository, path: Path) -> bool:
    return repository.holds(repository.head(), path)


def _tops(place: Path) -> Iterator[Path]:
    """Yield the repositories around a place, nested ones too."""
    return (top for top in (place, *place.parents) if os.path.lexists(top / ".git"))
