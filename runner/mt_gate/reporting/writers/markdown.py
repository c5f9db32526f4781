"""GitHub Markdown: the head of the report for a job summary or a comment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.base.errors import REGRESSION
from mt_gate.base.escaping import markdown
from mt_gate.base.redaction import shorten
from mt_gate.baselines.reading import NEW_GATE
from mt_gate.reporting.words import marks
from mt_gate.reporting.words.advice import Advice, advice
from mt_gate.reporting.words.beside import was
from mt_gate.reporting.words.churn import churn_line
from mt_gate.reporting.words.gathering import Gathered, Kind, Rows, gather, shown
from mt_gate.reporting.words.outputs import FOLLOW_UP, SOURCE, Renderer, renderer
from mt_gate.reporting.words.policy import policy_table
from mt_gate.reporting.words.rendering import shows_original_alone, what_broke
from mt_gate.reporting.words.signature import signature
from mt_gate.reporting.words.slices import slice_table
from mt_gate.reporting.words.strata import strata_table
from mt_gate.reporting.words.texts import (
    VERDICT_WORDS,
    Catalogue,
    after_rate,
    before_rate,
    decision_words,
    errors_in_words,
    failing_first,
    is_compared,
    pooled_counts,
    pooled_title,
    sentence,
    text_of,
    tone,
)
from mt_gate.results.result import (
    GateVerdict,
    GroupRow,
    Overall,
    RelationResult,
    Result,
    is_loss,
)

SUMMARY_LIMIT = 1024 * 1024
COMMENT_LIMIT = 65_536
"""Bytes of UTF-8 that GitHub takes; a comment's limit is in characters, which are fewer."""

FLIPS = 5
_LONG_SENTENCE = 400
_LONGEST_TITLE = 80
_LONG_REASON = 600
_MOST_REASONS = 10
_MOST_NOTES = 10
_MOST_WARNINGS = 3
_LONG_SUMMARY = 1_500
_LONG_SIGNATURE = 1_000
_CUT = "_Omitted to fit: {}. The whole report is in report.html and groups.jsonl.gz._"

_SIGNS = {
    "regression": ":x:",
    "collapse": ":x:",
    "warning": ":warning:",
    "inconclusive": ":warning:",
    "pass": ":white_check_mark:",
    "improved": ":white_check_mark:",
    "measured": ":bar_chart:",
    "not-comparable": ":grey_question:",
    "not-judged": ":grey_question:",
    "cannot-judge": ":warning:",
}


class Passage(NamedTuple):
    """A part of the text that stands or falls as a whole."""

    name: str
    text: str


class Flip(NamedTuple):
    """A group worth showing, with the kind it was kept under."""

    kind: Kind
    row: GroupRow


class Frame(NamedTuple):
    """What stands around a summary: the gate's name, and where the whole report is.

    ``link`` is an http address without blanks or angle brackets; either may be empty.
    ``under`` are sentences right under the verdict, on how far it can be relied on.
    """

    gate: str = ""
    link: str = ""
    under: tuple[str, ...] = ()


def heading(verdict: GateVerdict, gate: str = "", *, fails: bool = False) -> str:
    """Return the first line of a summary; ``fails`` says that the build does, as a loss does."""
    named = f" ({markdown(gate)})" if gate else ""
    sign = _SIGNS[GateVerdict.REGRESSION if fails else verdict]
    return f"### {sign} mt-gate{named}: {VERDICT_WORDS[verdict]}"


def _verdict(result: Result, catalogue: Catalogue, frame: Frame) -> str:
    words = shorten(sentence(result, catalogue), _LONG_SUMMARY)
    fails = result.exit_code == REGRESSION
    lines = [heading(result.verdict, frame.gate, fails=fails), f"**{markdown(words)}**"]
    lines += map(_warning, (*frame.under, *provenance(result)))
    return "\n\n".join([*lines, *_todo(advice(result))])


def _todo(todo: Advice) -> Iterator[str]:
    """Yield what to do now, with its command, as one paragraph."""
    if todo.words:
        command = f" <code>{markdown(todo.command)}</code>" if todo.command else ""
        yield f"{markdown(todo.words)}{command}"


def provenance(result: Result) -> tuple[str, ...]:
    """Return what a reader has to know beside the verdict: an edit, a loss against the anchor."""
    if result.baseline is None:
        return tuple(note for note in result.notes if note.startswith(NEW_GATE))
    lost = result.anchor is not None and is_loss(result.anchor.verdict)
    told = (result.anchor.sentence,) if result.anchor and lost else ()
    return (*result.baseline.notes[:_MOST_WARNINGS], *told)


def _warning(words: str) -> str:
    return f"> :warning: {markdown(shorten(words, _LONG_REASON))}"


