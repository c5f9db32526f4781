"""Tables of results/text.md on checkpoints: violations, and the share of right predictions.

    python benchmarks/text_tables.py --data DATA [--references OUT] [--write]

Of the demo's two checkpoints, and with `--references` of those that `train_text_references.py` made
in OUT: whole suites; HateCheck's cases, and texts and pairs that were not trained on.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from mt_gate import gate
from mt_gate.base.figures import percent
from mt_gate.demo import CHECKPOINTS
from mt_gate.results.result import Result
from mt_gate.running.predicting import default_folder
from mt_gate.running.systems import open_named
from mt_gate.settings.record import Settings
from mt_gate.tasks.text import ID, SECOND, TASK, TEXT
from page_tables import markdown, put
from train_demo_text import intents, moderation
from train_text_references import inference

PAGE = Path(__file__).parents[1] / "benchmarks" / "results" / "text.md"
FIRST_WORDS = {
    "derog": "derogation",
    "threat": "threats",
    "slur": "slurs",
    "profanity": "profanity",
    "ref": "the target in a later clause",
    "negate": "negation",
    "phrase": "questions and opinions",
    "spell": "spelling disguised",
    "ident": "identity named, neutral or praised",
    "counter": "counter speech",
    "target": "abuse of things and of persons",
}
"""What HateCheck's functions test, by the first word of their names."""
MODERATION, ROBUSTNESS = "moderation-default", "text-robustness"
LABELS = {"hateful": "hateful", "non-hateful": "not hateful"}


class Tested(NamedTuple):
    """A checkpoint, as a column of tables."""

    name: str
    folder: Path

    def settings(self, suite: str, **more: object) -> Settings:
        """Return the settings of a run; only the suite of a label needs a map, of some."""
        assert TASK.demo is not None
        mapped = suite == MODERATION and self.name != "random"
        return Settings(
            checkpoint=str(self.folder),
            task=ID,
            suite=suite,
            label_map=TASK.demo.label_map if mapped else {},
            device="cpu",
            **more,  # type: ignore[arg-type]  # by name
        )


class TestSet(NamedTuple):
    """Inputs of one table: each with its label, and numbers of rows by what they test."""

    inputs: Sequence[Mapping[str, str]]
    labels: Sequence[str]
    groups: Mapping[tuple[str, ...], Sequence[int]]
    head: tuple[str, ...]


def relations(suite: str, checkpoints: Sequence[Tested]) -> str:
    """Return a row per relation, and one of all: how many of the applicable groups it violates."""
    found = [result(suite, one) for one in checkpoints]
    cells = [
        [(one.id, one.violated, one.applicable) for one in each.relations]
        + [("all", each.overall.violated, each.overall.applicable)]
        for each in found
    ]
    rows = []
    for at, (name, _, _) in enumerate(cells[0]):
        row = [name if name == "all" else f"`{name}`"]
        for _, violated, of in (column[at] for column in cells):
            row += [f"{of:,}", percent(violated / of) if of else "n/a"]
        rows.append(row)
    columns = [cell for one in checkpoints for cell in ("testable", one.name)]
    return markdown(("relation", *columns), rows)


def result(suite: str, checkpoint: Tested) -> Result:
    with TemporaryDirectory() as folder:
        settings = checkpoint.settings(suite, out=Path(folder) / "out")
        return gate.run(settings, lambda _: None, lambda _done, _total: None).result


def shares(data: TestSet, right: Callable[[str, str], bool], checkpoints: Sequence[Tested]) -> str:
    """Return a row per group of inputs: how many, and each checkpoint's share of right answers.

    Args:
        data: inputs, labels and groups of them.
        right: whether an answer is right, by the label.
        checkpoints: which answer.
    """
    found = [
        [
            right(predicted, label)
            for predicted, label in zip(answers(one, data), data.labels, strict=True)
        ]
        for one in checkpoints
    ]
    rows = [
        (*name, f"{len(numbers):,}", *(percent(share(one, numbers)) for one in found))
        for name, numbers in data.groups.items()
    ]
    return markdown((*data.head, "number", *(one.name for one in checkpoints)), rows)


def share(right: Sequence[bool], numbers: Sequence[int]) -> float:
    """Return the share of these rows that are right."""
    return sum(right[number] for number in numbers) / len(numbers)


def answers(checkpoint: Tested, data: TestSet) -> list[str]:
    """Return the label that a checkpoint decides for, per input."""
    found = [""] * len(data.inputs)
    settings = checkpoint.settings(ROBUSTNESS)
    with closing(open_named(settings, default_folder(), data.inputs, lambda _: None)) as system:
        for batch in system.predict(data.inputs):
            for index, prediction in batch:
                assert prediction.output is not None, prediction.reason
                (found[index],) = prediction.output["labels"]
    return found


