"""Mutate the files that a verdict depends on: none may turn a sure regression into exit code 0.

    python benchmarks/mutate_files.py [--count 200000] [--seed 1]

Every field of a baseline, a result, its rows and ``mt-gate.toml`` is deleted, renamed, given
another type, an extreme, an empty or an odd value; items of lists are dropped, doubled and
exchanged. Baseline, result and rows are judged twice: as mutated, and with corrected digests,
as after a deliberate edit (``sealed``). Each file is then judged by
``mt-gate compare`` in this process. ``tests/hostile/test_mutations.py`` runs a part of it.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION, USAGE, MtGateError
from mt_gate.base.jsonio import canonical
from mt_gate.baselines.schema import Anchor, Baseline, digest_of
from mt_gate.baselines.writing import RunToRecord, build_baseline, write_baseline
from mt_gate.domain import EntityError, ErrorCategory, Verdict
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.result import (
    FORMAT,
    CheckpointHead,
    GateVerdict,
    GroupRow,
    Precision,
    Predictions,
    Profiles,
    Repair,
    RepairMeasures,
    RepairSettings,
    Result,
    RunMark,
    RunSettings,
    Runtime,
    SuiteHead,
    Timing,
    Tool,
)
from mt_gate.results.store import GROUPS, RESULT, write_result, write_rows
from mt_gate.running.counting import count_all, overall
from mt_gate.settings.loading import load
from mt_gate.settings.record import DECIDING, Settings
from mt_gate.stored_results import compare_stored
from value_mutations import as_json, as_toml, mutations

BASELINE, CONFIG = "baseline.json", "mt-gate.toml"
STATIC, BOUND = "ner/structural", "ner/entity-shuffle"
SOURCES = 12
EXPECTED = {REGRESSION, USAGE, CANNOT_JUDGE}

EXEMPT = {
    # What a run is judged by: the author of a result chooses both, within their range.
    "result sealed": ("settings.alpha", "settings.margin"),
    # The user's own choice: how sure, how large, and (if missing) that nothing is compared.
    "settings": ("alpha", "margin", "baseline"),
}
"""Fields that may lead to exit code 0, by kind; of all others none may."""


class World(NamedTuple):
    """Files of a certain regression, decoded."""

    folder: Path
    baseline: dict[str, Any]
    result: dict[str, Any]
    rows: list[dict[str, Any]]
    settings: dict[str, Any]
    known: dict[bytes, tuple[int, str]]
    """Exit code and message of each file that was judged, by its digest: many are drawn twice."""


class Judged(NamedTuple):
    """The outcome of a mutation: where it was, what was done, exit code and message."""

    where: str
    how: str
    code: int
    message: str


def made(folder: Path) -> World:
    """Write the files into a folder, and return them decoded."""
    before, now = _rows("s"), _rows("v")
    write_baseline(folder / BASELINE, _recorded(before))
    write_result(folder, write_rows(folder, _result(now), now))
    judged = compare_stored(folder / RESULT, folder / BASELINE, None, {})
    assert judged.exit_code == REGRESSION
    write_result(folder, write_rows(folder, msgspec.structs.replace(judged, run=None), now))
    lines = gzip.decompress((folder / GROUPS).read_bytes()).splitlines()
    return World(
        folder,
        json.loads((folder / BASELINE).read_bytes()),
        json.loads((folder / RESULT).read_bytes()),
        [json.loads(line) for line in lines],
        config(folder),
        {},
    )


def _recorded(rows: Sequence[GroupRow]) -> Baseline:
    """Return a baseline of two runs, whose anchor is of one."""
    marks = (RunMark(id=digit * 32, nonce="0" * 32, rows_sha256="0" * 64) for digit in "12")
    results = (msgspec.structs.replace(_result(rows), run=mark) for mark in marks)
    runs = [RunToRecord(result, verdicts_from_rows(rows)) for result in results]
    first = build_baseline(runs[:1], "anchor")
    anchor = Anchor(name=first.name, recorded=first.recorded, runs=first.runs)
    return build_baseline(runs, "baseline", anchor=anchor)


def _rows(code: str) -> list[GroupRow]:
    """Return groups of two relations, nearly all with one verdict, and some not applicable."""
    verdict = {"s": Verdict.SATISFIED, "v": Verdict.VIOLATED}[code]
    found = []
    for number in range(SOURCES):
        for relation in (STATIC, BOUND):
            silent = number == 0
            error = EntityError(category=ErrorCategory.OMISSION)
            found.append(
                GroupRow(
                    id=f"{relation[4:6]}{number:014x}",
                    relation=relation,
                    source_id=f"source-{number:03d}",
                    verdict=Verdict.NOT_APPLICABLE if silent else verdict,
                    source={"text": "Anna met Boris."},
                    follow_up={"text": "Boris met Anna."},
                    source_output={"entities": [[0, 4, "PER"]]},
                    follow_up_output={"entities": []},
                    unmatched={"source": [[0, 4, "PER"]]} if code == "v" else None,
                    reason="vacuous" if silent else "",
                    bound=relation == BOUND,
                    unstable=number == 1,
                    errors=(error,) if code == "v" and not silent else (),
                    stratum="plain" if relation == STATIC else "",
                    cluster=f"cluster-{number:03d}" if number % 2 else "",
                )
            )
    return sorted(found, key=lambda row: row.relation != STATIC)


def _result(rows: Sequence[GroupRow]) -> Result:
    read = Precision(read=50, acceptable=49, interval=(0.9, 0.99), sheet="sheet.csv abc")
    relations = tuple(
        msgspec.structs.replace(relation, precision=read)
        for relation in count_all([STATIC, BOUND], rows)
    )
    return Result(
        format=FORMAT,
        tool=Tool(name="mt-gate", version="1"),
        verdict=GateVerdict.MEASURED,
        exit_code=0,
        reasons=(),
        created="2025-01-31T12:00:00Z",
        suite=SuiteHead(name="made-up", version="1", task="ner", sha256="ab" * 32),
        checkpoint=CheckpointHead(
            name="models/ner",
            fingerprint="cd" * 32,
            runtime=Runtime(
                provider="cpu", precision="fp32", device="cpu", onnxruntime="1", cpu="x86"
            ),
        ),
        settings=RunSettings(
            alpha=0.05,
            margin=0.01,
            strict=False,
            max_applicability_loss=0.1,
            max_applicability_drop=0.5,
            max_violation_rate={"*": 1.0},
            must_hold=(),
            relations=(STATIC, BOUND),
            complete=True,
            noise=1e-6,
        ),
        relations=relations,
        overall=overall(relations),
        profile=Profiles(candidate={"PER": 0.75}),
        timing=Timing(total=1.5),
        predictions=Predictions(requested=99, unique=60, cached=0),
        notes=("made up",),
        repair=Repair(
            fillers="masked-lm",
            similarity="encoder",
            settings=RepairSettings(scores="logit", top=50, min_score=5.5, min_cosine=0.45),
            groups=3,
            sentences=3,
            suspicious=3,
            voted=2,
            changed=1,
            unchanged=1,
            no_candidate=1,
            changed_by_category={"omission": 1},
            predictions=Predictions(requested=9, unique=9, cached=0),
            measures=RepairMeasures(
                labels="gold.jsonl", sentences=3, ft=1, tf=1, tt=1, ff=0, err2cor=1.0,
                cor2err=0.5, error_reduction=0.0,
            ),
        ),
    )  # fmt: skip


def config(folder: Path) -> dict[str, Any]:
    """Return settings as ``mt-gate.toml`` has them, of every kind."""
    return {
        "checkpoint": "models/ner",
        "task": "ner",
        "suite": "ner-default",
        "baseline": str(folder / BASELINE),
        "out": "out",
        "device": "cpu",
        "timeout": 60.0,
        "alpha": 0.05,
        "margin": 0.01,
        "strict": False,
        "max-applicability-loss": 0.1,
        "max-applicability-drop": 0.5,
        "max-churn": 0.3,
        "max-negative-flips": 0.1,
        "policy": {
            "shares": {"block": 0.8, "warn": 0.2},
            "tasks": {"ner": {"margin": 0.02}},
            "relations": {STATIC: {"tier": "warn", "share": 0.5, "max-relative-rise": 0.5}},
            "must-hold": [{"group": "st00000000000005", "reason": "a name", "owner": "ann"}],
            "accepted": [
                {
                    "relation": BOUND,
                    "rise": 0.1,
                    "reason": "a tokenizer",
                    "owner": "ann",
                    "expires": "2999-12-31",
                }
            ],
        },
        "labels": "gold.jsonl",
        "max-violation-rate": {"*": 1.0, STATIC: 0.5},
        "must-hold": ["st00000000000005"],
        "required": [STATIC],
        "relations": [STATIC, BOUND],
        "exclude": ["corpus"],
        "sources": 100,
        "early-stop": False,
        "record-missing": False,
        "cache": "cache",
        "max-length": 128,
    }


def of_baseline(world: World, rng: Random, sealed: bool) -> Iterator[Judged]:
    """Judge by mutated baselines."""
    path = world.folder / "mutated.json"
    for value, where, how in mutations(world.baseline, rng):
        text = as_json(sealed_baseline(value) if sealed else value)
        if (key := hashlib.sha256(text).digest()) not in world.known:
            _write(path, text)
            world.known[key] = _judged(world.folder / RESULT, path)
        yield Judged(where, how, *world.known[key])


def sealed_baseline(value: dict[str, Any]) -> dict[str, Any]:
    """Return a baseline with the digest that fits its content."""
    try:
        return {**value, "sha256": digest_of(as_json(value))}
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return value


def of_result(world: World, rng: Random, sealed: bool) -> Iterator[Judged]:
    """Judge mutated results."""
    for value, where, how in mutations(world.result, rng):
        yield _of_run(world, value, world.rows, where, how, sealed)


def of_rows(world: World, rng: Random, sealed: bool) -> Iterator[Judged]:
    """Judge results with mutated rows."""
    for rows, where, how in mutations(world.rows, rng):
        yield _of_run(world, world.result, rows, where, how, sealed)


def _of_run(
    world: World, result: dict[str, Any], rows: list[Any], where: str, how: str, sealed: bool
) -> Judged:
    folder = world.folder / "mutated"
    folder.mkdir(exist_ok=True)
    if sealed:
        result, rows = sealed_run(result, rows)
    text = b"".join(as_json(row) + b"\n" for row in rows)
    if sealed and isinstance(mark := result.get("run"), dict):
        mark["rows_sha256"] = hashlib.sha256(text).hexdigest()
    stored = as_json(result)
    if (key := hashlib.sha256(stored + b"\n" + text).digest()) not in world.known:
        _write(folder / RESULT, stored)
        _write(folder / GROUPS, gzip.compress(text, 1))
        world.known[key] = _judged(folder / RESULT, world.folder / BASELINE)
    return Judged(where, how, *world.known[key])


def _write(path: Path, data: bytes) -> None:
    """Write a file anew: ext4 waits for the disk where one is written over."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)


