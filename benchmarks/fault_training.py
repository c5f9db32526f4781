"""Small checkpoints trained by one recipe, and by that recipe with a fault in it.

The shipped demo baseline of a task, unpacked from its export, gives all of them their start; its
last layers (``Recipe.fresh``) are initialised by the seed, and all is trained on gold labels. So a
checkpoint takes a minute or two, and another seed is as good as the reference but not the same.
"""

from __future__ import annotations

import hashlib
import json
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import torch
from torch.nn import functional
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertForTokenClassification,
    BertTokenizerFast,
)

import mt_gate
from fault_bench.onnx_weights import Graph
from fault_examples import (
    Example,
    Examples,
    drawn,
    exchanged,
    noisy,
    read_examples,
    shortest,
    without_labels,
)
from mt_gate.sut.card import Card, read_card

IGNORED = -100
HEADS = 12
RECIPE_FILE = "recipe.json"
"""How a checkpoint was trained, in its folder."""
SHIPPED = Path(mt_gate.__file__).parent / "checkpoints"


class Recipe(NamedTuple):
    """How a task's checkpoints are trained.

    Args:
        examples: how many of the training file are drawn, by ``data_seed``.
        epochs: over them, a share of one where it is less.
        rate: the highest learning rate.
        length: most tokens of an input.
        fresh: parts that are initialised again, by the beginning of their names.
        layers: of the encoder, how many of the last are left out, as a negative number; None
            for none.
        data_seed: of the examples.
        seed: of the initialisation, and of the order.
    """

    examples: int
    epochs: float
    rate: float
    length: int
    fresh: tuple[str, ...]
    layers: int | None = None
    data_seed: int = 0
    seed: int = 0


RECIPES = {
    "ner": Recipe(3000, 2, 5e-4, 96, ("classifier", "bert.encoder.layer.2.")),
    "boolq": Recipe(1500, 1, 2e-4, 144, ("classifier", "bert.pooler")),
    "re": Recipe(5000, 2, 5e-4, 96, ("classifier", "bert.pooler", "bert.encoder.layer.1.")),
    "text": Recipe(5000, 2, 5e-4, 64, ("classifier", "bert.pooler", "bert.encoder.layer.1.")),
}
BATCH = 32


class Plan(NamedTuple):
    """A recipe, and what is done to its examples before they are learnt.

    Args:
        recipe: of training.
        damage: of examples, by the labels there are.
        is_taught: whether the reference's scores are learnt, and not the labels.
        elsewhere: share of the steps that are made afterwards on another task.
    """

    recipe: Recipe
    damage: Callable[[Examples, Sequence[str]], Examples] = lambda examples, _: examples
    is_taught: bool = False
    elsewhere: float = 0


def plan(task: str, kind: str, strength: float) -> Plan:
    """Return how a candidate of a kind of training fault is made.

    Raises:
        KeyError: the trainer does not know the kind.
    """
    return _PLANS[kind](RECIPES[task], strength)


def _damaged(
    damage: Callable[[Examples, float, Sequence[str], int], Examples],
) -> Callable[[Recipe, float], Plan]:
    """Return what plans a damage of the examples, the rest being the reference's recipe."""

    def planned(recipe: Recipe, strength: float) -> Plan:
        return Plan(
            recipe, lambda examples, labels: damage(examples, strength, labels, recipe.seed)
        )

    return planned


_PLANS: dict[str, Callable[[Recipe, float], Plan]] = {
    "another-seed": lambda recipe, seed: Plan(recipe._replace(seed=int(seed))),
    "another-draw": lambda recipe, seed: Plan(
        recipe._replace(seed=100 + int(seed), data_seed=int(seed))
    ),
    "fewer-steps": lambda recipe, share: Plan(recipe._replace(epochs=share * recipe.epochs)),
    "fewer-layers": lambda recipe, layers: Plan(recipe._replace(layers=-int(layers))),
    "distilled": lambda recipe, layers: Plan(recipe._replace(layers=-int(layers)), is_taught=True),
    "another-task": lambda recipe, share: Plan(recipe, elsewhere=share),
    "short-inputs": _damaged(shortest),
    "forgotten-labels": _damaged(without_labels),
    "label-noise": _damaged(noisy),
    "labels-mixed": _damaged(exchanged),
}
KINDS = tuple(_PLANS)


def train_into(
    task: str,
    data: Path,
    planned: Plan,
    folder: Path,
    description: str,
    reference: Path | None = None,
) -> None:
    """Train a checkpoint and save it as a Hugging Face folder, whole or not at all.

    Args:
        task: of the checkpoint.
        data: folder of the training data.
        planned: how it is trained.
        folder: that is to be made.
        description: of ``described``, stored in the folder.
        reference: folder of the reference, which teaches who is taught.
    """
    card = read_card(SHIPPED / f"{task}-baseline")
    examples = drawn(
        read_examples(task, data, card.labels), planned.recipe.examples, planned.recipe.data_seed
    )
    model, tokenizer = start(task, card, planned.recipe)
    teacher = None
    if planned.is_taught:
        assert reference is not None, "who is taught needs a teacher"
        teacher = _loaded(task, reference)
    learn(model, tokenizer, planned.damage(examples, card.labels), planned.recipe, teacher)
    if planned.elsewhere:
        learn_elsewhere(model, tokenizer, task, data, planned)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".training-", dir=folder.parent) as temporary:
        draft = Path(temporary) / "checkpoint"
        model.save_pretrained(draft)
        tokenizer.save_pretrained(draft)
        (draft / RECIPE_FILE).write_text(description, encoding="utf-8")
        draft.replace(folder)


