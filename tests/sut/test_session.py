"""Sessions of ONNX Runtime: their settings, devices and batches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, external_data_helper, helper, numpy_helper

import mt_gate
from making import SENTENCES
from making_onnx import LENGTH, network, save_checkpoint, tagger, values
from making_onnx import model as onnx_model
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.domain import NotApplicable
from mt_gate.sut import processes
from mt_gate.sut.batching import BatchCosts
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.folder import Model
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.processes import usable_cores
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import Inputs
from mt_gate.sut.session import Session

PACKAGE = Path(mt_gate.__file__).parents[1]


def test_the_runtime_leaves_no_telemetry_behind(tmp_path: Path) -> None:
    """Left to itself it keeps what it would send, and an id of the machine, in the user's cache."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    subprocess.run(
        [sys.executable, "-c", "from mt_gate.sut.session import trial; trial('cpu')"],
        env={**environment, "PYTHONPATH": str(PACKAGE), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        check=True,
    )
    assert [*tmp_path.iterdir()] == []


def test_a_file_that_was_not_read_beforehand_is_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By itself the runtime takes it from the working directory: weights that nobody counted."""
    table = np.ones((300, 3), np.float32)
    (tmp_path / "weights.bin").write_bytes(table.tobytes())
    tensor = numpy_helper.from_array(table, "table")
    external_data_helper.set_external_data(tensor, "weights.bin")
    tensor.ClearField("raw_data")
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "ids"], ["scores"])],
        "graph",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["n"])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["n", 3])],
        [tensor],
    )
    data = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9
    ).SerializeToString()
    monkeypatch.chdir(tmp_path)
    where, inputs = Path("model.onnx"), Inputs(("ids",))
    Session(Model(where, data, {"weights.bin": table.tobytes()}), "cpu", inputs)
    with pytest.raises(CannotJudge, match="cannot load it"):
        Session(Model(where, data, {}), "cpu", inputs)


def test_8_bit_products_are_added_exactly_whatever_the_cpu(tmp_path: Path) -> None:
    """By default the runtime saturates sums on CPUs without VNNI; a setting prevents it."""
    cast = helper.make_node("Cast", ["ids"], ["y"], to=TensorProto.FLOAT)
    inputs, outputs = [values("ids", TensorProto.INT64, "n")], [values("y", TensorProto.FLOAT, "n")]
    made = onnx_model([cast], {}, inputs=inputs, outputs=outputs)
    model = Model(tmp_path / "model.onnx", made.SerializeToString(), {})
    options = [
        Session(model, "cpu", Inputs(("ids",)), fused=fused)._session.get_session_options()
        for fused in (True, False)
    ]
    exact = [each.get_session_config_entry("session.x64quantprecision") for each in options]
    assert exact == ["1", "1"]
    levels = [each.graph_optimization_level.name for each in options]
    assert levels == ["ORT_ENABLE_ALL", "ORT_ENABLE_BASIC"]


def two_outputs(where: Path) -> Model:
    nodes = [
        helper.make_node("Cast", ["ids"], ["hidden"], to=TensorProto.FLOAT),
        helper.make_node("Neg", ["hidden"], ["scores"]),
    ]
    made = onnx_model(
        nodes,
        {},
        inputs=[values("ids", TensorProto.INT64, ["n", "m"])],
        outputs=[values(name, TensorProto.FLOAT, ["n", "m"]) for name in ("scores", "hidden")],
    )
    return Model(where / "model.onnx", made.SerializeToString(), {})


@pytest.mark.filterwarnings("ignore:Specified provider")
def test_a_session_names_the_provider_that_it_runs_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build with CUDA lists it on a machine without a GPU, and falls back."""
    monkeypatch.setattr(
        "onnxruntime.get_available_providers",
        lambda: ["CUDAExecutionProvider", "CPUExecutionProvider"],
    )
    model = two_outputs(tmp_path)
    auto = Session(model, "auto", Inputs(("ids",)))
    assert (auto.provider, auto.device) == ("CPUExecutionProvider", "cpu")
    with pytest.raises(CannotJudge, match="fell back to CPUExecutionProvider"):
        Session(model, "cuda", Inputs(("ids",)))


