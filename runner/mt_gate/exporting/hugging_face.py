"""Check a Hugging Face folder before anything in it is loaded."""

from __future__ import annotations

import contextlib
import functools
import io
import logging
import os
import re
import shutil
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, MtGateError, UsageError, page, quoted, reported
from mt_gate.base.figures import counted
from mt_gate.exporting import folder_files
from mt_gate.exporting.folder_files import (
    ADAPTER,
    CONFIG,
    COUNTED,
    SAVED,
    SENTENCES,
    TOKENIZER_CONFIG,
    Weights,
    read_json,
    read_weights,
)
from mt_gate.exporting.foreign import refuse_foreign
from mt_gate.exporting.heads import architecture_of, export_of, with_labels
from mt_gate.sut.card import (
    CARD,
    HUB,
    LEAST_LENGTH,
    MODEL,
    TOKENIZER,
    CheckpointOptions,
    InputForm,
    companion,
    derived,
    read_card,
)
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.tasks.boolq import TEXT_TO_TEXT
from mt_gate.tasks.spec import MOST_LABELS, PROMPT

MAX_CONFIG = 8 << 20
_HUB_ID = re.compile(r"((?:[A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*)(?:@(\w[\w./-]*))?", re.ASCII)
_TOKENIZERS = (TOKENIZER, "vocab.txt", "vocab.json", "*.model")
_UNBOUNDED = 1_000_000  # tokenizers without a limit write 1e30 or so
_RELATIVE = 512
"""Default maximum of tokens for models with relative positions, which state no limit."""


class HuggingFaceFolder(NamedTuple):
    """Facts from configuration files and headers of weights; no weights are read.

    ``path`` is the user's folder. ``source`` is the folder to read: the user's, or a copy of it.
    ``base`` is the whole model of an adapter.
    """

    path: Path
    source: Path
    weights: Weights
    labels: tuple[str, ...]
    answers: Mapping[str, str]
    architecture: str
    reading: InputForm
    auto: str
    max_length: int
    fingerprint: str
    base: Path | None = None

    @property
    def form(self) -> str:
        """The name of the input form."""
        return self.reading.input_form


def fetch(checkpoint: str) -> Path:
    """Return a local folder for a path or a hub id; download only safe files.

    Raises UsageError.
    """
    path = Path(checkpoint)
    if not checkpoint.startswith(HUB) and path.exists():
        return path
    matched = _HUB_ID.fullmatch(checkpoint.removeprefix(HUB))
    if not matched or (not checkpoint.startswith(HUB) and "/" not in checkpoint):
        raise UsageError(
            f"Checkpoint {quoted(checkpoint, 200)} does not exist. Pass a Hugging Face folder, one "
            f"made by mt-gate export, or a hub id like {HUB}dslim/bert-base-NER@main."
        )
    try:
        return _download(*matched.groups())
    except ImportError:
        raise UsageError(
            f"Checkpoint {quoted(checkpoint, 200)} is on the hub, and huggingface_hub is not "
            "installed. Run pip install 'mt-gate[export]'"
        ) from None
    except Exception as error:  # the hub's client raises errors of many libraries
        raise UsageError(
            f"Checkpoint {quoted(checkpoint, 200)} does not exist here, and the hub did not return "
            f"it ({reported(error)}). Check the path, the id, the revision and the network. A "
            "private one needs HF_TOKEN."
        ) from None


@functools.cache
def _download(name: str, revision: str | None) -> Path:
    from huggingface_hub import snapshot_download

    known = [*COUNTED, CARD]
    folder = Path(snapshot_download(name, revision=revision, allow_patterns=known))
    if not any(folder.glob("*.safetensors")):
        models = sum(folder_files.ONNX_NAMES.values(), ())
        known += [f"{place}{model}*" for model in models for place in ("", "onnx/")]
        folder = Path(snapshot_download(name, revision=revision, allow_patterns=known))
    return folder


