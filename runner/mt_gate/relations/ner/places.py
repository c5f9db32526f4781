"""What kind of place a name stands in, by the letters around it.

There is no parser at run time. So each rule here knows one kind of place that
a name must not leave, or that another name would not fit, and the name stays;
what passes stands bare (Anna met Boris) or after "the" (the Rhine).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from mt_gate.relations.ner import place_words as words

REACH = 40
"""Letters looked at on either side of a name."""

_PREVIOUS = re.compile(r"\S+(?=\s$)")
_OPENS = re.compile(r"(?:^|[.!?:;][\"”’)]?\s|[\"“(])[\"“(]?\S+\s$")
"""The first word of a sentence comes before the name."""
_FOLLOWING = re.compile(r"\s([\w’'&-]+)")
_CAPITAL = r"[^\W\d_a-z][^\s,;]*"
_LINK_BEFORE = re.compile(
    rf"(?:^|\s)[\"“(]?({_CAPITAL})(\s(?:of|de|du|and|or|&|for|in|at)|,(?:\s(?:and|or))?)\s(?:the\s)?$"
)
_LINK_AFTER = re.compile(rf"(?:,?\s(?:and|or)|,)\s(?:the\s)?(?={_CAPITAL})")
_TWO_WORDS = re.compile(r"\s([a-z]+)(?:\s([a-z]+))?")
_KIND_OF = re.compile(
    r"\b(?:state|county|country|nation|province|republic|island|river|lake|kingdom|continent|region"
    r"|district|capital|city|town|village|port|suburb|borough|character) of\s$"
    r"|\b(?:known|referred to|credited|billed) as\s(?:the\s)?$"
)
_IS_A_WORK = re.compile(
    r"\s(?:is|was)\san?\s(?:[12]\d\d\d\b|(?:[\w-]+\s){0,4}"
    r"(?:album|band|book|comedy|drama|film|game|magazine|musical|novel|play|series|show|song)\b)"
)
_NOT_OF_A_NAME = re.compile(r"[^\w\s.'’&!–-]|-(?:based|born|branded|led|made|owned|style)\b")
_ENDS_PHRASE = re.compile(r"[,.;:!?)]|\s(?:and|or)\s|$")
_SUFFIX = re.compile(r",\s(?:Jr|Sr|Inc|Ltd|LLC|LP|Co|Ph\.?D|M\.?D|Esq|II|III|IV)\b")
_GLUED_AFTER = re.compile(r"[\"”’')\]%@/&+_*™®–—-]|[.:,]\w|:\s|\s[&+/]|\sv\.")
_POSSESSIVE = re.compile(r"['’]s\s([a-z]+)")
_SCORE = re.compile(r"\s\d+[–-]\d+\b")
_GLOSS = re.compile(r"\s?[(\[](?!\d(?!\d{3}\))|born\b|since\b|until\b|but\b|almost\b)")
_NEEDS_THE = re.compile(
    r"(?:US|USA|U\.S|UK|EU|UN|UAE|USSR|FBI|CIA|NBA|NFL|NHL|BBC|GOP|EPA|FDA|NSA|NCAA|DEA|IRS)$"
    r"|United\s|.*(?:Netherlands|Philippines|Bahamas|Maldives|Alps|Indies|Emirates|Midwest|East)$"
    r"|.*\b(?:Republic|Kingdom|Commonwealth|Union|Federation|Empire|States|Islands|Isles|Mountains"
    r"|Rivers?|Ocean|Sea|Canal|Channel|Desert|Strait|Peninsula|Coast|Counties|Party|Senate|Army"
    r"|Navy|Association|League|Department|Ministry|Committee|Commission|Agency|Bureau)(?:\sof\s|$)"
)


class PlaceInText(NamedTuple):
    """A name without its article, and what stands around it.

    Args:
        name: the words that would move, ``text[start:end]``.
        before: up to ``REACH`` letters before them, ``after`` likewise.
        previous: the word before, "" where no blank separates the two.
        following: the word after, likewise.
        starts: where names begin, ``ends`` where they end, in the whole text.
    """

    name: str
    start: int
    end: int
    before: str
    after: str
    previous: str
    following: str
    starts: frozenset[int]
    ends: frozenset[int]


def read_place(
    text: str, start: int, end: int, starts: frozenset[int], ends: frozenset[int]
) -> PlaceInText:
    """Read what stands around ``text[start:end]``."""
    before = text[max(0, start - REACH) : start]
    after = text[end : end + REACH]
    previous = _PREVIOUS.search(before, before.rfind(" ", 0, -1) + 1)
    following = _FOLLOWING.match(after)
    return PlaceInText(
        text[start:end],
        start,
        end,
        before,
        after,
        previous.group() if previous else "",
        following.group(1) if following else "",
        starts,
        ends,
    )


def kind_of(place: PlaceInText) -> str | None:
    """Return what a name must have in common with one that takes its place; None: it stays.

    These are the article, the number where there is one, and the kind of
    landscape: towns do not flow, and no country lies between continents.
    """
    for must_stay in MUST_STAY:
        if must_stay(place):
            return None
    landscape = _landscape(place.name)
    if place.previous.lower() != "the":
        return f"bare {landscape}"
    return f"the {landscape}{' plural' if _plural(place.name) else ''}"


def _landscape(name: str) -> str:
    if name in words.CONTINENTS:
        return "continent"
    if any(letter.isdigit() for letter in name):
        return "numbered"
    parts = name.split()
    return words.LANDSCAPES.get(parts[-1], words.LANDSCAPES.get(parts[0], ""))


def _plural(name: str) -> bool:
    return name.endswith("s") and not name.endswith(("ss", "us", "is", *words.SINGULAR))


def _cut_wrongly(place: PlaceInText) -> bool:
    """[Nathan reassesses] his life; the [Republic of] Ireland; [Inc]; [Ken's]; [Acme-branded]."""
    name = place.name
    parts = name.replace("–", " ").split()
    if not (name[:1].isupper() and name[-1:].isalnum()) or _NOT_OF_A_NAME.search(name):
        return True
    if parts[-1].islower() or parts[-1] in words.SUFFIXES or name.endswith(("'s", "’s")):
        return True
    return any(part.islower() and part not in words.LINKS for part in parts)


def _sound_counts(place: PlaceInText) -> bool:
    """An [Oslo] man, a [Boston] man; and all [Beatles] songs, two [Toyotas]."""
    return place.previous.lower() in words.COUNTING


def _after_title(place: PlaceInText) -> bool:
    """Mrs. [Jones]; his wife [Anna]: a title or a noun that tells the sex."""
    previous = place.previous.rstrip(".,")
    return previous.lower() in words.TITLES or words.SEX.fullmatch(previous) is not None


def _beside_kind(place: PlaceInText) -> bool:
    """The film [Carrie]; the state of [Utah]; known as [Bill]; the [Huallaga] river."""
    previous = place.previous.lower()
    if previous.rstrip(",") in words.KINDS or (
        previous in ("of", "as", "the") and _KIND_OF.search(place.before)
    ):
        return True
    after = _TWO_WORDS.match(place.after)
    if after is None:
        return False
    return not words.PARTS.isdisjoint(after.groups()) or bool(_IS_A_WORK.match(place.after))


def _glued_before(place: PlaceInText) -> bool:
    """Anti-[Paris]; "[Emma]"; ([NBC]); New [York]; 48 [Texas] towns; star Will [Ferrell]."""
    if not place.before:
        return False
    previous = place.previous.lstrip("(\"“‘'[")
    if not previous:
        return True
    if place.start == len(place.previous) + 1 and previous.endswith("ly"):
        return False
    if previous[0].islower():
        return previous in words.PARTICLES
    if place.start - 1 in place.ends:
        return True
    if previous[-1] in ",;" or previous in words.RANKS:
        return False
    opens = _OPENS.search(place.before) is not None
    return previous.lower() not in words.FUNCTION or not opens


def _glued_after(place: PlaceInText) -> bool:
    """[Paris]-based; [NBC]/Fox; [Pulp] Fiction; [Apollo] 13; [Duke] of York."""
    possessive = _POSSESSIVE.match(place.after)
    if possessive:
        return possessive.group(1) in words.AFTER_A_SHOP
    following = place.following
    if _SCORE.match(place.after):
        return False
    if following and following != "I" and not following.islower():
        return True
    return following in ("of", "de", "und", "et", "y") or bool(_GLUED_AFTER.match(place.after))


def _glossed(place: PlaceInText) -> bool:
    """The [National Broadcasting Company] (NBC), [Walter White] (an actor), [Rocky] (1976)."""
    return bool(_GLOSS.match(place.after) or _SUFFIX.match(place.after))


def _linked_before(place: PlaceInText) -> bool:
    """University of [Texas]; Johnson and [Johnson]; Dallas, [Texas]: the first is no name found."""
    previous = place.previous.lower()
    if previous not in words.LINKS and not previous.endswith(","):
        return False
    link = _LINK_BEFORE.search(place.before)
    if link is None:
        return False
    other, how = link.group(1), link.group(2).strip()
    offset = place.start - len(place.before)
    if other.lower() in words.FUNCTION or (how[0] == "," and other.lower() in words.CALENDAR):
        return False
    if how not in ("of", "de", "du", "&") and (
        offset + link.end(1) in place.ends or other[-1] in '"”’)'
    ):
        return False
    first = offset + link.start(1) == 0
    return not (first and how in (",", "for", "in", "at"))


def _linked_after(place: PlaceInText) -> bool:
    """[Johnson] and Johnson; [Dallas], Texas: the second is no name found."""
    link = _LINK_AFTER.match(place.after)
    if link is None:
        return False
    following = _FOLLOWING.match(place.after, link.end() - 1)
    if following is None or following.group(1).lower() in words.FUNCTION:
        return False
    begins = place.end + link.end()
    return begins not in place.starts


def _article_missing(place: PlaceInText) -> bool:
    """[US] troops; the UK and [United States]: elsewhere they would need "the"."""
    return place.previous.lower() != "the" and _NEEDS_THE.match(place.name) is not None


def lacks_article(text: str, start: int, end: int) -> bool:
    """Tell "in [United Kingdom] and Spain", a fault of the source, from "[US] troops"."""
    if not _NEEDS_THE.match(text[start:end]) or text.endswith(("the ", "The "), 0, start):
        return False
    return _ENDS_PHRASE.match(text, end) is not None


def _article_of_another(place: PlaceInText) -> bool:
    """The [Boston] police, unlike the [Rhine] in Basel."""
    following = place.following.lower()
    if place.previous.lower() != "the" or _NEEDS_THE.match(place.name):
        return False
    verb = following.endswith("ed") or following in words.PAST
    return bool(following) and not verb and following not in words.FUNCTION


def _verb_of_many(place: PlaceInText) -> bool:
    """[Spurs] are, but [Paris] is."""
    return place.following in ("are", "were", "have") and _plural(place.name)


MUST_STAY: tuple[Callable[[PlaceInText], bool], ...] = (
    _cut_wrongly,
    _sound_counts,
    _after_title,
    _beside_kind,
    _glued_before,
    _glued_after,
    _glossed,
    _linked_before,
    _linked_after,
    _article_missing,
    _article_of_another,
    _verb_of_many,
)
