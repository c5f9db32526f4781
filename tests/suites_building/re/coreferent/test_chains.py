"""Mentions in order: best first, each place once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mt_gate_suites.re.coreferent.chains import CoreferentMention, ranked


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 5), st.sampled_from([0.8, 0.9, 0.95]))),
    st.integers(0, 40),
)
def test_ranked_mentions_are_apart_and_best_first(
    places: list[tuple[int, int, float]], start: int
) -> None:
    mentions = [CoreferentMention(at, at + length, score, "name") for at, length, score in places]
    order = ranked(mentions, start)
    assert [one.score for one in order] == sorted((one.score for one in order), reverse=True)
    assert all(a.end <= b.start or b.end <= a.start for i, a in enumerate(order) for b in order[:i])
    assert bool(order) == bool(mentions)
