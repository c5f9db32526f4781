"""Language models behind OpenAI-compatible endpoints, as a program of the ``command:`` protocol.

The first line on standard input is a ``Job``. The key is in ``OPENAI_API_KEY``; a local server
needs none.

How a reply is read:

- Text before ``</think>`` is dropped.
- A reply means the label whose text it equals. Letter case does not matter, nor do spaces, quotes,
  Markdown characters and a final full stop around the text.
- Otherwise it means the longest label that it begins with, if the next character is no letter and
  no digit.
- With ``json = true`` in the prompt, it must be ``{"label": TEXT}``, perhaps in a code fence.
- Task ``ner``: it must be ``{"entities": [{"text": TEXT, "label": LABEL}]}``, perhaps in a code
  fence. Each text is searched from the end of the previous entity with the same text. An entity
  whose text does not occur, or whose label is not in the prompt, is ignored.
- Any other reply is ``unanswered``.

Scores come from the probabilities of the first token, if the endpoint returns them. A label's score
is the sum over tokens that begin only its text, normalised over the labels. There are no scores if
tokens that begin several labels are too probable. If another label than the reply's has the highest
score, there are no scores either, and the prediction is unstable.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import queue
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from mt_gate.sut.prompt import Prompt, fill
from mt_gate.sut.systems.endpoint import RETRIES, Job
from mt_gate.tasks.table import TASKS

if TYPE_CHECKING:
    from openai import APIStatusError

RULES = 1
"""Version of the rules above; part of the fingerprint, because the rules decide predictions."""
FIRST_RETRIES = 2
"""Retries of the first request, so that a wrong address fails soon."""
TOKENS_OF_ENTITIES = 1024
"""Default limit of a reply's tokens in task ``ner``."""
MOST_AMBIGUOUS = 0.01
"""Maximum probability of tokens that begin several labels, relative to those that begin one."""
FEWER_TOKENS = 5
"""Number of ``top_logprobs`` that every endpoint with log-probabilities supports."""
MOST_ENTITIES, LONGEST_LABEL, LONGEST_NAME, LONGEST_FAILURE = 1000, 100, 200, 20_000
_AROUND = " \t\r\n\"'`“”‘’«»„*_~#>"
_FENCE = re.compile(r"\A```\w*\s*(.*?)\s*```\Z", re.DOTALL)
_TOO_LONG = re.compile(r"context.{0,20}(length|size|window)|exceed\w*.context", re.IGNORECASE)


MOST_BYTES = 8 << 20
"""Maximum bytes of a reply."""


class EndpointError(Exception):
    """Why the run cannot continue, and what to do."""


class _Top(msgspec.Struct):
    token: str = ""
    logprob: float = -math.inf


class _Token(_Top):
    top_logprobs: list[_Top] | None = None


class _Logprobs(msgspec.Struct):
    content: list[_Token] | None = None


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Completion(msgspec.Struct):
    """The part of a chat completion that is used."""

    choices: list[_Choice]
    model: str = ""
    usage: _Usage | None = None


class Answer(NamedTuple):
    """What a reply means: a label, entities, or None if it is unanswered; and scores if any."""

    value: Any
    scores: Mapping[str, float] = {}


UNANSWERED = Answer(None)
TRUNCATED = Answer(...)
"""The input is longer than the model takes."""


def plain(text: str) -> str:
    """Return a text in lower case, without quotes, Markdown and a full stop around it."""
    return text.strip(_AROUND).removesuffix(".").strip(_AROUND).casefold() or text.casefold()


def read_label(reply: str, labels: Mapping[str, str]) -> str | None:
    """Return the label that a reply means; None if it means none."""
    text = plain(reply)
    texts = {plain(shown): label for label, shown in labels.items()}
    if text in texts:
        return texts[text]
    begun = [each for each in texts if text.startswith(each) and not text[len(each)].isalnum()]
    return texts[max(begun, key=len)] if begun else None


def read_json(reply: str) -> Any:
    """Return the JSON of a reply, perhaps in a code fence; None if it is not JSON."""
    text = reply.strip()
    fenced = _FENCE.match(text)
    try:
        return json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None


