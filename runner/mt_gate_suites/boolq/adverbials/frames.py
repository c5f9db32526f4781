"""Says whether a phrase at the end of a question belongs to the whole of it.

A parser attaches such phrases badly, the more so in search queries. Here a
question must have one of a few frames in which the phrase can hardly belong
elsewhere; anything else is refused. MR2-2 of metamorphic testing for reading
comprehension (ESEC/FSE 2021), section 4.
"""

from __future__ import annotations

from spacy.tokens import Span

from mt_gate_suites.boolq.adverbials import words
from mt_gate_suites.boolq.adverbials.phrases import Adverbial, Topic
from mt_gate_suites.boolq.adverbials.verbs import LAWFUL, is_height, main_verb, verb_fits
from mt_gate_suites.boolq.question import ParsedQuestion

_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "CD"})
_NEAR = 3
"""Words right before a phrase that it may be one phrase with."""
_RUNS_ON = frozenset({"IN", "TO", "CC", "DT", "PRP$", "WRB", "WDT", "WP", "MD", "POS", "HYPH"})


def misfit(question: ParsedQuestion, phrase: Adverbial) -> str | None:
    """Return why a phrase is not sure to belong to the whole question; None if it is."""
    if phrase.rest[0].lower_ not in words.AUXILIARIES:
        return "not-a-question"
    fault = _limited(phrase.rest) or _rest_misfit(question, phrase)
    if fault:
        return fault
    return None if _frame_fits(question, phrase) else "no-frame"


def _limited(rest: Span) -> str | None:
    """A superlative, a comparison, a limit or a count of all may depend on the phrase."""
    forms = [token.lower_ for token in rest]
    if words.LIMITING & set(forms):
        return "limited"
    if words.UNIVERSAL & set(forms):
        return "quantified"
    if "same" in forms or forms.count("as") > 1:
        return "comparison"
    counted = {t.i for t in rest if t.lower_ == "more" and t.nbor().lower_ == "than"}
    counted = {i for i in counted if rest.doc[i + 2].tag_ == "CD" or rest.doc[i + 2].text == "once"}
    for token in rest:
        if token.tag_ in words.DEGREES and token.i not in counted:
            return "comparison"
        if token.lower_ == "than" and token.i - 1 not in counted:
            return "comparison"
    return None


def _rest_misfit(question: ParsedQuestion, phrase: Adverbial) -> str | None:
    """The words right before the phrase may take it as their own."""
    last = phrase.rest[-1]
    again = any(t.lower_ == phrase.opener for t in phrase.rest[-_NEAR:])
    if again and phrase.kind in {Topic.NAME, Topic.OTHER, Topic.STORY}:
        # ``is there a dodo | in alice | in wonderland``
        return "second-phrase"
    if phrase.kind is Topic.GAME and last.lower_ in words.PRIZES:
        return "complement"
    if last.tag_ in _RUNS_ON and not question.in_name(last) and not _is_free_end(phrase):
        return "runs-on"
    if any(t.lower_ in words.RELATIVE and not question.in_name(t) for t in phrase.rest[1:]):
        return "subordinate"
    if last.lower_ in words.COMPLEMENT_NOUNS and not question.in_name(last):
        return None if _is_known_status(phrase) else "complement"
    return None


def _is_free_end(phrase: Adverbial) -> bool:
    return phrase.rest[-1].lower_ in words.FREE_VERBS


def _is_known_status(phrase: Adverbial) -> bool:
    """``is 866 a toll free number in canada``; ``can you play ds games on a ds lite``."""
    last = phrase.rest[-1].lower_
    if last in words.STATUSES:
        return phrase.kind is Topic.PLACE
    if last in {"right", "left"}:
        return phrase.rest[-2].lower_ == "turn"
    return last in {"game", "games"} and phrase.kind in {Topic.PLATFORM, Topic.GAME}


def _frame_fits(question: ParsedQuestion, phrase: Adverbial) -> bool:
    rest = phrase.rest
    if any(token.lower_ == "there" for token in rest[1:3]):
        return _existential(question, phrase)
    if rest[0].lower_ not in words.BE:
        verb = main_verb(question, rest)
        return verb is not None and verb_fits(verb, phrase)
    return _extraposed(question, phrase) if rest[1].lower_ == "it" else _copular(phrase)


def _existential(question: ParsedQuestion, phrase: Adverbial) -> bool:
    """``is there a train station at oslo airport``: there is a noun, and nothing after it."""
    rest, first = phrase.rest, phrase.object[0].lower_
    last = rest[-1]
    noun = last.tag_ in _NOUNS or question.in_name(last) or last.lower_ == "something"
    if not (noun or last.lower_ in {"left", "available"}) or last.lower_ in {"there", "be", "been"}:
        return False
    if words.NOT_THERE & {token.lower_ for token in rest}:
        return False
    if last.tag_ == "CD" and rest[-2].lower_ in words.NUMBERED:
        return False
    if rest[0].lower_ in words.HAVE and first in {"a", "an"}:
        return False
    if phrase.opener == "on":
        return phrase.kind in {Topic.TIME, Topic.NAME, Topic.PLATFORM} or first in {"the", "a"}
    return True


def _extraposed(question: ParsedQuestion, phrase: Adverbial) -> bool:
    """``is it legal to own a gun in the philippines``."""
    rest = phrase.rest
    if phrase.kind not in LAWFUL and not is_height(phrase):
        return False
    verbs = [t.nbor() for t in rest[:-1] if t.lower_ == "to" and not question.in_name(t)]
    return bool(verbs) and verb_fits(verbs[-1], phrase)


def _copular(phrase: Adverbial) -> bool:
    """``is asylum a right in the united states``: a predicate that a place or story bounds."""
    rest, kind = phrase.rest, phrase.kind
    last = rest[-1].lower_
    if len(rest) < 3:
        return False
    if phrase.opener == "in" and kind in LAWFUL:
        new_noun = {"a", "an", "public", "official", "legal"} & {t.lower_ for t in rest[2:-1]}
        return last in words.LEGAL or (last in words.STATUSES and bool(new_noun))
    if kind is Topic.TIME and last in words.OPEN:
        return True
    if kind is Topic.SITUATION:
        return last in words.IN_PLAY
    if kind in {Topic.STORY, Topic.TIME} and phrase.opener == "in":
        return last in words.STATES or _is_new_noun(rest)
    return kind in {Topic.NAME, Topic.STORY, Topic.OTHER} and last in words.STATES


def _is_new_noun(rest: Span) -> bool:
    """``is garfield a real cat in the movie``: an indefinite noun is the predicate."""
    articles = [token for token in rest[2:-1] if token.lower_ in {"a", "an"}]
    return len(articles) == 1 and rest[-1].tag_ == "NN" and rest[-1].i - articles[0].i <= 2
