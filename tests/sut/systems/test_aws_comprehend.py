"""Amazon Comprehend through boto3, against a local double."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from making import SENTENCES, make_suite
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE
from mt_gate.running.evaluation import FIRST
from mt_gate.sut.systems.aws_comprehend import DOCUMENTS, MAX_BYTES, AwsComprehend
from sut.systems.doubles import Double, Reply, Request, comprehend, hang, running

SYSTEM = "aws-comprehend:eu-west-1"
THROTTLED = Reply(400, {"__type": "ThrottlingException", "Message": "Rate exceeded"})

pytest.importorskip("boto3", reason="needs mt-gate[aws]")


@pytest.fixture(scope="module", autouse=True)
def _described_once() -> Iterator[None]:
    """What boto3 knows of the services is read once, as by one client that is used again."""
    from botocore.loaders import JSONFileLoader

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JSONFileLoader, "load_file", cache(JSONFileLoader.load_file))
        yield


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Double]:
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_RETRY_MODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "made-up")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "2")
    with running(comprehend) as double:
        monkeypatch.setenv("AWS_ENDPOINT_URL_COMPREHEND", double.url)
        yield double


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Enough sentences for a few requests."""
    return make_suite(tmp_path / "suite", SENTENCES[:30])


@pytest.fixture
def result(tmp_path: Path) -> Callable[[], dict]:
    return lambda: json.loads((tmp_path / "out" / "result.json").read_text())


def refused(answer: Any, *words: str) -> None:
    assert answer.code == CANNOT_JUDGE, answer
    assert len(answer.err.strip().splitlines()) == 1, answer.err
    for word in (SYSTEM, *words):
        assert word in answer.err


def test_a_run_a_baseline_and_a_second_run(
    run_system: Callable, service: Double, result: Callable, tmp_path: Path
) -> None:
    baseline = tmp_path / "baselines" / "ner.json"
    assert run_system(SYSTEM, "--record-missing", baseline=baseline).code == PASS
    first = result()
    assert first["checkpoint"]["name"] == "Amazon Comprehend"
    assert first["checkpoint"]["fingerprint"] == ""
    assert first["checkpoint"]["runtime"]["provider"] == "Amazon Comprehend 2017-11-27, eu-west-1"
    assert "no fingerprint" in first["notes"][0]
    assert any(relation["applicable"] for relation in first["relations"])
    assert all(relation["violated"] == 0 for relation in first["relations"])
    assert {"entities per sentence: PERSON", "entities per sentence: LOCATION"} < set(
        first["profile"]["candidate"]
    )
    asked = len(service.requests)
    assert run_system(SYSTEM, baseline=baseline).code == PASS
    assert result()["verdict"] == "pass"
    assert len(service.requests) == asked


def test_what_is_sent(run_system: Callable, service: Double, result: Callable) -> None:
    run_system(SYSTEM)
    sizes = [len(request.body["TextList"]) for request in service.requests]
    assert max(sizes) == DOCUMENTS
    assert sum(sizes) == result()["predictions"]["unique"]
    for request in service.requests:
        assert request.body["LanguageCode"] == "en"
        assert request.headers["X-Amz-Target"].endswith(".BatchDetectEntities")
        assert "/eu-west-1/comprehend/aws4_request" in request.headers["Authorization"]


