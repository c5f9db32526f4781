"""Task text as its user meets it: checkpoints of all kinds, label map, thresholds, refusals."""

from __future__ import annotations

import gzip
import html
import json
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from conftest import check_refused
from making_stated import Pair, write_stated
from making_text import PAIRS, TWO, save_bag, save_classifier
from making_text import command as moderator
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION, USAGE
from mt_gate.suites.format import find_suite, read_head
from mt_gate.suites.offensive import Mask
from reporting import unpacked

SAME = {"text/added": {"kind": "same"}}
HATE: list[Pair] = [
    ({"text": f"the {thing} was {word}"}, {"text": f"the {thing} was {word} indeed"})
    for thing in ("film", "walk", "song", "dinner", "book", "play")
    for word in ("bad", "awful", "good", "fine", "so so")
]
WEIGHTS = {"bad": (0, 2), "awful": (0, 1), "good": (2, 0), "fine": (1, 0), "indeed": (0.5, 0)}
"""Of a classifier of two labels: "indeed" turns what is neither."""


@pytest.fixture
def gate(command: Callable, tmp_path: Path) -> Callable[..., Any]:
    """Run the gate on a suite of these relations and pairs; the last word says of what."""

    def run(
        tested: Path | str, stated: Mapping[str, Any], pairs: list[Pair], *more: Any, **about: Any
    ) -> Any:
        suite = tmp_path / "suite"
        write_stated(suite, "text", stated, pairs, **about)
        how = ("--system", tested) if isinstance(tested, str) else ("--checkpoint", tested)
        return command(
            *("run", *how, "--task", "text", "--suite", suite, "--out", tmp_path / "out"),
            *("--cache", tmp_path / "cache", *more),
        )

    return run


@pytest.fixture
def result(tmp_path: Path) -> Callable[[], Any]:
    return lambda: json.loads((tmp_path / "out" / "result.json").read_text())


@pytest.fixture
def rows(tmp_path: Path) -> Callable[[], list[Any]]:
    def read() -> list[Any]:
        packed = (tmp_path / "out" / "groups.jsonl.gz").read_bytes()
        return [*map(json.loads, gzip.decompress(packed).splitlines())]

    return read


@pytest.mark.export
@pytest.mark.parametrize(
    ("labels", "config"),
    [
        (("greet", "order", "cancel"), {}),
        (("toxic", "insult", "threat"), {"problem_type": "multi_label_classification"}),
    ],
)
def test_a_hugging_face_classifier(
    gate: Callable, result: Callable, rows: Callable, tmp_path: Path, labels: Any, config: Any
) -> None:
    pytest.importorskip("transformers", reason="needs mt-gate[export]")
    checkpoint = save_classifier(tmp_path / "made", labels, **config)
    done = gate(checkpoint, SAME, PAIRS)
    assert done.code == PASS, done
    (actual,) = result()["relations"]
    assert actual["groups"] == len(PAIRS)
    assert actual["applicable"] > 0
    for row in rows():
        output = row["source_output"]
        assert {*output["scores"]} == {*labels}
        if config:
            assert {*output["labels"]} == {
                label for label, score in output["scores"].items() if score >= 0.5
            }
        else:
            assert output["labels"] == [max(labels, key=lambda label: output["scores"][label])]
            assert sum(output["scores"].values()) == pytest.approx(1, abs=1e-5)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Title of text/added" in page


