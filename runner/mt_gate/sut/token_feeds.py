"""Token ids as tensors: what all forms with a tokenizer have in common."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mt_gate.errors import CannotJudge

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class Tokens(Protocol):
    """An item made of tokens; both of one length."""

    @property
    def ids(self) -> Sequence[int] | np.ndarray[Any, Any]:
        """Token ids."""
        ...

    @property
    def type_ids(self) -> Sequence[int] | np.ndarray[Any, Any]:
        """For each token which text it is of."""
        ...


def load_tokenizer(path: Path) -> Tokenizer:
    """Load ``tokenizer.json``, without the cutting and padding it may ask for.

    Raises:
        CannotJudge: missing or broken.
    """
    from tokenizers import Tokenizer

    if not path.is_file():
        raise CannotJudge(
            f"{path}: no such file; expected the checkpoint's fast tokenizer; "
            "save it with tokenizer.save_pretrained() or export the checkpoint anew"
        )
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception
        raise CannotJudge(
            f"{path}: not a tokenizer ({' '.join(str(error).split())[:200]}); "
            "save it with tokenizer.save_pretrained() or export the checkpoint anew"
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def token_feeds(items: Sequence[Tokens]) -> dict[str, np.ndarray[Any, Any]]:
    """Return ids, mask and types, int64, shape (items, length), of items of one length."""
    ids = np.array([item.ids for item in items], np.int64)
    return {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.array([item.type_ids for item in items], np.int64),
    }
