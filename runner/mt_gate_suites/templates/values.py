"""Made-up personal data: values that belong to nobody, with valid check digits.

Each comes from a range that is reserved for documentation or fiction, or that is never issued:
domains of RFC 2606, addresses of RFC 5737, 3849 and 7042, telephone numbers for film and television
(NANPA, Ofcom, Bundesnetzagentur, Arcep), card numbers that payment networks publish for tests, and
bank codes and identity numbers that are never issued.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta
from stdnum import iban, luhn, verhoeff
from stdnum.cn import ric
from stdnum.es import dni
from stdnum.fr import nir
from stdnum.iso7064 import mod_11_10
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.pt import nif

Text = Annotated[str, Meta(min_length=1, max_length=2000)]
Texts = Annotated[tuple[Text, ...], Meta(max_length=10_000)]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Lists(msgspec.Struct, frozen=True, kw_only=True):
    """Names, places and formats of a language, from which values are drawn.

    ``#`` is a random digit and ``@`` a random capital letter. ``date`` has the parts d, dd, m, mm,
    y and month in braces.
    """

    first_names: Texts = ()
    family_names: Texts = ()
    foreign_names: Texts = ()
    streets: Texts = ()
    cities: Texts = ()
    postcodes: Texts = ()
    companies: Texts = ()
    months: Texts = ()
    date: Texts = ("{y}-{mm}-{dd}",)


class Draw(NamedTuple):
    """What a value is drawn from; ``argument`` is a country where the template names one."""

    language: str
    lists: Lists
    rng: Random
    argument: str = ""


Forms = Sequence[str]
"""A value, then other ways to write the same value."""
Generator = Callable[[Draw], Forms]

_COUNTRIES = {"en": "GB", "de": "DE", "fr": "FR", "es": "ES", "it": "IT", "nl": "NL", "pt": "PT"}
_SPECIAL = {"zh": "CN", "hi": "IN"}
_CARDS = (
    "4111111111111111 4012888888881881 4242424242424242 4000056655665556 4917610000000000 "
    "5555555555554444 5105105105105100 2223003122003222 5200828282828210 378282246310005 "
    "371449635398431 378734493671000 6011111111111117 6011000990139424 6011981111111113 "
    "30569309025904 38520000023237 3056930009020004 3530111333300000 3566002020360505 "
    "6200000000000005 6200000000000047 6759649826438453"
).split()
_PHONES = {
    # The national number, with the places of random digits, and the digit that is dialled before
    # it within the country.
    "1": ("", ("202 555 01##", "312 555 01##", "415 555 01##", "617 555 01##")),
    "44": ("0", ("20 7946 0###", "113 496 0###", "161 496 0###", "7700 900###")),
    "49": ("0", ("30 23125###", "40 66969###", "69 90009###", "89 99998###")),
    "33": ("0", ("1 99 00 ## ##", "2 61 91 ## ##", "5 36 49 ## ##", "6 39 98 ## ##")),
}
_OWN_PHONES = {"en": ("1", "44"), "de": ("49",), "fr": ("33",)}
_BANKS = {
    # The rest of the number: bank codes that no bank has.
    "GB": "XXXX##############",
    "DE": "9#################",
    "FR": "00000000##############0",
    "ES": "00000000############",
    "IT": "X0000000000############",
    "NL": "XXXX##########",
    "PT": "00000000#############",
}
_PLATES = {
    "en": ("QQ## @@@", "QQ##@@@"),
    "de": ("XX-@@ ####", "XX @@ ####"),
    "fr": ("SS-###-@@", "SS ### @@"),
    "es": ("#### AEI", "####AEI"),
    "it": ("QI ### OU", "QI###OU"),
    "nl": ("##-AEI-#", "QA-###-E"),
    "pt": ("QQ-##-QQ", "QQ ## QQ"),
    "zh": ("测A·#####", "测A#####"),
    "hi": ("ZZ ## QQ ####", "ZZ-##-QQ-####"),
}
_WORDS = (
    "amber brisk cedar dapple ember fennel gravel hazel indigo juniper kelp lumen maple nimbus "
    "onyx pebble quartz russet sable thistle umber velvet willow yarrow zephyr"
).split()
_ANIMALS = (
    "finch otter badger heron lynx marten newt osprey plover raven stoat tapir vole wren yak"
).split()
_SYMBOLS = "!#$_+?"


def fill(pattern: str, rng: Random) -> str:
    """Return a pattern with a random digit for each ``#`` and a random capital for each ``@``."""
    drawn = {"#": "0123456789", "@": LETTERS}
    return "".join(rng.choice(drawn[sign]) if sign in drawn else sign for sign in pattern)


