"""``mt-gate suite audit``: sample cases for reviewers to mark, and summarise the marks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.files import write_whole
from mt_gate.reporting.page_templates import render_page
from mt_gate.reporting.words.rendering import ARGUMENTS, renderer
from mt_gate.reporting.words.texts import Catalogue, text_of, texts_of_suite
from mt_gate.results.result import SuiteHead
from mt_gate.suites.format import HEAD, SuiteRelation, find_suite, masked_of, read_suite, write_head
from mt_gate.suites.offensive import Mask
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS
from mt_gate_suites.audit.marked import Read, groups_of, read_marked
from mt_gate_suites.audit.readable import ReviewCase, run_cases, sample, suite_cases
from mt_gate_suites.audit.sheet import LONGEST, beginning, columns, line_of, row, to_csv
from mt_gate_suites.audit.suite_texts import list_relations

GROUPS = 200
PAGE = "audit.html"


class Sheet(NamedTuple):
    """The cases of one relation in reading order, and the name of its CSV file."""

    file: str
    relation: str
    groups: Sequence[ReviewCase]


def render_audit(
    suite: SuiteHead, sheets: Sequence[Sheet], catalogue: Catalogue, masked: Collection[str] = ()
) -> str:
    """Return one page with all sheets, to mark cases by keyboard, without a server.

    It has the report's style, escaping and content security policy. Its script exports the CSV
    sheets, with mark and fault added to each line.

    Args:
        suite: the sampled suite; the browser stores marks under its sha256.
        sheets: the sheets, one section each.
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


def _group(task: TaskSpec, group: ReviewCase) -> dict[str, Any]:
    reading = renderer(task.id).reading
    source, follow_up = reading(task, group.source, group.follow_up, group.alignment)
    second = None if group.second is None else reading(task, group.second, group.second, ())[0]
    return {**group._asdict(), "source": source, "follow_up": follow_up, "second": second}


def _script_data(task: TaskSpec, sheet: Sheet) -> dict[str, Any]:
    lines = [line_of(task, group) for group in sheet.groups]
    named = columns(lines)
    rows = [{"id": line.id, "begin": beginning(line, named)} for line in lines]
    return {"file": sheet.file, "header": row(named), "rows": rows}


def draw(
    name: str,
    out: Path,
    *,
    groups: int = GROUPS,
    relation: str | None = None,
    seed: int | None = None,
    result: Path | None = None,
    mask: bool = True,
) -> list[Path]:
    """Write one CSV sheet per relation and one page for all; return their paths.

    Args:
        name: a built-in suite or a folder.
        out: folder of the sheets; existing sheets are not overwritten.
        groups: maximum cases of each relation.
        relation: only this relation.
        seed: seed of the sample; None for the suite's.
        result: a stored run of the suite; its cases that were built from predictions
            are sampled instead of those in the suite.
        mask: whether page and sheets mask offensive words.

    Raises:
        UsageError: no such suite or relation, a relation without cases to sample
            from, a sheet that exists, or a folder that cannot be written.
        CannotJudge: the suite or the run is damaged, they do not belong together, or
            a text is too long for a sheet.
    """
    suite = read_suite(find_suite(name))
    head, task = suite.head, TASKS[suite.head.task]
    readables = suite_cases(suite) if result is None else run_cases(suite, result)
    listed = list_relations(suite, relation)
    filled = {group.relation for group in readables}
    drawn = [item for item in listed if item.id in filled]
    if not drawn:
        where = f"Suite {head.name}" if result is None else str(result)
        if relation is None:
            raise UsageError(f"{where} has no relation with cases to sample from.")
        raise UsageError(f"{where}: relation {quoted(relation)} {_why_none(listed[0], result)}.")
    chosen = head.seed if seed is None else seed
    sheets = [
        Sheet(file, item.id, sample(readables, item.id, groups, chosen))
        for item, file in zip(drawn, _file_names(drawn), strict=True)
    ]
    masked = masked_of(head) if mask else ()
    files: dict[Path, bytes] = {}
    for sheet in sheets:
        lines = [line_of(task, group.masked(task, Mask(masked))) for group in sheet.groups]
        for line in lines:
            longest = max(map(len, line))
            if longest > LONGEST:
                raise CannotJudge(
                    f"Case {line.id} has a text of {longest} characters, but a cell of a sheet "
                    f"takes at most {LONGEST}. Remove such texts from the suite."
                )
        files[out / sheet.file] = to_csv(lines)
    page = render_audit(suite.identity, sheets, texts_of_suite(head), masked)
    files[out / PAGE] = page.encode("utf-8")
    write_new(files)
    return [*files]


def record(name: str, sheets: Sequence[Path], result: Path | None = None) -> list[Read]:
    """Read marked sheets and keep their precision in the suite's metadata.

    Nothing is written unless every sheet is valid. The suite's identity does not change.

    Args:
        name: a built-in suite or a folder.
        sheets: one sheet per relation.
        result: the run that sheets of cases built at run time were sampled from.

    Raises:
        UsageError: no such suite, two sheets of one relation, or a suite that
            cannot be written.
        CannotJudge: a sheet is damaged, unfinished, or not of this suite or run.
    """
    folder = find_suite(name)
    suite = read_suite(folder)
    groups = groups_of(suite, result)
    read: dict[str, Read] = {}
    for path in sheets:
        sheet_read = read_marked(suite, groups, path)
        if sheet_read.relation in read:
            raise UsageError(f"{path} is a second sheet of {sheet_read.relation}. Omit one.")
        read[sheet_read.relation] = sheet_read
    relations = tuple(
        msgspec.structs.replace(item, precision=read[item.id].precision)
        if item.id in read
        else item
        for item in suite.head.relations
    )
    try:
        write_head(folder, msgspec.structs.replace(suite.head, relations=relations))
    except OSError as error:
        raise UsageError(
            f"{folder / HEAD} cannot be written ({error.strerror}). Copy the suite to your own "
            "folder and pass that."
        ) from None
    return [*read.values()]


def _why_none(item: SuiteRelation, result: Path | None) -> str:
    """Return why a relation has no cases to sample from: the end of a sentence about it."""
    if item.bound and result is None:
        return (
            "has only cases that a run builds from predictions. Pass a run of the suite with "
            "--result DIR"
        )
    if item.bound:
        return "has no case in that run"
    return "has no cases" if result is None else "has its cases in the suite. Omit --result"


def _file_names(relations: Sequence[SuiteRelation]) -> list[str]:
    """Return a file name per relation, safe for any id: ``ner-structural.csv``."""
    names: list[str] = []
    for item in relations:
        plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in item.id[:80])
        stem = plain.strip("-") or "relation"
        names.append(stem if stem not in names else f"{stem}--{len(names) + 1}")
    return [f"{name}.csv" for name in names]


def write_new(files: Mapping[Path, bytes]) -> None:
    """Write new files; reject existing ones, which may have hours of marks."""
    for path in files:
        if path.exists():
            raise UsageError(f"{path} already exists and may have marks. Choose another --out.")
    for path, content in files.items():
        try:
            write_whole(path, content)
        except OSError as error:
            raise UsageError(
                f"{path} cannot be written ({error.strerror}). Choose another --out."
            ) from None
