"""Write the cases of the built-in suite inference-default, which templates make.

    python benchmarks/inference_cases.py > pairs.jsonl
    mt-gate suite build --task text --kind pairs --sources pairs.jsonl --out suites/pairs

A template's words are in ``inference.txt``. All of its groups are put in a random order, so that
the first of them are a sample. Sources: HANS (McCoy et al., ACL 2019), whose heuristics find
entailments that are none, and natural logic (MacCartney and Manning, IWCS 2009).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import permutations
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from mt_gate.lexicons.reading import Lexicons
from mt_gate.relations.stated import Becomes, IsNot, OutputRelation, Same, When
from mt_gate.tasks.text import SECOND, TEXT
from mt_gate_suites.grammar.rewrite import article_for
from mt_gate_suites.lexicons.numbers import CARDINALS
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfTemplates, PairOfTexts, TemplateGroup, chooser

_LEXICONS = Lexicons((Path(__file__).parent,))
ordered, rows = _LEXICONS.ordered, _LEXICONS.rows
SEED = 2026
ENTAILMENT = "entailment"
NEUTRAL = "neutral"
CONTRADICTION = "contradiction"
"""Labels of a suite, of which the label map says what a checkpoint calls them."""
NO_LONGER_ENTAILED = IsNot(labels={ENTAILMENT: (ENTAILMENT,)})
PEOPLE = ordered("inference", "people")
ACTS = rows("inference", "acts", 2)
"""Transitive verbs: past tense and participle."""
DEEDS = ordered("inference", "deeds")
"""Intransitive verbs in the past tense."""
MOST = 600
"""Groups of a relation."""


def two_people() -> Iterator[tuple[str, str]]:
    """Yield all two people that differ, in both orders."""
    return permutations(PEOPLE, 2)


def sampled(makes: Callable[[], Iterable[TemplateGroup]], most: int = MOST) -> OfTemplates:
    """Return the transformation that draws a random sample of a template's groups."""

    def draw(rng: Random) -> list[TemplateGroup]:
        distinct = list(dict.fromkeys(makes()))
        return rng.sample(distinct, min(most, len(distinct)))

    return OfTemplates(draw)


def sampled_by_kind(makes: Callable[[], Iterable[TemplateGroup]]) -> OfTemplates:
    """Return the transformation that draws as many of a template's groups of each stratum."""

    def draw(rng: Random) -> list[TemplateGroup]:
        distinct = list(dict.fromkeys(makes()))
        kinds = sorted({one.stratum for one in distinct})
        by_kind = [[one for one in distinct if one.stratum == kind] for kind in kinds]
        room = MOST // len(kinds)
        return [one for kind in by_kind for one in rng.sample(kind, min(room, len(kind)))]

    return OfTemplates(draw)


_NEARBY = ordered("inference", "nearby")
_CLAUSES = rows("inference", "clauses", 3)


def _overlap() -> Iterator[TemplateGroup]:
    for one, other in two_people():
        for past, participle in ACTS:
            passive = f"The {one} was {participle} by the {other}."
            active = f"The {other} {past} the {one}."
            turned = f"The {one} {past} the {other}."
            yield TemplateGroup(
                PairOfTexts(passive, active), PairOfTexts(passive, turned), "passive"
            )
            yield TemplateGroup(
                PairOfTexts(active, passive),
                PairOfTexts(active, f"The {other} was {participle} by the {one}."),
                "active",
            )


def _subsequences() -> Iterator[TemplateGroup]:
    for at, (one, other) in enumerate(two_people()):
        deed, (past, _) = DEEDS[at % len(DEEDS)], ACTS[at % len(ACTS)]
        premises = [(f"The {one} {near} the {other} {deed}.", "phrase") for near in _NEARBY]
        premises.append((f"The {one} who {past} the {other} {deed}.", "clause"))
        for premise, stratum in premises:
            yield TemplateGroup(
                PairOfTexts(premise, f"The {one} {deed}."),
                PairOfTexts(premise, f"The {other} {deed}."),
                stratum,
            )


