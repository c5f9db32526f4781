"""Put a head, drawn at random, on an encoder: a classifier whose answers mean nothing.

    python benchmarks/untrained_classifier.py ENCODER OUT [--width N] [--layers N]

It takes as long as a trained one, for benchmarks/speed.py. ``ENCODER`` is a
BERT without a head, as all-MiniLM-L6-v2; it is saved in half precision, as checkpoints often are.
With a width, in place of the encoder's, all weights are drawn: 768 makes of six layers as many as
DistilBERT has, of twelve as many as BERT-base.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification, set_seed

LABELS = 150
"""As many as CLINC150 has intents."""
HEAD = 64
"""Width of an attention head, as in BERT and DistilBERT."""


def main() -> None:
    """Write the classifier with its tokenizer."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("encoder", type=Path, help="folder of a BERT")
    parser.add_argument("out", type=Path, help="folder to make")
    parser.add_argument("--width", type=int, help=f"a multiple of {HEAD} [the encoder's]")
    parser.add_argument("--layers", type=int, help="where a width is given [the encoder's]")
    arguments = parser.parse_args()
    set_seed(1)
    names = {number: f"intent {number}" for number in range(LABELS)}
    config = BertConfig.from_pretrained(
        arguments.encoder, id2label=names, label2id={name: at for at, name in names.items()}
    )
    width = arguments.width
    if width:
        config.hidden_size, config.intermediate_size = width, 4 * width
        config.num_attention_heads = width // HEAD
        config.num_hidden_layers = arguments.layers or config.num_hidden_layers
        model = BertForSequenceClassification(config)
    else:
        model = BertForSequenceClassification.from_pretrained(arguments.encoder, config=config)
    model.to(torch.float16).save_pretrained(arguments.out)
    AutoTokenizer.from_pretrained(arguments.encoder).save_pretrained(arguments.out)


if __name__ == "__main__":
    main()
