"""Arguments in, exit code out; nothing else.

Commands import what they need when they run: ``mt-gate --help`` answers at
once, and a run never loads what only an export or a suite build needs.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mt_gate import __version__
from mt_gate.base import errors, redaction, streams
from mt_gate.base.console import fail, print_table, say
from mt_gate.base.guarding import Failure, guarded
from mt_gate.base.paths import check_path
from mt_gate.tasks.table import TASKS, listed

NAME = "mt-gate"
COMPLETE = "_MT_GATE_COMPLETE"
"""What a shell sets that asks for completions."""
TASK = click.Choice([*TASKS])
PRECISION = click.Choice(["fp32", "fp16", "int8"])
OPERATOR = click.Choice(["gaussian-fuzz", "weight-shuffle", "neuron-block", "neuron-switch"])


class _Path(click.Path):
    """A path that can be looked for, whether or not anything is there."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Refuse what no file system can have."""
        check_path(param.opts[0] if param else "the path", value)
        return super().convert(value, param, ctx)


FOLDER = _Path(path_type=Path)
PLACE = _Path(path_type=str)
"""A folder, or a name that may stand in its place."""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name=NAME)
def cli() -> None:
    """Tell whether a new NLP checkpoint understands language worse than the last one."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every failure becomes one line and an exit code."""
    sys.exit(exit_code(arguments))


