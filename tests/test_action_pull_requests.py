"""The action as a step of a pull request's workflow: whole runs, judged by the base."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest

from making import SENTENCES, make_suite
from making_pull_requests import Forge, event, git, of_pull_request, result, summary
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION
from mt_gate.baselines.schema import parse_baseline
from mt_gate.baselines.writing import format_baseline
from mt_gate.github import action

NAME, ANSWERS = "baselines/ner.json", "baselines/ner.answers.gz"
SETTINGS = "mt-gate.toml"


@pytest.fixture
def inputs(step_environment: dict[str, str]) -> dict[str, str]:
    return {**step_environment, "INPUT_COMMENT": "never"}


@pytest.fixture
def baseline(inputs: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A baseline of the checkpoint itself."""
    folder = tmp_path / "recording"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert action.run_action(inputs | {"INPUT_RECORD-MISSING": "true"}) == PASS
    Path(inputs["GITHUB_STEP_SUMMARY"]).unlink()
    return (folder / NAME).read_bytes()


@pytest.fixture
def propose(
    inputs: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[str, dict[str, str]]]:
    """Open a pull request from one baseline to another; return base and environment."""

    def propose(
        before: bytes | None,
        after: bytes | None,
        settings: bytes | None = None,
        of_base: Mapping[str, bytes] = MappingProxyType({}),
        **more: bytes,
    ) -> tuple[str, dict[str, str]]:
        forge = Forge(tmp_path / "forge")
        baseline_files = {} if before is None else {NAME: before}
        baseline_files |= {} if settings is None else {SETTINGS: settings}
        recorded = tmp_path / "recording" / ANSWERS
        if baseline_files and recorded.exists():
            baseline_files[ANSWERS] = recorded.read_bytes()
        base = forge.base({"README": b"x", **baseline_files, **of_base})
        change = {} if after == before else {NAME: after}
        head, merge = forge.pull_request(base, {"model": b"new", **change, **more})
        workspace = forge.check_out(tmp_path / "workspace")
        monkeypatch.chdir(workspace)
        return base, inputs | event(tmp_path, "pull_request", of_pull_request(base, head), merge)

    return propose


def edited(baseline: bytes) -> bytes:
    """The same verdicts under another date."""
    values = parse_baseline(baseline, "baseline")
    other = msgspec.structs.replace(values, recorded="2001-01-01T00:00:00+00:00")
    return format_baseline(other)


