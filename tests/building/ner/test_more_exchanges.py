"""The longer table of words and phrases, which a recipe with ``wide`` asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.building.ner import exchanges
from mt_gate.building.rewrite import Rewrite
from mt_gate.lexicons.reading import rows

Builds = Callable[[Sequence[Doc], Language], list[list[Rewrite]]]


@pytest.mark.parametrize("section", ["words", "phrases"])
def test_no_row_widens_one_of_the_shorter_table(section: str) -> None:
    shorter = {row[1:3] for part in ("words", "phrases") for row in rows("ner/exchanges", part, 4)}
    longer = rows("ner/more_exchanges", section, 4)
    assert exchanges.table(longer)
    assert not shorter.intersection(row[1:3] for row in longer)


@pytest.mark.parametrize(
    ("build", "text", "new"),
    [
        (exchanges.more_words, "Mexico defeated Germany in 2018.", "Mexico beat Germany in 2018."),
        (
            exchanges.more_phrases,
            "He lives in Peckham with his family.",
            "He resides in Peckham with his family.",
        ),
        (exchanges.more_phrases, "They spent the rest of their lives in Oslo.", None),
    ],
)
def test_words_and_phrases_are_replaced(
    nlp: Language, build: Builds, text: str, new: str | None
) -> None:
    [made] = build([nlp(text)], nlp)
    texts = [one.text for one in made]
    assert new in texts if new else not any("resides" in one for one in texts)