@pytest.mark.export
def test_a_pair_classifier(gate: Callable, result: Callable, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs mt-gate[export]")
    checkpoint = save_classifier(tmp_path / "made", ("no", "yes"))
    refused = gate(checkpoint, {"text/order": {"kind": "same"}}, TWO)
    assert refused.code == CANNOT_JUDGE
    assert "reads single texts, but the inputs are pairs" in refused.err
    assert '"input_form": "text-pair"' in refused.err
    (checkpoint / "input_form.json").write_text('{"input_form": "text-pair"}')
    done = gate(checkpoint, {"text/order": {"kind": "same"}}, TWO)
    assert done.code == PASS, done
    assert result()["relations"][0]["applicable"] == len(TWO)


@pytest.mark.export
def test_a_regression_score(
    gate: Callable, result: Callable, rows: Callable, tmp_path: Path
) -> None:
    pytest.importorskip("transformers", reason="needs mt-gate[export]")
    checkpoint = save_classifier(tmp_path / "made", ("LABEL_0",), problem_type="regression")
    (checkpoint / "input_form.json").write_text(
        '{"input_form": "text-pair", "score_range": [-4, 4]}'
    )
    rule = {"text/order": {"kind": "within", "label": "likeness", "by": 0.05}}
    likeness = ("--label-map", "likeness=LABEL_0")
    done = gate(checkpoint, rule, TWO, *likeness, labels=("likeness",))
    assert done.code == PASS, done
    assert result()["relations"][0]["applicable"] == len(TWO)
    for row in rows():
        before, after = (
            row[side]["scores"]["likeness"] for side in ("source_output", "follow_up_output")
        )
        assert row["source_output"]["labels"] == []
        assert (row["verdict"] == "violated") is (abs(before - after) > 0.05)
    refused = gate(checkpoint, {"text/order": {"kind": "same"}}, TWO)
    assert refused.code == CANNOT_JUDGE
    assert "returns only a score" in refused.err
    decided = gate(checkpoint, {"text/order": {"kind": "same"}}, TWO, "--threshold", "0.5")
    assert decided.code == PASS, decided


def test_the_map_says_which_label_is_meant(gate: Callable, rows: Callable, tmp_path: Path) -> None:
    model = save_bag(tmp_path / "made", ("LABEL_0", "LABEL_1"), WEIGHTS)
    rule = {"text/added": {"kind": "not", "labels": {"hateful": ["fair"]}}}
    suite = {"labels": ("hateful", "fair")}
    refused = gate(model, rule, HATE, **suite)
    assert refused.code == CANNOT_JUDGE
    assert "needs label 'hateful', but the model has no such label" in refused.err
    assert "LABEL_0, LABEL_1" in refused.err
    assert "\n" not in refused.err.strip()
    assert "--label-map 'hateful=LABEL,fair=LABEL'" in refused.err, "no label is guessed"
    refused = gate(model, rule, HATE, "--label-map", "hateful=LABEL_1", **suite)
    assert refused.code == CANNOT_JUDGE
    assert "needs label 'fair', but the label map lacks it" in refused.err
    assert "--label-map 'hateful=LABEL_1,fair=LABEL'" in refused.err
    misspelt = gate(model, rule, HATE, "--label-map", "hatefull=LABEL_1,fair=LABEL_0", **suite)
    assert misspelt.code == CANNOT_JUDGE
    assert "lacks it (is its 'hatefull' a typo for hateful?). The labels of" in misspelt.err
    assert "--label-map 'hateful=LABEL_1,fair=LABEL_0'" in misspelt.err
    done = gate(model, rule, HATE, "--label-map", "hateful=LABEL_1,fair=LABEL_0", **suite)
    assert done.code == PASS, done
    verdicts = {row["source"]["text"].split()[-1]: row["verdict"] for row in rows()}
    assert verdicts == {
        "bad": "satisfied",
        "awful": "satisfied",
        "good": "not-applicable",
        "fine": "not-applicable",
        "so": "not-applicable",
    }


def test_labels_that_the_suite_does_not_name_have_thresholds_and_count(
    gate: Callable, rows: Callable, tmp_path: Path
) -> None:
    card = {"activation": "sigmoid"}
    model = save_bag(tmp_path / "made", ("toxic", "insult"), {"indeed": (0, -3)}, card)
    rule = {
        "text/added": {"kind": "same"},
        "text/near": {"kind": "within", "label": "toxic", "by": 1},
    }
    done = gate(model, rule, HATE, "--threshold", "insult=0.4,toxic=0.6", labels=("toxic",))
    assert done.code == PASS, done
    verdicts = {(row["relation"], row["verdict"]) for row in rows()}
    assert verdicts == {("text/added", "violated"), ("text/near", "satisfied")}
    refused = gate(model, rule, HATE, "--threshold", "isult=0.4", labels=("toxic",))
    assert refused.code == USAGE
    assert "'isult' is not a label of checkpoint made. Its labels," in refused.err


def test_the_threshold_decides(
    gate: Callable, result: Callable, rows: Callable, tmp_path: Path
) -> None:
    model = save_bag(tmp_path / "made", ("fair", "hateful"), WEIGHTS)
    suite = {"labels": ("hateful", "fair")}
    rule = {"text/added": {"kind": "same", "when": {"label": "hateful"}}}
    plain = gate(model, rule, HATE, **suite)
    mark = result()["checkpoint"]["fingerprint"]
    assert plain.code == PASS
    strict = gate(model, rule, HATE, "--threshold", "hateful=0.85", **suite)
    assert strict.code == PASS, strict
    assert result()["checkpoint"]["fingerprint"] != mark
    assert result()["checkpoint"]["reading"] == "threshold hateful=0.85"
    assert "Threshold hateful=0.85" in result()["notes"]
    by_word = {row["source"]["text"].split()[-1]: row for row in rows()}
    assert by_word["bad"]["source_output"]["labels"] == ["hateful"]
    assert by_word["bad"]["verdict"] == "violated"  # 0.88 becomes 0.82
    assert by_word["awful"]["source_output"]["labels"] == ["fair"]
    assert by_word["awful"]["source_output"]["scores"]["hateful"] == pytest.approx(0.731, abs=1e-3)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "hateful 0.88" in page


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (("--label-map", "hateful="), USAGE, "one name or more"),
        (("--label-map", "hateful=LABEL_7"), USAGE, "'LABEL_7' is not a label of checkpoint made"),
        (("--label-map", "a=LABEL_0,b=LABEL_0"), USAGE, "'LABEL_0' is mapped to both a and b"),
        (("--threshold", "LABEL_1=1.5"), USAGE, "from 0 to 1"),
        (
            ("--threshold", "LABEL_0=0.5,LABEL_1=0.5"),
            USAGE,
            "so only one label may have a threshold (got 2, of 'LABEL_0, LABEL_1'",
        ),
        (("--threshold", "0.5"), USAGE, "so only one label may have a threshold (got one for all"),
        (("--threshold", "toxic=0.5"), USAGE, "'toxic' is not a label of checkpoint made"),
    ],
)
def test_settings_that_mean_nothing_are_one_line(
    gate: Callable, tmp_path: Path, more: tuple[str, ...], code: int, words: str
) -> None:
    model = save_bag(tmp_path / "made", ("LABEL_0", "LABEL_1"), WEIGHTS)
    check_refused(gate(model, SAME, HATE, *more), code, words)
    assert not (tmp_path / "out" / "result.json").exists()


