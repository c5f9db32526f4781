"""Train the larger classifiers that benchmarks/results/text.md reports on, and make two plain ones.

    python train_text_references.py --data DATA --encoder ENCODER --out OUT [--only NAME ...]

`ENCODER` is a BERT without a head (all-MiniLM-L6-v2: six layers, 384 wide), fine-tuned whole:
`OUT/moderation` on the tweets of Davidson et al. (ICWSM 2017) that the demo's candidate is trained
on, `OUT/intent` on CLINC150 (Larson et al., EMNLP 2019), out-of-scope queries included, and
`OUT/inference` on pairs of texts from templates: those of four relations of `inference-default`,
without the suite's own pairs. The other six relations it has never seen.

`OUT/random` is no trained model: a small BERT with random weights and three labels, each with a
sigmoid. `OUT/words` is a plain ONNX model with a `checkpoint.json` of its own: the
sum of the word pieces' naive Bayes weights over the same tweets. Both are made in seconds.
A checkpoint that is already in OUT is left as it is.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper
from onnx import save as save_onnx
from torch.nn import functional
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

from inference_cases import CONTRADICTION, ENTAILMENT, NEUTRAL, RELATIONS
from mt_gate.suites.format import find_suite, read_suite
from mt_gate.tasks.text import SECOND, TEXT
from mt_gate_suites.text.transformation import OfTemplates
from train_demo_re import batches, train
from train_demo_text import LENGTH, TWEET_LABELS, intents, moderation

RATE = 2e-4
LEARNT = {
    "added-detail": (ENTAILMENT, ENTAILMENT),
    "added-claim": (ENTAILMENT, NEUTRAL),
    "negated-hypothesis": (ENTAILMENT, CONTRADICTION),
    "contradiction-order": (CONTRADICTION, CONTRADICTION),
}
"""Relations whose templates are trained on, with the labels of source and follow-up."""
DRAWS, HELD_OUT = 2, 10
"""Draws of each relation's groups, and one pair in so many that is tested on."""
RANDOM_LABELS = ("hateful", "insult", "threat")
PLAIN = ("random", "words")
TRAINED = {"moderation": 2, "intent": 2, "inference": 1}
"""Epochs."""


class Example(NamedTuple):
    """One text or two, and their label."""

    texts: tuple[str, ...]
    label: str


class Examples(NamedTuple):
    """What is trained on, and what is tested on."""

    train: list[Example]
    test: list[Example]


def of_rows(part: Any) -> Examples:
    """Return the rows of a `train_demo_text.Part` as examples."""
    trained, tested = (
        [Example((row.text,), row.label) for row in rows] for rows in (part.train, part.test["all"])
    )
    return Examples(trained, tested)


def inference() -> Examples:
    """Return pairs of the templates, each once, without those that the suite asks."""
    suite = read_suite(find_suite("inference-default"))
    suite_pairs = {
        (one[TEXT], one[SECOND])
        for one in [*(source.input for source in suite.sources)]
        + [group.follow_up for group in suite.groups]
    }
    found = sorted({one for one in drawn_pairs() if one.texts not in suite_pairs})
    Random(0).shuffle(found)
    cut = len(found) // HELD_OUT
    return Examples(found[cut:], found[:cut])


def drawn_pairs() -> Iterator[Example]:
    """Yield pairs of texts with what the one says of the other."""
    by_name = {one.name: one for one in RELATIONS}
    for relation, labels in LEARNT.items():
        transformation = by_name[relation].transformation
        assert isinstance(transformation, OfTemplates)
        for seed in range(DRAWS):
            for group in transformation.groups(Random(seed)):
                for pair, label in zip((group.source, group.follow_up), labels, strict=True):
                    yield Example((pair.text, pair.second), label)


def examples(name: str, folder: Path) -> Examples:
    """Return what a checkpoint is made from."""
    if name == "intent":
        return of_rows(intents(folder))
    return inference() if name == "inference" else of_rows(moderation(folder))


def weights(labels: Sequence[str], rows: Sequence[Example]) -> torch.Tensor:
    """Weights of classes: each counts as much as any other."""
    counts = Counter(row.label for row in rows)
    return torch.tensor([len(rows) / len(labels) / counts[label] for label in labels])


class Coder:
    """Texts as a classifier's inputs."""

    def __init__(self, tokenizer: BertTokenizerFast, rows: Sequence[Example]) -> None:
        """Cut the texts into pieces, no more than are trained on."""
        columns = [list(column) for column in zip(*(row.texts for row in rows), strict=True)]
        self._tokenizer = tokenizer
        coded = tokenizer(*columns, truncation=True, max_length=LENGTH)
        self.ids: list[list[int]] = coded["input_ids"]
        self._types: list[list[int]] = coded["token_type_ids"]

    def feeds(self, indices: Sequence[int]) -> dict[str, torch.Tensor]:
        """Return what the model takes for these rows, each of shape (rows, width)."""
        rows = {
            "input_ids": [self.ids[at] for at in indices],
            "token_type_ids": [self._types[at] for at in indices],
        }
        return dict(self._tokenizer.pad(rows, return_tensors="pt"))