def exit_code(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    with streams.installed(os.environ), warnings.catch_warnings():
        if not sys.warnoptions:  # numpy's, of figures that are looked at here anyway
            warnings.simplefilter("ignore", RuntimeWarning)
        done = guarded(lambda: _run(arguments))
        return fail(*done) if isinstance(done, Failure) else done


def _run(arguments: list[str] | None) -> int:
    """Run the command line without click's own last resorts: one of them ends with 1."""
    redaction.watch(os.environ)
    if asked := os.environ.get(COMPLETE):
        return _complete(asked)
    given = [*(sys.argv[1:] if arguments is None else arguments)]
    with cli.make_context(NAME, given) as context:
        code = cli.invoke(context)
    streams.finish()
    return code if isinstance(code, int) else errors.PASS


def _complete(asked: str) -> int:
    """Do what click does for a shell; it would write bytes, around standard output."""
    from click.shell_completion import get_completion_class

    shell, _, wanted = asked.partition("_")
    kind = get_completion_class(shell)
    if kind is None or wanted not in ("source", "complete"):
        raise errors.UsageError(f"{COMPLETE} is {errors.quoted(asked)}; expected bash_source")
    completion = kind(cli, {}, NAME, COMPLETE)
    try:
        text = completion.source() if wanted == "source" else completion.complete()
    except (KeyError, ValueError):  # what a shell says of the line is in its environment, too
        raise errors.UsageError(f"{COMPLETE}: is for a shell to set; unset it") from None
    click.echo(text)
    return errors.PASS


def gate_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that decide a verdict."""
    for option in reversed(
        [
            click.option("--alpha", metavar="A", help="Significance level [default: 0.05]."),
            click.option("--margin", metavar="M", help="Rise that is let pass [default: 0.01]."),
            click.option(
                "--strict/--no-strict",
                default=None,
                help="Fail unless every relation is shown not to be worse by more than the margin.",
            ),
            click.option(
                "--max-applicability-loss",
                metavar="L",
                help="Fall in the share of groups applicable that is let pass [default: 0.10].",
            ),
            click.option(
                "--max-violation-rate",
                metavar="R",
                help="Highest violation rate allowed, for all or as RELATION=R,...",
            ),
            click.option("--must-hold", metavar="ID,...", help="Groups that may not be violated."),
        ]
    ):
        command = option(command)
    return command


def checkpoint_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a checkpoint is read."""
    for option in reversed(
        [
            click.option(
                "--answers",
                metavar="yes=TEXT,no=TEXT",
                help="What a boolq checkpoint calls yes and no.",
            ),
            click.option("--max-length", metavar="N", help="Most tokens [default: the model's]."),
        ]
    ):
        command = option(command)
    return command


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what a system may take."""
    for option in reversed(
        [
            click.option(
                "--timeout", metavar="S", help="Seconds an answer may take [default: 60]."
            ),
            click.option(
                "--max-memory",
                metavar="GIB",
                help="Memory a checkpoint may take [default: 4, and 4 times its files].",
            ),
        ]
    ):
        command = option(command)
    return command


ONTOLOGY = click.option(
    "--ontology",
    metavar="NAME|FILE",
    help="What a re system's labels mean [default: the shipped one that has them].",
)


SYSTEM_ENVIRONMENT = click.option(
    "--system-environment",
    metavar="NAME,...",
    help="Environment variables that a command gets beside the harmless ones; docs/systems.md.",
)


def tool_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name language tools."""
    for option in reversed(
        [
            click.option("--masked-lm", default="", metavar="NAME", help="Masked language model."),
            click.option(
                "--causal-lm",
                default="",
                metavar="NAME",
                help="Causal language model, or GGUF file, where there is no masked one.",
            ),
            click.option("--encoder", default="", metavar="NAME", help="Encoder for likeness."),
            click.option("--wordnet", default="", metavar="DIR", help="WordNet [default: NLTK's]."),
            click.option("--vectors", type=FOLDER, metavar="FILE", help="Vectors in GloVe's form."),
            click.option("--sense2vec", type=FOLDER, metavar="DIR", help="sense2vec vectors."),
            click.option("--cache", type=FOLDER, metavar="DIR", help="Keeps the tools' answers."),
        ]
    ):
        command = option(command)
    return command


def tool_names(given: dict[str, Any]) -> Any:
    """Return the language tools that were named; None where none was."""
    from mt_gate.language.kinds import ToolNames
    from mt_gate.running.cache import default_folder

    if not any(value for name, value in given.items() if name != "cache"):
        return None
    return ToolNames(**{**given, "cache": given["cache"] or default_folder()})


@cli.command()
@click.option("--checkpoint", metavar="PATH", help="Exported or Hugging Face checkpoint folder.")
@click.option("--system", metavar="KIND:WHAT", help="Another system instead; docs/systems.md.")
@click.option("--task", help=f"{listed()}.")
@click.option("--suite", metavar="NAME|DIR", help="Suite [default: TASK-default].")
@click.option("--baseline", metavar="FILE", help="Compare with this baseline.")
@click.option("--out", metavar="DIR", help="Where the reports go [default: mt-gate-out].")
@click.option("--device", help="auto, cpu or cuda [default: auto].")
@limit_options
@SYSTEM_ENVIRONMENT
@gate_options
@click.option("--relations", metavar="ID,...", help="Run these relations only.")
@click.option("--sources", metavar="N", help="Run a draw of so many of the suite's sources.")
@click.option("--exclude", metavar="CORPUS,...", help="Leave out sources of these corpora.")
@click.option(
    "--record-missing/--no-record-missing",
    default=None,
    help="Record the run as the baseline where --baseline names no file yet.",
)
@click.option("--cache", metavar="DIR", help="Predictions and exports [default: user's cache].")
@checkpoint_options
@ONTOLOGY
@click.option("--config", type=FOLDER, help="Settings [default: mt-gate.toml if it exists].")
def run(config: Path | None, **given: Any) -> int:
    """Run a suite against a checkpoint, and judge it against a baseline."""
    from mt_gate import gate, settings
    from mt_gate.base.progress import Progress
    from mt_gate.reporting.words.next_steps import next_steps
    from mt_gate.reporting.writers.terminal import show_result

    asked = settings.load(given, config)
    with Progress() as progress:
        finished = gate.run(asked, say, progress)
    code = show_result(finished.result)
    for line in next_steps(asked, finished.result):
        say(line)
    return code


@cli.command()
@click.option("--checkpoint", metavar="PATH", help="Exported or Hugging Face checkpoint folder.")
@click.option("--system", metavar="KIND:WHAT", help="Another system instead; docs/systems.md.")
@click.option("--task", help=f"{listed()}.")
@click.option("--labels", type=FOLDER, required=True, metavar="FILE", help="Labelled JSON lines.")
@click.option("--format", "form", default="jsonl", metavar="NAME", help="Of --labels (task re).")
@click.option("--patch", type=FOLDER, metavar="FILE", help="Re-TACRED's patch (task re).")
@click.option("--mapping", type=FOLDER, metavar="FILE", help="Table of labels (task re).")
@click.option("--distant", is_flag=True, help="Plain relations are distant supervision's (re).")
@click.option("--result", type=FOLDER, metavar="RESULT_DIR", help="A run to set beside.")
@click.option("--baseline", metavar="FILE", help="Compare with this evaluation.json.")
@click.option(
    "--record-missing", is_flag=True, help="Record this one where --baseline names no file yet."
)
@click.option("--out", metavar="DIR", help="Where the files go [default: mt-gate-out].")
@click.option("--device", help="auto, cpu or cuda [default: auto].")
@limit_options
@SYSTEM_ENVIRONMENT
@click.option("--alpha", metavar="A", help="Significance level [default: 0.05].")
@click.option("--margin", metavar="M", help="Loss of accuracy that is let pass [default: 0.01].")
@click.option("--cache", metavar="DIR", help="Predictions and exports [default: user's cache].")
@click.option("--config", type=FOLDER, help="Settings [default: mt-gate.toml if it exists].")
@checkpoint_options
def evaluate(
    labels: Path,
    form: str,
    patch: Path | None,
    mapping: Path | None,
    distant: bool,
    result: Path | None,
    config: Path | None,
    **given: Any,
) -> int:
    """Measure accuracy on labels, beside a run's violation rates and against a baseline."""
    from mt_gate.base.progress import Progress
    from mt_gate.evaluating.evaluate import evaluate as run_evaluation
    from mt_gate.evaluating.relation_labels import Reading
    from mt_gate.evaluating.reports.texts import lines
    from mt_gate.evaluating.request import request_of
    from mt_gate.reporting.words.texts import TEXTS
    from mt_gate.reporting.writers.terminal import show_lines

    reading = Reading(form, patch, distant)
    request = request_of(
        given, config, labels=labels, result=result, mapping=mapping, reading=reading
    )
    with Progress() as progress:
        done = run_evaluation(request, say, progress)
    print_table(lambda: show_lines(lines(done, TEXTS)))
    return done.exit_code


def _allowed(timeout: str | None, max_memory: str | None) -> Any:
    """Return what a checkpoint may take, as the options say."""
    from mt_gate.settings import flag
    from mt_gate.sut.limits import Allowed

    given = {"timeout": flag("timeout", timeout), "max_memory": flag("max_memory", max_memory)}
    return Allowed(**{name: value for name, value in given.items() if value is not None})


@cli.command()
@click.argument("checkpoint", type=PLACE)
@click.option("--task", type=TASK, required=True)
@click.option("--out", type=FOLDER, required=True, help="Folder for the export.")
@click.option(
    "--precision",
    type=PRECISION,
    default="fp32",
    show_default=True,
    help="int8 stores weights in 8 bits and computes in fp32.",
)
@click.option("--suite", type=PLACE, metavar="NAME|DIR", help="Inputs for the parity report.")
@checkpoint_options
@limit_options
def export(
    checkpoint: str,
    task: str,
    out: Path,
    precision: str,
    suite: str | None,
    answers: str | None,
    max_length: str | None,
    timeout: str | None,
    max_memory: str | None,
) -> int:
    """Export a Hugging Face checkpoint (folder or hub id) to ONNX, checked against PyTorch."""
    from mt_gate.exporting.export import suite_inputs
    from mt_gate.exporting.hugging_face import fetch, inspect
    from mt_gate.running.checkpoints import export_confined
    from mt_gate.running.systems import PARITY_INPUTS
    from mt_gate.settings import check_answers_fit, flag
    from mt_gate.sut.card import Asked

    asked = Asked(flag("answers", answers) or {}, flag("max_length", max_length))
    check_answers_fit(task, asked.answers)
    path = fetch(checkpoint)
    fingerprint = inspect(path, task, asked).fingerprint
    inputs = suite_inputs(suite or TASKS[task].default_suite, task, PARITY_INPUTS)
    allowed = _allowed(timeout, max_memory)
    card = export_confined(path, task, out, precision, inputs, asked, allowed, fingerprint)
    assert card.parity is not None
    say(
        f"{out}: {card.architecture}, {precision}; against {card.parity.reference} on "
        f"{card.parity.inputs} inputs the largest logit difference is "
        f"{card.parity.largest_logit_difference:.2g}, equal predictions "
        f"{card.parity.equal_predictions:.1%}"
    )
    return 0


@cli.command()
@click.argument("results", type=FOLDER, nargs=-1, required=True, metavar="RESULT [RESULT]...")
@click.option("--baseline", type=FOLDER, metavar="FILE", help="Judge one result against this.")
@click.option("--out", type=FOLDER, help="Write the files here; nothing is written without.")
@gate_options
def compare(
    results: tuple[Path, ...], baseline: Path | None, out: Path | None, **given: Any
) -> int:
    """Judge a stored result against a baseline, or set several side by side."""
    if len(results) == 1:
        from mt_gate.commands.stored_results import compare_stored
        from mt_gate.results.store import result_file

        if baseline is None:
            raise errors.UsageError(
                "--baseline is missing; give it, or give two results or more to set side by side"
            )
        from mt_gate.reporting.writers.terminal import show_result

        return show_result(compare_stored(result_file(results[0]), baseline, out, given))
    from mt_gate.reporting.words.texts import TEXTS
    from mt_gate.reporting.writers.terminal import show_lines
    from mt_gate.side_by_side.side_by_side import side_by_side
    from mt_gate.side_by_side.texts import lines

    show_lines(lines(side_by_side(results, out, {**given, "baseline": baseline}), TEXTS))
    return errors.PASS


@cli.command()
@click.argument("result", type=FOLDER)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["html", "junit", "markdown", "json", "sarif", "badge"]),
    required=True,
)
@click.option("--output", type=FOLDER, help="File to write [default: standard output].")
def report(result: Path, kind: str, output: Path | None) -> int:
    """Write one report of a stored result."""
    from mt_gate.commands.stored_results import report_text
    from mt_gate.results.store import result_file

    text = report_text(result_file(result), kind)
    if output is None:
        streams.print_document(text)
        return 0
    from mt_gate.base.jsonio import write_whole

    try:
        write_whole(output, text)
    except OSError as error:
        raise errors.UsageError(
            f"--output {output}: cannot be written ({error.strerror}); name another file"
        ) from None
    return 0


