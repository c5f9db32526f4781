"""What the report's filters and sorting know of each group, without its words.

Everything is a column of small numbers, so that ten thousand groups compress
well; the names that the numbers stand for are the choices of the filters.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mt_gate.base.escaping import visible
from mt_gate.base.redaction import shorten
from mt_gate.reporting.words.outputs import renderer
from mt_gate.reporting.words.strata import stratum_in_words
from mt_gate.reporting.words.texts import ERRORS
from mt_gate.results.result import GroupRow
from mt_gate.tasks.table import TASKS

_PLAIN_ID = re.compile(r"[0-9A-Za-z_-]{1,64}", re.ASCII)
_MOST_CHOICES = 100
"""Of one filter, the most frequent first; labels of an output may be anything."""

_LONGEST_NAME = 60
_EMPTY = "(empty)"
_OPENING = 80
"""Characters of a sentence that alphabetical order looks at."""


class Facts(NamedTuple):
    """What can be filtered and sorted by, of one group."""

    id: str
    labels: tuple[str, ...]
    errors: tuple[str, ...]
    stratum: str
    source: str
    opening: str
    strength: float


class Choice(NamedTuple):
    """One choice of a filter: its number in the columns, and its words, which no other has."""

    number: int
    words: str


class Index(NamedTuple):
    """The choices of each filter, and the columns as JSON holds them."""

    labels: tuple[Choice, ...]
    errors: tuple[Choice, ...]
    strata: tuple[Choice, ...]
    columns: dict[str, Any]


class FactReader:
    """Reads the facts of groups, one after another, and names each so that no two are alike."""

    def __init__(self, task: str) -> None:
        """Start with no group named."""
        render = renderer(task)
        self._strength = render.strongest or render.weight
        self._labels = render.labels
        # What a reader reads first: a question before a passage.
        self._first = TASKS[task].texts[0] if task in TASKS else "text"
        self._turns: Counter[str] = Counter()
        self._taken: set[str] = set()

    def facts(self, row: GroupRow) -> Facts:
        """Return what is known of a group; its ``id`` may stand in an address."""
        outputs = [row.source_output, row.follow_up_output, row.second_output]
        if row.before:
            outputs += [row.before.source, row.before.follow_up, row.before.second]
        labels = dict.fromkeys(
            label
            for output in outputs
            if isinstance(output, Mapping)
            for label in self._labels(output)
        )
        errors = dict.fromkeys(error.category.value for error in row.errors)
        return Facts(
            self.name(row.id),
            tuple(labels),
            tuple(errors),
            row.stratum,
            row.source_id,
            str(row.source.get(self._first, ""))[:_OPENING].casefold(),
            self._strength(row),
        )

    def name(self, group: str) -> str:
        """Return a group's id, or what stands for it where it is none for an address."""
        if not _PLAIN_ID.fullmatch(group):
            group = hashlib.sha256(group.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        name = _unlike(group, "_{}", self._taken, self._turns)
        self._taken.add(name)
        return name


def _unlike(name: str, ending: str, taken: Container[str], turns: Counter[str]) -> str:
    """Return a name that is not taken: itself, or with a number at its end, from 2 on.

    ``turns`` holds the last number tried of each name, so that many alike take no long search.
    """
    while True:
        turns[name] += 1
        found = name if turns[name] == 1 else name + ending.format(turns[name])
        if found not in taken:
            return found


def _choices(
    named: Sequence[Sequence[str]], words: Callable[[str], str]
) -> tuple[tuple[Choice, ...], dict[str, int]]:
    """Return the most frequent names as choices, and the number of each."""
    counted = Counter(name for names in named for name in names)
    often = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:_MOST_CHOICES]
    numbers = {name: number for number, (name, _) in enumerate(often)}
    shown = _told_apart([visible(shorten(words(name), _LONGEST_NAME)) for name in numbers])
    return tuple(map(Choice, numbers.values(), shown)), numbers


def _told_apart(names: Iterable[str]) -> list[str]:
    """Return names as a list of choices can show them: none blank, no two alike.

    An option's white space is not shown at its ends, and once elsewhere.
    """
    shown: dict[str, None] = {}
    turns: Counter[str] = Counter()
    for name in names:
        shown[_unlike(" ".join(name.split()) or _EMPTY, " ({})", shown, turns)] = None
    return list(shown)


def _ranks(values: Sequence[str]) -> list[int]:
    """Return the place of each value among the distinct ones in order."""
    places = {value: place for place, value in enumerate(sorted(set(values)))}
    return [places[value] for value in values]


def index(found: Sequence[Facts]) -> Index:
    """Return choices and columns of groups, in the order in which they are given."""
    labels, label_numbers = _choices([facts.labels for facts in found], str)
    errors, error_numbers = _choices([facts.errors for facts in found], _error_in_words)
    kinds = [(facts.stratum,) if facts.stratum else () for facts in found]
    strata, stratum_numbers = _choices(kinds, stratum_in_words)

    def numbers(names: Iterable[str], known: Mapping[str, int]) -> list[int]:
        return [known[name] for name in names if name in known]

    columns = {
        "ids": [facts.id for facts in found],
        "label": [numbers(facts.labels, label_numbers) for facts in found],
        "error": [numbers(facts.errors, error_numbers) for facts in found],
        "stratum": [numbers(kind, stratum_numbers) for kind in kinds],
        "source": _ranks([facts.source for facts in found]),
        "alphabet": _ranks([facts.opening for facts in found]),
        "strength": [facts.strength for facts in found],
    }
    return Index(labels, errors, strata, columns)


def _error_in_words(name: str) -> str:
    return ERRORS.get(name, name)
