"""What is claimed of the baseline's answers, and that any JSON may stand in their place."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from making_pull_requests import Forge
from mt_gate.commands.run import run
from mt_gate.domain import Block, Entity, Verdict
from mt_gate.relations import catalogue
from mt_gate.reporting.words import rendering
from mt_gate.reporting.words.first_screen import Kind, gather
from mt_gate.reporting.words.rendering import both_answers, renderer
from mt_gate.reporting.words.texts import command
from mt_gate.results.result import (
    BaselineOutputs,
    Change,
    GateVerdict,
    GroupRow,
    Result,
    RunSettings,
)
from mt_gate.settings.loading import load
from mt_gate.settings.record import Settings
from reporting import made_up, made_up_re
from reporting.made_up import junit, report, summary

ROWS = made_up.rows()


@pytest.mark.parametrize(("task", "output", "labels"), table(__file__, "labels"))
def test_labels_that_readers_choose_groups_by(
    task: str, output: Mapping[str, Any], labels: list[str]
) -> None:
    assert [*renderer(task).labels(output)] == labels


@pytest.mark.parametrize(
    ("before", "after", "strength"), [(0.9, 0.2, 70), (0.5, 0.5, 0), (0.9, None, 0)]
)
def test_answers_are_ordered_by_their_change_of_score(
    before: float, after: float | None, strength: float
) -> None:
    outputs = [{"answer": "yes", "score": score} for score in (before, after)]
    row = msgspec.structs.replace(ROWS[0], source_output=outputs[0], follow_up_output=outputs[1])
    strongest = renderer("boolq").strongest
    assert strongest is not None
    assert strongest(row) == strength


def test_counts_stay_whole_where_rows_are_dropped() -> None:
    gathered = gather(made_up.result(), made_up.many(1000), most=60)
    new = gathered["ner/structural", Kind.NEW]
    assert new.total == 1000
    assert len(new.rows) == 60
    assert [row.id for row in new.rows][:3] == ["00000000", "00000001", "00000002"]


def test_the_longest_lists_are_cut_to_one_length() -> None:
    rows = made_up.rows({Change.NEW: 400, Change.FIXED: 40, Change.STILL: 8})
    gathered = gather(made_up.result(), made_up.again(rows), most=100)
    sizes = {
        kind: {len(lists.rows) for (_, k), lists in gathered.items() if k is kind} for kind in Kind
    }
    assert sizes[Kind.STILL] == {2}
    assert sizes[Kind.FIXED] == {10}
    assert sizes[Kind.NEW] == {13}
    assert {lists.total for (_, k), lists in gathered.items() if k is Kind.NEW} == {100}


def test_without_a_baseline_violated_groups_are_shown() -> None:
    rows = made_up.rows({None: 8})
    gathered = gather(made_up.result(GateVerdict.MEASURED), made_up.again(rows))
    assert {kind for _, kind in gathered} == {Kind.VIOLATED}
    assert sum(lists.total for lists in gathered.values()) == 8


def test_a_violated_group_without_partner_is_no_new_violation() -> None:
    row = msgspec.structs.replace(made_up.rows()[0], change=None)
    assert row.verdict is Verdict.VIOLATED
    gathered = gather(made_up.result(), made_up.again([row]))
    assert {kind for _, kind in gathered} == {Kind.STILL}


def test_groups_that_must_hold_come_first_and_unstable_ones_last() -> None:
    texts, entities = made_up.EXAMPLES["ner/structural"][0]
    rows = [made_up.row(n, "ner/structural", texts, entities, unstable=n == 0) for n in range(4)]
    settings = msgspec.structs.replace(made_up.settings(), must_hold=(rows[2].id,))
    gathered = gather(made_up.result(settings=settings), made_up.again(rows))
    order = [row.id[-1] for row in gathered["ner/structural", Kind.NEW].rows]
    assert order == ["2", "1", "3", "0"]


SOURCE, FOLLOW_UP = "Anna met Boris in Oslo.", "Boris saw Anna in Oslo."


def pieces(marked: rendering.Marked) -> list[tuple[str, str]]:
    return [(p.text, p.kind) for s in marked.segments for p in s.pieces]


def test_an_edit_is_the_text_outside_the_blocks() -> None:
    blocks = (Block(0, 0, 5), Block(9, 10, 9))
    marked = rendering.mark("Anna met the king", (), (), blocks, 0)
    assert pieces(marked) == [("Anna ", ""), ("met", "edited"), (" the king", "")]


def test_entities_are_segments_and_the_unmatched_are_marked() -> None:
    entities = (Entity(0, 4, "PER"), Entity(9, 14, "PER"))
    marked = rendering.mark(SOURCE, entities, entities[1:], (), 0)
    assert [(s.text, s.label, s.unmatched) for s in marked.segments] == [
        ("Anna", "PER", False),
        (" met ", None, False),
        ("Boris", "PER", True),
        (" in Oslo.", None, False),
    ]
    assert rendering.plain(marked) == "[Anna PER] met [Boris PER] in Oslo."


def test_overlapping_and_outlying_entities_are_listed_separately() -> None:
    entities = (Entity(0, 4, "PER"), Entity(2, 6, "LOC"), Entity(90, 99, "ORG"), Entity(3, 3, "X"))
    marked = rendering.mark(SOURCE, entities, (), (), 0)
    assert [s.label for s in marked.segments if s.label] == ["PER"]
    assert set(marked.unplaced) == set(entities[1:])


def test_entities_of_a_malformed_output_are_left_out() -> None:
    listed = [[0, 4, "PER"], ["0", 4, "PER"], [1, 2], None, [1, 2, 3]]
    assert rendering.entities(listed) == (Entity(0, 4, "PER"),)
    assert rendering.entities(None) == ()
    assert rendering.entities("abc") == ()


OFFSETS = st.integers(-3, 30)


@given(
    st.text(max_size=25),
    st.lists(st.builds(Entity, OFFSETS, OFFSETS, st.sampled_from(["A", "B"])), max_size=6),
    st.lists(st.builds(Block, OFFSETS, OFFSETS, st.integers(-2, 40)), max_size=5),
    st.sampled_from([0, 1]),
)
def test_no_character_is_lost_whatever_the_offsets(
    text: str, entities: list[Entity], blocks: list[Block], side: int
) -> None:
    marked = rendering.mark(text, entities, entities[:1], tuple(blocks), side)
    assert "".join(part for part, _ in pieces(marked)) == text
    placed = sum(1 for s in marked.segments if s.label is not None)
    assert placed + len(marked.unplaced) == len(set(entities))


NER, BOOLQ, RE = renderer("ner"), renderer("boolq"), renderer("re")
TEXTS = ("Rome is near Oslo.", "Is Rome near Oslo?")
ROW = made_up.row(1, "ner/structural", TEXTS, ((("Oslo", "LOC"),), (("Oslo", "ORG"),)))
ROME = {"entities": [[3, 7, "LOC"], [13, 17, "LOC"]]}


def ner(source: Any, follow_up: Any, change: Change | None = Change.NEW) -> GroupRow:
    before = BaselineOutputs(source=source, follow_up=follow_up)
    return msgspec.structs.replace(ROW, before=before, change=change)


def answers_of(row: GroupRow, render: Any = NER) -> Any:
    both = both_answers(row, render)
    assert both is not None
    return both


def bound(source: Any, follow_up: Any, change: Change) -> GroupRow:
    return msgspec.structs.replace(ner(source, follow_up, change), bound=True)


@pytest.mark.parametrize(
    ("row", "before"),
    [
        (bound(ROW.source_output, ROME, Change.NEW), "satisfied"),
        (bound(ROW.source_output, None, Change.NEW), ""),
        (bound(None, ROME, Change.NEW), ""),
        # Of another group: from this prediction the baseline built other follow-ups.
        (bound(ROME, ROME, Change.NEW), ""),
        (bound(ROME, ROME, Change.OK), ""),
        (bound(ROME, None, Change.STILL), "violated"),
        (bound(ROME, None, Change.FIXED), "violated"),
        (ner(ROME, None, Change.NEW), "satisfied"),
    ],
)
def test_of_a_group_that_the_baseline_never_built_nothing_is_claimed(
    row: GroupRow, before: str
) -> None:
    assert answers_of(row).verdicts[0] == before
    page = report(made_up.result(), made_up.again([row]), made_up.CATALOGUE)
    assert ("Baseline: satisfied" in page) == (before == "satisfied")


def test_a_pair_combined_with_another_second_is_not_known_to_the_baseline() -> None:
    example = next(e for e in made_up_re.EXAMPLES if e.second)
    said = made_up_re.said
    now = made_up_re.row(example)
    assert now.second_output is not None
    for second, verdict in ((now.second_output, "satisfied"), (said("per:other"), ""), (None, "")):
        before = BaselineOutputs(
            source=now.source_output, second=second, follow_up=said(example.expected)
        )
        row = msgspec.structs.replace(now, before=before, bound=True, change=Change.NEW)
        assert answers_of(row, RE).verdicts[0] == verdict


QUESTION = GroupRow(
    id="1f",
    relation="boolq/antonym-adjective",
    source_id="s",
    verdict=Verdict.VIOLATED,
    source={"question": "is it big", "passage": "It is big."},
    follow_up={"question": "is it small", "passage": "It is big."},
    source_output={"answer": "yes", "score": 0.75},
    follow_up_output={"answer": "yes", "score": 0.5},
    change=Change.NEW,
    before=BaselineOutputs(
        source={"answer": "yes", "score": 0.8}, follow_up={"answer": "no", "score": 0.1}
    ),
)


@pytest.mark.parametrize("task", ["ner", "boolq", "re", "no-such-task"])
@pytest.mark.parametrize(
    "odd", [{}, {"entities": 3}, {"entities": [[0, 10**9, "x"], [1], None]}, [], "x", 3, {"a": {}}]
)
def test_any_json_can_stand_in_a_row(task: str, odd: Any) -> None:
    row = {"ner": ROW, "boolq": QUESTION, "re": made_up_re.rows()[0]}.get(task, ROW)
    before = BaselineOutputs(source=odd, second=odd, follow_up=odd)
    row = msgspec.structs.replace(row, before=before)
    clean = made_up.result()
    head = msgspec.structs.replace(clean.suite, task=task)
    result = msgspec.structs.replace(clean, suite=head)
    for write in (report, junit, summary):
        assert write(result, made_up.again([row]), made_up.CATALOGUE)


def read(result: Result) -> Settings:
    """Return the settings that the command line itself reads from the command."""
    program, name, *words = shlex.split(command(result))
    assert (program, name) == ("mt-gate", "run")
    options = run.make_context("run", words).params
    ways = ("config", "shard", "address", "shards")  # not settings
    assert [options.pop(name) for name in ways] == [None] * len(ways)
    for name in ("executor", "verbose", "quiet", "form"):
        options.pop(name)
    return load(options, None)


RATES = st.floats(0, 1)


@given(
    alpha=st.floats(1e-6, 0.5),
    margin=st.floats(0, 1, exclude_max=True),
    loss=RATES,
    strict=st.booleans(),
    limits=st.dictionaries(st.sampled_from(["*", *catalogue.BY_ID]), RATES, max_size=4),
    must_hold=st.lists(st.text("0123456789abcdef", min_size=16, max_size=16), unique=True),
    relations=st.lists(st.sampled_from([*catalogue.BY_ID]), unique=True),
    complete=st.booleans(),
)
def test_the_command_says_the_same_settings_to_the_last_digit(
    alpha: float,
    margin: float,
    loss: float,
    strict: bool,
    limits: dict[str, float],
    must_hold: list[str],
    relations: list[str],
    complete: bool,
) -> None:
    used = RunSettings(
        alpha=alpha,
        margin=margin,
        strict=strict,
        max_applicability_loss=loss,
        max_violation_rate=limits,
        must_hold=tuple(must_hold),
        relations=tuple(relations),
        complete=complete,
        noise=0.0,
    )
    actual = read(made_up.result(settings=used))
    assert (actual.alpha, actual.margin, actual.max_applicability_loss) == (alpha, margin, loss)
    assert (actual.strict, dict(actual.max_violation_rate)) == (strict, limits)
    assert actual.must_hold == used.must_hold
    if actual.relations:
        assert actual.relations == used.relations
    else:
        assert not relations or complete


def test_every_option_is_one_of_the_command_line() -> None:
    clean = made_up.result()
    part = ("without wikigold", "without re-tacred", "100 of 5551 sources, seed 2023")
    suite = msgspec.structs.replace(
        clean.suite, task="re", part=part, ontology="kbp37 sha256:00", name="re-default"
    )
    options = {"checkpoint": "models/ner", "ontology": "kbp37"}
    actual = read(made_up.result(suite=suite, options=options))
    assert (actual.sources, actual.exclude) == (100, ("wikigold", "re-tacred"))
    assert (actual.task, actual.suite, actual.ontology) == ("re", "re-default", "kbp37")
    assert (actual.checkpoint, actual.baseline) == ("models/ner", Path("baselines/ner.json"))


@pytest.mark.parametrize("where", ["relative", "absolute"])
def test_the_baseline_of_a_base_commit_is_taken_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    forge = Forge(tmp_path)
    commit = forge.commit({"gates/my baselines/ner.json": b"base"})
    forge.commit({"gates/my baselines/ner.json": b"edited"})
    gates = forge.clone / "gates"
    monkeypatch.chdir(gates)
    path = Path("my baselines/ner.json")
    path = path if where == "relative" else gates / path
    head = made_up.result().baseline
    assert head is not None
    head = msgspec.structs.replace(head, path=str(path), commit=commit)
    before, _, run = command(made_up.result(baseline=head)).partition(" && ")
    subprocess.run(["sh", "-c", before], check=True)
    words = shlex.split(run)
    file = Path(words[words.index("--baseline") + 1])
    assert file.read_bytes() == b"base"
    assert path.read_bytes() == b"edited"