@cli.command()
@click.argument("result", type=FOLDER, required=False)
@click.option("--repo", metavar="OWNER/NAME", help="Repository [default: GITHUB_REPOSITORY].")
@click.option(
    "--pull",
    metavar="N",
    type=click.IntRange(1),
    help="Pull request [default: that of the event, GITHUB_EVENT_PATH].",
)
@click.option("--name", metavar="GATE", help="One comment a gate [default: the task].")
@click.option(
    "--mode",
    type=click.Choice(["always", "changes", "regressions", "never"]),
    default="changes",
    show_default=True,
    help="When a comment is made; one that is there is updated.",
)
@click.option("--link", metavar="URL", help="The whole report [default: the workflow's run].")
@click.option(
    "--workflow-run",
    is_flag=True,
    help="Take the result from the artifact of the run that the event workflow_run is about.",
)
@click.option("--artifact", metavar="NAME", help="Of that run [default: mt-gate].")
def comment(
    result: Path | None, workflow_run: bool, artifact: str | None, mode: str, **given: Any
) -> int:
    """Comment on a pull request with a stored result; the token is GITHUB_TOKEN."""
    import os

    from mt_gate.github.pull_requests.comment import Asked, Mode, comment_stored
    from mt_gate.reporting.words.texts import TEXTS

    if workflow_run:
        from mt_gate.github.pull_requests.after_run import ARTIFACT, AskedRun, comment_on_run

        if result or any(given[name] is not None for name in ("repo", "pull", "link")):
            raise errors.UsageError(
                "--workflow-run finds result, repository, pull request and link by the event; "
                "expected no RESULT, --repo, --pull or --link"
            )
        asked_run = AskedRun(given["name"], artifact or ARTIFACT, Mode(mode))
        comment_on_run(asked_run, TEXTS, os.environ, say)
        return errors.PASS
    if result is None or artifact is not None:
        raise errors.UsageError(
            "comment: expected a RESULT without --artifact, or --workflow-run without a RESULT"
        )
    asked = Asked(given["repo"], given["pull"], given["name"], Mode(mode), given["link"])
    comment_stored(result, asked, TEXTS, os.environ, say)
    return errors.PASS


