"""The record of a task, which each task's module fills.

Objects of higher or heavier packages are named by their import path, and loaded when used. A run
loads every task's record, but no exporter, and only its own task's renderer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from mt_gate.domain import Alignment, AnswerChange, AnswerMove, cropped

Input = Mapping[str, Any]
Output = Mapping[str, Any]
LONGEST_LABEL, MOST_LABELS = 256, 10_000
"""Maximum characters of a label, and maximum labels; every stored prediction names one."""
PROMPT = "prompt"
"""Input form of a language model that classifies: all tasks name it so."""
ImportPath = str
"""``package.module:name`` for ``pkgutil``; set in a task's module, never in a user's file."""


def with_text(value: Input, name: str, text: str, _alignment: Alignment) -> Input:
    """Replace one text of an input that consists only of texts."""
    return {**value, name: text}


def whole_answer(before: Output, after: Output) -> Iterable[AnswerMove]:
    """Return whether the prediction changed, for a task without labels."""
    return (AnswerMove(AnswerChange.KEPT if before == after else AnswerChange.CHANGED),)


def one_label(before: str, after: str) -> Iterable[AnswerMove]:
    """Return the change of a prediction that is one label."""
    how = AnswerChange.KEPT if before == after else AnswerChange.CHANGED
    return (AnswerMove(how, before, after),)


class Score(NamedTuple):
    """A score in [0, 1], and the predicted value that it is the score of."""

    of: str
    value: float


class View(NamedTuple):
    """The texts of a case that differ, and their alignment."""

    source: str
    follow_up: str
    alignment: Alignment


class CheckpointForm(NamedTuple):
    """How checkpoints of an input form are fed.

    ``reader`` returns a ``sut.reader.Reader`` of a checkpoint's folder and card; the file
    ``next_to`` must be next to the model.
    """

    reader: ImportPath
    next_to: str = "tokenizer.json"


class Demo(NamedTuple):
    """The part of a task's suite that the demo runs, so that it takes about a minute.

    Both checkpoints are in ``mt_gate/checkpoints``. ``at_run_time``: include relations whose
    follow-ups are built at run time. ``sources`` None: all sources; ``suite`` empty: the default.
    """

    baseline: str
    candidate: str
    at_run_time: bool = True
    sources: int | None = None
    suite: str = ""
    label_map: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class QuickPart(NamedTuple):
    """How much of each relation and subtype the quick part of a suite has.

    ``share`` is in (0, 1]; ``least`` cases are enough to detect a large regression.
    """

    share: float
    least: int


A_SEVENTH = QuickPart(share=0.14, least=40)


@dataclass(frozen=True, kw_only=True)
class TaskSpec:
    """A task.

    Of the import paths, only the readers in ``forms`` are required. Without a ``renderer``, reports
    show values unchanged. Without ``export`` or ``evaluation``, the task does not support that.

    Args:
        path: the import path of the record itself.
        id: its name in suites and on the command line.
        texts: names of the input's texts, in the order in which alignments and
            reports read them, each on a separate line.
        optional: names of the texts that an input may lack.
        marks: names of marked words (head and tail), which a prompt has places for, too.
        probe: a short input that every system for the task must be able to predict.
        profile: figures by name that summarise a system's distinct outputs.
        is_right: whether an output agrees with a gold output.
        says_nothing: whether a system found nothing, according to an output.
        forms: the input forms of checkpoints; a card that names none has the first.
        default_suite: the suite of a run without --suite.
        moves: the change of each label or span between two predictions for the same input,
            including unchanged ones.
        score: the score of an output, if it has one.
        decided: the labels of an output, for output relations as data (``relations.stated``);
            None if predictions have no labels.
        scores: the score in [0, 1] of each label that has one, for the same relations.
        spans: whether outputs are labelled spans of the text.
        unread: whether an edit is in a part that a system did not read; takes source, its
            output, follow-up, its output.
        fault: a message on an error in an input, other than in its texts; empty if there is none.
        marked_text: adds marks (such as head and tail) to the shown part of an input's
            text; takes the input and that part.
        marked_words: the words marked in an input's texts (head and tail), each with its type.
        with_text: an input with one of its texts edited, and its marks moved by the alignment;
            takes the input, the text's name, the new text and its alignment. None if the edit
            touches a mark.
        renderer: ``reporting.words.rendering.Renderer``, for reports.
        corpus_kind: default of ``suite build --kind``.
        export: ``exporting.heads.TaskExport``, for Hugging Face checkpoints.
        evaluation: ``evaluating.labelled.TaskEvaluation``, for labelled files.
        demo: what ``mt-gate demo`` runs; None omits the task.
        second_demo: the same, on another suite.
        answers: the outputs for which a checkpoint may use other words.
        needs_ontology: whether expectations depend on the meaning of a system's labels.
        other_systems: kinds of systems next to checkpoints that can be run (``--system``).
        exchange: ``sut.systems.command.Exchange``: requests and replies of a command.
        label_map: whether predictions are labels and scores, to which ``--label-map`` and
            ``--threshold`` apply (``running/operating.py``).
        repairable: whether ``mt-gate repair`` can relabel entities of a run.
        quick_part: how much of each relation is in the quick part of its built-in suite.
    """

    path: ImportPath
    id: str
    texts: tuple[str, ...]
    probe: Input
    profile: Callable[[Iterable[Output]], dict[str, float]]
    is_right: Callable[[Output, Output], bool]
    forms: Mapping[str, CheckpointForm]
    default_suite: str
    says_nothing: Callable[[Output], bool] = lambda _: False
    moves: Callable[[Output, Output], Iterable[AnswerMove]] = whole_answer
    score: Callable[[Output], Score | None] = lambda _: None
    decided: Callable[[Output], Iterable[str]] | None = None
    scores: Callable[[Output], Mapping[str, float]] | None = None
    spans: bool = False
    optional: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    unread: Callable[[Input, Output, Input, Output], bool] = lambda *_: False
    fault: Callable[[Input], str] = lambda _: ""
    marked_text: Callable[[Input, str], str] = lambda _, text: text
    marked_words: Callable[[Input], tuple[tuple[str, str], ...]] = lambda _: ()
    with_text: Callable[[Input, str, str, Alignment], Input | None] = with_text
    renderer: ImportPath = ""
    corpus_kind: str = "text"
    export: ImportPath = ""
    evaluation: ImportPath = ""
    demo: Demo | None = None
    second_demo: Demo | None = None
    answers: tuple[str, ...] = ()
    needs_ontology: bool = False
    other_systems: tuple[str, ...] = ()
    exchange: ImportPath = ""
    label_map: bool = False
    repairable: bool = False
    quick_part: QuickPart = A_SEVENTH

    @property
    def first_form(self) -> str:
        """The default input form."""
        return next(iter(self.forms))

    def names(self, value: Input) -> tuple[str, ...]:
        """Return the names of the texts that an input has, in their order."""
        absent = [name for name in self.optional if name not in value]
        return tuple([name for name in self.texts if name not in absent]) if absent else self.texts

    def text(self, value: Input) -> str:
        """Return the input's texts as one text, in which an alignment's offsets count."""
        return "\n".join(value[name] for name in self.names(value))

    def view(self, source: Input, follow_up: Input, alignment: Alignment) -> View:
        """Return the texts of a group from the first to the last that its edit touches.

        Both inputs have the same texts.
        """
        names = self.names(source)
        differ = [at for at, name in enumerate(names) if source[name] != follow_up[name]]
        first, last = (differ[0], differ[-1] + 1) if differ else (0, len(names))
        before, after = self._place(source, first, last), self._place(follow_up, first, last)
        return View(
            self.text(source)[before.start : before.stop],
            self.text(follow_up)[after.start : after.stop],
            cropped(alignment, before, after),
        )

    def lines(self, source: Input, follow_up: Input, alignment: Alignment) -> tuple[str, str]:
        """Return source and follow-up as texts for a person who judges the case."""
        view = self.view(source, follow_up, alignment)
        return self.marked_text(source, view.source), self.marked_text(follow_up, view.follow_up)

    def _place(self, value: Input, first: int, last: int) -> range:
        names = self.names(value)
        start = sum(len(value[name]) + 1 for name in names[:first])
        return range(start, start + len("\n".join(value[name] for name in names[first:last])))
