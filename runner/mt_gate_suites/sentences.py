"""Sources of sentences: corpora read into natural, detokenised sentences.

Three shapes of data are read, plain or gzipped: tokens of a tagged corpus, one sentence per line,
and whole passages that a parser splits. Sentences that cannot be read with certainty are omitted;
``mt_gate_suites.source_faults`` reports sentences that are not usable for any relation.
"""

from __future__ import annotations

import gzip
import io
import itertools
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from spacy.language import Language
from spacy.tokens import Span

from mt_gate.base import files
from mt_gate.base.errors import UsageError, check_path, page, quoted, reported
from mt_gate.base.figures import counted
from mt_gate.tasks.detokenise import detokenise
from mt_gate_suites.builder_api import Say
from mt_gate_suites.recipe import CorpusFile


class SourceSentence(NamedTuple):
    """One sentence as written, with a stable id and the corpus it came from."""

    id: str
    text: str
    origin: str


class LabelledText(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a corpus of kind labelled: a text and its label.

    ``slices`` are the subsets of the corpus that it belongs to. ``offensive`` has its slurs and
    profanities in lower case, which reports mask. If ``edit`` is false, no relation edits it.
    """

    id: str
    text: str
    label: str
    slices: dict[str, str] = {}
    offensive: tuple[str, ...] = ()
    edit: bool = True


class _Tokens(msgspec.Struct, frozen=True):
    id: str | int
    tokens: list[str]


class _Passage(msgspec.Struct, frozen=True):
    id: str | int
    passage: str


Row = TypeVar("Row", bound=msgspec.Struct)
FIELDS = ("text", "sentence", "sent", "content")
"""Names of the text in a JSON object, the first one counts."""
_TOKENISED = re.compile(
    r"\s(?:[.,;:?!]|n't|n ' t|' ?(?:s|re|ve|ll|d|m))(?=\s|$)|(?:^|\s)(?:``|''|-[LR][RS]B-)(?=\s|$)"
)
_NUMBER = re.compile(
    r"(?<=\d) (?:(,) (?=\d{3}(?!\d))|(\.) (?=\d+ ?(?:%|percent|[mb]illion|bn\b|m\b|km\b)))"
)
"""A tokenised ``2 , 000`` or ``1 . 4 billion``."""
_SEVERAL = re.compile(r"[.?!][\"”')\]]*\s+[\"“'‘(]?[A-Z0-9]")
"""Where a sentence may end within a line."""


def distinct(sentences: Iterable[SourceSentence]) -> Iterator[SourceSentence]:
    """Yield the first sentence of each text, in order; chain files to compare across them."""
    seen: set[str] = set()
    for sentence in sentences:
        if sentence.text not in seen:
            seen.add(sentence.text)
            yield sentence


def read_tokens(path: Path, origin: str) -> Iterator[SourceSentence]:
    """Read JSON lines with ``id`` and ``tokens``; omit sentences of unclear spacing."""
    return distinct(
        SourceSentence(str(row.id), text, origin)
        for _, row in rows_of(path, _Tokens)
        if (text := detokenise(row.tokens))
    )


def read_text(path: Path, origin: str, field: str = "") -> Iterator[SourceSentence]:
    """Read one text per line, or JSON: an object per line, or a list of texts or objects.

    The default id is the corpus and the number of the line or item, counted from 1: ``news-12``.

    Args:
        path: the file.
        origin: the corpus's name.
        field: name of the text in an object; by default the first of ``FIELDS`` that it has.

    Raises:
        UsageError: an object has no such text.
        ValueError: a line that begins with a brace is not JSON.
    """
    return distinct(_texts(path, origin, field))


def read_sentences(
    path: Path, origin: str, nlp: Language, field: str = ""
) -> Iterator[SourceSentence]:
    """Read texts like ``read_text``, detokenise tokenised ones, and split them into sentences.

    ``news-12.0`` is the first sentence of a line with several.
    """
    whole = [one._replace(text=_written(one.text)) for one in _texts(path, origin, field)]
    parts: dict[str, list[SourceSentence]] = defaultdict(list)
    several = ((one.text, one.id) for one in whole if _SEVERAL.search(one.text))
    for part in _split(several, origin, nlp):
        parts[part.id.rpartition(".")[0]].append(part)
    split = (parts[one.id] if len(parts[one.id]) > 1 else [one] for one in whole)
    return distinct(itertools.chain.from_iterable(split))


def _written(text: str) -> str:
    """Return a text as it was before a tokeniser put spaces into it, if that is certain."""
    if not _TOKENISED.search(text):
        return text
    return detokenise(_NUMBER.sub(r"\1\2", text).split()) or text


def split_passages(path: Path, origin: str, nlp: Language) -> Iterator[SourceSentence]:
    """Split JSON lines with ``id`` and ``passage`` into sentences.

    ``boolq-dev-17.3`` is the fourth sentence of its passage. The number counts
    all sentences of the passage, also omitted ones.
    """
    rows = ((clean_passage(row.passage), row.id) for _, row in rows_of(path, _Passage))
    return distinct(_split(rows, origin, nlp))


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


def _texts(path: Path, origin: str, field: str) -> Iterator[SourceSentence]:
    for number, row in _items(path):
        where = f"{path}:{number}"
        if isinstance(row, str):
            row = {"text": row}
        elif not isinstance(row, dict):
            raise ValueError(f"{where}: Expected a text or an object, got {quoted(row)}")
        named = next((name for name in ([field] if field else FIELDS) if name in row), "")
        if not isinstance(row.get(named), str):
            raise UsageError(
                f"{where} has no text under {quoted(field) if field else ', '.join(FIELDS)}. Its "
                f"fields: {quoted(', '.join(map(str, row)), 120)}. Choose one: --field NAME"
            )
        yield SourceSentence(str(row.get("id") or f"{origin}-{number}"), row[named].strip(), origin)


def _items(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the numbers and values of a file's lines, or of the items of its JSON list."""
    lines = _lines(path)
    number, first = start = next(lines, (1, ""))
    try:
        if re.match(r"\s*\[\s*(?:[\[{\"]|$)", first):
            text = "\n".join([first, *(line for _, line in lines)])
            yield from enumerate(msgspec.json.decode(text, type=list[Any]), start=1)
            return
        for number, line in itertools.chain([start] if first else [], lines):
            yield number, msgspec.json.decode(line) if line.startswith("{") else line
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"{path}:{number}: {error}") from None


