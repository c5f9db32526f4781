"""The settings file of a pull request in whole runs of the action: it neither runs nor judges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.repository import ENOUGH, PHRASES, checkpoint, record
from making_pull_requests import Forge, event, of_pull_request, result, summary
from mt_gate.base.console import Progress
from mt_gate.base.errors import CANNOT_JUDGE, REGRESSION, USAGE
from mt_gate.baselines.writing import RunToRecord, build_baseline, write_baseline
from mt_gate.demo import CHECKPOINTS
from mt_gate.gate import run
from mt_gate.github import action
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.settings.record import Settings
from speeds import first_daily

NAME, BASELINE, MODEL = "mt-gate.toml", "baselines/ner.json", "models/ner"
COUNTED = f"sources = {ENOUGH}\nrelations = ['{PHRASES}']\ncheckpoint = '{MODEL}'\n"
"""The base's settings: by them the demo's candidate is worse than its baseline."""
Propose = Callable[..., dict[str, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recorded")


@pytest.fixture(scope="module")
def good(folder: Path) -> bytes:
    """A baseline of the demo's baseline checkpoint."""
    return record("ner", ENOUGH, (PHRASES,), folder)


@pytest.fixture(scope="module")
def kind(folder: Path) -> bytes:
    """A baseline of the candidate itself, which a pull request would like to be judged by."""
    chosen = Settings(
        checkpoint=str(CHECKPOINTS / "ner-candidate"),
        task="ner",
        suite="ner-default",
        relations=(PHRASES,),
        sources=ENOUGH,
        out=folder / "kind",
        device="cpu",
        cache=folder / "cache",
    )
    with Progress() as progress:
        measured_run = run(chosen, lambda _: None, progress)
    measured = RunToRecord(measured_run.result, verdicts_from_rows(measured_run.rows))
    baseline = build_baseline([measured], name="ner", accept="a part")
    write_baseline(folder / "kind.json", baseline)
    return (folder / "kind.json").read_bytes()


@pytest.fixture
def propose(good: bytes, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Propose:
    """Open a pull request with the demo's candidate, which is worse; return the environment."""

    def propose(before: str | None, after: str | None, **more: bytes) -> dict[str, str]:
        forge = Forge(tmp_path / "forge")
        settings = {} if before is None else {NAME: before.encode()}
        base = forge.base({BASELINE: good, **checkpoint("ner-baseline", MODEL), **settings})
        edit = {} if after == before else {NAME: None if after is None else after.encode()}
        change = {**checkpoint("ner-candidate", MODEL), **edit, **more}
        head, merge = forge.pull_request(base, change)
        monkeypatch.chdir(forge.check_out(tmp_path / "workspace"))
        step = {
            "INPUT_TASK": "ner",
            "INPUT_DEVICE": "cpu",
            "INPUT_CACHE": str(folder / "cache"),
            "INPUT_COMMENT": "never",
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            "GITHUB_TOKEN": "hunter2",
            "HOME": str(tmp_path),
        }
        return step | event(tmp_path, "pull_request", of_pull_request(base, head), merge)

    return propose


def base_notes() -> list[str]:
    return [note for note in result()["notes"] if note.startswith(NAME)]


@pytest.mark.parametrize(
    "lines",
    first_daily(
        [
            ["margin = 0.99", "alpha = 0.000001", "max-applicability-loss = 1"],
            [f'baseline = "{BASELINE}.mine"'],
            ['baseline = "elsewhere.json"', "record-missing = true", "out = 'elsewhere'"],
            [
                "sources = 1",
                "relations = ['ner/entity-shuffle']",
                "cache = 'mine'",
                "timeout = 0.1",
            ],
            ["suite = 'mine'", "exclude = ['wikigold']"],
        ],
        2,
    ),
)
def test_no_setting_of_the_pull_request_moves_the_verdict(
    propose: Propose, kind: bytes, lines: list[str]
) -> None:
    names = [line.split()[0] for line in lines]
    others = [line for line in COUNTED.splitlines() if line.split()[0] not in names]
    environment = propose(COUNTED, "\n".join([*others, *lines, ""]), **{f"{BASELINE}.mine": kind})
    assert action.run_action(environment) == REGRESSION
    actual = result()
    assert actual["verdict"] == "regression"
    assert actual["baseline"]["notes"] == base_notes()
    [note] = base_notes()
    assert note.startswith(f"{NAME} is edited by this pull request: ")
    assert all(f"{name} " in note for name in names)
    for text in (summary(environment), Path("mt-gate-out/report.html").read_text()):
        assert f"{NAME} is edited by this pull request" in text


def test_the_base_s_program_gets_no_token(
    propose: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be the checkout's, so that a pull request may have changed it."""
    monkeypatch.setenv("GITHUB_TOKEN", "hunter2")
    program = b"env > stolen\n"
    named = COUNTED.replace(f"checkpoint = '{MODEL}'", "system = 'command:sh predict.sh'")
    environment = propose(named, named, **{"predict.sh": program})
    assert action.run_action(environment) == CANNOT_JUDGE
    assert "PATH=" in Path("stolen").read_text()
    assert "hunter2" not in Path("stolen").read_text()


def test_why_there_is_no_verdict_may_be_what_did_not_count(propose: Propose) -> None:
    environment = propose(None, COUNTED)
    assert action.run_action(environment) == CANNOT_JUDGE
    first, second = summary(environment).split("\n\n")[1:]
    assert "suite sha256" in first
    assert f"{NAME} is not in the base of this pull request" in second


def test_reports_of_before_go_where_the_base_cannot_be_read(propose: Propose) -> None:
    environment = propose("margin = 7\n", COUNTED, **{"mt-gate-out/result.json": b"{}"})
    assert action.run_action(environment) == CANNOT_JUDGE
    assert not Path("mt-gate-out/result.json").exists()
    assert f"{NAME} of base commit" in summary(environment)
    wrong = environment | {"INPUT_BASELINE-FROM": "head"}
    Path("mt-gate-out/result.json").write_text("{}")
    assert action.run_action(wrong) == USAGE
    assert not Path("mt-gate-out/result.json").exists()


@pytest.mark.parametrize("place", ["mt-gate-out", "reports/ner"])
def test_reports_do_not_leave_the_checkout_by_a_link(
    propose: Propose, tmp_path: Path, place: str
) -> None:
    """A pull request may hold it, and what lies there be another job's."""
    elsewhere = tmp_path / "elsewhere" / "ner"
    elsewhere.mkdir(parents=True)
    (elsewhere / "junit.xml").write_text("another's")
    environment = propose(COUNTED, COUNTED) | {"INPUT_OUT": place}
    first, *rest = Path(place).parts
    Path(first).symlink_to(elsewhere.parent if rest else elsewhere)
    for inputs in (environment, environment | {"INPUT_MARGIN": "many"}):
        assert action.run_action(inputs) == CANNOT_JUDGE
        assert (elsewhere / "junit.xml").read_text() == "another's"
        assert [path.name for path in elsewhere.iterdir()] == ["junit.xml"]
    assert "the path has a link" in summary(environment)


def test_a_first_baseline_does_not_leave_the_checkout_by_a_link(
    propose: Propose, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    more = {"INPUT_BASELINE": "kept/ner.json", "INPUT_RECORD-MISSING": "true"}
    environment = propose(COUNTED, COUNTED) | more
    Path("kept").symlink_to(tmp_path / "elsewhere")
    assert action.run_action(environment) == CANNOT_JUDGE
    assert [*(tmp_path / "elsewhere").iterdir()] == []
    assert "the path has a link" in summary(environment)
