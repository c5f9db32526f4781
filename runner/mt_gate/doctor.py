"""``mt-gate doctor``: what is installed, what a run would compute on, and why not the GPU.

ONNX Runtime is tried in a process of its own (``python -m mt_gate.doctor DEVICE``): a broken driver
may end that process, and the runtime writes why a provider fails to standard error, past Python.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import msgspec
from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from mt_gate import __version__
from mt_gate.base import figures
from mt_gate.base.child_environment import allowed
from mt_gate.base.errors import CANNOT_JUDGE, PASS, CannotJudge, MtGateError, UsageError, reported
from mt_gate.base.redaction import shorten
from mt_gate.running.predicting import default_folder
from mt_gate.settings.loading import config_path, read_file
from mt_gate.settings.record import CONFIG
from mt_gate.suites.format import SHIPPED, read_head, shipped_suites
from mt_gate.sut.card import CARD, read_card
from mt_gate.tasks.table import TASKS

CUDA = "CUDAExecutionProvider"
RUNTIMES = ("onnxruntime", "onnxruntime-gpu")
"""The two builds of ONNX Runtime; both put their files in one place."""
SECONDS = 300
"""The longest that the runtime may take to start; a GPU's libraries load in seconds."""
MOST_FILES = 100_000
"""Files of a cache that are counted."""

_MARK = "mt-gate-trial:"
_LONGEST = 300
_LABELS, _LONGEST_LABEL = 12, 40
_NAME, _STATE, _NARROWEST = 13, 9, 30
_EXPORTING = ("torch", "transformers", "onnx", "onnxscript")


class State(StrEnum):
    """How to take a finding; only a ``PROBLEM`` prevents a run."""

    OK = "ok"
    NOTE = "note"
    ABSENT = "absent"
    PROBLEM = "problem"


_COLOURS = {"ok": "green", "note": "yellow", "absent": "dim", "problem": "bold red"}


class DoctorFinding(NamedTuple):
    """One thing that was looked at, in words."""

    name: str
    state: State
    text: str


Findings = Iterator[DoctorFinding]


class Diagnosis(NamedTuple):
    """Findings by section title, the number of problems, and the exit code."""

    sections: Mapping[str, Sequence[DoctorFinding]]
    problems: int
    exit_code: int


class SessionTrial(msgspec.Struct, frozen=True):
    """The outcome of one session: ``error`` is empty where it computed, on ``provider``.

    ``stderr`` is the runtime's reason for a provider that failed.
    """

    version: str = ""
    available: tuple[str, ...] = ()
    provider: str = ""
    error: str = ""
    stderr: str = ""


def examine(checkpoint: Path | None, device: str | None) -> Diagnosis:
    """Look at what a run in this folder needs. Raises UsageError: no such checkpoint."""
    if checkpoint is not None and not checkpoint.is_dir():
        raise UsageError(
            f"--checkpoint {checkpoint}: no such folder; expected one made by 'mt-gate export', "
            "or a Hugging Face checkpoint"
        )
    path, values, problem = config_path(None), None, ""
    try:
        values = read_file(path) if path else None
    except UsageError as error:
        problem = str(error)
    chosen = device or (values or {}).get("device", "auto")
    trial = try_session(chosen)
    sections = {
        "installed": [*list_installed()],
        "device": [*describe_device(chosen, trial)],
        "places": [*list_places(values, problem)],
    }
    if checkpoint is not None:
        # A provider that has just failed would only fail again, past Python.
        opens_on = "cpu" if chosen == "auto" and trial.provider != CUDA else chosen
        exported = (checkpoint / CARD).is_file()
        sections["checkpoint"] = [
            *(describe_exported(checkpoint, opens_on) if exported else describe_source(checkpoint))
        ]
    problems = sum(one.state is State.PROBLEM for some in sections.values() for one in some)
    return Diagnosis(sections, problems, CANNOT_JUDGE if problems else PASS)


