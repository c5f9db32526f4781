"""``mt-gate doctor``: what is installed, which device a run would use, and why not the GPU.

ONNX Runtime is tried in a separate process (``python -m mt_gate.doctor DEVICE``). A broken driver
may crash that process, and the runtime writes errors of a provider directly to standard error.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from mt_gate import __version__
from mt_gate.base import figures
from mt_gate.base.errors import CANNOT_JUDGE, PASS, CannotJudge, MtGateError, UsageError, reported
from mt_gate.base.escaping import shorten
from mt_gate.running.predicting import default_folder
from mt_gate.running.systems import find_folder
from mt_gate.settings.loading import FILES, describe, find_settings
from mt_gate.suites.format import SHIPPED, read_head, shipped_suites
from mt_gate.sut.card import CARD, read_card
from mt_gate.sut.processes import allowed
from mt_gate.tasks.table import TASKS

CUDA = "CUDAExecutionProvider"
RUNTIMES = ("onnxruntime", "onnxruntime-gpu")
"""The two builds of ONNX Runtime, which overwrite each other's files."""
_PACKAGES = {
    **dict.fromkeys(("click", "jinja2", "msgspec", "numpy", "rich", "tokenizers"), "cpu"),
    **dict.fromkeys(("torch", "transformers", "onnx", "onnxscript", "safetensors"), "export"),
    "PyGithub": "github",
    "spacy": "spacy",
    "nltk": "suite",
    "ray": "ray",
    "flair": "flair",
    "boto3": "aws",
    "azure-ai-textanalytics": "azure",
    "openai": "openai",
}
"""Packages that are listed with their versions, each with the extra that installs it."""
SECONDS = 300
"""Seconds that the runtime may take to start; a GPU's libraries load in a few."""

_MARK = "mt-gate-trial:"
_LONGEST = 300
_EXPORTING = ("torch", "transformers", "onnx", "onnxscript")
OK, NOTE, ABSENT, PROBLEM = "ok", "note", "absent", "problem"
"""The state of a finding; only a problem prevents a run."""

Findings = Iterator[tuple[str, str, str]]
"""Findings: the name of the checked thing, its state, and a text."""


class SessionTrial(msgspec.Struct, frozen=True):
    """The outcome of one session: ``error`` is empty if it computed, on ``provider``.

    ``stderr`` is the runtime's reason for a provider that failed.
    """

    version: str = ""
    available: tuple[str, ...] = ()
    provider: str = ""
    error: str = ""
    stderr: str = ""


def examine(named: str | None, device: str | None) -> Mapping[str, Sequence[Any]]:
    """Check what a run in this folder needs, and a checkpoint if one is ``named``.

    The default for ``device`` (auto, cpu or cuda) is in the settings file. Return findings by
    section title. Raises UsageError.
    """
    checkpoint = find_folder(named) if named else None
    values: Mapping[str, Any] = {}
    settings = "settings", ABSENT, f"no {' and no '.join(map(describe, FILES))}"
    try:
        if stored := find_settings(None):
            values = stored.values
            names = ", ".join(name.replace("_", "-") for name in values) or "nothing"
            settings = "settings", OK, f"{stored.path.resolve()} sets {names}"
    except UsageError as error:
        settings = "settings", PROBLEM, str(error)
    chosen = device or values.get("device", "auto")
    trial = try_session(chosen)
    cache = values.get("cache") or default_folder()
    sections = {
        "installed": [*_list_installed()],
        "device": [*_describe_device(chosen, trial)],
        "places": [settings, _describe_cache(cache), *_list_suites()],
    }
    if named and checkpoint and (checkpoint / CARD).is_file():
        # Do not try a provider that has just failed: it would print its errors again.
        opens_on = "cpu" if chosen == "auto" and trial.provider != CUDA else chosen
        sections["checkpoint"] = [*_describe_exported(checkpoint, opens_on, named)]
    elif named and checkpoint:
        sections["checkpoint"] = [*_describe_source(checkpoint, named)]
    return sections


