"""Language models of a few thousand random weights, with real tokenizers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SENTENCES = [
    "Anna bought a small house in Oslo.",
    "Boris purchased an old cottage near the harbour.",
    "The company acquired a new office in Berlin last year.",
    "She shares a border with nobody and he broadens the reach.",
]


def save_causal(folder: Path) -> Path:
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(SENTENCES, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer)
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=len(fast),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        initializer_range=0.3,
    )
    return saved(folder, fast, LlamaForCausalLM(config))


def word_pieces() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=200, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(SENTENCES, trainer)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=64,
    )


def bert_config(size: int) -> Any:
    from transformers import BertConfig

    return BertConfig(
        vocab_size=size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.3,
    )


def save_masked(folder: Path) -> Path:
    import torch
    from transformers import BertForMaskedLM

    tokenizer = word_pieces()
    torch.manual_seed(7)
    model = BertForMaskedLM(bert_config(len(tokenizer)))
    return saved(folder, tokenizer, model)


def save_encoder(folder: Path) -> Path:
    import torch
    from transformers import BertModel

    tokenizer = word_pieces()
    torch.manual_seed(8)
    return saved(folder, tokenizer, BertModel(bert_config(len(tokenizer))))


def saved(folder: Path, tokenizer: Any, model: Any) -> Path:
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
