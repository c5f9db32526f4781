from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.language.kinds import ToolNames, open_tools
from mt_gate.language.loading import CAUSAL, ENCODER, MASKED, load
from mt_gate.language.tools import Slot


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
