"""Runs made up for the tests of the reports: no checkpoint ever said any of this."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from pathlib import Path

import msgspec

from cases import FOLDER
from mt_gate.domain import Block, Entity, EntityError, ErrorCategory, Verdict
from mt_gate.judging.findings import Finding, rank
from mt_gate.reporting.words.first_screen import Rows, gather
from mt_gate.reporting.words.texts import Catalogue, RelationText
from mt_gate.reporting.writers import findings, html, markdown
from mt_gate.results import store as result_store
from mt_gate.results.result import (
    Applicability,
    BaselineOutputs,
    Change,
    Churn,
    Comparison,
    Decision,
    Flips,
    GateVerdict,
    GroupRow,
    Overall,
    RelationResult,
    Repair,
    Result,
    Rule,
    RunSettings,
    Share,
    is_loss,
)
from mt_gate.running.measuring import count_all, overall
from mt_gate.settings.policy import Policy, Tier

_MADE = json.loads((FOLDER / "reporting" / "made_up.json").read_text("utf-8"))
BASE: Result = msgspec.convert(_MADE["result"], Result)
"""A loss; every other result is this one with other fields."""
CATALOGUE = {name: RelationText(*texts) for name, texts in _MADE["catalogue"].items()}
POLICY: Policy = msgspec.convert(_MADE["policy"], Policy)
Span = tuple[str, str]
"""An entity of a made-up output: its words and its label."""


def align(source: str, follow_up: str) -> tuple[Block, ...]:
    """Return blocks of whole words common to both sentences, moved ones too."""
    words = [source.split(" "), follow_up.split(" ")]
    starts = [[0, *accumulate(len(w) + 1 for w in side)] for side in words]
    matcher = SequenceMatcher(None, *([w.lower() for w in side] for side in words), autojunk=False)
    blocks, used = [], set()
    for match in matcher.get_matching_blocks():
        for step in range(match.size):
            pair = match.a + step, match.b + step
            used.add(pair)
    rest_a = [a for a in range(len(words[0])) if a not in {p[0] for p in used}]
    rest_b = [b for b in range(len(words[1])) if b not in {p[1] for p in used}]
    for a in rest_a:
        twin = next((b for b in rest_b if words[1][b].lower() == words[0][a].lower()), None)
        if twin is not None:
            rest_b.remove(twin)
            used.add((a, twin))
    for a, b in sorted(used):
        block = Block(starts[0][a], starts[1][b], len(words[0][a]))
        before = blocks[-1] if blocks else None
        if (
            before
            and before[0] + before[2] + 1 == block[0]
            and before[1] + before[2] + 1 == block[1]
        ):
            block = Block(before[0], before[1], before[2] + 1 + block[2])
            blocks.pop()
        blocks.append(block)
    return tuple(blocks)


def spans(text: str, entities: Sequence[Span]) -> list[list[object]]:
    return [[text.index(words), text.index(words) + len(words), label] for words, label in entities]


def row(
    number: int,
    relation: str,
    texts: tuple[str, str],
    entities: tuple[Sequence[Span], Sequence[Span]],
    change: Change | None = Change.NEW,
    *,
    unstable: bool = False,
    source: int | None = None,
) -> GroupRow:
    """Return a row whose unmatched entities are those on one side only."""
    both = set(entities[0]) & set(entities[1])
    violated = change in (None, Change.NEW, Change.STILL)
    lists = [spans(text, values) for text, values in zip(texts, entities, strict=True)]
    only = [
        [s for s, e in zip(spans(t, values), values, strict=True) if tuple(e) not in both]
        for t, values in zip(texts, entities, strict=True)
    ]
    return GroupRow(
        id=f"{number:08x}",
        relation=relation,
        source_id=f"s{number if source is None else source:04d}",
        verdict=Verdict.VIOLATED if violated else Verdict.SATISFIED,
        source={"text": texts[0]},
        follow_up={"text": texts[1]},
        alignment=align(*texts),
        source_output={"entities": lists[0]},
        follow_up_output={"entities": lists[1]},
        unmatched={"source": only[0], "follow_up": only[1]} if violated else None,
        unstable=unstable,
        margin=0.0001 if unstable else 2.5,
        bound=relation == "ner/entity-shuffle",
        change=change,
        errors=_errors(texts, *only) if violated else (),
    )


def _errors(
    texts: tuple[str, str], source: list[list[object]], follow_up: list[list[object]]
) -> tuple[EntityError, ...]:
    """Return an error for each pair of unmatched entities that begin with the same word."""

    def word(text: str, span: list[object]) -> str:
        return text[span[0] : span[1]].split()[0]  # type: ignore[misc]

    pairs: dict[str, list[Entity | None]] = {}
    for side, (text, spans_of) in enumerate(zip(texts, (source, follow_up), strict=True)):
        for span in spans_of:
            pairs.setdefault(word(text, span), [None, None])[side] = Entity(*span)  # type: ignore[arg-type]
    return tuple(
        EntityError(category=ErrorCategory.UNDECIDED, source=before, follow_up=after)
        for before, after in pairs.values()
    )


_CASES = json.loads((FOLDER / "reporting" / "examples.json").read_text("utf-8"))
EXAMPLES: Mapping[str, Sequence[tuple[tuple[str, str], tuple[list[Span], list[Span]]]]] = {
    relation: [
        (tuple(texts), tuple([(*span,) for span in side] for side in entities))
        for texts, entities in examples
    ]
    for relation, examples in _CASES["entities"].items()
}
"""Violated groups of each relation: both texts, and the entities predicted in them."""


def rows(numbers: dict[Change | None, int] | None = None) -> list[GroupRow]:
    """Return so many rows of each change, the relations by turns."""
    wanted = numbers or {Change.NEW: 9, Change.FIXED: 3, Change.STILL: 4, Change.OK: 6}
    made: list[GroupRow] = []
    for change, number in wanted.items():
        for _ in range(number):
            relation = [*EXAMPLES][len(made) % len(EXAMPLES)]
            pool = EXAMPLES[relation]
            texts, entities = pool[len(made) // len(EXAMPLES) % len(pool)]
            if change in (Change.FIXED, Change.OK):
                there = tuple(e for e in entities[0] if e[0] in texts[1])
                entities = (there, there)
            unstable = len(made) % 7 == 6
            made.append(row(len(made), relation, texts, entities, change, unstable=unstable))
    return made


def many(number: int, relation: str = "ner/structural", change: Change = Change.NEW) -> Rows:
    """Return a re-iterable of many rows, each made when it is read."""
    texts, entities = EXAMPLES[relation][0]

    def iterate() -> Iterator[GroupRow]:
        return (row(n, relation, texts, entities, change) for n in range(number))

    return iterate


def again(sample: Sequence[GroupRow]) -> Rows:
    return lambda: iter(sample)


RULES = {
    Decision.REGRESSION: Rule.RISE,
    Decision.COLLAPSE: Rule.STOPPED_ANSWERING,
    Decision.INCONCLUSIVE: Rule.RISE_OR_NOISE,
    Decision.PASS: Rule.NO_RISE,
    Decision.IMPROVED: Rule.FALL,
    Decision.NOT_COMPARABLE: Rule.TOO_FEW,
    Decision.NOT_JUDGED: Rule.REPORTED,
}
"""The rule that mostly comes to each decision."""


def comparison(
    decision: Decision, delta: float | None, half: float = 0.02, **more: object
) -> Comparison:
    """Return a comparison whose interval reaches ``half`` to both sides."""
    known = delta is not None
    fields: dict[str, object] = {
        "pairs": 400,
        "clusters": 250,
        "new_violations": 30,
        "fixed_violations": 9,
        "delta": delta,
        "ci95": (delta - half, delta + half) if delta is not None else None,
        "p_value": {Decision.REGRESSION: 0.0002, Decision.INCONCLUSIVE: 0.021}.get(decision, 0.4)
        if known
        else None,
        "p_adjusted": {Decision.REGRESSION: 0.0008, Decision.INCONCLUSIVE: 0.042}.get(decision, 1.0)
        if known
        else None,
        "minimum_detectable_effect": 0.031 if known else None,
        "decision": decision,
        "rule": RULES[decision],
        "fails": is_loss(decision),
        "reason": f"made up: {decision}",
        "unstable": 3 if decision is Decision.INCONCLUSIVE else 0,
        "baseline_rate": 0.12 if known else None,
        "candidate_rate": 0.12 + delta if delta is not None else None,
    }
    return Comparison(**{**fields, **more})  # type: ignore[arg-type]


def relation(
    name: str, applicable: int, violated: int, compared: Comparison | None = None, **reasons: int
) -> RelationResult:
    """Return a relation's counts; the reasons are those of groups not applicable."""
    return RelationResult(
        id=name,
        groups=applicable + sum(reasons.values()),
        applicable=applicable,
        violated=violated,
        violation_rate=violated / applicable if applicable else None,
        not_applicable=reasons,
        comparison=compared,
    )


