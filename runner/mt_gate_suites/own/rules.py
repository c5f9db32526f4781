"""Turn the rules of a file of relations into transformations, with their conditions."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress, islice, product
from random import Random

from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.base.errors import UsageError, quoted
from mt_gate.base.files import canonical
from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.own.matching import BoundedPattern
from mt_gate_suites.own.relations_file import Insert, OwnRelation, Replace, Template
from mt_gate_suites.text.transformation import (
    OfDoc,
    OfDocs,
    OfOneText,
    OfTemplates,
    OfText,
    PairOfTexts,
    TemplateGroup,
)

MAX_COMBINATIONS = 100_000
"""Maximum number of fillings of a template that are tried."""
MAX_FILLED, MAX_GROUP, MOST_SLOTS = 100_000_000, 40_000, 50
"""Maximum characters of a file's filled templates, and of one case; maximum slots of a template."""
_SLOT = re.compile(r"\{([a-z0-9][a-z0-9-]*)\}")
_BRACE = re.compile(r"\{[^{}]*\}?|\}")
Edit = tuple[int, int, str]
_Finder = Callable[[str], Iterable[Edit]]
"""Yields the possible edits of a text."""


def rule_of(relation: OwnRelation, where: str) -> OfText:
    """Return the rule of a relation that replaces or inserts.

    Args:
        relation: with one of ``replace``, ``words`` and ``insert``.
        where: file and relation, which begin each message.

    Raises:
        UsageError: a pattern is invalid, or its replacement does not fit it.
    """
    if relation.insert:
        return OfText(_inserting(relation.insert))
    find = (
        _replacing(relation.replace, where)
        if relation.replace
        else _exchanging(relation.words or {}, where)
    )

    def rewrites(text: str, _: Random) -> list[Rewrite]:
        changing = (edit for edit in find(text) if text[edit[0] : edit[1]] != edit[2])
        edits = list(islice(changing, relation.most or 1))
        return [edited(text, edits)] if edits else []

    return OfText(rewrites)


def where_it_may(relation: OwnRelation, how: OfOneText, where: str) -> OfOneText:
    """Return a transformation that edits only texts that meet a relation's conditions.

    Args:
        relation: with ``only_if``, ``unless``, both or neither.
        how: its transformation.
        where: file and relation, which begin each message.

    Raises:
        UsageError: a condition is not a valid pattern.
    """
    if not (relation.only_if or relation.unless):
        return how
    only_if = BoundedPattern(relation.only_if, where) if relation.only_if else None
    unless = BoundedPattern(relation.unless, where) if relation.unless else None

    def may(text: str) -> bool:
        return not (only_if and not only_if.matches(text)) and not (unless and unless.matches(text))

    match how:
        case OfText(rewrites=of_text):
            return OfText(lambda text, rng: of_text(text, rng) if may(text) else ())
        case OfDoc(rewrites=of_doc):
            return OfDoc(lambda doc, rng: of_doc(doc, rng) if may(doc.text) else ())
        case OfDocs(rewrites=of_docs):

            def some(docs: Sequence[Doc], nlp: Language) -> list[Sequence[Rewrite]]:
                let = [may(doc.text) for doc in docs]
                rewrites = iter(of_docs([*compress(docs, let)], nlp))
                return [next(rewrites) if one else () for one in let]

            return OfDocs(some)


def _replacing(stated: Replace, where: str) -> _Finder:
    pattern = BoundedPattern(stated.pattern, where, ignore_case=stated.ignore_case)
    pattern.check_replacement(stated.new)
    return lambda text: pattern.replacements(text, stated.new)


def _exchanging(words: Mapping[str, str], where: str) -> _Finder:
    table = {old.casefold(): new for old, new in words.items()}
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    alternatives = "|".join(map(re.escape, longest_first))
    pattern = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE)
    if len(table) < len(words):
        raise UsageError(f"{where}: a word occurs twice (letter case is ignored). Remove one.")

    def exchange(text: str) -> Iterator[Edit]:
        for match in pattern.finditer(text):
            new = table.get(match.group().casefold())
            if new is not None:
                yield match.start(), match.end(), _like(match.group(), new)

    return exchange


def _like(old: str, new: str) -> str:
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new[0].upper() + new[1:] if old[0].isupper() else new


def _inserting(stated: Insert) -> Callable[[str, Random], list[Rewrite]]:
    def insert(text: str, rng: Random) -> list[Rewrite]:
        sentence, bare = rng.choice(stated.sentences), len(text.rstrip())
        before = stated.place == "before"
        return [edited(text, [(0, 0, f"{sentence} ") if before else (bare, bare, f" {sentence}")])]

    return insert


def templates_of(
    stated: Template, slots: Mapping[str, tuple[str, ...]], where: str, templates: int = 1
) -> OfTemplates:
    """Return the transformation that makes the cases of a template.

    Args:
        stated: the template.
        slots: words by slot.
        where: file and relation, which begin each message.
        templates: number of templates in the file, which share a limit of characters.

    Raises:
        UsageError: a slot has no words, a brace is not a slot, one text of a pair is missing, or
            the filled texts are too long.
    """
    if (stated.second is None) != (stated.follow_up_second is None):
        raise UsageError(f"{where}: a template of pairs needs both second and follow_up_second.")
    texts = (stated.source, stated.second or "", stated.follow_up, stated.follow_up_second or "")
    names = list(dict.fromkeys(name for text in texts for name in _SLOT.findall(text)))
    left = [brace for text in texts for brace in _BRACE.findall(_SLOT.sub("", text))]
    for name in [name for name in names if name not in slots] + left:
        known = ", ".join(slots) or "none"
        raise UsageError(
            f"{where}: slot {quoted(name)} has no words. Slots with words: {known}. Add its words "
            "under [slots], or remove the brace."
        )

    longest = sum(
        len(text) + sum(max(map(len, slots[name])) for name in _SLOT.findall(text))
        for text in texts
    )
    most = MAX_FILLED // templates
    if len(names) > MOST_SLOTS or longest * stated.groups > most or longest > MAX_GROUP:
        raise UsageError(
            f"{where}: {stated.groups} cases of up to {longest} characters with {len(names)} slots "
            f"are too many. At most {most} characters in all, {MAX_GROUP} in a case and "
            f"{MOST_SLOTS} slots are allowed. Use shorter words, fewer slots or fewer cases."
        )

    def groups(rng: Random) -> list[TemplateGroup]:
        different: dict[bytes, tuple[str, ...]] = {}  # digests, because texts would fill memory
        for words in _fillings([slots[name] for name in names], rng):
            one = _filled(texts, dict(zip(names, words, strict=True)))
            if one.source != one.follow_up:
                different.setdefault(hashlib.sha256(canonical(one)).digest(), words)
        chosen = rng.sample([*different.values()], min(stated.groups, len(different)))
        return [_filled(texts, dict(zip(names, words, strict=True))) for words in chosen]

    return OfTemplates(groups)


def _fillings(slots: Sequence[Sequence[str]], rng: Random) -> Iterator[tuple[str, ...]]:
    if math.prod(map(len, slots)) <= MAX_COMBINATIONS:
        yield from product(*slots)
    else:
        yield from (tuple(map(rng.choice, slots)) for _ in range(MAX_COMBINATIONS))


def _filled(texts: tuple[str, str, str, str], words: Mapping[str, str]) -> TemplateGroup:
    one, two, three, four = (_SLOT.sub(lambda slot: words[slot[1]], text) for text in texts)
    return TemplateGroup(PairOfTexts(one, two), PairOfTexts(three, four), "")
