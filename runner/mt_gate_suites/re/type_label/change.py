"""Builds follow-ups of ``re/type-label``: the same words under another type that is theirs too.

    before   [US] (NATIONALITY) actress [Patricia Neal] died at home.
    after    [US] (COUNTRY) actress [Patricia Neal] died at home.

Source: Sun et al., Algorithms 2023, MR-R3, where the text stays as it is.
"""

from __future__ import annotations

import re

from spacy.tokens import Doc

from mt_gate.domain import Block
from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.lexicons.places import kind_of
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.co_related.attributes import is_attribute, is_of_people
from mt_gate_suites.re.sample import HEAD, TAIL, EditedSample, Sample
from mt_gate_suites.re.transformation import SampleResources

_PLACES = frozenset({"CITY", "STATE_OR_PROVINCE", "COUNTRY"})
_WHERE = word_set("re/type_label", "where")
_DEALINGS = frozenset({"from", "to", "between", "toward", "towards"})
"""After these a country may be its government."""
_PARTS = word_set("re/type_label", "parts")
_LETTERS = frozenset({"US", "U.S.", "U.S", "UK", "U.K.", "U.K"})
"""Names that stand before a noun as adjectives do: both a country and a nationality."""
_BUILT = re.compile(
    r"\b(?:bridge|airport|station|stadium|tower|park|road|street|highway|route|castle|palace|tunnel"
    r"|avenue|square|dam|canal|fort|hall|cathedral|lighthouse|prison|field|arena|expressway"
    r"|interstate|motorway|harbou?r|freeway|railway|line|temple|monastery|abbey)\b",
    re.I,
)


_WORK = re.compile(
    r"\b(?:film|movie|sitcom|series|show|muppet|album|song|soundtrack|novel|book|episode"
    r"|musical|documentary|trilogy|sequel|franchise|television|tv|soap opera|comic|cartoon"
    r"|band|duo|trio|quartet"
    r"|(?:hit|lead|debut) single|(?:video|computer|board|arcade) ?game)s?\b",
    re.I,
)
"""Kinds of works: where one is spoken of, ``Sesame Street`` may be a show."""
_OF_BUILDINGS = word_set("re/type_label", "of-buildings")
_GOES_ON = frozenset("upon vs vs. v v. versus".split())
_ROLES = frozenset("star co-star costar act cast".split())
_QUOTES = frozenset("\"'“”‘’`")


def transform(sample: Sample, _: SampleResources) -> list[EditedSample]:
    """Return the sample with another type for its head, then for its tail."""
    return [
        _retyped(sample, name, kind) for name in (HEAD, TAIL) for kind in _other_types(sample, name)
    ]


def _other_types(sample: Sample, name: str) -> list[str]:
    """Return the types that the words of an argument have in their sentence beside their own.

    None where the other is no person or organisation: of these alone typed schemes ask places.
    """
    argument = sample.argument(name)
    if (sample.tail if name == HEAD else sample.head).type not in {"PERSON", "ORGANIZATION"}:
        return []
    words = sample.words(argument)
    if words in _LETTERS:
        return _types_of_letters(sample, name)
    if argument.type in _PLACES:
        known = kind_of(words) in {argument.type, ""}
        where = known and _says_where(sample, argument) and not _is_quoted(sample, argument)
        return ["LOCATION"] if where else []
    if argument.type == "FACILITY":
        built = _BUILT.search(words) and not _is_followed(sample, argument)
        unsure = _may_be_a_work(sample, argument) or _acts(sample, argument)
        return ["LOCATION"] if built and not unsure else []
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
    if doc[span.start - 1].lower_ == "at" and (
        argument.type != "CITY" or doc[span.start - 2].pos_ == "PROPN"
    ):
        # ``played at Indiana``, ``Auburn University at Montgomery``: a university.
        return False
    if doc[at].head.pos_ == "VERB" and doc[at].head.lemma_ in _ROLES:
        return False
    return doc[at].lower_ in _WHERE


def _may_be_a_work(sample: Sample, argument: Argument) -> bool:
    """Whether a name of a building or a street may be the title of a film, a show, a song.

    Nor is it a place where something was founded ``as Njala Experimental Station``.
    """
    if re.search(r"\b(?<!known )as(?: the)? $", sample.text[: argument.start]):
        return True
    return bool(_WORK.search(sample.text)) or _is_quoted(sample, argument)


def _acts(sample: Sample, argument: Argument) -> bool:
    """Whether a building does what its people do: ``the palace said``."""
    span = sample.doc.char_span(argument.start, argument.end)
    if span is None:
        return True
    verb = span.root.head
    subject = span.root.dep_ in {"nsubj", "nsubjpass"} and verb.pos_ == "VERB"
    return subject and verb.lemma_ not in _OF_BUILDINGS


def _is_quoted(sample: Sample, argument: Argument) -> bool:
    """Whether a name stands between quotation marks, as titles do."""
    after = sample.text[argument.end : argument.end + 1]
    before = sample.text[argument.start - 1 : argument.start]
    return before in _QUOTES and before != "" and after in _QUOTES | {",", "."}


def _is_followed(sample: Sample, argument: Argument) -> bool:
    """Whether a noun, a hyphen or a possessive follows: the name belongs to something else.

    So it does in ``New York City``, ``Kingston upon Hull`` and ``Canada vs U.S.``
    """
    span = sample.doc.char_span(argument.start, argument.end)
    if span is None:
        return True
    if span.end == len(sample.doc):
        return False
    after = sample.doc[span.end]
    if after.ent_type_ in {"GPE", "LOC"}:
        return after.ent_iob_ == "I" and not _begins_with_place(sample.doc, span.end)
    if after.lower_ in _GOES_ON and sample.doc[span.end : span.end + 2].text.split()[-1].istitle():
        return True
    return after.pos_ in {"NOUN", "PROPN", "ADJ", "PART"} or after.text in {
        "-",
        "–",
        "/",
        "'s",
        "’s",
    }


def _begins_with_place(doc: Doc, start: int) -> bool:
    """Whether a larger place stands at a token, its comma left out: ``Canton Ohio``."""
    return any(kind_of(doc[start : start + length].text) in _PLACES for length in (1, 2, 3))


def _types_of_letters(sample: Sample, name: str) -> list[str]:
    argument = sample.argument(name)
    if not is_attribute(sample, argument):
        where = argument.type == "COUNTRY" and _says_where(sample, argument)
        return ["LOCATION"] if where else []
    if argument.type == "NATIONALITY":
        return ["COUNTRY"]
    said = argument.type == "COUNTRY" and is_of_people(sample, argument)
    return ["NATIONALITY"] if said else []


def _retyped(sample: Sample, name: str, kind: str) -> EditedSample:
    head, tail = sample.head, sample.tail
    if name == HEAD:
        head = head._replace(type=kind)
    else:
        tail = tail._replace(type=kind)
    alignment = (Block(0, 0, len(sample.text)),)
    old = sample.argument(name).type
    stratum = f"{old}-to-{kind}".lower().replace("state_or_province", "state")
    return EditedSample(sample.text, head, tail, alignment, stratum)
