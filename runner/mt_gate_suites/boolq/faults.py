"""Find the reason why a question is not a usable source, such as missing words or agreement.

An edited text keeps the faults of the original, so it is unclear whether a changed prediction is
due to the edit. Reasons are stable short codes.
"""

from __future__ import annotations

import itertools
import re

from spacy.tokens import Token

from mt_gate.language.forms import tags
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.question import BE, DO, ParsedQuestion
from mt_gate_suites.grammar.rewrite import article_for
from mt_gate_suites.lexicons.reading import ordered, word_set

_OPENERS = word_set("boolq/questions", "openers")
_MODALS = word_set("boolq/questions", "modals")
_FORMS = (
    (DO | _MODALS, {"VB"}, {"be", "have", "get"}),
    (frozenset({"has", "have", "had"}), {"VBN"}, {"been"}),
    (BE, {"VBG", "VBN"}, {"being", "to", "be", "been"}),
)
"""For each kind of opening: its words, the tags of its verb, and words that may be between."""
_SINGULAR = frozenset({"is", "was", "does", "has"})
_PLURAL = frozenset({"are", "were", "do", "have"})
_SEVERAL = word_set("boolq/questions", "singular-in-form")
_ONE = word_set("boolq/questions", "plural-in-form")
_LINKS = word_set("boolq/questions", "opens-a-clause")
_OF_SEVERAL = word_set("boolq/questions", "said-of-several")
_WITH_THE = "|".join(ordered("boolq/questions", "names-with-the"))
_BARE = re.compile(
    r"\b(?:and|are|by|does|for|from|in|into|is|of|on|to|was)"
    rf" (?:{_WITH_THE})(?= (?:and|from|in|of|on|or|to)\b|$)"
    r"|\bsuch (?:as )?thing\b"
    r"|(?<!\bthe )(?<!\bthis )(?<!\bthat )(?<!\bthese )(?<!\bthose )(?<!\bvery )\bsame\b"
    r"|(?<!\ba )(?<!\bthe )(?<!\bany )(?<!\bthis )\b(?:real|true) story\b"
)
"""Words that lack their article."""
_TYPED = re.compile(r"\b(?:u|ur|r|im|ive|dont|doesnt|didnt|isnt|arent|cant|wont|whos|thats)\b")
_COMPARED = frozenset({"alike", "connected", "different", "equal", "identical", "related", "same"})
_DUMMY = frozenset({"it", "there", "this", "that", "he", "she"})
_SUBJECT = 6
"""Index of a token: tokens before it count as part of the subject, whatever the parse."""
_SHORTEST = 4
"""Least letters of a word whose spelling is checked; shorter words may be abbreviations."""


def question_fault(question: ParsedQuestion, wordnet: WordNet) -> str | None:
    """Return the code of the first fault of a question; None when it is good."""
    doc, text = question.doc, question.text.lower()
    if doc[0].lower_ not in _OPENERS or len(doc) <= _SHORTEST:
        return "no-question"
    if _BARE.search(text) or _has_wrong_article(question):
        return "article"
    if _TYPED.search(text) or _is_misspelt(question, wordnet):
        return "spelling"
    if _has_wrong_verb(question):
        return "verb"
    return "agreement" if _disagrees(question) else None


def _has_wrong_article(question: ParsedQuestion) -> bool:
    """Whether a word is doubled, or an article is mixed up, doubled or missing."""
    for word, after in itertools.pairwise(question.doc):
        if question.in_name(word):
            continue
        if word.is_alpha and word.lower_ == after.lower_ != "had":
            return True
        if word.lower_ in {"a", "an", "the"}:
            if after.lower_ in {"a", "an", "the", "?"} and not question.in_name(after):
                return True
            spoken = article_for(after.lower_) if len(after) >= _SHORTEST else None
            plural = after.tag_ == "NNS" and after.nbor().pos_ != "NOUN"
            if word.lower_ != "the" and (plural or spoken not in {None, word.lower_}):
                return True
        bare = word.pos_ not in {"DET", "PRON", "NUM", "ADJ", "PART", "ADV", "CCONJ"}
        if (
            after.tag_ == "JJS"  # "is jupiter largest planet"
            and after.lower_ not in {"most", "least", "best", "worst"}
            and not question.in_name(after)
            and after.nbor().tag_ in {"NN", "NNS", "JJ"}
            and bare
            and word.tag_ not in {"POS", "PRP$"}
        ):
            return True
    return False


