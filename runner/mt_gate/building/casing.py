"""The letter case of a first word that moves into the sentence.

    before   Travellers have faced disruption.     Belarus shares a border.
    after    Have travellers faced disruption?     Does Belarus share a border?

A name keeps its capital, any other word loses it. Titles of works are the
trap: ``The Flash is a series`` keeps ``The``, ``The United States is`` does not.
Whatever is neither surely a name nor surely none is left undecided.
"""

from __future__ import annotations

import re
from enum import Enum

import lemminflect
from spacy.tokens import Doc, Token


class FirstWord(Enum):
    """What to do with the capital of the old first word."""

    KEEP = "keep"
    LOWER = "lower"
    UNSURE = "unsure"


_FUNCTION_WORDS = frozenset(
    "he she it we they you this that these those his her its their my our your one some many most "
    "several all both each every another there various numerous much half early late".split()
)
_ARTICLES = frozenset({"the", "a", "an"})
_NUMBERS = frozenset("two three four five six seven eight nine ten eleven twelve twenty".split())
_TITLED = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march "
    "april may june "
    "july august september october november december god".split()
)
_WORK_WORDS = frozenset(
    "film movie novel book song album single series sitcom show episode episodes franchise musical "
    "play game comic comics magazine newspaper band group anime manga soap soundtrack "
    "trilogy sequel "
    "premiered aired airs broadcast starring stars soundtrack opera cartoon remake spinoff".split()
)
_COMMON_HEADS = frozenset(
    "states kingdom republic federation union government constitution court courts congress senate "
    "house parliament council commission committee department ministry office agency bureau army "
    "navy force forces corps police act treaty convention war wars battle revolution rebellion "
    "empire dynasty party church river sea ocean lake islands island bay gulf mountains mountain "
    "desert peninsula canal strait bridge tower university college school museum library hospital "
    "airport station railway league conference association federation cup bowl olympics games open "
    "championship championships tournament president queen king pope city county district region "
    "province capital bank company corporation netherlands bahamas philippines amendment supreme "
    "commonwealth society institute foundation museum palace castle cathedral zoo park street "
    "highway avenue test system program plan accord agreement declaration nations".split()
)


_NOUN_ENDING = re.compile(
    r"(?:tion|sion|ity|ness|ism|ing|ment|logy|graphy|sis|itis|ine|ide|ase|ose|ol|ium|ologists?|icians?|women|woman"
    r"|phobia|glycan|snakes|ers|ae|ans)$"
)


_ADJECTIVE_ENDING = re.compile(r"(?:al|ic|ous|ary|oid|ive|ar|ant|ent|ed)$")
_OCCUPATIONS = frozenset(
    "actor actress singer songwriter rapper producer writer author screenwriter novelist guitarist "
    "drummer bassist keyboardist vocalist musician composer journalist reporter critic comedian "
    "broadcaster filmmaker cinematographer showrunner artist illustrator designer architect chef "
    "historian economist scientist physicist biologist lawyer attorney businessman entrepreneur "
    "developer publisher quarterback pitcher striker midfielder goalkeeper defender forward "
    "guitarists actors actresses singers producers writers authors brothers sisters "
    "presenter presenters host hosts newcomer veteran model dancer choreographer manager "
    "frontman bandleader co-creator creator creators co-founder founder founders".split()
)
_CLASS_WORDS = frozenset(
    "type types kind form species plant plants food disease condition substance mineral compound "
    "drug cheese wheat fuel material animal animals found fruit vegetable root protein "
    "polymer".split()
)
_ONE_PERSON = frozenset({"he", "him", "his", "she", "her"})
_NAMES_LIKE_WORDS = frozenset(
    "peter tom jack bill mark john bob frank jay ray pat dan ben sam mike nick harry charlie "
    "george jerry jimmy jenny rob dick twitter china turkey jordan chile guinea japan jersey "
    "google".split()
)
_DIRECTIONS = frozenset("northern southern eastern western central holy thanks less".split())
_TITLES = frozenset(
    "director coach detective officer professor doctor agent captain general senator governor "
    "president king queen prince princess judge justice mayor minister secretary chairman "
    "editor analyst inspector sergeant commander engineer former future fellow rival".split()
)


