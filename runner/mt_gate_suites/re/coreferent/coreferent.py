"""Moves the head or the tail to another mention of the same person or thing.

Source: Sun et al., Algorithms 2023, MR-R4. The paper takes the best-scored
mention of NeuralCoref; here rules that are silent where unsure come first.
"""

from __future__ import annotations

from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.re.coreferent.chains import PRONOUN, Coreference, CoreferentMention
from mt_gate_suites.re.coreferent.rules import RULES
from mt_gate_suites.re.sample import HEAD, TAIL, EditedSample, Sample, moved
from mt_gate_suites.re.stated_kind import is_contradicted
from mt_gate_suites.re.transformation import SampleResources

_OF_WORDS = "alternate_names"
"""In labels of relations between names as such, which a pronoun is not."""


def transform(sample: Sample, resources: SampleResources) -> list[EditedSample]:
    """Return the follow-ups of a sample, by the mentions that a suite's pipeline finds."""
    return changes(sample, resources.coreference)


def changes(sample: Sample, coreference: Coreference = RULES) -> list[EditedSample]:
    """Return at most one follow-up for each argument: it moves to its best other mention.

    The text and the other argument stay, and so does the type. Nothing is
    returned where head and tail name the same.
    """
    if _OF_WORDS in sample.relation or is_contradicted(sample):
        return []
    if sample.words(sample.head).casefold() == sample.words(sample.tail).casefold():
        return []
    found = {name: _mentions(sample, name, coreference) for name in (HEAD, TAIL)}
    head, tail = sample.head, sample.tail
    if any(_meet(sample, one, tail) for one in found[HEAD]):
        return []
    if any(_meet(sample, one, head) for one in found[TAIL]):
        return []
    made = []
    for name in (HEAD, TAIL):
        best = next(iter(found[name]), None)
        if best is not None:
            place = Argument(best.start, best.end, sample.argument(name).type)
            made.append(moved(sample, name, place)._replace(stratum=best.kind))
    return made


def _mentions(sample: Sample, name: str, coreference: Coreference) -> list[CoreferentMention]:
    argument = sample.argument(name)
    found = coreference.mentions(sample.doc, argument.start, argument.end, argument.type)
    return [one for one in found if one.kind != PRONOUN or not _others(sample, argument, one)]


def _others(sample: Sample, argument: Argument, mention: CoreferentMention) -> bool:
    """Whether a person whom only the sample knows of comes before the pronoun."""
    if argument.type != "PERSON":
        return False
    parsed = [ent for ent in sample.doc.ents if ent.label_ == "PERSON"]
    return any(
        one.label == "PERSON"
        and one.end <= mention.start
        and not (one.start < argument.end and argument.start < one.end)
        and not any(ent.start_char < one.end and one.start < ent.end_char for ent in parsed)
        for one in sample.entities
    )


def _meet(sample: Sample, one: CoreferentMention, other: Argument) -> bool:
    """Whether a mention lies on the other argument, or has its words."""
    if one.start < other.end and other.start < one.end:
        return True
    return sample.text[one.start : one.end].casefold() == sample.words(other).casefold()
