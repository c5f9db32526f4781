"""MR-R1: head or tail gives way to another name of its type.

Source: Sun et al., Algorithms 2023, section 3.2.1; the strata follow its Table 8.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from mt_gate.language.tools import Slot
from mt_gate.lexicons.nations import ADJECTIVES, CODES
from mt_gate.tasks.relation_extraction import ARGUMENTS, fault, pair
from mt_gate_suites.grammar.articles import article_for
from mt_gate_suites.grammar.edits import article_before
from mt_gate_suites.re.same_type import conditions, mentions, name_forms, surroundings, works
from mt_gate_suites.re.same_type.mentions import ArgumentMention
from mt_gate_suites.re.same_type.pools import STRATA, Pools
from mt_gate_suites.re.sample import EditedSample, Sample, rewritten
from mt_gate_suites.re.transformation import SampleResources

_YEARS_APART = 3
_LAST_YEAR, _LAST_BIRTH = 2015, 1996
_AGES_APART = 20
_PLACES = (name_forms.COUNTRY, name_forms.THE_COUNTRY, name_forms.STATE, name_forms.PROVINCE)


_CODE = re.compile(r" (?:[\w-]+ ){0,2}(?:football|rules)\b")
_CODES = frozenset({"American", "Australian", "Canadian", "Irish"})
"""Nationalities that name a game of their own before ``football`` and ``rules``."""


def transform(sample: Sample, resources: SampleResources) -> list[EditedSample]:
    """Return the follow-ups of a sample, with names of the suite's corpora."""
    return changes(sample, resources.pools)


def changes(sample: Sample, pools: Pools) -> list[EditedSample]:
    """Return the follow-ups of a sample: for head and tail, a frequent name and a rare one.

    What is chosen depends on the sample alone: its id, its arguments, and the pools.
    """
    found: list[EditedSample] = []
    for name in ARGUMENTS:
        form = _form(sample, name, pools)
        for stratum in _strata(sample, name, form):
            change = _change(sample, name, form, stratum, pools)
            if change is not None:
                found.append(change)
                if form in name_forms.DATED:
                    break
    return found


def _strata(sample: Sample, name: str, form: str) -> Sequence[str]:
    """Return the strata that an argument's new names come from, for a date in turns.

    Of a date one is taken: every other sentence has one, and names would be few beside them.
    """
    if form in name_forms.DATED:
        key = f"{sample.id}\n{name}".encode()
        return STRATA[:: (1, -1)[hashlib.sha256(key).digest()[0] % 2]]
    return STRATA if form else ()


def _form(sample: Sample, name: str, pools: Pools) -> str:
    """Return the form of the names that may stand for an argument; nothing for none."""
    argument = sample.argument(name)
    found = mentions.mention(sample, name)
    form = name_forms.form(argument.type, found.words)
    if not form or mentions.alike(found.words, sample.words(found.other)):
        return ""
    if not surroundings.may_change(sample, found, form, pools.sightings.well_known):
        return ""
    if argument.type == "PERSON" and found.words in pools.sightings.invented:
        return ""
    if argument.type == "PERSON" and mentions.has_variant(found):
        return ""
    if form.startswith((name_forms.FULL, name_forms.GIVEN, name_forms.SURNAME)):
        return conditions.person(found, form, pools.surnames)
    return form if _may_change(sample, found, form) else ""


def _change(
    sample: Sample, name: str, form: str, stratum: str, pools: Pools
) -> EditedSample | None:
    found = mentions.mention(sample, name)
    argument = sample.argument(name)
    around = surroundings.told_beside(found)
    near = form.startswith(name_forms.CLASS)
    key = f"{sample.id}\n{name}\n{argument.start}\n{found.other.start}"
    for filler in pools.candidates(form, stratum, key):
        if not _fits(found, form, filler) or filler in pools.sightings.well_known:
            continue  # of whom readers know when and where they lived
        if surroundings.is_known(form) and not pools.sightings.fits(
            argument.type, filler, around, near=near
        ):
            continue
        more = _edits(found, form, filler)
        if more is None:
            continue
        change = rewritten(sample, name, filler, argument.type, more=more, stratum=stratum)
        if change and not fault(pair(change.text, change.head, change.tail)):
            return change
    return None


