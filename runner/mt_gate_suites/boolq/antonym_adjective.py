"""MR1-1: the first adjective that the question asserts becomes its opposite.

Source: the reading-comprehension paper (ESEC/FSE 2021), section 4.1. Output:
inverted, if the answer to the original is yes.
    be NP adj               is it legal to own a handgun -> is it illegal to own a handgun
    be NP1 adj NP2          is oz a real place -> is oz a fictional place
    be NP1 done prep adj    is scott and sid based on a true story -> ... a false story

The published code replaces any first adjective. Here yes to the original must rule
out yes to the edited question. So the adjective must describe the subject, without
"some", "ever" or "partly". ``is there a big dog`` does not rule out a small dog.
"""

from __future__ import annotations

import re

from spacy.tokens import Token

from mt_gate_suites.boolq.adjectives import (
    ANTONYMS,
    END,
    LEXICON,
    is_adjective,
    is_predicate,
    is_term,
    next_word,
    noun_after,
    partner,
    rewrite,
)
from mt_gate_suites.boolq.question import BE, ParsedQuestion, Resources
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import any_of, word_pattern, word_set

_IT = frozenset({"it", "this", "that"})
_ARTICLES = frozenset({"a", "an", "the"})
_WEAKENS = word_set(LEXICON, "weakens")
_LEAVES_ROOM = frozenset({"another", "anywhere", "somewhere", "ever", "sometimes", "either"})
_OF_STORIES = frozenset({"true", "real", "fictional"})
_OF_LAW = frozenset({"legal", "illegal", "lawful", "unlawful", "allowed", "forbidden"})
_CALLED = frozenset({"considered", "classified", "classed", "regarded", "deemed", "called"})

_HAPPENED = re.compile(rf"(?<!in )\b{any_of(LEXICON, 'happened')}\b(?! name)", re.I)
_INVENTED = word_pattern(LEXICON, "said-to-be-invented", re.I)
_TRUE_IN_PART = word_pattern(LEXICON, "true-in-part", re.I)
_SETTING = re.compile(
    r"\b(?:fictional|fictitious|invented) (?:\w+ )?"
    r"(?:bands?|brands?|characters?|city|compan(?:y|ies)"
    r"|countr(?:y|ies)|county|films?|magazines?|products?|school|shows?|special|state|teams?|town"
    r"|universe|village|world)\b",
    re.I,
)
"""Invented places, people and things, which do not show that the story is invented."""
_LEGAL_IN_PART = word_pattern(LEXICON, "legal-in-part", re.I)


def transform(question: ParsedQuestion, resources: Resources) -> Rewrite | None:
    """Replace the first adjective that the question asserts by its opposite."""
    start = _opening(question)
    if start is None:
        return None
    for token in question.doc[start + 2 :]:
        if question.in_name(token):
            continue
        if token.lower_ in {"same", "different"}:
            return _opposed(question, token)
        adjective = token.lower_ in ANTONYMS or is_adjective(question, token)
        if adjective and _is_asserted(question, token, start):
            word, end = token.lower_, token.idx + len(token)
            if _has_room(token, start):
                return None
            new = partner(question, token, ANTONYMS.get(word, ()))
            numbered = any(other.like_num for other in question.doc[start : token.i])
            if (
                new is None
                or new in {other.lower_ for other in question.doc}
                or (word in _OF_STORIES and not _is_true_or_invented(question))
                or (word in _OF_LAW and _LEGAL_IN_PART.search(question.texts.passage))
                or is_term(token, resources.wordnet)
                or (new in {"first", "last"} and numbered)  # "the first season 14" is not natural
            ):
                return None
            first = token
            while first.nbor(-1).lower_ in _ARTICLES:
                first = first.nbor(-1)
            still = first.nbor(-1)  # "still open" becomes "closed", not "still closed"
            edits = [(still.idx, first.idx, "")] if still.lower_ == "still" else []
            return rewrite(question, [*edits, (token.idx, end, new)])
    return None


