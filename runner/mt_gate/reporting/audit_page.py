"""The audit sheet as a page: one file to mark groups in, by keyboard, without a server.

It has the report's style, escaping and content security policy. What it hands
back is the CSV sheet: each line's beginning comes from ``suites/sheet.py``,
the script adds the mark and the fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from mt_gate import __version__
from mt_gate.domain import Group
from mt_gate.reporting import marks
from mt_gate.reporting.html import asset, environment
from mt_gate.reporting.outputs import FOLLOW_UP, SOURCE
from mt_gate.reporting.texts import Catalogue, RelationText, text_of
from mt_gate.result import SuiteHead
from mt_gate.suites.sheet import COLUMNS, Inputs, line_of, row
from mt_gate.tasks.table import TASKS
from mt_gate.tasks.task import Task

if TYPE_CHECKING:
    from markupsafe import Markup


class Sheet(NamedTuple):
    """The groups of one relation, in the order to read them, and its CSV file."""

    file: str
    relation: str
    groups: Sequence[Group]


class Shown(NamedTuple):
    """A group as the page's template needs it."""

    id: str
    source: marks.Marked
    follow_up: marks.Marked


class Section(NamedTuple):
    """A relation as the page's template needs it."""

    file: str
    relation: str
    text: RelationText
    groups: Sequence[Shown]


def render(suite: SuiteHead, sheets: Sequence[Sheet], sources: Inputs, catalogue: Catalogue) -> str:
    """Return the page.

    Args:
        suite: the suite drawn from; marks are kept in the browser under its sha256.
        sheets: a section each.
        sources: the inputs of the sources.
        catalogue: title, description and example of each relation.
    """
    task = TASKS[suite.task]
    style, style_hash = asset("report.css")
    own_style, own_style_hash = asset("audit.css")
    script, script_hash = asset("audit.js")
    return environment().get_template("audit.html.j2").render(
        suite=suite,
        version=__version__,
        sections=[_section(task, sheet, sources, catalogue) for sheet in sheets],
        data=_data(suite, sheets, sources),
        style=style,
        own_style=own_style,
        style_hashes=f"{style_hash} {own_style_hash}",
        script=script,
        script_hash=script_hash,
    )  # fmt: skip


def _section(task: Task, sheet: Sheet, sources: Inputs, catalogue: Catalogue) -> Section:
    shown = [_shown(task, group, sources) for group in sheet.groups]
    return Section(sheet.file, sheet.relation, text_of(catalogue, sheet.relation), shown)


def _shown(task: Task, group: Group, sources: Inputs) -> Shown:
    view = task.view(sources[group.source], group.follow_up, group.alignment)
    return Shown(
        group.id,
        marks.mark(view.source, (), (), view.alignment, SOURCE),
        marks.mark(view.follow_up, (), (), view.alignment, FOLLOW_UP),
    )


def _data(suite: SuiteHead, sheets: Sequence[Sheet], sources: Inputs) -> Markup:
    """Return what the script needs, as JSON that is safe within a page."""
    from jinja2.utils import htmlsafe_json_dumps

    return htmlsafe_json_dumps(
        {
            "suite": suite.sha256,
            "header": row(COLUMNS),
            "sheets": [
                {
                    "file": sheet.file,
                    "rows": [
                        {
                            "id": group.id,
                            "begin": row(line_of(TASKS[suite.task], group, sources)[:4]),
                        }
                        for group in sheet.groups
                    ],
                }
                for sheet in sheets
            ],
        }
    )
