"""Schema of a baseline file, valid names, and reading it as untrusted text.

A baseline has the verdict of every case in each of its runs, so that later runs can be paired.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, UsageError, quoted, reported
from mt_gate.base.files import canonical
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts, SourceVerdicts, observed_units
from mt_gate.relations.base import is_labels
from mt_gate.results.result import (
    CheckpointHead,
    Count,
    Counts,
    Identifier,
    LabelledAnswers,
    Name,
    Profile,
    Result,
    RunSettings,
    SuiteHead,
    Text,
    Tool,
)
from mt_gate.settings.record import MOST_RELATIONS

FORMAT = 1
MOST_RUNS = 5
RECORD = "Record a new baseline with mt-gate baseline record."
"""Next step in messages about an unusable baseline."""

DIGEST = r"\A([0-9a-f]{64})?\Z"
Identifiers = tuple[Identifier, ...]
_RUN_ID = r"\A([0-9a-f]{32})?\Z"


class BaselineRelation(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Verdicts of one relation in one run; cases of the suite are listed by id.

    A ``bound`` relation has ``sources`` instead: the number of testable cases of each source, and
    the ids of the violated ones. ``unstable_groups`` (sources if bound) may turn by numerical noise
    alone; None if the run did not store them. ``silent_sources`` of a bound relation are not
    testable because a prediction is missing.
    """

    id: Identifier
    bound: bool
    groups: Count
    applicable: Count
    violated: Count
    not_applicable: Counts
    violated_groups: Identifiers = ()
    satisfied_groups: Identifiers = ()
    not_applicable_groups: Mapping[Name, Identifiers] = {}
    sources: Mapping[Identifier, tuple[Count, Identifiers]] = {}
    unstable_groups: Identifiers | None = None
    silent_sources: Identifiers | None = None

    @property
    def rate(self) -> float | None:
        """Violation rate in [0, 1]; None if no case was testable."""
        return self.violated / self.applicable if self.applicable else None


