from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.domain import Verdict
from mt_gate.relations.base import ExecutedGroup
from mt_gate.relations.ner.entity_shuffle import RELATION, shuffle


def output(text: str, *names: str) -> dict[str, list]:
    """Return an output with ``names`` ("Anna:PER"), each found after the one before it."""
    found, at = [], 0
    for item in names:
        name, _, label = item.partition(":")
        start = text.index(name, at)
        at = start + len(name)
        found.append([start, at, label or "PER"])
    return {"entities": found}


def follow_ups(text: str, *names: str) -> list[str]:
    built = shuffle({"text": text}, output(text, *names), Random(1))
    return [str(item.input["text"]) for item in built]


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("Anna met Boris in Oslo.", ("Anna", "Boris", "Oslo:LOC"), ["Boris met Anna in Oslo."]),
        ("Anna's dog bit Boris.", ("Anna", "Boris"), ["Boris's dog bit Anna."]),
        (
            "In Boston and Rome they sang.",
            ("Boston:LOC", "Rome:LOC"),
            ["In Rome and Boston they sang."],
        ),
        (
            "The Beatles and the Stones met.",
            ("The Beatles:ORG", "Stones:ORG"),
            ["The Stones and the Beatles met."],
        ),
        (
            "Anna knew Boris; Carl knew Anna.",
            ("Anna", "Boris", "Carl", "Anna"),
            ["Anna knew Carl; Boris knew Anna."],
        ),
        ("She let Anna meet Boris.", ("Anna", "Boris"), []),
        (
            "She went from Oslo to Rome.",
            ("Oslo:LOC", "Rome:LOC"),
            ["She went from Rome to Oslo."],
        ),
        (
            "Gerald Ford met Anna and Boris before Ford left.",
            ("Gerald Ford", "Anna", "Boris", "Ford"),
            ["Gerald Ford met Boris and Anna before Ford left."],
        ),
        (
            "Some saw Bond Street in Rome; others saw High Street in Oslo.",
            ("Bond Street:LOC", "Rome:LOC", "High Street:LOC", "Oslo:LOC"),
            ["Some saw Bond Street in Oslo; others saw High Street in Rome."],
        ),
        (
            "Brazil beat Spain 3–1 in Lake Placid.",
            ("Brazil:LOC", "Spain:LOC", "Lake Placid:LOC"),
            ["Spain beat Brazil 3–1 in Lake Placid."],
        ),
        (
            "President Jane Doe met Boris Lee.",
            ("Jane Doe", "Boris Lee"),
            ["President Boris Lee met Jane Doe."],
        ),
    ],
)
def test_names_of_one_label_change_places(
    text: str, names: tuple[str, ...], expected: list[str]
) -> None:
    assert sorted(follow_ups(text, *names)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Anna met Boris.", ("Anna", "Boris:ORG")),  # two labels
        ("Anna slept.", ("Anna",)),  # one name
        ("It rained.", ()),
        ("Anna met Anna.", ("Anna", "Anna")),  # nothing would change
        ("He left the UK for France.", ("UK:LOC", "France:LOC")),  # "the France"
        ("A Boston man met an Oslo man.", ("Boston:LOC", "Oslo:LOC")),  # "an Boston man"
        ("Mrs. Smith met John.", ("Smith", "John")),  # "Mrs. John"
        ("The University of Texas left Ohio.", ("Texas:LOC", "Ohio:LOC")),  # inside a longer name
        ("He saw Texas Rangers and Ohio.", ("Texas:LOC", "Ohio:LOC")),
        ("He lives in Dallas, Texas.", ("Dallas:LOC", "Texas:LOC")),  # "Texas, Dallas"
        (
            "They moved from Dallas, Texas to Austin, Nevada.",
            ("Dallas:LOC", "Texas:LOC", "Austin:LOC", "Nevada:LOC"),
        ),
        ("He left the U.S. for Rome.", ("U.S.:LOC", "Rome:LOC")),  # whose full stop?
        ("He left anti-Rome for Oslo.", ("Rome:LOC", "Oslo:LOC")),  # part of a word
        ("He likes iPhones and ebay.", ("iPhones:ORG", "ebay:ORG")),  # would want a capital
        ("On 3 May and 4 June.", ("May:DATE", "June:DATE")),  # no names
        ("French troops met Germans.", ("French:MISC", "Germans:MISC")),  # "Germans troops"
        # Names cut wrongly.
        ("Nathan reassesses his life with Anna.", ("Nathan reassesses", "Anna")),
        ("The Republic of Ireland left Oslo.", ("Republic of:LOC", "Oslo:LOC")),
        ("Robinson–is here with Anna.", ("Robinson–is", "Anna")),
        ("He called General Acme, LLC and Zeta.", ("LLC:ORG", "Zeta:ORG")),
        ("He slept at Ken's hotel with Anna.", ("Ken's", "Anna")),
        ("He met Charles de Gaulle and Anna.", ("Gaulle", "Anna")),
        ("She likes NCIS: Hawaii and Oslo.", ("Hawaii:LOC", "Oslo:LOC")),
        ("He likes BBC iPlayer and Netflix.", ("BBC:ORG", "Netflix:ORG")),
        ("He likes Apollo 13 and Dumbo.", ("Apollo:ORG", "Dumbo:ORG")),
        (
            "He met Johnson and Johnson with Anna.",
            ("Johnson", "Anna"),
        ),  # the first is no name found
        ("She is in Dallas, Texas, not Rome.", ("Dallas:LOC", "Rome:LOC")),  # "Rome, Texas"
        ('He saw "Emma" and Anna.', ("Emma", "Anna")),
        # Places that tell who or what stands there.
        ("His wife Anna met Boris.", ("Anna", "Boris")),
        ("His sister, Anna, met Boris.", ("Anna", "Boris")),
        ("The film Carrie starred Anna.", ("Carrie", "Anna")),
        ("Carrie is a 1976 film with Anna.", ("Carrie", "Anna")),
        ("Anna, known as Bill, met Carl.", ("Bill", "Carl")),
        ("Anna, nicknamed Bill, met Carl.", ("Bill", "Carl")),
        ("He left the state of Utah for Rome.", ("Utah:LOC", "Rome:LOC")),
        ("The Huallaga river is near Lima.", ("Huallaga:LOC", "Lima:LOC")),
        ("The Boston police met the Beatles.", ("Boston:X", "Beatles:X")),  # "the Boston" alone
        ("His US tour ended in Rome.", ("US:LOC", "Rome:LOC")),  # "ended in US"
        ("Many Beatles songs name Elvis.", ("Beatles", "Elvis")),
        ("Spurs are near Arsenal.", ("Spurs:ORG", "Arsenal:ORG")),  # "Arsenal are"
        # Glosses, and mentions of one thing.
        ("NBC (National Broadcasting) left Fox.", ("NBC:ORG", "National Broadcasting:ORG")),
        ("The National Company (NC) met Fox.", ("National Company:ORG", "Fox:ORG")),
        ("William (Bill) met Carl.", ("William", "Bill", "Carl")),
        ("He saw Rocky (1976) and Dumbo.", ("Rocky:ORG", "Dumbo:ORG")),
        ("General Electric sold GE.", ("General Electric:ORG", "GE:ORG")),
        ("Boris beat Anna's Boris Rangers.", ("Boris", "Anna")),
        ("Barba lets Barba see Carisi.", ("Barba", "Carisi")),
        ("Anna let Boris go, and Anna left.", ("Boris", "Anna")),  # one Anna overlooked
        ("Gerald Ford met Anna before Ford left.", ("Gerald Ford", "Anna", "Ford")),
        ("Anna met Anna Karenina.", ("Anna", "Anna Karenina")),
        # Places within places, and lists that share a word.
        ("Queens is a borough of Albany.", ("Queens:LOC", "Albany:LOC")),
        ("Oslo, also in Norway, is big.", ("Oslo:LOC", "Norway:LOC")),
        ("Peru's capital is Lima.", ("Peru:LOC", "Lima:LOC")),
        ("It names Austin, Texas, and Rome.", ("Austin:LOC", "Texas:LOC", "Rome:LOC")),
        ("He saw North and South America.", ("North:LOC", "South America:LOC")),
        ("He saw Ouray and San Miguel Counties.", ("Ouray:LOC", "San Miguel Counties:LOC")),
        # Places of different kinds.
        ("He swam from Oslo to Lake Erie.", ("Oslo:LOC", "Lake Erie:LOC")),
        ("He flew from Paraguay to Africa.", ("Paraguay:LOC", "Africa:LOC")),
        ("He drove from Oslo to I-35.", ("Oslo:LOC", "I-35:LOC")),
    ],
)
def test_what_is_not_safe_stays(text: str, names: tuple[str, ...]) -> None:
    assert follow_ups(text, *names) == []