def test_what_is_too_long_or_blank_is_not_sent(service: Double) -> None:
    system = AwsComprehend("eu-west-1", 5)
    fits = "Zoë " + "é" * ((MAX_BYTES - 5) // 2)
    texts = [
        "Anna.",
        "é" * (MAX_BYTES // 2 + 1),
        "  ",
        fits,
        "x" * MAX_BYTES,
        "x" * (MAX_BYTES + 1),
    ]
    answers = dict(pair for batch in system.predict([{"text": t} for t in texts]) for pair in batch)
    system.close()
    assert [request.body["TextList"] for request in service.requests] == [
        ["Anna.", fits, "x" * MAX_BYTES]
    ]
    assert [answers[at].reason for at in range(6)] == ["", "truncated", "", "", "", "truncated"]
    assert answers[2].output == {"entities": []}
    assert answers[3].output == {"entities": [[0, 3, "PERSON"]]}


def test_throttling_that_ends_is_waited_for(
    run_system: Callable, service: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "3")
    service.answer = lambda request: THROTTLED if request.number == 1 else comprehend(request)
    assert run_system(SYSTEM).code == PASS


def failing(service: Double, reply: Callable[[Request], Reply], after: int = 1) -> None:
    service.answer = lambda request: (
        comprehend(request) if request.number < after else reply(request)
    )


def changed(change: Callable[[dict], object]) -> Callable[[Request], Reply]:
    def reply(request: Request) -> Reply:
        body = comprehend(request).body
        change(body)
        return Reply(200, body)

    return reply


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (lambda _: THROTTLED, ("ThrottlingException", "quota")),
        (
            lambda _: Reply(400, {"__type": "UnrecognizedClientException", "Message": "bad token"}),
            ("UnrecognizedClientException", "credentials"),
        ),
        (lambda _: Reply(400, {"__type": "AccessDeniedException"}), ("BatchDetectEntities",)),
        (lambda _: Reply(500, {"__type": "InternalServerException"}), ("InternalServer",)),
        (lambda _: Reply(503, b"<html>no"), ("refused with 503",)),
        (lambda _: Reply(200, b"garbage"), ()),
        (lambda _: Reply(200, []), ()),
        (lambda _: Reply(200, {}), ("answers to 0 of",)),
        (changed(lambda body: body["ResultList"].pop()), ("answers to",)),
        (changed(lambda body: body["ResultList"].append(body["ResultList"][0])), ("answers to",)),
        (changed(lambda body: body["ResultList"][0].update(Index=99)), ("answers to",)),
        (
            changed(lambda body: body.update(ErrorList=[{"Index": 0, "ErrorCode": "INTERNAL"}])),
            ("INTERNAL",),
        ),
        (changed(lambda body: body["ResultList"][0]["Entities"][0].pop("Type")), ("without Type",)),
        (
            changed(lambda body: body["ResultList"][0]["Entities"][0].update(EndOffset=9999)),
            ("the service says",),
        ),
        (
            changed(lambda body: body["ResultList"][0]["Entities"][0].update(BeginOffset=1)),
            ("code points",),
        ),
    ],
)
def test_failures_are_told_and_the_next_run_goes_on(
    run_system: Callable,
    service: Double,
    result: Callable,
    reply: Callable,
    words: tuple[str, ...],
) -> None:
    failing(service, reply)
    refused(run_system(SYSTEM), *words)
    service.answer = comprehend
    assert run_system(SYSTEM).code == PASS
    assert result()["predictions"]["cached"] == min(FIRST, DOCUMENTS)  # of the first request


def test_a_service_that_hangs(run_system: Callable, service: Double) -> None:
    failing(service, lambda _: hang(service))
    refused(run_system(SYSTEM, timeout=0.5), "ReadTimeoutError")


def test_no_credentials(
    run_system: Callable, service: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    refused(run_system(SYSTEM), "NoCredentialsError", "credentials")
    assert not service.requests


def test_nothing_listens(
    run_system: Callable, service: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_COMPREHEND", "http://127.0.0.1:9")
    refused(run_system(SYSTEM), "EndpointConnectionError")
    assert not service.requests


@pytest.mark.parametrize("region", ["", "Europe", "eu-west-1.evil.example", "../eu-west-1", "eu"])
def test_what_is_no_region(run_system: Callable, region: str) -> None:
    answer = run_system(f"aws-comprehend:{region}")
    assert answer.code == USAGE
    assert "aws-comprehend" in answer.err


def test_regions_and_endpoints_are_kept_apart(
    service: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {AwsComprehend(region, 5).cache_key for region in ("eu-west-1", "us-east-1")}
    monkeypatch.setenv("AWS_ENDPOINT_URL_COMPREHEND", f"{service.url}/other")
    keys.add(AwsComprehend("eu-west-1", 5).cache_key)
    assert len(keys) == 3


def test_the_suite_s_own_labels_are_shuffled(
    run_system: Callable, service: Double, result: Callable, tmp_path: Path
) -> None:
    """Things of many kinds, which Comprehend calls OTHER or TITLE, do not change places."""

    def others(request: Request) -> Reply:
        body = comprehend(request).body
        for document in body["ResultList"]:
            for entity in document["Entities"]:
                entity["Type"] = "OTHER"
        return Reply(200, body)

    service.answer = others
    run_system(SYSTEM, suite=make_suite(tmp_path / "few", ["Anna was with Boris in Oslo."]))
    (_, shuffle) = result()["relations"]
    assert shuffle["applicable"] == 0
    assert shuffle["not_applicable"] == {"no-follow-up": 1}


def test_a_sentence_without_an_entity_is_silence(
    run_system: Callable, service: Double, result: Callable, tmp_path: Path
) -> None:
    def nothing(request: Request) -> Reply:
        body = comprehend(request).body
        for document in body["ResultList"]:
            document["Entities"] = []
        return Reply(200, body)

    service.answer = nothing
    run_system(SYSTEM, suite=make_suite(tmp_path / "few", ["Anna was with Boris in Oslo."]))
    (_, shuffle) = result()["relations"]
    assert shuffle["not_applicable"] == {"vacuous": 1}
