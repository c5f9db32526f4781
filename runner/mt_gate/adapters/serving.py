"""The program's side of the ``command:`` protocol, for adapters written in Python.

An adapter is a separate program. Those that serve texts alone import only this module of mt-gate.
"""

from __future__ import annotations

import json
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from typing import NoReturn

Entities = list[tuple[int, int, str]]
"""Start, end (exclusive, in code points) and label of each entity of a text."""


def serve(
    name: str,
    answer: Callable[[list[str]], Sequence[Entities | None]],
    *,
    size: int,
    fingerprint: str = "",
    labels: Sequence[str] = (),
) -> None:
    """Reply to the requests on standard input until it is closed.

    ``answer`` takes up to ``size`` texts and returns the entities of each; None for a text that is
    too long. ``fingerprint`` changes whenever predictions may; it is empty if unknown. ``labels``
    are those of the entities; they are needed for suites of personal data.
    """
    system = {"name": name, "fingerprint": fingerprint, "labels": [*labels]}
    print(json.dumps({"system": system}), flush=True)
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    while line := requests.get():
        lines = [line]
        while len(lines) < size and not requests.empty() and (line := requests.get()):
            lines.append(line)
        items = [json.loads(line) for line in lines]
        outputs = answer([item["text"] for item in items])
        for item, entities in zip(items, outputs, strict=True):
            said = {"truncated": True} if entities is None else {"entities": entities}
            print(json.dumps({"id": item["id"], **said}))
        sys.stdout.flush()
        if not line:
            return


def _read(requests: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    requests.put("")


def asked(
    texts: list[str], fits: Callable[[str], bool], ask: Callable[[list[str]], dict[int, Entities]]
) -> list[Entities | None]:
    """Return the entities of texts, from ``ask`` if they fit; None for a text that is too long."""
    sent = [text for text in texts if text.strip() and fits(text)]
    entities = ask(sent) if sent else {}
    if len(entities) != len(sent):
        fail(f"the service predicted for {len(entities)} of {len(sent)} texts. Run again later.")
    answers = iter(entities[at] for at in range(len(sent)))
    return [None if not fits(text) else next(answers) if text.strip() else [] for text in texts]


def check_text(text: str, start: int, end: int, named: object) -> None:
    """Check that offsets lead to the words that a service names.

    Services count code points, UTF-16 units or bytes. Offsets in the wrong unit would look like
    moved entities. Raises SystemExit: the words differ.
    """
    if named is not None and text[max(0, start) : max(0, end)] != named:
        fail(
            f"an entity at {start} to {end} is {text[start:end]!r:.60} in the text, but the "
            f"service names {named!r:.60}. Expected offsets in code points."
        )


def fail(message: str) -> NoReturn:
    """End the program; mt-gate shows the user the last line of standard error."""
    print(" ".join(message.split())[:300], file=sys.stderr)
    raise SystemExit(1)
