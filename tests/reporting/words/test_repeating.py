from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from making_pull_requests import Forge
from mt_gate.commands.run import run
from mt_gate.relations import catalogue
from mt_gate.reporting.words.texts import command
from mt_gate.results.result import Result, RunSettings
from mt_gate.settings.loading import load
from mt_gate.settings.record import Settings
from reporting import made_up


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
