"""Remove labelled sentences that are in a checkpoint's training data.

    python unseen_rows.py LABELS.jsonl TRAIN.jsonl.gz ... > UNSEEN.jsonl

Sentences are compared by letters and digits only, since corpora differ in spaces and signs.
The number of removed rows is printed on standard error.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, compressed or not."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        yield from file


def letters_of(line: str) -> str:
    """Return the letters and digits of a row's sentence."""
    row = json.loads(line)
    text = row.get("text") or " ".join(row["tokens"])
    return "".join(filter(str.isalnum, text.casefold()))


def main() -> None:
    labels, *training = map(Path, sys.argv[1:])
    seen = {letters_of(line) for path in training for line in lines(path)}
    rows = list(lines(labels))
    kept = [line for line in rows if letters_of(line) not in seen]
    sys.stdout.writelines(kept)
    print(f"{len(rows) - len(kept)} of {len(rows)} rows removed", file=sys.stderr)


if __name__ == "__main__":
    main()
