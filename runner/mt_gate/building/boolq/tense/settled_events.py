"""Whether what a question asks of the past happens once, so that it cannot be to come as well.

Each test below is an argument for one kind of event; ``tense_change`` lists them.
"""

from __future__ import annotations

import re

from mt_gate.building.boolq.question import ParsedQuestion

_SPORT_OR_VOTE = (
    r"(?:fifa |soccer |football |rugby |cricket |winter |summer |us |presidential |general |nba "
    r"|men's |women's )*(?:world cup|olympics?|olympic games|election|elections|world series"
    r"|super ?bowl|stanley cup|nba finals|finals|draft|playoffs|season|euros?|eurovision"
    r"|champions league|asian games|commonwealth games|championships?|tournament)"
)
_YEAR = r"(?:1[0-9]\d\d|200\d|201[0-7])"
_DATED = re.compile(
    rf"\b(?:(?:in|during) (?:the )?(?:early |late )?{_YEAR}"
    rf"|(?:in|during|at|for|to|win|host|play|make|get) (?:the |a )?{_YEAR} {_SPORT_OR_VOTE}"
    rf"|the {_YEAR} {_SPORT_OR_VOTE}|{_SPORT_OR_VOTE} (?:in |of )?{_YEAR})"
    r"(?: finals?)?(?: against .*)?$"
)
_QUALIFIED = re.compile(
    r"\b(?:qualify|qualified|make it|made it|make) (?:for|to|in) (?:the )?"
    r"(?:2018 (?:fifa |football )?world cup|(?:fifa |football )*world cup 2018"
    r"|(?:winter )?olympics 2018)$"
)
_WROTE = re.compile(
    r"^(?P<who>.+?) (?:really |actually )?(?:write|wrote|invent(?:ed)?|discover(?:ed)?|compose[d]?"
    r"|paint(?:ed)?|direct(?:ed)?|co-write) (?P<what>.+)$"
)
_NOT_ONE_WORK = re.compile(
    r"^(?:an?|any\w*|all|some|his|her|their|its|for|in|on|about|songs?|music|books?|most|more|other"
    r"|lyrics?|poems?|poetry|with|to)\b(?! i want for christmas)"
)
_ENDED = re.compile(
    r"^(?P<who>.+?) (?:really |actually )?(?:die|pass away|sink|sank|burn down"
    r"|go down with the ship|go extinct|go bankrupt|go out of business|get drafted"
    r"|commit suicide|abandon ship|drown"
    r"|kill (?:him|her)self)"
    r"(?: (?:of (?!thrones)|from |in real life|at birth|on (?:its|his|her) |by ).*)?$"
)
_CAME_OUT = re.compile(
    r"^(?P<who>.+?) come out (?:(?:before|after|in theat(?:er|re)s|on (?:vhs|dvd))\b.*)$"
)
_AWARD = (
    r"(?:win|won|get|receive) (?:an?|any|the|an? \w+|best)?\s?(?:oscars?|(?:academy )awards?"
    r"|best (?:picture|actress|actor|director|song)|picture(?: academy award)?|golden globes?)"
)
_FILM_AWARD = re.compile(rf"\b{_AWARD}(?: award)?$")
_AWARD_FOR = re.compile(rf"\b{_AWARD} (?:for|in) (?:the )?\w.+$")
_PART_IN = re.compile(
    r"^(?P<who>.+?) (?:really |actually )?(?:sing|play|act|voice|dance|surf|use)\b"
    r"(?: .*)? (?:in|on) (?:the )?(?:movie |film )?(?P<work>.+?)(?: movie| film)?$"
)
_SECOND_PAST = re.compile(r"\b(?:was|were|had|been|got|said|used|before he|after he)\b")
_ANYONE = re.compile(
    r"^(?:any\w*|all|every\w*|most|some\w*|no\w*|people|you|we|i|an?|one of|each|many|there|both)\b"
)
_IN_A_WORK = re.compile(r"\b(?:in|on|as)\b")
_INVENTED = re.compile(
    r"\b(?:fictional|sitcom|soap opera|novels?|novella|video game|protagonist|plot"
    r"|(?:television|tv|drama|anime|web) series|character|film|movie|episodes?|series finale"
    r"|portrayed by|played by)\b",
    re.IGNORECASE,
)
_INVENTED_TITLE = re.compile(r"\(.*(?:film|series|novel|season|game|character|comics|franchise)")
_FILM = re.compile(r"\bis an? (?:upcoming )?(?:19|20)\d\d\b[^.]{0,120}\b(?:film|movie)\b")
_FILM_TITLE = re.compile(r"\((?:\d{4} )?(?:\w+ )?film\)$|^List of accolades received by ")


