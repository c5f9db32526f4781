"""Baselines are read as what anyone may have written."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from baselines.made import ROWS, SETTINGS, bound, built, measured, static
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.baselines.schema import check_name, digest_of, read_baseline
from mt_gate.baselines.writing import build_baseline, format_baseline
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import verdicts_from_rows


def test_what_is_read_is_what_was_built(file: Path) -> None:
    assert read_baseline(file) == built()
    verdicts, run = read_baseline(file).runs[0].verdicts(), verdicts_from_rows(ROWS)
    for kind in ("violated", "satisfied", "not_applicable"):
        assert getattr(verdicts["swap"], kind) == getattr(run["swap"], kind)
    assert verdicts["bind"].sources == run["bind"].sources
    assert verdicts["bind"].bound
    assert not verdicts["swap"].bound


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", r"empty\. Expected a baseline"),
        (b" \n", r"empty\. Expected a baseline"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"PK\x03\x04", "not JSON"),
        (b"[]", "not a baseline"),
        (b"{}", "not a baseline"),
        (b"null", "not a baseline"),
        (b'{"format": 1, "relations": []}', "not a baseline"),
        (b'{"format": "1", "name": "a"}', "not a baseline"),
        (b'{"format": NaN, "name": "a"}', "not JSON"),
        (b'{"format": 1, "name": "a"}', "not a baseline"),
        (b'{"format": 2, "name": "a"}', r"format 2, but this release reads 1\. Update mt-gate"),
        (b'{"format": 0, "name": "a"}', r"format 0, but this release reads 1\. Record a new"),
        (b'{"format": 1, "name": "a", "runs": ' + b"[" * 200_000, "nested too deeply|not JSON"),
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
    with pytest.raises(CannotJudge, match="does not exist"):
        read_baseline(tmp_path / "none.json")
    with pytest.raises(CannotJudge, match=r"a folder\. Expected a regular file"):
        read_baseline(tmp_path)
    with pytest.raises(CannotJudge):
        read_baseline("a\0b")
    with pytest.raises(CannotJudge):
        read_baseline("a" * 5000)


def edited(file: Path, change: Any) -> Path:
    data = json.loads(file.read_text())
    change(data, *data["runs"][0]["relations"])
    file.write_text(json.dumps(data))
    return file


def resealed(file: Path) -> Path:
    """Put the digest right, as whoever edits a file on purpose would."""
    data = json.loads(file.read_text())
    with contextlib.suppress(msgspec.ValidationError):
        data["sha256"] = digest_of(file.read_bytes())
    file.write_text(json.dumps(data))
    return file


def relations(data: Any) -> Any:
    return data["runs"][0]["relations"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda _, swap, __: swap.update({"applicable": -1}), "not a baseline"),
        (lambda _, swap, __: swap.update({"applicable": 10**400}), "not a baseline|not JSON"),
        (lambda _, __, bind: bind["sources"].update({"source-0000": [1]}), "not a baseline"),
        (lambda data, _, __: data.update({"name": "../../etc/passwd"}), "is not a valid name"),
        (lambda data, _, __: data.update({"more": 1}), "not a baseline"),
        (lambda data, _, __: data["suite"].pop("sha256"), "not a baseline"),
        (lambda data, _, __: relations(data).pop(), "its relations differ from those of its"),
        (lambda data, _, __: relations(data).reverse(), "its relations differ from those of its"),
        (lambda data, _, __: data["settings"].update(alpha=0.6), "not a baseline"),
        (lambda data, _, __: data["runs"][0]["profile"].update(PER=-1), "not a baseline"),
        (lambda data, _, __: data["runs"][0].update(id="x"), "not a baseline"),
        (lambda data, _, __: data["runs"].clear(), "not a baseline"),
        (lambda data, _, __: data["runs"].extend(data["runs"] * 5), "not a baseline"),
        (lambda data, _, __: data.update(anchor={"name": "a"}), "not a baseline"),
    ],
)
def test_a_file_signed_again_that_is_no_baseline(file: Path, change: Any, said: str) -> None:
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
        lambda data, *_: relations(data).pop(),
        lambda data, *_: data["runs"][0]["checkpoint"].update(nobody="knows this field"),
        lambda _, swap, __: swap["violated_groups"].sort(reverse=True),
    ],
)
def test_the_digest_detects_any_change(file: Path, change: Any) -> None:
    with pytest.raises(CannotJudge, match=r"sha256 of its content is [0-9a-f]{12}...") as caught:
        read_baseline(edited(file, change))
    assert str(caught.value).endswith("Record a new baseline with mt-gate baseline record.")


VALID = format_baseline(built())
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
    compare(verdicts_from_rows(ROWS), [of.verdicts() for of in baseline.runs], SETTINGS)
    assert read_baseline(path) == baseline


def test_a_baseline_file_judges_as_its_rows_do(file: Path) -> None:
    candidate = verdicts_from_rows(static("vvns" * 10 + "vv") + bound(["vv", "s", "vss", ""] * 5))
    from_file = compare(candidate, [of.verdicts() for of in read_baseline(file).runs], SETTINGS)
    from_rows = compare(candidate, [verdicts_from_rows(ROWS)], SETTINGS)
    assert from_file == from_rows


def test_the_noisiest_and_the_newest_of_several_runs_count() -> None:
    noisy = msgspec.structs.replace(SETTINGS, relations=("swap",), noise=0.5)
    runs = [
        measured(static("vs"), 1, created="2026-02-01"),
        measured(static("vs"), 2, created="2026-01-01", settings=noisy),
    ]
    baseline = build_baseline(runs, "ner")
    assert (baseline.recorded, baseline.settings.noise) == ("2026-02-01", 0.5)
    assert [run.created for run in baseline.runs] == ["2026-02-01", "2026-01-01"]


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".ner", "a/b", "a\\b", "ner\n", "é", "a" * 101, "-x", "a\0"]
)
def test_a_name_cannot_lead_elsewhere(name: str) -> None:
    with pytest.raises(UsageError, match="Baseline name"):
        check_name(name)


@pytest.mark.parametrize("name", ["ner", "ner-2.1_b", "0"])
def test_a_plain_name_is_taken(name: str) -> None:
    assert check_name(name) == name
