"""What ``suite try`` shows of a built-in relation and one text."""

from __future__ import annotations

import pytest
from spacy.language import Language

from cases import FOLDER, table
from mt_gate.base.errors import UsageError
from mt_gate.language.kinds import ToolNames
from mt_gate_suites.trying import try_relation


@pytest.mark.parametrize(("relation", "text", "more", "shown"), table(__file__, "shows"))
def test_shows(
    nlp: Language,
    wordnet_folder: str,
    relation: str,
    text: str,
    more: dict[str, str],
    shown: list[str],
) -> None:
    tools = ToolNames(wordnet=wordnet_folder, cache=FOLDER)
    paper, passage = bool(more.get("paper")), more.get("passage", "")
    made = try_relation(relation, text, passage, nlp, paper=paper, tools=tools)
    assert made.splitlines() == [f"{relation}: {shown[0]}", *(f"  {line}" for line in shown[1:])]


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        ("ner/structura", "Did you mean 'ner/structural'"),
        ("ner/entity-shuffle", "by a model's predictions"),
    ],
)
def test_what_cannot_be_tried(nlp: Language, relation: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        try_relation(relation, "Ann left Rome.", "", nlp)
