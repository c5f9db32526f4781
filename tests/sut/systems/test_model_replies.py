"""What the reply of a language model means: labels, entities, scores, repeats."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest

from cases import table
from mt_gate.adapters import openai_chat
from mt_gate.sut.prompt import Prompt

YES_NO = {"yes": "Yes", "no": "No"}
ALIKE = {"bad": "hateful", "ok": "not hateful", "unsure": "not sure", "good": "harmless"}


def choice(content: str) -> Any:
    return msgspec.convert({"message": {"content": content}}, openai_chat._Choice)


@pytest.mark.parametrize(("reply", "label"), table(__file__, "labels"))
def test_the_label_of_a_reply(reply: str, label: str | None) -> None:
    prompt = Prompt(user="x", labels=YES_NO)
    assert openai_chat.read_reply(choice(reply), {}, prompt, "boolq").value == label


@pytest.mark.parametrize(("reply", "label"), table(__file__, "longest_label"))
def test_the_longest_label_that_a_reply_begins_with(reply: str, label: str | None) -> None:
    assert openai_chat.read_label(reply, ALIKE) == label


@pytest.mark.parametrize(("reply", "label"), table(__file__, "json_labels"))
def test_the_label_of_a_reply_in_json(reply: str, label: str | None) -> None:
    prompt = Prompt(user="x", labels=YES_NO, json=True)
    assert openai_chat.read_reply(choice(reply), {}, prompt, "boolq").value == label


@pytest.mark.parametrize(("reply", "entities"), table(__file__, "entities"))
def test_the_entities_of_a_reply(reply: str, entities: list[Any] | None) -> None:
    text = "Anna met Zoë 🙂 in Oslo. Anna left."
    labels = {"PER": "person", "LOC": "place"}
    read = openai_chat.read_entities(reply, text, labels)
    assert read == (None if entities is None else tuple(map(tuple, entities)))


def test_a_reply_of_deep_nesting_is_no_answer() -> None:
    assert openai_chat.read_json("[" * 1_000_000) is None


@pytest.mark.parametrize(
    ("probabilities", "scores", "labels"),
    [
        *((*row, YES_NO) for row in table(__file__, "scores")),
        *((*row, ALIKE) for row in table(__file__, "scores_of_labels_alike")),
    ],
)
def test_scores_are_probabilities_of_first_tokens(
    probabilities: dict[str, float], scores: dict[str, float], labels: dict[str, str]
) -> None:
    tokens = [(token, math.log(share)) for token, share in probabilities.items()]
    assert openai_chat.label_scores(tokens, labels) == pytest.approx(scores, abs=1e-6)


@pytest.mark.parametrize(("answers", "expected"), table(__file__, "repeats"))
def test_repeats_are_one_prediction(answers: list[Any], expected: dict[str, Any]) -> None:
    (value, scores), unstable = openai_chat.most_frequent(
        [
            openai_chat.Answer(label, {} if yes is None else {"yes": yes, "no": 1 - yes})
            for label, yes in answers
        ]
    )
    assert value == expected["value"]
    assert unstable is expected.get("unstable", False)
    assert scores.get("yes") == pytest.approx(expected.get("score"))
