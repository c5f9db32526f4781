"""The whole command on a small suite and a small, real ONNX checkpoint."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest

from making import NAMES, SENTENCES, question
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE, UsageError
from mt_gate.repairing import repair as repairing
from mt_gate.repairing import vote as opening
from mt_gate.repairing.repair import RepairRequest
from mt_gate.results.result import GroupRow, Result
from mt_gate.results.store import read_result, read_rows
from mt_gate.sut.systems import command as answers
from repairing.made_tools import tools
from reporting import made_up

OTHERS = {name: [(other, 6.0) for other in NAMES if other != name] for name in NAMES}
ALL = [
    "groups.jsonl.gz",
    "junit.xml",
    "repairs.jsonl",
    "report.html",
    "result.json",
    "summary.md",
]


def result_of(folder: Path) -> Result:
    return msgspec.json.decode((folder / "result.json").read_bytes(), type=Result)


def rows_of(folder: Path) -> list[GroupRow]:
    """Return the rows without the run that they are of."""
    path = folder / "result.json"
    rows = read_rows(path, read_result(path))
    return [msgspec.structs.replace(row, run="") for row in rows]


def repairs_of(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "repairs.jsonl").read_text().splitlines()]


def suspects_of(folder: Path) -> Iterator[dict]:
    return (entity for sentence in repairs_of(folder) for entity in sentence["suspicious"])


@pytest.fixture(scope="module")
def small(exported: Path) -> Path:
    """A network whose answers about a sentence and its follow-ups leave much to vote on."""
    return exported


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test leaves the run that all repair."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def out(run_gate: Callable, run_folder: Path, tmp_path: Path) -> Path:
    if not (run_folder / "out").exists():
        assert run_gate().code == PASS
        shutil.copytree(tmp_path / "out", run_folder / "out")
        return tmp_path / "out"
    return Path(shutil.copytree(run_folder / "out", tmp_path / "out"))


@pytest.fixture
def repair(
    command: Callable, out: Path, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable:
    """Repair the run; ``made`` are the tools."""

    def run(*flags: object, made: object = None) -> object:
        monkeypatch.setattr(opening, "open_tools", lambda *_: made or tools(OTHERS))
        return command("repair", out, "--checkpoint", exported, *flags)

    return run


def test_writes_the_repairs_next_to_the_files_of_the_run(repair: Callable, out: Path) -> None:
    before, rows = result_of(out), rows_of(out)
    answer = repair()
    assert answer.code == PASS, answer
    assert sorted(path.name for path in out.iterdir()) == ALL
    after = result_of(out)
    assert after.repair is not None
    assert after.repair.suspicious > 0
    assert after.repair.changed > 0
    assert f"{after.repair.suspicious} suspicious entities" in answer.err
    for name in ("verdict", "suite", "checkpoint", "settings", "profile", "predictions"):
        assert getattr(after, name) == getattr(before, name)
    for old, new in zip(rows, rows_of(out), strict=True):
        assert msgspec.structs.replace(new, errors=old.errors) == old


def test_counts_are_those_of_the_records(repair: Callable, out: Path) -> None:
    repair()
    block = result_of(out).repair
    assert block is not None
    actual = [*suspects_of(out)]
    outcomes = [entity["outcome"] for entity in actual]
    assert block.suspicious == len(actual) == block.voted + block.no_candidate
    assert block.voted == block.changed + block.unchanged
    assert block.changed == outcomes.count("changed")
    assert block.unchanged == outcomes.count("unchanged")
    assert sum(block.changed_by_category.values()) == block.changed
    assert block.sentences == len(repairs_of(out))
    assert block.groups == sum(relation.violated for relation in result_of(out).relations)


def test_every_record_follows_its_votes(repair: Callable, out: Path) -> None:
    repair()
    for sentence in repairs_of(out):
        before = {(start, end): label for start, end, label in sentence["before"]}
        after = {(start, end): label for start, end, label in sentence["after"]}
        assert sentence["groups"]
        for entity in sentence["suspicious"]:
            span = entity["start"], entity["end"]
            assert sentence["text"][slice(*span)] == entity["words"]
            assert before.get(span) == entity["said"]
            assert after.get(span) == entity["decision"]
            totals = {score["label"]: score["score"] for score in entity["scores"]}
            assert set(totals) == {candidate["label"] for candidate in entity["candidates"]}
            changed = entity["decision"] != entity["said"]
            assert (entity["outcome"] == "changed") is changed is (entity["fixes"] is not None)
            assert (entity["outcome"] == "no-candidate") is (not totals)


def test_the_votes_name_the_side_of_most_errors(repair: Callable, out: Path) -> None:
    undecided = result_of(out).overall.errors["undecided"]
    assert not any(error.side for row in rows_of(out) for error in row.errors)
    repair()
    assert result_of(out).overall.errors.get("undecided", 0) < undecided
    rows = rows_of(out)
    assert any(error.side for row in rows for error in row.errors)
    counted = sum(len(row.errors) for row in rows)
    assert sum(result_of(out).overall.errors.values()) == counted


def test_a_second_repair_says_the_same_and_predicts_nothing(repair: Callable, out: Path) -> None:
    repair()
    first, block = (out / "repairs.jsonl").read_bytes(), result_of(out).repair
    repair()
    again = result_of(out).repair
    assert (out / "repairs.jsonl").read_bytes() == first
    assert block is not None
    assert again is not None
    assert again.predictions.cached == again.predictions.unique == block.predictions.unique
    assert msgspec.structs.replace(again, predictions=block.predictions) == block


def test_the_report_shows_the_repair(repair: Callable, out: Path, command: Callable) -> None:
    assert 'id="repair"' not in (out / "report.html").read_text()
    repair()
    page = (out / "report.html").read_text()
    assert '<h2 id="repair">Repair</h2>' in page
    assert "words by words 1, similarity by alike 1" in page
    assert command("report", out / "result.json", "--format", "html").out == page


def test_out_leaves_the_run_as_it_is(repair: Callable, out: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert repair("--out", tmp_path / "there").code == PASS
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ALL


@pytest.mark.parametrize(
    "made",
    [
        tools({}),
        tools({name: [("Rome", 5.4)] for name in NAMES}),
        tools({name: [(name.lower(), 9.0)] for name in NAMES}),
        tools(OTHERS, cosine=lambda _a, _b: 0.44),
    ],
    ids=["no filler", "scores too low", "another letter case", "not alike"],
)
def test_without_candidates_all_is_left_as_it_is(made: object, repair: Callable, out: Path) -> None:
    before, rows = result_of(out), rows_of(out)
    assert repair(made=made).code == PASS
    block = result_of(out).repair
    assert block is not None
    assert block.no_candidate == block.suspicious > 0
    assert (block.voted, block.changed, block.predictions.requested) == (0, 0, 0)
    assert all(sentence["before"] == sentence["after"] for sentence in repairs_of(out))
    assert rows_of(out) == rows
    assert result_of(out).relations == before.relations


def labelled(path: Path, label: str = "LOC") -> Path:
    """Label every name of the suite's sentences."""
    lines = []
    for text in SENTENCES[:30]:
        tokens = [*text.removesuffix(".").split(), "."]
        tags = [f"B-{label}" if token in NAMES else "O" for token in tokens]
        lines.append(json.dumps({"tokens": tokens, "tags": tags}))
        lines.append(json.dumps({"text": question(text)[0], "entities": []}))  # no source: edited
    path.write_text("\n".join(lines))
    return path


