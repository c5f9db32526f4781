"""What asking a service has in common: documents by the request, and offsets that fit."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mt_gate.base.errors import CannotJudge
from mt_gate.base.redaction import shorten
from mt_gate.domain import NotApplicable
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.systems.entities import settled
from mt_gate.sut.systems.unscored import Unscored, runs

Found = list[tuple[int, int, str]]
"""Start, end and label of each entity of a text; offsets in code points."""


class Service(Unscored, ABC):
    """A service that recognises entities, asked through its vendor's SDK.

    ``documents`` is the most that one request takes; ``_where`` names the system in messages, and
    ``_client`` is the SDK's.
    """

    documents: int
    _where: str
    _client: Any

    @abstractmethod
    def _fits(self, text: str) -> bool:
        """Whether a text is short enough to be asked."""

    @abstractmethod
    def _ask(self, texts: Sequence[str]) -> list[Found]:
        """Send one request; return the entities of each text."""

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Answer every input, ``documents`` a request; over-long ones are not asked."""
        texts = [item["text"] for item in inputs]
        fits = [self._fits(text) for text in texts]
        yield from answers(texts, fits, self.documents, self._ask, self._where)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _garbled(self, what: str) -> CannotJudge:
        return CannotJudge(
            f"{self._where}: replied with {what}; expected an answer to each document; "
            "check the endpoint, or run again later"
        )


def line(text: object) -> str:
    """Return a text of a service's on one line, for messages."""
    return shorten(" ".join(str(text).split()), 300)


def answers(
    texts: Sequence[str],
    fits: Sequence[bool],
    size: int,
    ask: Callable[[Sequence[str]], list[Found]],
    system: str,
) -> Iterator[list[tuple[int, Prediction]]]:
    """Yield (index, answer), a request's worth at a time.

    A text that is too long has no answer, and a blank one no entities; neither is sent.

    Args:
        texts: what to ask.
        fits: whether each is short enough.
        size: most texts a request.
        ask: sends one request.
        system: who answers, for messages.
    """
    too_long = Prediction(None, reason=NotApplicable.TRUNCATED)
    unasked = [
        (at, Prediction({"entities": []}) if fits[at] else too_long)
        for at, text in enumerate(texts)
        if not fits[at] or not text.strip()
    ]
    if unasked:
        yield unasked
    left = [at for at, text in enumerate(texts) if fits[at] and text.strip()]
    for run in runs(len(left), size):
        asked = [left[position] for position in run]
        found = ask([texts[at] for at in asked])
        yield [
            (at, settled(texts[at], entities, system))
            for at, entities in zip(asked, found, strict=True)
        ]


def hush(*loggers: str) -> None:
    """Keep an SDK's warnings off standard error: what matters of them is in the message."""
    for name in loggers:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def checked_text(text: str, start: object, end: object, named: object, system: str) -> None:
    """Check that the offsets are numbers, and lead to what the service says stands there.

    Services count in code points, UTF-16 units or bytes: a wrong unit must not
    pass for an entity that has moved.

    Raises:
        CannotJudge: they do not.
    """
    if not isinstance(start, int) or not isinstance(end, int):
        raise CannotJudge(
            f"{system}: an entity at {start!r:.40} to {end!r:.40}; expected whole numbers"
        )
    if named is not None and text[max(0, start) : max(0, end)] != named:
        raise CannotJudge(
            f"{system}: an entity at {start} to {end} is {text[start:end]!r:.60} in the text, the "
            f"service says {named!r:.60}; expected offsets in code points; report this"
        )