def test_a_program(gate: Callable, result: Callable, rows: Callable, tmp_path: Path) -> None:
    rule = {
        "text/added": {"kind": "same"},
        "text/no-worse": {"kind": "within", "label": "toxic", "by": 0.2},
    }
    done = gate(moderator(tmp_path / "program"), rule, HATE, labels=("toxic",))
    assert done.code == PASS, done
    same, within = result()["relations"]
    assert same["applicable"] == sum(" bad" in pair[0]["text"] for pair in HATE)
    assert within["applicable"] == len(HATE)
    assert {tuple(row["source_output"]["labels"]) for row in rows()} == {("toxic",), ()}
    high = gate(moderator(tmp_path / "program"), rule, HATE, "--threshold", "toxic=0.8")
    assert high.code == CANNOT_JUDGE  # the suite has no labels any more: its rule names one


def test_a_program_that_never_names_a_label_of_the_suite(gate: Callable, tmp_path: Path) -> None:
    program = moderator(tmp_path / "program")
    rule = {"text/no-worse": {"kind": "within", "label": "toxicc", "by": 0.2}}
    words = ("needs label 'toxicc', but the model never predicts it", "--label-map 'toxicc=LABEL'")
    check_refused(gate(program, rule, HATE, labels=("toxicc",)), CANNOT_JUDGE, *words)
    mapped = gate(program, rule, HATE, "--label-map", "toxicc=toxic", labels=("toxicc",))
    assert mapped.code == PASS, mapped


