"""GitHub Markdown: the head of the report for a job summary or a comment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.base.errors import REGRESSION
from mt_gate.base.escaping import markdown
from mt_gate.base.redaction import shorten
from mt_gate.baselines.schema import NEW_GATE
from mt_gate.reporting.table import Table, markdown_table
from mt_gate.reporting.words import rendering, tables, texts
from mt_gate.reporting.words.both_answers import changed_answers
from mt_gate.reporting.words.gathering import Gathered, Kind, Shown
from mt_gate.reporting.words.repeating import signature
from mt_gate.reporting.words.sentences import advice, sentence
from mt_gate.reporting.words.texts import Catalogue
from mt_gate.results.result import GateVerdict, GroupRow, Result, is_loss

SUMMARY_LIMIT = 1024 * 1024
COMMENT_LIMIT = 65_536
"""Bytes of UTF-8 that GitHub takes; a comment's limit is in characters, which are fewer."""
FLIPS = 5
_LONG_SENTENCE, _LONGEST_TITLE, _LONG_REASON = 400, 80, 600
_LONG_SUMMARY, _LONG_SIGNATURE = 1_500, 1_000
_MOST_REASONS, _MOST_NOTES, _MOST_WARNINGS = 10, 10, 3
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
    """A part of the text that is shown whole or not at all."""

    name: str
    text: str


class Frame(NamedTuple):
    """What is around a summary; ``link`` is an http address without blanks or angle brackets."""

    gate: str = ""
    link: str = ""  # to the whole report
    under: tuple[str, ...] = ()  # sentences right under the verdict, on how far to rely on it


def heading(verdict: GateVerdict, gate: str = "", *, fails: bool = False) -> str:
    """Return the first line of a summary; ``fails`` says that the build does, as a loss does."""
    named = f" ({markdown(gate)})" if gate else ""
    sign = _SIGNS[GateVerdict.REGRESSION if fails else verdict]
    return f"### {sign} mt-gate{named}: {texts.VERDICT_WORDS[verdict]}"


def provenance(result: Result) -> tuple[str, ...]:
    """Return what a reader has to know of the verdict: an edit, a loss against the anchor."""
    if result.baseline is None:
        return tuple(note for note in result.notes if note.startswith(NEW_GATE))
    lost = result.anchor is not None and is_loss(result.anchor.verdict)
    lost_words = (result.anchor.sentence,) if result.anchor and lost else ()
    return (*result.baseline.notes[:_MOST_WARNINGS], *lost_words)


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


def _table(result: Result, catalogue: Catalogue) -> Table:
    """Return a row a relation, and last the one of all together."""
    rows: list[tuple[str, ...]] = []
    compared = texts.is_compared(result)
    for title, _, entry in texts.relation_entries(result, catalogue, _LONGEST_TITLE):
        comparison = entry.comparison
        if not compared:
            counts = f"{figures.count(entry.violated)} of {figures.count(entry.applicable)}"
            rows.append((title, counts, figures.percent(entry.violation_rate)))
            continue
        sign, words = _SIGNS[texts.tone(entry)], texts.decision_words(entry)
        cells = (
            figures.percent(texts.before_rate(entry)),
            figures.percent(texts.after_rate(entry)),
            figures.points(comparison.delta if comparison else None),
            figures.interval(comparison.ci95 if comparison else None),
            f"{sign} {words}" if comparison else "not compared",
        )
        rows.append((title, *cells))
    if not compared:
        return Table("wrr", ("Relation", "Violated", "Rate"), rows)
    head = ("Relation", "Before", "After", "Difference", "95 % interval (pp)", "Decision")
    return Table("wrrrcl", head, rows)


def _sentence(marked: rendering.Marked) -> str:
    """Return a marked sentence: entities bold with their label, new words underlined."""
    parts, left = [], _LONG_SENTENCE
    for segment in marked.segments:
        if left <= 0:
            parts.append("…")
            break
        text = ""
        for piece in segment.pieces:
            part = markdown(shorten(piece.text, max(left, 1)))
            text += part if piece.kind == rendering.UNCHANGED else f"<ins>{part}</ins>"
            left -= len(piece.text)
        label = segment.label
        named = "" if label is None else f" <sub>{markdown(shorten(label, 40))}</sub>"
        parts.append(text if label is None else f"<b>{text}</b>{named}")
    return "".join(parts)


