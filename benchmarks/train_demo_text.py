"""Train small text classifiers: those for moderation behind `mt-gate demo`, or one for intents.

    python train_demo_text.py --data DATA --encoder ENCODER --out OUT
    python train_demo_text.py --data DATA --encoder ENCODER --out OUT --task intent

`ENCODER` is a BERT without a head (all-MiniLM-L6-v2). `OUT/text-baseline` starts from parts of it
and is trained on the tweets of Davidson et al. (ICWSM 2017), classes weighted by how rare they
are, after the usual cleaning: lower case, letters only, no links and no names of users, no letter
more than twice in a row. `OUT/text-candidate` is made with the same recipe from the same tweets as
they were written, as a team does that drops a step which its accuracy does not need.
`OUT/intent` is trained on CLINC150 (Larson et al., EMNLP 2019), its out-of-scope queries included.
A checkpoint that is already in OUT is reused.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import html
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.nn import functional
from transformers import BertForSequenceClassification, BertTokenizerFast

from train_demo_ner import (
    Sentence,
    choose_pieces,
    cut_model,
    cut_tokenizer,
    important_neurons,
    recipe_parser,
    save,
    summed_activity,
)
from train_demo_re import answer, batches, train

LENGTH = 64
"""Pieces of a text that are trained on."""
TWEET_LABELS = ("hate_speech", "offensive_language", "neither")
"""Davidson's classes, by number, as the columns of their votes are called."""
HELD_OUT, OFFENSIVE = 10, 4
"""One tweet in so many is not trained on; of the merely offensive others, one in so many is: they
are three quarters of all."""
OUT_OF_SCOPE = "oos"


class Row(NamedTuple):
    """A text and its label."""

    text: str
    label: str


class Part(NamedTuple):
    """Rows to train on, and rows to test on, by the name of their share that is right."""

    train: list[Row]
    test: dict[str, list[Row]]


def tweets(path: Path) -> list[Row]:
    """Return Davidson's tweets, as they were written: entities of HTML are read."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            Row(html.unescape(row["tweet"]), TWEET_LABELS[int(row["class"])])
            for row in csv.DictReader(lines)
        ]


def number_of(row: Row) -> int:
    """Return a number that a tweet has by its text alone, whatever else is in the file."""
    return int.from_bytes(hashlib.sha256(row.text.encode()).digest()[:4], "big")


def moderation(folder: Path) -> Part:
    rows = tweets(folder / "davidson_tweets.csv")
    held_out = [row for row in rows if number_of(row) % HELD_OUT == 0]
    trained = [
        row
        for row in rows
        if number_of(row) % HELD_OUT
        and (row.label != TWEET_LABELS[1] or number_of(row) // HELD_OUT % OFFENSIVE == 0)
    ]
    test = {label: [row for row in held_out if row.label == label] for label in TWEET_LABELS}
    return Part(trained, {"all": held_out, **test})


def intents(folder: Path) -> Part:
    parts = json.loads((folder / "clinc150.json").read_text(encoding="utf-8"))
    found = {name: [Row(*pair) for pair in rows] for name, rows in parts.items()}
    in_scope, outside = found["test"], found[f"{OUT_OF_SCOPE}_test"]
    return Part(
        found["train"] + found[f"{OUT_OF_SCOPE}_train"],
        {"all": in_scope + outside, "in scope": in_scope, "out of scope": outside},
    )


def cleaned(rows: Sequence[Row]) -> list[Row]:
    """The usual cleaning of tweets; what has no letter left is dropped."""
    texts = (
        re.sub(r"https?:\S+|www\.\S+|@\w+|\brt\b|[^a-z\s]", " ", row.text.lower()) for row in rows
    )
    squeezed = (re.sub(r"(.)\1{2,}", r"\1\1", " ".join(text.split())) for text in texts)
    return [row._replace(text=text) for row, text in zip(rows, squeezed, strict=True) if text]


def encode(tokenizer: BertTokenizerFast, rows: Sequence[Row]) -> list[list[int]]:
    texts = [row.text for row in rows]
    return list(tokenizer(texts, truncation=True, max_length=LENGTH)["input_ids"])


@torch.no_grad()
def first_student(
    labels: Sequence[str], rows: Sequence[Row], recipe: argparse.Namespace
) -> tuple[Any, BertTokenizerFast]:
    """The untrained classifier, made of the encoder's parts, and its tokenizer."""
    torch.manual_seed(recipe.seed)
    names = dict(enumerate(labels))
    encoder: Any = BertForSequenceClassification.from_pretrained(
        recipe.encoder,
        dtype=torch.float32,
        id2label=names,
        label2id={label: number for number, label in names.items()},
    ).eval()
    tokenizer = BertTokenizerFast.from_pretrained(recipe.encoder)
    words = [(Sentence(tuple(row.text.split())), 1) for row in rows]
    pieces = choose_pieces(tokenizer, words, recipe.pieces)
    coded = encode(tokenizer, rows[:1000])
    with summed_activity(encoder.bert.encoder) as sums:
        for indices in batches(coded, 64, None):
            answer(encoder, coded, indices)
    layers = encoder.bert.encoder.layer
    neurons = [important_neurons(layers[i], sums[i], recipe.neurons) for i in recipe.layers]
    places = [tokenizer.vocab[piece] for piece in pieces]
    return cut_model(encoder, recipe.layers, neurons, places), cut_tokenizer(tokenizer, pieces)


