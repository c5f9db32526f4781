"""What the fault bench does to training data does what it says, and no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fault_examples import (
    Example,
    drawn,
    exchanged,
    noisy,
    read_examples,
    shortest,
    without_labels,
    write_labelled,
)
from mt_gate.evaluating.labelled import read_labelled

TAGS = ("O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC")
RELATIONS = ("no_relation", "per:title(e1,e2)", "per:title(e2,e1)", "org:members(e1,e2)")
SENTENCES = [
    Example(("Anna", "Lee", "met", "Acme", f"{at}"), (1, 2, 0, 3, 0), by_word=True)
    for at in range(400)
]
PAIRS = [Example((f"a pair {at}",), (at % 4,)) for at in range(400)]


def test_a_share_of_the_entities_gets_another_kind() -> None:
    found = noisy(SENTENCES, 0.3, TAGS, 0)
    changed = [e for e, before in zip(found, SENTENCES, strict=True) if e != before]
    assert 0.4 < len(changed) / 400 < 0.62  # either of two entities
    for example in found:
        first, inner, *_ = (TAGS[at] for at in example.labels)
        assert (first, inner) in {
            ("B-PER", "I-PER"),
            ("B-ORG", "I-ORG"),
            ("B-LOC", "I-LOC"),
            ("O", "O"),
        }
        assert example.labels[2] == example.labels[4] == 0
    assert noisy(SENTENCES, 0.3, TAGS, 0) == found
    assert noisy(SENTENCES, 0.3, TAGS, 1) != found
    assert noisy(SENTENCES, 0.0, TAGS, 0) == SENTENCES


def test_a_word_alone_is_a_word() -> None:
    alone = [Example(("yes",), (0,), by_word=True)] * 50
    assert noisy(alone, 1.0, TAGS, 0) == alone


def test_a_share_of_the_labels_gets_another_kind() -> None:
    found = noisy(PAIRS, 0.2, RELATIONS, 0)
    changed = [(e.labels, old.labels) for e, old in zip(found, PAIRS, strict=True) if e != old]
    assert 0.12 < len(changed) / 400 < 0.28


def test_two_kinds_bear_each_others_name() -> None:
    found = exchanged(SENTENCES, 1.0, TAGS, 0)
    assert {example.labels for example in found} == {(3, 4, 0, 1, 0)}
    turned = exchanged([Example(("a",), (1,)), Example(("b",), (3,))] * 20, 1.0, RELATIONS, 0)
    assert [example.labels[0] for example in turned] == [3, 1] * 20


def test_the_most_frequent_kind_is_forgotten() -> None:
    found = without_labels(PAIRS, 1, RELATIONS, 0)
    assert {example.labels[0] for example in found} == {0, 3}
    assert len(found) == len(PAIRS)


def test_the_shortest_are_seen_more_often() -> None:
    examples = [Example(("word " * (at + 1),), (0,)) for at in range(100)]
    found = shortest(examples, 0.1, RELATIONS, 0)
    assert len(found) == 100
    assert set(found) == set(examples[:10])


def test_a_draw_is_of_its_seed() -> None:
    assert drawn(PAIRS, 50, 1) == drawn(PAIRS, 50, 1) != drawn(PAIRS, 50, 2)
    assert len(set(drawn(PAIRS, 1000, 1))) == 400


@pytest.fixture
def data(tmp_path: Path) -> Path:
    row = {
        "id": "r0",
        "tokens": ["Anna", "leads", "Acme", "now", "."],
        "head": {"text": "Anna", "start": 0, "end": 1, "type": "PERSON"},
        "tail": {"text": "Acme", "start": 2, "end": 3, "type": "ORGANIZATION"},
        "relation": "per:title",
    }
    rows = [row | {"id": f"r{at}"} for at in range(20)]
    rows += [row | {"id": "none", "relation": "no_relation"}]
    (tmp_path / "re").mkdir()
    for name in ("kbp37_dev.jsonl", "kbp37_train.jsonl"):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / "re" / name).write_text(text)
    import gzip

    for name in ("kbp37_test.jsonl.gz", "kbp37_train.jsonl.gz"):
        (tmp_path / "re" / name).write_bytes(gzip.compress(text.encode()))
    return tmp_path


def test_relations_are_read_in_both_directions(data: Path) -> None:
    found = read_examples("re", data, RELATIONS)
    assert {(e.texts[0], RELATIONS[e.labels[0]]) for e in found[:20]} == {
        ("[E1] Anna [/E1] leads [E2] Acme [/E2] now .", "per:title(e1,e2)"),
        ("[E2] Anna [/E2] leads [E1] Acme [/E1] now .", "per:title(e2,e1)"),
    }
    assert RELATIONS[found[20].labels[0]] == "no_relation"


def test_what_is_scored_on_can_be_read(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    write_labelled("re", data, path)
    found = read_labelled(path, "re").samples
    assert {gold for item in found for gold in item.gold["relations"]} <= set(RELATIONS)
    whole = path.read_bytes()
    (data / "re" / "kbp37_test.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(OSError, match=r"[Gg]zip"):
        write_labelled("re", data, path)
    assert path.read_bytes() == whole
