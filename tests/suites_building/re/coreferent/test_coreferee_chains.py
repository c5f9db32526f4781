"""Chains that coreferee leaves in a document, read as mentions."""

from __future__ import annotations

import importlib.util

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from mt_gate_suites.re.coreferent.coreferee_chains import (
    EXTENSION,
    PIPE,
    Chains,
    FirstToAnswer,
    opened,
    with_coreferee,
)
from mt_gate_suites.re.coreferent.rules import RULES


class Heads:
    """A mention as coreferee leaves it: the indexes of its head words."""

    def __init__(self, *token_indexes: int) -> None:
        self.token_indexes = list(token_indexes)


@pytest.fixture
def chained(nlp: Language) -> Doc:
    """A document with the extension that coreferee sets."""
    Doc.set_extension(EXTENSION, default=None, force=True)
    doc = nlp("Barack Obama met Paul Smith because he won, and they left.")
    # Obama ... he; both ... they
    doc._.coref_chains = [[Heads(1), Heads(6)], [Heads(1, 4), Heads(10)]]
    return doc


def test_a_chain_gives_whole_names_and_pronouns(chained: Doc) -> None:
    text = chained.text
    (pronoun,) = Chains().mentions(chained, 0, len("Barack Obama"), "PERSON")
    assert (text[pronoun.start : pronoun.end], pronoun.kind) == ("he", "chain")
    start = text.index("he won")
    (name,) = Chains().mentions(chained, start, start + 2)
    assert text[name.start : name.end] == "Barack Obama"


@pytest.mark.parametrize(
    ("words", "kind"),
    [("Paul Smith", "PERSON"), ("they", ""), ("arack", ""), ("Barack Obama", "DATE")],
)
def test_a_chain_says_nothing_of(chained: Doc, words: str, kind: str) -> None:
    start = chained.text.index(words)
    assert Chains().mentions(chained, start, start + len(words), kind) == []


def test_chains_of_a_document_without_any(nlp: Language) -> None:
    Doc.set_extension(EXTENSION, default=None, force=True)
    assert Chains().mentions(nlp("John says he sleeps."), 0, 4) == []
    Doc.remove_extension(EXTENSION)
    assert Chains().mentions(nlp("John says he sleeps."), 0, 4) == []


def test_chains_are_asked_where_the_rules_are_silent(chained: Doc) -> None:
    both = FirstToAnswer((RULES, Chains()))
    assert RULES.mentions(chained, 0, len("Barack Obama"), "PERSON") == []
    assert [one.kind for one in both.mentions(chained, 0, len("Barack Obama"), "PERSON")] == [
        "chain"
    ]


def test_a_pipeline_without_coreferee_has_the_rules(nlp: Language) -> None:
    assert opened(nlp) is RULES


def test_coreferee_is_added_where_it_is_installed_alone(nlp: Language) -> None:
    if importlib.util.find_spec(PIPE) is not None:
        pytest.skip("coreferee is installed")
    said: list[str] = []
    before = list(nlp.pipe_names)
    with_coreferee(nlp, said.append)
    assert (nlp.pipe_names, said) == (before, [])


def test_coreferee_itself() -> None:
    pytest.importorskip("coreferee")
    spacy = pytest.importorskip("spacy")
    if not spacy.util.is_package("en_core_web_lg"):
        pytest.skip("coreferee needs en_core_web_lg")
    pipeline = spacy.load("en_core_web_lg")
    pipeline.add_pipe("coreferee")
    doc = pipeline("Although he was very busy with his work, Peter had had enough of it.")
    start = doc.text.index("Peter")
    kinds = {doc.text[m.start : m.end] for m in Chains().mentions(doc, start, start + 5)}
    assert kinds == {"he", "his"}
    assert opened(pipeline) is not RULES
