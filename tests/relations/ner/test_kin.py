"""Names that fit each other's places, and those that readers refused."""

from __future__ import annotations

import re
from random import Random

import pytest

from mt_gate.relations.ner.entity_shuffle import shuffle

NAMED = re.compile(r"\[(\w+) ([^\]]+)\]")


def read(marked: str) -> tuple[str, list[list]]:
    """Return a text whose names are marked as ``[PER Anna]``, and its entities."""
    text, found = "", []
    for plain, label, name in re.findall(r"([^\[]*)(?:\[(\w+) ([^\]]+)\])?", marked):
        text += plain
        if name:
            found.append([len(text), len(text) + len(name), label])
            text += name
    return text, found


def moved(marked: str) -> set[str]:
    """Return the names that leave their place in a follow-up of any of forty seeds."""
    text, found = read(marked)
    starts = {start: text[start:end] for start, end, _ in found}
    names: set[str] = set()
    for seed in range(40):
        for item in shuffle({"text": text}, {"entities": found}, Random(seed)):
            after = {
                start: block.follow_up + start - block.source
                for block in item.alignment
                for start in starts
                if block.source <= start < block.source + block.length
            }
            order = sorted(starts, key=after.__getitem__)
            names |= {
                starts[old] for old, new in zip(sorted(starts), order, strict=True) if old != new
            }
    return names


@pytest.mark.parametrize(
    "marked",
    [
        "It stars [PER Jane Roe], [PER Ann Poe] and [PER Bo Lee].",
        "It was directed by [PER Jane Roe] and written by [PER Ann Poe].",
        "[PER Anna] tells [PER Boris] the truth.",
        "It was made in [LOC Norway] before it was sold in [LOC Peru].",
        "They live in [LOC Oslo] and [LOC Rome].",
        "She moved from [LOC Oslo] to [LOC Rome].",
        "It runs through [LOC Bree] and [LOC Esgaroth].",
        "It was made by [ORG Acme] and [ORG Zeta].",
        "It was made by [ORG Acme Studios] and sold by [ORG Zeta Pictures].",
    ],
)
def test_names_of_one_kind_change_places(marked: str) -> None:
    assert moved(marked) == {text for _, text in NAMED.findall(marked)}


