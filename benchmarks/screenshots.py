"""The screenshots of docs/reports.md, from the reports of `mt-gate demo`.

    mt-gate demo --out DEMO
    python benchmarks/screenshots.py DEMO docs/images

The regressions are the demo's own; the pass is its baseline compared with itself; the page with
10,000 groups repeats the demo's flipped groups under new ids (``report_page.py``), and its notes
say so. Needs Chromium, playwright, and Pillow, which nothing else here needs: pip install pillow.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from playwright.sync_api import sync_playwright

from report_page import BROWSER, FLAGS, write_page

COLOURS = 200
MANY = 10_000


class Shot(NamedTuple):
    """A picture: its page, the address in it, width and height, light or dark."""

    name: str
    page: str
    fragment: str = ""
    width: int = 1280
    height: int = 800
    scheme: str = "light"


SHOTS = (
    Shot("report", "answers"),
    Shot("report-dark", "regression", scheme="dark"),
    Shot("report-narrow", "relations", width=400, height=1100),
    Shot("report-pass", "pass"),
    Shot(
        "report-many",
        "many",
        "#relation=ner%2Fstructural&change=new&label=ORG&page=relation-3-new.3",
    ),
)


def pages(demo: Path, folder: Path) -> dict[str, Path]:
    """Write the report of each kind; return the paths."""
    found = {"many": folder / "many.html"}
    for name, task in (("regression", "ner"), ("answers", "boolq"), ("relations", "re")):
        found[name] = folder / f"{name}.html"
        _mt_gate("report", demo / task / "candidate", "--format", "html", "--output", found[name])
    baseline = demo / "ner" / "baseline"
    _mt_gate("compare", baseline, "--baseline", demo / "ner" / "baseline.json", "--out", folder)
    found["pass"] = folder / "report.html"
    write_page(demo / "ner" / "candidate", MANY, found["many"])
    return found


def _mt_gate(*arguments: object) -> None:
    command = [sys.executable, "-m", "mt_gate", *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def take(shot: Shot, page: Path, path: Path, browser: Any) -> None:
    """Take a picture, and save it with few colours."""
    size = {"width": shot.width, "height": shot.height}
    context = browser.new_context(viewport=size, color_scheme=shot.scheme)
    opened = context.new_page()
    opened.goto(page.as_uri() + shot.fragment)
    opened.locator("html[data-ready]").wait_for()
    opened.wait_for_timeout(300)
    if shot.fragment:
        opened.locator("#groups").evaluate("e => scrollTo(0, e.offsetTop - 20)")
        opened.wait_for_timeout(300)
    opened.screenshot(path=path)
    context.close()
    with Image.open(path) as image:
        few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def main() -> None:
    """Make all pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("demo", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--browser", default=BROWSER)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        written = pages(options.demo.resolve(), Path(folder))
        browser = driver.chromium.launch(executable_path=options.browser, args=FLAGS)
        for shot in SHOTS:
            path = options.out / f"{shot.name}.png"
            take(shot, written[shot.page], path, browser)
            print(f"{path}: {path.stat().st_size:,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