def list_installed() -> Findings:
    """Yield Python, mt-gate, its extras and spaCy's pipelines; nothing is imported for it."""
    yield DoctorFinding("mt-gate", State.OK, f"{__version__}, in {Path(__file__).parent}")
    machine = f"{platform.system()} {platform.machine()}"
    yield DoctorFinding("Python", State.OK, f"{platform.python_version()}, {machine}")
    try:
        package = metadata.metadata("mt-gate")
    except metadata.PackageNotFoundError:
        text = "mt-gate is not installed as a package, so its extras are unknown; pip install it"
        yield DoctorFinding("extras", State.NOTE, text)
    else:
        extras = package.get_all("Provides-Extra") or []
        needs = parse_requirements(package.get_all("Requires-Dist") or [], extras)
        for extra in dict.fromkeys(needs):
            if extra != "dev":
                yield describe_extra(extra, needs[extra])
    if all(map(installed_version, RUNTIMES)):
        text = (
            f"{' and '.join(RUNTIMES)} are both installed and overwrite each other; pip uninstall "
            "both, then pip install 'mt-gate[gpu]' or 'mt-gate[cpu]'"
        )
        yield DoctorFinding("runtimes", State.NOTE, text)
    pipelines = sorted(
        f"{entry.name} {entry.dist.version}" if entry.dist else entry.name
        for entry in metadata.entry_points(group="spacy_models")
    )
    if pipelines:
        yield DoctorFinding("pipelines", State.OK, ", ".join(pipelines))
    elif installed_version("spacy"):
        text = "no spaCy pipeline: python -m spacy download en_core_web_sm"
        yield DoctorFinding("pipelines", State.ABSENT, text)


def parse_requirements(lines: Sequence[str], extras: Sequence[str]) -> dict[str, list[Requirement]]:
    """Return the requirements in lines of ``Requires-Dist``, by extra; "" needs no extra.

    Those of other machines are left out, and lines that are no requirement.
    """
    needs: dict[str, list[Requirement]] = {}
    for line in lines:
        try:
            item = Requirement(line)
        except InvalidRequirement:
            continue
        for extra in ("", *extras):
            if item.marker is None or item.marker.evaluate({"extra": extra}):
                needs.setdefault(extra, []).append(item)
                break
    return needs


def installed_version(package: str) -> str | None:
    """Return a package's version without importing it; None where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def is_met(item: Requirement) -> bool:
    """Return whether a requirement is met; a version that pip cannot read is taken to meet it."""
    version = installed_version(item.name)
    try:
        return version is not None and item.specifier.contains(Version(version), prereleases=True)
    except InvalidVersion:
        return True


def describe_extra(extra: str, needs: Sequence[Requirement]) -> DoctorFinding:
    """Return what is installed of an extra, "" for what every run needs."""
    versions = {item.name: installed_version(item.name) for item in needs}
    present = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    missing = [f"{item.name}{item.specifier}" for item in needs if not is_met(item)]
    name = f"[{extra}]" if extra else "needed"
    if not missing:
        return DoctorFinding(name, State.OK, present)
    other = [build for build in RUNTIMES if build not in versions]
    if len(other) == 1 and (version := installed_version(other[0])):
        text = f"{other[0]} {version} is installed instead; only one build can be installed"
        return DoctorFinding(name, State.ABSENT, text)
    install = f"pip install 'mt-gate[{extra}]'" if extra else "pip install --upgrade mt-gate"
    text = f"has {present}; " if present else ""
    state = State.ABSENT if extra else State.PROBLEM
    return DoctorFinding(name, state, f"{text}wants {', '.join(missing)}: {install}")


def describe_device(device: str, trial: SessionTrial) -> Findings:
    """Yield how a session on a device (auto, cpu or cuda) went."""
    builds = [f"{name} {version}" for name in RUNTIMES if (version := installed_version(name))]
    if builds:
        providers = f", with {', '.join(trial.available)}" if trial.available else ""
        yield DoctorFinding("runtime", State.OK, " and ".join(builds) + providers)
    else:
        text = (
            "ONNX Runtime is not installed: pip install 'mt-gate[cpu]', or 'mt-gate[gpu]' for an "
            "NVIDIA GPU"
        )
        yield DoctorFinding("runtime", State.PROBLEM, text)
    if trial.error:
        if builds:
            yield DoctorFinding("run", State.PROBLEM, f"--device {device}: {trial.error}")
        return
    state = State.PROBLEM if device == "cuda" and trial.provider != CUDA else State.OK
    text = f"--device {device}: {trial.provider} (a session of one node was run on it)"
    yield DoctorFinding("run", state, text)
    if trial.provider == CUDA:
        return
    yield DoctorFinding("no GPU", State.NOTE, explain_missing_gpu(device, trial))
    if sys.platform.startswith("linux"):
        driver = Path("/proc/driver/nvidia/version")
        if driver.is_file():
            first = driver.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
            yield DoctorFinding("driver", State.NOTE, " ".join(first.split()))
        elif not Path("/dev/dxg").exists():  # the driver of Windows, in its Linux
            text = "no NVIDIA driver is loaded: no GPU is visible"
            yield DoctorFinding("driver", State.NOTE, text)


def explain_missing_gpu(device: str, trial: SessionTrial) -> str:
    """Return why a session did not compute on the GPU, and what to do."""
    if CUDA not in trial.available:
        return (
            f"this build of ONNX Runtime has no {CUDA}; if there is a GPU: pip uninstall "
            "onnxruntime, then pip install 'mt-gate[gpu]'"
        )
    if device == "cpu":
        return "not tried, since --device cpu asks for none"
    text = f"{CUDA} does not start: {trial.stderr or 'the runtime gives no reason'}"
    if "cannot open shared object" not in trial.stderr:
        return text
    if "libcuda.so" in trial.stderr:
        return (
            f"{text}; which is NVIDIA's driver's own: install the driver, or give the container "
            "the GPU (docker run --gpus all)"
        )
    return f"{text}; pip install 'mt-gate[gpu]', which brings CUDA and cuDNN"


def try_session(device: str) -> SessionTrial:
    """Run a session of one node on a device (auto, cpu or cuda), as a run would open it."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "mt_gate.doctor", device],
            env=allowed(os.environ),
            capture_output=True,
            timeout=SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return SessionTrial(error=f"ONNX Runtime did not start within {SECONDS} seconds")
    except OSError as error:
        return SessionTrial(error=f"{sys.executable} cannot be started ({error.strerror})")
    return read_trial(
        done.returncode, *(o.decode("utf-8", "replace") for o in (done.stdout, done.stderr))
    )


