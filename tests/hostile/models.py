"""Models: the content of ``model.onnx``, and the files next to it."""

from __future__ import annotations

import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper

from hostile.running import Case, Ground, gate
from making import LABELS
from making_onnx import additions, save_checkpoint, tagger, values

UNFIT = r"model\.onnx.*([Ee]xpected|export)"
"""It is no model, or none that a run can use."""
FINITE = r"checkpoint.*(NaN|finite)"
PLACE = r"checkpoint/[\w.]+:? .*(link|regular|not exist|has no|/proc|device|FIFO|folder)"
DATA = (
    r"checkpoint.*(model\.onnx|data|weights|secret)"
    r".*(link|regular|not exist|has no|outside|folder|expected)"
    r"|checkpoint/nowhere\.bin does not exist. model\.onnx has weights in that"
)
BOUND = r"checkpoint.*(second|longer|time|memory|GiB|alloc|bytes|large|ended|killed|nodes)"
"""It would take all time or all memory, or brings its process down."""
NOISE = r"checkpoint.*(nois|alone|batch|random|same input|differ|unstable)"


def judged(ground: Ground) -> list[str]:
    ground.take("baseline.json")
    return gate(ground, baseline="baseline.json")


def of(
    identity: str,
    make: Callable[[], ModelProto | bytes],
    line: str,
    codes: tuple[int, ...] = (3,),
    **card: Any,
) -> Case:
    def made(ground: Ground) -> list[str]:
        save_checkpoint(ground.folder / "checkpoint", make(), **card)
        return judged(ground)

    return Case(identity, made, line, codes)


def put_next_to(
    identity: str,
    change: Callable[[Path], object],
    line: str,
    codes: tuple[int, ...] = (3,),
) -> Case:
    def made(ground: Ground) -> list[str]:
        change(ground.take("checkpoint"))
        return judged(ground)

    return Case(identity, made, line, codes)


def instead(make: Callable[[Path], object], name: str = "model.onnx") -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        make(folder / name)

    return change


def sparse(size: int) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            file.truncate(size)

    return write


def outside(path: Path) -> None:
    target = path.parent.parent / f"elsewhere-{path.name}"
    path.rename(target)
    path.symlink_to(target)


def inside(path: Path) -> None:
    path.rename(path.with_name(f"real-{path.name}"))
    path.symlink_to(f"real-{path.name}")


def archive(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("archive/data.pkl", pickle.dumps(Evil()))


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch unpickled",)


# Structure


def node(kind: str, inputs: list[str], outputs: list[str], **more: Any) -> NodeProto:
    return helper.make_node(kind, inputs, outputs, **more)


def ends_in(*nodes: NodeProto, kind: int = TensorProto.FLOAT, **constants: Any) -> ModelProto:
    made = tagger(nodes=nodes, **{name: np.array(value) for name, value in constants.items()})
    made.graph.output[0].type.tensor_type.elem_type = kind
    return made


def integers(name: str, *shape: Any) -> Any:
    return values(name, TensorProto.INT64, list(shape))


def changed(change: Callable[[ModelProto], object], **more: Any) -> Callable[[], ModelProto]:
    def make() -> ModelProto:
        made = tagger(**more)
        change(made)
        return made

    return make


def tensor(made: ModelProto, name: str) -> TensorProto:
    return next(item for item in made.graph.initializer if item.name == name)


def set_dims(made: ModelProto, *dims: int) -> None:
    tensor(made, "table").dims[:] = dims


# Size


def with_huge(*nodes: NodeProto, **constants: Any) -> ModelProto:
    return ends_in(
        *nodes,
        node("ReduceMax", ["huge"], ["most"], keepdims=0),
        node("Mul", ["most", "nothing"], ["none"]),
        node("Add", ["found", "none"], ["logits"]),
        nothing=np.float32(0),
        **constants,
    )


GIB4 = [1 << 15, 1 << 15]
"""So many floats take 4 GiB."""


def at_run_time() -> list[NodeProto]:
    return [
        node("Shape", ["input_ids"], ["asked"]),
        node("Mul", ["asked", "no"], ["none-asked"]),
        node("Add", ["none-asked", "wanted"], ["shape"]),
    ]


def repeated(kind: str, body: Any, **more: Any) -> NodeProto:
    return node(kind, ["most-rounds", "true", "found"], ["logits"], body=body, **more)


def body(*nodes: NodeProto, kind: str = "same") -> Any:
    return helper.make_graph(
        [*nodes, node("Identity", ["go"], ["again"]), node("Identity", ["x"], [kind])],
        "body",
        [
            integers("round"),
            values("go", TensorProto.BOOL, []),
            values("x", TensorProto.FLOAT, None),
        ],
        [values("again", TensorProto.BOOL, []), values(kind, TensorProto.FLOAT, None)],
    )


def endless() -> ModelProto:
    return ends_in(repeated("Loop", body()), **{"most-rounds": np.int64(1 << 62), "true": True})


def function_bomb(levels: int = 40) -> ModelProto:
    made = ends_in(node("f0", ["found"], ["logits"], domain="bomb"))
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("bomb", 1)]
    for level in range(levels):
        last = level == levels - 1
        called = {"op_type": "Identity"} if last else {"op_type": f"f{level + 1}", "domain": "bomb"}
        nodes = [
            helper.make_node(inputs=["x"], outputs=["h"], **called),
            helper.make_node(inputs=["h"], outputs=["y"], **called),
        ]
        made.functions.append(
            helper.make_function("bomb", f"f{level}", ["x"], ["y"], nodes, opsets)
        )
    made.opset_import.append(helper.make_opsetid("bomb", 1))
    return made


