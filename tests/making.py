"""Makers of small checkpoints, suites and sentences for tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mt_gate.domain import Block, Group, Source
from mt_gate.suites.format import FORMAT, Corpus, SuiteFile, SuiteRelation, group_id, write_suite

LABELS = ("O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC")
NAMES = ("Anna", "Boris", "Oslo", "Paris", "Rome", "Clara", "David", "Berlin", "Erik", "Quito")
SENTENCES = [
    f"{a} was a friend of {b} in {c}."
    for a in NAMES
    for b in NAMES[:6]
    for c in NAMES[4:]
    if len({a, b, c}) == 3
][:300]


def word_pieces() -> list[str]:
    """Return a vocabulary with every letter, so that nothing is unknown."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [chr(code) for code in range(33, 127)]
    words = [name.lower() for name in NAMES] + ["was", "a", "friend", "of", "in"]
    return list(dict.fromkeys([*special, *words, *letters, *(f"##{x}" for x in letters)]))


TAGGER = "ForTokenClassification"


def save_bert(
    folder: Path,
    labels: tuple[str, ...],
    *,
    seed: int = 3,
    head: str = TAGGER,
    length: int = 64,
    **config: Any,
) -> Path:
    """Save a BERT, by default for token classification, with random weights and its tokenizer.

    It takes inputs of ``length`` tokens.
    """
    import torch
    import transformers
    from transformers import BertConfig, BertTokenizerFast

    folder.mkdir(parents=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(word_pieces()) + "\n")
    tokenizer = BertTokenizerFast.from_pretrained(folder, do_lower_case=True)
    tokenizer.model_max_length = length
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    model = getattr(transformers, f"Bert{head}")(
        BertConfig(
            vocab_size=len(word_pieces()),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=length,
            initializer_range=0.5,
            id2label=dict(enumerate(labels)),
            label2id={label: index for index, label in enumerate(labels)},
            **config,
        )
    )
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def save_roberta(
    folder: Path,
    labels: tuple[str, ...],
    *,
    head: str = TAGGER,
    family: str = "Roberta",
    **config: Any,
) -> Path:
    """Save a RoBERTa, or a like family: byte-level tokens, positions from the padding on."""
    import torch
    import transformers
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaTokenizerFast

    folder.mkdir(parents=True)
    bpe = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    bpe.train_from_iterator(SENTENCES, vocab_size=400, special_tokens=special)
    bpe.save_model(str(folder))
    tokenizer = RobertaTokenizerFast.from_pretrained(folder, add_prefix_space=False)
    tokenizer.model_max_length = 60
    tokenizer.save_pretrained(folder)
    torch.manual_seed(5)
    model = getattr(transformers, f"{family}{head}")(
        getattr(transformers, f"{family}Config")(
            vocab_size=400,
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=66,
            type_vocab_size=1,
            initializer_range=0.5,
            pad_token_id=1,
            bos_token_id=0,
            eos_token_id=2,
            id2label=dict(enumerate(labels)),
            label2id={label: index for index, label in enumerate(labels)},
            **config,
        )
    )
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def question(text: str) -> tuple[str, tuple[Block, ...]]:
    """Turn "X was ..." into "Was X ...?", with the alignment."""
    name, _, rest = text.partition(" was ")
    follow_up = f"Was {name} {rest[:-1]}?"
    blocks = (
        Block(0, 4, len(name)),
        Block(len(name) + 1, 0, 3),
        Block(len(name) + 4, 4 + len(name), len(rest)),
    )
    return follow_up, blocks


def suite_head(task: str, relations: Iterable[SuiteRelation], size: int, **more: Any) -> SuiteFile:
    """Return the head of a suite of ``size`` sources of one corpus."""
    corpus = Corpus(name="made up", licence="CC0", attribution="nobody", sentences=size)
    usual: dict[str, Any] = {"name": "made-up", "description": "made for tests", "version": "1"}
    usual |= {"seed": 1, "tools": {}, "thresholds": {}, "files": {}, "sources": (corpus,)}
    return SuiteFile(format=FORMAT, task=task, relations=tuple(relations), **{**usual, **more})


def make_suite(folder: Path, sentences: list[str] | None = None, *, copies: int = 1) -> Path:
    """Write a suite of ``ner/structural`` and ``ner/entity-shuffle``."""
    sources, groups = [], []
    for number, text in enumerate((sentences or SENTENCES[:60]) * copies):
        source = Source(
            id=f"made-{number:04d}",
            input={"text": text},
            origin="made up",
            bind=("ner/entity-shuffle",),
        )
        sources.append(source)
        if " was " in text:
            follow_up, blocks = question(text)
            after = {"text": follow_up}
            groups.append(
                Group(
                    id=group_id("ner/structural", source.input, after),
                    relation="ner/structural",
                    source=source.id,
                    follow_up=after,
                    alignment=blocks,
                )
            )
    relations = (
        SuiteRelation(id="ner/structural", groups=len(groups), sources=len(groups)),
        SuiteRelation(id="ner/entity-shuffle", groups=0, sources=len(sources), bound=True),
    )
    write_suite(folder, suite_head("ner", relations, len(sources)), sources, groups)
    return folder
