"""Shards merged are the whole run, byte for byte; what does not belong together is refused."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from cases import table
from making_boolq import make_boolq_suite, save_word_pair
from making_stated import write_stated
from making_text import PAIRS, save_bag
from making_text import command as moderator
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION, USAGE
from mt_gate.demo import CHECKPOINTS
from mt_gate.running import systems
from mt_gate.running.predicting import unpacked
from mt_gate.settings.record import SETTINGS
from mt_gate.sharding.answering import SETTINGS_OF_SHARD, read_answers, read_shard, write_shard
from mt_gate.sharding.merging import JUDGING
from mt_gate.suites.format import read_suite, write_suite
from mt_gate.sut import onnx
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.protocol import Prediction
from sharding.shards import files, in_shards
from speeds import first_daily

SAME = {"text/added": {"kind": "same"}}
WEIGHTS = {"was": (1.5, 0), "friend": (0, 2), "anna": (1, 0)}


@pytest.fixture
def ner(small: Path, suite: Path) -> list[object]:
    return ["--checkpoint", small, "--task", "ner", "--suite", suite]


def boolq(folder: Path) -> list[object]:
    checkpoint, suite = save_word_pair(folder / "pairs"), make_boolq_suite(folder / "questions")
    return ["--checkpoint", checkpoint, "--task", "boolq", "--suite", suite]


def relations(folder: Path) -> list[object]:  # noqa: ARG001 - a real checkpoint
    checkpoint = next(path for path in sorted(CHECKPOINTS.iterdir()) if path.name.startswith("re"))
    return ["--checkpoint", checkpoint, "--task", "re", "--sources", 40]


def classifier(folder: Path) -> list[object]:
    suite = write_stated(folder / "texts", "text", SAME, PAIRS)
    checkpoint = save_bag(folder / "bag", ("LABEL_0", "LABEL_1"), WEIGHTS)
    return ["--checkpoint", checkpoint, "--task", "text", "--suite", suite]


def program(folder: Path) -> list[object]:
    suite = write_stated(folder / "texts", "text", SAME, PAIRS)
    return ["--system", moderator(folder), "--task", "text", "--suite", suite]


def of_two_corpora(folder: Path) -> None:
    """Have every third source of a suite come from poems."""
    suite = read_suite(folder)
    sources = [
        source if at % 3 else replace(source, origin="poems")
        for at, source in enumerate(suite.sources)
    ]
    (corpus,) = suite.head.sources
    corpora = (corpus, replace(corpus, name="poems"))
    write_suite(folder, replace(suite.head, sources=corpora), sources, suite.groups)


def check_alike(mt_gate: Callable, run: list[object], *numbers: int) -> list[Path]:
    """Fail unless shards merged are the whole run; return the folders of the last number."""
    whole = mt_gate("run", *run, "--out", "whole", "--cache", "own")
    assert whole.code == PASS, whole.err
    folders: list[Path] = []
    for of in numbers:
        folders = in_shards(mt_gate, of, run, "shard")
        merged = mt_gate("merge", *reversed(folders), "--out", "merged")
        assert merged.code == PASS, merged.err
        assert files(Path("merged")) == files(Path("whole")), of
    return folders


@pytest.mark.parametrize("run", first_daily([boolq, program, relations, classifier], 2))
def test_merged_shards_of_every_task_are_the_whole_run(
    mt_gate: Callable, tmp_path: Path, run: Callable
) -> None:
    check_alike(mt_gate, run(tmp_path), 3)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param(["--relations", "ner/structural"], marks=pytest.mark.nightly),
        pytest.param(["--exclude", "poems"], marks=pytest.mark.nightly),
        ["--sources", 8, "--max-length", 60],
    ],
)
def test_shards_with_settings_other_than_the_defaults(
    mt_gate: Callable, ner: list[object], suite: Path, more: list[object]
) -> None:
    of_two_corpora(suite)
    check_alike(mt_gate, [*ner, *more], 2)


@pytest.mark.parametrize(("tokens", "threads"), first_daily([(40, 2), (1024, 2), (200, 1)]))
def test_neither_number_nor_batches_of_shards_matter(
    mt_gate: Callable, ner: list[object], monkeypatch: pytest.MonkeyPatch, tokens: int, threads: int
) -> None:
    monkeypatch.setattr(
        systems, "ConfinedCheckpoint", lambda *arguments: OnnxSystem(*arguments[:5])
    )
    monkeypatch.setitem(onnx.TOKENS_A_BATCH, "cpu", tokens)
    check_alike(mt_gate, [*ner, "--threads", threads], 1, 2, 7)


def test_judged_by_a_baseline(
    mt_gate: Callable, ner: list[object], worse: Path, tmp_path: Path
) -> None:
    """A loss: verdict, exit code, limits, labels and reports are the whole run's."""
    mt_gate("run", *ner, "--out", "first")
    lines = gzip.decompress((tmp_path / "first" / "groups.jsonl.gz").read_bytes()).splitlines()
    rows = [json.loads(line) for line in lines]
    gold = {row["source"]["text"]: row["source_output"]["entities"] for row in rows}
    labels = [json.dumps({"text": text, "entities": actual}) for text, actual in gold.items()]
    (tmp_path / "gold.jsonl").write_text("\n".join(labels))
    mt_gate("run", *ner, "--labels", "gold.jsonl", "--out", "first")
    mt_gate("baseline", "record", "first", "--name", "ner")
    options = ["--checkpoint", worse, *ner[2:], "--labels", "gold.jsonl"]
    judging = ["--baseline", "baselines/ner.json", "--strict", "--max-churn", "0.5"]
    whole = mt_gate("run", *options, *judging, "--out", "whole", "--cache", "own")
    assert whole.code == REGRESSION
    # What judges is none of a shard's business: the file of the baseline need not be there.
    unread = [*options, "--baseline", "nowhere.json", "--strict"]
    folders = in_shards(mt_gate, 4, unread, "shard")
    merged = mt_gate("merge", *folders, *judging, "--out", "merged")
    assert merged.code == REGRESSION, merged.err
    assert files(tmp_path / "merged") == files(tmp_path / "whole")
    assert merged.out.replace("merged", "whole") == whole.out
    assert mt_gate("merge", *folders, "--baseline", "nowhere.json").code == CANNOT_JUDGE
    other = mt_gate("merge", *folders, "--labels", "baselines/ner.json")
    assert other.code == CANNOT_JUDGE
    assert "is not the file that the shards had" in other.err
    assert not (tmp_path / "mt-gate-out").exists()


