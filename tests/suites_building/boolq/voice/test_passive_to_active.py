"""Passive clauses with their active verb groups, and clauses that have none."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.boolq.voice.passive_to_active import (
    Active,
    PassiveClause,
    active_group,
    find_passive,
)


def found(nlp: Language, text: str, verb: str) -> PassiveClause | str:
    doc = nlp(text)
    return find_passive(word(doc, verb), doc[:])


@pytest.mark.parametrize(
    ("text", "verb", "subject", "agent", "group"),
    [
        ("The film was written by Ann Lee in 2010.", "written", "The film", "Ann Lee", "wrote"),
        ("The films were originally written by Ann Lee.", "written", "The films", "Ann Lee",
         "wrote"),
        ("The treaty has been signed by the king.", "signed", "The treaty", "the king",
         "has signed"),
        ("The treaty had been signed by the king.", "signed", "The treaty", "the king",
         "had signed"),
        ("The treaty can be signed by the king.", "signed", "The treaty", "the king",
         "can sign"),
        ("The club is owned by the king.", "owned", "The club", "the king", "owns"),
    ],
)  # fmt: skip
def test_passive_clauses(
    nlp: Language, text: str, verb: str, subject: str, agent: str, group: str
) -> None:
    clause = found(nlp, text, verb)
    assert isinstance(clause, PassiveClause)
    assert (clause.subject.span.text, clause.agent.span.text) == (subject, agent)
    active = active_group(clause)
    assert isinstance(active, Active)
    assert " ".join((*active.auxiliaries, *active.verbs)) == group


def test_two_participles_share_an_agent(nlp: Language) -> None:
    clause = found(nlp, "The film was written and directed by Ann Lee.", "written")
    assert isinstance(clause, PassiveClause)
    assert active_group(clause) == Active((), ("wrote", "directed"))


def test_a_phrase_of_time_may_part_participle_and_agent(nlp: Language) -> None:
    clause = found(nlp, "The film was written in 2010 by Ann Lee.", "written")
    assert isinstance(clause, PassiveClause)
    assert clause.between.text == "in 2010"


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("Ann Lee wrote the film in 2010.", "wrote"),
        ("The film was written in 2010.", "written"),
        ("The film was written by 2010.", "written"),
        ("The film was written by hand.", "written"),
        ("The film is being written by Ann Lee.", "written"),
        ("The film was not written by Ann Lee.", "written"),
        ("Two films were written by Ann Lee.", "written"),
        ("The award was won by Ann Lee.", "won"),
        ("The film was written by Ann Lee, who died.", "written"),
        ("The film was written by Ann Lee and sold.", "written"),
        ("The bridge was hit by a car.", "hit"),
    ],
)
def test_clauses_that_stay_passive(nlp: Language, text: str, verb: str) -> None:
    assert isinstance(found(nlp, text, verb), str)