def inspect(
    path: Path,
    task: str,
    options: CheckpointOptions = CheckpointOptions(),  # noqa: B008 - immutable
    base: Path | None = None,
) -> HuggingFaceFolder:
    """Check a folder and read its configuration; read only JSON files and headers of weights.

    ``base`` is the whole model of an adapter, by default the one that the adapter names.
    """
    refuse_foreign(path)
    if os.path.lexists(path / ADAPTER):
        base = base or find_base(path)
    elif not os.path.lexists(path / CONFIG):
        folders = sorted(file.parent for name in (CARD, CONFIG) for file in path.glob(f"*/{name}"))
        further = f" Did you mean {folders[0]}, which has one?" if folders else ""
        raise CannotJudge(f"{path} has neither checkpoint.json nor {CONFIG}.{further} {SAVED}")
    config = read_config(path, base)
    weights = read_weights(base or path, options.precision)
    check_config(path / CONFIG, config, weights)
    architecture, head = architecture_of(path / CONFIG, config, task)
    _check_prompt(path, task, architecture, head.form, options)
    of_task = export_of(task)
    labels: tuple[str, ...]
    answers: Mapping[str, str] = {}
    if options.prompt:
        labels, reading = tuple(options.prompt.labels), InputForm(input_form=head.form)
    else:
        labels, answers = of_task.labels(path / CONFIG, config, head.form, options.answers)
        reading = of_task.reading(path, config, head)
    settings = _read_tokenizer_settings(tokenizer_folder(path, base))
    usual, most = _lengths(path, config, settings, head.form)
    length = options.max_length or usual
    if length > most:
        raise UsageError(f"--max-length {length} is too large: {path} takes at most {most} tokens.")
    changed: dict[str, Any] = {"max_length": length} if length != usual else {}
    if options.prompt:
        changed["prompt"] = msgspec.to_builtins(options.prompt)
    elif options.answers:
        try:
            _, implied = of_task.labels(path / CONFIG, config, head.form, {})
        except CannotJudge:
            implied = {}
        changed |= {"answers": answers} if answers != implied else {}
    fingerprint = folder_files.fingerprint(path, _names_that_count(path, reading, weights))
    if base is not None:
        changed["base"] = folder_files.fingerprint(base, folder_files.counted(base))
    return HuggingFaceFolder(
        path=path,
        source=path,
        weights=weights,
        labels=labels,
        answers=answers,
        architecture=architecture,
        reading=reading,
        auto=head.auto,
        max_length=length,
        fingerprint=derived(fingerprint, changed),
        base=base,
    )


def read_config(path: Path, base: Path | None = None) -> dict[str, Any]:
    """Return a folder's configuration; for an adapter, its base's with the adapter's labels."""
    if base is None:
        return with_labels(_read_object(path, CONFIG))
    config = with_labels(_read_object(base, CONFIG))
    if os.path.lexists(path / CONFIG):
        own = with_labels(_read_object(path, CONFIG))
        config |= {name: own[name] for name in _OF_ADAPTERS if name in own}
    names = config.get("architectures")
    family = _HEAD.sub("", names[0]) if isinstance(names, list) and names else ""
    kind = _read_object(path, ADAPTER).get("task_type")
    if kind in _ENDINGS:
        config["architectures"] = [f"{family}{_ENDINGS[kind]}"]
    return config


_OF_ADAPTERS = ("id2label", "label2id", "problem_type")
_ENDINGS = {"TOKEN_CLS": "ForTokenClassification", "SEQ_CLS": "ForSequenceClassification"}
_HEAD = re.compile(r"(For[A-Z]\w*|LMHeadModel|Model)$", re.ASCII)


def find_base(path: Path) -> Path:
    """Return the folder of the whole model that an adapter names; nothing is downloaded.

    It is a local folder, or one in the hub's cache. Raises CannotJudge.
    """
    settings = _read_object(path, ADAPTER)
    name, revision = settings.get("base_model_name_or_path"), settings.get("revision")
    if not isinstance(name, str) or not name.strip() or not isinstance(revision, str | None):
        raise CannotJudge(
            f"{path / ADAPTER} names no base_model_name_or_path. Save the adapter again with PEFT."
        )
    if os.path.lexists(path / folder_files.SINGLE):
        raise CannotJudge(
            f"{path} has an adapter ({ADAPTER}) and a whole model. If it was merged, remove the "
            f"adapter. If not, remove {folder_files.SINGLE}."
        )
    for folder in (path / name, Path(name)):
        if "\0" not in name and (folder / CONFIG).is_file():
            return folder
    if matched := _HUB_ID.fullmatch(name):
        with contextlib.suppress(Exception):  # not installed, or not in the cache
            from huggingface_hub import snapshot_download

            return Path(snapshot_download(matched[1], revision=revision, local_files_only=True))
    at = f" --revision {revision}" if revision else ""
    raise CannotJudge(
        f"{path} has an adapter ({ADAPTER}) for {quoted(name, 120)}, which is not on this machine. "
        f"Run hf download {quoted(name, 120)}{at}, or merge both with merge_and_unload() of PEFT "
        "and pass the whole model."
    )


