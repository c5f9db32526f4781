"""Other mentions of the same person or thing: the rules, and coreferee's chains."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.building.re.coreferent import gender
from mt_gate.building.re.coreferent.chains import CoreferentMention, ranked
from mt_gate.building.re.coreferent.coreferee_chains import EXTENSION, Chains, FirstToAnswer, opened
from mt_gate.building.re.coreferent.names import acronyms, full_name, is_acronym
from mt_gate.building.re.coreferent.rules import RULES

DUNNE = (
    "Dunne was part of a famous family that also included his brother, novelist and screenwriter "
    "John Gregory Dunne; his brother's wife, author Joan Didion, survives him."
)


def place(text: str, words: str) -> int:
    match = re.search(rf"\b{re.escape(words)}", text)
    assert match
    return match.start()


def found(nlp: Language, text: str, words: str, kind: str) -> list[str]:
    start = place(text, words)
    mentions = RULES.mentions(nlp(text), start, start + len(words), kind)
    assert all(0 < one.score <= 1 for one in mentions)
    assert [one.score for one in mentions] == sorted((m.score for m in mentions), reverse=True)
    return [text[one.start : one.end] for one in mentions]


@pytest.mark.parametrize(
    ("text", "words", "best"),
    [
        # The paper's Table 2, both ways, and its Figure 1.
        ("John is a father, he loves his child Mary.", "John", "he"),
        ("John is a father, he loves his child Mary.", "he", "John"),
        (
            "Wen Qiang was arrested, and prosecutors said his charges include bribery.",
            "his",
            "Wen Qiang",
        ),
        # Table 7: the first pronoun can mean no other; Dunne is not the John Gregory Dunne.
        (DUNNE, "Dunne", "his"),
        (DUNNE, "his", "Dunne"),
        ("Barack Obama thanked Mary Smith because she won.", "Mary Smith", "she"),
        ("In his speech, Barack Obama spoke of Chicago.", "Barack Obama", "his"),
        ("The doctor told John Smith and his wife Mary.", "John Smith", "his"),
        ("Anna Smith, who lives in Boston, won.", "Anna Smith", "who"),
        (
            "Barack Obama was born in Honolulu, and Obama studied in New York.",
            "Barack Obama",
            "Obama",
        ),
        ("The first president was Charles Bishop, who honoured his wife.", "Charles Bishop", "his"),
    ],
)
def test_a_person_is_named_again(nlp: Language, text: str, words: str, best: str) -> None:
    assert found(nlp, text, words, "PERSON")[0] == best


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # Two men.
        ("Barack Obama praised Paul Smith because he won.", "Barack Obama"),
        # Somebody else may be meant.
        ("The doctor told John Smith that he was ill.", "John Smith"),
        ("He met Barack Obama before he left Chicago.", "Barack Obama"),
        ("After an injury to Brian Smith, he made the team.", "Brian Smith"),
        # Of another gender.
        ("Barack Obama thanked Mary Smith because she won.", "Barack Obama"),
        # An object beside its own antecedent.
        ("Anna Smith saw her in Boston.", "Anna Smith"),
        ("John Smith admires him.", "John Smith"),
        # Said of somebody else.
        ("Mary Smith was her pupil in Boston.", "Mary Smith"),
        ("Davey Johnstone joined the band as his replacement.", "Davey Johnstone"),
        # Whose clause it is.
        ("The son of John Smith, who lives in Boston, won.", "John Smith"),
        ("John Smith and Paul Jones, who live in Boston, won.", "Paul Jones"),
        # A namesake, a wife of the same name, part of another name.
        ("Davy Jones is played by the musician Davy Jones.", "Davy Jones"),
        ("William Gaskell is the husband of the novelist Mrs Gaskell.", "William Gaskell"),
        ("Barack Obama founded the Obama Foundation in Chicago.", "Barack Obama"),
        # In and out of quotation marks.
        ('John Smith wrote "he sleeps" on the wall.', "John Smith"),
    ],
)
def test_a_person_in_doubt_is_left_alone(nlp: Language, text: str, words: str) -> None:
    assert found(nlp, text, words, "PERSON") == []


def test_the_second_pronoun_of_table_7_is_left_alone(nlp: Language) -> None:
    start = DUNNE.index("his brother's wife")
    assert RULES.mentions(nlp(DUNNE), start, start + 3, "PERSON") == []


@pytest.mark.parametrize(
    ("text", "words", "kind", "best"),
    [
        ("Toyota opened its plant in Ohio.", "Toyota", "ORGANIZATION", "its"),
        ("Toyota said it would close the plant.", "Toyota", "ORGANIZATION", "it"),
        (
            "He attended Cumberland High School, which serves students of Ohio.",
            "Cumberland High School",
            "ORGANIZATION",
            "which",
        ),
        ("The users changed their settings.", "users", "", "their"),
        ("The fungus that causes infections grows.", "fungus", "", "that"),
        ("The musician who wrote an album left.", "musician", "", "who"),
    ],
)
def test_a_thing_is_named_again(nlp: Language, text: str, words: str, kind: str, best: str) -> None:
    assert found(nlp, text, words, kind)[0] == best


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("Toyota sold Subaru its plant.", "Toyota", "ORGANIZATION"),
        ("Toyota said it was likely that prices fall.", "Toyota", "ORGANIZATION"),
        ("The manager of Toyota praised its plant.", "Toyota", "ORGANIZATION"),
        ("The bridge was built over the Ohio River, which led to a decline.", "Ohio River", ""),
        ("He met the owner of Toyota, which is in Ohio.", "Toyota", "ORGANIZATION"),
        # Who is the man, not his voice or his nationality.
        ("William Shimell is an English baritone who sings in London.", "baritone", ""),
        ("William Shimell is a baritone who sings in London.", "baritone", "TITLE"),
        ("The French, who live in France, sing.", "French", "NATIONALITY"),
        ("The users gave the teams their settings.", "users", ""),
        ("The army said it in 1990.", "1990", "DATE"),
    ],
)
def test_a_thing_in_doubt_is_left_alone(nlp: Language, text: str, words: str, kind: str) -> None:
    assert found(nlp, text, words, kind) == []


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("-LRB- ", " -RRB-")])
def test_an_acronym_in_brackets(opening: str, closing: str) -> None:
    name = "China Banking Regulatory Commission"
    text = f"Liu chairs the {name} {opening}CBRC{closing}, and the CBRC met."
    start = text.index(name)
    places = [text[a:b] for a, b in acronyms(text, start, start + len(name))]
    assert places == ["CBRC", "CBRC"]
    short = text.index("CBRC")
    again = full_name(text, short, short + 4)
    assert again is not None
    assert text[slice(*again)] == name


@pytest.mark.parametrize(
    ("short", "name", "fits"),
    [
        ("CBRC", "China Banking Regulatory Commission", True),
        ("UTS", "University of Technology Sydney", True),
        ("DoT", "Department of Transportation", True),
        ("KMT", "National Communications Commission", False),
        ("X", "Xerox", False),
        ("VW", "Volkswagen", False),
    ],
)
def test_initials(short: str, name: str, fits: bool) -> None:
    assert is_acronym(short, name) is fits


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("The Army Air Corps (AC) and the Navy taught.", "AC"),
        ("The CBRC met the China Banking Regulatory Commission.", "CBRC"),
        ("He met the board (CBRC) there.", "CBRC"),
    ],
)
def test_no_full_name(text: str, short: str) -> None:
    start = text.index(short)
    assert full_name(text, start, start + len(short)) is None


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_acronyms_lie_in_the_text(text: str, a: int, b: int) -> None:
    start, end = sorted((min(a, len(text)), min(b, len(text))))
    for place in acronyms(text, start, end):
        assert end <= place[0] < place[1] <= len(text)
    again = full_name(text, start, end)
    assert again is None or 0 <= again[0] < again[1] <= len(text)


@pytest.mark.parametrize(
    ("cues", "said"),
    [
        (("male", "", "male"), "male"),
        (("male", "female"), ""),
        ((), ""),
        (("", "female"), "female"),
    ],
)
def test_gender_of_several_cues(cues: tuple[str, ...], said: str) -> None:
    assert gender.agreed(cues) == said


def test_gender_of_words() -> None:
    assert gender.of_noun("actress") == gender.of_title("mrs.") == gender.FEMALE
    assert gender.of_given_name("mary") == gender.FEMALE
    assert gender.of_given_name("john") == gender.MALE
    assert gender.of_given_name("kelly") == gender.of_noun("doctor") == gender.UNKNOWN


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 5), st.sampled_from([0.8, 0.9, 0.95]))),
    st.integers(0, 40),
)
def test_ranked_mentions_are_apart_and_best_first(
    places: list[tuple[int, int, float]], start: int
) -> None:
    mentions = [CoreferentMention(at, at + length, score, "name") for at, length, score in places]
    order = ranked(mentions, start)
    assert [one.score for one in order] == sorted((one.score for one in order), reverse=True)
    assert all(a.end <= b.start or b.end <= a.start for i, a in enumerate(order) for b in order[:i])
    assert bool(order) == bool(mentions)


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