class BaselineRun(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """One run of a baseline: its checkpoint, and the verdict of every case.

    ``id`` is that of the run's ``RunMark``; it is empty if unknown.
    """

    id: Annotated[str, msgspec.Meta(pattern=_RUN_ID)] = ""
    created: Name
    checkpoint: CheckpointHead
    profile: Profile
    labelled: LabelledAnswers | None = None
    relations: Annotated[tuple[BaselineRelation, ...], msgspec.Meta(max_length=MOST_RELATIONS)]

    def verdicts(self) -> RunVerdicts:
        """Return the verdicts by relation; bound relations only have the ids of violated cases."""
        verdicts = {}
        for relation in self.relations:
            sources = {
                source: SourceVerdicts(applicable, frozenset(violated))
                for source, (applicable, violated) in relation.sources.items()
            }
            unstable, silent = relation.unstable_groups, relation.silent_sources
            reasons = relation.not_applicable_groups.items()
            verdicts[relation.id] = RelationVerdicts(
                id=relation.id,
                bound=relation.bound,
                violated=frozenset(relation.violated_groups).union(
                    *(source.violated for source in sources.values())
                ),
                satisfied=frozenset(relation.satisfied_groups),
                not_applicable={reason: frozenset(ids) for reason, ids in reasons},
                sources=sources,
                unstable=None if unstable is None else frozenset(unstable),
                silent_sources=None if silent is None else frozenset(silent),
            )
        return verdicts


BaselineRuns = Annotated[tuple[BaselineRun, ...], msgspec.Meta(min_length=1, max_length=MOST_RUNS)]


class Anchor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An older baseline of the same suite, which stays when the baseline is recorded again.

    Small rises from baseline to baseline may add up to a regression, which the anchor shows.
    """

    name: Identifier
    recorded: Name
    runs: BaselineRuns


class Baseline(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Recorded runs of one suite that later runs are compared with; reports show the first.

    ``recorded`` is the time of the newest run, UTC in ISO 8601. ``accept`` is the reason to record
    runs that regressed or were not whole. ``settings`` are those of every run, with the largest
    ``noise``. ``answers_sha256`` is of the text in the file of predictions; it is empty without
    such a file. ``sha256`` is of all other fields; it is empty in memory.
    """

    format: int
    sha256: Annotated[str, msgspec.Meta(pattern=DIGEST)] = ""
    tool: Tool
    name: Identifier
    recorded: Name
    accept: Text | None = None
    suite: SuiteHead
    settings: RunSettings
    answers_sha256: Annotated[str, msgspec.Meta(pattern=DIGEST)] = ""
    runs: BaselineRuns
    anchor: Anchor | None = None


def digest_of(data: bytes) -> str:
    """Return the sha256 of a baseline's JSON, without the field ``sha256``.

    It is of the canonical JSON, so that line ends and the order of fields do not matter.
    """
    content = msgspec.json.decode(data, type=dict[str, Any])
    content.pop("sha256", None)
    return hashlib.sha256(canonical(content)).hexdigest()


def relation_of(verdicts: RelationVerdicts) -> BaselineRelation:
    """Reduce a run's verdicts on one relation to those that a baseline stores."""
    bound, reasons = verdicts.bound, verdicts.not_applicable
    silent, unstable = verdicts.silent_sources, verdicts.unstable
    return BaselineRelation(
        id=verdicts.id,
        bound=bound,
        groups=len(verdicts.groups),
        applicable=len(verdicts.applicable),
        violated=len(verdicts.violated),
        not_applicable={reason: len(ids) for reason, ids in reasons.items()},
        unstable_groups=None if unstable is None else tuple(sorted(unstable)),
        silent_sources=None if silent is None or not bound else tuple(sorted(silent)),
        sources={
            source: (unit.applicable, tuple(sorted(unit.violated)))
            for source, unit in verdicts.sources.items()
            if bound
        },
        violated_groups=() if bound else tuple(sorted(verdicts.violated)),
        satisfied_groups=() if bound else tuple(sorted(verdicts.satisfied)),
        not_applicable_groups={
            reason: tuple(sorted(ids)) for reason, ids in reasons.items() if not bound
        },
    )


NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def check_name(name: str) -> str:
    """Return the name if it can be a file's name anywhere.

    Raises UsageError: it has another character, or starts with one that is no letter or digit.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            f"Baseline name {quoted(name)} is not valid. Use letters, digits, '.', '_' and '-', "
            "starting with a letter or digit, at most 100 in total."
        )
    return name


MAX_BYTES = 64 * 1024 * 1024
"""Maximum size of a baseline; 5,000 groups take about 180 KB per run, also of the anchor."""


NEW_GATE = "New gate"
"""Beginning of the note on a pull request whose base has no gate to compare with."""


class BaselineSource(NamedTuple):
    """The content of a baseline's file.

    ``data`` is the file's text, read from ``commit``; if None, the file itself is read. ``notes``
    are sentences for the result. ``outputs`` is the packed file of predictions of the same commit.
    ``against`` names what was run in the same job, if there is no stored baseline.
    """

    data: bytes | None = None
    commit: str = ""
    notes: tuple[str, ...] = ()
    outputs: bytes | None = None
    against: str = ""


def read_baseline(path: str | Path) -> Baseline:
    """Read and check a baseline file.

    Raises CannotJudge: it is missing, unreadable, too large, not a baseline, of another format, or
    changed since it was recorded.
    """
    # If the file is missing, advise how to record a first baseline of that name.
    advice = (
        RECORD
        if os.path.lexists(path)
        else "Create this baseline: mt-gate run ... --out out && mt-gate baseline record out "
        f"--name {shlex.quote(Path(path).stem)}"
    )
    data = files.read_whole(Path(path), limit=MAX_BYTES, cause=advice)
    return parse_baseline(data, path)


def parse_baseline(data: bytes, path: str | Path, *, sealed: bool = True) -> Baseline:
    """Decode and check a baseline's text, and its digest if ``sealed``; ``path`` is for messages.

    Raises CannotJudge: it is empty, not a baseline, of another format, changed since it was
    recorded, or of other relations than its settings name.
    """
    if not data.strip():
        raise CannotJudge(f"{path} is empty. Expected a baseline. {RECORD}")
    try:
        # Decode unknown fields, too: a key that is not UTF-8 would break the digest.
        number = msgspec.json.decode(data, type=dict[str, Any]).get("format")
        if type(number) is int and number != FORMAT:
            raise CannotJudge(
                f"{path} has baseline format {number}, but this release reads {FORMAT}. "
                + ("Update mt-gate." if number > FORMAT else RECORD)
            )
        baseline = msgspec.json.decode(data, type=Baseline)
    except msgspec.ValidationError as error:
        raise CannotJudge(f"{path} is not a baseline ({reported(error)}). {RECORD}") from None
    except (msgspec.DecodeError, UnicodeError, OverflowError, RecursionError) as error:
        why = f"is not JSON: broken or truncated ({reported(error)})"
        raise CannotJudge(f"{path} {why}. {RECORD}") from None
    if sealed and (digest := digest_of(data)) != baseline.sha256:
        raise CannotJudge(
            f"{path}: the sha256 of its content is {digest[:12]}..., but it states "
            f"{baseline.sha256[:12] or 'nothing'}... It was edited or badly merged. {RECORD}"
        )
    if not NAME.fullmatch(baseline.name):
        raise CannotJudge(f"{path}: {quoted(baseline.name)} is not a valid name. {RECORD}")
    for run in baseline.runs:
        if tuple(relation.id for relation in run.relations) != baseline.settings.relations:
            raise CannotJudge(f"{path}: its relations differ from those of its settings. {RECORD}")
    return msgspec.structs.replace(baseline, sha256="")


AGREES = 1e-3
"""Difference of a score that rounding explains; saturated 8-bit sums change it by about 0.1."""


def check_fits(baseline: Baseline, suite: SuiteHead, path: str | Path | None = None) -> None:
    """Check that a baseline is of the same suite, and of the same subset, as this run.

    Raises CannotJudge: it is of another task, suite, version or content.
    """
    where = f"Baseline {path or baseline.name}"
    part = f" ({', '.join(suite.part)})" if suite.part else ""
    another = "Pass a matching --baseline."
    then = baseline.suite
    for what, old, new, todo in (
        ("task", then.task, suite.task, another),
        ("suite", then.name, suite.name, another),
        ("suite version", then.version, suite.version, RECORD),
        ("suite sha256", then.sha256, suite.sha256, RECORD),
    ):
        if old != new:
            raise CannotJudge(
                f"{where} is for {what} {old:.80}, but this run is for {what} {new}{part}. {todo}"
            )


def check_arithmetic(baseline: Baseline, result: Result, path: str | Path) -> None:
    """Check that 8-bit arithmetic gives a run the predictions that its baseline would have.

    CPUs without VNNI may saturate sums of 8-bit products. Runs on CPUs with the same features are
    comparable. For other CPUs, the noise of both runs must show that another computation of 8-bit
    operators changes scores only by rounding.

    Raises CannotJudge: that is not so, or the baseline does not state its CPU's features.
    """
    noise = max(result.settings.noise, baseline.settings.noise)
    now = result.checkpoint.runtime
    for run in baseline.runs:
        then = run.checkpoint.runtime
        if not (now.integers or then.integers):
            continue
        alike = now.cpu_features == then.cpu_features or (now.cpu_features and noise <= AGREES)
        if then.cpu_features and alike:
            continue
        has, had = (" ".join(runtime.cpu_features) or "unknown" for runtime in (now, then))
        raise CannotJudge(
            f"{path} was recorded on a CPU with {had}, but this CPU has {has}. The checkpoint "
            f"computes in 8-bit integers, and its scores can differ by {noise:.2g} between such "
            f"CPUs (limit {AGREES:.2g}). Record a new baseline on this kind of machine, or export "
            "the checkpoint with --precision int8, which computes in fp32."
        )


class Units(NamedTuple):
    """Units that a run counts for a relation: its cases, or the sources of a bound relation."""

    bound: bool
    ids: Set[str]


def check_covers(
    baseline: Baseline, expected: Mapping[str, Units], path: str | Path, *, whole: bool = True
) -> None:
    """Check that every run of a baseline has exactly the cases that this run has.

    Relations that the run omits are not checked, nor those that an anchor does not have. If the run
    is not ``whole``, the baseline may have further cases.

    Raises CannotJudge: a relation is missing in the baseline, or has other cases.
    """
    several, anchor = len(baseline.runs) > 1, baseline.anchor
    compared = [
        (f"{path}: run {number}" if several else f"{path}", relation, verdicts.get(relation))
        for number, verdicts in enumerate((run.verdicts() for run in baseline.runs), 1)
        for relation in expected
    ]
    compared += [
        (f"{path}: its anchor", relation, verdicts[relation])
        for verdicts in (run.verdicts() for run in (anchor.runs if anchor else ()))
        for relation in expected
        if relation in verdicts
    ]
    for where, relation, old in compared:
        units = expected[relation]
        if is_labels(relation):
            if old is None or old.groups != units.ids:
                raise CannotJudge(
                    f"{where} was recorded {'without' if old is None else 'with other'} labelled "
                    "examples. Record a new baseline with these --labels, or omit --labels."
                )
            continue
        if old is None:
            raise CannotJudge(
                f"{where} has no relation {relation}, but this run has it. {RECORD} Or name the "
                "other relations with --relations."
            )
        ids = observed_units(old, old.bound)
        missing, other = len(units.ids - ids), len(ids - units.ids) if whole else 0
        if missing or other:
            what = "original texts" if units.bound else "cases"
            its_own = f", and it has {other} that are not in this run" if whole else ""
            raise CannotJudge(
                f"{where}: {relation}: {missing} of this run's {len(units.ids)} {what} are not "
                f"in the baseline{its_own}. Both need the same suite. {RECORD}"
            )
        if old.bound != units.bound and units.ids:
            kind = "original text" if units.bound else "id"
            raise CannotJudge(f"{where}: {relation}: cases must be listed by {kind}. {RECORD}")