def tokenizer_folder(path: Path, base: Path | None) -> Path:
    """Return the folder with the tokenizer: the adapter's own, or that of its base."""
    return path if base is None or _has_tokenizer(path) else base


def _has_tokenizer(path: Path) -> bool:
    return any(any(path.glob(pattern)) for pattern in _TOKENIZERS)


def _check_prompt(
    path: Path, task: str, architecture: str, form: str, options: CheckpointOptions
) -> None:
    if form == PROMPT and not options.prompt:
        raise UsageError(
            f"{path} is a language model ({architecture}), which needs a prompt. Run mt-gate "
            f"export {path} --task {task} --prompt FILE --out DIR, and pass that folder: "
            f"{page('language-models')}"
        )
    if options.prompt and form != PROMPT:
        raise UsageError(
            f"--prompt is for language models, but {path} is a classifier ({architecture}). Omit "
            "it."
        )


def copy_folder(
    seen: HuggingFaceFolder, task: str, options: CheckpointOptions, into: Path
) -> HuggingFaceFolder:
    """Copy the fingerprinted files of a folder to ``into``, so that exactly these are exported."""
    own, base = into, None
    into.mkdir(exist_ok=True)
    if seen.base is not None:
        own, base = into / "adapter", into / "base"
        own.mkdir()
        base.mkdir()
        folder_files.fingerprint(seen.base, folder_files.counted(seen.base), base)
    names = _names_that_count(seen.path, seen.reading, seen.weights)
    folder_files.fingerprint(seen.path, names, own)
    try:
        inspected = inspect(own, task, options, base)
    except MtGateError:
        inspected = None
    check_unchanged(seen.path, seen.fingerprint, inspected.fingerprint if inspected else "")
    assert inspected is not None
    inspected = inspected._replace(path=seen.path)
    if base is None:
        return inspected
    from mt_gate.exporting.adapters import merge

    return merge(inspected, own, base, into)


def check_unchanged(path: Path, expected: str, fingerprint: str) -> None:
    """Raise CannotJudge if the fingerprint of a folder has changed."""
    if fingerprint != expected:
        raise CannotJudge(
            f"The files of {path} changed while they were read. Run again when nothing writes to "
            "the checkpoint."
        )


def has_file(path: Path, name: str) -> bool:
    """Whether the folder itself has a file with this name."""
    return bool(name) and Path(name).name == name and os.path.isfile(path / name)


def _names_that_count(path: Path, reading: InputForm, weights: Weights) -> tuple[str, ...]:
    own = [reading.ontology] if has_file(path, reading.ontology) else []
    return folder_files.counted(path, *own, *(weights.names if weights.onnx else ()))


def _read_object(path: Path, name: str) -> dict[str, Any]:
    value = read_json(path, name, dict[str, Any], MAX_CONFIG, SAVED)
    for _ in _walk(path / name, value):  # checks the depth, because libraries recurse into it
        pass
    return value


def _read_tokenizer_settings(path: Path) -> dict[str, Any]:
    where = path / TOKENIZER_CONFIG
    settings = _read_object(path, TOKENIZER_CONFIG) if os.path.lexists(where) else {}
    if not _has_tokenizer(path):
        raise CannotJudge(
            f"{path} has no tokenizer: neither tokenizer.json nor a vocabulary to build it from. "
            "Save it next to the model with tokenizer.save_pretrained()."
        )
    if settings.get("auto_map"):
        raise CannotJudge(
            f"{where} needs its own code (auto_map), which mt-gate never runs. If {TOKENIZER} "
            "alone gives the same token ids, remove the key."
        )
    return settings


