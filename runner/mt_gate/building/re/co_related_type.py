"""Builds follow-ups of ``re/co-related-type``: the same meaning under another type.

    before   [Jupp], [46] (NUMBER), works in the lab.
    after    [Jupp], [46 years old] (DURATION), works in the lab.

Source: Sun et al., Algorithms 2023, MR-R3. Two strata: ``words``, where the
argument is said otherwise, and ``type``, where the text stays and only the type
that the input gives an argument is another that a reader grants.
"""

from __future__ import annotations

import re

from mt_gate.building.re import co_related_ages, co_related_countries
from mt_gate.building.re.geography import kind_of
from mt_gate.building.re.sample import HEAD, TAIL, Change, Sample
from mt_gate.domain import Block
from mt_gate.tasks.relation_extraction import Argument

_PLACES = frozenset({"CITY", "STATE_OR_PROVINCE", "COUNTRY"})
_WHERE = frozenset(
    "in at near from to into around across through outside within throughout toward towards inside "
    "between north south east west northern southern eastern western central".split()
)
_DEALINGS = frozenset({"from", "to", "between", "toward", "towards"})
"""After these a country may be its government."""
_PARTS = frozenset("city state town village province part parts region area coast".split())
_LETTERS = frozenset({"US", "U.S.", "U.S", "UK", "U.K.", "U.K"})
"""Names that stand before a noun as adjectives do: both a country and a nationality."""
_BUILT = re.compile(
    r"\b(?:bridge|airport|station|stadium|tower|park|road|street|highway|route|castle|palace|tunnel"
    r"|avenue|square|dam|canal|fort|hall|cathedral|lighthouse|prison|field|arena|expressway"
    r"|interstate|motorway|harbou?r|freeway|railway|line|temple|monastery|abbey)\b",
    re.I,
)


def changes(sample: Sample) -> list[Change]:
    """Return the sample with its head, then its tail, said otherwise or typed otherwise."""
    found = []
    for name in (HEAD, TAIL):
        found += co_related_ages.changes(sample, name)
        found += co_related_countries.changes(sample, name)
        found += [_retyped(sample, name, kind) for kind in _other_types(sample, name)]
    return found


def _other_types(sample: Sample, name: str) -> list[str]:
    """Return the types that the words of an argument have in their sentence beside their own."""
    argument = sample.argument(name)
    words = sample.words(argument)
    if words in _LETTERS:
        return _types_of_letters(sample, name)
    if argument.type in _PLACES:
        known = kind_of(words) in {argument.type, ""}
        return ["LOCATION"] if known and _says_where(sample, argument) else []
    if argument.type == "FACILITY":
        built = _BUILT.search(words) and not _is_followed(sample, argument)
        return ["LOCATION"] if built else []
    if argument.type == "NUMBER" and co_related_ages.is_age(sample, argument):
        return ["DURATION"]
    return []


def _says_where(sample: Sample, argument: Argument) -> bool:
    """Whether a place is named as a place, and not as what speaks, plays or owns.

    ``in Ohio``, ``in Athens, Ohio``; not ``Ohio voted``, ``Ohio's team``, ``Ohio State``.
    """
    doc = sample.doc
    span = doc.char_span(argument.start, argument.end)
    if span is None or _is_followed(sample, argument):
        return False
    at = span.start - 1
    while at > 0 and (
        doc[at].ent_type_ in {"GPE", "LOC"} or doc[at].text == "," or doc[at].lower_ == "the"
    ):
        at -= 1
    if at < 0:
        return False
    if doc[at].lower_ == "of":
        return at > 0 and doc[at - 1].lower_ in _PARTS | _WHERE
    if argument.type == "COUNTRY" and doc[at].lower_ in _DEALINGS:
        return False
    return doc[at].lower_ in _WHERE


def _is_followed(sample: Sample, argument: Argument) -> bool:
    """Whether a noun, a hyphen or a possessive follows: the name belongs to something else."""
    span = sample.doc.char_span(argument.start, argument.end)
    if span is None:
        return True
    if span.end == len(sample.doc):
        return False
    after = sample.doc[span.end]
    if after.ent_type_ in {"GPE", "LOC"}:
        return False
    return after.pos_ in {"NOUN", "PROPN", "ADJ", "PART"} or after.text in {
        "-",
        "–",
        "/",
        "'s",
        "’s",
    }


def _types_of_letters(sample: Sample, name: str) -> list[str]:
    kind = sample.argument(name).type
    if not co_related_countries.is_attribute(sample, sample.argument(name)):
        where = kind == "COUNTRY" and _says_where(sample, sample.argument(name))
        return ["LOCATION"] if where else []
    return {"COUNTRY": ["NATIONALITY"], "NATIONALITY": ["COUNTRY"]}.get(kind, [])


def _retyped(sample: Sample, name: str, kind: str) -> Change:
    head, tail = sample.head, sample.tail
    if name == HEAD:
        head = head._replace(type=kind)
    else:
        tail = tail._replace(type=kind)
    alignment = (Block(0, 0, len(sample.text)),)
    return Change(sample.text, head, tail, alignment, "type")
