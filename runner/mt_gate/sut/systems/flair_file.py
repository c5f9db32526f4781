"""Flair's model files, read without running what they may hold.

A Flair file is a pickle within a zip, of a protocol that torch's
``weights_only`` does not read. So it is unpickled here with a short list of
names: tensors, plain containers and Flair's ``Dictionary``. Any other name
becomes an inert ``Unknown``, never the object it names; what the tagger needs
is then copied out, and an ``Unknown`` among that is a refusal. Embeddings that
would open other files, or reach for the network, are refused too.
"""

from __future__ import annotations

import io
import json
import pickle
import types
import zipfile
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.base.files import check_content

NEEDED = (
    "state_dict embeddings hidden_size tag_dictionary tag_format tag_type use_crf use_rnn "
    "rnn_layers use_dropout use_word_dropout use_locked_dropout rnn_type reproject_embeddings "
    "weight_dict train_initial_hidden_state"
).split()
"""Keys that a tagger is made from; the rest (training notes) is not looked at."""
EMBEDDINGS = {
    "StackedEmbeddings": "embeddings",
    "FlairEmbeddings": "fine_tune chars_per_chunk is_lower tokenized_lm model_params name",
    "WordEmbeddings": "vocab stable fine_tune force_cpu field name embedding_length",
    "CharacterEmbeddings": "path_to_char_dict char_embedding_dim hidden_size_char name",
    "OneHotEmbeddings": "vocab_dictionary field embedding_length stable",
    "HashEmbeddings": "num_embeddings embedding_length hash_method",
    "TransformerWordEmbeddings": (
        "is_token_embedding is_document_embedding allow_long_sentences context_length "
        "context_dropout respect_document_boundaries name fine_tune force_max_length "
        "use_context_separator cls_pooling needs_manual_ocr tokenizer_data model layers "
        "layer_mean subtoken_pooling config_state_dict truncate stride embedding_length "
        "use_lang_emb"
    ),
}
"""Embeddings that come whole with the file, and what each may be made from."""
DICTIONARIES = ("path_to_char_dict", "vocab_dictionary", "dictionary")
TOKENIZER_FILES = (".json", ".txt", ".model")
MAX_TOKENIZER = 256 << 20
DEPTH = 60


class Unknown:
    """Stands where the file names something that is not on the list; does nothing."""

    name = ""

    def __init__(self, *_: Any, **__: Any) -> None:
        """Take whatever the real one would take."""

    def __setstate__(self, _: Any) -> None:
        pass

    def __setitem__(self, _: Any, __: Any) -> None:
        pass

    def append(self, _: Any) -> None:
        """Drop an item."""

    def extend(self, _: Any) -> None:
        """Drop items."""


class StoredDictionary:
    """What a file says of one of Flair's dictionaries."""


def read_state(path: Path) -> dict[str, Any]:
    """Return what a ``SequenceTagger`` is made from, free of anything but plain values.

    Raises:
        CannotJudge: not such a file, or one that needs what is not on the list.
    """
    import torch

    with suppress(OSError), path.open("rb") as file:
        check_content(path, file.read(1 << 10))
    try:
        if "constants.pkl" in torch._C.PyTorchFileReader(str(path)).get_all_records():
            raise _refused(path, "a TorchScript archive")
        stored = torch.load(
            path, map_location="cpu", pickle_module=_restricted(), weights_only=False
        )
    except CannotJudge:
        raise
    except Exception as error:  # a hostile file can make unpickling raise anything
        raise _refused(path, f"not readable: {reported(error, 200)}") from None
    if not isinstance(stored, dict) or stored.get("__cls__", "SequenceTagger") != "SequenceTagger":
        raise _refused(path, "of another model than SequenceTagger")
    missing = [
        name for name in ("state_dict", "embeddings", "tag_dictionary") if name not in stored
    ]
    if missing:
        raise _refused(path, f"without {missing[0]}")
    copy = _Copy(path, torch)
    state = {name: copy(stored[name]) for name in NEEDED if name in stored}
    _check_embeddings(state["embeddings"], path)
    return state


