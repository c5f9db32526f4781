"""What a fork's workflow packs: an archive as it comes, and one that is built as it is told."""

from __future__ import annotations

import gzip
import json
import struct
import warnings
import zipfile
from io import BytesIO
from typing import Any

from fuzz.of_runs import FORMATS
from fuzz.target import ROOT, Target, scratch
from mt_gate.github.pull_requests.artifact import unpack
from mt_gate.results.store import GROUPS, RESULT

MOST = 1 << 16
"""Bytes of a member that is built."""
MEMBERS = 70


def _archive(data: bytes) -> None:
    unpack(data, scratch())


def _built(data: bytes) -> None:
    """Read an archive of the members that the input lists; what lists none is no archive."""
    try:
        members = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(members, list):
        _archive(_packed(members[:MEMBERS]))


def _packed(members: list[Any]) -> bytes:
    """Return an archive; of a member that zipfile does not write, nothing stands in it."""
    whole = BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(whole, "w") as archive:
        for member in members:
            if isinstance(member, dict):
                _add(archive, member)
    return whole.getvalue()


def _add(archive: zipfile.ZipFile, member: dict[str, Any]) -> None:
    try:
        info = zipfile.ZipInfo(str(member.get("name", RESULT)))
        info.external_attr = (int(member.get("mode", 0)) & 0xFFFF) << 16
        info.compress_type = int(member.get("method", 0))
        text = str(member.get("text", ""))
        text = (text * min(int(member.get("times", 1)), MOST // max(len(text), 1)))[:MOST]
        data = text.encode("utf-8", "replace")
        archive.writestr(info, gzip.compress(data, 1) if member.get("packed") else data)
    except (ValueError, TypeError, OverflowError, NotImplementedError, struct.error):
        return


def _archives() -> dict[str, bytes]:
    found = {}
    for method, name in ((zipfile.ZIP_STORED, "stored"), (zipfile.ZIP_DEFLATED, "packed")):
        whole = BytesIO()
        with zipfile.ZipFile(whole, "w", method) as archive:
            for file in (RESULT, GROUPS):
                archive.write(ROOT / FORMATS / "result" / "1" / file, f"out/{file}")
        found[name] = whole.getvalue()
    return found


def _lists() -> dict[str, bytes]:
    result = {"name": f"out/{RESULT}", "text": "{}", "mode": 0o100644, "method": 8, "times": 1}
    groups = {**result, "name": f"out/{GROUPS}", "packed": True, "times": 3}
    return {"two": json.dumps([result, groups]).encode()}


TARGETS = {
    "artifact": Target(_archive, _archives),
    "artifact-built": Target(_built, _lists),
}
