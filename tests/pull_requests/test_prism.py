"""Every request has the form that GitHub describes: Prism stands between the gate and the fake."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from mt_gate.pull_requests.sticky import Done, put
from mt_gate.pull_requests.target import Target
from pull_requests import github_description
from pull_requests.fake_github import BOT, PERSON, PULL, REPOSITORY, TOKEN, FakeGitHub

pytest.importorskip("github", reason="needs mt-gate[github]")

from mt_gate.pull_requests.client import Patience, open_thread

MODULES = Path(os.environ.get("MT_GATE_NODE_MODULES", Path(__file__).parents[2] / "node_modules"))
DESCRIPTION = MODULES / "@octokit/openapi/generated/api.github.com.json"
PRISM = MODULES / "@stoplight/prism-cli/dist/index.js"
START = 120
"""Seconds that Prism may take to start."""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> Path:
    node = shutil.which("node")
    if node is None or not DESCRIPTION.is_file() or not PRISM.is_file():
        pytest.skip(f"no Prism: npm install @octokit/openapi @stoplight/prism-cli beside {MODULES}")
    path = tmp_path_factory.mktemp("github") / "github.json"
    path.write_text(json.dumps(github_description.cut(json.loads(DESCRIPTION.read_text()))))
    return path


@pytest.fixture
def checked(github: FakeGitHub, description: Path, tmp_path: Path) -> Iterator[Target]:
    """The fake, behind a proxy that refuses what is not of GitHub's form."""
    port = free_port()
    command = ["node", str(PRISM), "proxy", "--errors", "-p", str(port), str(description)]
    upstream, github.url = github.url, f"http://127.0.0.1:{port}"
    log = (tmp_path / "prism.log").open("w")
    with subprocess.Popen([*command, upstream], stdout=log, stderr=log) as prism:
        try:
            end = time.monotonic() + START
            while not answers(f"{github.url}/repos/{REPOSITORY}/issues/{PULL}/comments"):
                assert prism.poll() is None, (tmp_path / "prism.log").read_text()
                assert time.monotonic() < end, (tmp_path / "prism.log").read_text()
                time.sleep(0.2)
            github.asked.clear()
            yield Target(REPOSITORY, PULL, github.url, TOKEN)
        finally:
            prism.terminate()
            prism.wait(timeout=30)
            log.close()


def write(where: Target, text: str) -> Done:
    with open_thread(where, Patience(backoff=0, longest=1)) as thread:
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