def read_trial(code: int, out: str, err: str) -> SessionTrial:
    """Return what a trial's process wrote; the runtime may print around it."""
    reason = find_reason(err)
    lines = [line for line in out.splitlines() if line.startswith(_MARK)]
    try:
        trial = msgspec.json.decode(lines[-1].removeprefix(_MARK), type=SessionTrial)
    except (IndexError, msgspec.DecodeError):
        why = f": {reason}" if reason else ""
        return SessionTrial(error=f"ONNX Runtime ended its process (code {code}){why}")
    return msgspec.structs.replace(trial, stderr=reason)


def find_reason(text: str) -> str:
    """Return the reason in the runtime's output: the loader's words, else its last line."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    prefix = r"^.*?\[[EWF]:onnxruntime[^]]*\]\s*"
    lines = [
        line for line in (re.sub(prefix, "", raw).strip() for raw in text.splitlines()) if line
    ]
    loader = [match[1] for line in lines if (match := re.search("with error: (.+)", line))]
    return shorten((loader[:1] or lines[-1:] or [""])[0], _LONGEST)


def list_places(values: Mapping[str, Any] | None, problem: str) -> Findings:
    """Yield the settings file, the cache and the suites."""
    if problem:
        yield DoctorFinding("settings", State.PROBLEM, problem)
    elif values is None:
        text = f"no {CONFIG} in this folder: flags are used"
        yield DoctorFinding("settings", State.ABSENT, text)
    else:
        names = ", ".join(name.replace("_", "-") for name in values) or "nothing"
        yield DoctorFinding("settings", State.OK, f"{CONFIG.resolve()} sets {names}")
    yield describe_cache((values or {}).get("cache") or default_folder())
    for name in shipped_suites():
        try:
            head = read_head(SHIPPED / name)
        except MtGateError as error:
            yield DoctorFinding("suite", State.PROBLEM, str(error))
            continue
        text = f"{name}: task {head.task}, {len(head.relations)} relations"
        yield DoctorFinding("suite", State.OK, text)


def describe_cache(folder: Path) -> DoctorFinding:
    """Return where the cache is, its size, and whether it can be written."""
    if not is_writable(folder):
        text = f"{folder} cannot be written: runs work, but nothing is cached; name another --cache"
        return DoctorFinding("cache", State.NOTE, text)
    if not folder.is_dir():
        return DoctorFinding("cache", State.OK, f"{folder}, made by the first run")
    files, size, complete = measure_folder(folder)
    more = "" if complete else "more than "
    text = f"{folder}, {more}{figures.counted(files, 'file')}, {more}{figures.size(size)}"
    return DoctorFinding("cache", State.OK, text)


def is_writable(folder: Path) -> bool:
    """Return whether a file can be made in a folder, or the folder itself; none is left behind."""
    parent = folder.absolute()
    while not parent.exists() and parent != parent.parent:
        parent = parent.parent
    try:
        with tempfile.TemporaryFile(dir=parent):
            return True
    except OSError:
        return False


def measure_folder(folder: Path) -> tuple[int, int, bool]:
    """Return number and bytes of the files below a folder, and whether these are all."""
    files = size = 0
    for where, _, names in os.walk(folder):
        for name in names:
            if files == MOST_FILES:
                return files, size, False
            files += 1
            try:
                size += (Path(where) / name).lstat().st_size
            except OSError:  # gone in the meantime
                continue
    return files, size, True


def describe_exported(path: Path, device: str) -> Findings:
    """Yield what the card of an exported checkpoint says, and whether it opens on a device."""
    from mt_gate.sut.confined import ConfinedCheckpoint

    try:
        card = read_card(path)
    except MtGateError as error:
        yield DoctorFinding("card", State.PROBLEM, str(error))
        return
    name = path.resolve().name
    yield DoctorFinding("card", State.OK, f"{path / CARD}: {card.name or name}")
    yield DoctorFinding("task", State.OK, f"{card.task}, input form {card.input_form}")
    text = f"{card.architecture}, {card.precision}, at most {figures.count(card.max_length)} tokens"
    yield DoctorFinding("model", State.OK, text)
    labels = ", ".join(shorten(label, _LONGEST_LABEL) for label in card.labels[:_LABELS])
    more = len(card.labels) - _LABELS
    text = f"{len(card.labels)}: {labels}" + (f" and {more} more" if more > 0 else "")
    yield DoctorFinding("labels", State.OK, text)
    if card.parity is None:
        text = "checkpoint.json records no comparison with a reference"
        yield DoctorFinding("parity", State.NOTE, text)
    else:
        text = (
            f"with {card.parity.reference} on {card.parity.inputs} inputs: equal predictions "
            f"{figures.percent(card.parity.equal_predictions)}, largest logit difference "
            f"{figures.significant(card.parity.largest_logit_difference)}"
        )
        yield DoctorFinding("parity", State.OK, text)
    try:
        system = ConfinedCheckpoint(path, card.task, device, name)
        system.close()
    except MtGateError as error:
        yield DoctorFinding("opens", State.PROBLEM, str(error))
    except ImportError as error:
        text = f"not tried: {error.name} is not installed"
        yield DoctorFinding("opens", State.PROBLEM, text)
    else:
        mark = system.head.fingerprint[:19]
        text = f"on {system.head.runtime.provider}, and answers; fingerprint {mark}"
        yield DoctorFinding("opens", State.OK, text)


def describe_source(path: Path) -> Findings:
    """Yield which tasks a Hugging Face checkpoint fits, and whether a run can export it."""
    from mt_gate.exporting.hugging_face import inspect

    fitting, failures = [], []
    for task in TASKS:
        try:
            source = inspect(path, task)
            fitting.append(f"task {task} ({source.architecture}, {len(source.labels)} labels)")
        except MtGateError as error:
            failures.append(str(error))
    if not fitting:
        yield DoctorFinding("folder", State.PROBLEM, failures[0])
        return
    text = f"{path}: a Hugging Face checkpoint for {', '.join(fitting)}"
    yield DoctorFinding("folder", State.OK, text)
    missing = ", ".join(name for name in _EXPORTING if installed_version(name) is None)
    if missing:
        text = f"a run exports it first, and {missing} is missing: pip install 'mt-gate[export]'"
        yield DoctorFinding("export", State.PROBLEM, text)
    else:
        text = "a run exports it first, once; 'mt-gate export' does it beforehand"
        yield DoctorFinding("export", State.OK, text)


def show(diagnosis: Diagnosis, stream: TextIO | None = None) -> None:
    """Print a diagnosis, lines broken between words, to standard output by default."""
    from rich.text import Text

    from mt_gate.reporting.table import console, encodable

    stream = stream or sys.stdout
    terminal, encode = console(stream), encodable(stream)
    indent = 2 + _NAME + _STATE
    room = max(terminal.width - indent, _NARROWEST)
    for title, findings in diagnosis.sections.items():
        terminal.print(Text(title, style="bold"))
        for finding in findings:
            # A path longer than a line is not broken.
            first, *rest = textwrap.wrap(
                encode(finding.text), room, break_long_words=False, break_on_hyphens=False
            ) or [""]
            state = Text(f"{finding.state:{_STATE}}", style=_COLOURS[finding.state])
            name = Text(f"  {finding.name:{_NAME}}")
            terminal.print(Text.assemble(name, state, first), soft_wrap=True)
            for line in rest:
                terminal.print(Text(" " * indent + line), soft_wrap=True)
        terminal.print()
    if diagnosis.problems:
        verb = "prevents" if diagnosis.problems == 1 else "prevent"
        words = f"{figures.counted(diagnosis.problems, 'problem')} {verb} a run."
        terminal.print(Text(words, style=_COLOURS[State.PROBLEM]))
    else:
        terminal.print(Text("A run can work.", style=_COLOURS[State.OK]))


def main(device: str) -> None:
    """Run the trial of ``try_session`` and print its outcome."""
    from mt_gate.sut.session import trial

    try:
        outcome = SessionTrial(*trial(device))
    except ImportError as error:
        outcome = SessionTrial(error=f"ONNX Runtime cannot be imported ({reported(error)})")
    except CannotJudge as error:
        outcome = SessionTrial(error=str(error))
    print(_MARK + msgspec.json.encode(outcome).decode())


if __name__ == "__main__":
    main(sys.argv[1])