def read_entities(
    reply: str, text: str, labels: Mapping[str, str]
) -> tuple[tuple[int, int, str], ...] | None:
    """Return the entities of a reply, with offsets in code points; None if it is invalid."""
    content = read_json(reply)
    items = content.get("entities") if isinstance(content, dict) else None
    if not isinstance(items, list):
        return None
    meant = {plain(shown): label for label, shown in labels.items()}
    entities, ends = [], Counter[str]()
    for item in items[:MOST_ENTITIES]:
        part, label = (item.get(k) if isinstance(item, dict) else None for k in ("text", "label"))
        if not (isinstance(part, str) and part and isinstance(label, str)):
            return None
        label = meant.get(plain(label), "") if meant else label.strip()
        start = text.find(part, ends[part])
        if start >= 0 and 0 < len(label) <= LONGEST_LABEL:
            ends[part] = start + len(part)
            entities.append((start, ends[part], label))
    return tuple(entities)


def label_scores(
    tokens: Iterable[tuple[str, float]], labels: Mapping[str, str]
) -> dict[str, float]:
    """Return the score of each label from first tokens and their log-probabilities.

    The result is empty if no token begins one label only, or tokens of several are too probable.
    """
    sums, ambiguous = dict.fromkeys(labels, 0.0), 0.0
    for token, logprob in tokens:
        piece = token.strip().casefold()
        begun = [name for name, text in labels.items() if text.strip().casefold().startswith(piece)]
        if piece and len(begun) == 1:
            sums[begun[0]] += math.exp(min(logprob, 0.0))
        elif piece and begun:
            ambiguous += math.exp(min(logprob, 0.0))
    total = math.fsum(sums.values())
    if not total or ambiguous > MOST_AMBIGUOUS * total:
        return {}
    return {label: round(part / total, 6) for label, part in sums.items()}


def read_reply(choice: _Choice, value: Mapping[str, Any], prompt: Prompt, task: str) -> Answer:
    """Return what a reply means for an input of the task."""
    content = choice.message.content or ""
    reply = content.rpartition("</think>")[2]
    if TASKS[task].spans:
        return Answer(read_entities(reply, value["text"], prompt.labels))
    if prompt.json:
        answer = read_json(reply)
        text = answer.get("label") if isinstance(answer, dict) else None
        return Answer(read_label(text, prompt.labels) if isinstance(text, str) else None)
    label = read_label(reply, prompt.labels)
    tokens = (choice.logprobs and choice.logprobs.content) or []
    # The first tokens may be quotes or spaces. A server may also list tokens of hidden reasoning.
    first = next((token for token in tokens if token.token.strip(_AROUND)), _Token())
    begins = reply == content and reply.strip(_AROUND).startswith(first.token.strip(_AROUND))
    tops = (label and begins and first.top_logprobs) or []
    return Answer(label, label_scores([(top.token, top.logprob) for top in tops], prompt.labels))


def most_frequent(answers: Sequence[Answer]) -> tuple[Answer, bool]:
    """Return the most frequent answer with mean scores, and whether it is unstable.

    Of equally frequent answers, the first counts.
    """
    counts = Counter(answer.value for answer in answers)
    [(value, _)] = counts.most_common(1)
    scored = [answer.scores for answer in answers if answer.value is not None]
    if value is None or not all(scored):
        return Answer(value), len(counts) > 1
    scores = {label: math.fsum(s[label] for s in scored) / len(scored) for label in scored[0]}
    if scores[value] < max(scores.values()):
        return Answer(value), True
    return Answer(value, scores), len(counts) > 1


