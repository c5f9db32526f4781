"""What the runner must know of a task; each task's module fills one record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from mt_gate.domain import Alignment, cropped

Input = Mapping[str, Any]
Output = Mapping[str, Any]


def no_fault(_: Input) -> str:
    """Return nothing: the task's inputs are texts alone."""
    return ""


def texts_alone(_: Input, text: str) -> str:
    """Return the text: it is all there is."""
    return text


class View(NamedTuple):
    """What a reader needs to see of a group: the texts that differ, and how they align."""

    source: str
    follow_up: str
    alignment: Alignment


class Task(NamedTuple):
    """A task.

    Args:
        id: its name in suites and on the command line.
        texts: names of the input's texts, in the order in which alignments and
            reports read them, each on a line of its own.
        probe: a short input that every system for the task must be able to answer.
        profile: what a system answers, as named figures over its distinct outputs.
        is_right: whether an output says what a gold output says.
        fault: what is wrong with an input beside its texts, or nothing.
        told: an input's text with what else of it a reader must see; given the
            text that is shown of it.
    """

    id: str
    texts: tuple[str, ...]
    probe: Input
    profile: Callable[[Iterable[Output]], dict[str, float]]
    is_right: Callable[[Output, Output], bool]
    fault: Callable[[Input], str] = no_fault
    told: Callable[[Input, str], str] = texts_alone

    def text(self, value: Input) -> str:
        """Return the input's texts as one: what an alignment's offsets count in."""
        return "\n".join(value[name] for name in self.texts)

    def view(self, source: Input, follow_up: Input, alignment: Alignment) -> View:
        """Return the texts of a group from the first to the last that its edit touches."""
        differ = [at for at, name in enumerate(self.texts) if source[name] != follow_up[name]]
        first, last = (differ[0], differ[-1] + 1) if differ else (0, len(self.texts))
        before, after = self._place(source, first, last), self._place(follow_up, first, last)
        return View(
            self.text(source)[before.start : before.stop],
            self.text(follow_up)[after.start : after.stop],
            cropped(alignment, before, after),
        )

    def lines(self, source: Input, follow_up: Input, alignment: Alignment) -> tuple[str, str]:
        """Return source and follow-up as texts for a reader who judges the group."""
        view = self.view(source, follow_up, alignment)
        return self.told(source, view.source), self.told(follow_up, view.follow_up)

    def _place(self, value: Input, first: int, last: int) -> range:
        """Return where the texts from ``first`` up to ``last`` stand in the joined text."""
        start = sum(len(value[name]) + 1 for name in self.texts[:first])
        return range(start, start + len("\n".join(value[name] for name in self.texts[first:last])))
