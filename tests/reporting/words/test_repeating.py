from __future__ import annotations

import html
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
from mt_gate.relations.catalogue import relations_of
from mt_gate.reporting.words.repeating import command
from mt_gate.reporting.writers.html import report
from mt_gate.results.result import CheckpointHead, Result, RunSettings
from mt_gate.settings.loading import load
from mt_gate.settings.record import Settings
from reporting import made_up


def test_the_command_names_all_that_moves_a_verdict() -> None:
    clean = made_up.result()
    settings = msgspec.structs.replace(
        clean.settings,
        strict=True,
        must_hold=("aa", "bb"),
        required=("ner/structural",),
        max_violation_rate={"*": 0.2},
        max_churn=0.2,
        relations=("ner/structural",),
        complete=False,
    )
    part = ("without wikigold", "100 of 5551 sources, seed 2023")
    suite = msgspec.structs.replace(clean.suite, part=part, ontology="kbp37 sha256:00")
    assert command(made_up.result(settings=settings, suite=suite)) == (
        "mt-gate run --checkpoint models/ner --task ner --suite ner-default "
        "--baseline baselines/ner.json --alpha 0.05 --margin 0.01 --strict "
        "--max-applicability-loss 0.1 --max-applicability-drop 0.5 --max-violation-rate '*=0.2' "
        "--must-hold aa,bb --required ner/structural "
        "--max-churn 0.2 --max-negative-flips 1.0 --labels gold.jsonl "
        "--relations ner/structural --sources 100 --exclude wikigold --ontology kbp37"
    )


def test_a_hostile_name_stays_one_word() -> None:
    clean = made_up.result()
    name = "a; rm -rf 'x' $(y)\n"
    head = CheckpointHead(name=name, fingerprint="", runtime=clean.checkpoint.runtime)
    assert shlex.split(command(made_up.result(checkpoint=head)))[3] == name


def test_another_system_is_no_checkpoint() -> None:
    clean = made_up.result()
    runtime = msgspec.structs.replace(clean.checkpoint.runtime, onnxruntime="")
    head = msgspec.structs.replace(clean.checkpoint, runtime=runtime)
    assert "--system KIND:models/ner" in command(made_up.result(checkpoint=head))


def read(result: Result) -> Settings:
    """Return the settings that the command line itself reads from the command."""
    program, name, *words = shlex.split(command(result))
    assert (program, name) == ("mt-gate", "run")
    given = run.make_context("run", words).params
    ways = ("config", "shard", "address", "shards")  # not settings
    assert [given.pop(name) for name in ways] == [None] * len(ways)
    assert given.pop("executor") == "local"
    return load(given, None)


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
    found = read(made_up.result(settings=used))
    assert (found.alpha, found.margin, found.max_applicability_loss) == (alpha, margin, loss)
    assert (found.strict, dict(found.max_violation_rate)) == (strict, limits)
    assert found.must_hold == used.must_hold
    if found.relations:
        assert found.relations == used.relations
    else:
        assert not relations or complete


def test_every_option_is_one_of_the_command_line() -> None:
    clean = made_up.result()
    part = ("without wikigold", "without re-tacred", "100 of 5551 sources, seed 2023")
    suite = msgspec.structs.replace(
        clean.suite, task="re", part=part, ontology="kbp37 sha256:00", name="re-default"
    )
    found = read(made_up.result(suite=suite))
    assert (found.sources, found.exclude) == (100, ("wikigold", "re-tacred"))
    assert (found.task, found.suite, found.ontology) == ("re", "re-default", "kbp37")
    assert (found.checkpoint, found.baseline) == ("models/ner", Path("baselines/ner.json"))


def test_relations_are_named_where_others_than_the_default_ran() -> None:
    every = relations_of("boolq")
    default = tuple(relation.id for relation in every if relation.default)
    assert 0 < len(default) < len(every), "some relation runs by name only"

    def settings(relations: tuple[str, ...]) -> Result:
        used = msgspec.structs.replace(made_up.settings(), relations=relations, complete=True)
        return made_up.result(settings=used)

    assert "--relations" not in command(settings(default))
    added = tuple(relation.id for relation in every)
    assert read(settings(added)).relations == added
    unknown = (*default, "boolq/of-a-newer-release")
    assert read(settings(unknown)).relations == unknown


def test_the_page_shows_the_whole_command() -> None:
    ids = tuple(f"{number:016x}" for number in range(1000))
    used = msgspec.structs.replace(made_up.settings(), must_hold=ids)
    result = made_up.result(settings=used)
    page = report(result, made_up.again([]), made_up.CATALOGUE)
    shown = page.partition('<code class="command">')[2].partition("</code>")[0]
    assert html.unescape(shown) == command(result)
    assert ids[-1] in shown


def test_the_page_escapes_the_command() -> None:
    head = msgspec.structs.replace(made_up.result().checkpoint, name="<script>alert(1)</script>")
    page = report(made_up.result(checkpoint=head), made_up.again([]), made_up.CATALOGUE)
    assert "<script>alert" not in page


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