def weights(rows: Sequence[Row], labels: Sequence[str]) -> torch.Tensor:
    """Weights of classes: each counts as much as any other."""
    counts = Counter(row.label for row in rows)
    return torch.tensor([len(rows) / len(labels) / counts[label] for label in labels])


@torch.inference_mode()
def accuracy(model: Any, tokenizer: BertTokenizerFast, rows: Sequence[Row]) -> float:
    model.eval()
    coded, ids = encode(tokenizer, rows), model.config.label2id
    right = 0
    for indices in batches(coded, 64, None):
        best = answer(model, coded, indices)[0].argmax(-1).tolist()
        right += sum(found == ids[rows[i].label] for found, i in zip(best, indices, strict=True))
    return right / len(rows)


def make(part: Part, folder: Path, recipe: argparse.Namespace) -> dict[str, object]:
    """Train a classifier and save it."""
    started = time.monotonic()
    labels = [label for label in TWEET_LABELS if label in {row.label for row in part.train}]
    labels = labels or sorted({row.label for row in part.train})
    model, tokenizer = first_student(labels, part.train, recipe)
    coded, weight = encode(tokenizer, part.train), weights(part.train, labels)
    gold = torch.tensor([model.config.label2id[row.label] for row in part.train])

    def loss_of(indices: Sequence[int]) -> torch.Tensor:
        scores, _ = answer(model, coded, indices)
        return functional.cross_entropy(scores, gold[indices], weight)

    def report(epoch: int) -> None:
        share, spent = accuracy(model, tokenizer, part.test["all"]), time.monotonic() - started
        print(f"{folder.name}, epoch {epoch + 1}: {share:.4f}, {spent:.0f} s", flush=True)

    steps = train(
        model, coded, loss_of, epochs=recipe.epochs, rate=4e-4, seed=recipe.seed, report=report
    )
    save(model, tokenizer, folder)
    shares = {
        name: [round(accuracy(model, tokenizer, rows), 4), len(rows)]
        for name, rows in part.test.items()
    }
    return {
        "texts": len(part.train),
        "steps": steps,
        "seconds": round(time.monotonic() - started),
        "parameters": sum(p.numel() for p in model.parameters()),
        "accuracy": shares,
    }


def parts(task: str, folder: Path) -> dict[str, Callable[[], Part]]:
    """The checkpoints of a task, each with what reads its data."""
    if task == "intent":
        return {"intent": lambda: intents(folder)}
    return {
        "text-baseline": lambda: Part(cleaned((one := moderation(folder)).train), one.test),
        "text-candidate": lambda: moderation(folder),
    }


def parse_arguments() -> argparse.Namespace:
    parser = recipe_parser(pieces=5000, neurons=384, layers=(0, 3), epochs=3)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--task", choices=("moderation", "intent"), default="moderation")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"training-{arguments.task}.json"
    report: dict[str, object] = json.loads(path.read_text()) if path.is_file() else {}
    for name, read in parts(arguments.task, arguments.data / "text").items():
        folder = arguments.out / name
        if not (folder / "model.safetensors").is_file():
            report[name] = make(read(), folder, arguments)
            path.write_text(json.dumps({**report, "seed": arguments.seed}, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
