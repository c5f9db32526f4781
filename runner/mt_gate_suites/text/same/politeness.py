"""Rewords a request politely.

question   Can you tell me my balance?   -> Could you please tell me my balance?
wish       I want to cancel my card.     -> I would like to cancel my card.
order      Tell me my balance.           -> Please tell me my balance.
"""

from __future__ import annotations

import re
from random import Random

from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.text.protected import MAX_TEXT, is_free, protected_spans
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfText

_POLITE = re.compile(r"\b(?:please|pls|plz|thanks?|thank you|kindly|would like|sorry)\b", re.I)
_REQUEST = re.compile(r"^(can|could|would|will) you (?=(\w+))", re.I)
_WISH = re.compile(r"^(i) want (?=to \w+)", re.I)
_ORDER = re.compile(r"^(\w+)(?= (?:me|my|the|a|an|us|this|that|all|some|up|off|on)\b)", re.I)
_ORDERS = word_set("text/frames", "orders")
_OPINION_VERBS = word_set("text/frames", "opinion-verbs")


def transform(text: str, _: Random) -> list[Rewrite]:
    """Return the text as a polite request; empty if it is no request, or already polite."""
    if len(text) > MAX_TEXT or _POLITE.search(text) or not is_free(0, 12, protected_spans(text)):
        return []
    if match := _REQUEST.search(text):
        polite = "would" if match[1].lower() in {"would", "will"} else "could"
        verb, after = match[2].lower(), text[match.end() + len(match[2]) :].lower().split()
        is_opinion = polite == "would" or after[:1] == ["yourself"]
        if verb not in _ORDERS or (verb in _OPINION_VERBS and is_opinion):
            return []
        opening = polite.capitalize() if text[0].isupper() else polite
        return [
            edited(text, [(0, match.end(), f"{opening} you please ")])._replace(stratum="question")
        ]
    if match := _WISH.search(text):
        edit = (match.end(1), match.end(), " would like ")
        return [edited(text, [edit])._replace(stratum="wish")]
    match = _ORDER.search(text)
    if match and match[1].lower() in _ORDERS:
        please = "please " if text[0].islower() else "Please "
        return [edited(text, [(0, 1, please + text[0].lower())])._replace(stratum="imperative")]
    return []


RELATION = TextRelation(
    name="politeness",
    title="Polite rewording",
    description="Rewords a request politely. The prediction must not change.",
    paper=(
        "LLMorph (Cho et al., ICSME 2025), politeness; NL-Augmenter (Dhole et al., 2021), style"
    ),
    before="Tell me my balance.",
    after="Please tell me my balance.",
    transformation=OfText(transform),
)
