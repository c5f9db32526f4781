"""Write the pairs of HateCheck: a case, and the simpler case that it was derived from.

    python benchmarks/hatecheck_derived.py hatecheck_cases.csv > pairs.jsonl
    mt-gate suite build --task text --kind pairs --sources pairs.jsonl --out suites/pairs

Source: HateCheck (Röttger et al., ACL 2021), whose cases name the simpler case that they
perturb, and the function that they test. What must hold follows from the gold labels of both:
the label stays, or it is gone. The built-in suite moderation-default has these pairs.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from mt_gate.domain import Group, Source
from mt_gate.relations.stated import IsNot, OutputRelation, Same, When
from mt_gate.suites.format import SuiteRelation
from mt_gate.tasks.text import TASK, TEXT
from mt_gate_suites.builder_api import make_group
from mt_gate_suites.text.transformation import common

PAPER = "HateCheck (Röttger et al., ACL 2021)"
MORE_CHANGED = "more changed than the spelling"
"""Why a pair is left out: the case says more than the one that it was derived from."""
OTHER_LABEL = "label of another relation"
FAULTY = "case with a fault of its own"
_FAULT = re.compile(
    r"s's\b|\bnever any \w+\.|^(?:how|why|what|where|when) (?:is|do|are) [^?]*$", re.I
)
"""Patterns of unnatural cases: "the men's's", "are never any clever.", "Why is it so."."""
OTHER_CLAIM = "claims something else"
"""Why a pair is left out: the case was put otherwise, and what it claims changed with it."""
_OTHER_CLAIM = re.compile(
    r".* shot in the street\.\n.* get rid of |.* without exception\.\n.* just the dumbest "
    r"|i (?:will|want to) .*\n(?:how about|what if) we "  # what one threatens is put to others
    r"|.* all those .*\n(?!.*\ball\b)"
    r"|.*\ndoes this not "  # "this" would be what came before
    r"|.*\nis it easy to tell ",  # asks whether it shows
    re.I,
)
"""A source and, on the next line, a case that reviewers did not accept as equivalent."""
LONGEST_SPELLING = 6
"""Letters, without spaces, within which a respelt word differs."""


class Case(NamedTuple):
    """A case of HateCheck, and the id of the one that it was derived from, if any."""

    id: str
    text: str
    label: str
    derived_from: str = ""
    function: str = ""


def read_cases(path: Path) -> list[Case]:
    """Read HateCheck's file of cases; white space is one space."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            Case(
                id=f"hatecheck-{row['case_id']}",
                text=" ".join(row["test_case"].split()),
                label=row["label_gold"],
                derived_from=f"hatecheck-{row['ref_case_id']}" if row["ref_case_id"] else "",
                function=row["functionality"],
            )
            for row in csv.DictReader(lines)
        ]


class DerivedRelation(NamedTuple):
    """A relation between a case and those derived from it.

    Args:
        name: the part of its id after the task.
        functions: of HateCheck that its follow-ups test, each with the kind of edit that it is.
        keeps: whether the label stays; else it must be gone.
        title: a noun phrase of at most five words, and in brackets what is expected, unless it is
            the same prediction.
        description: two short sentences: the edit, then what must follow.
        before: an example source, ``after`` its follow-up.
        spelling: whether nothing but the spelling may differ.
    """

    name: str
    functions: dict[str, str]
    keeps: bool
    title: str
    description: str
    before: str
    after: str
    spelling: bool = False

    @property
    def id(self) -> str:
        """Its id in a suite."""
        return f"{TASK.id}/{self.name}"

    def stated(self, label: str) -> SuiteRelation:
        """Return the relation as a suite about a label states it, without groups yet."""
        output: OutputRelation = (
            Same(labels=(label,), when=When(label=label))
            if self.keeps
            else IsNot(labels={label: (label,)})
        )
        return SuiteRelation(
            id=self.id,
            groups=0,
            sources=0,
            title=self.title,
            description=self.description,
            paper=PAPER,
            before=self.before,
            after=self.after,
            output=output,
        )


