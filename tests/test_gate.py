"""The whole run on a small suite and a small, real ONNX checkpoint."""

from __future__ import annotations

import gzip
import html
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from conftest import check_refused
from counting_churn import counted, expected_counts, turned
from making_onnx import _table, maskless_tagger, save_checkpoint, tagger
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION, USAGE
from mt_gate.base.figures import size_in_points
from mt_gate.baselines.schema import read_baseline
from mt_gate.results.result import GroupRow, Result
from mt_gate.suites.format import read_suite, write_suite

CONTRACT = {
    "format",
    "tool",
    "verdict",
    "exit_code",
    "suite",
    "checkpoint",
    "relations",
    "overall",
    "profile",
    "timing",
    "predictions",
}
FIVE = ["groups.jsonl.gz", "junit.xml", "report.html", "result.json", "summary.md"]


def read(folder: Path) -> tuple[Result, list[GroupRow]]:
    lines = gzip.decompress((folder / "groups.jsonl.gz").read_bytes()).splitlines()
    result = msgspec.json.decode((folder / "result.json").read_bytes(), type=Result)
    return result, [msgspec.json.decode(line, type=GroupRow) for line in lines]


def alike(rows: list[GroupRow]) -> list[GroupRow]:
    """Return rows without the run that they are of."""
    return [msgspec.structs.replace(row, run="") for row in rows]


@pytest.fixture
def recorded(run_gate: Callable, command: Callable, tmp_path: Path) -> Path:
    assert run_gate(out=tmp_path / "first").code == PASS
    folder = tmp_path / "baselines"
    code = command(
        "baseline", "record", tmp_path / "first" / "result.json", "--name", "ner", "--dir", folder
    ).code
    assert code == PASS
    return folder / "ner.json"


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (["--max-violation-rate", "0.5"], REGRESSION, "is above its limit of 50.0%"),
        (["--max-violation-rate", "ner/structural=0.5"], REGRESSION, "is above its limit"),
        (["--max-violation-rate", "1"], PASS, "nothing was compared"),
        (["--must-hold", "abcd"], PASS, "Pinned case abcd is not in this run"),
        (["--must-hold", "abcd", "--strict"], REGRESSION, "Pinned case abcd is not in this"),
        (["--max-churn", "0.1"], PASS, "Not checked, because there is no baseline: max-churn"),
    ],
)
def test_limits_that_need_no_baseline_are_checked_without_one(
    run_gate: Callable, worse: Path, tmp_path: Path, flags: list[str], code: int, said: str
) -> None:
    answer = run_gate(*flags, checkpoint=worse)
    assert answer.code == code, answer
    assert said in answer.out
    assert ("Record: mt-gate" in answer.out) == answer.out.startswith("MEASURED")
    missing = tmp_path / "baselines" / "ner.json"
    again = run_gate(*flags, "--record-missing", checkpoint=worse, baseline=missing)
    assert again.code == code
    assert missing.exists() == (code == PASS)


def test_a_pinned_group_that_is_violated_fails_without_a_baseline(
    run_gate: Callable, worse: Path, tmp_path: Path
) -> None:
    run_gate(checkpoint=worse)
    rows = gzip.decompress((tmp_path / "out" / "groups.jsonl.gz").read_bytes()).splitlines()
    violated = next(row for row in map(json.loads, rows) if row["verdict"] == "violated")["id"]
    answer = run_gate("--must-hold", violated, checkpoint=worse)
    assert answer.code == REGRESSION
    assert f"pinned case {violated} is violated" in answer.out


def test_scores_too_different_for_a_result_end_in_a_line(
    run_gate: Callable, tmp_path: Path
) -> None:
    table = (_table() * 1e10).astype("float32")
    checkpoint = save_checkpoint(tmp_path / "large", tagger(table=table))
    answer = run_gate(checkpoint=checkpoint)
    assert answer.code == CANNOT_JUDGE
    [line] = answer.err.splitlines()
    assert "two scores of an input differ by" in line


def test_writes_the_five_files_to_the_contract(run_gate: Callable, tmp_path: Path) -> None:
    answer = run_gate()
    assert answer.code == PASS, answer
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == FIVE
    value = json.loads((tmp_path / "out" / "result.json").read_text())
    assert set(value) >= CONTRACT
    assert value["verdict"] == "measured"
    assert set(value["suite"]) == {"name", "version", "task", "sha256"}
    assert set(value["checkpoint"]) == {"name", "fingerprint", "runtime"}
    assert set(value["checkpoint"]["runtime"]) == {
        "provider", "precision", "device", "onnxruntime", "cpu", "cpu_features", "threads",
    }  # fmt: skip
    assert set(value["timing"]) == {
        "load", "export", "predict", "judge", "compare", "report", "total",
    }  # fmt: skip
    for relation in value["relations"]:
        counted = relation["applicable"] + sum(relation["not_applicable"].values())
        assert counted == relation["groups"]
    result, rows = read(tmp_path / "out")
    assert len(rows) == sum(relation.groups for relation in result.relations)
    assert len({row.id for row in rows}) == len(rows)


