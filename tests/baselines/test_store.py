"""Baseline files: written whole, read with suspicion, paired with later runs."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import canonical
from mt_gate.baselines import store as baseline_store
from mt_gate.baselines.store import (
    Baseline,
    Units,
    baseline_path,
    build_baseline,
    check_covers,
    check_fits,
    check_name,
    check_recordable,
    diff_baselines,
    format_baseline,
    read_baseline,
    units_of_run,
    write_baseline,
)
from mt_gate.domain import Verdict
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.result import (
    CheckpointHead,
    Decision,
    GateVerdict,
    GroupRow,
    Overall,
    Predictions,
    Profiles,
    RelationResult,
    Result,
    RunSettings,
    Runtime,
    SuiteHead,
    Timing,
    Tool,
)

SUITE = SuiteHead(name="ner-default", version="3", task="ner", sha256="ab" * 32)
SETTINGS = RunSettings(
    alpha=0.05,
    margin=0.01,
    strict=False,
    max_applicability_loss=0.1,
    max_violation_rate={"*": 0.9},
    must_hold=(),
    relations=("swap", "bind"),
    complete=True,
    noise=1e-6,
)
LETTERS = {"v": Verdict.VIOLATED, "s": Verdict.SATISFIED}
RECORDED = "2025-01-31T12:00:00Z"


def static(pattern: str, relation: str = "swap") -> list[GroupRow]:
    """Build a group a letter, two a source; a letter beyond v and s is a reason."""
    return [
        GroupRow(
            id=f"{relation}-{i:012x}",
            relation=relation,
            source_id=f"source-{i // 2:04x}",
            verdict=LETTERS.get(code, Verdict.NOT_APPLICABLE),
            source={"text": "A."},
            follow_up={"text": "B."},
            reason="" if code in LETTERS else {"n": "vacuous", "t": "too-long"}[code],
        )
        for i, code in enumerate(pattern)
    ]


def bound(patterns: list[str], relation: str = "bind") -> list[GroupRow]:
    """Build a source a pattern; an empty one binds nothing."""
    return [
        GroupRow(
            id=f"{relation}-{i}-{j}",
            relation=relation,
            source_id=f"source-{i:04x}",
            verdict=LETTERS.get(code, Verdict.NOT_APPLICABLE),
            source={"text": "A."},
            reason="" if code in LETTERS else "unbound",
            bound=True,
        )
        for i, pattern in enumerate(patterns)
        for j, code in enumerate(pattern or "-")
    ]


def result_of(rows: list[GroupRow], **changed: Any) -> Result:
    """Count rows as a run would."""
    relations = []
    for relation in dict.fromkeys(row.relation for row in rows):
        mine = [row for row in rows if row.relation == relation]
        reasons = [row.reason for row in mine if row.verdict is Verdict.NOT_APPLICABLE]
        violated = sum(row.verdict is Verdict.VIOLATED for row in mine)
        applicable = len(mine) - len(reasons)
        relations.append(
            RelationResult(
                id=relation,
                groups=len(mine),
                applicable=applicable,
                violated=violated,
                violation_rate=violated / applicable if applicable else None,
                not_applicable={reason: reasons.count(reason) for reason in set(reasons)},
            )
        )
    named = tuple(relation.id for relation in relations)
    result = Result(
        format=2,
        tool=Tool(name="mt-gate", version="0.1.0"),
        verdict=GateVerdict.MEASURED,
        exit_code=0,
        reasons=(),
        created=RECORDED,
        suite=SUITE,
        checkpoint=CheckpointHead(
            name="models/ner",
            fingerprint="cd" * 32,
            runtime=Runtime(
                provider="cpu", precision="fp32", device="cpu", onnxruntime="1.20", cpu="x86"
            ),
        ),
        settings=msgspec.structs.replace(SETTINGS, relations=named),
        relations=tuple(relations),
        overall=Overall(applicable=0, violated=0, violation_rate=None),
        profile=Profiles(candidate={"PER": 0.75, "LOC": 0.5}),
        timing=Timing(),
        predictions=Predictions(requested=0, unique=0, cached=0),
    )
    return msgspec.structs.replace(result, **changed)


ROWS = static("vsns" * 10 + "tv") + bound(["vs", "", "sss", "v"] * 5)


def built(rows: list[GroupRow] = ROWS, accept: str | None = None) -> Baseline:
    return build_baseline(result_of(rows), rows, "ner", RECORDED, accept)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ner.json"
    write_baseline(path, built())
    return path


def test_what_is_read_is_what_was_built(file: Path) -> None:
    assert read_baseline(file) == built()
    verdicts, run = read_baseline(file).verdicts(), verdicts_from_rows(ROWS)
    for kind in ("violated", "satisfied", "not_applicable"):
        assert getattr(verdicts["swap"], kind) == getattr(run["swap"], kind)
    assert verdicts["bind"].sources == run["bind"].sources
    assert verdicts["bind"].bound
    assert not verdicts["swap"].bound


def test_a_run_against_its_own_baseline_passes(file: Path) -> None:
    outcome = compare(verdicts_from_rows(ROWS), read_baseline(file).verdicts(), SETTINGS)
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.PASS, 0)
    for comparison in (*outcome.relations.values(), outcome.overall):
        assert (comparison.delta, comparison.decision) == (0.0, Decision.PASS)
        assert (comparison.new_violations, comparison.fixed_violations) == (0, 0)
    assert not {"new", "fixed"} & set(outcome.changes.values())


def test_a_baseline_file_judges_as_its_rows_do(file: Path) -> None:
    candidate = verdicts_from_rows(static("vvns" * 10 + "vv") + bound(["vv", "s", "vss", ""] * 5))
    from_file = compare(candidate, read_baseline(file).verdicts(), SETTINGS)
    from_rows = compare(candidate, verdicts_from_rows(ROWS), SETTINGS)
    assert from_file == from_rows


def test_the_file_is_the_same_each_time_and_reads_well_in_a_review(file: Path) -> None:
    text = file.read_bytes().decode()
    shuffled = random.Random(1).sample(ROWS, len(ROWS))
    regrouped = sorted(shuffled, key=lambda row: row.relation != "swap")
    assert format_baseline(built(regrouped)) == text
    assert text.endswith("}\n")
    assert "\r" not in text
    lines = text.splitlines()
    assert '"swap-000000000000",' in lines
    assert '"source-0000": [2, ["bind-0-0"]],' in lines
    assert list(json.loads(text)) == [
        "format", "sha256", "tool", "name", "recorded", "suite", "checkpoint", "settings",
        "profile", "relations",
    ]  # fmt: skip


def test_a_verdict_that_moves_changes_two_lines_the_counts_and_the_digest() -> None:
    before, after = (
        format_baseline(built(static(pattern))).splitlines() for pattern in ("vsssv", "vsvsv")
    )
    moved = set(before) ^ set(after)
    known = ("violated", "000000000002", '"sha256"')
    assert all(any(part in line for part in known) for line in moved)


def test_the_file_is_small() -> None:
    rows = [row for r in range(10) for row in static("vsnss" * 100, f"relation-{r}")]
    assert len(format_baseline(built(rows))) < 250_000


def test_why_a_run_was_accepted_is_kept(tmp_path: Path) -> None:
    write_baseline(tmp_path / "b.json", built(accept='the new labels\nare "finer"'))
    assert read_baseline(tmp_path / "b.json").accept == 'the new labels\nare "finer"'


def test_the_head_names_file_suite_and_checkpoint(file: Path) -> None:
    head = read_baseline(file).head(file)
    assert (head.path, head.name, head.recorded) == (str(file), "ner", RECORDED)
    assert (head.suite_sha256, head.checkpoint_fingerprint) == ("ab" * 32, "cd" * 32)


def test_a_relation_without_groups_is_listed() -> None:
    result = result_of(static("vs"))
    empty = msgspec.structs.replace(
        result.relations[0], id="none", groups=0, applicable=0, violated=0, violation_rate=None
    )
    result = msgspec.structs.replace(
        result,
        relations=(*result.relations, empty),
        settings=msgspec.structs.replace(SETTINGS, relations=("swap", "none")),
    )
    baseline = build_baseline(result, static("vs"), "ner", RECORDED)
    assert [relation.id for relation in baseline.relations] == ["swap", "none"]


def test_what_could_not_be_read_again_is_not_built() -> None:
    rows = static("s", relation="r" * 300)
    with pytest.raises(CannotJudge, match="<= 200"):
        built(rows)


def test_a_path_that_is_no_text_can_be_recorded() -> None:
    result = result_of(ROWS)
    odd = msgspec.structs.replace(result.checkpoint, name="models/\udcff")
    result = msgspec.structs.replace(result, checkpoint=odd)
    assert build_baseline(result, ROWS, "ner", RECORDED).checkpoint.name == "models/?"


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".ner", "a/b", "a\\b", "ner\n", "é", "a" * 101, "-x", "a\0"]
)
def test_a_name_cannot_lead_elsewhere(name: str) -> None:
    with pytest.raises(UsageError, match="baseline name"):
        baseline_path("baselines", name)


@pytest.mark.parametrize("name", ["ner", "ner-2.1_b", "0"])
def test_a_plain_name_is_taken(name: str) -> None:
    assert check_name(name) == name
    assert baseline_path("baselines", name) == Path("baselines") / f"{name}.json"


@pytest.mark.parametrize("verdict", ["regression", "collapse", "cannot-judge"])
def test_a_bad_run_needs_a_reason(verdict: str) -> None:
    bad = result_of(ROWS, verdict=GateVerdict(verdict))
    with pytest.raises(UsageError, match=f'{verdict}; record it anyway with --accept "reason"'):
        check_recordable(bad, None)
    with pytest.raises(UsageError, match="reason is empty"):
        check_recordable(bad, " ")
    check_recordable(bad, "we changed the labels")


def test_a_partial_run_needs_a_reason() -> None:
    partial = result_of(ROWS, settings=msgspec.structs.replace(SETTINGS, complete=False))
    with pytest.raises(UsageError, match="--accept"):
        check_recordable(partial, None)
    check_recordable(partial, "the rest is not ready")


@pytest.mark.parametrize("verdict", ["pass", "improved", "measured", "inconclusive"])
def test_a_good_run_needs_none(verdict: str) -> None:
    check_recordable(result_of(ROWS, verdict=GateVerdict(verdict)), None)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty, expected a baseline"),
        (b" \n", "empty, expected a baseline"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"PK\x03\x04", "not JSON"),
        (b"[]", "not a baseline"),
        (b"{}", "not a baseline"),
        (b"null", "not a baseline"),
        (b'{"format": "1", "relations": []}', "not a baseline"),
        (b'{"format": NaN, "relations": []}', "not JSON"),
        (b'{"format": 2, "relations": []}', "not a baseline"),
        (b'{"format": 3, "relations": []}', "format 3, this release reads 2; update mt-gate"),
        (b'{"format": 1, "relations": []}', "format 1, this release reads 2; record a new"),
        (b'{"format": 2, "relations": ' + b"[" * 200_000, "nested too deeply|not JSON"),
    ],
)
def test_what_is_no_baseline_cannot_judge(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "b.json"
    path.write_bytes(content)
    with pytest.raises(CannotJudge, match=said) as caught:
        read_baseline(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value).splitlines()) == 1
    assert caught.value.exit_code == 3


def test_a_missing_file_cannot_judge(tmp_path: Path) -> None:
    with pytest.raises(CannotJudge, match="no such file"):
        read_baseline(tmp_path / "none.json")
    with pytest.raises(CannotJudge, match="a folder; expected a regular file"):
        read_baseline(tmp_path)
    with pytest.raises(CannotJudge):
        read_baseline("a\0b")
    with pytest.raises(CannotJudge):
        read_baseline("a" * 5000)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CannotJudge, match="a FIFO; expected a regular file"):
        read_baseline(tmp_path / "pipe")


def test_an_unreadable_file_cannot_judge(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(CannotJudge, match="Permission denied"):
        read_baseline(file)


def test_a_huge_file_is_not_parsed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline_store, "MAX_BYTES", 100)
    with pytest.raises(CannotJudge, match="bytes, at most 100 expected"):
        read_baseline(file)


def edited(file: Path, change: Any) -> Path:
    data = json.loads(file.read_text())
    change(data, data["relations"][0], data["relations"][1])
    file.write_text(json.dumps(data))
    return file


def resealed(file: Path) -> Path:
    """Put the digest right, as whoever edits a file on purpose would."""
    data = json.loads(file.read_text())
    with contextlib.suppress(msgspec.ValidationError):
        data["sha256"] = ""
        content = canonical(msgspec.convert(data, Baseline))
        data["sha256"] = hashlib.sha256(content).hexdigest()
    file.write_text(json.dumps(data))
    return file


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda _, swap, __: swap["violated_groups"].pop(), "counts"),
        (lambda _, swap, __: swap["satisfied_groups"].append(swap["violated_groups"][0]), "twice"),
        (lambda _, swap, __: swap["satisfied_groups"].append("new"), "counts 31 applicable"),
        (lambda _, swap, __: swap["not_applicable_groups"]["vacuous"].pop(), "vacuous"),
        (lambda _, swap, __: swap["not_applicable"].update({"other": 3}), "another number"),
        (lambda _, swap, __: swap.update({"applicable": -1}), "not a baseline"),
        (lambda _, swap, __: swap.update({"applicable": 10**400}), "not a baseline|not JSON"),
        (lambda _, swap, __: swap.update({"bound": True}), "one of the two"),
        (lambda _, __, bind: bind.update({"bound": False}), "one of the two"),
        (lambda _, __, bind: bind["sources"].pop("source-0000"), "counts"),
        (
            lambda _, __, bind: bind["sources"].update({"source-0000": [0, ["x"]]}),
            "1 violated of 0",
        ),
        (lambda _, __, bind: bind["sources"].update({"source-0000": [1]}), "not a baseline"),
        (lambda data, swap, __: data["relations"].append(swap), "relation swap stands there twice"),
        (lambda data, _, __: data.update({"name": "../../etc/passwd"}), "plain file name"),
        (lambda data, _, __: data.update({"more": 1}), "not a baseline"),
        (lambda data, _, __: data["suite"].pop("sha256"), "not a baseline"),
        (lambda data, _, __: data["relations"].pop(), "relations swap, its settings name swap, b"),
        (lambda data, _, __: data["relations"].reverse(), "relations bind, swap, its settings"),
        (lambda data, _, __: data["settings"].update(relations=[]), "its settings name none"),
        (lambda data, _, __: data["settings"].update(alpha=0.6), "not a baseline"),
        (lambda data, _, __: data["settings"].update(margin=-0.01), "not a baseline"),
        (lambda data, _, __: data["profile"].update(PER=-1), "not a baseline"),
    ],
)
def test_a_file_that_contradicts_itself_cannot_judge(file: Path, change: Any, said: str) -> None:
    with pytest.raises(CannotJudge, match=r"sha256 of its content|not a baseline|not JSON"):
        read_baseline(edited(file, change))
    with pytest.raises(CannotJudge, match=said):
        read_baseline(resealed(file))


@pytest.mark.parametrize(
    "change",
    [
        lambda data, *_: data.pop("sha256"),
        lambda data, *_: data.update(sha256="ab" * 32),
        lambda data, *_: data.update(recorded="2025-01-31T12:00:01Z"),
        lambda data, *_: data["settings"].update(margin=0.5),
        lambda data, *_: data["relations"].pop(),
        lambda _, swap, __: swap["violated_groups"].sort(reverse=True),
    ],
)
def test_whatever_changes_is_told_by_the_digest(file: Path, change: Any) -> None:
    with pytest.raises(CannotJudge, match=r"sha256 of its content is [0-9a-f]{12}...") as caught:
        read_baseline(edited(file, change))
    assert str(caught.value).endswith("record a new baseline with mt-gate baseline record")


RUN = units_of_run(verdicts_from_rows(ROWS), ("swap", "bind"))


def test_a_baseline_covers_its_own_run_and_a_part_of_it() -> None:
    check_covers(built(), RUN, "b.json")
    check_covers(built(), {"bind": RUN["bind"]}, "b.json")
    check_covers(built(), {}, "b.json")


@pytest.mark.parametrize(
    ("units", "said"),
    [
        ({"other": Units(False, set())}, "b.json: no relation other, which this run has; record"),
        ({"swap": Units(False, set())}, "swap: 0 of this run's 0 groups are not in it, 42 of its"),
        ({"swap": Units(False, {*RUN["swap"].ids, "x"})}, "swap: 1 of this run's 43 groups are"),
        ({"swap": Units(True, RUN["swap"].ids)}, "swap: expected its groups by source; record"),
        ({"bind": Units(True, {"source-0000"})}, "bind: 0 of this run's 1 sources are not in it"),
    ],
)
def test_a_baseline_of_other_groups_cannot_judge(units: dict[str, Units], said: str) -> None:
    with pytest.raises(CannotJudge, match=said):
        check_covers(built(), units, "b.json")


@pytest.mark.parametrize("part", ["task", "name", "version", "sha256"])
def test_a_baseline_of_another_suite_cannot_judge(part: str) -> None:
    check_fits(built(), SUITE)
    other = msgspec.structs.replace(SUITE, **{part: "other"})
    with pytest.raises(CannotJudge, match=r"baselines/ner\.json: .*this run has other; record"):
        check_fits(built(), other, "baselines/ner.json")


VALID = format_baseline(built()).encode()
TOKENS = [
    b'"\\ud800"', b"1e400", b"-1", b"1e-400", b"9" * 5000, b"NaN", b"null", b"{}", b"[" * 3000,
    b'"\\u0000"', b"true", b"\xed\xa0\x80", b'{"a":' * 3000, b"0.5", b'""',
]  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A valid file with a few pieces cut, doubled, or replaced by something nasty."""
    data = VALID
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        stop = min(len(data), start + draw(st.integers(0, 40)))
        piece = draw(st.sampled_from([b"", data[start:stop] * 2, *TOKENS]) | st.binary(max_size=8))
        data = data[:start] + piece + data[stop:]
    return data


