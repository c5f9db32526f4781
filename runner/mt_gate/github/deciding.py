"""Files that decide a verdict are the base commit's: an edited one is refused, or not used.

A cache, or shards, that came with a pull request are refused, too: their answers would be believed
and are not computed again. Files that git has at the commit checked out are the pull request's own,
whether they lie there, a setting of it names their folder, or a link leads to them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from mt_gate.base.errors import CannotJudge
from mt_gate.baselines.schema import MAX_BYTES
from mt_gate.github.base_commit import Base, find_top
from mt_gate.github.base_settings import JudgedSettings
from mt_gate.github.git_objects import GitFailed, Repository, places
from mt_gate.ontologies.reading import shipped_ontologies
from mt_gate.settings.record import Settings
from mt_gate.suites.format import shipped_suites
from mt_gate.suites.quick import quick_suites
from mt_gate.sut.systems.kinds import is_command, is_system, path_of

_EDIT = (
    "Edit it in a pull request that changes no checkpoint, with baseline-from: worktree, and merge "
    "that first."
)
_REMOVE = "Use a folder that git has no files of, or remove them from git with git rm -r --cached."


def check_uncommitted(
    setting: str, folder: Path, environment: Mapping[str, str], base: Base | None
) -> None:
    """Reject a ``cache``, or shards to ``merge``, with files of the commit that is checked out.

    Where the base does not judge, nothing is looked at; the folder need not be there.
    """
    if base is None or not base.judges:
        return
    try:
        for place in places(folder):
            for top in (place, *place.parents):  # nested repositories too
                if not os.path.lexists(top / ".git"):
                    continue
                repository = Repository(top, environment)
                if repository.holds(repository.head(), place.relative_to(top)):
                    raise CannotJudge(
                        f"{setting} {folder} has files in git, which may have come with the pull "
                        f"request and are not trusted. {_REMOVE}"
                    )
    except GitFailed as failed:
        raise CannotJudge(
            f"It is unknown whether {setting} {folder} has files in git ({failed}). {_REMOVE}"
        ) from None


def check_deciding(judged: JudgedSettings) -> None:
    """Reject files that decide a verdict and that the pull request edits.

    A stored baseline fits one suite and one ontology; the base of ``against`` fits any.
    """
    settings, base = judged.settings, judged.base
    if base is None or not base.judges:
        return
    if not settings.against:
        _check_labels(settings, base)
        return
    for name, path in _deciding(judged):
        if edit := base.edit(path):
            raise CannotJudge(f"{name} {path}: {edit}, and it decides the verdict. {_EDIT}")


def _deciding(judged: JudgedSettings) -> Iterator[tuple[str, Path]]:
    """Yield the setting and path of each file or folder that judges a run with ``against``."""
    settings, named = judged.settings, judged.checkpoint
    if settings.suite not in (*shipped_suites(), *quick_suites()):
        yield "suite", Path(settings.suite)
    if settings.ontology and settings.ontology not in shipped_ontologies():
        yield "ontology", Path(settings.ontology)
    if settings.labels is not None:
        yield "labels", settings.labels
    # The base may ask for one folder on both sides, in two precisions or on two devices.
    one = bool(named) and os.path.realpath(named) == os.path.realpath(settings.against)
    if not one and (path := _base_path(settings.against)) is not None:
        yield "against", path


def _base_path(against: str) -> Path | None:
    return path_of(against) if is_system(against) else Path(against)


def _check_labels(settings: Settings, base: Base) -> None:
    """Reject labelled inputs of a pull request's own, where a limit is on those of its base."""
    path, limited = settings.labels, settings.max_negative_flips < 1
    if path is None or not limited or settings.baseline is None:
        return
    edit = base.edit(path)
    if not edit or base.read(settings.baseline, MAX_BYTES)[0] is None:
        return  # without a baseline a gate is new: nothing is compared with what the base has
    raise CannotJudge(
        f"labels {path}: {edit}, but max-negative-flips limits predictions on the base's labels. "
        "Edit the labels in a pull request that changes no checkpoint, with a new baseline and "
        "baseline-from: worktree."
    )


def against_notes(settings: Settings, base: Base | None) -> tuple[str, ...]:
    """Say where what judges a pull request, the base of ``against``, may have come with it.

    A command of the checkout is rejected: it may run, or import, any file of the pull request.
    """
    named = settings.against
    if not named or base is None:
        return ()
    if base.judges and is_system(named) and is_command(named):
        words = named.partition(":")[2].split()
        if any(find_top(Path(word)) is not None for word in (".", *words)):
            raise CannotJudge(
                f"against {named} runs in the checkout, whose files {base.who} may have changed. "
                "Compare with a checkpoint folder or a recorded baseline, or set baseline-from: "
                "worktree."
            )
    return _notes(named, base)


def _notes(named: str, base: Base) -> tuple[str, ...]:
    """Say that what judges a pull request may have come with it."""
    path = _base_path(named)
    if path is None or find_top(path) is None:
        return ()
    if base.judges and base.tracks(path) and not base.edit(path):
        return ()
    return (
        f"compared with {named} as it lies in the checkout, which {base.who} may have "
        "changed; check out the base's own, or fetch it in a step, where that matters",
    )
