"""The input of a suite build: a recipe file, or options of the command line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from mt_gate.base import files
from mt_gate.base.errors import (
    CannotJudge,
    UsageError,
    check_path,
    did_you_mean,
    page,
    quoted,
    reported,
)
from mt_gate.relation_corpora.reading import FORMATS
from mt_gate.relations.catalogue import relations_of
from mt_gate.tasks.table import TASKS
from mt_gate_suites.caps import RecipeCaps

KINDS = ("tokens", "passages", "text", "questions", "relations", "labelled")
SHIPPED = Path(__file__).parent / "recipes"
MAX_RECIPE = 1 << 20
"""Bytes of a recipe."""


class Filters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Likeness in context and naturalness that an edited text must reach (TIN, section 3.1.4).

    Args:
        similarity: least cosine of the contextual embeddings of old and new (semantic filter).
        naturalness_fall: how far the follow-up's naturalness may lie below the
            source's (syntactic filter); 1 switches it off.
        structural_fall: the same for questions made of statements.
        fit: least log ratio of the sentence's probability with the new words to
            that with the old.

    The paper has 0.65 and 0 or 0.01.
    """

    similarity: float = 0.7
    naturalness_fall: float = 0.01
    structural_fall: float = 1.0
    fit: float = -3.5


class CorpusFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of a kind.

    ``kind`` is tokens, passages, text or labelled (sentences.py), questions (boolq), or relations.
    ``relations`` names what its sentences may serve; empty means all of the task.
    Without ``sources`` it serves as a stock of phrases, or of names, alone.
    ``format`` is that of kind relations (``relation_corpora``), ``patch`` the file that Re-TACRED
    lays over TACRED. ``scheme`` is the shipped ontology whose relations a corpus of kind relations
    names; the suite then knows the right answers to its pairs.
    """

    name: str
    kind: str
    licence: str
    attribution: str
    file: str
    relations: tuple[str, ...] = ()
    sources: bool = True
    format: str = ""
    patch: str = ""
    scheme: str = ""


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Corpora and how much of them a suite takes.

    ``sources`` and ``groups`` are the most source sentences, and the most
    groups of a relation whose follow-ups stand in the suite; ``sentences`` are
    the most that words are replaced in, or of task text spelt otherwise, ``fills``
    the most follow-ups of one slot. Without ``check_sources`` sentences with faults
    of their own are taken too: for labelled data that are what they are. ``relations`` are
    those to build; empty means all whose tools are named. ``refused`` is a file
    next to the recipe with the ids of sentences and groups that readers did not
    accept, each followed by a tab and the fault; they are left out of the
    sample, and nothing unread takes their place. Where ``enough`` is set, a
    corpus after the first serves a relation up to that many groups in all.
    ``caps`` say how much of a relation may be alike (``caps.py``).
    ``pairs`` are the most pairs of entities that task re takes of a sentence
    next to those that its corpus gives. ``label`` is that of which a suite of task text is about:
    texts of that gold label alone are edited, and where the system gives it, it must stay.
    ``offensive``: its texts are, and reports mask the words that are. ``says`` is the sentence on
    known answers that reports begin with (``suites.format.SuiteRelation``).
    """

    name: str
    task: str
    version: str
    seed: int
    description: str
    corpus: tuple[CorpusFile, ...]
    sources: int = 10_000
    groups: int = 10_000
    sentences: int = 10_000
    fills: int = 2
    check_sources: bool = True
    relations: tuple[str, ...] = ()
    filters: Filters = Filters()
    caps: RecipeCaps = RecipeCaps()
    refused: str = ""
    enough: int = 0
    pairs: int = 3
    label: str = ""
    offensive: bool = False
    says: str = ""


def refused_ids(recipe: Recipe) -> frozenset[str]:
    """Return the ids of the sentences and groups that readers did not accept."""
    return ids_in(Path(recipe.refused)) if recipe.refused else frozenset()


