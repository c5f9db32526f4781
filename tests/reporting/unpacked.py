"""What a report's packed data hold, read back in Python for the tests."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any


def unpack(packed: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(packed, validate=True), -zlib.MAX_WBITS))


def block(page: str, name: str) -> Any:
    pattern = f'<script type="application/octet-stream" id="{name}">([^<]*)</script>'
    result = re.findall(pattern, page)
    assert len(result) == 1, (name, len(result))
    return unpack(result[0])


def index(page: str) -> Any:
    return block(page, "index")


def groups(page: str) -> list[str]:
    number = len(index(page)["chunks"])
    return [group for n in range(number) for group in block(page, f"chunk-{n}")]
