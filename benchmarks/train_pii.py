"""Train two small taggers of personal data, for the suite pii-default.

    python train_pii.py --out OUT

`OUT/pii-baseline` is a BERT token classifier of 1.3 million weights, trained on texts from
the templates in `pii_training`: other contexts and other values than those of the suite. It is
trained in two halves, the second with noise in the context; `OUT/pii-plain` is the first.
`OUT/pii-candidate` is the baseline with weights of three bits, as a team has that makes its model
smaller. A baseline that is already in OUT is reused. `mt-gate export --precision int8` makes the
two that the demo has.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertForTokenClassification, PreTrainedTokenizerFast

from fault_bench.optimising import rounded_in_blocks
from mt_gate_suites.templates import edits
from mt_gate_suites.templates.reading import Language, read_language
from mt_gate_suites.templates.values import GENERATORS, fill

TEMPLATES = Path(__file__).parent / "pii_training"
LABELS = ("O", *(f"{tag}-{kind}" for kind in GENERATORS for tag in "BI"))
LABEL_ID = {label: index for index, label in enumerate(LABELS)}
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
IGNORED = -100
THREE_BITS = 3
"""Steps on either side of 0 that weights of three bits have."""
EDITS = {
    relation.name: relation.edit
    for relation in edits.RELATIONS
    if relation.name
    in ("lower-case", "upper-case", "no-punctuation", "other-position", "quotes", "markup")
}
"""Edits that a training text may have; the suite's others are new to the model."""
Example = tuple[str, tuple[Any, ...]]
"""A text, and its entities."""


NUMBERS = (
    "#",
    "##",
    "###",
    "##.#",
    "#.#.#",
    "##-###",
    "####-##",
    "@-##",
    "#,###",
    "###/##",
    "@@##",
)
"""Numbers that no word around them calls a value."""


def draw(languages: Sequence[Language], rng: random.Random) -> Example:
    """Return a text with its values; some have none, and some of these have numbers anywhere."""
    language = rng.choice(languages)
    if rng.random() < 0.22:
        text = edits.fill_look_alike(rng.choice(language.file.look_alike).text, rng)
        words = text.split(" ")
        for _ in range(rng.choice([0, 0, 1, 2])):
            words.insert(rng.randint(0, len(words)), fill(rng.choice(NUMBERS), rng))
        return " ".join(words), ()
    filled = edits.fill_template(language, rng.choice(language.templates), rng)
    pieces = filled.pieces
    if rng.random() < 0.45:
        pieces = rng.choice([*EDITS.values()])(filled, rng) or pieces
    if rng.random() < 0.04:
        pieces = edits._longer_text(filled, rng) or pieces
    return edits.text_of(pieces), edits.entities_of(pieces)


def make_tokenizer(texts: Sequence[str], size: int) -> PreTrainedTokenizerFast:
    """Return word pieces, with a piece for each digit, learned from these texts."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Digits(individual_digits=True)]
    )
    alphabet = [chr(code) for code in range(33, 127)]
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=[*SPECIALS], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    ids = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=ids
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=512,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def encode(
    tokenizer: PreTrainedTokenizerFast, example: Example, noise: float, rng: random.Random
) -> tuple[list[int], list[int]]:
    """Return token ids, and the label of the first token of each word.

    ``noise`` is the share of words around values that are replaced, so that no text is learned by
    heart.
    """
    text, entities = example
    coded = tokenizer(text, truncation=True, max_length=512, return_offsets_mapping=True)
    labels, words = [], coded.word_ids()
    for index, ((start, end), word) in enumerate(zip(coded["offset_mapping"], words, strict=True)):
        if word is None or (index and words[index - 1] == word):
            labels.append(IGNORED)
            continue
        of = next((e for e in entities if e.start < end and start < e.end), None)
        tag = "B" if of and start <= of.start else "I"
        labels.append(LABEL_ID[f"{tag}-{of.label}"] if of else 0)
    ids = [
        rng.randrange(len(SPECIALS), len(tokenizer)) if label == 0 and rng.random() < noise else id_
        for id_, label in zip(coded["input_ids"], labels, strict=True)
    ]
    return ids, labels


def collate(rows: Sequence[tuple[list[int], list[int]]]) -> tuple[torch.Tensor, torch.Tensor]:
    width = max(len(ids) for ids, _ in rows)
    pieces = torch.zeros(len(rows), width, dtype=torch.long)
    labels = torch.full_like(pieces, IGNORED)
    for row, (ids, tags) in enumerate(rows):
        pieces[row, : len(ids)] = torch.tensor(ids)
        labels[row, : len(tags)] = torch.tensor(tags)
    return pieces, labels


def train(
    model: Any,
    tokenizer: PreTrainedTokenizerFast,
    languages: Sequence[Language],
    *,
    steps: int,
    rate: float,
    seed: int,
    noise: float = 0.0,
    size: int = 32,
) -> None:
    """Train in place on texts that are drawn as they are needed."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    warm = max(1, steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0, steps - step) / (steps - warm))
    )
    model.train()
    begun, waiting = time.monotonic(), list[list[tuple[list[int], list[int]]]]()
    for step in range(steps):
        if not waiting:  # texts of one length together, so that few tokens are padding
            rows = sorted(
                (
                    encode(tokenizer, draw(languages, rng), rng.choice([0, noise]), rng)
                    for _ in range(size * 20)
                ),
                key=lambda row: len(row[0]),
            )
            waiting = [rows[at : at + size] for at in range(0, len(rows), size)]
            rng.shuffle(waiting)
        pieces, labels = collate(waiting.pop())
        logits = model(pieces, attention_mask=(pieces != 0).long()).logits
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED
        )
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 50 == 49:
            print(f"step {step + 1} of {steps}, loss {loss:.3f}, {time.monotonic() - begun:.0f} s")


def save(model: Any, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=3500)
    parser.add_argument("--pieces", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    languages = [read_language(path) for path in sorted(TEMPLATES.glob("*.toml"))]
    baseline, plain = options.out / "pii-baseline", options.out / "pii-plain"
    if (there := next(filter(Path.is_dir, (baseline, plain)), None)) is not None:
        tokenizer = PreTrainedTokenizerFast.from_pretrained(there)
        model = BertForTokenClassification.from_pretrained(there)
    else:
        rng = random.Random(options.seed)
        texts = [draw(languages, rng)[0] for _ in range(20_000)]
        tokenizer = make_tokenizer(texts, options.pieces)
        config = BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=128,
            num_hidden_layers=4,
            num_attention_heads=4,
            intermediate_size=512,
            max_position_embeddings=512,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            id2label=dict(enumerate(LABELS)),
            label2id=LABEL_ID,
        )
        torch.manual_seed(options.seed)
        model = BertForTokenClassification(config)
        train(model, tokenizer, languages, steps=options.steps, rate=1e-3, seed=options.seed)
        save(model, tokenizer, plain)
    if not baseline.is_dir():
        steps, seed = options.steps // 2, options.seed + 1
        train(model, tokenizer, languages, steps=steps, rate=6e-4, seed=seed, noise=0.3)
        save(model, tokenizer, baseline)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if weights.ndim == 2 and ".encoder." in name:
                rounded = rounded_in_blocks(weights.T.numpy(), THREE_BITS)
                weights.copy_(torch.from_numpy(rounded.T))
    save(model, tokenizer, options.out / "pii-candidate")


if __name__ == "__main__":
    main()