@pytest.mark.parametrize(
    "marked",
    [
        # Half a name: a capital or another name stands beside it.
        "Regulars [PER Will] [PER Ferrell] and [PER Kattan] star.",
        "Regulars Will [PER Ferrell] and [PER Kattan] star.",
        "It is by [PER Hal] and [PER Jim McElroy], and by [PER Hal Roe].",
        "[LOC Trinidad] and [LOC Tobago] is far away.",
        "[ORG Acme-branded] and [ORG Zeta] cards are issued.",
        # One name in two spellings.
        "[LOC Saigon] is near [LOC Sài Gòn].",
        # Full names and single words; parts that are played; what is no person.
        "It was written by [PER Gene Luen Yang] and drawn by [PER Gurihiru].",
        "It stars [PER Jane Roe] as [PER Ann Poe].",
        "It stars [PER Jane Roe] as protagonist [PER Ann Poe].",
        "They are worn by [PER Dorothy Gale] as played by [PER Judy Garland].",
        "[PER Jane Roe] auditioned for the part of [PER Ann Poe].",
        "[PER Jabba] rules on [PER Tatooine].",
        "It stars [PER Sean Fox] from [PER Henry Danger].",
        "[PER Brown] made the time-travelling [PER DeLorean].",
        "[PER InGen] pays [PER Hammond].",
        "[PER Cottontail] is a name used by [PER Peter].",
        "They were renamed [PER Dick] to avoid [PER Tom].",
        "[PER Tom] and [PER Jerry], the famous cartoon, are loved.",
        # Sex, and harm.
        "[PER Anna] gave birth to [PER Boris].",
        "[PER Daniel]'s wife met [PER Lara].",
        "The first woman was [PER Oveta], by [PER Dwight].",
        "[PER Moss] drove and [PER Levegh] crashed.",
        "The tenor [PER Jane Roe] met the alto [PER Bo Lee].",
        "The British writer [PER Jane Roe] worked with [PER Bo Lee].",
        # Places of other ranks.
        "[LOC Athens] took all of [LOC Greece] by force.",
        "[LOC Athens] took all of [LOC Greece] except for [LOC Sparta].",
        "They filmed in [LOC British Columbia] and near [LOC Steveston].",
        "[LOC Iraqi] towns and [LOC Mosul] saw clashes.",
        "Clashes in [LOC Iraqi] and [LOC Mosul] went on.",
        "It lies in southwestern [LOC Angola], not in [LOC Peru].",
        "[LOC Islamabad] accuses them of using the road to [LOC Kandahar].",
        "In [LOC Sudan], where the regime rules, nobody knows [LOC Israel].",
        "Japanese inmates returned to [LOC Japan] from [LOC Australia].",
        "Southward to [LOC Florida] and west along the coast to [LOC Texas].",
        "[LOC Boston] streets are unlike those in [LOC Rome].",
        "The cities of Canada include [LOC Toronto], unlike [LOC Chicago].",
        # Kinds of organisations.
        "It premiered on [ORG TVOKids] and was made for [ORG Odd Squad].",
        "It was produced by [ORG ABC Studios], with [ORG Pokaski] as its head.",
        "It was published by [ORG Microsoft Studios] for [ORG Xbox One].",
        "Carrier [ORG TAM Airlines] joined [ORG Star Alliance].",
        "[ORG Acme Studios] executives met [ORG Zeta Pictures].",
        # Articles that the source lacks.
        "It grows in [LOC Peru], [LOC Middle East] and [LOC India].",
        "It was released in [LOC United Kingdom] and in [LOC Peru] and in [LOC India].",
    ],
)
def test_what_readers_refused_is_not_made(marked: str) -> None:
    assert moved(marked) == set()


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        (  # such as, in particular: each list is closed
            "Large Canadian cities like [LOC Toronto] or [LOC Vancouver] are like US cities, in"
            " particular [LOC Philadelphia] and [LOC Chicago].",
            {"Toronto", "Vancouver", "Philadelphia", "Chicago"},
        ),
        (
            "Iraqi cities such as [LOC Fallujah] and [LOC Ramadi] were on the route from"
            " [LOC Amman] to [LOC Baghdad].",
            {"Fallujah", "Ramadi"},
        ),
        (
            "[LOC Quebec] borders four states of the [LOC United States]: [LOC New York],"
            " [LOC New Hampshire], [LOC Maine] and [LOC Vermont].",
            {"Maine", "New Hampshire", "Vermont"},
        ),
        (
            "The [LOC United States] purchased [LOC St. John], [LOC St. Thomas], and"
            " [LOC St. Croix] from [LOC Denmark].",
            {"St. John", "St. Thomas", "St. Croix"},
        ),
        (
            "It is directed by [PER Hiroshi Kōjina], produced by [PER Madhouse], with scripts by"
            " [PER Jun Maekawa].",
            {"Hiroshi Kōjina", "Jun Maekawa"},
        ),
        (
            "The series is produced by [ORG ABC Studios], [ORG Marvel Television], and"
            " [ORG Rocks Productions], with [ORG Pokaski] serving as showrunner.",
            {"ABC Studios", "Marvel Television", "Rocks Productions"},
        ),
        (
            "It was produced by [PER Hal] and [PER Jim McElroy], directed by [PER Peter Weir], and"
            " starred [PER Vivean Gray].",
            {"Peter Weir", "Vivean Gray"},
        ),
    ],
)
def test_names_of_a_list_stay_in_it(marked: str, expected: set[str]) -> None:
    assert moved(marked) == expected


def test_what_is_said_of_cities_of_one_country_stays_with_its_cities() -> None:
    canadian = "In Canada, they went from [LOC Toronto] to [LOC Montreal] and then to [LOC Oslo]."
    assert moved(canadian) == {"Toronto", "Montreal"}
