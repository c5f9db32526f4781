"""Statements that would make an odd or wrong yes/no question, told by their words.

``However, he left`` or ``It probably is`` may be inverted by the book, yet no
careful writer asks ``Is it probably?``. The checks here need only the tokens,
their tags and their marks of punctuation; ``clauses`` looks at the structure.
"""

from __future__ import annotations

import re

from spacy.tokens import Doc

from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.source_faults import is_unknown

_CONNECTIVES = word_set("ner/questions", "connectives")
_STANCE = word_set("ner/questions", "stance")
_NEGATIVES = word_set("ner/questions", "negatives")
_PHRASES = re.compile(
    r"\b(?:for example|for instance|in fact|of course|in other words|on the other hand|as follows"
    r"|not only|in addition|as a result,|that is,|i\.e|e\.g|by contrast|in contrast|after all"
    r"|the following|by the way|and now|and then|not to mention|that said|as said|as mentioned"
    r"|if any|if not|so to speak|so far as|you know|as we know|more or less|in short|in sum"
    r"|all in all|sort of|kind of a|used to|had better|would rather|due to the fact|let alone"
    r"|much less)\b",
    re.I,
)
_SPEECH = word_set("ner/questions", "speech")
_BREAKS = frozenset({";", ":", "--", "—", "?", "!", "...", "…", "*"})
_ABBREVIATED_END = re.compile(
    r"(?:\b[A-Z]|\b(?:Inc|Jr|Sr|Ltd|Co|Corp|Bros|etc|a\.m|p\.m|B\.C|U\.?S|Stat|No|Art|Sec|[Vv]ol"
    r"|ed|pp|St|Mt|Dr|Mrs?|Ms|Gen|Col|Sen|Rep|Gov|Rev|al|ca|approx|dept|Univ|Rd|Ave|Blvd|ft|lb"
    r"|oz|[Ee]sq|[Ee]st))\.$"
)


def sense_fault(doc: Doc) -> str | None:
    """Return the code of why a sentence makes no natural question; None when it may."""
    return (
        _ending_fault(doc)
        or _punctuation_fault(doc)
        or _word_fault(doc)
        or _opening_fault(doc)
        or _list_fault(doc)
    )


def _ending_fault(doc: Doc) -> str | None:
    if doc.text.endswith("?"):
        return "question"
    if doc[-1].text != "." or _ABBREVIATED_END.search(doc.text):
        return "final-mark"
    return None


def _punctuation_fault(doc: Doc) -> str | None:
    for token in doc[:-1]:
        if token.text in _BREAKS:
            return "punctuation"
        if token.text in {"–", "-"} and (token.whitespace_ or doc[token.i - 1].whitespace_):
            return "punctuation"
    if re.search(r"[a-z]–[a-z]", doc.text):
        return "punctuation"
    if any(t.head == t and t.lemma_ in _SPEECH and t.nbor(1).text == "," for t in doc[:-1]):
        return "quotation"
    for quoted in re.findall(r"[\"“]([^\"”]*)[\"”]", doc.text):
        if len(quoted.split()) > 6 or quoted[-1:] in ",.":
            return "quotation"
    for bracketed in re.findall(r"\(([^)]*)\)", doc.text):
        if len(bracketed.split()) > 6:
            return "parenthesis"
    return None


def _word_fault(doc: Doc) -> str | None:
    if _PHRASES.search(doc.text):
        return "connective"
    for token in doc:
        if token.lower_ in _CONNECTIVES:
            return "connective"
        if token.lower_ in _STANCE:
            return "stance"
        if token.lower_ in _NEGATIVES and token.text != "No":
            return "negative-word"
        if is_unknown(token):
            return "rare-word"
        if token.tag_ == "UH" and (token.is_lower or token.i == 0):
            return "interjection"
        if token.tag_ == "MD" and token.lower_ in {
            "may",
            "might",
            "shall",
            "ought",
            "need",
            "dare",
        }:
            return "modal"
    return None


def _opening_fault(doc: Doc) -> str | None:
    first = doc[0]
    if first.tag_ == "CC":
        return "conjunction-opening"
    if first.lower_ == "the" and doc[1].tag_ in {"JJR", "RBR"}:
        return "correlative"
    if first.lower_ in {"i", "we"} and not _reports_the_past(doc):
        return "first-person"
    return None


def _reports_the_past(doc: Doc) -> bool:
    """Whether a first person tells what happened: only that one may be in doubt about.

    ``I met Ann in Oslo`` makes a question; ``I suggest Oslo`` and ``I love Oslo``
    are acts and feelings, and nobody asks others whether they have them.
    """
    root = next(t for t in doc if t.head == t)
    finite = next((c for c in root.children if c.dep_ in {"aux", "auxpass"}), root)
    return finite.tag_ == "VBD" or finite.lemma_ == "have"


def _list_fault(doc: Doc) -> str | None:
    """An enumeration with no ``and``: ``It includes Oslo, Rome, Bonn.``"""
    for token in doc:
        if token.dep_ == "conj" and not any(c.dep_ == "conj" for c in token.children):
            chain = [token]
            while chain[-1].dep_ == "conj":
                chain.append(chain[-1].head)
            if not any(c.dep_ == "cc" for link in chain for c in link.children):
                return "list-without-and"
    return None
