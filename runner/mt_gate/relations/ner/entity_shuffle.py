"""Names of one type that change places keep their type.

Source: Yu et al., ESEC/FSE 2023 (TIN), random entity shuffle.
    source     Anna met Boris in Oslo.
    follow-up  Boris met Anna in Oslo.

Which words are names of one type is the system's own answer, so follow-ups
are built while it runs. There is no parser then: what the letters around a
name cannot show to be safe stays where it is.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from mt_gate.domain import Block, Entity
from mt_gate.relations.base import FollowUp, Input, MetamorphicRelation, Output
from mt_gate.relations.ner.same_entities import same_entities
from mt_gate.tasks import ner

MAX_FULL = 4
"""Up to this many names all permutations are taken (23 beside the source)."""
SAMPLED = 8
"""Permutations drawn for more names than that."""

_INNER_THE = re.compile(r"the\s+", re.IGNORECASE)
_BEFORE_THE = re.compile(r"\bthe\s$", re.IGNORECASE)
_BEFORE_A = re.compile(r"\ban?\s$", re.IGNORECASE)
_TITLE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Sir|Dame|Lord|Lady|King|Queen|Prince|Princess|Saint|St|Prof|Mme|Rev"
    r"|[Kk]ing|[Qq]ueen|[Pp]rince|[Pp]rincess|[Aa]ctress|[Aa]ctor|[Ww]ife|[Hh]usband)\.?\s$"
)
_WORD_BEFORE = re.compile(r"(\S+)\s$")
_LINK_BEFORE = re.compile(r"\b([^\W\d_a-z][\w.'’&-]*)\s(of|de|du|and|or|&|for|in|at)\s(?:the\s)?$")
_FUNCTION_WORDS = frozenset(
    "a about after against along although an and as at because before between both but by despite "
    "during following for from if in inside into like near of off on once onto or outside over "
    "since than that the then through to toward towards under unlike until upon via when where "
    "whereas which while with within without he she it they we i you".split()
)
_NAME_AFTER = re.compile(
    r"(?:\s(?:[^\W\d_a-z]|\d|(?:of|de|und|et)\s|&\s)|[-–/&@_]\w|['’](?!s\b)|[\"”)]|\.\w)"
)
_AND = re.compile(r",?\s(?:and|or)\s(?:the\s)?$|^,?\s(?:and|or)\s(?:the\s)?", re.IGNORECASE)
_COMMA = re.compile(r"^,\s(?:the\s)?$", re.IGNORECASE)


class Mention(NamedTuple):
    """A name that may move, without its article, and what its place demands."""

    start: int
    end: int
    place: tuple[str, ...]


def shuffle(source: Input, output: Output, rng: Random) -> tuple[FollowUp, ...]:
    """Return the follow-ups; empty where no two names can change places.

    Names move within one label and one kind of place: with or without "the",
    plural or not, city or country of a pair like "Dallas, Texas".

    Args:
        source: the sentence.
        output: predicted entities, sorted, disjoint.
        rng: draws the permutations where there are more than four names.
    """
    text: str = source["text"]
    found: list[FollowUp] = []
    seen = {text}
    for mentions in _classes(text, output):
        for order in _orders(len(mentions), rng):
            follow_up = _permuted(text, mentions, order)
            if follow_up.input["text"] not in seen:
                seen.add(follow_up.input["text"])
                found.append(follow_up)
    return tuple(found)


def _classes(text: str, output: Output) -> list[list[Mention]]:
    """Return the sets of mentions that may change places among themselves."""
    by_place: dict[tuple[str, ...], list[Mention]] = {}
    chains = _chain_roles(text, output)
    ends = frozenset(entity.end for entity in ner.entities(output))
    for entity in ner.entities(output):
        start = entity.start
        article = _INNER_THE.match(text, start, entity.end)
        if article:
            start = article.end()
        role = chains.get(entity.start, "")
        kind = _place(text, start, entity.end, ends)
        if kind is not None:
            mention = Mention(start, entity.end, (entity.label, kind, role))
            by_place.setdefault(mention.place, []).append(mention)
    return [mentions for mentions in by_place.values() if len(mentions) > 1]


def _place(text: str, start: int, end: int, ends: frozenset[int]) -> str | None:
    """Return what kind of place a name stands in; None where it must stay.

    It stays after "a" or "an" (whose form hangs on the sound that follows),
    after a title that tells the sex, inside a longer name ("University of
    Texas", "Texas Rangers", "anti-Paris"), and where it ends in a full stop
    that may be the sentence's.
    """
    name, before, after = text[start:end], text[:start], text[end:]
    if not name[:1].isupper() or not name[-1:].isalnum():
        return None
    if _BEFORE_A.search(before) or _TITLE.search(before) or _NAME_AFTER.match(after):
        return None
    if before and _inside_a_name(before, ends):
        return None
    if not _BEFORE_THE.search(before):
        return "bare"
    plural = name.endswith("s") and not name.endswith(("ss", "us", "is"))
    return "the, plural" if plural else "the"


def _inside_a_name(before: str, ends: frozenset[int]) -> bool:
    """Tell whether what stands before may belong to a longer name, or to a number."""
    word = _WORD_BEFORE.search(before)
    if word is None:
        return True
    last = word.group(1)
    if last.lower() not in _FUNCTION_WORDS and not last[0].islower() and last[-1] not in ",;:":
        return True
    link = _LINK_BEFORE.search(before)
    if link is None or link.group(1).lower() in _FUNCTION_WORDS:
        return False
    return link.group(2) not in ("and", "or") or link.end(1) not in ends


def _chain_roles(text: str, output: Output) -> dict[int, str]:
    """Return the role of names in chains that commas join, by their start.

    "Dallas, Texas" is a place within a place: neither may take the other's
    role. "Paris, London and Rome" is a list: all roles are alike.
    """
    roles: dict[int, str] = {}
    entities = ner.entities(output)
    chain = list(entities[:1])
    for left, right in itertools.pairwise(entities):
        gap = text[left.end : right.start]
        if left.label == right.label and (_COMMA.match(gap) or _AND.fullmatch(gap)):
            chain.append(right)
            continue
        roles.update(_roles(text, chain))
        chain = [right]
    roles.update(_roles(text, chain))
    return roles


def _roles(text: str, chain: Sequence[Entity]) -> dict[int, str]:
    gaps = [text[left.end : right.start] for left, right in itertools.pairwise(chain)]
    commas = [bool(_COMMA.match(gap)) for gap in gaps]
    is_list = len(chain) > 2 and not commas[-1] and all(commas[:-1])
    if is_list or not any(commas):
        return {}
    roles = {}
    for at, entity in enumerate(chain):
        outer = at > 0 and commas[at - 1]
        inner = at < len(commas) and commas[at]
        roles[entity.start] = f"{'outer' if outer else ''}{'inner' if inner else ''}"
        if outer and inner:
            roles[entity.start] += str(entity.start)
    return roles


def _orders(size: int, rng: Random) -> Iterator[tuple[int, ...]]:
    """Yield permutations other than the identity; ``order[i]`` moves to place i."""
    identity = tuple(range(size))
    if size <= MAX_FULL:
        yield from (order for order in itertools.permutations(identity) if order != identity)
        return
    drawn = {identity}
    while len(drawn) <= min(SAMPLED, math.factorial(size) - 1):
        order = tuple(rng.sample(identity, size))
        if order not in drawn:
            drawn.add(order)
            yield order


def _permuted(text: str, mentions: Sequence[Mention], order: Sequence[int]) -> FollowUp:
    pieces: list[str] = []
    blocks: list[Block] = []
    length = 0

    def keep(start: int, end: int) -> None:
        nonlocal length
        if end > start:
            blocks.append(Block(start, length, end - start))
            pieces.append(text[start:end])
            length += end - start

    at = 0
    for place, taken in zip(mentions, order, strict=True):
        keep(at, place.start)
        keep(mentions[taken].start, mentions[taken].end)
        at = place.end
    keep(at, len(text))
    return FollowUp({"text": "".join(pieces)}, tuple(sorted(blocks)))


RELATION = MetamorphicRelation(
    id="ner/entity-shuffle",
    title="Names change places",
    description=(
        "Names that the system gave one label change places. Each keeps its label wherever it "
        "stands, and all else is found as before."
    ),
    paper="Yu et al., ESEC/FSE 2023 (TIN), random entity shuffle",
    before="Anna met Boris in Oslo.",
    after="Boris met Anna in Oslo.",
    holds=same_entities,
    bind=shuffle,
)