@torch.inference_mode()
def accuracy(model: Any, tokenizer: BertTokenizerFast, rows: Sequence[Example]) -> float:
    """The share of rows that get their label."""
    model.eval()
    coder, right = Coder(tokenizer, rows), 0
    for indices in batches(coder.ids, 64, None):
        best = model(**coder.feeds(indices)).logits.argmax(-1).tolist()
        names = [model.config.id2label[found] for found in best]
        right += sum(name == rows[at].label for name, at in zip(names, indices, strict=True))
    return right / len(rows)


def fine_tune(name: str, options: argparse.Namespace) -> None:
    """Train the whole encoder with a new head, and save it."""
    started = time.monotonic()
    part = examples(name, options.data / "text")
    labels = sorted({row.label for row in part.train})
    torch.manual_seed(options.seed)
    model: Any = BertForSequenceClassification.from_pretrained(
        options.encoder,
        dtype=torch.float32,
        id2label=dict(enumerate(labels)),
        label2id={label: at for at, label in enumerate(labels)},
    )
    tokenizer = BertTokenizerFast.from_pretrained(options.encoder)
    coder, weight = Coder(tokenizer, part.train), weights(labels, part.train)
    gold = torch.tensor([labels.index(row.label) for row in part.train])

    def loss_of(indices: Sequence[int]) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(**coder.feeds(indices)).logits
        return functional.cross_entropy(logits.float(), gold[indices], weight)

    def report(epoch: int) -> None:
        spent = time.monotonic() - started
        print(f"{name}, epoch {epoch + 1}: {spent:.0f} s", flush=True)

    steps = train(
        model,
        coder.ids,
        loss_of,
        epochs=TRAINED[name],
        rate=RATE,
        seed=options.seed,
        report=report,
    )
    share = accuracy(model, tokenizer, part.test)
    print(
        f"{name}: {len(part.train)} examples, {steps} steps; {len(part.test)} held out: {share:.4f}"
    )
    keep(model, tokenizer, options.out / name)
    if len(part.train[0].texts) > 1:
        (options.out / name / "input_form.json").write_text('{"input_form": "text-pair"}\n')


def keep(model: Any, tokenizer: BertTokenizerFast, folder: Path) -> None:
    """Write a checkpoint; how texts were cut for training is no part of it."""
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def random_weights(options: argparse.Namespace) -> None:
    """Save a BERT of two layers that nobody trained, for labels of which several may hold."""
    torch.manual_seed(options.seed)
    tokenizer = BertTokenizerFast.from_pretrained(options.encoder)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        # Wide enough for answers to move with each word: of the usual 0.02 all are alike.
        initializer_range=0.5,
        id2label=dict(enumerate(RANDOM_LABELS)),
        label2id={label: at for at, label in enumerate(RANDOM_LABELS)},
        problem_type="multi_label_classification",
    )
    keep(BertForSequenceClassification(config), tokenizer, options.out / "random")


def bayes(coded: Sequence[Sequence[int]], gold: Sequence[int], size: int) -> NDArray[np.float32]:
    """Return the log-probability of each piece under each label, shape (size, labels).

    Counts of one are added; a piece that no text has says nothing.
    """
    counts = np.zeros((size, max(gold) + 1))
    for pieces, label in zip(coded, gold, strict=True):
        np.add.at(counts[:, label], list(pieces), 1)
    seen = counts.any(axis=1, keepdims=True)
    table = np.log((counts + 1) / (counts + 1).sum(axis=0)) * seen
    return np.asarray(table, np.float32)


def word_sum(table: NDArray[np.float32]) -> ModelProto:
    """Return an ONNX model whose logits are the sums of its pieces' rows."""
    count = table.shape[1]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("ReduceSum", ["rows", "axis"], ["logits"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "words",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", count])],
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array([1]), "axis")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model)
    return model


def words(options: argparse.Namespace) -> None:
    """Write a plain ONNX model, its tokenizer and the card that a user would write."""
    part = examples("words", options.data / "text")
    tokenizer = BertTokenizerFast.from_pretrained(options.encoder)
    coded = [tokenizer(row.texts[0], add_special_tokens=False)["input_ids"] for row in part.train]
    gold = [TWEET_LABELS.index(row.label) for row in part.train]
    folder = options.out / "words"
    folder.mkdir(parents=True)
    save_onnx(word_sum(bayes(coded, gold, len(tokenizer))), folder / "model.onnx")
    tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
    card = {"task": "text", "labels": TWEET_LABELS, "max_length": 256}
    (folder / "checkpoint.json").write_text(json.dumps(card) + "\n")


MAKERS: dict[str, Callable[[argparse.Namespace], None]] = {
    "random": random_weights,
    "words": words,
}


def main() -> None:
    """Make what OUT has not."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with text/ in it")
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="+", choices=(*MAKERS, *TRAINED), help="[default: all]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    for name in options.only or (*MAKERS, *TRAINED):
        if not (options.out / name).exists():
            MAKERS[name](options) if name in MAKERS else fine_tune(name, options)


if __name__ == "__main__":
    main()
