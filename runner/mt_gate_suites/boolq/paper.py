"""The relations of questions, wherever the reading-comprehension paper applies them.

MR1-1 to MR2-2 (ESEC/FSE 2021), sections 4.1 and 4.2. A question needs the paper's form, and the
edited question must be grammatical. Whether the answer must then be the same, or inverted, is not
checked: yes to ``did she win`` does not rule out yes to ``will she win``. The strict rules, in the
module of each relation, check it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from spacy.tokens import Span, Token

from mt_gate.domain import Block
from mt_gate.language.forms import inflected, lemmas, tags
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.adjectives import ADJECTIVES, Edit, is_term, rewrite
from mt_gate_suites.boolq.before_after import SWAPPED
from mt_gate_suites.boolq.negation_tag import PAPER, TAG, statement
from mt_gate_suites.boolq.question import BE, ParsedQuestion, Resources
from mt_gate_suites.boolq.statements import find_parts
from mt_gate_suites.grammar import untouchable
from mt_gate_suites.grammar.rewrite import Rewrite, compose, edited
from mt_gate_suites.grammar.verbs import subject_number
from mt_gate_suites.lexicons.reading import word_set

_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl"})
_NEGATIVES = word_set("boolq/negation", "negative")
_CLAUSES = frozenset({"when", "if"})
_PHRASES = frozenset({"in", "at", "on"})
_BOUND = word_set("boolq/adverbials", "bound-to-in-at-on")


def replace_by_antonym(question: ParsedQuestion, resources: Resources) -> Rewrite | None:
    """MR1-1: the first adjective of a question with ``be`` becomes its antonym."""
    first = next(_adjectives(question, resources.wordnet), None)
    if question.doc[0].lower_ not in BE or first is None:
        return None
    return _replaced(question, [first], resources.wordnet.antonym)


def replace_by_synonyms(question: ParsedQuestion, resources: Resources) -> Rewrite | None:
    """MR2-1: every adjective becomes a synonym, if it has one."""
    adjectives = [*_adjectives(question, resources.wordnet)]
    return _replaced(question, adjectives, resources.wordnet.synonym)


def _adjectives(question: ParsedQuestion, wordnet: WordNet) -> Iterator[Token]:
    """Yield the adjectives that are in no name or fixed term, and do not count or point."""
    for token in question.doc[1:]:
        free = token.tag_ in ADJECTIVES and token.is_alpha and not question.in_name(token)
        glued = token.i + 1 < len(token.doc) and token.nbor().text in {"-", "or", "and"}
        if free and not (glued or untouchable.counts(token) or is_term(token, wordnet)):
            yield token


def _replaced(
    question: ParsedQuestion, adjectives: list[Token], other: Callable[[str], str]
) -> Rewrite | None:
    edits: list[Edit] = []
    for token in adjectives:
        new = next(
            (
                form
                for lemma in sorted(lemmas(token.lower_, "ADJ") or {token.lower_})
                if (word := other(lemma))
                for form in (inflected(word, token.tag_) if token.tag_ != "JJ" else (word,))
            ),
            None,
        )
        if new == "same":
            new = "the same" if token.nbor(-1).pos_ != "DET" else None
        if new and new not in {near.lower_ for near in question.doc}:
            edits.append((token.idx, token.idx + len(token), new))
    return rewrite(question, edits) if edits else None


def change_tense(question: ParsedQuestion, _: Resources) -> Rewrite | None:
    """MR1-2: past and present perfect become future, and future becomes present perfect.

    did she win, has she won                -> will she win
    will she win, is she going to win       -> has she ever won
    """
    first = question.doc[0]
    if question.in_name(first) or _NEGATIVES & {token.lower_ for token in question.doc}:
        return None
    chain = _chain(first)
    going = [t for t in chain[1:] if t.lower_ == "going" and t.nbor().lower_ == "to"]
    if going and first.lower_ in {"is", "are"}:
        verb = next((t for t in question.doc[going[0].i + 2 :] if t.tag_ == "VB"), None)
        has = "has" if first.lower_ == "is" else "have"
        return _perfect(question, has, going[0], verb)
    if len(chain) < 2 or chain[1].i < 2:
        return None
    verb = chain[1]
    edits = [(0, len(first), "will")]
    match first.lower_:
        case "did" if "VB" in tags(verb.lower_) or verb.lower_ in {"be", "have", "do"}:
            return edited(question.text, edits)
        case "has" | "have" if verb.tag_ in {"VBN", "VBD"}:
            base = "be" if verb.lower_ == "been" else next(iter(_bases(verb)), None)
            adverbs = {"yet", "already"} & {token.lower_ for token in question.doc}
            end = verb.idx + len(verb)
            return (
                edited(question.text, [*edits, (verb.idx, end, base)])
                if base and not adverbs
                else None
            )
        case "will":
            number = subject_number(_subject(chain[-1]) or verb)
            return _perfect(question, "have" if number == "plural" else "has", verb, verb)
    return None


def _perfect(
    question: ParsedQuestion, has: str, start: Token, verb: Token | None
) -> Rewrite | None:
    """Put ``has`` for the auxiliary, and ``ever`` with the participle for the words to the verb."""
    done = "been" if verb is not None and verb.lower_ == "be" else ""
    if verb is not None and not done:
        done = next((form for base in _bases(verb) for form in inflected(base, "VBN")), "")
    if verb is None or not done:
        return None
    before = start.nbor(-1)
    if question.doc[1].lower_ in {"i", "you", "we", "they"}:
        has = "have"
    ever = "" if before.lower_ in {"ever", "still", "also"} else "ever "
    return edited(
        question.text,
        [(0, len(question.doc[0]), has), (start.idx, verb.idx + len(verb), f"{ever}{done}")],
    )


def _chain(first: Token) -> list[Token]:
    """Return the auxiliary that opens a question, the other auxiliaries and the verb, in order."""
    verb = first.head if first.dep_ in {"aux", "auxpass"} else first
    parts = [c for c in verb.children if c.dep_ in {"aux", "auxpass"} and c.tag_ != "TO"]
    return sorted({*parts, verb, first}, key=lambda token: token.i)


def _subject(verb: Token) -> Token | None:
    subjects = [child for child in verb.children if child.dep_ in _SUBJECTS]
    if any(child.dep_ == "expl" for child in subjects):
        return next((child for child in verb.children if child.dep_ == "attr"), None)
    return subjects[0] if subjects else None


def _bases(verb: Token) -> list[str]:
    return sorted(lemmas(verb.lower_, "VERB"), key=lambda base: base != verb.lemma_)


def swap_order(question: ParsedQuestion, _: Resources) -> Rewrite | None:
    """MR1-3: the first ``before`` becomes ``after``, or the reverse."""
    for token in question.doc:
        if token.lower_ in SWAPPED and not question.in_name(token):
            if token.nbor().is_punct:  # "has it happened before"
                return None
            end = token.idx + len(token)
            return edited(question.text, [(token.idx, end, SWAPPED[token.lower_])])
    return None


def negate(question: ParsedQuestion, resources: Resources) -> Rewrite | None:
    """MR1-4: the negated statement, with ``is it right``."""
    if _NEGATIVES & {token.lower_ for token in question.doc}:
        return None
    parts = find_parts(question, resources.nlp)
    if parts is None:
        return None
    negation = statement(question, parts)
    end = len(negation.text)
    return compose(negation, edited(negation.text, [(end, end, TAG)]))._replace(stratum=PAPER)


def move_adverbial(question: ParsedQuestion, _: Resources) -> Rewrite | None:
    """MR2-2: a clause of ``when`` or ``if``, or a phrase of ``in``, ``at`` or ``on``, moves.

    From the beginning it moves to the end, from anywhere else to the beginning.
    """
    doc, text = question.doc, question.text
    opening = doc[0].lower_ in _CLAUSES | _PHRASES
    if opening:
        comma = next((token for token in doc if token.text == ","), None)
        if comma is None or comma.i + 3 > len(doc):
            return None
        part, rest = text[: comma.idx], text[comma.nbor().idx :]
        at = comma.nbor().idx
        blocks = Block(at, 0, len(rest)), Block(0, len(rest) + 1, len(part))
        return Rewrite(f"{rest} {part}", tuple(sorted(blocks)))
    start = _adverbial(question)
    if start is None:
        return None
    rest, part = text[: start.nbor(-1).idx + len(start.nbor(-1))], text[start.idx :]
    blocks = Block(0, len(part) + 2, len(rest)), Block(start.idx, 0, len(part))
    return Rewrite(f"{part}, {rest}", blocks)


def _adverbial(question: ParsedQuestion) -> Token | None:
    """Return the word that opens the clause or the phrase at the end of a question."""
    words = [token for token in question.doc[2:-2] if not question.in_name(token)]
    clause = next((token for token in words if token.lower_ in _CLAUSES), None)
    phrases = [token for token in words if token.lower_ in _PHRASES and token.tag_ == "IN"]
    start = clause or (phrases[-1] if phrases else None)
    if start is None or "," in question.text:
        return None
    before, rest = start.nbor(-1), question.doc[1 : start.i]
    verbs = [t for t in question.doc[start.i + 1 :] if t.tag_[:2] in {"VB", "MD"}]
    if clause is None and (verbs or before.lower_ in _BOUND or before.lemma_ in _BOUND):
        return None
    if before.tag_ in {"IN", "DT", "TO", "CC", "PRP$", "POS"} or before.lower_ in BE | {
        "been",
        "be",
    }:
        return None
    there = question.doc[1].lower_ == "there"
    return start if there or question.doc[0].lower_ not in BE or _has_predicate(rest) else None


def _has_predicate(rest: Span) -> bool:
    """Whether a question with ``be`` has a predicate: ``is she a pilot``, not ``is the boy``."""
    return any(
        token.tag_ in {"VBN", "VBG"}
        or token.lower_ in {"a", "an", "the"}
        or (token.tag_ in ADJECTIVES and token.nbor().tag_[:2] != "NN")
        for token in rest[1:]
    )
