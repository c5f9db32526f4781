"""Train the recurrent system of Chen et al. (ESEC/FSE 2021, section 5) on BoolQ, as plain ONNX.

    python benchmarks/train_bilstm_boolq.py --data DATA --vectors glove.6B.50d.txt --out OUT

Two Bi-LSTM layers of 200 cells with co-attention between question and passage, and two linear
layers, over fixed GloVe vectors. `OUT` is then a checkpoint of input form `word-pair`: model.onnx,
vocabulary.txt, checkpoint.json. The accuracy on BoolQ dev is that of the written files, with the
runtime that `mt-gate run` uses; no choice is made on dev.
Passages are cut at --passage-words for training only. Fewer --cells or --epochs take less time.
The paper trains at rate 0.0001 with 128 rows per batch, which takes many more epochs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import onnx
import torch
from torch import nn

from mt_gate.exporting import hugging_face, models
from mt_gate.judging.statistics import wilson
from mt_gate.sut import card as cards
from mt_gate.sut.boolq import PAD, UNKNOWN, EncodedWords, WordPairReader
from mt_gate.sut.folder import CheckpointFolder, read_model
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.reader import open_reader
from mt_gate.sut.session import Session

LABELS = ("no", "yes")
PARITY_INPUTS = 256


class Row(NamedTuple):
    """A question with its passage, and whether the answer is yes."""

    input: dict[str, str]
    answer: bool


class Batch(NamedTuple):
    """Word ids, shape (rows, words), without padding, and the answers, 1 for yes."""

    question: torch.Tensor
    passage: torch.Tensor
    answers: torch.Tensor


class BiLstm(nn.Module):
    """Word ids of both texts to the logits of no and yes, shape (batch, 2)."""

    def __init__(self, vectors: torch.Tensor, cells: int, dropout: float) -> None:
        super().__init__()
        self.vectors = nn.Embedding(vectors.shape[0], vectors.shape[1])
        self.vectors.weight = nn.Parameter(vectors, requires_grad=False)
        self.first = nn.LSTM(vectors.shape[1], cells, batch_first=True, bidirectional=True)
        self.second = nn.LSTM(4 * cells, cells, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.hidden = nn.Linear(8 * cells, cells)
        self.out = nn.Linear(cells, len(LABELS))

    def forward(self, question_ids: torch.Tensor, passage_ids: torch.Tensor) -> torch.Tensor:
        question = self.first(self.dropout(self.vectors(question_ids)))[0]
        passage = self.first(self.dropout(self.vectors(passage_ids)))[0]
        attended = co_attention(question, passage)
        read = [self.second(self.dropout(text))[0] for text in attended]
        pooled = torch.cat([part for text in read for part in (text.mean(1), text.amax(1))], -1)
        logits: torch.Tensor = self.out(self.dropout(self.hidden(pooled).relu()))
        return logits


def co_attention(
    question: torch.Tensor, passage: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Append to each word of a text what is most similar in the other text; twice the width."""
    likeness = question @ passage.transpose(1, 2)
    attended = likeness.softmax(2) @ passage
    aligned = likeness.transpose(1, 2).softmax(2) @ question
    return torch.cat([question, attended], -1), torch.cat([passage, aligned], -1)


