"""The summary of a run in GitHub Markdown, for a job summary or a comment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.base.errors import REGRESSION
from mt_gate.base.escaping import markdown, shorten
from mt_gate.reporting.table import Table, markdown_table
from mt_gate.reporting.words import rendering, tables, texts
from mt_gate.reporting.words.first_screen import (
    WORSE,
    Gathered,
    advice,
    examples,
    provenance,
    worst_relations,
)
from mt_gate.reporting.words.rendering import changed_answers
from mt_gate.reporting.words.sentences import facts, headline
from mt_gate.reporting.words.texts import Catalogue, signature
from mt_gate.results.result import GateVerdict, GroupRow, Result

SUMMARY_LIMIT = 1024 * 1024
COMMENT_LIMIT = 65_536
"""Maximum bytes of UTF-8. GitHub limits a comment in characters, which are at most as many."""
_EXAMPLES, _MOST_WORST = 5, 3
"""Maximum cases, of which one is above the fold, and relations above the fold."""
_LONG_SENTENCE, _LONGEST_TITLE, _LONG_REASON = 400, 80, 600
_LONG_HEADLINE, _LONG_SIGNATURE = 300, 1_000
_MOST_REASONS, _MOST_NOTES, _MOST_WARNINGS = 10, 10, 3
_FOLD = "<details><summary>All relations, more examples, run details</summary>"
_CUT = "_Omitted to fit: {}. The whole report is in report.html and groups.jsonl.gz._"


class Passage(NamedTuple):
    """A part of the text that is shown completely or not at all."""

    name: str
    text: str


class Frame(NamedTuple):
    """Context of a summary; ``link`` is an http address without spaces or angle brackets."""

    gate: str = ""
    link: str = ""  # to the whole report
    under: tuple[str, ...] = ()  # sentences right under the verdict, on how reliable it is


def heading(verdict: GateVerdict, words: str, gate: str = "", *, fails: bool = False) -> str:
    """Return the first line of a summary: an emoji, the gate, and the headline."""
    named = f" ({markdown(gate)})" if gate else ""
    sign = texts.LOOKS[GateVerdict.REGRESSION if fails else verdict].emoji
    return f"### {sign} mt-gate{named}: {markdown(shorten(words, _LONG_HEADLINE))}"


def _bullets(lines: Sequence[str], most: int) -> str:
    shown_lines = [f"- {markdown(shorten(line, _LONG_REASON))}" for line in lines[:most]]
    if len(lines) > most:
        shown_lines.append(f"- and {len(lines) - most} more in result.json")
    return "\n".join(shown_lines)


def _compared_table(entries: Sequence[tuple[str, texts.Counts]]) -> Table:
    rows = []
    for title, entry in entries:
        comparison, state = entry.comparison, texts.shown_state(entry)
        rows.append(
            (
                title,
                figures.moved(*state.rates),
                figures.points(comparison.delta if comparison else None),
                figures.interval(comparison.ci95 if comparison else None),
                f"{texts.LOOKS[state.tone].emoji} {state.words}" if comparison else "not compared",
            )
        )
    return Table("wrrcl", ("Relation", "Violations", "Change", "95% CI (pp)", "State"), rows)


def _sentence(marked: rendering.Marked) -> str:
    """Return a sentence with entities bold, followed by their labels, and edits underlined."""
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


def _example(row: GroupRow, result: Result, catalogue: Catalogue, *, brief: bool = False) -> str:
    """Return a case as a quotation; ``brief`` omits texts on the edit and on the baseline."""
    render = rendering.renderer(result.suite.task)
    # Strip spaces at both ends: Markdown shows emphasis around spaces as asterisks.
    title = markdown(texts.text_of(catalogue, row.relation).title).strip()
    kind = "newly violated" if texts.is_compared(result) else "violated"
    source, second = render.sentence(row, rendering.SOURCE), render.second(row)
    # Show the source without edits, with one piece per entity: pieces that are escaped separately
    # could form a mention together.
    whole = [
        segment._replace(pieces=(rendering.Piece(segment.text, rendering.UNCHANGED),))
        for segment in source.segments
    ]
    lines = [f"> {_sentence(source._replace(segments=tuple(whole)))}"]
    if second is not None:
        lines.append(f"> with {_sentence(second)}")
    if not rendering.shows_original_alone(row):
        lines.append(f"> &rarr; {_sentence(render.sentence(row, rendering.FOLLOW_UP))}")
    broke = "; ".join(rendering.what_broke(row, render))
    lines += [
        f"> _{markdown(shorten(words, _LONG_SENTENCE)).strip()}_"
        for words in (
            (broke,) if brief else (render.edit(row), broke, *changed_answers(row, render))
        )
        if words
    ]
    return f"**{title}**, {kind} (<code>{markdown(row.id)}</code>)\n\n" + "<br>\n".join(lines)


def _blocks(result: Result, rows: Sequence[GroupRow], catalogue: Catalogue) -> Iterator[Passage]:
    entries = texts.relation_entries(result, catalogue, _LONGEST_TITLE)
    table = _compared_table([(title, entry) for title, _, entry in entries])
    if not texts.is_compared(result):
        rates = [
            (
                title,
                f"{figures.count(entry.violated)} of {figures.count(entry.applicable)}",
                figures.percent(entry.violation_rate),
            )
            for title, _, entry in entries
        ]
        table = Table("wrr", ("Relation", "Violated", "Rate"), rates)
    yield Passage("the table of relations", markdown_table(table))
    reasons = texts.titled_reasons(result, catalogue)
    yield Passage("the reasons", _bullets(reasons, _MOST_REASONS))
    slices = tables.slice_table(result, catalogue, moved=True)
    yield Passage("the slices", markdown_table(slices))
    if result.churn is not None:
        yield Passage("the changed predictions", markdown(tables.churn_line(result.churn)))
    if policy := markdown_table(tables.policy_table(result, catalogue)):
        lines = [f"- {markdown(promise)}" for promise in tables.promises(result, catalogue)]
        parts = [f"#### Policy\n\n{policy}", *(["\n".join(lines)] if lines else [])]
        yield Passage("the policy", "\n\n".join(parts))
    yield Passage("the subtypes", markdown_table(tables.strata_table(result, catalogue)))
    if result.overall.errors:
        errors = markdown(texts.errors_in_words(result.overall.errors))
        yield Passage("the error categories", f"Errors in violated cases: {errors}.")
    kind = "New violations" if texts.is_compared(result) else "Violations"
    for number, row in enumerate(rows):
        head = "" if number else f"#### {kind}\n\n"
        yield Passage("a violation", head + _example(row, result, catalogue))
    notes = [note for note in result.notes if note not in provenance(result)]
    if notes:
        yield Passage("the notes", "#### Notes\n\n" + _bullets(notes, _MOST_NOTES))


def fit(head: str, blocks: Sequence[Passage], foot: str, limit: int) -> str:
    """Return the head, then a fold with blocks and foot, below a limit of bytes.

    If it is too long, the largest blocks are omitted and named. Blocks are never cut, so that
    tables and tags stay valid.
    """
    blocks = [block for block in blocks if block.text]
    blocks_left = [*blocks]
    while True:
        names = ", ".join(block.name for block in blocks if block not in blocks_left)
        note = [_CUT.format(markdown(shorten(names, 300)))] if names else []
        inside = [*(block.text for block in blocks_left), *note, foot]
        text = "\n\n".join([head, _FOLD, *inside, "</details>"]) + "\n"
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
    """Return a run's summary in GitHub Markdown, below ``limit`` bytes, with details in a fold."""
    fails = result.exit_code == REGRESSION
    head = [heading(result.verdict, headline(result, catalogue), frame.gate, fails=fails)]
    head.append(markdown(shorten(" ".join(facts(result, catalogue)), _LONG_REASON)))
    head += [
        f"> :warning: {markdown(shorten(note, _LONG_REASON))}"
        for note in (*frame.under, *provenance(result)[:_MOST_WARNINGS])
    ]
    worse = result.verdict in WORSE
    worst = worst_relations(result, catalogue, _MOST_WORST)
    if worse and worst.overall:
        head.append(markdown_table(_compared_table([*worst.relations, *worst.overall])))
        head.append(f"Also: {worst.others}." if worst.others else "")
    rows = examples(result, gathered, _EXAMPLES)
    head += [_example(row, result, catalogue, brief=True) for row in rows[:worse]]
    todo = advice(result)
    command = f" <code>{markdown(todo.command)}</code>" if todo.command else ""
    todo_words = f"**Next:** {markdown(todo.words)}{command}" if todo.words else ""
    report = f"[Open the whole report](<{frame.link}>)." if frame.link else ""
    head.append(" ".join(filter(None, (todo_words, report))))
    blocks = [*_blocks(result, rows[worse:], catalogue)]
    signed = f"<sub>{markdown(shorten(signature(result), _LONG_SIGNATURE))}</sub>"
    return fit("\n\n".join(filter(None, head)), blocks, signed, limit)
