"""The anatomy of main clauses: the one shape accepted, and the codes of the rest."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.grammar.clauses import Clause, find_clause


@pytest.mark.parametrize(
    ("text", "subject", "finite", "conjuncts"),
    [
        ("Belarus shares a border with Russia.", "Belarus", "shares", []),
        ("The film has been shown in Rome.", "film", "has", []),
        ("The film also stars Ann Smith.", "film", "stars", []),
        ("There are two airports in Rome.", "There", "are", []),
        ("He wrote and directed the film.", "He", "wrote", ["directed"]),
        ("Ann and Bob live in a house that burned in 1990.", "Ann", "live", []),
        ("The show ended because Fox lost money.", "show", "ended", []),
    ],
)
def test_finds_the_parts(
    nlp: Language, text: str, subject: str, finite: str, conjuncts: list[str]
) -> None:
    clause = find_clause(nlp(text))
    assert isinstance(clause, Clause), clause
    assert (clause.subject.text, clause.finite.text) == (subject, finite)
    assert [verb.text for verb in clause.conjuncts] == conjuncts


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("In 1990, he moved to Rome.", "fronted"),
        ("Here comes Ann from Rome.", "inverted"),
        ("What he wants is a house.", "clausal-subject"),
        ("Ann, the mayor of Rome, left for Oslo.", "appositive"),
        ("The show are in Rome now.", "agreement"),
        ("The film is long and was shown in Rome.", "second-finite-verb"),
        ("He was elected in 1990 and served in Berlin.", "participle-or-past"),
        ("The man who shot Ann was Bob.", "complex-subject"),
        ("Ann went to Rome and Bob went to Oslo.", "second-finite-verb"),
        ("The final scene of the novel has Starling sleeping at home.", "auxiliary-chain"),
        ("It was directed by Ron Underwood and stars Bill Paxton.", "noun-or-verb"),
        (
            "The Senate retained its power to block supply, and the Governor-General the power "
            "to dismiss government ministers.",
            "parse-unsure",
        ),
        (
            "The show takes place in the same fictional universe as Sons of Anarchy and deals "
            "with the Sons' rivals-turned-allies, the Mayans Motorcycle Club.",
            "noun-or-verb",
        ),
        ("The season ended in May and was a success.", "conjunct-tense"),
    ],
)
def test_refuses_other_shapes(nlp: Language, text: str, reason: str) -> None:
    assert find_clause(nlp(text)) == reason