def _split(
    rows: Iterable[tuple[str, str | int]], origin: str, nlp: Language
) -> Iterator[SourceSentence]:
    keep = [name for name in nlp.pipe_names if name in {"tok2vec", "transformer", "parser"}]
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
    """Yield the parser's sentences, rejoined if they are split within a true sentence."""
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


def rows_of(path: Path, form: type[Row]) -> Iterator[tuple[int, Row]]:
    """Yield line numbers, counted from 1, and JSON objects of a form; ignore other keys.

    Raises:
        ValueError: a line is not a JSON object of that form.
    """
    for number, line in _lines(path):
        try:
            yield number, msgspec.json.decode(line, type=form)
        except (msgspec.DecodeError, RecursionError) as error:
            raise ValueError(f"{path}:{number}: {error}") from None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with files.opened(path, cause="Check --sources, or the recipe's --data.") as raw:
        unpacked = gzip.GzipFile(fileobj=raw) if path.suffix == ".gz" else raw
        try:
            for number, line in enumerate(io.TextIOWrapper(unpacked, "utf-8-sig"), start=1):
                if line.strip():
                    yield number, line.rstrip("\n")
        except zlib.error as error:  # other faults of a file raise ValueError
            raise ValueError(f"truncated or not gzip: {error}") from None


def read_file(corpus: CorpusFile, data: Path, read: Callable[[Path], Iterable[Any]]) -> list[Any]:
    """Return the rows that ``read`` yields for the file of a corpus.

    Raises:
        UsageError: the file is missing, or not of its kind.
    """
    path = data / corpus.file
    check_path("a file of the recipe", path)
    if not path.is_file():
        raise UsageError(f"{path} does not exist, but the recipe names it. Check --data.")
    try:
        return list(read(path))
    except (ValueError, OSError, EOFError) as error:
        raise UsageError(
            f"{path} is not of kind {corpus.kind} ({reported(error)}). See {page('relation-files')}"
        ) from None


def read_labelled(corpus: CorpusFile, data: Path) -> list[LabelledText]:
    """Return the texts of a corpus of kind labelled.

    Raises:
        UsageError: the file is missing, or not of its kind.
    """
    return read_file(corpus, data, lambda path: (row for _, row in rows_of(path, LabelledText)))


SENTENCE_KINDS = ("text", "tokens", "passages")


def sentences_of(
    corpus: CorpusFile, data: Path, nlp: Language, say: Say, *, whole: bool = False
) -> list[SourceSentence]:
    """Return the sentences of a corpus of kind tokens, passages or text.

    With ``whole``, texts of kind text stay as they are, even if they have several sentences.

    Raises:
        UsageError: the file is missing, or not of its kind.
    """
    if corpus.kind not in SENTENCE_KINDS:
        raise UsageError(
            f"{data / corpus.file} is of kind {corpus.kind}. Expected kind "
            f"{', '.join(SENTENCE_KINDS)}."
        )
    sentences = read_file(corpus, data, lambda path: _read(corpus, path, nlp, whole=whole))
    twice = [name for name, times in Counter(one.id for one in sentences).items() if times > 1]
    if twice:
        raise UsageError(
            f"{corpus.file}: id {quoted(twice[0])} occurs twice. Give each text its own id."
        )
    say(f"{corpus.name}: {counted(len(sentences), 'sentence')}")
    return sentences


def _read(
    corpus: CorpusFile, path: Path, nlp: Language, *, whole: bool
) -> Iterable[SourceSentence]:
    if corpus.kind == "passages":
        return split_passages(path, corpus.name, nlp)
    if corpus.kind == "tokens":
        return read_tokens(path, corpus.name)
    if whole:
        return read_text(path, corpus.name, corpus.field)
    return read_sentences(path, corpus.name, nlp, corpus.field)
