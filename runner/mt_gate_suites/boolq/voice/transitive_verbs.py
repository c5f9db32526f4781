"""Verbs whose active and passive say the same, and their forms.

Listed, not guessed: of the transitive verbs many have no natural passive with
an agent (have, contain, feature, reach), or one in another sense (join, follow).
"""

from __future__ import annotations

import lemminflect

from mt_gate_suites.lexicons.reading import rows, word_set

_BOTH_WAYS = word_set("boolq/verbs", "both-ways")
_ONLY_TO_ACTIVE = word_set("boolq/verbs", "only-to-active")
_ONLY_FROM_PASSIVE_REFUSED = frozenset("form determine define require name".split())
_EVENTS = word_set("boolq/verbs", "events")
_LASTING = word_set("boolq/verbs", "lasting")
_REPEATED = frozenset("publish perform produce distribute release record".split())
_FORMS = {(verb, tag): form for verb, tag, form in rows("boolq/verbs", "forms", 3)}


def to_passive(lemma: str) -> bool:
    """Whether an active clause with this verb may turn passive."""
    return lemma in _BOTH_WAYS


def to_active(lemma: str) -> bool:
    """Whether a passive clause with this verb and an agent may turn active."""
    return lemma in (_BOTH_WAYS | _ONLY_TO_ACTIVE) - _ONLY_FROM_PASSIVE_REFUSED


def is_event(lemma: str) -> bool:
    """Whether a bare participle of the verb tells of the past: a film directed by Ann Lee."""
    return lemma in _EVENTS


def is_repeated(lemma: str) -> bool:
    """Whether what is done to one thing in the past is done to many all along.

    A game published by Sega: it was; the comic books published by Marvel: they are.
    """
    return lemma in _REPEATED


def is_lasting(lemma: str) -> bool:
    """Whether a bare participle is as true as its sentence's verb: the house owned by Ann Lee."""
    return lemma in _LASTING


def past_form(written: str, lemma: str, tag: str) -> str | None:
    """Return a past form, spelt as the source spells its own: cancelled, not canceled."""
    return written if written.endswith("ed") else form(lemma, tag)


def form(lemma: str, tag: str) -> str | None:
    """Return a verb's form under a Penn tag; None where there is none or no telling which."""
    if tag == "VB":
        return lemma
    if (lemma, tag) in _FORMS:
        return _FORMS[lemma, tag]
    found = [str(one) for one in lemminflect.getInflection(lemma, tag=tag, inflect_oov=False)]
    return found[0] if found else None
