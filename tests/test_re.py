"""Relation extraction end to end: every input form, real data, and what is unfit for it."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from making_re import FORMS, make_exported, save_luke, save_relation_bert, save_start_states
from making_relations import group, source, suite
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE
from mt_gate.relations.catalogue import relations_of
from mt_gate.suites.format import write_suite
from mt_gate.tasks.relation_extraction import TYPES
from speeds import Made, first_daily

pytest.importorskip("torch", reason="needs mt-gate[export]")
pytest.importorskip("transformers", reason="needs mt-gate[export]")

RELATIONS = [relation.id for relation in relations_of("re")]
LABELS = ("no_relation", "per:spouse", "per:children", "per:parents", "per:cities_of_residence")
LABELS += ("per:countries_of_residence", "per:alternate_names", "org:alternate_names")
PAIR = "[Anna Berg|h PERSON] met [Otto|t PERSON]."
LENGTH = 400
"""Tokens of the longest sentences, in small tokenizers that know few words."""


def typed(form: str) -> Callable[[Path], Path]:
    """Return a maker of a form that shows every type."""
    data = {**FORMS[form], "types": {name: name for name in sorted(TYPES)}}
    return lambda folder: save_relation_bert(folder, LABELS, form=form, data=data, length=LENGTH)


MAKERS: dict[str, Callable[[Path], Path]] = {
    "entity-markers": lambda folder: save_relation_bert(folder, LABELS, length=LENGTH),
    "typed-markers": typed("typed-markers"),
    "entity-mask": typed("entity-mask"),
    "entity-starts": lambda folder: save_start_states(folder, LABELS, length=LENGTH),
    "entity-pair": lambda folder: save_luke(folder, LABELS, length=LENGTH),
}
READS_TYPES = {"typed-markers", "entity-mask"}


@pytest.fixture
def run(command: Callable, tmp_path: Path) -> Callable:
    """Run the gate; return its answer, its result and its groups."""

    def judged(checkpoint: Path, *flags: object) -> tuple[Any, dict, list[dict]]:
        out = tmp_path / "out"
        answer = command(
            *("run", "--checkpoint", checkpoint, "--task", "re", "--out", out),
            *("--cache", tmp_path / "cache", *flags),
        )
        if not (out / "result.json").is_file():
            return answer, {}, []
        with gzip.open(out / "groups.jsonl.gz", "rt") as lines:
            rows = [json.loads(line) for line in lines]
        return answer, json.loads((out / "result.json").read_text()), rows

    return judged


@pytest.mark.parametrize("form", first_daily([*MAKERS]))
def test_every_input_form_is_judged_by_the_shipped_suite(
    run: Callable, tmp_path: Path, form: str
) -> None:
    checkpoint = MAKERS[form](tmp_path / form)
    answer, result, rows = run(
        *(checkpoint, "--sources", 200, "--baseline", tmp_path / "base.json", "--record-missing")
    )
    assert answer.code == PASS, answer
    assert result["suite"]["name"] == "re-default"
    assert result["suite"]["ontology"].split()[0] == "tacred"
    ids = [relation["id"] for relation in result["relations"]]
    assert ids == ["re/known-answer", *RELATIONS]
    reasons = {row.get("reason") for row in rows if row["relation"] == "re/type-label"}
    assert ("types-unread" in reasons) == (form not in READS_TYPES)
    assert any(row["verdict"] != "not-applicable" for row in rows)
    assert "<dt>Ontology</dt><dd>tacred" in (tmp_path / "out" / "report.html").read_text()
    answer, again, _ = run(checkpoint, "--sources", 200, "--baseline", tmp_path / "base.json")
    assert answer.code == PASS
    assert again["overall"]["comparison"]["delta"] == 0
    assert again["predictions"]["cached"] == again["predictions"]["unique"]


@pytest.fixture(scope="module")
def kbp37(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first lines of KBP37's test set."""
    path = tmp_path_factory.mktemp("kbp37") / "kbp37_test.jsonl"
    with gzip.open(shared / "data" / "re" / "kbp37_test.jsonl.gz", "rt") as file:
        path.write_text("".join(itertools.islice(file, 150)))
    return path


