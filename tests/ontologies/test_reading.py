"""Ontology files, as shipped and as users write them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases, read_cases, table
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.evaluating.relation_labels import read_mapping
from mt_gate.ontologies import reading
from mt_gate.ontologies.ontology import BACKWARD, FORWARD, Ontology
from mt_gate.ontologies.reading import fitting, ontology_for, open_ontology, shipped_ontologies


def labels_of(ontology: Ontology) -> list[str]:
    relations = ontology.relations
    ends = (FORWARD, BACKWARD) if ontology.directed else ("",)
    none = [ontology.none] if ontology.none else []
    return none + [relation + end for relation in relations for end in ends]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    return map(json.loads, data.splitlines())


def written(folder: Path, **changes: Any) -> Path:
    """An ontology of the user's own; a change to None leaves the field out."""
    value = {
        "format": 1,
        "name": "own",
        "none": "none",
        "directed": False,
        "relations": {"wrote": {}, "written by": {}},
    }
    value = {key: item for key, item in (value | changes).items() if item is not None}
    path = folder / "own.json"
    path.write_text(json.dumps(value))
    return path


def refusal(folder: Path, relations: dict[str, Any], **changes: Any) -> str:
    path = written(folder, relations=relations, **changes)
    with pytest.raises(CannotJudge) as raised:
        open_ontology(str(path))
    message = str(raised.value)
    assert message.startswith(f"{path}")
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", shipped_ontologies())
def test_every_shipped_ontology_opens(name: str) -> None:
    ontology = open_ontology(name)
    file = Path(reading.__file__).parent / "data" / f"{name}.json"
    assert ontology.name == name
    assert ontology.digest == hashlib.sha256(file.read_bytes()).hexdigest()
    assert ontology.missing(labels_of(ontology)) == []


@pytest.mark.parametrize(("name", "count"), table(__file__, "schemes_have_their_number_of_labels"))
def test_schemes_have_their_number_of_labels(name: str, count: int) -> None:
    assert len(labels_of(open_ontology(name))) == count


@pytest.mark.parametrize("name", shipped_ontologies())
def test_a_system_s_labels_find_their_own_ontology(name: str) -> None:
    actual = fitting(labels_of(open_ontology(name)))
    assert actual is not None
    assert actual.name == name


def test_kbp37_has_the_labels_of_the_real_checkpoint(shared: Path) -> None:
    config = json.loads((shared / "models" / "re" / "config.json").read_text())
    labels = [*config["id2label"].values()]
    assert set(labels_of(open_ontology("kbp37"))) == set(labels)
    assert ontology_for("", labels, "model").answers == set(labels)


def test_kbp37_allows_the_types_of_its_data(shared: Path) -> None:
    ontology = open_ontology("kbp37")
    broad = {"NATIONALITY_OR_COUNTRY": "NATIONALITY", "PERSON_OR_ORG": "PERSON"}
    for row in rows(shared / "data" / "re" / "kbp37_dev.jsonl"):
        types = [row[name]["type"] or "" for name in ("head", "tail")]
        label = row["relation"] + FORWARD
        if row["relation"] != ontology.none:
            assert ontology.fits(label, *(broad.get(kind, kind) for kind in types)), row["id"]


def test_semeval_has_the_labels_of_its_data(shared: Path) -> None:
    data = rows(shared / "data" / "re" / "semeval2010_task8_train.jsonl.gz")
    assert {row["label19"] for row in data} == set(labels_of(open_ontology("semeval2010")))


def test_wikidata_has_the_properties_and_names_of_fewrel(shared: Path) -> None:
    actual = {
        row["relation"]: row["relation_name"]
        for row in rows(shared / "data" / "re" / "fewrel_val_sample.jsonl")
    }
    relations = open_ontology("wikidata").relations
    assert len(actual) == 16
    assert {label: relations[label].title for label in actual} == actual
    wiki80 = fitting([*actual.values()])
    assert wiki80 is not None
    assert wiki80.name == "wiki80"


