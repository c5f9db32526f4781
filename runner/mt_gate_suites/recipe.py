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
"""Maximum number of bytes of a recipe."""


class Filters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Likeness in context and naturalness that an edited text must reach (TIN, section 3.1.4).

    Args:
        similarity: least cosine of the contextual embeddings of old and new (semantic filter).
        naturalness_fall: how much less natural the edited text may be than the
            original (syntactic filter); 1 disables the filter.
        structural_fall: the same for questions made from statements.
        fit: least log ratio of the sentence's probability with the new words to
            its probability with the old words.

    In the paper ``similarity`` is 0.65 and ``naturalness_fall`` is 0 or 0.01.
    """

    similarity: float = 0.7
    naturalness_fall: float = 0.01
    structural_fall: float = 1.0
    fit: float = -3.5


PAPER_FILTERS = Filters(similarity=0.65, structural_fall=0.02, fit=-1000.0)
"""The thresholds of the paper; it has none for ``fit``."""


class CorpusFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of a corpus.

    ``kind`` is tokens, passages, text or labelled (sentences.py), questions (boolq), or relations.
    ``relations`` names the relations that may edit its sentences; empty means all of the task.
    If ``sources`` is false, the corpus only supplies phrases or names.
    ``format`` is the format of kind relations (``relation_corpora``), ``patch`` the file with
    which Re-TACRED corrects TACRED. ``scheme`` is the built-in ontology of the labels of kind
    relations; with it, the suite knows the right answers to the pairs. ``field`` is the name of
    the text in the JSON objects of kind text; by default ``text``, ``sentence`` or similar.
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
    field: str = ""


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Corpora, and how much of them a suite uses.

    ``sources`` is the most source sentences. ``groups`` is the most cases of a relation
    whose edited texts are in the suite. ``sentences`` is the most sentences to edit in tasks
    ner and re, and the most for a surface relation of task text. ``fills`` is the most edited
    texts of one slot. If ``check_sources`` is false, faulty sentences are used too, as for
    labelled data. ``relations`` are the relations to build; empty means all whose tools are
    named. ``refused`` is a file next to the recipe with the ids of sentences and cases that
    reviewers rejected, each followed by a tab and the reason. They are removed from the
    sample, and no unreviewed ones replace them. If ``enough`` is set, a corpus after the
    first adds cases only until a relation has that many. ``caps`` limit similar cases
    (``caps.py``). ``pairs`` is the most pairs of entities of a sentence of task re, in
    addition to those that its corpus marks. ``label`` limits a suite of task text to texts
    with that gold label; if the model predicts it for the original, it must stay. With
    ``offensive``, reports mask the offensive words of the texts. With ``paper``, relations edit
    all texts that their paper edits, without the further conditions of meaning. ``says`` is the
    sentence on known answers that reports begin with (``suites.format.SuiteRelation``).
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
    paper: bool = False
    says: str = ""

    def with_paper(self) -> Recipe:
        """Return the recipe with the rules and the thresholds of the papers."""
        return msgspec.structs.replace(self, paper=True, filters=PAPER_FILTERS)


def refused_ids(recipe: Recipe) -> frozenset[str]:
    """Return the ids of the sentences and cases that reviewers rejected."""
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
    """Read a built-in recipe, or the user's own.

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
            f"{path} has task {quoted(recipe.task)} and unknown corpus kinds {wrong or 'none'}. "
            f"Expected a task of {', '.join(TASKS)}, and corpora of kind {', '.join(KINDS)}."
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

    If the task's suites state their own relations, the task's builder checks the caps.
    """
    known = [relation.id for relation in relations_of(recipe.task)]
    for name in recipe.caps.relations:
        if known and name not in known:
            raise UsageError(
                f"{path}: caps for relation {quoted(name)}, which task {recipe.task} does not "
                f"have.{did_you_mean(name, known)} It has {', '.join(known)}."
            )


def _check_format(corpus: CorpusFile, where: str) -> None:
    """Reject a format or a patch that is missing, or that the corpus must not have."""
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
    field: str = "",
) -> Recipe:
    """Return the recipe for the user's own sentences.

    Args:
        task: the suite's task.
        name: the suite's name.
        files: the files, one corpus each.
        kind: kind of the files; empty for the task's usual kind.
        licence: licence of all files.
        form: format of kind relations; empty for mt-gate's own.
        patch: the file with which Re-TACRED corrects TACRED.
        field: name of the text in JSON objects of kind text; empty for the usual names.

    Raises:
        UsageError: two files have one name, or a format or a patch is missing or not allowed.
    """
    names = [file.name for file in files]
    for name_of_file in names:
        if names.count(name_of_file) > 1:
            raise UsageError(
                f"--sources has two files named {quoted(name_of_file)}, but ids need different "
                "names. Rename one."
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
            field=field,
        )
        for file in files
    )
    for corpus in corpora:
        _check_format(corpus, "suite build")
    return Recipe(name=name, task=task, version="1", seed=2023, description="", corpus=corpora)
