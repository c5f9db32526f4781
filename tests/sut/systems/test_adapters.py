"""Adapters through the real command, against doubles of the services and a double of Flair."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cases import table
from conftest import check_refused
from making import SENTENCES, make_suite
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE
from mt_gate.sut.systems.kinds import ADAPTERS, SYSTEMS
from sut.systems.doubles import Double, Reply, Request, comprehend, language, running

THROTTLED = Reply(400, {"__type": "ThrottlingException", "Message": "Rate exceeded"})
FLAIR = Path(__file__).with_name("flair_double")


class Service(NamedTuple):
    double: Double
    system: str
    answer: Callable[[Request], Reply]
    texts: Callable[[Mapping[str, Any]], list[str]]


@pytest.fixture(params=["aws-comprehend", "azure-language"])
def service(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Service]:
    pytest.importorskip("boto3" if "aws" in request.param else "azure.ai.textanalytics")
    if request.param == "azure-language":
        monkeypatch.setenv("AZURE_LANGUAGE_KEY", "made-up")
        with running(language) as double:
            yield Service(
                double,
                f"azure-language:{double.url}",
                language,
                lambda body: [item["text"] for item in body["analysisInput"]["documents"]],
            )
        return
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_RETRY_MODE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none"),
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "made-up",
        "AWS_MAX_ATTEMPTS": "2",
    }.items():
        monkeypatch.setenv(name, value)
    with running(comprehend) as double:
        monkeypatch.setenv("AWS_ENDPOINT_URL_COMPREHEND", double.url)
        yield Service(double, "aws-comprehend:eu-west-1", comprehend, lambda body: body["TextList"])


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return make_suite(tmp_path / "suite", SENTENCES[:30])


def result(folder: Path) -> Any:
    return json.loads((folder / "out" / "result.json").read_text())


@pytest.mark.usefixtures("suite")
def test_a_run_a_baseline_and_a_second_run(
    run_system: Callable, service: Service, tmp_path: Path
) -> None:
    baseline = tmp_path / "baselines" / "ner.json"
    assert run_system(service.system, "--record-missing", baseline=baseline).code == PASS
    first = result(tmp_path)
    assert first["checkpoint"]["fingerprint"] == ""
    assert "no fingerprint" in first["notes"][0]
    assert any(relation["applicable"] for relation in first["relations"])
    assert all(relation["violated"] == 0 for relation in first["relations"])
    requests = len(service.double.requests)
    sent = [text for one in service.double.requests for text in service.texts(one.body)]
    assert len(sent) == first["predictions"]["unique"] + 1, "and the probe"
    assert run_system(service.system, baseline=baseline).code == PASS
    assert len(service.double.requests) == requests + 1, "the rest is cached"


def moved(reply: Reply) -> Reply:
    text = json.dumps(reply.body)
    for name in ('"BeginOffset": ', '"offset": '):
        text = text.replace(f"{name}0", f"{name}1")
    return Reply(200, json.loads(text))


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (lambda _: THROTTLED, "the service rejected"),
        (lambda _: Reply(401, {"__type": "x", "error": {"code": "401"}}), "the service rejected"),
        (lambda _: Reply(200, b"garbage"), ""),
        (lambda _: Reply(200, {}), ""),
        (moved, "Expected offsets in code points"),
    ],
)
def test_failures_are_one_line_and_the_next_run_goes_on(
    run_system: Callable, service: Service, suite: Path, reply: Callable[[Reply], Reply], words: str
) -> None:
    assert suite
    service.double.answer = lambda request: (
        service.answer(request) if request.number < 1 else reply(service.answer(request))
    )
    answer = run_system(service.system)
    assert answer.code == CANNOT_JUDGE, answer
    assert len(answer.err.strip().splitlines()) == 1, answer.err
    assert answer.err.startswith(f"mt-gate: CANNOT JUDGE (exit 3): {service.system}: ")
    assert words in answer.err
    assert "made-up" not in answer.err
    service.double.answer = service.answer
    assert run_system(service.system).code == PASS


@pytest.mark.parametrize("system", table(__file__, "what_the_adapter_cannot_take"))
def test_what_the_adapter_cannot_take(run_system: Callable, system: str) -> None:
    answer = run_system(system)
    assert answer.code == USAGE
    assert f"--system {system} is not valid. Expected" in answer.err


def test_flair(
    run_system: Callable, suite: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert suite
    monkeypatch.syspath_prepend(str(FLAIR))
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(FLAIR), os.environ.get("PYTHONPATH", "")])
    )
    model = tmp_path / "my model.pt"
    model.write_text("a tagger")
    system = f"flair:'{model}' --trusted"
    assert run_system(system).code == PASS
    actual = result(tmp_path)
    assert actual["checkpoint"]["name"] == "my model"
    digest = hashlib.sha256(b"a tagger").hexdigest()
    assert actual["checkpoint"]["fingerprint"] == f"sha256:{digest}, Flair 0.0"
    assert any(relation["applicable"] for relation in actual["relations"])
    for _ in range(2):
        assert run_system(system, device="cpu").code == PASS
    assert result(tmp_path)["predictions"]["cached"] > 0
    monkeypatch.setenv("CI_MERGE_REQUEST_IID", "7")
    assert run_system(system, device="cpu").code == PASS
    assert result(tmp_path)["predictions"]["cached"] == 0  # its code may be the proposal's
    folder = tmp_path / "tagger"
    folder.mkdir()
    model.rename(folder / "pytorch_model.bin")
    assert run_system(f"flair:{folder} --trusted").code == PASS
    assert result(tmp_path)["checkpoint"]["name"] == "tagger"
    answer = run_system(system)
    assert answer.code == CANNOT_JUDGE
    assert "my model.pt does not exist. Expected a SequenceTagger saved by Flair" in answer.err


EXTRAS = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]
NAMES = {
    "flair": ("flair", "flair:x.pt --trusted"),
    "aws": ("boto3", "aws-comprehend:eu-west-1"),
    "azure": ("azure.ai.textanalytics", "azure-language:https://x.example"),
}


@pytest.mark.parametrize(
    "system", ["", "ner", "keras:model", "spacy:", "spacy:  ", ":x", "SPACY:x"]
)
def test_an_unknown_kind_is_refused_with_the_known_ones(run_system: Callable, system: str) -> None:
    check_refused(run_system(system), USAGE, *(SYSTEMS if system else ()))


def test_every_kind_has_an_extra() -> None:
    assert {"spacy", *(one.extra for one in ADAPTERS.values())} <= set(EXTRAS)


@pytest.mark.parametrize("extra", NAMES)
def test_a_missing_package_is_named_with_its_extra(
    run_system: Callable, monkeypatch: pytest.MonkeyPatch, extra: str
) -> None:
    module, system = NAMES[extra]
    monkeypatch.setitem(sys.modules, module, None)
    words = f"{module} is not installed. Run pip install 'mt-gate[{extra}]'"
    check_refused(run_system(system), CANNOT_JUDGE, words)