def test_wiki80_says_in_names_what_wikidata_says_in_codes() -> None:
    wikidata, wiki80 = open_ontology("wikidata"), open_ontology("wiki80")
    code = {meaning.title: label for label, meaning in wikidata.relations.items()}
    for name, meaning in wiki80.relations.items():
        other = wikidata.relations[code[name]]
        assert (meaning.head, meaning.tail) == (other.head, other.tail)
        assert meaning.symmetric == other.symmetric
        for mine, theirs in (
            (meaning.shares_head, other.shares_head),
            (meaning.shares_tail, other.shares_tail),
        ):
            assert tuple(code[label] for label in mine) == theirs
        back = wikidata.inverse(code[name])
        title = wikidata.relations[back].title if back else None
        assert wiki80.inverse(name) == (title if title in wiki80.relations else None)


def test_a_file_of_one_s_own(tmp_path: Path) -> None:
    relations = {"wrote": {"inverse": "written by"}, "written by": {"inverse": "wrote"}}
    path = written(tmp_path, relations=relations)
    ontology = open_ontology(str(path))
    assert ontology.inverse("wrote") == "written by"
    assert ontology.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    actual = ontology_for(str(path), ["none", "wrote"], "model")
    assert actual.inverse("wrote") is None, "the system has no such label"
    assert actual.digest == ontology.digest


FAULTS: list[tuple[dict[str, Any], str]] = table(__file__, "faults")


@pytest.mark.parametrize(("relations", "message"), FAULTS)
def test_contradictions_are_reported_in_one_line(
    tmp_path: Path, relations: dict[str, Any], message: str
) -> None:
    assert message in refusal(tmp_path, relations)


def test_directed_schemes_have_no_inverse_and_name_relations_plainly(tmp_path: Path) -> None:
    inverse = {"a": {"inverse": "b"}, "b": {"inverse": "a"}}
    assert "remove inverse: in a directed scheme" in refusal(tmp_path, inverse, directed=True)
    assert "has a direction" in refusal(tmp_path, {"a(e1,e2)": {}}, directed=True)
    assert "none 'no(e2,e1)'" in refusal(tmp_path, {"a": {}}, directed=True, none="no(e2,e1)")


@pytest.mark.parametrize("expected", [0, 2, True, "1", None])
def test_another_format_is_refused(tmp_path: Path, expected: object) -> None:
    message = refusal(tmp_path, {"a": {}}, format=expected)
    assert f"ontology format {expected!r}, but this release reads 1" in message


def test_missing_fields_and_names_are_refused(tmp_path: Path) -> None:
    assert "missing required field `none`" in refusal(tmp_path, {"a": {}}, none=None)
    assert "name ''" in refusal(tmp_path, {"a": {}}, name="")


def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_bytes(b" " * (reading.LARGEST + 1))
    with pytest.raises(CannotJudge, match=f"at most {reading.LARGEST} are allowed"):
        open_ontology(str(path))


@pytest.mark.parametrize("name", ["no-such-thing", "", "a\0b", "x" * 5000, "."])
def test_neither_a_name_nor_a_file(name: str) -> None:
    with pytest.raises(UsageError, match=r"Use a built-in one .*tacred.*wikidata\) or a file"):
        open_ontology(name)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