def _lengths(
    path: Path, config: Mapping[str, Any], settings: Mapping[str, Any], form: str
) -> tuple[int, int]:
    """Return the stated default and maximum tokens of an input; the export tests them."""
    bounds = [_UNBOUNDED]
    if config.get("max_position_embeddings") is not None:
        bounds.append(config["max_position_embeddings"])
    stated = (settings.get("model_max_length"), _longest_sentence(path))
    numbers = (length for length in stated if isinstance(length, (int, float)))
    bounds += [int(length) for length in numbers if 0 < length < _UNBOUNDED]
    least = min(bounds)
    if least < LEAST_LENGTH:
        raise CannotJudge(
            f"{path}: {CONFIG} and {TOKENIZER_CONFIG} allow at most {counted(least, 'token')}, but "
            f"mt-gate needs {LEAST_LENGTH}. Fix these files."
        )
    if form == TEXT_TO_TEXT:  # positions are relative, so a stated limit does not apply
        return min(least, _RELATIVE), _UNBOUNDED
    return least, least


def _longest_sentence(path: Path) -> Any:
    """Return the length at which sentence-transformers truncates texts; 0 without its file."""
    return _read_object(path, SENTENCES).get("max_seq_length") if has_file(path, SENTENCES) else 0


_MOST_DEPTH = 20
_OWN_CODE, _QUANTISED = "its own code", "code for its quantised weights"
_ELSEWHERE: Mapping[str, str] = {
    **dict.fromkeys(("auto_map", "custom_pipelines", "custom_generate"), _OWN_CODE),
    **dict.fromkeys(("kernel_config", "use_kernels"), _OWN_CODE),
    **dict.fromkeys(("quantization_config", "compression_config"), _QUANTISED),
    "transformers_weights": "weights from another file",
    "backbone": "weights of another checkpoint",
}
"""Keys of a configuration that need code or weights from elsewhere."""
_ATTENTION = "attn_implementation"
_ATTENTIONS = ("eager", "sdpa")
"""Allowed implementations; transformers would load code from elsewhere for any other name."""
_SHARING = 64
"""Layers that are allowed even with fewer tensors: layers may share weights (ALBERT)."""
_LAYERS = re.compile(r"(?:.*_)?layers?")
_COUNTS = {"num_hidden_layers", "num_layers", "num_decoder_layers", "n_layer", "n_layers"}
_DIMENSIONS = {
    "vocab_size", "hidden_size", "intermediate_size", "embedding_size", "type_vocab_size",
    "num_attention_heads", "num_key_value_heads", "head_dim", "entity_vocab_size",
    "entity_emb_size", "d_model", "d_ff", "d_kv", "num_heads", "dim", "hidden_dim", "n_heads",
    "n_head", "n_embd", "encoder_ffn_dim", "decoder_ffn_dim",
}  # fmt: skip
_POSITIONS = ("max_position_embeddings", "n_positions", "relative_attention_num_buckets")
_MOST = {"num_labels": MOST_LABELS, **dict.fromkeys(_POSITIONS, 10_000_000)}
_REPAIR = "Save the checkpoint again, or fix the file."


def check_config(path: Path, config: Mapping[str, Any], weights: Weights) -> None:
    """Check a configuration before anything is built from it. Raises CannotJudge."""
    for key, value in _walk(path, config):
        if value and key in _ELSEWHERE:
            raise CannotJudge(
                f"{path} needs {_ELSEWHERE[key]} ({key}), which mt-gate never runs. Export the "
                "model to ONNX yourself and write a checkpoint.json next to it."
            )
        if _ATTENTION in key:
            for name in value.values() if isinstance(value, dict) else [value]:
                if isinstance(name, (str, dict, list)) and name not in _ATTENTIONS:
                    raise CannotJudge(
                        f"{path}: {key[:60]} is {str(name)[:60]!r}. Expected eager or sdpa: others "
                        "need code from outside transformers. Remove the key from the file."
                    )
        if value is not None:
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            most, least = _bounds(key, weights)
            is_fit = (
                (-most if least is None else least) <= value <= most if is_whole else least is None
            )
            if not is_fit:
                raise CannotJudge(
                    f"{path}: {key[:60]} is {str(value)[:40]!r}. Expected a whole "
                    f"number{'' if least is None else f' from {least}'} up to {most:,}, the limit "
                    f"by the weights. {_REPAIR}"
                )


