"""``boolq/voice-change``: active and passive clauses of the passage change voice.

MR2-3 of the reading-comprehension paper (ESEC/FSE 2021), section 4.2. The passage still says
the same, so the answer to the question must not change.

    the company now uses the SSE brand throughout the UK
    the SSE brand is now used by the company throughout the UK

Subject and object swap; everything else keeps its place. So a clause is changed only if no other
verb or pronoun of its sentence could depend on the old order. The clause must also share a content
word with the question: who directed a film does not matter for whether it is a true story.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

import lemminflect
from spacy.lang.en.stop_words import STOP_WORDS
from spacy.tokens import Doc, Span, Token

from mt_gate.domain import Block
from mt_gate.language.forms import TAGS, lemmas
from mt_gate_suites.boolq.question import ParsedQuestion, QuestionText, Resources
from mt_gate_suites.grammar.casing import FirstWord, first_word_case
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.grammar.verbs import Number, agrees, subject_number
from mt_gate_suites.lexicons.reading import rows, word_set

_MODALS = word_set("grammar", "modals")
_VERBS = word_set("boolq/verbs", "both-ways")
_ONE_VOICE = word_set("boolq/verbs", "one-voice")
_FORMS = {(verb, tag): form for verb, tag, form in rows("boolq/verbs", "forms", 3)}
_OWN_PREPOSITIONS = {
    word: frozenset(verbs.split()) for word, verbs in rows("boolq/verbs", "loose-objects", 2)
}
"""Verbs by preposition: a phrase with it, after the verb's object, surely belongs to the verb."""
_FREE_ADVERBS = word_set("boolq/voice", "free-adverbs")
_FREE_PREPOSITIONS = frozenset({"throughout", "during", "until", "since", "before"})
_SCOPE = word_set("boolq/voice", "scope")
_PERSONS = word_set("boolq/voice", "persons")
_AGENTS = frozenset({"PERSON", "ORG", "GPE", "NORP"})
_POINTERS = word_set("boolq/voice", "pointers")
_CLAUSES = frozenset({"ROOT", "conj", "ccomp", "advcl"})
_MARKERS = word_set("boolq/voice", "markers") | {",", "and", "but"}
_PRONOUN_TAGS = frozenset({"PRP", "PRP$", "WDT", "WP", "WP$"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_CASES = {"he": "him", "she": "her", "they": "them", "it": "it"}
_CASES |= {other: pronoun for pronoun, other in _CASES.items()}
"""Pronouns as a subject, with their other form, and the reverse."""
_WITHIN = _NOUNS | frozenset("DT JJ JJR JJS CD POS HYPH VBN VBG IN".split())
_MOST_WORDS = 10


class _Clause(NamedTuple):
    """A clause before the change: its verb, and the phrases left and right of the verb."""

    left: Span
    auxiliaries: tuple[Token, ...]
    adverbs: tuple[Token, ...]
    verb: Token
    right: Span
    passive: bool


_Piece = str | tuple[int, int, str]
"""New words, or (start, end, text) of a copy, which may differ in letter case."""


class _Turn(NamedTuple):
    """A part of the passage, and its replacement."""

    start: int
    end: int
    pieces: Sequence[_Piece]


def transform(question: ParsedQuestion, resources: Resources) -> Rewrite | None:
    """Change the voice of the first fitting clause in each sentence of the passage."""
    return voice_change(resources.nlp(question.texts.passage), question.texts)


def paper_transform(question: ParsedQuestion, resources: Resources) -> Rewrite | None:
    """Change the voice of a clause in each sentence of the passage that has a convertible one."""
    return voice_change(resources.nlp(question.texts.passage), paper=True)


def voice_change(
    passage: Doc,
    texts: QuestionText | None = None,
    at_most: int | None = None,
    *,
    paper: bool = False,
) -> Rewrite | None:
    """Change the voice of clauses that surely allow it, at most one per sentence.

    Args:
        passage: the whole passage, parsed with sentences and entities.
        texts: the question that a clause must bear on; None for no such limit.
        at_most: the most clauses to change, from the first on.
        paper: change every clause whose other voice is grammatical, though it may say less
            clearly what a pronoun or a phrase belongs to.
    """
    turns = list(_turns(passage, texts, paper=paper))[:at_most]
    new, blocks, at = "", [], 0
    for turn in [*turns, _Turn(len(passage.text), len(passage.text), ())]:
        for piece in [(at, turn.start, passage.text[at : turn.start]), *turn.pieces]:
            if isinstance(piece, str):
                new += piece
            elif piece[1] > piece[0]:
                blocks.append(Block(piece[0], len(new), piece[1] - piece[0]))
                new += piece[2]
        at = turn.end
    return Rewrite(new, tuple(sorted(blocks))) if turns else None


def _turns(passage: Doc, texts: QuestionText | None, *, paper: bool) -> Iterator[_Turn]:
    sentences = list(passage.sents)
    for sentence, following in zip_longest(sentences, sentences[1:]):
        text = sentence.text.strip()
        if not (text[:1].isupper() and text.endswith(".")):
            continue
        if not paper and _points_back(following):
            continue
        for verb in sentence:
            clause = _find_clause(verb, sentence, paper=paper)
            turn = _turn(clause, sentence, paper=paper) if clause else None
            if turn and (texts is None or _bears_on(verb, texts)):
                yield turn
                break


def _points_back(following: Span | None) -> bool:
    """Whether the next sentence opens with a pronoun that the order of phrases may explain."""
    for token in following or ():
        if token.lower_ in _POINTERS and token.dep_ != "det":
            return True
        if token.dep_ in {"nsubj", "nsubjpass"}:
            return False
    return False


def _bears_on(verb: Token, texts: QuestionText) -> bool:
    """Whether clause and question share a content word that is not in the passage's title."""

    def stems(text: str) -> set[str]:
        words = [w for w in re.findall(r"[^\W_]{3,}", text.lower()) if w not in STOP_WORDS]
        return {*words, *(stem for word in words for pos in TAGS for stem in lemmas(word, pos))}

    other = {"conj", "advcl", "ccomp", "parataxis"}
    parts = [t.text for c in verb.children if c.dep_ not in other for t in c.subtree]
    clause = stems(" ".join([verb.text, *parts]))
    return not (stems(texts.question) - stems(texts.title)).isdisjoint(clause)


def _find_clause(verb: Token, sentence: Span, *, paper: bool) -> _Clause | None:
    """Return the clause of a verb; None if its voice cannot change."""
    changes = verb.lemma_ not in _ONE_VOICE if paper else verb.lemma_ in _VERBS
    if not changes or not verb.is_lower or verb.dep_ not in _CLAUSES:
        return None
    children = {child.dep_: child for child in verb.children}
    passive = "nsubjpass" in children
    subject = children.get("nsubjpass" if passive else "nsubj")
    agent = children.get("agent")
    other = next(iter(agent.children), None) if agent and passive else children.get("dobj")
    if subject is None or other is None or (passive and agent is None):
        return None
    left, right = _phrase(subject, paper=paper), _phrase(other, paper=paper)
    if left is None or right is None or left.end > verb.i:
        return None
    gap = list(verb.doc[left.end : verb.i])
    auxiliaries = tuple(t for t in gap if t.dep_ in {"aux", "auxpass"})
    adverbs = tuple(t for t in gap if t.dep_ == "advmod" and t.lower_ in _FREE_ADVERBS)
    joint = verb.i + (2 if passive else 1)
    if len(auxiliaries) + len(adverbs) != len(gap) or right.start != joint:
        return None
    clause = _Clause(left, auxiliaries, adverbs, verb, right, passive)
    finite = auxiliaries[0] if auxiliaries else verb
    if not agrees(subject, finite):
        return None
    if paper:
        backward = right[0].tag_ == "PRP$"  # "his book was written by the man"
        return clause if _is_whole(clause, sentence) and not backward else None
    return clause if _is_sensible(clause) and _is_alone(clause, sentence) else None


def _is_whole(clause: _Clause, sentence: Span) -> bool:
    """Whether the phrases of a clause end where the parser says, and no second verb shares them."""
    doc, start = sentence.doc, clause.left.start
    opened = start == sentence.start or doc[start - 1].lower_ in _MARKERS
    after = doc[clause.right.end]
    ends = after.text in {".", ","} or after.dep_ in {"prep", "advmod", "npadvmod", "cc"}
    bound = {"xcomp", "ccomp", "oprd", "dative"}
    joined = (c for c in clause.verb.children if c.dep_ in bound or c.dep_ == "conj")
    return opened and ends and all(c.dep_ == "conj" and _has_subject(c) for c in joined)


def _phrase(head: Token, *, paper: bool) -> Span | None:
    """Return a plain noun phrase with its ``of`` phrases; None if it has other parts."""
    if head.tag_ == "PRP":
        allowed = _CASES if paper else {"it"}
        return head.doc[head.i : head.i + 1] if head.lower_ in allowed else None
    if paper:
        return _subtree(head)
    end = head.i + 1
    for child in head.children:
        if child.i == end and child.lower_ == "of":
            end = child.right_edge.i + 1
    span = head.doc[head.left_edge.i : end]
    # A phrase of time after a noun belongs to the verb.
    own = all(t.i < end or _is_time(t) for t in head.children)
    plain = (
        own
        and head.tag_ in _NOUNS
        and len(span) <= _MOST_WORDS
        and all(t.tag_ in _WITHIN and t.lower_ not in _SCOPE for t in span)
        and all(t.lower_ == "of" for t in span if t.tag_ == "IN")
    )
    after = head.doc[end] if end < len(head.doc) else head
    cut = after.ent_iob_ == "I"
    return span if plain and not cut else None


def _subtree(head: Token) -> Span | None:
    """Return a noun with all that depends on it, without a phrase of time; None if it is long."""
    times = [child.left_edge.i for child in head.children if child.i > head.i and _is_time(child)]
    span = head.doc[head.left_edge.i : min([head.right_edge.i + 1, *times])]
    marks = any(t.text in {",", ";", ":", "(", ")", "``", "''", '"', "--"} for t in span)
    return span if head.tag_ in _NOUNS and len(span) <= _MOST_WORDS and not marks else None


def _is_time(token: Token) -> bool:
    return token.dep_ == "prep" and any(child.ent_type_ == "DATE" for child in token.children)


def _is_sensible(clause: _Clause) -> bool:
    """Whether a person or body acts, on a definite object."""
    actor, target = clause.left, clause.right
    if clause.passive:
        actor, target = target, actor
    head = actor.root
    if not (head.ent_type_ in _AGENTS or head.lower_ in _PERSONS):
        return False
    goal = target.root
    if target.text.lower() == "it":
        return head.ent_type_ == "PERSON"
    known = target[0].lower_ in {"the", "this"}
    return known or (goal.tag_ == "NNP" and target[0].tag_ != "DT")


def _is_alone(clause: _Clause, sentence: Span) -> bool:
    """Whether nothing around a clause could depend on the order of its phrases."""
    doc, verb = sentence.doc, clause.verb
    rest = doc[clause.right.end : sentence.end]
    around = (*doc[sentence.start : clause.left.start], *rest)
    if any(t.tag_ in _PRONOUN_TAGS or t.text in {";", ":", "(", ")", "``", "''"} for t in around):
        return False
    before = doc[clause.left.start - 1]
    if clause.left.start > sentence.start and before.lower_ not in _MARKERS:
        return False
    # "makes and sells": a second verb without a subject shares the first one's.
    if any(t.tag_[0] in "VM" and not _has_subject(t) for t in rest):
        return False
    after = rest[0]
    if after.text == ".":
        return True
    # A phrase of place could belong to the noun before it: "the air bases in Spain".
    own = verb.lemma_ in _OWN_PREPOSITIONS.get(after.lower_, ())
    return after.dep_ == "prep" and (
        after.lower_ in _FREE_PREPOSITIONS
        or (after.lower_ in {"in", "on"} and _is_time(after))
        or (after.lower_ == "after" and verb.lemma_ != "name")
        or (own and after.head == verb)
    )


def _has_subject(token: Token) -> bool:
    verb = token.head if token.dep_ in {"aux", "auxpass"} else token
    described = verb.dep_ in {"amod", "compound"}
    return described or any(c.dep_ in {"nsubj", "nsubjpass", "expl"} for c in verb.children)


def _turn(clause: _Clause, sentence: Span, *, paper: bool) -> _Turn | None:
    """Return a clause in the other voice; None if a form or a capital is unclear."""
    opens = clause.left.start == sentence.start
    group, back = _verb_group(clause), _move_in(clause.left, sentence, opens=opens, paper=paper)
    front = _CASES.get(clause.right.text.lower(), clause.right.text)
    if opens:
        front = front[:1].upper() + front[1:]
    if group is None or back is None:
        return None
    auxiliaries, verb = group
    # "is now used", but "now uses".
    words: list[str | Token] = [*auxiliaries[:1], *clause.adverbs, *auxiliaries[1:], verb]
    pieces: list[_Piece] = [_copy(clause.right, front), " "]
    for word in words:
        copied = word if isinstance(word, str) else (word.idx, word.idx + len(word), word.text)
        pieces += [copied, " "]
    if not clause.passive:
        pieces.append("by ")
    return _Turn(clause.left.start_char, clause.right.end_char, [*pieces, _copy(clause.left, back)])


def _copy(phrase: Span, text: str) -> _Piece:
    """Return a phrase with a text that may differ in letter case; another text is no copy."""
    same = phrase.text.lower() == text.lower()
    return (phrase.start_char, phrase.end_char, text) if same else text


def _verb_group(clause: _Clause) -> tuple[list[str], str] | None:
    """Return the auxiliaries and the verb of the other voice, in the same tense and aspect."""
    verb, number = clause.verb, _number(clause.right)
    words = [token.lower_ for token in clause.auxiliaries]
    if number is None:
        return None
    singular = number == "singular"
    be: dict[str, str] = {"VB": "be", "VBN": "been", "VBD": "was" if singular else "were"}
    be |= dict.fromkeys(("VBZ", "VBP"), "is" if singular else "are")
    if clause.passive:
        present = "VBZ" if singular else "VB"
        tags = {"was": "VBD", "were": "VBD", "is": present, "are": present}
        tag = (tags | {"be": "VB", "been": "VBN"}).get(words.pop() if words else "", "")
    else:
        finite = verb.tag_ in {"VBD", "VBZ", "VBP"}
        tag = "VBN" if finite != bool(words) else ""
        words.append(be.get(verb.tag_, ""))
    helping = _MODALS | {"has", "have", "had"}
    if not tag or any(word not in helping for word in words[: None if clause.passive else -1]):
        return None
    perfect = "has" if singular else "have"
    form = _form(verb, tag)
    return ([perfect if w in {"has", "have"} else w for w in words], form) if form else None


def _form(verb: Token, tag: str) -> str | None:
    """Return a verb's form for a tag; a form in -ed stays as the passage spells it: cancelled."""
    if tag in {"VBD", "VBN"} and verb.lower_.endswith("ed"):
        return verb.lower_
    known = _FORMS.get((verb.lemma_, tag))
    if known or tag == "VB":
        return known or verb.lemma_
    forms = lemminflect.getInflection(verb.lemma_, tag=tag, inflect_oov=False)
    return str(forms[0]) if forms else None


def _number(phrase: Span) -> Number | None:
    """Return the number that a verb must agree with; None if unclear: the Beatles."""
    head = phrase.root
    if head.lower_ in _CASES:
        return "plural" if head.lower_ in {"they", "them"} else "singular"
    plural_name = head.tag_ == "NNP" and head.text.endswith("s") and head.ent_type_ != "PERSON"
    if head.tag_ == "NNPS" or plural_name:
        return None
    return subject_number(head)


def _move_in(phrase: Span, sentence: Span, *, opens: bool, paper: bool) -> str | None:
    """Return a phrase for the middle of the sentence, where only a name keeps its capital."""
    first, text = phrase[0], _CASES.get(phrase.text.lower(), phrase.text)
    if opens and paper and first.lower_ in {"the", "a", "an"}:
        return text[0].lower() + text[1:]
    if opens and first.tag_ != "NNP":
        case = first_word_case(sentence.as_doc())
        if case is FirstWord.UNSURE and not paper:
            return None
        if case is FirstWord.LOWER or (case is FirstWord.UNSURE and not first.ent_type_):
            text = text[0].lower() + text[1:]
    return text
