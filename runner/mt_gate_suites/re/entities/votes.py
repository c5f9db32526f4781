"""What kind of thing a name is in all sentences of a build, and whether they agree.

A pipeline that reads one sentence calls a subway station and a ham persons; of many sentences
most tell it right. A type that a name has in one sentence and in few others is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from spacy.tokens import Doc

from mt_gate_suites.re.entities import names as entity_names
from mt_gate_suites.re.entities.extent import bare

_LEAST = 0.75
"""The share of a name's mentions that have to agree."""
_PLACE = "place"
_UNSURE = "a person for the pipeline alone"
_CLASSES = {
    "PERSON": "PERSON",
    "ORG": "ORGANIZATION",
    "GPE": _PLACE,
    "LOC": _PLACE,
    "FAC": _PLACE,
    "CITY": _PLACE,
    "STATE_OR_PROVINCE": _PLACE,
    "COUNTRY": _PLACE,
    "LOCATION": _PLACE,
    "FACILITY": _PLACE,
    "ORGANIZATION": "ORGANIZATION",
}
"""Classes of types that are told apart, by spaCy's label and by ours."""


class Votes(NamedTuple):
    """How often each name was of each class; an empty one agrees to everything."""

    counts: Mapping[str, Mapping[str, int]]

    @classmethod
    def of(cls, docs: Iterable[Doc]) -> Votes:
        """Count the names of parsed sentences.

        A person counts as one only where a given name or what is said of it agrees.
        """
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for doc in docs:
            for span in doc.ents:
                if span.label_ in entity_names.LABELS:
                    mention = bare(span)
                    label = span.label_
                    if label == "PERSON":
                        label = entity_names.name_kind(mention) or _UNSURE
                    counts[mention.text][_CLASSES.get(label, label)] += 1
        return cls(counts)

    def agree(self, kind: str, words: str, *, given: bool = False) -> bool:
        """Whether most mentions of a name are of a type's class; other types are not voted on.

        Args:
            kind: the type.
            words: the name.
            given: the type is a corpus's: a person then needs the pipeline's word alone, and one
                mention outvotes nobody.
        """
        of = _CLASSES.get(kind)
        counts = self.counts.get(words)
        if of is None or not counts:
            return True
        if given and sum(counts.values()) < 2:
            return True  # who labelled a corpus has read the sentence
        agreed = counts.get(of, 0) + (counts.get(_UNSURE, 0) if given and of == "PERSON" else 0)
        return agreed >= _LEAST * sum(counts.values())
