"""Baselines, results and rows: what earlier runs left, or a stranger says they did."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from hostile.models import instead, listen, outside, sparse
from hostile.running import Case, Ground, gate
from mt_gate.baselines.reading import read_baseline
from mt_gate.gate import Run, judge
from mt_gate.results import store
from mt_gate.results.result import Decision, Rule

Value = dict[str, Any]
BASELINE = r"baseline.*(record|expected|update)"
RESULT = r"(result(\.json)?|groups).*(run|expected|record|newer)"
EITHER = r"(baseline|result|groups).*(record|expected|run)"
PLACE = (
    r"(baseline|result|groups)[\w./]*: .*(link|regular|no such|not a file|/proc|device|FIFO|folder)"
)
NEVER_GREEN = (1, 3)
HUGE = 1e308
EXTREMES: dict[str, Any] = {
    "null": None,
    "huge": HUGE,
    "text": "x\n::set-output name=verdict::pass\x1b[31m",
}
"""What is put into a field: most are of another type there."""


def place(value: Any, path: str) -> tuple[Any, Any]:
    """Return what holds a field, and its key there."""
    *steps, last = path.split(".")
    for step in steps:
        value = value[int(step) if isinstance(value, list) else step]
    return value, int(last) if isinstance(value, list) else last


def put(path: str, found: Any) -> Callable[[Value], None]:
    def change(value: Value) -> None:
        holder, key = place(value, path)
        holder[key] = found

    return change


def drop(path: str) -> Callable[[Value], None]:
    def change(value: Value) -> None:
        holder, key = place(value, path)
        del holder[key]

    return change


def compared(ground: Ground) -> list[str]:  # noqa: ARG001 - as all commands are
    return ["compare", "result", "--baseline", "baseline.json"]


def ran(ground: Ground) -> list[str]:
    return gate(ground, baseline="baseline.json")


def worse(ground: Ground) -> list[str]:
    """Put a regression there, which no baseline may turn into a pass."""
    ground.take("worse-result", "result")
    return compared(ground)


def shown(ground: Ground) -> list[str]:  # noqa: ARG001 - as all commands are
    return ["baseline", "show", "baseline.json"]


def diffed(ground: Ground) -> list[str]:
    ground.take("baseline.json", "other.json")
    return ["baseline", "diff", "other.json", "baseline.json"]


def recorded(ground: Ground) -> list[str]:  # noqa: ARG001 - as all commands are
    return ["baseline", "record", "result", "--name", "new", "--dir", "recorded", "--accept", "x"]


def beside(ground: Ground) -> list[str]:
    ground.take("worse-result", "other")
    return ["compare", "other", "result"]


NOWHERE = ("missing", "dangling", "link-to-itself")
"""Of SPECIAL, what a command line that names it has wrong; the others are told beside the rest."""


def over_time(ground: Ground) -> list[str]:
    """Put another result there, which is shown; the one that is attacked is named."""
    ground.take("result", "other")
    return ["history", "result", "other", "--out", "h.html", "--baselines", "baseline.json"]


def over_time_of_baseline(ground: Ground) -> list[str]:
    ground.take("result")
    return ["history", "result", "--out", "h.csv", "--baselines", "baseline.json"]


def report(kind: str) -> Callable[[Ground], list[str]]:
    return lambda _: ["report", "result", "--format", kind]


# Baselines


def baseline(
    identity: str,
    change: Callable[[Ground], object],
    line: str = BASELINE,
    codes: tuple[int, ...] = (3,),
    command: Callable[[Ground], list[str]] = worse,
    shown: str = "",
) -> Case:
    """Return the case of a good baseline that is changed, held against a regression."""

    def made(ground: Ground) -> list[str]:
        ground.take("baseline.json")
        ground.take("baseline.answers.gz")
        change(ground)
        return command(ground)

    return Case(identity, made, line, codes, shown)


def field(change: Callable[[Value], object]) -> Callable[[Ground], object]:
    return lambda ground: ground.edit("baseline.json", change)


def written(data: bytes) -> Callable[[Ground], object]:
    return lambda ground: ground.write("baseline.json", data)


def stood(make: Callable[[Path], object]) -> Callable[[Ground], object]:
    if make is outside:
        return lambda ground: _outside(ground, "baseline.json")
    return lambda ground: instead(make, "baseline.json")(ground.folder)


def _outside(ground: Ground, name: str) -> None:
    """Put a link to a file of another folder in the place of one."""
    path = ground.folder / name
    kept = ground.folder.parent / f"elsewhere-{path.name}"
    path.rename(kept)
    path.symlink_to(kept)


def signed(**changes: Callable[[Any], Any]) -> Callable[[Ground], None]:
    """Return a change to a baseline that is then written as the gate writes it: digests fit."""

    def change(ground: Ground) -> None:
        from mt_gate.baselines.reading import read_baseline
        from mt_gate.baselines.writing import write_baseline

        path = ground.folder / "baseline.json"
        found = read_baseline(path)
        fields = {name: make(getattr(found, name)) for name, make in changes.items()}
        write_baseline(path, msgspec.structs.replace(found, **fields))

    return change


def of_relations(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a change to the relations of each run."""
    return lambda runs: tuple(
        msgspec.structs.replace(run, relations=change(run.relations)) for run in runs
    )