def _list_installed() -> Findings:
    """Yield Python, mt-gate and its extras, without importing anything."""
    yield "mt-gate", OK, f"{__version__}, in {Path(__file__).parent}"
    yield "Python", OK, f"{platform.python_version()}, {platform.system()} {platform.machine()}"
    versions = {name: _version(name) for name in _PACKAGES}
    yield "packages", OK, ", ".join(f"{name} {text}" for name, text in versions.items() if text)
    if absent := dict.fromkeys(_PACKAGES[name] for name, text in versions.items() if not text):
        text = f"optional, not installed: {', '.join(absent)}. Add one: pip install 'mt-gate[NAME]'"
        yield "extras", ABSENT, text
    if all(map(_version, RUNTIMES)):
        text = (
            f"{' and '.join(RUNTIMES)} are both installed and overwrite each other. Run pip "
            "uninstall for both, then pip install 'mt-gate[gpu]' or 'mt-gate[cpu]'"
        )
        yield "runtimes", NOTE, text


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _describe_device(device: str, trial: SessionTrial) -> Findings:
    builds = [f"{name} {version}" for name in RUNTIMES if (version := _version(name))]
    if not builds:
        text = (
            "ONNX Runtime is not installed: pip install 'mt-gate[cpu]', or 'mt-gate[gpu]' for an "
            "NVIDIA GPU"
        )
        yield "runtime", PROBLEM, text
        return
    providers = f", with {', '.join(trial.available)}" if trial.available else ""
    yield "runtime", OK, " and ".join(builds) + providers
    if trial.error:
        yield "run", PROBLEM, f"--device {device}: {trial.error}"
        return
    state = PROBLEM if device == "cuda" and trial.provider != CUDA else OK
    yield "run", state, f"--device {device}: {trial.provider} (tested with a session of one node)"
    if trial.provider == CUDA:
        return
    yield "no GPU", NOTE, explain_missing_gpu(device, trial)


def explain_missing_gpu(device: str, trial: SessionTrial) -> str:
    """Return why a session did not compute on the GPU, and what to do."""
    if CUDA not in trial.available:
        return (
            f"This build of ONNX Runtime has no {CUDA}. If there is a GPU: pip uninstall "
            "onnxruntime, then pip install 'mt-gate[gpu]'"
        )
    if device == "cpu":
        return "not tried, because of --device cpu"
    text = f"{CUDA} does not start: {trial.stderr or 'ONNX Runtime states no reason'}"
    if "cannot open shared object" not in trial.stderr:
        return text
    if "libcuda.so" in trial.stderr:
        return (
            f"{text}. The missing file belongs to NVIDIA's driver: install the driver, or "
            "give the container the GPU (docker run --gpus all)"
        )
    return f"{text}. Install CUDA and cuDNN: pip install 'mt-gate[gpu]'"


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
    out, err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    reason = find_reason(err)
    lines = [line for line in out.splitlines() if line.startswith(_MARK)]  # it may print, too
    try:
        trial = msgspec.json.decode(lines[-1].removeprefix(_MARK), type=SessionTrial)
    except (IndexError, msgspec.DecodeError):
        why = f": {reason}" if reason else ""
        return SessionTrial(error=f"ONNX Runtime ended its process (code {done.returncode}){why}")
    return msgspec.structs.replace(trial, stderr=reason)