def settled(question: ParsedQuestion, rest: str) -> bool:
    """Whether what follows ``did`` (``rest``) happened once, or not at all."""
    return not _SECOND_PAST.search(rest) and any(
        test(question, rest) for test in (_dated, _written, _ended, _released, _awarded, _performed)
    )


def _dated(question: ParsedQuestion, rest: str) -> bool:
    """A year is over: nothing more happens in it.

    Not so a war or a depression: they have their names from those who looked back,
    and nobody asks what will happen in the first world war.
    """
    if _QUALIFIED.search(rest):
        return True
    return _DATED.search(rest) is not None and not _is_story(question)


def _written(question: ParsedQuestion, rest: str) -> bool:
    """A given work is written, a given thing invented, once."""
    found = _WROTE.match(rest)
    if found is None or _ANYONE.match(rest) or _NOT_ONE_WORK.match(found["what"]):
        return False
    start = len(question.text) - len(found["what"])
    named = any(a <= start < b for a, b in question.names)
    return named or found["what"].startswith("the ")


def _ended(question: ParsedQuestion, rest: str) -> bool:
    """A death, a sinking, an end of a firm comes once; stories may be asked of at any time."""
    found = _ENDED.match(rest)
    if found is None or _ANYONE.match(rest) or _IN_A_WORK.search(found["who"]):
        return False
    return not _is_story(question)


def _released(_: ParsedQuestion, rest: str) -> bool:
    """A named thing comes out once."""
    return _CAME_OUT.match(rest) is not None and not _ANYONE.match(rest)


def _awarded(question: ParsedQuestion, rest: str) -> bool:
    """A film is up for an award in one year."""
    if _ANYONE.match(rest):
        return False
    if _FILM_AWARD.search(rest):
        return _is_film(question) and _names_title(question, rest)
    return _AWARD_FOR.search(rest) is not None and not rest.startswith(("they ", "he ", "she "))


def _performed(question: ParsedQuestion, rest: str) -> bool:
    """A finished film has the cast that it has."""
    found = _PART_IN.match(rest)
    if found is None or _ANYONE.match(rest) or not _is_film(question):
        return False
    return _names_title(question, found["work"])


def _is_story(question: ParsedQuestion) -> bool:
    """Whether the passage is about something invented, or a film."""
    asked = question.asked
    return bool(_INVENTED_TITLE.search(asked.title) or _INVENTED.search(asked.passage))


def _is_film(question: ParsedQuestion) -> bool:
    asked = question.asked
    return bool(_FILM_TITLE.search(asked.title) or _FILM.search(asked.passage))


def _names_title(question: ParsedQuestion, words: str) -> bool:
    """Whether the words hold the passage's title, or the greater part of it."""
    title = re.sub(
        r"\s*\([^()]*\)$|^List of accolades received by ", "", question.asked.title
    ).casefold()
    parts = [part for part in re.findall(r"[\w']+", title) if part not in {"the", "a", "an", "of"}]
    found = sum(part in words.casefold().split() for part in parts)
    return bool(parts) and found * 2 > len(parts)
