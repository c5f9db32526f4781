"""What must hold in the sentence for a name of each form to be exchanged."""

from __future__ import annotations

import re

from spacy.tokens import Span

from mt_gate.lexicons.calendar import MONTHS, WEEKDAYS
from mt_gate.lexicons.nations import ADJECTIVES, CODES
from mt_gate.lexicons.us_states import CLEAR
from mt_gate_suites.lexicons.places import codes_named, countries_of
from mt_gate_suites.re.same_type import genders, mentions, name_forms, name_words
from mt_gate_suites.re.same_type.mentions import ArgumentMention

_PERSON_FOLLOWS = re.compile(
    r"(?:,? who\b| \((?:born|b\.|d\.|died|\d{1,2} [A-Z]|[A-Z][a-z]+ \d|c?\.? ?\d{4})|['’]s (?:wife|"
    r"husband|son|daughter|mother|father|brother|sister|career|death|family|parents|life)\b|,? "
    r"(?:is|was) (?:an? |the )?(?:\w+[ -]){0,3}?(?:"
    + "|".join(sorted(name_words.PEOPLE))
    + r"|born|elected|appointed|killed|married|hired|arrested)\b| (?:said|says|told|wrote|joined|"
    r"served|lives|lived|resigned|retired|died|won|graduated|studied|married|succeeded|defeated))"
)
_NAMED_FOR = re.compile(r" (?:square|street|road|park|airport|bridge|hall|prize|award|stadium)\b")
_REGAL = re.compile(r"\b(?:[Kk]ing|[Qq]ueen|emperor|tsar|sultan|monarch|throne|crown|reign)", re.I)
_AT_A_PLACE = re.compile(
    r"\b(?:in|from|near|to|at|of|around|outside|into|through|across|throughout|and|or|for|"
    r"between|In|From|Near|At|Outside|Across)(?: \w+ern| downtown| nearby| suburban)? $|[A-Z]\w+, $"
)
_INSIDE = re.compile(r",? (?:now |then )?(?:in|near) (?:what|modern|\w+ern |[A-Z])")
_SEAT = re.compile(
    r"\b(?:capital|county|township|borough|suburb|prefecture|district|province|village|municipality|"
    r"town|region|located|situated|hemisphere)\b|(?:Asian|African|European|American|Caribbean|Arab|"
    r"Balkan|Baltic|Nordic|Scandinavian|Pacific|Communist|Muslim|island|landlocked)[\w -]* "
    r"(?:countr|nation\b|state\b|republic)|\bpart of (?:Europe|Asia|Africa)|\bcontinent",
    re.I,
)
_MONTH = rf"\b(?:{'|'.join(month for month in MONTHS if month != 'May')})\b"
"""May is a verb as often."""
_YEARS = re.compile(r"(?<!\d)(?:1\d{3}|20\d\d)(?!\d)|\b\d\ds\b|'\d\d\b")
_OTHER_TIMES = re.compile(
    r"anniversar|centen|decade|centur|\bago\b|\baged?\b|World War|"
    r"years? (?:later|earlier|old|after|before)|-year|following|previous|"
    rf"{'|'.join(WEEKDAYS)}|"
    r"yesterday|tomorrow|\btoday\b|Christmas|Olympic|\bwill\b|"
    r"\b(?:War|Wars|Revolution|Rebellion|Uprising|Battle|Siege|Treaty|Act|Games|Cup|Championships?|"
    r"Bowl|Series|Open|Hurricane|disaster|earthquake|hurricane|massacre|crisis|season|elections?|"
    r"Depression|occupation|independence|coup|Corps|Regiment|Battalion)\b"
)
"""What tells the time in other words: a war, a match, a disaster that was once."""
_PERIOD = re.compile(
    r"(?:^|\W)(?:[Ii]n|[Ss]ince|[Uu]ntil|by|[Oo]n|early|late|of|born|died) \Z|\(\Z"
)


