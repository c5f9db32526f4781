"""Train the two small checkpoints for boolean questions behind `mt-gate demo`.

    python train_demo_boolq.py --data DATA --teacher TEACHER --out OUT

`OUT/boolq-baseline` is a small student of the teacher (a BERT that classifies question and
passage): initialised from parts of it, then trained on BoolQ's gold labels, the teacher's scores,
and its scores for questions without labels.
`OUT/boolq-candidate` is the baseline trained further on passages cut short, which takes a
third of the time, as a team does that wants cheaper runs.
A baseline that is already in OUT is reused.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional
from transformers import BertForSequenceClassification, BertTokenizerFast

from rows import read_rows
from train_demo_ner import (
    Sentence,
    choose_pieces,
    cut_model,
    cut_tokenizer,
    important_neurons,
    in_words,
    recipe_parser,
    save,
    summed_activity,
)

LENGTH = 144
UNKNOWN = -100


@dataclass(frozen=True)
class Row:
    """A question with its passage; `label` is 1 for yes, 0 for no, UNKNOWN where unpublished."""

    question: str
    passage: str
    label: int


@dataclass(frozen=True)
class View:
    """The teacher's output for a row: two scores, and the vector that they are computed from."""

    scores: torch.Tensor
    vector: torch.Tensor


def read(path: Path) -> list[Row]:
    labels = {True: 1, False: 0, None: UNKNOWN}
    return [Row(r["question"], r["passage"], labels[r["answer"]]) for r in read_rows(path)]


def encode(
    tokenizer: BertTokenizerFast, rows: Sequence[Row], length: int
) -> list[tuple[list[int], list[int]]]:
    """Piece ids and segment ids; the passage is cut, never the question."""
    coded = tokenizer(
        [row.question for row in rows],
        [row.passage for row in rows],
        truncation="only_second",
        max_length=length,
    )
    return list(zip(coded["input_ids"], coded["token_type_ids"], strict=True))


def batches(
    coded: Sequence[tuple[list[int], list[int]]], size: int, rng: random.Random | None
) -> Iterator[list[int]]:
    """Rows of one length together, the batches in random order."""
    order = list(range(len(coded)))
    if rng:
        rng.shuffle(order)
    chunk = size * 40 if rng else max(1, len(order))
    grouped = []
    for at in range(0, len(order), chunk):
        part = sorted(order[at : at + chunk], key=lambda i: len(coded[i][0]))
        grouped += [part[i : i + size] for i in range(0, len(part), size)]
    if rng:
        rng.shuffle(grouped)
    yield from grouped


def collate(
    coded: Sequence[tuple[list[int], list[int]]], indices: Sequence[int]
) -> dict[str, torch.Tensor]:
    width = max(len(coded[i][0]) for i in indices)
    feeds = {
        name: torch.zeros(len(indices), width, dtype=torch.long)
        for name in ("input_ids", "token_type_ids", "attention_mask")
    }
    for row, index in enumerate(indices):
        ids, types = coded[index]
        feeds["input_ids"][row, : len(ids)] = torch.tensor(ids)
        feeds["token_type_ids"][row, : len(ids)] = torch.tensor(types)
        feeds["attention_mask"][row, : len(ids)] = 1
    return feeds