def sealed_run(result: dict[str, Any], rows: list[Any]) -> tuple[dict[str, Any], list[Any]]:
    """Return a run whose result and rows have the id that fits its content."""
    nonce = "0" * 32
    try:
        content = msgspec.json.decode(as_json({**result, "run": None}), type=Result)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return result, rows
    content = msgspec.structs.replace(content, timing=Timing())
    own = hashlib.sha256(nonce.encode() + canonical(content)).hexdigest()[:32]
    mark = {"id": own, "nonce": nonce, "rows_sha256": "0" * 64}
    marked = [{**row, "run": own} if isinstance(row, dict) else row for row in rows]
    return {**result, "run": mark}, marked


def of_settings(world: World, rng: Random, _: bool) -> Iterator[Judged]:
    """Judge the run by mutated settings."""
    path = world.folder / CONFIG
    for value, where, how in mutations(world.settings, rng):
        text = as_toml(value)
        if (key := hashlib.sha256(text).digest()) not in world.known:
            _write(path, text)
            world.known[key] = _judged_by(path, world.folder / RESULT)
        yield Judged(where, how, *world.known[key])


def _judged_by(config: Path, result: Path) -> tuple[int, str]:
    try:
        found = load({}, config)
    except MtGateError as error:
        return error.exit_code, str(error)
    return _judged(result, found.baseline, found) if found.baseline else (PASS, "")


