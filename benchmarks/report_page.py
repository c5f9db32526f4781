"""How soon a report with ten thousand flipped groups can be used in Chromium, and its size.

    python benchmarks/report_page.py RESULT [--groups 10000] [--loads 5] [--keep report.html]

RESULT is the folder of a run with a baseline, such as ``mt-gate-demo/re/candidate``. Its flipped
groups are repeated under new ids up to ``--groups``. Prints medians over fresh loads:
milliseconds from the start of navigation to DOMContentLoaded, and until a first filter
is applied and drawn; and the seconds of processor time to write the page.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from playwright.sync_api import sync_playwright

from mt_gate.reporting.words.first_screen import gather
from mt_gate.reporting.words.texts import relation_texts
from mt_gate.reporting.writers.html import report
from mt_gate.results.result import Change, GroupRow
from mt_gate.results.store import read_result, read_rows, result_file

_NAMES = ("chromium", "chromium-headless-shell", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, _NAMES)), _NAMES[0])
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]

FIRST_FILTER = """async () => {
  const waited = (test) => new Promise((done) => {
    const look = () => (test() ? done() : setTimeout(look, 1));
    look();
  });
  await waited(() => "ready" in document.documentElement.dataset);
  const change = document.getElementById("f-change");
  change.value = "new";
  change.dispatchEvent(new Event("input", { bubbles: true }));
  await waited(() => location.hash.includes("change=new")
    && !document.querySelector("#filter[aria-busy]"));
  const [loaded] = performance.getEntriesByType("navigation");
  return [loaded.domContentLoadedEventEnd, performance.now()];
}"""


def repeated(rows: list[GroupRow], number: int) -> Iterator[GroupRow]:
    """Yield ``number`` groups: the rows again and again, each time under other ids."""
    for turn, row in itertools.islice(_turns(rows), number):
        digest = hashlib.sha256(f"{turn} {row.id}".encode()).hexdigest()
        yield msgspec.structs.replace(row, id=digest[:16])


def _turns(rows: list[GroupRow]) -> Iterator[tuple[int, GroupRow]]:
    for turn in itertools.count():
        for row in rows:
            yield turn, row


def write_page(folder: Path, number: int, path: Path) -> float:
    """Write the report of the repeated groups; return the seconds of processor time."""
    stored = result_file(folder)
    result = read_result(stored)
    flipped = [r for r in read_rows(stored, result) if r.change not in (None, Change.OK)]
    rows = [*repeated(flipped, number)]
    note = f"The {len(flipped):,} flipped cases are repeated with new ids: {number:,} in total."
    result = msgspec.structs.replace(result, notes=(*result.notes, note))
    before = time.process_time()
    text = report(result, gather(result, lambda: iter(rows)), relation_texts())
    took = time.process_time() - before
    path.write_text(text, encoding="utf-8")
    return took


def loads(path: Path, number: int, browser: str) -> list[list[float]]:
    """Return the two times of each load, in milliseconds."""
    found = []
    with sync_playwright() as driver:
        running: Any = driver.chromium.launch(executable_path=browser, args=FLAGS)
        for _ in range(number):
            context = running.new_context()
            page = context.new_page()
            page.goto(path.as_uri())
            found.append(page.evaluate(FIRST_FILTER))
            context.close()
        running.close()
    return found


def main() -> None:
    """Write, load, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("result", type=Path)
    parser.add_argument("--groups", type=int, default=10_000)
    parser.add_argument("--loads", type=int, default=5)
    parser.add_argument("--browser", default=BROWSER)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = (options.keep or Path(folder) / "report.html").absolute()
        took = write_page(options.result, options.groups, path)
        times = loads(path, options.loads, options.browser)
        size = path.stat().st_size
    ready, filtered = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"{options.groups:,} flipped groups: {size:,} bytes, written in {took:.1f} s (processor)")
    print(f"medians of {options.loads} loads:", end=" ")
    print(f"DOMContentLoaded {ready:.0f} ms, first filter applied {filtered:.0f} ms")


if __name__ == "__main__":
    main()
