"""Read a search query as a sentence: find its letter case and names, and parse it.

BoolQ's questions are lower-case and have no question mark. A parser reads them
badly, and an edit may tear a name apart ("before sunrise", "the black album").
The passage and its title show which words are names and how names are written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Token

from mt_gate.language.wordnet import WordNet
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import word_set

_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_QUOTED = re.compile(r"\"([^\"]{2,60})\"|“([^”]{2,60})”|(?<!\w)['‘]([^'’]{2,60})['’](?!\w)")
_NOTE = re.compile(r"\s*\([^()]*\)\s*$")
_OPENS = re.compile(r"(?:^|[.!?:;\"“(\n]|--)\s*$")
_SMALL = word_set("boolq/questions", "small-words-of-names")
_NEVER_ALONE = _SMALL | word_set("boolq/questions", "no-name-alone")
_NAMES = frozenset("PERSON ORG GPE LOC FAC WORK_OF_ART PRODUCT EVENT LAW".split())
_MOST_WORDS = 12
BATCH = 256
BE = frozenset({"is", "are", "was", "were"})
DO = frozenset({"do", "does", "did"})


class QuestionText(NamedTuple):
    """A boolean question as in a suite, with the title of its passage."""

    question: str
    passage: str
    title: str = ""


class ParsedQuestion(NamedTuple):
    """A parsed question.

    ``cased`` is ``text`` with the capitals of its names. ``doc`` is the parse of ``cased``
    with a question mark; its offsets are valid in ``text``. ``names`` are the character
    spans of names and titles, disjoint and in order. No edit may change them.
    """

    texts: QuestionText
    cased: str
    doc: Doc
    names: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        """The question as written."""
        return self.texts.question

    def in_name(self, token: Token) -> bool:
        """Whether a token of ``doc`` is part of a name or title."""
        end = token.idx + len(token)
        return any(start < end and token.idx < stop for start, stop in self.names)


class Resources(NamedTuple):
    """Resources for edits of questions."""

    nlp: Language
    wordnet: WordNet


Transformation = Callable[[ParsedQuestion, Resources], Rewrite | None]
"""Edits a question, or its passage; None if the edit is not surely right."""


class _Word(NamedTuple):
    text: str
    start: int
    end: int

    @property
    def key(self) -> str:
        return self.text.casefold().replace("’", "'")

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()


def read_questions(
    texts: Sequence[QuestionText],
    nlp: Language,
    is_proper: Callable[[str], bool] | None = None,
) -> Iterator[ParsedQuestion]:
    """Case and parse questions, in their order.

    Args:
        texts: the questions, without surrounding spaces and question marks.
        nlp: an English pipeline with tagger, parser and entities.
        is_proper: returns whether a lower-case word can only be a name;
            called for words that the passage does not have.
    """
    cased = [_restore_case(item, is_proper) for item in texts]
    docs = nlp.pipe((f"{text}?" for text, _ in cased), batch_size=BATCH)
    for item, (text, names), doc in zip(texts, cased, docs, strict=True):
        entities = [
            # The parser may include the question mark in a name.
            (ent.start_char, min(ent.end_char, len(text)))
            for ent in doc.ents
            if ent.label_ in _NAMES and ent.start_char < len(text)
        ]
        yield ParsedQuestion(item, text, doc, _merge([*names, *entities]))


def _split(text: str) -> list[_Word]:
    return [_Word(match.group(), *match.span()) for match in _WORD.finditer(text)]


def _restore_case(
    texts: QuestionText, is_proper: Callable[[str], bool] | None
) -> tuple[str, list[tuple[int, int]]]:
    """Return the question with the capitals of its names, and the spans of the names' words."""
    words = _split(texts.question)
    letters = list(texts.question)
    names: list[tuple[int, int]] = []
    for start, surface in _find_names(words, texts, is_proper):
        end = start + len(surface)
        letters[start:end] = surface
        names.append((start, end))
    for word in words:
        if word.key in {"i", "i'm", "i've", "i'd", "i'll"}:
            letters[word.start] = "I"
    return "".join(letters), names


def _find_names(
    words: Sequence[_Word], texts: QuestionText, is_proper: Callable[[str], bool] | None
) -> Iterator[tuple[int, str]]:
    """Yield (start in the question, word with its capitals) of names' words, long names last."""
    usual = _usual_case(texts.passage)
    for word in words[1:]:
        if word.key in _NEVER_ALONE:
            continue
        surface = usual.get(word.key)
        if surface is None and is_proper is not None and is_proper(word.key):
            surface = word.text[:1].upper() + word.text[1:]
        if surface is not None and surface[:1].isupper() and len(surface) == len(word.text):
            yield word.start, surface
    keys = [word.key for word in words]
    for name in _known_names(texts):
        wanted = [word.key for word in name]
        for at in range(1, len(keys) - len(wanted) + 1):
            here = words[at : at + len(wanted)]
            if keys[at : at + len(wanted)] == wanted and all(
                len(a.text) == len(b.text) for a, b in zip(here, name, strict=True)
            ):
                yield from ((a.start, b.text) for a, b in zip(here, name, strict=True))


def _usual_case(passage: str) -> dict[str, str]:
    inside: dict[str, Counter[str]] = {}
    for word in _split(passage):
        if not _opens(passage, word):
            inside.setdefault(word.key, Counter())[word.text] += 1
    return {key: counts.most_common(1)[0][0] for key, counts in inside.items()}


def _opens(passage: str, word: _Word) -> bool:
    return bool(_OPENS.search(passage[max(0, word.start - 4) : word.start]))


def _known_names(texts: QuestionText) -> Iterator[list[_Word]]:
    """Yield the passage's names of two words or more, and the title if it is a name."""
    words = _split(_NOTE.sub("", texts.title))
    if words and _is_name_title(texts.title, words):
        yield words
        if len(words) > 1 and words[0].key in {"the", "a", "an"}:
            yield words[1:]
        for end in range(2, len(words)):
            if words[end - 1].capital and words[0].capital:
                yield words[:end]
    for match in _QUOTED.finditer(texts.passage):
        quoted = _split(next(group for group in match.groups() if group))
        if len(quoted) <= _MOST_WORDS and sum(word.capital for word in quoted) * 2 >= len(quoted):
            yield quoted
    for run in _capital_runs(texts.passage):
        while run and not (run[-1].capital or run[-1].text.isdigit()):
            run.pop()
        if 2 <= len(run) <= _MOST_WORDS:
            yield run
            yield from (run[at:] for at in range(1, len(run) - 1) if run[at].capital)


def _is_name_title(title: str, words: Sequence[_Word]) -> bool:
    full = [word for word in words if word.key not in _SMALL]
    return bool(_NOTE.search(title)) or (len(full) > 1 and all(word.capital for word in full))


def _capital_runs(passage: str) -> Iterator[list[_Word]]:
    """Yield the longest runs of capitalised words, which may have small words inside."""
    run: list[_Word] = []
    for word in _split(passage):
        if run and passage[run[-1].end : word.start].strip(" -–&"):
            yield run
            run = []
        small = word.key in _SMALL and (run or _opens(passage, word))
        if small and not run:
            continue
        if word.capital or (run and (small or word.text.isdigit())):
            run.append(word)
        else:
            yield run
            run = []
    yield run


def _merge(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return spans in order, merged if they touch or have one character between them."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
