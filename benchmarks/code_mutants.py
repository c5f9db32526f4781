"""Whether the tests notice it when the code that decides is changed, one small change at a time.

    pip install -e '.[cpu,dev,mutation]'
    python benchmarks/code_mutants.py [--draw 400] [--seed 1] [--only FILE] [--least 0.85]
                                      [--out mt-gate-mutants]

mutmut makes every mutant of the code in ``AREAS``: ``<`` for ``<=``, ``None`` for an argument, a
text in capitals. Of these ``--draw`` are drawn by ``--seed``, from each area its share, and each is
met with those of ``TESTS`` that reach its function (``meeting_mutants.py``). A mutant that no test
fails on, or that no test reaches, lives. What became of each is in OUT/mutants.txt; ``mutmut show
NAME``, called in OUT, shows one. ``--only`` takes the mutants that a file names, as mutants.txt
does. The exit code is 1 if a smaller share than ``--least`` is killed.

The code is mutated in a copy: mutmut takes a module's name from its path, so the copy's source
root is called ``src``.
"""

from __future__ import annotations

import argparse
import configparser
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random

import msgspec

from meeting_mutants import CODE_AS_IT_IS, PLAN, Plan
from mt_gate.base.figures import between, percent
from mt_gate.judging.statistics import wilson

ROOT = Path(__file__).resolve().parents[1]
AREAS = {
    "judging": ("judging/*.py",),
    "baselines": ("baselines/*.py",),
    "binding": (
        "running/evaluation.py",
        "relations/ner/entity_shuffle.py",
        "relations/re/combination.py",
    ),
    "span mapping": (
        "domain.py",
        "relations/ner/entities.py",
    ),
}
"""What is mutated, below ``mt_gate``."""
TESTS = (
    "tests/judging",
    "tests/baselines",
    "tests/relations/ner",
    "tests/relations/re/test_combination.py",
    "tests/running/test_early_stop.py",
    "tests/running/test_evaluation.py",
    "tests/test_domain.py",
)
"""Those of the code's own that take no more than moments; none starts a process."""
TOO_SLOW = (
    "tests/baselines/test_outputs.py::test_stored_answers_are_read_again",
    "tests/baselines/test_reading.py::test_any_bytes_are_a_baseline_or_cannot_judge",
    "tests/judging/test_clustered.py::test_exchanged_runs_fail_seldom",
    "tests/judging/test_clustered.py::test_the_seed_of_hashes_makes_no_difference",
    "tests/judging/test_comparison.py::test_noise_never_excuses_more_than_its_share",
    "tests/judging/test_sequential.py::test_of_all_orders_of_the_runs_alpha_fail_at_some_look",
    "tests/test_domain.py::test_reasons_are_written_as_bare_strings_nowhere_else",
)
"""Tests that each survivor would wait for, half of the time of all."""
OPTIONS = (
    "--tier=fast",
    "--override-ini=pythonpath=src tests benchmarks website",
    *("-p", "no:cacheprovider", "-p", "no:xdist"),
    *(f"--deselect={test}" for test in TOO_SLOW),
)
_COPIED = ("tests", "baselines", "benchmarks", "pyproject.toml")
"""Files that the tests read in addition to the code."""
_FIRST = "mt_gate.domain.x_map_span__mutmut_1"
"""mutmut makes all mutants and times all tests before it asks one."""
KILLED, LIVED = ("killed", "timeout"), ("survived", "no tests")
_MUTANT = "__mutmut_"


def lay_out(out: Path) -> None:
    """Make a folder that mutmut can work in: links to the repository, and what to do there."""
    out.mkdir(parents=True, exist_ok=True)
    for name in _COPIED:
        _link(out / name, ROOT / name)
    _link(out / "src", ROOT / "runner")
    with open(out / "setup.cfg", "w", encoding="utf-8") as file:
        configuration().write(file)


def _link(link: Path, target: Path) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def configuration() -> configparser.ConfigParser:
    """Return what mutmut reads."""
    source = "src/mt_gate"
    lists = {
        "source_paths": ["src"],
        "only_mutate": [f"{source}/{path}" for paths in AREAS.values() for path in paths],
        "also_copy": list(_COPIED),
        "pytest_add_cli_args_test_selection": list(TESTS),
        "pytest_add_cli_args": list(OPTIONS),
    }
    config = configparser.ConfigParser(interpolation=None)
    # A list of one is read as one line, of more as several.
    config["mutmut"] = {name: "\n".join(values) for name, values in lists.items()} | {
        "timeout_multiplier": "6",
        "timeout_constant": "5",
        "use_git_change_detection": "false",
    }
    return config


