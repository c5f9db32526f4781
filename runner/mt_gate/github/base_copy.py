"""A copy of a base commit's files, for the program that a pull request is compared with."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.github.git_objects import GitFailed, Repository

_LINK, _SUBMODULE, _PROGRAM = b"120000", b"160000", b"100755"
_NO_NAMES = frozenset({"", ".", "..", ".git"})
"""Names that no checkout has, so that none can lead out of the copy."""
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/\S+\n(?:.*\n)*?oid sha256:(\w{64})\n"
)
_MOST_POINTER = 1024
_ENDS = r"\s:;,='\"&|<>()"
"""Characters that no path in an argument or a variable's value is taken to have."""


class Copy(NamedTuple):
    """A ``checkout``, the ``folder`` with the base's files, and the ``commit`` as notes name it.

    ``tracks`` says whether git has a path of the checkout, at the base or in the checkout.
    """

    checkout: Path
    folder: Path
    commit: str
    tracks: Callable[[Path], bool]

    def working_folder(self) -> Path:
        """Return what the working folder is in the copy; a ``CannotJudge`` if the base has none."""
        inside = Path.cwd().relative_to(self.checkout)
        if not (self.folder / inside).is_dir():
            raise CannotJudge(
                f"against: base commit {self.commit} has no folder {inside}, in which its command "
                "would run; run the step in a folder that the base has"
            )
        return self.folder / inside

    def moved(self, text: str) -> str:
        """Return an argument or a variable's value with paths into the checkout led to the copy.

        Paths that git does not have, such as a virtual environment, stay the checkout's: a step
        of the workflow made them. A path into the checkout that a shell would make of it is a
        ``CannotJudge``.
        """
        is_here = text and not text.startswith("/") and os.path.lexists(text)
        if is_here and not self.tracks(Path(text)):
            return str(Path.cwd() / text)
        root = re.escape(str(self.checkout))
        paths = re.compile(rf"(?:{root}(?=[/{_ENDS}]|$)|/)[^{_ENDS}]*")
        spelt = os.path.expandvars(re.sub(r"(?<![\w/])~(?=/|$)", os.path.expanduser("~"), text))
        if spelt != text and paths.sub(self._moved, spelt) != spelt:
            raise CannotJudge(
                f"against: {quoted(text)} names a file of the checkout, which may be the pull "
                "request's; name it from the working folder on, without ~ and variables"
            )
        return paths.sub(self._moved, text)

    def _moved(self, match: re.Match[str]) -> str:
        checkout = os.path.realpath(self.checkout)
        for path in (os.path.normpath(match[0]), os.path.realpath(match[0])):
            for root in (self.checkout, Path(checkout)):
                if Path(path).is_relative_to(root) and self.tracks(Path(path)):
                    return str(self.folder / Path(path).relative_to(root))
        return match[0]


def export(repository: Repository, checkout: Path, commit: str, folder: Path) -> None:
    """Write the files of a commit into an empty folder, byte for byte, without git's filters.

    Submodules are left out. A file in Git LFS is copied from the checkout where it is the same
    there, and left out otherwise: a program would take its pointer for the file. A name that no
    checkout can have is a ``GitFailed``.
    """
    listed = [one for one in repository.listing(commit) if one.mode != _SUBMODULE]
    with closing(repository.blobs([one.name for one in listed])) as contents:
        for one, pieces in zip(listed, contents, strict=True):
            if not _NO_NAMES.isdisjoint(one.path.split("/")):
                raise GitFailed(f"commit {commit[:12]} has a file that no checkout can have")
            place = folder / one.path
            place.parent.mkdir(parents=True, exist_ok=True)
            if one.mode == _LINK:
                target = Path(os.fsdecode(b"".join(pieces)))
                if not target.is_relative_to(checkout):  # there lie the pull request's files
                    place.symlink_to(target)
            else:
                place.touch(0o755 if one.mode == _PROGRAM else 0o644)
                _write(place, pieces, checkout / one.path, checkout)


def _write(place: Path, pieces: Iterator[bytes], own: Path, checkout: Path) -> None:
    with place.open("wb") as file:
        first = next(pieces, b"")
        file.write(first)
        file.writelines(pieces)
    pointer = _POINTER.match(first[:_MOST_POINTER])
    if pointer is None:
        return
    with suppress(CannotJudge):  # it is not there, or leads out of the checkout
        if files.digest(own, cause="", inside=checkout) == pointer[1].decode():
            shutil.copyfile(own, place)
            return
    place.unlink()
