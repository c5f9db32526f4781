"""Azure AI Language through its SDK, against a local double."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from making import SENTENCES, make_suite
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE
from sut.systems.doubles import Double, Reply, Request, hang, language, running

pytest.importorskip("azure.ai.textanalytics", reason="needs mt-gate[azure]")

from mt_gate.sut.systems.azure_language import DOCUMENTS, MAX_CHARACTERS, AzureLanguage

SOON = {"retry-after-ms": "1"}
THROTTLED = Reply(429, {"error": {"code": "TooManyRequests", "message": "Slow down."}}, SOON)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Double]:
    monkeypatch.setenv("AZURE_LANGUAGE_KEY", "made-up-key")
    with running(language) as double:
        yield double


@pytest.fixture
def run_azure(run_system: Callable, service: Double) -> Callable:
    return lambda *flags, **named: run_system(f"azure-language:{service.url}", *flags, **named)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Enough sentences for a few requests."""
    return make_suite(tmp_path / "suite", SENTENCES[:17])


@pytest.fixture
def result(tmp_path: Path) -> Callable[[], dict]:
    return lambda: json.loads((tmp_path / "out" / "result.json").read_text())


def refused(answer: Any, *words: str) -> None:
    assert answer.code == CANNOT_JUDGE, answer
    assert len(answer.err.strip().splitlines()) == 1, answer.err
    for word in ("azure-language:http://127.0.0.1", *words):
        assert word in answer.err


def test_a_run_a_baseline_and_a_second_run(
    run_azure: Callable, service: Double, result: Callable, tmp_path: Path
) -> None:
    baseline = tmp_path / "baselines" / "ner.json"
    assert run_azure("--record-missing", baseline=baseline).code == PASS
    first = result()
    assert first["checkpoint"]["name"] == "Azure AI Language"
    assert first["checkpoint"]["fingerprint"] == ""
    provider = first["checkpoint"]["runtime"]["provider"]
    assert provider == "Azure AI Language 2023-04-01, 127.0.0.1"
    assert "no fingerprint" in first["notes"][0]
    assert any(relation["applicable"] for relation in first["relations"])
    assert all(relation["violated"] == 0 for relation in first["relations"])
    asked = len(service.requests)
    assert run_azure(baseline=baseline).code == PASS
    assert result()["verdict"] == "pass"
    assert len(service.requests) == asked
    for path in (tmp_path / "out").iterdir():
        assert b"made-up-key" not in path.read_bytes()


def test_what_is_sent(run_azure: Callable, service: Double, result: Callable) -> None:
    run_azure()
    documents = [request.body["analysisInput"]["documents"] for request in service.requests]
    assert max(map(len, documents)) == DOCUMENTS
    assert sum(map(len, documents)) == result()["predictions"]["unique"]
    for request in service.requests:
        assert request.headers["Ocp-Apim-Subscription-Key"] == "made-up-key"
        assert request.path == "/language/:analyze-text?api-version=2023-04-01"
        parameters = request.body["parameters"]
        assert parameters["stringIndexType"] == "UnicodeCodePoint"
        assert parameters["loggingOptOut"] is True
    assert {document["language"] for batch in documents for document in batch} == {"en"}


def test_what_is_too_long_or_blank_is_not_sent(service: Double) -> None:
    system = AzureLanguage(service.url, 5)
    texts = ["😀 Zoë.", "x" * (MAX_CHARACTERS + 1), "\n ", "x" * MAX_CHARACTERS]
    answers = dict(pair for batch in system.predict([{"text": t} for t in texts]) for pair in batch)
    system.close()
    (request,) = service.requests
    sent = [document["text"] for document in request.body["analysisInput"]["documents"]]
    assert sent == [texts[0], texts[3]]
    assert [answers[at].reason for at in range(4)] == ["", "truncated", "", ""]
    assert answers[0].output == {"entities": [[2, 5, "Person"]]}
    assert answers[2].output == {"entities": []}


