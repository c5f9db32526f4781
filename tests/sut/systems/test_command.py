"""Programs that answer over standard input and output, well and badly."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cases import table
from conftest import check_refused
from making import make_suite
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE
from speeds import first_daily

HONEST = """\
import json, re, sys, os, time
{start}
for number, line in enumerate(sys.stdin):
    item = json.loads(line)
    places = ("Oslo", "Rome", "Paris", "Berlin", "Quito")
    found = [[*m.span(), "LOC" if m.group() in places else "PER"]
             for m in re.finditer("[A-Z][a-z]+", item["text"]) if m.group() != "Was"]
    answer = {{"id": item["id"], "entities": found}}
    {misbehave}
    print(json.dumps(answer), flush=True)
"""
INTRODUCES = 'print(json.dumps({"system": {"name": "mine", "fingerprint": "v1"}}), flush=True)'


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., str]:
    def write(misbehave: str = "pass", start: str = INTRODUCES, name: str = "predict.py") -> str:
        path = tmp_path / name
        path.write_text(HONEST.format(start=start, misbehave=misbehave))
        return f"command:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"

    return write


@pytest.fixture
def result(tmp_path: Path) -> Callable[[], dict]:
    return lambda: json.loads((tmp_path / "out" / "result.json").read_text())


def refused(answer: object, *words: str) -> str:
    lines = answer.err.strip().splitlines()
    assert answer.code == CANNOT_JUDGE, answer
    assert len(lines) == 1, lines
    for word in words:
        assert word in lines[0]
    return lines[0]


def test_a_run_a_baseline_and_a_second_run(
    run_system: Callable, command: Callable, program: Callable, result: Callable, tmp_path: Path
) -> None:
    system = program()
    assert run_system(system).code == PASS
    first = result()
    assert first["checkpoint"]["name"] == "mine"
    assert first["checkpoint"]["fingerprint"] == "v1"
    assert "notes" not in first
    assert first["settings"]["noise"] == 0
    assert first["relations"][0]["applicable"] > 0
    for relation in first["relations"]:
        assert relation["violated"] == 0
        assert relation.get("unstable", 0) == 0
    recorded = command("baseline", "record", "out/result.json", "--name", "ner", "--dir", tmp_path)
    assert recorded.code == PASS
    shown = command("baseline", "show", tmp_path / "ner.json").out
    assert "mine (v1)\nrun on      command" in shown
    assert run_system(system, baseline=tmp_path / "ner.json").code == PASS
    second = result()
    assert second["verdict"] == "pass"
    assert second["predictions"]["cached"] == second["predictions"]["unique"]


def test_the_program_of_the_docs(run_system: Callable, result: Callable, tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="needs mt-gate[spacy]")
    name = os.environ.get("MT_GATE_SPACY_PIPELINE", "en_core_web_sm")
    if not spacy.util.is_package(name):
        pytest.skip(f"no spaCy pipeline {name} (set MT_GATE_SPACY_PIPELINE)")
    text = (Path(__file__).parents[3] / "docs" / "systems.md").read_text()
    source = text.partition("```python\n")[2].partition("```")[0]
    (tmp_path / "own.py").write_text(source.replace("en_core_web_sm", name))
    answer = run_system(f"command:{shlex.quote(sys.executable)} own.py")
    assert answer.code == PASS, answer
    code = hashlib.sha256((tmp_path / "own.py").read_bytes()).hexdigest()
    assert result()["checkpoint"] | {"runtime": None} == {
        "name": "our-ner",
        "fingerprint": f"{spacy.load(name).meta['version']} {code}",
        "runtime": None,
    }


def test_another_program_s_answers_are_never_taken(
    run_system: Callable, program: Callable, result: Callable
) -> None:
    run_system(program(start=""))
    run_system(program(start=""))
    assert result()["predictions"]["cached"] > 0
    run_system(program("answer['entities'] = []", start=""))
    assert result()["predictions"]["cached"] == 0
    run_system(program("answer['entities'] = []", start="", name="other.py"))
    assert result()["predictions"]["cached"] == 0
    run_system(program())
    assert result()["predictions"]["cached"] == 0
    run_system(program(start=INTRODUCES.replace("v1", "v2")))
    assert result()["predictions"]["cached"] == 0
    run_system(program("answer['entities'] = []", start=INTRODUCES.replace("v1", "v2")))
    assert result()["predictions"]["cached"] == 0, "two programs that call themselves alike"


def test_answers_in_any_order(run_system: Callable, program: Callable, result: Callable) -> None:
    turned = (
        "held = globals().setdefault('held', []); held.append(json.dumps(answer))\n"
        "    if number == 0 or len(held) == 3 or 'Quito' in item['text']:\n"
        "        print('\\n'.join(reversed(held)), flush=True); held.clear()\n"
        "    continue"
    )
    # An alarm flushes the rest of a round, as a batching server does.
    start = (
        f"{INTRODUCES}\nimport signal\n"
        "def flush(*_):\n"
        "    held = globals().get('held', [])\n"
        "    held and print('\\n'.join(reversed(held)), flush=True); held.clear()\n"
        "signal.signal(signal.SIGALRM, flush); signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)"
    )
    assert run_system(program(turned, start)).code == PASS
    assert all(relation["violated"] == 0 for relation in result()["relations"])


@pytest.mark.parametrize(
    ("misbehave", "words"), table(__file__, "a_command_that_goes_astray_is_told_and_the_next_ru")
)
def test_a_failing_command_is_reported_and_the_next_run_goes_on(
    run_system: Callable,
    program: Callable,
    result: Callable,
    tmp_path: Path,
    misbehave: str,
    words: tuple[str, ...],
) -> None:
    """What it answered before is kept: the same program, mended by a file, takes up from there."""
    mended = tmp_path / "mended"
    system = program(f"0 if os.path.exists({str(mended)!r}) else ({misbehave})")
    line = refused(run_system(system), "command predict.py", *words)
    assert line.isprintable()
    assert not (tmp_path / "out").exists()
    mended.write_text("")
    assert run_system(system).code == PASS
    assert 60 <= result()["predictions"]["cached"] < result()["predictions"]["unique"]


def test_a_hanging_command_is_ended_with_its_children(
    run_system: Callable, program: Callable, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    hang = (
        (
            "import subprocess\n"
            "    if number == 5:\n"
            "        child = subprocess.Popen(['sleep', '600'])\n"
            f"        open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
            "        sys.stderr.write('thinking \\x1b[2J hard\\n'); sys.stderr.flush()\n"
            "        time.sleep(600)"
        )
        .replace("{{", "{{{{")
        .replace("}}", "}}}}")
    )
    system = program(hang.replace("{{{{", "{").replace("}}}}", "}"))
    line = refused(run_system(system, timeout=1.5), "no reply within 1.5 seconds", "thinking")
    assert "\x1b" not in line
    assert "--timeout" in line
    assert all(_gone(int(pid)) for pid in pids.read_text().split())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems end the process group")
@pytest.mark.parametrize("start", table(__file__, "a_child_in_a_session_of_its_own_is_ended"))
@pytest.mark.parametrize("misbehave", first_daily(["sys.exit(1)", "pass"]))
def test_a_child_in_a_session_of_its_own_is_ended(
    run_system: Callable, program: Callable, tmp_path: Path, start: str, misbehave: str
) -> None:
    marked = f"600.{os.getpid()}{time.time_ns()}"
    start = f"import subprocess; DEVNULL = subprocess.DEVNULL; {start.format(marked=marked)}"
    start += f"; open({str(tmp_path / 'started')!r}, 'w').close(); time.sleep(0.5)"
    before = subprocess.Popen(["sleep", "600"], start_new_session=True)
    with ThreadPoolExecutor() as threads:
        running = threads.submit(run_system, program(misbehave, start=start))
        while not (tmp_path / "started").exists():
            time.sleep(0.01)
        later = subprocess.Popen(["sleep", "600"])
        assert is_running(marked)
        running.result()
    assert not is_running(marked)
    for process in (before, later):  # the caller's own
        assert process.poll() is None
        process.kill()
        process.wait()


def is_running(marked: str) -> bool:
    done = subprocess.run(["pgrep", "-f", f"sleep {marked}"], capture_output=True, check=False)
    return bool(done.stdout)


def _gone(pid: int) -> bool:
    for _ in range(100):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


def test_long_texts_both_ways_do_not_lock(
    run_system: Callable, program: Callable, tmp_path: Path
) -> None:
    """More than any pipe holds, in both directions at once."""
    long = [f"Anna{'x' * 40_000} was a friend of B{number} in Oslo." for number in range(80)]
    suite = make_suite(tmp_path / "long", long)
    padded = "answer['echo'] = item['text']"
    assert run_system(program(padded), suite=suite).code == PASS


@pytest.mark.parametrize(("system", "words"), table(__file__, "commands_that_cannot_be_started"))
def test_commands_that_cannot_be_started(run_system: Callable, system: str, words: str) -> None:
    check_refused(run_system(system), USAGE, words)


def test_arguments_pass_no_shell_and_stay_out_of_the_reports(
    run_system: Callable, program: Callable, result: Callable, tmp_path: Path
) -> None:
    system = f"{program(start='')} --token s3cret '; touch {tmp_path}/shell' $HOME"
    assert run_system(system).code == PASS
    assert not (tmp_path / "shell").exists()
    for path in (tmp_path / "out").glob("*.*"):
        assert b"s3cret" not in path.read_bytes()
    assert result()["checkpoint"]["name"] == "predict.py"


TELLS = "import os; open('given', 'w').write('\\n'.join(f'{k}={v}' for k, v in os.environ.items()))"


@pytest.mark.parametrize("how", ["flag", "file", "nowhere"])
def test_the_environment_is_a_list_and_what_is_named(
    run_system: Callable,
    program: Callable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
) -> None:
    secrets = ("GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "INPUT_GITHUB-TOKEN", "OTHER")
    for name in (*secrets, "OUR_KEY"):
        monkeypatch.setenv(name, "hunter2")
    monkeypatch.setenv("https_proxy", "http://me:hunter2@localhost:9")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    flags = ("--system-environment", "OUR_KEY,NOT_SET") if how == "flag" else ()
    if how == "file":
        (tmp_path / "mt-gate.toml").write_text('system-environment = ["OUR_KEY"]\n')
    system = program(start=TELLS)
    assert run_system(system, *flags).code == PASS
    environment = (tmp_path / "given").read_text().splitlines()
    assert "OMP_NUM_THREADS=1" in environment
    assert any(line.startswith("PATH=") for line in environment)
    actual = [line for line in environment if "hunter2" in line]
    assert actual == ([] if how == "nowhere" else ["OUR_KEY=hunter2"])


def test_last_words_are_cut_when_no_secret_is_in_them(
    run_system: Callable, program: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "-".join(f"canary{number}" for number in range(60))
    monkeypatch.setenv("MY_TOKEN", secret)
    answer = run_system(program(f"sys.exit('refused: {secret}')"))
    assert "refused: ***" in refused(answer)
    assert "canary" not in answer.err


@pytest.mark.parametrize(
    ("variable", "value"), [("GITHUB_EVENT_NAME", "pull_request"), ("CI_MERGE_REQUEST_IID", "7")]
)
def test_a_proposal_s_command_is_not_answered_from_the_cache(
    run_system: Callable,
    program: Callable,
    result: Callable,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
) -> None:
    """It may import a module that the proposal changed, whatever fingerprint it names."""
    system = program()
    assert run_system(system).code == PASS
    assert run_system(system).code == PASS
    assert result()["predictions"]["cached"] > 0
    monkeypatch.setenv(variable, value)
    assert run_system(system).code == PASS
    assert result()["predictions"]["cached"] == 0
