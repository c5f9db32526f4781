"""``re/co-related-type``: head or tail is reworded, so that it has a related type.

Source: Sun et al., Algorithms 2023, MR-R3.
    age           Jupp, [46] (NUMBER), works.           -> Jupp, [46 years old] (DURATION), works.
    before noun   a [46-year-old] (DURATION) man        -> a man aged [46] (NUMBER)
    letters       a [US] (COUNTRY) actress              -> an [American] (NATIONALITY) actress
    behind noun   a [French] (NATIONALITY) film actor.  -> a film actor from [France] (COUNTRY).
    behind name   by [French] actor Alain Delon.        -> by Alain Delon, an actor from [France].

If only the type changes, and no word, the relation is ``re/type-label``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from spacy.tokens import Doc, Span, Token

from mt_gate.tasks.relation_extraction import ARGUMENTS, HEAD
from mt_gate_suites.grammar.rewrite import article_for
from mt_gate_suites.lexicons.demonyms import adjective_of, country_of_adjective
from mt_gate_suites.lexicons.places import WITH_ARTICLE, country_names, country_of
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.name_pools import Pools
from mt_gate_suites.re.sample import Edit, EditedSample, Sample, reword

Rule = Callable[[Sample, str, Span], EditedSample | None]
"""Returns the edited sample for a sample, an argument's name and its span; None if unsure."""

_AGE = r"[1-9]|[1-9]\d|1[01]\d"
_YEARS_OLD = re.compile(rf"({_AGE})-years?-old")
_PERSONS, _GROUPS = word_set("re/co_related", "persons"), word_set("re/co_related", "groups")
_WORKS = word_set("re/co_related", "works")
_NOUNS = _PERSONS | _GROUPS | _WORKS
_SHORT = {"American": "US", "British": "UK"}
_LONG = {"US": "American", "U.S.": "American", "UK": "British", "U.K.": "British"}
_EARLIER = re.compile(r"\b(?:1[0-8]\d\d|[1-9]\d\d AD|BC)\b")
"""A year before ``US actress`` was in use."""
_NAMED = frozenset({"PERSON", "ORGANIZATION"})
_PLACES = frozenset({"CITY", "STATE_OR_PROVINCE", "COUNTRY", "LOCATION", "FACILITY"})
_STOPS = frozenset(".,;:)!?")
_GOES_ON = frozenset("who whose known born based".split())
_OPENS_BEFORE = frozenset("by with for of to against from".split())


def transform(sample: Sample, _: Pools) -> list[EditedSample]:
    """Return the sample with its head, then its tail, in words of another type."""
    made = []
    for name in ARGUMENTS:
        argument = sample.argument(name)
        span = sample.doc.char_span(argument.start, argument.end)
        national = argument.type in {"COUNTRY", "NATIONALITY"}
        # A firm in a French city need not be French, so another argument must not be a place.
        if span is None or (national and sample.other(name).type in _PLACES):
            continue
        edits = [rule(sample, name, span) for rule in _RULES.get(argument.type, ())]
        made += [one for one in edits if one and not (national and _is_said_twice(one, name))]
    return made


