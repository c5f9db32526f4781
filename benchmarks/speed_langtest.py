"""LangTest on a Hugging Face checkpoint, for benchmarks/speed.py, which starts it.

    PYTHON benchmarks/speed_langtest.py MODEL TASK DATA THREADS

``PYTHON`` is that of an environment with ``langtest[transformers]``, ``DATA`` a file as LangTest
reads it. Three of its robustness tests are built for each text, and run; the seconds of running
alone count. Prints a line of JSON.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
import time

TESTS = ("lowercase", "add_typo", "add_punctuation")
"""Of its robustness tests these need no word lists, and change few tokens."""


def main() -> None:
    """Measure and print."""
    model, task, data, threads = sys.argv[1:]
    logging.disable(logging.WARNING)
    importlib.import_module("torch").set_num_threads(int(threads))
    langtest = importlib.import_module("langtest")
    harness = langtest.Harness(
        task=task,
        model={"model": model, "hub": "huggingface"},
        data={"data_source": data},
    )
    harness.configure(
        {
            "tests": {
                "defaults": {"min_pass_rate": 0.5},
                "robustness": {name: {"min_pass_rate": 0.5} for name in TESTS},
            }
        }
    )
    harness.generate()
    start, used = time.perf_counter(), time.process_time()
    harness.run()
    told = {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - used,
        "units": len(harness.generated_results()),
        "version": importlib.import_module("importlib.metadata").version("langtest"),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
