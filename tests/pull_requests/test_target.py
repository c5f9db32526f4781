"""Which pull request is commented on, and with which address."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases import table
from mt_gate.base.errors import MtGateError
from mt_gate.github.comment import API, checked_link, checked_name, find_target, run_link


def test_the_environment_replaces_missing_arguments(tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text('{"pull_request": {"number": 12}}')
    environment = {"GITHUB_REPOSITORY": "octo/models", "GITHUB_EVENT_PATH": str(event)}
    assert find_target(environment, None, None, "t") == ("octo/models", 12, API, "t")
    environment["GITHUB_API_URL"] = "https://ghe.example.org:8443/api/v3/"
    actual = find_target(environment, "a/b.c", 3, "t")
    assert actual == ("a/b.c", 3, "https://ghe.example.org:8443/api/v3", "t")


@pytest.mark.parametrize(
    "repository", ["", "models", "octo/models/pulls", "../x", "octo/mo dels", "octo/a?b", "o/a\n"]
)
def test_a_repository_that_is_none(repository: str) -> None:
    with pytest.raises(MtGateError, match="Expected OWNER/NAME"):
        find_target({}, repository, 1, "t")


@pytest.mark.parametrize("token", ["", "a b", "a\nb", "é"])
def test_a_token_that_is_none_is_not_printed(token: str) -> None:
    with pytest.raises(MtGateError, match="GITHUB_TOKEN is") as raised:
        find_target({}, "octo/models", 1, token)
    assert not token or repr(token)[1:-1] not in str(raised.value)


@pytest.mark.parametrize("event", table(__file__, "an_event_about_no_pull_request"))
def test_an_event_about_no_pull_request(tmp_path: Path, event: str) -> None:
    path = tmp_path / "event.json"
    path.write_text(event)
    for file in (path, tmp_path / "missing.json"):
        with pytest.raises(MtGateError, match="--pull N"):
            find_target({"GITHUB_EVENT_PATH": str(file)}, "octo/models", None, "t")
    with pytest.raises(MtGateError, match="--pull N"):
        find_target({}, "octo/models", None, "t")


def test_the_run_is_linked_inside_a_workflow_only() -> None:
    environment = {
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "octo/models",
        "GITHUB_RUN_ID": "4711",
    }
    link = "https://github.com/octo/models/actions/runs/4711#artifacts"
    assert run_link(environment) == link
    assert run_link({**environment, "GITHUB_RUN_ID": "1)[x](<y"}) == ""
    assert run_link({}) == ""


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "//example.org", "https://a/>", "https://a/ b", "https://a/\n",
     "https://a/(b)", "https://a\\b", "https://a/" + "b" * 2_000, "", "https://a/<script>"],
)  # fmt: skip
def test_a_link_that_is_none(link: str) -> None:
    with pytest.raises(MtGateError, match="--link is"):
        checked_link(link)


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 101, "a\u202eb", "a\x00"])
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(MtGateError, match="--name is"):
        checked_name(name)
