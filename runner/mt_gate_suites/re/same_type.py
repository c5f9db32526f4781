"""``re/same-type``: head or tail is replaced with another name of its type.

Source: Sun et al., Algorithms 2023, MR-R1; the strata follow its Table 8.
    date         published in [2009].              -> published in [2011].
    person       directed by [Anna Weber] (2001)   -> directed by [Jane Fox] (2001)
    nationality  a [French] singer                 -> a [Dutch] singer
    title        Anna, a [pianist],                -> Anna, a [violinist],
    place        born in [France]                  -> born in [Spain]

Persons, dates, nationalities, titles, countries and cities change. Nothing else in the sentence may
depend on the old name, and no real person is put into a crime, a death or a scandal.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from spacy.tokens import Span

from mt_gate.lexicons.calendar import MONTHS, WEEKDAYS
from mt_gate.lexicons.nations import ADJECTIVES, CODES
from mt_gate.tasks.relation_extraction import ARGUMENTS, Argument, fault, make_input
from mt_gate_suites.grammar.rewrite import article_for
from mt_gate_suites.lexicons.places import codes_named, countries_of
from mt_gate_suites.lexicons.reading import word_pattern, word_set
from mt_gate_suites.re import name_pools as forms
from mt_gate_suites.re.name_pools import STRATA, Pools, read_facts
from mt_gate_suites.re.sample import Edit, EditedSample, Sample, reword

_MAX_YEARS, _LAST_YEAR, _LAST_BIRTH = 3, 2015, 1996
_HARM = word_set("re/same_type", "harm")
_OFFICES = word_set("re/entities", "offices")
_NATIONAL = word_set("re/same_type", "people") | word_set("re/same_type", "bodies")
_OF_SUBJECTS = word_set("re/same_type", "of-subjects")
"""People whose "nationality" may be a language: an English teacher may be a Dane."""
_PERSONS = frozenset({forms.MAN, forms.WOMAN})
_PLACES = frozenset({forms.COUNTRY, forms.THE_COUNTRY, forms.CITY})
_LIFE = re.compile(r"\([^()]*\d{3,4}\)? ?(?:–|-|—|to) ?[^()]*\d{3,4}\)|\bdied\b|[†]")
"""A life that has ended: a year of birth and one of death."""
_OLD_TIMES = re.compile(r"(?<!\d)1[0-8]\d\d(?!\d)|centur|medieval|ancient|[Ee]mpire|Soviet")
_HOLDER = re.compile(
    rf"\b(?:{'|'.join(sorted(_OFFICES))}|Pope|Saint|Emperor|King|Queen|Prince) [A-Z]|Conference\b"
)
"""Holders of an office, whose years are known, and a conference, which has one date."""
_OF_PLACES = frozenset({"ORG", "FAC", "LOC", "GPE", "NORP", "EVENT", "LAW", "LANGUAGE", "PRODUCT"})
"""spaCy's labels of entities that may belong to a country without naming it."""
_ABOUT_NAMES = word_pattern("re/same_type", "about-names")
_BY_NAME = re.compile(
    r"[,\s]+(?:Jr|Sr|[IVX]+\b|the [A-Z]|\d+(?:st|nd|rd|th)\b|(?:Duke|Earl|Baron|Count|King|Queen) )"
)
_YEARS = re.compile(r"(?<!\d)(?:1\d{3}|20\d\d)(?!\d)|\b\d\ds\b|'\d\d\b")
_MONTH = re.compile(rf"\b(?:{'|'.join(month for month in MONTHS if month != 'May')})\b")
_OTHER_TIMES = re.compile(
    r"anniversar|centen|decade|centur|\bago\b|\baged?\b|World War|"
    r"years? (?:later|earlier|old|after|before)|-year|following|previous|"
    rf"{'|'.join(WEEKDAYS)}|yesterday|tomorrow|\btoday\b|Christmas|Olympic|\bwill\b|"
    r"\b(?:Wars?|Revolution|Rebellion|Uprising|Battle|Siege|Treaty|Act|Games|Cup|Championships?|"
    r"Bowl|Series|Open|Hurricane|disaster|earthquake|hurricane|massacre|crisis|season|elections?|"
    r"Depression|occupation|independence|coup|Corps|Regiment|Battalion)\b"
)
"""Other words for a time: a war, a match, a disaster."""
_PERIOD = re.compile(r"(?:^|\W)(?:[Ii]n|[Ss]ince|[Uu]ntil|by|[Oo]n|of|born|died) \Z|\(\Z")
_AT_A_PLACE = re.compile(r"\b(?:in|from|near|to|at|around|outside|into|In|From|Near|At) $", re.I)
_SEAT = word_pattern("re/same_type", "seats", re.I)
_SAID_BEFORE = re.compile(
    r"(?:\b(?:[Aa]n?|the|former|retired|famous|noted|[A-Z][a-z]+(?:an|ish|ese|ch)|and)|,) $"
)
_SAID_AFTER = re.compile(r"[.,;)]|$| (?:and|who|from|born|best|known|[A-Z])")


