"""What surrounds a verb that is to change its voice: whether it bears the change.

Subject and object change places; everything else stays where it is. It must not
lean on the old subject: a participle (``making it ...``), an infinitive
(``to do so``), a second verb (``makes and sells``) or a pronoun would.
"""

from __future__ import annotations

from spacy.tokens import Span, Token

from mt_gate_suites.grammar.verbs import FINITE_TAGS
from mt_gate_suites.lexicons.reading import word_set

WORDS_AT_MOST = 70
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl", "csubj", "csubjpass"})
_CLAUSES = frozenset({"ROOT", "conj", "ccomp", "advcl"})
_JOINED = frozenset({"ROOT", "conj", "ccomp", "advcl", "parataxis"})
_MARKERS = word_set("boolq/voice", "markers")
_FRONT = word_set("boolq/voice", "front-prepositions")
_BEHIND = word_set("boolq/voice", "behind-prepositions")
_DOUBTFUL = word_set("boolq/voice", "doubtful-prepositions")
_FREE_ADVERBS = word_set("boolq/voice", "free-adverbs")
_FRONT_ADVERBS = _FREE_ADVERBS | word_set("boolq/voice", "front-adverbs")
_LAST_ADVERBS = word_set("boolq/voice", "last-adverbs")


def adverb_moves(token: Token) -> bool:
    """Whether an adverb between subject and verb stands as well before the other verb form."""
    alone = token.left_edge == token.right_edge
    return token.dep_ == "advmod" and alone and token.lower_ in _FREE_ADVERBS


def sentence_fault(sentence: Span) -> str | None:
    """Return the code of what keeps all of a sentence's verbs from changing."""
    text = sentence.text.strip()
    if not text or not (text[0].isupper() or text[0].isdigit()) or text[-1] not in ".!":
        return "fragment"
    if len(sentence) > WORDS_AT_MOST:
        return "long-sentence"
    if any(t.is_space for t in sentence[:-1]):
        return "spacing"
    if any(t.tag_ in FINITE_TAGS and not _has_subject(t) for t in sentence):
        return "verb-without-subject"
    return None


def is_enclosed(sentence: Span, token: Token) -> bool:
    """Whether a token stands within brackets or quotation marks, as far as its sentence tells."""
    before = sentence.doc[sentence.start : token.i].text
    brackets = before.count("(") != before.count(")") or before.count("[") != before.count("]")
    quoted = before.count("``") != before.count("''") or before.count('"') % 2 == 1
    return brackets or quoted or before.count("“") != before.count("”")


def _has_subject(finite: Token) -> bool:
    """Whether a finite verb, or the one before it in a coordination, has a subject."""
    verb = finite.head if finite.dep_ in {"aux", "auxpass"} else finite
    while True:
        if any(c.dep_ in _SUBJECTS for c in verb.children):
            return True
        if verb.dep_ != "conj":
            return False
        verb = verb.head


def clause_fault(verb: Token, subject: Token) -> str | None:
    """Return the code of what in a verb's place in its sentence forbids the change."""
    if verb.dep_ not in _CLAUSES:
        return "embedded"
    if sum(c.dep_ in _SUBJECTS for c in verb.children) != 1:
        return "subjects"
    if verb.dep_ == "conj" and verb.head.dep_ not in _JOINED:
        return "embedded"
    if not _opens_well(subject):
        return "opening"
    return _front_fault(verb, subject) or _mark_fault(verb, subject)


def _opens_well(subject: Token) -> bool:
    """Whether a subject begins its clause, or stands behind a comma, a joint or a time."""
    first = subject.left_edge
    if first.is_sent_start:
        return True
    before = first.nbor(-1)
    if subject.tag_ == "PRP":
        return True
    return (
        before.text in {",", ";"}
        or before.ent_type_ in {"DATE", "GPE"}
        or (
            before.lower_ in _MARKERS | {"and", "but", "then", "also", "later"}
            and before.dep_ in {"cc", "mark", "advmod"}
        )
    )


