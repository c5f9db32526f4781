"""Declaratives to questions: where it acts, and as many places where it must not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from spacy.language import Language

from mt_gate.domain import map_span
from mt_gate_suites.ner.structural import Refusal, Rewrite, to_question

ACTS = [
    ("Twitter was the obvious solution.", "Was Twitter the obvious solution?"),
    ("Belarus shares a border with Russia.", "Does Belarus share a border with Russia?"),
    ("Travellers have faced disruption.", "Have travellers faced disruption?"),
    ("Travellers have faced disruption in Paris.", "Have travellers faced disruption in Paris?"),
    ("He did not win the race.", "Did he not win the race?"),
    ("She isn't here in London.", "Isn't she here in London?"),
    ("She has a car in Boston.", "Does she have a car in Boston?"),
    ("He's won the Nobel Prize.", "Has he won the Nobel Prize?"),
    ("They'll go to Paris in May.", "Will they go to Paris in May?"),
    ("It's cold in Moscow.", "Is it cold in Moscow?"),
    ("She can't swim in Lake Geneva.", "Can't she swim in Lake Geneva?"),
    ("They won't play in Berlin.", "Won't they play in Berlin?"),
    ("I met Ann in Oslo.", "Did I meet Ann in Oslo?"),
    ("The United States joined the war in 1917.", "Did the United States join the war in 1917?"),
    ("The film stars Tom Hanks and Meg Ryan.", "Does the film star Tom Hanks and Meg Ryan?"),
    ("He also wrote War and Peace.", "Did he also write War and Peace?"),
    ("He had a house in Rome.", "Did he have a house in Rome?"),
    ("She put the letter in her bag in Madrid.", "Did she put the letter in her bag in Madrid?"),
    ("There is a university in Leuven.", "Is there a university in Leuven?"),
    ("There are two airports in London.", "Are there two airports in London?"),
    ("Ann and Boris live in Oslo.", "Do Ann and Boris live in Oslo?"),
    ("He wrote and directed the film in 1990.", "Did he write and direct the film in 1990?"),
    ("She moved to Canada and married a farmer.", "Did she move to Canada and marry a farmer?"),
    ("NASA launched the probe in 2004.", "Did NASA launch the probe in 2004?"),
    (
        "American soldiers landed in Normandy in 1944.",
        "Did American soldiers land in Normandy in 1944?",
    ),
    ("The company's headquarters are in Seattle.", "Are the company's headquarters in Seattle?"),
    ("Her brothers go to school in Leeds.", "Do her brothers go to school in Leeds?"),
    ("He goes to school in Leeds.", "Does he go to school in Leeds?"),
    ("They travelled to Kenya in 1999.", "Did they travel to Kenya in 1999?"),
    ("The season premiered on October 21, 2016.", "Did the season premiere on October 21, 2016?"),
    ("The council does its work in Geneva.", "Does the council do its work in Geneva?"),
    ("The law prohibits smoking in California.", "Does the law prohibit smoking in California?"),
    (
        "The bridge was designed and built by Dutch engineers.",
        "Was the bridge designed and built by Dutch engineers?",
    ),
    ("You can visit the museum in Cairo.", "Can you visit the museum in Cairo?"),
    ("We have seen the Alps from Zurich.", "Have we seen the Alps from Zurich?"),
    ("She would later become president of Chile.", "Would she later become president of Chile?"),
    ("Ann should be in Brussels by noon.", "Should Ann be in Brussels by noon?"),
    ("The Dutch built the fort in 1642.", "Did the Dutch build the fort in 1642?"),
    ("Mary has not seen Rome since 1990.", "Has Mary not seen Rome since 1990?"),
    ("Peter doesn't speak French.", "Doesn't Peter speak French?"),
    ("Germany didn't win the World Cup in 2018.", "Didn't Germany win the World Cup in 2018?"),
    ("We weren't in Paris.", "Weren't we in Paris?"),
    ("He couldn't find Ann in the crowd.", "Couldn't he find Ann in the crowd?"),
    ("He cannot vote in Texas.", "Can he not vote in Texas?"),
    ("They're in Canada.", "Are they in Canada?"),
    ("There's a bridge in Budapest.", "Is there a bridge in Budapest?"),
    ("She'd visited Japan in 2001.", "Had she visited Japan in 2001?"),
    ("She'd visit Japan every year.", "Would she visit Japan every year?"),
    ("He's in Tokyo.", "Is he in Tokyo?"),
    ("He's been to Tokyo.", "Has he been to Tokyo?"),
    ("They've lived in Dublin since 2003.", "Have they lived in Dublin since 2003?"),
    ("You're in Warsaw.", "Are you in Warsaw?"),
    ("It was released by Sony on May 4, 2001.", "Was it released by Sony on May 4, 2001?"),
    ("Filming began in Vancouver in June.", "Did filming begin in Vancouver in June?"),
    ("Critics praised the work of Ann Smith.", "Did critics praise the work of Ann Smith?"),
    ("Most Canadians speak English.", "Do most Canadians speak English?"),
    ("Two other officers were killed in Basra.", "Were two other officers killed in Basra?"),
    ("This river flows through Vienna.", "Does this river flow through Vienna?"),
    ("These islands belong to Denmark.", "Do these islands belong to Denmark?"),
    ("His wife died in Lisbon.", "Did his wife die in Lisbon?"),
    (
        "The show was cancelled because Fox lost money.",
        "Was the show cancelled because Fox lost money?",
    ),
    (
        "The city became the capital of Turkey in 1923.",
        "Did the city become the capital of Turkey in 1923?",
    ),
    (
        "The University of Oxford opened a museum in 1683.",
        "Did the University of Oxford open a museum in 1683?",
    ),
    (
        "A new bridge over the Danube has been built in Vienna.",
        "Has a new bridge over the Danube been built in Vienna?",
    ),
    ("Actress Emma Stone won the award in 2017.", "Did actress Emma Stone win the award in 2017?"),
    ("The hotel has to pay taxes in Spain.", "Does the hotel have to pay taxes in Spain?"),
    ("Bob Dylan and Joan Baez sang in Newport.", "Did Bob Dylan and Joan Baez sing in Newport?"),
    (
        "Lake Ontario is one of the five Great Lakes of North America.",
        "Is Lake Ontario one of the five Great Lakes of North America?",
    ),
    ("The river does not reach Hamburg.", "Does the river not reach Hamburg?"),
    ("The team had been playing in Chicago.", "Had the team been playing in Chicago?"),
    ("They are having dinner in Rome.", "Are they having dinner in Rome?"),
    (
        "The song was first recorded by Elvis Presley.",
        "Was the song first recorded by Elvis Presley?",
    ),
    ("He found the letter in Florence.", "Did he find the letter in Florence?"),
    ("She left Poland in 1939.", "Did she leave Poland in 1939?"),
]

REFUSES = [
    ("The Beatles played in Hamburg.", "first-word-case"),
    ("They put the letter in a box in Madrid.", "tense-unclear"),
    ("He was born in Vienna and raised in Prague.", "second-finite-verb"),
    ("Months after the war, he left Berlin.", "fronted"),
    ("The players who won in Rome were honoured.", "complex-subject"),
    ("He was never in Paris.", "negative-word"),
    ("Did he go to Paris?", "question"),
    ("Go to Paris by train.", "fragment"),
    ("What a lovely day in Paris!", "fragment"),
    ("A train to Paris from Brussels.", "fragment"),
    ('"I love Paris," said Mary.', "quotation"),
    ('He said, "I love Paris."', "final-mark"),
    ("Ann went to Rome and Bob went to Oslo.", "second-finite-verb"),
    ("He was elected in 1990 and served in Berlin.", "participle-or-past"),
    ("Here comes Ann from Paris.", "inverted"),
    ("Never had he seen Rome.", "negative-word"),
    ("That he won surprised Ann Smith.", "fronted"),
    ("What he wants is a house in Rome.", "clausal-subject"),
    ("He left Rome; she stayed in Paris.", "punctuation"),
    ("He won in Rome - a great day.", "bad-spacing"),
    ("The more he drank in Rome, the more he sang.", "correlative"),
    ("However, he left Rome in May.", "connective"),
    ("But he left Rome in May.", "conjunction-opening"),
    ("And Ann left for Rome.", "conjunction-opening"),
    ("In 1990, he moved to Paris.", "fronted"),
    ("When the war ended, he moved to Paris.", "fronted"),
    ("Nobody came to Rome.", "negative-word"),
    ("Few people live in Greenland.", "subject-opener"),
    ("No visa is required for Canada.", "subject-opener"),
    ("He may have won in Rome.", "modal"),
    ("It might rain in London.", "modal"),
    ("He probably is in Rome.", "stance"),
    ("He used to live in Rome.", "connective"),
    ("You had better leave Rome.", "connective"),
    ("Let's go to Rome together.", "fragment"),
    ("Thank you for coming to Rome.", "no-subject"),
    ("I love the food in Rome.", "first-person"),
    ("I hope you like Rome.", "first-person"),
    ("Long live the King of Spain.", "inverted"),
    ("God save the Queen of England.", "agreement"),
    ("he moved to paris in may.", "lower-case-start"),
    ("HE MOVED TO PARIS IN MAY.", "all-caps"),
    ("He moved to Paris in May", "no-final-stop"),
    ("He moved to Paris in May...", "bad-spacing"),
    ("He moved to Paris. He liked it there.", "several-sentences"),
    ("Check out www.example.com for Paris hotels.", "web-text"),
    ("@ann moved to Paris in May.", "web-text"),
    ("Ann, the mayor of Rome, left for Oslo.", "appositive"),
    ("The Flash is an American television series.", "first-word-case"),
    ("Friends is an American sitcom on NBC.", "rare-word"),
    ("Breaking Bad is a drama series on AMC.", "first-word-case"),
    ("They cut taxes in France.", "tense-unclear"),
    ("They let Ann win in Paris.", "tense-unclear"),
    ("The United States is to leave Paris in May.", "be-to"),
    ("The show are in Paris now.", "agreement"),
    ("He was directed by Ann and stars Bob Hope.", "noun-or-verb"),
    ("The man who shot Ann in Rome was Bob Hope.", "complex-subject"),
    ("He works at Acme Inc.", "final-mark"),
    ("He lives in the U.S.", "final-mark"),
    ("Although he was ill, he won in Rome.", "connective"),
    ("He won in Rome, although he was ill.", "connective"),
    ("He won the race in Rome, of course.", "connective"),
    ("It includes Oslo, Rome, Bonn.", "list-without-and"),
    ("Paris is Rome's greatest rival.", "runs-together"),
    ("The album (released by Sony in the spring of the year 1999) sold well.", "parenthesis"),
    ("1984 was a good year for Oslo.", "number-opening"),
    ("Ethanol is made in Brazil.", "first-word-case"),
    ("Oh, Ann lives in Paris.", "interjection"),
    ("It is ur best song in Paris.", "web-text"),
    ("The the band played in Oslo.", "doubled-word"),
    ("She moved to moved in definately Paris.", "rare-word"),
    ("Whoever wins goes to Rome.", "clausal-subject"),
    ("If only he were in Rome.", "fronted"),
    ("Everyone thinks he lives in Paris.", "second-finite-verb"),
    ("Bob, come to Paris with Ann.", "fragment"),
    ("Section 4 of the Act.", "fragment"),
]

DO_FORMS = frozenset({"Do", "Does", "Did"})
EXPANDED = frozenset({"Am", "Are", "Is", "Has", "Have", "Had", "Will", "Would"})


@pytest.mark.parametrize(("before", "after"), ACTS)
def test_makes_the_question(nlp: Language, before: str, after: str) -> None:
    result = to_question(nlp(before))
    assert isinstance(result, Rewrite), result
    assert result.text == after


@pytest.mark.parametrize(("text", "reason"), REFUSES)
def test_refuses_with_a_reason(nlp: Language, text: str, reason: str) -> None:
    assert to_question(nlp(text)) == Refusal(reason)


def _rewrite(nlp: Language, text: str) -> Rewrite:
    result = to_question(nlp(text))
    assert isinstance(result, Rewrite)
    return result


@pytest.mark.parametrize("before", [before for before, _ in ACTS])
def test_blocks_hold_the_same_text(nlp: Language, before: str) -> None:
    text, alignment, _ = _rewrite(nlp, before)
    for block in alignment:
        old = before[block.source : block.source + block.length]
        new = text[block.follow_up : block.follow_up + block.length]
        assert block.length > 0
        assert old.lower() == new.lower()
        assert old[1:] == new[1:]


@pytest.mark.parametrize("before", [before for before, _ in ACTS])
def test_blocks_are_sorted_and_disjoint(nlp: Language, before: str) -> None:
    alignment = _rewrite(nlp, before).alignment
    by_source = sorted((b.source, b.source + b.length) for b in alignment)
    by_follow_up = sorted((b.follow_up, b.follow_up + b.length) for b in alignment)
    assert list(alignment) == sorted(alignment)
    for spans in (by_source, by_follow_up):
        assert all(end <= start for (_, end), (start, _) in pairwise(spans))


@pytest.mark.parametrize("before", [before for before, _ in ACTS])
def test_only_verbs_and_the_final_mark_are_new(nlp: Language, before: str) -> None:
    doc = nlp(before)
    text, alignment, _ = _rewrite(nlp, before)
    covered = {i for b in alignment for i in range(b.follow_up, b.follow_up + b.length)}
    new = "".join(" " if i in covered else c for i, c in enumerate(text)).split()
    assert new.pop() == "?"
    lemmas = {token.lemma_ for token in doc} | {"premiere"}
    assert all(word in DO_FORMS | EXPANDED or word in lemmas for word in new)


def test_is_deterministic(nlp: Language) -> None:
    for before, _ in ACTS[:10]:
        doc = nlp(before)
        assert to_question(doc) == to_question(doc) == to_question(nlp(before))


def test_entities_map_through_the_alignment(nlp: Language) -> None:
    before = "Belarus shares a border with Russia."
    text, alignment, _ = _rewrite(nlp, before)
    for name in ("Belarus", "Russia"):
        at = before.index(name)
        span = map_span(alignment, at, at + len(name))
        assert span is not None
        assert text[slice(*span)] == name


def test_changed_verbs_are_not_aligned(nlp: Language) -> None:
    before = "Belarus shares a border with Russia."
    at = before.index("shares")
    assert map_span(_rewrite(nlp, before).alignment, at, at + len("shares")) is None


def test_moved_auxiliary_is_aligned(nlp: Language) -> None:
    before = "Travellers have faced disruption in Paris."
    at = before.index("have")
    assert map_span(_rewrite(nlp, before).alignment, at, at + 4) == (0, 4)