@pytest.mark.parametrize("named", ["/etc/passwd", "/proc/self/pagemap", "../out.jsonl", "link"])
def test_labels_that_only_a_shard_names_lie_below_the_working_folder(
    mt_gate: Callable, ner: list[object], tmp_path: Path, named: str
) -> None:
    """A stranger's shard learns nothing of other files, and keeps no merge from ending."""
    (tmp_path / "link").symlink_to("/etc/passwd")
    [folder] = in_shards(mt_gate, 1, ner, "shard")
    head = replace(read_shard(folder), labels_named=named, labels_sha256="0" * 64)
    answers = [(answer.key, answer.is_predicted, unpacked(answer.packed)) for answer in
               read_answers(folder, head)]  # fmt: skip
    write_shard(folder, head, answers)
    refused = mt_gate("merge", folder)
    assert refused.code == CANNOT_JUDGE
    assert "outside the working folder" in refused.err
    assert len(refused.err.splitlines()) == 1
    mine = mt_gate("merge", folder, "--labels", named)
    assert mine.code == CANNOT_JUDGE
    said = ("sha256 000000000000", "holds no data", "does not exist", "a link out of")
    assert any(words in mine.err for words in said)


def test_what_was_cached_counts_as_in_one_run(
    mt_gate: Callable, ner: list[object], tmp_path: Path
) -> None:
    """Where a cache knew half, it knew half of the whole run."""
    half = [*ner, "--relations", "ner/structural"]
    for cache in ("own", "shard-1-of-2", "shard-2-of-2"):
        mt_gate("run", *half, "--cache", cache)
    check_alike(mt_gate, ner, 2)
    counts = json.loads((tmp_path / "whole" / "result.json").read_text())["predictions"]
    assert 0 < counts["cached"] < counts["unique"]


