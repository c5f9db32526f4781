from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.files import MAX_LINES, canonical, write_gzip_lines
from mt_gate.domain import Block
from mt_gate.relations.base import is_known_answer
from mt_gate.relations.catalogue import relations_of
from mt_gate.suites.format import (
    GROUPS,
    HEAD,
    MAX_UNPACKED,
    SOURCES,
    DataFile,
    Suite,
    SuiteRelation,
    find_suite,
    group_id,
    read_head,
    read_suite,
    shipped_suites,
    write_suite,
)

PRECISION = {"read": 200, "acceptable": 190, "interval": [0.9, 0.97], "sheet": "a.csv"}


def rewrite(folder: Path, name: str, change: Callable[[list[dict]], None]) -> None:
    suite_head = read_head(folder)
    rows = [
        msgspec.json.decode(row)
        for row in gzip.decompress((folder / name).read_bytes()).splitlines()
    ]
    change(rows)
    digest = write_gzip_lines(folder / name, map(canonical, rows))
    files = {**suite_head.files, name: DataFile(lines=len(rows), sha256=digest)}
    head = msgspec.structs.replace(suite_head, files=files)
    (folder / HEAD).write_bytes(msgspec.json.encode(head))


def test_round_trip(suite: Path) -> None:
    read = read_suite(suite)
    assert len(read.sources) == 60
    assert {group.relation for group in read.groups} == {"ner/structural"}


def test_identity_covers_content_but_not_review_figures(suite: Path, tmp_path: Path) -> None:
    read = read_suite(suite)
    described = msgspec.structs.replace(read.head, description="other words")
    write_suite(tmp_path / "described", described, read.sources, read.groups)
    assert read_suite(tmp_path / "described").identity == read.identity
    fewer = msgspec.structs.replace(read.head, seed=2)
    write_suite(tmp_path / "seeded", fewer, read.sources, read.groups)
    assert read_suite(tmp_path / "seeded").identity.sha256 != read.identity.sha256


def test_group_id_hangs_on_relation_source_and_follow_up() -> None:
    ids = {
        group_id("a", {"text": "b"}, {"text": "c"}),
        group_id("a", {"text": "bc"}, {"text": ""}),
        group_id("ab", {"text": ""}, {"text": "c"}),
        group_id("a", {"text": "b"}, {"text": "d"}),
    }
    assert len(ids) == 4
    assert group_id("a", {"x": 1, "y": 2}, {}) == group_id("a", {"y": 2, "x": 1}, {})
    assert all(len(item) == 16 for item in ids)
    renamed, before = "text/negated-attack", "text/denied-attack"
    assert group_id(renamed, {"text": "b"}, {}) == group_id(before, {"text": "b"}, {})


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        (SOURCES, lambda rows: rows.append(dict(rows[0])), "occurs twice"),
        (GROUPS, lambda rows: rows.append(dict(rows[0])), "occurs twice"),
        (GROUPS, lambda rows: rows[0].update(source="nobody"), "names source 'nobody'"),
        (GROUPS, lambda rows: rows[0].update(relation="ner/other"), "not listed"),
        (GROUPS, lambda rows: rows.pop(), "groups.jsonl.gz has"),
        (GROUPS, lambda rows: rows[0].update(follow_up={}), "must be a text of 1 to"),
        (GROUPS, lambda rows: rows[0]["alignment"].insert(0, [0, 9, 4]), "aligned texts differ"),
        (GROUPS, lambda rows: rows[0].update(alignment=[[-4, 0, 4]]), "has an invalid row"),
        (GROUPS, lambda rows: rows[0].update(alignment=[[0, 0, 1]] * 10_001), "has an invalid row"),
        (GROUPS, lambda rows: rows[0].update(stratum="x" * 201), "has an invalid row"),
        (GROUPS, lambda rows: rows[0].update(alignment=[[0, 4, 10_000]]), "aligned texts differ"),
        (SOURCES, lambda rows: rows[0].update(input={"text": 7}), "must be a text of 1 to"),
        (SOURCES, lambda rows: rows[0].update(id=7), "has an invalid row"),
        (SOURCES, lambda rows: rows[0].update(id="x" * 201), "has an invalid row"),
        (SOURCES, lambda rows: rows[0].update(bind=["ner/other"]), "not listed"),
        (SOURCES, lambda rows: rows[0].update(entities=[[0, 999, "PERSON"]]), "spans 0 to 999"),
        (SOURCES, lambda rows: rows[0].update(entities=[[4, 4, "PERSON"]]), "spans 4 to 4"),
        (
            SOURCES,
            lambda rows: rows[0]["input"].update(more=[[]] * 9),
            "additional values",
        ),
        (
            SOURCES,
            lambda rows: rows[0]["input"].update(dict.fromkeys("abcdefghijklmnopq")),
            "17 a",
        ),
    ],
)
def test_content_that_does_not_fit_together(
    suite: Path, name: str, change: Callable[[list[dict]], None], words: str
) -> None:
    rewrite(suite, name, change)
    with pytest.raises(CannotJudge, match=words):
        read_suite(suite)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda head: head["relations"].append(head["relations"][0]), "listed twice"),
        (lambda head: head["relations"].extend([{}] * 1000), "not as expected"),
        (lambda head: head["relations"][0].update(groups=-1), "not as expected"),
        (lambda head: head["relations"][0].update(id="ner/structural\n::error::"), "not as exp"),
        (
            lambda head: head["relations"][0].update(precision=PRECISION | {"read": 0}),
            "not a share",
        ),
        (
            lambda head: head["relations"][0].update(precision=PRECISION | {"read": 9}),
            "not a share",
        ),
        (lambda head: head["sources"][0].update(name="x" * 201), "not as expected"),
        (lambda head: head.update(name="", seed=1), "not as expected"),
        (lambda head: head.update(seed=10**30), "not as expected"),
        (lambda head: head.update(format=0), "not as expected"),
        (lambda head: head.update(task="other"), "expected one of ner"),
        (lambda head: head.update(tools={"x": "y" * 20_001}), "not as expected"),
        (lambda head: head["files"][SOURCES].update(lines=59), "more than 59 lines"),
        (lambda head: head["files"][SOURCES].update(lines=61), "60 lines, but its metadata states"),
        (lambda head: head["files"][SOURCES].update(lines=MAX_LINES + 1), "not as expected"),
        (lambda head: head["files"][SOURCES].update(sha256="x"), "not as expected"),
    ],
)
def test_heads_out_of_bounds(
    suite: Path, edit_json: Callable, change: Callable[[dict], None], words: str
) -> None:
    edit_json(suite / HEAD, change)
    with pytest.raises(CannotJudge, match=words) as caught:
        read_suite(suite)
    assert "\n" not in str(caught.value)


