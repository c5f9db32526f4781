"""Checkpoints and suites that the tests make, small enough to make each time."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import hypothesis
import pytest

from making import LABELS, SENTENCES, make_suite, save_bert
from making_language import save_causal, save_encoder, save_masked
from mt_gate.cli import exit_code
from reporting.browsing import CHROMIUM, FLAGS

if TYPE_CHECKING:
    from speeds import Made

pytest_plugins = ["speeds", "pytester"]


def pytest_configure(config: pytest.Config) -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"
    _take_cores(getattr(config, "workerinput", None))
    # Machines differ, and so do their loads: no test is about time.
    hypothesis.settings.register_profile("untimed", deadline=None)
    # Where it counts alone that a test fails (benchmarks/code_mutants.py): the same examples each
    # time, and none is looked for that is smaller.
    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
    hypothesis.settings.register_profile(
        "unshrunk", deadline=None, phases=phases, derandomize=True, database=None
    )
    hypothesis.settings.load_profile(os.environ.get("MT_GATE_TEST_PROFILE", "untimed"))


def _take_cores(worker: Mapping[str, Any] | None) -> None:
    """Give each of several processes cores of its own, where there are enough of them.

    Otherwise checkpoints and PyTorch take as many threads as there are cores in each process, and
    the processes wait for each other.
    """
    if not hasattr(os, "sched_setaffinity"):  # macOS
        return
    cores = sorted(os.sched_getaffinity(0))
    if worker and worker["workercount"] <= len(cores):
        number = int(worker["workerid"].removeprefix("gw"))
        os.sched_setaffinity(0, cores[number % worker["workercount"] :: worker["workercount"]])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a file on one process, since they share what is slow to make."""
    from xdist.scheduler import LoadFileScheduling

    from speeds import turn

    class ByFile(LoadFileScheduling):
        """By file; the end-to-end tests share containers, and count as one.

        What takes longest starts first, so that no process ends long after the others.
        """

        def _split_scope(self, nodeid: str) -> str:
            before, separator, _ = nodeid.partition("/end_to_end/")
            return f"{before}/end_to_end" if separator else super()._split_scope(nodeid)

        def _assign_work_unit(self, node: Any) -> None:
            self.workqueue.move_to_end(min(self.workqueue, key=turn), last=False)
            super()._assign_work_unit(node)

    return ByFile(config, log)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A running Chromium, the same for all tests of a process; each opens contexts of its own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium on the path")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real data and fine-tuned checkpoints, where the machine has them."""
    folder = Path(os.environ.get("MT_GATE_TEST_DATA", Path(__file__).parents[2] / "shared"))
    if not (folder / "models" / "ner").is_dir():
        pytest.skip(f"no real checkpoints: {folder} has no models/ner (set MT_GATE_TEST_DATA)")
    return folder


@pytest.fixture(scope="session")
def fine_tuned(shared: Path, made_once: Made) -> Callable[[str], Path]:
    """Return the export of a task's fine-tuned checkpoint."""
    return lambda task: made_once(export_fine_tuned, shared / "models" / task, task)


PARITY = 64
"""Inputs of an export that PyTorch answers, too: a quarter of those of ``mt-gate export``."""


def export_fine_tuned(folder: Path, checkpoint: Path, task: str) -> None:
    pytest.importorskip("transformers", reason="needs mt-gate[export]")
    from mt_gate.exporting.export import export, suite_inputs

    if not checkpoint.is_dir():
        pytest.skip(f"no such checkpoint: {checkpoint}")
    export(checkpoint, task, folder, "fp32", suite_inputs(f"{task}-default", task, PARITY))


@pytest.fixture(scope="session")
def hugging_face(made_once: Made) -> Path:
    """A small BERT for token classification with random weights, as Hugging Face saves it."""
    pytest.importorskip("transformers", reason="needs mt-gate[export]")
    return made_once(save_bert, LABELS)


@pytest.fixture(scope="session")
def exported(hugging_face: Path, made_once: Made) -> Path:
    """The same, exported."""
    return made_once(export_small, hugging_face)


