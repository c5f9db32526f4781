"""A small stateful GitHub: comments, pages and failures."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

REPOSITORY, PULL, TOKEN = "octo/models", 7, "secret-of-the-test"
BOT, PERSON = "github-actions[bot]", "mona"
_DATE = "2026-01-02T03:04:05Z"


@dataclass
class Refusal:
    """An answer that replaces the next ones: on ``method``, ``times`` times."""

    method: str
    status: int
    message: str = "made up"
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    carried_out: bool = False
    """The request is done all the same: an answer that was lost on its way."""
    body: str | None = None
    """What is served in the place of GitHub's own words."""


@dataclass
class FakeGitHub:
    """What the server stores, and which requests it got."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    user: str = ""
    """The token's user; empty for the token of a workflow, which has none."""
    url: str = ""
    """Where the server is reached, for the links it gives."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    _last: int = 100

    def forget(self) -> None:
        """Start again with nothing stored."""
        with self.lock:
            self.comments.clear()
            self.refusals.clear()
            self.requests.clear()
            self.tokens.clear()

    def add(self, author: str, body: str) -> int:
        """Store a comment as its author writes it, and return its id."""
        with self.lock:
            self._last += 1
            self.comments.append(_record(self._last, author, body))
            return self._last

    def bodies(self, author: str = BOT) -> list[str]:
        return [item["body"] for item in self.comments if item["user"]["login"] == author]

    def refuse(self, method: str, status: int, **more: Any) -> None:
        """Answer the next requests with a failure."""
        self.refusals.append(Refusal(method, status, **more))

    def refusal(self, method: str) -> Refusal | None:
        """Return the failure to answer with, counting it down."""
        with self.lock:
            for item in self.refusals:
                if item.method == method and item.times:
                    item.times -= 1
                    return item
        return None


def _user(login: str) -> dict[str, Any]:
    links = (
        "avatar_url events_url followers_url following_url gists_url html_url organizations_url "
        "received_events_url repos_url starred_url subscriptions_url url"
    )
    return {
        **{name: f"https://example.org/{name}" for name in links.split()},
        "login": login,
        "id": 1,
        "node_id": "U_1",
        "gravatar_id": "",
        "site_admin": False,
        "type": "Bot" if login.endswith("[bot]") else "User",
    }


def _record(number: int, author: str, body: str) -> dict[str, Any]:
    base = f"https://example.org/repos/{REPOSITORY}"
    return {
        "id": number,
        "node_id": f"IC_{number}",
        "url": f"{base}/issues/comments/{number}",
        "html_url": f"{base}/pull/{PULL}#issuecomment-{number}",
        "issue_url": f"{base}/issues/{PULL}",
        "body": body,
        "user": _user(author),
        "created_at": _DATE,
        "updated_at": _DATE,
        "author_association": "NONE",
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakeGitHub

    def log_message(self, *_: object) -> None:
        """Say nothing: the test reads ``requests``."""

    def _answer(self, status: int, value: object = None, **headers: str) -> None:
        self._serve(status, b"" if value is None else json.dumps(value).encode(), **headers)

    def _serve(self, status: int, data: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        if data:
            self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _handle(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        sent = json.loads(self.rfile.read(length)) if length else {}
        self.fake.requests.append(f"{self.command} {self.path}")
        self.fake.tokens.add(self.headers.get("Authorization", "").rpartition(" ")[2])
        refusal = self.fake.refusal(self.command)
        if refusal and not refusal.carried_out:
            self._refuse(refusal)
            return
        path = urlsplit(self.path).path
        place = f"/repos/{REPOSITORY}/issues"
        one = re.fullmatch(rf"{place}/comments/(\d+)", path)
        if path == "/user":
            self._me()
        elif path == f"{place}/{PULL}/comments" and self.command == "GET":
            self._page()
        elif path == f"{place}/{PULL}/comments" and self.command == "POST":
            self._create(sent["body"], refusal)
        elif one:
            self._one(int(one[1]), sent)
        else:
            self._answer(404, {"message": "Not Found", "status": "404"})

    do_GET = do_POST = do_PATCH = do_DELETE = _handle  # noqa: N815 - http.server's names

    def _refuse(self, refusal: Refusal) -> None:
        if refusal.body is not None:
            self._serve(refusal.status, refusal.body.encode(), **refusal.headers)
            return
        said = {"message": refusal.message, "documentation_url": "", "status": str(refusal.status)}
        self._answer(refusal.status, said, **refusal.headers)

    def _me(self) -> None:
        if self.fake.user:
            self._answer(200, _user(self.fake.user))
        else:
            self._answer(403, {"message": "Resource not accessible by integration"})

    def _page(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        size, page = (int(query.get(n, [d])[0]) for n, d in (("per_page", "30"), ("page", "1")))
        result = self.fake.comments[(page - 1) * size : page * size]
        headers = {}
        if page * size < len(self.fake.comments):
            address = urlsplit(self.path).path
            link = f"{self.fake.url}{address}?per_page={size}&page={page + 1}"
            headers["Link"] = f'<{link}>; rel="next"'
        self._answer(200, result, **headers)

    def _create(self, body: str, refusal: Refusal | None) -> None:
        if len(body) > 65_536:
            self._answer(422, {"message": "Validation Failed: body is too long"})
            return
        number = self.fake.add(BOT, body)
        if refusal:
            self._refuse(refusal)
        else:
            made = next(item for item in self.fake.comments if item["id"] == number)
            self._answer(201, made, Location=made["url"])

    def _one(self, number: int, sent: dict[str, str]) -> None:
        result = next((item for item in self.fake.comments if item["id"] == number), None)
        if result is None:
            self._answer(404, {"message": "Not Found"})
        elif self.command == "DELETE":
            with self.fake.lock:
                self.fake.comments.remove(result)
            self._answer(204)
        else:
            result["body"] = sent["body"]
            self._answer(200, result)


@contextmanager
def serving() -> Iterator[FakeGitHub]:
    """Give a server that listens on a free port of this machine."""
    fake = FakeGitHub()
    handler = type("Handler", (_Handler,), {"fake": fake})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
