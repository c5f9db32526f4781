"""Sources of sentences: corpora read into natural, detokenised sentences.

Three shapes of data are read, plain or gzipped: tokens of a tagged corpus, one sentence per line,
and whole passages that a parser splits. Sentences that cannot be read with certainty are omitted;
``mt_gate_suites.source_faults`` reports sentences that are no good source for any relation.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Span

from mt_gate.base import files
from mt_gate.base.errors import UsageError, check_path, page, quoted, reported
from mt_gate.tasks.detokenise import detokenise
from mt_gate_suites.builder_api import Say
from mt_gate_suites.recipe import CorpusFile


class SourceSentence(NamedTuple):
    """One sentence as written, with a stable id and the corpus it came from."""

    id: str
    text: str
    origin: str


def distinct(sentences: Iterable[SourceSentence]) -> Iterator[SourceSentence]:
    """Yield each text once, in order; chain readers first to hold across files."""
    seen: set[str] = set()
    for sentence in sentences:
        if sentence.text not in seen:
            seen.add(sentence.text)
            yield sentence


def read_tokens(path: Path, origin: str) -> Iterator[SourceSentence]:
    """Read JSON lines with ``id`` and ``tokens``; sentences of unclear spacing are left out."""
    return distinct(
        SourceSentence(str(row["id"]), text, origin)
        for number, row in rows_of(path, ("id", "tokens"))
        if (text := detokenise(_tokens(path, number, row["tokens"])))
    )


def read_text(path: Path, origin: str) -> Iterator[SourceSentence]:
    """Read one sentence a line, bare or as a JSON object with ``text`` and perhaps ``id``.

    Without an id the line number, counted from 1, makes one: ``news-12``.
    """
    return distinct(_text_lines(path, origin))


def split_passages(path: Path, origin: str, nlp: Language) -> Iterator[SourceSentence]:
    """Split JSON lines with ``id`` and ``passage`` into sentences.

    ``boolq-dev-17.3`` is the fourth sentence of its passage. A sentence keeps
    its number whether or not those before it were good.
    """
    rows = (
        (clean_passage(_text(path, number, row["passage"])), row["id"])
        for number, row in rows_of(path, ("id", "passage"))
    )
    keep = [name for name in nlp.pipe_names if name in {"tok2vec", "transformer", "parser"}]
    return distinct(_split(rows, origin, nlp, keep))


def clean_passage(passage: str) -> str:
    """Fix the typography of BoolQ's Wikipedia passages.

    before   The term ``Brexit'' was coined in 2012--2013 .
    after    The term "Brexit" was coined in 2012–2013 .
    """
    text = passage.replace("``", '"').replace("''", '"')
    text = re.sub("[\u200b\u200e\u202c\ufeff]", "", text)
    text = re.sub(r"\s*\(\s*(?:listen\s*)?[;,]?\s*\)", "", text)
    text = re.sub(r" -- ", " – ", text)
    text = re.sub(r"(?<=\w)--(?=\w)", "–", text)
    return re.sub(r"\s+", " ", text).strip()


def _text_lines(path: Path, origin: str) -> Iterator[SourceSentence]:
    for number, line in _lines(path):
        row = _json(path, number, line) if line.startswith("{") else {"text": line}
        text = row.get("text")
        if not isinstance(text, str):
            raise ValueError(f"{path}:{number} has no field 'text'")
        yield SourceSentence(str(row.get("id", f"{origin}-{number}")), text.strip(), origin)


def _split(
    rows: Iterable[tuple[str, str]], origin: str, nlp: Language, keep: list[str]
) -> Iterator[SourceSentence]:
    with nlp.select_pipes(enable=keep):
        for doc, passage_id in nlp.pipe(rows, as_tuples=True, batch_size=64):
            for number, text in enumerate(_joined(doc.sents)):
                yield SourceSentence(f"{passage_id}.{number}", text, origin)


_END = re.compile(r"[.?!][\"')\]]*$")
_ABBREVIATION = re.compile(
    r"(?:\b[A-Z]|\b(?:Mr|Mrs|Ms|Dr|St|Mt|Jr|Sr|vs|no|No|Nos|vol|Vol|ca|cf|al|Inc|Ltd|Co|Corp|Bros"
    r"|Prof|Gen|Col|Capt|Lt|Sgt|Gov|Sen|Rep|Rev|Hon|Ft|approx|est|fl|e\.g|i\.e|a\.m|p\.m|v|c|b|d"
    r"|Jan|Feb|Aug|Sept|Oct|Nov|Dec))\.$"
)


def _joined(spans: Iterable[Span]) -> Iterator[str]:
    """Yield the parser's sentences, those split at no true sentence end joined again."""
    pending = ""
    for span in spans:
        text = span.text.strip()
        if pending and _is_boundary(pending, text):
            yield pending
            pending = text
        else:
            pending = f"{pending} {text}".strip() if pending else text
    if pending:
        yield pending


def _is_boundary(before: str, after: str) -> bool:
    if not _END.search(before) or _ABBREVIATION.search(before):
        return False
    return after.lstrip("\"'(")[:1].isupper() or after[:1].isdigit()


def rows_of(path: Path, fields: tuple[str, ...]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line numbers, counted from 1, and JSON objects that have the fields.

    Raises:
        ValueError: a line is no JSON object, or lacks a field.
    """
    for number, line in _lines(path):
        row = _json(path, number, line)
        missing = [field for field in fields if field not in row]
        if missing:
            raise ValueError(f"{path}:{number} has no {missing}, expected the fields {fields}")
        yield number, row


def _json(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}:{number} is not JSON: {error}") from None
    if not isinstance(row, dict):
        raise ValueError(f"{path}:{number} is of type {type(row).__name__}, expected a JSON object")
    return row


def _tokens(path: Path, number: int, value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(token, str) for token in value):
        raise ValueError(f"{path}:{number}: tokens is not a list of texts")
    return value


def _text(path: Path, number: int, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{path}:{number}: passage is not a text")
    return value


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with files.opened(path, cause="Check --sources, or the recipe's --data.") as raw:
        unpacked = gzip.GzipFile(fileobj=raw) if path.suffix == ".gz" else raw
        try:
            for number, line in enumerate(io.TextIOWrapper(unpacked, "utf-8-sig"), start=1):
                if line.strip():
                    yield number, line.rstrip("\n")
        except zlib.error as error:  # no ValueError, as all else that is wrong with a file
            raise ValueError(f"truncated or not gzip: {error}") from None


SENTENCE_KINDS = ("text", "tokens", "passages")


def sentences_of(corpus: CorpusFile, data: Path, nlp: Language, say: Say) -> list[SourceSentence]:
    """Return the sentences of a corpus of kind tokens, passages or text.

    Raises:
        UsageError: the file is missing, or not of its kind.
    """
    path = data / corpus.file
    if corpus.kind not in SENTENCE_KINDS:
        raise UsageError(
            f"{path} is of kind {corpus.kind}. Expected kind {', '.join(SENTENCE_KINDS)}."
        )
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
