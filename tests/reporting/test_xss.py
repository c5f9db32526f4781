"""Whatever a suite, checkpoint, label, baseline or pull request says: nothing of it runs.

Every text of every record is replaced by payloads (``poisoning.py``), and everything that people
see is made of them, opened in Chromium and touched. That the visitor would notice is shown by the
same payloads put into pages as they are.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from markdown_it import MarkdownIt

import node
from mt_gate.base.console import fail, say
from mt_gate.base.errors import UsageError
from mt_gate.base.escaping import log_line, one_line, visible
from mt_gate.cli import exit_code
from mt_gate.evaluating.records import Evaluation
from mt_gate.github import comment
from mt_gate.github.action import run_action
from mt_gate.github.comment import Message, checked_link, print_messages
from mt_gate.history.runs import History
from mt_gate.history.views import history_lines
from mt_gate.reporting.table import show_lines
from mt_gate.reporting.words.texts import RelationText
from mt_gate.reporting.writers.terminal import show
from mt_gate.results.result import GroupRow, Result
from mt_gate_suites.audit.readable import ReviewCase
from reporting import hostile_pages as pages
from reporting.attacking import Siege
from reporting.poisoning import places, texts
from reporting.xss_corpus import PAYLOADS, Payload
from speeds import first_daily

TASKS = ("ner", "boolq", "re")
ROUNDS = range(pages.ROUNDS)


@pytest.fixture(scope="module")
def window(browser: Any) -> Siege:
    return Siege(browser)


@pytest.fixture
def siege(window: Siege) -> Siege:
    window.forget()
    return window


class TestReach:
    """Every text of every record is an attack, and every attack gets to every text."""

    @pytest.mark.parametrize("task", TASKS)
    def test_of_all_records(self, task: str) -> None:
        dealer, _ = hostile_and_plain(task)
        actual: set[str] = set()
        for number in ROUNDS:
            made = pages.everything(dealer, task, number)
            for kind, values in (
                (Result, [made.run.result]),
                (GroupRow, made.run.rows),
                (RelationText, [*made.run.catalogue.values(), *made.texts.values()]),
                (Evaluation, [made.evaluation]),
                (History, [made.together, made.past]),
                (ReviewCase, made.readable),
            ):
                for value in values:
                    actual.update(place for place, _ in attacked(kind, value))
        assert actual == {place for kind in RECORDS for place in places(kind)}
        for place in sorted(actual - LOOKED_UP - pages.FIXED):
            assert dealer.dealt[place] >= len(pages.TEXTS), place
        assert dealer.dealt["a relation's id"] >= len(pages.TEXTS)


RECORDS = (Result, GroupRow, RelationText, Evaluation, History, ReviewCase)
LOOKED_UP = {"SuiteHead.task", "Evaluation.task", "History.along"}
KEYS = {
    "text", "head", "tail", "question", "passage", "entities", "answer", "relation", "score",
    "expected", "source", "follow_up",
}  # fmt: skip
"""Keys of inputs and predictions; any other key that they have is an attack too."""


def attacked(kind: Any, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the texts of a value, all of which must be, or end with, payloads."""
    for place, text in texts(kind, value):
        of_all_together = place in pages.FIXED and not text
        if (
            place not in LOOKED_UP
            and not of_all_together
            and not (place.endswith(" key") and text in KEYS)
        ):
            assert any(known in text for known in pages.TEXTS), (place, text)
        yield place, text


@cache
def places_of(task: str) -> Mapping[str, int]:
    return pages.count_places(lambda dealer, number: pages.everything(dealer, task, number))


def hostile_and_plain(task: str) -> tuple[pages.Dealer, pages.Dealer]:
    return pages.Dealer(pages.TEXTS, places_of(task)), pages.Dealer(pages.PLAIN, places_of(task))


@cache
def rounds(task: str) -> list[tuple[pages.Everything, pages.Everything]]:
    """Return the records of all rounds, hostile and clean."""
    hostile, plain = hostile_and_plain(task)
    return [
        (pages.everything(hostile, task, number), pages.everything(plain, task, number))
        for number in ROUNDS
    ]


def batches(number: int) -> Iterator[list[Payload]]:
    for first in range(0, len(PAYLOADS), number):
        yield [*PAYLOADS[first : first + number]]


