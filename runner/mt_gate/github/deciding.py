"""Files that decide a verdict must be the base commit's: reject or ignore edited files.

A cache or shards that came with a pull request are rejected too, because their predictions would be
trusted without being computed again. All files in git at the checked-out commit count as the pull
request's, even if a setting names their folder or a link leads to them.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.baselines.schema import MAX_BYTES
from mt_gate.github.base_commit import Base, find_top
from mt_gate.github.base_settings import JudgedSettings
from mt_gate.github.git_objects import GitFailed, Repository, places
from mt_gate.ontologies.reading import shipped_ontologies
from mt_gate.settings.record import Settings
from mt_gate.suites.format import shipped_suites
from mt_gate.suites.quick import quick_suites
from mt_gate.sut.protocol import ProgramPlace
from mt_gate.sut.systems.kinds import is_command, is_system, path_of

_WHERE = ("lib/python*/site-packages", "lib/python*/dist-packages")
_SAY = ("*.dist-info/direct_url.json", "*.egg-link", "*.pth", "__editable__*.py")
"""Files with the folder that a package was installed from or links to (PEP 610, setuptools)."""
_LONGEST = 1 << 20
"""Maximum bytes of such a file that are searched."""
_LINK, _SUBMODULE, _PROGRAM = b"120000", b"160000", b"100755"
_NO_NAMES = frozenset({"", ".", "..", ".git"})
"""Path components that git never checks out, and that could lead out of the copy."""
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/\S+\n(?:.*\n)*?oid sha256:(\w{64})\n"
)
_MOST_POINTER = 1024
_ENDS = r"\s:;,='\"&|<>()"
"""Characters that end a path in an argument or in a variable's value."""
_EDIT = (
    "Edit it in a pull request that changes no checkpoint, with baseline-from: worktree, and merge "
    "that first."
)
_REMOVE = "Use a folder without files in git, or remove them from git with git rm -r --cached."


def check_uncommitted(
    setting: str, folder: Path, environment: Mapping[str, str], base: Base | None
) -> None:
    """Reject a folder (``cache``, or shards to ``merge``) with files in git at the checkout.

    Nothing is checked if the base does not judge. The folder need not exist.
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
                        f"{setting} {folder} has files in git. mt-gate does not trust them: the "
                        f"pull request may have added them. {_REMOVE}"
                    )
    except GitFailed as failed:
        raise CannotJudge(
            f"mt-gate cannot check whether {setting} {folder} has files in git ({failed}). "
            f"{_REMOVE}"
        ) from None


def check_deciding(judged: JudgedSettings) -> None:
    """Reject files that decide a verdict and that the pull request edits.

    A stored baseline fits only one suite and ontology, so an edited one would not match. With
    ``against``, any would fit, so check them all.
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
    # The base may compare one checkpoint folder with itself, in two precisions or on two devices.
    one = bool(named) and os.path.realpath(named) == os.path.realpath(settings.against)
    if not one and (path := _base_path(settings.against)) is not None:
        yield "against", path


def _base_path(against: str) -> Path | None:
    return path_of(against) if is_system(against) else Path(against)


def _check_labels(settings: Settings, base: Base) -> None:
    """Reject edited labelled inputs, if a limit applies to predictions on the base's labels."""
    path, limited = settings.labels, settings.max_negative_flips < 1
    if path is None or not limited or settings.baseline is None:
        return
    edit = base.edit(path)
    if not edit or base.read(settings.baseline, MAX_BYTES)[0] is None:
        return  # a new gate has no baseline to compare with
    raise CannotJudge(
        f"labels {path}: {edit}, but max-negative-flips limits predictions on the base's labels. "
        "Edit the labels in a pull request that changes no checkpoint, with a new baseline and "
        "baseline-from: worktree."
    )


class AgainstBase(NamedTuple):
    """Where the command of ``against`` runs, if it is a command, and notes on ``against``."""

    place: ProgramPlace | None = None
    notes: tuple[str, ...] = ()