def _opening(question: ParsedQuestion) -> int | None:
    doc = question.doc
    if doc[0].lower_ in BE:
        return 0 if len(doc) > 1 and doc[1].lower_ != "there" else None
    first = next((token for token in doc[1:-2] if token.lower_ in BE), None)
    return first.i if first is not None and first.nbor().lower_ in _IT else None


def _is_asserted(question: ParsedQuestion, token: Token, start: int) -> bool:
    if is_predicate(token):
        return token.dep_ != "amod" or token.head.i < token.i
    noun = noun_after(token)
    return noun is not None and _opens_predicate(question, token, noun, start)


def _opens_predicate(question: ParsedQuestion, token: Token, noun: Token, start: int) -> bool:
    """Whether a noun phrase with the adjective comes right after the subject.

    The words around it decide: parsers are often wrong about two noun phrases in a row.
    """
    first = token
    while first.nbor(-1).tag_ in {"JJ", "DT", "PRP$", "POS"} and first.nbor(-1).i > start + 1:
        first = first.nbor(-1)
    article = first.lower_ in _ARTICLES
    before = first.nbor(-1)
    while before.lower_ in {"still", "also", "really", "actually"} and before.i > start + 1:
        before = before.nbor(-1)
    if before.lower_ in {"on", "upon"} and before.nbor(-1).lower_ == "based":
        return True
    if before.i <= start:
        return False
    if before.lower_ in _CALLED | _IT or question.in_name(before):
        return article
    if article:
        return before.pos_ in {"NOUN", "PROPN", "PRON", "NUM"}
    return noun.dep_ == "attr" and noun.tag_ == "NNS"


def _has_room(token: Token, start: int) -> bool:
    doc = token.doc
    before = {other.lower_ for other in doc[start + 1 : token.i]}
    after = {other.lower_ for other in doc[token.i + 1 :]}
    joined = next_word(token) in {"or", "and", ",", "enough"}
    return joined or bool(before & _WEAKENS or after & _LEAVES_ROOM)


def _opposed(question: ParsedQuestion, token: Token) -> Rewrite | None:
    """Replace ``same`` with ``different`` or the reverse, and adapt the words around it.

    is an oz and a fl oz the same      -> is an oz and a fl oz different
    is propane the same as lpg gas     -> is propane different from lpg gas
    """
    doc, at = question.doc, token.i
    before, after = token.nbor(-1), next_word(token)
    several = "and" in {t.lower_ for t in doc[2:at]} or doc[0].lower_ in {"are", "were"}
    if token.lower_ == "different":
        start, fits = at, several or after in {"from", "than"}
        new, joint = "the same", "as"
    else:
        start, fits = at - 1, before.lower_ == "the" and (several or after == "as")
        new, joint = "different", "from"
    subject = doc[1:start]
    if (
        not fits
        or doc[0].lower_ not in BE
        or after not in {"as", "from", "than", END}
        or not subject
    ):
        return None
    if after == END:
        last = token
    else:
        last, new = token.nbor(), f"{new} {joint}"
    return rewrite(question, [(doc[start].idx, last.idx + len(last), new)])


def _is_true_or_invented(question: ParsedQuestion) -> bool:
    """Whether the passage says plainly that a story, person or place is real, or invented.

    A story may be true in part: then yes to "based on a true story" does not rule out yes to
    "based on a fictional story".
    """
    if re.search(r"\bbased on an? \w+ person\b|\b(?:book|novel)\b.*\bbased on\b", question.text):
        return False
    passage = re.sub(r"\bnon-?fiction\b", "true story", question.texts.passage, flags=re.I)
    title = question.texts.title.partition(" (")[0]
    if title:  # the title Pulp Fiction does not show that the story is invented
        passage = re.sub(re.escape(title), "it", passage, flags=re.I)
    if "based on" in question.text:  # a novel may be about true events
        passage = re.sub(r"\bnovels?\b", "book", passage, flags=re.I)
    if re.search(r"\b(?:story|stories|events?|account|tale)\b", question.text):
        passage = _SETTING.sub("", passage)
    happened, invented = _HAPPENED.search(passage), _INVENTED.search(passage)
    return (happened is None) != (invented is None) and not _TRUE_IN_PART.search(passage)
