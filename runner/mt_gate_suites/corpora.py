"""A recipe's corpora of sentences, read by their kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from spacy.language import Language

from mt_gate.base.documentation import page
from mt_gate.base.errors import UsageError, check_path, quoted, reported
from mt_gate_suites.builder_api import Say
from mt_gate_suites.recipe import CorpusFile
from mt_gate_suites.sentences import SourceSentence, read_text, read_tokens, split_passages

KINDS = ("text", "tokens", "passages")


def sentences_of(corpus: CorpusFile, data: Path, nlp: Language, say: Say) -> list[SourceSentence]:
    """Return the sentences of a corpus of kind tokens, passages or text.

    Raises:
        UsageError: the file is missing, or not of its kind.
    """
    path = data / corpus.file
    if corpus.kind not in KINDS:
        raise UsageError(f"{path} is of kind {corpus.kind}. Expected kind {', '.join(KINDS)}.")
    check_path("a file of the recipe", path)
    if not path.is_file():
        raise UsageError(f"{path} does not exist, but the recipe names it. Check --data.")
    try:
        sentences = list(_read(corpus, path, nlp))
    except (ValueError, OSError, EOFError) as error:
        raise UsageError(
            f"{path} is not of kind {corpus.kind} ({reported(error)}). See {page('relation-files')}"
        ) from None
    twice = [name for name, times in Counter(one.id for one in sentences).items() if times > 1]
    if twice:
        raise UsageError(f"{path}: id {quoted(twice[0])} occurs twice. Give each text its own id.")
    say(f"{corpus.name}: {len(sentences)} sentences")
    return sentences


def _read(corpus: CorpusFile, path: Path, nlp: Language) -> Iterable[SourceSentence]:
    if corpus.kind == "passages":
        return split_passages(path, corpus.name, nlp)
    return (
        read_tokens(path, corpus.name) if corpus.kind == "tokens" else read_text(path, corpus.name)
    )