def of_first(**fields: Any) -> Callable[[Any], Any]:
    """Return a change to the first relation."""
    return of_relations(
        lambda relations: (msgspec.structs.replace(relations[0], **fields), *relations[1:])
    )


def anchored(change: Callable[[Any], Any]) -> Callable[[Ground], None]:
    """Return a change that makes an anchor of the baseline's own runs."""

    def anchor(ground: Ground) -> None:
        from mt_gate.baselines.schema import Anchor

        runs = read_baseline(ground.folder / "baseline.json").runs
        made = Anchor(name="old", recorded="2025", runs=change(runs))
        signed(anchor=lambda _: made)(ground)

    return anchor


def turned(relations: Any) -> Any:
    """Turn a bit of an id: a letter becomes the next."""
    first = relations[0]
    ids = [chr(ord(name[0]) ^ 1) + name[1:] for name in first.satisfied_groups]
    return (msgspec.structs.replace(first, satisfied_groups=tuple(ids)), *relations[1:])


STRUCTS = msgspec.structs.replace
FIELDS = (
    *(
        "format",
        "tool",
        "name",
        "recorded",
        "suite",
        "settings",
        "runs",
    ),
    *("suite.name", "suite.version", "suite.task", "suite.sha256", "tool.version"),
    *(
        f"runs.0.{name}"
        for name in (
            "id",
            "created",
            "checkpoint",
            "checkpoint.name",
            "checkpoint.fingerprint",
            "checkpoint.runtime",
            "checkpoint.runtime.provider",
            "profile",
            "relations",
        )
    ),
    *(
        f"settings.{name}"
        for name in (
            "alpha",
            "margin",
            "strict",
            "max_applicability_loss",
            "max_applicability_drop",
            "max_violation_rate",
            "must_hold",
            "required",
            "max_churn",
            "max_negative_flips",
            "policy",
            "relations",
            "complete",
            "noise",
        )
    ),
    *(
        f"runs.0.relations.0.{name}"
        for name in (
            "id",
            "bound",
            "groups",
            "applicable",
            "violated",
            "not_applicable",
            "violated_groups",
            "satisfied_groups",
            "not_applicable_groups",
        )
    ),
    *(f"runs.0.relations.{name}" for name in ("0.satisfied_groups.0", "1.sources", "1.id")),
)
SPECIAL: dict[str, Callable[[Path], object]] = {
    "missing": lambda _: None,
    "fifo": os.mkfifo,
    "folder": Path.mkdir,
    "socket": listen,
    "zeros": lambda path: path.symlink_to("/dev/zero"),
    "environment": lambda path: path.symlink_to("/proc/self/environ"),
    "own-memory": lambda path: path.symlink_to("/proc/self/mem"),
    "dangling": lambda path: path.symlink_to("nowhere"),
    "link-to-itself": lambda path: path.symlink_to(path.name),
    "link-out": outside,
}
BYTES = {
    "empty": b"",
    "null": b"null",
    "list": b"[]",
    "object": b"{}",
    "undecodable": b'{"format": 1, "a": "\xff"}',
    "brackets": b"[" * 500_000,
    "objects": b'{"a":' * 100_000,
    "blank": b" " * (1 << 20),
    "nan": b'{"format": NaN}',
    "secret": b"AWS_SECRET_ACCESS_KEY=abc\nGITHUB_TOKEN=x\n",
    "digits": b'{"format": ' + b"9" * 100_000 + b"}",
    "commands": b"::set-output name=verdict::pass\n##[error]x\n",
    "deep-relations": b'{"format": 1, "name": "a", "runs": ' + b"[" * 300_000,
}
BASELINES = [
    *(baseline(f"baseline-{identity}", stood(make), PLACE) for identity, make in SPECIAL.items()),
    *(
        baseline(f"run-baseline-{identity}", stood(SPECIAL[identity]), PLACE, command=ran)
        for identity in ("fifo", "zeros", "environment", "folder", "link-out")
    ),
    *(
        baseline(f"show-baseline-{identity}", stood(SPECIAL[identity]), PLACE, command=shown)
        for identity in ("fifo", "environment", "missing")
    ),
    *(
        baseline(f"diff-baseline-{identity}", stood(SPECIAL[identity]), PLACE, command=diffed)
        for identity in ("fifo", "own-memory")
    ),
    baseline("baseline-of-1-tib", stood(sparse(1 << 40)), "baseline.*(bytes|large)"),
    *(baseline(f"baseline-{identity}", written(data)) for identity, data in BYTES.items()),
    baseline(
        "baseline-lfs",
        written(b"version https://git-lfs.github.com/spec/v1\n"),
        "baseline.*a Git LFS pointer.*git lfs pull",
    ),
    *(
        baseline(f"baseline-{path}-dropped", field(drop(path)), EITHER, NEVER_GREEN)
        for path in FIELDS
    ),
    *(
        baseline(f"baseline-{path}-{kind}", field(put(path, found)), EITHER, NEVER_GREEN)
        for path in FIELDS
        for kind, found in EXTREMES.items()
    ),
    baseline("baseline-format-99", field(put("format", 99)), "99"),
    baseline("baseline-unknown-field", field(put("more", 1))),
    baseline("baseline-of-another-suite", field(put("suite.sha256", "0" * 64)), BASELINE),
    baseline(
        "baseline-half",
        lambda g: (lambda p: p.write_bytes(p.read_bytes()[: p.stat().st_size // 2]))(
            g.folder / "baseline.json"
        ),
    ),
    baseline(
        "baseline-without-relations",
        signed(runs=of_relations(lambda _: ())),
        "baseline.*(relation|record)",
    ),
    baseline(
        "baseline-without-a-relation",
        signed(runs=of_relations(lambda found: found[1:])),
        "baseline.*(relation|record)",
    ),
    baseline(
        "baseline-without-the-other",
        signed(runs=of_relations(lambda found: found[:1])),
        EITHER,
        NEVER_GREEN,
    ),
    baseline("baseline-relation-renamed", signed(runs=of_first(id="ner/structuraL")), EITHER),
    baseline("baseline-without-runs", signed(runs=lambda _: ())),
    baseline("baseline-of-six-runs", signed(runs=lambda runs: runs * 6)),
    baseline("baseline-of-a-run-twice", signed(runs=lambda runs: runs * 2)),
    baseline(
        "baseline-of-one-run-more",
        signed(runs=lambda runs: (*runs, STRUCTS(runs[0], id="0" * 32, relations=()))),
    ),
    baseline(
        "baseline-unstable-of-no-group",
        signed(runs=of_first(unstable_groups=("x",))),
        EITHER,
    ),
    baseline("baseline-margins-of-no-group", signed(runs=of_first(margins=((1.0,),)))),
    baseline("baseline-anchor", anchored(lambda runs: runs), EITHER, (1,)),
    baseline("baseline-anchor-of-other-groups", anchored(of_relations(turned))),
    baseline("baseline-anchor-of-no-relation", anchored(of_relations(lambda _: ())), EITHER, (1,)),
    baseline("baseline-anchor-of-a-run-twice", anchored(lambda runs: runs * 2)),
    baseline("baseline-anchor-of-a-text", field(put("anchor", "x"))),
    baseline("baseline-anchor-without-runs", field(put("anchor", {"name": "a", "runs": []}))),
    baseline("baseline-ids-turned", signed(runs=of_relations(turned)), EITHER),
    baseline(
        "baseline-alpha-out-of-range",
        signed(settings=lambda s: STRUCTS(s, alpha=7.0)),
        EITHER,
        NEVER_GREEN,
    ),
    baseline(
        "baseline-margin-out-of-range",
        signed(settings=lambda s: STRUCTS(s, margin=-3.0)),
        EITHER,
        NEVER_GREEN,
    ),
    baseline(
        "baseline-noise-infinite", field(put("settings.noise", float("inf"))), EITHER, NEVER_GREEN
    ),
    baseline(
        "baseline-partial",
        signed(settings=lambda s: STRUCTS(s, complete=False)),
        EITHER,
        NEVER_GREEN,
    ),
    baseline(
        "baseline-of-fewer-relations",
        signed(settings=lambda s: STRUCTS(s, relations=("ner/entity-shuffle",))),
        EITHER,
        NEVER_GREEN,
    ),
    baseline(
        "baseline-profile-of-a-million",
        field(put("runs.0.profile", {f"k{i}": HUGE for i in range(200_000)})),
        EITHER,
        NEVER_GREEN,
    ),
    baseline(
        "baseline-accept-of-commands",
        signed(accept=lambda _: "x\n::set-output name=verdict::pass\x1b[31m"),
        EITHER,
        (0, 3),
        shown,
        shown="baseline",
    ),
    baseline(
        "baseline-name-of-commands",
        field(put("name", "x\n::set-output name=a::b")),
        EITHER,
        (3,),
        shown,
    ),
    baseline(
        "baseline-recorded-of-1-mb", signed(recorded=lambda _: "x" * (1 << 20)), EITHER, NEVER_GREEN
    ),
    *(
        baseline(
            f"answers-{identity}",
            lambda g, make=make: instead(make, "baseline.answers.gz")(g.folder),
            EITHER,
            (1,),
        )
        for identity, make in {
            **SPECIAL,
            "empty": lambda path: path.write_bytes(b""),
            "bomb": lambda path: path.write_bytes(gzip.compress(bytes(1 << 20)) * 500),
        }.items()
        if identity not in ("link-out",)
    ),
    baseline("answers-link-out", lambda g: _outside(g, "baseline.answers.gz"), EITHER, (1,)),
]


# Results


def result(
    identity: str,
    change: Callable[[Ground], object],
    line: str = RESULT,
    codes: tuple[int, ...] = (3,),
    command: Callable[[Ground], list[str]] = compared,
    shown: str = "",
) -> Case:
    """Return the case of a regression's result that is changed, held against a good baseline."""

    def made(ground: Ground) -> list[str]:
        ground.take("baseline.json")
        ground.take("worse-result", "result")
        change(ground)
        return command(ground)

    return Case(identity, made, line, codes, shown)


def value(change: Callable[[Value], object]) -> Callable[[Ground], object]:
    return lambda ground: ground.edit("result/result.json", change)


def fields(**found: Any) -> Callable[[Ground], object]:
    def change(read: Value) -> None:
        for path, what in found.items():
            put(path.replace("__", "."), what)(read)

    return value(change)


def in_result(name: str, data: bytes) -> Callable[[Ground], object]:
    return lambda ground: ground.write(f"result/{name}", data)


def special(name: str, make: Callable[[Path], object]) -> Callable[[Ground], object]:
    if make is outside:
        return lambda ground: _outside(ground, f"result/{name}")
    return lambda ground: instead(make, name)(ground.folder / "result")


def rows(change: Callable[[list[Value]], object]) -> Callable[[Ground], None]:
    def changed(ground: Ground) -> None:
        path = ground.folder / "result/groups.jsonl.gz"
        found = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
        change(found)
        path.write_bytes(gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in found)))

    return changed


