"""Resources of the machine, limits of a process, and a program connected by three pipes.

One loop writes and reads whichever pipe is ready, so that none blocks for ever: a program may
reply while it still gets requests, and may write to standard error.

A program that a run starts may be untrusted, and the environment of a workflow's step has tokens
and keys under any name. No pattern recognises all secrets, so the variables that a program gets
are listed by name, also in ``docs/systems.md``.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import platform
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.escaping import hide
from mt_gate.base.files import is_within

MOST_READ = 1 << 16
"""Characters to read of ``/proc/cpuinfo``: the first of many processors is enough."""
FEATURES = frozenset(
    "fma avx avx2 avx_vnni avx_vnni_int8 avx512f avx512bw avx512_bf16 avx512_fp16 avx512_vnni "
    "amx_bf16 amx_fp16 amx_int8 "  # x86
    "asimdhp asimddp i8mm bf16 sve sve2 sme sme2".split()  # ARM
)
"""CPU features that decide how a runtime multiplies, and therefore how it rounds."""
_OF_APPLE = {
    "FEAT_FP16": "asimdhp",
    "FEAT_DotProd": "asimddp",
    "FEAT_I8MM": "i8mm",
    "FEAT_BF16": "bf16",
    "FEAT_SME": "sme",
    "FEAT_SME2": "sme2",
}
_OF_INTEL_MAC = {"AVX1.0": "avx"}
_INTEL_MAC = ("machdep.cpu.features", "machdep.cpu.leaf7_features")
_CPU_INFO = Path("/proc/cpuinfo")
_QUOTAS = (
    (Path("/sys/fs/cgroup/cpu.max"), None),
    (Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us")),
)


def usable_cores(files: tuple[tuple[Path, Path | None], ...] = _QUOTAS) -> int:
    """Return the number of cores that CPU affinity and the container's quota (cgroup 2 or 1) allow.

    ``os.cpu_count`` returns the machine's cores. In a container limited to 2 of 64 cores, 64
    threads would mostly wait.
    """
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        cores = os.cpu_count() or 1
    for quota_file, period_file in files:
        with suppress(OSError, ValueError, IndexError):
            words = quota_file.read_text().split()
            words += period_file.read_text().split() if period_file else []
            quota, period = float(words[0]), float(words[1])
            if quota > 0 and period > 0:
                return max(1, min(cores, math.ceil(quota / period)))
    return cores


def cpu_name() -> str:
    """Return the processor's name, as the operating system reports it."""
    return _first("model name") or platform.processor() or platform.machine()


def cpu_features() -> tuple[str, ...]:
    """Return those of ``FEATURES`` that the processor has, sorted; empty if unknown."""
    if sys.platform == "darwin":
        return mac_features(_sysctl)
    words = f"{_first('flags')} {_first('Features')}".split()
    return tuple(sorted(FEATURES.intersection(words)))


def mac_features(sysctl: Callable[[str], bytes]) -> tuple[str, ...]:
    """Return the features of a Mac; ``sysctl`` returns a value by its name, b"" if unknown."""
    words = " ".join(sysctl(name).decode("ascii", "replace") for name in _INTEL_MAC)
    names = {_OF_INTEL_MAC.get(word, word.lower()) for word in words.replace("\0", " ").split()}
    arm = {name for flag, name in _OF_APPLE.items() if any(sysctl(f"hw.optional.arm.{flag}"))}
    return tuple(sorted(FEATURES & (names | arm)))


def _sysctl(name: str) -> bytes:
    value, size = ctypes.create_string_buffer(4096), ctypes.c_size_t(4096)
    read = ctypes.CDLL(None).sysctlbyname
    failed = read(name.encode(), value, ctypes.byref(size), None, ctypes.c_size_t(0))
    return b"" if failed else value.raw[: size.value]


def _first(key: str) -> str:
    with suppress(OSError), _CPU_INFO.open(encoding="ascii", errors="replace") as file:
        lines = (line.partition(":") for line in file.read(MOST_READ).splitlines())
        return next((value.strip() for name, _, value in lines if name.strip() == key), "")
    return ""


GIB = 1 << 30
LEAST_MEMORY = 4 * GIB
"""Bytes of memory that any checkpoint may use: for the runtime, its threads, and a batch."""
TIMES_WEIGHTS = 4
"""Further bytes of memory per byte of the checkpoint's files: read, parsed, packed by kernels."""
EXPORT_ANSWERS = 30
"""Time limit of an export, as a multiple of the limit for one prediction."""
BYTES_A_SECOND = 20e6
"""Speed of a slow disk, for the time limit of reading files."""
_MOST_FILES = 10_000
_PAGE = os.sysconf("SC_PAGE_SIZE")
_CGROUP = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