_REASONS = {
    GateVerdict.REGRESSION: (
        "Entity shuffle: violation rate up by 5.2 pp, adjusted p 0.0008 below alpha 0.05.",
    ),
    GateVerdict.CANNOT_JUDGE: (
        "baselines/ner.json: suite version 3, this release runs 4; record a new baseline.",
    ),
}


def applicability(share: Share, lost: int, gained: int = 0) -> Applicability:
    return Applicability(
        applicable=share, answered=share, only_baseline=lost, only_candidate=gained, sources=200
    )


def compared_relations(first: Decision) -> tuple[RelationResult, ...]:
    """Return four relations, the first with this decision."""
    shares = applicability(Share(baseline=0.86, candidate=0.84, p_adjusted=0.62), 9, 2)
    return (
        relation("ner/token-replacement", 702, 61, comparison(Decision.PASS, 0.004, 0.012)),
        relation(
            "ner/phrase-replacement", 12, 1, comparison(Decision.NOT_COMPARABLE, None), vacuous=3
        ),
        relation(
            "ner/structural",
            350,
            74,
            comparison(Decision.INCONCLUSIVE, 0.024, applicability=shares, unstable=3),
            vacuous=146,
        ),
        relation(
            "ner/entity-shuffle",
            541,
            83,
            comparison(first, 0.052 if first is not Decision.IMPROVED else -0.04),
            **{"fewer-than-two-of-a-label": 212},
        ),
    )


