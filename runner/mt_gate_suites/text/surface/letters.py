"""Relations that misspell one or two words of a text, each by its own rule.

Rules keep the first letter if people need it, and never turn a word into another word.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate.language.forms import is_word
from mt_gate_suites.lexicons.reading import mapping, rows
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import INVISIBLE, MOST, Spell, Spelling, spelling

NEAR_KEYS = mapping("text/surface", "keyboard")
LOOKALIKES = {
    letter: chr(int(code, 16)) for letter, code in mapping("text/surface", "lookalikes").items()
}
MARKS = tuple(chr(int(code, 16)) for code, _ in rows("text/surface", "marks", 2))
"""Combining marks that change no letter into another: people still see the old letter."""
SIGNS = mapping("text/surface", "leet")
_SCANS = rows("text/surface", "scans", 2)
_VOWELS = "aeiou"
MOST_SIGNS = 2
"""Maximum number of letters in a word that signs replace."""
LONGEST = 10
"""Maximum length of a word that is readable with spaces between its letters."""
MORE = (2, 3)
"""Number of added letters: no English word has three equal letters in a row."""


def _miss_key(word: str, rng: Random) -> Sequence[Spelling]:
    places = range(1, len(word))
    for at in rng.sample(places, len(places)):
        letter = word[at]
        near = NEAR_KEYS.get(letter.lower(), "")
        for new in rng.sample(near, len(near)):
            if not is_word(f"{word[:at]}{new}{word[at + 1 :]}".lower()):
                return [Spelling(at, at + 1, new.upper() if letter.isupper() else new)]
    return []


def _transpose(word: str, rng: Random) -> Sequence[Spelling]:
    places = range(1, len(word) - 2)
    for at in rng.sample(places, len(places)):
        new = word[at + 1] + word[at]
        changes = new.lower() != new[::-1].lower()
        if changes and not is_word(f"{word[:at]}{new}{word[at + 2 :]}".lower()):
            return [Spelling(at, at + 2, new)]
    return []


def _misread(word: str, rng: Random) -> Sequence[Spelling]:
    """Read "bill" as "bi1l", but never "modern" as "modem", which is a word."""
    for old, new in rng.sample(_SCANS, len(_SCANS)):
        at = word.find(old)
        if at >= 0 and not is_word(f"{word[:at]}{new}{word[at + len(old) :]}".lower()):
            return [Spelling(at, at + len(old), new)]
    return []


def _replace_one(word: str, places: Sequence[int], new: str, rng: Random) -> Sequence[Spelling]:
    """Replace the letter at a random place with ``new``, or, if that is empty, a look-alike."""
    if not places:
        return []
    at = rng.choice(places)
    return [Spelling(at, at + 1, new or LOOKALIKES[word[at]])]


def _disguise(word: str, rng: Random) -> Sequence[Spelling]:
    places = [at for at, letter in enumerate(word) if letter in LOOKALIKES]
    return _replace_one(word, places, "", rng)


def _mask(word: str, rng: Random) -> Sequence[Spelling]:
    places = [at for at in range(1, len(word) - 1) if word[at].lower() in _VOWELS]
    return _replace_one(word, places, "*", rng)


def _part(word: str, rng: Random) -> Sequence[Spelling]:
    at = rng.randrange(1, len(word))
    return [Spelling(at, at, rng.choice(INVISIBLE))]


def _accent(word: str, rng: Random) -> Sequence[Spelling]:
    at = rng.randrange(1, len(word) + 1)
    return [Spelling(at, at, rng.choice(MARKS))]


def _space_out(word: str, _: Random) -> Sequence[Spelling]:
    if len(word) > LONGEST:
        return []
    return [Spelling(at, at, " ") for at in range(1, len(word))]


def _write_leet(word: str, rng: Random) -> Sequence[Spelling]:
    places = [at for at, letter in enumerate(word) if letter.lower() in SIGNS]
    some = rng.sample(places, min(MOST_SIGNS, len(places), len(word) // 2))
    return [Spelling(at, at + 1, SIGNS[word[at].lower()]) for at in sorted(some)]


def _draw_out(word: str, rng: Random) -> Sequence[Spelling]:
    lower = word.lower()
    for at in range(1, len(word)):
        if lower[at] in _VOWELS and lower[at] not in (lower[at - 1], lower[at + 1 : at + 2]):
            return [Spelling(at + 1, at + 1, word[at] * rng.choice(MORE))]
    return []


def _relation(
    name: str,
    title: str,
    spell: Spell,
    edit: str,
    paper: str,
    after: str,
    before: str = "I hate waiting.",
    most: int = MOST,
) -> TextRelation:
    """Return the record of a relation that spells words by a rule.

    Args:
        name: the part of its id after the task.
        title: as in ``TextRelation``.
        spell: the rule.
        edit: the first sentence of its description.
        paper: where it comes from.
        after: an example of an edited text.
        before: the original text of the example.
        most: maximum number of words of a text to change.
    """
    return TextRelation(
        name=name,
        title=title,
        description=f"{edit} The prediction must not change.",
        paper=paper,
        before=before,
        after=after,
        transformation=spelling(spell, most=most),
        surface=True,
    )


RELATIONS = (
    _relation(
        "keyboard-typo",
        "Keyboard typos",
        _miss_key,
        "Replaces one or two letters with a neighbouring key.",
        "Ribeiro et al., ACL 2020 (CheckList), typos; NL-Augmenter (Dhole et al., 2021), butter "
        "fingers",
        "I hate waitong for my card.",
        "I hate waiting for my card.",
    ),
    _relation(
        "letter-swap",
        "Transposed letters",
        _transpose,
        "Transposes two letters inside one or two words.",
        "Ribeiro et al., ACL 2020 (CheckList), typos; MTTM (Wang et al., ICSE 2023), character "
        "swap",
        "I hate watiing for my card.",
        "I hate waiting for my card.",
    ),
    _relation(
        "ocr-confusion",
        "OCR errors",
        _misread,
        "Replaces letters with others that look alike in a scan.",
        "NL-Augmenter (Dhole et al., 2021), OCR perturbation",
        "Where is my bi1l?",
        "Where is my bill?",
    ),
    _relation(
        "homoglyph",
        "Homoglyph substitution",
        _disguise,
        "Replaces one or two letters with look-alikes from another script.",
        "MTTM (Wang et al., ICSE 2023), visual-based substitution",
        "I h\u0430te waiting.",
    ),
    _relation(
        "zero-width",
        "Zero-width characters",
        _part,
        "Inserts an invisible character into one or two words.",
        "Boucher et al., IEEE S&P 2022 (Bad Characters), invisible characters; MTTM (Wang et al., "
        "ICSE 2023), noise injection",
        "I ha\u200bte waiting.",
    ),
    _relation(
        "combining-marks",
        "Combining diacritics",
        _accent,
        "Adds a combining diacritic to a letter of one or two words.",
        "Boucher et al., IEEE S&P 2022 (Bad Characters); NL-Augmenter (Dhole et al., 2021), "
        "diacritics",
        "I ha\u0332te waiting.",
    ),
    _relation(
        "letter-spacing",
        "Spaced-out letters",
        _space_out,
        "Puts spaces between the letters of one word.",
        "HateCheck (Röttger et al., ACL 2021), added spaces; MTTM (Wang et al., ICSE 2023), "
        "visual-based splitting",
        "I h a t e waiting.",
        most=1,
    ),
    _relation(
        "leetspeak",
        "Leetspeak",
        _write_leet,
        "Replaces letters of one or two words with digits or symbols that look alike.",
        "HateCheck (Röttger et al., ACL 2021), leet speak; NL-Augmenter (Dhole et al., 2021), "
        "leet letters",
        "I h4t3 waiting.",
    ),
    _relation(
        "letter-masking",
        "Masked letters (w*rd)",
        _mask,
        "Replaces a vowel of one or two words with an asterisk.",
        "MTTM (Wang et al., ICSE 2023), character masking",
        "I h*te waiting.",
    ),
    _relation(
        "repeated-letters",
        "Repeated letters",
        _draw_out,
        "Repeats the first vowel of one or two words.",
        "NL-Augmenter (Dhole et al., 2021), word lengthening; MTTM (Wang et al., ICSE 2023)",
        "I haaaate waiting.",
    ),
)
