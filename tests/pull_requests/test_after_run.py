"""``mt-gate comment --workflow-run``: a fork's run is told of, and nothing of it is believed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Answer
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE, CannotJudge
from mt_gate.github.pull_requests import artifact, client
from mt_gate.github.pull_requests.after_run import rendered
from mt_gate.github.pull_requests.sticky import marker, run_mark
from mt_gate.github.pull_requests.workflow_run import EndedRun
from mt_gate.results.result import GateVerdict, GroupRow, Result
from mt_gate.results.store import GROUPS, RESULT
from pull_requests import fake_github
from pull_requests.fake_github import BRANCH, FORK, PULL, REPOSITORY, RUN, SHA, TOKEN, FakeGitHub
from pull_requests.zipping import packed
from reporting import hostile, made_up

UNDER = "> :warning: From the run of a fork, mona/models at 5555555, whose author may have changed"


def of_run(**more: Any) -> dict[str, Any]:
    """What GitHub sends when a run on a fork's pull request has ended."""
    run = {
        "id": RUN,
        "event": "pull_request",
        "head_sha": SHA,
        "head_branch": BRANCH,
        "repository": {"full_name": REPOSITORY},
        "head_repository": {"full_name": FORK},
        "pull_requests": [],
        "conclusion": "failure",
    }
    return {"action": "completed", "workflow_run": run | more}


def files_of(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in (RESULT, GROUPS)}


@pytest.fixture
def files(stored: Path) -> dict[str, bytes]:
    return files_of(stored)


@pytest.fixture
def comment(
    command: Callable[..., Answer],
    github: FakeGitHub,
    workflow: dict[str, str],
    event: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Answer]:
    """Comment on a run that has ended; keyword arguments are of the event's run."""
    patience = client.Patience(backoff=0, longest=1)
    monkeypatch.setattr(client, "Patience", lambda: patience)
    environment = {**workflow, "GITHUB_EVENT_NAME": "workflow_run", "GITHUB_RUN_ID": "9999"}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    github.propose()

    def run(*flags: object, **of: Any) -> Answer:
        event.write_text(json.dumps(of_run(**of)))
        return command("comment", "--workflow-run", "--name", "ner", *flags)

    return run


def notice(done: Answer) -> str:
    """Return the one notice that a command left, which did not fail."""
    assert (done.code, done.err) == (PASS, "")
    (line,) = done.out.splitlines()
    assert line.startswith("::notice title=mt-gate comment::comment of gate ner on run 4711: ")
    return line


def test_created_then_updated(
    comment: Callable[..., Answer], github: FakeGitHub, files: dict[str, bytes]
) -> None:
    github.keep(packed(files))
    done = comment()
    assert (done.code, done.out) == (PASS, "")
    assert done.err == "mt-gate: comment of gate ner on octo/models, pull request 7: created\n"
    assert comment().err.endswith("updated\n")
    (body,) = github.bodies()
    lines = body.splitlines()
    assert lines[:2] == [marker("ner"), "### :x: mt-gate (ner): Regression"]
    assert lines[5].startswith(UNDER)
    run = "https://github.com/octo/models/actions/runs/4711#artifacts"
    assert f"[The whole report](<{run}>)" in lines
    assert body.count("newly violated (<code>") == 5


