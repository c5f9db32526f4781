"""Which code builds suites: one entry per task, and one per relation whose follow-ups it writes.

Each is an import path (``mt_gate.base.lazy``), so that a build loads only what its recipe needs.
"""

from __future__ import annotations

from mt_gate.tasks.spec import ImportPath

TASKS: dict[str, ImportPath] = {
    "ner": "mt_gate_suites.ner.builder:build_ner",
    "boolq": "mt_gate_suites.boolq.builder:build_boolq",
    "re": "mt_gate_suites.re.builder:build_re",
    "text": "mt_gate_suites.text.builder:build_text",
}
"""A ``build.Builder`` for each task."""

RELATIONS: dict[str, ImportPath] = {
    "ner/phrase-replacement": "mt_gate_suites.ner.exchanges:phrases",
    "ner/structural": "mt_gate_suites.ner.structural:questions",
    "ner/token-replacement": "mt_gate_suites.ner.exchanges:words",
    "boolq/adverbial-position": "mt_gate_suites.boolq.adverbial_position:transform",
    "boolq/antonym-adjective": "mt_gate_suites.boolq.antonym_adjective:transform",
    "boolq/before-after": "mt_gate_suites.boolq.before_after:transform",
    "boolq/negation-tag": "mt_gate_suites.boolq.negation_tag:transform",
    "boolq/synonym-adjective": "mt_gate_suites.boolq.synonym_adjective:transform",
    "boolq/tense-change": "mt_gate_suites.boolq.tense_change:transform",
    "boolq/voice-change": "mt_gate_suites.boolq.voice_change:transform",
    "re/co-related-type": "mt_gate_suites.re.co_related:transform",
    "re/coarser-type": "mt_gate_suites.re.coarser:transform",
    "re/coreferent": "mt_gate_suites.re.coreferent:transform",
    "re/same-type": "mt_gate_suites.re.same_type:transform",
    "re/swap-antisymmetric": "mt_gate_suites.re.swap:transform",
    "re/swap-symmetric": "mt_gate_suites.re.swap:swap_equals",
    "re/type-label": "mt_gate_suites.re.type_label:transform",
}
"""The transformation of each relation, in a form of ``<task>/transformation.py`` or, for ner, of
``ner/builder.py``. Compositions, and relations that a run builds, have no entry."""

WITH_TOOLS: dict[str, ImportPath] = {
    "ner/phrase-replacement": "mt_gate_suites.ner.replacement:Replacer.phrases",
    "ner/token-replacement": "mt_gate_suites.ner.replacement:Replacer.words",
}
"""Builders of further cases, for which the recipe must name language tools."""