@cli.command()
@click.argument("result", metavar="RESULT_DIR", type=FOLDER)
@click.option("--checkpoint", default="", metavar="PATH", help="The checkpoint of the run.")
@click.option("--system", default="", metavar="KIND:WHAT", help="The system of the run, instead.")
@limit_options
@SYSTEM_ENVIRONMENT
@click.option("--max-length", type=click.IntRange(3), metavar="N", help="As in the run.")
@click.option("--labels", type=FOLDER, metavar="FILE", help="Labelled sentences to measure with.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Where files go [default: RESULT_DIR].")
@click.option("--top", type=int, default=50, show_default=True, help="Candidates a masked word.")
@click.option("--min-score", type=float, help="Least score of a candidate [default: the tool's].")
@click.option("--min-cosine", type=float, default=0.45, show_default=True, help="Least likeness.")
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto")
@tool_options
def repair(
    result: Path,
    checkpoint: str,
    system: str,
    timeout: str | None,
    max_memory: str | None,
    system_environment: str | None,
    max_length: int | None,
    labels: Path | None,
    out: Path | None,
    top: int,
    min_score: float | None,
    min_cosine: float,
    device: str,
    **tools: Any,
) -> int:
    """Relabel by vote the entities that a run's violated groups disagree on."""
    from mt_gate.base.progress import Progress
    from mt_gate.repairing import choosing as opening
    from mt_gate.repairing.repair import Request, in_words
    from mt_gate.repairing.repair import repair as repair_run
    from mt_gate.settings import flag

    request = Request(
        result=result,
        checkpoint=checkpoint,
        system=system,
        allowed=_allowed(timeout, max_memory),
        system_environment=flag("system_environment", system_environment) or (),
        max_length=max_length,
        labels=labels,
        out=out,
        device=device,
        cache=tools["cache"],
        top=top,
        min_score=min_score,
        min_cosine=min_cosine,
    )
    with Progress() as progress:
        done = repair_run(request, lambda: opening.open_tools(tool_names(tools)), say, progress)
    for line in in_words(done):
        say(line)
    return 0


