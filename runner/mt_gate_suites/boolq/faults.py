"""Why a question is no good source: typed in haste, it may lack words or agreement.

A follow-up keeps its source's faults, and nobody can say whether an answer that changed is
due to the edit. Told by the words and by the parse; where these are in doubt, the question is
left out. Reasons are stable short codes.
"""

from __future__ import annotations

import itertools
import re

from spacy.tokens import Token

from mt_gate.language.forms import tags
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.question import BE, ParsedQuestion
from mt_gate_suites.grammar.articles import article_for
from mt_gate_suites.lexicons.reading import ordered, word_set

_OPENERS = word_set("boolq/questions", "openers")
_MODALS = word_set("boolq/questions", "modals")
_DO = frozenset({"do", "does", "did"})
_HAVE = frozenset({"has", "have", "had"})
_FORMS = ((_DO | _MODALS, {"VB"}), (_HAVE, {"VBN"}), (BE, {"VBG", "VBN"}))
"""Tags of the verb that each kind of opening wants."""
_SINGULAR = frozenset({"is", "was", "does", "has"})
_PLURAL = frozenset({"are", "were", "do", "have"})
_SEVERAL = word_set("boolq/questions", "singular-in-form")
_ONE = word_set("boolq/questions", "plural-in-form")
_LINKS = word_set("boolq/questions", "opens-a-clause")
_OF_SEVERAL = word_set("boolq/questions", "said-of-several")
_WITH_THE = "|".join(ordered("boolq/questions", "names-with-the"))
_WANTS_THE = re.compile(
    r"\b(?:and|are|by|does|for|from|in|into|is|of|on|to|was)"
    rf" (?:{_WITH_THE})(?= (?:and|from|in|of|on|or|to)\b|$)"
)
_SUCH = re.compile(r"\bsuch (?:as )?thing\b")
_TOGETHER = re.compile(r"\b(?:true or false|or not|why or why not|yes or no)\b")
_BARE_SAME = re.compile(
    r"(?<!\bthe )(?<!\bthis )(?<!\bthat )(?<!\bthese )(?<!\bthose )(?<!\bvery )\bsame\b"
)
_BARE_STORY = re.compile(r"(?<!\ba )(?<!\bthe )(?<!\bany )(?<!\bthis )\b(?:real|true) story\b")
_TYPED = re.compile(r"\b(?:u|ur|r|im|ive|dont|doesnt|didnt|isnt|arent|cant|wont|whos|thats)\b")
_COMPARED = frozenset({"alike", "connected", "different", "equal", "identical", "related", "same"})
_DUMMY = frozenset({"it", "there", "this", "that", "he", "she"})
_SUBJECT = 6
"""Words that a subject may have."""
_SHORTEST = 4
"""Letters of a word whose spelling is looked at: shorter ones are abbreviations."""


def question_fault(question: ParsedQuestion, wordnet: WordNet) -> str | None:
    """Return the code of the first fault of a question; None when it is good."""
    doc = question.doc
    if doc[0].lower_ not in _OPENERS or len(doc) <= _SHORTEST:
        return "no-question"
    text = question.text.lower()
    if any(one.search(text) for one in (_SUCH, _BARE_SAME, _BARE_STORY, _WANTS_THE)):
        return "article"
    if _TOGETHER.search(text):
        return "alternatives"
    if _doubled(question) or _articles_wrong(question) or _superlative_is_bare(question):
        return "article"
    if _TYPED.search(text) or _misspelt(question, wordnet):
        return "spelling"
    if _place_is_bare(question):
        return "preposition"
    if _verb_form_wrong(question) or _two_verbs(question):
        return "verb"
    return "agreement" if _disagrees(question) else None


def _doubled(question: ParsedQuestion) -> bool:
    pairs = itertools.pairwise(question.doc)
    return any(
        a.lower_ == b.lower_ and a.is_alpha and not question.in_name(a) and a.lower_ != "had"
        for a, b in pairs
    )


def _articles_wrong(question: ParsedQuestion) -> bool:
    """Whether "a" and "an" are mixed up, or two articles stand together."""
    for article, after in itertools.pairwise(question.doc):
        if article.lower_ not in {"a", "an", "the"} or question.in_name(article):
            continue
        if after.lower_ in {"a", "an", "the", "?"} and not question.in_name(after):
            return True
        spoken = article_for(after.lower_) if len(after) >= _SHORTEST else None
        if article.lower_ != "the" and spoken not in {None, article.lower_}:
            return True
        if article.lower_ != "the" and after.tag_ == "NNS" and after.nbor().pos_ != "NOUN":
            return True
    return False


def _superlative_is_bare(question: ParsedQuestion) -> bool:
    """Whether a superlative before a noun lacks "the": is jupiter largest planet."""
    return any(
        token.tag_ == "JJS"
        and not question.in_name(token)
        and token.lower_ not in {"most", "least", "best", "worst"}
        and token.nbor().tag_ in {"NN", "NNS", "JJ"}
        and token.nbor(-1).pos_ not in {"DET", "PRON", "NUM", "ADJ", "PART", "ADV", "CCONJ"}
        and token.nbor(-1).tag_ not in {"POS", "PRP$"}
        for token in question.doc[1:]
    )


