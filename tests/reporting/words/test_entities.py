from __future__ import annotations

import msgspec

from mt_gate.domain import Entity, EntityError, ErrorCategory, Side
from mt_gate.reporting.words import marks
from mt_gate.reporting.words.outputs import FOLLOW_UP, SOURCE, renderer
from mt_gate.results.result import GroupRow
from reporting import made_up

NER = renderer("ner")
ROWS = made_up.rows()


def broke_by_relation() -> dict[str, tuple[str, ...]]:
    return {row.relation: NER.broke(row) for row in reversed(ROWS[:4])}


def test_what_broke_is_told_in_words() -> None:
    assert broke_by_relation() == {
        "ner/token-replacement": ("LOC “Ljubljana” is lost",),
        "ner/phrase-replacement": ("LOC “Geneva” becomes ORG “Geneva”",),
        "ner/structural": ("LOC “Belarus” becomes ORG “Does Belarus”",),
        "ner/entity-shuffle": ("PER “Anna Weber” becomes ORG “Anna Weber”",),
    }


def test_an_entity_of_the_follow_up_alone_appears() -> None:
    texts = ("Rain fell.", "Snow fell.")
    row = made_up.row(1, "ner/token-replacement", texts, ((), (("Snow", "PER"),)))
    assert NER.broke(row) == ("PER “Snow” appears",)


def test_offsets_are_those_of_python() -> None:
    texts = ("🛫🛫 Oslo is far.", "🛫🛫 Oslo is near.")
    row = made_up.row(1, "ner/token-replacement", texts, ((("Oslo", "LOC"),), ()))
    assert marks.plain(NER.sentence(row, SOURCE)) == "🛫🛫 [Oslo LOC] is far."


def test_a_long_text_says_how_much_is_left_out() -> None:
    row = msgspec.structs.replace(ROWS[0], source={"text": "x" * 5000})
    assert marks.plain(NER.sentence(row, SOURCE)).endswith("x… (3,500 characters more)")


def test_a_row_without_follow_up_is_an_empty_sentence() -> None:
    row = msgspec.structs.replace(ROWS[0], follow_up=None, follow_up_output=None)
    assert marks.plain(NER.sentence(row, FOLLOW_UP)) == ""


def with_errors(*errors: EntityError) -> GroupRow:
    texts = ("Rome is near Oslo.", "Is Rome near Oslo?")
    row = made_up.row(1, "ner/structural", texts, ((("Oslo", "LOC"),), (("Oslo", "ORG"),)))
    return msgspec.structs.replace(row, errors=errors)


def test_the_kind_of_each_error_is_told_with_its_side() -> None:
    before, after = Entity(13, 17, "LOC"), Entity(13, 17, "ORG")
    row = with_errors(
        EntityError(category=ErrorCategory.INCORRECT_CATEGORY, source=before, follow_up=after),
        EntityError(category=ErrorCategory.OMISSION, side=Side.FOLLOW_UP, source=before),
        EntityError(category=ErrorCategory.UNDECIDED, follow_up=after),
    )
    assert NER.broke(row) == (
        "LOC “Oslo” becomes ORG “Oslo” (incorrect category)",
        "LOC “Oslo” is lost (omission in the follow-up)",
        "ORG “Oslo” appears (omission or over-labelling)",
    )


def test_errors_with_offsets_outside_their_sentence_are_told_without_words() -> None:
    far = Entity(-5, 10**9, "LOC")
    row = with_errors(EntityError(category=ErrorCategory.RANGE_ERROR, source=far))
    assert NER.broke(row) == ("LOC “Rome is near Oslo.” is lost (range error)",)
