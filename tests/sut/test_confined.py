"""Checkpoints in a process of their own: what they may take, and what ends them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from making import SENTENCES
from making_onnx import hungry, looping, save_checkpoint, scores, token_model
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.confined import ConfinedCheckpoint
from mt_gate.sut.limits import GIB, Allowed, resident, size_of
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.process import Worker
from mt_gate.sut.protocol import Prediction
from mt_gate.tasks import ner

WORDS, LABELS = 400, 7
Open = Callable[..., ConfinedCheckpoint]
INPUTS = [{"text": text} for text in SENTENCES]


@pytest.fixture
def table() -> np.ndarray:
    return scores(WORDS, LABELS)


@pytest.fixture
def made(tmp_path: Path, table: np.ndarray) -> Path:
    return save_checkpoint(tmp_path / "made", token_model({"table": table}))


@pytest.fixture
def opened() -> Iterator[Open]:
    """Open checkpoints that are closed when the test ends."""
    with ExitStack() as stack:

        def open_(folder: Path, allowed: Allowed = Allowed(), **more: Any) -> ConfinedCheckpoint:  # noqa: B008
            system = ConfinedCheckpoint(folder, "ner", "cpu", allowed=allowed, **more)
            return stack.enter_context(closing(system))

        yield open_


def answers(system: ConfinedCheckpoint | OnnxSystem) -> list[Prediction]:
    found = {index: answer for batch in system.predict(INPUTS) for index, answer in batch}
    return [found[index] for index in range(len(INPUTS))]


def test_it_answers_as_in_this_process(small: Path, opened: Open) -> None:
    system, here = opened(small), OnnxSystem(small, "ner", "cpu")
    assert answers(system) == answers(here)
    assert (system.head, system.cache_key) == (here.head, here.cache_key)
    assert system.card == here.card
    assert system.noise(INPUTS) == pytest.approx(here.noise(INPUTS), abs=1e-6)
    assert answers(system) == answers(here)  # and goes on answering
    system.close()
    system.close()


def test_that_no_process_can_be_started_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(UsageError, match=r"^checkpoint ner: cannot be started \("):
        Worker("ner")


def test_an_unfit_checkpoint_is_told_as_in_this_process(made: Path, opened: Open) -> None:
    (made / "tokenizer.json").write_text("{}")
    with pytest.raises(CannotJudge, match=r"tokenizer\.json: not a tokenizer"):
        opened(made)
    with pytest.raises(UsageError, match=r"--max-length 9999: .* takes at most"):
        opened(made, asked=CheckpointOptions(max_length=9999))


def test_endless_work_ends_in_time(tmp_path: Path, table: np.ndarray, opened: Open) -> None:
    folder = save_checkpoint(tmp_path / "loop", looping(table))
    with pytest.raises(CannotJudge, match=r"no answer within 2 seconds; .* raise --timeout"):
        opened(folder, Allowed(timeout=2))


def test_memory_ends_where_it_may(tmp_path: Path, table: np.ndarray, opened: Open) -> None:
    folder = save_checkpoint(tmp_path / "hungry", hungry(table))
    with pytest.raises(CannotJudge, match=r"1\.0 GiB of memory.*--max-memory|[Aa]lloc"):
        opened(folder, Allowed(max_memory=1))


def test_a_process_that_is_ended_is_told(
    small: Path, opened: Open, children: Callable[[], set[int]]
) -> None:
    system = opened(small)
    (child,) = children()
    os.kill(child, signal.SIGSEGV)
    with pytest.raises(CannotJudge, match=r"was ended by signal 11.*; expected a checkpoint that"):
        answers(system)
    with pytest.raises(CannotJudge):
        answers(system)


def running() -> set[int]:
    text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return {int(number) for number in text.split()}


@pytest.fixture
def children() -> Callable[[], set[int]]:
    """Tell this process's children since the test began; other tests keep some of their own."""
    before = running()
    return lambda: running() - before


def test_it_ends_with_whoever_stops_asking(
    small: Path, opened: Open, children: Callable[[], set[int]]
) -> None:
    system = opened(small)
    batches = system.predict(INPUTS)
    next(batches)
    batches.close()
    assert children() == set()