def grouped(digits: str, sizes: Sequence[int], by: str = " ") -> str:
    """Return digits in groups of these sizes; the last size is repeated."""
    parts, at = [], 0
    for number in range(len(digits)):
        size = sizes[min(number, len(sizes) - 1)]
        parts.append(digits[at : at + size])
        at += size
    return by.join(filter(None, parts))


def _plain(words: str) -> str:
    """Return a name as it is in an e-mail address."""
    letters = unicodedata.normalize("NFKD", words.casefold().replace("ß", "ss"))
    return "".join(letter for letter in letters if letter.isascii() and letter.isalnum())


def _handle(draw: Draw) -> str:
    rng = draw.rng
    word, animal = rng.choice(_WORDS), rng.choice(_ANIMALS)
    return f"{word}{rng.choice(['', '.', '_'])}{animal}{rng.randint(1, 99)}"


def _shuffled(forms: Sequence[str], rng: Random) -> Forms:
    distinct = [*dict.fromkeys(forms)]
    return rng.sample(distinct, len(distinct))


def draw_person(draw: Draw) -> Forms:
    """Return a full name: the family name first in Chinese."""
    first = draw.rng.choice(draw.lists.first_names)
    family = draw.rng.choice(draw.lists.family_names)
    return [f"{family}{first}"] if draw.language == "zh" else [f"{first} {family}"]


def draw_foreign_person(draw: Draw) -> Forms:
    """Return the full name of a person of another origin."""
    return [draw.rng.choice(draw.lists.foreign_names)]


def draw_email(draw: Draw) -> Forms:
    """Return an address at a domain of RFC 2606."""
    rng = draw.rng
    first, family = (
        _plain(rng.choice(n)) for n in (draw.lists.first_names, draw.lists.family_names)
    )
    name = _handle(draw).replace("..", ".")
    if first and family:
        name = rng.choice(
            [f"{first}.{family}", f"{first[0]}{family}", f"{family}_{rng.randint(60, 99)}", name]
        )
    own = f"{rng.choice(_WORDS)}.example.com"
    host = rng.choice(["example.com", "example.org", "example.net", own])
    return [f"{name}@{rng.choice(['', '', 'mail.'])}{host}"]


def draw_phone(draw: Draw) -> Forms:
    """Return a number for film and television, in national and international form."""
    own = _OWN_PHONES.get(draw.language, ())
    country = draw.rng.choice(own or tuple(_PHONES))
    trunk, numbers = _PHONES[country]
    number = fill(draw.rng.choice(numbers), draw.rng)
    area, _, rest = number.partition(" ")
    bare = rest.replace(" ", "")
    abroad = [
        f"+{country} {number}",
        f"+{country}{area}{bare}",
        f"+{country}-{number.replace(' ', '-')}",
        f"00{country} {area} {bare}",
        f"+{country} ({area}) {bare}",
    ]
    home = []
    if own and country == "33":
        pairs = grouped(f"{trunk}{area}{bare}", [2])
        home = [pairs, pairs.replace(" ", "."), pairs.replace(" ", "")]
    elif own:
        home = [f"{trunk}{area} {rest}", f"{trunk}{area}-{bare}", f"({trunk}{area}) {bare}"]
        more = {"49": f"{trunk}{area}/{bare}", "1": number.replace(" ", ".")}
        home.append(more.get(country, f"({trunk}{area}) {rest}"))
    return _shuffled(abroad + home, draw.rng)


def draw_street(draw: Draw) -> Forms:
    """Return a street with a number, which does not begin with 0."""
    return [re.sub(r"\b0", "1", fill(draw.rng.choice(draw.lists.streets), draw.rng))]


def draw_postcode(draw: Draw) -> Forms:
    """Return a postcode of the language's country."""
    return [fill(draw.rng.choice(draw.lists.postcodes), draw.rng)]