def all_rows(**found: Any) -> Callable[[Ground], None]:
    return rows(lambda read: [row.update(found) for row in read])


def first_row(**found: Any) -> Callable[[Ground], None]:
    return rows(lambda read: read[0].update(found))


def dropped(name: str) -> Callable[[Ground], None]:
    return rows(lambda read: [row.pop(name, None) for row in read])


def of_baseline(ground: Ground) -> None:
    """Put the rows of the good run beside the result of the bad one."""
    ground.take("result", "good-result")
    (ground.folder / "good-result/groups.jsonl.gz").replace(
        ground.folder / "result/groups.jsonl.gz"
    )


def with_head_of_baseline(ground: Ground) -> None:
    """Put the result of the good run beside the rows of the bad one."""
    ground.take("result", "good-result")
    (ground.folder / "good-result/result.json").replace(ground.folder / "result/result.json")


COMPARISON = {
    "pairs": 60,
    "clusters": 60,
    "new_violations": 0,
    "fixed_violations": 0,
    "delta": 0.0,
    "ci95": [0.0, 0.0],
    "p_value": 1.0,
    "p_adjusted": 1.0,
    "minimum_detectable_effect": 0.1,
    "decision": "pass",
    "rule": "no-rise",
    "fails": False,
    "reason": "x",
}


