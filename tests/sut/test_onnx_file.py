"""The external files of a model and its size are checked before a runtime opens it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.folder import MOST_DEPTH, CheckpointFolder, examine

HERE = Path("model.onnx")
Model = onnx.ModelProto


def external(name: str, **entries: str) -> onnx.TensorProto:
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[1])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    return tensor


def graph(*nodes: onnx.NodeProto, weights: tuple[onnx.TensorProto, ...] = ()) -> onnx.GraphProto:
    return helper.make_graph([*nodes], "graph", [], [], [*weights])


def model(*nodes: onnx.NodeProto, weights: tuple[onnx.TensorProto, ...] = ()) -> Model:
    return helper.make_model(graph(*nodes, weights=weights))


def external_of(of: Model) -> tuple[str, ...]:
    return examine(of.SerializeToString(), HERE)[0]


def using(name: str) -> Model:
    return model(helper.make_node(name, ["x"], ["y"]))


def quantised_in_a_function() -> Model:
    made = using("Halved")
    made.functions.append(
        helper.make_function(
            "own", "Halved", ["x"], ["y"], [helper.make_node("QuantizeLinear", ["x"], ["y"])], []
        )
    )
    return made


@pytest.mark.parametrize(
    "quantising",
    [
        *map(using, ["QuantizeLinear", "DynamicQuantizeLinear", "DequantizeLinear", "QGemm"]),
        *map(using, ["MatMulInteger", "QLinearMatMul", "MatMulNBits", "QAttention"]),
        quantised_in_a_function(),
    ],
)
def test_models_that_are_computed_in_integers_are_known(quantising: Model) -> None:
    assert examine(quantising.SerializeToString(), HERE)[1]


@pytest.mark.parametrize(
    "location", ["../b", "/etc/passwd", "a/../../b", "", ".", "a\nb", "x" * 300, "..\\b", "\0"]
)
def test_a_file_outside_of_the_folder_is_refused(location: str) -> None:
    with pytest.raises(CannotJudge, match=r"^model\.onnx: it has weights outside of its folder"):
        external_of(model(weights=(external("w", location=location),)))


def in_a_constant() -> Model:
    return model(helper.make_node("Constant", [], ["y"], value=external("t", location="b")))


def in_a_branch() -> Model:
    branch = graph(weights=(external("w", location="b"),))
    return model(helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=graph()))


def in_a_sparse_weight() -> Model:
    made = model()
    made.graph.sparse_initializer.add(values=external("v", location="b"))
    return made


def in_a_function() -> Model:
    made = model()
    node = helper.make_node("Constant", [], ["y"], value=external("t", location="b"))
    made.functions.append(helper.make_function("own", "f", [], ["y"], [node], []))
    return made


@pytest.mark.parametrize("make", [in_a_constant, in_a_branch, in_a_sparse_weight, in_a_function])
def test_a_file_for_what_is_no_weight_is_refused(make: Callable[[], Model]) -> None:
    """The runtime would look for it where the run was started."""
    with pytest.raises(CannotJudge, match="a tensor in another file that is not a weight"):
        external_of(make())


def calling(name: str, times: int, called: str) -> onnx.FunctionProto:
    nodes = [helper.make_node(called, ["x"], ["x"], domain="own") for _ in range(times)]
    return helper.make_function("own", name, ["x"], ["x"], nodes, [])


def test_functions_that_call_themselves_are_refused() -> None:
    made = model(helper.make_node("f", ["x"], ["y"], domain="own"))
    made.functions.extend([calling("f", 1, "g"), calling("g", 1, "f")])
    with pytest.raises(CannotJudge, match="functions call themselves"):
        external_of(made)


def test_graphs_in_graphs_without_end_are_refused() -> None:
    inner = graph()
    for _ in range(MOST_DEPTH + 2):
        inner = graph(helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=graph()))
    with pytest.raises(CannotJudge, match="its graphs are nested"):
        external_of(helper.make_model(inner))


def plain(number: int, value: bytes) -> bytes:
    return bytes([number << 3 | 2, len(value)]) + value


def hidden(number: int, value: bytes) -> bytes:
    return bytes([number << 3 & 127 | 2 | 128, 128, 128, 128, 16, len(value)]) + value


WEIGHT = external("w").SerializeToString()
ENTRY = onnx.StringStringEntryProto(key="location", value="b").SerializeToString()


@pytest.mark.parametrize(
    "data",
    [
        hidden(7, plain(5, WEIGHT + plain(13, ENTRY))),
        plain(7, hidden(5, WEIGHT + plain(13, ENTRY))),
        plain(7, plain(5, WEIGHT + hidden(13, ENTRY))),
    ],
)
def test_a_field_that_the_runtime_alone_would_find_is_refused(data: bytes) -> None:
    """It would read a file that nobody has counted."""
    with pytest.raises(CannotJudge, match="not an ONNX model"):
        examine(data, HERE)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_in_a_line(data: bytes) -> None:
    with suppress(CannotJudge):
        examine(data, HERE)


@given(st.data())
def test_a_model_that_is_cut_off_or_changed(draw: st.DataObject) -> None:
    data = bytearray(in_a_branch().SerializeToString())
    at = draw.draw(st.integers(0, len(data) - 1))
    data[at] = draw.draw(st.integers(0, 255))
    for some in (bytes(data), bytes(data[:at])):
        with suppress(CannotJudge):
            examine(some, HERE)


def test_ort_format_is_another_format() -> None:
    with pytest.raises(CannotJudge, match="ORT format, expected ONNX"):
        examine(b"\x20\0\0\0ORTM" + bytes(100), HERE)


def test_what_is_read_is_counted_once(tmp_path: Path) -> None:
    (tmp_path / "b.bin").write_bytes(b"b")
    (tmp_path / "a.bin").write_bytes(b"a")
    folder = CheckpointFolder(tmp_path)
    assert folder.digests == {}
    assert folder.read("b.bin", limit=1) == b"b"
    folder.count("a.bin")
    folder.count("a.bin")
    assert list(folder.digests) == ["a.bin", "b.bin"]
    assert folder.digests["b.bin"] == hashlib.sha256(b"b").hexdigest()


def test_a_file_that_changes_between_two_reads_ends_the_run(tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    file.write_bytes(b"a")
    folder = CheckpointFolder(tmp_path)
    folder.count("a.bin")
    file.write_bytes(b"b")
    with pytest.raises(CannotJudge, match="changed while the checkpoint was read"):
        folder.read("a.bin", limit=1)


def test_a_file_that_is_not_the_one_stated_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"a")
    stated = {"a.bin": hashlib.sha256(b"b").hexdigest()}
    with pytest.raises(CannotJudge, match=r"not the file that checkpoint\.json describes"):
        CheckpointFolder(tmp_path, stated).read("a.bin", limit=1)


def test_links_stay_in_the_folder(tmp_path: Path) -> None:
    made = tmp_path / "checkpoint"
    made.mkdir()
    (tmp_path / "secret").write_text("outside")
    (made / "a.bin").symlink_to("../secret")
    with pytest.raises(CannotJudge, match="a link out of"):
        CheckpointFolder(made).read("a.bin", limit=10)