def footing(signed: str, link: str) -> str:
    """Return the last lines: the way to the whole report, and which run this was."""
    way = f"[The whole report](<{link}>)" if link else ""
    run = f"<sub>{markdown(shorten(signed, _LONG_SIGNATURE))}</sub>" if signed else ""
    return "\n\n".join(part for part in (way, run) if part)


def _bullets(lines: Sequence[str], most: int) -> str:
    shown_lines = [f"- {markdown(shorten(line, _LONG_REASON))}" for line in lines[:most]]
    if len(lines) > most:
        shown_lines.append(f"- and {len(lines) - most} more in result.json")
    return "\n".join(shown_lines)


def _decision(entry: RelationResult | Overall) -> str:
    if entry.comparison is None:
        return "not compared"
    return f"{_SIGNS[tone(entry)]} {decision_words(entry)}"


def _compared_row(title: str, entry: RelationResult | Overall) -> str:
    comparison = entry.comparison
    cells = [
        markdown(shorten(title, _LONGEST_TITLE)),
        figures.percent(before_rate(entry)),
        figures.percent(after_rate(entry)),
        figures.points(comparison.delta if comparison else None),
        figures.interval(comparison.ci95 if comparison else None),
    ]
    return f"| {' | '.join(cells)} | {_decision(entry)} |"


def _measured_row(title: str, entry: RelationResult | Overall) -> str:
    counts = f"{figures.count(entry.violated)} of {figures.count(entry.applicable)}"
    cells = [
        markdown(shorten(title, _LONGEST_TITLE)),
        counts,
        figures.percent(entry.violation_rate),
    ]
    return f"| {' | '.join(cells)} |"


_COMPARED_HEAD = (
    "| Relation | Before | After | Difference | 95 % interval (pp) | Decision |",
    "| --- | ---: | ---: | ---: | :---: | --- |",
)
_MEASURED_HEAD = ("| Relation | Violated | Rate |", "| --- | ---: | ---: |")


def _table(result: Result, catalogue: Catalogue) -> str:
    compared = is_compared(result)
    line = _compared_row if compared else _measured_row
    head = _COMPARED_HEAD if compared else _MEASURED_HEAD
    rows = [line(text_of(catalogue, r.id).title, r) for r in result.relations]
    return "\n".join([*head, *rows, line(pooled_title(result), pooled_counts(result))])


def _sentence(marked: marks.Marked) -> str:
    """Return a marked sentence: entities bold with their label, new words underlined."""
    parts, left = [], _LONG_SENTENCE
    for segment in marked.segments:
        if left <= 0:
            parts.append("…")
            break
        parts.append(_segment(segment, left))
        left -= len(segment.text)
    return "".join(parts)


def _piece(piece: marks.Piece, left: int) -> str:
    text = markdown(shorten(piece.text, left))
    return text if piece.kind == marks.KEPT else f"<ins>{text}</ins>"


def _segment(segment: marks.Segment, left: int) -> str:
    text = ""
    for piece in segment.pieces:
        text += _piece(piece, max(left, 1))
        left -= len(piece.text)
    if segment.label is None:
        return text
    return f"<b>{text}</b> <sub>{markdown(shorten(segment.label, 40))}</sub>"


def _without_edits(marked: marks.Marked) -> marks.Marked:
    """Return the sentence with entities only: the source is read as it stands.

    In one piece each: what is escaped by itself may be a mention together with what comes before.
    """
    kept = tuple(s._replace(pieces=(marks.Piece(s.text, marks.KEPT),)) for s in marked.segments)
    return marked._replace(segments=kept)


_KIND_WORDS = {
    Kind.NEW: "newly violated",
    Kind.VIOLATED: "violated",
    Kind.STILL: "still violated",
    Kind.FIXED: "fixed",
}


def _bare(text: str) -> str:
    """Return text without blanks at its ends: emphasis around them stands there as asterisks."""
    return text.strip()


def _flip(flip: Flip, render: Renderer, catalogue: Catalogue) -> str:
    row = flip.row
    title = _bare(markdown(text_of(catalogue, row.relation).title))
    lines = [
        f"**{title}**, {_KIND_WORDS[flip.kind]} (<code>{markdown(row.id)}</code>)",
        f"> {_sentence(_without_edits(render.sentence(row, SOURCE)))}",
    ]
    if not shows_original_alone(row):
        lines.append(f"> &rarr; {_sentence(render.sentence(row, FOLLOW_UP))}")
    second = render.second(row)
    if second is not None:
        lines.insert(2, f"> with {_sentence(second)}")
    lines += [
        f"> _{_bare(markdown(shorten(words, _LONG_SENTENCE)))}_"
        for words in (render.edit(row), "; ".join(what_broke(row, render)), *was(row, render))
        if words
    ]
    return f"{lines[0]}\n\n" + "<br>\n".join(lines[1:])