class Budget:
    """Counts requests and their cost, and ends the run before a limit is exceeded."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._lock = threading.Lock()
        self._sent = self._open = 0
        self._cost = self._largest = 0.0

    def take(self) -> None:
        """Count a request. Raises EndpointError: it would exceed a limit."""
        job = self._job
        stored = "Their predictions are stored. Raise the limit and run again to continue."
        with self._lock:
            if job.max_requests is not None and self._sent >= job.max_requests:
                raise EndpointError(f"--max-requests is reached: {self._sent:,} requests. {stored}")
            # A request that is open may cost as much as the most expensive one so far.
            expected = self._cost + (self._open + 1) * self._largest
            if job.max_cost is not None and expected > job.max_cost:
                raise EndpointError(
                    f"{self._sent - self._open:,} requests cost {self._cost:.6g}. The next one "
                    f"could exceed --max-cost {job.max_cost:g}. {stored}"
                )
            self._sent += 1
            self._open += 1

    def settle(self, usage: _Usage | None) -> float:
        """Record the end of a request, and return its cost; 0 without prices."""
        job, cost = self._job, 0.0
        if usage is not None and job.prompt.prices:
            tokens = (usage.prompt_tokens, usage.completion_tokens)
            prices = zip(tokens, job.prompt.prices, strict=True)
            cost = sum(max(0, number) * price for number, price in prices) / 1e6
        with self._lock:
            self._open -= 1
            self._cost += cost
            self._largest = max(self._largest, cost)
        return cost


class Chat:
    """A model behind an endpoint, and the parameters of a request that it accepts."""

    def __init__(self, job: Job) -> None:
        from openai import DefaultHttpxClient, OpenAI

        self._job = job
        self._client = OpenAI(
            api_key=os.environ.get("OPENAI_API_KEY", "").strip() or "none",
            project=os.environ.get("OPENAI_PROJECT") or None,
            base_url=job.endpoint,
            timeout=job.timeout,
            max_retries=RETRIES,
            # A compressed reply could be far larger than it is on the network.
            default_headers={"Accept-Encoding": "identity"},
            http_client=DefaultHttpxClient(event_hooks={"response": [_limit_size]}),
        )
        self._budget = Budget(job)
        self._reported: str | None = None
        own = default_parameters(job)
        if "max_completion_tokens" in job.prompt.parameters:  # the newer name of max_tokens
            del own["max_tokens"]
        self._optional = own.keys() - job.prompt.parameters.keys() - {"response_format"}
        self._parameters = {**own, **job.prompt.parameters}

    def identity(self) -> dict[str, Any]:
        """Return name, labels and fingerprint; the first reply must have reported the name."""
        prompt = self._job.prompt
        decides = [RULES, self._reported, prompt.messages, prompt.labels, self._parameters]
        text = json.dumps([*decides, self._job.repeats], sort_keys=True)
        mark = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
        name = (self._reported or self._job.model)[:LONGEST_NAME]
        return {"name": name, "fingerprint": mark, "labels": [*prompt.labels]}

    def reply(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the protocol's reply to a request. Raises EndpointError."""
        asked = [self._answer(request, number) for number in range(self._job.repeats)]
        answers, costs, replies = zip(*asked, strict=True)
        line: dict[str, Any] = {"id": request["id"], "cost": math.fsum(costs)}
        if TRUNCATED in answers:
            return {**line, "truncated": True}
        (value, scores), unstable = most_frequent(answers)
        if value is None:
            return {**line, "unanswered": True, "reply": replies[0][:LONGEST_NAME]}
        line |= {"unstable": True} if unstable else {}
        task = TASKS[self._job.task]
        if task.spans:
            return {**line, "entities": value}
        if task.answers:
            return {**line, "answer": value, **({"score": scores["yes"]} if scores else {})}
        return {**line, "labels": [value], "scores": scores}

    def _answer(self, request: Mapping[str, Any], number: int) -> tuple[Answer, float, str]:
        from openai import APIStatusError, OpenAIError

        first = self._reported is None
        while True:
            self._budget.take()
            usage = None
            try:
                completion = self._send(request, number)
                usage = completion.usage
                break
            except APIStatusError as error:
                if first and self._omit_rejected(error):
                    continue
                if not first and (answer := _refusal(error)):
                    return answer, 0.0, ""
                raise EndpointError(_problem(error, self._job)) from None
            except OpenAIError as error:
                raise EndpointError(_problem(error, self._job)) from None
            except msgspec.DecodeError as error:
                raise EndpointError(
                    f"the endpoint's reply is not a chat completion ({error}). Check --endpoint."
                ) from None
            finally:
                cost = self._budget.settle(usage)
        if self._job.max_cost is not None and usage is None:
            raise EndpointError(
                "the endpoint does not report tokens, so mt-gate cannot check --max-cost. Use "
                "--max-requests."
            )
        self._check_model(completion, first)
        if not completion.choices:
            return UNANSWERED, cost, ""
        job, [choice, *_] = self._job, completion.choices
        answer = read_reply(choice, request, job.prompt, job.task)
        return answer, cost, choice.message.content or ""

    def _send(self, request: Mapping[str, Any], number: int) -> Completion:
        parameters, job = dict(self._parameters), self._job
        if isinstance(parameters.get("seed"), int):
            parameters["seed"] += number
        messages: Any = [
            {**message, "content": fill(message["content"], request)}
            for message in job.prompt.messages
        ]
        retries = FIRST_RETRIES if self._reported is None else RETRIES
        client = self._client.with_options(max_retries=retries)
        raw = client.chat.completions.with_raw_response.create(
            model=job.model, messages=messages, extra_body=parameters
        )
        return msgspec.json.decode(raw.content, type=Completion)

    def _check_model(self, completion: Completion, first: bool) -> None:
        if first:
            [choice] = completion.choices[:1] or [_Choice(_Message())]
            text = choice.message.content or ""
            if choice.finish_reason == "length" and not text.rpartition("</think>")[2].strip():
                raise EndpointError(
                    "the model reached its token limit before it wrote a label. Set a higher "
                    "limit in the prompt: parameters = {max_tokens = 4096}"
                )
            if "<think>" in text and "</think>" not in text:
                raise EndpointError(
                    "the model reached its token limit before it finished its reasoning. Set a "
                    "higher limit in the prompt: parameters = {max_tokens = 4096}"
                )
            self._reported = completion.model
        elif completion.model != self._reported:
            raise EndpointError(
                f"the endpoint changed the model from {self._reported!r:.80} to "
                f"{completion.model!r:.80}. Name one version of the model in --system."
            )

    def _omit_rejected(self, error: APIStatusError) -> bool:
        """Omit or change a default parameter that an error names; return whether it names one."""
        parameters, named = self._parameters, _message(error)
        if error.status_code not in (400, 422):
            return False
        if "max_completion_tokens" in named and "max_tokens" in self._optional:
            parameters["max_completion_tokens"] = parameters.pop("max_tokens")
            self._optional -= {"max_tokens"}
            return True
        if "top_logprobs" in named and parameters.get("top_logprobs", 0) > FEWER_TOKENS:
            parameters["top_logprobs"] = FEWER_TOKENS
            return True
        for name in sorted(self._optional, key=len, reverse=True):  # top_logprobs before logprobs
            if name in named:
                dropped = {name} if "logprobs" not in name else {"logprobs", "top_logprobs"}
                for each in dropped:
                    parameters.pop(each, None)
                self._optional -= dropped
                return True
        return False