def bomb(size: int, piece: bytes) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(piece) for _ in range(size // len(piece))), packer.flush()])


ROW = b'{"id": "a", "input": {"text": "%s"}, "origin": "made up"}\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (lambda: bomb(1 << 29, b"0" * (1 << 24)), "unpacks to 536870912 bytes"),
        (lambda: bomb(8 << 20, b"0" * (1 << 20)), "line 1 has 4194304 bytes or more"),
        (lambda: bomb(80 << 20, ROW % (b"x" * (1 << 20))), "unpacks to 8[0-9]{7} bytes"),
        # Of several parts the end of a file describes only the last.
        (
            lambda: bomb(80 << 20, ROW % (b"x" * (1 << 20))) + gzip.compress(b""),
            "more than 60 lines",
        ),
    ],
)
def test_a_bomb_is_not_unpacked(suite: Path, content: Callable[[], bytes], words: str) -> None:
    packed = content()
    (suite / SOURCES).write_bytes(packed)
    assert len(packed) < 20 << 20
    del packed
    tracemalloc.start()
    with pytest.raises(CannotJudge, match=words):
        read_suite(suite)
    assert tracemalloc.get_traced_memory()[1] < MAX_UNPACKED // 2
    tracemalloc.stop()


def test_find_suite(suite: Path) -> None:
    assert find_suite(str(suite)) == suite
    with pytest.raises(UsageError, match="Did you mean 'ner-default'"):
        find_suite("ner")


DOCS = Path(__file__).parents[2] / "docs"
RECIPES = Path(__file__).parents[2] / "runner" / "mt_gate_suites" / "recipes"


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def assert_read(relation: SuiteRelation) -> None:
    if relation.bound or is_known_answer(relation.id):
        return
    result = relation.precision
    assert result is not None
    assert result.read >= min(150, 0.9 * relation.groups)
    assert result.acceptable >= 0.95 * result.read
    assert result.interval[0] >= 0.92 or result.read >= 0.9 * relation.groups


def assert_read_or_written(relation: SuiteRelation) -> None:
    """Where cases were added, two reviewers read each; nobody sampled the whole relation again."""
    if relation.precision is not None or relation.bound or is_known_answer(relation.id):
        assert_read(relation)
    else:
        task, _, name = relation.id.partition("/")
        rows = read_lines(RECIPES / f"{task}-default.written.jsonl")
        assert sum(row["relation"] == name for row in rows) > 100


