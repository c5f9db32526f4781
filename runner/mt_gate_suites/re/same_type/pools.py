"""Names that stand for others of their form, in two strata by how often a corpus names them.

Sun et al., Algorithms 2023, section 4.3 and Table 8: replacements that are frequent
in a corpus change few predictions, rare ones many.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from mt_gate_suites.re.same_type import name_forms
from mt_gate_suites.re.same_type.sightings import NOTHING_SEEN, Sightings

FREQUENT, RARE = "frequent", "rare"
STRATA = (FREQUENT, RARE)

_LEAST_FREQUENT = 3
_LEAST_ATTESTED = 2
"""Sentences that must name what takes another's place: once may be a slip of the pipeline."""
_LEAST_NAMES = 3


class Pools(NamedTuple):
    """Names by form and stratum, sorted.

    *Frequent* are the most named of a form: as many as together have half of its
    mentions, each named in three sentences at least. *Rare* are those named twice,
    and those at most a tenth as often as the least named frequent one. What lies
    between is in neither stratum, so that the two differ clearly; nor is what one
    sentence alone names. A stratum of
    fewer than three names is left empty: every sentence would get the same ones.
    """

    names: Mapping[tuple[str, str], tuple[str, ...]]
    surnames: frozenset[str]
    sightings: Sightings = NOTHING_SEEN

    @classmethod
    def counted(
        cls, names: Iterable[tuple[str, str]], sightings: Sightings = NOTHING_SEEN
    ) -> Pools:
        """Return pools of typed names.

        Args:
            names: type and words (``("PERSON", "John Smith")``), once for each
                sentence that names it. What is no whole name of its type is passed over.
            sightings: what these sentences tell; persons invented are in no pool.
        """
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for kind, words in names:
            key = name_forms.form(kind, words)
            if words in sightings.invented and kind == "PERSON":
                continue
            if key and (not key.startswith(name_forms.FULL) or name_forms.is_plain(words)):
                counts[key][words] += 1
        surnames = frozenset(_surnames(counts))
        for alone in set(counts[name_forms.SURNAME]) - surnames:
            del counts[name_forms.SURNAME][alone]
        kept = {
            (key, stratum): chosen
            for key in sorted(counts)
            if not key.endswith(name_forms.SOMEBODY)
            for stratum, chosen in _strata(counts[key], _least(key))
        }
        return cls(kept, surnames, sightings)

    def candidates(self, form: str, stratum: str, key: str) -> Iterator[str]:
        """Yield all names of a form and a stratum, from a place on that ``key`` settles."""
        names = self.names.get((form, stratum), ())
        if names:
            digest = hashlib.sha256(f"{key}\n{form}\n{stratum}".encode()).digest()
            start = int.from_bytes(digest[:8]) % len(names)
            yield from names[start:]
            yield from names[:start]


def _surnames(counts: Mapping[str, Counter[str]]) -> Iterator[str]:
    for gender in (name_forms.MAN, name_forms.WOMAN):
        for name in counts.get(f"{name_forms.FULL}: {gender}", ()):
            yield name_forms.surname(name)


def _least(form: str) -> int:
    """Return how many sentences must name it: a date or an age names nothing that may not exist."""
    plain = form in name_forms.DATED or form in {name_forms.WEEKDAY, name_forms.AGE}
    return 1 if plain else _LEAST_ATTESTED


def _strata(counts: Counter[str], least: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    frequent: list[str] = []
    covered, half = 0, counts.total() / 2
    for name, count in ranked:
        # A tie with the last one that is taken is taken too: the alphabet says nothing.
        if count < _LEAST_FREQUENT or (covered >= half and count < counts[frequent[-1]]):
            break
        frequent.append(name)
        covered += count
    most = max(least, counts[frequent[-1]] // 10 if frequent else 0)
    rare = [name for name, count in ranked if least <= count <= most]
    for stratum, chosen in ((FREQUENT, frequent), (RARE, rare)):
        if len(chosen) >= _LEAST_NAMES:
            yield stratum, tuple(sorted(chosen))