@pytest.mark.parametrize(
    "label",
    [
        *(
            "DATE",
            "MISC",
            "NORP",
            "PRODUCT",
            "EVENT",
            "WORK_OF_ART",
            "LAW",
            "CARDINAL",
        ),  # OntoNotes
        *("COMMERCIAL_ITEM", "OTHER", "TITLE", "QUANTITY"),  # Amazon Comprehend
        *(
            "PersonType",
            "DateTime",
            "Skill",
            "PhoneNumber",
            "Email",
            "URL",
            "IP",
            "Address",
        ),  # Azure
        *("Event", "Product", "Quantity", "misc", "Misc", "date"),
    ],
)
def test_labels_that_hold_things_of_many_kinds_stay(label: str) -> None:
    assert follow_ups("Anna met Boris.", "Anna", "Boris") == ["Boris met Anna."]
    assert follow_ups("Anna met Boris.", f"Anna:{label}", f"Boris:{label}") == []


@pytest.mark.parametrize(
    "label", ["PERSON", "Person", "per", "LOCATION", "Location", "GPE", "ORGANIZATION", "ORG"]
)
def test_labels_of_one_kind_change_places(label: str) -> None:
    moved = follow_ups("They are Anna and Boris.", f"Anna:{label}", f"Boris:{label}")
    assert moved == ["They are Boris and Anna."]


