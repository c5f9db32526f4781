"""The comment is found again, and there is one."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.github.pull_requests.sticky import Done, marker, put, run_mark
from mt_gate.github.pull_requests.target import Target
from mt_gate.github.pull_requests.thread import ApiFailure
from pull_requests.fake_github import BOT, PERSON, PULL, REPOSITORY, TOKEN, FakeGitHub

pytest.importorskip("github", reason="needs mt-gate[github]")

from mt_gate.github.pull_requests.client import Patience, open_thread

NO_WAIT = Patience(backoff=0, longest=1)


def write(where: Target, text: str, gate: str = "ner", *, only_update: bool = False) -> Done:
    with open_thread(where, NO_WAIT) as thread:
        return put(thread, gate, f"{marker(gate)}\n{text}", only_update=only_update).done


def test_created_then_updated(github: FakeGitHub, where: Target) -> None:
    assert write(where, "first") is Done.CREATED
    assert write(where, "second") is Done.UPDATED
    assert github.bodies() == [f"{marker('ner')}\nsecond"]
    assert github.tokens == {TOKEN}


def test_found_behind_120_other_comments(github: FakeGitHub, where: Target) -> None:
    for number in range(120):
        github.add(PERSON, f"remark {number}")
    write(where, "first")
    for number in range(120):
        github.add(PERSON, f"remark {number}")
    github.asked.clear()
    assert write(where, "second") is Done.UPDATED
    assert github.bodies() == [f"{marker('ner')}\nsecond"]
    assert [line.split()[0] for line in github.asked] == ["GET", "GET", "GET", "PATCH"]


def test_gates_have_comments_of_their_own(github: FakeGitHub, where: Target) -> None:
    for gate in ("ner", "ner-small", "ner", "n"):
        write(where, gate, gate)
    assert [body.splitlines()[1] for body in github.bodies()] == ["ner", "ner-small", "n"]


@pytest.mark.parametrize("user", ["", "the-token-is-somebody-else's"])
def test_a_strangers_comment_with_the_marker_is_never_edited(
    github: FakeGitHub, where: Target, user: str
) -> None:
    forged = f"{marker('ner')}\nAll is well."
    github.add(PERSON, forged)
    github.user = user
    assert write(where, "first") is Done.CREATED
    assert write(where, "second") is Done.UPDATED
    assert github.bodies(PERSON) == [forged]
    assert github.bodies() == [f"{marker('ner')}\nsecond"]


def test_the_tokens_own_user_is_no_stranger(github: FakeGitHub, where: Target) -> None:
    github.user = PERSON
    github.add(PERSON, f"{marker('ner')}\nfirst")
    assert write(where, "second") is Done.UPDATED
    assert github.bodies(PERSON) == [f"{marker('ner')}\nsecond"]
    assert not github.bodies()


def test_a_bot_that_quotes_the_marker_is_left_alone(github: FakeGitHub, where: Target) -> None:
    quoted = f"> {marker('ner')}\n\nmona said this"
    github.add("quoting[bot]", quoted)
    assert write(where, "first") is Done.CREATED
    assert github.bodies("quoting[bot]") == [quoted]


def test_where_several_exist_the_first_is_updated(github: FakeGitHub, where: Target) -> None:
    for text in ("one", "two", "three"):
        github.add(BOT, f"{marker('ner')}\n{text}")
    with open_thread(where, NO_WAIT) as thread:
        outcome = put(thread, "ner", f"{marker('ner')}\nnew")
    assert outcome == (Done.UPDATED, 2)
    assert [body.splitlines()[1] for body in github.bodies()] == ["new", "two", "three"]


def test_no_comment_is_made_where_only_updates_are_asked_for(
    github: FakeGitHub, where: Target
) -> None:
    assert write(where, "first", only_update=True) is Done.LEFT_OUT
    assert [line.split()[0] for line in github.asked] == ["GET"]
    write(where, "second")
    assert write(where, "third", only_update=True) is Done.UPDATED


def test_three_jobs_beside_each_other_leave_one_comment(github: FakeGitHub, where: Target) -> None:
    github.together = threading.Barrier(3)
    done: list[Done] = []
    jobs = [
        threading.Thread(target=lambda n=n: done.append(write(where, f"job {n}"))) for n in range(3)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join(timeout=60)
    assert sorted(done) == [Done.CREATED, Done.UPDATED, Done.UPDATED]
    assert len(github.bodies()) == 1


def test_of_two_runs_beside_each_other_the_later_one_stays(
    github: FakeGitHub, where: Target
) -> None:
    github.together = threading.Barrier(2)

    def job(run: int) -> None:
        with open_thread(where, NO_WAIT) as thread:
            put(thread, "ner", f"{marker('ner')}\nof run {run}", run=run)

    jobs = [threading.Thread(target=job, args=(run,)) for run in (9, 12)]
    for each in jobs:
        each.start()
    for each in jobs:
        each.join(timeout=60)
    assert github.bodies() == [f"{marker('ner')}\nof run 12\n\n{run_mark(12)}\n"]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_server_errors_are_asked_again(github: FakeGitHub, where: Target, method: str) -> None:
    github.refuse(method, 502, times=2)
    assert write(where, "first") is Done.CREATED
    assert len(github.bodies()) == 1


def test_a_create_whose_answer_is_lost_makes_no_second_comment(
    github: FakeGitHub, where: Target
) -> None:
    github.refuse("POST", 502, carried_out=True)
    assert write(where, "first") is Done.UPDATED
    assert github.bodies() == [f"{marker('ner')}\nfirst"]


def test_creates_whose_answers_are_lost_make_no_second_comment(
    github: FakeGitHub, where: Target
) -> None:
    github.refuse("POST", 502, times=3, carried_out=True)
    assert write(where, "first") is Done.UPDATED
    assert github.bodies() == [f"{marker('ner')}\nfirst"]


def test_what_a_job_beside_has_taken_away_is_gone(github: FakeGitHub, where: Target) -> None:
    github.refuse("POST", 502, carried_out=True)
    github.refuse("DELETE", 404)
    assert write(where, "first") is Done.UPDATED


def test_waiting_is_bounded(github: FakeGitHub, where: Target) -> None:
    github.refuse("GET", 500, times=100)
    with pytest.raises(ApiFailure) as raised:
        write(where, "first")
    assert raised.value.status == 500
    assert len(github.asked) == 1 + NO_WAIT.tries


def test_retry_after_is_kept_to(github: FakeGitHub, where: Target) -> None:
    github.refuse("POST", 429, headers={"Retry_After": "1"})
    assert write(where, "first") is Done.CREATED


def test_a_secondary_limit_is_waited_out(github: FakeGitHub, where: Target) -> None:
    github.refuse("POST", 403, message="You have exceeded a secondary rate limit.")
    assert write(where, "first") is Done.CREATED


def test_a_limit_that_lasts_is_not_waited_for(github: FakeGitHub, where: Target) -> None:
    headers = {"X_RateLimit_Reset": "4102444800", "X_RateLimit_Remaining": "0"}
    github.refuse("GET", 403, message="API rate limit exceeded for user", headers=headers)
    with pytest.raises(ApiFailure, match="API rate limit exceeded") as raised:
        write(where, "first")
    assert raised.value.status == 403
    assert len(github.asked) == 1


def test_a_refusal_is_not_asked_again(github: FakeGitHub, where: Target) -> None:
    github.refuse("POST", 403, message="Resource not accessible by integration")
    with pytest.raises(ApiFailure, match="403, Resource not accessible by integration"):
        write(where, "first")
    assert [line.split()[0] for line in github.asked] == ["GET", "POST"]


def test_no_server_is_a_failure_in_words() -> None:
    nowhere = Target(REPOSITORY, PULL, "http://127.0.0.1:9", TOKEN)
    with pytest.raises(ApiFailure, match="no answer") as raised:
        write(nowhere, "first")
    assert TOKEN not in f"{raised.value!r}{nowhere!r}"


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
