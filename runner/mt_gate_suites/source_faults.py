"""Find the reason why a parsed sentence is not a usable source for any relation.

A source must be one complete, natural, well-typed sentence: a case with a faulty
source shows nothing about the model. Reasons are stable short codes that a
suite's build report counts.
"""

from __future__ import annotations

import re

import lemminflect
from spacy.tokens import Doc, Token

from mt_gate_suites.lexicons.reading import word_set

MIN_WORDS = 4
MAX_WORDS = 45

_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_CLOSED_CLASSES = frozenset(
    {"ADP", "AUX", "CCONJ", "DET", "INTJ", "NUM", "PART", "PRON", "SCONJ", "PUNCT", "SYM", "PROPN"}
)
_ALLOWED = re.compile(r"[0-9A-Za-zÀ-ɏḀ-ỿ]|[ ,.;:'\"()\-–—/%$£€&°?!’“”‘+²³]")
_WEB = re.compile(r"https?:|www\.|\S@\S|(?:^|\s)[@#]\w|\w\.(?:com|org|net)\b|[:;=]-?[)(DP](?:\s|$)")
_SPACING = re.compile(
    r"\s[,.;:?!)%](?!\d)|\(\s|\s's\b|\s{2}|[a-z0-9][,;:?!)][A-Za-z]|[a-z]{2}\.[A-Za-z]|\w\(|\w\"\w"
    r"|,,|\.\.|,\.|\(\W*\)|\([,;:.]|\$(?!\d)|\s-|-\s|[^\s\w]–|''|\s'\s"
)
_REPEATED = re.compile(r"([A-Za-z])\1\1")
_DOUBLED = re.compile(
    r"\b((?!(?:had|that|is|do|her|so|very|New|Walla|Pago|Duran)\b)\w+) \1\b", re.I
)
_ARTICLE = re.compile(
    r"\b[Aa]n (?!h(?:our|onou?r|eir|onest|istor|abit|erb))[b-df-hj-np-tv-z][a-z]"
    r"|\b[Aa] (?!eu|u[bknrst]|uni|ewe|one|once|ouija)[aeiou][a-z]"
)
_WEB_WORDS = word_set("faults", "web-words")


def source_fault(doc: Doc) -> str | None:
    """Return the code of the first fault of a parsed sentence; None when it is good."""
    text = doc.text
    words = [t for t in doc if not (t.is_punct or t.is_space)]
    if len(words) < MIN_WORDS:
        return "too-short"
    if len(words) > MAX_WORDS:
        return "too-long"
    return _typing_fault(text) or _ending_fault(text) or _wording_fault(words) or _parse_fault(doc)


def text_fault(text: str) -> str | None:
    """Return the first fault that is visible without a parse, as most are; None if none is."""
    if sum(any(map(str.isalnum, word)) for word in text.split()) > MAX_WORDS:
        return "too-long"
    return _typing_fault(text) or _ending_fault(text)


def _typing_fault(text: str) -> str | None:
    """Find faults of typing: foreign symbols, web text, spacing, brackets."""
    if _WEB.search(text):
        return "web-text"
    if _ALLOWED.sub("", text):
        return "debris"
    if text != text.strip() or _SPACING.search(text):
        return "bad-spacing"
    if text.count("(") != text.count(")") or (text.count('"') + text.count("“")) % 2:
        return "unbalanced"
    if text.count("“") != text.count("”"):
        return "unbalanced"
    if re.search(
        r"(?:^|[\s(\"])'|'(?:$|[,.?!)\"])|’(?!\w)", re.sub(r"(?<=s)['’](?=\s\w)", "", text)
    ):
        return "stray-quote"
    return None


def _ending_fault(text: str) -> str | None:
    first = text.lstrip("\"'“(")[:1]
    if not (first.isupper() or first.isdigit()):
        return "lower-case-start"
    if not re.search(r"[.?!][\"”)]?$", text):
        return "no-final-stop"
    return None


def _wording_fault(words: list[Token]) -> str | None:
    """Find faults of spelling and register that need no syntax."""
    letters = [t.text for t in words if t.is_alpha]
    if sum(w.isupper() and len(w) > 1 for w in letters) * 3 > len(letters):
        return "all-caps"
    if any(t.text in _WEB_WORDS or t.text == "i" for t in words):
        return "web-text"
    text = words[0].doc.text
    if any(_REPEATED.search(t.text) and not t.text.isupper() for t in words):
        return "spelling"
    if any(t.text.isupper() and len(t) > 3 and t.pos_ not in {"PROPN", "NOUN"} for t in words):
        return "emphasis"
    if _ARTICLE.search(text):
        return "article"
    if _DOUBLED.search(text):
        return "doubled-word"
    if sum(is_unknown(t) for t in words) > 1:
        return "spelling"
    return None


def is_unknown(token: Token) -> bool:
    """Whether a lower-case word of an open class is in no dictionary."""
    if not (token.is_alpha and token.is_lower) or token.pos_ in _CLOSED_CLASSES:
        return False
    return len(token) > 3 and token.is_ascii and not lemminflect.getAllLemmas(token.text)


def _parse_fault(doc: Doc) -> str | None:
    if len(list(doc.sents)) > 1 or any(t.text in {".", "?", "!"} for t in doc[:-2]):
        return "several-sentences"
    if not any(t.tag_ in _FINITE for t in doc):
        return "fragment"
    return None
