"""Countries and nationalities: ``France's president`` and ``the French president``.

before   [US] (COUNTRY) actress Patricia Neal died.
after    [American] (NATIONALITY) actress Patricia Neal died.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from spacy.tokens import Doc, Span, Token

from mt_gate.building.articles import article_for
from mt_gate.building.re.citizens import ends, is_citizen, phrase_end
from mt_gate.building.re.demonyms import adjective_of, country_of_adjective
from mt_gate.building.re.place_names import WITH_ARTICLE
from mt_gate.building.re.said_otherwise import Edit, said_otherwise
from mt_gate.building.re.sample import Change, Sample
from mt_gate.tasks.relation_extraction import Argument

_SHORT = {"American": "US", "British": "UK"}
_LONG = {"US": "American", "U.S.": "American", "UK": "British", "U.K.": "British"}
_OFFICES = frozenset(
    "president government parliament military economy constitution ambassador prime-minister "
    "foreign-minister defence-minister defense-minister finance-minister foreign-ministry "
    "interior-minister authorities chancellor premier police-force central-bank".split()
)
"""Of which a country has one, and which ``France's`` and ``the French`` name alike."""
_TITLES = frozenset({"President", "Government", "Parliament", "Prime Minister", "Foreign Minister"})
_GAMES = frozenset({"rules", "football"})
"""``American football`` and ``Australian rules`` are games, not people's countries."""
_JOINING = frozenset("and or vs vs. v versus born".split())
_SMALL = frozenset("the a an in by for with from of".split())
_EARLIER = re.compile(r"\b(?:1[0-8]\d\d|[1-9]\d\d AD|BC)\b")

_Rule = Callable[[Sample, str, Span], Change | None]


def changes(sample: Sample, name: str) -> list[Change]:
    """Return the sample with a country said as a nationality, or the other way round."""
    argument = sample.argument(name)
    span = sample.doc.char_span(argument.start, argument.end)
    if span is None or argument.type not in {"COUNTRY", "NATIONALITY"}:
        return []
    rules = _OF_COUNTRY if argument.type == "COUNTRY" else _OF_NATIONALITY
    made = (rule(sample, name, span) for rule in rules)
    return [change for change in made if change is not None]


def is_attribute(sample: Sample, argument: Argument) -> bool:
    """Whether a name stands before a common noun, as in ``US actress``."""
    span = sample.doc.char_span(argument.start, argument.end)
    return span is not None and _noun_after(span) is not None


def _noun_after(span: Span) -> Token | None:
    """The common noun that a word stands before, past at most two small adjectives or nouns."""
    doc = span.doc
    for at in range(span.end, min(span.end + 3, len(doc))):
        token = doc[at]
        if not token.text.islower() or token.pos_ not in {"ADJ", "NOUN"}:
            return None
        following = doc[at + 1] if at + 1 < len(doc) else None
        if token.pos_ == "NOUN" and (following is None or following.pos_ not in {"NOUN", "ADJ"}):
            return token
    return None


def _article(span: Span, new: str) -> list[Edit] | None:
    """The edit of ``a`` or ``an`` before a span that begins with a new word, or None."""
    if span.start == 0 or span.doc[span.start - 1].lower_ not in {"a", "an"}:
        return []
    token = span.doc[span.start - 1]
    wanted = "a" if new in {"US", "UK"} else article_for(new)
    if wanted is None:
        return None
    if wanted == token.lower_:
        return []
    return [(token.idx, token.idx + len(token), token.text[0] + wanted[1:])]


def _swapped(sample: Sample, name: str, span: Span, new: str, kind: str) -> Change | None:
    """The sample with one word for a country in place of another."""
    article = _article(span, new)
    if article is None:
        return None
    edits = [*article, (span.start_char, span.end_char, new)]
    return said_otherwise(sample, name, edits, len(article), new, kind)


def _is_one_of_several(span: Span) -> bool:
    """``African American``, ``Canada vs U.S.``, ``Jamaican-born British``, ``Australian rules``."""
    doc = span.doc
    if span.end < len(doc) and doc[span.end].lower_ in _GAMES:
        return True
    if span.start == 0:
        return False
    before = doc[span.start - 1]
    joined = before.text in {"-", "–", "/", "&"} or before.lower_ in _JOINING
    return joined or (before.text[0].isupper() and before.i > 0 and before.lower_ not in _SMALL)


def _after_letters(sample: Sample, name: str, span: Span) -> Change | None:
    """``a US actress``: ``an American actress``."""
    new = _LONG.get(span.text)
    if new is None or _noun_after(span) is None or _is_one_of_several(span):
        return None
    return _swapped(sample, name, span, new, "NATIONALITY")


def _into_letters(sample: Sample, name: str, span: Span) -> Change | None:
    """``an American actress``: ``a US actress``."""
    new, noun = _SHORT.get(span.text), _noun_after(span)
    if new is None or noun is None or not is_citizen(noun) or _EARLIER.search(sample.text):
        return None
    if _is_one_of_several(span):
        return None
    return _swapped(sample, name, span, new, "COUNTRY")


def _from_country(sample: Sample, name: str, span: Span) -> Change | None:
    """``a French actor``: ``an actor from France``."""
    doc, country = span.doc, country_of_adjective(span.text)
    end = phrase_end(doc, span.end)
    if not country or end is None or not _is_indefinite(doc, span.start):
        return None
    if _is_one_of_several(span):
        return None
    article = _article(span, doc[span.end].text)
    if article is None:
        return None
    place = doc[end - 1].idx + len(doc[end - 1])
    said = f" from {_phrase(country)}"
    edits = [*article, (span.start_char, doc[span.end].idx, ""), (place, place, said)]
    return said_otherwise(sample, name, edits, len(edits) - 1, country, "COUNTRY")


