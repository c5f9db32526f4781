"""The files of a shard: ``shard.json``, and ``answers.jsonl.gz``, whose digest it stores.

The digests detect accidents, not forgery: anybody who can write both files can write a whole run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from mt_gate.base.errors import CannotJudge, page, reported
from mt_gate.base.jsonio import (
    HIDDEN_WORD,
    QUICK,
    Bounds,
    canonical,
    decode_json,
    hidden_and_read,
    read_bytes,
    read_gzip_lines,
    readable,
    replacing,
    write_gzip_lines,
    write_whole,
)
from mt_gate.base.redaction import hide_bytes, hide_lines, watching
from mt_gate.ontologies.checking import faults
from mt_gate.ontologies.ontology import Ontology
from mt_gate.relations.stated import MAX_LABELS
from mt_gate.results.out_folder import ANSWERS, SHARD
from mt_gate.results.result import CheckpointHead, Digest, Name, Positive, SuiteHead, Tool
from mt_gate.results.store import RESULT
from mt_gate.running.predicting import packed_text, unpacked
from mt_gate.sharding.splitting import MOST, Part
from mt_gate.suites.format import DataFile
from mt_gate.sut.protocol import Prediction

FORMAT = 1
CAUSE = "Run the shard again."
_MAX_HEAD = 8 << 20


class Shard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``shard.json``: what was run, and how many predictions are next to it.

    ``run_settings`` are the settings that affect predictions and how they are read, without
    defaults. ``suite_named`` and ``labels_named`` are the paths of the suite and of the labelled
    inputs. ``labels_sha256`` is empty without labelled inputs. ``system_sha256`` is the digest of
    ``--system``, whose text may be private. Relations use ``ontology``, ``reads_types`` and
    ``labels``. ``noise`` is measured over the sources of the whole run. ``options`` are those of
    ``Result``, and ``digest`` is the sha256 of all other fields.
    """

    format: int
    tool: Tool
    shard: Annotated[int, Meta(ge=1, le=MOST)]
    shards: Annotated[int, Meta(ge=1, le=MOST)]
    suite: SuiteHead
    checkpoint: CheckpointHead
    run_settings: Annotated[Mapping[Name, Any], Meta(max_length=100)]
    suite_named: Name
    system_sha256: str = ""
    labels_named: Name = ""
    labels_sha256: str = ""
    noise: Annotated[Mapping[Name, Positive], Meta(max_length=20)] = {}
    ontology: Ontology | None = None
    reads_types: bool = True
    labels: Annotated[tuple[Name, ...], Meta(max_length=MAX_LABELS)] = ()
    options: Annotated[Mapping[Name, Name], Meta(max_length=20)] = {}
    answers: DataFile
    digest: Digest | None = None

    @property
    def part(self) -> Part:
        """The number of the shard, and of all shards."""
        return Part(self.shard, self.shards)


class Answer(NamedTuple):
    """A packed prediction for the input with this ``key``; not ``is_predicted``: from the cache."""

    key: bytes
    is_predicted: bool
    packed: bytes


_Line = tuple[Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")], bool, msgspec.Raw]
_LINES = msgspec.json.Decoder(_Line)


def write_shard(
    folder: Path, shard: Shard, answers: Iterable[tuple[bytes, bool, Prediction]]
) -> Shard:
    """Write a shard's files, ``shard.json`` last. Equal predictions give equal bytes."""
    lines = [
        msgspec.json.encode([key.hex(), is_predicted, msgspec.Raw(packed_text(answer))])
        for key, is_predicted, answer in sorted(answers, key=lambda one: one[0])
    ]
    if watching() and [*hide_lines(lines)] != lines:
        raise CannotJudge(
            "A prediction has the value of a secret of the environment. mt-gate never writes "
            "secrets, so it could not judge that prediction later. Run without shards, or rename "
            f"the variable so that it does not look like a secret: {page('action', 'secrets')}"
        )
    run_settings = canonical(shard.run_settings)
    if hide_bytes(run_settings) != run_settings:  # a merge compares them with its own
        raise CannotJudge(HIDDEN_WORD)
    with replacing(folder / ANSWERS) as temporary:
        digest = write_gzip_lines(temporary, lines, QUICK)
    shard = msgspec.structs.replace(shard, answers=DataFile(lines=len(lines), sha256=digest))
    read = hidden_and_read(readable(shard), Shard)
    if (read.suite, read.answers, read.part) != (shard.suite, shard.answers, shard.part):
        raise CannotJudge(HIDDEN_WORD)
    complete = msgspec.structs.replace(read, digest=_digest(read))
    write_whole(folder / SHARD, readable(complete))
    return complete


def read_shard(folder: Path) -> Shard:
    """Read the ``shard.json`` in a folder."""
    path = folder / SHARD
    if not path.is_file():
        seen = "does not exist" if not folder.is_dir() else f"has no {SHARD}"
        if (folder / RESULT).is_file():
            seen = f"is the folder of a whole run, with {RESULT}"
        raise CannotJudge(f"{folder} {seen}. Pass the --out folders of finished --shard runs.")
    data = read_bytes(path, limit=_MAX_HEAD, cause=CAUSE)
    format_number = decode_json(data, dict[str, Any], path=path, cause=CAUSE).get("format")
    if format_number != FORMAT or isinstance(format_number, bool):
        shown = (
            format_number
            if isinstance(format_number, int) and 0 <= format_number <= 10**6
            else "unknown"
        )
        newer = isinstance(shown, int) and shown > FORMAT
        advice = "Use a newer mt-gate." if newer else CAUSE
        raise CannotJudge(f"{path} has shard format {shown}, this release reads {FORMAT}. {advice}")
    shard = decode_json(data, Shard, path=path, cause=CAUSE)
    if shard.digest != _digest(shard):
        raise CannotJudge(f"{path} was changed after it was written. {CAUSE}")
    if shard.shard > shard.shards:
        raise CannotJudge(f"{path}: there is no shard {shard.part}. {CAUSE}")
    if shard.ontology is not None and (fault := next(faults(shard.ontology), None)):
        raise CannotJudge(f"{path}: ontology: {fault}. {CAUSE}")
    return shard


def read_answers(folder: Path, shard: Shard) -> Iterator[Answer]:
    """Yield the predictions of a shard; their digest is checked after the last one."""
    path = folder / ANSWERS
    bounds = Bounds(exact=shard.answers.lines)
    lines = read_gzip_lines(path, digest=shard.answers.sha256, cause=CAUSE, bounds=bounds)
    for line in lines:
        try:
            key, is_predicted, packed = _LINES.decode(line)
            unpacked(bytes(packed))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CannotJudge(
                f"{path}: a prediction is invalid: {reported(error)}. {CAUSE}"
            ) from None
        yield Answer(bytes.fromhex(key), is_predicted, bytes(packed))


def _digest(shard: Shard) -> str:
    return hashlib.sha256(canonical(msgspec.structs.replace(shard, digest=None))).hexdigest()
