"""A language model behind an OpenAI-compatible endpoint, such as vLLM, llama.cpp or a vendor.

``mt_gate.adapters.openai_chat`` sends the requests, in a process that gets the API key.
"""

from __future__ import annotations

import ipaddress
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from statistics import NormalDist
from typing import Any
from urllib.parse import urlsplit

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, page, quoted
from mt_gate.base.figures import counted
from mt_gate.settings.record import Settings
from mt_gate.sut.prompt import Prompt, describe, read_prompt
from mt_gate.sut.protocol import FLIPS, MOST_FLIPS, Noise, Prediction
from mt_gate.sut.systems.command import CommandSystem, Exchange, head, key
from mt_gate.tasks.spec import TaskSpec

TWICE = "asked twice"
"""Key of the largest difference between scores of two requests with the same input."""
ALLOWED_FLIPS = 0.2
"""Maximum share of inputs with two different predictions; above it, verdicts are chance."""
RETRIES, LONGEST_PAUSE = 6, 60.0
"""Maximum retries of a request, and maximum seconds that the client waits before one."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """First line of the adapter's input: the model, the prompt, and limits of the run.

    ``task`` is the task's name. ``timeout`` is in seconds per request, ``max_cost`` in the currency
    of the prompt's prices.
    """

    model: str
    endpoint: str
    task: str
    prompt: Prompt
    repeats: int
    concurrency: int
    timeout: float
    max_requests: int | None
    max_cost: float | None


class EndpointSystem(CommandSystem):
    """A language model that the adapter sends prompts to, several at the same time."""

    def __init__(
        self,
        model: str,
        settings: Settings,
        exchange: Exchange,
        program: str,
        environment: Sequence[str],
    ) -> None:
        """Start the adapter ``program``; ``environment`` names the variables that it gets.

        Raises UsageError and CannotJudge.
        """
        job = job_of(model, settings)
        self._task = exchange.task
        super().__init__(
            program,
            # Wait longer than all the adapter's retries, so that it reports a slow endpoint.
            (settings.timeout + LONGEST_PAUSE) * (RETRIES + 1) * settings.repeats,
            environment,
            exchange,
            title=f"openai:{model}",
            first=msgspec.json.encode(job) + b"\n",
        )
        mark, host = self.head.fingerprint, urlsplit(job.endpoint).netloc
        prompt = job.prompt
        messages = "\n\n".join(f"{one['role']}: {one['content']}" for one in prompt.messages)
        more = {
            "parameters": prompt.parameters,
            "json": prompt.json,
            "repeats": job.repeats - 1 and job.repeats,
            "model": self.head.name,
        }
        self.head = msgspec.structs.replace(
            head(model, "openai", fingerprint=mark, device=host[:200]),
            prompt=describe(messages, prompt.labels, more),
        )
        self.cache_key = key("openai", model, job.endpoint, exchange.field, fingerprint=mark)
        self._repeats = settings.repeats

    @property
    def sent(self) -> int:
        """Number of requests to the endpoint, without retries."""
        return self.requests * self._repeats

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Predict all inputs; the margin is the gap between the two highest scores."""
        for batch in super().predict(inputs):
            yield [(at, _with_margin(self._task, prediction)) for at, prediction in batch]

    def measure_flips(self, first: Sequence[Prediction], second: Sequence[Prediction]) -> Noise:
        """Return the share of inputs with two different predictions, and the noise of scores.

        Raises CannotJudge: the share is above ``ALLOWED_FLIPS``.
        """
        pairs = [(one.output, two.output) for one, two in zip(first, second, strict=True)]
        flips = sum(_answer(self._task, one) != _answer(self._task, two) for one, two in pairs)
        if flips > ALLOWED_FLIPS * len(pairs):
            raise CannotJudge(
                f"openai:{self.head.name}: {flips} of {counted(len(pairs), 'input')} got a "
                "different prediction the second time. Set temperature = 0 in the prompt, or pass "
                f"--repeats 5: {page('language-models')}"
            )
        scores = self._task.scores
        moved = [
            abs(before - after)
            for one, two in pairs
            if scores and one is not None and two is not None
            for before, after in _pairs(scores(one), scores(two))
        ]
        return {
            FLIPS: flips / len(pairs),
            MOST_FLIPS: flips_at_most(flips, len(pairs)),
            **({TWICE: max(moved)} if moved else {}),
        }


def flips_at_most(flips: int, of: int) -> float:
    """Return the upper end of the one-sided 95% CI of a share (Wilson 1927).

    For no flips, return ``1 / of``: the CI's end, 4 points, would hide changes of stable endpoints.
    """
    z, rate = NormalDist().inv_cdf(0.95), flips / of
    centre = rate + z * z / (2 * of)
    spread = z * math.sqrt(rate * (1 - rate) / of + (z / (2 * of)) ** 2)
    return (centre + spread) / (1 + z * z / of) if flips else 1 / of


def _pairs(one: Mapping[str, float], two: Mapping[str, float]) -> Iterator[tuple[float, float]]:
    return ((one[label], two[label]) for label in one if label in two)


def _answer(task: TaskSpec, output: Mapping[str, Any] | None) -> object:
    if output is None or task.spans or task.decided is None:
        return output
    return [*task.decided(output)]


def _with_margin(task: TaskSpec, prediction: Prediction) -> Prediction:
    if prediction.output is None or task.scores is None or not prediction.margin:
        return prediction
    best = sorted(task.scores(prediction.output).values(), reverse=True)[:2]
    return prediction._replace(margin=best[0] - best[1]) if best[1:] else prediction


def job_of(model: str, settings: Settings) -> Job:
    """Check the settings of an endpoint. Raises UsageError."""
    if not settings.endpoint:
        raise UsageError(
            "--system openai: needs the endpoint's base URL, such as --endpoint "
            "http://127.0.0.1:8080/v1 or https://api.openai.com/v1"
        )
    _check_endpoint(settings.endpoint)
    if settings.prompt is None:
        raise UsageError(
            "--system openai: needs a prompt. Write one to a file, and pass --prompt FILE: "
            f"{page('language-models')}"
        )
    prompt = read_prompt(settings.prompt, settings.task)
    if settings.max_cost is not None and prompt.prices is None:
        raise UsageError(
            f"--max-cost needs prices, but prompt {settings.prompt} has none. Add prices = [INPUT, "
            "OUTPUT] per million tokens to a prompt in TOML, or pass --max-requests."
        )
    return Job(
        model=model,
        endpoint=settings.endpoint,
        task=settings.task,
        prompt=prompt,
        repeats=settings.repeats,
        concurrency=settings.concurrency,
        timeout=settings.timeout,
        max_requests=settings.max_requests,
        max_cost=settings.max_cost,
    )


def _check_endpoint(url: str) -> None:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
        _ = parts.port
    except ValueError:  # not a port, or not an IPv6 address
        valid = False
    if not valid or parts.query or parts.fragment or not url.isascii() or set(url) & {*" \t\r\n"}:
        raise UsageError(
            f"--endpoint {quoted(url, 100)} is not a base URL. Expected one such as "
            "http://127.0.0.1:8080/v1, without a key."
        )
    if (
        parts.scheme == "http"
        and os.environ.get("OPENAI_API_KEY")
        and not _is_local(parts.hostname)
    ):
        raise UsageError(
            f"--endpoint {quoted(url, 100)} would send OPENAI_API_KEY over the network without "
            "encryption. Use https, or unset OPENAI_API_KEY."
        )


def _is_local(host: str | None) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host or "").is_loopback
    return host == "localhost"
