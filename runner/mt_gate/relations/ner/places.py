"""Classify the position of a name in its sentence by the characters around it.

There is no parser at run time. So each rule finds one kind of position where the name must stay, or
where another name would not fit. All other names are bare (Anna met Boris) or follow "the" (the
Rhine).
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from mt_gate.lexicons import calendar, nations, titles, us_states
from mt_gate.lexicons.reading import mapping, ordered, rows, word_set

PERSONS = frozenset({"PER", "PERSON"})
"""Labels of persons, in capitals."""
LOCATIONS = frozenset({"LOC", "GPE", "LOCATION"})
FUNCTION = word_set("ner/place_words", "function-words")
PAST = word_set("ner/place_words", "past")
COUNTING = word_set("ner/place_words", "counting")
TITLES = titles.lower(titles.known_to("shuffle")) | word_set("ner/place_words", "name-openers")
SEX = re.compile(
    r"(?:grand|god|step|half-|ex-)?(?:father|mother|brother|sister|son|daughter|husband|wife)s?"
    r"(?:-in-law)?|(?:.*s|chair|police|fire|noble|gentle|fisher)?(?:wo)?m[ae]n"
    r"|(?:boy|girl)(?:friend)?|(?:ac|wai|mis|sculp)tress|(?:duch|princ|count|godd|host|heir|emp)r?ess|uncle|aunt|nephew"
    r"|niece|kings?|queens?|princes?|duke|widow|widower|bride|groom|lord|lady|actor|hero|heroine"
    r"|wizard|witch|waiter|pope|nun|monk|dad|mom|mum|fianc[eé]e?"
)
"""Nouns that show the sex of the person named next, or named before a comma."""
RANKS = titles.known_to("shuffle-rank")
KINDS = word_set("ner/place_words", "kinds")
PARTS = word_set("ner/place_words", "parts")
AFTER_A_SHOP = word_set("ner/place_words", "after-a-shop")
CALENDAR = calendar.LOWER
LINKS = word_set("ner/place_words", "links")
PARTICLES = word_set("ner/place_words", "particles")
DIRECTIONS = word_set("ner/place_words", "directions")
PLURALS = ordered("ner/place_words", "plurals")
UNTELLING = word_set("ner/place_words", "untelling")
SUFFIXES = word_set("ner/place_words", "suffixes")
SINGULAR = ("States", "Netherlands", "Philippines", "Bahamas", "Maldives", "Times", "News")
"""Endings of singular names with an s."""
CONTINENTS = word_set("ner/place_words", "continents")
REGIONS = frozenset(us_states.STATES) | nations.COUNTRIES | nations.REGIONS
"""Regions around a town, so that "Austin, Texas, and Rome" is not a list of three."""
LANDSCAPES = mapping("ner/place_words", "landscapes")
"""Nouns at either end of a name that show its kind of place."""
ORGANISATIONS = mapping("ner/place_words", "organisations")
"""Nouns at the end of a name that show its kind of organisation."""
BEFORE_PLACES = word_set("ner/place_words", "before-places")
HARM = word_set("ner/place_words", "harm")
ONE_NAME = word_set("ner/place_words", "one-name")
"""Pairs joined by "and" that are one place."""


REACH = 40
"""Number of characters examined on either side of a name."""

_PREVIOUS = re.compile(r"\S+(?=\s$)")
_OPENS = re.compile(r"(?:^|[.!?:;][\"”’)]?\s|[\"“(])[\"“(]?\S+\s$")
"""The word before the name is the first word of its sentence."""
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
    """A name without its article, and the text around it.

    ``before`` and ``after`` are up to ``REACH`` characters. ``previous`` and ``following`` are the
    words next to the name, empty if no space separates them from it. ``starts`` and ``ends`` are
    those of all names in the text.
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