class Limits(NamedTuple):
    """Limits of a checkpoint's process.

    ``seconds`` limits the wall-clock time until a reply, and the processor time on each core.
    ``memory`` limits resident bytes.
    """

    seconds: float
    memory: int


class Allowed(NamedTuple):
    """Limits that the user sets: seconds per prediction, GiB of memory (None: no limit)."""

    timeout: float = 60.0
    max_memory: float | None = None

    def limits(self, folder: Path, *, answers: int = 1, loads: int = 0, models: int = 1) -> Limits:
        """Return the limits for ``answers`` replies, with the files read ``loads`` times.

        ``models`` is the number of models in memory at the same time.
        """
        # Add up the sizes of all files in the folder and below, as far as they are known. Count a
        # link only if ``files.opened`` follows it.
        paths = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
        size = 0
        for path in islice(paths, _MOST_FILES):
            with suppress(OSError):
                counts = path.is_file() and (not path.is_symlink() or is_within(path, folder))
                size += path.stat().st_size if counts else 0
        seconds = self.timeout * answers + loads * size / BYTES_A_SECOND
        if self.max_memory is not None:
            return Limits(seconds, int(self.max_memory * GIB))
        machine = _PAGE * os.sysconf("SC_PHYS_PAGES")
        for file in _CGROUP:
            with suppress(OSError, ValueError):
                machine = min(machine, int(file.read_text()))
                break
        most = max(LEAST_MEMORY, machine * 9 // 10)
        return Limits(seconds, min(LEAST_MEMORY + models * TIMES_WEIGHTS * size, most))


def resident(process: int) -> int:
    """Return the bytes of memory that a process uses; 0 if that is unknown."""
    try:
        # This runs twenty times a second, and pathlib takes ten times as long.
        with open(f"/proc/{process}/statm", "rb", buffering=0) as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError):  # ended, or not Linux
        return 0


