"""What a sentence says of a place that need not hold of a larger one around it.

    moved to [Boston]                    would come from abroad
    the oldest house in [Texas]          is not the country's oldest
    In [Ohio], selling it is illegal     is one state's law
    met in 1774 in [Philadelphia]        was before the country was

``The bank in Boston`` names one bank; ``the bank in Massachusetts`` hardly does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spacy.tokens import Doc, Token

from mt_gate_suites.lexicons.places import COUNTRY, STATE
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.coarser.place_phrase import PlacePhrase
from mt_gate_suites.re.sample import Sample

_MOVING = word_set("re/coarser", "moving")
_MOVING_HOME = word_set("re/coarser", "moving-home")
_ARRIVING = word_set("re/coarser", "arriving")
_FROM_ABROAD = frozenset({"emigrate", "immigrate", "deport", "export", "emigration", "immigration"})
_STAYING = frozenset({"live", "reside", "dwell"})
_REMAINING = frozenset({"remain", "stay"})
_VISITS = frozenset({"vacation", "holiday", "visit", "trip", "tour", "winter", "summer"})
_TIMES = frozenset({"year", "day", "time", "period", "life", "month"})
"""``His early years in``, which tells them from years abroad."""
_PUBLIC = word_set("re/coarser", "public")
_NEXT = word_set("re/coarser", "next")
_LIMITS = word_set("re/coarser", "limits")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)$|(?:\w+-)?\w+est$", re.I)
_NO_ORDINALS = frozenset({"west", "interest", "guest", "forest", "contest", "test", "request"})
_DENIALS = word_set("re/coarser", "denials")
_BEFORE = word_set("re/coarser", "before")
_LAW = re.compile(
    r"\b(?:laws?|lawful(?:ly)?|legal(?:ly|ized|ised)?|legali[sz]\w*|statut\w+|prohibit\w*|felony"
    r"|misdemeanou?r|offen[cs]e|minimum|residents)\b"
)
_RULES = re.compile(
    r"\b(?:permitted|allowed|required|requires?|must|drivers?|taxe?s?|licen[cs]es?)\b"
)
"""Words of a law where a sentence tells nothing past."""
_WISHES = word_set("re/coarser", "wishes")
_COUNTRYWIDE = re.compile(
    r"\b(?:(?:the|this|that|its|entire|whole) (?:country|nation)|nationwide|Upstate New York"
    r"|countrywide|nationally|abroad|overseas)\b"
    r"|\b(?:(?:West|East|Gulf|Atlantic|Pacific) Coast|Mid[Ww]est|New England|Deep South|Upstate"
    r"|Pacific Northwest|Great Plains|Southwest|Northeast|Northwest|Southeast)\b(?! [A-Z])"
    r"|\b(?:[Nn]orth|[Ss]outh|[Ee]ast|[Ww]est)ern (?:states|United States|U\.S\.)"
)
_EARLY = re.compile(
    r"(?<![\d,.$£€])1[0-7]\d\d(?!,?\d| [a-z]{4,}s\b)|\b(?:1[0-8]th|\dth|1st|2nd|3rd)[ -]centur"
    r"|\b(?:[Cc]olon(?:y|ies|ial\w*|ists?)|[Ss]ultanate|empire|kingdom|medieval|ancient|antiquity"
    r"|duchy|Confedera(?:te|cy)\w*|Ottoman|Habsburg|Prussian?|Soviet)\b"
)
"""Signs that the country of today was not there."""
_CLAUSE = frozenset({",", ";", ":", "--", "–", "—", "(", ")"})
_NOUNS = frozenset({"NOUN", "PROPN"})
_SETTLING = word_set("re/coarser", "settling")
_CLOSE = 6
"""Tokens from a verb to its place, a date between them."""


def carries_up(sample: Sample, phrase: PlacePhrase, target: str) -> bool:
    """Whether what is said of the place surely holds of a place of kind ``target`` around it.

    Args:
        sample: the sentence.
        phrase: where the place stands.
        target: STATE_OR_PROVINCE or COUNTRY.
    """
    preposition = phrase.preposition
    if _is_set_apart(preposition) or _is_limited(preposition) or _is_definite(preposition):
        return False
    if _is_denied(sample.doc, phrase) or _is_wished(preposition):
        return False
    if _is_law(sample) or _is_counted(preposition):
        return False
    if _is_goal(preposition, _MOVING_HOME if target == STATE else _MOVING):
        return False
    return target != COUNTRY or _is_of_the_country(sample, phrase)


def is_settled(preposition: Token) -> bool:
    """Whether it says where somebody was born or died, or a firm was founded or is based."""
    if preposition.lower_ == "from":
        return True
    verb = _verb_before(preposition)
    return verb is not None and verb.lemma_ in _SETTLING and preposition.i - verb.i <= _CLOSE


def _is_law(sample: Sample) -> bool:
    """Whether it may tell what holds under the law of one state or city."""
    if _LAW.search(sample.text):
        return True
    is_past = any(token.tag_ == "VBD" for token in sample.doc)
    return not is_past and bool(_RULES.search(sample.text))


def _is_of_the_country(sample: Sample, phrase: PlacePhrase) -> bool:
    rest = sample.text[: phrase.start] + "|" + sample.text[phrase.end :]
    if _EARLY.search(sample.text) or _COUNTRYWIDE.search(rest):
        return False
    preposition = phrase.preposition
    if preposition.lower_ == "to":
        return preposition.nbor(-1).lemma_ in _FROM_ABROAD
    # "In London, the price rose" speaks of one market.
    is_scene = preposition.i == 0
    words = list(_noun_phrase(preposition))
    is_public = bool(words) and words[0].lemma_ in _PUBLIC
    verb = _verb_before(preposition)
    visited = (token.lemma_.lower() for token in (*words, *((verb,) if verb is not None else ())))
    is_visit = any(lemma in _VISITS for lemma in visited)
    # "At Heinz Field in the United States": nobody tells the country of what has a name.
    is_named = bool(words) and words[0].pos_ == "PROPN" and words[0].ent_type_ != "PERSON"
    is_part = bool(words) and words[0].lemma_ in _TIMES and any(t.tag_ == "PRP$" for t in words)
    is_played = verb is not None and verb.lemma_ == "win"
    unlike = is_scene or is_played or is_public or is_visit or is_part or is_named
    return not (unlike or _is_next_home(phrase))


def _is_set_apart(preposition: Token) -> bool:
    """Whether the place is set against others: ``as in``, ``mostly in``, ``as they had in``."""
    if not preposition.i:
        return False
    before = preposition.nbor(-1)
    return before.lower_ in _BEFORE or (before.pos_ == "AUX" and before.lemma_ in {"have", "do"})


def _noun_phrase(preposition: Token) -> Iterator[Token]:
    """Yield the words between a preposition and the verb or mark before it, the last first."""
    for at in range(preposition.i - 1, -1, -1):
        token = preposition.doc[at]
        if token.text in _CLAUSE or (token.pos_ in {"VERB", "AUX"} and not _is_participle(token)):
            return
        yield token


def _is_participle(token: Token) -> bool:
    """``brigades placed in``, which says no more than ``brigades in``."""
    return token.tag_ == "VBN" and token.i > 0 and token.nbor(-1).pos_ in _NOUNS


def _is_limited(preposition: Token) -> bool:
    """Whether it is the only one, the oldest, one of two, or all of them, in the place."""
    words = list(_noun_phrase(preposition))
    if not words or (words[0].pos_ not in _NOUNS and not _is_participle(words[0])):
        return False
    for before, token in zip([*words[1:], None], words, strict=True):
        # "the oldest building at Linfield College in" is the college's.
        if token.pos_ == "ADP" and token.lower_ not in {"of", "for", "among"}:
            return False
        if token.pos_ == "PROPN":
            continue
        if token.lower_ in _LIMITS or token.tag_ in {"JJS", "RBS"} or _is_ordinal(token):
            return True
        counted = token.like_num and before is not None and before.lower_ in {"the", "of"}
        if counted and token.is_alpha and token.ent_type_ not in {"DATE", "TIME"}:
            return True
    return False


def _is_counted(preposition: Token) -> bool:
    """``Seven presidents hail from``: of a larger place there are more."""
    verb = _verb_before(preposition) if preposition.lower_ == "from" else None
    subjects = [t for t in verb.children if t.dep_ == "nsubj"] if verb is not None else []
    return any(token.like_num for subject in subjects for token in subject.children)


def _is_ordinal(token: Token) -> bool:
    if token.ent_type_ in {"DATE", "TIME"} or token.text[0].isupper():
        return False
    return bool(_ORDINAL.match(token.text)) and token.lower_ not in _NO_ORDINALS


def _is_definite(preposition: Token) -> bool:
    """Whether ``the academy``, a common noun that the place makes one, stands before."""
    words = list(_noun_phrase(preposition))
    if not words or words[0].text[0].isupper():
        return False
    if words[0].pos_ != "NOUN" and words[0].lower_ not in {"one", "ones"}:
        return False
    for token in words:
        is_name = token.pos_ == "PROPN" and token.ent_type_ not in {"GPE", "NORP"}
        if is_name or token.pos_ == "ADP" or token.lower_ in {"and", "or"}:
            return False
        if token.lower_ in {"the", "this", "that", "these", "those"}:
            return True
    return False


def _is_wished(preposition: Token) -> bool:
    return any(token.lemma_.lower() in _WISHES for token in _noun_phrase(preposition))


def _is_denied(doc: Doc, phrase: PlacePhrase) -> bool:
    """Whether a word of denial stands before the place, or in what ``In X,`` opens."""
    at = phrase.preposition.i
    start = next((i for i in range(at - 1, -1, -1) if doc[i].text in _CLAUSE), -1) + 1
    if start < at:
        return any(_denies(token) for token in doc[start:at])
    marks = [t.i for t in doc if t.idx >= phrase.end and t.text in _CLAUSE]
    words = doc[at : marks[1] if len(marks) > 1 else len(doc)]
    return any(_denies(token) or _sets_a_record(token) for token in words)


def _denies(token: Token) -> bool:
    """``only`` denies where it is no adjective, ``the only son``; so does ``first``."""
    if token.lower_ in {"only", "first"}:
        return token.pos_ == "ADV"
    return token.lower_ in _DENIALS


def _sets_a_record(token: Token) -> bool:
    return token.lower_ in {"first", "all", "every", "most"} or token.tag_ in {"JJS", "RBS"}


def _verb_before(preposition: Token) -> Token | None:
    for at in range(preposition.i - 1, -1, -1):
        token = preposition.doc[at]
        if token.text in _CLAUSE:
            return None
        if token.pos_ == "VERB":
            return token
    return None


def _is_goal(preposition: Token, verbs: frozenset[str]) -> bool:
    verb = _verb_before(preposition)
    if preposition.lower_ == "from" or verb is None or verb.lemma_ not in verbs:
        return False
    between = preposition.doc[verb.i + 1 : preposition.i + 1]
    goal = any(token.lower_ in {"to", "into", "up", "for"} for token in between)
    return goal or (preposition.i - verb.i <= 2 and verb.lemma_ in _ARRIVING)


def _is_next_home(phrase: PlacePhrase) -> bool:
    """``then lived in``, ``lived in X until``: before or after a life in another country."""
    preposition = phrase.preposition
    verb = _verb_before(preposition)
    if verb is None or verb.lemma_ not in _STAYING | _REMAINING:
        return False
    near = preposition.doc[max(verb.i - 3, 0) : preposition.i + 1]
    after = (t.lower_ for t in preposition.doc if t.idx >= phrase.end and t.text != ",")
    is_next = any(token.lower_ in _NEXT for token in near)
    return is_next or verb.lemma_ in _REMAINING or next(after, "") in {"until", "till", "before"}