def test_a_worse_checkpoint_fails_the_build(
    gate: Callable, command: Callable, tmp_path: Path
) -> None:
    """Baseline, gate, reports: all from the suite, with no code for its relation."""
    texts: list[Pair] = [
        ({"text": f"the {at} film was bad"}, {"text": f"the {at} film was bad indeed"})
        for at in range(120)
    ]
    good = save_bag(tmp_path / "good", ("fair", "hateful"), WEIGHTS)
    worse = save_bag(tmp_path / "worse", ("fair", "hateful"), {**WEIGHTS, "indeed": (3, 0)})
    assert gate(good, SAME, texts).code == PASS
    recorded = command(
        *("baseline", "record", tmp_path / "out" / "result.json", "--name", "text"),
        *("--dir", tmp_path / "baselines"),
    )
    assert recorded.code == PASS, recorded
    done = gate(worse, SAME, texts, "--baseline", tmp_path / "baselines" / "text.json")
    assert done.code == REGRESSION, done
    out = tmp_path / "out"
    for name in ("report.html", "summary.md", "junit.xml"):
        assert "Title of text/added" in (out / name).read_text(), name
    assert "“hateful” becomes “fair”" in (out / "junit.xml").read_text()
    again = command("report", out / "result.json", "--format", "markdown")
    assert "Title of text/added" in again.out


def flags_everything(folder: Path) -> str:
    """Write a program that calls every text hateful; return the command that starts it."""
    program = folder / "flag.py"
    program.write_text(
        "import json, sys\n"
        "print(json.dumps({'system': {'name': 'flag', 'fingerprint': '1'}}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    answer = {'id': json.loads(line)['id'], 'labels': ['hateful']}\n"
        "    print(json.dumps(answer), flush=True)\n"
    )
    return f"command:{sys.executable} {program}"


@pytest.mark.parametrize("mask", [True, False])
def test_offensive_words_are_masked_by_default(
    mask: bool, command: Callable, tmp_path: Path, rows: Callable
) -> None:
    """In every report; rows keep them. A word is found by what its suite masks of a text."""
    answer = command(
        *("run", "--system", flags_everything(tmp_path), "--task", "text"),
        *("--suite", "moderation-default", "--relations", "text/counter-speech"),
        *("--out", tmp_path / "out", "--cache", tmp_path / "cache"),
        *([] if mask else ["--no-mask-offensive"]),
    )
    assert answer.code == PASS, answer.err
    hidden = Mask(read_head(find_suite("moderation-default")).offensive)
    texts = {row["source"]["text"] for row in rows()}
    masked = {text for text in texts if hidden.text(text) != text}
    assert len(masked) > 20, "rows keep the words"
    page = (tmp_path / "out" / "report.html").read_text()
    shown = [html.unescape(re.sub("<[^>]+>", "", group)) for group in unpacked.groups(page)]
    reports = [(tmp_path / "out" / name).read_text() for name in ("junit.xml", "summary.md")]
    everything = "\n".join([*shown, *map(html.unescape, reports), page, answer.out, answer.err])
    assert any(text in everything for text in masked) is not mask
    assert any(hidden.text(text) in everything for text in masked) is mask
    again = command("report", tmp_path / "out", "--format", "markdown").out
    assert not (mask and any(text in html.unescape(again) for text in masked))