def _is_said_twice(change: EditedSample, name: str) -> bool:
    """Whether the rest of the sentence names the same country or its people."""
    argument = change.head if name == HEAD else change.tail
    words = change.text[argument.start : argument.end]
    rest = f"{change.text[: argument.start]}|{change.text[argument.end :]}"
    code = country_of(words)
    said = {words, *(country_names(code) if code else ()), adjective_of(words)} - {""}
    return any(re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", rest) for one in said)


def _say_in_years(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``Jupp, 46,``: ``Jupp, 46 years old,``."""
    doc = span.doc
    if not re.fullmatch(_AGE, span.text) or span.start < 2 or span.end == len(doc):
        return None
    around = doc[span.start - 1].text + doc[span.end].text
    if around not in {",,", ",.", "()"} or doc[span.start - 2].ent_type_ != "PERSON":
        return None
    new = f"{span.text} years old" if span.text != "1" else "1 year old"
    return reword(sample, name, (span.start_char, span.end_char, new), new, "DURATION")


def _say_aged(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``a 46-year-old man``: ``a man aged 46``."""
    doc, match = span.doc, _YEARS_OLD.fullmatch(span.text)
    end = _find_nouns_end(doc, span.end)
    if not match or end == span.end or doc[end - 1].tag_ != "NN" or not span.start:
        return None
    ends = _ends(doc, end)
    article = _fix_article(span, doc[span.end].text)
    if not ends or doc[end - 1].lemma_ not in _PERSONS or article is None:
        return None
    edit = _insert(doc[end - 1], f" aged {match[1]}")
    return reword(sample, name, edit, match[1], "NUMBER", [*article, _cut(span)])


def _swap_letters(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``a US actress``: ``an American actress``, and back where the text is of our time."""
    new = _LONG.get(span.text) or ("" if _EARLIER.search(sample.text) else _SHORT.get(span.text))
    end = _find_nouns_end(span.doc, span.end)
    last_token = span.doc[end - 1]
    noun = last_token if span.end < end <= span.end + 3 else None
    if not new or noun is None or _is_one_of_several(span):
        return None
    # A UK firm, and hardly a UK sculptor.
    nouns = _NOUNS if span.text in _LONG else _GROUPS if new == "UK" else _PERSONS | _GROUPS
    article = _fix_article(span, new)
    if noun.lemma_.lower() not in nouns or article is None:
        return None
    kind = "NATIONALITY" if span.text in _LONG else "COUNTRY"
    return reword(sample, name, (span.start_char, span.end_char, new), new, kind, article)


def _move_behind_noun(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``a French actor``: ``an actor from France``."""
    doc, country = span.doc, country_of_adjective(span.text)
    end = _find_phrase_end(doc, span.end)
    at = span.start - 1 - (span.start > 1 and _may_follow_article(doc[span.start - 1]))
    if not country or end is None or at < 0 or doc[at].lower_ not in {"a", "an"}:
        return None
    if _is_one_of_several(span):
        return None
    article = _fix_article(span, doc[span.end].text)
    if article is None or (at and doc[at - 1].lower_ in {"and", "or", "&"}):
        return None
    edit = _insert(doc[end - 1], f" from {_add_article(country)}")
    return reword(sample, name, edit, country, "COUNTRY", [*article, _cut(span)])


def _move_behind_name(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``French actor Alain Delon``: ``Alain Delon, an actor from France``."""
    doc, country = span.doc, country_of_adjective(span.text)
    start, first = _find_nouns_end(doc, span.end), span.start
    if start in {span.end, len(doc)} or doc[start - 1].tag_ != "NN":
        return None
    if not country or doc[start - 1].lemma_.lower() not in _PERSONS | _GROUPS:
        return None
    if first and doc[first - 1].lower_ == "the":
        first -= 1
    before = doc[first - 1] if first else None
    opens = before is None or before.lower_ in _OPENS_BEFORE or before.pos_ == "VERB"
    opens = opens or (
        first > 1 and doc[first - 1].text == "," and doc[first - 2].ent_type_ == "DATE"
    )
    end = _find_name_end(sample, start)
    article = article_for(doc[span.end].text)
    if not opens or end is None or article is None:
        return None
    closing = "" if end == len(doc) or doc[end].text in _STOPS else ","
    noun = doc[span.end : start].text
    said = f", {article} {noun} from {_add_article(country)}{closing}"
    more = [(doc[first].idx, doc[start].idx, "")]
    return reword(sample, name, _insert(doc[end - 1], said), country, "COUNTRY", more)


def _insert(token: Token, words: str) -> Edit:
    end = token.idx + len(token)
    return end, end, words


def _cut(span: Span) -> Edit:
    return span.start_char, span.doc[span.end].idx, ""


def _add_article(country: str) -> str:
    return f"the {country}" if country in WITH_ARTICLE else country


def _may_follow_article(token: Token) -> bool:
    small = token.text.islower() and token.tag_ in {"JJ", "VBN"}
    return small or (len(token.text) == 4 and token.text.isdigit())


def _fix_article(span: Span, new: str) -> list[Edit] | None:
    """Return the edit of ``a`` or ``an`` before a span whose first word changes, or None."""
    token = span.doc[span.start - 1] if span.start else None
    if token is None or token.lower_ not in {"a", "an"}:
        return []
    wanted = "a" if new in {"US", "UK"} else article_for(new)
    if wanted is None:
        return None
    return [(token.idx, token.idx + len(token), token.text[0] + wanted[1:])]


def _is_one_of_several(span: Span) -> bool:
    """Whether a word is part of a pair or term: ``Canada vs U.S.``, ``American football``."""
    if span.doc[span.end : span.end + 1].text in {"football", "rules"}:
        return True
    before = span.doc[span.start - 1] if span.start else None
    if before is None or before.i == 0:
        return False
    return before.text in {"-", "–", "/", "&", "and", "or", "vs."} or before.text[0].isupper()


def _find_nouns_end(doc: Doc, start: int) -> int:
    at = start
    while at < len(doc) and doc[at].text.islower() and doc[at].pos_ in {"ADJ", "NOUN"}:
        at += 1
    return at


def _find_phrase_end(doc: Doc, start: int) -> int | None:
    """Return the index after nouns such as ``actor and singer``; None if unsure."""
    at, end, known = start, None, True
    while known and at < len(doc):
        item = _find_nouns_end(doc, at)
        last = doc[item - 1]
        known = item > at and last.tag_ == "NN" and last.lemma_.lower() in _NOUNS
        end = item if known and _ends(doc, item) else None if item > at else end
        at = item
        while at < len(doc) and doc[at].lower_ in {",", "and"}:
            at += 1
        known = known and at > item
    words = [token.lower_ for token in doc[start:end]]
    half = "," in words and "and" not in words
    return None if half or doc[at - 1].lower_ == "and" else end


def _ends(doc: Doc, at: int) -> bool:
    return at >= len(doc) or doc[at].text in _STOPS or doc[at].lower_ in _GOES_ON


def _find_name_end(sample: Sample, start: int) -> int | None:
    """Return the index after the typed name that begins at ``start``; None if unsure."""
    doc = sample.doc
    at = doc[start].idx
    ends = [e.end for e in sample.entities if e.start == at and e.label in _NAMED]
    span = doc.char_span(at, ends[0]) if ends else None
    if span is None or span.root.dep_ == "conj":
        return None
    if any(child.dep_ in {"conj", "cc"} for child in span.root.children):
        return None
    if span.end == len(doc) or doc[span.end].text in _STOPS:
        return span.end
    after = doc[span.end]
    follows = after.pos_ in {"ADP", "VERB", "AUX"} and after.text.islower()
    return span.end if follows and after.lower_ != "of" else None


_RULES: dict[str, tuple[Rule, ...]] = {
    "NUMBER": (_say_in_years,),
    "DURATION": (_say_aged,),
    "COUNTRY": (_swap_letters,),
    "NATIONALITY": (_swap_letters, _move_behind_noun, _move_behind_name),
}
