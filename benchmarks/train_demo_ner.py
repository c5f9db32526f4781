"""Train the two small entity checkpoints behind `mt-gate demo`.

    python train_demo_ner.py --data DATA --teacher TEACHER --out OUT

`OUT/ner-baseline` is a small student of the teacher (a BERT token classifier).
`OUT/ner-candidate` is the baseline trained for three more epochs on the hand-labelled sentences
of one corpus (UNER English-EWT), without the teacher's soft labels, as a team does that
gets a batch of labels and fine-tunes the model it has. Its F1 on the test file falls by about two
points, while it violates clearly more metamorphic relations.
A baseline that is already in OUT is reused. On two cores shared with other work the
baseline took 56 minutes and the candidate 7.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch.nn import functional
from transformers import BertConfig, BertForTokenClassification, BertTokenizerFast

from rows import read_rows

LABELS = ("O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC")
LABEL_ID = {label: index for index, label in enumerate(LABELS)}
IGNORED = -100
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# Latin, phonetic, Greek and Cyrillic letters, then punctuation, currency and letter-like signs.
SCRIPTS = (range(0x530), range(0x1E00, 0x2200))
WORD = re.compile(r"(?:[^\W\d_]\.){2,}|\w+(?:[.,'\u2019]\w+)*|\S")
SENTENCE_END = re.compile(r"(?<=[a-z0-9)\"\u201d][.!?])\s+(?=[\"\u201c]?[A-Z])")


@dataclass(frozen=True)
class Sentence:
    """Words and, if people labelled them, one label per word."""

    words: tuple[str, ...]
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Batch:
    """Word-level rows are in reading order: `first` marks the first piece of each word."""

    pieces: torch.Tensor
    mask: torch.Tensor
    first: torch.Tensor
    labels: torch.Tensor
    hidden: torch.Tensor | None


def read_labelled(path: Path) -> list[Sentence]:
    """Labels outside the seven (WikiGold's MISC) become O."""
    sentences = []
    for row in read_rows(path):
        labels = tuple(tag if tag in LABEL_ID else "O" for tag in row["tags"])
        sentences.append(Sentence(tuple(row["tokens"]), labels))
    return sentences


def read_passages(path: Path) -> tuple[list[Sentence], list[Sentence]]:
    """The distinct sentences of the passages, and the distinct questions."""
    statements: dict[str, None] = {}
    questions: dict[str, None] = {}
    for row in read_rows(path):
        questions[row["question"] + "?"] = None
        for text in SENTENCE_END.split(row["passage"]):
            statements[text.strip()] = None
    return in_words(statements), in_words(questions)


def in_words(texts: Iterable[str]) -> list[Sentence]:
    """Fragments and run-on sentences are skipped: they cost time and teach little."""
    found = (tuple(WORD.findall(text)) for text in texts)
    return [Sentence(words) for words in found if 4 <= len(words) <= 50]


def spans(tags: Sequence[str] | None) -> set[tuple[int, int, str]]:
    """Entities as (first word, word after the last, kind); none if the sentence is unlabelled."""
    found, start, labels = set(), None, tags or ()
    for index, label in enumerate([*labels, "O"]):
        if start is not None and label != "I-" + labels[start][2:]:
            found.add((start, index, labels[start][2:]))
            start = None
        # A stray I- opens an entity, as in the CoNLL evaluation script.
        if label != "O" and start is None:
            start = index
    return found


def swap_mentions(sentences: Sequence[Sentence], rng: random.Random) -> list[Sentence]:
    """Every sentence that names something, its mentions replaced by others of their kind.

    It teaches a student to recognise a name by its context and not by heart.
    """
    pool: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for sentence in sentences:
        for start, end, kind in sorted(spans(sentence.labels)):
            pool[kind].append(sentence.words[start:end])
    return [refill(s, pool, rng) for s in sentences if spans(s.labels)]


def refill(
    sentence: Sentence, pool: dict[str, list[tuple[str, ...]]], rng: random.Random
) -> Sentence:
    marked = sentence.labels or ()
    words: list[str] = []
    labels: list[str] = []
    at = 0
    for start, end, kind in sorted(spans(marked)):
        mention = rng.choice(pool[kind])
        words += [*sentence.words[at:start], *mention]
        labels += [*marked[at:start], "B-" + kind, *["I-" + kind] * (len(mention) - 1)]
        at = end
    return Sentence((*words, *sentence.words[at:]), (*labels, *marked[at:]))


def keep_piece(piece: str) -> bool:
    """Single characters stay whatever their count: without them rare words become [UNK]."""
    bare = piece.removeprefix("##")
    return piece in SPECIALS or (len(bare) == 1 and any(ord(bare) in r for r in SCRIPTS))


def choose_pieces(
    tokenizer: BertTokenizerFast, weighted: Iterable[tuple[Sentence, int]], size: int
) -> list[str]:
    """Special pieces, single characters and the most frequent others: `size` in total."""
    counts: Counter[str] = Counter()
    for sentence, weight in weighted:
        for word in sentence.words:
            counts[word] += weight
    piece_counts: Counter[str] = Counter()
    for word, count in counts.items():
        for piece in tokenizer.tokenize(word):
            piece_counts[piece] += count
    kept = [piece for piece in sorted(tokenizer.vocab) if keep_piece(piece)]
    ranked = sorted(piece_counts, key=lambda piece: (-piece_counts[piece], piece))
    kept += [piece for piece in ranked if not keep_piece(piece)][: size - len(kept)]
    rest = sorted(set(kept) - set(SPECIALS), key=tokenizer.vocab.__getitem__)
    return [*SPECIALS, *rest]


def cut_tokenizer(tokenizer: BertTokenizerFast, pieces: list[str]) -> BertTokenizerFast:
    """The same rules over fewer pieces, numbered in the order of `pieces`."""
    ids = {piece: index for index, piece in enumerate(pieces)}
    spec = json.loads(tokenizer.backend_tokenizer.to_str())
    spec |= {"truncation": None, "padding": None}
    spec["model"]["vocab"] = ids
    for token in spec["added_tokens"]:
        token["id"] = ids[token["content"]]
    for name, token in spec["post_processor"]["special_tokens"].items():
        token["ids"] = [ids[name]]
    return BertTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps(spec)), model_max_length=256
    )