def ids_in(path: Path) -> frozenset[str]:
    """Return the ids that the lines of a file begin with, each up to its first tab.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path} cannot be read ({reported(error)}). Expected lines that begin with an id."
        ) from None
    return frozenset(line.partition("\t")[0] for line in lines if line.strip())


def read_recipe(name_or_path: str) -> Recipe:
    """Read a recipe that the package carries, or the user's own.

    Raises:
        UsageError: no such recipe, or not of the expected form.
    """
    shipped = SHIPPED / f"{name_or_path}.toml"
    path = shipped if shipped.is_file() else Path(name_or_path)
    known = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.toml")))
    cause = f"Expected a recipe in TOML, or one of: {known}."
    try:
        data = files.read_whole(path, limit=MAX_RECIPE, cause=cause)
        recipe = msgspec.convert(tomllib.loads(data.decode()), Recipe)
    except CannotJudge as error:
        raise UsageError(str(error)) from None
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, another form, huge numbers
        raise UsageError(
            f"{path} is not a recipe ({reported(error)}). See {page('relation-files')}"
        ) from None
    for corpus in recipe.corpus:
        _check_format(corpus, str(path))
    wrong = [corpus.kind for corpus in recipe.corpus if corpus.kind not in KINDS]
    if wrong or recipe.task not in TASKS or not recipe.corpus:
        raise UsageError(
            f"{path}: task {quoted(recipe.task)}, kinds {wrong or 'none'} is not valid. Expected a "
            f"task of {', '.join(TASKS)}, and one corpus or more, each of kind {', '.join(KINDS)}."
        )
    _check_relations(recipe, path)
    if not recipe.refused:
        return recipe
    return msgspec.structs.replace(recipe, refused=str(_path_next_to(path, recipe.refused)))


def _path_next_to(recipe: Path, name: str) -> Path:
    path = recipe.parent / name
    check_path(f"{recipe}: a file", path)
    if not path.is_file():
        raise UsageError(f"{path} does not exist, but {recipe} names it. Check the recipe.")
    return path


def _check_relations(recipe: Recipe, path: Path) -> None:
    """Reject caps of a relation that the task does not have.

    Those of a task whose suites state their relations are known to its builder.
    """
    known = [relation.id for relation in relations_of(recipe.task)]
    for name in recipe.caps.relations:
        if known and name not in known:
            raise UsageError(
                f"{path}: caps for relation {quoted(name)}, which task {recipe.task} does not "
                f"have.{did_you_mean(name, known)} It has {', '.join(known)}."
            )


def _check_format(corpus: CorpusFile, where: str) -> None:
    """Reject a format or a patch where none belongs, or one that is missing."""
    where = f"{where}: corpus {quoted(corpus.name)}"
    formats = FORMATS if corpus.kind == "relations" else ("",)
    if corpus.format not in formats:
        advice = f"Expected {', '.join(formats)}." if any(formats) else "Omit it."
        raise UsageError(
            f"{where} has format {quoted(corpus.format)}, which kind {corpus.kind} does not take. "
            f"{advice}"
        )
    needed = corpus.format == "retacred"
    if bool(corpus.patch) != needed:
        wrong = "no 'patch', but format 'retacred' needs it. Add it."
        if not needed:
            wrong = f"'patch', but format {quoted(corpus.format)} takes none. Omit it."
        raise UsageError(f"{where} has {wrong}")


def recipe_of_files(
    task: str,
    name: str,
    files: tuple[Path, ...],
    kind: str,
    licence: str,
    form: str = "",
    patch: Path | None = None,
) -> Recipe:
    """Return the recipe for the user's own sentences.

    Args:
        task: the suite's.
        name: the suite's.
        files: one corpus each.
        kind: empty for the task's usual one.
        licence: of all of them.
        form: format of kind relations; empty for mt-gate's own.
        patch: what Re-TACRED lays over TACRED.

    Raises:
        UsageError: a format or a patch where none belongs, or a patch is missing.
    """
    names = [file.name for file in files]
    for name_of_file in names:
        if names.count(name_of_file) > 1:
            raise UsageError(
                f"--sources has two files named {quoted(name_of_file)}, but ids and corpora are "
                "called by these names. Rename one."
            )
    kind = kind or ("relations" if form else TASKS[task].corpus_kind)
    form = form or ("jsonl" if kind == "relations" else "")
    corpora = tuple(
        CorpusFile(
            name=file.name,
            file=str(file.resolve()),
            kind=kind,
            licence=licence,
            attribution="as its owner states",
            format=form,
            patch=str(patch.resolve()) if patch else "",
        )
        for file in files
    )
    for corpus in corpora:
        _check_format(corpus, "suite build")
    return Recipe(name=name, task=task, version="1", seed=2023, description="", corpus=corpora)
