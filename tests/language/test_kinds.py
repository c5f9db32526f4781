from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.language.kinds import ToolNames, open_tools, open_voting_tools
from mt_gate.language.loading import CAUSAL, ENCODER, MASKED, load
from mt_gate.language.masked import MaskedModel
from mt_gate.language.tools import Fill, Slot


@pytest.mark.parametrize("kind", [CAUSAL, MASKED, ENCODER])
def test_a_folder_that_holds_no_model_is_one_line(tmp_path: Path, kind: str) -> None:
    with pytest.raises(CannotJudge, match="Language model") as error:
        load(str(tmp_path), kind)
    assert "\n" not in str(error.value)


def test_pickled_weights_are_refused(masked_folder: Path, tmp_path: Path) -> None:
    for file in masked_folder.iterdir():
        if file.suffix != ".safetensors":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "pytorch_model.bin").write_bytes(pickle.dumps({"weights": 1}))
    with pytest.raises(CannotJudge, match="safetensors"):
        load(str(tmp_path), MASKED)


@pytest.mark.parametrize("named", [{}, {"causal_lm": "x"}, {"encoder": "x"}])
def test_a_missing_tool_is_named(tmp_path: Path, named: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="--encoder"):
        open_tools(ToolNames(cache=tmp_path, **named))


@pytest.mark.parametrize("kind", ["causal_lm", "masked_lm"])
def test_tools_tell_their_versions(
    kind: str,
    causal_folder: Path,
    masked_folder: Path,
    encoder_folder: Path,
    wordnet_folder: str,
    tmp_path: Path,
) -> None:
    model = causal_folder if kind == "causal_lm" else masked_folder
    tools = open_tools(
        ToolNames(
            encoder=str(encoder_folder),
            wordnet=wordnet_folder,
            cache=tmp_path,
            **{kind: str(model)},
        )
    )
    assert all("sha256" in name for name in tools.names.values())
    slot = Slot("Anna bought a small house in Oslo.", 5, 11)
    assert tools.fillers.fill([slot], 3) == tools.fillers.fill([slot], 3)
    assert (tmp_path / "language.sqlite").is_file()


def test_a_masked_model_votes_without_wordnet(
    masked_folder: Path, causal_folder: Path, encoder_folder: Path, tmp_path: Path
) -> None:
    """``mt-gate repair`` looks up words only with a causal model; ``nowhere`` has no WordNet."""
    names = {"encoder": str(encoder_folder), "wordnet": str(tmp_path / "nowhere")}
    masked = ToolNames(masked_lm=str(masked_folder), cache=tmp_path, **names)
    fillers, similarity = open_voting_tools(masked)
    slot = Slot("Anna bought a small house in Oslo.", 14, 19)
    assert fillers.fill([slot], 3) == open_fillers(masked_folder, slot)
    assert similarity.similarity([(slot, slot)]) == [pytest.approx(1, abs=1e-4)]
    with pytest.raises(CannotJudge, match="WordNet"):
        open_voting_tools(ToolNames(causal_lm=str(causal_folder), cache=tmp_path, **names))


def open_fillers(folder: Path, slot: Slot) -> list[list[Fill]]:
    return MaskedModel(str(folder)).fill([slot], 3)