def read_rows(path: Path, most: int | None = None) -> list[Row]:
    """Rows of BoolQ; gzip if the name says so."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Row({"question": row["question"], "passage": row["passage"]}, bool(row["answer"]))
        for row in rows[:most]
    ]


def read_vectors(path: Path, most: int) -> tuple[list[str], torch.Tensor]:
    """The first words of a GloVe file, most frequent first, after padding and unknown."""
    words, vectors = [PAD, UNKNOWN], []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            word, *numbers = line.rstrip("\n").split(" ")
            if word not in (PAD, UNKNOWN):
                words.append(word)
                vectors.append(np.array(numbers, np.float32))
            if len(vectors) == most:
                break
    known = np.stack(vectors)
    special = np.stack([np.zeros_like(known[0]), known.mean(0)])
    return words, torch.from_numpy(np.concatenate([special, known]))


def batches(
    items: Sequence[EncodedWords], answers: Sequence[bool], size: int, rng: random.Random
) -> Iterator[Batch]:
    """Batches without padding, in random order.

    Questions of a batch have one length; passages nearly, and are cut to the length of
    the shortest. So the network is trained on what it will be run on.
    """
    by_length: dict[int, list[int]] = defaultdict(list)
    for at, item in enumerate(items):
        by_length[len(item.question)].append(at)
    found = []
    for group in by_length.values():
        group.sort(key=lambda at: (len(items[at].passage), rng.random()))
        found += [group[start : start + size] for start in range(0, len(group), size)]
    rng.shuffle(found)
    for chosen in found:
        shortest = min(len(items[at].passage) for at in chosen)
        yield Batch(
            torch.tensor([items[at].question for at in chosen]),
            torch.tensor([items[at].passage[:shortest] for at in chosen]),
            torch.tensor([int(answers[at]) for at in chosen]),
        )


def train(
    model: BiLstm,
    items: Sequence[EncodedWords],
    answers: Sequence[bool],
    options: argparse.Namespace,
) -> None:
    """Train for a fixed number of epochs; one line per epoch."""
    rng = random.Random(options.seed)
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimiser = torch.optim.Adam(trained, lr=options.rate)
    started = time.monotonic()
    for epoch in range(options.epochs):
        model.train()
        total, right = 0.0, 0
        for batch in batches(items, answers, options.batch, rng):
            batch = Batch(*(tensor.to(options.device) for tensor in batch))
            logits = model(batch.question, batch.passage)
            loss = nn.functional.cross_entropy(logits, batch.answers)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(trained, 5.0)
            optimiser.step()
            total += loss.item() * len(batch.answers)
            right += int((logits.argmax(-1) == batch.answers).sum())
        print(
            f"epoch {epoch + 1}: loss {total / len(items):.4f}, right in training "
            f"{right / len(items):.3f}, {time.monotonic() - started:.0f} s",
            flush=True,
        )


def write(model: BiLstm, rows: Sequence[Row], options: argparse.Namespace) -> None:
    """Write model and card, and compare the model with PyTorch."""
    out: Path = options.out
    model.eval()
    example = {
        f"{text}_ids": torch.ones((2, 7), dtype=torch.int64) for text in ("question", "passage")
    }
    shapes = {name: {0: torch.export.Dim("batch"), 1: torch.export.Dim(name)} for name in example}
    with hugging_face.quiet():
        program = torch.onnx.export(
            model, (), kwargs=example, dynamo=True, opset_version=models.OPSET,
            dynamic_shapes=shapes, output_names=["logits"], verbose=False,
        )  # fmt: skip
    assert program is not None
    graph = program.model_proto
    # The exporter gives both texts' lengths one name within; the runtime then shares their memory.
    del graph.graph.value_info[:]
    onnx.save(graph, out / cards.MODEL)
    inputs = [row.input for row in rows[:PARITY_INPUTS]]
    card = _card(options)
    reader = open_reader(CheckpointFolder(out), card)
    session = Session(read_model(CheckpointFolder(out), cards.MODEL), "cpu", reader.inputs)
    with torch.no_grad():
        found = models.measure_parity(lambda feeds: model(**feeds), session, out, card, inputs)
    models.check_parity(found, "fp32", out)
    identified, _ = cards.identify(CheckpointFolder(out), card)
    cards.write_card(out, msgspec.structs.replace(identified, parity=found))


def _card(options: argparse.Namespace) -> cards.Card:
    return cards.Card(
        task="boolq",
        labels=LABELS,
        name=options.out.name,
        architecture=f"Bi-LSTM, 2 layers of {options.cells} cells, co-attention",
        input_form="word-pair",
        max_length=options.max_length,
        answers={"yes": "yes", "no": "no"},
        tools={"torch": str(torch.__version__)},
    )


def accuracy(out: Path, rows: Sequence[Row]) -> str:
    """The written checkpoint's accuracy, with Wilson's 95% CI."""
    system = OnnxSystem(out, "boolq", "cpu")
    right = total = said_yes = 0
    for batch in system.predict([row.input for row in rows]):
        for index, prediction in batch:
            if prediction.output is not None:
                total += 1
                said_yes += prediction.output["answer"] == "yes"
                right += (prediction.output["answer"] == "yes") == rows[index].answer
    low, high = wilson(right, total)
    majority = max(sum(row.answer for row in rows), sum(not row.answer for row in rows))
    return (
        f"dev: {right} of {total} right, {right / total:.3f} [{low:.3f}, {high:.3f}]; "
        f"majority {majority / len(rows):.3f}; says yes to {said_yes / total:.3f}"
    )


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with boolq/")
    parser.add_argument("--vectors", type=Path, required=True, help="GloVe's text form")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--words", type=int, default=60_000, help="of the vectors, the first ones")
    parser.add_argument("--cells", type=int, default=200, help="of each direction of a layer")
    parser.add_argument("--passage-words", type=int, default=150, help="in training")
    parser.add_argument("--max-length", type=int, default=512, help="words of both, in a run")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--rows", type=int, help="of train and dev, the first ones [default: all]")
    parser.add_argument("--device", default="cpu", help="PyTorch's, for training")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    """Train, write, measure."""
    chosen = options()
    torch.manual_seed(chosen.seed)
    boolq: Path = chosen.data / "boolq"
    rows = read_rows(boolq / "train.jsonl.gz", chosen.rows)
    words, vectors = read_vectors(chosen.vectors, chosen.words)
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / cards.VOCABULARY).write_text("\n".join(words) + "\n", encoding="utf-8")
    reader = WordPairReader(CheckpointFolder(chosen.out), _card(chosen))
    items: list[Any] = reader.encode([row.input for row in rows])
    items = [item._replace(passage=item.passage[: chosen.passage_words]) for item in items]
    model = BiLstm(vectors, chosen.cells, chosen.dropout)
    train(model.to(chosen.device), items, [row.answer for row in rows], chosen)
    write(model.cpu(), rows, chosen)
    print(accuracy(chosen.out, read_rows(boolq / "dev.jsonl", chosen.rows)))


if __name__ == "__main__":
    main()
