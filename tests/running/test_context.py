"""What relations are told of a checkpoint: what its labels mean."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from making_re import make_exported
from mt_gate.base.errors import CannotJudge
from mt_gate.ontologies import reading
from mt_gate.running.preparing import context_of
from mt_gate.sut.confined import ConfinedCheckpoint
from speeds import Made

SHIPPED = Path(reading.__file__).parent / "data"


@pytest.fixture(scope="module")
def made(made_once: Made) -> Path:
    return made_once(make_exported, ("no_relation", "per:spouse"))


@contextmanager
def naming(made: Path, folder: Path, ontology: str) -> Iterator[ConfinedCheckpoint]:
    """Open a copy of a checkpoint whose card names an ontology."""
    shutil.copytree(made, folder)
    card = json.loads((folder / "checkpoint.json").read_text())
    (folder / "checkpoint.json").write_text(json.dumps({**card, "ontology": ontology}))
    with closing(ConfinedCheckpoint(folder, "re", "cpu")) as system:
        yield system


def test_a_file_beside_the_checkpoint_is_found_from_anywhere(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with naming(made, tmp_path / "named", "mine.json") as system:
        own = {**json.loads((SHIPPED / "tacred.json").read_text()), "name": "mine"}
        (tmp_path / "named" / "mine.json").write_text(json.dumps(own))
        found = context_of("re", "", system).ontology
        assert found
        assert found.name == "mine"
        asked = context_of("re", "tacred", system).ontology
        assert asked
        assert asked.name == "tacred"  # what the user names counts before it


@pytest.mark.parametrize("name", ["../mine.json", "/etc/hostname", "a/b.json"])
def test_a_file_elsewhere_is_refused(made: Path, tmp_path: Path, name: str) -> None:
    with (
        naming(made, tmp_path / "named", name) as system,
        pytest.raises(CannotJudge, match=r"checkpoint\.json: ontology is .*a file next to it"),
    ):
        context_of("re", "", system)


def test_a_link_out_of_the_folder_is_refused(made: Path, tmp_path: Path) -> None:
    with naming(made, tmp_path / "named", "mine.json") as system:
        (tmp_path / "named" / "mine.json").symlink_to(SHIPPED / "tacred.json")
        with pytest.raises(CannotJudge, match="a link out of"):
            context_of("re", "", system)