def draw_date(draw: Draw) -> Forms:
    """Return a date of birth in each usual format."""
    day, month, year = (
        draw.rng.randint(1, 28),
        draw.rng.randint(1, 12),
        draw.rng.randint(1938, 2008),
    )
    parts = {
        "{d}": f"{day}",
        "{dd}": f"{day:02}",
        "{m}": f"{month}",
        "{mm}": f"{month:02}",
        "{y}": f"{year}",
        "{month}": draw.lists.months[month - 1] if draw.lists.months else f"{month:02}",
    }
    forms = []
    for pattern in (*draw.lists.date, "{y}-{mm}-{dd}"):
        text = pattern
        for part, value in parts.items():
            text = text.replace(part, value)
        forms.append(text)
    return _shuffled(forms, draw.rng)


def draw_iban(draw: Draw) -> Forms:
    """Return a number of a bank that does not exist."""
    country = draw.argument or _COUNTRIES.get(draw.language) or draw.rng.choice([*_BANKS])
    rest = fill(_BANKS[country], draw.rng)
    number = f"{country}{iban.calc_check_digits(f'{country}00{rest}')}{rest}"
    return _shuffled([grouped(number, [4]), number], draw.rng)


def draw_card(draw: Draw) -> Forms:
    """Return a number that a payment network publishes for tests."""
    number = draw.rng.choice(_CARDS)
    sizes = [4, 6, 5] if len(number) in (14, 15) else [4]
    return _shuffled([grouped(number, sizes), number, grouped(number, sizes, "-")], draw.rng)


def _with_check(body: str, calculate: Callable[[str], str]) -> str:
    return body + calculate(body)


def _draw_bsn(rng: Random) -> str:
    while True:
        body = fill("9999####", rng)
        for last in "0123456789":
            if bsn.checksum(body + last) == 0:
                return body + last


def draw_national_id(draw: Draw) -> Forms:
    """Return a tax or social security number that are never issued."""
    country = draw.argument or _SPECIAL.get(draw.language) or _COUNTRIES.get(draw.language, "US")
    country = "US" if draw.language == "en" and not draw.argument else country
    rng = draw.rng
    born = f"{rng.randint(40, 99)}{rng.randint(1, 12):02}"
    match country:
        case "US":  # an area above 899, and a group that no tax number has
            parts = [fill("9##", rng), f"{rng.randint(1, 49):02}", fill("####", rng)]
            forms = ["-".join(parts), "".join(parts), " ".join(parts)]
        case "UK" | "GB":  # QQ is the prefix of examples
            number = f"QQ{fill('######', rng)}{rng.choice('ABCD')}"
            forms = [grouped(number, [2]), number]
        case "CA":
            number = _with_check(fill("0#######", rng), luhn.calc_check_digit)
            forms = [grouped(number, [3]), number, grouped(number, [3], "-")]
        case "IN":  # no number begins with 0
            number = _with_check(fill("0##########", rng), verhoeff.calc_check_digit)
            forms = [grouped(number, [4]), number, grouped(number, [4], "-")]
        case "DE":  # 0 begins numbers for tests
            number = _with_check(fill("0#########", rng), mod_11_10.calc_check_digit)
            forms = [grouped(number, [2, 3]), number]
        case "FR":  # no department 00
            number = _with_check(
                f"{rng.choice('12')}{born}00{fill('######', rng)}", nir.calc_check_digits
            )
            forms = [grouped(number, [1, 2, 2, 2, 3, 3, 2]), number]
        case "ES":
            number = fill("999#####", rng)
            letter = dni.calc_check_digit(number)
            forms = [f"{number}{letter}", f"{number}-{letter}"]
        case "IT":  # no place Z999
            consonants = "".join(rng.choice("BCDFGLMNPRSTVZ") for _ in range(6))
            body = f"{consonants}{born[:2]}{rng.choice('ABCDEHLMPRST')}{rng.randint(1, 28):02}Z999"
            number = _with_check(body, codicefiscale.calc_check_digit)
            forms = [number, grouped(number, [3, 3, 5, 5])]
        case "NL":  # 9999 begins numbers for tests
            number = _draw_bsn(rng)
            forms = [number, grouped(number, [4, 2, 3], ".")]
        case "PT":
            number = _with_check(fill("40######", rng), nif.calc_check_digit)
            forms = [grouped(number, [3]), number]
        case _:  # China: no region 99
            body = f"99{fill('####', rng)}19{born}{rng.randint(1, 28):02}{fill('###', rng)}"
            forms = [_with_check(body, ric.calc_check_digit)]
    return _shuffled(forms, rng)


