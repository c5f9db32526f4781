"""What people label: inputs of each task, corpora of relations, and tables of label names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fuzz.target import Target, written
from mt_gate.evaluating.relation_labels import read_mapping
from mt_gate.relation_corpora.reading import read_relations
from mt_gate.running.labels import read_labels

ROWS: Mapping[str, list[Any]] = {
    "ner": [
        {"tokens": ["Anna", "met", "Boris", "."], "tags": ["B-PER", "O", "B-PER", "O"]},
        {"text": "Anna met Boris.", "entities": [[0, 4, "PER"], [9, 14, "PER"]]},
    ],
    "boolq": [
        {"question": "is it so", "passage": "It is so.", "answer": True},
        {"question": "was it so", "passage": "It was not.", "answer": "no"},
    ],
    "re": [
        {
            "tokens": ["Ann", "Lee", "was", "born", "in", "Oslo"],
            "head": {"text": "Ann Lee", "start": 0, "end": 2, "type": "PERSON"},
            "tail": {"text": "Oslo", "start": 5, "end": 6},
            "relation": "born-in",
        },
        {
            "text": "Ann Lee was born in Oslo.",
            "head": {"start": 0, "end": 7},
            "tail": {"start": 20, "end": 24},
            "auto_labels": ["born-in"],
            "manual_labels": [],
        },
    ],
    "text": [
        {"text": "I hate it.", "label": "toxic"},
        {"text": "A man eats.", "second": "Nobody eats.", "labels": ["contradiction"]},
    ],
}
TOKENS = {"token": ["Ann", "Lee", "was", "born", "in", "Oslo"], "relation": "born-in"}
ENDS = {"subj_start": 0, "subj_end": 1, "subj_type": "PERSON"}
OTHER_ENDS = {"obj_start": 5, "obj_end": 5, "obj_type": "CITY"}
FEW = {
    "tokens": TOKENS["token"],
    "h": ["ann lee", "Q1", [[0, 1]]],
    "t": ["oslo", "Q2", [[5]]],
}
OPEN = {
    "text": "Ann Lee was born in Oslo.",
    "h": {"name": "Ann Lee", "id": "m1", "pos": [0, 7]},
    "t": {"name": "Oslo", "id": "m2", "pos": [20, 24]},
    "relation": "born-in",
}
MARKED = (
    b'8\t"The <e1>lid</e1> of the <e2>box</e2>, he said, was red."\n'
    b"Component-Whole(e1,e2)\nComment: none\n\n"
    b'9\t"A <e2>press</e2> made the <e1>oil</e1>."\nOther\nComment:\n'
)
MARKED_OF_KBP = (
    b'0\t"<e1> Ann Lee </e1> was born in <e2> Oslo </e2> , Norway ."\n'
    b"per:city_of_birth(e1,e2)\n\n"
    b'7\t"<e2> Ann Lee </e2> was born in <e1>  </e1> Norway ."\nno_relation\n'
)
CORPORA: Mapping[str, bytes] = {
    "tacred": json.dumps([{"id": "a1", **TOKENS, **ENDS, **OTHER_ENDS}]).encode(),
    "kbp37": MARKED_OF_KBP,
    "semeval": MARKED,
    "fewrel": json.dumps({"P19": [FEW]}).encode(),
    "opennre": json.dumps(OPEN).encode() + b"\n",
}


def _labelled(task: str) -> Target:
    def read(data: bytes) -> None:
        read_labels(written(f"{task}.jsonl", data), task)

    rows = b"".join(json.dumps(row).encode() + b"\n" for row in ROWS[task])
    return Target(read, lambda: {"rows": rows})


def _corpus(form: str) -> Target:
    def read(data: bytes) -> None:
        for _ in read_relations(written("corpus.txt", data), form):
            pass

    return Target(read, lambda: {"rows": CORPORA[form]})


def _mapping(suffix: str, seed: bytes) -> Target:
    def read(data: bytes) -> None:
        read_mapping(written(f"map{suffix}", data))

    return Target(read, lambda: {"map": seed})


TARGETS = {
    **{f"labels-{task}": _labelled(task) for task in ROWS},
    **{f"corpus-{form}": _corpus(form) for form in CORPORA},
    "label-map-tsv": _mapping(".tsv", b"# old\tnew\nborn-in\tbirth\tfile\nother\t\nlives\thome\n"),
    "label-map-csv": _mapping(".csv", b'"born, in",birth,file\nother,\nlives,home,system\n'),
    "label-map-json": _mapping(
        ".json", json.dumps({"a": "b", "c": None, "file": {"d": "e"}, "system": {}}).encode()
    ),
}
