"""What of an answer a score is made of, and the verdicts on half of the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.base.errors import CannotJudge
from mt_gate.evaluating.labelled import Labelled
from mt_gate.judging.verdicts import RelationVerdicts, SourceVerdicts
from mt_gate.mutating.study import digest, halved, measure_of, sample_counts
from mt_gate.sut.protocol import Prediction


@pytest.mark.parametrize(
    ("task", "measure", "gold", "answers", "counts"),
    [
        (
            "ner",
            "F1",
            {"entities": [[0, 4, "PER"], [5, 8, "LOC"]]},
            [
                {"entities": [[0, 4, "PER"], [5, 8, "LOC"]]},
                {"entities": [[0, 4, "PER"], [5, 8, "ORG"]]},
                {"entities": []},
                None,
            ],
            [(4, 4), (2, 4), (0, 2), (0, 2)],
        ),
        (
            "boolq",
            "accuracy",
            {"answer": "yes"},
            [{"answer": "yes"}, {"answer": "no"}, None],
            [(1, 1), (0, 1), (0, 1)],
        ),
        (
            "re",
            "F1",
            {"relations": ["a"]},
            [{"relation": "a"}, {"relation": "b"}, {"relation": "no_relation"}],
            [(2, 2), (0, 2), (0, 1)],
        ),
    ],
)
def test_scores_are_ratios_of_sums_of_these(
    task: str, measure: str, gold: dict, answers: list, counts: list
) -> None:
    labelled = [Labelled(str(at), {}, gold) for at in range(len(answers))]
    predictions = [Prediction(answer) for answer in answers]
    assert sample_counts(task, labelled, predictions) == tuple(counts)
    assert measure_of(task) == measure


def test_half_of_the_sources_is_the_same_half_in_every_run() -> None:
    groups = {f"g{at}": f"s{at // 2}" for at in range(200)}
    one = RelationVerdicts(
        id="a",
        violated=frozenset(list(groups)[:100]),
        satisfied=frozenset(list(groups)[100:180]),
        not_applicable={"vacuous": frozenset(list(groups)[180:])},
        source_of=groups,
        sources={source: SourceVerdicts(2) for source in groups.values()},
        unstable=frozenset({"g0", "g199"}),
    )
    (half,) = halved({"a": one}).values()
    assert 30 < len(half.sources) < 70
    assert half.groups == set(half.source_of)
    assert set(half.source_of.values()) == set(half.sources)
    assert len(half.groups) == 2 * len(half.sources)
    assert half.unstable <= half.groups
    other = RelationVerdicts(id="a", violated=frozenset(groups), source_of=groups)
    assert halved({"a": other})["a"].violated == half.groups


def test_a_bound_relation_keeps_sources() -> None:
    sources = {f"s{at}": SourceVerdicts(1, frozenset({f"g{at}"})) for at in range(40)}
    one = RelationVerdicts(
        id="a",
        bound=True,
        violated=frozenset(f"g{at}" for at in range(40)),
        source_of={f"g{at}": f"s{at}" for at in range(40)},
        sources=sources,
        silent_sources=frozenset({"s1", "s2", "s3"}),
        unstable=frozenset({"s4", "s5"}),
    )
    half = halved({"a": one})["a"]
    assert half.silent_sources == {"s1", "s2", "s3"} & half.sources.keys()
    assert half.unstable == {"s4", "s5"} & half.sources.keys()


def test_a_checkpoint_is_known_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    first = digest(tmp_path)
    (tmp_path / "folder").mkdir()
    assert digest(tmp_path) == first
    (tmp_path / "a").write_text("2")
    assert digest(tmp_path) != first
    with pytest.raises(CannotJudge, match="cannot be read"):
        digest(tmp_path / "none")
