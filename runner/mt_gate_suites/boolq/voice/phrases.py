"""Noun phrases that may change places with each other: subject, object, agent.

A phrase ends with its head noun or with the ``of`` phrases behind it. Whatever
else is attached to it (a clause, an apposition, another preposition) may as well
belong to the verb, so a phrase that has more is left alone.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from mt_gate_suites.lexicons.reading import word_set

WORDS_AT_MOST = 10
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_WITHIN = _NOUNS | frozenset("DT PDT JJ JJR JJS CD POS HYPH CC VBN VBG RB RBS IN TO".split())
_BESIDE = _NOUNS | frozenset({"POS", "HYPH", "CD", "JJ"})
_SCOPE = word_set("boolq/voice", "scope")
_OWN = frozenset({"of", "between", "about"})
"""Prepositions that, where a parser attaches them to a noun, are surely the noun's."""
_PREPOSITIONS = _OWN | word_set("boolq/voice", "prepositions")
_ABBREVIATED = word_set("boolq/voice", "abbreviated")
_MARKS = re.compile(r"[\"“”()\[\]{}/:;…—–*=+<>_|]|--|(?<!\w)['‘’`]|['’](?!\w)(?<!s['’])")


class NounPhrase(NamedTuple):
    """A noun phrase: its head and the tokens from ``start`` up to ``end``."""

    head: Token
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The phrase's tokens."""
        return self.head.doc[self.start : self.end]

    @property
    def is_pronoun(self) -> bool:
        """Whether the phrase is a personal pronoun."""
        return self.head.tag_ == "PRP"


def agent_phrase(head: Token) -> NounPhrase | None:
    """Return the plain noun phrase, or the list of names, behind ``by``."""
    phrase = noun_phrase(head) or names(head.doc[head.left_edge.i])
    if phrase is None or has_clause(phrase):
        return None
    if any(t.dep_ == "prep" and t.lower_ != "of" for t in phrase.span):
        return None
    return phrase


def has_clause(phrase: NounPhrase) -> bool:
    """Whether a relative clause is part of a phrase, which makes a heavy opening."""
    return any(t.dep_ == "relcl" for t in phrase.span)


def noun_phrase(head: Token, *, closed: bool = False) -> NounPhrase | None:
    """Return the plain noun phrase of a head; None where it is not surely one.

    Prepositional phrases of time behind the head stay outside: a parser attaches
    them to the noun where they tell when the verb's event took place.

    Args:
        head: the noun.
        closed: whether the verb follows, so that any prepositional phrase is the noun's own.
    """
    phrase = _closed(head) if closed else _extent(head)
    if phrase is None:
        return _with_clause(head, closed=closed)
    if not _is_plain(phrase, _PREPOSITIONS if closed else _OWN):
        return None
    return phrase


def names(start: Token) -> NounPhrase | None:
    """Return a list of names that ends the sentence: Ann Lee, Bob Roy, and Cy Poe.

    It is read off the words: a parser is often wrong about lists of names.
    """
    doc = start.doc
    end = start.i
    while end < len(doc) and (doc[end].tag_ == "NNP" or doc[end].text in {",", "and"}):
        end += 1
    listed = doc[start.i : end]
    if not listed or end >= len(doc) or doc[end].text != ".":
        return None
    words = [t.text for t in listed]
    if words.count("and") != 1 or "," not in words or not doc[end - 1].ent_type_:
        return None
    last = words.index("and")
    if "," in words[last:] or last < 3 or len(words) > WORDS_AT_MOST + 4:
        return None
    people = all(t.ent_type_ in {"PERSON", "ORG"} for t in listed if t.tag_ == "NNP")
    return NounPhrase(doc[end - 1], start.i, end) if people else None


def has_marks(text: str) -> bool:
    """Whether quotation marks, brackets, dashes and their like stand in a text."""
    return bool(_MARKS.search(text))


def _with_clause(head: Token, *, closed: bool) -> NounPhrase | None:
    """Return a phrase with one relative clause, if the clause ends with the phrase.

    Before the verb that is where the verb begins; behind it, the end of the sentence.
    """
    clauses = [c for c in head.children if c.dep_ == "relcl" and c.i > head.i]
    whole = NounPhrase(head, head.left_edge.i, head.right_edge.i + 1)
    if len(clauses) != 1 or clauses[0].right_edge.i != whole.end - 1:
        return None
    if not closed and not (whole.end < len(head.doc) and head.doc[whole.end].text == "."):
        return None
    start = clauses[0].left_edge.i
    if head.doc[start].lower_ not in {"that", "who", "which"} or head.tag_ not in {"NN", "NNS"}:
        return None
    if len(whole.span) > WORDS_AT_MOST + 2 or has_marks(whole.span.text):
        return None
    inner = head.doc[start : whole.end]
    if any(t.text in {",", "-"} or t.tag_ in {"PRP", "PRP$", "CC", "EX"} for t in inner):
        return None
    if any(t.lower_ in _SCOPE for t in whole.span):
        return None
    front = NounPhrase(head, whole.start, start)
    own = all(t.head.i < start for t in front.span if t != head) and start == head.i + 1
    return whole if own and _is_plain(front, frozenset()) else None