@pytest.mark.nightly
def test_a_fine_tuned_checkpoint_on_a_suite_of_its_own_data(
    run: Callable, command: Callable, fine_tuned: Callable[[str], Path], kbp37: Path, tmp_path: Path
) -> None:
    pipeline = os.environ.get("MT_GATE_SPACY_PIPELINE", "en_core_web_sm")
    pytest.importorskip(pipeline.replace("-", "_"), reason="needs a spaCy pipeline")
    built = command(
        *("suite", "build", "--task", "re", "--sources", kbp37, "--name", "kbp37"),
        *("--out", tmp_path / "suite", "--pipeline", pipeline),
    )
    assert built.code == PASS, built
    answer, result, rows = run(fine_tuned("re"), "--suite", tmp_path / "suite")
    assert answer.code == PASS, answer
    assert result["suite"]["ontology"].split()[0] == "kbp37"
    rates = {item["id"]: item["violation_rate"] for item in result["relations"]}
    assert list(rates) == RELATIONS
    assert 0 < rates["re/swap-antisymmetric"] < 0.5
    inverse = next(row for row in rows if row["relation"] == "re/swap-antisymmetric")
    assert inverse["source"]["head"] == inverse["follow_up"]["tail"]
    # This checkpoint reads markers alone.
    assert {row.get("reason") for row in rows if row["relation"] == "re/type-label"} == {
        "types-unread"
    }


def test_a_fine_tuned_checkpoint_on_the_shipped_suite(
    run: Callable, fine_tuned: Callable[[str], Path]
) -> None:
    answer, result, rows = run(fine_tuned("re"), "--sources", 120)
    assert answer.code == PASS, answer
    strata = {item["id"]: item.get("strata", {}) for item in result["relations"]}
    assert set(strata["re/same-type"]) == {"frequent", "rare"}
    assert any(row.get("second") for row in rows), "combinations ask for second sources"


@pytest.fixture(scope="module")
def exported(made_once: Made) -> Path:
    return made_once(make_exported, LABELS)


@pytest.fixture
def refused(run: Callable, exported: Path) -> Callable:
    """One line that holds all words, and nothing written."""

    def check(code: int, *words: str, flags: tuple[object, ...] = ()) -> None:
        answer, result, _ = run(exported, *flags)
        assert answer.code == code, answer
        assert len(answer.err.splitlines()) == 1, answer.err
        assert not result
        for word in words:
            assert word in answer.err

    return check


def write_ontology(path: Path, relations: dict[str, Any]) -> Path:
    whole = {"format": 1, "name": "mine", "none": "no_relation", "directed": False}
    path.write_text(json.dumps({**whole, "relations": relations}))
    return path


def test_labels_that_the_ontology_does_not_cover_are_named(
    refused: Callable, built: Path, tmp_path: Path
) -> None:
    path = write_ontology(tmp_path / "mine.json", {"per:spouse": {"symmetric": True}})
    flags = ("--suite", built, "--ontology", path)
    refused(CANNOT_JUDGE, *(repr(label) for label in LABELS[2:]), flags=flags)
    refused(USAGE, "'tacrid'", "tacred", flags=("--suite", built, "--ontology", "tacrid"))


@pytest.mark.parametrize("how", ["card", "file"])
def test_a_baseline_does_not_fit_another_ontology(
    run: Callable, built: Path, exported: Path, tmp_path: Path, how: str
) -> None:
    """What labels mean may come with a checkpoint, or lie in the checkout: it is hashed."""
    base = ("--suite", built, "--baseline", tmp_path / "base.json")
    written = write_ontology(tmp_path / "mine.json", {label: {} for label in LABELS[1:]})
    checkpoint = Path(shutil.copytree(exported, tmp_path / "checkpoint"))
    card = json.loads((checkpoint / "checkpoint.json").read_text())
    card.pop("fingerprint", None)
    named = {"file": ("--ontology", written), "card": ()}[how]
    if how == "card":
        written = written.rename(checkpoint / written.name)
        (checkpoint / "checkpoint.json").write_text(json.dumps(card | {"ontology": written.name}))
    answer, result, _ = run(checkpoint, *base, "--record-missing", *named)
    assert answer.code == PASS, answer
    assert result["suite"]["ontology"].startswith("mine sha256:")
    assert "sha256" not in run(checkpoint, *base, *named)[0].err
    write_ontology(written, {label: {} for label in LABELS[1:]} | {"other": {}})
    answer, _, _ = run(checkpoint, *base, *named)
    assert answer.code == CANNOT_JUDGE, answer
    assert "suite sha256" in answer.err


@pytest.fixture
def built(tmp_path: Path) -> Path:
    return write_pair(tmp_path / "suite")


def write_pair(folder: Path, **fields: Any) -> Path:
    """Write a suite of one exchanged pair; ``fields`` replace those of the source's input."""
    name = "re/swap-symmetric"
    known = source(PAIR, "s0")
    made = suite([name], [known], [group(name, known, "[Anna Berg|t PERSON] met [Otto|h PERSON].")])
    unfit = msgspec.structs.replace(known, input={**known.input, **fields})
    write_suite(folder, made.head, [unfit], made.groups)
    return folder
