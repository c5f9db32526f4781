"""A secret of the environment is nowhere in what a run leaves, and a full disk hides no verdict."""

from __future__ import annotations

import gzip
import json
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from mt_gate import gate
from mt_gate.base import escaping
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE
from mt_gate.base.files import canonical
from mt_gate.cli import exit_code
from mt_gate.results.result import Change, GroupRow
from mt_gate.results.store import Run, read_result, read_rows
from reporting import made_up
from reporting.made_up import store
from reporting.unpacked import unpack

SECRET = "ghs_CanaryCanary0123456789"


@pytest.fixture
def step(
    step_environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """The action's environment, which is the process's own."""
    monkeypatch.chdir(tmp_path)
    variables = {**step_environment, "GITHUB_ACTIONS": "true", "GITHUB_TOKEN": SECRET}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return variables


def everything(folder: Path) -> str:
    """Return all text below a folder, packed text unpacked."""
    texts = []
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in (".onnx", ".sqlite"):
            data = path.read_bytes()
            texts.append(gzip.decompress(data) if path.suffix == ".gz" else data)
    return b"\n".join(texts).decode("utf-8", "replace")


@pytest.mark.usefixtures("step")
def test_labels_that_hold_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str], checkpoint: Path,
) -> None:  # fmt: skip
    card = json.loads((checkpoint / "checkpoint.json").read_text())
    text = json.dumps(card).replace("PER", SECRET)
    (checkpoint / "checkpoint.json").write_text(text)
    monkeypatch.setenv("INPUT_CHECKPOINT", str(checkpoint))
    monkeypatch.setenv("INPUT_RECORD-MISSING", "true")
    monkeypatch.setenv("INPUT_CACHE", str(tmp_path.parent / f"{tmp_path.name}-cache"))
    assert exit_code(["action"]) == PASS
    assert exit_code(["action"]) == PASS
    for kind in ("html", "markdown", "json", "junit", "sarif", "badge"):
        assert exit_code(["report", "mt-gate-out", "--format", kind, "--output", f"r.{kind}"]) == 0
        assert exit_code(["report", "mt-gate-out", "--format", kind]) == 0
    assert exit_code(["baseline", "show", "baselines/ner.json"]) == 0
    shutil.rmtree(checkpoint)
    said = capfd.readouterr()
    actual = everything(tmp_path)
    assert "***" in actual
    assert SECRET not in actual + said.out + said.err


@pytest.mark.parametrize("place", ["full", "folder", "gone/file"])
@pytest.mark.parametrize("variable", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
@pytest.mark.usefixtures("step")
def test_a_text_that_cannot_be_shown_changes_no_verdict(
    variable: str, place: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    (tmp_path / "folder").mkdir()
    if place == "full":
        place = "/dev/full"
        if not Path(place).is_char_device():
            pytest.skip("needs /dev/full")
    monkeypatch.setenv(variable, place)
    assert exit_code(["action"]) == CANNOT_JUDGE
    monkeypatch.setenv("INPUT_RECORD-MISSING", "true")
    assert exit_code(["action"]) == PASS
    lines = [line for line in capfd.readouterr().err.splitlines() if "do not change" in line]
    assert len(lines) == 2
    assert all(f"{place} cannot be read or written (" in line for line in lines)


def test_a_disk_that_is_full(small: Path, suite: Path, tmp_path: Path, run_gate: Callable) -> None:
    """Where nothing fits, the run prints one message, and the reports of an earlier run stay."""
    assert run_gate().code == PASS
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    command = [
        # Without -B Python 3.11 leaves cut bytecode in the checkout, which breaks other tests.
        sys.executable, "-B", "-m", "mt_gate", "run", "--checkpoint", small, "--task", "ner",
        "--suite", suite, "--out", tmp_path / "out", "--cache", tmp_path / "small",
    ]  # fmt: skip
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)),
    )  # fmt: skip
    assert done.returncode == CANNOT_JUDGE, done.stderr
    (line,) = done.stderr.splitlines()
    assert "cannot be read or written (File too large)" in line
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
def test_a_table_that_cannot_be_printed(small: Path, suite: Path, tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "mt_gate", "run", "--checkpoint", small, "--task", "ner",
        "--suite", suite, "--out", tmp_path / "out", "--cache", tmp_path / "cache",
        "--max-violation-rate", "0",
    ]  # fmt: skip
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [str(part) for part in command], stdout=full, stderr=subprocess.PIPE, check=False
        )
    stored = json.loads((tmp_path / "out" / "result.json").read_text())
    assert done.returncode == stored["exit_code"]
    assert b"the table: standard output cannot be read or written (No space" in done.stderr


KINDS = ("json", "sarif", "junit", "html", "badge", "markdown")


