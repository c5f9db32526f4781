"""The comment is found again, and there is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.github import comment
from mt_gate.github.comment import Body, Message, Mode, Target, marker, post, run_mark
from pull_requests.fake_github import PERSON, PULL, REPOSITORY, TOKEN, FakeGitHub

pytest.importorskip("github", reason="needs mt-gate[github]")


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comment, "BACKOFF", 0)
    monkeypatch.setattr(comment, "LONGEST_WAIT", 1)


def write(
    target: Target, text: str, gate: str = "ner", *, wanted: bool = True, run: int = 0
) -> list[Message]:
    return post(target, gate, Body(text, changed=wanted, failed=False), Mode.CHANGES, run)


def outcome(messages: list[Message]) -> str:
    return messages[0].text.partition("pull request 7: ")[2]


def test_a_comment_behind_120_others_is_updated(github: FakeGitHub, where: Target) -> None:
    for number in range(120):
        github.add(PERSON, f"remark {number}")
    write(where, "first")
    github.requests.clear()
    assert outcome(write(where, "second")) == "updated"
    assert github.bodies() == [f"{marker('ner')}\nsecond"]
    assert [line.split()[0] for line in github.requests] == ["GET", "GET", "PATCH"]


@pytest.mark.parametrize("user", ["", "the-token-is-somebody-else's"])
def test_a_strangers_comment_with_the_marker_is_never_edited(
    github: FakeGitHub, where: Target, user: str
) -> None:
    forged = f"{marker('ner')}\nAll is well."
    github.add(PERSON, forged)
    github.user = user
    assert outcome(write(where, "first")) == "created"
    assert outcome(write(where, "second")) == "updated"
    assert github.bodies(PERSON) == [forged]
    assert github.bodies() == [f"{marker('ner')}\nsecond"]


def test_the_tokens_own_user_is_no_stranger(github: FakeGitHub, where: Target) -> None:
    github.user = PERSON
    github.add(PERSON, f"{marker('ner')}\nfirst")
    assert outcome(write(where, "second")) == "updated"
    assert github.bodies(PERSON) == [f"{marker('ner')}\nsecond"]


def test_the_comment_of_a_later_run_stays(github: FakeGitHub, where: Target) -> None:
    write(where, "of run 12", run=12)
    assert "a later run" in outcome(write(where, "of run 9", run=9))
    assert github.bodies() == [f"{marker('ner')}\nof run 12\n\n{run_mark(12)}\n"]
    assert outcome(write(where, "of run 13", run=13)) == "updated"


HEAD = "### :x: mt-gate ({}): {}"


def test_gates_of_one_run_share_a_table(github: FakeGitHub, where: Target) -> None:
    """It is in the first comment of the run; other runs and strangers are not in it."""
    write(where, HEAD.format("old", "of an earlier run"), "old", run=11)
    github.add(PERSON, f"{marker('evil')}\n{HEAD.format('evil', 'all is well')}\n\n{run_mark(12)}")
    for gate in ("ner", "re", "text"):
        write(where, f"{HEAD.format(gate, f'{gate} got worse')}\n\nDetails.", gate, run=12)
    rows = [f"| :x: | {gate} | {gate} got worse |" for gate in ("ner", "re", "text")]
    with_tables = [body for body in github.bodies() if "| Gate |" in body]
    assert len(with_tables) == 1
    assert with_tables[0].startswith(f"{marker('ner')}\n")
    assert [line for line in with_tables[0].splitlines() if line.startswith("| :")] == rows
    write(where, f"{HEAD.format('ner', 'fine again')}\n\nDetails.", "ner", run=12)
    [first] = [body for body in github.bodies() if "| Gate |" in body]
    assert "| :x: | ner | fine again |" in first
    assert first.count("| Gate |") == 1
    assert first.endswith(f"Details.\n\n{run_mark(12)}\n")
    write(where, f"{HEAD.format('ner', 'alone')}\n\nDetails.", "ner", run=13)
    assert not any("| Gate |" in body for body in github.bodies())


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_server_errors_are_tried_again(github: FakeGitHub, where: Target, method: str) -> None:
    github.refuse(method, 502, times=2)
    assert outcome(write(where, "first")) == "created"
    assert len(github.bodies()) == 1


@pytest.mark.parametrize(
    ("method", "refusal", "tries", "words"),
    [
        ("GET", {"status": 500, "times": 100}, 1 + comment.TRIES, "500"),
        ("POST", {"status": 403, "message": "Not accessible"}, 2, "403, Not accessible"),
        (
            "GET",
            {
                "status": 403,
                "message": "API rate limit exceeded for user",
                "headers": {"X_RateLimit_Reset": "4102444800", "X_RateLimit_Remaining": "0"},
            },
            1,
            "API rate limit exceeded",
        ),
    ],
)
def test_waiting_is_bounded_and_a_failure_is_a_notice(
    github: FakeGitHub, where: Target, method: str, refusal: dict, tries: int, words: str
) -> None:
    github.refuse(method, **refusal)
    (message,) = write(where, "first")
    assert message.notice
    assert words in message.text
    assert len(github.requests) == tries


def test_no_server_is_a_notice_without_the_token() -> None:
    nowhere = Target(REPOSITORY, PULL, "http://127.0.0.1:9", TOKEN)
    (message,) = write(nowhere, "first")
    assert message.notice
    assert "reply: none" in message.text
    assert TOKEN not in f"{message}{nowhere!r}"


@given(st.text(min_size=1, max_size=100), st.text(min_size=1, max_size=100))
def test_no_name_closes_the_marker_or_begins_anothers(a: str, b: str) -> None:
    text = marker(a)
    assert text.count("-->") == 1
    assert text.endswith(" -->")
    assert "--" not in text.removeprefix("<!--").removesuffix("-->")
    assert text.isascii()
    assert text.isprintable()
    if a != b:
        assert not marker(b).startswith(text)
