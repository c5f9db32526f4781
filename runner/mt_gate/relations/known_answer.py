"""The relation that compares the prediction on an original text with its known answer.

It has no edited text and reuses the original's prediction, so it adds no model runs. A relation
with the condition "if the original is flagged" skips every case of a model that flags nothing.
This relation does not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mt_gate.domain import KNOWN_ANSWER, LABELS, NotApplicable, Verdict
from mt_gate.ontologies.ontology import Ontology
from mt_gate.relations.base import ExecutedGroup, Judgement, MetamorphicRelation
from mt_gate.tasks.spec import TaskSpec

SCHEME_END = ":"
"""End of the scheme in a known answer of task ``re``, which is written ``SCHEME:label``."""


def has_known_answers(task: TaskSpec) -> bool:
    """Whether suites of a task may store known answers, which only labels can have."""
    return not task.spans and (task.needs_ontology or task.decided is not None)


def labels_id(task: str) -> str:
    """Return the id of the relation that labelled examples form in a result."""
    return f"{task}/{LABELS}"


def is_labels(relation: str) -> bool:
    """Whether a relation's id is that of labelled examples."""
    return relation.partition("/")[2] == LABELS


def known_answer_id(task: str) -> str:
    """Return the id of the known-answer relation of a task."""
    return f"{task}/{KNOWN_ANSWER}"


def is_known_answer(relation: str) -> bool:
    """Whether a relation's id is that of known answers."""
    return relation.partition("/")[2] == KNOWN_ANSWER


def known_answer(task: TaskSpec, labels: Collection[str] = ()) -> MetamorphicRelation:
    """Return the known-answer relation of a task.

    ``labels`` is the suite's label set, empty if it has none. Predicted labels outside the set are
    ignored, because known answers never contain them.
    """
    decided, known = task.decided, frozenset(labels)

    def judge_labels(case: ExecutedGroup) -> Judgement:
        gold = frozenset(case.gold or ())
        if case.context.labels and not gold <= case.context.labels:
            return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.OTHER_LABELS)
        predicted = frozenset(decided(case.source_output) if decided else ())
        return _judgement((predicted & known if known else predicted) == gold, gold)

    return MetamorphicRelation(
        id=known_answer_id(task.id),
        title="Known answers",
        description=(
            "Compares the prediction for the original with the right answer. They must be equal."
        ),
        paper="",
        before="",
        after="",
        holds=_judge_relations if task.needs_ontology else judge_labels,
        fixed_edit=True,
    )


def _judge_relations(case: ExecutedGroup) -> Judgement:
    ontology = case.context.ontology
    gold = _in_scheme(case.gold or (), ontology)
    if ontology is None or not gold:
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.OTHER_LABELS)
    predicted = case.source_output["relation"]
    return _judgement(any(ontology.same(predicted, label) for label in gold), gold)


def _in_scheme(gold: Iterable[str], ontology: Ontology | None) -> list[str]:
    prefix = f"{ontology.name}{SCHEME_END}" if ontology else ""
    labels = [label.removeprefix(prefix) for label in gold if prefix and label.startswith(prefix)]
    answers = ontology.answers if ontology else frozenset()
    return [label for label in labels if not answers or label in answers]


def _judgement(right: bool, gold: Iterable[str]) -> Judgement:
    if right:
        return Judgement(Verdict.SATISFIED)
    return Judgement(Verdict.VIOLATED, unmatched={"expected": sorted(gold)})