def first_word_case(doc: Doc) -> FirstWord:
    """Decide the case of ``doc[0]`` once it no longer stands first."""
    first = doc[0]
    word = first.lower_
    if _is_always_capital(first):
        return FirstWord.KEEP
    if word in _ARTICLES:
        return _after_article(doc)
    if word in _FUNCTION_WORDS or word in _NUMBERS:
        return _unless_title(doc)
    if word in _OCCUPATIONS | _TITLES:
        return FirstWord.LOWER if word in _OCCUPATIONS else FirstWord.UNSURE
    if first.tag_ in {"NNP", "NNPS"}:
        return FirstWord.KEEP if _is_name(doc) else FirstWord.UNSURE
    if first.tag_ in {"NN", "NNS", "JJ", "VBG", "JJS"}:
        return _common_word(doc)
    return FirstWord.UNSURE


def _is_always_capital(first: Token) -> bool:
    """``I``, acronyms, numbers, quoted openings, months, weekdays and demonyms."""
    text = first.text
    if text == "I" or not text[0].isalpha() or any(c.isdigit() for c in text):
        return True
    if sum(c.isupper() for c in text) > 1:
        return True
    return first.ent_type_ == "NORP" or first.lower_ in _TITLED


def _is_capitalised(token: Token) -> bool:
    return token.text[:1].isupper()


def _speaks_of_works(doc: Doc) -> bool:
    """Whether the first words may be the title of a film, book, song and so on."""
    return any(t.lower_ in _WORK_WORDS for t in doc)


def _after_article(doc: Doc) -> FirstWord:
    """``The show`` loses its capital; ``The Flash`` is undecided."""
    second = doc[1]
    if not second.text[0].isalnum():
        return FirstWord.UNSURE
    if not _is_capitalised(second) or second.ent_type_ == "NORP":
        return FirstWord.LOWER
    head = _phrase_head(doc)
    if not _is_capitalised(head) and head.tag_ in {"NN", "NNS"}:
        return FirstWord.LOWER
    if _speaks_of_works(doc):
        return FirstWord.UNSURE
    return FirstWord.LOWER if _names_an_institution(doc) else FirstWord.UNSURE


def _phrase_head(doc: Doc) -> Token:
    """The noun that the first word, a determiner, belongs to."""
    return doc[0].head if doc[0].dep_ in {"det", "poss"} else doc[0]


def _names_an_institution(doc: Doc) -> bool:
    """Whether the run of capitalised words at the start ends in, or opens with, a class word."""
    run = []
    for token in doc[1:]:
        if not _is_capitalised(token):
            break
        run.append(token.lower_)
    return bool(run) and (run[-1] in _COMMON_HEADS or run[0] in _COMMON_HEADS)


def _unless_title(doc: Doc) -> FirstWord:
    """``This show`` loses its capital; ``This Is Us`` is undecided."""
    second = doc[1]
    if _is_capitalised(second) and second.ent_type_ != "NORP" and not second.text.isupper():
        return FirstWord.UNSURE
    return FirstWord.LOWER


def _is_name(doc: Doc) -> bool:
    """Whether the sentence opens with a name: tagged so, and not just a capitalised noun."""
    first, second = doc[0], doc[1]
    known = bool(lemminflect.getAllLemmas(first.lower_))
    if first.lower_ in _NAMES_LIKE_WORDS:
        return True
    if _NOUN_ENDING.search(first.text):
        return False
    if _is_capitalised(second) and second.tag_ in {"NNP", "NNPS"}:
        return not known or any(e.start == 0 and e.end > 1 for e in doc.ents)
    if second.tag_ in {"NN", "NNS"} and _ADJECTIVE_ENDING.search(first.text):
        return False
    if known or first.tag_ == "NNPS" or any(t.lower_ in _CLASS_WORDS for t in doc):
        return first.ent_type_ in {"PERSON", "GPE"} and not known
    return bool(first.ent_type_)


def _common_word(doc: Doc) -> FirstWord:
    """``Travellers`` loses its capital; ``Breaking Bad`` and ``Friends`` are undecided."""
    first, second = doc[0], doc[1]
    if first.ent_type_ or _is_capitalised(second) or _speaks_of_works(doc):
        return FirstWord.UNSURE
    if first.lower_ in _DIRECTIONS or (second.text == "-" and _is_capitalised(doc[2])):
        return FirstWord.UNSURE
    if first.dep_ in {"nsubj", "nsubjpass"} and any(t.lower_ in _ONE_PERSON for t in doc):
        return FirstWord.UNSURE
    if not lemminflect.getAllLemmas(first.lower_):
        return FirstWord.UNSURE
    if (
        first.tag_ == "NN"
        and first.dep_ in {"nsubj", "nsubjpass"}
        and not first.text.endswith("ing")
    ):
        return FirstWord.UNSURE
    return FirstWord.LOWER
