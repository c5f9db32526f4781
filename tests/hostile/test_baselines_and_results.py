"""Baselines, results and rows: what earlier runs left, or a stranger says they did.

One case of each kind. What their fields may hold, the fuzz targets ``tests/fuzz/of_runs.py`` ask.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hostile.models import instead, outside, sparse
from hostile.running import Case, Ground

Change = Callable[[Ground], object]
Command = Callable[[Ground], list[str]]
Value = dict[str, Any]
BASELINE = r"baseline.*(record|expected|update)"
RESULT = r"(result(\.json)?|groups).*(run|expected|record|newer)"
EITHER = r"(baseline|result|groups).*(record|expected|run)"
PLACE = (
    r"(baseline|result|groups)[\w./]*:? "
    r".*(link|regular|not exist|has no|not a file|/proc|device|FIFO|folder)"
)
NEVER_GREEN = (1, 3)
SPECIAL: dict[str, Callable[[Path], object]] = {
    "missing": lambda _: None,
    "fifo": os.mkfifo,
    "environment": lambda path: path.symlink_to("/proc/self/environ"),
    "link-out": outside,
}
BYTES = {
    "empty": b"",
    "brackets": b"[" * 500_000,
    "secret": b"AWS_SECRET_ACCESS_KEY=abc\nGITHUB_TOKEN=x\n",
    "commands": b"::set-output name=verdict::pass\n##[error]x\n",
}
COMMANDS = "x\n::set-output name=verdict::pass\x1b[31m##[error]x"


def compared(ground: Ground) -> list[str]:  # noqa: ARG001 - as all commands are
    return ["compare", "result", "--baseline", "baseline.json"]


def worse(ground: Ground) -> list[str]:
    ground.take("worse-result", "result")
    return compared(ground)


def shown(ground: Ground) -> list[str]:  # noqa: ARG001 - as all commands are
    return ["baseline", "show", "baseline.json"]


def side_by_side(ground: Ground) -> list[str]:
    ground.take("worse-result", "other")
    return ["compare", "other", "result"]


def over_time(ground: Ground) -> list[str]:
    ground.take("result", "other")
    return ["history", "result", "other", "--out", "h.html", "--baselines", "baseline.json"]


def report(kind: str) -> Command:
    return lambda _: ["report", "result", "--format", kind]


def baseline(
    identity: str,
    change: Change,
    line: str = BASELINE,
    codes: tuple[int, ...] = (3,),
    command: Command = worse,
    shown: str = "",
) -> Case:
    def made(ground: Ground) -> list[str]:
        ground.take("baseline.json")
        ground.take("baseline.answers.gz")
        change(ground)
        return command(ground)

    return Case(f"baseline-{identity}", made, line, codes, shown)


def result(
    identity: str,
    change: Change,
    line: str = RESULT,
    codes: tuple[int, ...] = (3,),
    command: Command = compared,
    shown: str = "",
) -> Case:
    def made(ground: Ground) -> list[str]:
        ground.take("baseline.json")
        ground.take("worse-result", "result")
        change(ground)
        return command(ground)

    return Case(identity, made, line, codes, shown)


def put(file: str, path: str, value: Any) -> Change:
    def change(read: Value) -> None:
        *steps, last = path.split(".")
        holder: Any = read
        for step in steps:
            holder = holder[int(step) if isinstance(holder, list) else step]
        holder[last] = value

    return lambda ground: ground.edit(file, change)


def special(name: str, make: Callable[[Path], object]) -> Change:
    def change(ground: Ground) -> None:
        path = ground.folder / name
        if make is not outside:
            instead(make, path.name)(path.parent)
            return
        target = ground.folder.parent / f"elsewhere-{path.name}"
        path.rename(target)
        path.symlink_to(target)

    return change


def written(name: str, data: bytes) -> Change:
    return lambda ground: ground.write(name, data)


def signed(**changes: Callable[[Any], Any]) -> Change:
    def change(ground: Ground) -> None:
        from mt_gate.baselines.schema import read_baseline
        from mt_gate.baselines.writing import write_baseline

        path = ground.folder / "baseline.json"
        values = read_baseline(path)
        fields = {name: make(getattr(values, name)) for name, make in changes.items()}
        write_baseline(path, msgspec.structs.replace(values, **fields))

    return change


def of_relations(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda runs: tuple(
        msgspec.structs.replace(run, relations=change(run.relations)) for run in runs
    )


def renamed(relations: Any) -> Any:
    return (msgspec.structs.replace(relations[0], id="ner/structuraL"), *relations[1:])


def rows(change: Callable[[list[Value]], object]) -> Change:
    def changed(ground: Ground) -> None:
        path = ground.folder / "result/groups.jsonl.gz"
        values = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
        change(values)
        path.write_bytes(
            gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in values))
        )

    return changed


def of_good_run(name: str) -> Change:
    def change(ground: Ground) -> None:
        ground.take("result", "good-result")
        (ground.folder / "good-result" / name).replace(ground.folder / "result" / name)

    return change


HEAD, ROWS = "result/result.json", "result/groups.jsonl.gz"
CASES = [
    *(baseline(name, special("baseline.json", make), PLACE) for name, make in SPECIAL.items()),
    *(baseline(name, written("baseline.json", data)) for name, data in BYTES.items()),
    baseline("of-1-tib", special("baseline.json", sparse(1 << 40)), "baseline.*(bytes|large)"),
    baseline(
        "lfs",
        written("baseline.json", b"version https://git-lfs.github.com/spec/v1\n"),
        "baseline.*a Git LFS pointer.*git lfs pull",
    ),
    baseline("format-99", put("baseline.json", "format", 99), "99"),
    baseline("relation-renamed", signed(runs=of_relations(renamed)), EITHER),
    baseline(
        "accept-of-commands", signed(accept=lambda _: COMMANDS), EITHER, (0, 3), shown, "baseline"
    ),
    baseline("answers-fifo", special("baseline.answers.gz", os.mkfifo), EITHER, (1,)),
    baseline(
        "answers-without-end",
        written("baseline.answers.gz", gzip.compress(bytes(1 << 20)) * 500),
        EITHER,
        (1,),
    ),
    *(result(f"result-{name}", special(HEAD, make), PLACE) for name, make in SPECIAL.items()),
    *(result(f"result-{name}", written(HEAD, data)) for name, data in BYTES.items()),
    result("rows-fifo", special(ROWS, os.mkfifo), PLACE),
    result("rows-without-end", written(ROWS, gzip.compress(b'{"id":"a"}\n' * 100_000) * 500)),
    result("rows-of-another-run", of_good_run("groups.jsonl.gz"), EITHER),
    result("result-of-another-run", of_good_run("result.json"), EITHER),
    result(
        "names-of-commands",
        lambda ground: ground.edit(HEAD, lambda read: read["checkpoint"].update(name=COMMANDS)),
        "result|format|standard output",
        (0, 2, 3),
        report("markdown"),
        "mt-gate|::|{",
    ),
    result(
        "row-of-commands",
        rows(lambda read: read[0].update(source={"text": COMMANDS})),
        EITHER,
        NEVER_GREEN,
    ),
    result("history-fifo", special(HEAD, os.mkfifo), RESULT, (0, 3), over_time, "runs? of"),
    result("side-by-side-fifo", special(HEAD, os.mkfifo), PLACE, (3,), side_by_side),
]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_baseline_or_result(case: Case, attack: Callable) -> None:
    attack(case)
