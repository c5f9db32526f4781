"""A run on a cluster is the whole run, byte for byte, though a node is lost in its middle."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from mt_gate.base.errors import PASS, CannotJudge, MtGateError, UsageError
from mt_gate.results.store import locked
from mt_gate.settings.record import Settings
from mt_gate.sharding.distributing import run_on_ray
from sharding.shards import files

pytest.importorskip("ray", reason="needs mt-gate[ray]")


class Nodes(NamedTuple):
    """A cluster of two nodes of one CPU each, on this machine."""

    cluster: Any
    other: Any

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def lose_the_other(self) -> None:
        others = self._others
        self.cluster.remove_node(self.other, allow_graceful=False)
        for worker in others:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)

    @property
    def _others(self) -> list[int]:
        """The processes that the other node started for its work."""
        (raylet,) = self.other.all_processes["raylet"]
        parent = raylet.process.pid
        children = Path(f"/proc/{parent}/task/{parent}/children")
        return [
            pid
            for pid in map(int, children.read_text().split())
            if b"ray::" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    from ray.cluster_utils import Cluster as LocalCluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    small = {
        "num_cpus": 1,
        "object_store_memory": 100 << 20,
        "include_dashboard": False,
        "num_gpus": 0,
    }
    cluster = LocalCluster(initialize_head=True, head_node_args=small)
    try:
        other = cluster.add_node(num_cpus=1, object_store_memory=100 << 20)
        cluster.wait_for_nodes()
        yield Nodes(cluster, other)
    finally:
        cluster.shutdown()


@pytest.fixture
def ner(small: Path, suite: Path) -> list[object]:
    return ["--checkpoint", small, "--task", "ner", "--suite", suite, "--threads", 1]


@pytest.fixture
def settings(small: Path, suite: Path, tmp_path: Path) -> Settings:
    return Settings(
        checkpoint=str(small),
        task="ner",
        suite=str(suite),
        threads=1,
        out=tmp_path / "ray",
        cache=tmp_path / "ray-cache",
    )


def test_a_node_is_lost_in_the_middle(
    mt_gate: Callable,
    ner: list[object],
    settings: Settings,
    nodes: Nodes,
    tmp_path: Path,
) -> None:
    assert mt_gate("run", *ner, "--out", "whole", "--cache", "own").code == PASS
    result: list[str] = []

    def lose(done: int, of: int) -> None:
        assert of == 7
        with pytest.raises(UsageError, match="in use by another mt-gate"):
            locked(settings.out).__enter__()
        if done == 1:
            nodes.lose_the_other()

    run_on_ray(settings, nodes.address, 7, result.append, lose)
    assert result[0] == "7 shards on 2 workers"
    assert files(tmp_path / "ray") == files(tmp_path / "whole")


def test_judged_as_one_run(
    mt_gate: Callable, ner: list[object], worse: Path, nodes: Nodes, tmp_path: Path
) -> None:
    """Exit code, what is printed, and all files; paths are relative, as users give them."""
    mt_gate("run", *ner, "--out", "first", "--cache", "own")
    mt_gate("baseline", "record", "first", "--name", "ner")
    worse.rename(tmp_path / "worse")
    options = ["--checkpoint", "worse", *ner[2:], "--baseline", "baselines/ner.json", "--strict"]
    whole = mt_gate("run", *options, "--out", "whole", "--cache", "own")
    on_ray = ("--executor", "ray", "--address", nodes.address, "--out", "ray", "--cache", "other")
    actual = mt_gate("run", *options, *on_ray)
    assert actual.code == whole.code != PASS, actual.err
    assert actual.out == whole.out.replace("whole/report", "ray/report")
    assert "mt-gate: 2 shards on 2 workers\n" in actual.err
    assert files(tmp_path / "ray") == files(tmp_path / "whole")
    again = mt_gate("run", *options, *on_ray)  # all of it is known, as it would be to one run
    mt_gate("run", *options, "--out", "whole", "--cache", "own")
    assert again.code == actual.code
    assert files(tmp_path / "ray") == files(tmp_path / "whole")


def test_workers_must_agree(settings: Settings, nodes: Nodes, worse: Path, tmp_path: Path) -> None:
    """Another checkpoint at its path, or what is no suite any more: each is refused."""
    here = shutil.copytree(settings.checkpoint, tmp_path / "here" / "bert")
    settings = replace(settings, checkpoint=str(here))

    def exchange(_: str) -> None:
        for name in ("model.onnx", "checkpoint.json"):
            shutil.copy(worse / name, here / name)

    with pytest.raises(CannotJudge, match=r"A worker has fingerprint .* same files"):
        run_on_ray(settings, nodes.address, 2, exchange, lambda *_: None)
    suite = Path(settings.suite)

    def cut(_: str) -> None:
        os.truncate(suite / "groups.jsonl.gz", 40)

    with pytest.raises(CannotJudge, match=r"Shard \d/2: .*groups\.jsonl\.gz"):
        run_on_ray(settings, nodes.address, 2, cut, lambda *_: None)
    assert not [*settings.out.glob("*")]


def test_gpus_are_requested_from_the_cluster(settings: Settings, nodes: Nodes) -> None:
    """A worker is started where one is said to be, and finds none: the runtime is that of CPUs."""
    on_gpus = replace(settings, device="cuda")
    with pytest.raises(CannotJudge, match="0 GPUs, but a worker needs a GPU and a CPU"):
        run_on_ray(on_gpus, nodes.address, None, lambda _: None, lambda *_: None)
    nodes.cluster.add_node(num_cpus=1, num_gpus=1, object_store_memory=100 << 20)
    nodes.cluster.wait_for_nodes()
    result: list[str] = []
    with pytest.raises(MtGateError, match=r"Shard 1/1: .*CUDA"):
        run_on_ray(on_gpus, nodes.address, None, result.append, lambda *_: None)
    assert result == ["1 shard on 1 worker"]