def _walk(path: Path, config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    left: list[tuple[str, Any, int]] = [("", config, 0)]
    while left:
        key, value, depth = left.pop()
        if depth > _MOST_DEPTH:
            raise CannotJudge(f"{path} is nested more than {_MOST_DEPTH} levels deep. {_REPAIR}")
        yield key, value
        if isinstance(value, dict):
            named = key not in ("id2label", "label2id")
            left += [(name if named else "", inner, depth + 1) for name, inner in value.items()]
        elif isinstance(value, list):
            left += [(key, inner, depth + 1) for inner in value]


def _bounds(key: str, weights: Weights) -> tuple[int, int | None]:
    layers = max(weights.tensors, _SHARING)
    if key in _MOST:
        return _MOST[key], 1
    if key == "pad_token_id":
        return weights.elements, -1
    if key in _COUNTS:
        return layers, 0
    if key in _DIMENSIONS:  # 0 is allowed, because DeBERTa has no token types
        return weights.elements, 0
    return (layers if _LAYERS.fullmatch(key) else (1 << 63) - 1), None


MOST_EXPORTS = 3
"""Version of exports: increase it if exports differ from those that older releases cached."""


def export_folder(cache: Path, fingerprint: str, task: str, precision: str) -> Path:
    """Return the folder of a checkpoint's export, whether or not it exists."""
    digits = fingerprint.removeprefix("sha256:")[:32]
    return cache / "exports" / f"{digits}-{task}-{precision}-{MOST_EXPORTS}"


def is_exported(folder: Path) -> bool:
    """Return whether a folder has a complete and unchanged export."""
    try:
        card = read_card(folder)
        files = CheckpointFolder(folder, card.files)
        for name in card.files:
            files.count(name)
    except CannotJudge:
        return False
    return {MODEL, companion(card)} <= set(files.digests)


def clear(folder: Path) -> None:
    """Remove anything at an export's path, such as a broken export."""
    with contextlib.suppress(OSError):
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)


SAFE: Mapping[str, Any] = {"trust_remote_code": False, "local_files_only": True}
_MOST_TEXT = 200


def need_export_packages() -> None:
    """Raise CannotJudge if torch, transformers or onnx is missing."""
    try:
        import onnx  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise CannotJudge(
            f"This checkpoint is not exported yet, and {error.name} is not installed. Run pip "
            "install 'mt-gate[export]', use org/mt-gate/full in a workflow, or pass a folder made "
            "by mt-gate export."
        ) from None


@contextlib.contextmanager
def report_failures(
    what: str, cause: str, *, hiding: tuple[object, object] = ("", "")
) -> Iterator[None]:
    """Report a library's failure in one line: what failed, its message, and what to do."""
    try:
        yield
    except (MtGateError, KeyboardInterrupt):
        raise
    except BaseException as error:  # panics in Rust and SystemExit share no other base class
        words = " ".join(str(error)[: 10 * _MOST_TEXT].split()) or type(error).__name__
        ours, theirs = map(str, hiding)
        words = words.replace(ours, theirs) if ours else words
        raise CannotJudge(f"{what} ({words[:_MOST_TEXT]}). {cause}") from None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress logs, warnings and progress bars of exporters."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    heard = io.StringIO()
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(heard),
            contextlib.redirect_stderr(heard),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)


def load_config(folder: HuggingFaceFolder) -> Any:
    """Return the configuration with the defaults of its class. Raises CannotJudge."""
    import transformers

    kind = read_config(folder.source).get("model_type")
    if isinstance(kind, str) and kind not in transformers.CONFIG_MAPPING:
        raise CannotJudge(
            f"{folder.path}: transformers {transformers.__version__} does not know model type "
            f"{quoted(kind, 60)}. Run pip install --upgrade transformers."
        )
    with refuse_unloadable(folder):
        return transformers.AutoConfig.from_pretrained(str(folder.source), **SAFE)


def refuse_unloadable(folder: HuggingFaceFolder) -> contextlib.AbstractContextManager[None]:
    """Report failures of transformers on a folder as one line."""
    what = f"{folder.path}: transformers cannot load the checkpoint"
    return report_failures(what, SAVED, hiding=(folder.source, folder.path))
