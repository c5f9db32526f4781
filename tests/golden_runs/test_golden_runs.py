"""Whole runs of the demo's checkpoints write what the files next to this test hold.

To renew the files after a meant change: ``MT_GATE_RENEW_GOLDEN=1 pytest tests/golden_runs``.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from mt_gate.demo import CHECKPOINTS
from speeds import first_daily

pytestmark = pytest.mark.checkpoint

FILES = Path(__file__).parent / "files"
RENEW = "MT_GATE_RENEW_GOLDEN" in os.environ
RUNS = {
    "ner-default": ("ner", []),
    "moderation-default": ("text", ["--label-map", "hateful=hate_speech"]),
    "text-robustness": ("text", []),
    "boolq-default": ("boolq", []),
    "re-default": ("re", []),
    "pii-default": ("ner", []),
}
"""Task and further options by suite; the first three run daily."""
PAIRS = {"pii-default": "pii"}
"""Beginning of the checkpoints' names, where it is not the task."""
VARYING = frozenset(
    {"created", "format", "nonce", "recorded", "run", "runtime", "timing", "version"}
)
"""Fields of a result that another run, another machine or a new format changes."""
SHOWN = 6
"""Items of a list that a golden file holds; of the rest, their number and digest."""


@pytest.mark.parametrize("suite", first_daily([*RUNS], 3))
def test_whole_runs_write_what_they_wrote(suite: str, command: Callable, tmp_path: Path) -> None:
    task, options = RUNS[suite]
    pair = PAIRS.get(suite, task)
    first = ("run", "--task", task, "--suite", suite, *options, "--device", "cpu")
    alone = command(*first, "--checkpoint", CHECKPOINTS / f"{pair}-baseline", "--out", "alone")
    compare_with_files(tmp_path, f"{suite}.alone", "alone", alone)
    command("baseline", "record", "alone", "--name", "old")
    compared = command(
        *(*first, "--checkpoint", CHECKPOINTS / f"{pair}-candidate", "--out", "compared"),
        *("--baseline", "baselines/old.json"),
    )
    compare_with_files(tmp_path, f"{suite}.compared", "compared", compared)


def compare_with_files(folder: Path, name: str, out: str, answer: Any) -> None:
    """Compare what a run wrote with the golden files, or write these."""
    written = folder / out
    texts = {
        "terminal.txt": f"exit {answer.code}\n{answer.out}\n{answer.err}",
        "summary.md": (written / "summary.md").read_text(),
        "junit.txt": list_test_cases(written / "junit.xml"),
        "result.json": dump_stable(json.loads((written / "result.json").read_text())),
    }
    for ending, text in texts.items():
        stable = mask_varying(text, folder)
        path = FILES / f"{name}.{ending}"
        if RENEW:
            path.parent.mkdir(exist_ok=True)
            path.write_text(stable)
        assert stable == path.read_text(), f"{path.name} differs"


def dump_stable(value: Any) -> str:
    """Return a result as JSON, without what varies, long lists cut, and numbers rounded."""
    return json.dumps(drop_varying(value), indent=1, ensure_ascii=False, sort_keys=True)


def drop_varying(value: Any) -> Any:
    """Return a value of JSON without the fields that vary from run to run."""
    if isinstance(value, dict):
        return {key: drop_varying(item) for key, item in value.items() if key not in VARYING}
    if isinstance(value, list):
        items = [drop_varying(item) for item in value]
        if len(items) <= SHOWN:
            return items
        digest = hashlib.sha256(json.dumps(items, sort_keys=True).encode()).hexdigest()[:16]
        return [*items[:SHOWN], f"{len(items)} items, digest {digest}"]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def list_test_cases(path: Path) -> str:
    """Return one line for each test case of a JUnit file, and a digest of all they say."""
    cases = [*ElementTree.parse(path).getroot().iter("testcase")]
    lines, said = [], hashlib.sha256()
    for case in cases:
        states = [f"{child.tag}: {child.get('message', '')[:160]}" for child in case]
        lines.append(" | ".join([case.get("classname", ""), case.get("name", ""), *states]))
        for child in case:
            said.update(mask_varying(child.text or "", path.parents[1]).encode())
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
    return "\n".join([*lines[:40], f"{len(cases)} test cases, digest {digest}", said.hexdigest()])


def mask_varying(text: str, folder: Path) -> str:
    """Return a text without the test's folder, times, durations and versions."""
    text = text.replace(str(folder), "FOLDER").replace(str(CHECKPOINTS), "CHECKPOINTS")
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\+00:00|Z| UTC)?", "TIME", text)
    text = re.sub(r"\b\d+(\.\d+)? (s|seconds?|min|minutes?)\b", "DURATION", text)
    text = re.sub(r"ort\d+(\.\d+)+|ONNX Runtime \d+(\.\d+)+", "ONNX Runtime", text)
    return re.sub(r"^.*predicted \d+ of \d+.*\n", "", text, flags=re.MULTILINE)