def default_parameters(job: Job) -> dict[str, Any]:
    """Return the parameters of a request that the prompt may override."""
    prompt, spans = job.prompt, TASKS[job.task].spans
    longest = max((len(text.encode()) for text in prompt.labels.values()), default=0)
    # A token has at least one byte; quotes or JSON may be around a label.
    tokens = TOKENS_OF_ENTITIES if spans else longest + (24 if prompt.json else 8)
    parameters: dict[str, Any] = {"temperature": 0, "seed": 0, "max_tokens": tokens}
    if prompt.json:
        schema = {"name": "answer", "strict": True, "schema": _schema(prompt.labels, spans)}
        return {**parameters, "response_format": {"type": "json_schema", "json_schema": schema}}
    return parameters if spans else {**parameters, "logprobs": True, "top_logprobs": 20}


def _schema(labels: Mapping[str, str], spans: bool) -> dict[str, Any]:
    label: dict[str, Any] = {"type": "string", **({"enum": [*labels.values()]} if labels else {})}
    if not spans:
        return _object({"label": label})
    entity = _object({"text": {"type": "string"}, "label": label})
    return _object({"entities": {"type": "array", "items": entity}})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def _limit_size(response: Any) -> None:
    """Make reading a reply fail above ``MOST_BYTES``; reject a compressed reply."""
    # The client uses httpx or, since openai 3, httpx2.
    httpx: Any = import_module(type(response).__module__.partition(".")[0])
    stream = response.stream

    class Limited(httpx.SyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            number = 0
            for part in stream:
                number += len(part)
                if number > MOST_BYTES:
                    raise httpx.TransportError(f"a reply is longer than {MOST_BYTES:,} bytes")
                yield part

        def close(self) -> None:
            stream.close()

    if response.headers.get("content-encoding", "identity") != "identity":
        raise httpx.TransportError("the reply is compressed, but the request forbids compression")
    response.stream = Limited()


def _message(error: APIStatusError) -> str:
    return f"{error.code or ''} {error.message}"


def _refusal(error: APIStatusError) -> Answer | None:
    """Return the answer for an input that an endpoint rejects; None for any other error."""
    if error.status_code not in (400, 413):
        return None
    if error.status_code == 413 or _TOO_LONG.search(_message(error)):
        return TRUNCATED
    return UNANSWERED if "content_filter" in _message(error) else None


def _problem(error: Exception, job: Job) -> str:
    """Return why a request failed, and what to do."""
    from openai import APIConnectionError, APIStatusError, APITimeoutError

    if isinstance(error, APITimeoutError):
        return (
            f"no reply within {job.timeout:g} seconds, also after retries. Raise --timeout, or "
            "lower --concurrency."
        )
    if isinstance(error, APIConnectionError):
        why = str(error.__cause__ or error) or type(error.__cause__).__name__
        return f"{job.endpoint} cannot be reached ({why}). Check --endpoint and the server."
    if not isinstance(error, APIStatusError):
        return f"{type(error).__name__}: {error}"
    status, text = error.status_code, " ".join(_message(error).split())
    if status in (401, 403):  # the message may contain a part of the key
        known = "is not accepted" if os.environ.get("OPENAI_API_KEY") else "is not set"
        return f"status {status}: OPENAI_API_KEY {known}. Set it to a key for {job.endpoint}"
    if status == 404 and "model" in text.lower():
        advice = f"Expected a model of the endpoint. List them: curl {job.endpoint}/models"
    elif status == 404:
        advice = "Check --endpoint: a base URL mostly ends in /v1"
    elif status == 429:
        advice = "Too many requests, also after retries. Lower --concurrency, or run again later"
    elif status >= 500:
        advice = "The server failed, also after retries. Run again later"
    else:
        advice = "Check the prompt's parameters"
    return f"status {status}. {advice}. The endpoint's message: {text}"  # last: it may be shortened


def main() -> None:
    """Serve the job of the first line until standard input is closed."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
    chat, lock, failures = Chat(job), threading.Lock(), list[str]()
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin.buffer:
            requests.put(line)
        requests.put(b"")

    def write(line: Mapping[str, Any]) -> None:
        with lock:
            print(json.dumps(line), flush=True)

    def work(line: bytes, first: bool = False) -> None:
        if failures:
            return
        try:
            reply = chat.reply(json.loads(line))
            if first:
                write({"system": chat.identity()})
            write(reply)
        except Exception as error:
            failures.append(str(error) or type(error).__name__)
            requests.put(b"")

    threading.Thread(target=read, daemon=True).start()
    work(requests.get(), first=True)
    with ThreadPoolExecutor(job.concurrency) as pool:  # leaving it waits for open requests
        while not failures and (line := requests.get()):
            pool.submit(work, line)
    if failures:
        write({"failure": failures[0][:LONGEST_FAILURE]})
    sys.stdout.flush()
    os._exit(bool(failures))  # the reading thread still waits for standard input


if __name__ == "__main__":
    main()