def _constituents() -> Iterator[TemplateGroup]:
    for at, (one, other) in enumerate(two_people()):
        deed, then = DEEDS[at % len(DEEDS)], DEEDS[(at + 1) % len(DEEDS)]
        hypothesis = f"The {one} {deed}."
        for says, leaves_open, form in _CLAUSES:
            end = f", the {other} {then}." if form == "two-clauses" else "."
            first, second = (f"{word} the {one} {deed}{end}" for word in (says, leaves_open))
            yield TemplateGroup(
                PairOfTexts(first, hypothesis), PairOfTexts(second, hypothesis), form
            )


_KINDS = rows("inference", "kinds", 2)
_THINGS = [(things, adjectives.split()) for things, adjectives in rows("inference", "things", 2)]
_GETTING = ordered("inference", "getting")
_DONE = ordered("inference", "done")
_UPWARD = ordered("inference", "upward")
_DOWNWARD = ordered("inference", "downward")
_DETAILS = ordered("inference", "details")
_SMALLEST, _LARGEST = 4, 18
_STEPS = (1, 2)


class Detailed(NamedTuple):
    """The same said in two voices, without the full stop, and a detail that neither says."""

    said: str
    said_otherwise: str
    detail: str
    stratum: str


class Denial(NamedTuple):
    """A premise with what follows from it, and what contradicts it."""

    premise: str
    follows: str
    ruled_out: str
    stratum: str


def detailed() -> Iterator[Detailed]:
    """Yield all statements that the words make, each with one of the details."""
    for at, (one, other) in enumerate(two_people()):
        for number, (past, participle) in enumerate(ACTS):
            detail = _DETAILS[(at * 7 + number) % len(_DETAILS)]
            active = f"The {other} {past} the {one}"
            passive = f"The {one} was {participle} by the {other}"
            yield Detailed(passive, active, detail, "passive")
            yield Detailed(active, passive, detail, "active")


def denials() -> Iterator[Denial]:
    """Yield all premises that the words make, with what follows and what is ruled out."""
    for at, (one, other) in enumerate(two_people()):
        deed, (past, participle) = DEEDS[at % len(DEEDS)], ACTS[at % len(ACTS)]
        near = _NEARBY[at % len(_NEARBY)]
        yield Denial(
            f"The {one} {near} the {other} {deed}.",
            f"Somebody {deed}.",
            f"Nobody {deed}.",
            "subject-pronoun",
        )
        yield Denial(
            f"The {one} was {participle} by the {other}.",
            f"The {other} {past} somebody.",
            f"The {other} {past} nobody.",
            "object-pronoun",
        )
    for things, adjectives in _THINGS:
        for adjective in adjectives:
            for done in _DONE:
                for some in _UPWARD:
                    yield Denial(
                        f"{some} {adjective} {things} {done}.",
                        f"Some {things} {done}.",
                        f"No {things} {done}.",
                        "subject-quantifier",
                    )


def _hypernyms() -> Iterator[TemplateGroup]:
    for person in PEOPLE:
        for verb in _GETTING:
            for nouns in _KINDS:
                one, other = (
                    f"The {person} {verb} {article_for(noun.split()[0])} {noun}." for noun in nouns
                )
                yield TemplateGroup(PairOfTexts(one, other), PairOfTexts(other, one), nouns[1])


def _quantifiers() -> Iterator[TemplateGroup]:
    for things, adjectives in _THINGS:
        for adjective in adjectives:
            for done in _DONE:
                for up in _UPWARD:
                    for down in _DOWNWARD:
                        few = {word: f"{word} {adjective} {things} {done}." for word in (up, down)}
                        all_of = {word: f"{word} {things} {done}." for word in (up, down)}
                        yield TemplateGroup(
                            PairOfTexts(few[up], all_of[up]),
                            PairOfTexts(few[down], all_of[down]),
                            "downward-monotone",
                        )
                        yield TemplateGroup(
                            PairOfTexts(all_of[down], few[down]),
                            PairOfTexts(all_of[up], few[up]),
                            "upward-monotone",
                        )


