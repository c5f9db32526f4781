"""What the demo's classifiers of tweets are trained on, and what both are tested on."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("transformers", reason="needs mt-gate[export]")
pytest.importorskip("spacy", reason="needs mt-gate[suite]")

import train_demo_text
from text_tables import PAGE, tables
from train_demo_text import OFFENSIVE, TWEET_LABELS, Row, cleaned, moderation


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with 300 made-up tweets of each label."""
    with (tmp_path / "davidson_tweets.csv").open("w", encoding="utf-8", newline="") as file:
        sheet = csv.writer(file)
        sheet.writerow(("", "class", "tweet"))
        sheet.writerows((n, n % 3, f"tweet &amp; number {n},\nagain") for n in range(900))
    return tmp_path


def test_no_tweet_that_is_tested_on_is_trained_on(folder: Path) -> None:
    part = moderation(folder)
    held = part.test["all"]
    assert 60 < len(held) < 120
    assert not {*part.train} & {*held}
    assert {row.text for row in part.train} < {f"tweet & number {n},\nagain" for n in range(900)}
    counts = Counter(row.label for row in part.train)
    every = Counter(row.label for row in held) + counts
    assert every["hate_speech"] == every["neither"] == 300
    assert counts[TWEET_LABELS[1]] < 300 / OFFENSIVE * 1.5
    assert sum(len(part.test[label]) for label in TWEET_LABELS) == len(held)


def test_both_are_tested_on_tweets_as_they_are(folder: Path) -> None:
    one, other = (read() for read in train_demo_text.parts("moderation", folder).values())
    assert one.test == other.test
    assert len(one.train) == len(other.train)
    assert one.train == cleaned(other.train)


def test_the_usual_cleaning() -> None:
    texts = ("RT @Some_One: Soooo GOOD!!! http://t.co/a1 #yes 2day", "!!! @me 123", "party")
    rows = [Row(text, "neither") for text in texts]
    assert [row.text for row in cleaned(rows)] == ["soo good yes day", "party"]


def test_the_page_has_every_table(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, _ in tables(tmp_path, tmp_path):
        _, mark, rest = text.partition(f"<!-- table: {name} -->\n")
        assert mark, name
        assert rest.partition("<!-- end -->")[0].count("\n| --- |") == 1, name
