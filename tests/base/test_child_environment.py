"""Programs that are started get what is on the list, and no secret."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.sut.processes import NAMES, PROXIES, allowed

PACKAGE = Path(__file__).parents[2] / "runner" / "mt_gate"
SECRETS = (
    "GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "INPUT_GITHUB-TOKEN", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_TOKEN",
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AZURE_LANGUAGE_KEY",
    "AZURE_CLIENT_SECRET", "GOOGLE_APPLICATION_CREDENTIALS", "OPENAI_API_KEY", "WANDB_API_KEY",
    "PIP_INDEX_URL", "UV_INDEX_URL", "NETRC", "SSH_AUTH_SOCK", "DATABASE_URL", "PGPASSWORD",
    "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "LC_SECRET", "XDG_SECRET", "PYTHON_TOKEN",
    "CUDA_TOKEN", "NVIDIA_API_KEY", "NGC_API_KEY", "LD_PRELOAD", "MT_GATE_TOKEN",
)  # fmt: skip


def test_secrets_do_not_pass() -> None:
    variables = dict.fromkeys((*SECRETS, "PATH", "HOME"), "x")
    assert allowed(variables) == {"PATH": "x", "HOME": "x"}


def test_what_is_named_does() -> None:
    variables = {"OUR_KEY": "k", "OTHER_KEY": "o", "https_proxy": "http://me:pw@host"}
    assert allowed(variables, ("OUR_KEY", "NOT_SET")) == {"OUR_KEY": "k"}
    assert allowed(variables, ("https_proxy",)) == {"https_proxy": "http://me:pw@host"}


@pytest.mark.parametrize("name", PROXIES)
def test_proxies_pass_without_credentials(name: str) -> None:
    assert allowed({name: "http://host:3128"})
    assert not allowed({name: "http://me:s3cret@host:3128"})
    assert not allowed({name: "me@host"})


@given(st.dictionaries(st.text(), st.text()))
def test_all_that_passes_is_listed(environment: dict[str, str]) -> None:
    assert set(allowed(environment)) <= {*NAMES, *PROXIES}


def test_every_program_is_started_with_a_chosen_environment() -> None:
    """Who starts another one says what it gets; ``env`` left out would be all there is."""
    starts, bare = [], []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            place = f"{ast.unparse(node.func.value)}.{node.func.attr}"
            assert not place.startswith(("os.exec", "os.spawn", "os.popen", "os.system")), path
            if place.startswith("subprocess.") and node.func.attr in ("run", "Popen"):
                starts.append(path.name)
                bare += [] if any(word.arg == "env" for word in node.keywords) else [path.name]
    assert len(starts) >= 3
    assert not bare


READS = """
import os, subprocess, sys
sys.path.insert(0, sys.argv[1])
from mt_gate.sut.processes import allowed, close_to_children
close_to_children()
look = "import sys; print(open(f'/proc/{sys.argv[1]}/environ').read())"
done = subprocess.run([sys.executable, "-c", look, str(os.getpid())], env=allowed(os.environ),
                      capture_output=True, text=True)
print(done.stdout, done.stderr)
"""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs Linux's /proc")
def test_a_child_cannot_read_it_from_its_parent() -> None:
    """In a process of its own, since it cannot be taken back; as root with a container's powers."""
    command = [sys.executable, "-c", READS, str(PACKAGE.parent)]
    if os.geteuid() == 0:
        if not Path("/usr/bin/setpriv").exists():
            pytest.skip("setpriv is not installed, and root may read what it likes")
        command = [
            "setpriv",
            "--bounding-set=-all,+dac_override,+setuid",
            "--inh-caps=-all",
            *command,
        ]
    environment = {**os.environ, "GITHUB_TOKEN": "hunter2"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "hunter2" not in done.stdout
    assert "Permission" in done.stdout, done