def _place_is_bare(question: ParsedQuestion) -> bool:
    """Whether a place at the end lacks its "in": to drink in public scotland."""
    doc = question.doc
    last = doc.ents[-1] if doc.ents else None
    if last is None or last.label_ != "GPE" or last.end != len(doc) - 1 or last.start < _SHORTEST:
        return False
    before = doc[last.start - 1]
    return before.tag_ in {"NN", "NNS"} and not question.in_name(before)


def _misspelt(question: ParsedQuestion, wordnet: WordNet) -> bool:
    """Whether a word is in no dictionary, and neither in the passage nor in its title."""
    seen = f"{question.asked.passage} {question.asked.title}".lower()
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


def _verb_form_wrong(question: ParsedQuestion) -> bool:
    """Whether the verb does not fit what opens the question: does it contains, has it went."""
    opening = question.doc[0]
    word = opening.lower_
    verb = opening.head
    if opening.dep_ not in {"aux", "auxpass"} or verb is opening:
        return word in _DO | _MODALS and not any(
            token.tag_ in {"VB", "VBP"} and not question.in_name(token)
            for token in question.doc[1:]
        )
    if question.in_name(verb) or not tags(verb.lower_):
        return False
    others = [t for t in verb.children if t.dep_ in {"aux", "auxpass"} and t.i > 0]
    if others:
        first = others[0].lower_
        wanted = {"be", "have", "get"} if word in _DO | _MODALS else {"been", "being", "to", "be"}
        return first not in wanted
    allowed = next((forms for words, forms in _FORMS if word in words), None)
    return allowed is not None and allowed.isdisjoint(tags(verb.lower_))


def _two_verbs(question: ParsedQuestion) -> bool:
    """Whether there is another finite "be" without a clause: is the red panda is related."""
    for token in question.doc[1:]:
        if token.lower_ in _LINKS:
            return False
        if token.lower_ in BE | {"does", "did"} and not question.in_name(token):
            return True
    return False


def _disagrees(question: ParsedQuestion) -> bool:
    """Whether subject and verb differ in number: is twix and mars, does the dogs, are the cup."""
    opening = question.doc[0].lower_
    if opening in _SINGULAR and _is_list(question):
        return True
    subject = _subject(question)
    if subject is None or (question.in_name(subject) and not subject.text.islower()):
        return False
    listed = any(t.dep_ in {"conj", "cc"} for t in subject.children)
    if opening in _SINGULAR:
        return subject.tag_ in {"NNS"} and subject.lower_ not in _ONE and not _is_amount(subject)
    if opening in _PLURAL and subject.tag_ == "NN" and not listed:
        return subject.lower_ not in _SEVERAL and not _counts_several(subject)
    return False


def _subject(question: ParsedQuestion) -> Token | None:
    opening = question.doc[0]
    verb = opening.head if opening.dep_ in {"aux", "auxpass"} else opening
    subjects = [t for t in verb.children if t.dep_ in {"nsubj", "nsubjpass"} and t.i > opening.i]
    if not subjects and any(t.dep_ == "expl" for t in verb.children):
        subjects = [t for t in verb.children if t.dep_ == "attr"]
    return subjects[0] if subjects else None


def _is_list(question: ParsedQuestion) -> bool:
    """Whether the subject is a list: an "and", outside names, before what is said of several."""
    subject = _subject(question)
    inside = set() if subject is None else {token.i for token in subject.subtree}
    for token in question.doc[1:]:
        if token.lower_ in _LINKS:
            return False
        if token.lower_ in _OF_SEVERAL and token.i - 1 not in inside:
            between = question.doc[1 : token.i]
            # "Dollar Tree and Family Dollar" may look like one name.
            alone = token.lower_ in _COMPARED and _is_compared_alone(token)
            return any(t.lower_ == "and" and (alone or not question.in_name(t)) for t in between)
    # The parse is often wrong about two nouns in a row: what stands early is the subject.
    early = {*inside, *range(1, _SUBJECT)} if question.doc[1].lower_ not in _DUMMY else inside
    return any(
        token.lower_ == "and"
        and token.i in early
        and not question.in_name(token)
        and "between" not in {other.lower_ for other in question.doc[: token.i]}
        for token in question.doc
    )


def _is_compared_alone(token: Token) -> bool:
    """Whether nothing outside the subject is compared with it: no "as", "from" or "to"."""
    after = token.doc[token.i + 1 : token.i + 4]
    return not any(other.lower_ in {"as", "from", "than", "to", "with"} for other in after)


def _is_amount(subject: Token) -> bool:
    """Whether a plural is one amount: 5 pounds."""
    return subject.nbor(-1).like_num and subject.nbor(-2).text != "-"


def _counts_several(subject: Token) -> bool:
    """Whether words beside a noun make several of it: a lot of, both, two."""
    near = {t.lower_ for t in subject.subtree}
    return bool(near & {"all", "both", "few", "many", "most", "number", "some", "two", "and"})
