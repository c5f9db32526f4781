"""The tokenizer that transformers loads from a folder, written as one ``tokenizer.json``.

``tokenizer_config.json`` and ``special_tokens_map.json`` can override ``tokenizer.json`` (case,
accents, added tokens, prefix space, maximum length), and transformers obeys them. So the export
loads the folder with ``AutoTokenizer``, saves its state, and compares token ids.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from mt_gate.base.errors import CannotJudge, page, quoted
from mt_gate.exporting.folder_files import TOKENIZER_CONFIG
from mt_gate.exporting.hugging_face import SAFE, HuggingFaceFolder, load_config, report_failures
from mt_gate.sut.card import MOST_LENGTH, TOKENIZER
from mt_gate.sut.reader import TYPES
from mt_gate.tasks.relation_extraction import PLAIN
from mt_gate.tasks.text import PAIR

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Texts = tuple[str, ...]
"""One text, or a pair of texts."""
_T = TypeVar("_T")
PROBES = (
    "",
    " ",
    "Anna met Boris in OSLO, and anna met boris in Oslo.",
    "  two  spaces\tand\ta tab\nand a line\r\nthen \u00a0and \u3000wide ones ",
    "Zoë Łódź naïve ÀÉÎÕÜ ß ẞ İstanbul ı ﬁ Ǆ",
    "Zoe\u0308 Jose\u0301 a\u0335b\u20dd",
    "Anna's 3 cats didn't live in São Paulo, n'est-ce pas?",
    " \u201cNo\u201d\u2014she said:\tit\u2019s 1,204.50 \u20ac \U0001f600 now\n",
    "U.S.-based AT&T (NYSE:T) e-mailed a_b@c.org <br> 10%/$5 #1 ~^`|\\{}[]",
    "张三在北京工作。 東京 とうきょう トウキョウ 서울 ｱ Ａ１",
    "राहुल दिल्ली में สมชายทำงานที่กรุงเทพ ភ្នំពេញ မြန်မာ",
    "محمد في القاهرة مُحَمَّد שלום שָׁלוֹם Ελλάδα Ωμέγα ΣΑΣ Москва ЁЖ",
    "O\u200bslo O\u2060slo \ufeffOslo Os\u00adlo \u200e\u200f\u202eabc\u202c \0 \x07 \ufffd",
    "👩‍👩‍👧 👍🏽 🇳🇴 ☕️ ½ ² Ⅷ ™ ℃",
    "a" * 120,
    "met Anna " * 1000,
)
"""Texts to compare token ids on: case, accents, spaces, scripts, and one over most limits."""
_MOST_TOKENS = 1000
"""Maximum number of added tokens to compare."""
_VERSIONED = re.compile(r"tokenizer\.([\w-]+\.)*json", re.ASCII)
_TOKEN = re.compile(r"[a-z_]*tokens?(_[0-9])?")
_KNOWN = {
    "tokenizer_class", "added_tokens_decoder", "errors", "task", "src_lang", "tgt_lang", "language",
    "model_input_names",
}  # fmt: skip
_SAVED = (
    "Expected tokenizer.json, or the vocabulary files it is made from. Save the tokenizer "
    "next to the model with tokenizer.save_pretrained()."
)


def save_tokenizer(folder: HuggingFaceFolder, draft: Path, texts: Iterable[Texts]) -> int:
    """Write the tokenizer that ``AutoTokenizer`` loads to ``draft``; return its maximum tokens.

    Rewrite settings in ``folder.source``, which is a copy. Token ids must be equal for
    ``texts`` and for the probes. The maximum is at most ``MOST_LENGTH``. Raises CannotJudge.
    """
    from transformers import AutoTokenizer

    _check_sentencepiece(folder)
    reads_types = getattr(load_config(folder), "type_vocab_size", 0) > 1
    hiding = (folder.source, folder.path)
    with report_failures(f"{folder.path} has no usable tokenizer", _SAVED, hiding=hiding):
        # transformers passes unknown settings to the tokenizer unchanged, and they may name files
        # of this machine.
        for name in (TOKENIZER_CONFIG, "special_tokens_map.json"):
            path = folder.source / name
            if path.is_file():
                settings = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
                plain = {key: value for key, value in settings.items() if _is_setting(key, value)}
                path.write_bytes(msgspec.json.encode(plain))
        source = folder.source / TOKENIZER
        try:
            served = AutoTokenizer.from_pretrained(str(folder.source), use_fast=True, **SAFE)
        except Exception:
            alone = source.is_file() and not (folder.source / TOKENIZER_CONFIG).is_file()
            if not (folder.weights.onnx and alone):
                raise
            # An ONNX model may come from another library, which reads only this file.
            shutil.copyfile(source, draft / TOKENIZER)
            return MOST_LENGTH
        fast = _fast_form(served, source, reads_types=reads_types)
        # If the folder's own file is equal, copy its bytes, so that its fingerprint stays.
        if source.is_file() and fast.to_str() == _read(source).to_str():
            shutil.copyfile(source, draft / TOKENIZER)
        else:
            fast.save(str(draft / TOKENIZER))
        written = _read(draft / TOKENIZER)
        probes: list[Texts] = [(text,) for text in PROBES]
        added = list(served.get_added_vocab())[:_MOST_TOKENS]
        probes += [(f"x{token}y {token} Y  {token.upper()}{token.lower()}",) for token in added]
        if folder.form in (PAIR, PLAIN):
            probes += pairwise(PROBES)
        for both in (*probes, *texts):
            _check_ids(folder.path, served, written, both, reads_types=reads_types)
        length = served.model_max_length
        return int(min(length, MOST_LENGTH)) if length > 0 else MOST_LENGTH


def _check_sentencepiece(folder: HuggingFaceFolder) -> None:
    """Raise CannotJudge if there is only a SentencePiece model, and its packages are missing."""
    names = sorted(file.name for file in folder.source.glob("*.model"))
    if not names or (folder.source / TOKENIZER).is_file():
        return
    for package in ("sentencepiece", "google.protobuf"):
        try:
            import_module(package)
        except ImportError:
            raise CannotJudge(
                f"{folder.path} has a SentencePiece model ({names[0]}) and no {TOKENIZER}. Run "
                "pip install sentencepiece protobuf, or save the tokenizer again with "
                "AutoTokenizer.from_pretrained(...).save_pretrained()."
            ) from None


def _fast_form(served: Any, source: Path, *, reads_types: bool) -> Tokenizer:
    if not served.is_fast:
        return _read(source) if source.is_file() else byte_level_form(served)
    fast = served.backend_tokenizer
    fast.no_truncation()
    fast.no_padding()
    if reads_types and TYPES not in served.model_input_names:  # the model gets type 0 for all
        state = json.loads(fast.to_str())
        state["post_processor"] = json.loads(
            json.dumps(state["post_processor"]),
            object_hook=lambda part: {**part, "type_id": 0} if "type_id" in part else part,
        )
        fast = type(fast).from_str(json.dumps(state))
    return fast


def _read(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()  # mt-gate never truncates
    tokenizer.no_padding()
    return tokenizer


def byte_level_form(slow: Any) -> Tokenizer:
    """Return the fast form of a byte-level tokenizer that transformers has in Python only (LUKE).

    Raises CannotJudge: it is not byte-level. Raises ValueError: added tokens would get other ids.
    """
    from tokenizers import AddedToken
    from transformers.convert_slow_tokenizer import RobertaConverter

    if not hasattr(slow, "byte_encoder") or not hasattr(slow, "encoder"):
        raise CannotJudge(
            f"{type(slow).__name__} splits texts with Python code that {TOKENIZER} cannot express. "
            "Run your own pipeline: --system 'command:python predict.py' "
            f"({page('systems')})"
        )
    fast: Tokenizer = RobertaConverter(slow).converted()
    for number, token in sorted(slow.added_tokens_decoder.items()):
        fast.add_special_tokens([AddedToken(token.content, lstrip=token.lstrip, normalized=False)])
        if fast.token_to_id(token.content) != number:
            raise ValueError(f"token {token.content!r} has id {number}, which is not the next one")
    return fast


def _check_ids(
    where: Path, served: Any, written: Tokenizer, both: Texts, *, reads_types: bool
) -> None:
    wanted, ids = _or_none(lambda: _served(served, both)), _or_none(lambda: written.encode(*both))
    if wanted is None and ids is None:
        return
    if wanted is None or ids is None or wanted[0] != ids.ids:
        what = f"token ids for {quoted(both[0], 40)}"
    elif reads_types and served.is_fast and wanted[1] != ids.type_ids:
        what = "token_type_ids for pairs of texts"
    else:
        return
    raise CannotJudge(
        f"{where}: AutoTokenizer and the exported {TOKENIZER} give different {what}, so mt-gate "
        f"would test another model than transformers loads. Remove the setting of "
        f"{TOKENIZER_CONFIG} that {TOKENIZER} cannot express, such as split_special_tokens, and "
        "export again."
    )


def _served(tokenizer: Any, texts: Sequence[str]) -> tuple[list[int], list[int]]:
    if not tokenizer.is_fast:  # calling LUKE's tokenizer would require entities
        pieces = [tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text)) for text in texts]
        return tokenizer.build_inputs_with_special_tokens(*pieces), []
    encoded = tokenizer(*texts)
    ids = encoded["input_ids"]
    return ids, encoded.get("token_type_ids", [0] * len(ids))


def _or_none(encode: Callable[[], _T]) -> _T | None:
    try:
        return encode()
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException:  # tokenizers raises Exception itself; panics share no other base class
        return None


def _is_setting(name: str, value: Any) -> bool:
    if isinstance(value, (bool, int, float)) or name in _KNOWN:
        return True
    if name == "fast_tokenizer_files":
        return isinstance(value, list) and all(_VERSIONED.fullmatch(str(file)) for file in value)
    return _TOKEN.fullmatch(name) is not None
