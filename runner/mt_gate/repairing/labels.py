"""Sentences labelled by people, to hold a repair against.

JSON lines, plain or gzipped: ``tokens`` with ``tags`` (BIO and its kin), or
``text`` with ``entities`` as ``[start, end, label]``. Tokens are put together
as suites put them together, so that their sentences are found again; those of
unclear spacing are left out, as they are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from mt_gate.building.detokenise import detokenise, token_spans
from mt_gate.domain import Entity
from mt_gate.errors import CannotJudge
from mt_gate.jsonio import read_bytes, read_gzip_lines
from mt_gate.relations.ner.mentions import Span, core
from mt_gate.tasks.tag_scheme import OUTSIDE, TagScheme, entities_of, read_tag_scheme

MAX_LABELS = 256 << 20
"""Bytes of a file that is not packed."""
_CAUSE = (
    "expected JSON lines with 'tokens' and 'tags', or 'text' and 'entities'; mend the file of "
    "--labels"
)

Gold = Mapping[Span, str]
"""The entities of a sentence by span, without articles and full stops."""


class _Line(msgspec.Struct):
    tokens: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    text: str | None = None
    entities: tuple[tuple[int, int, str], ...] | None = None


class _Sentence(NamedTuple):
    text: str
    entities: tuple[Entity, ...]


def read_labels(path: Path) -> dict[str, Gold]:
    """Return the labelled sentences by text; one that is labelled in two ways is left out.

    Raises:
        CannotJudge: missing, too large, or a line that is not of either form.
    """
    lines = [*_decoded(path)]
    tags = {tag for line in lines for tag in line.tags or ()} - {OUTSIDE}
    scheme_tags = (OUTSIDE, *sorted(tags))
    scheme = _scheme(path, scheme_tags) if tags else None
    ids = {tag: index for index, tag in enumerate(scheme_tags)}
    found: dict[str, Gold | None] = {}
    for line in lines:
        sentence = _sentence(line, scheme, ids)
        if sentence is None:
            continue
        gold = _gold(sentence)
        known = found.setdefault(sentence.text, gold)
        found[sentence.text] = gold if known == gold else None
    return {text: gold for text, gold in found.items() if gold is not None}


def _gold(sentence: _Sentence) -> Gold:
    cores = [core(sentence.text, entity) for entity in sentence.entities]
    return {(found.start, found.end): found.label for found in cores}


def _scheme(path: Path, tags: tuple[str, ...]) -> TagScheme:
    try:
        return read_tag_scheme(tags, where=str(path))
    except CannotJudge:
        raise CannotJudge(
            f"{path}: tags are {', '.join(tags[:6])[:200]}; expected one scheme throughout, "
            "such as B-X, I-X and O; mend the file of --labels"
        ) from None


def _lines(path: Path) -> Iterable[bytes]:
    if path.suffix == ".gz":
        return read_gzip_lines(path, cause=_CAUSE)
    return read_bytes(path, limit=MAX_LABELS, cause=_CAUSE).split(b"\n")


def _decoded(path: Path) -> Iterator[_Line]:
    decoder = msgspec.json.Decoder(_Line)
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            decoded = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CannotJudge(f"{path}: line {number}: {error}; {_CAUSE}") from None
        fault = _fault(decoded)
        if fault:
            raise CannotJudge(f"{path}: line {number}: {fault}; {_CAUSE}")
        yield decoded


def _fault(line: _Line) -> str:
    """Return what is wrong with a line, empty where nothing is."""
    if line.tokens is not None and line.tags is not None:
        tokens, tags = len(line.tokens), len(line.tags)
        return "" if tokens == tags else f"{tokens} tokens and {tags} tags"
    if line.text is None or line.entities is None:
        return "neither form"
    length = len(line.text)
    outside = [(a, b) for a, b, _ in line.entities if not 0 <= a < b <= length]
    return f"an entity at {outside[0]} of {length} characters" if outside else ""


def _sentence(line: _Line, scheme: TagScheme | None, ids: Mapping[str, int]) -> _Sentence | None:
    """Return a line's sentence; None where its spacing is unclear."""
    if line.tokens is None or line.tags is None:
        return _Sentence(line.text or "", tuple(Entity(*item) for item in line.entities or ()))
    text = detokenise(line.tokens)
    spans = token_spans(line.tokens, text) if text else None
    if not text or spans is None:
        return None
    found = entities_of(scheme, [ids[tag] for tag in line.tags]) if scheme else []
    entities = (Entity(spans[first][0], spans[last - 1][1], label) for first, last, label in found)
    return _Sentence(text, tuple(entity for entity in entities if entity.start < entity.end))
