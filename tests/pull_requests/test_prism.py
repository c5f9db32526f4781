"""Every request has the form that GitHub describes: Prism stands between the gate and the fake."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from mt_gate.github.pull_requests.runs import Artifact, Pull
from mt_gate.github.pull_requests.sticky import Done, put
from mt_gate.github.pull_requests.target import Target
from pull_requests import github_description, prism
from pull_requests.fake_github import (
    BOT,
    BRANCH,
    FORK,
    PERSON,
    PULL,
    REPOSITORY,
    RUN,
    SHA,
    TOKEN,
    FakeGitHub,
)

pytest.importorskip("github", reason="needs mt-gate[github]")

from mt_gate.github.pull_requests.client import Patience, open_runs, open_thread

PATIENCE = Patience(backoff=0, longest=1)


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prism.write_description(tmp_path_factory.mktemp("github"))


@pytest.fixture
def checked(github: FakeGitHub, description: Path, tmp_path: Path) -> Iterator[Target]:
    """The fake, behind a proxy that refuses what is not of GitHub's form."""
    with prism.standing_before(github.url, description, tmp_path / "prism.log") as url:
        github.url = url
        github.asked.clear()
        yield Target(REPOSITORY, PULL, url, TOKEN)


def write(where: Target, text: str) -> Done:
    with open_thread(where, PATIENCE) as thread:
        return put(thread, "ner", f"<!-- mt-gate comment ner -->\n{text}").done


def test_every_request_is_as_described(github: FakeGitHub, checked: Target) -> None:
    for number in range(120):
        github.add(PERSON, f"remark {number}")
    assert write(checked, "first") is Done.CREATED
    assert write(checked, "second") is Done.UPDATED
    github.comments = [item for item in github.comments if item["user"]["login"] == PERSON]
    github.refuse("POST", 502, carried_out=True)
    assert write(checked, "third") is Done.UPDATED
    assert [body.splitlines()[1] for body in github.bodies(BOT)] == ["third"]
    assert {line.split()[0] for line in github.asked} == {"GET", "POST", "PATCH", "DELETE"}


def test_what_is_asked_after_a_run_is_as_described(github: FakeGitHub, checked: Target) -> None:
    github.pull_template = github_description.pull_request(
        json.loads(prism.DESCRIPTION.read_text())
    )
    github.propose()
    number = github.keep(b"what the run has kept")
    with open_runs(checked.site, PATIENCE) as runs:
        assert runs.pulls("mona", BRANCH) == [Pull(PULL, FORK, SHA)]
        assert runs.pulls("mona", "a b&c/d#1") == []
        assert runs.artifacts(RUN, "mt-gate") == [Artifact(number, "mt-gate", 21, False)]
    assert len(github.asked) == 3


def test_a_download_is_as_described(github: FakeGitHub, description: Path) -> None:
    """Prism would itself follow to where artifacts are kept: the fake is asked without it."""
    described = json.loads(description.read_text())["paths"][github_description.ARTIFACT]["get"]
    assert "Location" in described["responses"]["302"]["headers"]
    number = github.keep(b"what the run has kept")
    with open_runs(Target(REPOSITORY, PULL, github.url, TOKEN).site, PATIENCE) as runs:
        assert runs.download(number, 100) == b"what the run has kept"
    places = {"owner": "octo", "repo": "models", "artifact_id": number, "archive_format": "zip"}
    path = github_description.ARTIFACT.format(**places)
    assert github.asked == [f"GET {path}", f"GET /stored/{number}"]


def test_what_is_not_as_described_is_refused(checked: Target) -> None:
    """The check can fail: a comment without a text."""
    request = urllib.request.Request(
        f"{checked.api}/repos/{REPOSITORY}/issues/{PULL}/comments",
        data=b"{}",
        headers={"Content-Type": "application/json"},
    )
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(request, timeout=60)
    with raised.value as answer:
        assert answer.code == 422
        assert "body" in answer.read().decode()
