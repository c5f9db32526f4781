"""``mt-gate comment``: what the comment says, and what each mode and refusal comes to."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from cases import table
from conftest import Answer
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE
from mt_gate.github.comment import body_of, body_of_failure, marker, run_mark
from mt_gate.reporting.writers.markdown import COMMENT_LIMIT
from mt_gate.results.result import Decision, GateVerdict, Result
from pull_requests.fake_github import BOT, TOKEN, FakeGitHub
from reporting import hostile_pages, made_up

ROWS = made_up.again(made_up.rows())
RUN = "https://github.com/octo/models/actions/runs/4711#artifacts"


def unchanged() -> Result:
    """A pass in which no group moved."""
    quiet = {"new_violations": 0, "fixed_violations": 0}
    compared = made_up.comparison(Decision.PASS, 0.0, **quiet)
    relations = (made_up.relation("ner/structural", 350, 74, compared),)
    clean = made_up.result(GateVerdict.PASS, relations=relations)
    overall = msgspec.structs.replace(clean.overall, comparison=compared)
    return msgspec.structs.replace(clean, overall=overall, churn=made_up.churn(0))


@pytest.fixture
def comment(
    command: Callable[..., Answer],
    stored: Path,
    workflow: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Answer]:
    for name, value in workflow.items():
        monkeypatch.setenv(name, value)
    return lambda *flags: command("comment", stored, *flags)


def test_created_then_updated(comment: Callable[..., Answer], github: FakeGitHub) -> None:
    done = comment()
    assert (done.code, done.out) == (PASS, "")
    assert done.err == ("mt-gate: comment of gate ner on octo/models, pull request 7: created\n")
    assert comment("--name", "ner", "--link", "https://example.org/r").err.endswith("updated\n")
    (body,) = github.bodies()
    lines = body.splitlines()
    assert lines[:2] == [marker("ner"), "### :x: mt-gate (ner): 1 of 4 relations regressed"]
    assert body.count("newly violated (<code>") == 5
    assert "[Open the whole report](<https://example.org/r>)." in body
    above = body.partition("<details>")[0].splitlines()
    assert len([line for line in above if line and line != marker("ner")]) <= 15
    assert "ner-default 1 ab12cd34" in lines[-5]
    assert lines[-1] == run_mark(4711)


@pytest.mark.parametrize(
    ("method", "status", "location", "body", "words"), table(__file__, "odd_answers")
)
def test_an_odd_answer_is_one_line_and_no_failure(
    comment: Callable[..., Answer],
    github: FakeGitHub,
    method: str,
    status: int,
    location: str,
    body: str,
    words: str,
) -> None:
    """A renamed repository answers with a redirect; nothing was written."""
    before = [f"{marker('ner')}\nbefore"] if method == "PATCH" else []
    for text in before:
        github.add(BOT, text)
    moved = location.replace("URL", github.url)
    headers = {"Location": moved} if location else {}
    github.refuse(method, status, headers=headers, body=body.replace("URL", moved), times=9)
    done = comment()
    assert (done.code, done.out) == (PASS, "")
    (line,) = done.err.splitlines()
    assert "not written" in line
    assert words in line
    assert TOKEN not in line
    assert github.bodies() == before
    assert "/1/issues/" not in "".join(github.requests)


def test_an_answer_nested_deeply(comment: Callable[..., Answer], github: FakeGitHub) -> None:
    github.refuse("GET", 200, body="[" * 200_000, times=9)
    assert "nested too deeply" in comment().err


@pytest.mark.parametrize(
    ("mode", "results"),
    [
        ("always", {"unchanged", "pass", "regression"}),
        ("changes", {"pass", "regression"}),
        ("regressions", {"regression"}),
        ("never", set()),
    ],
)
def test_modes(
    comment: Callable[..., Answer], github: FakeGitHub, stored: Path, mode: str, results: set[str]
) -> None:
    made = set()
    stories = {
        "unchanged": unchanged(),
        "pass": made_up.result(GateVerdict.PASS),
        "regression": made_up.result(),
    }
    for name, result in stories.items():
        github.comments.clear()
        made_up.store(stored, result, made_up.rows())
        assert comment("--mode", mode).code == PASS
        made |= {name} if github.bodies() else set()
    assert made == results
    assert bool(github.requests) == (mode != "never")


@pytest.mark.parametrize(("flags", "words"), table(__file__, "wrong_arguments"))
def test_wrong_arguments(
    comment: Callable[..., Answer], github: FakeGitHub, flags: tuple[str, str], words: str
) -> None:
    done = comment(*flags)
    assert done.code == USAGE
    assert words in done.err
    assert len(done.err.splitlines()) == 1
    assert not github.requests


def test_no_token_and_no_result(
    comment: Callable[..., Answer], stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stored / "groups.jsonl.gz").unlink()
    assert comment().code == CANNOT_JUDGE
    (stored / "result.json").unlink()
    assert comment().code == CANNOT_JUDGE
    monkeypatch.delenv("GITHUB_TOKEN")
    made_up.store(stored, made_up.result(), made_up.rows())
    done = comment()
    assert done.code == USAGE
    assert "GITHUB_TOKEN is empty" in done.err


def long_result(relations: int) -> Result:
    """A result with more relations than a comment can hold."""
    compared = made_up.comparison(Decision.PASS, 0.0)
    names = (f"ner/made-up-relation-of-a-long-name-{n}" for n in range(relations))
    return made_up.result(
        relations=tuple(made_up.relation(name, 350, 74, compared) for name in names)
    )


@pytest.mark.parametrize("relations", [4, 400, 4_000])
def test_the_comment_keeps_to_the_limit(relations: int) -> None:
    name = "é|" * 50
    body = body_of(long_result(relations), ROWS, made_up.CATALOGUE, name, RUN)
    text = f"{marker(name)}\n{body.text}"
    assert len(text) < COMMENT_LIMIT
    assert ("_Omitted to fit: the table of relations." in text) == (relations > 400)
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in table} <= {6}
    assert text.splitlines()[-3].startswith("<sub>mt-gate")
    assert f"[Open the whole report](<{RUN}>)" in text


def check_harmless(text: str) -> None:
    """Fail where anything of GitHub's Markdown comes alive that is not ours."""
    fold = {"<details>", "</details>", "<summary>", "</summary>"}
    ours = {*fold, "<b>", "</b>", "<ins>", "</ins>", "<sub>", "</sub>", "<br>", "<span>", "</span>"}
    result = set(re.findall(r"<[^>]*>", text)) - {*ours, "<code>", "</code>", f"<{RUN}>"}
    assert not result
    bare = re.sub(r"&#\d+;", "", text.replace(RUN, ""))
    assert not re.search(r"@\w|#\d|GH-\d|-->|<!--|```|\x00|\u202e|\u2028|\]\(http", bare)


def test_hostile_texts_do_not_come_alive() -> None:
    made = hostile_pages.run()
    rows = made_up.again(made.rows)
    evil = "x --> <!-- mt-gate comment other --> @octocat #1 GH-1 ``` [x](http://y)"
    body = body_of(made.result, rows, made.catalogue, evil, RUN)
    check_harmless(body.text)
    assert len(body.text) < COMMENT_LIMIT
    failed = body_of_failure(hostile_pages.PAYLOAD + evil, evil, RUN)
    check_harmless(failed.text)