def test_a_name_that_stays_does_not_keep_the_others() -> None:
    text = "Mrs. Smith met Anna and Boris."
    assert follow_ups(text, "Smith", "Anna", "Boris") == ["Mrs. Smith met Boris and Anna."]


def listing(count: int) -> tuple[str, list[str]]:
    names = [f"{chr(65 + number)}na" for number in range(count)]
    return f"They are {', '.join(names[:-1])} and {names[-1]}.", names


@pytest.mark.parametrize(("count", "expected"), [(2, 1), (3, 2), (4, 2), (9, 2)])
def test_two_orders_at_most(count: int, expected: int) -> None:
    text, names = listing(count)
    built = follow_ups(text, *names)
    assert len(built) == len(set(built)) == expected
    assert text not in built


NAMES = ("Anna", "Boris Lee", "Carl", "NATO", "Oslo", "Lake Erie", "Texas", "the Rhine", "Anna Lee")
GAPS = (" and ", ", ", " met ", " in ", "'s friend ", " of ", " (", ") ", ". ", " the ", " – ", "")


@st.composite
def sentences(draw: st.DrawFn) -> tuple[str, dict[str, list]]:
    """Draw names in any surroundings, each with a label that its words alone decide."""
    text, found = draw(st.sampled_from(("", "The ", "Yesterday, ", "(", "Mr. "))), []
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=8)):
        found.append([len(text), len(text) + len(name), label_of(name)])
        text += name + draw(st.sampled_from(GAPS))
    return text + ".", {"entities": found}


def label_of(name: str) -> str:
    return "PER" if name.split()[0] in ("Anna", "Boris", "Carl") else "LOC"


@given(sentences(), st.randoms(use_true_random=False))
def test_follow_ups_are_rearrangements_that_an_oracle_answers_alike(
    sentence: tuple[str, dict[str, list]], rng: Random
) -> None:
    text, before = sentence
    built = shuffle({"text": text}, before, rng)
    texts = [item.input["text"] for item in built]
    assert len(set(texts)) == len(texts)
    assert text not in texts
    for item in built:
        after = item.input["text"]
        assert Counter(after) == Counter(text)
        for block in item.alignment:
            source = text[block.source : block.source + block.length]
            assert source == after[block.follow_up : block.follow_up + block.length]
        for side in ("source", "follow_up"):
            spans = sorted((getattr(block, side), block.length) for block in item.alignment)
            ends = [0, *(start + length for start, length in spans)]
            assert [start for start, _ in spans] == ends[:-1]
            assert ends[-1] == len(text)
        oracle = {"entities": oracle_entities(text, before, after)}
        case = ExecutedGroup({"text": text}, item.input, before, oracle, item.alignment)
        assert RELATION.holds(case).verdict is Verdict.SATISFIED


def oracle_entities(text: str, before: dict[str, list], after: str) -> list[list]:
    """Label ``after`` by the names' words alone; the text between them is the source's."""
    gaps, at = [], 0
    for start, end, _ in before["entities"]:
        start += 4 * text.startswith("the ", start)  # the article stays
        gaps.append(text[at:start])
        at = end
    gaps.append(text[at:])
    names = sorted({name.removeprefix("the ") for name in NAMES}, key=len, reverse=True)
    pattern = f"({'|'.join(names)})".join(map(re.escape, gaps))
    match = re.fullmatch(pattern, after)
    assert match is not None
    return [
        [*match.span(group), label_of(match.group(group))]
        for group in range(1, len(before["entities"]) + 1)
    ]


@given(sentences(), st.integers())
def test_one_seed_gives_one_result(sentence: tuple[str, dict[str, list]], seed: int) -> None:
    text, before = sentence
    first, second = (shuffle({"text": text}, before, Random(seed)) for _ in range(2))
    assert first == second


@given(st.text(max_size=60), st.data())
def test_any_text_and_any_spans_are_borne(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = [[start, end, "X"] for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    for item in shuffle({"text": text}, {"entities": spans}, Random(1)):
        assert Counter(item.input["text"]) == Counter(text)


def test_one_seed_draws_one_sample() -> None:
    text, names = listing(7)
    assert follow_ups(text, *names) == follow_ups(text, *names)