@cli.command()
@click.argument("checkpoint", type=PLACE)
@click.option("--operator", required=True, type=OPERATOR, help="What is done; docs/mutation.md.")
@click.option("--ratio", type=float, metavar="R", help="Share of neurons [default: the paper's].")
@click.option("--sd", type=float, metavar="S", help="Of gaussian-fuzz's noise [default: 0.01].")
@click.option("--seed", type=int, default=0, show_default=True, help="Makes the same mutant again.")
@click.option("--out", type=FOLDER, required=True, help="Folder for the mutant.")
def mutate(
    checkpoint: str, operator: str, ratio: float | None, sd: float | None, seed: int, out: Path
) -> int:
    """Write a copy of a checkpoint with a few neurons damaged (needs mt-gate[export])."""
    from mt_gate.mutating import mutate as mutating
    from mt_gate.mutating.operators import mutation

    wanted = mutation(operator, ratio, seed, sd)
    layers = mutating.mutate(Path(checkpoint), wanted, out)
    say(f"{out}: {operator}, ratio {wanted.ratio:g}, seed {seed}, on {layers} sets of neurons")
    return 0


@cli.command()
@click.argument("checkpoint", type=PLACE)
@click.option("--task", type=TASK, required=True)
@click.option("--suite", metavar="NAME|DIR", help="Suite [default: TASK-default].")
@click.option("--mutants", type=int, default=10, show_default=True, help="Mutants an operator.")
@click.option("--operators", metavar="NAME,...", help="Mutation operators [default: all].")
@click.option("--ratio", type=float, metavar="R", help="Share of neurons [default: the paper's].")
@click.option("--sd", type=float, metavar="S", help="Of gaussian-fuzz's noise [default: 0.01].")
@click.option("--labels", type=FOLDER, metavar="FILE", help="Labelled inputs, for accuracy.")
@click.option("--sources", type=int, metavar="N", help="Draw N of the suite's sources.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of draws and mutants.")
@click.option("--alpha", metavar="A", help="Significance level [default: 0.05].")
@click.option("--margin", metavar="M", help="Rise that is let pass [default: 0.01].")
@click.option("--out", metavar="DIR", required=True, help="Where the findings go.")
@click.option("--device", help="auto, cpu or cuda [default: auto].")
@click.option("--cache", metavar="DIR", help="Predictions and exports [default: user's cache].")
@checkpoint_options
@ONTOLOGY
def sensitivity(
    mutants: int,
    operators: str | None,
    ratio: float | None,
    sd: float | None,
    labels: Path | None,
    sources: int | None,
    seed: int,
    **given: Any,
) -> int:
    """Tell which relations reveal a checkpoint's mutants (needs mt-gate[export])."""
    from mt_gate import settings
    from mt_gate.base.progress import Progress
    from mt_gate.mutating import sensitivity as study
    from mt_gate.mutating import tables
    from mt_gate.mutating.operators import mutation, named

    request = study.Request(
        settings=settings.load(given, None),
        operators=tuple(mutation(name, ratio, seed, sd) for name in named(operators)),
        mutants=mutants,
        seed=seed,
        labels=labels,
        sources=sources,
    )
    with Progress() as progress:
        found = study.sensitivity(request, say, progress)
    tables.show(found)
    return 0


