"""The action in a workflow on a pull request, from the event to the comment: act, container, API.

Every request passes Prism, which holds it against GitHub's own description.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.containers import ROOT
from end_to_end.repository import (
    ENOUGH,
    FEW,
    PHRASES,
    Change,
    Files,
    checkpoint,
    propose,
    record,
    settings,
)
from end_to_end.workflows import Run
from pull_requests.fake_github import BOT, PERSON, TOKEN, FakeGitHub

GATE = ".github/workflows/gate.yml"
NEXT_STEP = """
      - id: next
        if: always()
        env:
          REPORT: ${{ steps.gate.outputs.report }}
        run: |
          echo "verdict ${{ steps.gate.outputs.verdict }}, delta ${{ steps.gate.outputs.delta }}"
          test -s "$REPORT"
          if find mt-gate-out -type f | xargs zgrep -lF "${SOME_API_KEY:?}"; then exit 1; fi
"""


def workflow() -> str:
    """The workflow of the page on pull requests, with a step that reads the gate's outputs."""
    step = "      - uses: org/mt-gate@v1\n"
    text = (ROOT / "docs" / "workflows" / "gate.yml").read_text()
    shown = re.sub(r"(?m) *#.*$", "", text)
    assert shown.count(step) == 1
    named = shown.replace(step, "      - id: gate\n        uses: org/mt-gate@v1\n")
    return named.rstrip() + NEXT_STEP


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A repository with a gate and the demo's baseline checkpoint."""
    baseline = record("ner", FEW, (PHRASES,), tmp_path_factory.mktemp("baseline"))
    return {
        GATE: workflow().encode(),
        "baselines/ner.json": baseline,
        **settings(FEW, ONLY),
        **checkpoint("ner-baseline", "models/ner"),
    }


ONLY = f'relations = ["{PHRASES}"]'
WORSE = checkpoint("ner-candidate", "models/ner")
TOO_BAD: Files = settings(FEW, ONLY, "max-violation-rate = 0.05")
"""A bound that no checkpoint of the demo keeps: a regression that few sources show."""
SAME: Files = {"README.md": b"nothing that a gate reads"}


def judged(run: Run, conclusion: str, verdict: str) -> None:
    """Check that a run's conclusion is its verdict's, and that the next step reads its outputs."""
    steps = run.steps()
    assert (steps.get("gate"), steps.get("next")) == (conclusion, "success"), run.describe()
    assert list(run.jobs.values()) == [conclusion]
    assert (run.code == 0) == (conclusion == "success")
    outputs = run.outputs()
    assert outputs["verdict"] == verdict
    assert f"verdict {verdict}, delta {outputs['delta']}\n" in run.printed()
    assert run.summary().count("## ") >= 1


def test_created_then_updated(
    base: Files, run: Callable[[Change], Run], github: FakeGitHub, tmp_path: Path
) -> None:
    github.add(PERSON, "<!-- mt-gate comment ner -->\nnot the gate's")
    baseline = record("ner", ENOUGH, (PHRASES,), tmp_path / "recording")
    base = {**base, "baselines/ner.json": baseline, **settings(ENOUGH, ONLY)}
    first = run(propose(tmp_path / "first", base, WORSE))
    judged(first, "failure", "regression")
    assert float(first.outputs()["delta"]) > 0.01
    assert "regressed" in first.summary()
    assert len(first.annotations("error")) == 1
    (body,) = github.bodies(BOT)
    assert "regressed" in body
    assert "comment of gate ner on octo/models, pull request 7: created" in first.printed()

    second = run(propose(tmp_path / "second", base, SAME))
    judged(second, "success", "pass")
    assert float(second.outputs()["delta"]) == 0
    assert not second.annotations("error")
    (now,) = github.bodies(BOT)
    assert "no regression found" in now
    assert "pull request 7: updated" in second.printed()
    assert len(github.bodies(PERSON)) == 1
    assert github.tokens == {TOKEN}
    assert TOKEN not in str(first.log) + str(second.log)


@pytest.mark.parametrize(
    ("fork", "more", "conclusion", "verdict"),
    [(False, TOO_BAD, "failure", "regression"), (True, {}, "success", "pass")],
    ids=["a token that reads nothing", "a fork's, which reads and may not write"],
)
def test_what_github_refuses_changes_no_check(
    fork: bool,
    more: Files,
    conclusion: str,
    verdict: str,
    base: Files,
    run: Callable[[Change], Run],
    github: FakeGitHub,
    tmp_path: Path,
) -> None:
    written = "<!-- mt-gate comment ner -->\nas it was"
    github.add(BOT, written)
    refused = ("POST", "PATCH", "DELETE") if fork else ("GET", "POST", "PATCH", "DELETE")
    for method in refused:
        github.refuse(method, 403, message="Resource not accessible by integration", times=99)
    actual = run(propose(tmp_path, {**base, **more}, SAME, fork=fork))
    judged(actual, conclusion, verdict)
    assert github.bodies(BOT) == [written]
    (notice,) = actual.annotations("notice")
    assert "403" in notice
    assert any(line.startswith("PATCH" if fork else "GET") for line in github.requests)
