"""Whether a question lacks an article: told by its words, beyond what ``faults`` tells.

Of a suite whose every group was read such sources are gone by hand; where more is built than
anyone reads, these rules leave them out (``hasty`` in a recipe). They are cautious: a good
question that one of them takes for a bad one costs a group.
"""

from __future__ import annotations

import re

from mt_gate.lexicons.reading import ordered

_NAMES = "|".join(ordered("boolq/missing_articles", "names"))
_NOUNS = "|".join(ordered("boolq/missing_articles", "countable"))
_WORKS = "|".join(ordered("boolq/missing_articles", "works"))
_LETTERS = "|".join(ordered("boolq/missing_articles", "said-by-letter"))
_BEFORE = "|".join(ordered("boolq/missing_articles", "before"))
_GOES_ON = "|".join(ordered("boolq/missing_articles", "goes-on"))
_DETERMINERS = "|".join(ordered("boolq/missing_articles", "determiners"))

_FAULTS = (
    # "play in world cup", "than empire state building"
    re.compile(
        rf"(?:^(?:is|was|does|did|has|will|can|are)|\b(?:{_BEFORE}))"
        rf" (?:20\d\d |19\d\d |fifa )?(?:{_NAMES})\b(?! (?:{_GOES_ON}))"
    ),
    # "is there border between", "get visa on arrival"
    re.compile(
        r"\b(?:is there|was there|get|need|have|buy|(?<!my )(?<!your )own|apply for"
        rf"|in|on|at|with|of) (?:{_NOUNS})"
        r"(?= (?:to|for|in|on|at|between|of|from|with|and|or|when|if|by|after|before|while)\b|$)"
    ),
    # "is movie adrift based on", "is creed movie"
    re.compile(
        rf"^(?:is|was|are|were|does|did|do|has) (?:{_WORKS})\b(?!s| (?:better|of|real|stars)\b)"
    ),
    re.compile(
        rf"^(?:is|was|does|did|has|will) (?!(?:{_DETERMINERS})\b|\S+(?:'s|s') )"
        r"(?:[\w.:&'-]+ ){1,5}"
        rf"(?<!\ba )(?<!\bthe )(?<!\bany )(?<!\bwars )(?:{_WORKS})"
        r"(?= (?:based|a|an|the|on|going|have|end|over|real|in|come|coming|still|filmed|true)\b|$)"
    ),
    # "a aba number", "on a xbox one"
    re.compile(rf"\ba (?:{_LETTERS})\b"),
    re.compile(
        r"\b(?:1|one) \w+s (?:old|long|later|ago)\b|\b(?:[2-9]|1\d) (?:year|month|day) old$"
    ),
)


def lacks_an_article(question: str) -> bool:
    """Whether a question in small letters lacks an article, or has a wrong one."""
    return any(fault.search(question) for fault in _FAULTS)
