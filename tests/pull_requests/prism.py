"""Prism in front of a fake: it refuses what is not of the form that GitHub describes."""

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
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

MODULES = Path(os.environ.get("MT_GATE_NODE_MODULES", Path(__file__).parents[2] / "node_modules"))
DESCRIPTION = MODULES / "@octokit/openapi/generated/api.github.com.json"
PRISM = MODULES / "@stoplight/prism-cli/dist/index.js"
START = 120
"""Seconds that Prism may take to start."""


def write_description(folder: Path) -> Path:
    """Write what GitHub says of its comments into a file; skip the test where there is no Prism."""
    if shutil.which("node") is None or not DESCRIPTION.is_file() or not PRISM.is_file():
        pytest.skip(f"no Prism: npm install @octokit/openapi @stoplight/prism-cli beside {MODULES}")
    path = folder / "github.json"
    path.write_text(json.dumps(cut(json.loads(DESCRIPTION.read_text()))))
    return path


@contextmanager
def standing_before(upstream: str, description: Path, log: Path) -> Iterator[str]:
    """Run Prism as a proxy, and give its address."""
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    command = ["node", str(PRISM), "proxy", "--errors", "-p", str(port), str(description), upstream]
    with log.open("w") as file, subprocess.Popen(command, stdout=file, stderr=file) as prism:
        try:
            end = time.monotonic() + START
            while not _answers(f"{url}/repos/octo/models/issues/1/comments"):
                assert prism.poll() is None, log.read_text()
                assert time.monotonic() < end, log.read_text()
                time.sleep(0.2)
            yield url
        finally:
            prism.terminate()
            prism.wait(timeout=30)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


_COMMENTS = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
_PATHS = (_COMMENTS, _COMMENT)
_SENT = "application/vnd.github+json"


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)


def cut(whole: dict[str, Any]) -> dict[str, Any]:
    """Return the paths of comments, with what they reach.

    The whole has hundreds of paths, and is minutes in the reading.
    """
    paths = {name: whole["paths"][name] for name in _PATHS}
    components: dict[str, dict[str, Any]] = {}
    seen: set[str] = set()
    todo: list[Any] = [paths]
    while todo:
        for reference in _references(todo.pop()):
            if reference in seen:
                continue
            seen.add(reference)
            _, _, kind, name = reference.split("/", 3)
            part = whole["components"][kind][name]
            components.setdefault(kind, {})[name] = part
            todo.append(part)
    _accept(paths)
    _accept(components.get("responses", {}))
    head = {"openapi": whole["openapi"], "info": whole["info"]}
    servers = [{"url": "https://api.github.com"}]
    return {**head, "servers": servers, "paths": paths, "components": components}


def _accept(value: Any) -> None:
    """Let answers be of the media type that GitHub's clients ask for: the description omits it."""
    if isinstance(value, dict):
        content = value.get("content")
        if isinstance(content, dict) and "application/json" in content:
            content.setdefault(_SENT, content["application/json"])
        for item in value.values():
            _accept(item)
    elif isinstance(value, list):
        for item in value:
            _accept(item)
