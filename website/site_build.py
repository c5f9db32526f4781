"""Builds the site of this checkout's documentation into a folder, next to other versions there.

    .ci/site OUT [--version main] [--demo mt-gate-demo] [--repository ADDRESS]

``OUT/VERSION`` is replaced when the whole of it is built and checked. Nothing is fetched.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import site_checks
import site_commands
import site_demo
import site_versions
from site_pages import ROOT, Hosted, PageFault, lay_out

HERE = Path(__file__).parent
NEEDED = {"sphinx": "sphinx", "furo": "furo", "myst_parser": "myst-parser"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Build; return 0, 1 where pages are wrong, 2 where something needed is absent."""
    parser = argparse.ArgumentParser(prog="site", description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, help="the folder of all versions")
    parser.add_argument("--version", default="main", help="a release's tag, or a branch")
    parser.add_argument("--demo", type=Path, default=Path("mt-gate-demo"), help="its reports")
    parser.add_argument("--repository", default=hosted_at(os.environ), metavar="ADDRESS")
    given = parser.parse_args(arguments)
    try:
        check_given(given.version, given.demo)
        found = build(given.out, given.version, given.demo, given.repository)
    except PageFault as fault:
        found, code = [str(fault)], 2
    else:
        code = 1 if found else 0
    for line in found:
        print(f"site: {line}", file=sys.stderr)
    return code


def hosted_at(environment: Mapping[str, str]) -> str:
    """Return the address of the repository: that of the workflow's, or the one that docs name."""
    server = environment.get("GITHUB_SERVER_URL", "https://github.com")
    return f"{server}/{environment.get('GITHUB_REPOSITORY', 'org/mt-gate')}"


def check_given(version: str, demo: Path) -> None:
    """Refuse what cannot end well, before anything is built.

    Raises:
        PageFault: a version that is no folder's name, no reports, no Sphinx.
    """
    if not site_versions.NAME.fullmatch(version):
        raise PageFault(f"--version {version!r}: expected a tag such as v1.2.3, or a branch: main")
    site_demo.reports(demo)
    absent = [name for module, name in NEEDED.items() if importlib.util.find_spec(module) is None]
    if absent:
        raise PageFault(f"{', '.join(absent)}: not installed; pip install 'mt-gate[docs]'")


def build(out: Path, version: str, demo: Path, repository: str) -> list[str]:
    """Build a version into its folder; return what is wrong with it, if it is not replaced.

    Raises:
        PageFault: a page links to what is not there, or a report is missing.
    """
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        text, beside, made = scratch / "pages", scratch / "beside", scratch / "site"
        lay_out(text, HERE, Hosted(repository, version))
        site_commands.write(text)
        site_demo.write(text, beside, demo)
        if not rendered(text, beside, made, version):
            return ["Sphinx warns of what stands above; nothing is replaced"]
        if found := site_checks.faults(made, site_demo.FOLDER):
            return found
        out.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(out / version, ignore_errors=True)
        shutil.move(made, out / version)
    site_versions.list_them(out)
    return []


def rendered(text: Path, beside: Path, made: Path, version: str) -> bool:
    """Let Sphinx make pages of their sources; tell whether it has nothing to complain of."""
    options = ["--builder", "html", "--quiet", "--fail-on-warning"]
    folders = ["--conf-dir", HERE, "--doctree-dir", text.parent / "trees", text, made]
    command = [sys.executable, "-m", "sphinx", *options, *map(str, folders)]
    told = {"MT_GATE_SITE_VERSION": version, "MT_GATE_SITE_BESIDE": str(beside)}
    told["PYTHONPATH"] = os.pathsep.join([str(ROOT / "runner"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(command, check=False, env={**os.environ, **told})
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