names = st.sampled_from(["a", "b", "c", "*", ""])
types = st.lists(st.sampled_from(["PERSON", "CITY", "COUNTRY", "X"]), max_size=2)
meanings = st.fixed_dictionaries(
    {},
    optional={
        "symmetric": st.booleans(),
        "inverse": names,
        "entails_back": names,
        "coarser": names,
        "place": st.sampled_from(["head", "tail"]),
        "head": types,
        "tail": types,
        "shares_head": st.lists(names, max_size=2),
    },
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


@given(st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_read_or_refused_in_one_line(folder: Path, data: bytes) -> None:
    path = folder / "any.json"
    path.write_bytes(data)
    with pytest.raises(CannotJudge) as raised:
        open_ontology(str(path))
    assert "\n" not in str(raised.value)


@given(st.dictionaries(names, meanings, max_size=4), st.booleans())
def test_what_opens_is_at_one_with_itself(
    folder: Path, relations: dict[str, Any], directed: bool
) -> None:
    path = written(folder, relations=relations, directed=directed)
    try:
        ontology = open_ontology(str(path))
    except CannotJudge:
        return
    for label in labels_of(ontology):
        inverse = ontology.inverse(label)
        assert inverse is None or not ontology.missing([inverse])
        for argument in ("head", "tail"):
            coarser = ontology.coarser(label, argument, "COUNTRY")
            assert coarser is None or "COUNTRY" in ontology.types(coarser, argument)
        for other in labels_of(ontology):
            assert ontology.same(label, other) == ontology.same(other, label)


def test_uncovered_labels_are_named_one_by_one() -> None:
    with pytest.raises(CannotJudge) as raised:
        ontology_for("tacred", ["no_relation", "per:age", "per:pet", "org:colour"], "model")
    assert str(raised.value).startswith(
        "model: ontology tacred does not cover 2 of 4 labels: 'per:pet', 'org:colour'. Use another"
    )


def test_very_many_uncovered_labels_are_counted() -> None:
    labels = [f"label {number}" for number in range(reading.NAMED + 7)]
    with pytest.raises(CannotJudge) as raised:
        ontology_for("tacred", labels, "model")
    assert f"'label {reading.NAMED - 1}' and 7 more." in str(raised.value)


def test_labels_that_no_ontology_covers_name_the_nearest() -> None:
    with pytest.raises(CannotJudge, match=r"no built-in ontology defines its labels \(the"):
        ontology_for("", ["per:alternate_names", "org:parents", "per:pet"], "model")
    with pytest.raises(CannotJudge, match=r"none covers 1 of 1 label: 'per:pet'\."):
        ontology_for("", ["per:pet"], "model")


def test_a_system_without_labels_needs_an_ontology() -> None:
    with pytest.raises(CannotJudge, match=r"model does not list its labels\. .* --ontology"):
        ontology_for("", [], "model")
    assert ontology_for("tacred", [], "model").answers == frozenset()


def test_the_label_of_no_relation_alone_fits_nothing() -> None:
    assert fitting([]) is None
    assert fitting(["no_relation"]) is None
    with pytest.raises(CannotJudge, match=r"no built-in ontology defines its labels\. Write"):
        ontology_for("", ["no_relation"], "model")


def test_the_most_specific_ontology_is_taken() -> None:
    actual = fitting(["no_relation", "per:children", "per:parents"])
    assert actual is not None
    assert actual.name == "retacred"
    assert actual.inverse("per:children") == "per:parents"


@cases("ontologies/nyt10_appendix")
def test_the_new_labels_of_nyt10_are_those_of_the_appendix(label: str, becomes: str) -> None:
    mapping = read_mapping(Path("nyt10-25"))
    assert mapping.file_relations([label]) == ({becomes} if becomes else set())
    assert mapping.system_relations([label]) == mapping.file_relations([label])
    assert not becomes or becomes in open_ontology("nyt10-25").relations


def test_the_appendix_has_53_labels_that_become_25() -> None:
    """Table 1 counts 53 and 25 relations, N/A included."""
    rows = read_cases("ontologies/nyt10_appendix")
    new = {row["becomes"] for row in rows}
    assert (len(rows), len(new)) == (53, 25)
    assert new == {*open_ontology("nyt10-25").relations, ""}
    built_in = {row["label"] for row in rows} - {"N/A"}
    assert built_in <= open_ontology("nyt10").relations.keys()