def kind_of(
    text: str, start: int, end: int, starts: frozenset[int], ends: frozenset[int]
) -> str | None:
    """Return the kind of a name's position, which a replacement must share; None: do not replace.

    The kind consists of the article, the grammatical number after an article, and the kind of
    landscape: towns do not flow, and no country lies between continents.

    Args:
        text: text that contains the name ``text[start:end]``, without its article.
        start: start of the name.
        end: end of the name.
        starts: starts of all names in the text.
        ends: ends of all names in the text.
    """
    before, after = text[max(0, start - REACH) : start], text[end : end + REACH]
    previous = _PREVIOUS.search(before, before.rfind(" ", 0, -1) + 1)
    next_word = _FOLLOWING.match(after)
    place = PlaceInText(
        text[start:end],
        start,
        end,
        before,
        after,
        previous.group() if previous else "",
        next_word.group(1) if next_word else "",
        starts,
        ends,
    )
    stays = (_stays_before, _stays_after, _is_linked)
    if _is_cut_wrongly(place.name) or any(stay(place) for stay in stays):
        return None
    the = place.previous.lower() == "the"
    # [US] troops; the UK and [United States]: in other positions they need "the".
    if not the and _NEEDS_THE.match(place.name):
        return None
    # In "the [Boston] police" the article is that of "police", unlike in "the [Rhine] in Basel".
    following = place.following.lower()
    verb = following.endswith("ed") or following in PAST
    is_article_of_another = following and not verb and following not in FUNCTION
    if the and not _NEEDS_THE.match(place.name) and is_article_of_another:
        return None
    # [Spurs] are, but [Paris] is.
    if place.following in ("are", "were", "have") and _plural(place.name):
        return None
    parts = place.name.split()
    landscape = LANDSCAPES.get(parts[-1], LANDSCAPES.get(parts[0], ""))
    if place.name in CONTINENTS:
        landscape = "continent"
    elif any(letter.isdigit() for letter in place.name):
        landscape = "numbered"
    if not the:
        return f"bare {landscape}"
    return f"the {landscape}{' plural' if _plural(place.name) else ''}"


def _plural(name: str) -> bool:
    return name.endswith("s") and not name.endswith(("ss", "us", "is", *SINGULAR))


def _is_cut_wrongly(name: str) -> bool:
    """Whether a span is not a whole name: [Nathan reassesses] his life; [Inc]; [Acme-branded]."""
    parts = name.replace("–", " ").split()
    if not (name[:1].isupper() and name[-1:].isalnum()) or _NOT_OF_A_NAME.search(name):
        return True
    if parts[-1].islower() or parts[-1] in SUFFIXES or name.endswith(("'s", "’s")):
        return True
    return any(part.islower() and part not in LINKS for part in parts)


def _stays_before(place: PlaceInText) -> bool:
    """Whether no other name would fit after the text before a name."""
    if not place.before:
        return False
    previous = place.previous.lower()
    # An [Oslo] man, a [Boston] man; and all [Beatles] songs, two [Toyotas].
    if previous in COUNTING:
        return True
    # Mrs. [Jones]; his wife [Anna]: a title, or a noun that shows the sex.
    title = place.previous.rstrip(".,")
    if title.lower() in TITLES or SEX.fullmatch(title):
        return True
    # The film [Carrie]; the state of [Utah]; known as [Bill].
    named = previous in ("of", "as", "the") and _KIND_OF.search(place.before)
    if previous.rstrip(",") in KINDS or named:
        return True
    # Anti-[Paris]; "[Emma]"; ([NBC]); New [York]; 48 [Texas] towns; star Will [Ferrell].
    word = place.previous.lstrip("(\"“‘'[")
    if not word:
        return True
    if place.start == len(place.previous) + 1 and word.endswith("ly"):
        return False
    if word[0].islower():
        return word in PARTICLES
    if place.start - 1 in place.ends:
        return True
    if word[-1] in ",;" or word in RANKS:
        return False
    return word.lower() not in FUNCTION or not _OPENS.search(place.before)


