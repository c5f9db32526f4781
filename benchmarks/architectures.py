"""Which architectures of transformers export and agree with PyTorch; writes a table.

    python benchmarks/architectures.py [FAMILY ...]

Each family gets a small checkpoint of random weights, one for each of its heads in ``HEADS``. It is
exported as a user's would be, which compares it with PyTorch on the texts below. If the export is
refused, the checkpoint runs with ``--backend torch``. ``results/architectures.md`` has a column for
each version of transformers; architectures without a cell are added, those named are run again.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from mt_gate.base.errors import MtGateError
from mt_gate.exporting.export import export
from mt_gate.exporting.torch_backend import TorchSystem

RESULTS = Path(__file__).parent / "results" / "architectures.md"
LABELS = {
    "TokenClassification": ("ner", ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]),
    "SequenceClassification": ("text", ["negative", "neutral", "positive"]),
}
TEXTS = [
    f"{name} met {other} in {place}{end}"
    for name, other in (("Anna", "Boris"), ("Zoë Łódź", "李四"), ("An O'Neil", "the 3 of them"))
    for place in ("Oslo", "São Paulo", "the town where they had been living since the war")
    for end in (".", "!", " on 4 May 2021, for the first time in years.")
]
SIZES: Mapping[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 130,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
}
DECODER: Mapping[str, Any] = {"num_key_value_heads": 2, "head_dim": 8}
EXPERTS: Mapping[str, Any] = {
    **DECODER,
    "num_local_experts": 4,
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
}
SEQ2SEQ: Mapping[str, Any] = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "decoder_start_token_id": 2,
}
T5: Mapping[str, Any] = {
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 64,
    "num_layers": 2,
    "num_heads": 4,
    "decoder_start_token_id": 1,
}
TOKEN, SEQUENCE = LABELS
BOTH = (TOKEN, SEQUENCE)


class Family(NamedTuple):
    """A family of architectures: its heads, and what its configuration needs."""

    name: str
    heads: Sequence[str] = BOTH
    config: Mapping[str, Any] = {}


FAMILIES = (
    Family("Albert", BOTH, {"embedding_size": 16}),
    Family("Bert"),
    Family("BigBird", (TOKEN,), {"attention_type": "original_full"}),
    Family("Camembert"),
    Family("Canine", (SEQUENCE,)),
    Family("ConvBert", (TOKEN,), {"embedding_size": 32}),
    Family("Data2VecText", (TOKEN,)),
    Family("Deberta", BOTH, {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
    Family("DebertaV2", BOTH, {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
    Family("DistilBert", BOTH, {"dim": 32, "hidden_dim": 64, "n_layers": 2, "n_heads": 4}),
    Family("Electra", BOTH, {"embedding_size": 32}),
    Family("Ernie", (TOKEN,)),
    Family("Esm", (TOKEN,), {"mask_token_id": 3}),
    Family("FNet", (TOKEN,)),
    Family("IBert", (TOKEN,)),
    Family("LayoutLM", (TOKEN,)),
    Family("Longformer", (TOKEN,), {"attention_window": 16}),
    Family("Luke", (TOKEN,), {"entity_vocab_size": 10, "entity_emb_size": 16}),
    Family("MPNet"),
    Family("MegatronBert", (TOKEN,)),
    Family("MobileBert", (TOKEN,), {"embedding_size": 32, "intra_bottleneck_size": 32}),
    Family("ModernBert", BOTH, {"cls_token_id": 0, "sep_token_id": 2}),
    Family("Nystromformer", (TOKEN,), {"segment_means_seq_len": 64, "num_landmarks": 8}),
    Family("RemBert", (TOKEN,), {"input_embedding_size": 16, "output_embedding_size": 32}),
    Family("RoFormer", (TOKEN,), {"embedding_size": 32}),
    Family("Roberta"),
    Family("RobertaPreLayerNorm", (TOKEN,)),
    Family("SqueezeBert", (TOKEN,), {"embedding_size": 32}),
    Family("XLM", (SEQUENCE,), {"emb_dim": 32, "n_layers": 2, "n_heads": 4}),
    Family("XLMRoberta"),
    Family("XLMRobertaXL", (TOKEN,)),
    Family("XLNet", (SEQUENCE,), {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 64}),
    Family("Xmod", (TOKEN,), {"languages": ["en_XX"], "default_language": "en_XX"}),
    Family("Bart", (SEQUENCE,), SEQ2SEQ),
    Family("MBart", (SEQUENCE,), SEQ2SEQ),
    Family("T5", (SEQUENCE,), T5),
    Family("Bloom", (SEQUENCE,), {"n_layer": 2, "n_head": 4}),
    Family("Falcon", (SEQUENCE,)),
    Family("GPT2", (SEQUENCE,), {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 130}),
    Family("GPTNeoX", (SEQUENCE,)),
    Family("Gemma", (SEQUENCE,), DECODER),
    Family("Gemma2", (SEQUENCE,), DECODER),
    Family("Llama", BOTH, DECODER),
    Family("Mistral", (SEQUENCE,), DECODER),
    Family("Mixtral", (SEQUENCE,), EXPERTS),
    Family("OPT", (SEQUENCE,), {"ffn_dim": 64, "word_embed_proj_dim": 32}),
    Family("Phi", (SEQUENCE,), DECODER),
    Family("Phi3", (SEQUENCE,), DECODER),
    Family("Qwen2", BOTH, DECODER),
    Family("Qwen2Moe", (SEQUENCE,), {**EXPERTS, "shared_expert_intermediate_size": 32}),
    Family("Qwen3", (SEQUENCE,), DECODER),
    Family("OpenAIPrivacyFilter", (TOKEN,), EXPERTS),
)


def save_tokenizer(folder: Path) -> int:
    """Write a tokenizer of bytes; return the size of its vocabulary."""
    words = ["<s>", "<pad>", "</s>", "<unk>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    made = Tokenizer(models.BPE({word: index for index, word in enumerate(words)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    made.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        '{"model_max_length": 128, "tokenizer_class": "PreTrainedTokenizerFast", '
        '"pad_token": "<pad>", "eos_token": "</s>", "bos_token": "<s>"}'
    )
    return len(words)


def save_checkpoint(folder: Path, family: Family, head: str) -> str:
    """Write a checkpoint of random weights; return its task."""
    task, labels = LABELS[head]
    names = {"id2label": dict(enumerate(labels)), "label2id": {v: k for k, v in enumerate(labels)}}
    torch.manual_seed(0)
    config = getattr(transformers, f"{family.name}Config")(
        vocab_size=save_tokenizer(folder), **{**SIZES, **family.config}, **names
    )
    getattr(transformers, f"{family.name}For{head}")(config).save_pretrained(folder)
    return task


def outcome(family: Family, head: str) -> str:
    """Return the table's cell: the difference from PyTorch, or what works instead."""
    if not hasattr(transformers, f"{family.name}For{head}"):
        return "not in this version"
    with TemporaryDirectory() as place:
        folder, out = Path(place, "checkpoint"), Path(place, "export")
        folder.mkdir()
        try:
            task = save_checkpoint(folder, family, head)
        except Exception as error:  # a configuration above that does not fit this version
            print(f"{family.name}For{head}: {error!r}", file=sys.stderr)
            return "?"
        inputs = [{"text": text} for text in TEXTS]
        try:
            parity = export(folder, task, out, "fp32", inputs).parity
            assert parity is not None
            return f"exports, {parity.largest_logit_difference:.0e}"
        except MtGateError as error:
            refusal = str(error).replace(str(folder), "PATH")
        print(f"{family.name}For{head}: {refusal}", file=sys.stderr)
        assert len(refusal.splitlines()) == 1
        try:
            system = TorchSystem(folder, task, "cpu")
            answers = [answer for batch in system.predict(inputs) for answer in batch]
            assert len(answers) == len(inputs)
            return "`--backend torch`"
        except MtGateError as error:
            return f"refused: {error}"