def _restricted() -> types.ModuleType:
    """Return a module like pickle whose unpickler knows the names on the list only."""
    from torch import _utils

    def tensor(*arguments: Any) -> Any:
        return _utils._rebuild_tensor_v2(*arguments)  # type: ignore[no-untyped-call]

    def parameter(*arguments: Any) -> Any:
        return _utils._rebuild_parameter(*arguments)  # type: ignore[no-untyped-call]

    known: dict[tuple[str, str], Any] = {
        # Functions of our own: a pickle may set attributes of what it names.
        ("torch._utils", "_rebuild_tensor_v2"): tensor,
        ("torch._utils", "_rebuild_parameter"): parameter,
        ("collections", "OrderedDict"): OrderedDict,
        ("collections", "defaultdict"): defaultdict,
        ("builtins", "int"): int,
        ("_io", "BytesIO"): io.BytesIO,
        ("flair.data", "Dictionary"): type("StoredDictionary", (StoredDictionary,), {}),
    }

    class Unpickler(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            found = known.get((module, name))
            return found or type("Unknown", (Unknown,), {"name": f"{module}.{name}"})

    def refuse(*_: Any, **__: Any) -> None:
        raise ValueError("an old format of torch.save; save it again")

    restricted = types.ModuleType("restricted")
    restricted.__dict__.update(Unpickler=Unpickler, load=refuse, loads=refuse)
    return restricted


class _Copy:
    """Copies plain values, and refuses the rest."""

    def __init__(self, path: Path, torch: Any) -> None:
        self._path = path
        self._tensors = (torch.Tensor, torch.nn.Parameter)

    def __call__(self, value: Any, depth: int = 0) -> Any:
        if depth > DEPTH:
            raise _refused(self._path, f"nested more than {DEPTH} deep")
        kind = type(value)
        if value is None or kind in (str, bytes, int, float, bool, io.BytesIO, *self._tensors):
            return value
        if kind in (dict, OrderedDict, defaultdict):
            return {self(key, depth + 1): self(item, depth + 1) for key, item in value.items()}
        if kind in (list, tuple):
            return kind(self(item, depth + 1) for item in value)
        if isinstance(value, StoredDictionary):
            return self._dictionary(value, depth)
        name = value.name if isinstance(value, Unknown) else getattr(value, "name", kind.__name__)
        raise _refused(self._path, f"holding {name}, which mt-gate does not unpickle")

    def _dictionary(self, stored: StoredDictionary, depth: int) -> Any:
        from flair.data import Dictionary

        values = vars(stored)
        made = Dictionary(add_unk=False)
        made.item2idx = self(values.get("item2idx"), depth + 1)
        made.idx2item = self(values.get("idx2item"), depth + 1)
        if not isinstance(made.item2idx, dict) or not isinstance(made.idx2item, list):
            raise _refused(self._path, "with a broken dictionary")
        made.add_unk = bool(values.get("add_unk", b"<unk>" in made.idx2item))
        made.multi_label = bool(values.get("multi_label", False))
        made.span_labels = bool(values.get("span_labels", False))
        return made


def _check_embeddings(params: Any, path: Path) -> None:
    """Refuse embeddings that are not made from the file alone."""
    name = params.get("__cls__") if isinstance(params, dict) else type(params).__name__
    if name not in EMBEDDINGS:
        raise _refused(path, f"with {name}, which may reach beyond the file")
    extra = sorted(map(str, set(params) - {"__cls__", *EMBEDDINGS[name].split()}))
    if extra:
        raise _refused(path, f"with {name} made from {extra[0]}, which is not on the list")
    _CHECKS.get(name, _check_dictionaries)(params, path)


def _check_dictionaries(params: Mapping[str, Any], path: Path) -> None:
    from flair.data import Dictionary

    for name, value in params.items():
        if name in DICTIONARIES and not isinstance(value, Dictionary):
            raise _refused(path, f"with {name} that is not a dictionary but {value!r:.60}")
        if isinstance(value, dict) and name == "model_params":
            _check_dictionaries(value, path)


def _check_stacked(params: Mapping[str, Any], path: Path) -> None:
    for inner in params.get("embeddings") or ():
        _check_embeddings(inner, path)


def _check_transformer(params: Mapping[str, Any], path: Path) -> None:
    config, tokenizer = params.get("config_state_dict"), params.get("tokenizer_data")
    if not isinstance(config, dict) or not isinstance(tokenizer, io.BytesIO):
        raise _refused(
            path, "with a transformer that is not complete: no configuration or tokenizer"
        )
    named = {"auto_map", "quantization_config", "custom_pipelines"} & set(config)
    if named:
        raise _refused(path, f"with a transformer whose configuration names {min(named)}")
    try:
        with zipfile.ZipFile(tokenizer) as files:
            if sum(item.file_size for item in files.infolist()) > MAX_TOKENIZER:
                raise _refused(path, f"with a tokenizer of more than {MAX_TOKENIZER} bytes")
            for item in files.infolist():
                _check_tokenizer_file(item.filename, files, path)
    except (zipfile.BadZipFile, ValueError, RecursionError) as error:
        raise _refused(path, f"with a broken tokenizer ({reported(error)})") from None
    tokenizer.seek(0)


def _check_tokenizer_file(name: str, files: zipfile.ZipFile, path: Path) -> None:
    if Path(name).name != name or Path(name).suffix not in TOKENIZER_FILES:
        raise _refused(path, f"with a tokenizer that has a file {name!r:.60}")
    if name == "tokenizer_config.json" and "auto_map" in json.loads(files.read(name)):
        raise _refused(path, "with a tokenizer whose configuration names code (auto_map)")


_CHECKS: dict[str, Callable[[Mapping[str, Any], Path], None]] = {
    "StackedEmbeddings": _check_stacked,
    "TransformerWordEmbeddings": _check_transformer,
}


def _refused(path: Path, what: str) -> CannotJudge:
    return CannotJudge(
        f"flair:{path}: {what}; expected a SequenceTagger saved by Flair 0.12 or later with all "
        "it needs; save it again, or run your own program as a command: (docs/systems.md)"
    )