_DECISIONS = {
    GateVerdict.REGRESSION: Decision.REGRESSION,
    GateVerdict.COLLAPSE: Decision.COLLAPSE,
    GateVerdict.INCONCLUSIVE: Decision.INCONCLUSIVE,
    GateVerdict.IMPROVED: Decision.IMPROVED,
}


def flips(number: int, of: int, clusters: int) -> Flips:
    """Return so many that turned, with an interval of two points to both sides."""
    rate = number / of
    return Flips(
        number=number,
        of=of,
        clusters=clusters,
        rate=rate,
        ci95=(max(0.0, rate - 0.02), min(1.0, rate + 0.02)),
    )


def churn(new: int = 30) -> Churn:
    assert BASE.churn is not None
    return msgspec.structs.replace(BASE.churn, groups=flips(new, 400, 250))


def settings(*, strict: bool = False) -> RunSettings:
    return msgspec.structs.replace(BASE.settings, strict=strict)


def strict() -> Result:
    return result(GateVerdict.INCONCLUSIVE, settings=settings(strict=True), exit_code=1)


def tiered(verdict: GateVerdict = GateVerdict.WARNING) -> Result:
    """Return a result judged by a policy with all there is in one; entity shuffle got worse."""
    clean = result(verdict)
    token, phrase, structural, shuffle = compared_relations(Decision.REGRESSION)
    shown = comparison(
        Decision.NOT_JUDGED, 0.024, rule=Rule.REPORTED, fails=False, reason="report only"
    )
    relations = (
        token,
        phrase,
        msgspec.structs.replace(structural, comparison=shown, tier=Tier.REPORT),
        msgspec.structs.replace(shuffle, tier=Tier.WARN),
    )
    whole = msgspec.structs.replace(
        clean,
        settings=msgspec.structs.replace(settings(), policy=POLICY),
        relations=relations,
        reasons=("ner/entity-shuffle (tier warn): violation rate rose",),
    )
    return with_fails(whole)


