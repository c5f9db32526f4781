"""Shards part the clusters among them, whole, and store the settings that predict."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from making_relations import group, source, suite
from mt_gate.base.errors import UsageError
from mt_gate.domain import shard_index
from mt_gate.settings.loading import merged
from mt_gate.settings.record import SETTINGS
from mt_gate.sharding.answering import (
    MOST,
    SETTINGS_OF_SHARD,
    Part,
    part_of,
    read_part,
    shard_settings,
)

RELATION = "re/swap"


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 30)), min_size=1, max_size=30),
    st.integers(1, 9),
)
def test_shards_part_the_clusters(drawn: list[tuple[int, int]], of: int) -> None:
    """Each source's groups are in one shard, with all of its cluster and each second source."""
    import msgspec

    before = [
        msgspec.structs.replace(
            source(f"[Anna|h PERSON] met [Bo|t PERSON] {at}.", f"s{at}", bind=("re/bound",)),
            cluster=f"c{cluster}" if cluster else "",
        )
        for at, (cluster, _) in enumerate(drawn)
    ]
    groups = [
        msgspec.structs.replace(
            group(RELATION, one, f"[Bo|h PERSON] met [Anna|t PERSON] {at}."),
            second=before[second % len(before)].id,
        )
        for at, (one, (_, second)) in enumerate(zip(before, drawn, strict=True))
    ]
    whole = suite([RELATION], before, groups)
    parts = [part_of(whole, Part(number, of)) for number in range(1, of + 1)]
    assert Counter(actual.id for part in parts for actual in part.groups) == Counter(
        actual.id for actual in groups
    )
    bound = [actual for part in parts for actual in part.sources if actual.bind]
    assert sorted(actual.id for actual in bound) == sorted(actual.id for actual in before)
    for part in parts:
        clusters = {actual.cluster or actual.id for actual in part.sources if actual.bind}
        others = [actual for other in parts if other is not part for actual in other.sources]
        assert clusters.isdisjoint(one.cluster or one.id for one in others if one.bind)
        sources_of_part = {actual.id for actual in part.sources}
        assert sources_of_part >= {
            name for actual in part.groups for name in (actual.source, actual.second)
        }
        order = [actual.id for actual in before if actual.id in sources_of_part]
        assert [actual.id for actual in part.sources] == order


def test_shards_by_number() -> None:
    for text in ("1/1", " 3 / 7 ", f"{MOST}/{MOST}"):
        assert str(read_part(text, {})) == text.replace(" ", "")
    bad = ["", "1", "0/3", "4/3", "-1/3", "a/b", "1/0", "1/2/3", f"1/{MOST + 1}", "1/" + "9" * 99]
    for text in bad:
        with pytest.raises(UsageError, match="--shard must be I/N, with I from 1 to N"):
            read_part(text, {})


def array(**numbers: int) -> dict[str, str]:
    return {f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in numbers.items()}


@pytest.mark.parametrize(
    ("numbers", "part"),
    [
        ({"ID": 1, "MIN": 1, "COUNT": 7}, Part(1, 7)),
        ({"ID": 0, "MIN": 0, "COUNT": 7}, Part(1, 7)),
        ({"ID": 6, "MIN": 0, "COUNT": 7, "STEP": 1}, Part(7, 7)),
        ({"ID": 14, "MIN": 10, "COUNT": 3, "STEP": 2}, Part(3, 3)),
    ],
)
def test_the_place_in_a_job_array(numbers: dict[str, int], part: Part) -> None:
    assert read_part("slurm", array(**numbers)) == part


@pytest.mark.parametrize(("numbers", "words"), table(__file__, "what_is_no_job_array"))
def test_what_is_no_job_array(numbers: dict[str, int], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_part("slurm", array(**numbers))


@given(st.text(), st.integers(1, MOST))
def test_a_cluster_is_of_one_shard(key: str, of: int) -> None:
    assert 1 <= shard_index(key, of) <= of
    assert shard_index(key, of) == shard_index(key, of)
    assert shard_index(key, 1) == 1


VALUES = {
    "task": "text",
    "precision": "fp16",
    "backend": "torch",
    "relations": ["text/letter-case", "text/zero-width"],
    "sources": 12,
    "exclude": ["poems", "letters"],
    "answers": {"yes": "entailed", "no": "refuted"},
    "label_map": {"toxic": ["insult", "threat"]},
    "threshold": {"toxic": 0.25},
    "max_length": 64,
    "ontology": "kbp37",
}


@pytest.mark.parametrize("name", SETTINGS_OF_SHARD)
def test_a_setting_is_stored_as_its_file_has_it(name: str) -> None:
    """So that a merge, which reads the file, does not take it for another."""
    task = {"answers": "boolq", "ontology": "re"}.get(name, "text")
    options = {"checkpoint": "model", "task": task, name: VALUES[name]}
    result = shard_settings(merged(options, {}, Path("mt-gate.toml")))
    assert result == json.loads(json.dumps(result))
    assert name in result
    again = merged({"checkpoint": "model", **result}, {}, Path("mt-gate.toml"))
    assert shard_settings(again) == result
    assert set(result) == {"task", name}
    assert SETTINGS[name].default != result[name]
