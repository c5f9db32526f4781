"""Suites: heads, rows, and what they are packed in."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hostile.models import inside, instead, outside, sparse
from hostile.running import Case, Ground, gate

Row = dict[str, Any]
HEAD = r"suite/suite\.json:? .*(restore|build|expect|newer)"
DATA = r"suite/(suite\.json|sources\.jsonl\.gz|groups\.jsonl\.gz):? .*(restore|build|expect|larger)"
PLACE = (
    r"suite(/[\w.]+|):? .*(link|regular|not exist|has no|/proc|device|FIFO|folder|neither)"
    r"|suite ('|named|is not)"
)
SOURCES, GROUPS = "sources.jsonl.gz", "groups.jsonl.gz"


def of(
    identity: str,
    change: Callable[[Path], object],
    line: str = DATA,
    codes: tuple[int, ...] = (3,),
    command: Callable[[Ground], list[str]] = gate,
) -> Case:
    def made(ground: Ground) -> list[str]:
        change(ground.take("suite"))
        return command(ground)

    return Case(identity, made, line, codes)


def verified(ground: Ground) -> list[str]:  # noqa: ARG001 - as all commands are
    return ["suite", "verify", "suite"]


def shown(ground: Ground) -> list[str]:  # noqa: ARG001 - as all commands are
    return ["suite", "show", "suite"]


def head(change: Callable[[Row], object]) -> Callable[[Path], None]:
    def changed(folder: Path) -> None:
        path = folder / "suite.json"
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value))

    return changed


def with_head(**fields: Any) -> Callable[[Path], None]:
    return head(lambda value: value.update(fields))


def signed(folder: Path, name: str, text: bytes, packed: bytes | None = None) -> None:
    (folder / name).write_bytes(gzip.compress(text, 1) if packed is None else packed)
    entry = {"lines": text.count(b"\n"), "sha256": hashlib.sha256(text).hexdigest()}
    head(lambda value: value["files"].update({name: entry}))(folder)


def rows(name: str, change: Callable[[list[Row]], object]) -> Callable[[Path], None]:
    def changed(folder: Path) -> None:
        text = gzip.decompress((folder / name).read_bytes())
        result = [json.loads(line) for line in text.splitlines()]
        change(result)
        signed(folder, name, b"".join(json.dumps(row).encode() + b"\n" for row in result))

    return changed


def first(name: str, **fields: Any) -> Callable[[Path], None]:
    return rows(name, lambda rows_of_file: rows_of_file[0].update(fields))


def raw(name: str, text: bytes) -> Callable[[Path], None]:
    return lambda folder: signed(folder, name, text)


def bomb(name: str, line: bytes, times: int) -> Callable[[Path], None]:
    def changed(folder: Path) -> None:
        block = line * (1 + (1 << 20) // len(line))
        (folder / name).write_bytes(gzip.compress(block) * times)
        digest = hashlib.sha256()
        for _ in range(times):
            digest.update(block)
        entry = {"lines": 7, "sha256": digest.hexdigest()}
        head(lambda value: value["files"].update({name: entry}))(folder)

    return changed


def put(name: str, make: Callable[[Path], object]) -> Callable[[Path], None]:
    return instead(make, name)


def cut(name: str, keep: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(keep((folder / name).read_bytes()))


def relation(**fields: Any) -> Callable[[Path], None]:
    return head(lambda value: value["relations"][0].update(fields))


def again(rows_of_file: list[Any]) -> None:
    rows_of_file.append(rows_of_file[0])


COMMANDS = "x\n::set-output name=a::b\x1b[31m##[error]"
SOURCE = b'{"id":"%d","input":{"text":"Anna was here."},"origin":"made up"}\n'
PLACES = [
    of(f"{name.partition('.')[0]}-{identity}", put(name, make), PLACE, (2, 3))
    for name, identity, make in (
        ("suite.json", "fifo", os.mkfifo),
        (GROUPS, "environment", lambda path: path.symlink_to("/proc/self/environ")),
    )
] + [
    of("groups-link-out", lambda folder: outside(folder / GROUPS), PLACE),
    of("groups-link-inside", lambda folder: inside(folder / GROUPS), "", (0,)),
    of("head-of-1-tib", put("suite.json", sparse(1 << 40)), r"suite\.json.*bytes"),
    Case("nowhere", lambda g: gate(g, suite="nowhere"), PLACE, (2,)),
    Case("suite-of-commands", lambda g: gate(g, suite=COMMANDS), "suite", (2, 3)),
]
HEADS = [
    *(
        of(
            f"head-{identity}",
            lambda folder, data=data: (folder / "suite.json").write_bytes(data),
            HEAD,
        )
        for identity, data in {
            "empty": b"",
            "of-secrets": b"AWS_SECRET_ACCESS_KEY=abc",
        }.items()
    ),
    of("head-without-files", head(lambda value: value.pop("files")), HEAD),
    of("head-format-99", with_head(format=99), "suite format 99"),
    of("head-task-of-commands", with_head(task=f"ner{COMMANDS}"), "task", (2, 3)),
    of("head-name-of-commands", with_head(name=COMMANDS), HEAD, (0, 3)),
    of("head-relation-unknown", relation(id="ner/later"), r"ner/later|not listed|relation"),
    of("head-relation-twice", head(lambda v: again(v["relations"])), "twice|relation"),
    of("head-files-outside", with_head(files={"../x": {"lines": 1, "sha256": "0" * 64}}), HEAD),
]
PACKED = [
    of("groups-half", cut(GROUPS, lambda data: data[: len(data) // 2]), DATA),
    of("sources-no-gzip", cut(SOURCES, lambda _: b"no gzip"), DATA),
    of("sources-without-end", bomb(SOURCES, SOURCE % 7, 600), r"(larger|twice|bytes|lines|rows)"),
]
ROWS = [
    of("groups-row-undecodable", raw(GROUPS, b"\xff\xfe\n"), DATA),
    of("groups-none", raw(GROUPS, b""), DATA),
    of("source-twice", rows(SOURCES, again), "twice"),
    of("source-entities-beyond", first(SOURCES, entities=[[0, 10**9, "PER"]]), DATA, (0, 3)),
    of("group-of-commands", first(GROUPS, source=COMMANDS), "names source"),
    of("group-id-of-commands", first(GROUPS, id=COMMANDS), f"{DATA}|id", (0, 3)),
    of("alignment-beyond", first(GROUPS, alignment=[[0, 0, 10**9]]), f"aligns|{DATA}"),
]
OTHERS = [
    of("verify-bomb", bomb(GROUPS, b"{}\n", 600), r"groups\.jsonl\.gz", (3,), verified),
    of("show-fifo", put("suite.json", os.mkfifo), PLACE, (2, 3), shown),
]
CASES = [*PLACES, *HEADS, *PACKED, *ROWS, *OTHERS]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_suite(case: Case, attack: Callable) -> None:
    attack(case)