def telling(result: Result, gathered: Gathered, most: int = FLIPS) -> list[Flip]:
    """Return the most telling flips, relations by turns, no source twice."""
    kind = Kind.NEW if is_compared(result) else Kind.VIOLATED
    queues = [iter(shown(gathered, r.id, kind)) for r in failing_first(result.relations)]
    found: list[Flip] = []
    sources: set[str] = set()
    while queues and len(found) < most:
        queue = queues.pop(0)
        row = next((r for r in queue if r.source_id not in sources), None)
        if row is None:
            continue
        sources.add(row.source_id)
        found.append(Flip(kind, row))
        queues.append(queue)
    return found


def _flips(result: Result, gathered: Gathered, catalogue: Catalogue) -> Iterator[Passage]:
    render = renderer(result.suite.task)
    found = telling(result, gathered)
    for number, flip in enumerate(found, 1):
        head = "#### Most informative groups\n\n" if number == 1 else ""
        yield Passage(f"group {flip.row.id}", head + _flip(flip, render, catalogue))


def _blocks(result: Result, gathered: Gathered, catalogue: Catalogue) -> Iterator[Passage]:
    yield Passage("the reasons", _bullets(result.reasons, _MOST_REASONS))
    yield Passage("the table of relations", _table(result, catalogue))
    yield Passage("the slices", slice_table(result, catalogue))
    if result.churn is not None:
        yield Passage("what changed", markdown(churn_line(result.churn)))
    yield Passage("the policy", policy_table(result, catalogue))
    yield Passage("the kinds of edit", strata_table(result, catalogue))
    if result.overall.errors:
        errors = markdown(errors_in_words(result.overall.errors))
        yield Passage("the kinds of error", f"Errors in violated groups: {errors}.")
    yield from _flips(result, gathered, catalogue)
    notes = [note for note in result.notes if note not in provenance(result)]
    if notes:
        yield Passage("the notes", "#### Notes\n\n" + _bullets(notes, _MOST_NOTES))


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def _hard_cut(text: str, limit: int) -> str:
    """Return whole words of a text within a limit of bytes."""
    if _size(text) <= limit:
        return text
    kept = text.encode("utf-8")[: max(limit, 0)].decode("utf-8", "ignore")
    return kept.rpartition(" ")[0] or kept


def fit(head: str, blocks: Sequence[Passage], foot: str, limit: int) -> str:
    """Return the blocks that fit below a limit of bytes, naming the others.

    The head stands first and the foot last; a block that does not fit is left
    out whole, so that no table or tag is cut in two.
    """
    blocks = [block for block in blocks if block.text]
    whole = "\n\n".join([head, *(b.text for b in blocks), foot]) + "\n"
    if _size(whole) < limit:
        return whole
    left = limit - _size(head) - _size(foot) - _size(_omitted(blocks)) - 10
    kept: list[int] = []
    for number, block in enumerate(blocks):
        if _size(block.text) + 2 <= left:
            kept.append(number)
            left -= _size(block.text) + 2
    while True:
        note = _omitted(block for number, block in enumerate(blocks) if number not in kept)
        text = "\n\n".join([head, *(blocks[number].text for number in kept), note, foot]) + "\n"
        if _size(text) < limit:
            return text
        if not kept:
            return _hard_cut(head, limit - 1)
        kept.pop()  # other names are shown than all of them cut short, and may take more


def _omitted(blocks: Iterable[Passage]) -> str:
    return _CUT.format(markdown(shorten(", ".join(block.name for block in blocks), 300)))


def render(
    result: Result,
    gathered: Gathered,
    catalogue: Catalogue,
    limit: int,
    frame: Frame = Frame(),  # noqa: B008 - a tuple of texts
) -> str:
    """Return the summary of a run from groups already gathered."""
    head = _verdict(result, catalogue, frame)
    foot = footing(signature(result), frame.link)
    return fit(head, [*_blocks(result, gathered, catalogue)], foot, limit)


def summary(
    result: Result,
    rows: Rows,
    catalogue: Catalogue,
    limit: int = SUMMARY_LIMIT,
    frame: Frame = Frame(),  # noqa: B008 - a tuple of texts
) -> str:
    """Return a run's summary in GitHub Markdown, smaller than ``limit`` bytes.

    Args:
        result: the run.
        rows: returns a fresh iterator over the run's groups.
        catalogue: title, description and example of each relation.
        limit: ``SUMMARY_LIMIT`` for a job summary, ``COMMENT_LIMIT`` for a comment.
        frame: the gate's name and a link, for a comment.
    """
    return render(result, gather(result, rows), catalogue, limit, frame)
