"""Zip archives as artifacts are, and as they should not be."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping


def packed(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive of members by name, whatever the name."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo("placeholder")
            member.filename = name  # after the constructor, which would mend it
            member.compress_type = method
            archive.writestr(member, content)
    return data.getvalue()