def export_small(folder: Path, checkpoint: Path) -> None:
    from mt_gate.exporting.export import export

    export(checkpoint, "ner", folder, "fp32", [{"text": text} for text in SENTENCES])


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small checkpoint of random weights as an export leaves it, but made without torch."""
    pytest.importorskip("onnx", reason="needs mt-gate[export]")
    from making_onnx import network, save_as_exported

    return save_as_exported(tmp_path_factory.mktemp("small") / "bert", network())


@pytest.fixture
def checkpoint(small: Path, tmp_path: Path) -> Path:
    """A small checkpoint that the test may damage."""
    return Path(shutil.copytree(small, tmp_path / "checkpoint"))


@pytest.fixture
def worse(checkpoint: Path, edit_json: Callable) -> Path:
    """The small checkpoint with its position embeddings spoilt: it violates more."""
    onnx = pytest.importorskip("onnx")
    model = onnx.load(checkpoint / "model.onnx")
    rows = next(item for item in model.graph.initializer if "position_embeddings" in item.name)
    values = onnx.numpy_helper.to_array(rows).copy()
    values[1::2] *= -4
    rows.CopyFrom(onnx.numpy_helper.from_array(values, rows.name))
    (checkpoint / "model.onnx").write_bytes(model.SerializeToString())
    edit_json(checkpoint / "checkpoint.json", lambda card: (card.pop("files"), card.pop("name")))
    return checkpoint


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A small suite that the test may damage."""
    return make_suite(tmp_path / "suite")


@pytest.fixture
def step_environment(small: Path, suite: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of the action's step for the small suite and checkpoint."""
    return {
        "INPUT_CHECKPOINT": str(small),
        "INPUT_TASK": "ner",
        "INPUT_SUITE": str(suite),
        "INPUT_CACHE": str(tmp_path / "cache"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }


class Answer(NamedTuple):
    """What a command left: its exit code and both streams."""

    code: int
    out: str
    err: str


def as_flags(named: Mapping[str, object]) -> list[object]:
    """Return options with their values, such as ``max_length=9`` as --max-length 9."""
    return [part for key, value in named.items() for part in (f"--{key.replace('_', '-')}", value)]


def check_refused(answer: Answer, code: int, *words: str) -> None:
    """Fail unless a command ended with this code and one line that has the words."""
    lines = [line for line in answer.err.strip().splitlines() if "predicted" not in line]
    assert answer.code == code, answer
    assert len(lines) == 1, lines
    assert all(word in lines[0] for word in words), lines
    assert answer.out == ""


@pytest.fixture
def command(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Answer]:
    """Run ``mt-gate`` in the test's folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user-cache"))
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments: object) -> Answer:
        capfd.readouterr()
        code = exit_code([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Answer(code, out, err)

    return run


@pytest.fixture
def run_gate(
    command: Callable[..., Answer], small: Path, suite: Path, tmp_path: Path
) -> Callable[..., Answer]:
    """Run the small suite against the small checkpoint; keyword arguments replace flags."""

    def run(*flags: object, **named: object) -> Answer:
        values = {"checkpoint": small, "task": "ner", "suite": suite, "out": tmp_path / "out"}
        return command("run", *as_flags(values | named), *flags)

    return run


@pytest.fixture
def run_system(
    command: Callable[..., Answer], suite: Path, tmp_path: Path
) -> Callable[..., Answer]:
    """Run the small suite against another system; keyword arguments replace flags."""

    def run(system: str, *flags: object, **named: object) -> Answer:
        values = {"system": system, "task": "ner", "suite": suite, "out": tmp_path / "out"}
        return command("run", *as_flags(values | named), *flags)

    return run


@pytest.fixture
def edit_json() -> Callable[[Path, Callable[[dict], None]], None]:
    """Change a JSON file in place."""

    def edit(path: Path, change: Callable[[dict], None]) -> None:
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value))

    return edit


@pytest.fixture(scope="session")
def causal_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A causal language model of random weights."""
    pytest.importorskip("transformers", reason="needs mt-gate[language]")
    return save_causal(tmp_path_factory.mktemp("causal"))


@pytest.fixture(scope="session")
def masked_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A masked language model of random weights."""
    pytest.importorskip("transformers", reason="needs mt-gate[language]")
    return save_masked(tmp_path_factory.mktemp("masked"))


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder of random weights."""
    pytest.importorskip("transformers", reason="needs mt-gate[language]")
    return save_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="session")
def wordnet_folder() -> str:
    """WordNet's files."""
    folder = os.environ.get("MT_GATE_WORDNET", "/usr/share/wordnet")
    if not (Path(folder) / "index.sense").is_file():
        pytest.skip("WordNet is not installed (Debian: wordnet-base and wordnet-sense-index)")
    return folder
