"""A baseline of another suite, or of other groups, is named and not used."""

from __future__ import annotations

import msgspec
import pytest

from baselines.made import ROWS, SUITE, built, measured, static
from mt_gate.base.errors import CannotJudge
from mt_gate.baselines.schema import (
    AGREES,
    Anchor,
    Baseline,
    Units,
    check_arithmetic,
    check_covers,
    check_fits,
)
from mt_gate.baselines.writing import RunToRecord, build_baseline
from mt_gate.results.result import Result

RUN = {
    "swap": Units(False, {row.id for row in ROWS if not row.bound}),
    "bind": Units(True, {row.source_id for row in ROWS if row.bound}),
}


@pytest.mark.parametrize(
    ("units", "said"),
    [
        ({"other": Units(False, set())}, r"b.json has no relation other, but this run has it\."),
        ({"swap": Units(False, set())}, "swap: 0 of this run's 0 cases are not in the baseline,"),
        ({"swap": Units(False, {*RUN["swap"].ids, "x"})}, "swap: 1 of this run's 43 cases are"),
        ({"swap": Units(True, RUN["swap"].ids)}, "cases must be listed by original text"),
        ({"bind": Units(True, {"source-0000"})}, "0 of this run's 1 original texts are not in"),
    ],
)
def test_a_baseline_of_other_groups_cannot_judge(units: dict[str, Units], said: str) -> None:
    with pytest.raises(CannotJudge, match=said):
        check_covers(built(), units, "b.json")


def test_every_run_has_to_cover_and_an_anchor_what_it_has() -> None:
    of_two = built(ROWS, [row for row in ROWS if row.relation != "bind" or row.id[5] != "3"])
    with pytest.raises(CannotJudge, match=r"run 2: bind: 1 of this run's 20 original texts"):
        check_covers(of_two, RUN, "b.json")
    other = Anchor(name="ner", recorded="2025", runs=built(static("vs")).runs)
    with pytest.raises(CannotJudge, match=r"b\.json: its anchor: swap: 40 of this run's 42 cases"):
        check_covers(built(anchor=other), RUN, "b.json")
    check_covers(built(anchor=other), {"bind": RUN["bind"]}, "b.json")


@pytest.mark.parametrize("part", ["task", "name", "version", "sha256"])
def test_a_baseline_of_another_suite_cannot_judge(part: str) -> None:
    check_fits(built(), SUITE)
    other = msgspec.structs.replace(SUITE, **{part: "other"})
    words = part if part == "task" else f"suite {part}".removesuffix(" name")
    todo = "Pass a matching" if part in ("task", "name") else "Record a new"
    message = f"{words} {getattr(SUITE, part)}, but this run is for {words} other. {todo}"
    with pytest.raises(CannotJudge, match=rf"\ABaseline baselines/ner\.json is for {message}"):
        check_fits(built(), other, "baselines/ner.json")


AVX2, VNNI = ("avx2", "fma"), ("avx2", "avx512_vnni", "fma")


def computed(
    features: tuple[str, ...], noise: float, integers: bool = True
) -> tuple[Result, Baseline]:
    """A run on such a CPU, and the baseline that it would be recorded as."""
    result, verdicts = measured(ROWS)
    runtime = msgspec.structs.replace(
        result.checkpoint.runtime, cpu_features=features, integers=integers
    )
    result = msgspec.structs.replace(
        result,
        checkpoint=msgspec.structs.replace(result.checkpoint, runtime=runtime),
        settings=msgspec.structs.replace(result.settings, noise=noise),
    )
    return result, build_baseline([RunToRecord(result, verdicts)], "ner")


@pytest.mark.parametrize(
    ("now", "then"),
    [
        (computed(VNNI, 0.1), computed(VNNI, 0.1)),
        (computed(AVX2, AGREES), computed(VNNI, 1e-6)),
        (computed(AVX2, 0.1, integers=False), computed(VNNI, 0.1, integers=False)),
        (computed((), 0.1, integers=False), computed((), 0.1, integers=False)),
    ],
)
def test_integers_are_judged_on_a_like_cpu_or_where_they_agree(
    now: tuple[Result, Baseline], then: tuple[Result, Baseline]
) -> None:
    check_arithmetic(then[1], now[0], "b.json")
    check_arithmetic(now[1], then[0], "b.json")


@pytest.mark.parametrize(
    ("now", "then"),
    [
        (computed(AVX2, 0.09), computed(VNNI, 1e-6)),
        (computed(AVX2, 0.09, integers=False), computed(VNNI, 1e-6)),
        (computed(AVX2, 0.0), computed((), 0.0)),
        (computed((), 0.0), computed((), 0.0)),
    ],
)
def test_integers_of_another_cpu_cannot_judge(
    now: tuple[Result, Baseline], then: tuple[Result, Baseline]
) -> None:
    for baseline, result in ((then[1], now[0]), (now[1], then[0])):
        with pytest.raises(CannotJudge) as caught:
            check_arithmetic(baseline, result, "b.json")
        said = str(caught.value)
        assert said.startswith("b.json was recorded on a CPU with ")
        assert "Record a new baseline" in said
        assert "\n" not in said
