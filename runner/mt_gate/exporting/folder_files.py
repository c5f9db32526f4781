"""The files of a Hugging Face folder that tell what the checkpoint answers.

These are fingerprinted, and an export reads copies of these and of nothing else: a file that is
not counted cannot change an answer, whatever a library would look for.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.relation_forms import ENTITIES, INPUT_FORM

CONFIG = "config.json"
COUNTED = (
    "*.safetensors",
    "*.safetensors.index.json",
    CONFIG,
    "tokenizer*.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab*",
    "merges.txt",
    "*.model",
    INPUT_FORM,
    ENTITIES,
    "ontology*.json",
)
MOST_FILES, MOST_BYTES = 1_000, 8 << 30
"""In a folder. PyTorch's exporter takes no more than 2 GiB in fp32."""
_PIECE = 1 << 20
_CAUSE = "expected a Hugging Face checkpoint saved with save_pretrained()"


def counted(path: Path, *more: str) -> tuple[str, ...]:
    """Return the names of the files that count, sorted; ``more`` are names of others that do.

    Raises:
        CannotJudge: too many.
    """
    found = {file.name for pattern in COUNTED for file in path.glob(pattern)}
    if len(found) > MOST_FILES:
        raise CannotJudge(
            f"{path}: {len(found)} files of a checkpoint, at most {MOST_FILES} expected; {_CAUSE}"
        )
    return tuple(sorted(found | set(more)))


def fingerprint(path: Path, names: Iterable[str], into: Path | None = None) -> str:
    """Return the fingerprint of a folder's files.

    Args:
        path: of the folder.
        names: of the files that count.
        into: a folder to write what is hashed to, byte for byte; None for none.

    Raises:
        CannotJudge: a file that is no regular one of the folder, or too many bytes.
    """
    digest = hashlib.sha256()
    for name, found in _digests(path, names, into).items():
        digest.update(f"{name}\0{found}\n".encode(errors="surrogateescape"))
    return f"sha256:{digest.hexdigest()}"


def _digests(path: Path, names: Iterable[str], into: Path | None) -> Mapping[str, str]:
    found, left = {}, MOST_BYTES
    for name in names:
        with (
            files.opened(path / name, cause=_CAUSE, inside=path) as file,
            contextlib.nullcontext() if into is None else (into / name).open("xb") as copy,
        ):
            left -= os.fstat(file.fileno()).st_size
            if left < 0:
                raise CannotJudge(
                    f"{path}: more than {MOST_BYTES >> 30} GiB of weights and vocabulary, which "
                    f"cannot be exported; {_CAUSE}"
                )
            found[name] = _digest(path / name, file, copy)
    return found


def _digest(path: Path, file: IO[bytes], copy: IO[bytes] | None) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(path, file):
        digest.update(piece)
        if copy is not None:
            copy.write(piece)
    return digest.hexdigest()


def _pieces(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    for _ in range(MOST_BYTES // _PIECE + 1):
        try:
            piece = file.read(_PIECE)
        except OSError as error:
            raise CannotJudge(f"{path}: cannot be read ({error.strerror}); {_CAUSE}") from None
        if not piece:
            return
        yield piece
