"""LangTest on a Hugging Face checkpoint, for benchmarks/speed.py, which starts it.

    PYTHON benchmarks/speed_langtest.py MODEL TASK DATA THREADS

``PYTHON`` is that of an environment with ``langtest[transformers]`` and ``openai``, ``DATA`` a file
as LangTest reads it. Three of its robustness tests are built for each text, and run; the seconds of
running alone count. Says when it is ready; then measures once for each line on standard input, and
answers it with a line of JSON, as speed_contenders.py does.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import sys
import time
from typing import Any

TESTS = ("lowercase", "add_typo", "add_punctuation")
"""Robustness tests of LangTest that need no word lists and change few tokens."""


def main() -> None:
    """Measure whenever a line comes, and print."""
    model, task, data, threads = sys.argv[1:]
    logging.disable(logging.WARNING)
    importlib.import_module("torch").set_num_threads(int(threads))
    with contextlib.redirect_stdout(sys.stderr):
        langtest = importlib.import_module("langtest")
    print("ready", flush=True)
    for _ in sys.stdin:
        with contextlib.redirect_stdout(sys.stderr):
            figures = measured(langtest, model, task, data)
        print(json.dumps(figures), flush=True)


def measured(langtest: Any, model: str, task: str, data: str) -> dict[str, float]:
    """Build its tests and run them; a new harness has no answer of the last one."""
    harness = langtest.Harness(
        task=task,
        model={"model": model, "hub": "huggingface"},
        data={"data_source": data},
    )
    wanted = {name: {"min_pass_rate": 0.5} for name in TESTS}
    harness.configure({"tests": {"defaults": {"min_pass_rate": 0.5}, "robustness": wanted}})
    harness.generate()
    start, used = time.perf_counter(), time.process_time()
    harness.run()
    seconds, cpu = time.perf_counter() - start, time.process_time() - used
    return {"seconds": seconds, "cpu": cpu, "units": len(harness.generated_results())}


if __name__ == "__main__":
    main()