@st.composite
def revalued(draw: st.DrawFn) -> bytes:
    """A valid file with one value, anywhere in it, replaced by another JSON value."""
    root = json.loads(VALID)
    holder: Any = {"root": root}
    key: Any = "root"
    while isinstance(holder[key], dict | list) and holder[key] and draw(st.integers(0, 4)):
        holder = holder[key]
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        key = draw(st.sampled_from(keys))
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    holder[key] = draw(st.recursive(scalars, lambda inner: st.lists(inner, max_size=3)))
    return json.dumps(root).encode()


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=200) | mutated() | revalued())
@example(VALID)
@example(VALID[:-100])
@example(b'{"format":1,"relations":' + b"[" * 100_000 + b"]" * 100_000 + b"}")
@example(VALID.replace(b'"profile": {', b'"profile": {"x": 1e999, ', 1))
def test_any_bytes_are_a_baseline_or_cannot_judge(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_bytes(data)
    try:
        baseline = read_baseline(path)
    except CannotJudge as error:
        said = str(error)
    else:
        said = ""
    assert said.isprintable()
    if said:
        return
    compare(verdicts_from_rows(ROWS), baseline.verdicts(), SETTINGS)
    assert read_baseline(path) == baseline


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_failed_write_leaves_the_old_file(
    file: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    old = file.read_bytes()
    target = {"write": "fdopen", "fsync": "fsync", "replace": "replace"}[step]
    monkeypatch.setattr(os, target, refuse)
    with pytest.raises(UsageError, match="No space left on device") as caught:
        write_baseline(file, built(static("ssss")))
    assert caught.value.exit_code == 2
    assert file.read_bytes() == old
    assert list(file.parent.iterdir()) == [file]


def test_a_kill_leaves_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies before the rename runs no clean-up at all."""

    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    old = file.read_bytes()
    monkeypatch.setattr(os, "replace", die)
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)
    with pytest.raises(Killed):
        write_baseline(file, built(static("ssss")))
    assert file.read_bytes() == old
    assert read_baseline(file) == built()


def test_a_folder_is_made_and_the_old_file_replaced(tmp_path: Path) -> None:
    path = tmp_path / "new" / "ner.json"
    write_baseline(path, built())
    write_baseline(path, built(static("ssss")))
    assert [relation.id for relation in read_baseline(path).relations] == ["swap"]
    assert list(path.parent.iterdir()) == [path]


def test_two_baselines_side_by_side() -> None:
    a = built(static("vssn") + bound(["vs", "s"]) + static("vs", "old"))
    b = built(static("svss") + bound(["ss", "v"]) + static("sv", "new"))
    diff = diff_baselines(a, b)
    assert diff.same_suite
    swap, bind, old, new = diff.relations
    assert (swap.newly_violated, swap.fixed) == (("swap-000000000001",), ("swap-000000000000",))
    assert swap.rates == (pytest.approx(1 / 3), 0.25)
    assert (swap.only_a, swap.only_b) == (0, 1)
    assert (bind.newly_violated, bind.fixed) == (("bind-1-0",), ("bind-0-0",))
    assert (old.b, old.newly_violated, old.only_a, old.rates) == (None, (), 2, (0.5, None))
    assert (new.a, new.fixed, new.only_b, new.rates) == (None, (), 2, (None, 0.5))


def test_a_baseline_does_not_differ_from_itself() -> None:
    for relation in diff_baselines(built(), built()).relations:
        assert (relation.newly_violated, relation.fixed) == ((), ())
        assert (relation.only_a, relation.only_b) == (0, 0)