def test_the_token_stays_with_github(
    comment: Callable[..., Answer],
    github: FakeGitHub,
    files: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Neither it, nor what a .netrc has, goes to where artifacts are kept."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login mona password wrong\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with fake_github.serving() as storage:
        number = github.keep(packed(files))
        storage.artifacts = github.artifacts
        github.storage = storage.url
        assert comment().err.endswith("created\n")
        assert storage.asked == [f"GET /stored/{number}"]
        assert "Authorization" not in storage.fetched[0]
        assert TOKEN not in str(storage.fetched)


def test_a_run_of_the_repository_itself_needs_no_warning(
    comment: Callable[..., Answer], github: FakeGitHub, files: dict[str, bytes]
) -> None:
    github.pulls.clear()
    github.propose(head=REPOSITORY)
    github.keep(packed(files))
    comment(head_repository={"full_name": REPOSITORY}, pull_requests=[{"number": PULL}])
    assert "fork" not in github.bodies()[0]


def test_the_newest_artifact_of_the_name_counts(
    comment: Callable[..., Answer], github: FakeGitHub, files: dict[str, bytes]
) -> None:
    """A run that was run again has one from each attempt."""
    for data, more in (
        (b"old", {}),
        (packed(files), {"name": "of ner"}),
        (packed(files), {}),
        (b"of another run", {"run": 1}),
        (b"expired", {"expired": True}),
    ):
        github.keep(data, **more)
    assert comment().err.endswith("created\n")
    assert github.asked[-4].endswith("/stored/902")
    assert comment("--artifact", "of ner").err.endswith("updated\n")
    assert github.asked[-3].endswith("/stored/901")


@pytest.mark.parametrize(
    "pulls",
    [
        [],
        [{"sha": "6" * 40}],
        [{"head": "mona/other"}],
        [{"head": None}],
        [{"branch": "worse"}],
        [{"head": "evil/models"}],
        [{}, {"number": 8}],
    ],
)
def test_no_pull_request_with_that_head(
    comment: Callable[..., Answer],
    github: FakeGitHub,
    files: dict[str, bytes],
    pulls: list[dict[str, Any]],
) -> None:
    github.pulls.clear()
    for pull in pulls:
        github.propose(**pull)
    github.keep(packed(files))
    words = "7, 8 all have the head" if len(pulls) > 1 else "no open pull request has the head"
    assert f"{words} mona/models, branch better, 5555555" in notice(comment())
    assert not github.comments
    assert not github.fetched


def test_the_event_chooses_among_several(
    comment: Callable[..., Answer], github: FakeGitHub, files: dict[str, bytes]
) -> None:
    github.propose(number=8)
    github.keep(packed(files))
    assert "pull request 7: created" in comment(pull_requests=[{"number": PULL}]).err


def test_what_the_artifact_says_of_itself_does_not_count(
    comment: Callable[..., Answer], github: FakeGitHub, files: dict[str, bytes]
) -> None:
    """Neither the gate's name nor a number of a pull request is taken from it."""
    value = json.loads(files[RESULT])
    value |= {"pull_request": 8, "number": 8, "name": "boolq", "gate": "boolq"}
    github.add(fake_github.BOT, f"{marker('boolq')}\nof another gate")
    github.keep(packed({**files, RESULT: json.dumps(value).encode()}))
    assert "pull request 7: created" in comment().err
    assert github.bodies()[0] == f"{marker('boolq')}\nof another gate"


def poisoned(value: object) -> Any:
    """Return a decoded run in which every text is an attack, but none that UTF-8 cannot hold."""
    return json.loads(json.dumps(msgspec.to_builtins(value)).replace("\\ud800", ""))


def harmless(body: str) -> None:
    """Check that a comment shows what it shows as text."""
    lines = body.splitlines()
    assert "<script" not in body
    assert "<img" not in body
    assert "@octo" not in body
    assert body.removesuffix(f"\n{run_mark(fake_github.RUN)}\n").count("<!--") == 1
    assert not [line for line in lines if line.startswith(("::", "##["))]
    assert lines[0] == marker("ner")
    assert lines[5].startswith(UNDER)


def test_hostile_texts_are_shown_as_they_are(
    comment: Callable[..., Answer], github: FakeGitHub, stored: Path
) -> None:
    result = msgspec.convert(poisoned(hostile.result(made_up.result())), Result)
    rows = msgspec.convert(poisoned(hostile.rows(made_up.rows())), list[GroupRow])
    github.keep(packed(files_of(made_up.store(stored, result, rows))))
    assert comment().err.endswith("created\n")
    harmless(github.bodies()[0])
    assert "javascript" in github.bodies()[0]


def rows_of(*values: object) -> bytes:
    return gzip.compress(b"".join(json.dumps(value).encode() + b"\n" for value in values))


def row(**more: object) -> dict[str, object]:
    value: dict[str, object] = msgspec.to_builtins(made_up.rows()[0])
    return value | more


def sealed(**more: Any) -> dict[str, bytes]:
    """Return the files of a run of its own."""
    with TemporaryDirectory() as folder:
        return files_of(made_up.store(Path(folder), made_up.result(**more), made_up.rows()))


def fewer(packed_rows: bytes) -> bytes:
    return gzip.compress(b"".join(gzip.decompress(packed_rows).splitlines(keepends=True)[1:]))


def changed(**more: object) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    def change(files: dict[str, bytes]) -> dict[str, bytes]:
        return {**files, RESULT: json.dumps(json.loads(files[RESULT]) | more).encode()}

    return change


Change = Callable[[dict[str, bytes]], dict[str, bytes] | bytes]
UNFIT: dict[str, tuple[Change, str]] = {
    "no zip": (lambda _: b"<script>", "it is not a zip archive"),
    "traversal": (lambda files: {**files, "../../x": b""}, "a file with another name"),
    "a huge name": (lambda files: {**files, "x" * 60_000: b""}, "a file with another name"),
    "a bomb": (lambda files: {**files, RESULT: b" " * (3 << 20)}, "unpacks to more"),
    "wrong schema": (changed(verdict="<script>@octo"), "result.json: not as expected"),
    "no object": (lambda files: {**files, RESULT: b"[]"}, "result.json: not as expected"),
    "nested": (lambda files: {**files, RESULT: b"[" * 99_999}, "result.json: not as expected"),
    "empty": (lambda files: {**files, RESULT: b""}, "result.json: empty"),
    "a later format": (changed(format=99), "result format 99"),
    "changed": (changed(created="today"), "changed since it was written"),
    "an unknown task": (
        lambda _: sealed(
            suite=msgspec.structs.replace(made_up.result().suite, task="<script>"), baseline=None
        ),
        "an unknown task",
    ),
    "many relations": (
        changed(relations=300 * [msgspec.to_builtins(made_up.relation("r", 1, 1))]),
        "result.json: not as expected: Expected `array` of length <= 200",
    ),
    "rows of another run": (
        lambda files: {**files, GROUPS: sealed()[GROUPS]},
        "expected the files of one run",
    ),
    "rows of another form": (
        lambda files: {**files, GROUPS: rows_of({"id": "<script>"})},
        "groups.jsonl.gz: a row is not as expected",
    ),
    "fewer rows": (
        lambda files: {**files, GROUPS: fewer(files[GROUPS])},
        "groups.jsonl.gz: sha256 of its text",
    ),
}


@pytest.mark.parametrize("name", UNFIT)
def test_an_unfit_artifact_is_one_notice_and_no_comment(
    comment: Callable[..., Answer], github: FakeGitHub, files: dict[str, bytes], name: str
) -> None:
    change, words = UNFIT[name]
    made = change(files)
    github.keep(made if isinstance(made, bytes) else packed(made))
    done = comment("--mode", "always")
    assert words in notice_of(done)
    assert not github.comments


_ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 1 << 70) | st.floats(-1e9, 1e9)
    | st.sampled_from(["", "<script>@octo", "\n::error::x", "B-PER", "yes", "x" * 999]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["entities", "text", "answer", "head", "<img>"]), inner),
    max_leaves=9,
)  # fmt: skip
_PLACES = ("source", "follow_up", "source_output", "follow_up_output", "unmatched", "second")


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(_PLACES), _ODD), st.sampled_from(["ner", "boolq", "re"]))
def test_rows_of_any_form_are_told_or_shown_as_text(odd: dict[str, Any], task: str) -> None:
    """Schemas leave sentences and answers open: tasks differ in them."""
    result = made_up.result()
    suite = msgspec.structs.replace(result.suite, task=task)
    result = msgspec.structs.replace(result, suite=suite)
    run = EndedRun(RUN, "pull_request", REPOSITORY, FORK, BRANCH, SHA, frozenset())
    with TemporaryDirectory() as name:
        folder = Path(name)
        try:
            made_up.store(folder, result, [msgspec.convert(row(**odd), GroupRow)])
        except msgspec.ValidationError:
            return
        try:
            body = rendered(folder, "ner", run, made_up.CATALOGUE, "")
        except CannotJudge:
            return
    harmless(f"{marker('ner')}\n{body.text}")


