"""GitHub's own description of its API, cut to what the gate asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
