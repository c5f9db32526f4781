from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from mt_gate.language.causal import CausalModel
from mt_gate.language.tools import Slot

TEXT = "Anna bought a small house in Oslo."
SMALL = Slot(TEXT, 14, 19)
BOUGHT = Slot(TEXT, 5, 11)
FIRST = Slot(TEXT, 0, 4)


@pytest.fixture(scope="module")
def model(causal_folder: Path) -> CausalModel:
    return CausalModel(str(causal_folder))


def log_probabilities(model: CausalModel, text: str) -> list[float]:
    """The log probability of each token after the opening, the plain way."""
    ids = torch.tensor([model.sentence(text)])
    skipped = len(model.sentence(""))
    with torch.inference_mode():
        logs = torch.log_softmax(model._model(ids).logits[0].double(), dim=-1)
    return [float(logs[at - 1, ids[0, at]]) for at in range(skipped, ids.shape[1])]


@pytest.mark.parametrize("slot", [SMALL, BOUGHT, FIRST])
def test_fit_is_the_log_ratio_of_whole_sentences(model: CausalModel, slot: Slot) -> None:
    fillers = ["old", "purchased", "new cottage"]
    own = sum(log_probabilities(model, slot.text))
    for fill in model.fit([(slot, fillers)], 10)[0]:
        wanted = sum(log_probabilities(model, slot.filled(fill.text).text)) - own
        assert fill.score == pytest.approx(wanted, abs=2e-3)


def test_a_filler_is_weighed_alike_alone_and_among_others(model: CausalModel) -> None:
    fit = model
    alone = fit.fit([(SMALL, ["old"])], 1)[0][0]
    among = {f.text: f.score for f in fit.fit([(SMALL, ["old", "new company office"])], 9)[0]}
    assert among["old"] == pytest.approx(alone.score, abs=1e-3)


def test_the_present_filler_scores_zero(model: CausalModel) -> None:
    assert model.fit([(SMALL, ["small"])], 1)[0][0].score == pytest.approx(0, abs=1e-3)


def test_naturalness_is_least_and_mean_probability(model: CausalModel) -> None:
    values = [math.exp(log) for log in log_probabilities(model, TEXT)]
    wanted = 0.6 * min(values) + 0.4 * sum(values) / len(values)
    assert model.naturalness([TEXT]) == [pytest.approx(wanted, abs=1e-4)]


def test_naturalness_does_not_hang_on_the_batch(model: CausalModel) -> None:
    texts = [TEXT, "Boris purchased an old cottage.", "Anna bought a small cottage.", TEXT]
    judge = model
    assert judge.naturalness(texts) == pytest.approx(
        [judge.naturalness([text])[0] for text in texts], abs=2e-4
    )
    assert judge.naturalness([]) == []


def test_a_sentence_beyond_the_limit_is_not_read(
    causal_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = CausalModel(str(causal_folder))
    text = "Anna bought a small house in Oslo."
    monkeypatch.setattr(model, "_longest", len(model.sentence(text)) + 5)
    long = " ".join([text] * 40)
    slots = [(Slot(long, 14, 19), ["big"]), (Slot(text, 14, 19), ["big", "very " * 40])]
    nothing, actual = model.fit(slots, 5)
    assert nothing == []
    assert [fill.text for fill in actual] == ["big"]
    assert model.expected(slots[:1], 5) == [[]]
    natural = model.naturalness([long, text])
    assert natural[0] == 0 < natural[1]
