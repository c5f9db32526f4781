"""Leave out labelled sentences that stand in a checkpoint's training data.

    python unseen_rows.py LABELS.jsonl TRAIN.jsonl.gz ... > UNSEEN.jsonl

Sentences are told by their letters and figures alone, since corpora differ in blanks and signs.
How many rows were left out is said on standard error.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, packed or not."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        yield from file


def told(line: str) -> str:
    """Return the letters and figures of a row's sentence."""
    row = json.loads(line)
    text = row.get("text") or " ".join(row["tokens"])
    return "".join(filter(str.isalnum, text.casefold()))


def main() -> None:
    labels, *training = map(Path, sys.argv[1:])
    seen = {told(line) for path in training for line in lines(path)}
    rows = list(lines(labels))
    kept = [line for line in rows if told(line) not in seen]
    sys.stdout.writelines(kept)
    print(f"{len(rows) - len(kept)} of {len(rows)} rows left out", file=sys.stderr)


if __name__ == "__main__":
    main()
