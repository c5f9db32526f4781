"""A question about a future numbered season, episode or film is turned into the past.

Source: reading-comprehension MRs, section 4, MR1-2 (inversion with tense change).
    will there be a fifth season of mom -> has there ever been a fifth season of mom

Yes to the original question must rule out yes to the edited one. The published rule edits
every ``did``, ``has`` and ``will``. Here a sentence of the passage must say that the numbered
part is to come, or was never made, so that the answer to the edited question is no. Parts that
may be one of several (``a sequel``, ``another season``) are skipped, and so are habits, states
and events that may recur.
"""

from __future__ import annotations

import re
from zlib import crc32

from mt_gate_suites.boolq.question import ParsedQuestion, QuestionText, Resources
from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.numbers import CARDINALS, ORDINALS
from mt_gate_suites.lexicons.reading import mapping, word_pattern

_GOING_TO = r"(?:going to|gonna)"
_EXISTS = re.compile(rf"^(?:will there (?:ever )?be|is there {_GOING_TO} be) (?P<what>an? .+)$")
_ACTIONS = (
    re.compile(
        rf"^(?:will (?P<will>.+?) (?:ever )?(?P<base>have|get|make|do|produce)"
        rf"|(?:is|are) (?P<going>.+?) {_GOING_TO} (?P<later>have|get|make|do|produce)"
        r"|(?:is|are) (?P<now>.+?) (?P<ing>making|getting|doing))"
        r" (?P<what>(?:an? |season |series ).+)$"
    ),
    re.compile(
        r"^(?:will (?P<will>.+?) (?P<base>return|come back)"
        r"|is (?P<now>.+?) (?P<ing>returning|coming back)) (?:for|with|in) (?P<what>.+)$"
    ),
    re.compile(
        r"^(?:will (?P<will>.+?) (?P<base>come out)|is (?P<now>.+?) (?P<ing>coming out))"
        r"(?: with (?P<what>.+))?$"
    ),
)
_DONE = mapping("boolq/events", "done")
_MAY_RECUR = re.compile(
    r"\b(?:more|another|new|next|other|last|final|extra|second half|still|also|again|only|not|n't"
    r"|already|yet|(?:19|20)\d\d|this (?:year|season|summer|fall)|if|when|before|after|soon|or"
    r"|(?:\d+|two|three|four|five) and|any|sequ[ae]l|prequel|follow-?up|spin-?off)\b"
)
_TO_COME = (
    ("has there already been", ""),
    ("has there been", " yet"),
    ("has there been", " already"),
)
_NEVER = (
    ("has there ever been", ""),
    ("was there ever", ""),
    ("did they ever make", ""),
    ("have they ever made", ""),
)

_SEASON = r"(?:seasons?|series)"
_PART = r"(?:episode|part|chapter|volume|book|movie|film|game|album|instal?lment)"
_CARDINAL = rf"(?:\d{{1,2}}|{'|'.join(CARDINALS[1:])})"
_ORDINAL = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(ORDINALS[1:])})"
_PHRASE_ENDS = r"(?= (?:of|for|to|on|in)\b|$)"
_NUMBERED = tuple(
    (re.compile(pattern), seasons)
    for pattern, seasons in (
        (rf"\b{_SEASON} (?P<number>{_CARDINAL}){_PHRASE_ENDS}", True),
        (rf"^an? (?P<number>{_ORDINAL}) {_SEASON}{_PHRASE_ENDS}", True),
        (rf"\b{_PART} (?P<number>{_CARDINAL}){_PHRASE_ENDS}", False),
        (rf"^an? (?P<number>{_ORDINAL}) (?:[\w'-]+ ){{0,4}}?{_PART}$", False),
        (r"^an? [^\d]+ (?P<number>\d|two|three|four|five)(?: (?:movie|film))?$", False),
        (r"^[^\d]+ (?P<number>\d)$", False),
    )
)
"""Patterns of a numbered part in a noun phrase, and whether the part is a season."""
_SENTENCE_END = re.compile(r"(?<=[.!?])['\"”]*\s+(?=[\"'“`]*[A-Z])")
_MANY = re.compile(rf"\b(?P<number>{_CARDINAL}) (?:[\w-]+ )?(?:seasons|series)\b", re.IGNORECASE)
_OUT = re.compile(
    r"\b(?:premiered|aired|debuted|(?:began|started|is|currently|finished|been) "
    r"(?:airing|broadcasting|streaming|shown|released)|concluded|ended|finished|screened|ran"
    r"|returned|grossed|opened|commenced|made available|(?:began|started|launched) (?:on|in)"
    r"|(?:was|were) (?!never|not)(?:\w+ )?"
    r"(?:released|broadcast|shown|published|launched|aired|made)"
    r"|followed by|consists? of|consisted|features?|is an? (?:19|20)\d\d|revived|continued)\b"
)
_NOT_MADE = word_pattern("boolq/events", "not-made")
_AHEAD = re.compile(
    r"\b(?:will|upcoming|(?:is|are|was|were) (?:currently )?(?:set (?:to|for)|scheduled|expected"
    r"|slated|due|planned)"
    r"|to (?:premiere|air|debut|be (?:released|aired|broadcast))|scheduled (?:for|to)"
    r"|expected (?:to|in)|slated (?:for|to)|in (?:pre-?production|production|development)"
    r"|(?:has|have) been (?:\w+ )?(?:renewed|ordered|confirmed|announced|commissioned|greenlit)"
    r"|2018|2019)\b"
)
_OVER = word_pattern("boolq/events", "over", re.I)
_BACK = word_pattern("boolq/events", "back", re.I)


