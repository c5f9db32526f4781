"""The tables of docs/text.md on the demo's two checkpoints for moderation.

    python benchmarks/moderation_table.py --data DATA [--write]

How often each violates what the whole of `moderation-default` says, and its share of right answers
to HateCheck's cases and to the tweets of Davidson et al. that were not trained on.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from mt_gate import gate
from mt_gate.base.figures import percent
from mt_gate.demo import CHECKPOINTS
from mt_gate.results.result import Result
from mt_gate.settings.record import Settings
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.tasks.text import ID, TASK, TEXT
from page_tables import markdown, put
from train_demo_text import TWEET_LABELS, Row, moderation

PAGE = Path(__file__).parents[1] / "docs" / "text.md"
SUITE = "moderation-default"
TABLES = ("moderation-relations", "moderation-hatecheck", "moderation-tweets")
FIRST_WORDS = {
    "derog": "derogation",
    "threat": "threats",
    "slur": "slurs",
    "profanity": "profanity",
    "ref": "the target in a later clause",
    "negate": "negation",
    "phrase": "questions and opinions",
    "spell": "spelling disguised",
    "ident": "groups named, neutral or praised",
    "counter": "counter speech",
    "target": "abuse of things and of persons",
}
"""What HateCheck's functions test, by the first word of their names."""
LABELS = {"hateful": "hateful", "non-hateful": "not hateful"}


def names() -> tuple[str, str]:
    assert TASK.demo is not None
    return TASK.demo.baseline, TASK.demo.candidate


def result(checkpoint: str) -> Result:
    assert TASK.demo is not None
    with TemporaryDirectory() as folder:
        settings = Settings(
            checkpoint=str(CHECKPOINTS / checkpoint),
            task=ID,
            suite=SUITE,
            label_map=TASK.demo.label_map,
            device="cpu",
            out=Path(folder) / "out",
            cache=Path(folder) / "cache",
        )
        return gate.run(settings, lambda _: None, lambda _done, _total: None).result


def relations() -> str:
    """Return a row per relation, and one of all: how many of the applicable groups it violates."""
    found = [result(name) for name in names()]
    cells = [
        [(one.id, one.violated, one.applicable) for one in each.relations]
        + [("all", each.overall.violated, each.overall.applicable)]
        for each in found
    ]
    rows = []
    for before, after in zip(*cells, strict=True):
        name = before[0] if before[0] == "all" else f"`{before[0]}`"
        rates = [percent(bad / of) if of else "n/a" for _, bad, of in (before, after)]
        counts = [f"{of:,}" for _, _, of in (before, after)]
        rows.append((name, counts[0], rates[0], counts[1], rates[1]))
    return markdown(("relation", "applicable", "baseline", "applicable", "candidate"), rows)


def answers(checkpoint: str, rows: Sequence[Row]) -> list[str]:
    system = OnnxSystem(CHECKPOINTS / checkpoint, ID, "cpu")
    found = [""] * len(rows)
    for batch in system.predict([{TEXT: row.text} for row in rows]):
        for index, prediction in batch:
            assert prediction.output is not None, prediction.reason
            (found[index],) = prediction.output["labels"]
    return found


def hatecheck(path: Path) -> str:
    """Return a row per label and what is tested: the share that is flagged as its label says."""
    assert TASK.demo is not None
    flagged = TASK.demo.label_map["hateful"]
    cases: list[Row] = []
    groups: dict[tuple[str, str], list[int]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines)):
            cases.append(Row(row["test_case"], row["label_gold"]))
            kind = FIRST_WORDS[row["functionality"].partition("_")[0]]
            groups.setdefault((row["label_gold"], kind), []).append(number)
    for label in LABELS:
        groups[label, "all"] = [number for number, case in enumerate(cases) if case.label == label]
    right = [
        [
            (told in flagged) == (case.label == "hateful")
            for told, case in zip(answers(name, cases), cases, strict=True)
        ]
        for name in names()
    ]
    rows = [
        (LABELS[label], kind, *shares(groups[label, kind], right))
        for label, kind in sorted(groups, key=lambda group: [*LABELS].index(group[0]))
    ]
    return markdown(("label", "cases", "number", "baseline", "candidate"), rows)


def shares(chosen: Sequence[int], right: Sequence[Sequence[bool]]) -> Iterator[str]:
    """Yield how many are chosen, and each checkpoint's share of right answers to them."""
    yield f"{len(chosen):,}"
    for one in right:
        yield percent(sum(one[number] for number in chosen) / len(chosen))


def tweets(folder: Path) -> str:
    """Return a row per label of the tweets, and one of all: the share that is labelled so."""
    held = moderation(folder).test["all"]
    right = [
        [told == row.label for told, row in zip(answers(name, held), held, strict=True)]
        for name in names()
    ]
    rows = []
    for label in ("all", *TWEET_LABELS):
        chosen = [number for number, row in enumerate(held) if label in ("all", row.label)]
        rows.append((label if label == "all" else f"`{label}`", *shares(chosen, right)))
    return markdown(("tweets", "number", "baseline", "candidate"), rows)


def main() -> None:
    """Print the tables, or put them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with text/ in it")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/text.md")
    given = parser.parse_args()
    folder = given.data / "text"
    tables = (relations(), hatecheck(folder / "hatecheck_cases.csv"), tweets(folder))
    for name, table in zip(TABLES, tables, strict=True):
        if given.write:
            put(PAGE, name, table)
        else:
            print(f"{name}\n\n{table}")


if __name__ == "__main__":
    main()
