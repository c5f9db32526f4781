"""``mt-gate suite``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mt_gate.base import console
from mt_gate.base.console import say
from mt_gate.base.errors import PASS, CannotJudge, UsageError, page
from mt_gate.base.escaping import one_line
from mt_gate.base.figures import counted
from mt_gate.commands import options
from mt_gate.tasks.table import TASKS

if TYPE_CHECKING:
    from mt_gate.suites.format import SuiteFile

SUITE = click.argument("suite", type=options.PLACE, metavar="NAME|DIR")
FORMAT = click.option(
    "--format",
    "kind",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Text for people, or JSON for scripts.",
)
PIPELINE = click.option(
    "--pipeline",
    default="en_core_web_sm",
    show_default=True,
    metavar="NAME",
    help="spaCy pipeline.",
)
FILTERS = click.option(
    "--filters",
    type=click.Choice(["strict", "paper"]),
    default="strict",
    show_default=True,
    help="Texts that the relations edit. paper: those that their paper edits, if grammatical. "
    "strict: only those whose meaning surely fits the relation.",
)
_OF_SOURCES = ("kind", "form", "patch", "field", "licence", "task", "name")
RELATION = click.option("--relation", metavar="ID", help="Only this relation.")


MASK = options.settings("mask_offensive")


@contextmanager
def _needs_extra() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise CannotJudge(
            f"{error.name} is not installed. Run pip install 'mt-gate[suite]'"
        ) from None


@click.group()
def suite() -> None:
    """List, show, build and audit suites."""


@suite.command("list")
def list_suites() -> int:
    """List the built-in suites."""
    from mt_gate_suites.audit import suite_texts

    click.echo(suite_texts.listing())
    return PASS


@suite.command()
@SUITE
@click.option(
    "--groups",
    metavar="N",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="Cases per relation.",
)
@RELATION
@FORMAT
@MASK
def show(
    suite: str, groups: int, relation: str | None, kind: str, *, mask_offensive: bool | None
) -> int:
    """Show the content and diversity of a suite, with random cases (not in JSON)."""
    from mt_gate_suites.audit import suite_texts

    if kind == "json":
        console.print_document(suite_texts.described(suite, relation))
    else:
        click.echo(
            suite_texts.description(suite, groups, relation, mask=mask_offensive is not False)
        )
    return PASS


@suite.command()
@SUITE
def verify(suite: str) -> int:
    """Check the hashes, ids, counts and alignments of a suite."""
    from mt_gate_suites.audit import suite_texts

    click.echo(suite_texts.verified(suite))
    return PASS


@suite.command()
@SUITE
@click.argument("sheets", type=options.PATH, nargs=-1, metavar="[SHEET.csv]...")
@options.out()
@click.option(
    "--groups", metavar="N", type=click.IntRange(1), help="Cases per relation [default: 200]."
)
@RELATION
@click.option("--seed", metavar="S", type=int, help="Seed of the sample [default: the suite's].")
@click.option(
    "--result",
    type=options.PATH,
    metavar="DIR",
    help="Audit the cases that this stored run built from predictions.",
)
@click.option(
    "--issues",
    is_flag=True,
    help="Audit the violated cases of --result: count those with a wrong prediction.",
)
@options.setting("labels")
@click.option(
    "--read",
    is_flag=True,
    help="Read marked sheets, and store their figures in suite.json (not with --issues).",
)
@MASK
def audit(
    suite: str,
    sheets: tuple[Path, ...],
    out: Path | None,
    result: Path | None,
    issues: bool,
    labels: Path | None,
    read: bool,
    mask_offensive: bool | None,
    **drawn: Any,
) -> int:
    """Write sheets of random cases for reviewers to mark, or read them back."""
    sampling = {name: value for name, value in drawn.items() if value is not None}
    if labels and not issues:
        raise UsageError("--labels needs --issues. Add --issues, or omit --labels.")
    if issues:
        if result is None:
            raise UsageError("--issues needs --result DIR, the run with the violated cases.")
        if not read and not sheets and out is not None:
            sampling |= {"mask": mask_offensive is not False}
            return _draw_issues(suite, out, result, labels, sampling)
        if read and sheets and out is None and not sampling:
            from mt_gate_suites.audit.issues import read_marks

            for figure in read_marks(suite, sheets, result, labels):
                say(str(figure))
            return PASS
        raise UsageError("--issues needs --out DIR for a new sheet, or --read SHEET.csv.")
    if read:
        if not sheets or out is not None or sampling:
            raise UsageError(
                "suite audit --read needs SHEET.csv, without --out and sampling options. Omit them."
            )
        from mt_gate_suites.audit.audit import record
        from mt_gate_suites.audit.suite_texts import agreement_words, precision_words

        for relation, precision, agreement in record(suite, sheets, result):
            more = f"; {agreement_words(agreement)}" if agreement else ""
            say(one_line(f"{relation}: {precision_words(precision)}{more}"))
        return PASS
    if sheets or out is None:
        raise UsageError("suite audit needs --out DIR to write new sheets, or --read SHEET.csv.")
    return _draw_sheets(suite, out, result, {**sampling, "mask": mask_offensive is not False})


def _draw_issues(
    suite: str, out: Path, result: Path, labels: Path | None, sampling: dict[str, Any]
) -> int:
    from mt_gate_suites.audit.issues import draw_issues

    path, by_labels = draw_issues(suite, out, result, labels=labels, **sampling)
    for precision in by_labels:
        say(f"By labels, {precision}")
    say(
        f"Mark each line of {path} as error (a prediction is wrong) or none, then run: mt-gate "
        "suite audit SUITE --issues --result DIR --read SHEET.csv"
    )
    return PASS


def _draw_sheets(suite: str, out: Path, result: Path | None, sampling: dict[str, Any]) -> int:
    from mt_gate_suites.audit.audit import draw

    paths = draw(suite, out, result=result, **sampling)
    for path in paths:
        say(one_line(str(path)))
    say(
        f"Mark {paths[-1].name} or the sheets, then run: "
        "mt-gate suite audit SUITE --read SHEET.csv" + (" --result DIR" if result else "")
    )
    return PASS


@suite.command()
@SUITE
@click.argument("first", type=options.PATH, metavar="FIRST.csv")
@click.argument("second", type=options.PATH, metavar="SECOND.csv")
@click.option(
    "--output",
    type=options.PATH,
    required=True,
    metavar="SHEET.csv",
    help="Write the joined sheet. Without --third: the cases for a third reviewer.",
)
@click.option(
    "--third",
    type=options.PATH,
    metavar="SHEET.csv",
    help="The open cases, marked by a third reviewer.",
)
@click.option(
    "--result",
    type=options.PATH,
    metavar="DIR",
    help="Stored run that the sheets were sampled from.",
)
def agree(
    suite: str, first: Path, second: Path, output: Path, third: Path | None, result: Path | None
) -> int:
    """Join the marked sheets of two reviewers, and show how far they agree."""
    from mt_gate_suites.audit.marked import settle
    from mt_gate_suites.audit.suite_texts import agreement_words

    settlement = settle(suite, first, second, output, third=third, result=result)
    say(one_line(f"{settlement.relation}: {agreement_words(settlement.agreement)}"))
    if settlement.open:
        say(
            one_line(
                f"{settlement.open} open. Let a third reviewer mark {output}, then pass --third"
            )
        )
    else:
        say(one_line(f"{settlement.accepted} of {settlement.agreement.groups} accepted: {output}"))
    return PASS


@suite.command()
@click.option(
    "--recipe",
    type=options.PLACE,
    metavar="NAME|FILE",
    help=f"Build from this recipe: {page('relation-files')}",
)
@click.option(
    "--data",
    type=options.PATH,
    default=".",
    metavar="DIR",
    help="Folder of the recipe's files [default: the working folder].",
)
@click.option(
    "--sources",
    type=options.PATH,
    multiple=True,
    metavar="FILE",
    help="Build from your own sentences instead of a recipe. Repeatable.",
)
@click.option(
    "--kind",
    type=click.Choice(
        ["text", "tokens", "passages", "questions", "relations", "pairs", "labelled", "templates"]
    ),
    help="Content of --sources. text: one sentence per line. tokens, passages, questions: JSON "
    "lines. relations: a corpus of --format. pairs: JSON lines of edited texts. "
    "labelled: JSON lines of text and label. templates: TOML files of texts with slots "
    "[default: text, questions or relations, by task].",
)
@click.option(
    "--relations",
    type=options.PATH,
    metavar="FILE",
    help=f"Your own relations, in TOML, with their task: {page('own-relations')}",
)
@click.option(
    "--extend",
    metavar="SUITE",
    help="Add the pairs of --sources to this suite, as its next version (needs --kind pairs).",
)
@click.option(
    "--rejected",
    type=options.PATH,
    metavar="FILE",
    help="Omit the cases and sources in this file, whose lines begin with ids (needs --extend).",
)
@FILTERS
@options.CORPUS
@click.option(
    "--field",
    default="",
    metavar="NAME",
    help="JSON field of the text, for kind text [default: text, sentence, sent or content].",
)
@click.option("--licence", default="unstated", metavar="TEXT", help="Licence of --sources.")
@options.setting("task", default=next(iter(TASKS)), show_default=True)
@click.option("--name", default="own", show_default=True, help="Name of a suite from --sources.")
@options.out(required=True)
@PIPELINE
@options.TOOLS
@click.option("-q", "--quiet", is_flag=True, help="Print only the last lines.")
def build(
    recipe: str | None,
    data: Path,
    sources: tuple[Path, ...],
    kind: str | None,
    relations: Path | None,
    extend: str | None,
    rejected: Path | None,
    filters: str,
    form: str | None,
    patch: Path | None,
    field: str,
    licence: str,
    task: str,
    name: str,
    out: Path,
    pipeline: str,
    *,
    quiet: bool,
    **tools: Any,
) -> int:
    """Build a suite from sentences (needs mt-gate[suite])."""
    if extend or rejected:
        return _extend(extend, rejected, sources, kind, licence, out)
    if relations is not None or kind in ("pairs", "labelled"):
        _check_own(recipe, relations, kind, form, patch, task)
        if kind == "labelled" and not _list_passed("task"):
            task = next(name for name, spec in TASKS.items() if spec.label_map)
        return _build_own(relations, sources, kind, task, name, licence, out, pipeline)
    if kind == "templates":
        return _build_templates(sources, name, licence, out)
    if bool(recipe) == bool(sources):
        raise UsageError("suite build needs either --recipe or --sources.")
    if recipe and (of_sources := _list_passed(*_OF_SOURCES)):
        raise UsageError(
            f"{of_sources[0]} works only with --sources. With --recipe, set it in the recipe."
        )
    with _needs_extra():
        from mt_gate.base.console import Progress
        from mt_gate.reporting.table import Table, show_table
        from mt_gate_suites.build import build, suite_there
        from mt_gate_suites.recipe import read_recipe, recipe_of_files
    if recipe:
        chosen = read_recipe(recipe)
    else:
        chosen = recipe_of_files(task, name, sources, kind or "", licence, form or "", patch, field)
    if filters == "paper":
        chosen = chosen.with_paper()
    named = options.tool_names(tools)
    there = suite_there(out, chosen.name)
    tables: list[Table] = []
    with Progress("replacing words", "replaced words in", shown=not quiet) as progress:
        speak = (lambda _: None) if quiet else say
        head = build(
            chosen,
            data,
            out,
            pipeline,
            speak,
            tools=named,
            progress=progress,
            show=tables.append,
        )
    for table in [] if quiet else tables:
        if table.rows:
            show_table(table, sys.stdout)
    return _say_built(out, head, there)


def _extend(
    extend: str | None,
    rejected: Path | None,
    sources: tuple[Path, ...],
    kind: str | None,
    licence: str,
    out: Path,
) -> int:
    if not extend or kind != "pairs" or not sources:
        raise UsageError(
            "--extend SUITE needs --kind pairs and --sources. --rejected needs --extend."
        )
    if passed := _list_passed("recipe", "relations", "form", "patch", "task", "name"):
        raise UsageError(f"{passed[0]} does not work with --extend. Omit it.")
    with _needs_extra():
        from mt_gate_suites.own.extending import extend_suite
    head = extend_suite(extend, sources, out, say, licence=licence, rejected=rejected)
    return _say_built(out, head, None)


def _check_own(
    recipe: str | None,
    relations: Path | None,
    kind: str | None,
    form: str | None,
    patch: Path | None,
    task: str,
) -> None:
    """Reject options that do not work with a user's own relations, and a conflicting --task."""
    more = {
        "--recipe": recipe,
        "--format": form,
        "--patch": patch,
        f"--kind {kind}": relations and kind not in (None, "text"),
    }
    flags = [flag for flag, value in more.items() if value]
    if flags:
        raise UsageError(f"{flags[0]} does not work with --relations. Omit it.")
    if relations and _list_passed("task"):
        raise UsageError(f"--task {task} conflicts with {relations}, which sets the task. Omit it.")


