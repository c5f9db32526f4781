"""The export: weights to ``model.onnx``, checked against PyTorch before it is kept."""

from __future__ import annotations

import contextlib
import io
import logging
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mt_gate import __version__
from mt_gate.errors import CannotJudge, UsageError
from mt_gate.exporting.hugging_face import HuggingFaceFolder, inspect
from mt_gate.jsonio import sha256_file
from mt_gate.sut import card as cards
from mt_gate.sut.batching import exact_length_batches
from mt_gate.sut.session import Session
from mt_gate.sut.token_classification import Encoded, decode, encode, load_tokenizer
from mt_gate.tasks.tag_scheme import TagScheme, read_tag_scheme

if TYPE_CHECKING:
    import torch

OPSET = 18


class Bound(NamedTuple):
    """What a precision may cost: largest logit difference, least share of equal predictions."""

    logits: float
    equal: float


BOUNDS = {
    "fp32": Bound(1e-3, 0.995),
    "fp16": Bound(0.1, 0.98),
    "int8": Bound(2.0, 0.90),
}


def need_export_packages() -> None:
    """Raise CannotJudge where torch or transformers is missing."""
    try:
        import onnx  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise CannotJudge(
            f"this checkpoint is not exported yet and {error.name} is not installed; "
            "pip install 'mt-gate[export]', or run 'mt-gate export' where it is and hand in "
            "the exported folder"
        ) from None


def export(
    checkpoint: Path, task: str, out: Path, precision: str, inputs: Sequence[Mapping[str, Any]]
) -> cards.Card:
    """Write ``model.onnx``, ``tokenizer.json`` and ``checkpoint.json`` to ``out``.

    Args:
        checkpoint: Hugging Face folder with safetensors.
        task: what the checkpoint is for.
        out: a folder that does not exist yet, or holds an earlier export.
        precision: fp32, fp16, or int8 (weights only, computed in fp32).
        inputs: inputs of the task for the parity report.

    Raises:
        CannotJudge: the checkpoint is unfit, or the export does not answer like it.
        UsageError: ``out`` holds other things.
    """
    if out.exists() and (
        not out.is_dir() or (any(out.iterdir()) and not (out / cards.CARD).is_file())
    ):
        raise UsageError(f"--out {out}: exists and is no export; name another folder")
    folder = inspect(checkpoint, task)
    scheme = read_tag_scheme(folder.labels, where=str(checkpoint / "config.json"))
    need_export_packages()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".mt-gate-", dir=out.parent) as temporary:
        draft = Path(temporary) / "export"
        draft.mkdir()
        card = _export(folder, scheme, draft, precision, inputs, task)
        _replace_folder(draft, out)
    return card


def _replace_folder(draft: Path, out: Path) -> None:
    if out.exists():
        shutil.rmtree(out)
    try:
        draft.replace(out)
    except OSError:
        if not (out / cards.CARD).is_file():  # another process was first: its export serves
            raise


