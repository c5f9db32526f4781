"""The paper's filters: likeness in context, and naturalness (TIN, section 3.1.4)."""

from __future__ import annotations

import msgspec


class Filters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Thresholds that an edited text must reach.

    Args:
        similarity: least cosine of the contextual embeddings of old and new (semantic filter).
        naturalness_fall: how far the follow-up's naturalness may lie below the
            source's (syntactic filter); 1 switches it off.
        structural_fall: the same for questions made of statements.
        fit: least log ratio of the sentence's probability with the new words to
            that with the old.

    The paper has 0.65 and 0 or 0.01.
    """

    similarity: float = 0.7
    naturalness_fall: float = 0.01
    structural_fall: float = 1.0
    fit: float = -3.5
