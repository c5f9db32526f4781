"""The mutants of each operator taken together: mean ratios, tests, and who caught how many."""

from __future__ import annotations

from collections.abc import Sequence

from mt_gate.mutating import sensing
from mt_gate.mutating.records import Mutant, OperatorFindings


def findings(
    mutants: Sequence[Mutant], relations: Sequence[str], alpha: float
) -> tuple[OperatorFindings, ...]:
    """Return what each operator's mutants show, operators in the order of their first mutant."""
    operators = dict.fromkeys(mutant.mutation.operator for mutant in mutants)
    return tuple(
        _findings(
            operator,
            [mutant for mutant in mutants if mutant.mutation.operator == operator],
            relations,
            alpha,
        )
        for operator in operators
    )


def _findings(
    operator: str, mutants: Sequence[Mutant], relations: Sequence[str], alpha: float
) -> OperatorFindings:
    found = [mutant.relations for mutant in mutants]
    ratios = {name: sensing.ratios(found, name) for name in relations}
    answers = [mutant.accuracy for mutant in mutants if mutant.accuracy is not None]
    accuracy = [answer.newly_wrong.ratio for answer in answers]
    labelled = len(answers) == len(mutants)
    return OperatorFindings(
        operator=operator,
        mutants=len(mutants),
        mean_accuracy_ratio=sensing.mean(accuracy),
        mean_ratio={name: sensing.mean(ratios[name]) for name in relations},
        tests={name: sensing.signed(ratios[name], accuracy, alpha) for name in relations}
        if labelled
        else {},
        caught_by_gate=sum(mutant.gate.caught for mutant in mutants),
        caught_by_accuracy=sum(answer.caught for answer in answers) if labelled else None,
        caught_by_both=sum(
            mutant.gate.caught for mutant in mutants if mutant.accuracy and mutant.accuracy.caught
        )
        if labelled
        else None,
    )