def saved(path: Path, text: str) -> Path:
    """Write a page; what UTF-8 cannot hold is written as the reports' own writers refuse to."""
    path.write_bytes(text.encode("utf-8", "replace"))
    return path


def frames(documents: Iterable[str]) -> str:
    inner = "".join(f'<iframe srcdoc="{html.escape(text)}"></iframe>' for text in documents)
    return f"<!DOCTYPE html><meta charset=utf-8>{inner}"


NEVER_RAW = {"look-alike brackets"}
"""What runs only where somebody turns characters into others."""


def test_the_visitor_notices(siege: Siege, tmp_path: Path) -> None:
    """The same payloads, unescaped and on a page without a policy: most of them run."""
    ran: set[int] = set()
    for batch in batches(110):
        text = frames(payload.context.replace("{}", payload.text) for payload in batch)
        siege.open(saved(tmp_path / "raw.html", text))
        siege.touch()
        ran |= set(siege.ran)
        siege.forget()
    assert len(ran) >= 300
    kinds = {payload.kind for payload in PAYLOADS if payload.number in ran}
    assert kinds == {payload.kind for payload in PAYLOADS} - NEVER_RAW


MISDEEDS = {
    "policy": "<img src=x onerror=alert(1)>",
    "dialog": "<body><script>alert(1)</script>",
    "asked for": "<img src='https://example.org/x.png'>",
    "console": "<script>console.log(1)</script>",
    "error": "<script>x.y</script>",
    "window": "<script>open('about:blank#1')</script>",
}


@pytest.mark.parametrize("kind", MISDEEDS)
def test_the_visitor_notices_more_than_the_canary(browser: Any, kind: str, tmp_path: Path) -> None:
    policy = "default-src 'none'" if kind == "policy" else "default-src * 'unsafe-inline'"
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    path = saved(tmp_path / "page.html", f"<!DOCTYPE html>{head}{MISDEEDS[kind]}")
    own = Siege(browser)
    own.open(path)
    own.touch()
    assert any(finding.startswith(kind) for finding in own.findings(path))


class Page(NamedTuple):
    """A page of one round, hostile and clean."""

    hostile: str
    clean: str


def in_rounds(task: str, render: Callable[[pages.Everything], str]) -> Iterator[Page]:
    return (Page(render(hostile), render(clean)) for hostile, clean in rounds(task))


def spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text)


TOUCHED = 3
"""Every so many pages are touched all over; it takes longer than to open them."""


def sees_nothing_run(siege: Siege, folder: Path, made: Iterable[Page]) -> str:
    """Visit pages; return all that stood in the hostile ones."""
    seen = []
    path = folder / "page.html"
    touched: set[str] = set()
    """Elements of clean pages that stand there once these have been touched."""
    for number, page in enumerate(made):
        clean = siege.open(saved(path, page.clean))
        shots = [siege.open(saved(path, page.hostile))]
        assert shots[0].without_marks() == clean.without_marks(), number
        shots += siege.pages()
        if number % TOUCHED == 0:
            shots.append(siege.touch(pages.TEXTS[number :: pages.ROUNDS]))
        known = clean.shapes.keys() | touched
        if any(shot.shapes.keys() - known for shot in shots):
            siege.open(saved(path, page.clean))
            again = (*siege.pages(), siege.touch(pages.PLAIN[number :: pages.ROUNDS]))
            touched |= set().union(*(shot.shapes for shot in again))
            known |= touched
        assert all(shot.shapes.keys() <= known for shot in shots), number
        assert siege.findings(path) == [], number
        for shot in shots:
            assert {url for url in shot.addresses if not url.startswith("#")} <= clean.addresses
        seen += [shot.text for shot in shots]
    return "\n".join(seen)


def check_seen(text: str, shown_as: Callable[[str], str] = visible) -> None:
    """Check that payloads stood in the pages as text: that they were there to be run."""
    unseen = [known for known in pages.TEXTS if spaced(shown_as(known)).strip() not in text]
    assert unseen == []


PAGES = [
    ("ner", pages.comparison_page),
    ("ner", pages.past_page),
    ("re", pages.accuracy_page),
    ("re", pages.audit_sheets),
    *((task, pages.report_page) for task in TASKS),
]