def _may_change(sample: Sample, found: ArgumentMention, form: str) -> bool:
    span = sample.doc.char_span(found.start, found.end)
    if form == name_forms.WORK:
        return works.work(found)
    if form == name_forms.AGE:
        return conditions.age(found)
    if form in name_forms.DATED or form == name_forms.WEEKDAY:
        return conditions.date(found, form)
    if form.startswith(name_forms.TITLE):
        return conditions.title(found, form)
    forms = {
        (entity.start, entity.end): name_forms.form(
            entity.label, sample.text[entity.start : entity.end]
        )
        for entity in sample.entities
    }
    if form.startswith(name_forms.CLASS):
        return conditions.of_class(found, form, span, forms)
    if form == name_forms.LANGUAGE:
        return conditions.language(found)
    if span is None:
        return False
    if form in _PLACES or form == name_forms.CITY:
        return conditions.place(found, form, span, forms)
    if form == name_forms.RELIGION:
        return conditions.religion(found, span)
    return form == name_forms.ADJECTIVE and conditions.nationality(found, span)


def _fits(found: ArgumentMention, form: str, filler: str) -> bool:
    """Whether a name is new to the sentence, and of a measure with the one that it replaces."""
    text = found.text
    if filler == found.words or mentions.alike(filler, text[found.other.start : found.other.end]):
        return False
    if form in name_forms.DATED:
        return _near_in_time(found, filler)
    if form == name_forms.AGE:
        return abs(int(filler) - int(found.words)) <= _AGES_APART and int(filler) >= 18
    if form == name_forms.ADJECTIVE and _CODE.match(found.after) and _CODES & {filler, found.words}:
        return False
    if form == name_forms.CITY and not surroundings.is_compatriot(found.words, filler):
        return False
    words = [word for word in re.findall(r"\w{3,}", filler) if word[0].isupper()] or [filler]
    kind = form.partition(": ")[2]
    own = [word for word in words if word.lower() not in kind.lower()]
    if any(
        re.search(rf"\b{re.escape(word)}", text) for word in own if word not in found.words.split()
    ):
        return False
    if set(own) & set(found.words.split()):
        return False
    if form in _PLACES and any(
        re.search(rf"\b{adjective}", text)
        for adjective, code in ADJECTIVES.items()
        if code == CODES.get(filler)
    ):
        return False
    plural = found.after.startswith(("'", "’"))
    return not plural or filler.endswith("s") == found.words.endswith("s")


def _near_in_time(found: ArgumentMention, filler: str) -> bool:
    """Whether a date is of the same generation, and past; a birth, that of a grown person."""
    before, after = re.search(r"\d{4}", found.words), re.search(r"\d{4}", filler)
    if not before or not after:
        return before is after
    last = _LAST_BIRTH if re.search(r"\b[Bb]orn\b", found.text) else _LAST_YEAR
    return abs(int(before[0]) - int(after[0])) <= _YEARS_APART and int(after[0]) <= last


def _edits(found: ArgumentMention, form: str, filler: str) -> list[tuple[int, int, str]] | None:
    """Return the edits beside the name itself; None where the sentence cannot follow."""
    again = mentions.other_mentions(found, dict(_parts(found, form, filler)))
    article = _article(found, filler)
    return None if again is None or article is None else [*again, *article]


def _parts(found: ArgumentMention, form: str, filler: str) -> Iterator[tuple[str, str]]:
    if form in (name_forms.ADJECTIVE, name_forms.RELIGION, name_forms.LANGUAGE):
        return
    yield found.words, filler
    if form.startswith(name_forms.FULL):
        old, new = name_forms.surname(found.words), name_forms.surname(filler)
        if old and new:
            yield old, new


def _article(found: ArgumentMention, filler: str) -> list[tuple[int, int, str]] | None:
    """Return the edit that corrects ``a`` or ``an`` before the name; None where it is unclear."""
    article = article_before(Slot(found.text, found.start, found.end))
    if not article:
        return []
    wanted = article_for(re.split(r"[\s-]", filler)[0])
    if wanted is None or article_for(re.split(r"[\s-]", found.words)[0]) != article.lower():
        return None
    start = found.text.rindex(article, 0, found.start)
    changed = article[0] + wanted[1:]
    return [] if changed == article else [(start, start + len(article), changed)]