def _comparisons() -> Iterator[TemplateGroup]:
    for at, person in enumerate(PEOPLE):
        for verb in _GETTING:
            things = _THINGS[at % len(_THINGS)][0]
            for number in range(_SMALLEST, _LARGEST + 1):
                opening = f"The {person} {verb}"
                premise = f"{opening} {CARDINALS[number]} {things}."
                for step in _STEPS:
                    less, more = CARDINALS[number - step], CARDINALS[number + step]
                    for words, true, false in (
                        ("more than", less, more),
                        ("fewer than", more, less),
                    ):
                        yield TemplateGroup(
                            PairOfTexts(premise, f"{opening} {words} {true} {things}."),
                            PairOfTexts(premise, f"{opening} {words} {false} {things}."),
                            words.replace(" ", "-"),
                        )


def _detailed_premises() -> Iterator[TemplateGroup]:
    for said, otherwise, detail, stratum in detailed():
        hypothesis = f"{otherwise}."
        yield TemplateGroup(
            PairOfTexts(f"{said}.", hypothesis),
            PairOfTexts(f"{said} {detail}.", hypothesis),
            stratum,
        )


def _detailed_hypotheses() -> Iterator[TemplateGroup]:
    for said, otherwise, detail, stratum in detailed():
        premise = f"{said}."
        yield TemplateGroup(
            PairOfTexts(premise, f"{otherwise}."),
            PairOfTexts(premise, f"{otherwise} {detail}."),
            stratum,
        )


def _denied_hypotheses() -> Iterator[TemplateGroup]:
    for premise, follows, ruled_out, stratum in denials():
        yield TemplateGroup(PairOfTexts(premise, follows), PairOfTexts(premise, ruled_out), stratum)


def _swapped_contradictions() -> Iterator[TemplateGroup]:
    for premise, _, ruled_out, stratum in denials():
        yield TemplateGroup(
            PairOfTexts(premise, ruled_out), PairOfTexts(ruled_out, premise), stratum
        )


