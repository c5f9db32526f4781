"""What tests of relations over texts share: follow-ups by name, texts that stay, validity."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from spacy.language import Language

from mt_gate.domain import map_span
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.text.catalogue import BY_NAME
from mt_gate_suites.text.protected import protected_spans
from mt_gate_suites.text.surface.spelling import budget
from mt_gate_suites.text.transformation import OfPair, OfTemplates, Parser, rewrites_of

NOTHING_TO_EDIT = (
    "",
    " ",
    "12 345",
    "?!",
    "https://example.com/some/long/path",
    "@somebody #something",
    "`function_name other_name`",
    '"quoted words alone"',
    "[country] {name} <USER>",
    "not never nothing cannot",
    "snake_case camelCase path/to/file name@example.com",
)
"""Texts in which no relation of the surface may touch anything."""

WORDS = ["hate", "waiting", "for", "my", "card", "modern", "people", "never", "Anna", "don't"]
WORDS += ["café", "co-op", "https://example.com", "@anna", '"quoted here"', "not", "W3C", "bill"]
english = st.lists(st.sampled_from(WORDS), min_size=1, max_size=20).map(" ".join)


def follow_ups(name: str, text: str, nlp: Language | None = None, seed: int = 1) -> list[Rewrite]:
    """Return what a relation makes of a text."""
    transformation = BY_NAME[name].transformation
    assert not isinstance(transformation, OfPair | OfTemplates)
    parser = Parser(nlp) if nlp else None
    (rewritten,) = rewrites_of(transformation, [text], parser, seed, name)
    return rewritten


def texts(name: str, text: str, nlp: Language | None = None) -> list[str]:
    """Return the texts of the follow-ups."""
    return [one.text for one in follow_ups(name, text, nlp)]


def check_alignment(source: str, rewrite: Rewrite) -> None:
    """Blocks are in order, and the same text but for letter case."""
    end = 0
    for block in rewrite.alignment:
        old = source[block.source : block.source + block.length]
        new = rewrite.text[block.follow_up : block.follow_up + block.length]
        assert block.length > 0
        assert block.source >= end
        assert old.casefold() == new.casefold()
        end = block.source + block.length


def check_surface(
    name: str, text: str, undo: Callable[[str], str] | None = None, most: int | None = 2
) -> None:
    """Hold a relation of the surface to what each of them promises of any text.

    Args:
        name: the relation's.
        text: any.
        undo: turns a follow-up into its source, where that is defined.
        most: runs of changed characters at most; None where all of a text may change.
    """
    result = follow_ups(name, text)
    assert result == follow_ups(name, text), "the same for the same seed"
    for one in result:
        assert one.text != text
        check_alignment(text, one)
        for start, end in protected_spans(text):
            image = map_span(one.alignment, start, end)
            assert image is not None
            assert one.text[image[0] : image[1]].casefold() == text[start:end].casefold()
        if undo is not None:
            assert undo(one.text) == undo(text)
        if most is not None:
            assert changed_words(text, one) <= budget(len(text.split()), most)


def changed_words(text: str, rewrite: Rewrite) -> int:
    """Return how many words of the source, split at blanks, did not come through whole."""
    count, at = 0, 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        image = map_span(rewrite.alignment, start, at)
        inside = image is not None and rewrite.text[image[0] : image[1]] == word
        whole = inside and not rewrite.text[image[1] : image[1] + 1].isalnum() if image else False
        count += not whole
    return count