def test_labels_measure_the_repair_on_unedited_sources(
    repair: Callable, out: Path, tmp_path: Path
) -> None:
    answer = repair("--labels", labelled(tmp_path / "labels.jsonl"))
    assert answer.code == PASS, answer
    block = result_of(out).repair
    assert block is not None
    actual = block.measures
    assert actual is not None
    chosen = [item for item in repairs_of(out) if item["text"] in SENTENCES[:30]]
    assert actual.sentences == len(chosen) > 0
    answers = [
        (entity["said"], entity["decision"], "LOC" if entity["words"] in NAMES else None)
        for sentence in chosen
        for entity in sentence["suspicious"]
    ]
    right_before_and_after = [(a == right, b == right) for a, b, right in answers]
    assert actual.ft == right_before_and_after.count((False, True))
    assert actual.tf == right_before_and_after.count((True, False))
    assert actual.tt == right_before_and_after.count((True, True))
    assert actual.ff == right_before_and_after.count((False, False))
    errors = actual.ft + actual.ff
    assert actual.error_reduction == ((actual.ft - actual.tf) / errors if errors else None)
    assert "Compared with labels.jsonl" in answer.err
    assert "labels.jsonl" in (out / "report.html").read_text()


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (("--top", "0"), USAGE, "--top must be a number from 1 to 1000 (got 0)"),
        (("--min-cosine", "2"), USAGE, "--min-cosine must be a number from -1 to 1 (got 2.0"),
        (("--min-score", "nan"), USAGE, "--min-score must be a number from -1000 to 1000 (got nan"),
        (("--labels", "none.jsonl"), CANNOT_JUDGE, "none.jsonl does not exist"),
    ],
)
def test_what_cannot_be_followed_writes_nothing(
    flags: tuple, code: int, words: str, repair: Callable, out: Path
) -> None:
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    answer = repair(*flags)
    assert answer.code == code
    assert words in answer.err
    assert len(answer.err.splitlines()) == 1
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_labels_of_another_kind_are_refused(repair: Callable, tmp_path: Path) -> None:
    answer = repair("--labels", labelled(tmp_path / "labels.jsonl", "GPE"))
    assert answer.code == CANNOT_JUDGE
    assert "labels GPE" in answer.err