def start(task: str, card: Card, recipe: Recipe) -> tuple[Any, BertTokenizerFast]:
    """Return the untrained checkpoint: the built-in one, with some parts initialised again."""
    shipped = SHIPPED / f"{task}-baseline"
    weights = unpacked(shipped / "model.onnx")
    torch.manual_seed(recipe.seed)
    model = _empty(task, card, weights, recipe.layers)
    known = {name: torch.tensor(value) for name, value in weights.items()}
    kept = {
        name: known.get(name, value)
        for name, value in model.state_dict().items()
        if not name.startswith(recipe.fresh)
    }
    model.load_state_dict(kept, strict=False)
    tokenizer = BertTokenizerFast(
        tokenizer_file=str(shipped / "tokenizer.json"), model_max_length=card.max_length
    )
    return model, tokenizer


def unpacked(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the weights of an exported BERT under PyTorch's names, as float32.

    The exporter keeps the names of biases; a matrix is found by the bias that is added to its
    product, and lies transposed there.
    """
    model = onnx.load(str(path))
    graph = Graph(model)
    names = {*graph.initialisers, *graph.maker}
    found = {
        name: graph.value(name)
        for name in names
        if name.startswith(("bert.", "classifier.")) and graph.is_constant(name)
    }
    for node in graph.nodes:
        if node.op_type != "MatMul" or not graph.is_constant(node.input[1]):
            continue
        (user,) = graph.users[node.output[0]]
        bias = next(name for name in user.input if name.endswith(".bias"))
        found[bias.removesuffix("bias") + "weight"] = graph.value(node.input[1]).T
    return {
        name: np.ascontiguousarray(value, dtype=np.float32)
        for name, value in found.items()
        if name.endswith(("weight", "bias"))
    }


def _empty(
    task: str, card: Card, weights: dict[str, np.ndarray[Any, Any]], layers: int | None
) -> Any:
    pieces, width = weights["bert.embeddings.word_embeddings.weight"].shape
    depth = 1 + max(int(name.split(".")[3]) for name in weights if ".layer." in name)
    config = BertConfig(
        vocab_size=pieces,
        hidden_size=width,
        num_hidden_layers=depth + layers if layers else depth,
        num_attention_heads=HEADS,
        intermediate_size=len(weights["bert.encoder.layer.0.intermediate.dense.bias"]),
        max_position_embeddings=len(weights["bert.embeddings.position_embeddings.weight"]),
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        id2label=dict(enumerate(card.labels)),
        label2id={label: at for at, label in enumerate(card.labels)},
    )
    return _class_of(task)(config)


def _class_of(task: str) -> Any:
    return BertForTokenClassification if task == "ner" else BertForSequenceClassification


def _loaded(task: str, folder: Path) -> Any:
    return _class_of(task).from_pretrained(folder).eval()


def other_task(task: str) -> str:
    """Return the other task that a checkpoint makes steps on."""
    return "text" if task == "boolq" else "boolq"


def learn_elsewhere(
    model: Any, tokenizer: BertTokenizerFast, task: str, data: Path, planned: Plan
) -> None:
    """Go on training a checkpoint's encoder in place, under a head of another task's."""
    other = other_task(task)
    labels = read_card(SHIPPED / f"{other}-baseline").labels
    recipe = planned.recipe
    examples = drawn(read_examples(other, data, labels), recipe.examples, recipe.data_seed)
    torch.manual_seed(recipe.seed)
    config = BertConfig.from_dict(model.config.to_dict())
    config.num_labels = len(labels)
    second = BertForSequenceClassification(config)
    second.bert.embeddings, second.bert.encoder = model.bert.embeddings, model.bert.encoder
    # As many steps as a share of its own task's.
    share = planned.elsewhere * recipe.epochs * recipe.examples / len(examples)
    learn(second, tokenizer, examples, recipe._replace(epochs=share))
    model.eval()


def learn(
    model: Any,
    tokenizer: BertTokenizerFast,
    examples: Examples,
    recipe: Recipe,
    teacher: Any = None,
) -> int:
    """Train in place; the rate rises for a tenth of the steps, then falls to 0. Returns steps.

    A teacher's scores are learnt in the place of the labels.
    """
    coded = [_coded(tokenizer, example, recipe.length) for example in examples]
    rng = random.Random(f"order {recipe.seed}")
    steps = max(1, round(recipe.epochs * len(coded) / BATCH))
    warm = max(1, steps // 10)
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0.0, steps - step) / (steps - warm + 1))
    )
    model.train()
    for _, batch in zip(range(steps), _batches(coded, rng), strict=False):
        feeds, wanted = _collated(batch)
        logits = model(**feeds).logits
        if teacher is not None:
            loss = _as_taught(logits, teacher, feeds, wanted)
        else:
            loss = functional.cross_entropy(
                logits.reshape(-1, logits.shape[-1]), wanted.reshape(-1), ignore_index=IGNORED
            )
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    model.eval()
    return steps


def _as_taught(
    logits: torch.Tensor, teacher: Any, feeds: dict[str, torch.Tensor], wanted: torch.Tensor
) -> torch.Tensor:
    """Return how far scores are from a teacher's, where there is a label to learn."""
    with torch.no_grad():
        target = teacher(**feeds).logits.softmax(-1)
    at = wanted.reshape(-1) != IGNORED
    width = logits.shape[-1]
    return functional.cross_entropy(logits.reshape(-1, width)[at], target.reshape(-1, width)[at])


class Coded(NamedTuple):
    """Token ids, segment ids, and a label for each token (or for the first alone)."""

    ids: list[int]
    types: list[int]
    labels: list[int]


def _coded(tokenizer: BertTokenizerFast, example: Example, length: int) -> Coded:
    if example.by_word:
        found = tokenizer(
            list(example.texts), is_split_into_words=True, truncation=True, max_length=length
        )
        labels = _first_pieces(found.word_ids(), example.labels)
    else:
        strategy = "only_second" if len(example.texts) == 2 else True
        found = tokenizer(*example.texts, truncation=strategy, max_length=length)
        labels = [example.labels[0]]
    return Coded(found["input_ids"], found["token_type_ids"], labels)


def _first_pieces(words: Sequence[int | None], labels: Sequence[int]) -> list[int]:
    """Return a label for the first piece of each word, and IGNORED elsewhere."""
    before = [None, *words[:-1]]
    return [
        IGNORED if word is None or word == last else labels[word]
        for word, last in zip(words, before, strict=True)
    ]


def _batches(coded: Sequence[Coded], rng: random.Random) -> Iterator[list[Coded]]:
    """Yield batches without end, each epoch in an order of its own, alike lengths together."""
    while True:
        order = rng.sample(range(len(coded)), len(coded))
        chunks = [order[at : at + BATCH * 20] for at in range(0, len(order), BATCH * 20)]
        for chunk in chunks:
            chunk.sort(key=lambda at: len(coded[at].ids))
        grouped = [chunk[at : at + BATCH] for chunk in chunks for at in range(0, len(chunk), BATCH)]
        rng.shuffle(grouped)
        yield from ([coded[at] for at in group] for group in grouped)


def _collated(batch: Sequence[Coded]) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    """Return padded feeds, shape (rows, width), and labels, shape (rows, width) or (rows,)."""
    width = max(len(row.ids) for row in batch)

    def padded(rows: Sequence[list[int]], filler: int) -> torch.Tensor:
        return torch.tensor([row + [filler] * (width - len(row)) for row in rows])

    feeds = {
        "input_ids": padded([row.ids for row in batch], 0),
        "token_type_ids": padded([row.types for row in batch], 0),
        "attention_mask": padded([[1] * len(row.ids) for row in batch], 0),
    }
    if all(len(row.labels) == len(row.ids) for row in batch):
        return feeds, padded([row.labels for row in batch], IGNORED)
    return feeds, torch.tensor([row.labels[0] for row in batch])


def started_from(task: str, data: Path) -> str:
    """Return a hash of what all checkpoints of a task are trained from: start and examples."""
    card = read_card(SHIPPED / f"{task}-baseline")
    digest = hashlib.sha256(json.dumps([card.files, card.labels]).encode())
    for example in read_examples(task, data, card.labels):
        digest.update(json.dumps(example).encode())
    return digest.hexdigest()


def described(name: str, planned: Plan, start: str, source: str = "") -> str:
    """Return how a checkpoint is trained as one line, which is stored with it.

    Args:
        name: of its fault with its strength, which tell what is done to the examples.
        planned: with the recipe.
        start: of ``started_from``.
        source: what else it learns from: ``started_from`` of another task, or the teacher's
            ``described``; empty where that is nothing.
    """
    recipe: dict[str, object] = {"name": name, "recipe": planned.recipe._asdict(), "from": start}
    if planned.elsewhere:
        recipe |= {"elsewhere": planned.elsewhere}
    return json.dumps(recipe | ({"beside": source} if source else {})) + "\n"


def check_recipe(folder: Path, description: str) -> None:
    """Reject a checkpoint that was trained otherwise than it would be now.

    Raises:
        SystemExit: it was, or nobody knows how.
    """
    if not folder.is_dir():
        return
    kept = folder / RECIPE_FILE
    if not kept.is_file() or kept.read_text(encoding="utf-8") != description:
        raise SystemExit(
            f"{folder}: trained with another recipe or on other data, see its {RECIPE_FILE}; "
            "name another --out, or remove the folder"
        )
