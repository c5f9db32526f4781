"""A run in which every text is an attack, for the tests of all writers."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from mt_gate.reporting.words.texts import RelationText
from mt_gate.results.result import GroupRow, Result
from mt_gate.settings.policy import Policy
from reporting import made_up

PAYLOAD = (
    "<script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"
    "\"'>]]>--><!--{{7*7}}{%x%}</textarea></style>\u202e\u2028\x00\x1b[31m\ud800|`@octo #1\n\r\n"
    "::error::x javascript:alert(1)"
)


def poison(value: object, path: str = "") -> object:
    """Return a decoded JSON value with every text but the enumerations replaced."""
    if isinstance(value, str):
        return value if path in KEPT else PAYLOAD
    if isinstance(value, dict):
        return {_key(k, path): poison(v, str(k)) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [poison(item, path) for item in value]
    return value


KEPT = frozenset({"verdict", "decision", "rule", "change", "task", "id", "relation", "how", "tier"})
_FREE_KEYS = frozenset({"not_applicable", "candidate", "max_violation_rate"})


def _key(key: str, path: str) -> str:
    return f"{key}{PAYLOAD}" if path in _FREE_KEYS else key


def result(clean: Result) -> Result:
    """Return a result with poisoned names, reasons, notes and settings."""
    labelled = clean.labelled and msgspec.structs.replace(clean.labelled, labels=PAYLOAD)
    plain = msgspec.structs.replace(clean.settings, policy=Policy())  # its names are looked up
    bare = msgspec.structs.replace(clean, labelled=None, settings=plain)  # its digest is no text
    found = msgspec.convert(poison(msgspec.to_builtins(bare)), Result)
    settings = msgspec.structs.replace(found.settings, policy=_policy(clean.settings.policy))
    return msgspec.structs.replace(found, labelled=labelled, settings=settings)


def _policy(clean: Policy) -> Policy:
    """Return a policy with poisoned groups, reasons and owners."""
    replace = msgspec.structs.replace
    return replace(
        clean,
        must_hold=tuple(
            replace(item, group=PAYLOAD, reason=PAYLOAD, owner=PAYLOAD) for item in clean.must_hold
        ),
        accepted=tuple(replace(item, reason=PAYLOAD, owner=PAYLOAD) for item in clean.accepted),
    )


def rows(clean: Sequence[GroupRow]) -> list[GroupRow]:
    """Return rows with poisoned sentences, labels and ids, entities still in place."""
    return [_row(row) for row in clean]


def _row(row: GroupRow) -> GroupRow:
    fields = {
        "id": row.id + PAYLOAD,
        "source_id": PAYLOAD,
        "reason": PAYLOAD,
        "source": {"text": row.source["text"] + PAYLOAD},
        "follow_up": {"text": (row.follow_up or {})["text"] + PAYLOAD},
        "source_output": poison(row.source_output),
        "follow_up_output": poison(row.follow_up_output),
        "unmatched": poison(row.unmatched),
    }
    return msgspec.structs.replace(row, **fields)


CATALOGUE = {
    name: RelationText(*(part + PAYLOAD for part in text))
    for name, text in made_up.CATALOGUE.items()
}
