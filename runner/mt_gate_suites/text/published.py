"""Texts of labelled corpora for classification, read as these are published.

HateCheck says of a case which other one it was derived from, and which function it tests.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, UsageError, check_path, quoted, reported
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.recipe import CorpusFile

MAX_FILE = 64 << 20
"""Bytes of a corpus."""
_OFFENSIVE_FUNCTIONS = ("slur_", "profanity_")
"""HateCheck's functions whose focus words are slurs or profanities."""
_BLANK = re.compile(r"\\\[[A-Z_]+\\\]")
"""A blank of an escaped template."""
_OUT_OF_SCOPE = "oos"
"""CLINC150's label of what is no request to the assistant."""
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_PLAIN = word_set("text/surface", "grammar-words") | word_set("text/surface", "plain-of-phrases")


class PublishedText(NamedTuple):
    """A text with its gold label.

    ``derived_from`` is the id of the text that it was made from, and ``function`` what a check
    list says that it tests, ``offensive`` its slurs and profanities in small letters; empty
    where its corpus says nothing of these. ``slices`` are the parts of its corpus that it is in.
    """

    id: str
    text: str
    label: str
    derived_from: str = ""
    function: str = ""
    offensive: tuple[str, ...] = ()
    slices: tuple[tuple[str, str], ...] = ()


def read_published(corpus: CorpusFile, data: Path) -> list[PublishedText]:
    """Return the texts of a corpus of kind published, in its order.

    White space is one blank; ids are those of the corpus, or the numbers of its rows from 1.

    Raises:
        UsageError: the file is missing, or not of its format.
    """
    path = data / corpus.file
    check_path("a file of the recipe", path)
    if not path.is_file():
        raise UsageError(f"{path} does not exist, but the recipe names it. Check --data.")
    try:
        raw = files.read_whole(path, limit=MAX_FILE, cause="The recipe names it. Check --data.")
        rows = list(_READERS[corpus.format](raw.decode(), corpus.parts))
    except CannotJudge as error:
        raise UsageError(str(error)) from None
    except (ValueError, csv.Error, RecursionError) as error:
        raise UsageError(
            f"{path} is not a valid {corpus.format} file ({reported(error)}). Download it again, "
            f"or correct the format of corpus {quoted(corpus.name)} in the recipe."
        ) from None
    known = {row.id for row in rows}
    lost = [row.derived_from for row in rows if row.derived_from and row.derived_from not in known]
    if lost:
        raise UsageError(
            f"{path}: a case is derived from {quoted(lost[0])}, which is missing. Download it "
            "again."
        )
    return [row._replace(text=" ".join(row.text.split())) for row in rows]


def _hatecheck(text: str, _: Sequence[str]) -> Iterator[PublishedText]:
    columns = (
        "case_id",
        "test_case",
        "label_gold",
        "ref_case_id",
        "functionality",
        "focus_words",
        "case_templ",
    )
    targets = (
        row.get("target_ident") or "" for row in csv.DictReader(io.StringIO(text, newline=""))
    )
    for row, target in zip(_columns(text, columns), targets, strict=True):
        case, words, label, derived_from, function, focus, template = row
        of = f"hatecheck-{derived_from}" if derived_from else ""
        yield PublishedText(
            id=f"hatecheck-{case}",
            text=words,
            label=label,
            derived_from=of,
            function=function,
            offensive=(*_slurs(words, template), *_profanities(function, focus)),
            slices=tuple(x for x in (("function", function), ("target", target)) if x[1]),
        )


def _slurs(text: str, template: str) -> list[str]:
    """Return the words in a case where its template has a slur."""
    pattern = _BLANK.sub("(.+)", re.escape(template.strip()))
    names = _BLANK.findall(re.escape(template.strip()))
    match = re.fullmatch(pattern, text.strip())
    if match is None:
        return []
    said = (words for name, words in zip(names, match.groups(), strict=True) if "SLUR" in name)
    return [word for words in said for word in _LETTERS.findall(words.lower())]


def _profanities(function: str, focus: str) -> list[str]:
    if not function.startswith(_OFFENSIVE_FUNCTIONS) or "[" in focus:
        return []
    return [word for word in _LETTERS.findall(focus.lower()) if word not in _PLAIN]


def _banking77(text: str, _: Sequence[str]) -> Iterator[PublishedText]:
    for number, (words, label) in enumerate(_columns(text, ("text", "category")), start=1):
        slices = (("domain", "banking"), ("intent", label))
        yield PublishedText(f"banking77-{number}", words, label, slices=slices)


def _clinc150(text: str, parts: Sequence[str]) -> Iterator[PublishedText]:
    split = msgspec.json.decode(text, type=dict[str, list[tuple[str, str]]])
    for part in parts:
        if part not in split:
            raise ValueError(f"no part {quoted(part)}; it has {', '.join(split)}")
        for number, (words, label) in enumerate(split[part], start=1):
            domain = "out of scope" if label == _OUT_OF_SCOPE else "assistant"
            slices = (("domain", domain), ("intent", label))
            yield PublishedText(f"clinc150-{part}-{number}", words, label, slices=slices)


def _columns(text: str, names: Sequence[str]) -> Iterator[list[str]]:
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    missing = [name for name in names if name not in (rows.fieldnames or ())]
    if missing:
        raise ValueError(f"no column {', '.join(missing)}")
    for row in rows:
        yield [row[name] or "" for name in names]


_READERS: Mapping[str, Callable[[str, Sequence[str]], Iterator[PublishedText]]] = {
    "hatecheck": _hatecheck,
    "banking77": _banking77,
    "clinc150": _clinc150,
}
