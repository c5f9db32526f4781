"""Train the two small checkpoints for relation extraction behind `mt-gate demo`.

    python train_demo_re.py --data DATA --teacher TEACHER --out OUT --pipeline en_core_web_sm

`OUT/re-baseline` is a small student of the teacher (a BERT that classifies a sentence with markers
around head and tail): initialised from parts of it, then trained on its scores for pairs of named
entities in sentences of Wikipedia, each pair in both directions.
`OUT/re-candidate` is made with the same recipe from only the pairs in text order, half as many,
as a team does that considers the reversed pairs redundant.
A checkpoint that is already in OUT is reused.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import spacy
import torch
from torch.nn import functional
from transformers import BertForSequenceClassification, BertTokenizerFast

from mt_gate.domain import Entity
from mt_gate_suites.re.entities import find_entities
from mt_gate_suites.sentences import SourceSentence as Written
from mt_gate_suites.sentences import distinct, read_tokens, split_passages
from train_demo_ner import (
    SPECIALS,
    Sentence,
    choose_pieces,
    cut_model,
    cut_tokenizer,
    important_neurons,
    recipe_parser,
    save,
    summed_activity,
)

LENGTH = 96
MARKERS = ("[E1]", "[/E1]", "[E2]", "[/E2]")
ARGUMENTS = ("PERSON", "ORGANIZATION")
"""What one of a pair is: the teacher's relations are those of people and organisations."""
HELD_OUT = 20
"""One sentence in so many is not trained on."""


@dataclass(frozen=True)
class Pair:
    """A sentence with markers; `forward` if the head comes before the tail."""

    text: str
    forward: bool


def pairs_of(text: str, entities: Sequence[Entity]) -> Iterator[Pair]:
    """The first few pairs, both ways."""
    chosen = [
        (one, two)
        for one, two in itertools.combinations(entities, 2)
        if one.label in ARGUMENTS or two.label in ARGUMENTS
    ]
    for one, two in chosen[:3]:
        for head, tail in ((one, two), (two, one)):
            yield Pair(marked(text, head, tail), head.start < tail.start)


def marked(text: str, head: Entity, tail: Entity) -> str:
    edits = [(head, MARKERS[:2]), (tail, MARKERS[2:])]
    at, parts = 0, []
    for entity, (before, after) in sorted(edits, key=lambda edit: edit[0].start):
        parts += [text[at : entity.start], before, text[entity.start : entity.end], after]
        at = entity.end
    return " ".join([*parts, text[at:]])


def read(arguments: argparse.Namespace) -> tuple[list[Pair], list[Pair]]:
    """Pairs to train on, and pairs of sentences held out."""
    nlp = spacy.load(arguments.pipeline)
    folder = arguments.data
    relations = folder / "re" / "fewrel_val_sample.jsonl"
    written: Iterator[Written] = distinct(
        itertools.chain(
            read_tokens(relations, "FewRel"),
            split_passages(folder / "boolq" / "train.jsonl.gz", "BoolQ", nlp),
        )
    )
    sentences = [s for s in written if 30 <= len(s.text) <= 300]
    trained: list[Pair] = []
    held_out: list[Pair] = []
    for doc in nlp.pipe((s.text for s in sentences), batch_size=128):
        number = int.from_bytes(hashlib.sha256(doc.text.encode()).digest()[:4], "big")
        part = held_out if number % HELD_OUT == 0 else trained
        part += pairs_of(doc.text, find_entities(doc))
    print(
        f"{len(sentences)} sentences, {len(trained)} pairs, {len(held_out)} held out",
        flush=True,
    )
    return trained, held_out


def encode(tokenizer: BertTokenizerFast, pairs: Sequence[Pair]) -> list[list[int]]:
    coded = tokenizer([pair.text for pair in pairs], truncation=True, max_length=LENGTH)
    return list(coded["input_ids"])


