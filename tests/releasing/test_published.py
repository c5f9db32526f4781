"""Whether an index has a wheel, with a stand-in for PyPI."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from releasing import scripts

published = scripts.load("published")
NAME = "mt_gate-1.2.3-py3-none-any.whl"


class Index(BaseHTTPRequestHandler):
    """Answers with ``pages``: the body, or the status, of each path."""

    pages: dict[str, bytes | int]

    def do_GET(self) -> None:
        page = self.pages.get(self.path, 404)
        accepted = self.headers["Accept"] == published.JSON
        self.send_response(page if isinstance(page, int) else 200 if accepted else 406)
        self.end_headers()
        if isinstance(page, bytes):
            self.wfile.write(page)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def index() -> Iterator[str]:
    Index.pages = {}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/simple"
    server.shutdown()
    server.server_close()


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / NAME
    path.write_bytes(b"wheel")
    return path


def has(name: str, content: bytes) -> None:
    file = {"filename": name, "hashes": {"sha256": hashlib.sha256(content).hexdigest()}}
    Index.pages["/simple/mt-gate/"] = json.dumps({"files": [file]}).encode()


def test_a_project_that_is_not_there(index: str, wheel: Path) -> None:
    assert published.is_published(wheel, index) is False


def test_the_same_bytes(index: str, wheel: Path) -> None:
    has(NAME, b"wheel")
    done = scripts.run(scripts.CI / "published.py", wheel, "--index", index)
    assert (done.returncode, done.stdout) == (0, "published=true\n")


def test_other_bytes_are_refused(index: str, wheel: Path) -> None:
    has(NAME, b"other")
    done = scripts.run(scripts.CI / "published.py", wheel, "--index", index)
    assert (done.returncode, done.stdout) == (2, "")
    assert "raise it" in done.stderr
    assert "Traceback" not in done.stderr