@cli.group()
def baseline() -> None:
    """Record, show and compare baselines."""


@baseline.command()
@click.argument("result", type=FOLDER)
@click.option("--name", required=True, help="Name of the baseline, and of its file.")
@click.option("--dir", "folder", type=FOLDER, default="baselines", show_default=True)
@click.option("--accept", metavar="REASON", help="Record a regressing or partial run, and why.")
@click.option("--no-answers", is_flag=True, help="Keep verdicts only, not what was answered.")
def record(result: Path, name: str, folder: Path, accept: str | None, no_answers: bool) -> int:
    """Keep a result as the baseline that later runs are judged against."""
    from mt_gate.baselines.outputs import outputs_path
    from mt_gate.commands.stored_results import record_stored
    from mt_gate.results.store import result_file

    path = record_stored(result_file(result), name, folder, accept, answers=not no_answers)
    files, them = (f"{path}", "it") if no_answers else (f"{path} and {outputs_path(path)}", "them")
    say(f"recorded {files}; commit {them}, so that runs are judged against {path.name}")
    return 0


@baseline.command("show")
@click.argument("file", type=FOLDER)
def show_baseline(file: Path) -> int:
    """Show what a baseline holds."""
    from mt_gate.commands.stored_results import show_stored_baseline

    show_stored_baseline(file)
    return 0


@baseline.command("diff")
@click.argument("a", type=FOLDER)
@click.argument("b", type=FOLDER)
def diff_baselines(a: Path, b: Path) -> int:
    """Show what changed from baseline A to baseline B."""
    from mt_gate.commands.stored_results import show_stored_diff

    show_stored_diff(a, b)
    return 0


@cli.group()
def suite() -> None:
    """Build, verify, audit, show and list suites."""


@suite.command("list")
def list_suites() -> int:
    """List the suites that the package carries."""
    from mt_gate.audits import show

    click.echo(show.listing())
    return 0


@suite.command("show")
@click.argument("suite", type=PLACE, metavar="NAME|DIR")
@click.option("--groups", metavar="N", type=click.IntRange(0), default=3, show_default=True)
@click.option("--relation", help="Examples of this relation only.")
def show_suite(suite: str, groups: int, relation: str | None) -> int:
    """Show what a suite holds, with random groups."""
    from mt_gate.audits import show

    click.echo(show.description(suite, groups, relation))
    return 0


@suite.command()
@click.argument("suite", type=PLACE, metavar="NAME|DIR")
def verify(suite: str) -> int:
    """Check a suite against its hashes, ids, counts and alignments."""
    from mt_gate.audits import show

    click.echo(show.verified(suite))
    return 0


@suite.command("audit")
@click.argument("suite", type=PLACE, metavar="NAME|DIR")
@click.argument("sheets", type=FOLDER, nargs=-1, metavar="[SHEET.csv]...")
@click.option("--out", type=FOLDER, help="Folder for sheets to mark.")
@click.option("--groups", metavar="N", type=click.IntRange(1), help="Of a relation [default: 200].")
@click.option("--relation", metavar="ID", help="Sheet of this relation only.")
@click.option("--seed", metavar="S", type=int, help="Of the draw [default: the suite's].")
@click.option(
    "--result", type=FOLDER, metavar="DIR", help="Groups that this run built from the answers."
)
@click.option("--read", is_flag=True, help="Read marked sheets; keep what they say in suite.json.")
def audit_suite(
    suite: str,
    sheets: tuple[Path, ...],
    out: Path | None,
    result: Path | None,
    read: bool,
    **drawn: Any,
) -> int:
    """Write sheets of random groups for a reader to mark, or read them back."""
    from mt_gate.audits import command as audit_command

    for line in audit_command.lines(suite, sheets, out, read, result, drawn):
        say(line)
    return 0


