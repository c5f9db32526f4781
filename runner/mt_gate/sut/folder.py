"""The files of a checkpoint, each read once: what is fingerprinted is what is loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge

CAUSE = "export the checkpoint again with 'mt-gate export', or fix the file"


class CheckpointFolder:
    """A folder whose files are only ever read through it, and so are counted."""

    def __init__(self, path: Path, stated: Mapping[str, str] = MappingProxyType({})) -> None:
        """Look at nothing yet.

        Args:
            path: of the folder.
            stated: sha256, hex, that files of it must have, by name.
        """
        self.path = path
        self._stated = stated
        self._digests: dict[str, str] = {}

    @property
    def digests(self) -> Mapping[str, str]:
        """The sha256, hex, of every file that was read so far, by its name in the folder."""
        return dict(sorted(self._digests.items()))

    def read(self, name: str, *, limit: int, cause: str = CAUSE) -> bytes:
        """Return the bytes of a file, and count them.

        Args:
            name: of the file, from the folder on.
            limit: most bytes.
            cause: what to do, closing each message.

        Raises:
            CannotJudge: missing, a link out of the folder, no regular file, too large, not
                the file that is stated, or other bytes than when it was read before.
        """
        path = self.path / name
        data = files.read_whole(path, limit=limit, cause=cause, inside=self.path)
        self._keep(name, hashlib.sha256(data).hexdigest())
        return data

    def count(self, name: str, *, cause: str = CAUSE) -> None:
        """Count the bytes of a file that nothing reads.

        Raises:
            CannotJudge: as ``read``.
        """
        self._keep(name, files.digest(self.path / name, cause=cause, inside=self.path))

    def _keep(self, name: str, found: str) -> None:
        if self._stated.get(name, found) != found:
            raise CannotJudge(
                f"{self.path / name}: is not the file that checkpoint.json describes (sha256 "
                f"differs); {CAUSE}"
            )
        if self._digests.setdefault(name, found) != found:
            raise CannotJudge(
                f"{self.path / name}: changed while the checkpoint was read; run again when "
                "nothing writes there"
            )
