"""Converts the text to upper or lower case, or one word to upper case.

capitals     I hate waiting.   -> I HATE WAITING.
one word     I hate waiting.   -> I HATE waiting.
no capitals  I hate waiting.   -> i hate waiting.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mt_gate.domain import Block
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.text.protected import MAX_TEXT, is_free, protected_spans
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import content_words, is_disguised
from mt_gate_suites.text.transformation import OfText


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text in upper case, in lower case, and with one word in upper case."""
    if len(text) > MAX_TEXT or is_disguised(text):
        return []
    words = [word for word in content_words(text) if len(word.text) > 3 and word.text.islower()]
    rewrites = {
        "capitals": "".join(_cased(text, str.upper)),
        "lower-case": "".join(_cased(text, str.lower)),
    }
    if words:
        start, end, word = rng.choice(words)
        rewrites["one-word-capitals"] = text[:start] + "".join(map(_capital, word)) + text[end:]
    # Only letter case differs, so the whole text is one aligned block.
    whole = (Block(0, 0, len(text)),)
    return [Rewrite(new, whole, kind) for kind, new in rewrites.items() if new != text]


def _cased(text: str, case: object) -> Iterator[str]:
    spans = protected_spans(text)
    for at, letter in enumerate(text):
        new = letter.upper() if case is str.upper else letter.lower()
        same = len(new) == 1 and new.casefold() == letter.casefold()
        yield new if same and is_free(at, at + 1, spans) else letter


def _capital(letter: str) -> str:
    new = letter.upper()
    return new if len(new) == 1 and new.casefold() == letter.casefold() else letter


RELATION = TextRelation(
    name="letter-case",
    title="Letter case",
    description=(
        "Converts the text to upper or lower case, or one word to upper case. The prediction must "
        "not change."
    ),
    paper=(
        "NL-Augmenter (Dhole et al., 2021), change of letter case; Ribeiro et al., ACL 2020 "
        "(CheckList), robustness"
    ),
    before="I hate waiting.",
    after="I HATE WAITING.",
    transformation=OfText(transform),
    surface=True,
)
