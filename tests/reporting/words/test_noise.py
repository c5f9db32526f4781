"""What moves a score, in words, and in the report."""

from __future__ import annotations

import msgspec

from mt_gate.reporting.words.noise import noise_in_words
from mt_gate.reporting.words.texts import relation_texts
from mt_gate.reporting.writers.html import report
from reporting import made_up


def test_each_way_of_asking_is_told_with_its_difference() -> None:
    assert noise_in_words({}) == ""
    assert noise_in_words({"repeated": 0.0, "graph": 3.0994e-06, "provider": 0.00123}) == (
        "0 asked again, 3.1e-06 operator by operator, 0.0012 on the CPU"
    )
    assert noise_in_words({"padded": 0.5}) == "0.5 padded"
    assert noise_in_words({"another": 1.0}) == "1 another"


def test_the_report_says_it_where_it_was_measured() -> None:
    result, rows = made_up.result(), made_up.rows()
    assert "Noise of scores" not in report(result, lambda: rows, relation_texts())
    noisy = msgspec.structs.replace(result, noise={"threads": 2e-6, "<b>": 1.0})
    page = report(noisy, lambda: rows, relation_texts())
    assert "<dt>Noise of scores</dt><dd>at most 2e-06 on other threads, 1 &lt;b&gt;</dd>" in page
