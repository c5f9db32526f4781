"""``will there be a season 8`` -> ``has there ever been a season 8``, and more ways to ask it.

Source: reading-comprehension MRs, section 4, MR1-2, from the future to the past.
Only what is numbered is taken, as there is one season 8. See ``tense_change``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from zlib import crc32

from mt_gate_suites.boolq.question import ParsedQuestion
from mt_gate_suites.boolq.tense.instalments import instalment
from mt_gate_suites.boolq.tense.standing import Standing, standing
from mt_gate_suites.grammar.edits import edited
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite
from mt_gate_suites.lexicons.numbers import CARDINALS, ORDINALS
from mt_gate_suites.lexicons.reading import mapping, word_set

_Edits = list[tuple[int, int, str]]

_GOING_TO = r"(?:going to|gonna)"
_EXISTS = re.compile(rf"^(?:will there (?:ever )?be|is there {_GOING_TO} be) (?P<what>an? .+)$")
_GETS = re.compile(
    rf"^(?:will (?P<will>.+?) (?:ever )?(?P<base>have|get|make|do|produce)"
    rf"|(?:is|are) (?P<going>.+?) {_GOING_TO} (?P<later>have|get|make|do|produce)"
    r"|(?:is|are) (?P<now>.+?) (?P<ing>making|getting|doing))"
    r" (?P<what>(?:an? |season |series ).+)$"
)
_RETURNS = re.compile(
    r"^(?:will (?P<will>.+?) (?P<base>return|come back)"
    r"|is (?P<now>.+?) (?P<ing>returning|coming back)) (?:for|with|in) (?P<what>.+)$"
)
_COMES_OUT = re.compile(
    r"^(?:will (?P<will>.+?) (?P<base>come out)|is (?P<now>.+?) (?P<ing>coming out))"
    r"(?: with (?P<what>.+))?$"
)
_DONE = mapping("boolq/events", "done")
_OTHERWISE = re.compile(
    r"\b(?:more|another|new|next|other|last|final|extra|second half|still|also|again|only|not|n't"
    r"|already|yet|(?:19|20)\d\d|this (?:year|season|summer|fall)|if|when|before|after|soon|or"
    r"|(?:\d+|two|three|four|five) and|any)\b"
)
_ARTICLE = re.compile(r"\b(?:a (?=[aeio]|8|11|18)|an (?![aeiouh8]|11|18|[flmnrsx][a-z]?\b))")
_PLURAL_WHO = frozenset({"they", "we", "you"})
_OF_EXISTENCE = {
    Standing.TO_COME: (
        ("has there already been", ""),
        ("has there been", " yet"),
        ("has there been", " already"),
    ),
    Standing.NEVER: (
        ("has there ever been", ""),
        ("was there ever", ""),
        ("did they ever make", ""),
        ("have they ever made", ""),
    ),
}


def future_to_past(question: ParsedQuestion) -> Rewrite | Refusal:
    """Turn a question for a numbered work that is not out into one of the past."""
    text = question.text
    found = next((m for p in _FRAMES if (m := p.match(text)) is not None), None)
    if found is None:
        return Refusal("no-single-event")
    what = found["what"] or found.groupdict().get("will") or found.groupdict().get("now") or ""
    if _OTHERWISE.search(text):
        return Refusal("may-recur")
    wanted = instalment(what)
    if wanted is None:
        return Refusal("no-single-event")
    if _ARTICLE.search(text) or not _is_known(question, what):
        return Refusal("malformed")
    told = standing(wanted, question.asked.passage, question.asked.title)
    if told is None:
        return Refusal("not-told")
    edits = _FRAMES[found.re](found, told)
    return edited(text, edits) if edits else Refusal("number-unclear")


def _existence(found: re.Match[str], told: Standing) -> _Edits:
    """``will there be`` -> ``has there ever been``, ``did they ever make``."""
    ways = _OF_EXISTENCE[told]
    front, tail = ways[crc32(found.string.encode()) % len(ways)]
    end = found.end("what")
    return [(0, found.start("what") - 1, front), *([(end, end, tail)] if tail else [])]


def _action(found: re.Match[str], told: Standing) -> _Edits:
    """``will NP have`` -> ``has NP ever had``; nothing where the number of NP is unclear."""
    parts = {name: text for name, text in found.groupdict().items() if text}
    name = next(name for name in ("will", "going", "now") if name in parts)
    who = parts[name].split()
    if "there" in who or not (has := _has(who, found.string)):
        return []
    verb = next(verb for verb in ("base", "later", "ing") if verb in parts)
    done = _DONE[parts[verb]]
    if told is Standing.TO_COME:
        # What is to come may have been made; it is not out.
        done = "released" if done in {"made", "produced", "done"} else done
    adverb = "already" if told is Standing.TO_COME else "ever"
    return [
        (0, found.start(name) - 1, has),
        (found.end(name) + 1, found.end(verb), f"{adverb} {done}"),
    ]


def _has(who: list[str], text: str) -> str:
    """Return the auxiliary that agrees with a subject; empty where that is unclear."""
    if who[0] in _PLURAL_WHO:
        return "have" if len(who) == 1 else ""
    if text.startswith("is "):
        return "has"
    return "" if who[-1].endswith("s") or text.startswith("are ") else "has"


def _is_known(question: ParsedQuestion, what: str) -> bool:
    """Whether the passage or its title writes the work's name: ``cobra kia`` is none of its words.

    The name stands after the number's ``of``, or is the rest of the phrase.
    """
    told = f"{question.asked.title} {question.asked.passage}".casefold()
    words = re.findall(r"[^\W\d_]{4,}", re.sub(r"^.*? (?:of|for) ", "", what).casefold())
    return all(word in told or word in _OF_PARTS for word in words)


_OF_PARTS = word_set("boolq/events", "parts").union(CARDINALS, ORDINALS)
_FRAMES: dict[re.Pattern[str], Callable[[re.Match[str], Standing], _Edits]] = {
    _EXISTS: _existence,
    _GETS: _action,
    _RETURNS: _action,
    _COMES_OUT: _action,
}
