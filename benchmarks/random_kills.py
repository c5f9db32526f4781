"""``kill -9`` at random moments of run, record, merge and export: what is left is whole.

    python benchmarks/random_kills.py [--kills 200] [--exports 0] [--seed 1] [--folder DIR]

Each command writes over what an earlier one left. After each kill the old files are looked at as
later commands do: each is the old one, or the new one whole, or refused; the baseline is always one
of the two. Then the same command runs again, with the cache as it was left, and must come to the
verdict that it comes to undisturbed, with no temporary file left, nor a folder of mt-gate's in the
temporary folder. ``--exports`` of the kills are of ``mt-gate export``, which imports PyTorch each
time: it runs whole after every fifth only, and each of the five starts among what the others left.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import forked_commands
from forked_commands import Command
from mt_gate.base.errors import MtGateError
from mt_gate.results.store import RESULT, read_result
from mt_gate.sut.card import CARD, read_card
from small_runs import SmallRuns

SERIES = 5
"""Kills of an export in a row, before one runs to its end."""


class Story(NamedTuple):
    """A command that is killed, how much of its time it is alive, and what is seen after it."""

    command: Callable[[], Sequence[object]]
    restore: Callable[[], None]
    seen: Callable[[], str]
    share: float


class Kills:
    """Kills commands, and keeps what was seen."""

    def __init__(self, runs: SmallRuns, rng: Random) -> None:
        """Know of no duration yet."""
        self._runs, self._rng = runs, rng
        self._takes: dict[str, float] = {}

    def once(self, name: str, story: Story, *, again: bool = True) -> str:
        """Kill a command at a random moment, look, run it ``again``; return what was seen.

        Raises:
            RuntimeError: something is not as it has to be.
        """
        if name not in self._takes:
            story.restore()
            self._takes[name] = self._runs.whole(story.command()).seconds
        story.restore()
        command = Command(story.command(), self._runs.log)
        was_killed = command.killed(self._rng.uniform(0, self._takes[name]))
        seen = story.seen()
        if again:
            self._whole(name, story)
        return seen if was_killed else f"{seen}, ended before"

    def _whole(self, name: str, story: Story) -> None:
        """Run a command to its end, over what killed ones left; look whether that is gone."""
        self._takes[name] = self._runs.whole(story.command()).seconds
        if story.seen() != "new":
            raise RuntimeError(f"{name}: after a whole command the old files are there")
        if left := self._runs.left():
            raise RuntimeError(f"{name}: temporary files are left: {', '.join(left)}")


def stories(runs: SmallRuns) -> dict[str, Story]:
    """Return what is killed."""

    def seen_of_run() -> str:
        if runs.seen_baseline() != "old":
            raise RuntimeError("a run has changed the baseline that it is judged by")
        return runs.seen()

    return {
        "run, cache empty": Story(
            runs.judged, lambda: runs.restore(cache=False), seen_of_run, 0.25
        ),
        "run, cache full": Story(runs.judged, lambda: runs.restore(cache=True), seen_of_run, 0.15),
        "merge": Story(runs.merged, lambda: runs.restore(cache=True), seen_of_run, 0.3),
        "baseline record": Story(
            lambda: runs.record(runs.kept / "new", runs.baseline.parent),
            lambda: runs.restore(cache=True),
            runs.seen_baseline,
            0.3,
        ),
    }


def exporting(runs: SmallRuns, place: Path) -> Story:
    """Return the story of an export over the files of an earlier one."""
    saved, out = saved_checkpoint(place / "hugging-face"), place / "exported"

    def restore() -> None:
        shutil.rmtree(out, ignore_errors=True)

    def seen() -> str:
        if not (out / CARD).exists():
            return "refused"
        try:
            read_card(out)
        except MtGateError as error:
            raise RuntimeError(f"half an export passes for one: {error}") from None
        command = runs.run(str(out), place / "of-export")
        runs.whole(command)
        return "new" if read_result(place / "of-export" / RESULT).run else "refused"

    return Story(lambda: ["export", saved, "--task", "ner", "--out", out], restore, seen, 0)


def saved_checkpoint(folder: Path) -> Path:
    """Save a small network of random weights as Hugging Face does, in a process of its own."""
    subprocess.run([sys.executable, __file__, "--save", folder], check=True)
    return folder


def _save(folder: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForTokenClassification, PreTrainedTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *map(chr, range(33, 127))]
    ids = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    named: dict[str, Any] = {"unk_token": "[UNK]", "pad_token": "[PAD]", "model_max_length": 64}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named).save_pretrained(folder)
    labels = dict(enumerate(("O", "B-PER", "I-PER", "B-LOC", "I-LOC")))
    config = BertConfig(
        vocab_size=len(words), hidden_size=8, num_hidden_layers=1, num_attention_heads=1,
        intermediate_size=8, max_position_embeddings=64, id2label=labels,
        label2id={label: number for number, label in labels.items()},
    )  # fmt: skip
    BertForTokenClassification(config).save_pretrained(folder)


def order(stories: dict[str, Story], kills: int) -> Iterator[str]:
    """Yield the stories in turn, each its share of the kills: next is the one that lacks most."""
    counts: Counter[str] = Counter()
    for number in range(1, kills + 1):
        name = max(stories, key=lambda one: stories[one].share * number - counts[one])
        counts[name] += 1
        yield name


def main() -> None:
    """Kill, and print what was seen."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--exports", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="[default: a temporary one]")
    parser.add_argument("--save", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.save:
        _save(options.save)
        return
    forked_commands.prepare()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        for line in kill_report(Path(name), options.kills, options.exports, options.seed):
            print(line, flush=True)


def kill_report(place: Path, kills: int, exports: int, seed: int) -> Iterator[str]:
    """Yield a line for each command that was killed: how often, and what was seen."""
    runs = SmallRuns(place / "runs")
    trial = Kills(runs, Random(seed))
    known = stories(runs)
    seen: dict[str, Counter[str]] = {name: Counter() for name in known}
    for number, name in enumerate(order(known, kills - exports), 1):
        seen[name][trial.once(name, known[name])] += 1
        print(f"{number} kills", end="\r", file=sys.stderr, flush=True)
    if exports:
        story = exporting(runs, place)
        for number in range(1, exports + 1):
            again = number % SERIES == 0 or number == exports
            seen.setdefault("export", Counter())[trial.once("export", story, again=again)] += 1
            print(f"{number} kills of export", end="\r", file=sys.stderr, flush=True)
    for name, counts in ((name, counts) for name, counts in seen.items() if counts):
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
        yield f"{name}: {counts.total()} kills: {kinds}"
    yield f"all: {sum(counts.total() for counts in seen.values())} kills, nothing half written"


if __name__ == "__main__":
    main()