def _flip(row: GroupRow, result: Result, catalogue: Catalogue) -> str:
    render = rendering.renderer(result.suite.task)
    # Without blanks at its ends: emphasis around them shows as asterisks.
    title = markdown(texts.text_of(catalogue, row.relation).title).strip()
    kind = "newly violated" if texts.is_compared(result) else "violated"
    source, second = render.sentence(row, rendering.SOURCE), render.second(row)
    # The source is shown as it is, without edits, and in one piece for each entity: what is escaped
    # by itself may be a mention together with what comes before.
    whole = [
        one._replace(pieces=(rendering.Piece(one.text, rendering.UNCHANGED),))
        for one in source.segments
    ]
    lines = [f"> {_sentence(source._replace(segments=tuple(whole)))}"]
    if second is not None:
        lines.append(f"> with {_sentence(second)}")
    if not rendering.shows_original_alone(row):
        lines.append(f"> &rarr; {_sentence(render.sentence(row, rendering.FOLLOW_UP))}")
    broke = "; ".join(rendering.what_broke(row, render))
    lines += [
        f"> _{markdown(shorten(words, _LONG_SENTENCE)).strip()}_"
        for words in (render.edit(row), broke, *changed_answers(row, render))
        if words
    ]
    return f"**{title}**, {kind} (<code>{markdown(row.id)}</code>)\n\n" + "<br>\n".join(lines)


def telling(result: Result, gathered: Gathered, most: int = FLIPS) -> list[GroupRow]:
    """Return the most telling flips, relations by turns, no source twice."""
    kind = Kind.NEW if texts.is_compared(result) else Kind.VIOLATED
    queues = [
        iter(gathered.get((relation.id, kind), Shown()).rows)
        for relation in texts.failing_first(result.relations)
    ]
    best: list[GroupRow] = []
    sources: set[str] = set()
    while queues and len(best) < most:
        queue = queues.pop(0)
        row = next((r for r in queue if r.source_id not in sources), None)
        if row is not None:
            sources.add(row.source_id)
            best.append(row)
            queues.append(queue)
    return best


def _blocks(result: Result, gathered: Gathered, catalogue: Catalogue) -> Iterator[Passage]:
    yield Passage("the reasons", _bullets(result.reasons, _MOST_REASONS))
    yield Passage("the table of relations", markdown_table(_table(result, catalogue)))
    slices = tables.slice_table(result, catalogue, moved=True)
    yield Passage("the slices", markdown_table(slices))
    if result.churn is not None:
        yield Passage("what changed", markdown(tables.churn_line(result.churn)))
    if policy := markdown_table(tables.policy_table(result, catalogue)):
        lines = [f"- {markdown(promise)}" for promise in tables.promises(result, catalogue)]
        parts = [f"#### Policy\n\n{policy}", *(["\n".join(lines)] if lines else [])]
        yield Passage("the policy", "\n\n".join(parts))
    yield Passage("the kinds of edit", markdown_table(tables.strata_table(result, catalogue)))
    if result.overall.errors:
        errors = markdown(texts.errors_in_words(result.overall.errors))
        yield Passage("the kinds of error", f"Errors in violated groups: {errors}.")
    for number, row in enumerate(telling(result, gathered)):
        head = "" if number else "#### Most informative groups\n\n"
        yield Passage(f"group {row.id}", head + _flip(row, result, catalogue))
    notes = [note for note in result.notes if note not in provenance(result)]
    if notes:
        yield Passage("the notes", "#### Notes\n\n" + _bullets(notes, _MOST_NOTES))


def fit(head: str, blocks: Sequence[Passage], foot: str, limit: int) -> str:
    """Return the blocks that fit below a limit of bytes, naming the others.

    The head is first and the foot last. The largest blocks are omitted, whole, so that no
    table or tag is cut in two.
    """
    blocks = [block for block in blocks if block.text]
    blocks_left = [*blocks]
    while True:
        names = ", ".join(block.name for block in blocks if block not in blocks_left)
        note = [_CUT.format(markdown(shorten(names, 300)))] if names else []
        text = "\n\n".join([head, *(block.text for block in blocks_left), *note, foot]) + "\n"
        if len(text.encode()) < limit:
            return text
        if not blocks_left:
            break
        blocks_left.remove(max(blocks_left, key=lambda block: len(block.text.encode())))
    bare = head.encode()[: max(limit - 1, 0)].decode("utf-8", "ignore")
    return head if bare == head else bare.rpartition(" ")[0] or bare


def summary(
    result: Result,
    gathered: Gathered,
    catalogue: Catalogue,
    limit: int = SUMMARY_LIMIT,
    frame: Frame = Frame(),  # noqa: B008 - a tuple of texts
) -> str:
    """Return a run's summary in GitHub Markdown, smaller than ``limit`` bytes."""
    words = shorten(sentence(result, catalogue), _LONG_SUMMARY)
    fails = result.exit_code == REGRESSION
    head = [heading(result.verdict, frame.gate, fails=fails), f"**{markdown(words)}**"]
    head += [
        f"> :warning: {markdown(shorten(note, _LONG_REASON))}"
        for note in (*frame.under, *provenance(result))
    ]
    if (todo := advice(result)).words:
        command = f" <code>{markdown(todo.command)}</code>" if todo.command else ""
        head.append(f"{markdown(todo.words)}{command}")
    foot = footing(signature(result), frame.link)
    return fit("\n\n".join(head), [*_blocks(result, gathered, catalogue)], foot, limit)