def test_another_checkpoint_than_the_runs_is_refused(repair: Callable, out: Path) -> None:
    result = result_of(out)
    other = msgspec.structs.replace(result.checkpoint, fingerprint="other")
    made_up.store(out, msgspec.structs.replace(result, checkpoint=other), rows_of(out))
    answer = repair()
    assert answer.code == USAGE
    assert "Pass that model" in answer.err


def test_a_run_of_another_task_is_refused(repair: Callable, out: Path) -> None:
    result = result_of(out)
    suite = msgspec.structs.replace(result.suite, task="boolq")
    made_up.store(out, msgspec.structs.replace(result, suite=suite), rows_of(out))
    answer = repair()
    assert answer.code == USAGE
    assert "repair works only with task ner" in answer.err


def test_a_run_with_less_length_is_repaired_with_the_same(
    run_gate: Callable, repair: Callable
) -> None:
    assert run_gate(max_length=60).code == PASS
    assert repair("--max-length", 60).code == PASS
    refused = repair()
    assert refused.code == USAGE
    assert "is not the model of the run" in " ".join(refused.err.split())


def test_a_report_that_cannot_be_written_leaves_the_run(
    repair: Callable, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = {path.name: path.read_bytes() for path in out.iterdir()}
    monkeypatch.setattr("mt_gate.results.store.write_result", full)
    assert repair().code == CANNOT_JUDGE
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_another_system_without_a_fingerprint_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        head = answers.head("another", "command")

        def close(self) -> None:
            """Hold nothing."""

    monkeypatch.setattr(repairing, "open_named", lambda *_: Other())
    result = made_up.result()
    for name, refused in (("another", False), ("ours", True)):
        of = msgspec.structs.replace(result, checkpoint=answers.head(name, "command"))
        request = RepairRequest(result=Path("out"), system="command:x")
        with (
            pytest.raises(
                UsageError, match=r"command:x \(no fingerprint\) is not the model of the run"
            )
            if refused
            else nullcontext()
        ):
            repairing._system(request, Path("out"), of, [], lambda _: None)