def test_a_quota_of_version_2(tmp_path: Path) -> None:
    (tmp_path / "limits.max").write_text("70000 100000\n")
    assert usable_cores(((tmp_path / "limits.max", None),)) == 1


X86 = """processor\t: 0
model name\t: Some(R) Processor @ 2.10GHz
flags\t\t: fpu sse2 avx2 avx512_vnni fma avx512f hypervisor
processor\t: 1
flags\t\t: fpu
"""
ARM = "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd asimddp i8mm\n"


@pytest.mark.parametrize(
    ("info", "features"),
    [(X86, ("avx2", "avx512_vnni", "avx512f", "fma")), (ARM, ("asimddp", "i8mm")), ("", ())],
)
def test_features_that_move_numbers_are_read_of_the_first_processor(
    info: str, features: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpuinfo").write_text(info)
    monkeypatch.setattr(processes, "_CPU_INFO", tmp_path / "cpuinfo")
    assert processes.cpu_features() == features
    assert ("Some(R)" in processes.cpu_name()) is (info == X86)


@pytest.mark.parametrize(
    ("reported", "features"),
    [
        (
            {
                "machdep.cpu.features": b"FPU SSE4.2 FMA AVX1.0\0",
                "machdep.cpu.leaf7_features": b"AVX2 BMI2 AVX512F\0",
            },
            ("avx", "avx2", "avx512f", "fma"),
        ),
        (
            {
                "hw.optional.arm.FEAT_DotProd": b"\1\0\0\0",
                "hw.optional.arm.FEAT_BF16": b"\0\0\0\0",
            },
            ("asimddp",),
        ),
        ({}, ()),
    ],
)
def test_macs_have_names_of_their_own_for_features(
    reported: dict[str, bytes], features: tuple[str, ...]
) -> None:
    assert processes.mac_features(lambda name: reported.get(name, b"")) == features


INPUTS = [{"text": text + " in Oslo" * (number % 7)} for number, text in enumerate(SENTENCES[:40])]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnx", reason="needs mt-gate[export]")
    return tmp_path_factory.mktemp("taggers")


def answers(system: OnnxSystem, inputs: Sequence[Mapping[str, Any]]) -> list[Prediction]:
    result = dict(pair for batch in system.predict(inputs) for pair in batch)
    return [result[index] for index in range(len(inputs))]


def widths(system: OnnxSystem, monkeypatch: pytest.MonkeyPatch) -> list[set[int]]:
    seen: list[set[int]] = []
    answer = system._answer

    def noted(items: Sequence[Any]) -> list[Prediction]:
        seen.append({len(item.ids) for item in items})
        return answer(items)

    monkeypatch.setattr(system, "_answer", noted)
    return seen


def as_on_gpu(folder: Path) -> OnnxSystem:
    system = OnnxSystem(folder, "ner", "cpu")
    system.session.device = "cuda"
    return system


def test_a_cpu_pads_nothing_and_a_gpu_answers_alike(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = save_checkpoint(folder / "masked", tagger(adds={"?": 8.0}))
    cpu, gpu = OnnxSystem(made, "ner", "cpu"), as_on_gpu(made)
    exact, bucketed = widths(cpu, monkeypatch), widths(gpu, monkeypatch)
    # A batch that costs much makes wide buckets.
    monkeypatch.setattr("mt_gate.sut.onnx.measured", lambda *_: BatchCosts(4096, 1.0, 1e-6))
    expected, actual = answers(cpu, INPUTS), answers(gpu, INPUTS)
    assert [one.output for one in actual] == [one.output for one in expected]
    np.testing.assert_allclose(
        [one.margin for one in actual], [one.margin for one in expected], rtol=1e-5
    )
    assert all(len(lengths) == 1 for lengths in exact)
    assert any(len(lengths) > 1 for lengths in bucketed)
    assert len(bucketed) < len(exact)


def test_a_card_of_others_without_a_length(tmp_path: Path) -> None:
    """The usual length is tried once, then a shorter one, so that the run does not fail."""
    folder = save_checkpoint(tmp_path / "made", network())
    card = json.loads((folder / "checkpoint.json").read_text())
    card.pop("max_length")
    (folder / "checkpoint.json").write_text(json.dumps(card))
    system = OnnxSystem(folder, "ner", "cpu")
    assert system.card.max_length == LENGTH
    short, long = answers(system, [{"text": "a " * (LENGTH - size)} for size in (2, 1)])
    assert short.output is not None
    assert long.reason is NotApplicable.TRUNCATED
    with pytest.raises(UsageError, match=f"takes at most {LENGTH} tokens"):
        OnnxSystem(folder, "ner", "cpu", options=CheckpointOptions(max_length=LENGTH + 1))


class TestFixedShapes:
    """Models of exporters that fix the batch or the length, or that take int32."""

    CASES = (
        ((1, "length"), TensorProto.INT64),
        ((3, "length"), TensorProto.INT64),
        (("batch", 40), TensorProto.INT64),
        ((1, 40), TensorProto.INT32),
    )

    @pytest.mark.parametrize(("axes", "kind"), CASES)
    def test_scores_are_those_of_a_free_model(self, tmp_path: Path, axes: tuple, kind: int) -> None:
        free, fixed = network(), network()
        del fixed.graph.input[:]
        fixed.graph.input.extend(
            values(name, kind, axes) for name in ("input_ids", "attention_mask")
        )
        if kind == TensorProto.INT32:  # the network computes with int64
            self.cast(fixed)
        fixed.graph.output[0].CopyFrom(values("logits", TensorProto.FLOAT, [*axes, None]))
        systems = [
            OnnxSystem(save_checkpoint(tmp_path / name, made), "ner", "cpu")
            for name, made in (("free", free), ("fixed", fixed))
        ]
        inputs = [{"text": text} for text in SENTENCES[:20]]
        one, other = (self.answers(system, inputs) for system in systems)
        assert [answer.output for answer in one] == [answer.output for answer in other]
        margins = [[answer.margin or 0 for answer in answers] for answers in (one, other)]
        assert np.allclose(*margins, atol=1e-4)
        systems[1].noise(inputs)

    def cast(self, made: Any) -> None:
        for node in made.graph.node:
            for at, name in enumerate(node.input):
                if name in ("input_ids", "attention_mask"):
                    node.input[at] = f"{name}.wide"
        casts = [
            helper.make_node("Cast", [name], [f"{name}.wide"], to=TensorProto.INT64)
            for name in ("input_ids", "attention_mask")
        ]
        nodes = [*casts, *made.graph.node]
        del made.graph.node[:]
        made.graph.node.extend(nodes)

    def answers(self, system: OnnxSystem, inputs: Sequence[Mapping[str, Any]]) -> list[Prediction]:
        actual = dict(pair for batch in system.predict(inputs) for pair in batch)
        return [actual[index] for index in range(len(inputs))]

    def test_a_longer_text_is_skipped(self, tmp_path: Path) -> None:
        made = tagger()
        del made.graph.input[:]
        made.graph.input.extend(
            values(name, TensorProto.INT64, (1, 20)) for name in ("input_ids", "attention_mask")
        )
        made.graph.output[0].CopyFrom(values("logits", TensorProto.FLOAT, [1, 20, None]))
        system = OnnxSystem(save_checkpoint(tmp_path / "x", made), "ner", "cpu")
        assert system.card.max_length == 20
        long, short = self.answers(system, [{"text": "a " * 19}, {"text": "a " * 18}])
        assert long.reason is NotApplicable.TRUNCATED
        assert short.output == {"entities": []}

    @pytest.mark.parametrize(
        ("inputs", "words"),
        [
            ({"input_ids": (1, 8)}, "no attention_mask to pad"),
            ({"input_ids": (1, 8), "attention_mask": (1, 9)}, "different fixed sizes"),
        ],
    )
    def test_shapes_that_cannot_be_padded(self, inputs: Mapping, words: str) -> None:
        node = helper.make_node("Cast", ["input_ids"], ["logits"], to=TensorProto.FLOAT)
        made = onnx_model(
            [node],
            {},
            inputs=[values(name, TensorProto.INT64, axes) for name, axes in inputs.items()],
            outputs=[values("logits", TensorProto.FLOAT, None)],
        )
        taken = Inputs(("input_ids",), ("attention_mask",))
        with pytest.raises(CannotJudge, match=words):
            Session(Model(Path("x"), made.SerializeToString(), {}), "cpu", taken)
