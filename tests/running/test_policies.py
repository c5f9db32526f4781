"""Policies are checked against the relations of a run and against today's date."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cases import table
from making import make_suite
from making_re import make_exported
from mt_gate.base.errors import PASS, USAGE, CannotJudge, UsageError
from mt_gate.ontologies import reading
from mt_gate.running.preparing import (
    check_policy,
    context_of,
    load_suite,
    parity_inputs,
)
from mt_gate.running.systems import PARITY_INPUTS
from mt_gate.settings.loading import merged
from mt_gate.settings.policy import Accepted, Entry, Policy
from mt_gate.settings.record import Settings
from mt_gate.suites.format import read_suite
from mt_gate.sut.confined import ConfinedCheckpoint
from speeds import Made


def accepted(relation: str, expires: str) -> Accepted:
    return Accepted(relation=relation, rise=0.1, reason="a reason", owner="ann", expires=expires)


@pytest.mark.parametrize(
    "policy",
    [
        Policy(relations={"ner/strctural": Entry()}),
        Policy(accepted=(accepted("ner/strctural", "2027-01-31"),)),
    ],
)
def test_an_unknown_relation_is_named(policy: Policy) -> None:
    with pytest.raises(UsageError, match=r"'ner/strctural'\. Did you mean 'ner/structural'\?"):
        check_policy(policy, "boolq", "2027-01-31")


def test_an_expired_policy_is_refused_before_predicting(run_gate: Any, tmp_path: Path) -> None:
    day = datetime.now(UTC).date()
    text = (
        'accepted = [{{relation = "ner/structural", rise = 0.1, reason = "a reason", '
        'owner = "ann", expires = "{}"}}]'
    )
    past = run_gate(policy=text.format(day - timedelta(days=1)))
    assert past.code == USAGE
    assert "the accepted regression of ner/structural expired on" in past.err
    assert not (tmp_path / "out" / "result.json").exists()
    assert run_gate(policy=text.format(day + timedelta(days=1))).code == PASS


@pytest.mark.parametrize(
    ("limit", "known"), table(__file__, "limits_of_unknown_relations_are_refused")
)
def test_limits_of_unknown_relations_are_refused(limit: str, known: bool) -> None:
    options = {"checkpoint": "x", "task": "ner", "max_violation_rate": limit}
    settings = merged(options, {}, Path("mt-gate.toml"))
    refused = pytest.raises(UsageError, match=r"^max-violation-rate: Unknown relation")
    with nullcontext() if known else refused:
        listed = ["ner/structural", "mine/own"]
        check_policy(Policy(), "ner", "2027-01-31", listed, settings.max_violation_rate)


def test_a_stored_export_is_compared_on_the_whole_suite(tmp_path: Path, small: Path) -> None:
    folder = make_suite(tmp_path / "suite")
    whole = read_suite(folder)
    assert 1 < len(whole.sources) < PARITY_INPUTS
    settings = Settings(task="ner", suite=str(folder), checkpoint="a-hub/model", sources=1)
    part, _ = load_suite(settings)
    assert len(part.sources) == 1
    assert parity_inputs(settings, part) == [source.input for source in whole.sources]
    exported = Settings(task="ner", suite=str(folder), checkpoint=str(small), sources=1)
    assert len(parity_inputs(exported, part)) == 1


SHIPPED = Path(reading.__file__).parent / "data"


@pytest.fixture(scope="module")
def made(made_once: Made) -> Path:
    return made_once(make_exported, ("no_relation", "per:spouse"))


@contextmanager
def naming(made: Path, folder: Path, ontology: str) -> Iterator[ConfinedCheckpoint]:
    shutil.copytree(made, folder)
    card = json.loads((folder / "checkpoint.json").read_text())
    (folder / "checkpoint.json").write_text(json.dumps({**card, "ontology": ontology}))
    with closing(ConfinedCheckpoint(folder, "re", "cpu")) as system:
        yield system


def test_a_file_of_the_checkpoint_is_read_from_any_folder(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with naming(made, tmp_path / "named", "mine.json") as system:
        own = {**json.loads((SHIPPED / "tacred.json").read_text()), "name": "mine"}
        (tmp_path / "named" / "mine.json").write_text(json.dumps(own))
        actual = context_of("re", "", system).ontology
        assert actual
        assert actual.name == "mine"
        by_setting = context_of("re", "tacred", system).ontology
        assert by_setting
        assert by_setting.name == "tacred"  # what the user names counts before it


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