def test_a_run_says_where_its_report_is_and_what_comes_next(
    run_gate: Callable, recorded: Path, tmp_path: Path
) -> None:
    first, judged, part = (
        run_gate(),
        run_gate(baseline=recorded),
        run_gate(relations="ner/structural"),
    )
    for answer in (first, judged, part):
        assert f"Report: {tmp_path / 'out' / 'report.html'}\n" in answer.out
    record = f"Record: mt-gate baseline record {tmp_path / 'out'} --name made-up\n"
    assert record in first.out
    assert record not in judged.out
    assert "baseline record" not in part.out


def test_a_second_run_predicts_nothing(run_gate: Callable, tmp_path: Path) -> None:
    run_gate(out=tmp_path / "one")
    run_gate(out=tmp_path / "two")
    (first, rows), (second, again) = read(tmp_path / "one"), read(tmp_path / "two")
    assert first.predictions.cached == 0
    assert second.predictions.cached == second.predictions.unique == first.predictions.unique
    assert alike(rows) == alike(again)


def test_a_killed_run_leaves_its_predictions(
    run_gate: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mt_gate.sut.confined import ConfinedCheckpoint

    predict = ConfinedCheckpoint.predict

    batches = 0

    def dying(self: ConfinedCheckpoint, inputs: list) -> object:
        nonlocal batches
        for batch in predict(self, inputs):
            batches += 1
            if batches > 2:
                raise KeyboardInterrupt
            yield batch

    with monkeypatch.context() as patch:
        patch.setattr(ConfinedCheckpoint, "predict", dying)
        assert run_gate().code == 130
    assert not (tmp_path / "out").exists()
    assert run_gate().code == PASS
    assert read(tmp_path / "out")[0].predictions.cached > 0


def test_a_checkpoint_passes_its_own_baseline(
    run_gate: Callable, recorded: Path, tmp_path: Path
) -> None:
    answer = run_gate(baseline=recorded)
    result, rows = read(tmp_path / "out")
    assert answer.code == PASS, answer
    assert result.verdict == "pass"
    assert {row.change for row in rows} <= {"still", "ok", None}
    for relation in result.relations:
        assert relation.comparison
        assert relation.comparison.delta == 0
        assert relation.comparison.decision == "pass"
    assert result.baseline
    assert result.baseline.name == "ner"
    judged = [row for row in rows if row.verdict != "not-applicable"]
    assert all(row.margin is not None and row.margin >= 0 for row in judged)
    assert {row.margin for row in rows if row not in judged} == {None}


def test_rows_that_changed_hold_what_the_baseline_answered(
    run_gate: Callable, recorded: Path, worse: Path, tmp_path: Path
) -> None:
    run_gate(baseline=recorded, checkpoint=worse)
    _, first = read(tmp_path / "first")
    _, rows = read(tmp_path / "out")
    result = {row.id: row for row in first}
    assert any(row.before for row in rows)
    for row in rows:
        shown = row.verdict == "violated" or row.change in ("new", "fixed", "still")
        assert (row.before is not None) == shown
        if row.before and row.id in result:
            assert row.before.source == result[row.id].source_output
            assert row.before.follow_up == result[row.id].follow_up_output
    page = (tmp_path / "out" / "report.html").read_text()
    assert re.search("Baseline: (held|violated)", page)
    assert ": was " in (tmp_path / "out" / "summary.md").read_text()
    assert "baseline:  " in (tmp_path / "out" / "junit.xml").read_text()


def test_a_baseline_without_answers_judges_alike(
    run_gate: Callable, command: Callable, recorded: Path, worse: Path, tmp_path: Path
) -> None:
    with_answers = run_gate(baseline=recorded, checkpoint=worse)
    before, _ = read(tmp_path / "out")
    record = ("baseline", "record", tmp_path / "first" / "result.json", "--name", "ner")
    assert command(*record, "--dir", recorded.parent, "--no-answers").code == PASS
    assert [*recorded.parent.iterdir()] == [recorded]
    answer = run_gate(baseline=recorded, checkpoint=worse)
    after, rows = read(tmp_path / "out")
    assert answer.code == with_answers.code
    assert after.verdict == before.verdict
    assert before.shift
    assert after.shift, "shares alone show it, too"
    assert {*after.reasons} - {after.shift} == {*before.reasons} - {before.shift}
    assert (after.relations, after.overall) == (before.relations, before.overall)
    assert not any(row.before for row in rows)
    [note] = [note for note in after.notes if note not in before.notes]
    assert note.startswith("The baseline has no stored predictions")
    assert note in html.unescape((tmp_path / "out" / "summary.md").read_text())
    assert "Baseline: satisfied" not in (tmp_path / "out" / "report.html").read_text()


def test_churn_is_what_an_independent_count_finds(
    run_gate: Callable, recorded: Path, worse: Path, tmp_path: Path
) -> None:
    run_gate(baseline=recorded, checkpoint=worse)
    folders = (tmp_path / "first", tmp_path / "out")
    churn = json.loads((tmp_path / "out" / "result.json").read_text())["churn"]
    assert expected_counts("ner", churn) == counted("ner", *folders)
    assert churn["answers"]["inputs"]["number"] > 0
    assert (churn["groups"]["number"], churn["groups"]["of"]) == turned(*folders)
    inputs = churn["answers"]["inputs"]
    sentence = f"of predictions changed ({inputs['number']:,} of {inputs['of']:,})"
    for name in ("summary.md", "junit.xml"):
        assert sentence in (tmp_path / "out" / name).read_text().replace("&#39;", "'")
    assert "<summary>Prediction changes</summary>" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize("content", [None, b"version https://git-lfs.github.com/spec/v1\n", b"x"])
def test_max_churn_is_not_judged_without_the_baseline_s_answers(
    run_gate: Callable, recorded: Path, content: bytes | None
) -> None:
    answers = recorded.parent / "ner.answers.gz"
    answers.unlink() if content is None else answers.write_bytes(content)
    assert run_gate(baseline=recorded).code == PASS
    refused = run_gate("--max-churn", "0.5", baseline=recorded)
    assert refused.code == CANNOT_JUDGE
    assert "Without it mt-gate cannot check max-churn" in refused.err
    if content and b"lfs" in content:
        assert "a Git LFS pointer" in refused.err


def test_record_missing(run_gate: Callable, tmp_path: Path) -> None:
    path = tmp_path / "baselines" / "ner.json"
    answer = run_gate("--record-missing")
    assert answer.code == USAGE
    assert "--record-missing needs a baseline file to write. Add --baseline FILE" in answer.err
    assert run_gate(baseline=path).code == CANNOT_JUDGE
    assert not path.exists()
    assert run_gate("--record-missing", baseline=path).code == PASS
    assert sorted(p.name for p in path.parent.iterdir()) == ["ner.answers.gz", "ner.json"]
    baseline, run = read_baseline(path), read(tmp_path / "out")[0].run
    assert run
    assert ([one.id for one in baseline.runs], baseline.anchor) == ([run.id], None)
    assert run_gate("--record-missing", baseline=path).code == PASS
    assert read(tmp_path / "out")[0].verdict == "pass"


def test_a_part_of_the_suite(run_gate: Callable, command: Callable, tmp_path: Path) -> None:
    assert run_gate(relations="ner/structural").code == PASS
    result, rows = read(tmp_path / "out")
    assert [relation.id for relation in result.relations] == ["ner/structural"]
    assert {row.relation for row in rows} == {"ner/structural"}
    record = ("baseline", "record", tmp_path / "out" / "result.json", "--name", "part")
    refused = command(*record)
    assert refused.code == USAGE
    assert "--accept" in refused.err
    assert command(*record, "--accept", "the other relation is too slow here").code == PASS


def test_compare_and_report_without_the_checkpoint(
    run_gate: Callable, command: Callable, recorded: Path, tmp_path: Path
) -> None:
    run_gate()
    compared = command(
        "compare", "out/result.json", "--baseline", recorded, "--out", tmp_path / "compared"
    )
    assert compared.code == PASS
    assert sorted(path.name for path in (tmp_path / "compared").iterdir()) == FIVE
    for kind, start in (("html", "<!"), ("junit", "<?xml"), ("markdown", "#"), ("json", "{")):
        answer = command("report", tmp_path / "compared" / "result.json", "--format", kind)
        assert answer.code == PASS, answer
        assert answer.out.lstrip().lower().startswith(start), answer.out[:80]
    written = command(
        "report", "out/result.json", "--format", "html", "--output", tmp_path / "own.html"
    )
    assert written.code == PASS
    assert (tmp_path / "own.html").read_text().lstrip().startswith("<!")


def test_a_retrained_checkpoint_gets_a_larger_margin_and_the_report_says_so(
    run_gate: Callable, recorded: Path, worse: Path, tmp_path: Path
) -> None:
    run_gate(baseline=recorded, checkpoint=worse)
    changed, _ = read(tmp_path / "out")
    answer = run_gate("--retrained", baseline=recorded, checkpoint=worse)
    retrained, _ = read(tmp_path / "out")
    assert retrained.settings.retrained
    before, now = changed.overall.comparison, retrained.overall.comparison
    assert now.delta == before.delta
    assert now.p_value > before.p_value
    assert before.rise_by_seeds is msgspec.UNSET
    assert 0 < now.rise_by_seeds < 1
    about_seeds = [note for note in retrained.notes if "another seed" in note]
    assert about_seeds == [
        f"A rise of up to {size_in_points(now.rise_by_seeds)} overall can come from training with "
        "another seed."
    ]
    assert any("assumes the usual difference" in note for note in retrained.notes)
    assert answer.code == retrained.exit_code


def test_recipes_are_compared_by_the_means_of_their_trainings(
    run_gate: Callable, command: Callable, recorded: Path, worse: Path, tmp_path: Path
) -> None:
    run_gate(out=tmp_path / "good")
    run_gate(out=tmp_path / "bad", checkpoint=worse)
    compare = ("compare", "good", "--baseline", recorded, "--out", "compared")
    assert command(*compare, "--seeds", "bad").code in (PASS, REGRESSION)
    both, _ = read(tmp_path / "compared")
    alone = []
    for run in ("good", "bad"):
        command("compare", run, "--baseline", recorded, "--retrained", "--out", "one")
        alone.append(read(tmp_path / "one")[0].overall.comparison)
    mean = both.overall.comparison
    if mean.pairs == alone[0].pairs == alone[1].pairs:
        assert mean.delta == pytest.approx((alone[0].delta + alone[1].delta) / 2)
    assert min(a.delta for a in alone) < mean.delta < max(a.delta for a in alone)
    assert any("means of 2 trainings" in note for note in both.notes)
    check_refused(command(*compare, "--seeds", "good"), USAGE, "twice")
    check_refused(command("compare", "good", "bad", "--seeds", "bad"), USAGE, "--seeds needs one")
    run_gate(out=tmp_path / "part", relations="ner/structural", checkpoint=worse)
    check_refused(command(*compare, "--seeds", "part"), USAGE, "settings")


def test_one_table_of_several_gates(
    run_gate: Callable, command: Callable, recorded: Path, worse: Path, tmp_path: Path
) -> None:
    """Also of a gate that came to no result, as of one whose checkpoint is missing."""
    run_gate("--name", "a | b", out=tmp_path / "one", baseline=recorded)
    run_gate("--strict", out=tmp_path / "two", baseline=recorded, checkpoint=worse)
    (tmp_path / "three").mkdir()
    folders = ("one", "two", "three")
    answer = command("report", *folders, "--format", "gates")
    assert answer.code == PASS
    head, _, *rows = answer.out.splitlines()
    assert head.split("|")[2:4] == [" Gate ", " Result "]
    signs = [row.split("|")[1].strip() for row in rows]
    assert signs == [":white_check_mark:", ":x:", ":no_entry:"]
    assert [row.count("|") for row in rows] == [5, 5, 5]
    assert "three has no result" in rows[2]
    assert command("report", *folders, "--format", "html").code == USAGE


def test_rates_by_corpus(run_gate: Callable, command: Callable, suite: Path) -> None:
    """Every third source is of another corpus; each cell has that corpus's counts."""
    whole = read_suite(suite)
    sources = [
        msgspec.structs.replace(source, origin="second" if number % 3 == 0 else "first")
        for number, source in enumerate(whole.sources)
    ]
    write_suite(suite, whole.head, sources, whole.groups)
    assert run_gate().code == PASS
    _, rows = read(Path("out"))
    corpora = {source.id: source.origin for source in sources}
    counts = Counter((row.relation, corpora[row.source_id], row.verdict.value) for row in rows)
    lines = command("report", "out", "--format", "corpora").out.splitlines()
    assert lines[0] == "| relation | first | second |"
    assert len(lines) == 4
    for line in lines[2:]:
        relation, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        for corpus, cell in zip(("first", "second"), cells, strict=True):
            violated, satisfied = (counts[relation, corpus, v] for v in ("violated", "satisfied"))
            assert cell.endswith(f"<br>{violated} of {violated + satisfied}")
    # The suite was built again since the run, and its sources have other ids.
    sources = [msgspec.structs.replace(item, id=f"new-{item.id}") for item in sources]
    groups = [msgspec.structs.replace(item, source=f"new-{item.source}") for item in whole.groups]
    write_suite(suite, whole.head, sources, groups)
    check_refused(command("report", "out", "--format", "corpora"), CANNOT_JUDGE, "no source text")


def test_silence_is_not_satisfaction(
    run_gate: Callable, checkpoint: Path, edit_json: Callable, recorded: Path, tmp_path: Path
) -> None:
    """A checkpoint that predicts nothing violates nothing: it has collapsed."""
    onnx = pytest.importorskip("onnx")
    model = onnx.load(checkpoint / "model.onnx")
    bias = next(item for item in model.graph.initializer if item.name.endswith("classifier.bias"))
    values = onnx.numpy_helper.to_array(bias).copy()
    values[0] += 1000
    bias.CopyFrom(onnx.numpy_helper.from_array(values, bias.name))
    (checkpoint / "model.onnx").write_bytes(model.SerializeToString())
    edit_json(checkpoint / "checkpoint.json", lambda card: card.pop("files"))
    answer = run_gate(checkpoint=checkpoint, baseline=recorded)
    result, _ = read(tmp_path / "out")
    assert result.overall.violation_rate is None
    assert result.verdict == "collapse"
    assert answer.code == REGRESSION
    assert result.profile.candidate["entities per sentence"] == 0


def test_hugging_face_folder_is_exported_once(
    run_gate: Callable, hugging_face: Path, exported: Path, tmp_path: Path
) -> None:
    one = run_gate(checkpoint=hugging_face, out=tmp_path / "one")
    assert one.code == PASS, one
    assert "Exporting" in one.err
    two = run_gate(checkpoint=hugging_face, out=tmp_path / "two")
    assert "Exporting" not in two.err
    run_gate(checkpoint=exported, out=tmp_path / "three")
    direct, by_hand = read(tmp_path / "two"), read(tmp_path / "three")
    assert direct[0].checkpoint.fingerprint == by_hand[0].checkpoint.fingerprint
    assert alike(direct[1]) == alike(by_hand[1])


def test_a_checkpoint_that_ignores_its_mask_is_judged_like_any_other(
    run_gate: Callable, command: Callable, tmp_path: Path
) -> None:
    """Padded, its scores would move by far; but a run pads nothing, and the loss is one."""
    pytest.importorskip("onnx")
    right = save_checkpoint(tmp_path / "right", maskless_tagger())
    worse = save_checkpoint(tmp_path / "worse", maskless_tagger(adds={"?": 300.0}))
    assert run_gate(checkpoint=right, out=tmp_path / "first").code == PASS
    record = ("baseline", "record", tmp_path / "first", "--name", "ner", "--dir", tmp_path)
    assert command(*record).code == PASS
    assert run_gate(checkpoint=right, baseline=tmp_path / "ner.json").code == PASS
    answer = run_gate(checkpoint=worse, baseline=tmp_path / "ner.json")
    result, _ = read(tmp_path / "out")
    assert (answer.code, result.verdict) == (REGRESSION, "regression"), answer
    assert result.settings.noise < 1e-6
    assert {relation.unstable for relation in result.relations} == {0}


def test_a_run_is_shown_in_a_line_in_short_in_full_or_as_json(
    run_gate: Callable, recorded: Path, worse: Path
) -> None:
    quiet, brief, verbose, data = (
        run_gate(*flags, baseline=recorded, checkpoint=worse)
        for flags in (["--quiet"], [], ["--verbose"], ["--format", "json"])
    )
    [line] = quiet.out.splitlines()
    assert not quiet.err
    assert brief.out.startswith(f"{line}\n")
    shown = [one for one in brief.out.splitlines() if "(--verbose)" not in one]
    assert [one for one in verbose.out.splitlines() if one in shown] == shown
    assert "ner/structural" not in brief.out
    assert json.loads(data.out)["verdict"] == line.partition(":")[0].lower()
    assert {quiet.code, brief.code, verbose.code, data.code} == {brief.code}
    refused = run_gate("--quiet", "--verbose", baseline=recorded, checkpoint=worse)
    assert refused.code == USAGE
    assert "exclude each other" in refused.err
