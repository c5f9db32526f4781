"""Offensive words are masked, where a suite names them; the words here are harmless."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.domain import Alignment, Block
from mt_gate.suites.format import find_suite, masked_of, read_head, read_suite
from mt_gate.suites.offensive import Mask, digest_of
from mt_gate.tasks.text import TASK
from mt_gate_suites.text.transformation import common

MASK = Mask([digest_of("darn"), digest_of("heck")])


def masked(source: str, follow_up: str, alignment: Alignment | None = None) -> tuple[str, str]:
    blocks = common(source, follow_up) if alignment is None else alignment
    shown = MASK.group(TASK, {"text": source}, {"text": follow_up}, blocks)
    assert shown.follow_up is not None
    return shown.source["text"], shown.follow_up["text"]


def test_words_spelt_otherwise() -> None:
    assert masked("a darn thing", "a d4rn thing") == ("a da** thing", "a d4** thing")
    assert masked("a darn thing", "a d a r n thing")[1] == "a d * * * thing"
    assert masked("a d4rn thing", "a darn thing") == ("a d4** thing", "a da** thing")
    zero = "a da\u200brn thing"
    blocks = (Block(0, 0, 4), Block(4, 5, 8))
    assert masked("a darn thing", zero, blocks)[1] == "a d*\u200b** thing"
    assert masked("darn", "\u0501arn")[1] == "\u0501***"


blocks = st.builds(Block, *[st.integers(-5, 40)] * 3)


@given(st.text(max_size=30), st.text(max_size=30), st.lists(blocks, max_size=4))
def test_no_text_changes_its_length(source: str, follow_up: str, alignment: list[Block]) -> None:
    one, other = masked(f"darn {source}", f"{follow_up} heck", tuple(alignment))
    assert (len(one), len(other)) == (len(source) + 5, len(follow_up) + 5)
    assert one[0] == "d"


def test_what_the_moderation_suite_masks() -> None:
    suite = read_suite(find_suite("moderation-default"))
    mask = Mask(suite.head.offensive)
    shown = [mask.text(source.input["text"]) for source in suite.sources]
    assert 50 <= len(suite.head.offensive) <= 120
    assert sum("*" in text for text in shown) > 150
    assert "*" not in mask.text("Most people of this country get off at the next stop.")


def test_an_edit_is_never_hidden() -> None:
    for source, follow_up in (
        ("darn", "dam"), ("a darn dog", "a dang dog"), ("darn", "daarn"), ("heck", "h\u0435ck"),
        ("darn it", "darn\u200b it"), ("darn", "dran"), ("heck no", "hekc no"),
    ):  # fmt: skip
        one, other = masked(source, follow_up)
        assert one != other, (source, follow_up)
    assert masked("a heck dog", "a h3ck dog") == ("a he** dog", "a h3** dog")
    # Without an alignment, where both would look alike the characters that differ are shown.
    both = Mask([digest_of("darn"), digest_of("dank")])
    shown = both.group(TASK, {"text": "darn"}, {"text": "dank"}, ())
    assert shown == ({"text": "d*rn"}, {"text": "d*nk"})


def test_a_suite_of_the_user_s_is_masked_by_the_list_that_comes_with_mt_gate() -> None:
    shipped = msgspec.structs.replace(read_head(find_suite("ner-default")), offensive=())
    head = msgspec.structs.replace(shipped, name="own")
    own = masked_of(head)
    assert len(own) > 100
    assert digest_of("sh" + "it") in own
    assert masked_of(shipped) == ()
    assert masked_of(msgspec.structs.replace(head, offensive=("a" * 16,))) == ("a" * 16,)
    text = "an as" + "shole said so"
    assert Mask(own).text(text) == "an a****** said so"