@pytest.mark.parametrize(("task", "render"), first_daily(PAGES, 5))
def test_pages(
    siege: Siege, tmp_path: Path, task: str, render: Callable[[pages.Everything], str]
) -> None:
    check_seen(sees_nothing_run(siege, tmp_path, in_rounds(task, render)))


def by_markdown_it(documents: list[str]) -> list[str]:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.validateLink = lambda _: True  # type: ignore[method-assign]
    return [parser.render(text) for text in documents]


_MARKED = """
import { marked } from "marked";
let given = "";
for await (const part of process.stdin.setEncoding("utf8")) given += part;
console.log(JSON.stringify(JSON.parse(given).map((text) => marked.parse(text, { gfm: true }))));
"""


def by_marked(documents: list[str]) -> list[str]:
    return list(json.loads(node.script("marked", _MARKED, json.dumps(documents))))


@pytest.mark.parametrize("render", [by_markdown_it, by_marked])
def test_markdown(
    siege: Siege,
    tmp_path: Path,
    render: Callable[[list[str]], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rendered without a sanitiser, in a page without a policy; nothing is cut to fit."""
    monkeypatch.setattr(comment, "COMMENT_LIMIT", 1_000_000)
    documents = [pages.markdown_texts(made) for pair in rounds("ner") for made in pair]
    rendered = render([text for texts in documents for text in texts])
    each = len(documents[0])
    whole = [
        "<!DOCTYPE html><meta charset=utf-8>" + "<hr>".join(rendered[at : at + each])
        for at in range(0, len(rendered), each)
    ]
    text = sees_nothing_run(siege, tmp_path, map(Page, whole[::2], whole[1::2]))
    check_seen(text, one_line)


def test_markdown_that_is_not_escaped_runs(siege: Siege, tmp_path: Path) -> None:
    texts = [payload.text for payload in PAYLOADS if payload.kind == "Markdown"]
    siege.open(saved(tmp_path / "raw.html", frames(by_markdown_it(texts))))
    siege.touch()
    assert len(set(siege.ran)) >= 12
    siege.forget()


def test_links_of_comments_are_addresses() -> None:
    taken = []
    for text in (*pages.TEXTS, *(f"https://example.org/{text}" for text in pages.TEXTS)):
        try:
            taken.append(checked_link(text))
        except UsageError:
            continue
    assert all(re.fullmatch(r"https?://[^\s<>\"\\]+", link) for link in taken)
    assert all(link.startswith("https://example.org/") for link in taken)


def is_command(line: str) -> bool:
    """Whether a runner takes a line of a log for a command, of the new form or the old one."""
    return line.lstrip().startswith("::") or "##[" in line


@pytest.mark.parametrize(
    "name", ["a\n::set-output name=verdict::pass", "##[add-mask]x", "##[error]a", "a##[group]b"]
)
def test_messages_about_names_are_no_workflow_commands(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name.replace("/", "")).mkdir()
    environment = {"INPUT_CHECKPOINT": "x", "INPUT_TASK": "ner", "INPUT_SUITE": name}
    codes = [
        exit_code(["compare", name, "--baseline", name]),
        exit_code(["run", "--checkpoint", name, "--task", "ner"]),
        exit_code(["suite", "show", name]),
        exit_code([name]),
        run_action(environment),
        run_action(environment | {"INPUT_TASK": name}),
        fail(3, name),
    ]
    assert all(codes)
    say(name)
    print_messages([Message(name, notice=True), Message(name)], say)
    out, err = capfd.readouterr()
    actual = [line for line in (out + err).splitlines() if is_command(line)]
    assert len(err.splitlines()) == len(codes) + 2
    assert [line.split(" ")[0] for line in actual] == ["::error", "::error", "::notice"]
    assert "##[" not in out + err


def test_logs_hold_no_workflow_command() -> None:
    lines: list[str] = []
    for made, _ in rounds("ner"):
        stream = StringIO()
        show(made.run.result, made.run.catalogue, stream)
        show_lines(history_lines(made.past), stream)
        lines += stream.getvalue().splitlines()
    lines += map(log_line, pages.TEXTS)
    assert len(lines) > 1000
    assert not any(map(is_command, lines))
    assert not any("\x1b" in line or "\r" in line for line in lines)