def _closed(head: Token) -> NounPhrase | None:
    """Return all that is attached to the head, if it is prepositional phrases and attributes."""
    if head.tag_ not in _NOUNS:
        return None
    phrase = NounPhrase(head, head.left_edge.i, head.right_edge.i + 1)
    plain = all(t.dep_ not in {"appos", "relcl", "acl", "nsubj", "punct"} for t in phrase.span)
    return phrase if plain or _extent(head) == phrase else None


def _extent(head: Token) -> NounPhrase | None:
    """Return the phrase up to its ``of`` phrases; None where more belongs to it."""
    if head.tag_ not in _NOUNS:
        return None
    end = head.i + 1
    for child in head.children:
        if child.i < end:
            continue
        if child.i != end and child.left_edge.i != end:
            return None if not _stays_outside(child) else NounPhrase(head, head.left_edge.i, end)
        if _stays_outside(child):
            break
        if child.dep_ == "prep" and child.lower_ in _OWN:
            inner = _of_phrase(child)
            if inner is None:
                return None
            end = inner
        elif child.dep_ in {"cc", "conj"}:
            grown = _coordinated(head, child, end)
            if grown is None:
                return None
            end = grown
        else:
            return None
    return NounPhrase(head, head.left_edge.i, end)


def _of_phrase(preposition: Token) -> int | None:
    """Return where ``of`` and the plain phrase behind it end."""
    objects = list(preposition.children)
    if len(objects) != 1 or objects[0].dep_ != "pobj":
        return None
    inner = _extent(objects[0])
    if inner is None or inner.start != preposition.i + 1:
        return None
    return inner.end


def _coordinated(head: Token, child: Token, end: int) -> int | None:
    """Return the end of ``A and B``: two phrases of one kind, and no more."""
    if child.dep_ == "cc":
        return end + 1 if child.lower_ == "and" and child.i == end else None
    inner = _extent(child)
    alike = (child.tag_[:3] == "NNP") == (head.tag_[:3] == "NNP")
    if inner is None or inner.start != end or not alike:
        return None
    if any(c.dep_ in {"conj", "prep"} for c in child.children):
        return None
    return inner.end


def _stays_outside(child: Token) -> bool:
    """Whether what follows a noun surely tells the time of the verb: in 2010, on 3 May."""
    if child.dep_ != "prep" or child.lower_ not in {"in", "on", "during", "since", "until", "from"}:
        return False
    return any(c.dep_ == "pobj" and c.ent_type_ == "DATE" for c in child.children)


def _is_cut_short(phrase: NounPhrase) -> bool:
    """Whether the full stop behind a phrase may be that of an abbreviation: Rhode Island Ave."""
    last, doc = phrase.span[-1], phrase.head.doc
    ended = phrase.end < len(doc) and doc[phrase.end].text[0] == "."
    return ended and (len(last) == 1 or last.lower_ in _ABBREVIATED)


def _is_plain(phrase: NounPhrase, prepositions: frozenset[str]) -> bool:
    span = phrase.span
    if not 0 < len(span) <= WORDS_AT_MOST or has_marks(span.text):
        return False
    if (span[0].ent_type_ == "DATE" and span[0].like_num) or _is_cut_short(phrase):
        return False
    if any(t.tag_ not in _WITHIN or t.lower_ in _SCOPE for t in span):
        return False
    if any(t.tag_ in {"IN", "TO"} and t.lower_ not in prepositions for t in span):
        return False
    if any(t.tag_ in {"VBN", "VBG"} and t.dep_ not in {"amod", "compound"} for t in span):
        return False
    if any(t.tag_ in {"RB", "RBS"} and t.head.tag_ not in {"JJ", "VBN", "CD"} for t in span):
        return False
    return all(phrase.start <= t.head.i < phrase.end for t in span if t != phrase.head) and (
        _is_whole(phrase)
    )


def _is_whole(phrase: NounPhrase) -> bool:
    """Whether the words beside a phrase are none of it: a check of the parse."""
    doc: Doc = phrase.head.doc
    if phrase.end < len(doc):
        after = doc[phrase.end]
        cut = after.ent_iob_ == "I" and after.tag_ not in {"IN", "."}
        if after.tag_ in _BESIDE or cut or (after.is_title and not after.is_sent_start):
            return False
    before = doc[phrase.start - 1] if phrase.start else None
    if doc[phrase.start].tag_ == "DT":
        return True
    return before is None or before.tag_ not in _BESIDE | {"DT"} or before.ent_type_ == "DATE"