def test_it_does_nothing_for_a_run_that_ended_while_it_started(small: Path) -> None:
    """The run was killed: its question stands in the pipe, and nobody waits for the answer."""
    from mt_gate.sut import wire

    question = wire.line(wire.Open(str(small), ner.TASK.path, "cpu", "x", CheckpointOptions()))
    done = subprocess.run(
        [sys.executable, "-c", "from mt_gate.sut.worker import main; main()"],
        input=question,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        timeout=60,
    )
    assert done.stdout == b""


def test_a_panic_is_a_line(made: Path, opened: Open) -> None:
    """The tokenizer is read, and panics at the first text: its pattern has no end."""
    tokenizer = json.loads((made / "tokenizer.json").read_text())
    tokenizer["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}],
        "special_tokens": {},
    }
    (made / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(CannotJudge, match=r"tokenizer|Panic") as refused:
        opened(made)
    assert "\n" not in str(refused.value)


def test_weights_beside_the_model_are_counted_whatever_their_name(
    tmp_path: Path, table: np.ndarray, opened: Open
) -> None:
    first = save_checkpoint(tmp_path / "one", token_model({"table": table}), kept="weights.bin")
    other = save_checkpoint(
        tmp_path / "two", token_model({"table": table[::-1].copy()}), kept="weights.bin"
    )
    for name in ("model.onnx", "tokenizer.json", "checkpoint.json"):
        assert (first / name).read_bytes() == (other / name).read_bytes()
    with_one, with_other = opened(first), opened(other)
    assert answers(with_one) != answers(with_other)
    assert with_one.cache_key != with_other.cache_key
    assert with_one.head.fingerprint != with_other.head.fingerprint
    plain = save_checkpoint(tmp_path / "plain", token_model({"table": table}))
    assert answers(opened(plain)) == answers(with_one)


@pytest.mark.parametrize("files", [{}, {"tokenizer.json": None}, {"model.onnx": None}])
def test_what_a_card_says_of_its_fingerprint_is_not_believed(
    tmp_path: Path, table: np.ndarray, files: dict[str, None], opened: Open
) -> None:
    seen = set()
    for name, weights in (("one", table), ("two", table[::-1].copy())):
        folder = save_checkpoint(tmp_path / name, token_model({"table": weights}))
        card = json.loads((folder / "checkpoint.json").read_text())
        stated = {file: opened(folder).card.files[file] for file in files}
        told = {**card, "fingerprint": f"sha256:{'0' * 64}", "files": stated}
        (folder / "checkpoint.json").write_text(json.dumps(told))
        system = opened(folder)
        seen |= {system.head.fingerprint, system.cache_key}
    assert len(seen) == 4


def test_weights_that_are_swapped_meanwhile_are_never_the_others(
    tmp_path: Path, table: np.ndarray
) -> None:
    """What answers is what the fingerprint is of, or the run ends."""
    weights, known = [], {}
    for turned in (table, table[::-1].copy()):
        folder = tmp_path / "made"
        save_checkpoint(folder, token_model({"table": turned}), kept="w.bin")
        weights.append((folder / "w.bin").read_bytes())
        system = OnnxSystem(folder, "ner", "cpu")
        known[system.head.fingerprint] = answers(system)
    stop = threading.Event()
    swapping = threading.Thread(target=swap, args=(folder / "w.bin", weights, stop))
    swapping.start()
    try:
        for _ in range(30):
            with suppress(CannotJudge):
                system = OnnxSystem(folder, "ner", "cpu")
                assert known[system.head.fingerprint] == answers(system)
    finally:
        stop.set()
        swapping.join()


def swap(file: Path, contents: Sequence[bytes], stop: threading.Event) -> None:
    """Replace a file, and write over it, again and again."""
    for number in count():
        if stop.wait(0.001):
            return
        beside = file.with_suffix(".next")
        beside.write_bytes(contents[number % 2])
        beside.replace(file)
        file.write_bytes(contents[(number + 1) % 2])


def words() -> onnx.ModelProto:
    """Return a model that answers with words."""
    rows = helper.make_tensor("table", TensorProto.STRING, [WORDS, 1], [b"a"] * WORDS)
    made = token_model({"table": scores(WORDS, 1)})
    made.graph.initializer[0].CopyFrom(rows)
    made.graph.output[0].type.tensor_type.elem_type = TensorProto.STRING
    return made


def sequence() -> onnx.ModelProto:
    """Return a model that answers with a sequence of tensors."""
    nodes = [helper.make_node("SequenceConstruct", ["found"], ["logits"])]
    made = token_model({"table": scores(WORDS, LABELS)}, nodes)
    kind = helper.make_tensor_sequence_value_info("logits", TensorProto.FLOAT, None)
    made.graph.output[0].CopyFrom(kind)
    return made


def silent() -> onnx.ModelProto:
    """Return a model without outputs."""
    made = token_model({"table": scores(WORDS, LABELS)})
    del made.graph.output[:]
    return made


@pytest.mark.parametrize("make", [words, sequence, silent])
def test_outputs_that_are_no_scores_are_told(
    tmp_path: Path, opened: Open, make: Callable[[], onnx.ModelProto]
) -> None:
    folder = save_checkpoint(tmp_path / "made", make())
    with pytest.raises(CannotJudge, match=r"first output is .*expected scores|cannot load it"):
        opened(folder)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ({"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "[UNK]"}, "fails on a text"),
        ({"type": "WordLevel", "vocab": {}, "unk_token": "[UNK]"}, "fails on a text"),
        ({"type": "BPE", "vocab": {"§": 0}, "merges": []}, "gives no token for a sentence"),
    ],
)
def test_tokenizers_that_lack_what_texts_need(
    made: Path, opened: Open, model: dict[str, Any], told: str
) -> None:
    (made / "tokenizer.json").write_text(json.dumps({"version": "1.0", "model": model}))
    with pytest.raises(CannotJudge, match=rf"tokenizer\.json:? {told}"):
        opened(made)


def test_memory_is_told_of_living_processes() -> None:
    assert resident(os.getpid()) > 10 << 20
    assert resident(2**22 + 1) == 0


def test_a_process_out_of_turn_is_no_answer(small: Path) -> None:
    from mt_gate.sut import wire

    worker = Worker("x")
    request = wire.Open(str(small), ner.TASK.path, "cpu", "x", CheckpointOptions())
    with pytest.raises(CannotJudge, match="answered without a request"):
        worker.ask(request, wire.MeasuredNoise, Allowed().loading(small))


@pytest.mark.parametrize(
    "items",
    [
        [(0, {}, 1.0, ""), (0, {}, 1.0, "")],
        [(-1, {}, 1.0, "")],
        [(len(INPUTS), {}, 1.0, "")],
        [(0, {}, 1.0, "")],
    ],
)
def test_answers_to_what_was_not_asked_are_none(
    small: Path,
    opened: Open,
    monkeypatch: pytest.MonkeyPatch,
    items: Sequence[Any],
    children: Callable[[], set[int]],
) -> None:
    """Twice the same, before the first, beyond the last, too few: a process gone astray."""
    from mt_gate.sut import wire

    system = opened(small)
    replies = iter([wire.Answers(items), wire.Answers(last=True)])
    monkeypatch.setattr(Worker, "reply", lambda *_: next(replies))
    with pytest.raises(CannotJudge, match="answered without a request"):
        answers(system)
    assert children() == set()


def test_a_path_that_is_no_text_is_told(tmp_path: Path, children: Callable[[], set[int]]) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    with pytest.raises(UsageError, match=r"checkpoint caf\\udce9: its path.*not UTF-8"):
        ConfinedCheckpoint(folder, "ner", "cpu")
    assert children() == set()


def test_noise_is_measured_again_where_its_bound_is_another(made: Path) -> None:
    keys = []
    for precision in ("fp32", "fp16"):
        card = json.loads((made / "checkpoint.json").read_text())
        (made / "checkpoint.json").write_text(json.dumps({**card, "precision": precision}))
        keys.append(OnnxSystem(made, "ner", "cpu").cache_key)
    assert keys[0] != keys[1]


def test_links_count_where_they_are_followed(tmp_path: Path) -> None:
    """The files of a snapshot in the hub's cache are links to where its blobs lie."""
    snapshot, blobs = tmp_path / "models--a" / "snapshots" / "1", tmp_path / "models--a" / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    for place in (blobs / "weights", tmp_path / "elsewhere"):
        with place.open("wb") as file:
            file.truncate(1 << 20)
        (snapshot / place.name).symlink_to(place)
    assert size_of(snapshot) == 1 << 20


def test_memory_grows_with_the_files_up_to_the_machines(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    for folder, size in ((small, 1), (large, 1 << 40)):
        folder.mkdir()
        with (folder / "w").open("wb") as file:
            file.truncate(size)
    assert Allowed().loading(small).memory == 4 * GIB + 4
    assert Allowed().loading(large).memory < 1 << 40
    assert Allowed(max_memory=2).exporting(large).memory == 2 * GIB