# External data


def external(
    location: str, offset: int = 0, length: int | None = None, *, question: float = 0.0
) -> bytes:
    made = tagger(adds={"?": question})
    result = tensor(made, "asks")
    size = len(result.raw_data) if length is None else length
    result.ClearField("raw_data")
    result.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", str(offset)), ("length", str(size))):
        entry = result.external_data.add()
        entry.key, entry.value = key, value
    data: bytes = made.SerializeToString()
    return data


def with_data(
    location: str,
    write: Callable[[Path], object] | None = None,
    offset: int = 0,
    length: int | None = None,
    *,
    question: float = 0.0,
) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / "model.onnx").write_bytes(external(location, offset, length))
        place = folder / location
        if write is not None:
            write(place)
        elif not place.exists() and not os.path.isabs(location):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(additions({"?": question}).tobytes())

    return change


def replaced(location: str, **card: Any) -> Callable[[Ground], list[str]]:
    """Return what runs a good checkpoint, and then replaces its weights, not its card.

    All answers are in the cache: they must not stand for those of the new weights.
    """

    def make(ground: Ground) -> list[str]:
        folder = ground.take("checkpoint")
        with_data(location)(folder)
        ground.edit("checkpoint/checkpoint.json", lambda value: value.update(card))
        assert ground.run(judged(ground)).code in (0, 2, 3)
        (folder / location).write_bytes(additions({"?": 8.0}).tobytes())
        return judged(ground)

    return make


# Noise


DROPPED = (node("Dropout", ["found", "half", "true"], ["logits"]),)
RAMP = np.arange(len(LABELS), dtype=np.float32)


def noisy(nodes: Any, question: float = 0.0) -> Callable[[], ModelProto]:
    return lambda: tagger(
        adds={"?": question},
        nodes=nodes,
        one=np.float32(1),
        lots=100 * RAMP,
        ramp=RAMP,
        first=np.array([0], np.int64),
        half=np.float32(0.5),
        true=np.array(True),
    )


PLACES = [
    put_next_to(
        "missing", lambda folder: (folder / "model.onnx").unlink(), r"model\.onnx does not exist"
    ),
    put_next_to("fifo", instead(os.mkfifo), PLACE),
    put_next_to("zeros", instead(lambda path: path.symlink_to("/dev/zero")), PLACE),
    put_next_to("link-out", lambda folder: outside(folder / "model.onnx"), PLACE),
    put_next_to("link-inside", lambda folder: inside(folder / "model.onnx"), "", (0,)),
    put_next_to("sparse-of-1-tib", instead(sparse(1 << 40)), r"model\.onnx.*(bytes|large)"),
]
BYTES = [
    of("half", lambda: (data := tagger().SerializeToString())[: len(data) // 2], UNFIT),
    of("pickle", lambda: pickle.dumps(Evil()), UNFIT),
    put_next_to("torch-archive", instead(archive), UNFIT),
]
STRUCTURE = [
    of("no-graph", lambda: ModelProto(ir_version=9), UNFIT),
    of("nan", lambda: ends_in(node("Log", ["found"], ["logits"])), FINITE),
    of("unknown-operator", lambda: ends_in(node("Understand", ["found"], ["logits"])), UNFIT),
    of("larger-than-its-data", changed(lambda m: set_dims(m, 1 << 20, len(LABELS))), UNFIT),
    of(
        "division-by-0",
        lambda: ends_in(
            node("Div", ["input_ids", "zero"], ["parts"]),
            node("ReduceMax", ["parts"], ["huge"], keepdims=0),
            node("Cast", ["huge"], ["number"], to=1),
            node("Add", ["found", "number"], ["logits"]),
            zero=np.int64(0),
        ),
        r"checkpoint.*(model\.onnx|ended|logits)",
    ),
]
SIZE = [
    of(
        "4-gib-at-run-time",
        lambda: with_huge(
            *at_run_time(),
            node("ConstantOfShape", ["shape"], ["huge"]),
            no=np.int64(0),
            wanted=np.array(GIB4, np.int64),
        ),
        BOUND,
    ),
    of("loop-without-end", endless, BOUND),
    of("functions-in-functions", function_bomb, f"{BOUND}|{UNFIT}"),
]
WEIGHTS = [
    put_next_to("data-outside", with_data("../secret.bin"), DATA),
    put_next_to("data-missing", with_data("nowhere.bin", lambda _: None), DATA),
    put_next_to(
        "data-link-out",
        with_data("weights.bin", lambda path: path.symlink_to("/etc/passwd"), length=64),
        DATA,
    ),
    put_next_to(
        "data-beyond-its-file", with_data("weights.bin", offset=1 << 20), f"{DATA}|{UNFIT}"
    ),
    Case(
        "replaced-data-that-files-omits",
        replaced("weights.bin", fingerprint="sha256:" + "0" * 64, files={"tokenizer.json": ""}),
        f"{DATA}|checkpoint",
        (1, 3),
    ),
]
NOISES = [
    of("dropout-at-inference", noisy(DROPPED, 8.0), NOISE, (1, 3)),
    of("worse", lambda: tagger(adds={"?": 8.0}), "", (1,)),
    of("good", tagger, "", (0,)),
]
CASES = [*PLACES, *BYTES, *STRUCTURE, *WEIGHTS, *NOISES]