def test_throttling_that_ends_is_waited_for(run_azure: Callable, service: Double) -> None:
    service.answer = lambda request: (
        THROTTLED if request.number % 5 in (1, 2) else language(request)
    )
    assert run_azure().code == PASS


def test_throttling_without_a_hint_is_waited_for(run_azure: Callable, service: Double) -> None:
    """The SDK by itself repeats a POST only where the service says when."""
    service.answer = lambda request: (
        THROTTLED._replace(headers={}) if request.number == 1 else language(request)
    )
    assert run_azure().code == PASS


def changed(change: Callable[[dict], object]) -> Callable[[Request], Reply]:
    def reply(request: Request) -> Reply:
        body = language(request).body
        change(body["results"])
        return Reply(200, body)

    return reply


def moved_error(results: dict) -> None:
    document = results["documents"].pop()
    error = {"code": "InvalidArgument", "message": "Invalid document."}
    results["errors"] = [{"id": document["id"], "error": error}]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (lambda _: THROTTLED, ("status 429", "quota")),
        (
            lambda _: Reply(401, {"error": {"code": "401", "message": "Access denied."}}),
            ("status 401", "AZURE_LANGUAGE_KEY"),
        ),
        (
            lambda _: Reply(403, {"error": {"code": "403", "message": "Out of call volume quota"}}),
            ("403",),
        ),
        (lambda _: Reply(404, {"error": {"code": "404", "message": "Not found"}}), ("404",)),
        (lambda _: Reply(500, {"error": {"message": "oops"}}, SOON), ("status 500",)),
        (lambda _: Reply(503, b"<html>no", SOON), ("503",)),
        (lambda _: Reply(200, b"garbage"), ()),
        (lambda _: Reply(200, []), ()),
        (lambda _: Reply(200, {}), ()),
        (changed(lambda results: results["documents"].pop()), ()),
        (changed(lambda results: results["documents"][0].update(id="99")), ()),
        (changed(moved_error), ("InvalidArgument",)),
        (
            changed(lambda results: results["documents"][0]["entities"][0].pop("offset")),
            ("without offset",),
        ),
        (
            changed(lambda results: results["documents"][0]["entities"][0].update(length=999)),
            ("the service says",),
        ),
        (
            changed(lambda results: results["documents"][0]["entities"][0].update(offset=-3)),
            (),
        ),
    ],
)
def test_failures_are_told_and_the_next_run_goes_on(
    run_azure: Callable,
    service: Double,
    result: Callable,
    reply: Callable,
    words: tuple[str, ...],
) -> None:
    service.answer = lambda request: language(request) if request.number < 3 else reply(request)
    refused(run_azure(), *words)
    service.answer = language
    assert run_azure().code == PASS
    assert result()["predictions"]["cached"] == 3 * DOCUMENTS


def test_a_service_that_hangs(run_azure: Callable, service: Double) -> None:
    service.answer = lambda _: hang(service)
    refused(run_azure(timeout=0.5), "timed out")


def test_no_key(run_azure: Callable, service: Double, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_LANGUAGE_KEY")
    refused(run_azure(), "AZURE_LANGUAGE_KEY is not set")
    monkeypatch.setenv("AZURE_LANGUAGE_KEY", " ")
    refused(run_azure(), "AZURE_LANGUAGE_KEY is not set")
    assert not service.requests


@pytest.mark.parametrize(
    "endpoint",
    [
        "name.cognitiveservices.azure.com",
        "http://name.cognitiveservices.azure.com",
        "https://",
        "https://user:secret@host",
        "https://host/?x=1",
        "https://[broken",
        "file:///etc/passwd",
    ],
)
def test_endpoints_that_would_send_the_key_elsewhere(run_system: Callable, endpoint: str) -> None:
    answer = run_system(f"azure-language:{endpoint}")
    assert answer.code == USAGE
    assert "expected the resource's endpoint" in answer.err