def _is_misspelt(question: ParsedQuestion, wordnet: WordNet) -> bool:
    """Whether a word is in no dictionary, and not in the passage or its title."""
    seen = f"{question.texts.passage} {question.texts.title}".lower()
    known = set(re.findall(r"[^\W\d_]+", seen))
    return any(
        token.is_alpha
        and len(token) >= _SHORTEST
        and token.lower_ not in known
        and not token.is_stop
        and not tags(token.lower_)
        and not wordnet.knows(token.lower_)
        for token in question.doc
    )


def _has_wrong_verb(question: ParsedQuestion) -> bool:
    """Whether the verb does not fit the opening (``does it contains``), or there is a second."""
    doc, opening = question.doc, question.doc[0]
    for token in doc[1:]:
        if token.lower_ in _LINKS:
            break
        if token.lower_ in BE | {"does", "did"} and not question.in_name(token):
            return True
    kind = next((kind for kind in _FORMS if opening.lower_ in kind[0]), None)
    verb = opening.head
    if kind is None:
        return False
    if opening.dep_ not in {"aux", "auxpass"} or verb is opening:
        base = (t for t in doc[1:] if t.tag_ in {"VB", "VBP"} and not question.in_name(t))
        return kind is _FORMS[0] and next(base, None) is None
    if question.in_name(verb) or not tags(verb.lower_):
        return False
    others = [t for t in verb.children if t.dep_ in {"aux", "auxpass"} and t.i > 0]
    if others:
        return others[0].lower_ not in (kind[2] if kind is _FORMS[0] else _FORMS[2][2])
    return kind[1].isdisjoint(tags(verb.lower_))


def _disagrees(question: ParsedQuestion) -> bool:
    """Whether subject and verb differ in number: is twix and mars, does the dogs, are the cup."""
    opening = question.doc[0].lower_
    subject = _subject(question)
    if opening in _SINGULAR and _is_list(question, subject):
        return True
    if subject is None or (question.in_name(subject) and not subject.text.islower()):
        return False
    near = {token.lower_ for token in subject.subtree}
    if opening in _SINGULAR:
        amount = subject.nbor(-1).like_num and subject.nbor(-2).text != "-"  # 5 pounds
        return subject.tag_ == "NNS" and subject.lower_ not in _ONE and not amount
    several = near & {"all", "both", "few", "many", "most", "number", "some", "two", "and"}
    plural = several or subject.lower_ in _SEVERAL
    return opening in _PLURAL and subject.tag_ == "NN" and not plural


def _subject(question: ParsedQuestion) -> Token | None:
    opening = question.doc[0]
    verb = opening.head if opening.dep_ in {"aux", "auxpass"} else opening
    subjects = [t for t in verb.children if t.dep_ in {"nsubj", "nsubjpass"} and t.i > opening.i]
    if not subjects and any(t.dep_ == "expl" for t in verb.children):
        subjects = [t for t in verb.children if t.dep_ == "attr"]
    return subjects[0] if subjects else None


def _is_list(question: ParsedQuestion, subject: Token | None) -> bool:
    """Whether the subject is a list: it has an "and" that is not part of a name."""
    doc = question.doc
    inside = set() if subject is None else {token.i for token in subject.subtree}
    for token in doc[1:]:
        if token.lower_ in _LINKS:
            return False
        if token.lower_ in _OF_SEVERAL and token.i - 1 not in inside:
            # "Dollar Tree and Family Dollar" may look like one name.
            after = {other.lower_ for other in doc[token.i + 1 : token.i + 4]}
            alone = token.lower_ in _COMPARED and not after & {"as", "from", "than", "to", "with"}
            ands = [t for t in doc[1 : token.i] if t.lower_ == "and"]
            return any(alone or not question.in_name(t) for t in ands)
    # The parse is often wrong about two nouns in a row, so early words count as the subject.
    early = inside if doc[1].lower_ in _DUMMY else {*inside, *range(1, _SUBJECT)}
    return any(
        token.lower_ == "and"
        and token.i in early
        and not question.in_name(token)
        and "between" not in {other.lower_ for other in doc[: token.i]}
        for token in doc
    )