def limit_processor(process: int, seconds: float) -> None:
    """End a process once it has used ``seconds`` more of processor time."""
    with suppress(ImportError, AttributeError, OSError, ValueError):  # not Linux, or ended
        import resource

        _, most = resource.prlimit(process, resource.RLIMIT_CPU)
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        until = int(((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")) + seconds) + 2
        if most == resource.RLIM_INFINITY or until < most:
            resource.prlimit(process, resource.RLIMIT_CPU, (until, most))


_PR_SET_CHILD_SUBREAPER = 36
_LONGEST, _PAUSE = 2.0, 0.01
"""Seconds to look for orphans, since one that ends may leave others; seconds between checks."""


class _Process(NamedTuple):
    pid: int
    parent: int
    session: int
    started: int  # clock ticks since the machine's start


def _end_orphans(since: int, spare: Collection[int]) -> None:
    """End adopted children that started at or after ``since``, and their descendants.

    If ``since`` is 0, end none. ``spare`` are processes that this process started or had before;
    they may have started in the same clock tick. Programs start in a separate session, so a process
    in this process's session belongs to none of them.
    """
    own, session, until = os.getpid(), os.getsid(0), time.monotonic() + _LONGEST
    while since and time.monotonic() < until:
        processes = [*_processes()]
        orphans = [
            orphan
            for orphan in processes
            if orphan.parent == own and orphan.session != session
            if orphan.started >= since and orphan.pid not in spare
        ]
        for orphan in orphans:  # the loop extends the list, so that it visits all descendants
            orphans += [below for below in processes if below.parent == orphan.pid]
        if not orphans:
            return
        for orphan in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(orphan.pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):  # not a direct child
                os.waitpid(orphan.pid, os.WNOHANG)
        time.sleep(_PAUSE)


def _processes(*names: str) -> Iterator[_Process]:
    with contextlib.suppress(OSError):  # no /proc
        for pid in names or filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):  # it has ended
                text = Path("/proc", pid, "stat").read_text(errors="replace")
                fields = text.rpartition(")")[2].split()  # a process name may contain anything
                yield _Process(int(pid), int(fields[1]), int(fields[3]), int(fields[19]))


MAX_LINE = 4 << 20
"""Maximum bytes of a line that a program writes."""
KEPT = 4096
"""Bytes at the end of standard error that are kept for a message."""
LAST_WORDS = 200
GRACE = 2.0
"""Seconds that a program has to exit after its input is closed."""
LOOK_EVERY = 0.05
"""Seconds between two checks of a program's memory."""
_PIECE = 1 << 16
_started: set[int] = set()
"""Ids of running processes that were started here, which ``_end_orphans`` must spare."""


class MessageEndings(NamedTuple):
    """Last sentences of messages: expectation and next step for each kind of failure."""

    slow: str
    ended: str
    long: str
    shown: bool = True
    """Whether messages show the program's last line on standard error."""


PROGRAM = MessageEndings(
    "Write and flush one line per request, or raise --timeout.",
    "Expected a reply to every request. Fix it and run again: earlier predictions are cached.",
    "Write one reply per line.",
)


class Child:
    """A running program and its children."""

    def __init__(
        self,
        arguments: Sequence[str],
        name: str,
        environment: Mapping[str, str],
        words: MessageEndings = PROGRAM,
        folder: Path | None = None,
    ) -> None:
        self.name = name
        self._words = words
        self._looked = 0.0
        close_to_children()
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=environment,
                cwd=folder,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(
                f"{name} cannot be started ({reason}: {arguments[0]}). Pass the path of an "
                "executable program."
            ) from None
        self.process = self._process.pid
        _started.add(self.process)
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin and stdout and stderr  # noqa: PT018 - one thought
        self._stdin, self._stdout, self._stderr = stdin, stdout, stderr
        self._unwritten = bytearray()
        self._unread = bytearray()
        self._said = b""
        self._running, self._forced = True, False
        self._selector = selectors.DefaultSelector()
        # Reads never block, because each follows a select; a write could.
        os.set_blocking(self._stdin.fileno(), False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)

    def send(self, line: bytes) -> None:
        """Put a line in the queue; it is written while ``lines`` waits."""
        if self._stdin.closed:
            return
        if not self._unwritten:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._unwritten += line

    def lines(self, timeout: float, memory: int = 0, longest: int = MAX_LINE) -> list[bytes]:
        """Write queued lines until at least one line has arrived; return the arrived lines."""
        if not self._running:
            raise CannotJudge(f"{self.name} has ended. {self._words.ended}")
        deadline = time.monotonic() + timeout
        while b"\n" not in self._unread:
            if len(self._unread) > longest:
                raise CannotJudge(
                    f"{self.name} wrote more than {longest} bytes in a line. {self._words.long}"
                )
            left = deadline - time.monotonic()
            if left <= 0:
                waited = f"no reply within {round(timeout, 1):g} seconds{self._last_words()}"
                raise CannotJudge(f"{self.name}: {waited}. {self._words.slow}")
            if not self._transfer(min(left, LOOK_EVERY) if memory else left):
                self.end()
                code = self._process.returncode
                how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
                how = "closed its output" if self._forced else how
                raise CannotJudge(
                    f"{self.name}: {how} before it replied{self._last_words()}. {self._words.ended}"
                )
            if memory and time.monotonic() >= self._looked + LOOK_EVERY:
                self._looked = time.monotonic()
                if resident(self.process) > memory:
                    self.kill()
                    raise CannotJudge(
                        f"{self.name} takes more than its limit of {memory / GIB:.1f} GiB of "
                        "memory. If your checkpoint needs more, raise --max-memory."
                    )
        *whole, rest = bytes(self._unread).split(b"\n")
        self._unread = bytearray(rest)
        return whole

    def _transfer(self, seconds: float) -> bool:
        for key, _ in self._selector.select(seconds):
            if key.fileobj is self._stdin:
                try:
                    written = os.write(self._stdin.fileno(), self._unwritten[:_PIECE])
                except BlockingIOError:
                    continue
                except OSError:  # the program stopped reading; its output may still arrive
                    self._close_stdin()
                    continue
                del self._unwritten[:written]
                if not self._unwritten:
                    self._selector.unregister(self._stdin)
            elif key.fileobj is self._stderr:
                if piece := os.read(self._stderr.fileno(), _PIECE):
                    self._said = (self._said + piece)[-KEPT:]
                else:
                    self._selector.unregister(self._stderr)
            elif not (piece := os.read(self._stdout.fileno(), _PIECE)):
                return False
            else:
                self._unread += piece
        return True

    def _close_stdin(self) -> None:
        if self._stdin.closed:
            return
        if self._unwritten:
            self._selector.unregister(self._stdin)
            self._unwritten.clear()
        with contextlib.suppress(OSError):
            self._stdin.close()

    def _last_words(self) -> str:
        said = self._said.decode("utf-8", "replace") if self._words.shown else ""
        lines = hide(said).strip().splitlines()  # hide first: a shortened secret is not found
        return f", its last line: {lines[-1].strip()[-LAST_WORDS:].rstrip('.')}" if lines else ""

    def end(self) -> None:
        """Close the program's input, wait up to ``GRACE`` seconds, kill it and its children."""
        if not self._running:
            return
        self._close_stdin()
        deadline = time.monotonic() + GRACE
        with contextlib.suppress(KeyError):
            self._selector.unregister(self._stdout)
        # Read standard error meanwhile: a full pipe would keep the program from ending.
        while self._selector.get_map() and (left := deadline - time.monotonic()) > 0:
            self._transfer(left)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, deadline - time.monotonic()))
        self.kill()

    def kill(self) -> None:
        """End the program and its children immediately; safe to call again."""
        if not self._running:
            return
        self._running = False
        self._forced = self._process.poll() is None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process, signal.SIGKILL)
        self._process.wait()
        _started.discard(self.process)
        self._close_stdin()
        for pipe in (self._stdout, self._stderr):
            pipe.close()
        self._selector.close()


