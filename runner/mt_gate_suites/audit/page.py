"""The audit sheet as a page: one file to mark groups in, by keyboard, without a server.

It has the report's style, escaping and content security policy. What it hands
back is the CSV sheet: each line's beginning comes from ``audit/sheet.py``,
the script adds the mark and the fault.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from mt_gate.reporting.page_templates import render_page
from mt_gate.reporting.words.rendering import ARGUMENTS, renderer
from mt_gate.reporting.words.texts import Catalogue, text_of
from mt_gate.results.result import SuiteHead
from mt_gate.suites.offensive import Mask
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS
from mt_gate_suites.audit.readable import Readable
from mt_gate_suites.audit.sheet import beginning, columns, line_of, row


class Sheet(NamedTuple):
    """The groups of one relation, in the order to read them, and its CSV file."""

    file: str
    relation: str
    groups: Sequence[Readable]


def render(
    suite: SuiteHead, sheets: Sequence[Sheet], catalogue: Catalogue, masked: Collection[str] = ()
) -> str:
    """Return the page.

    Args:
        suite: the suite drawn from; marks stay in the browser under its sha256.
        sheets: a section each.
        catalogue: title, description and example of each relation.
        masked: digests of the words that page and sheets mask.
    """
    from jinja2.utils import htmlsafe_json_dumps

    mask, task = Mask(masked), TASKS[suite.task]
    shown = [
        sheet._replace(groups=[group.masked(task, mask) for group in sheet.groups])
        for sheet in sheets
    ]
    return render_page(
        "audit.html.j2",
        styles=("audit.css",),
        script="audit.js",
        suite=suite,
        arguments=renderer(suite.task).legend == ARGUMENTS,
        sections=[
            {
                "file": sheet.file,
                "relation": sheet.relation,
                "text": text_of(catalogue, sheet.relation),
                "groups": [_group(task, group) for group in sheet.groups],
            }
            for sheet in shown
        ],
        data=htmlsafe_json_dumps(
            {"suite": suite.sha256, "sheets": [_script_data(task, sheet) for sheet in shown]}
        ),
    )


def _group(task: TaskSpec, group: Readable) -> dict[str, Any]:
    reading = renderer(task.id).reading
    source, follow_up = reading(task, group.source, group.follow_up, group.alignment)
    second = None if group.second is None else reading(task, group.second, group.second, ())[0]
    return {**group._asdict(), "source": source, "follow_up": follow_up, "second": second}


def _script_data(task: TaskSpec, sheet: Sheet) -> dict[str, Any]:
    lines = [line_of(task, group) for group in sheet.groups]
    named = columns(lines)
    rows = [{"id": line.id, "begin": beginning(line, named)} for line in lines]
    return {"file": sheet.file, "header": row(named), "rows": rows}
