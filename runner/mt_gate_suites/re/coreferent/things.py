"""Pronouns for things, firms and nameless persons, in the clause whose subject they are."""

from __future__ import annotations

from collections.abc import Iterator

from spacy.tokens import Doc, Span, Token

from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.coreferent.clause_subjects import own_subject, subject_over, verb_over
from mt_gate_suites.re.coreferent.person_nouns import is_person_noun

_SAYING = word_set("re/coreferent", "saying")
_EFFECTS = word_set("re/coreferent", "effects")
_TIMES = frozenset({"DATE", "TIME"})
_SINGULAR, _PLURAL = frozenset({"NN", "NNP"}), frozenset({"NNS", "NNPS"})


def own_pronouns(doc: Doc, name: Span, proper: bool) -> Iterator[Token]:
    """Give the pronouns that surely mean a name or a noun that is a subject.

    ``its`` (``their`` after a plural) in its own clause, and ``it`` as the
    subject of what it says: ``Toyota said it would close the plant``.

    Args:
        doc: parsed text.
        name: of no person.
        proper: whether it is a name; else it is a common noun.
    """
    root = name.root
    if root.dep_ not in ("nsubj", "nsubjpass") or (not proper and root.tag_ in ("NNP", "NNPS")):
        return
    plural = root.tag_ in _PLURAL and not proper
    if plural == (root.tag_ in _SINGULAR) or any(c.dep_ == "conj" for c in root.children):
        return
    for token in doc[name.end :]:
        if token.lower_ == ("their" if plural else "its") and token.tag_ == "PRP$":
            unsure = plural and _others_own(root, token)
            if _is_of(token, root) and not unsure and not _nouns_between(name, token, plural):
                yield token
        elif not plural and token.lower_ == "it" and _is_said(token, root):
            yield token


def relative(doc: Doc, name: Span, person: bool, proper: bool) -> Token | None:
    """Return ``who`` or ``which`` right after a name, where it can stand for nothing else."""
    at = name.end
    comma = at < len(doc) and doc[at].text == ","
    at += comma
    if at >= len(doc):
        return None
    token, root = doc[at], name.root
    common = not comma and not proper
    words = ("who",) if person else (("which", "that") if common else ("which",))
    if token.lower_ not in words or token.dep_ not in ("nsubj", "nsubjpass"):
        return None
    verb = token.head
    if comma and verb.lemma_ in _EFFECTS:
        return None
    if verb.dep_ != "relcl" or verb.head.i != root.i or not _agrees(root, verb):
        return None
    return None if _has_rival(name, person) else token


def _is_of(token: Token, root: Token) -> bool:
    subject = subject_over(token)
    return subject is not None and subject.i == root.i


def _others_own(root: Token, token: Token) -> bool:
    """Whether ``their`` may mean others than a plural subject.

    ``The seeds have been blown into their fields``: those of people who are not named.
    """
    if root.dep_ == "nsubjpass":
        return True
    return any(
        one.i != root.i and (one.tag_ in _PLURAL or one.lower_ in ("they", "them", "people"))
        for one in root.doc[: token.i]
    )


def _nouns_between(name: Span, token: Token, plural: bool) -> bool:
    """Whether another noun stands between that the pronoun might mean."""
    own = {one.i for one in name.root.subtree}
    for one in name.doc[name.end : token.i]:
        if one.pos_ not in ("NOUN", "PROPN", "PRON") or one.ent_type_ in _TIMES or one.i in own:
            continue
        if plural or one.tag_ in _SINGULAR or one.pos_ == "PRON":
            return True
    return any(one.i >= name.end and one.pos_ in ("NOUN", "PROPN") for one in name.root.subtree)


def _is_said(token: Token, root: Token) -> bool:
    """Whether ``it`` opens what the name says: ``Toyota said it would close the plant``."""
    verb = verb_over(token)
    if verb is None or token.dep_ != "nsubj" or verb.dep_ != "ccomp":
        return False
    over = verb.head
    if over.lemma_ not in _SAYING or (own_subject(over) or token).i != root.i:
        return False
    if verb.lemma_ in ("be", "seem", "appear", "take", "happen"):
        return False
    own = {one.i for one in root.subtree}
    rest = (one for one in root.doc[root.i + 1 : token.i] if one.i not in own)
    return not any(
        one.pos_ in ("NOUN", "PROPN", "PRON") and one.ent_type_ not in _TIMES for one in rest
    )


def _agrees(root: Token, verb: Token) -> bool:
    """Whether the number of a relative clause's verb is that of the noun."""
    finite = next((one for one in (*verb.lefts, verb) if one.tag_ in ("VBZ", "VBP")), None)
    if finite is None:
        return True
    plural = root.tag_ in _PLURAL
    return (finite.tag_ == "VBP") == plural


def _has_rival(name: Span, person: bool) -> bool:
    """Whether the clause may belong to a noun before: ``the son of John Smith, who``."""
    root = name.root
    if root.dep_ == "conj" or any(child.dep_ == "conj" for child in root.children):
        return True
    if root.dep_ == "appos":
        return True
    if not person and any(
        one.pos_ in ("NOUN", "PROPN") and one.i < name.start for one in root.ancestors
    ):
        return True
    if root.dep_ != "pobj":
        return False
    start = min(one.i for one in root.head.subtree)
    before = name.doc[start - 1] if start else None
    if not person:
        return before is None or before.pos_ not in ("VERB", "AUX", "ADV") or before.dep_ == "acl"
    nouns = [one for one in root.ancestors if one.pos_ in ("NOUN", "PROPN")]
    return any(
        is_person_noun(one) or one.ent_type_ == "PERSON" or one.tag_ == "NNS" for one in nouns
    )