def _list_passed(*names: str) -> list[str]:
    """Return the flags of the named parameters that the command line sets."""
    context = click.get_current_context()
    return [
        option.opts[0]
        for option in context.command.params
        if option.name in names
        and context.get_parameter_source(option.name) is click.core.ParameterSource.COMMANDLINE
    ]


def _build_own(
    relations: Path | None,
    sources: tuple[Path, ...],
    kind: str | None,
    task: str,
    name: str,
    licence: str,
    out: Path,
    pipeline: str,
) -> int:
    with _needs_extra():
        from mt_gate_suites.build import suite_there
        from mt_gate_suites.own.builder import build_labelled, build_pairs, build_relations
    if relations is None and not sources:
        raise UsageError(f"--kind {kind} needs --sources FILE.")
    there = suite_there(out, name)
    if relations is None:
        build = build_labelled if kind == "labelled" else build_pairs
        head = build(sources, out, say, task=task, name=name, licence=licence)
    else:
        head = build_relations(
            relations, sources, out, say, name=name, licence=licence, pipeline=pipeline
        )
    return _say_built(out, head, there)


def _build_templates(sources: tuple[Path, ...], name: str, licence: str, out: Path) -> int:
    passed = _list_passed("recipe", "relations", "form", "patch", "field", "task", "filters")
    if passed or not sources:
        raise UsageError(
            f"{passed[0]} does not work with --kind templates. Omit it."
            if passed
            else "--kind templates needs --sources FILE.toml."
        )
    with _needs_extra():
        from mt_gate_suites.build import suite_there
        from mt_gate_suites.templates.builder import build_templates
    there = suite_there(out, name)
    head = build_templates(sources, out, say, name=name, licence=licence)
    return _say_built(out, head, there)