def test_an_edited_baseline_is_named_and_not_read(
    propose: Callable, baseline: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    base, environment = propose(baseline, edited(baseline))
    assert action.run_action(environment) == PASS
    head = result()["baseline"]
    assert (head["path"], head["name"], head["commit"]) == (NAME, "ner", base)
    assert head["recorded"] == json.loads(baseline)["recorded"]
    message = f"is edited by this pull request. mt-gate used the file of its base, {base[:7]}"
    assert result()["notes"][0] == f"{NAME} {message}"
    assert message in capsys.readouterr().out
    assert summary(environment).split("\n\n")[2] == f"> :warning: {NAME} {message}"
    assert summary(environment).count(message) == 1
    assert message in Path("mt-gate-out/report.html").read_text()
    assert git(Path.cwd(), "status", "--porcelain") == "?? mt-gate-out/"


def test_an_added_baseline_judges_as_a_new_gate(propose: Callable, baseline: bytes) -> None:
    _, environment = propose(None, baseline)
    assert action.run_action(environment) == PASS
    assert result()["verdict"] == "pass"
    assert "mt-gate used the added file, as for a new gate" in result()["notes"][0]
    assert "commit" not in result()["baseline"]
    assert "mt-gate used the added file, as for a new gate" in summary(environment)


def test_a_missing_baseline_is_never_green(propose: Callable) -> None:
    _, environment = propose(None, None)
    assert action.run_action(environment) == CANNOT_JUDGE
    assert f"{NAME} does not exist" in summary(environment)


WORKFLOW = ".github/workflows/gate.yml"


@pytest.mark.parametrize(
    ("of_base", "shown"),
    [
        ({SETTINGS: b'task = "ner"\n'}, SETTINGS),
        ({"baselines/other.json": b'{"suite": 1, "settings": 1, "runs": []}'}, "other.json"),
        ({WORKFLOW: b"- uses: org/MT-gate@v1\n"}, WORKFLOW),
    ],
)
@pytest.mark.parametrize("choice", ["base", "worktree"])
def test_a_mistyped_baseline_is_not_recorded_on_a_pull_request(
    propose: Callable, of_base: dict[str, bytes], shown: str, choice: str
) -> None:
    _, environment = propose(None, None, of_base=of_base, **{".gitattributes": b"* binary\n"})
    own = {"INPUT_RECORD-MISSING": "true", "INPUT_BASELINE": "baselines/nre.json"}
    code = action.run_action(environment | own | {"INPUT_BASELINE-FROM": choice})
    assert code == CANNOT_JUDGE
    assert "Baseline baselines/nre.json exists neither here nor in" in summary(environment)
    assert shown in summary(environment)
    assert not Path("baselines/nre.json").exists()
    assert [*Path("mt-gate-out").iterdir()] == [Path("mt-gate-out/report.html")]


def test_a_new_gate_is_recorded_and_announced_first(propose: Callable) -> None:
    of_base = {"baselines/package.json": b"{}", ".github/workflows/a.yml": b"on: push\n"}
    settings = {SETTINGS: b"strict = false\n", WORKFLOW: b"- uses: org/mt-gate@v1\n"}
    _, environment = propose(None, None, of_base=of_base, **settings)
    assert action.run_action(environment | {"INPUT_RECORD-MISSING": "true"}) == PASS
    assert result()["notes"][0].startswith("New gate: the base of this pull request, ")
    assert Path(NAME).is_file()
    _, _, first, *_ = summary(environment).split("\n\n")
    assert first.startswith("> :warning: New gate: ")


def forged_cache(tmp_path: Path) -> dict[str, bytes]:
    (rows,) = (tmp_path / "cache" / "predictions").glob("*.sqlite")
    return {f"mine/predictions/{rows.name}": rows.read_bytes()}


@pytest.mark.parametrize("by_file", [False, True])
def test_a_cache_of_the_pull_request_is_not_believed(
    propose: Callable,
    baseline: bytes,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    by_file: bool,
) -> None:
    """Forged rows would pass any gate, also in the folder that the base's settings name."""
    named = b'cache = "mine"\n' if by_file else None
    _, environment = propose(baseline, baseline, named, **forged_cache(tmp_path))
    capsys.readouterr()
    chosen = environment | {"INPUT_CACHE": "" if by_file else "mine"}
    assert action.run_action(chosen) == CANNOT_JUDGE
    streams = capsys.readouterr()
    assert len(streams.out.splitlines()) == len(streams.err.splitlines()) == 1
    assert "cache mine has files in git" in streams.err
    assert "cannot judge" in summary(environment)
    assert action.run_action(chosen | {"INPUT_CACHE": ".mt-gate-cache"}) == PASS


def test_a_suite_that_a_pull_request_changes_does_not_fit(
    propose: Callable, baseline: bytes, suite: Path
) -> None:
    """Settings name its folder; the baseline's hash fixes its content."""
    _, environment = propose(baseline, baseline)
    make_suite(suite, SENTENCES[:30])
    assert action.run_action(environment) == CANNOT_JUDGE
    assert "suite sha256" in summary(environment)


@pytest.mark.parametrize("name", ["push", "merge_group"])
def test_no_comment_where_there_is_no_pull_request(
    propose: Callable,
    baseline: bytes,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    """A merge queue is judged by what its group is put on, a push by what was pushed."""
    base, environment = propose(baseline, edited(baseline))
    environment |= event(tmp_path, name, {"merge_group": {"base_sha": base}})
    writing = {"INPUT_COMMENT": "always", "INPUT_GITHUB-TOKEN": "t", "GITHUB_REPOSITORY": "o/r"}
    # Nobody listens there: a request would leave a notice.
    assert (
        action.run_action(environment | writing | {"GITHUB_API_URL": "http://127.0.0.1:9"}) == PASS
    )
    assert "::notice" not in capsys.readouterr().out
    judged_by = json.loads(baseline if name == "merge_group" else edited(baseline))
    assert result()["baseline"]["recorded"] == judged_by["recorded"]
    assert result()["baseline"].get("commit") == (base if name == "merge_group" else None)
    if name == "merge_group":
        assert "is edited by this merge group" in summary(environment)


def test_shards_of_the_pull_request_are_not_believed(
    propose: Callable, baseline: bytes, inputs: dict[str, str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Its settings can keep the jobs that ask from asking, so that nothing is fetched over them."""
    (tmp_path / "forger").mkdir()
    monkeypatch.chdir(tmp_path / "forger")
    assert action.run_action(inputs | {"INPUT_SHARD": "1/1", "INPUT_OUT": "shards/1"}) == PASS
    forged = {str(path): path.read_bytes() for path in Path("shards/1").iterdir()}
    settings = {SETTINGS: b'device = "cuda"\n'}
    _, environment = propose(baseline, baseline, **forged, **settings)
    asking = environment | {"INPUT_SHARD": "1/1", "INPUT_OUT": "asked"}
    assert action.run_action(asking) == CANNOT_JUDGE
    assert action.run_action(environment | {"INPUT_MERGE": "shards"}) == CANNOT_JUDGE
    assert "merge shards has files in git" in summary(environment)
    assert [*Path("mt-gate-out").iterdir()] == [Path("mt-gate-out/report.html")]


def test_the_base_s_own_checkpoint_is_none_of_the_pull_request(
    inputs: dict[str, str], baseline: bytes, small: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """``pull_request_target`` checks out the base, where a workflow says no more."""
    forge = Forge(tmp_path / "forge")
    files = {f"models/ner/{path.name}": path.read_bytes() for path in small.iterdir()}
    base = forge.base({NAME: baseline, **files})
    head, _ = forge.pull_request(base, {"models/ner/model.onnx": b"broken"})
    payload = of_pull_request(base, head)
    monkeypatch.chdir(forge.check_out(tmp_path / "workspace", "refs/heads/main"))
    target = inputs | event(tmp_path, "pull_request_target", payload, base)
    named = target | {"INPUT_CHECKPOINT": "models/ner"}
    assert action.run_action(named) == CANNOT_JUDGE
    assert "not from the pull request" in summary(named)
    assert action.run_action(target) == PASS  # fetched to a place that git does not have
    moved = forge.base({"README": b"moved on"})
    later = inputs | event(tmp_path, "pull_request_target", payload, moved)
    monkeypatch.chdir(forge.check_out(tmp_path / "later", "refs/heads/main"))
    assert action.run_action(later | {"INPUT_CHECKPOINT": "models/ner"}) == CANNOT_JUDGE


def test_a_checkpoint_that_git_does_not_have_is_noted(
    inputs: dict[str, str], baseline: bytes, small: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    forge = Forge(tmp_path / "forge")
    base = forge.base({NAME: baseline, "models/old": b"x"})
    git(forge.clone, "checkout", "-q", "--detach", base)
    (forge.clone / "models/ner").symlink_to(small)
    head, merge = forge.pull_request("HEAD", {"README": b"new"})
    monkeypatch.chdir(forge.check_out(tmp_path / "workspace"))
    inputs |= {"INPUT_CHECKPOINT": "models/ner"}
    environment = inputs | event(tmp_path, "pull_request", of_pull_request(base, head), merge)
    assert action.run_action(environment) == PASS
    assert f"checkpoint models/ner is a link to {small}, which is not in git" in str(
        result()["notes"]
    )


PROGRAM = b"""\
import json, sys
import words
print(json.dumps({"system": {"name": "ours", "fingerprint": "1"}}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], "entities": words.found(asked["text"])}), flush=True)
"""
WORDS = b"def found(text): return [[0, 4, 'PER']] if text.startswith('Anna') else []\n"
WORSE = b"def found(text): return []\n"


def test_the_module_of_a_command_is_run_as_the_pull_request_has_it(
    inputs: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its fingerprint stays; the cache has what the module of before predicted."""
    program = {"predict.py": PROGRAM, "words.py": WORDS}
    settings = b"system = 'command:python3 predict.py'\n"
    forge = Forge(tmp_path / "forge")
    base = forge.base({SETTINGS: settings, **program})
    inputs = {**inputs, "INPUT_CHECKPOINT": "", "INPUT_CACHE": str(tmp_path / "cache")}
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    for name in ("before", "after"):
        change = {"words.py": WORSE} if name == "after" else {"README": b"new"}
        head, merge = forge.pull_request(base, change)
        monkeypatch.chdir(forge.check_out(tmp_path / name))
        environment = inputs | event(tmp_path, "pull_request", of_pull_request(base, head), merge)
        with_command = environment | {"INPUT_AGAINST": "command:python3 predict.py"}
        assert action.run_action(with_command) == (PASS if name == "before" else REGRESSION)
        assert result()["predictions"]["cached"] == 0
        shard = environment | {"INPUT_SHARD": "1/1", "INPUT_OUT": "shard"}
        assert action.run_action(shard) == PASS
        lines = gzip.decompress(Path("shard/answers.jsonl.gz").read_bytes()).splitlines()
        assert all(json.loads(line)[1] for line in lines)
    monkeypatch.setenv("GITHUB_EVENT_NAME", "push")
    pushed = {**inputs, "GITHUB_EVENT_NAME": "push", "INPUT_RECORD-MISSING": "true"}
    for cached in (False, True):
        action.run_action(pushed | {"INPUT_BASELINE": f"{cached}.json"})
        assert (result()["predictions"]["cached"] > 0) is cached


GOLD = "".join(json.dumps({"text": text, "entities": []}) + "\n" for text in SENTENCES).encode()
LABELS = "gold.jsonl"


@pytest.mark.parametrize(
    ("link", "before", "change", "code"),
    [
        ("", {LABELS: GOLD}, {"model": b"new"}, PASS),
        ("", {LABELS: GOLD}, {LABELS: GOLD + b"\n"}, CANNOT_JUDGE),
        ("data", {"data": GOLD}, {"data": GOLD + b"\n"}, CANNOT_JUDGE),
        ("", {NAME: None}, {LABELS: GOLD}, PASS),  # a new gate
    ],
)
def test_a_limit_on_labels_is_not_escaped_by_other_labels(
    inputs: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    link: str, before: dict[str, bytes | None], change: dict[str, bytes], code: int,
) -> None:  # fmt: skip
    recording = tmp_path / "recording"
    recording.mkdir()
    (recording / LABELS).write_bytes(GOLD)
    monkeypatch.chdir(recording)
    labels = {"INPUT_LABELS": LABELS, "INPUT_RECORD-MISSING": "true"}
    assert action.run_action(inputs | labels) == PASS
    baseline = (recording / NAME).read_bytes()
    Path(inputs["GITHUB_STEP_SUMMARY"]).unlink()
    forge = Forge(tmp_path / "forge")
    if link:
        (forge.clone / LABELS).symlink_to(link)
    known = {NAME: baseline, **before}
    base = forge.base({name: data for name, data in known.items() if data is not None})
    head, merge = forge.pull_request(base, {NAME: baseline, **change})
    monkeypatch.chdir(forge.check_out(tmp_path / "here"))
    inputs |= {"INPUT_LABELS": LABELS, "INPUT_MAX-NEGATIVE-FLIPS": "0.05"}
    environment = inputs | event(tmp_path, "pull_request", of_pull_request(base, head), merge)
    assert action.run_action(environment) == code
    edited_by = f"labels {LABELS}: edited by this pull request" in summary(environment)
    assert edited_by == (code == CANNOT_JUDGE)