def _mark_fault(verb: Token, subject: Token) -> str | None:
    if verb.dep_ in {"ccomp", "advcl"}:
        marks = [c for c in verb.children if c.dep_ in {"mark", "advmod"} and c.i < subject.i]
        if not any(m.lower_ in _MARKERS and m.i == subject.left_edge.i - 1 for m in marks):
            return "unmarked"
        if verb.head.i > verb.i and verb.dep_ == "ccomp":
            return "inverted"
        return None
    if verb.dep_ == "conj":
        before = verb.doc[subject.left_edge.i - 1]
        if before.lower_ not in {"and", "but", "while"} or before.nbor(-1).text != ",":
            return "joined"
    return None


def _front_fault(verb: Token, subject: Token) -> str | None:
    """What stands before the subject: phrases of time and place, and linking words."""
    first = subject.left_edge.i
    for child in verb.children:
        if child.i >= first or child.dep_ in {"punct", "cc", "mark"}:
            continue
        if child.dep_ in {"ccomp", "parataxis", "conj"}:
            return "reported"
        if child.dep_ == "advmod":
            if child.lower_ not in _FRONT_ADVERBS | {"when", "while", "as", "additionally"}:
                return "front"
        elif child.dep_ == "prep":
            if child.lower_ not in _FRONT or any(t.dep_ == "pcomp" for t in child.children):
                return "front"
        elif child.dep_ == "advcl":
            if not _is_finite_clause(child):
                return "front"
        elif (child.dep_ == "npadvmod" and child.ent_type_ != "DATE") or child.dep_ != "npadvmod":
            return "front"
    return None


def rest_fault(verb: Token, start: int, loose: frozenset[str] = frozenset()) -> str | None:
    """Return the code of what stands behind a clause's phrases, from token ``start`` on.

    Prepositions that could as well go with a noun are refused unless they are in ``loose``.
    """
    for token in verb.subtree:
        if token.i < start or token.head.i >= start:
            continue
        if token.head != verb and not _is_time(token):
            return "attachment"
        fault = _behind_fault(token, loose)
        if fault:
            return fault
    if start < len(verb.doc) and verb.doc[start].tag_ not in {
        "IN", "TO", ".", ",", "RB", "CC", "WRB", "RBR"
    } and verb.doc[start].ent_type_ != "DATE":  # fmt: skip
        return "unparsed"
    return None


def _is_time(token: Token) -> bool:
    return token.dep_ == "prep" and any(c.ent_type_ == "DATE" for c in token.children)


def _behind_fault(token: Token, loose: frozenset[str]) -> str | None:
    if token.dep_ == "punct" or (token.dep_ == "cc" and token.lower_ in {"and", "but"}):
        return None
    if token.dep_ == "conj":
        subject = any(c.dep_ in _SUBJECTS for c in token.children)
        return None if subject and token.tag_[:2] in {"VB"} else "coordination"
    if token.dep_ == "advcl":
        return None if _is_finite_clause(token) else "control"
    if token.dep_ == "advmod":
        return None if token.lower_ in _LAST_ADVERBS else "adverb"
    if token.dep_ == "npadvmod":
        return None if token.ent_type_ == "DATE" else "adverbial"
    if token.dep_ == "prep":
        return _preposition_fault(token, loose)
    return f"rest-{token.dep_}"


def _preposition_fault(token: Token, loose: frozenset[str]) -> str | None:
    objects = [c for c in token.children if c.dep_ not in {"punct"}]
    time = _is_time(token)
    if token.lower_ in _DOUBTFUL - loose and not time:
        return "doubtful-preposition"
    if token.lower_ not in _BEHIND or token.nbor(-1).text == ",":
        return "preposition"
    if len(objects) != 1 or objects[0].dep_ != "pobj":
        return "preposition-object"
    clauses = [c for c in objects[0].children if c.dep_ == "relcl" and c.left_edge.tag_[0] == "W"]
    inside = {t.i for c in clauses for t in c.subtree}
    within = [t for t in objects[0].subtree if t.i not in inside]
    if any(t.dep_ in {"conj", "relcl", "acl", "appos", "cc"} for t in within):
        return "rest-clause"
    if any(t.tag_ in FINITE_TAGS for t in within):
        return "rest-clause"
    return None


def _is_finite_clause(verb: Token) -> bool:
    """Whether an adverbial clause has a subject and a conjunction of its own."""
    opened = verb.left_edge.tag_ in {"IN", "WRB"}
    finite = verb.tag_ in FINITE_TAGS or any(c.tag_ in FINITE_TAGS for c in verb.children)
    return opened and finite and any(c.dep_ in _SUBJECTS for c in verb.children)
