"""Write a labelled corpus, as its authors publish it, as JSON lines of kind labelled.

    python benchmarks/published_texts.py hatecheck hatecheck_cases.csv > hatecheck.jsonl
    python benchmarks/published_texts.py banking77 banking77_test.csv > banking77_test.jsonl
    python benchmarks/published_texts.py clinc150 clinc150.json test oos_test > clinc150_test.jsonl

White space is one space; ids are those of the corpus, or the numbers of its rows from 1.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.sentences import LabelledText

RESPELT = "spell_"
"""Prefix of HateCheck's functions with misspelled cases, which are not edited again."""
_OFFENSIVE_FUNCTIONS = ("slur_", "profanity_")
"""HateCheck's functions whose focus words are slurs or profanities."""
_BLANK = re.compile(r"\\\[[A-Z_]+\\\]")
"""A blank of an escaped template."""
_OUT_OF_SCOPE = "oos"
"""CLINC150's label of what is no request to the assistant."""
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_PLAIN = word_set("text/surface", "grammar-words") | frozenset(
    "anyone get getting got herself himself myself shut shutting themselves yourself".split()
)
"""Words of phrases of which another word is the profanity."""


def _hatecheck(text: str, _: Sequence[str]) -> Iterator[LabelledText]:
    columns = (
        "case_id",
        "test_case",
        "label_gold",
        "functionality",
        "focus_words",
        "case_templ",
    )
    targets = (
        row.get("target_ident") or "" for row in csv.DictReader(io.StringIO(text, newline=""))
    )
    for row, target in zip(_columns(text, columns), targets, strict=True):
        case, words, label, function, focus, template = row
        yield LabelledText(
            id=f"hatecheck-{case}",
            text=words,
            label=label,
            edit=not function.startswith(RESPELT),
            offensive=(*_slurs(words, template), *_profanities(function, focus)),
            slices={"function": function} | ({"target": target} if target else {}),
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


def _banking77(text: str, _: Sequence[str]) -> Iterator[LabelledText]:
    for number, (words, label) in enumerate(_columns(text, ("text", "category")), start=1):
        slices = {"domain": "banking", "intent": label}
        yield LabelledText(id=f"banking77-{number}", text=words, label=label, slices=slices)


def _clinc150(text: str, parts: Sequence[str]) -> Iterator[LabelledText]:
    split = msgspec.json.decode(text, type=dict[str, list[tuple[str, str]]])
    for part in parts:
        if part not in split:
            raise ValueError(f"no part {part!r}; it has {', '.join(split)}")
        for number, (words, label) in enumerate(split[part], start=1):
            domain = "out of scope" if label == _OUT_OF_SCOPE else "assistant"
            slices = {"domain": domain, "intent": label}
            yield LabelledText(
                id=f"clinc150-{part}-{number}", text=words, label=label, slices=slices
            )


def _columns(text: str, names: Sequence[str]) -> Iterator[list[str]]:
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    missing = [name for name in names if name not in (rows.fieldnames or ())]
    if missing:
        raise ValueError(f"no column {', '.join(missing)}")
    for row in rows:
        yield [row[name] or "" for name in names]


READERS: Mapping[str, Callable[[str, Sequence[str]], Iterator[LabelledText]]] = {
    "hatecheck": _hatecheck,
    "banking77": _banking77,
    "clinc150": _clinc150,
}


def read_published(name: str, text: str, parts: Sequence[str] = ()) -> Iterator[LabelledText]:
    """Yield the texts of a corpus in its order; ``parts`` are those of CLINC150."""
    for row in READERS[name](text, parts):
        yield msgspec.structs.replace(row, text=" ".join(row.text.split()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("format", choices=READERS)
    parser.add_argument("file", type=Path)
    parser.add_argument("parts", nargs="*", help="parts of CLINC150")
    options = parser.parse_args()
    text = options.file.read_text(encoding="utf-8")
    for row in read_published(options.format, text, options.parts):
        sys.stdout.write(msgspec.json.encode(row).decode() + "\n")


if __name__ == "__main__":
    main()
