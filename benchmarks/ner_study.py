"""How many suspicious issues of a run have a true error, by labels and by a reader.

TIN (ESEC/FSE 2023), sections 4.4 and 4.5: an issue is a violated group; it is
erroneous if the system's answer to at least one of its two sentences is wrong.

    mt-gate run --checkpoint CHECKPOINT --task ner --suite SUITE --out OUT
    python benchmarks/ner_study.py OUT --labels FILE --sheet issues.csv
    python benchmarks/ner_study.py OUT --labels FILE --read issues.csv

The first call prints the figures by labels and writes a sheet of random issues
for a reader, who marks each ``error`` or ``none``; the second reads it back.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.figures import percent
from mt_gate.domain import Verdict, map_span
from mt_gate.judging.statistics import wilson
from mt_gate.relations.ner.entities import cores
from mt_gate.repairing.repair import Gold, read_labels
from mt_gate.results.result import GroupRow
from mt_gate.results.store import read_result, read_rows

COLUMNS = ("id", "relation", "source", "said", "labels", "follow_up", "said_of_it", "mark", "note")
Answer = dict[tuple[int, int], str]


class Judged(NamedTuple):
    """An issue: whether either answer is wrong anywhere, and whether where the two disagree."""

    row: GroupRow
    anywhere: bool
    where_they_differ: bool


def answer(text: str, output: Mapping[str, object]) -> Answer:
    return {(e.start, e.end): e.label for e in cores(text, output)}


def moved(gold: Gold, row: GroupRow) -> Answer:
    """Return the labels of the follow-up: those of the source, at the new places of the words."""
    spans = {map_span(row.alignment, *span): label for span, label in gold.items()}
    return {span: label for span, label in spans.items() if span is not None}


def judged(row: GroupRow, gold: Gold) -> Judged:
    assert row.follow_up is not None
    before = answer(row.source["text"], row.source_output)
    after = answer(row.follow_up["text"], row.follow_up_output)
    right, right_after = dict(gold), moved(gold, row)
    unmatched = row.unmatched or {}
    lost = {span_of(row.source["text"], item) for item in unmatched.get("source", ())}
    added = {span_of(row.follow_up["text"], item) for item in unmatched.get("follow_up", ())}
    origins = {map_span(row.alignment, *span): span for span in (*before, *right)}
    here = lost | {origins[span] for span in added if span in origins}
    there = added | {span for span in (map_span(row.alignment, *s) for s in lost) if span}
    differ = any(before.get(span) != right.get(span) for span in here) or any(
        after.get(span) != right_after.get(span) for span in there
    )
    return Judged(row, before != right or after != right_after, differ)


def span_of(text: str, item: Sequence[object]) -> tuple[int, int]:
    found = next(iter(cores(text, {"entities": [item]})))
    return found.start, found.end


def share(part: int, whole: int) -> str:
    if not whole:
        return "-"
    low, high = wilson(part, whole)
    return f"{part} of {whole} ({percent(part / whole)} [{percent(low)}, {percent(high)}])"


def shown(entities: Answer, text: str) -> str:
    return "; ".join(f"{text[a:b]}={label}" for (a, b), label in sorted(entities.items()))


def write_sheet(path: Path, issues: Sequence[Judged], labels: Mapping[str, Gold]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        sheet = csv.writer(file)
        sheet.writerow(COLUMNS)
        for row, *_ in issues:
            assert row.follow_up is not None
            text, new = row.source["text"], row.follow_up["text"]
            said = shown(answer(text, row.source_output), text)
            said_of_it = shown(answer(new, row.follow_up_output), new)
            right = shown(dict(labels[text]), text)
            sheet.writerow([row.id, row.relation, text, said, right, new, said_of_it, "", ""])


def read_sheet(path: Path) -> None:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            if line["mark"] not in ("error", "none"):
                raise SystemExit(f"{path}: {line['id']} is marked {line['mark']!r}: error or none")
            for name in (line["relation"], "all"):
                counts[name][0] += line["mark"] == "error"
                counts[name][1] += 1
    for name, (part, whole) in counts.items():
        print(f"by the reader, {name}: {share(part, whole)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("out", type=Path, help="folder of a run")
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--sheet", type=Path, help="write a sheet of random issues")
    parser.add_argument("--issues", type=int, default=100, help="how many of them")
    parser.add_argument("--read", type=Path, help="read a marked sheet")
    options = parser.parse_args()
    labels = read_labels(options.labels)
    issues: dict[str, list[Judged]] = defaultdict(list)
    violated = unlabelled = 0
    stored = options.out / "result.json"
    for row in read_rows(stored, read_result(stored)):
        if row.verdict is not Verdict.VIOLATED:
            continue
        violated += 1
        gold = labels.get(row.source["text"])
        if gold is None:
            unlabelled += 1
            continue
        issues[row.relation].append(judged(row, gold))
    print(f"violated groups: {violated}; skipped without labels: {unlabelled}")
    for name, found in [*issues.items(), ("all", [i for some in issues.values() for i in some])]:
        anywhere = sum(issue.anywhere for issue in found)
        differ = sum(issue.where_they_differ for issue in found)
        print(f"{name}: an answer wrong {share(anywhere, len(found))}")
        print(f"{name}: wrong where they differ {share(differ, len(found))}")
    if options.sheet:
        every = [issue for some in issues.values() for issue in some]
        every.sort(key=lambda issue: hashlib.sha256(issue.row.id.encode()).digest())
        write_sheet(options.sheet, every[: options.issues], labels)
    if options.read:
        read_sheet(options.read)


if __name__ == "__main__":
    main()