RELATIONS = (
    TextRelation(
        name="lexical-overlap",
        title="Lexical overlap (HANS): roles swapped",
        description=(
            "Swaps agent and object in the hypothesis. The prediction must not be entailment."
        ),
        paper="HANS (McCoy et al., ACL 2019), lexical overlap",
        before="The judge was thanked by the baker. / The baker thanked the judge.",
        after="The judge was thanked by the baker. / The judge thanked the baker.",
        transformation=sampled(_overlap),
        output=NO_LONGER_ENTAILED,
    ),
    TextRelation(
        name="subsequence",
        title="Subsequence heuristic (HANS)",
        description=(
            "Replaces the hypothesis with the last words of the premise, which the premise does "
            "not assert. The prediction must not be entailment."
        ),
        paper="HANS (McCoy et al., ACL 2019), subsequence",
        before="The judge near the baker laughed. / The judge laughed.",
        after="The judge near the baker laughed. / The baker laughed.",
        transformation=sampled(_subsequences),
        output=NO_LONGER_ENTAILED,
    ),
    TextRelation(
        name="constituent",
        title="Constituent heuristic (HANS)",
        description=(
            "Changes the premise so that it no longer asserts the clause in the hypothesis. The "
            "prediction must not be entailment."
        ),
        paper="HANS (McCoy et al., ACL 2019), constituent",
        before="Because the judge laughed, the baker left. / The judge laughed.",
        after="If the judge laughed, the baker left. / The judge laughed.",
        transformation=sampled(_constituents),
        output=NO_LONGER_ENTAILED,
    ),
    TextRelation(
        name="hypernym",
        title="Hypernym to hyponym (not entailed)",
        description=(
            "Swaps premise and hypothesis, so that the hypothesis is more specific. The prediction "
            "must not be entailment."
        ),
        paper="LLMorph (Cho et al., ICSME 2025), hypernyms; MacCartney and Manning, IWCS 2009",
        before="The judge bought a guitar. / The judge bought an instrument.",
        after="The judge bought an instrument. / The judge bought a guitar.",
        transformation=sampled(_hypernyms),
        output=NO_LONGER_ENTAILED,
    ),
    TextRelation(
        name="quantifier",
        title="Quantifier monotonicity",
        description=(
            "Replaces the quantifier with one of opposite monotonicity. The prediction must not be "
            "entailment."
        ),
        paper="MacCartney and Manning, IWCS 2009; Richardson et al., AAAI 2020",
        before="Some red cars were sold. / Some cars were sold.",
        after="No red cars were sold. / No cars were sold.",
        transformation=sampled(_quantifiers),
        output=NO_LONGER_ENTAILED,
    ),
    TextRelation(
        name="number-comparison",
        title="Numeric comparison (not entailed)",
        description=(
            "Changes a number in the hypothesis to one that the premise rules out. The prediction "
            "must not be entailment."
        ),
        paper="Naik et al., COLING 2018 (stress tests), numerical reasoning",
        before="The judge bought seven chairs. / The judge bought more than five chairs.",
        after="The judge bought seven chairs. / The judge bought more than nine chairs.",
        transformation=sampled(_comparisons),
        output=NO_LONGER_ENTAILED,
    ),
    TextRelation(
        name="added-detail",
        title="Detail added to premise (still entailed)",
        description="Adds a place or time to the premise. The prediction must stay entailment.",
        paper="MacCartney and Manning, IWCS 2009, natural logic",
        before="The judge was thanked by the baker. / The baker thanked the judge.",
        after="The judge was thanked by the baker in the garden. / The baker thanked the judge.",
        transformation=sampled(_detailed_premises),
        output=Same(labels=(ENTAILMENT,), when=When(label=ENTAILMENT)),
    ),
    TextRelation(
        name="added-claim",
        title="Detail added to hypothesis (becomes neutral)",
        description=(
            "Adds a place or time to the hypothesis. The prediction must change from entailment to "
            "neutral."
        ),
        paper="MacCartney and Manning, IWCS 2009, natural logic",
        before="The judge was thanked by the baker. / The baker thanked the judge.",
        after="The judge was thanked by the baker. / The baker thanked the judge in the garden.",
        transformation=sampled(_detailed_hypotheses),
        output=Becomes(labels={ENTAILMENT: NEUTRAL}),
    ),
    TextRelation(
        name="negated-hypothesis",
        title="Negated hypothesis (becomes contradiction)",
        description=(
            "Negates the hypothesis. The prediction must change from entailment to contradiction."
        ),
        paper="Naik et al., COLING 2018 (stress tests), negation",
        before="The judge near the baker laughed. / Somebody laughed.",
        after="The judge near the baker laughed. / Nobody laughed.",
        transformation=sampled_by_kind(_denied_hypotheses),
        output=Becomes(labels={ENTAILMENT: CONTRADICTION}),
    ),
    TextRelation(
        name="contradiction-order",
        title="Contradiction in swapped order",
        description="Swaps the two contradictory texts. The prediction must stay contradiction.",
        paper="MacCartney and Manning, IWCS 2009, natural logic",
        before="The judge near the baker laughed. / Nobody laughed.",
        after="Nobody laughed. / The judge near the baker laughed.",
        transformation=sampled_by_kind(_swapped_contradictions),
        output=Same(labels=(CONTRADICTION,), when=When(label=CONTRADICTION)),
    ),
)


def main() -> None:
    for relation in RELATIONS:
        transformation = relation.transformation
        assert isinstance(transformation, OfTemplates)
        assert isinstance(relation.output, OutputRelation)
        stated = msgspec.to_builtins(relation.stated("text", relation.output))
        for group in transformation.groups(chooser(SEED, stated["id"], "")):
            texts = {
                side: {TEXT: pair.text, SECOND: pair.second}
                for side, pair in (("source", group.source), ("follow_up", group.follow_up))
            }
            line = {
                **texts,
                "relation": relation.name,
                "stratum": group.stratum,
                **{key: stated[key] for key in ("output", "title", "description")},
            }
            sys.stdout.write(msgspec.json.encode(line).decode() + "\n")


if __name__ == "__main__":
    main()
