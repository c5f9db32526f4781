"""A nationality before a noun and a name: ``French actor Alain Delon``.

before   They hired [French] (NATIONALITY) actor Alain Delon.
after    They hired Alain Delon, an actor from [France] (COUNTRY).
"""

from __future__ import annotations

from spacy.tokens import Doc, Span

from mt_gate_suites.grammar.articles import article_for
from mt_gate_suites.lexicons.demonyms import country_of_adjective
from mt_gate_suites.re.co_related.attributes import is_one_of_several
from mt_gate_suites.re.co_related.citizens import is_bearer, nouns_end
from mt_gate_suites.re.co_related.offices import Rule, with_article
from mt_gate_suites.re.rephrase_argument import said_otherwise
from mt_gate_suites.re.sample import EditedSample, Sample

_BEFORE = frozenset("by with for of to against from".split())
_STOPS = frozenset(".,;:?!")
_KINDS = frozenset({"PERSON", "ORGANIZATION"})


def _behind_name(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``French actor Alain Delon``: ``Alain Delon, an actor from France``."""
    doc, country = span.doc, country_of_adjective(span.text)
    start = _noun_end(doc, span.end)
    opens = _opening(doc, span.start)
    if not country or start is None or opens is None or (opens and is_one_of_several(span)):
        return None
    end = _name_end(sample, start)
    if end is None or _is_listed(doc, start, end):
        return None
    noun = doc[span.end : start].text
    article = article_for(noun.split()[0])
    if article is None:
        return None
    closing = "" if end == len(doc) or doc[end].text in _STOPS else ","
    place = doc[end - 1].idx + len(doc[end - 1])
    said = f", {article} {noun} from {with_article(country)}{closing}"
    edits = [(doc[opens].idx, doc[start].idx, ""), (place, place, said)]
    return said_otherwise(sample, name, edits, 1, country, "COUNTRY")


def _noun_end(doc: Doc, start: int) -> int | None:
    """The token after ``film actor`` at ``start``, which a name follows; None if unsure."""
    at = nouns_end(doc, start)
    if at == start or at == len(doc) or doc[at - 1].tag_ != "NN" or not is_bearer(doc[at - 1]):
        return None
    return at


def _opening(doc: Doc, start: int) -> int | None:
    """The token that a phrase begins at, an article included; None if it may go on before.

    It opens the sentence, or stands behind a preposition, a verb, or ``In 2012,``.
    """
    if start and doc[start - 1].lower_ == "the":
        start -= 1
    if start == 0:
        return start
    before = doc[start - 1]
    dated = before.text == "," and start > 1 and doc[start - 2].ent_type_ == "DATE"
    opens = before.lower_ in _BEFORE or before.pos_ == "VERB" or dated
    return start if opens else None


def _name_end(sample: Sample, start: int) -> int | None:
    """The token after the one typed name that begins at a token and ends with its noun phrase."""
    doc = sample.doc
    at = doc[start].idx
    ends = [one.end for one in sample.entities if one.start == at and one.label in _KINDS]
    span = doc.char_span(at, ends[0]) if ends else None
    if span is None:
        return None
    if span.end == len(doc) or doc[span.end].text in _STOPS:
        return span.end
    after = doc[span.end]
    follows = after.pos_ in {"ADP", "VERB", "AUX"} and after.text.islower()
    return span.end if follows and after.lower_ not in {"of", "de", "von", "van"} else None


def _is_listed(doc: Doc, start: int, end: int) -> bool:
    """Whether the name is one of several, which more commas would tear apart."""
    name = doc[start:end]
    root = name.root
    if root.dep_ == "conj" or any(one.dep_ in {"conj", "cc"} for one in root.children):
        return True
    if end < len(doc) and doc[end].text == ",":
        after = doc[end + 1 : end + 3]
        return any(one.text[:1].isupper() or one.lower_ in {"and", "or"} for one in after)
    rest = doc[end : end + 12]
    return any(one.lower_ in {"and", "or"} for one in rest[:1])


OF_NATIONALITY: tuple[Rule, ...] = (_behind_name,)