TARGET = "[GROUP]"
"""The target of a text, in examples."""
DERIVED: tuple[DerivedRelation, ...] = (
    DerivedRelation(
        name="rephrased-case",
        functions={"phrase_question_h": "question", "phrase_opinion_h": "opinion"},
        keeps=True,
        title="Phrased as question or opinion (still hateful)",
        description=(
            "Rephrases a hateful text as a question or an opinion. The text must still be flagged."
        ),
        before=f"{TARGET} are the worst.",
        after=f"In my opinion, {TARGET} are the worst.",
    ),
    DerivedRelation(
        name="earlier-target",
        functions={"ref_subs_clause_h": "clause", "ref_subs_sent_h": "sentence"},
        keeps=True,
        title="Target named in earlier clause (still hateful)",
        description=(
            "Names the target in one clause or sentence and attacks it in the next. The text must "
            "still be flagged."
        ),
        before=f"{TARGET} are the worst.",
        after=f"I have met many of {TARGET}. They are the worst.",
    ),
    DerivedRelation(
        name="negated-praise",
        functions={"negate_pos_h": ""},
        keeps=True,
        title="Negated positive statement (still hateful)",
        description=(
            "Negates a positive statement about the target. The text must still be flagged."
        ),
        before=f"{TARGET} are the worst.",
        after=f"{TARGET} are not our equals.",
    ),
    DerivedRelation(
        name="spelling-variant",
        functions={
            "spell_char_del_h": "missing-letter",
            "spell_char_swap_h": "swapped-letters",
            "spell_leet_h": "leetspeak",
            "spell_space_add_h": "inserted-spaces",
            "spell_space_del_h": "deleted-space",
        },
        keeps=True,
        title="HateCheck spelling variants (still hateful)",
        description=(
            "Obfuscates the spelling, as written by people for HateCheck. The text must still be "
            "flagged."
        ),
        before=f"{TARGET} are the worst.",
        after=f"{TARGET} are the w0rst.",
        spelling=True,
    ),
    DerivedRelation(
        name="negated-attack",
        functions={"negate_neg_nh": ""},
        keeps=False,
        title="Negated attack (must not be flagged)",
        description="Negates the attack. The text must not be flagged.",
        before=f"{TARGET} are the worst.",
        after=f"{TARGET} are not the worst at all.",
    ),
    DerivedRelation(
        name="counter-speech",
        functions={"counter_quote_nh": "quoted", "counter_ref_nh": "referenced"},
        keeps=False,
        title="Counter speech (must not be flagged)",
        description="Quotes or mentions the attack to condemn it. The text must not be flagged.",
        before=f"{TARGET} are the worst.",
        after=f'Saying "{TARGET} are the worst" is a shame.',
    ),
    DerivedRelation(
        name="positive-statement",
        functions={"ident_pos_nh": ""},
        keeps=False,
        title="Positive statement (must not be flagged)",
        description="Replaces the attack with a positive statement. The text must not be flagged.",
        before=f"{TARGET} are the worst.",
        after=f"{TARGET} are the best.",
    ),
)


class Pairs(NamedTuple):
    """Groups of a relation, and why pairs of its functions are none, counted by reason."""

    groups: list[Group]
    left_out: Counter[str]


def derived_groups(
    relation: DerivedRelation, texts: Sequence[Case], sources: Sequence[Source], label: str
) -> Pairs:
    """Return the groups of a relation: a case of a label with each case derived from it.

    Args:
        relation: whose functions the derived cases test.
        texts: all cases, of any label.
        sources: those with the label, of which the suite is about.
        label: what the source must have, and the follow-up has or has not.
    """
    by_id = {source.id: source for source in sources}
    groups: dict[str, Group] = {}
    left_out: Counter[str] = Counter()
    for one in texts:
        if not one.derived_from or one.function not in relation.functions:
            continue
        source = by_id.get(one.derived_from)
        if source is None or (one.label == label) != relation.keeps:
            left_out[OTHER_LABEL] += 1
            continue
        if _FAULT.search(one.text):
            left_out[FAULTY] += 1
            continue
        before = source.input[TEXT]
        if _OTHER_CLAIM.match(f"{before}\n{one.text}"):
            left_out[OTHER_CLAIM] += 1
            continue
        if relation.spelling and not is_respelt(before, one.text):
            left_out[MORE_CHANGED] += 1
            continue
        stratum, alignment = relation.functions[one.function], common(before, one.text)
        group = make_group(
            relation.id, source.id, source.input, {TEXT: one.text}, alignment, stratum
        )
        groups[group.id] = group
    return Pairs([*groups.values()], left_out)


def is_respelt(before: str, after: str) -> bool:
    """Whether two texts are one but for spaces, the end mark, and the spelling of a word.

    >>> is_respelt("They are the worst.", "They are the w o r s t")
    True
    >>> is_respelt("They are the worst.", "Of course they are the wrst.")
    False
    """
    first, second = ("".join(text.rstrip(".").split()) for text in (before, after))
    unchanged = sum(block.length for block in common(first, second))
    return max(len(first), len(second)) - unchanged <= LONGEST_SPELLING


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", type=Path, help="hatecheck_cases.csv")
    parser.add_argument("--label", default="hateful")
    options = parser.parse_args()
    texts = read_cases(options.cases)
    sources = [
        Source(id=one.id, input={TEXT: one.text}, origin=options.cases.name)
        for one in texts
        if one.label == options.label
    ]
    inputs = {source.id: source.input for source in sources}
    for derived in DERIVED:
        relation = msgspec.to_builtins(derived.stated(options.label))
        for group in derived_groups(derived, texts, sources, options.label).groups:
            line = {
                "source": inputs[group.source],
                "follow_up": group.follow_up,
                "relation": derived.name,
                "id": group.source,
                "stratum": group.stratum,
                **{key: relation[key] for key in ("output", "title", "description")},
            }
            sys.stdout.write(msgspec.json.encode(line).decode() + "\n")


if __name__ == "__main__":
    main()
