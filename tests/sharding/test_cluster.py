"""What a cluster has room for, and what is said where none is reached."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cases import table
from mt_gate.base.errors import CANNOT_JUDGE, USAGE, CannotJudge, UsageError
from mt_gate.settings.record import Settings
from mt_gate.sharding import distributing
from mt_gate.sharding.distributing import Room, address_of, connected, room_in


def nodes(*sizes: tuple[float, float]) -> list[dict[str, Any]]:
    return [{"Alive": True, "Resources": {"CPU": cpu, "GPU": gpu}} for cpu, gpu in sizes]


def settings(**stated: Any) -> Settings:
    return Settings(checkpoint="c", task="ner", suite="ner-default", **stated)


@pytest.mark.parametrize(
    ("sizes", "stated", "room"),
    [
        ([(8, 0), (8, 0)], {}, Room(2, 8, 0)),
        ([(8, 0), (3, 0), (0, 0)], {}, Room(3, 3, 0)),
        ([(8, 0), (3, 0)], {"threads": 2}, Room(5, 2, 0)),
        ([(8, 4), (8, 0)], {}, Room(2, 8, 0)),
        ([(8, 4), (2, 4), (8, 0)], {"device": "cuda"}, Room(6, 1, 1)),
        ([(0.5, 0), (4, 0)], {}, Room(1, 4, 0)),
    ],
)
def test_room(sizes: list[tuple[float, float]], stated: dict, room: Room) -> None:
    dead = {"Alive": False, "Resources": {"CPU": 64.0, "GPU": 8.0}}
    assert room_in([*nodes(*sizes), dead], settings(**stated)) == room


@pytest.mark.parametrize(("sizes", "stated", "words"), table(__file__, "no_room"))
def test_no_room(sizes: list[tuple[float, float]], stated: dict, words: str) -> None:
    with pytest.raises(CannotJudge, match=words):
        room_in(nodes(*sizes), settings(**stated))


@pytest.mark.parametrize("address", ["auto", "ray://h:1", "host", "host:0", "host:99999", "h:1 x"])
def test_bad_addresses_are_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", address)
    for option, named in ((address, "--address"), ("", "RAY_ADDRESS")):
        with pytest.raises(UsageError, match=f"{named} must be HOST:PORT"):
            address_of(option)


@pytest.fixture
def on_ray(command: Callable, small: Path, suite: Path) -> Callable[..., Any]:
    def run(*more: object) -> Any:
        arguments = ("--checkpoint", small, "--task", "ner", "--suite", suite)
        return command("run", *arguments, "--executor", "ray", *more)

    return run


def test_without_ray(on_ray: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = on_ray()
    assert done.code == CANNOT_JUDGE
    assert done.err.count("\n") == 1
    assert "--executor ray: ray is not installed. Run pip install 'mt-gate[ray]'" in done.err


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a port that takes connections, and says nothing."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.mark.slow
def test_a_silent_address_is_reported(
    on_ray: Callable, monkeypatch: pytest.MonkeyPatch, silent: str
) -> None:
    pytest.importorskip("ray", reason="needs mt-gate[ray]")
    monkeypatch.setattr(distributing, "ANSWERS_WITHIN", 3)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        unheard = f"127.0.0.1:{closed.getsockname()[1]}"
        for address in (unheard, silent):
            done = on_ray("--address", address)
            assert done.code == CANNOT_JUDGE
            assert done.err.count("\n") == 1
            assert f"--address {address}: no healthy Ray cluster replies there" in done.err


@pytest.mark.parametrize("more", table(__file__, "what_does_not_go_together"))
def test_what_does_not_go_together(
    command: Callable, small: Path, suite: Path, more: list[object]
) -> None:
    done = command("run", "--checkpoint", small, "--task", "ner", "--suite", suite, *more)
    assert done.code == USAGE
    assert done.err.count("\n") == 1
    assert "ray" not in sys.modules or "RAY" not in done.err


@pytest.mark.slow
def test_what_ray_starts_here_knows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any program of this user can read the environment of Ray's processes."""
    pytest.importorskip("ray", reason="needs mt-gate[ray]")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("DEPLOY_TOKEN", "never-in-a-process-of-ray")
    monkeypatch.setenv("MT_GATE_OF_THIS_TEST", "1")
    before = dict(os.environ)
    with connected(address_of("")):
        started = [*_environments_of_ray()]
        assert started
        assert not any(b"never-in-a-process" in actual for actual in started)
    after = {name: os.environ[name] for name in before}
    assert after == before


def _environments_of_ray() -> Iterator[bytes]:
    """Yield the environments of the processes that this one started, or those started."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
            parents[int(status.parent.name)] = int(fields[1])
        except OSError:
            continue
    ours = {os.getpid()}
    for _ in range(4):
        ours |= {child for child, parent in parents.items() if parent in ours}
    for child in ours - {os.getpid()}:
        try:
            yield Path(f"/proc/{child}/environ").read_bytes()
        except OSError:
            continue


def group_of(leader: int) -> list[int]:
    """Return the processes of a group that have not ended."""
    result = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            process = int(folder.name)
            ended = "\nState:\tZ" in (folder / "status").read_text()
            if os.getpgid(process) == leader and not ended:
                result.append(process)
    return result


def named(process: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/comm").read_text().strip()
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("meanwhile", [True, False], ids=["it starts", "it is there"])
def test_an_interrupt_ends_the_cluster_that_was_started(meanwhile: bool, sent: str) -> None:
    pytest.importorskip("ray", reason="needs mt-gate[ray]")
    program = (
        "import signal, time\n"
        "from mt_gate.sharding.distributing import connected\n"
        f"signal.signal(signal.{sent}, signal.default_int_handler)\n"
        "with connected(''):\n"
        "    print('there', flush=True)\n"
        "    time.sleep(600)\n"
    )
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=pipe, stderr=pipe, start_new_session=True
    )
    assert process.stdout
    while meanwhile and "gcs_server" not in map(named, group_of(process.pid)):
        assert process.poll() is None
        time.sleep(0.01)
    assert meanwhile or process.stdout.readline() == b"there\n"
    if sent == "SIGINT":
        os.killpg(process.pid, signal.SIGINT)  # a terminal signals all of its processes
    else:
        process.terminate()
    _, result = process.communicate()
    assert b"KeyboardInterrupt" in result
    assert process.returncode == -signal.SIGINT, "it was interrupted, and did not crash"
    for _ in range(100):
        if not group_of(process.pid):
            return
        time.sleep(0.1)
    raise AssertionError(group_of(process.pid))
