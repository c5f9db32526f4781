"""Marks on whole names and nouns, whoever set them."""

from __future__ import annotations

import re

import pytest
from spacy.language import Language

from mt_gate.domain import Entity
from mt_gate_suites.re.entities.wholeness import is_whole_mark

_MARK = re.compile(r"\[([^]|]+)\|([A-Z_]*)\]")


def is_whole(nlp: Language, marked: str) -> bool:
    """Read ``[Anna|PERSON]``, first the mark that is asked about, then other mentions."""
    text, found, at = "", [], 0
    for match in _MARK.finditer(marked):
        text += marked[at : match.start()]
        found.append(Entity(len(text), len(text) + len(match[1]), match[2]))
        text, at = text + match[1], match.end()
    return is_whole_mark(nlp(text + marked[at:]), found[0], found)


@pytest.mark.parametrize(
    "marked",
    [
        "He spent ten years on [death|] row in Texas.",
        "A digital [door|] lock is sold here.",
        "She has seen panic [attacks|] before.",
        "He joined St. Andrew's [Methodist Church|ORGANIZATION] in May.",
        "They saw [Disney|ORGANIZATION]'s Hollywood Studios in May.",
        "The film was sold by 20th [Century Fox|ORGANIZATION] in May.",
        "He served with the Interim Force in [Lebanon|COUNTRY] in May.",
        "He served with the [Interim Force|ORGANIZATION] in Lebanon.",
        "She starred in Meet Me in [St. Louis|CITY] in May.",
        "She studied at the University of Nevada, [Las Vegas|CITY] in May.",
        "It was founded by [Joseph B.|PERSON] and Lyman G. Bloomingdale in May.",
        "The film was written by [Brian|PERSON] and Mark Gunn in May.",
        "The film [Jack Reacher|PERSON]: One Shot was sold in May.",
        "She lives in [Oslo.|CITY]",
        "The [basketball|] player lives in Oslo.",
        "An [American football|] defensive tackle lives here.",
        "Jack Bauer appeared in the [season 18|] episode of the show.",
        "She joined the tour of Lady [Gaga|PERSON] in 2012.",
        "The farm of [John Brantley|PERSON] III is in Georgia.",
        "The farm of [John Brantley|PERSON], III, is in Georgia.",
        "He met [Robert Downey|PERSON], Jr., in Boston.",
        "The firm was bought by [Cedar Fair|ORGANIZATION], L.P. in 2006.",
        "The firm was bought by [Apple|ORGANIZATION], Inc. in 2006.",
        "She teaches at [California State University|ORGANIZATION] Bakersfield in the summer.",
        "She teaches at the [University of California|ORGANIZATION], Berkeley in the summer.",
        "He works for the Ministry of [Forestry|ORGANIZATION] in Oslo.",
        "He works for the [Ministry|ORGANIZATION] of Forestry in Oslo.",
        "The Ministry of Fisheries and [Forestry|ORGANIZATION] was closed.",
        "Officials of Antigua and [Barbuda|] considered action.",
        "He was born on 10 [September 1895|DATE] in Oslo.",
        "He was born on [10 September|DATE] 1895 in Oslo.",
        "He was born on September 10, [1895|DATE] in Oslo.",
        "She competed in the [2012|DATE] Summer Olympics.",
        "She competed in the 2012 [Summer Olympics|EVENT].",
        "The [Marlow|] Regatta takes place near Eton.",
        "It crosses the Black [River Bridge|FACILITY] in town.",
        "The first song of [Bill Haley|PERSON] & His Comets sold well.",
        "The first song of [Bill Haley|PERSON] and the Comets sold well.",
        "The first song of [Bill Haley & His Comets|PERSON] sold well.",
        "The story of [Bonnie and Clyde|PERSON] is told here.",
        "She married [Richeza|PERSON] of Lotharingia in May.",
        "The [Guardian|ORGANIZATION] said so in May.",
        "He spoke of The [Hague|CITY] in May.",
        'He read "Snow in [Oslo|CITY]" in May.',
        "Film Stars Don't Die in [Liverpool|CITY] is a film.",
        "In [Texas|STATE_OR_PROVINCE] v. White, the court ruled.",
        "The FIFA Women's [World Cup|EVENT] is old.",
        "The Oslo-[Bergen|CITY] line is long.",
        "The [Polish|NATIONALITY] Resettlement Corps was closed.",
    ],
)  # fmt: skip
def test_half_of_a_name(nlp: Language, marked: str) -> None:
    assert not is_whole(nlp, marked)


@pytest.mark.parametrize(
    "marked",
    [
        "The prisoner sat in his [cell|] for years.",
        "We have thrown the [balls|] into the basket.",
        "She met Mr. [Brantley|PERSON] in Georgia.",
        "She met [John Brantley III|PERSON] in Georgia.",
        "In 2012 [Lady Gaga|PERSON] began the tour.",
        "She met President [Barack Obama|PERSON] in May.",
        "She met [President|TITLE] [Barack Obama|PERSON] in May.",
        "She met the French actor [Jean Reno|PERSON] in May.",
        "In [Paris|CITY], people sang.",
        "[Paris|CITY] and [London|CITY] are large.",
        "He works for the [Ministry of Forestry|ORGANIZATION] now.",
        "The mayor of [Oslo|CITY] resigned.",
        "He was born on [10 September 1895|DATE] in Oslo.",
        "The Leicester-born singer left [Leicester|CITY].",
        "A [Leicester|CITY]-based band left.",
        "The [French|NATIONALITY] filmmaker left.",
        'He read "[Snow in Oslo|WORK_OF_ART]" in May.',
        "[Anna Weber|PERSON]'s wife left.",
        "[Anna Weber|PERSON] (born 1950) left.",
        "Smith, [46|NUMBER], left the city.",
        "The firm was bought by [Apple Inc.|ORGANIZATION] in 2006.",
    ],
)
def test_a_whole_name_or_noun(nlp: Language, marked: str) -> None:
    assert is_whole(nlp, marked)