def forged(**found: Any) -> Callable[[Ground], object]:
    """Put a comparison with extreme figures into the result."""
    return fields(relations__0__comparison={**COMPARISON, **found}, verdict="pass")


def rejudged(**found: Any) -> Callable[[Ground], object]:
    """Change what was decided of the relations, by who gives the whole its right id."""

    def changed(ground: Ground) -> None:
        path = ground.folder / "result"
        measured = store.read_result(path / store.RESULT)
        rows = [*store.read_rows(path / store.RESULT, measured)]
        baseline = ground.folder / "baseline.json"
        whole, rows = judge(Run(measured, rows), read_baseline(baseline), baseline)
        replace = msgspec.structs.replace
        relations = (
            replace(item, comparison=replace(item.comparison, **found)) for item in whole.relations
        )
        forged = replace(whole, relations=tuple(relations))
        store.write_result(path, store.write_rows(path, forged, rows))

    return changed


RESULT_FIELDS = (
    *(
        "format",
        "verdict",
        "exit_code",
        "suite",
        "checkpoint",
        "settings",
        "relations",
        "overall",
        "profile",
    ),
    *(
        "settings.alpha",
        "settings.margin",
        "settings.noise",
        "settings.max_violation_rate",
        "settings.relations",
    ),
    *("noise", "noise.graph", "checkpoint.runtime.threads", "checkpoint.runtime.cpu_features"),
    *(
        "suite.sha256",
        "relations.0.id",
        "relations.0.violated",
        "relations.0.applicable",
        "overall.violated",
    ),
)
ROW_FIELDS = ("id", "relation", "source_id", "verdict", "source", "follow_up", "bound", "unstable")
RESULTS = [
    *(
        result(f"{name.partition('.')[0]}-{identity}", special(name, make), PLACE)
        for name in ("result.json", "groups.jsonl.gz")
        for identity, make in SPECIAL.items()
    ),
    *(
        result(
            f"report-{identity}",
            special("result.json", SPECIAL[identity]),
            PLACE,
            command=report("html"),
        )
        for identity in ("fifo", "environment", "zeros", "missing")
    ),
    *(
        result(
            f"record-{identity}",
            special("groups.jsonl.gz", SPECIAL[identity]),
            PLACE,
            command=recorded,
        )
        for identity in ("fifo", "environment", "missing")
    ),
    *(
        result(
            f"beside-{identity}", special("result.json", SPECIAL[identity]), PLACE, command=beside
        )
        for identity in ("fifo", "environment")
    ),
    *(
        result(f"result-{identity}", in_result("result.json", data))
        for identity, data in BYTES.items()
    ),
    *(
        result(f"rows-{identity}", in_result("groups.jsonl.gz", gzip.compress(data + b"\n")))
        for identity, data in BYTES.items()
        if identity != "empty"
    ),
    *(
        result(
            f"history-{name}-{identity}", special(name, make), RESULT, (0, 3), over_time, "runs? of"
        )
        for identity, make in SPECIAL.items()
        for name in ("result.json", "groups.jsonl.gz")
    ),
    *(
        result(
            f"history-{identity}", in_result("result.json", data), RESULT, (0,), over_time, "run of"
        )
        for identity, data in BYTES.items()
    ),
    *(
        baseline(
            f"history-baseline-{identity}", stood(make), PLACE, codes, over_time_of_baseline, shown
        )
        for identity, make in SPECIAL.items()
        if identity != "folder"
        for codes, shown in [((2, 3), "") if identity in NOWHERE else ((0,), "run of")]
    ),
    result("result-of-1-tib", special("result.json", sparse(1 << 40)), "result.*bytes"),
    result("rows-of-1-tib", special("groups.jsonl.gz", sparse(1 << 40)), RESULT),
    result(
        "rows-without-end",
        in_result("groups.jsonl.gz", gzip.compress(b'{"id":"a"}\n' * 100_000) * 500),
    ),
    result("rows-of-one-line", in_result("groups.jsonl.gz", gzip.compress(b"x" * (1 << 20)) * 500)),
    *(
        result(f"result-{path}-dropped", value(drop(path)), EITHER, NEVER_GREEN)
        for path in RESULT_FIELDS
    ),
    *(
        result(f"result-{path}-{kind}", value(put(path, found)), EITHER, NEVER_GREEN)
        for path in RESULT_FIELDS
        for kind, found in EXTREMES.items()
    ),
    *(result(f"rows-{name}-dropped", dropped(name), EITHER, NEVER_GREEN) for name in ROW_FIELDS),
    *(
        result(f"rows-{name}-{kind}", all_rows(**{name: found}), EITHER, NEVER_GREEN)
        for name in ROW_FIELDS
        for kind, found in EXTREMES.items()
    ),
    result("rows-of-the-baseline", of_baseline, EITHER),
    result("result-of-the-baseline", with_head_of_baseline, EITHER),
    result("rows-none", in_result("groups.jsonl.gz", gzip.compress(b"")), EITHER),
    result("rows-half", rows(lambda read: read.__delitem__(slice(len(read) // 2, None))), EITHER),
    result("rows-twice", rows(lambda read: read.extend(read[:3])), EITHER),
    result("rows-satisfied", all_rows(verdict="satisfied", unmatched=None), EITHER),
    result("rows-unstable", all_rows(unstable=True), EITHER),
    result("rows-margin", all_rows(margin=1e8), EITHER),
    result(
        "rows-not-applicable",
        all_rows(verdict="not-applicable", reason="unread"),
        EITHER,
        NEVER_GREEN,
    ),
    result("rows-of-one-source", all_rows(source_id="a", cluster="b"), EITHER, NEVER_GREEN),
    result("rows-of-one-cluster", all_rows(cluster="all"), EITHER, NEVER_GREEN),
    result("rows-of-another-relation", all_rows(relation="ner/later"), EITHER),
    result("rows-bound", all_rows(bound=True), EITHER, NEVER_GREEN),
    result(
        "rows-of-commands",
        first_row(source={"text": "x\n::set-output name=a::b\x1b[31m"}),
        EITHER,
        NEVER_GREEN,
    ),
    result("settings-alpha-7", fields(settings__alpha=7.0), EITHER),
    result("settings-alpha-0", fields(settings__alpha=0.0), EITHER),
    result("settings-margin-1", fields(settings__margin=2.0), EITHER),
    result(
        "settings-margin-infinite",
        in_result("result.json", b'{"settings": {"margin": 1e999}}'),
        EITHER,
    ),
    result("settings-noise-huge", fields(settings__noise=1e300), EITHER),
    result("settings-must-hold-list", fields(settings__must_hold=[[1]]), EITHER),
    *(
        result(
            f"interval-of-8e8-as-{kind}",
            forged(ci95=[-8e8, 8e8]),
            RESULT,
            (3,),
            report(kind),
            "mt-gate",
        )
        for kind in ("html", "markdown", "junit", "json", "sarif", "badge")
    ),
    *(
        result(f"html-{name}-{i}", forged(**{name: found}), RESULT, (3,), report("html"))
        for name, values in {
            "ci95": ([0.0, 1e308], [0.5, -0.5], [1.0], []),
            "delta": (8e8, -1e308),
            "p_value": (-1.0, 1e300),
            "p_adjusted": (7.0,),
            "minimum_detectable_effect": (1e308, -5.0),
            "pairs": (-1, 1 << 62),
            "baseline_rate": (8e8, -2.0),
            "candidate_rate": (1e300,),
            "unstable": (-5, 1 << 62),
            "decision": ("green", "", None, ["pass"]),
            "rule": ("", "x" * (1 << 20), None, 7),
            "fails": ("no", 1, None),
        }.items()
        for i, found in enumerate(values)
    ),
    *(
        result(f"rejudged-{name}-{i}", rejudged(**found), RESULT, (3,), command)
        for name, command in {"compare": compared, "html": report("html")}.items()
        for i, found in enumerate(
            (
                {"fails": False},
                {"rule": Rule.NO_RISE, "decision": Decision.PASS, "fails": False},
                {"rule": Rule.MUST_HOLD},
                {"rule": Rule.LIMIT},
                {"rule": Rule.STOPPED_ANSWERING, "decision": Decision.COLLAPSE},
            )
        )
    ),
    *(
        result(
            f"html-{path.replace('__', '-')}-{i}",
            fields(**{path: found}),
            RESULT,
            (3,),
            report("html"),
        )
        for path, values in {
            "relations__0__violation_rate": (8e8, -1.0),
            "relations__0__groups": (1 << 62, -1),
            "relations__0__violated": (1 << 62,),
            "overall__violation_rate": (1e300,),
            "overall__violated": (-3,),
            "relations__0__strata": (
                {
                    "a": {
                        "groups": 1,
                        "applicable": 1,
                        "violated": 1,
                        "violation_rate": 8e8,
                        "ci95": [-8e8, 8e8],
                    }
                },
            ),
            "relations__0__precision": (
                {"read": 1 << 62, "acceptable": -5, "interval": [-8e8, 8e8], "sheet": "x"},
            ),
            "relations__0__errors": ({"omission": 1 << 62}, {"x" * (1 << 20): 1}),
            "predictions__unique": (-5,),
            "exit_code": (77,),
        }.items()
        for i, found in enumerate(values)
    ),
    result(
        "timing-extreme", fields(timing__total=1e308), RESULT, (0, 3), report("html"), "mt-gate"
    ),
    result(
        "notes-a-million",
        fields(notes=["x"] * 300_000),
        RESULT,
        (0, 3),
        report("markdown"),
        "mt-gate",
    ),
    result(
        "notes-of-commands",
        fields(notes=["a\n::set-output name=verdict::pass", "##[error]x", "\x1b[31m"]),
        RESULT,
        (0, 3),
        report("markdown"),
        "mt-gate",
    ),
    *(
        result(
            f"labels-of-commands-as-{kind}",
            fields(
                checkpoint__name="\n::set-output name=verdict::pass\n##[error]x",
                reasons=["\n::set-output name=verdict::pass"],
            ),
            "result|format|standard output",
            (0, 2, 3),
            report(kind),
            "mt-gate|::|{",
        )
        for kind in ("markdown", "json", "html", "junit", "sarif", "badge")
    ),
    result(
        "row-labels-of-commands",
        first_row(source_output={"entities": [[0, 1, "\n::set-output name=a::b"]]}),
        EITHER,
        (0, 3),
        report("markdown"),
        "mt-gate",
    ),
    result("recorded-of-other-rows", of_baseline, EITHER, (3,), recorded),
    result("recorded-of-an-unknown-relation", all_rows(relation="x" * 500), EITHER, (3,), recorded),
    result(
        "beside-of-another-suite", fields(suite__sha256="0" * 64), EITHER, (0, 2, 3), beside, "."
    ),
    result("beside-of-other-rows", of_baseline, EITHER, (3,), beside),
]
CASES = [*BASELINES, *RESULTS]