def _say_built(out: Path, head: SuiteFile, there: SuiteFile | None) -> int:
    """Report the built relations, those with too few cases, and any lost audit figures."""
    from mt_gate.judging.findings import never_compared
    from mt_gate_suites.build import lost_marks

    counts = ", ".join(
        f"{item.id} "
        + (counted(item.sources, "source") if item.bound else counted(item.groups, "case"))
        for item in head.relations
    )
    few = never_compared({item.id: item.sources for item in head.relations})
    for line in (f"{out}: {counts}", few, lost_marks(there, head, out)):
        if line:
            say(one_line(line))
    return PASS


@suite.command("try")
@click.argument("relations", type=options.PLACE, metavar="FILE.toml|RELATION")
@click.argument("text", required=False, metavar="[TEXT]")
@click.option(
    "--sources",
    type=options.PATH,
    multiple=True,
    metavar="FILE",
    help="Texts for FILE.toml, one per line, or JSON lines. Repeatable.",
)
@click.option("--passage", default="", metavar="TEXT", help="Passage of a question, for boolq.")
@click.option(
    "--groups",
    metavar="N",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Cases per relation.",
)
@FILTERS
@PIPELINE
@options.TOOLS
def try_relations(
    relations: str,
    text: str | None,
    sources: tuple[Path, ...],
    passage: str,
    groups: int,
    filters: str,
    pipeline: str,
    **tools: Any,
) -> int:
    """Preview your own relations on texts, or a built-in one on a TEXT (needs mt-gate[suite])."""
    with _needs_extra():
        from mt_gate_suites.build import load_pipeline
        from mt_gate_suites.own.builder import preview
        from mt_gate_suites.trying import try_relation
    if text is None:
        click.echo(preview(Path(relations), sources, pipeline, groups))
        return PASS
    if sources:
        raise UsageError("suite try takes a TEXT or --sources, not both. Omit one.")
    paper, named = filters == "paper", options.tool_names(tools)
    nlp = load_pipeline(pipeline)
    click.echo(try_relation(relations, text, passage, nlp, paper=paper, tools=named))
    return PASS
