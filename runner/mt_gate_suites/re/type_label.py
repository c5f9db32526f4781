"""``re/type-label``: head or tail keeps its words, but gets another type that fits, too.

Source: Sun et al., Algorithms 2023, MR-R3, for edits that do not change the text.
    place     born in [Oslo] (CITY)                  -> born in [Oslo] (LOCATION)
    letters   [US] (NATIONALITY) actress             -> [US] (COUNTRY) actress
"""

from __future__ import annotations

from spacy.tokens import Span

from mt_gate.tasks.relation_extraction import ARGUMENTS
from mt_gate_suites.lexicons.places import kind_of
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.name_pools import Pools
from mt_gate_suites.re.sample import EditedSample, Sample, move, name_types

_PLACES = frozenset({"CITY", "STATE_OR_PROVINCE", "COUNTRY"})
_LETTERS = frozenset({"US", "U.S.", "U.S", "UK", "U.K.", "U.K"})
"""Names that may precede a noun like an adjective: both a country and a nationality."""
_WHERE, _PARTS = word_set("re/type_label", "where"), word_set("re/type_label", "parts")
_DEALINGS = frozenset({"from", "to", "between", "toward", "towards"})
"""Prepositions after which a country may mean its government."""
_GOES_ON = frozenset("- – / 's ’s upon vs vs. v v. versus".split())


def transform(sample: Sample, _: Pools) -> list[EditedSample]:
    """Return the sample with another type for its head, then for its tail.

    The other argument must be a person or organisation, because typed schemes relate only these
    to places.
    """
    made = []
    for name in ARGUMENTS:
        argument = sample.argument(name)
        kind = _find_other_type(sample, name)
        if kind and sample.other(name).type in {"PERSON", "ORGANIZATION"}:
            stratum = name_types(argument.type, kind)
            made.append(move(sample, name, argument._replace(type=kind), stratum))
    return made


def _find_other_type(sample: Sample, name: str) -> str:
    argument = sample.argument(name)
    span = sample.doc.char_span(argument.start, argument.end)
    if span is None:
        return ""
    if argument.type == "NATIONALITY":
        return "COUNTRY" if span.text in _LETTERS else ""
    known = argument.type in _PLACES and kind_of(span.text) in {argument.type, ""}
    return "LOCATION" if known and _says_where(span, argument.type) else ""


def _says_where(span: Span, kind: str) -> bool:
    """Whether a name means a place, and not people, a team or an owner.

    ``in Ohio``, ``in Athens, Ohio``; not ``Ohio voted``, ``Ohio's team``, ``Ohio State``.
    """
    doc, at = span.doc, span.start - 1
    if _is_followed(span):
        return False
    while at > 0 and (doc[at].ent_type_ in {"GPE", "LOC"} or doc[at].lower_ in {",", "the"}):
        at -= 1
    if at < 1:
        return at == 0 and doc[at].lower_ in _WHERE
    word = doc[at].lower_
    if word == "of":
        return doc[at - 1].lower_ in _PARTS | _WHERE
    if word == "at":
        return False  # "Auburn University at Montgomery"
    return word in _WHERE and not (kind == "COUNTRY" and word in _DEALINGS)


def _is_followed(span: Span) -> bool:
    """Whether the next word shows that the name is only a part: ``New York City``."""
    doc = span.doc
    if span.end == len(doc):
        return False
    after = doc[span.end]
    return after.pos_ in {"NOUN", "PROPN", "ADJ", "PART"} or after.lower_ in _GOES_ON