def _is_indefinite(doc: Doc, start: int) -> bool:
    """Whether ``a`` or ``an`` stands before a token, past one small adjective at most."""
    if start and doc[start - 1].text.islower() and doc[start - 1].tag_ in {"JJ", "VBN"}:
        start -= 1
    return start > 0 and doc[start - 1].lower_ in {"a", "an"}


def _out_of_country(sample: Sample, name: str, span: Span) -> Change | None:
    """``an actor from France``: ``a French actor``."""
    doc, adjective = span.doc, adjective_of(span.text)
    preposition = _preposition(span, "from")
    if not adjective or preposition is None or not ends(doc, span.end):
        return None
    start = preposition.i - 1
    if not is_citizen(doc[start]) or doc[start].tag_ != "NN":
        return None
    while start and doc[start - 1].pos_ == "NOUN" and doc[start - 1].text.islower():
        start -= 1
    if not _is_indefinite(doc, start):
        return None
    article = _article(doc[start : start + 1], adjective)
    if article is None:
        return None
    last = doc[preposition.i - 1]
    edits = [
        *article,
        (doc[start].idx, doc[start].idx, f"{adjective} "),
        (last.idx + len(last), span.end_char, ""),
    ]
    return said_otherwise(sample, name, edits, len(article), adjective, "NATIONALITY")


def _office(doc: Doc, start: int) -> int | None:
    """The token after an office or body that a country has one of; None where another follows."""
    for end in (start + 2, start + 1):
        if end <= len(doc) and "-".join(doc[start:end].text.split()) in _OFFICES:
            following = doc[end] if end < len(doc) else None
            goes_on = following is not None and (
                following.pos_ in {"NOUN", "ADJ"} or following.text in {"-", "'s", "’s", "of", "'"}
            )
            return None if goes_on else end
    return None


def _without_possessive(sample: Sample, name: str, span: Span) -> Change | None:
    """``France's president``: ``the French president``."""
    doc, adjective = span.doc, adjective_of(span.text)
    if not adjective or span.end + 1 >= len(doc) or doc[span.end].text not in {"'s", "’s"}:
        return None
    before = doc[span.start - 1] if span.start else None
    if before is not None and (before.pos_ in {"ADJ", "PROPN", "CCONJ", "NOUN"}):
        return None
    if _titled(doc, span.end + 1):
        article = ""
    elif _office(doc, span.end + 1) is not None:
        article = "The " if span.start_char == 0 else "the "
    else:
        return None
    if before is not None and before.lower_ == "the":
        return None
    edits = [(span.start_char, doc[span.end].idx + 2, article + adjective)]
    return said_otherwise(sample, name, edits, 0, adjective, "NATIONALITY")


def _titled(doc: Doc, start: int) -> bool:
    """``President Chirac``."""
    for end in (start + 2, start + 1):
        if doc[start:end].text in _TITLES and end < len(doc):
            return doc[end].pos_ == "PROPN" and doc[end].ent_type_ in {"PERSON", ""}
    return False


def _possessive(sample: Sample, name: str, span: Span) -> Change | None:
    """``the French president``: ``France's president``."""
    doc, country = span.doc, country_of_adjective(span.text)
    if not country or country in WITH_ARTICLE or country.endswith("s"):
        return None
    if not span.start or doc[span.start - 1].lower_ != "the" or _office(doc, span.end) is None:
        return None
    edits = [(doc[span.start - 1].idx, span.end_char, f"{country}'s")]
    return said_otherwise(sample, name, edits, 0, country, "COUNTRY")


def _of_phrase(sample: Sample, name: str, span: Span) -> Change | None:
    """``the French president``: ``the president of France``."""
    doc, country = span.doc, country_of_adjective(span.text)
    end = _office(doc, span.end)
    if not country or end is None or not span.start or doc[span.start - 1].lower_ != "the":
        return None
    if end < len(doc) and doc[end].pos_ in {"PROPN", "CCONJ"}:
        return None
    place = doc[end - 1].idx + len(doc[end - 1])
    said = f" of {_phrase(country)}"
    edits = [(span.start_char, doc[span.end].idx, ""), (place, place, said)]
    return said_otherwise(sample, name, edits, 1, country, "COUNTRY")


def _without_of(sample: Sample, name: str, span: Span) -> Change | None:
    """``the president of France``: ``the French president``."""
    doc, adjective = span.doc, adjective_of(span.text)
    preposition = _preposition(span, "of")
    if not adjective or preposition is None or not ends(doc, span.end):
        return None
    for start in (preposition.i - 2, preposition.i - 1):
        words = doc[start : preposition.i].text
        known = "-".join(words.split()) in _OFFICES or words in _TITLES
        if start > 0 and known and doc[start - 1].lower_ == "the":
            last = doc[preposition.i - 1]
            edits = [
                (doc[start].idx, doc[start].idx, f"{adjective} "),
                (last.idx + len(last), span.end_char, ""),
            ]
            return said_otherwise(sample, name, edits, 0, adjective, "NATIONALITY")
    return None


def _preposition(span: Span, word: str) -> Token | None:
    """The preposition before a country, past its article; None where there is another one."""
    at = span.start - 1
    if at > 0 and span.doc[at].lower_ == "the":
        at -= 1
    return span.doc[at] if at > 0 and span.doc[at].lower_ == word else None


def _phrase(country: str) -> str:
    return f"the {country}" if country in WITH_ARTICLE else country


_OF_COUNTRY: tuple[_Rule, ...] = (
    _after_letters,
    _out_of_country,
    _without_possessive,
    _without_of,
)
_OF_NATIONALITY: tuple[_Rule, ...] = (_into_letters, _from_country, _possessive, _of_phrase)
