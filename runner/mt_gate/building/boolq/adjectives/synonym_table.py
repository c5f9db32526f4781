"""Adjectives and words that say the same in the place that they stand in.

MR2-1 of the reading-comprehension paper (ESEC/FSE 2021), section 4.2. WordNet's
synonyms of any sense are not that ("milky way" -> "whitish way"), so the pairs
are written down: a predicate before certain words, or before certain nouns.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mt_gate.building.boolq.adjectives.antonym_table import WORKS
from mt_gate.building.boolq.adjectives.slots import ANY, Entry, words

_STORIES = words("story tale account")
_HAPPENED = words("event incident")
_PLACES = words(
    "place town city village island country county state street house hotel restaurant bar pub "
    "school college university hospital prison castle store building company"
)
_PEOPLE = words(
    "person family band character judge lawyer doctor chef cop realtor gymnast king queen actor"
)
_SIZED = words(
    "animal zoo ship flower swamp city state country park mall bird bridge estate stadium building "
    "square tree fish whale shark lake island mountain dog cat house room planet moon star river "
    "airport church mosque dam desert ocean continent company bank university school town county "
    "mammal reptile snake spider plant cave canyon waterfall museum library hotel casino market "
    "economy plane airplane aircraft diamond organ bone muscle world province hole box car truck "
    "organism library land"
)
_CLOTHES = words("hat pants jeans shoes clothes clothing bra underwear collar belt")
_DEADLY = words("disease snake spider weapon poison dose virus storm animal")
_BONES = words("bone rib toe nose leg arm ankle wrist finger hip foot jaw")
_FOODS = words("egg meat fish chicken potato rhubarb onion pork beef bacon shrimp salmon stalk")

_LAW = words("? to in for if on at under without across by while")
_TO = words("to for")

_PAIRS: tuple[tuple[str, Entry], ...] = (
    ("legal", Entry("lawful", _LAW, words("marriage"), unless=words("age"))),
    ("illegal", Entry("unlawful", _LAW, words("act activity"))),
    ("lawful", Entry("legal", _LAW)),
    ("unlawful", Entry("illegal", _LAW)),
    ("true", Entry("correct", words("that"), unless=words("false"))),
    ("true", Entry("real", nouns=_STORIES | _HAPPENED)),
    ("true", Entry("genuine", nouns=words("friend love"))),
    ("false", Entry("untrue", words("that"))),
    ("real", Entry("true", nouns=_STORIES)),
    ("real", Entry("actual", nouns=_PLACES | _PEOPLE | _HAPPENED)),
    ("actual", Entry("real", nouns=_PLACES | _PEOPLE | _HAPPENED)),
    ("fictional", Entry("fictitious", nouns=_PLACES | _PEOPLE)),
    ("fictitious", Entry("fictional", nouns=_PLACES | _PEOPLE)),
    ("alive", Entry("living", words("?"))),
    ("dead", Entry("deceased", words("?"), unless=words("ball battery phone walking sea"))),
    ("deceased", Entry("dead", words("?"))),
    ("last", Entry("final", nouns=WORKS - words("song single"))),
    ("final", Entry("last", nouns=WORKS - words("song single part"))),
    ("largest", Entry("biggest", words("? in on"), _SIZED)),
    ("biggest", Entry("largest", words("? in on"), _SIZED)),
    ("larger", Entry("bigger", words("than"))),
    ("bigger", Entry("larger", words("than"))),
    ("large", Entry("big", words("?"), _SIZED, unless=words("breed scale"))),
    ("big", Entry("large", words("?"), _SIZED, unless=words("breed"))),
    ("fastest", Entry("quickest", nouns=words("animal bird fish way runner"))),
    ("faster", Entry("quicker", words("than"))),
    ("hard", Entry("difficult", _TO)),
    ("difficult", Entry("hard", _TO)),
    ("easy", Entry("simple", words("to"))),
    ("dangerous", Entry("hazardous", words("to ?"))),
    ("hazardous", Entry("dangerous", words("to ?"))),
    ("toxic", Entry("poisonous", words("? to for"))),
    ("mandatory", Entry("compulsory", ANY)),
    ("compulsory", Entry("mandatory", ANY)),
    ("obligatory", Entry("compulsory", ANY)),
    ("whole", Entry("entire", nouns=words("world country state time city family body season"))),
    ("entire", Entry("whole", nouns=words("world country state time city family body season"))),
    ("main", Entry("principal", nouns=words("ingredient cause source reason city"))),
    ("accurate", Entry("correct", words("?"), unless=words("clock gun test watch"))),
    ("rare", Entry("uncommon", words("? to for in"))),
    ("uncommon", Entry("rare", words("? to for in"))),
    ("unusual", Entry("uncommon", words("to for"))),
    ("contagious", Entry("communicable", words("?"))),
    ("flammable", Entry("inflammable", words("?"))),
    ("rich", Entry("wealthy", words("?"), words("person man woman family country"))),
    ("richest", Entry("wealthiest", words("? in"), words("person man woman family country"))),
    ("wealthy", Entry("rich", words("?"), words("person man woman family country"))),
    ("wealthiest", Entry("richest", words("? in"), words("person man woman family country"))),
    ("deadly", Entry("lethal", words("? to"), _DEADLY)),
    ("fatal", Entry("deadly", words("? to"), _DEADLY)),
    ("lethal", Entry("deadly", words("? to"), _DEADLY)),
    ("sick", Entry("ill", words("? from if"))),
    ("drunk", Entry("intoxicated", words("? in on while"))),
    ("incorrect", Entry("wrong", words("to"))),
    ("raw", Entry("uncooked", words("?"), _FOODS)),
    ("uncooked", Entry("raw", words("?"), _FOODS)),
    ("tight", Entry("close-fitting", nouns=_CLOTHES)),
    ("broken", Entry("fractured", nouns=_BONES)),
    ("fractured", Entry("broken", nouns=_BONES)),
    ("similar", Entry("alike", words("?"))),
    ("ok", Entry("fine", _TO)),
    ("okay", Entry("fine", _TO)),
    ("likely", Entry("probable", words("that"))),
    ("famous", Entry("well-known", nouns=words("person actor singer band artist city building"))),
    ("huge", Entry("enormous", words("?"), ANY)),
    ("enormous", Entry("huge", words("?"), ANY)),
    ("scary", Entry("frightening", words("?"), words("movie film book story"))),
    ("old", Entry("elderly", nouns=words("people"))),
    ("elderly", Entry("old", nouns=words("people"))),
    ("sufficient", Entry("adequate", ANY)),
    ("permissible", Entry("allowable", words("? to"))),
    ("harmful", Entry("damaging", words("? to"))),
    ("unsafe", Entry("dangerous", words("? to for"))),
    ("entitled", Entry("eligible", words("for"))),
    ("foolproof", Entry("infallible", words("?"))),
)


def _table() -> Mapping[str, tuple[Entry, ...]]:
    table: dict[str, tuple[Entry, ...]] = {}
    for old, entry in _PAIRS:
        table[old] = (*table.get(old, ()), entry)
    return MappingProxyType(table)


SYNONYMS = _table()
"""By adjective; the first entry that fits counts."""

WITHOUT_SYNONYM = words(
    "same such other own only much many more most less least few several certain various single "
    "double triple dual half multiple next last first second third fourth fifth sixth seventh "
    "eighth ninth tenth former due mini extra "
    "white black red blue green yellow orange brown grey gray pink purple golden silver "
    "male female pregnant married unmarried "
    "american british english french german spanish italian chinese japanese indian canadian "
    "australian european african asian mexican russian roman greek irish scottish welsh dutch "
    "north south east west northern southern eastern western central left "
    "inner outer upper lower middle front rear "
    "square round solid liquid fluid gaseous prime even odd rational irrational positive negative "
    "net gross total average minimum maximum annual monthly weekly daily "
    "legislative judicial presidential congressional royal postal "
    "hydraulic atmospheric gastrointestinal spinal cerebral"
)
"""Counting and pointing words, colours, kinds, origins: they tell things apart, one word each."""