def result(verdict: GateVerdict = GateVerdict.REGRESSION, **more: object) -> Result:
    """Return a whole made-up result with this verdict."""
    compared = verdict not in (GateVerdict.MEASURED, GateVerdict.CANNOT_JUDGE)
    relations = compared_relations(_DECISIONS.get(verdict, Decision.PASS))
    if not compared:
        relations = tuple(
            relation(r.id, r.applicable, r.violated, **r.not_applicable) for r in relations
        )
    applicable = sum(r.applicable for r in relations)
    violated = sum(r.violated for r in relations)
    failing = verdict in (GateVerdict.REGRESSION, GateVerdict.COLLAPSE)
    pooled = comparison(Decision.INCONCLUSIVE if failing else Decision.PASS, 0.021, 0.012)
    fields: dict[str, object] = {
        "verdict": verdict,
        "exit_code": 1 if failing else 3 if verdict is GateVerdict.CANNOT_JUDGE else 0,
        "reasons": _REASONS.get(verdict, ()),
        "relations": relations,
        "overall": Overall(
            applicable=applicable,
            violated=violated,
            violation_rate=violated / applicable,
            comparison=pooled if compared else None,
        ),
    }
    if not compared:
        profile = msgspec.structs.replace(BASE.profile, baseline=None)
        fields |= {"profile": profile, "baseline": None}
    whole = msgspec.structs.replace(BASE, **{**fields, **more})
    pooled = whole.overall.comparison
    if "churn" not in more:
        turned = churn(pooled.new_violations) if compared and pooled else None
        whole = msgspec.structs.replace(whole, churn=turned)
    return with_fails(whole)


def with_fails(whole: Result) -> Result:
    """Return a result whose comparisons fail where its exit code and settings say so."""

    def decided(entry: RelationResult | Overall) -> RelationResult | Overall:
        if entry.comparison is None:
            return entry
        tier = entry.tier if isinstance(entry, RelationResult) else Tier.BLOCK
        rule, decision = entry.comparison.rule, entry.comparison.decision
        failing = (
            whole.exit_code == 1 and not rank(Finding(decision, rule, ""), tier, whole.settings)[0]
        )
        changed = msgspec.structs.replace(entry.comparison, fails=failing)
        return msgspec.structs.replace(entry, comparison=changed)

    return msgspec.structs.replace(
        whole, relations=tuple(map(decided, whole.relations)), overall=decided(whole.overall)
    )


def fitting(whole: Result, sample: Sequence[GroupRow]) -> Result:
    """Return a result that counts these rows; comparisons and the rest stay."""
    compared = {r.id: r.comparison for r in whole.relations}
    ids = dict.fromkeys((*compared, *(row.relation for row in sample)))
    counted = tuple(
        msgspec.structs.replace(
            r, comparison=compared.get(r.id), tier=whole.settings.policy.tier(r.id)
        )
        for r in count_all([*ids], sample)
    )
    return msgspec.structs.replace(
        whole,
        relations=counted,
        overall=msgspec.structs.replace(overall(counted), comparison=whole.overall.comparison),
        settings=msgspec.structs.replace(whole.settings, relations=tuple(ids)),
    )


def store(folder: Path, whole: Result, sample: Sequence[GroupRow]) -> Path:
    """Write a result and its rows as a run does; the result is made to count them."""
    result_store.write_result(
        folder, result_store.write_rows(folder, fitting(whole, sample), sample)
    )
    return folder


def repair(**more: object) -> Repair:
    return msgspec.structs.replace(msgspec.convert(_MADE["repair"], Repair), **more)


def report(whole: Result, rows: Rows, catalogue: Catalogue) -> str:
    return html.report(whole, gather(whole, rows), catalogue)


def junit(whole: Result, rows: Rows, catalogue: Catalogue) -> str:
    return findings.junit(whole, gather(whole, rows), catalogue)


def summary(whole: Result, rows: Rows, catalogue: Catalogue, *more: int) -> str:
    return markdown.summary(whole, gather(whole, rows), catalogue, *more)


def with_baseline_answers() -> list[GroupRow]:
    """Return rows whose baseline found nothing in the follow-up, and one that answered alike."""
    made = [
        msgspec.structs.replace(
            row, before=BaselineOutputs(source=row.source_output, follow_up={"entities": []})
        )
        for row in rows()
    ]
    same = BaselineOutputs(source=made[0].source_output, follow_up=made[0].follow_up_output)
    return [msgspec.structs.replace(made[0], before=same), *made[1:]]


QUESTIONS = {
    "boolq/antonym-adjective": RelationText(
        "Antonyms", "The answer turns.", "is it big", "is it small"
    )
}


def questions() -> list[GroupRow]:
    """Return rows of boolean questions with the baseline's answers."""
    text = (FOLDER / "reporting" / "questions.json").read_text("utf-8")
    return msgspec.json.decode(text, type=list[GroupRow])