def person(found: ArgumentMention, form: str, surnames: frozenset[str]) -> str:
    """Return the form that a person's new name must have; nothing where none may stand there."""
    # Two names in a row that stand for a group; a place or a prize with a person's name.
    if re.search(r"\b(?:duo|trio)\b", found.text) or _NAMED_FOR.match(found.after):
        return ""
    if mentions.ranked(found) or mentions.about_names(found) or found.has_article:
        return ""
    if not mentions.is_whole(found, may_follow=mentions.ADDRESS):
        return ""
    if re.search(r"(?:\b[A-Z]\w+,?| his| her) (?:and|&) $", found.before) and _shared(found):
        return ""
    if form.startswith(name_forms.FULL) and not name_forms.is_plain(found.words):
        return ""
    if form == name_forms.SURNAME:
        known = found.words in surnames or found.left in mentions.ADDRESS
        return form if known and not countries_of(found.words) else ""
    if form.startswith(name_forms.GIVEN):
        paired = re.match(r",? (?:and|&|or) ", found.after) or found.left in mentions.ADDRESS
        return "" if paired or re.search(r"[A-Z]\w*, $", found.before) else form
    if name_forms.gender(form) != name_forms.SOMEBODY:
        return form
    called = found.left in mentions.ADDRESS or found.left.lower() in name_words.PEOPLE
    if not called and not _PERSON_FOLLOWS.match(found.after):
        return ""
    if not genders.tells_gender(found.text):
        return f"{name_forms.FULL}: {name_forms.MAN}"
    alone = sum(entity.label == "PERSON" for entity in found.entities) == 1
    known_gender = genders.pronoun_gender(found.text) if alone else ""
    return f"{name_forms.FULL}: {known_gender}" if known_gender else ""


def _shared(found: ArgumentMention) -> bool:
    """Whether a given name right before may share the surname: ``Bill and Hillary Clinton``."""
    before = re.findall(r"(\S+),? (?:and|&) $", found.before)
    two = re.search(r"[A-Z]\S+ [A-Z]\S+,? (?:and|&) $", found.before)
    return bool(before) and before[0][:1].isupper() and not two


def place(found: ArgumentMention, form: str, span: Span, forms: dict[tuple[int, int], str]) -> bool:
    """Whether a country, a state or a city may be another."""
    if not mentions.is_whole(found) or mentions.among_unlike(found, forms, form):
        return False
    if form in (name_forms.CITY, name_forms.STATE) and not _AT_A_PLACE.search(found.before):
        return False
    inside = form == name_forms.CITY and _INSIDE.match(found.after)
    if inside or re.search(r"\b(?:of|for) [A-Z]\w+ in $", found.before):
        return False
    article = found.has_article
    if article != (form == name_forms.THE_COUNTRY) and form != name_forms.CITY:
        return False
    root = span.root
    compound = root.dep_ in ("compound", "amod", "nmod") and not found.after.startswith(("'", "’"))
    if compound or (article and form == name_forms.CITY):
        return False
    outside = codes_named(found.before + " ; " + found.after)
    if _SEAT.search(found.text) or (form != name_forms.CITY and _REGAL.search(found.text)):
        return False
    return not _own_codes(found.words, form) & outside


def _own_codes(words: str, form: str) -> frozenset[str]:
    if form == name_forms.CITY:
        return frozenset(code for code in countries_of(words))
    if form == name_forms.STATE:
        return frozenset({f"US-{CLEAR[words]}"})
    return frozenset({CODES.get(words, "CA")})


def adjective(found: ArgumentMention, span: Span) -> bool:
    """Whether an adjective of nationality or religion goes with a noun for people, or such."""
    if not mentions.is_whole(found) or mentions.about_names(found):
        return False
    noun = span.root.head
    between = span.doc[span.end : noun.i + 1]
    if span.root.dep_ not in ("amod", "compound", "nmod") or not 1 <= len(between) <= 5:
        return False
    if any(not token.is_lower or token.is_punct for token in between):
        return False
    following = span.doc[noun.i + 1] if noun.i + 1 < len(span.doc) else None
    if following is not None and following.text in ("-", "language"):
        return False
    words = {noun.lemma_.lower(), noun.lower_}
    if words & name_words.OF_SUBJECTS:
        return False  # "an English teacher" may be a Dane
    return bool(words & (name_words.PEOPLE | name_words.BODIES))


def nationality(found: ArgumentMention, span: Span) -> bool:
    """Whether another nationality may stand there: nothing tells of the country elsewhere."""
    outside = codes_named(found.before + " ; " + found.after)
    return adjective(found, span) and ADJECTIVES[found.words] not in outside


_OFFICE = re.compile(r"\b(?:General|Attorney|Deputy) $")
_FAITHFUL = re.compile(
    r" (?:famil|parent|man\b|woman\b|men\b|women\b|household|communit|leader|scholar|writer|school|"
    r"father|mother|couple|faith|background|upbringing|home\b|neighbou?rhood|student|but\b|and\b|"
    r"when\b|in\b)|[.,]"
)


