from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from making import make_suite
from mt_gate.domain import Block
from mt_gate.errors import CannotJudge, UsageError
from mt_gate.jsonio import canonical
from mt_gate.relations.catalogue import relations_of
from mt_gate.suites.format import (
    GROUPS,
    HEAD,
    SOURCES,
    find_suite,
    group_id,
    read_head,
    read_suite,
    shipped_suites,
    write_suite,
)


def rewrite(folder: Path, name: str, change: Callable[[list[dict]], None]) -> None:
    """Change rows and mend the head's hash, as a careful forger would."""
    suite_head = read_head(folder)
    rows = [
        msgspec.json.decode(row)
        for row in gzip.decompress((folder / name).read_bytes()).splitlines()
    ]
    change(rows)
    from mt_gate.jsonio import write_gzip_lines

    digest = write_gzip_lines(folder / name, map(canonical, rows))
    files = {**suite_head.files}
    files[name] = msgspec.structs.replace(files[name], sha256=digest)
    head = msgspec.structs.replace(suite_head, files=files)
    (folder / HEAD).write_bytes(msgspec.json.encode(head))


def test_round_trip(suite: Path) -> None:
    read = read_suite(suite)
    assert len(read.sources) == 60
    assert {group.relation for group in read.groups} == {"ner/structural"}


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    one, two = make_suite(tmp_path / "one"), make_suite(tmp_path / "two")
    for name in (HEAD, SOURCES, GROUPS):
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_identity_covers_content_but_not_what_readers_found(suite: Path, tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        (SOURCES, lambda rows: rows.append(dict(rows[0])), "stands twice"),
        (GROUPS, lambda rows: rows.append(dict(rows[0])), "stands twice"),
        (GROUPS, lambda rows: rows[0].update(source="nobody"), "names source 'nobody'"),
        (GROUPS, lambda rows: rows[0].update(relation="ner/other"), "not listed"),
        (GROUPS, lambda rows: rows.pop(), "groups.jsonl.gz has"),
        (GROUPS, lambda rows: rows[0].update(follow_up={}), "no usable text"),
        (GROUPS, lambda rows: rows[0]["alignment"].insert(0, [0, 9, 4]), "aligns"),
        (GROUPS, lambda rows: rows[0].update(alignment=[[-4, 0, 4]]), "aligns"),
        (GROUPS, lambda rows: rows[0].update(alignment=[[0, 4, 10_000]]), "aligns"),
        (SOURCES, lambda rows: rows[0].update(input={"text": 7}), "no usable text"),
        (SOURCES, lambda rows: rows[0].update(id=7), "not as expected"),
        (SOURCES, lambda rows: rows[0].update(bind=["ner/other"]), "not listed"),
    ],
)
def test_content_that_does_not_fit_together(
    suite: Path, name: str, change: Callable[[list[dict]], None], words: str
) -> None:
    rewrite(suite, name, change)
    with pytest.raises(CannotJudge, match=words):
        read_suite(suite)


def test_a_bomb_is_not_unpacked(suite: Path) -> None:
    (suite / SOURCES).write_bytes(gzip.compress(b"0" * (8 << 20)))
    with pytest.raises(CannotJudge, match="larger than a suite may be"):
        read_suite(suite)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.binary(max_size=200), st.sampled_from([HEAD, SOURCES, GROUPS]))
def test_any_bytes_are_read_or_refused(suite: Path, content: bytes, name: str) -> None:
    before = (suite / name).read_bytes()
    try:
        (suite / name).write_bytes(content)
        with pytest.raises(CannotJudge) as caught:
            read_suite(suite)
        assert "\n" not in str(caught.value)
    finally:
        (suite / name).write_bytes(before)


def test_find_suite(suite: Path) -> None:
    assert find_suite(str(suite)) == suite
    with pytest.raises(UsageError, match="ner-default"):
        find_suite("nowhere")


class TestShipped:
    """What the suites in the package promise."""

    def test_they_are_whole(self) -> None:
        assert "ner-default" in shipped_suites()
        for name in shipped_suites():
            read_suite(find_suite(name))

    def test_ner_default_is_large_enough(self) -> None:
        suite = read_suite(find_suite("ner-default"))
        structural = [group for group in suite.groups if group.relation == "ner/structural"]
        assert len(suite.sources) >= 3000
        assert len(structural) >= 1500
        assert len({group.source for group in structural}) >= 200

    def test_boolq_default_has_all_relations_read_and_accepted(self) -> None:
        suite = read_suite(find_suite("boolq-default"))
        usual = [relation.id for relation in relations_of("boolq") if relation.default]
        assert [relation.id for relation in suite.head.relations][: len(usual)] == usual
        for relation in suite.head.relations:
            assert relation.precision is not None
            assert relation.precision.read == min(200, relation.groups)
            assert relation.precision.acceptable >= 0.93 * relation.precision.read

    def test_boolq_default_without_train_keeps_every_relation(self) -> None:
        suite = read_suite(find_suite("boolq-default")).without(["BoolQ train"])
        assert {source.origin for source in suite.sources} == {"BoolQ dev"}
        assert {group.relation for group in suite.groups} == {r.id for r in suite.head.relations}

    def test_re_default_has_all_relations_read_and_accepted(self) -> None:
        suite = read_suite(find_suite("re-default"))
        assert [relation.id for relation in suite.head.relations] == [
            relation.id for relation in relations_of("re")
        ]
        for relation in suite.head.relations:
            assert relation.precision is not None
            assert relation.bound or relation.precision.read == 200
            assert relation.precision.acceptable >= 0.92 * relation.precision.read
            assert relation.sources >= 200

    def test_re_default_holds_kinds_of_edit_in_equal_shares(self) -> None:
        kinds = Counter(
            group.stratum
            for group in read_suite(find_suite("re-default")).groups
            if group.relation == "re/same-type"
        )
        assert kinds["frequent"] == kinds["rare"] > 0

    @pytest.mark.parametrize("name", ["ner-default", "boolq-default", "re-default"])
    def test_ids_are_hashes_of_the_content(self, name: str) -> None:
        suite = read_suite(find_suite(name))
        texts = {source.id: source.input for source in suite.sources}
        for group in suite.groups:
            assert group.id == group_id(group.relation, texts[group.source], group.follow_up)

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
            beside = (find_suite(name) / "LICENCES.md").read_text()
            for corpus in corpora.values():
                assert corpus.licence.startswith(("CC", "MIT"))
                assert corpus.name in beside
                assert corpus.licence in beside


def test_corpora_can_be_left_out(suite: Path) -> None:
    read = read_suite(suite)
    corpora = sorted({source.origin for source in read.sources})
    assert read.without(()) == read
    assert read.without(()).identity == read.identity
    rest = read.without(corpora)
    assert not rest.sources
    assert not rest.groups
    assert rest.identity.sha256 != read.identity.sha256
    with pytest.raises(UsageError, match="no corpus of that name") as told:
        read.without(["nowhere"])
    assert corpora[0] in str(told.value)