class Program(Child):
    """An untrusted program; processes that it leaves in other sessions end with it, too."""

    def __init__(
        self,
        arguments: Sequence[str],
        name: str,
        environment: Mapping[str, str],
        folder: Path | None = None,
    ) -> None:
        if sys.platform.startswith("linux"):  # elsewhere only its process group is ended
            # Orphans of the program become children of this process, so that ``kill`` sees them.
            with contextlib.suppress(OSError, AttributeError):  # another C library
                ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._before = {process.pid for process in _processes() if process.parent == os.getpid()}
        super().__init__(arguments, name, environment, folder=folder)
        # The program's start in clock ticks; 0 if unknown.
        self._since = next((process.started for process in _processes(str(self.process))), 0)

    def kill(self) -> None:
        """End the program and all that it has started; safe to call again."""
        super().kill()
        _end_orphans(self._since, _started | self._before)
        self._since = 0


NAMES = frozenset(
    """
    PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP TZ TERM NO_COLOR
    LANG LANGUAGE LC_ALL LC_ADDRESS LC_COLLATE LC_CTYPE LC_IDENTIFICATION LC_MEASUREMENT
    LC_MESSAGES LC_MONETARY LC_NAME LC_NUMERIC LC_PAPER LC_TELEPHONE LC_TIME
    XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
    LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH

    PYTHONPATH PYTHONHOME PYTHONHASHSEED PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONUTF8
    PYTHONIOENCODING PYTHONNOUSERSITE PYTHONSAFEPATH PYTHONWARNINGS PYTHONFAULTHANDLER
    PYTHONPYCACHEPREFIX VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV

    CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER CUDA_HOME CUDA_PATH CUDA_CACHE_PATH CUDA_CACHE_DISABLE
    CUDA_LAUNCH_BLOCKING CUDA_MODULE_LOADING CUBLAS_WORKSPACE_CONFIG NVIDIA_VISIBLE_DEVICES
    NVIDIA_DRIVER_CAPABILITIES NVIDIA_TF32_OVERRIDE HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES

    OMP_NUM_THREADS OMP_THREAD_LIMIT OMP_DYNAMIC OMP_PROC_BIND OMP_PLACES OMP_WAIT_POLICY
    GOMP_CPU_AFFINITY KMP_AFFINITY KMP_BLOCKTIME MKL_NUM_THREADS MKL_DYNAMIC OPENBLAS_NUM_THREADS
    VECLIB_MAXIMUM_THREADS NUMEXPR_NUM_THREADS TOKENIZERS_PARALLELISM MALLOC_ARENA_MAX

    HF_HOME HF_HUB_CACHE HF_HUB_OFFLINE HF_HUB_DISABLE_TELEMETRY HF_ASSETS_CACHE HF_DATASETS_CACHE
    HF_DATASETS_OFFLINE TRANSFORMERS_CACHE TRANSFORMERS_OFFLINE TORCH_HOME NLTK_DATA
    ORT_DISABLE_TELEMETRY DO_NOT_TRACK

    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS
    no_proxy NO_PROXY

    SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA
    PROGRAMFILES NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE
    """.split()
)
"""Variables that every program gets: for its paths, its locale, and how it computes."""
PROXIES = (
    "http_proxy", "https_proxy", "all_proxy", "ftp_proxy",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY",
)  # fmt: skip
"""Variables that a program gets unless their address contains a user or a password."""

MODEL_PLACES = frozenset(
    """
    PYTHONPATH HF_HOME HF_HUB_CACHE HF_ASSETS_CACHE TRANSFORMERS_CACHE TORCH_HOME NLTK_DATA
    """.split()
)
"""Those of ``NAMES`` that say where a program finds its code or its model."""

_PR_SET_DUMPABLE = 4


def allowed(environment: Mapping[str, str], extra: Iterable[str] = ()) -> dict[str, str]:
    """Return the variables of an environment that a program gets; ``extra`` names more of them."""
    named = {*NAMES, *extra}
    return {
        name: value
        for name, value in environment.items()
        if name in named or (name in PROXIES and "@" not in value)
    }


def close_to_children() -> None:
    """Keep programs of the same user from reading the environment and memory of this process.

    On Linux, a child could read variables that it does not get in ``/proc/PID/environ``. If the
    system has no such switch, or rejects it, continue: the user chose to run the program.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    except (OSError, AttributeError):  # another C library
        return