def transform(sample: Sample, pools: Pools) -> list[EditedSample]:
    """Return, for head and tail, the sample with a frequent name and with a rare one.

    The choice depends only on the sample's id, its arguments and the pools. A date gets only one
    of the two, because dates are in every other sentence and would outnumber names.
    """
    made = []
    for name in ARGUMENTS:
        form = _find_form(sample, name, pools)
        strata: Sequence[str] = STRATA if form else ()
        if form in forms.DATED:
            key = f"{sample.id}\n{name}".encode()
            strata = STRATA[:: (1, -1)[hashlib.sha256(key).digest()[0] % 2]]
        for stratum in strata:
            change = _make_change(sample, name, form, stratum, pools)
            if change is not None:
                made.append(change)
                if form in forms.DATED:
                    break
    return made


def _make_change(
    sample: Sample, name: str, form: str, stratum: str, pools: Pools
) -> EditedSample | None:
    place, other = sample.argument(name), sample.other(name)
    before, after = sample.text[: place.start], sample.text[place.end :]
    around = read_facts(f"{before} ; {after}")
    key = f"{sample.id}\n{name}\n{place.start}\n{other.start}"
    for filler in pools.iter_candidates(form, stratum, key):
        if filler in pools.well_known or not _fits(sample, name, form, filler):
            continue
        if form in _PERSONS and not pools.fits(filler, around):
            continue
        article = _fix_article(before, sample.words(place), filler)
        again = _edit_mentions(sample, name, form, filler)
        if article is None or again is None:
            continue
        edit = (place.start, place.end, filler)
        change = reword(sample, name, edit, filler, place.type, [*article, *again], stratum)
        if change and not fault(make_input(change.text, change.head, change.tail)):
            return change
    return None


def _find_form(sample: Sample, name: str, pools: Pools) -> str:
    """Return the form of the names that may replace an argument; empty if none may."""
    place = sample.argument(name)
    words = sample.words(place)
    span = sample.doc.char_span(place.start, place.end)
    form = forms.find_form(place.type, words)
    if not form or span is None or _are_alike(words, sample.words(sample.other(name))):
        return ""
    before, after = sample.text[: place.start], sample.text[place.end :]
    well_known = any(sample.words(Argument(*one)) in pools.well_known for one in sample.entities)
    if form in _PERSONS:
        fits = _is_harmless(sample, span, before, after)
        return form if fits and (not pools.persons or words in pools.real) else ""
    if form in forms.DATED:
        return form if not well_known and _is_only_date(sample.text, before, after) else ""
    if form.startswith(forms.TITLE):
        return form if _is_said_of_one(words, before, after) else ""
    # Other words may belong to the old country (the Bundeswehr, a language), not to a new one.
    foreign = any(
        ent.label_ in _OF_PLACES and (ent.end <= span.start or span.end <= ent.start)
        for ent in sample.doc.ents
    )
    own = countries_of(words) or {ADJECTIVES.get(words) or CODES.get(words, "")}
    if well_known or foreign or _OLD_TIMES.search(sample.text):
        return ""
    if codes_named(f"{before} ; {after}") & own:
        return ""
    fits = _is_of_people(span) if form == forms.NATIONALITY else _is_a_place(span, form)
    return form if fits else ""


def _is_harmless(sample: Sample, span: Span, before: str, after: str) -> bool:
    """Whether a real person may be put into a sentence, and the name means only one person."""
    if any(token.lemma_.lower() in _HARM or token.lower_ in _HARM for token in sample.doc):
        return False
    if _LIFE.search(sample.text) or _ABOUT_NAMES.search(sample.text) or _BY_NAME.match(after):
        return False
    word = sample.doc[span.start - 1].text if span.start else ""
    if word in _OFFICES or word in {"the", "The"}:
        return False  # who was President in 1935 is known
    shared = re.search(r"(?:^|[^\w.] ?|[a-z]+ )[A-Z]\w+,? (?:and|&) $", before)
    return not shared  # "Bill and Hillary Clinton"


def _is_only_date(text: str, before: str, after: str) -> bool:
    """Whether no other date can contradict a new one."""
    rest = f"{before} ; {after}"
    if not _PERIOD.search(before) or (before.endswith("(") and not after.startswith(")")):
        return False
    if read_facts(text).fields & {"army", "court"} or _HOLDER.search(text):
        return False
    return not any(shape.search(rest) for shape in (_YEARS, _MONTH, _OTHER_TIMES))


def _is_said_of_one(words: str, before: str, after: str) -> bool:
    stem = words.split()[-1][:4]
    again = re.search(rf"\b{stem}", f"{before} ; {after}", re.I)
    return bool(_SAID_BEFORE.search(before) and _SAID_AFTER.match(after)) and not again


def _is_of_people(span: Span) -> bool:
    """Whether an adjective of nationality is before a noun for people."""
    noun = span.root.head
    between = span.doc[span.end : noun.i + 1]
    if span.root.dep_ not in {"amod", "compound", "nmod"} or not 1 <= len(between) <= 5:
        return False
    plain = all(token.is_lower and token.is_alpha for token in between)
    if {"football", "rules"} & {token.text for token in between}:
        return False  # a game: "Australian rules"
    words = {noun.lemma_.lower(), noun.lower_}
    return plain and bool(words & _NATIONAL) and not words & _OF_SUBJECTS