def batches(
    coded: Sequence[list[int]], size: int, rng: random.Random | None
) -> Iterator[list[int]]:
    """Rows of one length together, the batches in random order."""
    order = list(range(len(coded)))
    if rng:
        rng.shuffle(order)
    chunk = size * 40 if rng else max(1, len(order))
    grouped = []
    for at in range(0, len(order), chunk):
        part = sorted(order[at : at + chunk], key=lambda i: len(coded[i]))
        grouped += [part[i : i + size] for i in range(0, len(part), size)]
    if rng:
        rng.shuffle(grouped)
    yield from grouped


def answer(
    model: Any, coded: Sequence[list[int]], indices: Sequence[int]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores, shape (rows, labels), and the vectors that they are computed from."""
    width = max(len(coded[i]) for i in indices)
    ids = torch.zeros(len(indices), width, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, index in enumerate(indices):
        ids[row, : len(coded[index])] = torch.tensor(coded[index])
        mask[row, : len(coded[index])] = 1
    with torch.autocast("cpu", torch.bfloat16):
        vectors = model.bert(input_ids=ids, attention_mask=mask).pooler_output
    return model.classifier(vectors.float()), vectors.float()


@torch.no_grad()
def views(
    model: Any, tokenizer: BertTokenizerFast, pairs: Sequence[Pair]
) -> tuple[torch.Tensor, torch.Tensor]:
    """A model's output for pairs: scores and vectors, one row each."""
    model.eval()
    coded = encode(tokenizer, pairs)
    scores = torch.zeros(len(pairs), model.config.num_labels)
    vectors = torch.zeros(len(pairs), model.config.hidden_size, dtype=torch.bfloat16)
    for indices in batches(coded, 64, None):
        found, vector = answer(model, coded, indices)
        scores[indices], vectors[indices] = found, vector.to(torch.bfloat16)
    return scores, vectors


@dataclass(frozen=True)
class Lessons:
    """Pairs in pieces, with what to learn from each."""

    coded: list[list[int]]
    scores: torch.Tensor
    vectors: torch.Tensor


def loss_of(model: Any, lessons: Lessons, indices: Sequence[int]) -> torch.Tensor:
    scores, vectors = answer(model, lessons.coded, indices)
    loss = functional.cross_entropy(scores, lessons.scores[indices].softmax(-1))
    known = lessons.vectors[indices].float()
    return loss + 1 - functional.cosine_similarity(vectors, known, dim=-1).mean()


def train(
    model: Any,
    coded: Sequence[list[int]],
    loss_of: Callable[[Sequence[int]], torch.Tensor],
    *,
    epochs: int,
    rate: float,
    seed: int,
    report: Any,
) -> int:
    """Train in place; the learning rate rises for a twentieth of the steps, then falls to 0.

    `loss_of` returns the loss of the rows with these numbers.
    """
    torch.manual_seed(seed)
    rng = random.Random(seed)
    size = 48
    steps = epochs * sum(1 for _ in batches(coded, size, random.Random(seed)))
    warm = max(1, steps // 20)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0, steps - step) / (steps - warm))
    )
    for epoch in range(epochs):
        model.train()
        for indices in batches(coded, size, rng):
            loss = loss_of(indices)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        report(epoch)
    return steps


def agreement(
    model: Any, tokenizer: BertTokenizerFast, pairs: Sequence[Pair], wanted: torch.Tensor
) -> float:
    """The share of pairs to which model and teacher give one label."""
    found = views(model, tokenizer, pairs)[0].argmax(-1)
    return float((found == wanted.argmax(-1)).float().mean())


@torch.no_grad()
def first_student(
    teacher: Any, tokenizer: BertTokenizerFast, pairs: Sequence[Pair], recipe: argparse.Namespace
) -> tuple[Any, BertTokenizerFast]:
    """The untrained student, made of the teacher's parts, and its tokenizer."""
    words: list[tuple[Sentence, int]] = [(Sentence(tuple(p.text.split())), 1) for p in pairs]
    pieces = choose_pieces(tokenizer, words, recipe.pieces - len(MARKERS))
    pieces = [piece for piece in pieces if piece not in MARKERS]
    # Markers come after the special pieces: they are needed, whatever their count.
    pieces = [*pieces[: len(SPECIALS)], *MARKERS, *pieces[len(SPECIALS) :]]
    with summed_activity(teacher.bert.encoder) as sums:
        views(teacher, tokenizer, pairs[:1000])
    layers = teacher.bert.encoder.layer
    neurons = [important_neurons(layers[i], sums[i], recipe.neurons) for i in recipe.layers]
    ids = tokenizer.get_vocab()
    return (
        cut_model(teacher, recipe.layers, neurons, [ids[piece] for piece in pieces]),
        cut_tokenizer(tokenizer, pieces),
    )


def make(
    arguments: argparse.Namespace, trained: Sequence[Pair], held_out: Sequence[Pair], folder: Path
) -> dict[str, object]:
    """Distil a student from the teacher's answers to pairs, and save it."""
    started = time.monotonic()
    teacher, tokenizer = load(arguments.teacher)
    student, pieces = first_student(teacher, tokenizer, trained, arguments)
    scores, vectors = views(teacher, tokenizer, trained)
    wanted = views(teacher, tokenizer, held_out)[0]
    print(f"teacher read in {time.monotonic() - started:.0f} s", flush=True)
    lessons = Lessons(encode(pieces, trained), scores, vectors)
    report = reporter(student, pieces, held_out, wanted, started)
    steps = train(
        student,
        lessons.coded,
        partial(loss_of, student, lessons),
        epochs=arguments.epochs,
        rate=6e-4,
        seed=arguments.seed,
        report=report,
    )
    save(student, pieces, folder)
    return summary(student, pieces, held_out, wanted, len(trained), steps, started)


def load(folder: Path) -> tuple[Any, BertTokenizerFast]:
    model = BertForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
    return model, BertTokenizerFast.from_pretrained(folder)


def reporter(
    model: Any,
    tokenizer: BertTokenizerFast,
    held_out: Sequence[Pair],
    wanted: torch.Tensor,
    started: float,
) -> Any:
    def report(epoch: int) -> None:
        share = agreement(model, tokenizer, held_out, wanted)
        spent = time.monotonic() - started
        print(f"epoch {epoch + 1}: as the teacher {share:.4f}, {spent:.0f} s", flush=True)

    return report


def summary(
    model: Any,
    tokenizer: BertTokenizerFast,
    held_out: Sequence[Pair],
    wanted: torch.Tensor,
    pairs: int,
    steps: int,
    started: float,
) -> dict[str, object]:
    """Counts and the agreement with the teacher on pairs held out: all, forward, backward."""
    shares = {}
    for name, ways in (("all", (True, False)), ("forward", (True,)), ("backward", (False,))):
        chosen = [i for i, pair in enumerate(held_out) if pair.forward in ways]
        part = [held_out[i] for i in chosen]
        shares[name] = round(agreement(model, tokenizer, part, wanted[chosen]), 4)
    return {
        "pairs": pairs,
        "steps": steps,
        "seconds": round(time.monotonic() - started),
        "parameters": sum(p.numel() for p in model.parameters()),
        "as_the_teacher": shares,
    }


def parse_arguments() -> argparse.Namespace:
    parser = recipe_parser(pieces=3000, neurons=384, layers=(0, 3), epochs=6)
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--pipeline", default="en_core_web_sm")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    arguments.out.mkdir(parents=True, exist_ok=True)
    trained, held_out = read(arguments)
    path = arguments.out / "training-re.json"
    report: dict[str, object] = json.loads(path.read_text()) if path.is_file() else {}
    forward = [pair for pair in trained if pair.forward]
    for name, pairs in (("baseline", trained), ("candidate", forward)):
        folder = arguments.out / f"re-{name}"
        if not (folder / "model.safetensors").is_file():
            report[name] = make(arguments, pairs, held_out, folder)
            path.write_text(json.dumps({**report, "seed": arguments.seed}, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