def test_a_shard_that_cannot_be_run_is_refused(mt_gate: Callable, ner: list[object]) -> None:
    assert mt_gate("run", *ner[:-1], "nowhere", "--shard", "1/2").code == USAGE
    assert mt_gate("run", *ner, "--shard", "3/2").code == USAGE
    both = mt_gate("run", *ner, "--shard", "1/2", "--against", ner[1])
    assert both.code == USAGE
    assert "needs two" in both.err


ANSWERS = "answers.jsonl.gz"


def edited(folder: Path, **fields: object) -> None:
    path = folder / "shard.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.fixture
def halves(mt_gate: Callable, ner: list[object]) -> list[Path]:
    """The folders of two shards that belong together."""
    return in_shards(mt_gate, 2, ner, "half")


class TestRefusals:
    """One line each, exit code 3, and no new result; an older one is untouched."""

    @pytest.fixture
    def refused(self, mt_gate: Callable, tmp_path: Path) -> Callable[..., str]:
        def merge(*arguments: object) -> str:
            out = tmp_path / "mt-gate-out"
            out.mkdir(exist_ok=True)
            (out / "result.json").write_text("of yesterday")
            done = mt_gate("merge", *arguments)
            assert done.code == CANNOT_JUDGE, done
            assert done.err.count("\n") == 1
            assert [path.read_text() for path in out.iterdir()] == ["of yesterday"]
            return str(done.err)

        return merge

    def test_which_folders(
        self, mt_gate: Callable, refused: Callable, ner: list[object], halves: list[Path]
    ) -> None:
        mt_gate("run", *ner, "--out", "whole")
        again = shutil.copytree(halves[0], "again")
        assert "Missing of 2 shards: 2." in refused(halves[0])
        assert "are both shard 1/2" in refused(*halves, again)
        assert "is the folder of a whole run" in refused(halves[0], "whole")
        assert "does not exist" in refused(halves[0], "nowhere")

    @pytest.mark.parametrize(("more", "words"), table(__file__, "of_another_run"))
    def test_of_another_run(
        self,
        mt_gate: Callable,
        request: pytest.FixtureRequest,
        ner: list[object],
        halves: list[Path],
        more: list[object],
        words: str | None,
    ) -> None:
        mt_gate("run", *ner, *more, "--shard", "2/2", "--out", "other")
        if words is None:  # threads are the machine's
            assert mt_gate("merge", halves[0], "other").code == PASS
            return
        assert words in request.getfixturevalue("refused")(halves[0], "other")

    def test_of_another_checkpoint(
        self,
        mt_gate: Callable,
        refused: Callable,
        ner: list[object],
        worse: Path,
        halves: list[Path],
    ) -> None:
        other = worse.rename(worse.with_name("bert"))
        mt_gate("run", "--checkpoint", other, *ner[2:], "--shard", "2/2", "--out", "other")
        assert "fingerprint of shard 2/2 is" in refused(halves[0], "other")

    def test_of_another_release(
        self,
        mt_gate: Callable,
        refused: Callable,
        ner: list[object],
        halves: list[Path],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        from mt_gate.results.result import Tool
        from mt_gate.sharding import answering

        monkeypatch.setattr(answering, "TOOL", Tool(name="mt-gate", version="99.0"))
        mt_gate("run", *ner, "--shard", "2/2", "--out", "other")
        assert "mt-gate version of shard 2/2 is '99.0'" in refused(halves[0], "other")
        mt_gate("run", *ner, "--shard", "1/1", "--out", "other")
        assert "mt-gate '99.0' wrote other" in refused("other")

    @pytest.mark.parametrize(
        ("damage", "words"),
        [
            (lambda one, _: (one / "shard.json").unlink(), "no shard.json"),
            (lambda one, _: (one / ANSWERS).unlink(), f"{ANSWERS} does not exist"),
            (lambda one, other: shutil.copy(other / ANSWERS, one / ANSWERS), f"{ANSWERS}: "),
            (lambda one, _: os.truncate(one / ANSWERS, 30), f"{ANSWERS}: "),
            (lambda one, _: edited(one, noise={"threads": 1e-9}), "changed after it was written"),
            (lambda one, _: edited(one, format=2), "shard format 2, but this release reads 1."),
        ],
    )
    def test_damaged(
        self, refused: Callable, halves: list[Path], damage: Callable, words: str
    ) -> None:
        damage(halves[1], halves[0])
        assert words in refused(*halves)

    def test_answers_that_are_none(self, refused: Callable, halves: list[Path]) -> None:
        """As an attacker who wrote both files again."""
        shard = read_shard(halves[0])
        keys = [answer.key for answer in read_answers(halves[0], shard)]
        odd = [(key, True, Prediction({"entities": "none"})) for key in keys]
        write_shard(halves[0], replace(shard, digest=None), odd)
        assert "rows that mt-gate did not write" in refused(*halves)
        write_shard(halves[0], replace(shard, digest=None), odd[:-1])
        assert "The shards have no prediction for an input" in refused(*halves)

    def test_another_suite_or_other_settings_here(
        self, refused: Callable, ner: list[object], halves: list[Path], tmp_path: Path
    ) -> None:
        from making import SENTENCES, make_suite

        other = make_suite(tmp_path / "other", SENTENCES[:9])
        assert "is not the suite of the shards: made-up" in refused(*halves, "--suite", other)
        shutil.rmtree(str(ner[-1]))
        shutil.copytree(other, str(ner[-1]))
        assert "is not the suite of the shards: made-up" in refused(*halves)
        Path("mt-gate.toml").write_text("sources = 5\n")
        assert "sources is 5 here, but the shards ran with none" in refused(*halves)


def test_the_result_goes_to_a_folder_of_its_own(mt_gate: Callable, halves: list[Path]) -> None:
    done = mt_gate("merge", *halves, "--out", halves[1])
    assert done.code == USAGE
    assert "the folder of a shard" in done.err
    assert (halves[1] / "shard.json").is_file()


def test_a_secret_in_an_answer_is_not_stored(
    mt_gate: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is hidden could not be judged: the shard is refused, and leaves nothing."""
    monkeypatch.setenv("OUR_TOKEN", "moderation-by-us")
    path = tmp_path / "answering.py"
    path.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    found = {'id': json.loads(line)['id'], 'labels': ['moderation-by-us']}\n"
        "    print(json.dumps(found), flush=True)\n"
    )
    suite = write_stated(tmp_path / "texts", "text", SAME, PAIRS)
    options = ["--system", f"command:{sys.executable} {path}", "--task", "text", "--suite", suite]
    done = mt_gate("run", *options, "--shard", "1/1", "--out", "shard")
    assert done.code == CANNOT_JUDGE
    assert "A prediction contains the value of a secret" in done.err
    assert "moderation-by-us" not in done.err
    assert not (tmp_path / "shard").exists()


def test_a_secret_in_a_setting_is_not_stored(
    mt_gate: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards could not be compared with each other, nor with the settings of their merge."""
    monkeypatch.setenv("OUR_TOKEN", "hate_speech")
    suite = write_stated(tmp_path / "texts", "text", SAME, PAIRS)
    options = ["--system", moderator(tmp_path), "--task", "text", "--suite", suite]
    options += ["--label-map", "calm=hate_speech", "--shard", "1/1", "--out", "shard"]
    done = mt_gate("run", *options)
    assert done.code == CANNOT_JUDGE
    assert "The value of a secret in the environment is" in done.err
    assert not (tmp_path / "shard").exists()


def test_every_setting_has_one_of_three_uses() -> None:
    """Another setting has to be put where it belongs: else shards might differ in it unseen."""
    answering = {
        *("checkpoint", "system", "against", "device", "threads", "timeout", "max_memory"),
        *("base_precision", "base_device", "base_threads", "base_prompt", "system_environment"),
        *("cache", "endpoint", "prompt", "repeats", "concurrency", "max_requests", "max_cost"),
    }
    named: list[Any] = [
        *SETTINGS_OF_SHARD,
        *JUDGING,
        *answering,
        "early_stop",
    ]  # refused with shards
    assert sorted(named) == sorted(SETTINGS)
