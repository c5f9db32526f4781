"""Local stand-ins for services, which the vendors' own SDKs talk to.

They find entities as the honest program does: capitalised words.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

PLACES = ("Oslo", "Rome", "Paris", "Berlin", "Quito")


class Reply(NamedTuple):
    status: int
    body: Any
    headers: dict[str, str] = {}  # noqa: RUF012 - a default that nobody changes
    missing: int = 0  # bytes that are promised and not sent


class Request(NamedTuple):
    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Answerer = Callable[[Request], Reply]


class Double:
    def __init__(self, answer: Answerer) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.released = threading.Event()
        double = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                request = Request(len(double.requests), self.path, dict(self.headers), body)
                double.requests.append(request)
                reply = double.answer(request)
                data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body)
                data = data if isinstance(data, bytes) else data.encode()
                self.send_response(reply.status)
                headers = {"Content-Type": "application/json", **reply.headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data) + reply.missing))
                self.close_connection = bool(reply.missing)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

            def handle(self) -> None:
                try:
                    super().handle()
                except (ConnectionError, ValueError):  # the client has closed the connection
                    self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextmanager
def running(answer: Answerer) -> Iterator[Double]:
    double = Double(answer)
    try:
        yield double
    finally:
        double.close()


def names(text: str) -> list[tuple[int, int, str]]:
    return [
        (*match.span(), "place" if match.group() in PLACES else "person")
        for match in re.finditer("[A-Z][a-zë]+", text)
        if match.group() != "Was"
    ]


def comprehend(request: Request) -> Reply:
    labels = {"place": "LOCATION", "person": "PERSON"}
    results = [
        {
            "Index": index,
            "Entities": [
                {
                    "Score": 0.9,
                    "Type": labels[kind],
                    "Text": text[start:end],
                    "BeginOffset": start,
                    "EndOffset": end,
                }
                for start, end, kind in names(text)
            ],
        }
        for index, text in enumerate(request.body["TextList"])
    ]
    return Reply(200, {"ResultList": results[::-1], "ErrorList": []})


def completion(
    content: str, probabilities: Mapping[str, float] | None = None, **more: Any
) -> Reply:
    """Return a chat completion, with probabilities of its first token if there are some."""
    tops = [{"token": t, "logprob": math.log(p)} for t, p in (probabilities or {}).items()]
    first = {"token": tops[0]["token"], "logprob": 0.0, "top_logprobs": tops} if tops else None
    choice = {
        "message": {"role": "assistant", "content": content},
        "finish_reason": more.pop("finish_reason", "stop"),
        "logprobs": {"content": [first]} if first else None,
    }
    usage = {"prompt_tokens": 1000, "completion_tokens": 10}
    return Reply(200, {"choices": [choice], "model": "m-2024", "usage": usage, **more})


def chat(request: Request) -> Reply:
    """Answer a question: the digest of the messages decides."""
    text = json.dumps(request.body["messages"])
    yes = hashlib.sha256(text.encode()).digest()[0] / 256
    best = "Yes" if yes > 0.5 else "No"
    tops = {best: max(yes, 1 - yes), "No" if best == "Yes" else "Yes": min(yes, 1 - yes) or 1e-9}
    return completion(f"{best}.", tops if request.body.get("logprobs") else None)


def language(request: Request) -> Reply:
    labels = {"place": "Location", "person": "Person"}
    documents = [
        {
            "id": document["id"],
            "warnings": [],
            "entities": [
                {
                    "text": document["text"][start:end],
                    "category": labels[kind],
                    "offset": start,
                    "length": end - start,
                    "confidenceScore": 0.9,
                }
                for start, end, kind in names(document["text"])
            ],
        }
        for document in request.body["analysisInput"]["documents"]
    ]
    results = {"documents": documents[::-1], "errors": [], "modelVersion": "2023-09-01"}
    return Reply(200, {"kind": "EntityRecognitionResults", "results": results})
