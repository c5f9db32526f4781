from __future__ import annotations

import shlex

import msgspec
from click.testing import CliRunner

from mt_gate.cli import cli
from mt_gate.reporting.repeating import command
from mt_gate.result import CheckpointHead
from reporting import made_up


def test_the_command_names_all_that_moves_a_verdict() -> None:
    clean = made_up.result()
    settings = msgspec.structs.replace(
        clean.settings,
        strict=True,
        must_hold=("aa", "bb"),
        max_violation_rate={"*": 0.2},
        relations=("ner/structural",),
        complete=False,
    )
    part = ("without wikigold", "100 of 5551 sources, seed 2023")
    suite = msgspec.structs.replace(clean.suite, part=part, ontology="kbp37 sha256:00")
    assert command(made_up.result(settings=settings, suite=suite)) == (
        "mt-gate run --checkpoint models/ner --task ner --suite ner-default "
        "--baseline baselines/ner.json --alpha 0.05 --margin 0.01 --max-applicability-loss 0.1 "
        "--strict --max-violation-rate '*=0.2' --must-hold aa,bb --relations ner/structural "
        "--sources 100 --exclude wikigold --ontology kbp37"
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


def test_the_options_exist() -> None:
    helped = CliRunner().invoke(cli, ["run", "--help"]).output
    words = shlex.split(command(made_up.result()))
    assert all(word in helped for word in words if word.startswith("--"))