def run(folder: Path, module: str, *arguments: str, **environment: str) -> list[str]:
    """Run mutmut or pytest in a folder; return what it printed.

    Raises:
        RuntimeError: it failed.
    """
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [Path(sys.executable).with_name(module), *arguments],
        cwd=folder,
        env={**own, "MT_GATE_TEST_PROFILE": "unshrunk", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{module}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout.splitlines()


def mutants_in(out: Path) -> list[str]:
    """Make all mutants and find out which tests reach them, or what changed since the last time."""
    run(out, "mutmut", "run", "--max-children", "1", _FIRST)
    lines = [line.strip() for line in run(out, "mutmut", "results", "--all", "true")]
    return [line.rpartition(": ")[0] for line in lines if _MUTANT in line]


def met(out: Path, drawn: Sequence[str]) -> dict[str, str]:
    """Run the tests that reach each mutant; return the outcomes.

    Raises:
        RuntimeError: pytest failed, or a test fails on the code as it is.
    """
    stats = json.loads((out / "mutants" / "mutmut-stats.json").read_bytes())
    by_function, seconds = stats["tests_by_mangled_function_name"], stats["duration_by_test"]
    tests = {
        mutant: in_order(mutant, by_function.get(mutant.partition(_MUTANT)[0], []), seconds)
        for mutant in drawn
    }
    every = {test for reaching in tests.values() for test in reaching}
    path, folder = out.resolve() / "mutants.txt", out / "mutants"
    plan = Plan(tests={CODE_AS_IT_IS: [*every], **tests}, seconds=seconds, states=str(path))
    (out / "plan.json").write_bytes(msgspec.json.encode(plan))
    where = {PLAN: str(out.resolve() / "plan.json"), "PYTHONPATH": str(ROOT / "benchmarks")}
    # A file with all its mutants is so long that to show a line of it takes pytest seconds.
    run(folder, "pytest", "-q", "--tb=native", "-p", "meeting_mutants", *OPTIONS, *TESTS, **where)
    clean, *lines = path.read_text(encoding="utf-8").splitlines()
    if clean != f"{CODE_AS_IT_IS}: survived":
        raise RuntimeError("a test fails on the unchanged code, if each runs alone")
    return dict(line.rsplit(": ", 1) for line in lines)


def in_order(mutant: str, tests: Iterable[str], seconds: Mapping[str, float]) -> list[str]:
    """Return tests in the order in which a mutant meets them: those of its file, then the short."""
    own = f"/test_{Path(file_of(mutant)).stem}.py::"
    return sorted(tests, key=lambda test: (own not in test, seconds[test], test))


def file_of(mutant: str) -> str:
    """Return the file of a mutant, below ``mt_gate``."""
    module, _, _ = mutant.partition(".x")
    return module.removeprefix("mt_gate.").replace(".", "/") + ".py"


def area_of(mutant: str) -> str:
    """Return which of ``AREAS`` a mutant is of."""
    file = Path(file_of(mutant))
    return next(area for area, paths in AREAS.items() if any(map(file.match, paths)))


def draw(mutants: Iterable[str], number: int, seed: int) -> list[str]:
    """Draw mutants, from each area its share; a larger draw by the same seed has them, too."""
    by_area: dict[str, list[str]] = {area: [] for area in AREAS}
    for mutant in sorted(mutants):
        by_area[area_of(mutant)].append(mutant)
    share = min(1.0, number / sum(map(len, by_area.values())))
    drawn = []
    for area, some in by_area.items():
        Random(f"{seed} {area}").shuffle(some)
        drawn += some[: round(len(some) * share)]
    return drawn


def table(every: Iterable[str], found: Mapping[str, str]) -> list[str]:
    """Return a row for each file and area, and for all: mutants, drawn, and what became of these.

    Args:
        every: the names of all mutants.
        found: what became of those drawn.
    """
    made: Counter[str] = Counter()
    became: Counter[tuple[str, str]] = Counter()
    for mutant in every:
        made.update(_rows_of(mutant))
    for mutant, state in found.items():
        became.update((row, state) for row in _rows_of(mutant))
    rows = [row for area in AREAS for row in _files_of(area, made)]
    columns = (*KILLED, *LIVED)
    lines = [f"{'':38}{'mutants':>9}{'drawn':>7}" + "".join(f"{name:>10}" for name in columns)]
    for row in [*rows, "all"]:
        counts = [became[row, state] for state in columns]
        figures = "".join(f"{count:>10}" for count in counts)
        lines.append(f"{row:38}{made[row]:>9}{sum(counts):>7}{figures}")
    return lines


def _rows_of(mutant: str) -> tuple[str, str, str]:
    return f"  {file_of(mutant)}", area_of(mutant), "all"


def _files_of(area: str, made: Iterable[str]) -> list[str]:
    files = [row for row in made if row.startswith("  ")]
    wanted = AREAS[area]
    return [area, *sorted(row for row in files if any(map(Path(row.strip()).match, wanted)))]


def main() -> None:
    """Make the mutants, run the tests on a sample of them, and print the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draw", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=Path)
    parser.add_argument("--least", type=float, default=0.85)
    parser.add_argument("--out", type=Path, default=Path("mt-gate-mutants"))
    options = parser.parse_args()
    lay_out(options.out)
    every = mutants_in(options.out)
    if options.only:
        lines = options.only.read_text(encoding="utf-8").splitlines()
        drawn = [line.split(": ")[0] for line in lines if line]
    else:
        drawn = draw(every, options.draw, options.seed)
    found = met(options.out, drawn)
    print(*table(every, found), sep="\n")
    killed = sum(state in KILLED for state in found.values())
    print(f"{percent(killed / len(found))} killed, {between(wilson(killed, len(found)))}")
    print(*(f"{mutant}: {state}" for mutant, state in found.items() if state in LIVED), sep="\n")
    sys.exit(killed < options.least * len(found))


if __name__ == "__main__":
    main()