def encode(
    tokenizer: BertTokenizerFast, sentences: Sequence[Sentence]
) -> list[tuple[list[int], list[int]]]:
    """Piece ids, and for each word the position of its first piece (0: it has none)."""
    coded = tokenizer(
        [list(s.words) for s in sentences],
        is_split_into_words=True,
        truncation=True,
        max_length=128,
    )
    rows = []
    for index, sentence in enumerate(sentences):
        first = [0] * len(sentence.words)
        for position, word in enumerate(coded.word_ids(index)):
            if word is not None and not first[word]:
                first[word] = position
        rows.append((coded["input_ids"][index], first))
    return rows


class Corpus:
    """Sentences with their piece ids and, if there is one, the teacher's view of each word."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        tokenizer: BertTokenizerFast,
        hidden: list[torch.Tensor] | None = None,
    ) -> None:
        self.sentences = sentences
        self.rows = encode(tokenizer, sentences)
        self.hidden = hidden

    def batches(self, size: int, rng: random.Random | None = None) -> Iterator[list[int]]:
        order = list(range(len(self.rows)))
        if rng:
            rng.shuffle(order)
        # Sentences of one length together: a third of the arithmetic would be padding otherwise.
        chunk = size * 50 if rng else len(order)
        grouped = []
        for at in range(0, len(order), chunk):
            part = sorted(order[at : at + chunk], key=lambda i: len(self.rows[i][0]))
            grouped += [part[i : i + size] for i in range(0, len(part), size)]
        if rng:
            rng.shuffle(grouped)
        yield from grouped

    def collate(self, indices: Sequence[int]) -> Batch:
        width = max(len(self.rows[i][0]) for i in indices)
        pieces = torch.zeros(len(indices), width, dtype=torch.long)
        first = torch.zeros_like(pieces, dtype=torch.bool)
        labels, hidden = [], []
        for row, index in enumerate(indices):
            ids, starts = self.rows[index]
            pieces[row, : len(ids)] = torch.tensor(ids)
            seen = [word for word, start in enumerate(starts) if start]
            first[row, [starts[word] for word in seen]] = True
            gold = self.sentences[index].labels
            labels += [LABEL_ID[gold[word]] if gold else IGNORED for word in seen]
            if self.hidden is not None:
                hidden.append(self.hidden[index][seen])
        views = torch.cat(hidden).float() if hidden else None
        return Batch(pieces, (pieces != 0).long(), first, torch.tensor(labels), views)


@torch.no_grad()
def teacher_views(
    teacher: BertForTokenClassification,
    tokenizer: BertTokenizerFast,
    sentences: Sequence[Sentence],
) -> list[torch.Tensor]:
    """The last hidden state at the first piece of each word; zeros for a word without piece."""
    teacher.eval()
    corpus = Corpus(sentences, tokenizer)
    views = [
        torch.zeros(len(s.words), teacher.config.hidden_size, dtype=torch.bfloat16)
        for s in sentences
    ]
    for indices in corpus.batches(64):
        batch = corpus.collate(indices)
        with torch.autocast("cpu", torch.bfloat16):
            hidden = teacher.bert(batch.pieces, batch.mask).last_hidden_state
        for row, index in enumerate(indices):
            starts = corpus.rows[index][1]
            seen = [word for word, start in enumerate(starts) if start]
            views[index][seen] = hidden[row, [starts[w] for w in seen]].to(torch.bfloat16)
    return views


@torch.no_grad()
def important_neurons(layer: torch.nn.Module, activity: torch.Tensor, count: int) -> torch.Tensor:
    """The `count` neurons that write most into the residual stream, in their old order."""
    dense: Any = layer.get_submodule("output.dense")
    influence: torch.Tensor = activity * dense.weight.norm(dim=0)
    return influence.topk(count).indices.sort().values


@contextmanager
def summed_activity(encoder: Any) -> Iterator[list[torch.Tensor]]:
    """Sum the absolute outputs of every feed-forward neuron during a run, layer by layer."""
    sums = [torch.zeros(layer.intermediate.dense.out_features) for layer in encoder.layer]
    hooks = [
        layer.intermediate.register_forward_hook(
            lambda _module, _input, output, total=total: total.add_(
                output.float().abs().sum((0, 1))
            )
        )
        for layer, total in zip(encoder.layer, sums, strict=True)
    ]
    yield sums
    for hook in hooks:
        hook.remove()


@torch.no_grad()
def neuron_activity(model: BertForTokenClassification, corpus: Corpus) -> list[torch.Tensor]:
    """Summed absolute output of every feed-forward neuron over a corpus, layer by layer."""
    model.eval()
    with summed_activity(model.bert.encoder) as sums:
        for indices in corpus.batches(64):
            batch = corpus.collate(indices)
            with torch.autocast("cpu", torch.bfloat16):
                model(batch.pieces, batch.mask)
    return sums


def cut_model(
    source: Any,
    layers: Sequence[int],
    neurons: Sequence[torch.Tensor],
    piece_rows: Sequence[int],
) -> Any:
    """A smaller model that keeps some layers, neurons and word pieces of `source`."""
    config = BertConfig.from_dict(source.config.to_dict())
    config.num_hidden_layers = len(layers)
    config.intermediate_size = len(neurons[0])
    config.vocab_size = len(piece_rows)
    config.max_position_embeddings = 256
    # A student this small underfits: dropout costs F1 and time.
    config.attention_probs_dropout_prob = config.hidden_dropout_prob = 0.0
    config.dtype = torch.float32
    # On a CPU the backward pass of the fused attention is the slower one at these lengths.
    config._attn_implementation = "eager"
    student: Any = type(source)(config)
    student.load_state_dict(cut_weights(source.state_dict(), layers, neurons, piece_rows))
    return student


def cut_weights(
    weights: dict[str, torch.Tensor],
    layers: Sequence[int],
    neurons: Sequence[torch.Tensor],
    piece_rows: Sequence[int],
) -> dict[str, torch.Tensor]:
    """The entries of a state dict that a smaller model reuses, under their new names."""
    prefix = "bert.encoder.layer."
    kept = {name: value for name, value in weights.items() if not name.startswith(prefix)}
    words, places = "bert.embeddings.word_embeddings.weight", "bert.embeddings.position_embeddings"
    kept[words] = weights[words][list(piece_rows)]
    kept[places + ".weight"] = weights[places + ".weight"][:256]
    for new, (old, chosen) in enumerate(zip(layers, neurons, strict=True)):
        for name, value in weights.items():
            if name.startswith(f"{prefix}{old}."):
                part = name.removeprefix(f"{prefix}{old}.")
                if part.startswith("intermediate"):
                    value = value[chosen]
                if part == "output.dense.weight":
                    value = value[:, chosen]
                kept[f"{prefix}{new}.{part}"] = value
    return kept


def loss_of(
    model: BertForTokenClassification, head: torch.nn.Linear | None, batch: Batch
) -> torch.Tensor:
    """Gold labels where there are any, the teacher's label scores and its word vectors."""
    with torch.autocast("cpu", torch.bfloat16):
        hidden = model.bert(batch.pieces, batch.mask).last_hidden_state
    words = hidden[batch.first].float()
    scores = model.classifier(words)
    loss = torch.zeros(())
    if (batch.labels != IGNORED).any():
        gold = functional.cross_entropy(scores, batch.labels, ignore_index=IGNORED, reduction="sum")
        loss = loss + gold / len(words)
    if batch.hidden is not None and head is not None:
        soft = head(batch.hidden).softmax(-1)
        loss = loss + functional.cross_entropy(scores, soft)
        loss = loss + 1 - functional.cosine_similarity(words, batch.hidden, dim=-1).mean()
    return loss


