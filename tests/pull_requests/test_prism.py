"""Every request has the form that GitHub describes, as Prism checks it."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from mt_gate.github.comment import Body, Mode, Target, post
from pull_requests import prism
from pull_requests.fake_github import BOT, PERSON, PULL, REPOSITORY, TOKEN, FakeGitHub

pytest.importorskip("github", reason="needs mt-gate[github]")


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prism.write_description(tmp_path_factory.mktemp("github"))


@pytest.fixture
def checked(github: FakeGitHub, description: Path, tmp_path: Path) -> Iterator[Target]:
    """The fake, behind a proxy that refuses what is not of GitHub's form."""
    with prism.standing_before(github.url, description, tmp_path / "prism.log") as url:
        github.url = url
        github.requests.clear()
        yield Target(REPOSITORY, PULL, url, TOKEN)


def write(where: Target, text: str) -> str:
    (message,) = post(where, "ner", Body(text, changed=True, failed=False), Mode.CHANGES)
    return message.text.rpartition(": ")[2]


def test_every_request_is_as_described(github: FakeGitHub, checked: Target) -> None:
    for number in range(120):
        github.add(PERSON, f"remark {number}")
    assert write(checked, "first") == "created"
    assert write(checked, "second") == "updated"
    assert [body.splitlines()[1] for body in github.bodies(BOT)] == ["second"]
    assert {line.split()[0] for line in github.requests} == {"GET", "POST", "PATCH"}


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