def _is_a_place(span: Span, form: str) -> bool:
    """Whether another place may replace it: the sentence names no larger place and no seat."""
    text = span.doc.text
    before, after = text[: span.start_char], text[span.end_char :]
    article = bool(re.search(r"\b[Tt]he $", before))
    if article != (form == forms.THE_COUNTRY) or _SEAT.search(text):
        return False
    if re.match(r", (?:and )?(?:the )?[A-Z]|,? (?:now |then )?(?:in|near) ", after):
        return False
    if re.search(r"[A-Z][\w.'’-]*, (?:and )?(?:the )?$", before):
        return False
    if form == forms.CITY and not _AT_A_PLACE.search(before):
        return False
    if re.search(r"[A-Z]\w* (?:of|for) (?:the )?$", before):
        return False  # "the Bank of France"
    return span.root.dep_ not in {"compound", "amod", "nmod"} or after.startswith(("'", "’"))


def _fits(sample: Sample, name: str, form: str, filler: str) -> bool:
    """Whether a new name is not in the sentence yet, and is comparable with the old name."""
    text, place = sample.text, sample.argument(name)
    words = sample.words(place)
    if filler == words or _are_alike(filler, sample.words(sample.other(name))):
        return False
    if form in forms.DATED:
        before, after = re.search(r"\d{4}", words), re.search(r"\d{4}", filler)
        if not before or not after:
            return before is after
        last = _LAST_BIRTH if re.search(r"\b[Bb]orn\b", text) else _LAST_YEAR
        return abs(int(before[0]) - int(after[0])) <= _MAX_YEARS and int(after[0]) <= last
    if form == forms.CITY and not _list_countries(words) & _list_countries(filler):
        return False
    new = {word for word in re.findall(r"\w{3,}", filler) if word[0].isupper()} or {filler}
    if new & {*words.split()} or any(re.search(rf"\b{re.escape(word)}", text) for word in new):
        return False
    codes = (adjective for adjective, code in ADJECTIVES.items() if code == CODES.get(filler))
    if form in _PLACES and any(re.search(rf"\b{adjective}", text) for adjective in codes):
        return False
    possessive = text[place.end :].startswith(("'", "’"))
    return not possessive or filler.endswith("s") == words.endswith("s")


def _list_countries(city: str) -> frozenset[str]:
    return frozenset(code for code in countries_of(city) if "-" not in code)


def _are_alike(one: str, other: str) -> bool:
    first, second = one.lower(), other.lower()
    pairs = [(a, b) for a in re.findall(r"\w{3,}", first) for b in re.findall(r"\w{3,}", second)]
    shorts = {_read_initials(one), _read_initials(other)}
    short = any(len(letters) > 1 and letters in (one, other) for letters in shorts)
    return short or any(a[:5] == b[:5] for a, b in pairs)


def _read_initials(words: str) -> str:
    return "".join(word[0] for word in words.split() if word[0].isupper())


def _edit_mentions(sample: Sample, name: str, form: str, filler: str) -> list[Edit] | None:
    """Return the edits of a name's other mentions; None if one cannot be edited."""
    place, other = sample.argument(name), sample.other(name)
    words = sample.words(place)
    parts = dict(_list_parts(words, form, filler))
    known = "|".join(
        re.escape(word[:6]) for word in re.findall(r"\w[\w'’.-]*\w", words) if word[0].isupper()
    )
    edits: list[Edit] = []
    for mention in re.finditer(rf"\b(?:{known})\w*", sample.text) if known else ():
        start = mention.start()
        if place.start <= start < place.end or any(a <= start < b for a, b, _ in edits):
            continue
        old = next((old for old in parts if sample.text.startswith(old, start)), None)
        if old is None or (start < other.end and other.start < start + len(old)):
            return None
        if re.match(r"\w|-|['’]s? ?[A-Z]| [A-Z]", sample.text[start + len(old) :]):
            return None
        edits.append((start, start + len(old), parts[old]))
    return edits


def _list_parts(words: str, form: str, filler: str) -> Iterator[tuple[str, str]]:
    """Yield parts of a name that the sentence may repeat, longest first, and their replacements."""
    if form != forms.NATIONALITY:
        yield words, filler
    if form in _PERSONS:
        old, new = forms.find_surname(words), forms.find_surname(filler)
        if old and new:
            yield old, new


def _fix_article(before: str, words: str, filler: str) -> list[Edit] | None:
    """Return the edit that corrects ``a`` or ``an`` before the name; None if it is unclear."""
    article = re.search(r"(?:^|(?<=[\s(\"“]))([Aa]n?)(?=\s$)", before)
    if not article:
        return []
    wanted = article_for(re.split(r"[\s-]", filler)[0])
    if wanted is None or article_for(re.split(r"[\s-]", words)[0]) != article[1].lower():
        return None
    return [(*article.span(1), article[1][0] + wanted[1:])]