def hatecheck(folder: Path) -> TestSet:
    """Return HateCheck's cases by label and what is tested, first word of the function's name."""
    with (folder / "hatecheck_cases.csv").open(encoding="utf-8", newline="") as lines:
        cases = [*csv.DictReader(lines)]
    groups: dict[tuple[str, ...], list[int]] = {}
    for label, shown in LABELS.items():
        every = [at for at, case in enumerate(cases) if case["label_gold"] == label]
        for at in every:
            kind = FIRST_WORDS[cases[at]["functionality"].partition("_")[0]]
            groups.setdefault((shown, kind), []).append(at)
        groups[shown, "all"] = every
    texts = [{TEXT: case["test_case"]} for case in cases]
    return TestSet(texts, [case["label_gold"] for case in cases], groups, ("label", "cases"))


def is_flagged_right(predicted: str, label: str) -> bool:
    """Whether an answer flags what HateCheck calls hateful, and nothing else."""
    assert TASK.demo is not None
    return (predicted in TASK.demo.label_map["hateful"]) == (label == "hateful")


def held_out(parts: Mapping[str, Sequence[tuple[str, str]]], head: str) -> TestSet:
    """Return texts that were not trained on; the part called all has every text."""
    every = [*parts["all"]]
    places = {row: at for at, row in enumerate(every)}
    groups: dict[tuple[str, ...], list[int]] = {
        (name,): [places[row] for row in rows] for name, rows in parts.items()
    }
    inputs = [{TEXT: text} for text, _ in every]
    return TestSet(inputs, [label for _, label in every], groups, (head,))


def tweets(folder: Path) -> TestSet:
    """Return the tweets that were not trained on, by label."""
    parts = moderation(folder).test
    return held_out({n if n == "all" else f"`{n}`": rows for n, rows in parts.items()}, "tweets")


def pairs(_: Path) -> TestSet:
    """Return the pairs of templates that were not trained on, by label."""
    rows = inference().test
    inputs = [{TEXT: row.texts[0], SECOND: row.texts[1]} for row in rows]
    groups: dict[tuple[str, ...], list[int]] = {("all",): [*range(len(rows))]}
    for at, row in enumerate(rows):
        groups.setdefault((f"`{row.label}`",), []).append(at)
    return TestSet(inputs, [row.label for row in rows], groups, ("pairs",))


def queries(folder: Path) -> TestSet:
    """Return the queries of CLINC150's test part."""
    return held_out(intents(folder).test, "queries")


def same(predicted: str, label: str) -> bool:
    """Whether an answer is the label."""
    return predicted == label


def demo() -> list[Tested]:
    """Return the demo's two checkpoints."""
    assert TASK.demo is not None
    both = {"baseline": TASK.demo.baseline, "candidate": TASK.demo.candidate}
    return [Tested(name, CHECKPOINTS / folder) for name, folder in both.items()]


def tables(data: Path, references: Path | None) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield every table's name, and what makes it."""
    both = demo()
    yield "moderation-relations", partial(relations, MODERATION, both)
    yield "moderation-hatecheck", lambda: shares(hatecheck(data), is_flagged_right, both)
    yield "moderation-tweets", lambda: shares(tweets(data), same, both)
    if references is None:
        return
    of = {one: Tested(one, references / one) for one in NAMES}
    flagging = [of["moderation"], of["words"]]
    every = [*flagging, of["random"]]
    yield "reference-moderation", partial(relations, MODERATION, every)
    yield "reference-robustness", partial(relations, ROBUSTNESS, every)
    yield "reference-intent", partial(relations, "intent-default", [of["intent"], of["random"]])
    yield "reference-inference", partial(relations, "inference-default", [of["inference"]])
    yield "reference-hatecheck", lambda: shares(hatecheck(data), is_flagged_right, flagging)
    yield "reference-tweets", lambda: shares(tweets(data), same, flagging)
    yield "reference-queries", lambda: shares(queries(data), same, [of["intent"]])
    yield "reference-pairs", lambda: shares(pairs(data), same, [of["inference"]])


NAMES = ("moderation", "intent", "inference", "words", "random")
"""Folders that `train_text_references.py` makes."""


def main() -> None:
    """Print the tables, or put them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with text/ in it")
    parser.add_argument("--references", type=Path, help="OUT of train_text_references.py")
    parser.add_argument("--only", nargs="+", metavar="TABLE", help="some of the tables")
    parser.add_argument(
        "--write", action="store_true", help="put the tables into benchmarks/results/text.md"
    )
    options = parser.parse_args()
    for name, made in tables(options.data / "text", options.references):
        if options.only and name not in options.only:
            continue
        if options.write:
            put(PAGE, name, made())
        else:
            print(f"{name}\n\n{made()}", flush=True)


if __name__ == "__main__":
    main()