@pytest.mark.parametrize("own", [False, True], ids=["threshold-before", "none-before"])
def test_a_changed_threshold_asks_nothing_again_and_is_named_first(
    gate: Callable, command: Callable, result: Callable, tmp_path: Path, own: bool
) -> None:
    weights = {word: (second - first,) for word, (first, second) in WEIGHTS.items()}
    model = save_bag(tmp_path / "made", ("hateful",), weights, {"activation": "sigmoid"})
    before = () if own else ("--threshold", "hateful=0.5")
    assert gate(model, SAME, HATE, *before, labels=("hateful",)).code == PASS
    unique = result()["predictions"]["unique"]
    record = ("baseline", "record", tmp_path / "out", "--name", "b", "--dir", tmp_path)
    assert command(*record, "--accept", "a test").code == PASS
    by = ("--baseline", tmp_path / "b.json", "--threshold", "hateful=0.05")
    done = gate(model, SAME, HATE, *by, labels=("hateful",))
    actual = result()
    assert actual["predictions"]["cached"] == unique == actual["predictions"]["unique"]
    was = "its default" if own else "0.5"
    sentence = f"The threshold for hateful changed from {was} to 0.05. The checkpoint is the same."
    assert actual["baseline"]["rereading"] == sentence
    assert sentence in " ".join(done.out.split())
    for name in ("summary.md", "report.html", "junit.xml"):
        text = html.unescape((tmp_path / "out" / name).read_text())
        assert sentence in text, name


def test_the_report_s_commandrepeats_the_run(
    gate: Callable, command: Callable, result: Callable, rows: Callable, tmp_path: Path
) -> None:
    made = save_bag(tmp_path / "models" / "made", ("a", "b"), WEIGHTS, {"activation": "softmax"})
    reading = ("--label-map", "hateful=b,fair=a", "--threshold", "hateful=0.3")
    more = ("--max-length", "20", "--precision", "fp32", "--sources", "20", "--strict")
    about = {"labels": ("hateful", "fair")}
    first = gate(made, SAME, HATE, *reading, *more, **about)
    assert first.code == PASS, first
    before, seen = result(), rows()
    page = (tmp_path / "out" / "report.html").read_text()
    shown = page.partition('<code class="command">')[2].partition("</code>")[0]
    program, *words = shlex.split(html.unescape(shown))
    assert program == "mt-gate"
    again = command(*words, "--out", tmp_path / "out", "--cache", tmp_path / "other")
    assert again.code == first.code, again
    assert again.out == first.out
    after = result()
    for name in ("settings", "suite", "checkpoint", "relations", "overall", "options"):
        assert after[name] == before[name]
    assert [row | {"run": ""} for row in rows()] == [row | {"run": ""} for row in seen]


@pytest.mark.parametrize("masks", [True, False])
def test_offensive_words_of_a_user_s_suite_are_masked(
    gate: Callable, command: Callable, rows: Callable, tmp_path: Path, masks: bool
) -> None:
    word = "sh" + "it"
    pairs: list[Pair] = [
        ({"text": f"{word} film {n} bad"}, {"text": f"sh1t film {n} bad indeed indeed indeed"})
        for n in range(9)
    ]
    weights = {"bad": (0, 1), "indeed": (1, 0)}
    model = save_bag(tmp_path / "made", ("fair", "hateful"), weights, {"max_length": 30})
    shown = () if masks else ("--no-mask-offensive",)
    assert gate(model, SAME, pairs, *shown).code == PASS
    assert all(row["source"]["text"].startswith(word) for row in rows())
    assert {row["verdict"] for row in rows()} == {"violated"}
    sheets = tmp_path / "sheets"
    drawn = command("suite", "audit", tmp_path / "suite", "--out", sheets, *shown)
    assert drawn.code == PASS, drawn
    listed = command("suite", "show", tmp_path / "suite", "--groups", "2", *shown)
    texts = [(tmp_path / "out" / name).read_text() for name in ("summary.md", "junit.xml")]
    texts += [path.read_text() for path in sheets.iterdir()] + [listed.out]
    assert any(word in text for text in texts) != masks
    (sheet,) = sheets.glob("*.csv")
    marked = sheet.read_text().replace(",,\n", ",acceptable,\n")
    sheet.write_text(marked)
    read = command("suite", "audit", tmp_path / "suite", "--read", sheet)
    assert "with the same texts" not in read.err
