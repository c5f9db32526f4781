"""Everything that people see, made of records in which every text is an attack.

A ``Dealer`` deals the corpus out, each place its own way through it, so that in ``ROUNDS`` rounds
every text reaches every place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from history.making import runs
from mt_gate.domain import Verdict
from mt_gate.evaluating.records import Evaluation
from mt_gate.evaluating.reports import page as evaluation_page
from mt_gate.evaluating.reports import texts as evaluation_texts
from mt_gate.github.comment import body_of, body_of_failure
from mt_gate.history import views
from mt_gate.history.runs import COMMITS, SIDE, History, SuiteHistory
from mt_gate.reporting.words.texts import RelationText
from mt_gate.results.result import Change, GateVerdict, GroupRow, Result
from mt_gate_suites.audit import audit as audit_page
from mt_gate_suites.audit.readable import ReviewCase
from reporting import made_up, made_up_re
from reporting.made_up import report, summary
from reporting.poisoning import Poisoner
from reporting.xss_corpus import NAMES, PAYLOADS

ROUNDS = 11
_WITHOUT_BASELINE = {5: GateVerdict.MEASURED, 6: GateVerdict.CANNOT_JUDGE}
_COMPARED = [verdict for verdict in GateVerdict if verdict not in _WITHOUT_BASELINE.values()]
_CLOSE = " \"'>--> "
"""Put between payloads: ends an attribute, a tag and a comment that the one before began."""
FIXED = frozenset(
    {
        # Ids, and what names them: the records are made with hostile ones.
        *("RelationResult.id", "GroupRow.relation", "RelationShare.id"),
        *("PastRate.id", "SuiteHistory.relations"),
        # What code looks up.
        *("SuiteHead.task", "Evaluation.task", "History.along"),
        # Numbers in Base64.
        "Curve.resamples",
    }
)
_UNCOMPARED = frozenset(
    {"RelationResult.comparison", "Overall.comparison", "Result.baseline", "Profiles.baseline"}
)
TEXTS = (*(payload.text for payload in PAYLOADS), *NAMES)
_NAMED, _UNNAMED = -(-len(TEXTS) // ROUNDS), 9
"""Relations of a round that the catalogue has a text for, and those that it has none for."""
PLAIN = tuple(f"plain ${number} ".ljust(len(text), "x") for number, text in enumerate(TEXTS))
PAYLOAD = (
    "<script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"
    "\"'>]]>--><!--{{7*7}}{%x%}</textarea></style>\u202e\u2028\x00\x1b[31m\ud800|`@octo #1\n\r\n"
    "::error::x javascript:alert(1)"
)
"""Of every class one attack, for the tests of a single text."""


class Dealer:
    """Deals texts out: to each place the next ones of its own.

    Args:
        texts: the corpus.
        places: how often each place asks in all rounds together: so many texts at once make each
            text reach it. Without it each gets one.
    """

    def __init__(self, texts: Sequence[str], places: Mapping[str, int] | None = None) -> None:
        self._texts = texts
        self._known = places or {}
        self.counts: Counter[str] = Counter()
        self.dealt: Counter[str] = Counter()

    def __call__(self, place: str) -> str:
        """Return the next texts of a place, as one."""
        self.counts[place] += 1
        number = -(-len(self._texts) // self._known[place]) if self._known.get(place) else 1
        first = self.dealt[place]
        self.dealt[place] += number
        chosen = range(first, first + number)
        return _CLOSE.join(self._texts[at % len(self._texts)] for at in chosen)


Make = Callable[[Dealer, int], Any]
"""Makes the records of a round."""


def count_places(make: Make) -> Mapping[str, int]:
    counting = Dealer(PLAIN)
    for number in range(ROUNDS):
        make(counting, number)
    return counting.counts


class Material(NamedTuple):
    """One round of one task."""

    result: Result
    rows: list[GroupRow]
    catalogue: Mapping[str, RelationText]


_BOOLQ = {
    "source": {"question": "is the old town big", "passage": "Oslo is a city. It is big."},
    "follow_up": {"question": "is the old town small", "passage": "Oslo is a city. It is big."},
    "source_output": {"answer": "yes", "score": 0.75},
    "follow_up_output": {"answer": "yes", "score": 0.5},
}


def _clean_rows(task: str) -> list[GroupRow]:
    if task == "re":
        return made_up_re.rows(Change.NEW, Change.FIXED, Change.STILL)
    rows = made_up.rows({Change.NEW: 9, Change.FIXED: 4, Change.STILL: 4})
    if task == "boolq":
        rows = [msgspec.structs.replace(row, unmatched=None, **_BOOLQ) for row in rows]
    return rows


def _shown_otherwise(row: GroupRow, number: int) -> GroupRow:
    """Return every third row without alignment, and every third with all of its text an entity."""
    if number % 3 == 0:
        return msgspec.structs.replace(row, alignment=())
    if number % 3 == 1 and "text" in row.source and "head" not in row.source:
        outputs = {}
        for side in ("source", "follow_up"):
            entities = [*getattr(row, f"{side}_output")["entities"]]
            label = entities[0][2] if entities else row.id
            whole = [0, len(getattr(row, side)["text"]), label]
            outputs[f"{side}_output"] = {"entities": [whole]}
        return msgspec.structs.replace(row, **outputs)
    return row


def _poisoner(dealer: Dealer, task: str, absent: frozenset[str] = frozenset()) -> Poisoner:
    row = _clean_rows(task)[0]
    shapes = {"output": row.source_output, "answer": row.source_output, "unmatched": row.unmatched}
    shapes |= {"second": row.source, "source": row.source, "follow_up": row.source}
    return Poisoner(dealer, FIXED, absent, {name: shape for name, shape in shapes.items() if shape})


def material(dealer: Dealer, task: str, number: int) -> Material:
    """Return a run of a task with so many relations that a few rounds deal each text to each."""
    compared = number not in _WITHOUT_BASELINE
    verdict = _COMPARED[number % len(_COMPARED)] if compared else _WITHOUT_BASELINE[number]
    poison = _poisoner(dealer, task, frozenset() if compared else _UNCOMPARED)
    ids = [dealer("a relation's id") for _ in range(_NAMED + _UNNAMED)]
    clean = made_up.result(verdict, repair=made_up.repair())
    relations = tuple(
        msgspec.structs.replace(clean.relations[at % len(clean.relations)], id=name)
        for at, name in enumerate(ids)
    )
    clean = msgspec.structs.replace(
        clean, relations=relations, suite=msgspec.structs.replace(clean.suite, task=task)
    )
    rows = _clean_rows(task)
    result = [
        msgspec.structs.replace(
            rows[at % len(rows)],
            relation=name,
            **({} if compared else {"change": None, "verdict": Verdict.VIOLATED}),
        )
        for at, name in enumerate(ids)
    ]
    poisoned = [poison(GroupRow, row, alone=False) for row in result]
    return Material(
        poison(Result, clean),
        [_shown_otherwise(row, at) for at, row in enumerate(poisoned)],
        {name: poison(RelationText, None, alone=False) for name in ids[:_NAMED]},
    )


def run(number: int = 0, task: str = "ner") -> Material:
    return material(Dealer(TEXTS), task, number)


def readable(dealer: Dealer, task: str) -> list[ReviewCase]:
    poison = _poisoner(dealer, task)
    rows = _clean_rows(task) * 3
    clean = (ReviewCase(r.id, r.relation, r.source, r.follow_up, r.alignment) for r in rows)
    return [poison(ReviewCase, group, alone=False) for group in clean]


def side_by_side(dealer: Dealer) -> tuple[History, Mapping[str, RelationText]]:
    poison = _poisoner(dealer, "ner")
    ids = tuple(dealer("a relation's id") for _ in range(_NAMED + _UNNAMED))
    texts = {name: poison(RelationText, None, alone=False) for name in ids[:_NAMED]}
    return history(dealer, ids, SIDE), texts


def evaluation(dealer: Dealer, made: Material) -> Evaluation:
    """Return an evaluation in which all that may be there is there."""
    poison = _poisoner(dealer, "re")
    result = poison(Evaluation, None)
    shares = tuple(
        msgspec.structs.replace(result.run.overall, id=relation.id)
        for relation in made.result.relations
    )
    run = msgspec.structs.replace(result.run, relations=shares)
    return msgspec.structs.replace(result, run=run, task="re")


def history(dealer: Dealer, names: tuple[str, ...], along: str = COMMITS) -> History:
    clean = History((SuiteHistory(made_up.result().suite, runs(names), names),), along)
    return _poisoner(dealer, "ner")(History, clean)  # type: ignore[no-any-return]


class Everything(NamedTuple):
    """All records of one round."""

    run: Material
    evaluation: Evaluation
    together: History
    texts: Mapping[str, RelationText]
    past: History
    readable: list[ReviewCase]
    message: str
    gate: str


def everything(dealer: Dealer, task: str, number: int) -> Everything:
    """Return the records of a round."""
    run = material(dealer, task, number)
    together, texts = side_by_side(dealer)
    return Everything(
        run,
        evaluation(dealer, run),
        together,
        texts,
        history(dealer, together.suites[0].relations),
        readable(dealer, task),
        dealer("a message"),
        dealer("a name")[:100],
    )


def report_page(made: Everything) -> str:
    run = made.run
    return report(run.result, lambda: iter(run.rows), run.catalogue)


def comparison_page(made: Everything) -> str:
    return views.page(made.together, made.texts)


def past_page(made: Everything) -> str:
    return views.page(made.past, made.texts)


def accuracy_page(made: Everything) -> str:
    return evaluation_page.render(made.evaluation, made.run.catalogue)


def audit_sheets(made: Everything) -> str:
    """Return the page to mark groups on."""
    sheets = [
        audit_page.Sheet(f"{made.gate}.csv", relation.id, made.readable[at * 4 : at * 4 + 4])
        for at, relation in enumerate(made.run.result.relations)
        if made.readable[at * 4 : at * 4 + 4]
    ]
    return audit_page.render_audit(made.run.result.suite, sheets, made.run.catalogue)


def markdown_texts(made: Everything) -> list[str]:
    """Return everything that is shown as Markdown."""
    run = made.run
    rows = lambda: iter(run.rows)  # noqa: E731
    return [
        body_of(run.result, rows, run.catalogue, made.gate, "https://example.org/run").text,
        summary(run.result, rows, run.catalogue),
        body_of_failure(made.message, made.gate, "").text,
        views.side_by_side_markdown(made.together, made.texts),
        evaluation_texts.summary(made.evaluation, run.catalogue),
    ]
