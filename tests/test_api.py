"""The Python API does what the command line does, and says so as Python does."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints

import pytest
from lxml import html as markup

import mt_gate
from making import SENTENCES, make_suite
from making_functions import names, names_of_statements
from making_stated import write_stated
from making_text import PAIRS
from mt_gate.settings.keywords import DecidingKeywords, RunKeywords, SideKeywords
from mt_gate.settings.record import DECIDING, SETTINGS

SAME = {"text/same": {"kind": "same"}}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user-cache"))


@pytest.fixture
def regressed(suite: Path) -> mt_gate.Result:
    """Names in all texts, against names in statements."""
    return mt_gate.qualify(names, names_of_statements, task="ner", suite=suite)


def test_keywords_are_the_settings() -> None:
    assert {*get_type_hints(RunKeywords)} == {*SETTINGS} - {"system"}
    assert {*get_type_hints(DecidingKeywords)} == {*DECIDING}
    sides = {"checkpoint", "system", "against", "baseline", "early_stop", "record_missing"}
    assert {*get_type_hints(SideKeywords)} == {*SETTINGS} - sides


def test_the_import_is_cheap_and_the_names_are_there() -> None:
    code = "import sys, mt_gate; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {*done.stdout.split()}
    assert "mt_gate" in loaded
    assert not loaded & {"mt_gate.api", "click", "msgspec", "numpy"}
    assert all(callable(getattr(mt_gate, name)) for name in mt_gate.__all__)
    with pytest.raises(AttributeError, match="no attribute 'rum'"):
        mt_gate.rum  # noqa: B018


def test_a_result_has_the_figures_of_the_command_line(
    small: Path, suite: Path, command: Callable, tmp_path: Path
) -> None:
    done = mt_gate.run(checkpoint=small, task="ner", suite=suite, out=tmp_path / "out")
    assert (done.verdict, done.exit_code, done.passed) == ("measured", 0, True)
    path = mt_gate.record_baseline(done, "ner")
    assert path == Path("baselines/ner.json")
    assert path.is_file()
    judged = mt_gate.run(
        system=names_of_statements, task="ner", suite=suite, baseline=path, max_violation_rate=1
    )
    shown = command("compare", judged.folder, "--baseline", path, "--format", "json")
    stored = json.loads(shown.out)
    assert judged.exit_code == shown.code
    assert judged.verdict == stored["verdict"]
    assert len(judged.relations) == len(stored["relations"])
    for record, relation in zip(
        (*judged.relations, judged.overall), (*stored["relations"], stored["overall"]), strict=True
    ):
        compared = relation["comparison"]
        assert record.violated == relation["violated"]
        assert record.applicable == relation["applicable"]
        assert (record.change, record.decision) == (compared["delta"], compared["decision"])
        assert (record.baseline_rate, record.rate) == (
            compared["baseline_rate"],
            compared["candidate_rate"],
        )
    assert len(judged.violations()) == stored["overall"]["violated"]
    read = mt_gate.Result.read(tmp_path / "out")
    assert (read.relations, repr(read)) == (done.relations, repr(done))


def test_a_callable_regresses_against_another(regressed: mt_gate.Result) -> None:
    assert (regressed.verdict, regressed.exit_code, regressed.passed) == ("regression", 1, False)
    new = regressed.new_violations()
    assert len(new) == sum(case["change"] == "new" for case in regressed.violations()) > 0
    case = next(case for case in new if case["relation"] == "ner/structural")
    assert case["baseline_source_prediction"] == {
        "entities": [[*span] for span in names([case["source"]["text"]])[0]]
    }
    assert case["follow_up_prediction"] == {
        "entities": [[*span] for span in names_of_statements([case["follow_up"]["text"]])[0]]
    }
    assert repr(regressed) == f"<mt_gate.Result regression (exit 1): {regressed.headline}>"
    assert regressed.path.read_text().startswith("<!DOCTYPE html>")
    metrics = regressed.metrics()
    assert metrics["mt_gate/overall/violation_rate"] == regressed.overall.rate


def test_a_callable_does_not_regress_against_itself(suite: Path) -> None:
    done = mt_gate.qualify(names, names, task="ner", suite=suite)
    assert done.passed
    assert done.new_violations() == []


def test_a_policy_can_be_changed_afterwards(regressed: mt_gate.Result, suite: Path) -> None:
    base = mt_gate.run(system=names, task="ner", suite=suite)
    path = mt_gate.record_baseline([base], "kept/names.json")
    assert mt_gate.compare(regressed, path).verdict == "regression"
    policy = {"tasks": {"ner": {"tier": "warn"}}}
    lenient = mt_gate.compare(regressed.folder, path, policy=policy)
    assert (lenient.verdict, lenient.passed) == ("warning", True)
    with pytest.raises(mt_gate.UsageError, match="Unknown setting 'checkpoint'"):
        mt_gate.compare(regressed, path, checkpoint="x")  # type: ignore[call-arg]


def test_predictions_of_a_callable_are_reused_only_under_a_fingerprint(suite: Path) -> None:
    calls = []

    def counted(texts: list[str]) -> list[list[tuple[int, int, str]]]:
        calls.append(len(texts))
        return names(texts)

    def times(fingerprint: str) -> int:
        calls.clear()
        mt_gate.run(system=counted, task="ner", suite=suite, fingerprint=fingerprint)
        return sum(calls)

    number = times("")
    assert number > len(SENTENCES[:60])
    assert [times(""), times("v1"), times("v1"), times("v2")] == [number, number, 0, number]


def test_reports_live_as_long_as_the_result(suite: Path) -> None:
    done = mt_gate.run(system=names, task="ner", suite=suite)
    folder = done.folder
    assert (folder / "report.html").is_file()
    del done
    gc.collect()
    assert not folder.exists()


def test_nothing_is_printed_and_no_settings_file_is_read_by_default(
    suite: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("mt-gate.toml").write_text('checkpoint = "none"\ntask = "boolq"\nmargin = 0.5\n')
    done = mt_gate.run(system=names, task="ner", suite=suite)
    assert capfd.readouterr() == ("", "")
    assert "margin 0.5" not in done.path.read_text()
    Path("mt-gate.toml").write_text(f'task = "ner"\nsuite = "{suite}"\nout = "own"\n')
    assert mt_gate.run(system=names, config="mt-gate.toml").folder == Path("own")


@pytest.mark.parametrize(
    ("settings", "kind", "words"),
    [
        ({"task": "ner", "marjin": 1}, "UsageError", "Did you mean 'margin'?"),
        ({"task": "bolq"}, "UsageError", "Did you mean 'boolq'?"),
        ({"task": "ner", "suite": "nope"}, "UsageError", "nope"),
        ({"task": "ner", "margin": 2}, "UsageError", "--margin must be a number from 0"),
        ({"task": "ner", "checkpoint": "x"}, "UsageError", "both checkpoint and system"),
        ({"task": "ner", "baseline": "no.json"}, "CannotJudge", "no.json"),
        ({"task": "ner", "out": "/dev/null/x"}, "UsageError", "cannot be written"),
        ({"task": "ner", "system": None}, "UsageError", "--checkpoint is missing"),
        ({"task": "ner", "system": "python:x"}, "UsageError", "with a KIND of"),
        ({"task": "ner", "system": None, "fingerprint": "x"}, "UsageError", "only with a callable"),
    ],
)
def test_faults_are_of_one_family(settings: dict[str, Any], kind: str, words: str) -> None:
    with pytest.raises(mt_gate.MtGateError) as failure:
        mt_gate.run(**{"system": names, **settings})
    assert type(failure.value).__name__ == kind
    assert words in str(failure.value)


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\x1b[2J & 'x' \"y\""


def test_no_text_is_markup_in_a_notebook(tmp_path: Path) -> None:
    pairs = [tuple({"text": f"{side['text']} {HOSTILE}"} for side in pair) for pair in PAIRS]
    suite = write_stated(tmp_path / "hostile", "text", SAME, pairs)
    done = mt_gate.qualify(
        lambda texts: ["ok"] * len(texts),
        lambda texts: [HOSTILE[: 9 + len(text) % 9] for text in texts],
        task="text",
        suite=suite,
    )
    assert done.new_violations()
    page = done._repr_html_()
    tags = {tag.tag for tag in markup.fragment_fromstring(page).iter()}
    allowed = "div p pre ul li strong br style details summary table thead tbody tfoot tr th td"
    assert tags <= {*allowed.split()}
    assert "alert(1)" in page
    assert "\x1b" not in page
    assert "\x1b" not in repr(done)


def test_frames(regressed: mt_gate.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(mt_gate.CannotJudge, match="pip install pandas"):
        regressed.to_frame()
    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(DataFrame=lambda rows, **_: rows))
    rows = regressed.to_frame()
    assert [row["id"] for row in rows] == [record.id for record in regressed.relations]
    assert rows[0]["ci95_low"] <= rows[0]["change"] <= rows[0]["ci95_high"]
    assert rows[1]["ci95_low"] is None
    cells = [cell for row in regressed.to_frame("new_violations") for cell in row.values()]
    assert len(cells) == 9 * len(regressed.new_violations())
    assert {type(cell) for cell in cells} <= {str, type(None)}


def test_facts_and_cases_of_a_suite(suite: Path) -> None:
    facts = mt_gate.load_suite(suite)
    assert (facts.name, facts.version, facts.task) == ("made-up", "1", "ner")
    assert facts.at_run_time == ("ner/entity-shuffle",)
    cases = [*facts.cases()]
    assert len(cases) == facts.number_of_cases == len(SENTENCES[:60])
    assert cases[0]["source"] == {"text": SENTENCES[0]}
    with pytest.raises(mt_gate.UsageError, match="Did you mean 'ner-default'"):
        mt_gate.load_suite("ner-defualt")


def test_a_suite_is_built_from_pairs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("spacy", reason="needs mt-gate[suite]")
    pairs = tmp_path / "pairs.jsonl"
    row = {"source": "A text.", "follow_up": "Text.", "relation": "own", "output": {"kind": "same"}}
    pairs.write_text(json.dumps(row) + "\n")
    facts = mt_gate.build_suite("own", sources=[pairs], kind="pairs", task="text", name="own")
    assert (facts.name, facts.number_of_cases) == ("own", 1)
    assert capfd.readouterr() == ("", "")
    for options, words in (({}, "either --recipe or --sources"), ({"colour": 1}, "No such option")):
        with pytest.raises(mt_gate.UsageError, match=words):
            mt_gate.build_suite("other", **options)


def test_without_the_extra_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [])
    with pytest.raises(mt_gate.CannotJudge, match="Install mt-gate"):
        mt_gate.build_suite("own")


def test_a_suite_of_another_size_is_not_compared(suite: Path, tmp_path: Path) -> None:
    other = make_suite(tmp_path / "other", SENTENCES[60:90])
    path = mt_gate.record_baseline(mt_gate.run(system=names, task="ner", suite=suite), "b")
    with pytest.raises(mt_gate.CannotJudge):
        mt_gate.run(system=names, task="ner", suite=other, baseline=path)
