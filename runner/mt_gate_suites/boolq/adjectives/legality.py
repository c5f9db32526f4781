"""Whether a passage says that something is legal for some and illegal for others.

Where a licence decides, or the law has exceptions, a careful reader may say yes to
"is it legal" and to "is it illegal".
"""

from __future__ import annotations

import re

from mt_gate_suites.boolq.question import ParsedQuestion

_IN_PART = re.compile(
    r"\blicen[cs]|\bpermits?\b|\bpermission\b|\bexcept|\bexempt|\bunless\b|\bprescription"
    r"|\bonly (?:if|when|for|in)\b|\bprovided\b|\brestrict|\bregulated\b|\bconditions?\b"
    r"|\b(?:some|certain|many|most|other) (?:[\w.]+ )?(?:states|countries|jurisdictions|places)\b"
    r"|\bvar(?:y|ies)\b|\bdepend|\bdecriminali[sz]|\btolerated\b|\bgr[ae]y area",
    re.IGNORECASE,
)


def in_part(question: ParsedQuestion) -> bool:
    """Whether the passage names licences, exceptions or differences between places."""
    return _IN_PART.search(question.asked.passage) is not None