@contextmanager
def against_base(settings: Settings, base: Base | None) -> Iterator[AgainstBase]:
    """Yield the place and notes for ``against`` on a pull request.

    A command runs in a copy of the base commit, because it could import any file of the checkout.
    """
    named = settings.against
    runs_command = bool(named) and is_system(named) and is_command(named)
    if not named or base is None or (runs_command and not base.judges):
        yield AgainstBase()
    elif not runs_command:
        yield AgainstBase(notes=_notes(named, base))
    else:
        with copied(base, named) as copy:
            if copy is None:
                yield AgainstBase()
                return
            _check_installed(named, base, copy)
            note = f"compared with {named}, run in a copy of base commit {copy.commit}"
            yield AgainstBase(ProgramPlace(copy.working_folder(), copy.moved), (note,))


@contextmanager
def copied(base: Base, against: str) -> Iterator[Copy | None]:
    """Yield a temporary copy of the base commit's files, in which ``against`` runs.

    Yield None if ``against`` does not use a repository.
    """
    top = find_top(Path.cwd() / "mt-gate.toml")
    if top is None:
        if any(find_top(Path(name)) for name in against.partition(":")[2].split()):
            raise CannotJudge(
                f"against {quoted(against)} uses a file of a repository, but the step does not run "
                "in that repository. Set working-directory to the repository's folder."
            )
        yield None
        return
    with files.scratch() as folder:
        with base.reading("against"):
            commit = base.base_in(top)
            _export(commit.repository, top, commit.commit, folder)
        yield Copy(top, folder, commit.short, base.tracks)


class Copy(NamedTuple):
    """A ``checkout``, the ``folder`` with the base's files, and the ``commit`` as notes name it.

    ``tracks`` returns whether git has a path, at the base or in the checkout.
    """

    checkout: Path
    folder: Path
    commit: str
    tracks: Callable[[Path], bool]

    def working_folder(self) -> Path:
        """Return the working folder in the copy; ``CannotJudge`` if the base does not have it."""
        inside = Path.cwd().relative_to(self.checkout)
        if not (self.folder / inside).is_dir():
            raise CannotJudge(
                f"against: base commit {self.commit} has no folder {inside}, in which its command "
                "would run. Run the step in a folder that the base has."
            )
        return self.folder / inside

    def moved(self, text: str) -> str:
        """Return an argument or a variable's value with paths moved from checkout to copy.

        Paths that are not in git, such as a virtual environment, are not moved: a step of the
        workflow made them. If ``~`` or a variable would expand to a path into the checkout, raise
        ``CannotJudge``.
        """
        is_here = text and not text.startswith("/") and os.path.lexists(text)
        if is_here and not self.tracks(Path(text)):
            return str(Path.cwd() / text)
        root = re.escape(str(self.checkout))
        paths = re.compile(rf"(?:{root}(?=[/{_ENDS}]|$)|/)[^{_ENDS}]*")
        spelt = os.path.expandvars(re.sub(r"(?<![\w/])~(?=/|$)", os.path.expanduser("~"), text))
        if spelt != text and paths.sub(self._moved, spelt) != spelt:
            raise CannotJudge(
                f"against: {quoted(text)} is a file of the checkout, which the pull request may "
                "have changed. Write its path relative to the working folder, without ~ and "
                "variables."
            )
        return paths.sub(self._moved, text)

    def _moved(self, match: re.Match[str]) -> str:
        checkout = os.path.realpath(self.checkout)
        for path in (os.path.normpath(match[0]), os.path.realpath(match[0])):
            for root in (self.checkout, Path(checkout)):
                if Path(path).is_relative_to(root) and self.tracks(Path(path)):
                    return str(self.folder / Path(path).relative_to(root))
        return match[0]


