"""Makers of small decoders with random weights, and a tokenizer of bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LABELS = ("negative", "neutral", "positive")
SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "intermediate_size": 32,
}
OF_BART: dict[str, Any] = {
    "d_model": 32,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
}
OF_T5: dict[str, Any] = {"d_model": 32, "d_kv": 16, "d_ff": 32, "num_layers": 1, "num_heads": 2}
FAMILIES: dict[str, dict[str, Any]] = {
    "Qwen2": {**SIZES, "pad_token_id": None},
    "Qwen3": {**SIZES, "head_dim": 16},
    "Llama": SIZES,
    "Mistral": SIZES,
    "Gemma2": {**SIZES, "head_dim": 16, "final_logit_softcapping": 5.0},
    "GPT2": {"n_embd": 32, "n_layer": 1, "n_head": 2, "pad_token_id": None},
    "Bart": OF_BART,
    "T5": {**OF_T5, "decoder_start_token_id": 1},
}
"""Configurations by the first part of a class's name."""
EXPERTS = {"Mixtral": {**SIZES, "num_local_experts": 4, "num_experts_per_tok": 2}}
"""Likewise, of families that PyTorch cannot export."""
CHAT = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def save_decoder(folder: Path, family: str, head: str, chat: str = "") -> Path:
    """Save a model of a family that reads bytes; ``head`` is the end of the class's name."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    folder.mkdir(parents=True)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {word: at for at, word in enumerate(["<s>", "<pad>", "</s>", "<unk>", *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if family in ("Bart", "T5"):
        special: Any = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    else:
        special = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    tokenizer.post_processor = special
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"model_max_length": 256, **({"chat_template": chat} if chat else {})}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    torch.manual_seed(3)
    config = getattr(transformers, f"{family}Config")(
        vocab_size=len(vocabulary) + 9,  # some tokenizers add tokens
        **(
            {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2} | (FAMILIES | EXPERTS)[family]
        ),
        **({} if family == "T5" else {"max_position_embeddings": 256}),
        id2label=dict(enumerate(LABELS)),
        label2id={label: at for at, label in enumerate(LABELS)},
    )
    model = getattr(transformers, f"{family}{head}")(config)
    with torch.no_grad():  # as if trained: small random weights give all labels one score
        for parameter in model.parameters():
            parameter.mul_(4)
    model.save_pretrained(folder)
    return folder
