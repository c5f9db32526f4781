"""Reviews of suites built with ``--filters paper``.

Two language models read samples of TIN's corpus and of BoolQ: ``docs/audits/paper-rules.tsv``.
"""

from __future__ import annotations

from collections.abc import Mapping

ACCEPTED: Mapping[str, tuple[int, int]] = {
    "boolq/adverbial-position": (46, 60),
    "boolq/antonym-adjective": (34, 60),
    "boolq/before-after": (18, 42),
    "boolq/negation-tag": (54, 60),
    "boolq/synonym-adjective": (5, 60),
    "boolq/tense-change": (17, 60),
    "boolq/voice-change": (37, 60),
    "ner/phrase-replacement": (35, 60),
    "ner/structural": (52, 60),
    "ner/token-replacement": (24, 60),
}
"""Cases that both reviewers accepted, and reviewed cases, by relation."""
