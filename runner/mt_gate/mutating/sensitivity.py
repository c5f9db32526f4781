"""``mt-gate sensitivity``, top to bottom: who notices a checkpoint's mutants (RQ4)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import sha256_file
from mt_gate.evaluating.labelled import read_labelled
from mt_gate.mutating.findings import findings
from mt_gate.mutating.onnx_weights import OnnxWeights
from mt_gate.mutating.operators import MAX_SEED, Mutation
from mt_gate.mutating.records import FORMAT, LabelCounts, Sensitivity, Sources, write_json
from mt_gate.mutating.study import Original, Seen, StudySetup, ask, studied
from mt_gate.mutating.tables import write_markdown
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.results.identity import TOOL
from mt_gate.results.out_folder import check_writable, held
from mt_gate.running.cache import default_folder
from mt_gate.running.loading import load_suite
from mt_gate.running.predicting import Progress
from mt_gate.running.systems import open_onnx
from mt_gate.settings.record import Settings
from mt_gate.suites.drawing import draw
from mt_gate.suites.format import Suite
from mt_gate.sut.card import MODEL

JSON, MARKDOWN, MUTANTS = "sensitivity.json", "sensitivity.md", "mutants"
MOST_MUTANTS = 1000


@dataclass(frozen=True, kw_only=True)
class StudyRequest:
    """What to study.

    ``operators`` are each operator's first mutation; its ``mutants`` mutants have seeds
    from there on. ``sources`` None stands for all; ``seed`` draws them.
    """

    settings: Settings
    operators: tuple[Mutation, ...]
    mutants: int = 10
    seed: int = 0
    labels: Path | None = None
    sources: int | None = None


def sensitivity(request: StudyRequest, say: Say, progress: Progress) -> Sensitivity:
    """Run suite and labelled set on a checkpoint and its mutants; write what was found.

    A finished mutant is kept in the folder, so that a killed study goes on from there.

    Raises:
        UsageError: a setting that cannot be followed, or a folder that another run writes to.
        CannotJudge: checkpoint, suite, labels or a mutant are unfit.
    """
    _check(request)
    suite, relations = load_suite(request.settings)
    check_writable(request.settings.out)
    with held(request.settings.out):
        return _studied(request, suite, relations, say, progress)


def _studied(
    request: StudyRequest,
    suite: Suite,
    relations: tuple[MetamorphicRelation, ...],
    say: Say,
    progress: Progress,
) -> Sensitivity:
    settings = request.settings
    drawn = draw(suite, relations, request.sources, request.seed)
    labelled = read_labelled(request.labels, settings.task) if request.labels else []
    cache = settings.cache or default_folder()
    asked = StudySetup(settings, drawn.suite, relations, labelled, cache, progress)
    system = open_onnx(settings, cache, [item.input for item in suite.sources], say)
    model, head, key = system.folder / MODEL, system.head, system.cache_key
    original = Original(model.parent, OnnxWeights(model), ask(asked, system), key)
    _check_right(request, original.seen)
    mutants = [
        studied(asked, mutation, original, settings.out / MUTANTS, say)
        for mutation in _mutations(request)
    ]
    found = Sensitivity(
        format=FORMAT,
        tool=TOOL,
        checkpoint=head,
        suite=suite.identity,
        sources=Sources(used=len(drawn.suite.sources), of=drawn.of, seed=request.seed),
        labels=_labels(request, original.seen),
        settings=asked.run_settings(original.seen.noise),
        relations=original.seen.counts,
        operators=findings(mutants, [item.id for item in relations], settings.alpha),
        mutants=tuple(mutants),
    )
    write_json(settings.out / JSON, found)
    write_markdown(settings.out / MARKDOWN, found)
    return found


def _check(request: StudyRequest) -> None:
    if not 1 <= request.mutants <= MOST_MUTANTS:
        raise UsageError(f"--mutants is {request.mutants}; expected 1 to {MOST_MUTANTS}")
    if request.seed + request.mutants > MAX_SEED:
        raise UsageError(
            f"--seed is {request.seed}; expected at most {MAX_SEED - request.mutants}, since each "
            "mutant adds 1 to it"
        )


def _check_right(request: StudyRequest, original: Seen) -> None:
    if request.labels and not any(original.right):
        raise CannotJudge(
            f"{request.labels}: the checkpoint answers none of {len(original.right)} samples "
            "right, so none can newly fail; expected labels of its task, in its label names"
        )


def _mutations(request: StudyRequest) -> list[Mutation]:
    return [
        msgspec.structs.replace(operator, seed=operator.seed + number)
        for operator in request.operators
        for number in range(request.mutants)
    ]


def _labels(request: StudyRequest, original: Seen) -> LabelCounts | None:
    if request.labels is None:
        return None
    return LabelCounts(
        file=request.labels.name,
        sha256=sha256_file(request.labels),
        samples=len(original.right),
        right=sum(original.right),
    )