def notice_of(done: Answer) -> str:
    """Return the notice, beside which a line may say that there is no comment."""
    assert done.code == PASS
    (line,) = done.out.splitlines()
    assert line.startswith("::notice title=mt-gate comment::comment of gate ner on run 4711: ")
    assert len(line) < 600
    assert "/tmp" not in line
    return line


@pytest.mark.parametrize(
    "keep",
    [None, {"expired": True}, {"size": artifact.MOST_PACKED + 1}, {"data": b"<script>"}],
    ids=["none", "expired", "too large", "no zip"],
)
def test_the_comment_on_an_earlier_run_does_not_stay(
    comment: Callable[..., Answer],
    github: FakeGitHub,
    files: dict[str, bytes],
    keep: dict[str, Any] | None,
) -> None:
    """What stands there is of other commits; in its place are our own words, and no other."""
    github.add(fake_github.BOT, f"{marker('ner')}\nall is well")
    if keep is not None:
        github.keep(**{"data": packed(files), **keep})
    notice_of(comment())
    (body,) = github.bodies()
    lines = body.splitlines()
    assert lines[:2] == [marker("ner"), "### :warning: mt-gate (ner): Cannot judge"]
    assert "left no result that can be shown" in lines[3]
    assert "<script>" not in body


def test_a_download_without_end_is_cut(
    comment: Callable[..., Answer],
    github: FakeGitHub,
    files: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """GitHub's word on the size is not relied on."""
    monkeypatch.setattr(artifact, "MOST_PACKED", 100)
    github.keep(packed(files), size=99)
    assert "an artifact of more than 100 bytes" in notice(comment())
    assert not github.comments


@pytest.mark.parametrize("status", [401, 403, 404, 410, 502])
def test_a_refusal_is_one_notice(
    comment: Callable[..., Answer], github: FakeGitHub, files: dict[str, bytes], status: int
) -> None:
    github.keep(packed(files))
    github.refuse("GET", status, message="no\n::error::x", times=9)
    line = notice(comment())
    assert f"GitHub says: {status}, no" in line
    assert ("actions: read" in line) == (status in (401, 403, 404))
    assert TOKEN not in line
    assert not github.comments


def test_nothing_changed_nothing_said(
    comment: Callable[..., Answer], github: FakeGitHub, stored: Path
) -> None:
    plain = made_up.result(GateVerdict.MEASURED)
    github.keep(packed(files_of(made_up.store(stored, plain, made_up.rows()))))
    assert "not written, nothing to report in mode changes" in comment().err
    assert not github.comments
    assert comment("--mode", "always").err.endswith("created\n")


def test_never_and_other_runs_ask_for_nothing(
    comment: Callable[..., Answer], github: FakeGitHub
) -> None:
    assert "mode never" in comment("--mode", "never").err
    for name in ("push", "merge_group", "schedule"):
        assert f"was started by {name}, nothing is written" in comment(event=name).err
    assert not github.asked


@pytest.mark.parametrize(
    ("of", "words"),
    [
        ({"head_repository": None}, "head_repository is ''"),
        ({"head_repository": {"full_name": "mona/models?x=1"}}, "head_repository is"),
        ({"head_branch": None}, "head_branch has 0 characters"),
        ({"head_branch": "x" * 2_000}, "head_branch has 2000 characters"),
        ({"repository": {"full_name": "octo/other"}}, "GITHUB_REPOSITORY is another one"),
    ],
)
def test_an_event_of_another_kind_is_wrong_usage(
    comment: Callable[..., Answer], github: FakeGitHub, of: dict[str, Any], words: str
) -> None:
    done = comment(**of)
    assert done.code == USAGE
    assert words in done.err
    assert not github.asked


@pytest.mark.parametrize("of", [{"id": 0}, {"head_sha": "main"}, {"id": "1"}, {"event": 3}])
def test_an_event_that_cannot_be_read(
    comment: Callable[..., Answer], github: FakeGitHub, of: dict[str, Any]
) -> None:
    done = comment(**of)
    assert done.code == CANNOT_JUDGE
    assert "expected an event workflow_run" in done.err
    assert not github.asked


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--workflow-run"], "needs --name"),
        (["--workflow-run", "--name", "a\nb"], "--name is"),
        (["--workflow-run", "--name", "ner", "out"], "expected no RESULT"),
        (["--workflow-run", "--name", "ner", "--pull", "7"], "expected no RESULT"),
        (["--workflow-run", "--name", "ner"], "the event is pull_request"),
        (["--artifact", "x", "out"], "expected a RESULT without --artifact"),
        ([], "expected a RESULT without --artifact"),
    ],
)
def test_wrong_usage(
    command: Callable[..., Answer],
    workflow: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: str,
) -> None:
    for name, value in workflow.items():
        monkeypatch.setenv(name, value)
    done = command("comment", *arguments)
    assert done.code == USAGE
    assert words in done.err