def _stays_after(place: PlaceInText) -> bool:
    """Whether no other name would fit before the text after a name."""
    # The [Huallaga] river; [Carrie] is a film.
    after = _TWO_WORDS.match(place.after)
    if after and (not PARTS.isdisjoint(after.groups()) or _IS_A_WORK.match(place.after)):
        return True
    # The [National Broadcasting Company] (NBC), [Walter White] (an actor), [Rocky] (1976).
    if _GLOSS.match(place.after) or _SUFFIX.match(place.after):
        return True
    # [Paris]-based; [NBC]/Fox; [Pulp] Fiction; [Apollo] 13; [Duke] of York.
    possessive = _POSSESSIVE.match(place.after)
    if possessive:
        return possessive.group(1) in AFTER_A_SHOP
    following = place.following
    if _SCORE.match(place.after):
        return False
    if following and following != "I" and not following.islower():
        return True
    return following in ("of", "de", "und", "et", "y") or bool(_GLUED_AFTER.match(place.after))


def _is_linked(place: PlaceInText) -> bool:
    """Whether a name is joined to another name that the system did not predict.

    Examples: University of [Texas]; Johnson and [Johnson]; Dallas, [Texas]; [Johnson] and Johnson.
    """
    link = _LINK_AFTER.match(place.after)
    following = link and _FOLLOWING.match(place.after, link.end() - 1)
    if (
        link
        and following
        and following.group(1).lower() not in FUNCTION
        and place.end + link.end() not in place.starts
    ):
        return True
    previous = place.previous.lower()
    if previous not in LINKS and not previous.endswith(","):
        return False
    link = _LINK_BEFORE.search(place.before)
    if link is None:
        return False
    other, how = link.group(1), link.group(2).strip()
    offset = place.start - len(place.before)
    if other.lower() in FUNCTION or (how[0] == "," and other.lower() in CALENDAR):
        return False
    if how not in ("of", "de", "du", "&") and (
        offset + link.end(1) in place.ends or other[-1] in '"”’)'
    ):
        return False
    first = offset + link.start(1) == 0
    return not (first and how in (",", "for", "in", "at"))


def lacks_article(text: str, start: int, end: int) -> bool:
    """Whether an article is missing, as in "in [United Kingdom] and Spain", not "[US] troops"."""
    if not _NEEDS_THE.match(text[start:end]) or text.endswith(("the ", "The "), 0, start):
        return False
    return _ENDS_PHRASE.match(text, end) is not None


_CITIES = mapping("ner/cities", "cities")
_REGIONS = {name: code for code, _, _, name in rows("places", "regions", 4)}
_LISTED = mapping("places", "countries")
COUNTRIES: dict[str, str] = {
    **{name: name for name in nations.COUNTRIES},
    **_LISTED,
    **nations.CODES,
}
"""Codes of countries by name."""
_UNCLEAR = {*us_states.STATES} - {*us_states.CLEAR}


def rank_of(name: str, countries: frozenset[str]) -> str:
    """Return the kind of a place, such as "country" or "city"; empty if unknown.

    ``countries`` are those that the text names (``named_nations``). The kind of a city in one of
    them includes the country: statements on Canadian cities must stay with cities of Canada.
    """
    if name in nations.NATIONALITIES:
        return "nationality"
    if name in _UNCLEAR:
        return ""
    if name in nations.CONSTITUENTS:
        return "constituent"
    if name in us_states.CLEAR:
        return "US state"
    if name in _REGIONS:
        return f"region of {_REGIONS[name]}"
    if name in COUNTRIES:
        return "country"
    country = _CITIES.get(name)
    if country is None:
        return ""
    return f"city of {country}" if country in countries else "city"


def named_nations(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the codes of the countries that a text names, and of those named by adjectives."""
    codes, pattern = _nations()
    words = frozenset(pattern.findall(text))
    peoples = frozenset(nations.READ[word] for word in words & nations.READ.keys())
    return frozenset(codes[word] for word in words), peoples


@cache
def _nations() -> tuple[dict[str, str], re.Pattern[str]]:
    states = dict.fromkeys(us_states.STATES, "US")
    codes = {**_REGIONS, **states, **COUNTRIES, **nations.READ}
    longest = "|".join(map(re.escape, sorted(codes, key=len, reverse=True)))
    return codes, re.compile(rf"(?<!\w)(?:{longest})(?!\w)")
