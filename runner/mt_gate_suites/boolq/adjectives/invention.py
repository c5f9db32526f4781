"""Whether a passage says that what it is about happened, or that it was made up.

A story may be true in part: yes to "based on a true story" rules out yes to "based on
a fictional story" only where the passage says one of the two, and says it plainly.
"""

from __future__ import annotations

import re

from mt_gate_suites.boolq.question import ParsedQuestion

_HAPPENED = re.compile(
    r"\btrue (?:stor(?:y|ies)|events?|account|crime)"
    r"|(?<!in )\breal[- ]life|\breal[- ](?:events?|stor(?:y|ies)|people)"
    r"|\bactual events?|\bnon-?fiction|\bmemoirs?\b|biograph(?:y|ical)|\bthe (?:true|real) (?!name)"
    r"|\bbased on the (?:life|lives|experiences)|\bhistorical events?",
    re.I,
)
_INVENTED = re.compile(
    r"\bfiction(?:al)?\b|\bfictitious\b|\bnovels?\b|\bfantasy\b|\bmade[- ]up\b|\binvented\b|\bhoax"
    r"|\bfolk ?tales?|\bfairy ?tales?|\blegend(?:ary)?\b|\bmyth",
    re.I,
)
_IN_PART = re.compile(
    r"\bloosely\b|\bfictionali[sz]|\binspir|\bdramati[sz]|\b(?:quasi|semi)-|\bpartly\b|\bpartially\b"
    r"|\bliberties\b|\bclaim|\bsupposed|\balleged|\brumou?r|\bfact(?:s|ual)? and fiction",
    re.I,
)


_SETTING = re.compile(
    r"\b(?:fictional|fictitious|invented) (?:\w+ )?"
    r"(?:bands?|brands?|characters?|city|compan(?:y|ies)"
    r"|countr(?:y|ies)|county|films?|magazines?|products?|school|shows?|special|state|teams?|town"
    r"|universe|village|world)\b",
    re.I,
)
"""Invented places, people and things prove nothing of the story that they are in."""


_NOVELS = re.compile(r"\bnovels?\b", re.I)
"""What a story is based on may be true in a novel, and a novel is itself what is made up."""


def says_which(question: ParsedQuestion) -> bool:
    """Whether the passage says that a story, person or place is real, or invented; not both."""
    if re.search(r"\bbased on an? \w+ person\b", question.text):
        return False  # nobody asks of an invented one
    if re.search(r"\b(?:book|novel)\b.*\bbased on\b", question.text):
        return False  # it is itself what may be made up
    passage = re.sub(r"\bnon-?fiction\b", "true story", question.asked.passage, flags=re.I)
    title = question.asked.title.partition(" (")[0]
    if title:  # what is called Pulp Fiction need not be made up
        passage = re.sub(re.escape(title), "it", passage, flags=re.I)
    if "based on" in question.text:
        passage = _NOVELS.sub("book", passage)
    if re.search(r"\b(?:story|stories|events?|account|tale)\b", question.text):
        passage = _SETTING.sub("", passage)
    happened, invented = _HAPPENED.search(passage), _INVENTED.search(passage)
    return (happened is None) != (invented is None) and _IN_PART.search(passage) is None
