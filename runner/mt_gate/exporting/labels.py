"""Labels in a checkpoint's configuration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.card import LONGEST_LABEL, MOST_LABELS

if TYPE_CHECKING:
    from tokenizers import Tokenizer


UNNAMED = {"0": "LABEL_0", "1": "LABEL_1"}
"""What save_pretrained() leaves out, since it is the default: two labels of these names."""


def label_names(path: Path, table: Any) -> tuple[str, ...]:
    """Return the names of the scores, in their order, of a table ``id2label``.

    Raises:
        CannotJudge: it is none, or its texts are too many or too long.
    """
    found = table if isinstance(table, dict) else {}
    if len(found) > MOST_LABELS:
        raise CannotJudge(
            f"{path}: id2label has {len(found):,} labels; expected at most {MOST_LABELS:,}"
        )
    values = [found.get(str(index)) for index in range(len(found))]
    labels = tuple(value for value in values if isinstance(value, str))
    if not labels or len(labels) < len(values):
        raise CannotJudge(
            f"{path}: id2label is {str(table)[:80]}; expected a text for each label 0, 1, 2, ..."
        )
    longest = max(labels, key=len)
    if len(longest) > LONGEST_LABEL:
        raise CannotJudge(
            f"{path}: id2label has a label of {len(longest):,} characters ({longest[:40]}...); "
            f"expected at most {LONGEST_LABEL}"
        )
    return labels


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
