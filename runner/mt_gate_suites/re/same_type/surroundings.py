"""What a sentence says around a name that forbids to exchange it, whatever takes its place."""

from __future__ import annotations

import re
from collections.abc import Collection

from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.lexicons.places import countries_of
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.same_type import name_forms
from mt_gate_suites.re.same_type.mentions import ArgumentMention
from mt_gate_suites.re.same_type.sightings import Told, told
from mt_gate_suites.re.sample import Sample

_HARM = word_set("re/same_type", "harm")
_OFFICES = word_set("re/entities", "offices")
_HOLDER = re.compile(
    rf"\b(?:{'|'.join(sorted(_OFFICES))}|Pope|Saint|Emperor|King|Queen|Prince) [A-Z]|Conference\b"
)
"""Whose years in office are known, and what was once."""
_LIFE = re.compile(r"\([^()]*\d{3,4}\)? ?(?:–|-|—|to) ?[^()]*\d{3,4}\)|\bdied\b|[†]")
"""A life that has ended: a year of birth and one of death."""
_KNOWN = (name_forms.FULL, name_forms.SURNAME, name_forms.CLASS, name_forms.WORK)
_BOUND = frozenset(
    {name_forms.COUNTRY, name_forms.THE_COUNTRY, name_forms.STATE, name_forms.PROVINCE}
    | {name_forms.CITY, name_forms.ADJECTIVE}
)
_OF_PLACES = frozenset({"ORG", "FAC", "LOC", "GPE", "NORP", "EVENT", "LAW", "LANGUAGE", "PRODUCT"})
"""spaCy's labels of what belongs to some country, which the sentence does not say."""
_OF_WARS = frozenset({"army", "court"})
"""Fields whose events are dated by history."""
_SINGULAR = frozenset(
    f"{name_forms.CLASS}: {kind}"
    for kind in (
        *("association", "society", "foundation", "company", "company by that word"),
        *("river", "lake", "lake first", "mount", "island"),
    )
)
"""Classes whose members have little in common beside the word, or lie where readers know."""
_OF_MAKERS = frozenset({"PRODUCT", "WORK_OF_ART", "LAW"})
"""spaCy's labels of what one body alone has made."""
_OLD_HOUSES = frozenset({"court", "church"})
"""Fields whose people bear the names of their time and country."""
_OLD_TIMES = re.compile(r"(?<!\d)1[0-8]\d\d(?!\d)|centur|medieval|ancient|[Ee]mpire|Soviet")


def is_known(form: str) -> bool:
    """Whether names of the form are somebody's or something's whom a reader may know."""
    return form.startswith(_KNOWN)


def may_change(
    sample: Sample, found: ArgumentMention, form: str, well_known: Collection[str] = ()
) -> bool:
    """Whether another name of the form may stand in the sentence at all.

    Nobody and nothing real is put into a crime, a death or a scandal. Nations and
    towns are not exchanged where another name may tell the country: the Bundeswehr,
    or a person whose country readers may know.

    Args:
        sample: the sentence.
        found: the name in it.
        form: the name's.
        well_known: names of such persons.
    """
    if form.startswith((*_KNOWN, name_forms.GIVEN)) and form != name_forms.WORK:
        if any(token.lemma_.lower() in _HARM or token.lower_ in _HARM for token in sample.doc):
            return False
        if form.startswith(name_forms.FULL) and _LIFE.search(found.text):
            return False
        if found.left in _OFFICES:
            return False  # who was President in 1935 is known
    if form.startswith(name_forms.GIVEN):
        return not (_OLD_TIMES.search(found.text) or told(found.text).fields & _OLD_HOUSES)
    known = any(sample.words(Argument(*entity)) in well_known for entity in sample.entities)
    if form in _BOUND:
        told_otherwise = known or _names_of_places(sample, found)
        return not (told_otherwise or _OLD_TIMES.search(found.text))
    if form in name_forms.DATED:
        dated = told(found.text).fields & _OF_WARS or _HOLDER.search(found.text)
        return not (dated or known)
    if form in _SINGULAR:
        return False
    return not (form.startswith(name_forms.CLASS) and _is_tied(sample, found))


def _names_of_places(sample: Sample, found: ArgumentMention) -> bool:
    """Whether anything else in the sentence is of some country: a body, a game, a tongue."""
    return any(
        ent.label_ in _OF_PLACES and not _is_own(found, ent.start_char, ent.end_char)
        for ent in sample.doc.ents
    )


def _is_tied(sample: Sample, found: ArgumentMention) -> bool:
    """Whether a place is named of which nobody can tell where it lies, or anything unknown.

    Microsoft's Xbox is no Toyota's.
    """
    known = {(entity.start, entity.end) for entity in sample.entities}
    if any(
        ent.label_ == "ORG"
        and not _is_own(found, ent.start_char, ent.end_char)
        and not any(a < ent.end_char and ent.start_char < b for a, b in known)
        for ent in sample.doc.ents
    ):
        return True
    return any(
        (token.ent_type_ in _OF_MAKERS or (not token.ent_type_ and token.tag_ in {"NNP", "NNPS"}))
        and not _is_own(found, token.idx, token.idx + len(token))
        for token in sample.doc
    ) or any(
        ent.label_ in {"GPE", "LOC", "FAC"}
        and not _is_own(found, ent.start_char, ent.end_char)
        and not told(ent.text).places
        for ent in sample.doc.ents
    )


def _is_own(found: ArgumentMention, start: int, end: int) -> bool:
    return start < found.end and found.start < end


def told_beside(found: ArgumentMention) -> Told:
    """Return what the sentence tells without the name."""
    return told(f"{found.before} ; {found.after}")


def is_compatriot(city: str, other: str) -> bool:
    """Whether two cities may lie in one country; the largest of a name is not asked for."""
    return bool(
        {code for code in countries_of(city) if "-" not in code}
        & {code for code in countries_of(other) if "-" not in code}
    )
