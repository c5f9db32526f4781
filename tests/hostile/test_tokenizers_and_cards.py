"""Tokenizers, vocabularies and cards: the files next to a model."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hostile.material import classifier
from hostile.models import BOUND, inside, instead, judged, outside, sparse
from hostile.running import Case, Ground, gate

TOKENIZER = r"tokenizer\.json.*(expected|save|export|fix|must|pass|see|tokenizer)"
PLACE = (
    r"(tokenizer|checkpoint|vocabulary)\.\w+:? "
    r".*(link|regular|not exist|has no|/proc|device|FIFO|folder)"
)
SMALL_OR_UNFIT = f"{TOKENIZER}|{BOUND}"
CARD = r"checkpoint.*([Ee]xpect|fix|must|pass|see|export|use a newer|give|name)"
WORDS = r"vocabulary\.txt:? .*(expected)"


def edited(
    identity: str,
    change: Callable[[dict[str, Any]], object],
    line: str = TOKENIZER,
    codes: tuple[int, ...] = (3,),
    name: str = "tokenizer.json",
) -> Case:
    def made(ground: Ground) -> list[str]:
        ground.take("checkpoint")
        ground.edit(f"checkpoint/{name}", change)
        return judged(ground)

    return Case(identity, made, line, codes)


def setting(**parts: Any) -> Callable[[dict[str, Any]], object]:
    return lambda value: value.update(parts)


def model(**parts: Any) -> Callable[[dict[str, Any]], object]:
    return lambda value: value["model"].update(parts)


def written(
    identity: str,
    text: bytes | str,
    line: str = TOKENIZER,
    codes: tuple[int, ...] = (3,),
    name: str = "tokenizer.json",
) -> Case:
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


def charsmap(text: str) -> Callable[[dict[str, Any]], object]:
    return setting(normalizer={"type": "Precompiled", "precompiled_charsmap": text})


TOKENIZERS = [
    put("tokenizer-missing", lambda _: None, r"tokenizer\.json does not exist"),
    put("tokenizer-fifo", os.mkfifo),
    put("tokenizer-link-out", outside),
    put("tokenizer-of-1-tib", sparse(1 << 40), r"tokenizer\.json.*(bytes|large)"),
    written("tokenizer-undecodable", b"\xff\xfe{\x00}\x00"),
    written("tokenizer-brackets", "[" * 500_000),
    edited("regex-that-backtracks", split("(a*)*b|(.*)*c"), SMALL_OR_UNFIT),
    edited("charsmap-that-asks-for-8-gib", charsmap("/////w=="), SMALL_OR_UNFIT),
]


def prompt(ground: Ground) -> list[str]:
    return gate(ground, task="boolq", suite=str(ground.take("boolq-suite")))


def words(
    identity: str, make: Callable[[Path], object], line: str = WORDS, codes: tuple[int, ...] = (3,)
) -> Case:
    def made(ground: Ground) -> list[str]:
        path = ground.take("word-pair", "checkpoint") / "vocabulary.txt"
        if make is outside:
            make(path)
        else:
            instead(make, path.name)(path.parent)
        return prompt(ground)

    return Case(identity, made, line, codes)


def text(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


SECRET = b"GITHUB_TOKEN=ghs_thisisnotatokenbutlookslikeone\0AWS_SECRET_ACCESS_KEY=" + b"k" * 40
VOCABULARIES = [
    words("words-of-the-environment", lambda path: path.symlink_to("/proc/self/environ"), PLACE),
    words("words-link-out", outside, PLACE),
    words(
        "words-copied-secrets",
        text(SECRET),
        r"vocabulary\.txt:? (?!.*ghs_thisis)(?!.*kkkkkkkk).*expected",
    ),
    words(
        "words-of-commands",
        text(b"::set-output name=verdict::pass\n##[error]x\n"),
        r"vocabulary\.txt:? (?!.*set-output).*expected",
    ),
]


def card(identity: str, line: str = CARD, codes: tuple[int, ...] = (3,), /, **fields: Any) -> Case:
    return edited(identity, setting(**fields), line, codes, "checkpoint.json")


CARDS = [
    *(
        written(f"card-{identity}", data, CARD, name="checkpoint.json")
        for identity, data in {
            "empty": b"",
            "null": b"null",
            "undecodable": b'{"task": "\xff"}',
            "brackets": b"[" * 500_000,
            "of-secrets": b"AWS_SECRET_ACCESS_KEY=abc",
        }.items()
    ),
    card("card-format-99", r"checkpoint\.json has format 99", format=99),
    card("card-task-of-commands", task="ner\n::set-output name=verdict::pass\x1b[31m"),
    card("card-files-outside", files={"../baseline.json": "0" * 64}),
    card("card-files-of-the-process", files={"/proc/self/environ": "0" * 64}),
    card("card-files-of-another-digest", files={"model.onnx": "0" * 64}),
    card("card-form-unknown", input_form="telepathy"),
    card(
        "card-name-of-commands",
        CARD,
        (0, 3),
        name="::set-output name=verdict::pass\n##[error]\x1b]0;x\x07",
    ),
]


def relations(identity: str, line: str, **fields: Any) -> Case:
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
    relations("re-ontology-of-commands", "ontology", **PLAIN, ontology="x\n::set-output name=a::b"),
    relations("re-head-of-1-mb", CARD, head="{text}" + "x" * 1_000_000),
]
CASES = [*TOKENIZERS, *VOCABULARIES, *CARDS, *RELATIONS]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_tokenizer_or_card(case: Case, attack: Callable) -> None:
    attack(case)
