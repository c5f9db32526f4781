"""Import paths that a table names, and what resolves to nothing."""

from __future__ import annotations

import subprocess
import sys

from mt_gate.base.lazy import resolve


def test_a_path_names_a_function_a_method_or_a_value() -> None:
    assert resolve("json:loads")("[1]") == [1]
    assert resolve("collections:OrderedDict.fromkeys")("a") == {"a": None}
    assert resolve("os.path:sep") == "/"


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        "from mt_gate.relations.catalogue import TRANSFORMATIONS; "
        "from mt_gate_suites.builder_api import TRANSFORMATIONS as BUILDERS; "
        "assert TRANSFORMATIONS and BUILDERS; "
        "print([name for name in sys.modules if name in ('mt_gate_suites.ner', 'spacy')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