def _judged(result: Path, baseline: Path, by: Settings | None = None) -> tuple[int, str]:
    given = {name: getattr(by, name) for name in DECIDING} if by else {}
    try:
        return compare_stored(result, baseline, None, given).exit_code, ""
    except MtGateError as error:
        return error.exit_code, str(error)


Of = Callable[[World, Random, bool], Iterator[Judged]]
KINDS: dict[str, tuple[Of, bool]] = {
    "baseline": (of_baseline, False),
    "baseline sealed": (of_baseline, True),
    "result": (of_result, False),
    "result sealed": (of_result, True),
    "rows": (of_rows, False),
    "rows sealed": (of_rows, True),
    "settings": (of_settings, False),
}


def fault(kind: str, found: Judged) -> str:
    """Return what is wrong with the outcome of a mutation, or nothing."""
    place, _, _ = found.where.rpartition(".")
    other = ".".join(filter(None, (place, found.how.removeprefix("exchanged "))))
    exempt = any(field in (found.where, other) for field in EXEMPT.get(kind, ()))
    if found.code not in EXPECTED and not (exempt and found.code == PASS):
        return f"{kind}: {found.where} {found.how}: exit code {found.code}"
    if not found.message.isprintable():
        return f"{kind}: {found.where} {found.how}: not one line: {found.message!r}"
    return ""


def judged(world: World, kind: str, count: int, seed: int) -> Iterator[Judged]:
    """Yield the outcomes of ``count`` mutations of one kind, the same for the same seed."""
    of, sealed = KINDS[kind]
    found = of(world, Random(f"{kind} {seed}"), sealed)
    for _ in range(count):
        yield next(found)


def main() -> None:
    """Run, and print how many ended with each exit code; the first fault ends it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=200_000, help="mutations in total")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for kind in KINDS:
        codes: Counter[int] = Counter()
        with tempfile.TemporaryDirectory() as name:
            for found in judged(made(Path(name)), kind, given.count // len(KINDS), given.seed):
                if wrong := fault(kind, found):
                    raise SystemExit(wrong)
                codes[found.code] += 1
        counted = ", ".join(f"{codes[code]:,} exit {code}" for code in sorted(codes))
        print(f"{kind}: {codes.total():,} mutations: {counted}", flush=True)


if __name__ == "__main__":
    main()
