"""From the names on the command line to the tools that repair works with."""

from __future__ import annotations

from mt_gate.base.errors import UsageError
from mt_gate.language import kinds as opening
from mt_gate.repairing.tools import RepairTools, Scores


def open_tools(names: opening.ToolNames | None) -> RepairTools:
    """Open the language tools.

    Raises:
        UsageError: no language model or no encoder is named.
        CannotJudge: one is missing or cannot be loaded.
    """
    if names is None:
        raise UsageError(
            "repair needs a language model and an encoder; name them with --masked-lm or "
            "--causal-lm, and --encoder; see docs/repair.md"
        )
    tools = opening.open_tools(names)
    scores = Scores.LOGIT if names.masked_lm else Scores.LOG_RATIO
    return RepairTools(tools.fillers, tools.similarity, scores)