def built(suite: Suite) -> list[str]:
    return [one.id for one in suite.head.relations if not is_known_answer(one.id)]


class TestShipped:
    def test_they_are_whole(self) -> None:
        assert "ner-default" in shipped_suites()
        for name in shipped_suites():
            read_suite(find_suite(name))

    def test_ner_default_is_large_enough(self) -> None:
        suite = read_suite(find_suite("ner-default"))
        structural = [group for group in suite.groups if group.relation == "ner/structural"]
        assert len(suite.sources) >= 3000
        assert len(structural) >= 1000
        assert len({group.source for group in structural}) >= 200

    def test_boolq_default_has_all_relations_read_and_accepted(self) -> None:
        suite = read_suite(find_suite("boolq-default"))
        usual = [relation.id for relation in relations_of("boolq") if relation.default]
        assert built(suite)[: len(usual)] == usual
        for relation in suite.head.relations:
            assert_read_or_written(relation)

    @pytest.mark.parametrize("task", ["boolq", "re"])
    def test_written_cases_are_those_that_reviewers_accepted(self, task: str) -> None:
        suite = read_suite(find_suite(f"{task}-default"))
        edited = {(group.relation, canonical(group.follow_up)) for group in suite.groups}
        rows = read_lines(RECIPES / f"{task}-default.written.jsonl")
        pairs = {(f"{task}/{row['relation']}", canonical(row["follow_up"])) for row in rows}
        assert pairs <= edited
        table = (DOCS / "audits" / "written-rejected.tsv").read_text("utf-8").splitlines()[1:]
        rejected = {tuple(line.split("\t")[:2]) for line in table}
        assert not rejected & {(f"{task}/{row['relation']}", row["id"]) for row in rows}

    def test_boolq_default_without_train_keeps_every_relation(self) -> None:
        suite = read_suite(find_suite("boolq-default")).without(["BoolQ train"])
        assert {source.origin for source in suite.sources} == {"BoolQ dev", "BoolQ test"}
        assert {group.relation for group in suite.groups} == {r.id for r in suite.head.relations}

    def test_re_default_has_all_relations_read_and_accepted(self) -> None:
        suite = read_suite(find_suite("re-default"))
        assert built(suite) == [relation.id for relation in relations_of("re")]
        for relation in suite.head.relations:
            assert_read_or_written(relation)
            assert relation.sources >= 50

    def test_re_default_holds_frequent_and_rare_names(self) -> None:
        kinds = Counter(
            group.stratum
            for group in read_suite(find_suite("re-default")).groups
            if group.relation == "re/same-type"
        )
        assert set(kinds) == {"frequent", "rare"}
        assert min(kinds.values()) >= 200

    @pytest.mark.parametrize("name", shipped_suites())
    def test_ids_are_hashes_of_the_content(self, name: str) -> None:
        suite = read_suite(find_suite(name))
        texts = {source.id: source.input for source in suite.sources}
        for group in suite.groups:
            of = group.follow_up
            if group.relation == "ner/known-answer":
                of = {**of, "entity": [*group.entities[0]]}
            assert group.id == group_id(group.relation, texts[group.source], of)

    def test_alignments_leave_nothing_but_the_edit(self) -> None:
        suite = read_suite(find_suite("ner-default"))
        texts = {source.id: source.input["text"] for source in suite.sources}
        for group in suite.groups:
            covered = sum(Block(*block).length for block in group.alignment)
            assert covered >= len(texts[group.source]) - 40, group.id

    def test_every_source_names_its_licence(self) -> None:
        for name in shipped_suites():
            suite = read_suite(find_suite(name))
            corpora = {corpus.name: corpus for corpus in suite.head.sources}
            assert {source.origin for source in suite.sources} <= set(corpora)
            licences = (find_suite(name) / "LICENCES.md").read_text()
            for corpus in corpora.values():
                assert corpus.licence.startswith(("CC", "MIT", "Apache-2.0"))
                assert corpus.name in licences
                assert corpus.licence in licences


def test_corpora_can_be_left_out(suite: Path) -> None:
    read = read_suite(suite)
    corpora = sorted({source.origin for source in read.sources})
    assert read.without(()) == read
    assert read.without(()).identity == read.identity
    rest = read.without(corpora)
    assert not rest.sources
    assert not rest.groups
    assert rest.identity.sha256 != read.identity.sha256
    with pytest.raises(UsageError, match="no corpus of that name") as message:
        read.without(["nowhere"])
    assert corpora[0] in str(message.value)