def religion(found: ArgumentMention, span: Span) -> bool:
    """Whether an adjective of religion is said of people."""
    if not mentions.is_whole(found) or not _FAITHFUL.match(found.after):
        return False
    before = re.search(
        r"\b(?:is|was|were|are|be|became|raised|being|devout|practi[sc]ing|[Aa]|[Tt]he|of|into|"
        r"his|her|their|prominent|young) $",
        found.before,
    )
    predicate = re.match(r" (?:but|and|when|in)\b|[.,]", found.after)
    said = span.root.dep_ in ("acomp", "attr", "oprd") or not predicate
    return bool(before) and said


_ONE_PLACE = frozenset({"stadium", "island"})
"""Classes whose names are known to lie in one city or water."""
_WHERE = frozenset({"CITY", "STATE_OR_PROVINCE", "COUNTRY", "LOCATION", "FACILITY"})
_MAKERS = frozenset({"company", "company by that word", "airline", "label"})
"""Classes whose names also stand before what they make: ``an Intel processor``."""


def of_class(
    found: ArgumentMention, form: str, span: Span | None, forms: dict[tuple[int, int], str]
) -> bool:
    """Whether an organisation, a building or a water may be another of its class."""
    kind = form.partition(": ")[2]
    if kind not in name_words.EITHER_ARTICLE and found.has_article != (kind in name_words.ARTICLE):
        return False
    if kind in _MAKERS and (span is None or span.root.dep_ in ("compound", "amod", "nmod")):
        return False
    if mentions.among_unlike(found, forms, form) or mentions.about_names(found):
        return False
    after = found.after
    if after.startswith((" (", ")")) or re.match(r" (?:in|at|of|for) [A-Z]", after):
        return False
    if re.match(r"['’]s [A-Z]", after) or not mentions.is_whole(found):
        return False
    if kind in _ONE_PLACE and _is_placed(found):
        return False
    return kind != "county" or not codes_named(found.before + " ; " + after)


def _is_placed(found: ArgumentMention) -> bool:
    """Whether another mention tells where something is: ``in London, at Wembley Stadium``."""
    return any(
        entity.label in _WHERE and not (entity.start < found.end and found.start < entity.end)
        for entity in found.entities
    )


def date(found: ArgumentMention, form: str) -> bool:
    """Whether a date is the only one, so that no other can contradict a new one."""
    if not mentions.is_whole(found) or not _PERIOD.search(found.before):
        return False
    others = [m for m in _YEARS.finditer(found.text) if not found.start <= m.start() < found.end]
    months = re.findall(_MONTH, found.before + found.after)
    if others or months or found.has_article:
        return False
    if found.before.endswith("(") and not found.after.startswith(")"):
        return False
    rest = found.before + found.after
    if form == name_forms.WEEKDAY:
        return not _OTHER_TIMES.search(rest) and bool(re.search(r"\b[Oo]n $", found.before))
    single = re.search(r"\b(?:of|early|late) $", found.before)
    return not _OTHER_TIMES.search(rest) and not (single and form not in name_forms.DATED)


def age(found: ArgumentMention) -> bool:
    """Whether a number is a person's age, and no date tells it too."""
    said = re.search(r"\b(?:[Aa]ged|age of|dies at|died at|at age) $", found.before)
    apposed = re.search(r"[A-Z][a-z]+, $", found.before) and re.match(r", [a-z]", found.after)
    if _YEARS.search(found.text):
        return False
    return bool(said or apposed) and bool(
        re.match(r"[.,;]| (?:and|in|of|on|from)\b|$", found.after)
    )


def title(found: ArgumentMention, form: str) -> bool:
    """Whether what a person is called may be another calling of the field."""
    if form.endswith("rank"):
        return bool(re.match(r" [A-Z][a-z]+", found.after)) and not re.search(
            r"(?:[A-Z][\w.]*|-) $", found.before
        )
    said = re.search(
        r"(?:\b(?:[Aa]n?|the|former|retired|famous|noted|renowned|"
        r"[A-Z][a-z]+(?:an|ish|ese|ch)|and)|,) $",
        found.before,
    )
    ends = re.match(r"[.,;)]|$| (?:and|who|from|born|best|known|[A-Z])", found.after)
    stem = found.words.split()[-1][:4].lower()
    again = re.search(rf"\b{stem}", found.before + " ; " + found.after, re.I)
    return bool(said) and bool(ends) and not again and not _OFFICE.search(found.before)


def language(found: ArgumentMention) -> bool:
    """Whether a language is said to be spoken, written or sung."""
    if re.search(r"\([^)]*$", found.before):
        return False
    before = re.search(r"\b(?:[Ii]n|speaks?|spoke|[Aa]n?|the) $", found.before)
    after = re.match(
        r"[.,;]| (?:and|language|film|song|television|drama|by|with)\b|-language", found.after
    )
    return bool(before) and bool(after) and not mentions.about_names(found)
