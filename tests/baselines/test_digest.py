"""The digest is that of the whole canonical text, however much of it is read at once."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mt_gate.base.jsonio import canonical
from mt_gate.baselines import digest
from mt_gate.baselines.digest import digest_of

KEYS = st.text(max_size=3)
IDS = st.sampled_from(["0123456789abcdef", "fedcba9876543210", "0123456789abcdeF", "\t", "0"])
VALUES = st.recursive(
    st.lists(IDS, max_size=4)
    | st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(-1, 1)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.sampled_from([0, 20, 1 << 16]))
@example({"runs": [{"b": ["1", "{"], "a": [[{}], [], {}]}, 3]}, 0)
def test_parts_are_those_of_the_whole(value: dict[str, Any], whole: int) -> None:
    expected = hashlib.sha256(canonical(value)).hexdigest()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digest, "_WHOLE", whole)
        for more in ({}, {"sha256": "said"}):
            text = json.dumps(value | more, indent=1)
            assert digest_of(text.encode()) == expected
            assert digest_of(json.dumps({**more, **value}).encode()) == expected
            spaced = json.dumps({**more, **value}, separators=("\r\n,\t ", " : "))
            assert digest_of(spaced.encode()) == expected
