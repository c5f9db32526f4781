"""Files of a commit, read with git's plumbing from a checkout that may be shallow.

Nothing passes through a shell, hooks do not run, and no configuration is written. Commits are given
as full hashes and paths literally, so that neither can be an option, a range or a pattern.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import IO, NamedTuple

from mt_gate.base import figures
from mt_gate.base.errors import quoted, reported
from mt_gate.base.escaping import shorten
from mt_gate.sut.processes import PROXIES, allowed

SECONDS = 300.0
"""Maximum seconds of one git command; a fetch of one commit takes a few."""
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_MOST_COMMIT = 1 << 20
_MOST_LINKS = 40
"""Maximum symbolic links on one path, as in Linux."""
_MOST_ENTRIES = 1_000_000
"""Maximum files and folders below a path that are examined."""
_CREDENTIALS = re.compile(r"//[^/@\s]*@")
_OF_FETCHING = (*PROXIES, "SSH_AUTH_SOCK", "SSH_AGENT_PID", "KRB5CCNAME", "KRB5_CONFIG")
"""Variables that git needs to reach ``origin``: for proxies, key agents and Kerberos."""
_KINDS = {b"120000": "a symbolic link", b"160000": "a submodule", b"040000": "a folder"}
_CONFIGURATION = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.writeCommitGraph": "false",
    # Keep fetched objects as a pack: in a container git runs as root, and loose objects would leave
    # folders in .git/objects that later steps of the workflow cannot write to.
    "fetch.unpackLimit": "1",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
}


class GitFailed(Exception):  # noqa: N818 - its text becomes a part of another error's message
    """A git command failed; the text is the reason, in one line."""


class Listed(NamedTuple):
    """A file, link, submodule or folder of a commit: path from the top, mode and object name."""

    path: str
    mode: bytes
    name: str


class Repository:
    """A checkout, read-only except for commits that are fetched into it.

    Paths are relative to its top, without ``..``. Except in ``has`` and ``fetch``, a commit must
    already be in the checkout. Failures of git are a ``GitFailed``.
    """

    def __init__(self, root: Path, environment: Mapping[str, str]) -> None:
        """Find git; ``root`` is the folder that contains ``.git``.

        The commands get only ``PATH``, ``HOME``, proxies, certificates and key agents from the
        environment. Tokens are not passed, nor variables that select another repository or make git
        print what it sends. Git does not write to the checkout, not even to refresh its index.

        A container's user does not own the checkout, and git then rejects it unless
        ``safe.directory`` names it. Git 2.38 and later read this setting from the command's
        environment, but never from the repository's own configuration.
        """
        program = shutil.which("git", path=environment.get("PATH", ""))
        if program is None:
            raise GitFailed("git is not installed")
        self._command = [program, "--literal-pathspecs", "--no-replace-objects"]
        self._root = root
        ssl = (name for name in environment if name.startswith("GIT_SSL_"))
        configuration = {"safe.directory": os.path.realpath(root), **_CONFIGURATION}
        self._environment = allowed(environment, (*_OF_FETCHING, *ssl)) | {
            "GIT_CONFIG_COUNT": str(len(configuration)),
            "GIT_CEILING_DIRECTORIES": str(root.parent),
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }
        for number, (name, value) in enumerate(configuration.items()):
            self._environment[f"GIT_CONFIG_KEY_{number}"] = name
            self._environment[f"GIT_CONFIG_VALUE_{number}"] = value

    def has(self, commit: str) -> bool:
        """Return whether the checkout has a commit; nothing is fetched."""
        return self._git("cat-file", "-e", f"{_checked(commit)}^{{commit}}").returncode == 0

    def fetch(self, commit: str) -> None:
        """Fetch one commit from ``origin``, without its history, if the checkout lacks it."""
        if self.has(commit):
            return
        options = ("--depth=1", "--no-tags", "--no-write-fetch-head", "--quiet")
        done = self._git("fetch", *options, "--", "origin", _checked(commit))
        if done.returncode or not self.has(commit):
            raise GitFailed(
                f"commit {commit[:12]} is not in the checkout and cannot be fetched{_why(done)}"
            )

    def head(self) -> str:
        """Return the checked-out commit."""
        return self._output("rev-parse", "--verify", "--quiet", "HEAD").decode().strip()

    def parents(self, commit: str) -> list[str]:
        """Return the parents that a commit names, even if a shallow checkout lacks them."""
        head = self._object("commit", _checked(commit), _MOST_COMMIT).partition(b"\n\n")[0]
        return re.findall(r"^parent (\w+)$", head.decode("utf-8", "replace"), re.MULTILINE)

    def read(self, commit: str, path: PurePath, limit: int) -> bytes | None:
        """Return the bytes of a plain file in a commit; None if the commit does not have it.

        A file larger than ``limit`` is rejected unread, and so is a file behind a link or
        submodule.
        """
        if not path.parts:
            raise GitFailed("it is the repository itself, expected a plain file")
        last = self._last(commit, path)
        if last is None:
            return None
        kind = _KINDS.get(last.mode, "a file")
        if last.path != str(path):
            raise GitFailed(f"{PurePath(last.path).name} is {kind} there, expected a folder")
        if not last.mode.startswith(b"100"):
            raise GitFailed(f"it is {kind} there, expected a plain file")
        return self._object("blob", last.name, limit)

    def holds(self, commit: str, path: PurePath) -> bool:
        """Return whether a commit has anything at a path, or a link or submodule on the way."""
        return not path.parts or self._last(commit, path) is not None

    def mention(self, commit: str, word: str, folder: str) -> str:
        """Return the first file below a folder that has a word, in any case; empty if none has."""
        # Search as text, because a pull request's .gitattributes may declare any file binary.
        options = ("--text", "--ignore-case", "--files-with-matches", "--null", "--fixed-strings")
        done = self._git("grep", *options, "-e", word, _checked(commit), "--", folder)
        if done.returncode > 1:
            raise GitFailed(f"git grep failed{_why(done)}")
        return os.fsdecode(done.stdout.partition(b"\0")[0].partition(b":")[2])

    def identity(self, commit: str, path: PurePath) -> str:
        """Return mode and object name of a path in a commit; empty if it has nothing there.

        If a link or submodule is on the way, return that of the link or submodule.
        """
        if not path.parts:  # the repository itself
            tree = f"{_checked(commit)}^{{tree}}"
            return self._output("rev-parse", "--verify", "--quiet", tree).decode()
        last = self._last(commit, path)
        return "" if last is None else f"{last.mode.decode()} {last.name}"

    def is_changed(self, path: PurePath) -> bool:
        """Return whether tracked files at a path have uncommitted changes in the checkout.

        Return False if git fails, because a filter such as Git LFS may not be installed.
        """
        options = ("--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=none")
        return bool(self._git("status", *options, "--", str(path)).stdout)

    def listing(self, commit: str, *places: str) -> list[Listed]:
        """Return all files, links and submodules of a commit, or the entries at ``places``."""
        which = ("-t", _checked(commit), "--", *places) if places else ("-r", _checked(commit))
        entries = []
        for line in self._output("ls-tree", "-z", "--full-tree", *which).split(b"\0"):
            if line:
                head, _, path = line.partition(b"\t")
                mode, _, name = head.split(b" ")
                entries.append(Listed(os.fsdecode(path), mode, _checked(name.decode())))
        return entries

    def blobs(self, names: Sequence[str]) -> Iterator[bytes]:
        """Yield the content of each object in turn."""
        with tempfile.TemporaryFile() as output:
            requests = "".join(f"{name}\n" for name in names).encode()
            done = self._git("cat-file", "--batch", "--buffer", requests=requests, output=output)
            output.seek(0)
            for name in names:
                head = output.readline().split()
                data = output.read(int(head[2])) if len(head) == 3 else b""
                if len(head) != 3 or len(data) != int(head[2]):
                    if done.returncode:  # such as a full disk; it is 0 if an object is missing
                        raise GitFailed(f"git cat-file failed{_why(done)}")
                    raise GitFailed(f"object {name[:12]} is not in the checkout")
                yield data
                output.read(1)

    def _last(self, commit: str, path: PurePath) -> Listed | None:
        """Walk a path in a commit; return the first entry that is not a folder, or the last entry.

        Return None if the commit has nothing there. Git does not follow links.
        """
        places = [str(PurePath(*path.parts[: count + 1])) for count in range(len(path.parts))]
        there = {entry.path: entry for entry in self.listing(commit, *places)}
        last = None
        for place in places:
            last = there.get(place)
            if last is None or last.mode != b"040000":
                break
        return last

    def _object(self, kind: str, name: str, limit: int) -> bytes:
        size = int(self._output("cat-file", "-s", name))
        if size > limit:
            raise GitFailed(f"it has {size} bytes there, limit {limit}")
        return self._output("cat-file", kind, name)

    def _output(self, *arguments: str) -> bytes:
        done = self._git(*arguments)
        if done.returncode:
            raise GitFailed(f"git {arguments[0]} failed{_why(done)}")
        return done.stdout

    def _git(
        self, *arguments: str, requests: bytes = b"", output: IO[bytes] | int = subprocess.PIPE
    ) -> subprocess.CompletedProcess[bytes]:
        try:
            process = subprocess.Popen(
                [*self._command, *arguments],
                cwd=self._root,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except ValueError:
            raise GitFailed("a path has a null character") from None
        except OSError as error:
            raise GitFailed(f"git could not be started ({reported(error)})") from None
        with process:
            try:
                out, err = process.communicate(requests, timeout=SECONDS)
            except BaseException as error:
                with suppress(ProcessLookupError):  # the group, because helpers hold the pipes too
                    os.killpg(process.pid, signal.SIGKILL)
                if isinstance(error, subprocess.TimeoutExpired):
                    limit = figures.setting(SECONDS)
                    raise GitFailed(f"git {arguments[0]} took longer than {limit} s") from None
                raise
        return subprocess.CompletedProcess([], process.returncode, out, err)


def _checked(name: str) -> str:
    if not _HASH.fullmatch(name):
        raise GitFailed(f"commit {quoted(name, 100)} does not have 40 or 64 hexadecimal digits")
    return name


def _why(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode("utf-8", "replace").splitlines()
    causes = [line for line in lines if line.startswith(("fatal: ", "error: "))]
    return f" ({shorten(_CREDENTIALS.sub('//', causes[-1]), 200)})" if causes else ""


def places(path: Path) -> Iterator[Path]:
    """Yield all absolute paths whose content determines what is at a path.

    These are the path itself, each link on the way to it, its target, and the same for each link
    below the target. None of them need exist.
    """
    seen: set[Path] = set()
    waiting = [Path(os.path.normpath(Path.cwd() / path)), Path.cwd() / path]
    while waiting:
        for place in way(waiting.pop()):
            if place in seen:
                continue
            seen.add(place)
            yield place
            entries = 0
            for parent, folders, names in () if place.is_symlink() else os.walk(place):
                entries += len(folders) + len(names)
                if entries > _MOST_ENTRIES:
                    raise GitFailed(f"more than {figures.count(_MOST_ENTRIES)} files in {place}")
                below = (os.path.join(parent, name) for name in (*folders, *names))
                waiting += [Path(name) for name in below if os.path.islink(name)]


def way(path: Path) -> Iterator[Path]:
    """Yield each link on the way to a path, as the system resolves it, and last the target."""
    here, names, links = Path("/"), [*reversed((Path.cwd() / path).parts)], 0
    while names:
        name = names.pop()
        if name == "..":
            here = here.parent
            continue
        here = here / name
        if not os.path.islink(here):
            continue
        yield here
        links += 1
        if links > _MOST_LINKS:
            raise GitFailed(f"more than {_MOST_LINKS} links on the way to it")
        names += reversed(Path(os.readlink(here)).parts)
        here = here.parent
    yield here