def train(
    model: BertForTokenClassification,
    head: torch.nn.Linear | None,
    corpus: Corpus,
    *,
    epochs: int,
    rate: float,
    size: int,
    seed: int,
    after_epoch: Callable[[int], None] = lambda _: None,
) -> int:
    """Train in place; the learning rate rises for a twentieth of the steps, then falls to 0."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    steps = epochs * sum(1 for _ in corpus.batches(size, random.Random(seed)))
    warm = max(1, steps // 20)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0, steps - step) / (steps - warm))
    )
    for epoch in range(epochs):
        model.train()
        for indices in corpus.batches(size, rng):
            loss = loss_of(model, head, corpus.collate(indices))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        after_epoch(epoch)
    return steps


@torch.inference_mode()
def predict(
    model: BertForTokenClassification, tokenizer: BertTokenizerFast, sentences: Sequence[Sentence]
) -> list[list[str]]:
    """One label per word; O for a word without a piece."""
    model.eval()
    corpus = Corpus(sentences, tokenizer)
    found = [["O"] * len(s.words) for s in sentences]
    for indices in corpus.batches(64):
        batch = corpus.collate(indices)
        best = model(batch.pieces, batch.mask).logits.argmax(-1).tolist()
        for row, index in enumerate(indices):
            for word, start in enumerate(corpus.rows[index][1]):
                if start:
                    found[index][word] = LABELS[best[row][start]]
    return found


def span_f1(
    model: BertForTokenClassification, tokenizer: BertTokenizerFast, sentences: Sequence[Sentence]
) -> float:
    """Micro F1 over entities; borders and kind must both be right."""
    hits = guessed = wanted = 0
    for sentence, labels in zip(sentences, predict(model, tokenizer, sentences), strict=True):
        guess, gold = spans(labels), spans(sentence.labels)
        hits, guessed, wanted = hits + len(guess & gold), guessed + len(guess), wanted + len(gold)
    return 2 * hits / max(1, guessed + wanted)


@dataclass(frozen=True)
class Data:
    """What is trained on, by data set; `dev` and `test` are only ever scored."""

    gold: dict[str, list[Sentence]]
    unlabelled: dict[str, list[Sentence]]
    dev: list[Sentence]
    test: list[Sentence]

    def counts(self) -> dict[str, int]:
        return {name: len(part) for name, part in (self.gold | self.unlabelled).items()}


def read_data(folder: Path, seed: int) -> Data:
    ner = folder / "ner"
    gold = {
        "uner_ewt_train": read_labelled(ner / "uner_ewt_train.jsonl.gz"),
        "wikigold": read_labelled(ner / "wikigold.jsonl"),
    }
    everything = [s for part in gold.values() for s in part]
    gold["mentions_swapped"] = swap_mentions(everything, random.Random(seed))
    statements, questions = read_passages(folder / "boolq" / "train.jsonl.gz")
    # WNUT17 defines the borders of its labels differently, so only its sentences are used.
    tweets = [Sentence(s.words) for s in read_labelled(ner / "wnut17_train.jsonl")]
    return Data(
        gold=gold,
        unlabelled={
            "wnut17_train": tweets,
            "boolq_passages": statements,
            "boolq_questions": questions,
        },
        dev=read_labelled(ner / "uner_ewt_dev.jsonl"),
        test=read_labelled(ner / "uner_ewt_test.jsonl"),
    )


def save(model: BertForTokenClassification, tokenizer: BertTokenizerFast, folder: Path) -> None:
    # `encode` leaves its limit behind in the tokenizer, and it would be stored.
    tokenizer.backend_tokenizer.no_truncation()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def first_student(
    teacher: BertForTokenClassification,
    tokenizer: BertTokenizerFast,
    data: Data,
    recipe: argparse.Namespace,
) -> tuple[BertForTokenClassification, BertTokenizerFast]:
    """The untrained student, made of the teacher's parts, and its tokenizer."""
    gold = [s for part in data.gold.values() for s in part]
    rest = [s for part in data.unlabelled.values() for s in part]
    # Gold sentences weigh more: their words are those that the student is judged on.
    weighted = [(s, 4) for s in gold] + [(s, 1) for s in rest]
    pieces = choose_pieces(tokenizer, weighted, recipe.pieces)
    activity = neuron_activity(teacher, Corpus(gold[:2000], tokenizer))
    layers = teacher.bert.encoder.layer
    neurons = [important_neurons(layers[i], activity[i], recipe.neurons) for i in recipe.layers]
    rows = [tokenizer.vocab[piece] for piece in pieces]
    return cut_model(teacher, recipe.layers, neurons, rows), cut_tokenizer(tokenizer, pieces)


