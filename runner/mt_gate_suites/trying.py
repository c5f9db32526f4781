"""Preview what a built-in relation makes of one text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from spacy.language import Language

from mt_gate.base.errors import CannotJudge, UsageError, did_you_mean, quoted
from mt_gate.base.escaping import one_line
from mt_gate.base.figures import counted
from mt_gate.language.kinds import ToolNames
from mt_gate.relations.catalogue import BY_ID
from mt_gate.tasks.table import TASKS
from mt_gate_suites.build import builder_of
from mt_gate_suites.builder_api import REFUSALS, no_progress
from mt_gate_suites.recipe import recipe_of_files
from mt_gate_suites.text.catalogue import relations_for


def try_relation(
    relation: str,
    text: str,
    passage: str,
    nlp: Language,
    *,
    paper: bool = False,
    tools: ToolNames | None = None,
) -> str:
    """Return the follow-ups of a text, or the reason why there is none.

    Args:
        relation: id of a built-in relation.
        text: a sentence, or a question of task boolq.
        passage: the passage of a question; by default the question.
        nlp: an English pipeline.
        paper: use the paper's rule instead of the strict one.
        tools: language tools; None for no models.

    Raises:
        UsageError: the relation is unknown, or made from predictions.
        CannotJudge: a tool is missing.
    """
    task = TASKS[_task_of(relation)]
    kind, row = "text", {"text": text}
    if task.corpus_kind == "questions":
        kind, row = "questions", {"question": text, "passage": passage or text}
    said: list[str] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_bytes(msgspec.json.encode(row))
        recipe = recipe_of_files(task.id, "try", (path,), kind, "")
        recipe = recipe.with_paper() if paper else recipe
        recipe = msgspec.structs.replace(recipe, relations=(relation,))
        try:
            built = builder_of(task)(recipe, path.parent, nlp, said.append, tools, no_progress)
        except CannotJudge:
            if not said:  # a tool is missing
                raise
            return f"{relation}: {_reason(relation, said)}"
    inputs = {source.id: source.input for source in built.sources}
    lines = [f"{relation}: {counted(len(built.groups), 'edited text')}"]
    for group in built.groups:
        texts = task.lines(inputs[group.source], group.follow_up, group.alignment)
        lines += [f"  {sign} {one_line(text)}" for sign, text in zip("-+", texts, strict=True)]
    return "\n".join(lines) if built.groups else f"{relation}: {_reason(relation, said)}"


def _reason(relation: str, said: Sequence[str]) -> str:
    """Return the reason why a build of one text has no case, from the lines that it printed."""
    faults = [line.partition(" skipped: 1 ")[2] for line in said]
    named = ", ".join(filter(None, faults)) or REFUSALS.get(relation, "nothing to edit")
    return f"no edited text: {named}"


def _task_of(relation: str) -> str:
    """Return the task of a built-in relation that edits texts without a model's predictions."""
    known = [*BY_ID, *(f"text/{one.name}" for one in relations_for("text"))]
    if relation not in known:
        raise UsageError(
            f"No built-in relation {quoted(relation)}, and no file of that name."
            f"{did_you_mean(relation, known)} List all: mt-gate suite show SUITE"
        )
    if relation in BY_ID and BY_ID[relation].at_run_time:
        raise UsageError(
            f"{relation} edits texts by a model's predictions, so it has no preview. See mt-gate "
            "run."
        )
    return relation.partition("/")[0]