def read_table(text: str) -> tuple[list[str], dict[str, list[str]]]:
    """Return the versions of transformers in a table, and the cells of each architecture."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return rows[0][1:], {row[0].strip("`"): row[1:] for row in rows[2:]}


def main(names: Sequence[str]) -> None:
    """Fill the column of the installed transformers: the families named, or those without a cell.

    The file is written after each architecture, so that an interrupted command continues.
    """
    versions, cells = read_table(RESULTS.read_text("utf-8")) if RESULTS.exists() else ([], {})
    if transformers.__version__ not in versions:
        versions.append(transformers.__version__)
    column = versions.index(transformers.__version__)
    for family in FAMILIES:
        for head in family.heads:
            row = cells.setdefault(f"{family.name}For{head}", [])
            row += ["?"] * (len(versions) - len(row))
            if family.name in names or (not names and row[column] == "?"):
                row[column] = outcome(family, head)
                print(f"{family.name}For{head}: {row[column]}", flush=True)
                lines = [["architecture", *versions], ["---"] * (len(versions) + 1)]
                lines += [[f"`{name}`", *cells[name]] for name in sorted(cells)]
                table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
                RESULTS.write_text(_HEADER + table, encoding="utf-8")


_HEADER = """# Architectures

Small checkpoints of random weights, exported with the transformers of each column. `exports` is
followed by the largest difference of a logit from PyTorch. `--backend torch`: the export is
refused, and the checkpoint runs in PyTorch. `?`: not run.

Command: `python benchmarks/architectures.py`

"""


if __name__ == "__main__":
    main(sys.argv[1:])
