"""Whether an argument stands in its sentence so that another name may take its place.

A mention is exchanged only where it is a whole name, where its other mentions can
follow it, and where nothing else in the sentence depends on which name it is.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import NamedTuple

from mt_gate.domain import Entity
from mt_gate.lexicons import titles
from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.same_type import name_words
from mt_gate_suites.re.sample import HEAD, Sample

_LEAST_VARIANT, _VARIANT = 5, 0.75
"""Letters of a name that is looked at, and how alike another spelling is, in (0, 1]."""
_LETTER = re.compile(r"[^\W\d_]")
_QUOTES = '"“”‘«»'
_MANY_NAMES = re.compile(
    r"\b(?:named (?:after|for|in honou?r)|names?\b|"
    r"(?:word|title|term)s?\b.{0,20}\b(?:deriv|mean|com)|etymolog|surname|mistaken|"
    r"spel[lt]|pronounced|initials|namesake|eponym|abbreviat|acronym|short for|stands? for|"
    r"pseudonym|nicknam|n[ée]e|rhym|anagram|portmanteau)"
)
ADDRESS = titles.with_stops(titles.known_to("exchange"))

_RANKED = re.compile(
    r"[,\s]+(?:Jr|Sr|[IVX]+\b|the [A-Z]|\d+(?:st|nd|rd|th)\b|(?:\d\w+ )?(?:Duke|Earl|Baron|Count|"
    r"Marquess|Viscount|Lord|Lady|King|Queen|Prince|Princess|Emperor|Bishop|Abbot|Abbess))"
)


class ArgumentMention(NamedTuple):
    """An argument in its sentence: half-open character span, the other one, all typed mentions."""

    text: str
    start: int
    end: int
    other: Argument
    entities: tuple[Entity, ...]

    @property
    def words(self) -> str:
        """The name."""
        return self.text[self.start : self.end]

    @property
    def before(self) -> str:
        """The sentence up to the name."""
        return self.text[: self.start]

    @property
    def after(self) -> str:
        """The sentence from the end of the name."""
        return self.text[self.end :]

    @property
    def left(self) -> str:
        """The word before the name, with its punctuation; nothing where no space is between."""
        return self.before.split()[-1] if self.before[-1:].isspace() else ""

    @property
    def has_article(self) -> bool:
        """Whether ``the`` stands right before the name."""
        return bool(re.search(r"\b[Tt]he $", self.before))


def mention(sample: Sample, name: str) -> ArgumentMention:
    """Return an argument of a sample, head or tail, in its sentence."""
    argument = sample.argument(name)
    other = sample.tail if name == HEAD else sample.head
    return ArgumentMention(sample.text, argument.start, argument.end, other, sample.entities)


def is_whole(found: ArgumentMention, *, may_follow: frozenset[str] = frozenset()) -> bool:
    """Whether a name ends where the mention ends, on either side.

    Args:
        found: the mention.
        may_follow: words with a capital that may stand right before it.
    """
    return _ends_on_the_left(found, may_follow) and _ends_on_the_right(found)


def _ends_on_the_left(found: ArgumentMention, may_follow: frozenset[str]) -> bool:
    before = found.before
    if before and not (before[-1].isspace() or before[-1] in '("—–/' + _QUOTES):
        return False
    if before[-1:] == "/" or (before[-1:] and before[-1:] in _QUOTES):
        return False
    left = found.left
    if re.search(r"[A-Z][\w.'’-]* (?:of|for|&|de|of the|for the) $", before):
        word = re.findall(r"([A-Z][\w.'’-]*) (?:of|for|&|de|of the|for the) $", before)[-1]
        return word in ADDRESS
    bare = left.strip("([")
    if not bare[:1].isupper() or bare in may_follow or bare.endswith((",", ";", ":", ")", '"')):
        return True
    if bare.endswith((".", "!", "?")):
        return len(bare) > 5
    opens_sentence = not before[: -len(left) - 1].strip() or before[: -len(left) - 1].rstrip()[
        -1:
    ] in tuple('.;:!?"“(')
    return (opens_sentence and bare in _OPENERS) or bare.endswith(("'s", "’s"))


_OPENERS = word_set("re/same_type", "openers")


def _ends_on_the_right(found: ArgumentMention) -> bool:
    after = found.after
    if after[:1] and (_LETTER.match(after) or after[0].isdigit() or after[0] in "-/&_" + _QUOTES):
        return bool(re.match(r"-(?:based|born)\b", after))
    if re.match(r"['’]s? ?[A-Z]", after) or re.match(r"[.] [a-z]", after):
        return False
    if re.match(r" (?:[A-Z0-9&(+/]|- )", after):
        return bool(re.match(r" \((?:born|b\.|died|d\.|\d{4}|[a-z]+ing )", after))
    return not re.match(r" (?:of|and|at|for|de) (?:the )?[A-Z]", after) or _is_list(found)


def _is_list(found: ArgumentMention) -> bool:
    """Whether what follows after ``and`` is another name, which is known."""
    start = found.end + len(re.match(r" and (?:the )?|", found.after)[0])  # type: ignore[index]
    places = [(entity.start, entity.end) for entity in found.entities]
    return start > found.end and any(a == start for a, _ in [*places, found.other[:2]])


def ranked(found: ArgumentMention) -> bool:
    """Whether a number, a rank or a by-name follows a person's name."""
    return bool(_RANKED.match(found.after))