def draw_plate(draw: Draw) -> Forms:
    """Return a licence plate with letters that no plate has."""
    patterns = _PLATES.get(draw.language, _PLATES["en"])
    letters = draw.rng.choices("BCDFGHJKLMNPRSTVWXYZ", k=3)
    text = "".join(letters.pop() if sign == "@" else sign for sign in patterns[0])
    filled = fill(text, draw.rng)
    return _shuffled([filled, filled.replace("-", " ")], draw.rng)


def draw_ip(draw: Draw) -> Forms:
    """Return an address of RFC 5737 or RFC 3849."""
    rng = draw.rng
    net = rng.choice(["192.0.2", "198.51.100", "203.0.113", ""])
    if net:
        return [f"{net}.{rng.randint(1, 254)}"]
    return [f"2001:db8:{rng.randrange(1 << 16):x}::{rng.randrange(1, 1 << 16):x}"]


def draw_mac(draw: Draw) -> Forms:
    """Return an address of RFC 7042."""
    last = f"{draw.rng.randrange(256):02x}"
    number = f"00005e0053{last}"
    colons = grouped(number, [2], ":")
    dashes = grouped(number, [2], "-").upper()
    return _shuffled([colons, colons.upper(), dashes, grouped(number, [4], ".")], draw.rng)


def draw_url(draw: Draw) -> Forms:
    """Return the page of a user at a domain of RFC 2606."""
    host = draw.rng.choice(["example.com", "www.example.org", "example.net"])
    path = draw.rng.choice(["users", "profile", "u", "people"])
    return [f"https://{host}/{path}/{_handle(draw)}"]


def draw_username(draw: Draw) -> Forms:
    """Return the name of an account, of English words and a number."""
    return [_handle(draw)]


def draw_password(draw: Draw) -> Forms:
    """Return 10 to 14 letters, digits and signs."""
    rng = draw.rng
    letters = [rng.choice(LETTERS), rng.choice(_SYMBOLS), rng.choice("23456789")]
    letters += rng.choices(f"{LETTERS.lower()}{LETTERS}23456789", k=rng.randint(7, 11))
    rng.shuffle(letters)
    # A sign at an end could be taken for punctuation of the text.
    return [f"{rng.choice(LETTERS.lower())}{''.join(letters)}{rng.choice('23456789')}"]


def draw_api_key(draw: Draw) -> Forms:
    """Return a key that says that it is an example."""
    rng = draw.rng
    letters = f"{LETTERS}{LETTERS.lower()}0123456789"
    return [
        rng.choice(
            [
                f"AKIA{''.join(rng.choices(LETTERS + '234567', k=9))}EXAMPLE",
                f"sk-test-{''.join(rng.choices(letters, k=24))}",
                f"example_{''.join(rng.choices('0123456789abcdef', k=32))}",
            ]
        )
    ]


def draw_account(draw: Draw) -> Forms:
    """Return the number of a bank account; none begins with three zeros."""
    number = fill("000#######", draw.rng)
    return _shuffled([number, grouped(number, [3, 3, 4])], draw.rng)


def draw_listed(name: str, draw: Draw) -> Forms:
    """Return a value of a list of the language."""
    return [draw.rng.choice(getattr(draw.lists, name))]


def draw_pattern(patterns: Sequence[str], draw: Draw) -> Forms:
    """Return a value of one of these patterns."""
    return [fill(draw.rng.choice(patterns), draw.rng)]


GENERATORS: Mapping[str, Generator] = {
    "person": draw_person,
    "email": draw_email,
    "phone": draw_phone,
    "street": draw_street,
    "postcode": draw_postcode,
    "city": partial(draw_listed, "cities"),
    "birth-date": draw_date,
    "age": lambda draw: [str(draw.rng.randint(18, 97))],
    "iban": draw_iban,
    "card-number": draw_card,
    "national-id": draw_national_id,
    "passport": partial(draw_pattern, ["X########", "XX#######"]),
    "plate": draw_plate,
    "ip": draw_ip,
    "mac": draw_mac,
    "url": draw_url,
    "username": draw_username,
    "password": draw_password,
    "api-key": draw_api_key,
    "account": draw_account,
    "record-number": partial(draw_pattern, ["000#####", "P-000####", "X0#####"]),
    "company": partial(draw_listed, "companies"),
}
"""The generator of each kind of personal data."""
