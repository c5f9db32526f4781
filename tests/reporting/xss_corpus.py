r"""Payloads of the known classes of cross-site scripting, each of which calls the same canary.

A template is plain text but for ``§``, the call ``__pwned(17)`` with the payload's own number,
``¤``, that number, and ``⟦how:text⟧``, text encoded (``_ENCODERS``). A class says in ``context``
where its payloads run when nothing escapes them: ``{}`` is the payload.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from cases import FOLDER

CANARY = "__pwned"


class Payload(NamedTuple):
    """A text that calls the canary with its number where it runs."""

    number: int
    kind: str
    text: str
    context: str


class Kind(NamedTuple):
    """A class of payloads, and where they run when nothing escapes them."""

    name: str
    context: str
    templates: tuple[str, ...]


def _entities(text: str) -> str:
    return "".join(f"&#{ord(character)};" for character in text)


def _deflated(text: str) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(text.encode()) + packer.flush()


_ENCODERS: dict[str, Callable[[str], str]] = {
    "dec": _entities,
    "hex": lambda text: "".join(f"&#x{ord(character):X};" for character in text),
    "bare": lambda text: "".join(f"&#{ord(character):07d}" for character in text),
    "twice": lambda text: _entities(text).replace("&", "&amp;"),
    "thrice": lambda text: _entities(text).replace("&", "&amp;amp;"),
    "js": lambda text: "".join(f"\\u{ord(character):04x}" for character in text),
    "x": lambda text: "".join(f"\\x{ord(character):02x}" for character in text),
    "pct": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "pct2": lambda text: quote(quote(text, safe=""), safe=""),
    "css": lambda text: "".join(f"\\{ord(character):06x}" for character in text),
    "b64": lambda text: base64.b64encode(text.encode()).decode(),
    "gz": lambda text: base64.b64encode(zlib.compress(text.encode(), wbits=31)).decode(),
    "zlib": lambda text: base64.b64encode(zlib.compress(text.encode())).decode(),
    "raw": lambda text: base64.b64encode(_deflated(text)).decode(),
    "wide": lambda text: "".join(chr(ord(character) + 0xFEE0) for character in text),
    "utf7": lambda text: f"+{base64.b64encode(text.encode('utf-16-be')).decode().rstrip('=')}-",
}
_CASES = json.loads((FOLDER / "reporting" / "xss.json").read_text("utf-8"))
_KINDS = tuple(
    Kind(kind["name"], kind["context"], tuple(kind["templates"])) for kind in _CASES["kinds"]
)
NAMES = tuple(_CASES["names"])
"""Texts that mislead a script that takes them for a key, an id, a pattern or an address."""
_ENCODED = re.compile(r"⟦(\w+):(.*?)⟧", re.DOTALL)


def written(template: str, number: int) -> str:
    plain = template.replace("§", f"{CANARY}({number})").replace("¤", str(number))
    return _ENCODED.sub(lambda match: _ENCODERS[match[1]](match[2]), plain)


def _payloads() -> Iterator[Payload]:
    numbered = enumerate((kind, text) for kind in _KINDS for text in kind.templates)
    for number, (kind, template) in numbered:
        yield Payload(number, kind.name, written(template, number), kind.context)


PAYLOADS = (*_payloads(),)
