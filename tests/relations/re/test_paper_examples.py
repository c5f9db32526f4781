"""The examples of the paper's tables 2, 3 and 7, with a system that answers as it says."""

from __future__ import annotations

import pytest

from cases import table
from making_relations import TableSystem, group, marked, source, suite
from mt_gate.domain import Verdict
from mt_gate.ontologies.reading import open_ontology
from mt_gate.relations.base import Context
from mt_gate.relations.catalogue import BY_ID
from mt_gate.results.result import GroupRow
from mt_gate.running import evaluation
from mt_gate.running.predicting import Cache, Predictor

TACRED = Context(open_ontology("tacred"))

LYNNE = (
    "It is unknown as of now whether or not Britney’s mother {}, pregnant sister {} or brother "
    "Brian are on their way to LA."
)
DUNNE = (
    "{} was part of a famous family that also included his brother, novelist and screenwriter "
    "John Gregory Dunne; {} brother’s wife, author {}..."
)
BLATTER = (
    "World soccer chief Joseph Sepp Blatter is expected in Madagascar on Tuesday, the president of "
    "the {} -LRB- {} -RRB- {} said on Monday."
)
FEDERATION, FMF, AHMAD = "Madagascan Football Federation", "FMF", "Ahmad"

# relation, source, its answer, follow-up, its answer, what must come
TABLE_2 = table(__file__, "table_2")
TABLE_7 = table(__file__, "table_7")
# relation, first source, its answer, second source, its answer, follow-up, its answer
TABLE_3 = table(__file__, "table_3")


def run(made, system, tmp_path, context=TACRED) -> list[GroupRow]:
    relations = [BY_ID[item.id] for item in made.head.relations]
    predictor = Predictor(system, Cache(tmp_path, system.cache_key), lambda *_: None)
    return [*evaluation.evaluate(made, relations, predictor, context)[0]]


@pytest.mark.parametrize(("name", "before", "said", "after", "then", "wanted"), TABLE_2 + TABLE_7)
def test_replaced_moved_and_swapped(name, before, said, after, then, wanted, tmp_path):
    first = source(before)
    made = suite([name], [first], [group(name, first, after)])
    (row,) = run(made, TableSystem({before: said, after: then}), tmp_path)
    assert row.source_output["relation"] == said
    assert row.follow_up == marked(after)
    if then == wanted:
        assert row.verdict is Verdict.SATISFIED
    else:
        assert row.verdict is Verdict.VIOLATED
        assert row.unmatched == {"expected": wanted}


@pytest.mark.parametrize(
    ("name", "first", "said", "second", "expected", "after", "then"),
    TABLE_3,
)
def test_combined(name, first, said, second, expected, after, then, tmp_path):
    made = suite([name], [source(first, bind=(name,))], [])
    (row,) = run(made, TableSystem({first: said, second: expected, after: then}), tmp_path)
    assert row.follow_up == marked(after)
    assert row.second == marked(second)
    assert row.second_output["relation"] == expected
    assert row.bound
    assert row.verdict is (Verdict.SATISFIED if then == expected else Verdict.VIOLATED)
    assert row.unmatched == (None if then == expected else {"expected": expected})


def test_an_unfitting_answer_leaves_nothing_to_say(tmp_path):
    for name, before, _, after, _, _ in TABLE_2:
        first = source(before)
        made = suite([name], [first], [group(name, first, after)])
        system = TableSystem({})
        (row,) = run(made, system, tmp_path / name)
        assert row.verdict is Verdict.NOT_APPLICABLE
        assert row.reason == "source-answer"
        assert system.requests == [marked(before)], "the follow-up need not be predicted"


def test_no_symmetric_relation_no_second_source(tmp_path):
    for name, first, _, second, result, _, _ in TABLE_3:
        made = suite([name], [source(first, bind=(name,))], [])
        system = TableSystem({first: "per:title", second: result})
        (row,) = run(made, system, tmp_path / name)
        assert row.verdict is Verdict.NOT_APPLICABLE
        assert row.follow_up is None
        assert len(system.requests) == 1


def test_what_a_symmetric_relation_does_not_share_is_not_combined(tmp_path):
    name, first, said, second, _, _, _ = TABLE_3[0]
    made = suite([name], [source(first, bind=(name,))], [])
    system = TableSystem({first: said, second: "per:title"})
    (row,) = run(made, system, tmp_path)
    assert row.verdict is Verdict.NOT_APPLICABLE
    assert len(system.requests) == 2


def test_types_alone_say_nothing_to_a_system_that_reads_none(tmp_path):
    name, before, said, after, _, _ = TABLE_7[0]
    first = source(before)
    made = suite([name], [first], [group(name, first, after)])
    system = TableSystem({before: said})
    (row,) = run(made, system, tmp_path, TACRED._replace(reads_types=False))
    assert row.reason == "types-unread"
    assert len(system.requests) == 1


def test_each_distinct_input_is_predicted_once(tmp_path):
    """Sources, second sources and follow-ups of all relations share what they have in common."""
    answers, sources, groups, names = {}, [], [], []
    for number, (name, before, said, after, then, _) in enumerate(TABLE_2):
        first = source(before, f"s{number}")
        sources.append(first)
        groups += [group(name, first, after, stratum) for stratum in ("",)]
        answers |= {before: said, after: then}
        names.append(name)
    for number, (name, one, said, two, result, after, then) in enumerate(TABLE_3):
        sources += [source(one, f"c{number}", (name,)), source(two, f"d{number}", (name,))]
        answers |= {one: said, two: result, after: then}
        names.append(name)
    for both in ("re/swap-symmetric", "re/swap-antisymmetric"):
        for item in sources:
            swapped = {
                "text": item.input["text"],
                "head": item.input["tail"],
                "tail": item.input["head"],
            }
            groups.append(
                group(both, sources[0], TABLE_2[0][1]).__class__(
                    id=f"{both}{item.id}", relation=both, source=item.id, follow_up=swapped
                )
            )
    system = TableSystem(answers)
    rows = run(suite(list(dict.fromkeys(names)), sources, groups), system, tmp_path)
    texts = [repr(item) for item in system.requests]
    assert len(texts) == len(set(texts))
    assert sum(row.verdict is Verdict.SATISFIED for row in rows) >= len(TABLE_2)