@suite.command("build")
@click.option(
    "--recipe", type=PLACE, metavar="NAME|FILE", help="What to build from; see docs/suites.md."
)
@click.option("--data", type=FOLDER, default=".", help="Folder of the recipe's files.")
@click.option("--sources", type=FOLDER, multiple=True, help="Your own sentences, instead.")
@click.option(
    "--kind",
    type=click.Choice(["text", "tokens", "passages", "questions", "relations"]),
    help="What --sources hold: a sentence a line; JSON lines with tokens, a passage, or a "
    "question; a corpus of --format [default: text, questions, relations by task].",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "tacred", "retacred", "kbp37", "semeval", "fewrel", "opennre"]),
    help="Form of a corpus of relations [default: jsonl, mt-gate's own].",
)
@click.option("--patch", type=FOLDER, metavar="FILE", help="Re-TACRED's, with --format retacred.")
@click.option("--licence", default="unstated", help="Licence of --sources.")
@click.option("--task", type=TASK, default=next(iter(TASKS)), show_default=True)
@click.option("--name", default="own", show_default=True, help="Name of a suite from --sources.")
@click.option("--out", type=FOLDER, required=True, help="Folder of the suite.")
@click.option("--pipeline", default="en_core_web_sm", show_default=True, help="spaCy pipeline.")
@tool_options
def build_suite(
    recipe: str | None,
    data: Path,
    sources: tuple[Path, ...],
    kind: str | None,
    form: str | None,
    patch: Path | None,
    licence: str,
    task: str,
    name: str,
    out: Path,
    pipeline: str,
    **tools: Any,
) -> int:
    """Build a suite from sentences (needs mt-gate[suite])."""
    if bool(recipe) == bool(sources):
        raise errors.UsageError("suite build: give --recipe or --sources, one of the two")
    try:
        from mt_gate.base.progress import Progress
        from mt_gate.building.build import build
        from mt_gate.building.recipe import read_recipe, recipe_of_files
    except ImportError as error:
        raise errors.CannotJudge(
            f"{error.name} is not installed; pip install 'mt-gate[suite]'"
        ) from None
    if recipe:
        chosen = read_recipe(recipe)
    else:
        chosen = recipe_of_files(task, name, sources, kind or "", licence, form or "", patch)
    with Progress("replacing words", "replaced words in") as progress:
        head = build(chosen, data, out, pipeline, say, tools=tool_names(tools), progress=progress)
    counts = ", ".join(
        f"{item.id} {f'{item.sources} sources' if item.bound else f'{item.groups} groups'}"
        for item in head.relations
    )
    say(f"{out}: {counts}")
    return 0


@cli.command()
@click.option("--out", type=FOLDER, default="mt-gate-demo", show_default=True)
def demo(out: Path) -> int:
    """Judge a small checkpoint against another: a real regression, no network needed."""
    from mt_gate.base.progress import Progress
    from mt_gate.demo import afterword, run_demo
    from mt_gate.reporting.writers.terminal import show_result

    with Progress() as progress:
        results = run_demo(out, say, progress)
    for result in results:
        show_result(result)
    for line in afterword(out, results):
        say(line)
    return 0


@cli.command()
@click.option("--checkpoint", type=FOLDER, metavar="PATH", help="Look at this checkpoint too.")
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    help="What a run is to compute on [default: as in mt-gate.toml, else auto].",
)
def doctor(checkpoint: Path | None, device: str | None) -> int:
    """Say what is installed, what a run would compute on, and why not on the GPU."""
    from mt_gate.doctor.examining import examine
    from mt_gate.doctor.printing import show

    found = examine(checkpoint, device)
    show(found)
    return found.exit_code


@cli.command()
def action() -> int:
    """Run as a GitHub Action: inputs from INPUT_*, outputs to GITHUB_OUTPUT."""
    from mt_gate.github.action import run_action

    return run_action()
