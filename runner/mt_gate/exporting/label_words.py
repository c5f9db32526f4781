"""The words that a text-to-text model answers with, as its vocabulary has them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mt_gate.base.errors import CannotJudge

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_UNKNOWN = ("<unk>", "[UNK]")


def first_pieces(tokenizer: Tokenizer, words: Sequence[str], where: Path) -> list[int]:
    """Return the id of the piece that each label word begins with.

    Raises:
        CannotJudge: a word outside the vocabulary, or two that begin alike.
    """
    advice = "name the words that it was trained to output: --answers yes=TEXT,no=TEXT"
    unknown = {tokenizer.token_to_id(token) for token in _UNKNOWN}
    first: dict[int, str] = {}
    for word in words:
        encoding = tokenizer.encode(word, add_special_tokens=False)
        if not encoding.ids or unknown & set(encoding.ids):
            raise CannotJudge(
                f"{where}: the model cannot output {word!r}: its vocabulary does not have all of "
                f"it; "
                f"expected the two words that mean yes and no; {advice}"
            )
        known = first.setdefault(encoding.ids[0], word)
        if known != word:
            raise CannotJudge(
                f"{where}: {known!r} and {word!r} both begin with the token "
                f"{encoding.tokens[0][:40]!r}; expected answers whose first tokens differ; "
                f"{advice}"
            )
    return list(first)
