from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mt_gate.base.errors import CannotJudge
from mt_gate.language.forms import is_word, tags
from mt_gate.language.lexicon_fillers import CorpusPhrases, LexiconFillers
from mt_gate.language.tools import Fill, Slot
from mt_gate.language.vectors import WordVectors
from mt_gate.language.wordnet import WordNet


class InOrder:
    """A fit that keeps the order of its fillers."""

    name = "in order"

    def expected(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[str]]:
        return [list(fillers)[:top] for _, fillers in slots]

    def fit(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[Fill]]:
        return [[Fill(new, -at) for at, new in enumerate(fillers)][:top] for _, fillers in slots]


@pytest.fixture(scope="module")
def wordnet(wordnet_folder: str) -> WordNet:
    return WordNet(wordnet_folder)


def filled(lexicon: object, text: str, word: str) -> list[str]:
    start = text.index(word)
    slot = Slot(text, start, start + len(word))
    fillers = LexiconFillers([lexicon], InOrder())  # type: ignore[list-item]
    return [fill.text for fill in fillers.fill([slot], 50)[0]]


@pytest.mark.parametrize(
    ("form", "wanted"), [("shared", {"VBD", "VBN"}), ("bigger", {"JJR"}), ("house", {"NN", "VB"})]
)
def test_tags_of_a_form(form: str, wanted: set[str]) -> None:
    assert wanted <= tags(form)


@pytest.mark.parametrize("form", ["have", "is", "will", "many", "such", "xqzt"])
def test_function_words_and_unknown_ones_have_no_tags(form: str) -> None:
    assert tags(form) == frozenset()


@pytest.mark.parametrize(
    ("form", "known"),
    [("infinity", True), ("your", True), ("turned", True), ("ifinity", False), ("qwrtz", False)],
)
def test_words_of_the_dictionary(form: str, known: bool) -> None:
    assert is_word(form) is known


def test_wordnet_keeps_the_inflection(wordnet: WordNet) -> None:
    words = filled(wordnet, "Anna bought a house.", "bought")
    assert "purchased" in words
    assert not {"buy", "purchase", "buying"}.intersection(words)
    assert "biggest" in filled(wordnet, "the largest house", "largest")


def test_opposites_are_not_offered(wordnet: WordNet) -> None:
    assert "small" not in filled(wordnet, "a large house", "large")
    assert wordnet.are_opposite("largest", "smallest", "ADJ")
    assert wordnet.are_opposite("won", "lost", "VERB")
    assert not wordnet.are_opposite("large", "big", "ADJ")


def test_a_word_that_no_lexicon_knows_has_no_fillers(wordnet: WordNet) -> None:
    assert filled(wordnet, "the xqzt house", "xqzt") == []


def test_terms(wordnet: WordNet) -> None:
    assert wordnet.is_term("high", "school")
    assert wordnet.is_term("take", "place")
    assert not wordnet.is_term("tall", "school")


def test_kinds(wordnet: WordNet) -> None:
    assert wordnet.kinds("teacher") & wordnet.kinds("doctor")
    assert not wordnet.kinds("teacher") & wordnet.kinds("bridge")
    assert wordnet.kinds("xqzt") == frozenset()


def test_a_missing_wordnet_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(CannotJudge, match=r"--wordnet .* is not a folder of WordNet"):
        WordNet(str(tmp_path))


VECTORS = "house 1 0\ncottage 0.9 0.1\nOslo 0 1\nvilla 0.8 0.1\n"


def test_vectors_give_the_nearest_first(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(VECTORS, encoding="utf-8")
    vectors = WordVectors(path)
    assert vectors.related("House")[:2] == ["cottage", "villa"] or vectors.related("House")[:2] == [
        "villa",
        "cottage",
    ]
    assert vectors.related("unknown") == []
    assert "house" not in vectors.related("house")[:3]


def test_rare_words_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(VECTORS, encoding="utf-8")
    assert WordVectors(path, words=2).related("villa") == []


@pytest.mark.parametrize("text", ["", "house 1 0\ncottage 1\n", "house one two\n", "\x00\xff"])
def test_other_files_than_vectors_are_rejected(tmp_path: Path, text: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(CannotJudge, match="has no word vectors"):
        WordVectors(path)


class Two:
    name = "two"

    def related(self, word: str) -> list[str]:  # noqa: ARG002
        return ["Paris", "berlin", "N.Y.", "x", "new-york"]


def test_fillers_are_cased_as_the_word_is() -> None:
    assert filled(Two(), "in Oslo.", "Oslo") == ["Paris", "Berlin", "New-york"]
    assert filled(Two(), "in OSLO.", "OSLO") == ["PARIS", "BERLIN", "NEW-YORK"]
    assert filled(Two(), "in berlin.", "berlin") == ["paris", "new-york"]


@pytest.mark.slow
def test_wordnet_answers_alike_in_every_process(wordnet_folder: str) -> None:
    code = (
        "import sys; from mt_gate.language.wordnet import WordNet; "
        "net = WordNet(sys.argv[1]); "
        "print([list(net.related(w)) for w in ('house', 'bought', 'large', 'teacher')])"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code, wordnet_folder],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1


def test_adjectives(wordnet: WordNet) -> None:
    assert wordnet.is_adjective("tight")
    assert not wordnet.is_adjective("hat")


@pytest.mark.parametrize(
    ("form", "near", "far"),
    [
        ("purchased", {"bought"}, {"buy", "purchased", "sold"}),
        ("larger", {"bigger"}, {"big", "smaller"}),
        ("saw", set(), {"cut", "spotted"}),
        ("of", set(), {"for"}),
    ],
)
def test_the_nearest_words_have_the_form_of_the_word(
    wordnet: WordNet, form: str, near: set[str], far: set[str]
) -> None:
    similar_words = wordnet.nearest(form)
    assert near <= {*similar_words}
    assert far.isdisjoint(similar_words)


@pytest.mark.parametrize(
    ("adjective", "synonym", "antonym"),
    [("tight", "taut", "loose"), ("true", "truthful", "false"), ("wooden", "", "")],
)
def test_synonyms_and_antonyms(
    wordnet: WordNet, adjective: str, synonym: str, antonym: str
) -> None:
    assert (wordnet.synonym(adjective), wordnet.antonym(adjective)) == (synonym, antonym)


def test_phrases_of_the_corpora_share_noun_and_length() -> None:
    source = CorpusPhrases(["medical care", "big health care", "care", "big house"])
    similar_words = source.similar(["social care", "care", "social house"], 5)
    assert [[fill.text for fill in fills] for fills in similar_words] == [
        ["medical care"],
        [],
        ["big house"],
    ]
