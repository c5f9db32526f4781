"""Several stored runs of one suite side by side, relation by relation; nothing is judged.

Reading comprehension paper, section 6.3 (RQ3): which relations each system is
weak at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mt_gate.base.errors import UsageError
from mt_gate.base.jsonio import write_whole
from mt_gate.judging.rates import rates
from mt_gate.reporting.plots.clusters import letter
from mt_gate.reporting.words.texts import relation_texts, stopped_early
from mt_gate.results.out_folder import check_writable, held
from mt_gate.results.result import Result
from mt_gate.results.store import read_result, read_rows, result_file
from mt_gate.side_by_side import markdown, page
from mt_gate.side_by_side.records import Column, Row, SideBySide

MOST = 26
"""Results in one comparison: a letter each."""


def side_by_side(paths: Sequence[Path], out: Path | None, given: Mapping[str, Any]) -> SideBySide:
    """Set stored results side by side; write ``comparison.html`` and ``.md`` to ``out``, if any.

    Args:
        paths: two results or more, ``result.json`` or its folder.
        out: made if it is not there; None to write nothing.
        given: flags that judge one result; none may be set.

    Raises:
        UsageError: a flag for one result, too many results, or results of different suites.
        CannotJudge: a result or its groups missing or unreadable.
    """
    for name, value in given.items():
        if value is not None:
            raise UsageError(
                f"--{name.replace('_', '-')} judges one result against a baseline, there are "
                f"{len(paths)}; omit it, or compare them one by one"
            )
    if len(paths) > MOST:
        raise UsageError(f"{len(paths)} results, at most {MOST} expected; omit some")
    files = [result_file(path) for path in paths]
    if out is None:
        return _read(files)
    check_writable(out)
    with held(out):
        done = _read(files)
        _write(out, done)
    return done


def _read(files: Sequence[Path]) -> SideBySide:
    results = [read_result(file) for file in files]
    _check_one_suite(files, results)
    found = [
        rates(result, read_rows(file, result)) for file, result in zip(files, results, strict=True)
    ]
    ids = dict.fromkeys(name for result in results for name in result.settings.relations)
    ids.update(dict.fromkeys(name for each in found for name in each.relations))
    return SideBySide(
        suite=results[0].suite,
        columns=_columns(files, results),
        rows=(
            *(Row(name, tuple(each.relations.get(name) for each in found)) for name in ids),
            Row("", tuple(each.overall for each in found)),
        ),
        notes=_notes(results),
    )


def _check_one_suite(files: Sequence[Path], results: Sequence[Result]) -> None:
    first = results[0].suite
    for file, result in zip(files, results, strict=True):
        if result.suite.sha256 != first.sha256:
            raise UsageError(
                f"{file}: suite {result.suite.name} {result.suite.version} "
                f"({result.suite.sha256[:12]}), {files[0]} is of {first.name} {first.version} "
                f"({first.sha256[:12]}); expected results of one suite; run both on one"
            )


def _columns(files: Sequence[Path], results: Sequence[Result]) -> tuple[Column, ...]:
    names = Counter(result.checkpoint.name for result in results)
    return tuple(
        Column(
            letter=letter(number),
            name=result.checkpoint.name
            if names[result.checkpoint.name] == 1
            else f"{result.checkpoint.name} ({file})",
            path=str(file),
            created=result.created,
            checkpoint=result.checkpoint,
        )
        for number, (file, result) in enumerate(zip(files, results, strict=True))
    )


def _notes(results: Sequence[Result]) -> tuple[str, ...]:
    notes = []
    if len({result.settings.relations for result in results}) > 1:
        notes.append(
            "the runs are not of the same relations: all relations together are not comparable"
        )
    notes += (told for result in results for told in stopped_early(result))
    known = [result.checkpoint.fingerprint for result in results if result.checkpoint.fingerprint]
    if len(known) != len(set(known)):
        notes.append("some of the results are of the same checkpoint")
    return tuple(notes)


def _write(out: Path, done: SideBySide) -> None:
    made = {
        "comparison.html": page.render(done, relation_texts()),
        "comparison.md": markdown.render(done, relation_texts()),
    }
    for name, text in made.items():
        write_whole(out / name, text)
