"""The audit sheet as a page: one file to mark groups in, by keyboard, without a server.

It has the report's style, escaping and content security policy. What it hands
back is the CSV sheet: each line's beginning comes from ``audit/sheet.py``,
the script adds the mark and the fault.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mt_gate.reporting.pages.page_templates import render_page
from mt_gate.reporting.words import marks
from mt_gate.reporting.words.rendering import ARGUMENTS, renderer
from mt_gate.reporting.words.texts import Catalogue, RelationText, text_of
from mt_gate.results.result import SuiteHead
from mt_gate.suites.offensive import Mask
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS
from mt_gate_suites.audit.readable import Readable
from mt_gate_suites.audit.sheet import beginning, columns, line_of, row

if TYPE_CHECKING:
    from markupsafe import Markup


class Sheet(NamedTuple):
    """The groups of one relation, in the order to read them, and its CSV file."""

    file: str
    relation: str
    groups: Sequence[Readable]


class ShownGroup(NamedTuple):
    """A group as the page's template needs it."""

    id: str
    source: marks.Marked
    second: marks.Marked | None
    follow_up: marks.Marked
    stratum: str
    answers: str


class SheetSection(NamedTuple):
    """A relation as the page's template needs it."""

    file: str
    relation: str
    text: RelationText
    groups: Sequence[ShownGroup]


def render(
    suite: SuiteHead, sheets: Sequence[Sheet], catalogue: Catalogue, masked: Collection[str] = ()
) -> str:
    """Return the page.

    Args:
        suite: the suite drawn from; marks are kept in the browser under its sha256.
        sheets: a section each.
        catalogue: title, description and example of each relation.
        masked: digests of the words that page and sheets mask.
    """
    mask = Mask(masked)
    task = TASKS[suite.task]
    return render_page(
        "audit.html.j2",
        styles=("audit.css",),
        script="audit.js",
        suite=suite,
        arguments=renderer(suite.task).legend == ARGUMENTS,
        sections=[_section(task, sheet, catalogue, mask) for sheet in sheets],
        data=_data(suite, sheets, mask),
    )


def _section(task: TaskSpec, sheet: Sheet, catalogue: Catalogue, mask: Mask) -> SheetSection:
    shown = [_shown(task, group, mask) for group in sheet.groups]
    return SheetSection(sheet.file, sheet.relation, text_of(catalogue, sheet.relation), shown)


def _shown(task: TaskSpec, group: Readable, mask: Mask) -> ShownGroup:
    reading = renderer(task.id).reading
    group = group.masked(task, mask)
    source, follow_up = reading(task, group.source, group.follow_up, group.alignment)
    second = None
    if group.second is not None:
        second, _ = reading(task, group.second, group.second, ())
    return ShownGroup(group.id, source, second, follow_up, group.stratum, group.answers)


def _data(suite: SuiteHead, sheets: Sequence[Sheet], mask: Mask) -> Markup:
    """Return what the script needs, as JSON that is safe within a page."""
    from jinja2.utils import htmlsafe_json_dumps

    told = [_script_data(TASKS[suite.task], sheet, mask) for sheet in sheets]
    return htmlsafe_json_dumps({"suite": suite.sha256, "sheets": told})


def _script_data(task: TaskSpec, sheet: Sheet, mask: Mask) -> dict[str, Any]:
    """Return a sheet as the script needs it: each line up to its mark, as CSV."""
    lines = [line_of(task, group.masked(task, mask)) for group in sheet.groups]
    named = columns(lines)
    rows = [{"id": line.id, "begin": beginning(line, named)} for line in lines]
    return {"file": sheet.file, "header": row(named), "rows": rows}
