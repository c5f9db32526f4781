"""The anatomy of a plain declarative sentence: subject, finite verb, predicate.

``find_clause`` accepts one form only. The subject opens the sentence, and only
a few adverbs are between it and the finite verb. Every other finite verb is in
a subordinate clause that opens with a word such as ``who``, ``that`` or
``because``. Everything else gets a reason code, because outside this form
parser errors lead to broken questions.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from spacy.tokens import Doc, Token

from mt_gate_suites.grammar.coordination import coordination_fault
from mt_gate_suites.grammar.verbs import FINITE_TAGS, agrees
from mt_gate_suites.lexicons.reading import word_set

MAX_WORDS = 32
MAX_SUBJECT = 12


class Clause(NamedTuple):
    """The parts of a declarative main clause.

    ``subject`` is the head of the subject, ``opening`` the number of tokens
    before the finite verb (subject and adverbs), ``conjuncts`` the further
    finite verbs that share subject and tense with a finite main verb.
    """

    root: Token
    subject: Token
    finite: Token
    opening: int
    conjuncts: tuple[Token, ...]


_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl"})
_AUXILIARIES = frozenset({"aux", "auxpass"})
_SUBORDINATE = frozenset({"relcl", "advcl", "ccomp", "pcomp", "acl"})
_WH_TAGS = frozenset({"WDT", "WP", "WP$", "WRB"})
_MARKS = word_set("clauses", "marks")
_GAP_ADVERBS = word_set("clauses", "gap-adverbs")
_SUBJECT_TAGS = frozenset(
    "DT PDT JJ JJR JJS NN NNS NNP NNPS CD IN POS PRP PRP$ CC , `` '' -LRB- -RRB- HYPH EX".split()
)
_SUBJECT_OPENERS_REFUSED = word_set("clauses", "no-subject-openers")
_SUBJECT_PREPOSITIONS = word_set("clauses", "subject-prepositions")


def find_clause(doc: Doc, *, paper: bool = False) -> Clause | str:
    """Return the main clause of a parsed sentence, or the reason code if it is not accepted.

    With ``paper``, a sentence or a subject may be long, and clauses need no opening word.
    """
    parts = _find_parts(doc, most=len(doc) if paper else MAX_WORDS)
    if isinstance(parts, str):
        return parts
    fault = (
        _subject_fault(doc, parts, paper=paper)
        or _gap_fault(doc, parts)
        or _chain_fault(parts)
        or (_joined_fault(parts) if paper else _finite_fault(doc, parts))
        or coordination_fault(doc, parts.root, parts.finite, parts.conjuncts)
    )
    return fault or parts


def _joined_fault(clause: Clause) -> str | None:
    """Find a second main clause, which would stay a statement: Ann came, and Bob left."""
    joined = [c for c in clause.root.children if c.dep_ in {"conj", "parataxis"}]
    if any(c.tag_ in FINITE_TAGS and c not in clause.conjuncts for c in joined):
        return "second-finite-verb"
    if any(t.i and t.is_title and t.pos_ == "PRON" and t.text != "I" for t in clause.root.doc):
        return "direct-speech"
    own = _SUBJECTS | _AUXILIARIES
    return "coordinated-clauses" if any(c.dep_ in own for j in joined for c in j.children) else None


def _find_parts(doc: Doc, most: int) -> Clause | str:
    roots = [t for t in doc if t.head == t]
    if len(roots) != 1:
        return "several-sentences"
    if len(doc) > most:
        return "too-long"
    root = roots[0]
    if any(c.dep_ in {"csubj", "csubjpass"} for c in root.children):
        return "clausal-subject"
    subjects = [c for c in root.children if c.dep_ in _SUBJECTS]
    if not subjects:
        return "no-subject"
    subject = subjects[0]
    if len(subjects) > 1 and subject.tag_ != "EX":
        return "several-subjects"
    auxiliaries = [c for c in root.children if c.dep_ in _AUXILIARIES]
    finite = auxiliaries[0] if auxiliaries else root
    if finite.tag_ not in FINITE_TAGS:
        return "no-finite-verb"
    if subject.i > finite.i:
        return "inverted"
    if subject.left_edge.i != 0:
        return "fronted"
    return Clause(root, subject, finite, finite.i, tuple(_conjuncts(root, finite)))


def _conjuncts(root: Token, finite: Token) -> list[Token]:
    """Return the finite verbs coordinated with a finite main verb: ``came and saw``."""
    tokens: list[Token] = []
    head = root
    while finite == root and root.lemma_ != "be":
        later = [c for c in head.children if c.dep_ == "conj" and c.tag_ in FINITE_TAGS]
        if not later:
            break
        head = later[0]
        tokens.append(head)
    return tokens


def _subject_fault(doc: Doc, clause: Clause, *, paper: bool) -> str | None:
    span = doc[: clause.subject.right_edge.i + 1]
    if paper and clause.subject.right_edge.i < clause.finite.i:
        agreeing = clause.subject.tag_ == "EX" or agrees(clause.subject, clause.finite)
        return None if agreeing and span[0].tag_ not in _WH_TAGS else "agreement"
    if span[0].lower_ in _SUBJECT_OPENERS_REFUSED:
        return "subject-opener"
    if len(span) > MAX_SUBJECT or clause.subject.right_edge.i >= clause.finite.i:
        return "long-subject"
    if clause.subject.tag_ not in {"NN", "NNS", "NNP", "NNPS", "PRP", "EX", "DT", "CD"}:
        return "complex-subject"
    if not all(_may_stand_in_subject(t) for t in span):
        return "complex-subject"
    if span[0].text.isdigit():
        return "number-opening"
    listed = any(t.dep_ == "conj" for t in span)
    if (any(t.tag_ == "," for t in span) and not listed) or span[-1].tag_ == ",":
        return "appositive"
    if any(t.dep_ == "appos" and doc[t.left_edge.i - 1].text != "(" for t in span):
        return "appositive"
    if clause.subject.tag_ != "EX" and not agrees(clause.subject, clause.finite):
        return "agreement"
    return None


def _may_stand_in_subject(token: Token) -> bool:
    if token.tag_ == "IN":
        return token.lower_ in _SUBJECT_PREPOSITIONS and token.dep_ == "prep"
    if token.tag_ == "CC":
        return token.lower_ in {"and", "&"}
    if token.tag_ in {"VBN", "VBG"}:
        return token.dep_ in {"amod", "compound"} and token.i < token.head.i
    if token.tag_ == "RB":
        return token.dep_ == "advmod" and token.head.tag_ in {"JJ", "CD"}
    return token.tag_ in _SUBJECT_TAGS


def _gap_fault(doc: Doc, clause: Clause) -> str | None:
    gap = doc[clause.subject.right_edge.i + 1 : clause.finite.i]
    if all(t.lower_ in _GAP_ADVERBS and t.dep_ == "advmod" for t in gap):
        return None
    return "gap"


def _chain_fault(clause: Clause) -> str | None:
    """Find an auxiliary before a verb of the wrong form: ``has Ann sleeping``."""
    if clause.finite == clause.root:
        return None
    chain = [c for c in clause.root.children if c.dep_ in _AUXILIARIES] + [clause.root]
    for auxiliary, verb in pairwise(chain):
        if auxiliary.i < clause.opening or verb.tag_ not in _governed_tags(auxiliary):
            return "auxiliary-chain"
    return None


def _governed_tags(auxiliary: Token) -> frozenset[str]:
    if auxiliary.lower_ == "'d":
        return frozenset({"VB", "VBN"})
    if auxiliary.tag_ == "MD" or auxiliary.lemma_ == "do":
        return frozenset({"VB"})
    return frozenset({"VBN"} if auxiliary.lemma_ == "have" else {"VBN", "VBG"})


def _finite_fault(doc: Doc, clause: Clause) -> str | None:
    """Find a finite verb that neither belongs to the main clause nor is surely subordinate."""
    for token in doc:
        if token.tag_ not in FINITE_TAGS or token == clause.finite or token in clause.conjuncts:
            continue
        verb = token.head if token.dep_ in _AUXILIARIES else token
        if not _is_subordinate(verb):
            return "second-finite-verb"
    return _conjunct_fault(doc, clause)


def _conjunct_fault(doc: Doc, clause: Clause) -> str | None:
    for verb in clause.conjuncts:
        if any(c.dep_ in _SUBJECTS | _AUXILIARIES | {"neg"} for c in verb.children):
            return "coordinated-clauses"
        if verb.tag_ != clause.finite.tag_ or verb.lemma_ == "be":
            return "conjunct-tense"
        between = doc[clause.finite.i + 1 : verb.i]
        if any(t.tag_ in FINITE_TAGS and t not in clause.conjuncts for t in between):
            return "conjunct-attachment"
        if between and doc[verb.i - 1].dep_ not in {"cc", "punct", "advmod"}:
            return "conjunct-attachment"
        if any(t.lower_ == "but" for t in between):
            return "contrast"
    if len(clause.conjuncts) == 1 and doc[clause.conjuncts[0].i - 2].text == ",":
        return "coordinated-clauses"
    return None


def _is_subordinate(verb: Token) -> bool:
    """Whether a finite verb is in a subordinate clause with a subject and an opening word."""
    if verb.dep_ == "conj":
        joined = verb.doc[verb.head.i + 1 : verb.i]
        if any(t.text == "," or t.tag_ in FINITE_TAGS for t in joined):
            return False
        return _is_subordinate(verb.head)
    if verb.dep_ not in _SUBORDINATE:
        return False
    start = verb.left_edge.i
    opening = verb.doc[start : verb.i]
    if not any(c.dep_ in _SUBJECTS for c in verb.children):
        return False
    return any(t.tag_ in _WH_TAGS or (t.dep_ == "mark" and t.lower_ in _MARKS) for t in opening)