def about_names(found: ArgumentMention) -> bool:
    """Whether the sentence speaks of names as names."""
    return bool(_MANY_NAMES.search(found.text))


def among_unlike(found: ArgumentMention, forms: Mapping[tuple[int, int], str], form: str) -> bool:
    """Whether a comma ties a name to one of another form: ``Lyon, France``, ``Yale, New Haven``.

    Args:
        found: the mention.
        forms: forms of the sentence's mentions, by span.
        form: the mention's own.
    """
    if after := re.match(r", (?:and )?(?:the )?(?=[A-Z])", found.after):
        start = found.end + after.end()
        if not any(a == start and other == form for (a, _), other in forms.items()):
            return True
    if before := re.search(r"\b[A-Z][\w.'’-]*(?=, (?:and )?(?:the )?$)", found.before):
        return not any(b == before.end() and other == form for (_, b), other in forms.items())
    return False


def initials(words: str) -> str:
    """Return the capitals that words begin with."""
    return "".join(word[0] for word in words.split() if word[0].isupper())


def alike(one: str, other: str) -> bool:
    """Whether one name may have been made of the other."""
    first, second = one.lower(), other.lower()
    pairs = [(a, b) for a in re.findall(r"\w{3,}", first) for b in re.findall(r"\w{3,}", second)]
    if any(a[:5] == b[:5] for a, b in pairs):
        return True
    shorts = {initials(one), initials(other)} - {""}
    return any(short in (one, other) for short in shorts if len(short) > 1)


def has_variant(found: ArgumentMention) -> bool:
    """Whether the name stands elsewhere in another spelling: ``Carlo Baucardé or Boucardé``."""
    rest = f"{found.before} ; {found.after}"
    others = set(re.findall(rf"\b[^\W\d_a-z][^\W\d_]{{{_LEAST_VARIANT - 1},}}", rest))
    own = [word for word in re.findall(r"[^\W\d_]+", found.words) if len(word) >= _LEAST_VARIANT]
    return any(
        word != other
        and word[0] == other[0]
        and difflib.SequenceMatcher(None, word, other).ratio() >= _VARIANT
        for word in own
        for other in sorted(others)
    )


def other_mentions(
    found: ArgumentMention, parts: dict[str, str]
) -> list[tuple[int, int, str]] | None:
    """Return the edits that let the other mentions of a name follow; None where one cannot.

    Args:
        found: the mention that changes.
        parts: what may be named again (the whole name, a surname), and what takes its place;
            longer ones first.
    """
    outside = [piece.start() for piece in _word_pieces(found)]
    edits: list[tuple[int, int, str]] = []
    for start in outside:
        if any(a <= start < b for a, b, _ in edits):
            continue
        fitting = [(old, new) for old, new in parts.items() if found.text.startswith(old, start)]
        if not fitting:
            return None
        old, new = fitting[0]
        again = found._replace(start=start, end=start + len(old))
        overlaps = start < found.other.end and found.other.start < start + len(old)
        if overlaps or not is_whole(again, may_follow=ADDRESS) or again.has_article:
            return None
        edits.append((start, start + len(old), new))
    return edits


_CLASS_WORDS = frozenset(
    word for name in [*name_words.ENDS, *name_words.STARTS] for word in name.split()
)


def _word_pieces(found: ArgumentMention) -> list[re.Match[str]]:
    words = [
        word
        for word in re.findall(r"\w[\w'’.-]*\w", found.words)
        if len(word) > 2 and word[0].isupper() and word not in _CLASS_WORDS
    ]
    pattern = "|".join(re.escape(word[:6]) for word in sorted(words, key=len, reverse=True))
    short = initials(found.words)
    if len(short) > 1:
        pattern += rf"|{short}\b"
    if not pattern.strip("|"):
        return []
    shape = re.compile(rf"\b(?:{pattern.lstrip('|')})\w*")
    return [m for m in shape.finditer(found.text) if not found.start <= m.start() < found.end]
