"""The report's markup, as html-validate reads it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from mt_gate.reporting.writers.html import failure_page
from mt_gate.results.result import Change, GateVerdict
from reporting import hostile_pages, made_up, made_up_re
from reporting.browsing import MODULES
from reporting.made_up import report
from reporting.several_runs import compared, evaluated, over_time

_VALIDATOR = MODULES / "html-validate" / "bin" / "html-validate.mjs"
_NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(
    _NODE is None or not _VALIDATOR.is_file(),
    reason=f"no html-validate at {_VALIDATOR}; npm install html-validate",
)


def test_markup_is_valid(tmp_path: Path) -> None:
    """The recommended preset, with every rule; one start for all pages."""
    many = made_up.rows({Change.NEW: 5000, Change.FIXED: 3000, Change.STILL: 2000})
    relations = made_up_re.rows()
    # The validator counts an escape in a title as many characters, so that name stays.
    made = hostile_pages.run()
    poisoned = msgspec.structs.replace(made.result, checkpoint=made_up.result().checkpoint)
    pages = {
        "regression": report(made_up.result(), made_up.again(made_up.rows()), made_up.CATALOGUE),
        "policy": report(made_up.tiered(), made_up.again(made_up.rows()), made_up.CATALOGUE),
        "pass": report(made_up.result(GateVerdict.PASS), made_up.again([]), made_up.CATALOGUE),
        "measured": report(
            made_up.result(GateVerdict.MEASURED),
            made_up.again(made_up.rows({None: 12})),
            made_up.CATALOGUE,
        ),
        "relations": report(
            made_up_re.result(relations, GateVerdict.REGRESSION),
            made_up.again(relations),
            made_up_re.CATALOGUE,
        ),
        "hostile": report(poisoned, made_up.again(made.rows), made.catalogue),
        "failure": failure_page("x is missing. Record it.", "ner", 3, ("A <note>",)),
        "history": over_time(),
        "compared": compared(),
        "evaluated": evaluated(),
        "many": report(made_up.result(), made_up.again(many), made_up.CATALOGUE),
    }
    paths = []
    for name, text in pages.items():
        paths.append(tmp_path / f"{name}.html")
        paths[-1].write_text(text, encoding="utf-8")
    config = tmp_path / "htmlvalidate.json"
    config.write_text('{"root": true, "extends": ["html-validate:recommended"]}', "utf-8")
    command = [str(_NODE), str(_VALIDATOR), "--config", str(config), *map(str, paths)]
    actual = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert actual.returncode == 0, actual.stdout[-4000:] + actual.stderr[-2000:]
