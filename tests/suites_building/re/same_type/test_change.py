"""Other names of their type for head and tail, and the pools that they come from."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from mt_gate.domain import Entity
from mt_gate.tasks.relation_extraction import Argument, fault, pair
from mt_gate_suites.re.same_type.change import changes
from mt_gate_suites.re.same_type.name_forms import form
from mt_gate_suites.re.same_type.pools import FREQUENT, RARE, Pools
from mt_gate_suites.re.sample import EditedSample, Sample

_FREQUENT = {
    "PERSON": "John Miller|Peter Weaver|David Archer|Anna Cooper|Mary Potter|Ruth Carver|Archer|"
    "Cooper|Weaver|Tom|Jack|Bob|Linda|Susan|Jane",
    "NATIONALITY": "American|British|Canadian",
    "COUNTRY": "China|India|Canada|United States|United Kingdom|Netherlands|Philippines",
    "CITY": "Marseille|Lille|Nantes|Leeds",
    "STATE_OR_PROVINCE": "Texas|Ohio|Florida",
    "RELIGION": "Muslim|Buddhist|Hindu",
    "DATE": "1986|1987|1988|1860|1861|March 1986|May 1987|June 1988",
    "ORGANIZATION": "Boston University|Duke University|Drew University|University of Chicago|"
    "University of Houston|University of Oregon|Google|Intel|Sony",
    "LANGUAGE": "French|German|Hindi",
    "TITLE": "painter|sculptor|engraver",
    "NUMBER": "40|41|42",
    "WORK_OF_ART": "The Long Road|My Last Summer|Under the Moon",
    "LOCATION": "Hudson River|Ohio River|Niger River",
}
_RARE = {
    "PERSON": "Karl Bergner|Igor Pavlov|Luigi Rossini|Helga Borg|Greta Lindqvist|Greta Olsen",
    "NATIONALITY": "Zambian|Latvian|Maltese",
    "COUNTRY": "Zambia|Latvia|Malta|Maldives|Bahamas|Gambia",
    "RELIGION": "Quaker|Sikh|Mormon",
}


def _names() -> list[tuple[str, str]]:
    rows = [(kind, name) for kind, names in _RARE.items() for name in names.split("|")]
    return 2 * rows + 10 * [
        (kind, x) for kind, names in _FREQUENT.items() for x in names.split("|")
    ]


_MEN = "John Miller|Peter Weaver|David Archer"
_WOMEN = "Anna Cooper|Mary Potter|Ruth Carver"
POOLS = Pools.counted(_names())


def _sample(nlp: Language, marked: str, *others: tuple[str, str]) -> Sample:
    """Read ``[words|TYPE]`` twice, the head first; ``others`` are further typed mentions."""
    text, spans = "", []
    for piece in marked.replace("]", "[").split("["):
        words, _, kind = piece.partition("|")
        if kind:
            spans.append(Argument(len(text), len(text) + len(words), kind))
        text += words
    more = [Entity(text.index(w), text.index(w) + len(w), kind) for w, kind in others]
    entities = tuple(sorted([*(Entity(*span) for span in spans), *more]))
    return Sample("s-1", text, spans[0], spans[1], entities, nlp(text))


def _made(nlp: Language, marked: str, *others: tuple[str, str]) -> dict[str, EditedSample]:
    """Return follow-ups by what changed: ``head frequent``, ``tail rare``..."""
    sample = _sample(nlp, marked, *others)
    found = {}
    for change in changes(sample, POOLS):
        kept = change.text[change.tail.start : change.tail.end] == sample.words(sample.tail)
        found[f"{'head' if kept else 'tail'} {change.stratum}"] = change
    return found


def _words(change: EditedSample, name: str) -> str:
    start, end, _ = getattr(change, name)
    return change.text[start:end]


def test_french_filmmaker(nlp: Language) -> None:
    made = _made(nlp, "[French|NATIONALITY] filmmaker [Claude|PERSON] dies at 80.")
    change = made["head frequent"]
    assert _words(change, "head") in ("American", "British", "Canadian")
    assert change.text == f"{_words(change, 'head')} filmmaker Claude dies at 80."
    assert change.head.type == "NATIONALITY"
    assert _words(made["head rare"], "head") in ("Zambian", "Latvian", "Maltese")


def test_catholic_to_muslim(nlp: Language) -> None:
    made = _made(
        nlp,
        "[Alessi|PERSON] said that she was [Catholic|RELIGION] but that she had long ago lost her "
        "illusions.",
    )
    assert _words(made["tail frequent"], "tail") in ("Muslim", "Buddhist", "Hindu")
    assert _words(made["tail rare"], "tail") in ("Quaker", "Sikh", "Mormon")


@pytest.mark.parametrize(
    ("marked", "name", "fillers"),
    [
        ("[Paul Baker|PERSON] lives in [Lyon|CITY].", "head", _MEN),
        ("[Alice Baker|PERSON] lives in [Lyon|CITY].", "head", _WOMEN),
        ("Alice Baker lives in [Lyon|CITY] with [Max|PERSON].", "head", "Marseille|Lille|Nantes"),
        ("The [Netherlands|COUNTRY] elected [Max|PERSON].", "head", "United States|United Kingdom|"
         "Philippines"),
        ("[Max|PERSON] moved to [Spain|COUNTRY] with her.", "tail", "China|India|Canada"),
        ("[Max|PERSON] moved to [Nevada|STATE_OR_PROVINCE].", "tail", "Texas|Ohio|Florida"),
        ("[Yale University|ORGANIZATION] hired [Max|PERSON].", "head", "Boston University|"
         "Duke University|Drew University"),
        ("[Max|PERSON] left the [University of Rome|ORGANIZATION].", "tail",
         "University of Chicago|University of Houston|University of Oregon"),
        ("[Max|PERSON] joined the club in [1985|DATE].", "tail", "1986|1987|1988"),
        ("[Max|PERSON] joined the club in [April 1985|DATE].", "tail",
         "March 1986|May 1987|June 1988"),
        ('[Max|PERSON] wrote "[Old Dark House|WORK_OF_ART]".', "tail", "The Long Road|"
         "My Last Summer|Under the Moon"),
        ("[Max Weber|PERSON], [46|NUMBER], works in the lab.", "tail", "40|41|42"),
    ],
)  # fmt: skip
def test_a_name_of_its_form(nlp: Language, marked: str, name: str, fillers: str) -> None:
    change = _made(nlp, marked)[f"{name} frequent"]
    assert _words(change, name) in fillers.split("|")


def test_the_article_is_mended(nlp: Language) -> None:
    made = _made(nlp, "[Max Weber|PERSON] was an [Italian|NATIONALITY] painter.")
    assert made["tail rare"].text.startswith("Max Weber was a ")


def test_other_mentions_follow(nlp: Language) -> None:
    made = _made(
        nlp,
        "[Paul Baker|PERSON] left [Google|ORGANIZATION] in May, and Baker's shares were sold.",
    )
    change = made["head frequent"]
    surname = _words(change, "head").split()[-1]
    assert f"and {surname}'s shares" in change.text
    assert "Baker" not in change.text


def test_a_surname_stands_for_a_surname(nlp: Language) -> None:
    made = _made(nlp, "Later Mr. [Archer|PERSON] visited [Lyon|CITY] with her.")
    assert _words(made["head frequent"], "head") in ("Cooper", "Weaver")


def test_gender_of_pronouns_is_kept(nlp: Language) -> None:
    made = _made(nlp, "[Zuzu Baker|PERSON] (born 3 May 1950) left [Oslo|CITY] when she was ill.")
    assert _words(made["head frequent"], "head") in ("Anna Cooper", "Mary Potter", "Ruth Carver")


@pytest.mark.parametrize(
    ("marked", "name"),
    [
        ("[Max|PERSON] was born in [Lyon|CITY], France.", "tail"),
        ("[Max|PERSON] was born in [Paris|CITY] Texas.", "tail"),
        ("[Max|PERSON] says the capital of France is [Paris|CITY].", "tail"),
        ("[Max|PERSON] was born in Lyon, [France|COUNTRY].", "tail"),
        ("The French singer [Max|PERSON] left [France|COUNTRY].", "tail"),
        ("[Max|PERSON] was king of [France|COUNTRY].", "tail"),
        ("[Max|PERSON] of the Bank of [France|COUNTRY] spoke.", "tail"),
        ("[Max|PERSON] speaks the [French|NATIONALITY] language.", "tail"),
        ("[Max|PERSON] saw the [French|NATIONALITY] Revolution.", "tail"),
        ("[Max|PERSON] is an [English|NATIONALITY] teacher.", "tail"),
        ("[Max|PERSON] met some [Americans|NATIONALITY].", "tail"),
        ("[Max|PERSON] is a [French|NATIONALITY] singer who left France.", "tail"),
        ("[Lynne Spears|PERSON] called [Jamie Lynn Spears|PERSON].", "head"),
        ("[Raj Kapoor|PERSON] and Rishi Kapoor left [Lyon|CITY].", "head"),
        ("[Zuzu Baker|PERSON] and her wife left [Lyon|CITY].", "head"),
        ("The [Dylan Thomas|PERSON] Theatre is in [Lyon|CITY].", "head"),
        ("[Elizabeth|PERSON] of York left [Lyon|CITY].", "head"),
        ("[John Baker|PERSON], 2nd Duke of Hull, left [Lyon|CITY].", "head"),
        ("[Paul Baker|PERSON] gave the Baker Medal to [Max|PERSON].", "head"),
        ("Baker Hall is named after [Paul Baker|PERSON] of [Lyon|CITY].", "head"),
        ("[Yale University|ORGANIZATION] (YU) hired [Max|PERSON].", "head"),
        ("[Marvel Company|ORGANIZATION] formed [Marvel UK|ORGANIZATION].", "head"),
        ("The [Academy|ORGANIZATION] hired [Max|PERSON].", "head"),
        ("[Max|PERSON] bought an [Intel|ORGANIZATION] processor.", "tail"),
        ("[Max|PERSON] wrote this (in [Latin|LANGUAGE], hic).", "tail"),
        ("[Max|PERSON] heads the Board of Cricket in [India|COUNTRY].", "tail"),
        ("[Max|PERSON] is from [Spain|COUNTRY] which is part of Europe.", "tail"),
        ("[Max|PERSON] sang of Roman and [Celtic|ORGANIZATION] myths.", "tail"),
        # What kind of work it is, the sentence says.
        ('[Max|PERSON] wrote the song "[Old Dark House|WORK_OF_ART]".', "tail"),
        ('"[Old Dark House|WORK_OF_ART]" is a song by [Max|PERSON].', "head"),
        ('"[Old Dark House|WORK_OF_ART]" (1974), the third album of [Max|PERSON], sold.', "head"),
        # Another spelling of the name.
        ("[Carlo Baucardé|PERSON] or Boucardé was an [Italian|NATIONALITY] tenor.", "head"),
        ('[Max|PERSON] ("[In the Dark|WORK_OF_ART]") left.', "tail"),
        ("[Max|PERSON] met the duo [Paul Baker|PERSON] in May.", "tail"),
        ("[Max|PERSON] spoke at [John Baker|PERSON] square.", "tail"),
        ("[Max|PERSON] is an [Australian|NATIONALITY] rules footballer.", "tail"),
        ("[Max|PERSON] is an [American|NATIONALITY] football player.", "tail"),
        ("[Max|PERSON] ruled over [Asia|LOCATION] for years.", "tail"),
        ("[Max|PERSON] lives in [Lyon|CITY] in what was Gaul.", "tail"),
        ("[John McCain Lieberman|PERSON] left [Lyon|CITY].", "head"),
        ("[Max|PERSON] fought from [1985|DATE] to 1989.", "tail"),
        ("[Max|PERSON] (born 1950) joined in [1985|DATE].", "tail"),
        ("[Max|PERSON] saw the [1985|DATE] Asian Games.", "tail"),
        ("[Max|PERSON] fought the Gulf War in [1985|DATE].", "tail"),
        ("[Max|PERSON] has [three|NUMBER] sons.", "tail"),
        ("[Max|PERSON] saw [46|NUMBER] birds.", "tail"),
        ("[Max|PERSON] is a [Catholic|RELIGION] bishop.", "tail"),
        ("[Max|PERSON] joined the [Catholic|RELIGION] Church.", "tail"),
        ("[Max|PERSON] read [Old Dark House|WORK_OF_ART] by Poe.", "tail"),
    ],
)
def test_left_alone(nlp: Language, marked: str, name: str) -> None:
    assert not [key for key in _made(nlp, marked) if key.startswith(name)]


def test_nothing_without_types_or_pools(nlp: Language) -> None:
    sample = _sample(nlp, "[French|NATIONALITY] filmmaker [Claude|PERSON] dies at 80.")
    untyped = sample._replace(
        head=sample.head._replace(type=""), tail=sample.tail._replace(type="")
    )
    assert changes(untyped, POOLS) == []
    assert changes(sample, Pools.counted([])) == []


@pytest.mark.parametrize(
    ("kind", "words", "expected"),
    [
        ("PERSON", "George W. Bush", "full name: man"),
        ("PERSON", "Burgundy Plaza", ""),
        ("PERSON", "in Singapore", ""),
        ("PERSON", "Agent 47", ""),
        ("PERSON", "Paris Texas", ""),
        ("ORGANIZATION", "Air Canada Lufthansa Scandinavian Airlines", ""),
        ("ORGANIZATION", "State University", ""),
        ("ORGANIZATION", "New York Yankees", "class: mlb"),
        ("DATE", "4921", ""),
        ("DATE", "17 August 1995", "day month year"),
        ("NUMBER", "three", ""),
        ("NATIONALITY", "clinicians", ""),
        ("CITY", "Reading", ""),
        ("COUNTRY", "Georgia", ""),
        ("WORK_OF_ART", "Pulitzer Prizes", ""),
        ("MONEY", "$ 5", ""),
    ],
)
def test_forms(kind: str, words: str, expected: str) -> None:
    assert form(kind, words) == expected


def test_strata_by_count() -> None:
    names = [("COUNTRY", name) for name in ("China", "India", "Canada") for _ in range(40)]
    names += [("COUNTRY", name) for name in ("Spain", "Chile", "Peru") for _ in range(10)]
    names += 2 * [("COUNTRY", name) for name in ("Malta", "Nepal", "Fiji", "Gondor")]
    names += [("COUNTRY", "Kenya")]
    pools = Pools.counted(names)
    assert pools.names["country", FREQUENT] == ("Canada", "China", "India")
    assert pools.names["country", RARE] == ("Fiji", "Malta", "Nepal")


def test_a_stratum_of_few_names_is_empty() -> None:
    assert not Pools.counted([("COUNTRY", "Fiji"), ("COUNTRY", "Malta")]).names


def test_a_surname_needs_a_full_name() -> None:
    alone = [("PERSON", name) for name in ("Tucana", "Conficker", "Kilauea")]
    assert not Pools.counted(alone).names
    full = [("PERSON", f"John {name}") for _, name in alone]
    assert Pools.counted(2 * (alone + full)).names["surname", RARE] == (
        "Conficker",
        "Kilauea",
        "Tucana",
    )


def test_names_run_together_are_in_no_pool() -> None:
    names = ["Lucy Durack Rachelle", "Steve Miller Advertising", "Ann Baker Potter"]
    assert not Pools.counted([("PERSON", name) for name in names]).names


@pytest.mark.slow
def test_another_process_chooses_the_same() -> None:
    code = "import test_change as t; print(list(t.POOLS.candidates('country', 'frequent', 'x')))"
    seen = set()
    for seed in ("1", "2"):
        paths = os.pathsep.join([os.path.dirname(__file__), *sys.path])
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        )
        seen.add(run.stdout)
    assert seen == {f"{list(POOLS.candidates('country', 'frequent', 'x'))}\n"}


_TEMPLATES = (
    "[{0}|PERSON] moved from [{1}|COUNTRY] to {2} in {3}.",
    "A [{4}|NATIONALITY] painter met [{0}|PERSON] in {3}, and {0} left.",
    "[{0}|PERSON] moved to the [United States|COUNTRY] in {3}.",
    "[{0}|PERSON] joined Google in [{3}|DATE].",
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    template=st.sampled_from(_TEMPLATES),
    person=st.sampled_from(["Paul Baker", "Alice Baker", "Tom", "Archer"]),
    country=st.sampled_from(["Spain", "Peru", "China"]),
    place=st.sampled_from(["Lima", "Oslo", "India"]),
    year=st.sampled_from(["1980", "1862", "2005"]),
    people=st.sampled_from(["Italian", "Latvian", "British"]),
)
def test_spans_and_alignment_hold(
    nlp: Language, template: str, person: str, country: str, place: str, year: str, people: str
) -> None:
    sample = _sample(nlp, template.format(person, country, place, year, people))
    found = changes(sample, POOLS)
    assert found == changes(sample, POOLS)
    for change in found:
        assert change.stratum in (FREQUENT, RARE)
        assert fault(pair(change.text, change.head, change.tail)) == ""
        assert (change.head.type, change.tail.type) == (sample.head.type, sample.tail.type)
        words = {_words(change, "head"), _words(change, "tail")}
        assert len(words & {sample.words(sample.head), sample.words(sample.tail)}) == 1
        for block in change.alignment:
            one = sample.text[block.source : block.source + block.length]
            assert one == change.text[block.follow_up : block.follow_up + block.length]


def test_what_lies_in_a_place_that_is_named_is_left_alone(nlp: Language) -> None:
    venues = [("FACILITY", f"{name} Stadium") for name in ("Wembley", "Luzhniki", "Azteca")]
    same = Pools.counted(4 * venues)
    fight = "[Max|PERSON] fought at [Ullevi Stadium|FACILITY]."
    assert changes(_sample(nlp, fight), same)
    assert not changes(_sample(nlp, f"In London, {fight}", ("London", "CITY")), same)
