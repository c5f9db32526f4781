"""Tokenizers, vocabularies and cards: what stands beside a model."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hostile.material import classifier
from hostile.models import BOUND, NOISE, inside, instead, judged, outside, sparse
from hostile.running import Case, Ground, gate
from making import LABELS

TOKENIZER = r"tokenizer\.json.*(expected|save|export|mend|tokenizer)"
PLACE = r"(tokenizer|checkpoint|vocabulary)\.\w+: .*(link|regular|no such|/proc|device|FIFO|folder)"
SMALL_OR_UNFIT = f"{TOKENIZER}|{BOUND}"
CARD = r"checkpoint.*([Ee]xpect|mend|export|use a newer|give|name)"
WORDS = r"vocabulary\.txt: .*(expected)"
VERY_LARGE = 4_294_967_295


def edited(
    identity: str,
    change: Callable[[dict[str, Any]], object],
    line: str = TOKENIZER,
    codes: tuple[int, ...] = (3,),
    name: str = "tokenizer.json",
) -> Case:
    """Return the case of a good checkpoint with a change made to its tokenizer or card."""

    def made(ground: Ground) -> list[str]:
        ground.take("checkpoint")
        ground.edit(f"checkpoint/{name}", change)
        return judged(ground)

    return Case(identity, made, line, codes)


def setting(**parts: Any) -> Callable[[dict[str, Any]], object]:
    return lambda value: value.update(parts)


def model(**parts: Any) -> Callable[[dict[str, Any]], object]:
    return lambda value: value["model"].update(parts)


def other_model(kind: str, **parts: Any) -> Callable[[dict[str, Any]], object]:
    return setting(model={"type": kind, **parts}, post_processor=None)


def written(
    identity: str,
    text: bytes | str,
    line: str = TOKENIZER,
    codes: tuple[int, ...] = (3,),
    name: str = "tokenizer.json",
) -> Case:
    """Return the case of a good checkpoint with other bytes in a file."""

    def made(ground: Ground) -> list[str]:
        ground.take("checkpoint")
        ground.write(f"checkpoint/{name}", text)
        return judged(ground)

    return Case(identity, made, line, codes)


def put(
    identity: str,
    make: Callable[[Path], object],
    line: str = PLACE,
    name: str = "tokenizer.json",
    codes: tuple[int, ...] = (3,),
) -> Case:
    """Return the case of a good checkpoint with something else in the place of a file."""

    def made(ground: Ground) -> list[str]:
        path = ground.take("checkpoint") / name
        if make in (outside, inside):
            make(path)
        else:
            instead(make, name)(path.parent)
        return judged(ground)

    return Case(identity, made, line, codes)


def split(pattern: str) -> Callable[[dict[str, Any]], object]:
    return setting(
        pre_tokenizer={
            "type": "Split",
            "pattern": {"Regex": pattern},
            "behavior": "Isolated",
            "invert": False,
        }
    )


def replacing(pattern: dict[str, str], content: str, times: int = 1) -> Callable[..., object]:
    step = {"type": "Replace", "pattern": pattern, "content": content}
    return setting(normalizer={"type": "Sequence", "normalizers": [step] * times})


def charsmap(text: str) -> Callable[[dict[str, Any]], object]:
    return setting(normalizer={"type": "Precompiled", "precompiled_charsmap": text})


def template(*pieces: dict[str, Any], **special: Any) -> Callable[[dict[str, Any]], None]:
    def change(value: dict[str, Any]) -> None:
        value["post_processor"]["single"] = list(pieces)
        value["post_processor"]["special_tokens"] |= special

    return change


def piece(kind: str, identity: str, of_type: int = 0) -> dict[str, Any]:
    return {kind: {"id": identity, "type_id": of_type}}


A, CLS = piece("Sequence", "A"), piece("SpecialToken", "[CLS]")


def special(*ids: int) -> dict[str, Any]:
    return {"id": "[CLS]", "ids": list(ids), "tokens": ["[CLS]"] * len(ids)}


def added(identity: int, content: str, **more: bool) -> Callable[[dict[str, Any]], object]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    return setting(added_tokens=[{"id": identity, "content": content, **flags, **more}])


def larger(count: int) -> Callable[[dict[str, Any]], None]:
    def change(value: dict[str, Any]) -> None:
        vocabulary = value["model"]["vocab"]
        vocabulary |= {f"token-{number}": len(vocabulary) + number for number in range(count)}

    return change


def with_id(number: int) -> Callable[[dict[str, Any]], object]:
    return lambda value: value["model"]["vocab"].update(anna=number)


def nested(count: int) -> str:
    return '{"type":"Sequence","normalizers":[' * count + '{"type":"Lowercase"}' + "]}" * count


TOKENIZERS = [
    put("tokenizer-missing", lambda _: None, r"tokenizer\.json: no such file"),
    put("tokenizer-fifo", os.mkfifo),
    put("tokenizer-environment", lambda path: path.symlink_to("/proc/self/environ")),
    put("tokenizer-link-out", outside),
    put("tokenizer-of-1-tib", sparse(1 << 40), r"tokenizer\.json.*(bytes|large)"),
    written("tokenizer-empty", b""),
    written("tokenizer-undecodable", b"\xff\xfe{\x00}\x00"),
    written("tokenizer-brackets", "[" * 500_000),
    edited(
        "prefix-longer-than-its-tokens",
        other_model(
            "BPE",
            vocab={"a": 0, "##n": 1, "an": 2},
            merges=["a ##n"],
            continuing_subword_prefix="#" * 10,
            unk_token="a",
        ),
    ),
    edited(
        "tokenisation-by-chance",
        other_model(
            "BPE", vocab={"a": 0, "n": 1, "an": 2}, merges=["a n"], dropout=0.5, unk_token="a"
        ),
        f"{NOISE}|{TOKENIZER}",
        (1, 3),
    ),
    edited("words-without-a-vocabulary", other_model("WordLevel", vocab={}, unk_token="x")),
    edited("unigram-without-unknown", other_model("Unigram", vocab=[["a", -1.0]], unk_id=None)),
    edited(
        "ids-beyond-the-embedding",
        with_id(100_000),
        r"(model\.onnx|tokenizer\.json).*(fails|id|expected)",
    ),
    edited("regex-that-backtracks", split("(a*)*b|(.*)*c"), SMALL_OR_UNFIT),
    edited("regex-that-backtracks-on-spaces", split("(.* ?)*!"), f"{SMALL_OR_UNFIT}", (0, 1, 3)),
    edited("replacement-that-grows", replacing({"String": "a"}, "a" * 100, 6), SMALL_OR_UNFIT),
    edited(
        "prefixes-of-prefixes",
        setting(
            normalizer={
                "type": "Sequence",
                "normalizers": [{"type": "Prepend", "prepend": "x" * 95_000}]
                + [{"type": "Replace", "pattern": {"String": "x"}, "content": "xx"}] * 30,
            }
        ),
        SMALL_OR_UNFIT,
    ),
    edited("charsmap-that-asks-for-8-gib", charsmap("/////w=="), SMALL_OR_UNFIT),
    edited("pieces-of-no-length", setting(pre_tokenizer={"type": "FixedLength", "length": 0})),
    edited(
        "template-of-the-largest-id",
        template(CLS, A, **{"[CLS]": special(VERY_LARGE)}),
        r"(model\.onnx|tokenizer\.json).*(fails|id|expected)",
    ),
    edited(
        "template-of-millions",
        template(*[CLS] * 5_000, A, **{"[CLS]": special(*[1] * 5_000)}),
        SMALL_OR_UNFIT + "|room",
    ),
    edited(
        "sep-beyond-the-embedding",
        setting(
            post_processor={
                "type": "BertProcessing",
                "sep": ["[SEP]", 1 << 31],
                "cls": ["[CLS]", 2],
            }
        ),
        r"(model\.onnx|tokenizer\.json).*(fails|id|expected)",
    ),
    edited(
        "added-that-eats-all",
        setting(
            added_tokens=[
                {
                    "id": 900 + i,
                    "content": letter,
                    "single_word": False,
                    "lstrip": True,
                    "rstrip": True,
                    "normalized": True,
                    "special": True,
                }
                for i, letter in enumerate("abcdefghijklmnopqrstuvwxyz .?")
            ]
        ),
        f"checkpoint|{TOKENIZER}",
        (1, 3),
    ),
    edited(
        "padding-of-4e9",
        setting(
            padding={
                "strategy": {"Fixed": 4_000_000_000},
                "direction": "Right",
                "pad_to_multiple_of": None,
                "pad_id": 0,
                "pad_type_id": 0,
                "pad_token": "[PAD]",
            }
        ),
        "",
        (0,),
    ),
    edited(
        "no-tokens-at-all",
        setting(
            normalizer={"type": "Replace", "pattern": {"Regex": "."}, "content": ""},
            post_processor=None,
        ),
        f"checkpoint|{TOKENIZER}",
    ),
    edited("a-million-tokens", larger(1_000_000), SMALL_OR_UNFIT, (0, 3)),
]


def asked(ground: Ground) -> list[str]:
    """Return a run of the checkpoint of words that stands there."""
    return gate(ground, task="boolq", suite=str(ground.take("boolq-suite")))


def words(
    identity: str, make: Callable[[Path], object], line: str = WORDS, codes: tuple[int, ...] = (3,)
) -> Case:
    """Return the case of a checkpoint of form ``word-pair`` with another vocabulary."""

    def made(ground: Ground) -> list[str]:
        path = ground.take("word-pair", "checkpoint") / "vocabulary.txt"
        if make is outside:
            make(path)
        else:
            instead(make, path.name)(path.parent)
        return asked(ground)

    return Case(identity, made, line, codes)


def text(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


SECRET = b"GITHUB_TOKEN=ghs_thisisnotatokenbutlookslikeone\0AWS_SECRET_ACCESS_KEY=" + b"k" * 40
VOCABULARIES = [
    words("words-of-the-environment", lambda path: path.symlink_to("/proc/self/environ"), PLACE),
    words("words-fifo", os.mkfifo, PLACE),
    words("words-link-out", outside, PLACE),
    words("words-missing", lambda _: None, r"vocabulary\.txt"),
    words("words-of-1-tib", sparse(1 << 40), r"vocabulary\.txt.*(bytes|large)"),
    words(
        "words-copied-secrets",
        text(SECRET),
        r"vocabulary\.txt: (?!.*ghs_thisis)(?!.*kkkkkkkk).*expected",
    ),
    words("words-undecodable", text(b"<pad>\n<unk>\n\xff\xfe")),
    words(
        "words-of-commands",
        text(b"::set-output name=verdict::pass\n##[error]x\n"),
        r"vocabulary\.txt: (?!.*set-output).*expected",
    ),
    words(
        "words-beyond-the-embedding",
        text(
            "\n".join(
                ["<pad>", "<unk>", *(f"w{i}" for i in range(99)), "was", "a", "friend", "of"]
            ).encode()
        ),
        r"(model\.onnx|vocabulary\.txt).*(fails|expected)",
    ),
]


def card(identity: str, line: str = CARD, codes: tuple[int, ...] = (3,), /, **fields: Any) -> Case:
    """Return the case of a good checkpoint with other fields in its card."""
    return edited(identity, setting(**fields), line, codes, "checkpoint.json")


LONG = [label if label == "O" else label[:2] + label[2:] * 55_000 for label in LABELS]
"""Six labels of 160 KB: each answer that is kept has some of them."""
CARDS = [
    put("card-fifo", os.mkfifo, f"{PLACE}|neither", name="checkpoint.json"),
    put(
        "card-environment",
        lambda path: path.symlink_to("/proc/self/environ"),
        name="checkpoint.json",
    ),
    put("card-link-out", outside, name="checkpoint.json"),
    put(
        "card-of-1-tib", sparse(1 << 40), r"checkpoint\.json.*(bytes|large)", name="checkpoint.json"
    ),
    *(
        written(f"card-{identity}", data, CARD, name="checkpoint.json")
        for identity, data in {
            "empty": b"",
            "null": b"null",
            "list": b"[]",
            "text": b'"ner"',
            "number": b"1e999",
            "undecodable": b'{"task": "\xff"}',
            "brackets": b"[" * 500_000,
            "objects": b'{"a":' * 100_000,
            "cut-off": b'{"task": "ner", "labels": ["O", "B-',
            "nan": b'{"task": NaN}',
            "lone-surrogate": b'{"task": "ner", "labels": ["O", "B-\\ud800", "I-\\ud800"]}',
            "twice": b'{"task": "ner", "task": "boolq", "labels": ["O"]}',
            "of-secrets": b"AWS_SECRET_ACCESS_KEY=abc",
        }.items()
    ),
    card("card-format-99", r"checkpoint\.json: format 99", format=99),
    card("card-task-of-commands", task="ner\n::set-output name=verdict::pass\x1b[31m"),
    card("card-no-labels", labels=[]),
    card("card-a-million-labels", labels=["O", *(f"B-{i}" for i in range(100_000))]),
    card(
        "card-label-of-control-characters",
        CARD,
        (0, 3),
        labels=["O", "B-\x1b[31m\x07", "I-\x1b[31m\x07", *LABELS[3:]],
    ),
    card("card-files-outside", files={"../baseline.json": "0" * 64}),
    card("card-files-of-the-process", files={"/proc/self/environ": "0" * 64}),
    card("card-files-missing", files={"nowhere.bin": "0" * 64}),
    card("card-files-of-another-digest", files={"model.onnx": "0" * 64}),
    card("card-form-unknown", input_form="telepathy"),
    card("card-form-of-another-task", input_form="word-pair"),
    card(
        "card-name-of-commands",
        CARD,
        (0, 3),
        name="::set-output name=verdict::pass\n##[error]\x1b]0;x\x07",
    ),
]


def relations(identity: str, line: str, **fields: Any) -> Case:
    """Return the case of a card of task ``re`` on a suite of task ``re``."""

    def made(ground: Ground) -> list[str]:
        model = classifier(2).SerializeToString()
        (ground.take("checkpoint") / "model.onnx").write_bytes(model)
        content = {
            "task": "re",
            "labels": ["no_relation", "per:title"],
            "head": "[E1] {text} [/E1]",
            "tail": "[E2] {text} [/E2]",
            **fields,
        }
        ground.write("checkpoint/checkpoint.json", json.dumps(content))
        return gate(ground, task="re", suite="re-default")

    return Case(identity, made, line, (2, 3))


PLAIN = {"input_form": "plain-text", "head": "", "tail": "", "template": "{head} and {tail}"}
RELATIONS = [
    relations("re-ontology-outside", "ontology", **PLAIN, ontology="../../../etc/passwd"),
    relations("re-ontology-absolute", "ontology", **PLAIN, ontology="/proc/self/environ"),
    relations("re-ontology-of-commands", "ontology", **PLAIN, ontology="x\n::set-output name=a::b"),
    relations("re-head-of-1-mb", CARD, head="{text}" + "x" * 1_000_000),
    relations("re-labels-list", CARD, labels=[["no_relation"]]),
]
CASES = [*TOKENIZERS, *VOCABULARIES, *CARDS, *RELATIONS]