def find_reason(text: str) -> str:
    """Return the reason in the runtime's output: the loader's message, or the last line."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"^.*?\[[EWF]:onnxruntime[^]]*\]\s*", "", text, flags=re.MULTILINE)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    loader = re.search("with error: (.+)", text)
    return shorten(loader[1].strip() if loader else (lines or [""])[-1], _LONGEST)


def _describe_cache(folder: Path) -> tuple[str, str, str]:
    """Return where the cache is, and whether it can be written."""
    parent = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not os.access(parent, os.W_OK):
        text = f"mt-gate cannot write to {folder}. Runs work without a cache. Change --cache."
        return "cache", NOTE, text
    return "cache", OK, f"{folder}{'' if folder.is_dir() else ', created by the first run'}"


def _list_suites() -> Findings:
    for name in shipped_suites():
        try:
            head = read_head(SHIPPED / name)
            yield "suite", OK, f"{name}: task {head.task}, {len(head.relations)} relations"
        except MtGateError as error:
            yield "suite", PROBLEM, str(error)


def _describe_exported(path: Path, device: str, named: str) -> Findings:
    """Yield the metadata of an exported checkpoint, and whether it opens on a device."""
    from mt_gate.sut.confined import ConfinedCheckpoint

    try:
        card = read_card(path)
    except MtGateError as error:
        yield "card", PROBLEM, str(error)
        return
    name = path.resolve().name
    yield "card", OK, f"{path / CARD}: {card.name or name}"
    yield "task", OK, f"{card.task}, input form {card.input_form}"
    length = figures.count(card.max_length)
    yield "model", OK, f"{card.architecture}, {card.precision}, at most {length} tokens"
    yield "labels", OK, _list_labels(card.labels)
    try:
        system = ConfinedCheckpoint(path, card.task, device, name)
        system.close()
    except MtGateError as error:
        yield "opens", PROBLEM, str(error)
    except ImportError as error:
        yield "opens", PROBLEM, f"not tried: {error.name} is not installed"
    else:
        provider, mark = system.head.runtime.provider, system.head.fingerprint[:19]
        yield "opens", OK, f"loads and predicts on {provider}, fingerprint {mark}"
        yield "command", OK, _command(named, card.task)


def _list_labels(labels: Sequence[str]) -> str:
    return f"{len(labels)}: {shorten(', '.join(labels), _LONGEST)}"


def _command(checkpoint: str, task: str) -> str:
    return f"mt-gate run --checkpoint {shlex.quote(checkpoint)} --task {task}"


def _describe_source(path: Path, named: str) -> Findings:
    """Yield which tasks a Hugging Face checkpoint fits, and whether a run can export it."""
    from mt_gate.exporting.hugging_face import inspect

    fitting: dict[str, Any] = {}
    failures = []
    for task in TASKS:
        try:
            fitting[task] = inspect(path, task)
        except MtGateError as error:
            failures.append(str(error))
    if not fitting:
        of_task = [text for text in failures if "does not fit task" not in text]
        yield "folder", PROBLEM, (of_task or failures)[0]
        return
    task, source = next(iter(fitting.items()))
    kind = "a Hugging Face checkpoint"
    if source.base is not None:
        kind = f"an adapter of {source.base} (an export merges both)"
    elif source.weights.onnx:
        kind = f"an ONNX model of another exporter ({source.weights.onnx})"
    about = f"({source.architecture}, {figures.counted(len(source.labels), 'label')})"
    tasks = ", ".join(f"task {name} {about}" for name in fitting)
    yield "folder", OK, f"{path}: {kind} for {tasks}"
    yield "labels", OK, _list_labels(source.labels)
    if missing := ", ".join(name for name in _EXPORTING if not _version(name)):
        text = f"a run exports it first, and {missing} is missing: pip install 'mt-gate[export]'"
        yield "export", PROBLEM, text
    else:
        yield "export", OK, "the first run exports it, or 'mt-gate export' before that"
        yield "command", OK, _command(named, task)


def show(sections: Mapping[str, Sequence[tuple[str, str, str]]]) -> int:
    """Print findings by section, and return the exit code."""
    from mt_gate.reporting.table import show_lines

    problems = 0
    for title, findings in sections.items():
        show_lines([title, *(f"  {name:13}{state:9}{text}" for name, state, text in findings), ""])
        problems += sum(state == PROBLEM for _, state, _ in findings)
    if not problems:
        show_lines(["No problem found."])
        return PASS
    verb = "prevents" if problems == 1 else "prevent"
    show_lines([f"{figures.counted(problems, 'problem')} {verb} a run."])
    return CANNOT_JUDGE


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