def transform(question: ParsedQuestion, _: Resources) -> Rewrite | None:
    """Ask about the past if the passage says that the numbered part is to come, or never came."""
    text = question.text
    match = next((m for p in (_EXISTS, *_ACTIONS) if (m := p.match(text)) is not None), None)
    if match is None or _MAY_RECUR.search(text):
        return None
    parts = {name: part for name, part in match.groupdict().items() if part}
    what = next(parts[name] for name in ("what", "will", "going", "now") if name in parts)
    number, seasons = _number_in(what)
    if number < 2:
        return None
    options = _what_passage_says(number, seasons, question.texts)
    if options is None:
        return None
    if match.re is _EXISTS:
        front, tail = options[crc32(text.encode()) % len(options)]
        return edited(text, [(0, match.start("what") - 1, front), (len(text), len(text), tail)])
    who = next(name for name in ("will", "going", "now") if name in parts)
    verb = next(name for name in ("base", "later", "ing") if name in parts)
    has = _auxiliary(parts[who].split(), text)
    if not has:
        return None
    adverb, done = "ever", _DONE[parts[verb]]
    if options is _TO_COME:
        # A future part may be made already, but it is not released.
        adverb, done = "already", "released" if done in {"made", "produced", "done"} else done
    edits = [
        (0, match.start(who) - 1, has),
        (match.end(who) + 1, match.end(verb), f"{adverb} {done}"),
    ]
    return edited(text, edits)


def _auxiliary(who: list[str], text: str) -> str:
    """Return the form of ``have`` that agrees with a subject; empty if that is unclear."""
    if who[0] in {"they", "we", "you"}:
        return "have" if len(who) == 1 else ""
    return "" if who[-1].endswith("s") or text.startswith("are ") else "has"


def _number_in(phrase: str) -> tuple[int, bool]:
    for pattern, seasons in _NUMBERED:
        match = pattern.search(phrase)
        if match and (number := _value(match["number"])) > 1:
            return number, seasons
    return 0, False


def _value(word: str) -> int:
    digits = re.match(r"\d+", word)
    if digits:
        return int(digits.group())
    words = CARDINALS if word.lower() in CARDINALS else ORDINALS
    return words.index(word.lower())


def _naming(number: int, seasons: bool) -> re.Pattern[str]:
    """Return the pattern of a sentence that names the numbered part."""
    word = ORDINALS[number] if number < len(ORDINALS) else str(number)
    ordinal = rf"(?:{number}(?:st|nd|rd|th)|(?i:{word}))"
    if seasons:
        cardinal = rf"(?:{number}|{CARDINALS[number] if number < len(CARDINALS) else number})"
        forms = [rf"{ordinal},? (?:[\w-]+,? ){{0,3}}?(?i:{_SEASON})"]
        forms.append(rf"(?i:{_SEASON}) (?:[\w,&]+ ){{0,3}}?(?i:{cardinal})")
    else:
        forms = [ordinal, rf"(?<=[a-z] ){number}", r"(?i:sequels?|prequels?|franchise)"]
    return re.compile(rf"\b(?:{'|'.join(forms)})\b")


def _what_passage_says(
    number: int, seasons: bool, texts: QuestionText
) -> tuple[tuple[str, str], ...] | None:
    """Return ``_TO_COME`` or ``_NEVER`` by the passage; None if the part is out, or unclear."""
    name = _naming(number, seasons)
    own = bool(re.search(rf"\((?:.*, )?{_SEASON} {number}\)$", texts.title))
    says: set[tuple[tuple[str, str], ...] | None] = set()
    for sentence in _SENTENCE_END.split(texts.passage):
        named = bool(name.search(sentence)) or own
        if named and _OUT.search(sentence):
            return None
        if named and _NOT_MADE.search(sentence):
            says.add(_NEVER)
        elif named:
            says.add(_TO_COME if _AHEAD.search(sentence) else None)
    says -= {None} if own else set()
    if says:
        return says.pop() if len(says) == 1 else None
    return _NEVER if seasons and _ended_before(number, texts.passage) else None


def _ended_before(number: int, passage: str) -> bool:
    """Whether a series has ended with the season before, and was not revived."""
    if not _OVER.search(passage) or _BACK.search(passage):
        return False
    last = number - 1
    return (
        last == 1
        or bool(_naming(last, seasons=True).search(passage))
        or any(_value(match["number"]) == last for match in _MANY.finditer(passage))
    )
