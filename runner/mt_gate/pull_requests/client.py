"""A pull request's comments, as GitHub serves them; the only importer of PyGithub.

Waiting is bounded: a rate limit that lasts longer than a minute is a failure, and a server error is
asked again three times.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from github import Auth, Github, GithubException, GithubRetry
from github.IssueComment import IssueComment
from requests import RequestException

from mt_gate import __version__
from mt_gate.pull_requests.target import Target
from mt_gate.pull_requests.thread import ApiFailure, Comment, Thread

MOST_COMMENTS = 5_000
"""Comments that are looked through; GitHub takes 2,500 on one pull request."""

# PyGithub prints its log, an answer's texts with it; what matters of it stands in the failures.
logging.getLogger("github").setLevel(logging.CRITICAL)

_PAGE = 100
_TIMEOUT = 20


@dataclass(frozen=True)
class Patience:
    """How often a request is tried again, and the seconds waited before it.

    The waits after server errors are 0, 2 and 4 times ``backoff``; ``longest`` bounds what a rate
    limit may ask for.
    """

    tries: int = 3
    backoff: float = 1.0
    longest: int = 60

    def retry(self) -> GithubRetry:
        """Return the same in the library's terms.

        A create is tried again too, though it may have been carried out: who writes a comment
        looks afterwards whether an older one is there (``sticky.put``).
        """
        methods = frozenset({"GET", "POST", "PATCH", "DELETE"})
        return GithubRetry(
            total=self.tries,
            backoff_factor=self.backoff,
            secondary_rate_wait=self.longest,
            max_rate_limit_wait=self.longest,
            retry_after_max=self.longest,
            status_forcelist=[429, *range(500, 600)],
            allowed_methods=methods,
            raise_on_status=False,
        )


@contextmanager
def open_thread(target: Target, patience: Patience | None = None) -> Iterator[Thread]:
    """Give the comments of a pull request; nothing is asked before they are."""
    client = Github(
        auth=Auth.Token(target.token),
        base_url=target.api,
        timeout=_TIMEOUT,
        user_agent=f"mt-gate/{__version__}",
        per_page=_PAGE,
        retry=(patience or Patience()).retry(),
        seconds_between_requests=0,  # there are few; writes keep their second apart
        lazy=True,  # neither repository nor pull request is fetched to reach the comments
        api_version=None,  # GitHub Enterprise Server knows versions of its own
    )
    try:
        yield _GitHubThread(client, target)
    finally:
        client.close()


@contextmanager
def _told() -> Iterator[None]:
    """Turn the library's failures into one kind, told in words."""
    try:
        yield
    except GithubException as error:
        data = error.data if isinstance(error.data, dict) else {}
        said = error.message or data.get("message") or "no reason given"
        raise ApiFailure(error.status, f"{error.status}, {said}") from None
    except RequestException as error:
        raise ApiFailure(0, f"no answer ({type(error).__name__})") from None
    except (AssertionError, ValueError, TypeError, KeyError) as error:
        # The library asserts what it expects of an answer.
        raise ApiFailure(0, f"an answer that is none of its API ({type(error).__name__})") from None


def _comment(item: IssueComment) -> Comment:
    # A deleted account leaves no user; its comments belong to nobody here.
    user = item.user
    login, kind = (user.login, user.type) if user else ("", "")
    return Comment(item.id, login or "", kind == "Bot", item.body or "")


class _GitHubThread:
    """The comments of one pull request on GitHub."""

    def __init__(self, client: Github, target: Target) -> None:
        self._client = client
        with _told():
            self._issue = client.get_repo(target.repository).get_issue(target.pull)

    def comments(self) -> list[Comment]:
        with _told():
            return sorted(map(_comment, islice(self._issue.get_comments(), MOST_COMMENTS)))

    def me(self) -> str:
        try:
            with _told():
                return self._client.get_user().login
        except ApiFailure as failure:
            if failure.status in (401, 403, 404):  # the token of a workflow belongs to no user
                return ""
            raise

    def create(self, body: str) -> int:
        with _told():
            return self._issue.create_comment(body).id

    def edit(self, comment: int, body: str) -> None:
        with _told():
            self._issue.get_comment(comment).edit(body)

    def delete(self, comment: int) -> None:
        with _told():
            self._issue.get_comment(comment).delete()