def _export(repository: Repository, checkout: Path, commit: str, folder: Path) -> None:
    """Write the files of a commit into an empty folder, byte for byte, without git's filters.

    Submodules are skipped. A file in Git LFS is copied from the checkout if it is the same there.
    Otherwise it is skipped, because a program would mistake the pointer for the file. A name that
    git never checks out is a ``GitFailed``.
    """
    listed = [one for one in repository.listing(commit) if one.mode != _SUBMODULE]
    contents = repository.blobs([one.name for one in listed])
    for one, data in zip(listed, contents, strict=True):
        if not _NO_NAMES.isdisjoint(one.path.split("/")):
            raise GitFailed(f"commit {commit[:12]} has a file that no checkout can have")
        place = folder / one.path
        place.parent.mkdir(parents=True, exist_ok=True)
        if one.mode == _LINK:
            target = Path(os.fsdecode(data))
            if not target.is_relative_to(checkout):  # the checkout has the pull request's files
                place.symlink_to(target)
            continue
        place.touch(0o755 if one.mode == _PROGRAM else 0o644)
        if (pointer := _POINTER.match(data[:_MOST_POINTER])) is None:
            place.write_bytes(data)
            continue
        own = checkout / one.path
        is_same = False
        with suppress(CannotJudge):  # the file is missing, or leads out of the checkout
            is_same = files.digest(own, cause="", inside=checkout) == pointer[1].decode()
        if is_same:
            shutil.copyfile(own, place)
        else:
            place.unlink()


def _check_installed(named: str, base: Base, copy: Copy) -> None:
    """Reject packages installed from edited files of the checkout: the command may import them."""
    programs = [os.path.dirname(word) for word in named.partition(":")[2].split()]
    path = os.pathsep.join((*filter(None, programs), os.environ.get("PATH", "")))
    for file, place in installed_from(copy.checkout, {**os.environ, "PATH": path}):
        source = place if base.tracks(place) else copy.checkout
        if edit := base.edit(source):
            raise CannotJudge(
                f"against {named}: {file} is of a package installed from {source}, {edit}, "
                "and the command may import it. In a step, install the base's version from a "
                "folder outside the checkout"
            )


def installed_from(checkout: Path, environment: Mapping[str, str]) -> Iterator[tuple[Path, Path]]:
    """Yield packages that Pythons on ``PATH`` may import from a checkout, whose links are resolved.

    Each item is the file that names the checkout, and the path that it names. Only ``PATH``,
    ``PYTHONPATH`` and ``HOME`` of the environment are used.
    """
    named = re.compile(rf"{re.escape(str(checkout))}(?=[/\s\"']|$)[^\s\"']*")
    programs = environment.get("PATH", "").split(os.pathsep)
    prefixes = [Path(name).parent for name in programs if name]
    prefixes.append(Path(environment.get("HOME", "/"), ".local"))
    prefixes += [Path(os.path.realpath(prefix)) for prefix in prefixes]
    folders = [
        folder for prefix in prefixes for where in _WHERE for folder in sorted(prefix.glob(where))
    ]
    folders += [Path(name) for name in environment.get("PYTHONPATH", "").split(os.pathsep) if name]
    for folder in dict.fromkeys(folders):
        for file in (file for pattern in _SAY for file in sorted(folder.glob(pattern))):
            try:
                with file.open("rb") as opened:
                    text = unquote(opened.read(_LONGEST).decode("utf-8", "replace"))
            except OSError:
                continue
            for match in named.finditer(text):
                yield file, Path(match[0])


def _notes(named: str, base: Base) -> tuple[str, ...]:
    """Return a note if the pull request may have changed the system of ``against``."""
    path = _base_path(named)
    if path is None or find_top(path) is None:
        return ()
    if base.judges and base.tracks(path) and not base.edit(path):
        return ()
    return (
        f"compared with {named} of the checkout, which {base.who} may have changed. If that "
        "matters, check out the base's version in a step",
    )
