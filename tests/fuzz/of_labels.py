"""What people label: inputs of each task, corpora of relations, and tables of label names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fuzz.target import Target, written
from mt_gate.evaluating.relation_labels import read_mapping
from mt_gate.relation_corpora.reading import read_relations
from mt_gate.running.labels import read_labels

SEEDS = Path(__file__).with_name("seeds")


def _target(seed: Path, read: Callable[[Path, str], object]) -> Target:
    what = seed.stem.partition("-")[2]
    return Target(
        lambda data: read(written(seed.name, data), what), lambda: {"rows": seed.read_bytes()}
    )


def _corpus(path: Path, form: str) -> None:
    for _ in read_relations(path, form):
        pass


TARGETS = {
    **{
        f"labels-{task}": _target(SEEDS / f"labels-{task}.jsonl", read_labels)
        for task in ("ner", "boolq", "re", "text")
    },
    **{
        f"corpus-{form}": _target(SEEDS / f"corpus-{form}.txt", _corpus)
        for form in ("tacred", "kbp37", "semeval", "fewrel", "opennre")
    },
    **{
        f"label-map-{kind}": _target(SEEDS / f"map.{kind}", lambda path, _: read_mapping(path))
        for kind in ("tsv", "csv", "json")
    },
}
