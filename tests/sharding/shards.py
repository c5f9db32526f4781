"""A run in shards, and what a whole run leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

FIVE = ("groups.jsonl.gz", "junit.xml", "report.html", "result.json", "summary.md")


def files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FIVE}


def in_shards(
    mt_gate: Callable[..., Any], of: int, options: list[object], cache: str
) -> list[Path]:
    """Run every shard, each with a cache of its own; return their folders."""
    folders = []
    for number in range(1, of + 1):
        folders.append(Path(f"shards-{cache}/{number}-of-{of}"))
        where = ("--out", folders[-1], "--cache", f"{cache}-{number}-of-{of}")
        done = mt_gate("run", *options, "--shard", f"{number}/{of}", *where)
        assert done.code == 0, done.err
        assert sorted(path.name for path in folders[-1].iterdir()) == [
            "answers.jsonl.gz",
            "shard.json",
        ]
    return folders