def make_baseline(arguments: argparse.Namespace, data: Data) -> dict[str, object]:
    started = time.monotonic()
    teacher = BertForTokenClassification.from_pretrained(arguments.teacher, dtype=torch.float32)
    tokenizer = BertTokenizerFast.from_pretrained(arguments.teacher)
    student, pieces = first_student(teacher, tokenizer, data, arguments)
    sentences = [s for part in (data.gold | data.unlabelled).values() for s in part]
    views = teacher_views(teacher, tokenizer, sentences)
    print(f"teacher read in {time.monotonic() - started:.0f} s", flush=True)

    def report(epoch: int) -> None:
        score, spent = span_f1(student, pieces, data.dev), time.monotonic() - started
        print(f"epoch {epoch + 1}: F1 dev {score:.3f}, {spent:.0f} s", flush=True)

    head = teacher.classifier.requires_grad_(False)
    steps = train(
        student,
        head,
        Corpus(sentences, pieces, views),
        epochs=arguments.epochs,
        rate=7e-4,
        size=48,
        seed=arguments.seed,
        after_epoch=report,
    )
    save(student, pieces, arguments.out / "ner-baseline")
    return summary(student, pieces, data, data.counts(), steps, started)


def make_candidate(arguments: argparse.Namespace, data: Data) -> dict[str, object]:
    """Train the baseline further, on hard labels of one corpus only."""
    started = time.monotonic()
    folder = arguments.out / "ner-baseline"
    model = BertForTokenClassification.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    )
    tokenizer = BertTokenizerFast.from_pretrained(folder)
    name = "uner_ewt_train"
    corpus = Corpus(data.gold[name], tokenizer)
    steps = train(model, None, corpus, epochs=3, rate=2e-4, size=32, seed=arguments.seed)
    save(model, tokenizer, arguments.out / "ner-candidate")
    return summary(model, tokenizer, data, {name: len(data.gold[name])}, steps, started)


