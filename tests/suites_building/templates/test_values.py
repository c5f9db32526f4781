"""Made-up values: nobody can have them, and their check digits are right."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from stdnum import iban, luhn, verhoeff
from stdnum.cn import ric
from stdnum.es import dni
from stdnum.fr import nir
from stdnum.iso7064 import mod_11_10
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.pt import nif

import mt_gate_suites
from mt_gate_suites.templates.reading import Language, read_language
from mt_gate_suites.templates.values import GENERATORS, Draw

LANGUAGES = sorted((Path(mt_gate_suites.__file__).parent / "templates" / "languages").glob("*"))
DRAWS = 200
FAMOUS = (
    "Taylor Swift, Elon Musk, Angela Merkel, Emmanuel Macron, Lionel Messi, Narendra Modi, "
    "Ursula von der Leyen, Max Verstappen, Cristiano Ronaldo, Rafael Nadal, Sophia Loren, 习近平, "
    "Thomas Müller, Helmut Schmidt, Antonio Banderas, Albert Einstein, Patrick Stewart, "
    "Rajesh Khanna, Mark Rutte, Zinédine Zidane, 姚明, 王菲, Hannah Arendt, Thomas Mann"
).split(", ")


@pytest.fixture(scope="module", params=LANGUAGES, ids=lambda path: path.stem)
def language(request: pytest.FixtureRequest) -> Language:
    return read_language(request.param)


def drawn(language: Language, kind: str, argument: str = "") -> Iterator[str]:
    """Yield every form of many values of a kind."""
    rng = Random(1)
    for _ in range(DRAWS):
        file = language.file
        yield from GENERATORS[kind](Draw(file.language, file, rng, argument))


def compact(number: str) -> str:
    return re.sub(r"[^0-9A-Za-z]", "", number)


def test_hosts_are_of_rfc_2606(language: Language) -> None:
    hosts = [value.rpartition("@")[2] for value in drawn(language, "email")]
    hosts += [value.split("/")[2] for value in drawn(language, "url")]
    reserved = re.compile(r"(?:[a-z]+\.)*example\.(?:com|org|net)")
    assert [host for host in hosts if not reserved.fullmatch(host)] == []


def test_addresses_are_for_documentation(language: Language) -> None:
    nets = [
        ipaddress.ip_network(net)
        for net in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
    ]
    for value in drawn(language, "ip"):
        address = ipaddress.ip_address(value)
        assert any(address in net for net in nets if net.version == address.version)
    for value in drawn(language, "mac"):
        assert compact(value).lower().startswith("00005e0053")


PHONES = {
    "1": r"\d{3}55501\d\d",
    "44": r"(?:2079460|1134960|1614960|7700900)\d{3}",
    "49": r"(?:3023125|4066969|6990009|8999998)\d{3}",
    "33": r"(?:199|261|536|639)(?:00|91|49|98)\d{4}",
}
"""What follows the country's code in the ranges for film and television."""


def test_phones_are_for_film_and_television(language: Language) -> None:
    fiction = "|".join(f"(?:(?:00)?{code})?{number}" for code, number in PHONES.items())
    for value in drawn(language, "phone"):
        assert re.fullmatch(fiction, compact(value).removeprefix("0") or "0") or re.fullmatch(
            fiction, compact(value)
        ), value


def test_cards_are_for_tests(language: Language) -> None:
    assert all(luhn.is_valid(compact(value)) for value in drawn(language, "card-number"))


def test_banks_do_not_exist(language: Language) -> None:
    banks = re.compile(r"(?:GB|NL)..XXXX.*|DE..9.*|(?:FR|ES|PT)..0000.*|IT..X00000.*")
    for value in drawn(language, "iban"):
        assert iban.is_valid(value, check_country=False)
        assert banks.fullmatch(compact(value)), value
    assert all(value.startswith("000") for value in drawn(language, "account"))


def ends_with(calculate: Callable[[str], str]) -> Callable[[str], bool]:
    return lambda number: calculate(number[:-1]) == number[-1]


NATIONAL: dict[str, tuple[str, Callable[[str], bool]]] = {
    "US": (r"9\d\d[0-4]\d{5}", lambda _: True),
    "UK": (r"QQ\d{6}[A-D]", lambda _: True),
    "CA": (r"0\d{8}", luhn.is_valid),
    "IN": (r"0\d{11}", verhoeff.is_valid),
    "DE": (r"0\d{10}", mod_11_10.is_valid),
    "FR": (r"[12]\d{4}00\d{8}", nir.is_valid),
    "ES": (r"999\d{5}[A-Z]", dni.is_valid),
    "IT": (r"[A-Z]{6}\d\d[A-Z]\d\dZ999[A-Z]", ends_with(codicefiscale.calc_check_digit)),
    "NL": (r"9999\d{5}", lambda v: bsn.checksum(v) == 0),
    "PT": (r"40\d{7}", nif.is_valid),
    "CN": (r"99\d{15}[0-9X]", ends_with(ric.calc_check_digit)),
}
"""The range that an authority never issues, and the check of the digits, by country."""


@pytest.mark.parametrize("country", NATIONAL)
def test_identity_numbers_are_never_issued(country: str) -> None:
    pattern, is_valid = NATIONAL[country]
    for value in drawn(read_language(LANGUAGES[1]), "national-id", country):
        assert re.fullmatch(pattern, compact(value)), value
        assert is_valid(compact(value)), value


def test_nobody_famous_has_a_name(language: Language) -> None:
    lists = language.file
    full = {f"{first} {family}" for first in lists.first_names for family in lists.family_names}
    full |= {f"{family}{first}" for first in lists.first_names for family in lists.family_names}
    assert full.union(lists.foreign_names).isdisjoint(FAMOUS)


def test_companies_have_names_that_no_other_list_has(language: Language) -> None:
    lists = language.file
    others = {*lists.first_names, *lists.family_names, *lists.cities}
    assert others.isdisjoint(word for company in lists.companies for word in company.split())


def test_other_forms_write_the_same_value(language: Language) -> None:
    for kind in ("card-number", "iban", "account", "national-id"):
        rng = Random(2)
        for _ in range(DRAWS):
            forms = GENERATORS[kind](Draw(language.file.language, language.file, rng))
            assert len({compact(form) for form in forms}) == 1
