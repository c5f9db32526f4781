"""``tokenizer.json`` for a tokenizer that transformers has in Python alone: LUKE's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_PROBES = (
    "Anna's 3 cats  lived in São Paulo, n'est-ce pas?",
    " \u201cNo\u201d\u2014she said:\tit\u2019s 1,204.50 \u20ac \U0001f600 now\n",
    "\u6771\u4eac and Z\u00fcrich (CH)",
)
"""Blanks, contractions, digits, quotes and letters that byte-level tokenizers may part on."""


def fast_tokenizer(slow: Any) -> Tokenizer:
    """Return the same byte-level tokenizer in its fast form.

    Args:
        slow: a tokenizer of transformers with RoBERTa's vocabulary and merges.

    Raises:
        ValueError: it is of another kind, or the two part texts differently.
    """
    from tokenizers import AddedToken
    from transformers.convert_slow_tokenizer import RobertaConverter

    if not hasattr(slow, "bpe_ranks") or not hasattr(slow, "encoder"):
        raise ValueError(f"{type(slow).__name__} has no fast form")
    fast: Tokenizer = RobertaConverter(slow).converted()
    added = sorted(slow.added_tokens_decoder.items())
    for number, token in added:
        fast.add_special_tokens([AddedToken(token.content, lstrip=token.lstrip, normalized=False)])
        if fast.token_to_id(token.content) != number:
            raise ValueError(f"token {token.content!r} has id {number}, which is not the next one")
    for text in (*_PROBES, *(f"x{token.content}y" for _, token in added)):
        # Not slow.encode(): LUKE's asks for entities.
        pieces = slow.convert_tokens_to_ids(slow.tokenize(text))
        if fast.encode(text, add_special_tokens=False).ids != pieces:
            raise ValueError(f"its fast form splits {text!r} in another way")
    return fast
