"""Suites: heads, rows, and what they are packed in."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hostile.models import inside, instead, listen, outside, sparse
from hostile.running import Case, Ground, gate

Row = dict[str, Any]
HEAD = r"suite/suite\.json: .*(restore|build|expect|newer)"
DATA = r"suite/(suite\.json|sources\.jsonl\.gz|groups\.jsonl\.gz): .*(restore|build|expect|larger)"
PLACE = r"suite(/[\w.]+|): .*(link|regular|no such|/proc|device|FIFO|folder|neither)|suite '"
SOURCES, GROUPS = "sources.jsonl.gz", "groups.jsonl.gz"


def of(
    identity: str,
    change: Callable[[Path], object],
    line: str = DATA,
    codes: tuple[int, ...] = (3,),
    command: Callable[[Ground], list[str]] = gate,
) -> Case:
    """Return the case of a good suite that is changed."""

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
    """Write the text of a data file, and its digest into the head: hashes fit, as of a stranger."""
    (folder / name).write_bytes(gzip.compress(text, 1) if packed is None else packed)
    entry = {"lines": text.count(b"\n"), "sha256": hashlib.sha256(text).hexdigest()}
    head(lambda value: value["files"].update({name: entry}))(folder)


def rows(name: str, change: Callable[[list[Row]], object]) -> Callable[[Path], None]:
    """Return a change to rows, whose digest then fits again."""

    def changed(folder: Path) -> None:
        text = gzip.decompress((folder / name).read_bytes())
        found = [json.loads(line) for line in text.splitlines()]
        change(found)
        signed(folder, name, b"".join(json.dumps(row).encode() + b"\n" for row in found))

    return changed


def first(name: str, **fields: Any) -> Callable[[Path], None]:
    return rows(name, lambda found: found[0].update(fields))


def raw(name: str, text: bytes) -> Callable[[Path], None]:
    """Return a change to the text of a file, whose digest then fits again."""
    return lambda folder: signed(folder, name, text)


def bomb(name: str, line: bytes, times: int) -> Callable[[Path], None]:
    """Return a change to lines without end, packed small; the digest fits."""

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


def again(found: list[Any]) -> None:
    found.append(found[0])


SOURCE = b'{"id":"%d","input":{"text":"Anna was here."},"origin":"made up"}\n'
NAMES = ("suite.json", SOURCES, GROUPS)
PLACES = [
    of(f"{name.partition('.')[0]}-{identity}", put(name, make), PLACE, (2, 3))
    for name in NAMES
    for identity, make in {
        "missing": lambda _: None,
        "fifo": os.mkfifo,
        "folder": Path.mkdir,
        "zeros": lambda path: path.symlink_to("/dev/zero"),
        "environment": lambda path: path.symlink_to("/proc/self/environ"),
        "own-memory": lambda path: path.symlink_to("/proc/self/mem"),
        "passwords": lambda path: path.symlink_to("/etc/passwd"),
        "dangling": lambda path: path.symlink_to("nowhere"),
        "socket": listen,
    }.items()
] + [
    *(
        of(
            f"{name.partition('.')[0]}-link-out",
            lambda folder, name=name: outside(folder / name),
            PLACE,
        )
        for name in NAMES
    ),
    of("groups-link-inside", lambda folder: inside(folder / GROUPS), "", (0,)),
    of("head-of-1-tib", put("suite.json", sparse(1 << 40)), r"suite\.json.*bytes"),
    of("groups-of-1-tib", put(GROUPS, sparse(1 << 40)), DATA),
    Case("suite-file", lambda g: (g.write("suite", "x"), gate(g))[1], PLACE, (2, 3)),
    Case("nowhere", lambda g: gate(g, suite="nowhere"), PLACE, (2,)),
    Case(
        "suite-of-commands",
        lambda g: gate(g, suite="x\n::set-output name=a::b\x1b[31m"),
        "suite",
        (2, 3),
    ),
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
            "null": b"null",
            "list": b"[]",
            "text": b'"x"',
            "undecodable": b'{"a":"\xff"}',
            "brackets": b"[" * 500_000,
            "objects": b'{"a":' * 100_000,
            "cut-off": b'{"format": 1, "na',
            "of-secrets": b"AWS_SECRET_ACCESS_KEY=abc",
        }.items()
    ),
    *(
        of(f"head-without-{name}", head(lambda value, name=name: value.pop(name)), HEAD)
        for name in ("format", "name", "task", "version", "seed", "relations", "sources", "files")
    ),
    *(
        of(f"head-{name}-{kind}", with_head(**{name: value}), HEAD)
        for name in ("format", "name", "task", "seed", "relations", "sources", "files", "tools")
        for kind, value in {"null": None, "fraction": 0.5, "of-lists": [[]]}.items()
    ),
    of("head-format-99", with_head(format=99), "suite format 99"),
    of("head-format-huge", with_head(format=1 << 80), HEAD),
    of("head-seed-huge", with_head(seed=1 << 80), f"{HEAD}", (0, 3)),
    of("head-task-unknown", with_head(task="poetry"), "task", (2, 3)),
    of(
        "head-task-of-commands",
        with_head(task="ner\n::set-output name=verdict::pass"),
        "task",
        (2, 3),
    ),
    of("head-task-other", with_head(task="boolq"), "suite", (2, 3)),
    of(
        "head-name-of-commands",
        with_head(name="x\n::set-output name=verdict::pass\x1b[31m##[error]"),
        HEAD,
        (0, 3),
    ),
    of("head-name-outside", with_head(name="../../../etc/cron.d/x"), HEAD, (0, 3)),
    of("head-name-of-1-mb", with_head(name="x" * (1 << 20)), HEAD, (0, 3)),
    of("head-no-relations", with_head(relations=[]), r"relation"),
    of("head-relation-unknown", relation(id="ner/later"), r"ner/later|not listed|relation"),
    of(
        "head-relation-of-commands",
        relation(id="x\n::set-output name=a::b\x1b[31m"),
        r"relation|listed",
    ),
    of("head-relation-of-another-task", relation(id="boolq/voice-change"), "relation|task|listed"),
    of(
        "head-relation-twice",
        head(lambda v: again(v["relations"])),
        "relation.*twice|twice|relation",
    ),
    of("head-counts-lower", relation(groups=1), "lists 1 groups"),
    of("head-counts-huge", relation(groups=1 << 62), "lists .* groups|suite"),
    of("head-counts-below-0", relation(groups=-1), "lists -1 groups|suite"),
    of("head-bound-that-is-not", relation(bound=True), "groups"),
    of(
        "head-precision-extreme",
        relation(
            precision={
                "read": 1 << 62,
                "acceptable": -5,
                "interval": [-1e308, 1e308],
                "sheet": "../../x",
            }
        ),
        HEAD,
    ),
    of("head-precision-retyped", relation(precision=[1]), HEAD),
    of("head-files-outside", with_head(files={"../x": {"lines": 1, "sha256": "0" * 64}}), HEAD),
    of(
        "head-digest-short",
        with_head(files={n: {"lines": 1, "sha256": ""} for n in (SOURCES, GROUPS)}),
        "sha256",
    ),
    of(
        "head-threshold-infinite",
        lambda folder: (folder / "suite.json").write_text(
            (folder / "suite.json")
            .read_text()
            .replace('"thresholds": {}', '"thresholds": {"a": 1e999}')
        ),
        HEAD,
        (0, 3),
    ),
    of(
        "head-a-million-corpora",
        with_head(
            sources=[
                {"name": f"c{i}", "licence": "x", "attribution": "x", "sentences": 1}
                for i in range(60_000)
            ]
        ),
        HEAD,
    ),
    of(
        "head-lines-that-lie",
        head(lambda v: v["files"][GROUPS].update(lines=1 << 62)),
        DATA,
        (0, 3),
    ),
]
PACKED = [
    *(
        of(
            f"{name.partition('.')[0]}-{identity}",
            cut(name, keep),
            DATA,
        )
        for name in (SOURCES, GROUPS)
        for identity, keep in {
            "emptied": lambda _: b"",
            "no-gzip": lambda _: b"no gzip",
            "half": lambda d: d[: len(d) // 2],
            "without-its-check": lambda d: d[:-8],
            "of-another-check": lambda d: d[:-8] + b"\0" * 8,
            "with-more-behind": lambda d: d + gzip.compress(b"{}\n"),
            "bit-turned": lambda d: d[:60] + bytes([d[60] ^ 4]) + d[61:],
            "zip": lambda _: b"PK\3\4" + bytes(99),
        }.items()
    ),
    of("sources-without-end", bomb(SOURCES, SOURCE % 7, 600), r"(larger|twice|bytes|lines|rows)"),
    of("groups-without-end", bomb(GROUPS, b"{}\n", 600), r"groups\.jsonl\.gz: "),
    of("groups-of-blank-lines", bomb(GROUPS, b"\n", 600), r"groups\.jsonl\.gz: "),
    of("groups-of-one-line", bomb(GROUPS, b"x", 600), DATA),
    of("sources-of-a-long-text", bomb(SOURCES, b" " * 99, 600), r"sources\.jsonl\.gz: "),
    of("groups-twice-packed", lambda folder: signed(folder, GROUPS, gzip.compress(b"{}")), DATA),
    of(
        "sources-a-million-short",
        lambda folder: signed(folder, SOURCES, b"".join(SOURCE % i for i in range(300_000))),
        r"suite",
    ),
]
ROWS = [
    *(
        of(f"{name.partition('.')[0]}-row-{identity}", raw(name, data), DATA)
        for name in (SOURCES, GROUPS)
        for identity, data in {
            "null": b"null\n",
            "list": b"[]\n",
            "object": b"{}\n",
            "undecodable": b"\xff\xfe\n",
            "blank": b"\n\n",
            "brackets": b"[" * 900_000 + b"\n",
            "objects": b'{"a":' * 100_000 + b"\n",
            "deep-input": b'{"id":"a","relation":"ner/structural","source":"made-0000","input":'
            + b'{"text":' * 100_000
            + b"\n",
            "nan": b"NaN\n",
            "secret": b"AWS_SECRET_ACCESS_KEY=abc\n",
        }.items()
    ),
    of("sources-none", raw(SOURCES, b""), DATA),
    of("groups-none", raw(GROUPS, b""), DATA),
    of("source-twice", rows(SOURCES, again), "twice"),
    of("group-twice", rows(GROUPS, again), "twice"),
    of("source-id-list", first(SOURCES, id=["a"]), DATA),
    of("source-id-of-commands", first(SOURCES, id="x\n::set-output name=a::b\x1b[31m"), DATA),
    of("source-input-list", first(SOURCES, input=["x"]), DATA),
    of("source-input-nothing", first(SOURCES, input={}), DATA),
    of("source-text-number", first(SOURCES, input={"text": 7}), DATA),
    of("source-text-blank", first(SOURCES, input={"text": " \n "}), DATA),
    of("source-text-of-2-mb", first(SOURCES, input={"text": "x" * (2 << 20)}), DATA),
    of("source-text-surrogate", first(SOURCES, input={"text": "a\ud800b"}), DATA),
    of("source-bind-unknown", first(SOURCES, bind=["ner/later"]), r"listed|relation"),
    of(
        "source-bind-commands",
        first(SOURCES, bind=["x\n::set-output name=a::b"]),
        r"listed|relation",
    ),
    of("source-entities-beyond", first(SOURCES, entities=[[0, 10**9, "PER"]]), DATA, (0, 3)),
    of("source-entities-below-0", first(SOURCES, entities=[[-5, -1, "PER"]]), DATA, (0, 3)),
    of("group-of-no-source", first(GROUPS, source="nowhere"), "names source"),
    of(
        "group-of-commands",
        first(GROUPS, source="x\n::set-output name=a::b\x1b[31m"),
        "names source",
    ),
    of("group-relation-unknown", first(GROUPS, relation="ner/later"), "not listed"),
    of("group-id-huge", first(GROUPS, id="x" * (1 << 20)), f"{DATA}|id", (0, 3)),
    of("group-id-empty", first(GROUPS, id=""), f"{DATA}|id", (0, 3)),
    of(
        "group-id-of-commands",
        first(GROUPS, id="x\n::set-output name=a::b\x1b[31m"),
        f"{DATA}|id",
        (0, 3),
    ),
    of("group-follow-up-null", first(GROUPS, follow_up=None), DATA),
    of("group-follow-up-number", first(GROUPS, follow_up={"text": 1e308}), DATA),
    of("alignment-beyond", first(GROUPS, alignment=[[0, 0, 10**9]]), f"aligns|{DATA}"),
    of("alignment-below-0", first(GROUPS, alignment=[[-9, -9, 3]]), f"aligns|{DATA}"),
    of("alignment-of-nothing", first(GROUPS, alignment=[[0, 0, 0]]), f"aligns|{DATA}"),
    of("alignment-backwards", first(GROUPS, alignment=[[5, 5, 1], [0, 0, 1]]), f"aligns|{DATA}"),
    of("alignment-of-fractions", first(GROUPS, alignment=[[0.5, 0, 1]]), DATA),
    of("alignment-of-2-100", first(GROUPS, alignment=[[1 << 100, 0, 1]]), DATA),
    of("alignment-a-million", first(GROUPS, alignment=[[0, 0, 1]] * 200_000), f"aligns|{DATA}"),
    of("alignment-of-pairs", first(GROUPS, alignment=[[0, 0]]), DATA),
]
OTHERS = [
    *(
        of(f"{word}-{identity}", change, line, codes, command)
        for word, command in (("verify", verified), ("show", shown))
        for identity, change, line, codes in (
            ("bomb", bomb(GROUPS, b"{}\n", 600), r"groups\.jsonl\.gz", (3,)),
            (
                "environment",
                put(SOURCES, lambda path: path.symlink_to("/proc/self/environ")),
                PLACE,
                (2, 3),
            ),
            ("fifo", put("suite.json", os.mkfifo), PLACE, (2, 3)),
            ("twice", rows(SOURCES, again), "twice", (3,)),
            ("brackets", raw(GROUPS, b"[" * 900_000 + b"\n"), DATA, (3,)),
        )
    ),
]
CASES = [*PLACES, *HEADS, *PACKED, *ROWS, *OTHERS]