def _export(
    folder: HuggingFaceFolder,
    scheme: TagScheme,
    draft: Path,
    precision: str,
    inputs: Sequence[Mapping[str, Any]],
    task: str,
) -> cards.Card:
    import onnx
    import torch
    import transformers

    with _quiet():
        model = _load(folder)
        _save_tokenizer(folder, draft)
        _write_onnx(model, draft / cards.MODEL)
        _set_precision(draft / cards.MODEL, precision)
    parity = _parity(model, folder, scheme, draft, inputs)
    _check_parity(folder, parity, precision)
    card = cards.Card(
        task=task,
        labels=folder.labels,
        name=folder.path.resolve().name,
        architecture=folder.architecture,
        max_length=folder.max_length,
        precision=precision,
        fingerprint=folder.fingerprint,
        files={name: sha256_file(draft / name) for name in (cards.MODEL, cards.TOKENIZER)},
        parity=parity,
        tools={
            "mt-gate": __version__,
            "torch": str(torch.__version__),
            "transformers": transformers.__version__,
            "onnx": onnx.__version__,
        },
    )
    cards.write_card(draft, card)
    return card


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the exporters' chatter off the user's terminal."""
    level = logging.root.manager.disable
    logging.disable(logging.ERROR)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
    logging.disable(level)


def _load(folder: HuggingFaceFolder) -> torch.nn.Module:
    import torch
    from transformers import AutoModelForTokenClassification

    try:
        model, info = AutoModelForTokenClassification.from_pretrained(
            str(folder.path),
            dtype=torch.float32,
            use_safetensors=True,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
        )
    except Exception as error:  # transformers raises errors of many libraries
        raise CannotJudge(
            f"{folder.path}: transformers cannot load it ({' '.join(str(error).split())[:300]}); "
            "expected a checkpoint saved with save_pretrained()"
        ) from None
    if info["missing_keys"] or info["mismatched_keys"]:
        missing = sorted([*info["missing_keys"], *(key for key, *_ in info["mismatched_keys"])])
        raise CannotJudge(
            f"{folder.path}: weights lack {missing[0]} ({len(missing)} in all), which would be "
            "random; expected every weight of the configuration; save the whole model"
        )
    return model.eval()  # type: ignore[no-any-return]


def _save_tokenizer(folder: HuggingFaceFolder, draft: Path) -> None:
    source = folder.path / cards.TOKENIZER
    if source.is_file():
        shutil.copyfile(source, draft / cards.TOKENIZER)
        return
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(
            str(folder.path), use_fast=True, trust_remote_code=False, local_files_only=True
        )
        tokenizer.backend_tokenizer.save(str(draft / cards.TOKENIZER))
    except Exception as error:  # transformers raises errors of many libraries
        raise CannotJudge(
            f"{folder.path}: no usable tokenizer ({' '.join(str(error).split())[:200]}); expected "
            "tokenizer.json, or the vocabulary files it is made from; save the tokenizer beside "
            "the model with tokenizer.save_pretrained()"
        ) from None


def _write_onnx(model: torch.nn.Module, path: Path) -> None:
    import torch

    config: Any = model.config
    example = {
        "input_ids": torch.ones((2, 7), dtype=torch.int64),
        "attention_mask": torch.ones((2, 7), dtype=torch.int64),
    }
    if getattr(config, "type_vocab_size", 0) > 1:
        example["token_type_ids"] = torch.zeros((2, 7), dtype=torch.int64)
    # A batch axis called "batch" and one called "length", whatever the example's.
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            program = torch.onnx.export(
                model,
                (),
                kwargs=example,
                dynamo=True,
                opset_version=OPSET,
                dynamic_shapes=dict.fromkeys(example, axes),
                output_names=["logits"],
                verbose=False,
            )
    except torch.onnx.OnnxExporterError as error:
        text = " ".join(str(error.__cause__ or error).split())[:300]
        raise CannotJudge(
            f"architecture {type(model).__name__}: PyTorch cannot export it to ONNX ({text}); "
            "export it yourself and write a checkpoint.json beside model.onnx"
        ) from None
    assert program is not None
    program.save(str(path), external_data=False)


def _set_precision(path: Path, precision: str) -> None:
    if precision == "fp32":
        return
    import onnx

    from mt_gate.exporting import precision as precisions

    convert = {"fp16": precisions.half, "int8": precisions.int8_weights}[precision]
    onnx.save(convert(onnx.load(path)), path)


def _parity(
    model: torch.nn.Module,
    folder: HuggingFaceFolder,
    scheme: TagScheme,
    draft: Path,
    inputs: Sequence[Mapping[str, Any]],
) -> cards.Parity:
    import torch

    encoded = encode(load_tokenizer(draft / cards.TOKENIZER), [item["text"] for item in inputs])
    encoded = [item for item in encoded if len(item.ids) <= folder.max_length]
    session = Session(draft / cards.MODEL, "cpu")
    largest, equal = 0.0, 0
    for batch in exact_length_batches([len(item.ids) for item in encoded], 1024):
        chosen = [encoded[index] for index in batch]
        feeds = _feeds(chosen)
        found = session.logits(feeds).astype(np.float32)
        with torch.no_grad():
            known = {name: torch.from_numpy(feeds[name]) for name in session.inputs}
            wanted = model(**known).logits.numpy()
        largest = max(largest, float(np.abs(found - wanted).max()))
        equal += sum(
            decode(item, left, scheme).output == decode(item, right, scheme).output
            for item, left, right in zip(chosen, found, wanted, strict=True)
        )
    return cards.Parity(
        reference=f"torch {torch.__version__}",
        inputs=len(encoded),
        largest_logit_difference=largest,
        equal_predictions=equal / len(encoded),
    )


def _feeds(encoded: Sequence[Encoded]) -> Mapping[str, np.ndarray[Any, Any]]:
    ids = np.array([item.ids for item in encoded], np.int64)
    types = np.array([item.type_ids for item in encoded], np.int64)
    return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}


def _check_parity(folder: HuggingFaceFolder, parity: cards.Parity, precision: str) -> None:
    bound = BOUNDS[precision]
    fits = parity.largest_logit_difference <= bound.logits
    if fits and parity.equal_predictions >= bound.equal:
        return
    raise CannotJudge(
        f"{folder.path}: the {precision} export differs from {parity.reference} by up to "
        f"{parity.largest_logit_difference:.3g} in a logit, with "
        f"{parity.equal_predictions:.1%} equal predictions of {parity.inputs}; expected at most "
        f"{bound.logits:g} and at least {bound.equal:.1%}; try --precision fp32"
    )
