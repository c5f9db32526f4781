"""One candidate: what is kept of it, and what makes it be asked again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fault_bench import making, study
from fault_bench.faults import Family, Fault, Half, planned
from fault_bench.kept_verdicts import to_keep
from fault_bench.opening import open_side
from fault_bench.records import CANDIDATES, LabelCounts, ReferenceRecord
from fault_bench.study import Compared, StudySetup, Wanted, ask, measured
from making import SENTENCES
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.domain import Verdict
from mt_gate.evaluating.labelled import Labelled
from mt_gate.ontologies.reading import ontology_for
from mt_gate.relations.base import Context
from mt_gate.results.result import TOOL, GroupRow
from mt_gate.running.preparing import load_suite
from mt_gate.settings.record import Settings

NAME = "neuron-block-0.3"


@pytest.fixture
def asked(suite: Path, tmp_path: Path) -> StudySetup:
    settings = Settings(task="ner", suite=str(suite), out=tmp_path / "out")
    labelled = [
        Labelled(str(at), {"text": text}, {"entities": [[0, 4, "PER"]]})
        for at, text in enumerate(SENTENCES[:8])
    ]
    return StudySetup(settings, *load_suite(settings), labelled, lambda *_: None)


@pytest.fixture
def reference(asked: StudySetup, exported: Path, tmp_path: Path) -> Compared:
    system = open_side(asked.settings, exported, tmp_path, [], lambda _: None)
    seen = ask(asked, system, tmp_path / "cache")
    system.close()
    record = ReferenceRecord(
        study=asked.key(system),
        tool=TOOL,
        checkpoint=system.head,
        suite=asked.suite.identity,
        labels=LabelCounts(file="x", sha256="0", samples=8, measure="F1"),
        settings=asked.run_settings(seen.noise),
        relations=seen.counts,
        asked_characters=seen.asked_characters,
        seconds=seen.seconds,
        counts=seen.samples,
        verdicts=to_keep(seen.verdicts),
    )
    return Compared(making.Reference(exported, None, asked.inputs()), record)


def block(seed: int = 0) -> Fault:
    return planned("ner", ["neuron-block"], seed)[-1]


def kept(asked: StudySetup, name: str = NAME) -> dict[str, Any]:
    return json.loads((asked.settings.out / CANDIDATES / name / "candidate.json").read_text())


def test_what_answers_labels_and_cannot_be_judged_is_kept_and_asked_again(
    asked: StudySetup, reference: Compared, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unfit(*_: object) -> None:
        raise CannotJudge("the scores move")

    with monkeypatch.context() as patch:
        patch.setattr(study.evaluation, "evaluate", unfit)
        found = measured(asked, Wanted(block()), reference, lambda _: None)
    assert found.counts
    assert found.gate is None
    assert kept(asked)["error"] == "the scores move"
    assert measured(asked, Wanted(block()), reference, lambda _: None).gate is not None
    said: list[str] = []
    measured(asked, Wanted(block()), reference, said.append)
    assert said == [f"{NAME}: kept from an earlier run"]


def test_another_ontology_is_another_study(
    asked: StudySetup, exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ontology = ontology_for("kbp37", (), "")
    other = Context(ontology_for("tacred", (), ""))
    monkeypatch.setattr(study, "context_of", lambda *_: other)
    under = asked._replace(suite=asked.suite.under(ontology))
    system = open_side(asked.settings, exported, tmp_path, [], lambda _: None)
    assert under.key(system) != asked.key(system)
    seen = ask(under, system, tmp_path / "cache")
    system.close()
    assert "expected the same; name one with --ontology" in seen.error
    assert not seen.verdicts


def test_another_seed_is_another_candidate(asked: StudySetup, reference: Compared) -> None:
    first = measured(asked, Wanted(block()), reference, lambda _: None)
    second = measured(asked, Wanted(block(2)), reference, lambda _: None)
    assert first.fingerprint != second.fingerprint
    assert kept(asked)["fault"]["seed"] == 2


def test_a_library_that_fails_leaves_its_candidate_out(
    asked: StudySetup, reference: Compared, tmp_path: Path
) -> None:
    spoilt = Path(shutil.copytree(reference.made_of.exported, tmp_path / "spoilt"))
    tokenizer = json.loads((spoilt / "tokenizer.json").read_text())
    del tokenizer["model"]
    (spoilt / "tokenizer.json").write_text(json.dumps(tokenizer))
    card = json.loads((spoilt / "checkpoint.json").read_text())
    del card["files"]
    (spoilt / "checkpoint.json").write_text(json.dumps(card))
    made_of = reference.made_of._replace(exported=spoilt)
    fault = planned("ner", ["sister-tokenizer"])[0]
    found = measured(asked, Wanted(fault), reference._replace(made_of=made_of), lambda _: None)
    assert "KeyError: 'model'" in found.error
    assert not found.counts


@pytest.mark.parametrize("failure", [OSError(28, "no room"), UsageError("no"), KeyError("k")])
def test_a_failure_while_making_is_the_candidates(
    asked: StudySetup, reference: Compared, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(making, "_make", fail)
    found = measured(asked, Wanted(block()), reference, lambda _: None)
    assert found.error
    assert kept(asked)["error"] == found.error


def test_a_folder_that_cannot_be_read_is_left_out(
    asked: StudySetup, reference: Compared, tmp_path: Path
) -> None:
    own = Fault(kind="mine", family=Family.OWN, half=Half.NONE, strength=0.0)
    found = measured(asked, Wanted(own, tmp_path / "gone"), reference, lambda _: None)
    assert "cannot be read" in found.error
    assert kept(asked, "mine")["error"]


def test_what_is_not_asked_takes_no_time() -> None:
    asked = row(follow_up={"text": "Anna"}, follow_up_output={"entities": []})
    needless = row(follow_up={"text": "Boris"}, follow_up_output=None)
    assert study._characters("ner", [asked, needless]) == {"ner/a": 4}


def row(**more: Any) -> GroupRow:
    return GroupRow(
        id="g",
        relation="ner/a",
        source_id="s",
        verdict=Verdict.NOT_APPLICABLE,
        source={"text": "Ann"},
        **more,
    )