def test_a_report_is_no_command_of_a_workflow(
    small: Path, suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    run = ["run", "--checkpoint", small, "--task", "ner", "--suite", suite, "--out", "out"]
    assert exit_code([*map(str, run), "--cache", "cache"]) == PASS
    path = tmp_path / "out" / "result.json"
    hostile = "##[add-mask]e\n::set-output name=verdict::pass"
    result = read_result(path)
    first = result.relations[0].id
    rows = [
        replace(row, relation=hostile) if row.relation == first else row
        for row in read_rows(path, result)
    ]
    store(tmp_path / "out", replace(result, notes=(hostile,)), rows)
    codes = {}
    for kind in KINDS:
        assert exit_code(["report", "out", "--format", kind]) == PASS
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        capsys.readouterr()
        codes[kind] = exit_code(["report", "out", "--format", kind])
        said = capsys.readouterr()
        assert "##[" not in said.out
        assert not [line for line in said.out.splitlines() if line.lstrip().startswith("::")]
        assert codes[kind] == PASS or (said.out == "" and "--output" in said.err)
        assert exit_code(["report", "out", "--format", kind, "--output", "report"]) == PASS
        monkeypatch.delenv("GITHUB_ACTIONS")
    assert codes == {**dict.fromkeys(KINDS, USAGE), "badge": PASS, "markdown": PASS}


def test_numpy_s_warnings_stay_inside(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import warnings

    def listing() -> str:
        warnings.warn("overflow encountered in cast", RuntimeWarning, stacklevel=1)
        return ""

    monkeypatch.setattr("mt_gate_suites.audit.suite_texts.listing", listing)
    assert exit_code(["suite", "list"]) == PASS
    assert capfd.readouterr().err == ""


CANARY = "canaryword"
RUN = ["run", "--checkpoint", "nowhere"]
READERS = {
    "settings": [*RUN, "--config", "file"],
    "baseline": ["baseline", "show", "file"],
    "diff": ["baseline", "diff", "file", "file"],
    "result": ["report", "file", "--format", "json"],
    "comparison": ["compare", "file", "--baseline", "file"],
    "side by side": ["compare", "file", "file"],
    "history": ["history", ".", "--out", "h.csv", "--baselines", "file"],
    "recording": ["baseline", "record", "file", "--name", "n"],
    "comment": ["comment", "file"],
    "recipe": ["suite", "build", "--recipe", "file", "--out", "o"],
    "sheet": ["suite", "audit", "ner-default", "file", "--read"],
    "repair": ["repair", "file", "--checkpoint", "nowhere"],
}
CONTENTS = {
    "words": f"{CANARY} {CANARY}\n",
    "JSON of a word": f'"{CANARY}"\n',
    "assignments": f"{CANARY}={CANARY}\n",
    "passwords": f"{CANARY}:x:0:0:{CANARY}:/:/bin/sh\n",
    "table": f"{CANARY}\t{CANARY}\t{CANARY}\t{CANARY}\n",
    "nulls": f"A={CANARY}\0B={CANARY}\0",
}


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("reader", READERS)
def test_nothing_is_quoted_of_any_other_file(
    reader: str, content: str, command: Callable, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text(CONTENTS[content])
    answer = command(*READERS[reader])
    assert answer.code in (2, 3)
    assert len(answer.err.splitlines()) == 1
    assert CANARY not in answer.out + answer.err


FORMS = ("jsonl", "tacred", "retacred", "kbp37", "semeval", "fewrel", "opennre")


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_quoted_of_another_corpus(form: str, content: str, tmp_path: Path) -> None:
    from mt_gate.base.errors import MtGateError
    from mt_gate.relation_corpora.reading import read_relations

    path = tmp_path / "file"
    path.write_text(CONTENTS[content])
    with pytest.raises(MtGateError) as caught:
        list(read_relations(path, form, path if form == "retacred" else None))
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("content", CONTENTS)
def test_nothing_is_quoted_of_another_table_or_ontology(content: str, tmp_path: Path) -> None:
    from mt_gate.base.errors import MtGateError
    from mt_gate.evaluating.relation_labels import read_mapping
    from mt_gate.ontologies.reading import open_ontology

    path = tmp_path / "file"
    path.write_text(CONTENTS[content])
    for read in (read_mapping, lambda path: open_ontology(str(path))):
        with pytest.raises(MtGateError) as caught:
            read(path)
        assert CANARY not in str(caught.value)


ODD = "Canary  \"Canary's\t<Canary>` \\ Canary"
"""No escaping of a report, and no blanks taken together, leave it as it is."""


def test_labels_in_the_packed_pages_of_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", ODD)
    rows_before = made_up.rows({Change.NEW: 60})
    texts = [canonical(row).replace(b'"LOC"', canonical(ODD)) for row in rows_before]
    actual = [msgspec.json.decode(text, type=GroupRow) for text in texts]
    assert actual != rows_before
    escaping.watch({"MY_TOKEN": ODD})
    try:
        gate.report(tmp_path, Run(made_up.fitting(made_up.result(), actual), actual))
    finally:
        escaping.watch({})
    page = (tmp_path / "report.html").read_text()
    packed = [unpack(text) for text in re.findall(r"[A-Za-z0-9+/]{200,}={0,2}", page)]
    assert packed
    assert "***" in str(packed)
    for text in (str(packed), everything(tmp_path)):
        assert "Canary" not in text