def summary(
    model: BertForTokenClassification,
    tokenizer: BertTokenizerFast,
    data: Data,
    sentences: dict[str, int],
    steps: int,
    started: float,
) -> dict[str, object]:
    seconds = round(time.monotonic() - started)
    return {
        "sentences": sentences,
        "steps": steps,
        "seconds": seconds,
        "parameters": sum(p.numel() for p in model.parameters()),
        "f1_dev": round(span_f1(model, tokenizer, data.dev), 4),
        "f1_test": round(span_f1(model, tokenizer, data.test), 4),
    }


def recipe_parser(
    *, pieces: int, neurons: int, layers: Sequence[int], epochs: int
) -> argparse.ArgumentParser:
    """The flags that every demo checkpoint is made with, and their defaults."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pieces", type=int, default=pieces)
    parser.add_argument("--neurons", type=int, default=neurons)
    parser.add_argument("--layers", type=int, nargs="+", default=list(layers))
    parser.add_argument("--epochs", type=int, default=epochs)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    return parser


def main() -> None:
    parser = recipe_parser(pieces=6000, neurons=768, layers=(0, 2, 5), epochs=5)
    parser.add_argument("--teacher", type=Path, required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    data = read_data(arguments.data, arguments.seed)
    path = arguments.out / "training.json"
    report: dict[str, object] = json.loads(path.read_text()) if path.is_file() else {}
    if not (arguments.out / "ner-baseline" / "model.safetensors").is_file():
        report = {"seed": arguments.seed, "baseline": make_baseline(arguments, data)}
        path.write_text(json.dumps(report, indent=2) + "\n")
    report["candidate"] = make_candidate(arguments, data)
    path.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
