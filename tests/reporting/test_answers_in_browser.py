"""Both answers of a group in a real browser, for all tasks: names, roles, and widths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from mt_gate.domain import Block, Verdict
from mt_gate.reporting.words.texts import RelationText
from mt_gate.results.result import BaselineOutputs, Change, GroupRow, SuiteHead
from reporting import made_up, made_up_re
from reporting.browsing import AXE, Visit
from reporting.made_up import report

WORD = "boolq/antonym-adjective"
CATALOGUES = {
    "ner": made_up.CATALOGUE,
    "boolq": {WORD: RelationText("Antonyms", "The answer turns.", "is it big", "is it small")},
    "re": made_up_re.CATALOGUE,
}
PASSAGE = "The lake is big. " * 30


def ner_rows() -> list[GroupRow]:
    """Rows whose baseline found nothing in the follow-up, and one that answered alike."""
    rows = [
        msgspec.structs.replace(
            row,
            before=BaselineOutputs(source=row.source_output, follow_up={"entities": []}),
        )
        for row in made_up.rows()
    ]
    same = BaselineOutputs(source=rows[0].source_output, follow_up=rows[0].follow_up_output)
    return [msgspec.structs.replace(rows[0], before=same), *rows[1:]]


def boolq_rows() -> list[GroupRow]:
    return [
        GroupRow(
            id=f"{number:04x}",
            relation=WORD,
            source_id=f"s{number}",
            verdict=Verdict.VIOLATED,
            source={"question": "is the lake big", "passage": PASSAGE},
            follow_up={"question": "is the lake small", "passage": PASSAGE},
            alignment=(Block(0, 0, 12), Block(15, 17, len(PASSAGE) + 1)),
            source_output={"answer": "yes", "score": 0.75},
            follow_up_output={"answer": "yes", "score": 0.5},
            change=change,
            before=BaselineOutputs(source={"answer": "yes", "score": 0.9}, follow_up=follow_up),
        )
        for number, (change, follow_up) in enumerate(
            [(Change.NEW, {"answer": "no", "score": 0.2}), (None, None)]
        )
    ]


def re_rows() -> list[GroupRow]:
    long = "per:" + "stateorprovinces_of_residence" * 3
    return [
        msgspec.structs.replace(
            row,
            before=BaselineOutputs(
                source=made_up_re.said(long), second=row.second_output, follow_up=None
            ),
        )
        for row in made_up_re.rows()
    ]


def written(folder: Path, task: str) -> Path:
    rows = {"ner": ner_rows, "boolq": boolq_rows, "re": re_rows}[task]()
    result = made_up.result()
    if task == "re":
        result = made_up_re.result(rows, result.verdict)
    if task == "boolq":
        suite = SuiteHead(name="boolq-default", version="1", task="boolq", sha256="ab" * 32)
        relation = msgspec.structs.replace(result.relations[0], id=WORD)
        result = msgspec.structs.replace(result, suite=suite, relations=(relation,))
    path = folder / "report.html"
    path.write_text(report(result, made_up.again(rows), CATALOGUES[task]), encoding="utf-8")
    return path


OPEN = "document.querySelectorAll('details').forEach(d => { d.open = true; })"
CLIPPED = """[...document.querySelectorAll('.two, .said')].filter(e => {
  const card = e.closest('li').getBoundingClientRect(), own = e.getBoundingClientRect();
  return own.width && (own.left < card.left || own.right > card.right + 0.5);
}).length"""


@pytest.mark.skipif(not AXE.is_file(), reason=f"no axe-core at {AXE}; npm install axe-core")
@pytest.mark.parametrize("task", ["ner", "boolq", "re"])
@pytest.mark.parametrize(
    ("scheme", "width", "media"),
    [("light", 1200, "screen"), ("dark", 400, "screen"), ("light", 400, "screen"),
     ("dark", 1200, "screen"), ("light", 800, "print")],
)  # fmt: skip
def test_accessibility(
    browser: Any, tmp_path: Path, task: str, scheme: str, width: int, media: str
) -> None:
    size = {"width": width, "height": 900}
    visit = Visit(
        browser, written(tmp_path, task), viewport=size, color_scheme=scheme, bypass_csp=True
    )
    visit.page.emulate_media(media=media)
    visit.page.evaluate(OPEN)
    assert visit.page.locator(".two, .said").count() > 0
    assert visit.violations() == []
    if media == "screen":
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert visit.page.evaluate(CLIPPED) == 0


def test_answers_to_questions_are_a_table_with_heads(browser: Any, tmp_path: Path) -> None:
    visit = Visit(browser, written(tmp_path, "boolq"))
    table = visit.page.locator("li.g:visible").first.get_by_role("table")
    heads = table.get_by_role("columnheader").all_inner_texts()
    assert heads == ["Answer to", "Baseline: held", "This run: violated"]
    assert table.get_by_role("rowheader").all_inner_texts() == ["Source", "Follow-up"]
    cells = table.get_by_role("cell").all_inner_texts()
    assert cells == [
        "yes, P(yes) 0.90",
        "yes, P(yes) 0.75",
        "no, P(yes) 0.20",
        "yes, P(yes) 0.50 changed",
    ]