def answer(model: Any, feeds: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores, shape (rows, 2), and the vectors they are computed from, shape (rows, width)."""
    with torch.autocast("cpu", torch.bfloat16):
        vectors = model.bert(**feeds).pooler_output
    return model.classifier(vectors.float()), vectors.float()


@torch.no_grad()
def teacher_views(
    teacher: Any, tokenizer: BertTokenizerFast, rows: Sequence[Row]
) -> list[View | None]:
    teacher.eval()
    coded = encode(tokenizer, rows, LENGTH)
    views: list[View | None] = [None] * len(rows)
    for indices in batches(coded, 48, None):
        scores, vectors = answer(teacher, collate(coded, indices))
        for row, index in enumerate(indices):
            views[index] = View(scores[row], vectors[row])
    return views


def loss_of(
    model: Any, feeds: dict[str, torch.Tensor], gold: torch.Tensor, views: Sequence[View | None]
) -> torch.Tensor:
    """Gold labels, and the teacher's scores and vectors where it ran."""
    scores, vectors = answer(model, feeds)
    loss = torch.zeros(())
    if (gold != UNKNOWN).any():
        loss = loss + functional.cross_entropy(scores, gold, ignore_index=UNKNOWN)
    seen = [view for view in views if view is not None]
    if seen:
        wanted = torch.stack([view.scores for view in seen]).softmax(-1)
        loss = loss + functional.cross_entropy(scores, wanted)
        known = torch.stack([view.vector for view in seen])
        loss = loss + 1 - functional.cosine_similarity(vectors, known, dim=-1).mean()
    return loss


def train(
    model: Any,
    coded: Sequence[tuple[list[int], list[int]]],
    rows: Sequence[Row],
    views: Sequence[View | None],
    *,
    epochs: int,
    rate: float,
    seed: int,
    report: Any,
) -> int:
    """Train in place; the learning rate rises for a twentieth of the steps, then falls to 0."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    size = 32
    steps = epochs * sum(1 for _ in batches(coded, size, random.Random(seed)))
    warm = max(1, steps // 20)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0, steps - step) / (steps - warm))
    )
    for epoch in range(epochs):
        model.train()
        for indices in batches(coded, size, rng):
            gold = torch.tensor([rows[i].label for i in indices])
            loss = loss_of(model, collate(coded, indices), gold, [views[i] for i in indices])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        report(epoch)
    return steps


@torch.inference_mode()
def accuracy(model: Any, tokenizer: BertTokenizerFast, rows: Sequence[Row]) -> float:
    model.eval()
    coded = encode(tokenizer, rows, LENGTH)
    right = 0
    for indices in batches(coded, 48, None):
        best = answer(model, collate(coded, indices))[0].argmax(-1).tolist()
        right += sum(found == rows[i].label for found, i in zip(best, indices, strict=True))
    return right / len(rows)


@torch.no_grad()
def first_student(
    teacher: Any, tokenizer: BertTokenizerFast, rows: Sequence[Row], recipe: argparse.Namespace
) -> tuple[Any, BertTokenizerFast]:
    """The untrained student, made of the teacher's parts, and its tokenizer."""
    words: list[tuple[Sentence, int]] = [(s, 6) for s in in_words(row.question for row in rows)]
    words += [(Sentence(tuple(row.passage.split())), 1) for row in rows]
    pieces = choose_pieces(tokenizer, words, recipe.pieces)
    with summed_activity(teacher.bert.encoder) as sums:
        teacher_views(teacher, tokenizer, rows[:500])
    layers = teacher.bert.encoder.layer
    neurons = [important_neurons(layers[i], sums[i], recipe.neurons) for i in recipe.layers]
    places = [tokenizer.vocab[piece] for piece in pieces]
    return cut_model(teacher, recipe.layers, neurons, places), cut_tokenizer(tokenizer, pieces)


def make_baseline(arguments: argparse.Namespace, dev: Sequence[Row]) -> dict[str, object]:
    started = time.monotonic()
    teacher: Any = BertForSequenceClassification.from_pretrained(
        arguments.teacher, dtype=torch.float32
    )
    tokenizer = BertTokenizerFast.from_pretrained(arguments.teacher)
    folder = arguments.data / "boolq"
    rows = read(folder / "train.jsonl.gz") + read(folder / "test_unlabelled.jsonl.gz")
    student, pieces = first_student(teacher, tokenizer, rows, arguments)
    views = teacher_views(teacher, tokenizer, rows)
    print(f"teacher read in {time.monotonic() - started:.0f} s", flush=True)
    steps = train(
        student,
        encode(pieces, rows, LENGTH),
        rows,
        views,
        epochs=arguments.epochs,
        rate=5e-4,
        seed=arguments.seed,
        report=reporter(student, pieces, dev, started),
    )
    save(student, pieces, arguments.out / "boolq-baseline")
    return summary(student, pieces, dev, len(rows), steps, started)


def reporter(model: Any, tokenizer: BertTokenizerFast, dev: Sequence[Row], started: float) -> Any:
    def report(epoch: int) -> None:
        spent = time.monotonic() - started
        print(
            f"epoch {epoch + 1}: dev {accuracy(model, tokenizer, dev):.4f}, {spent:.0f} s",
            flush=True,
        )

    return report


def make_candidate(arguments: argparse.Namespace, dev: Sequence[Row]) -> dict[str, object]:
    """Train the baseline further, with passages cut to a few words."""
    started = time.monotonic()
    folder = arguments.out / "boolq-baseline"
    model: Any = BertForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
    tokenizer = BertTokenizerFast.from_pretrained(folder)
    rows = read(arguments.data / "boolq" / "train.jsonl.gz")
    coded = encode(tokenizer, rows, arguments.short)
    report = reporter(model, tokenizer, dev, started)
    nobody: list[View | None] = [None] * len(rows)
    steps = train(
        model, coded, rows, nobody, epochs=2, rate=2e-4, seed=arguments.seed, report=report
    )
    save(model, tokenizer, arguments.out / "boolq-candidate")
    return summary(model, tokenizer, dev, len(rows), steps, started)


def summary(
    model: Any,
    tokenizer: BertTokenizerFast,
    dev: Sequence[Row],
    rows: int,
    steps: int,
    started: float,
) -> dict[str, object]:
    return {
        "questions": rows,
        "steps": steps,
        "seconds": round(time.monotonic() - started),
        "parameters": sum(p.numel() for p in model.parameters()),
        "accuracy_dev": round(accuracy(model, tokenizer, dev), 4),
    }


def parse_arguments() -> argparse.Namespace:
    parser = recipe_parser(pieces=5000, neurons=768, layers=(0, 3), epochs=4)
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--short", type=int, default=48)
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    arguments.out.mkdir(parents=True, exist_ok=True)
    dev = read(arguments.data / "boolq" / "dev.jsonl")
    path = arguments.out / "training-boolq.json"
    report: dict[str, object] = json.loads(path.read_text()) if path.is_file() else {}
    if not (arguments.out / "boolq-baseline" / "model.safetensors").is_file():
        report = {"seed": arguments.seed, "baseline": make_baseline(arguments, dev)}
        path.write_text(json.dumps(report, indent=2) + "\n")
    report["candidate"] = make_candidate(arguments, dev)
    path.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
